/* Lane handlers of integers, bits, comparisons, selections and moves. */
#include "lanes_check.h"

static void model_int(const struct form *f, const uint64_t *s, uint64_t *d)
{
    enum type t = (enum type)f->suffixes.type[0];
    bool high = f->suffixes.mod[GROUP_HALF] == HALF_HI;
    __int128 a = integer(t, s[0]), b = integer(t, s[1]), c = integer(t, s[2]), r = 0;
    switch (f->op) {
    case OP_ADD:
        r = a + b;
        break;
    case OP_SUB:
        r = a - b;
        break;
    case OP_ADD_SAT:
        r = clamp(t, a + b);
        break;
    case OP_SUB_SAT:
        r = clamp(t, a - b);
        break;
    case OP_MUL:
        r = half_of_product(t, high, a, b);
        break;
    case OP_MAD:
        r = half_of_product(t, high, a, b) + c;
        break;
    case OP_MAD_SAT:
        r = clamp(t, half_of_product(t, true, a, b) + c);
        break;
    case OP_SAD:
        r = c + (a < b ? b - a : a - b);
        break;
    case OP_DIV:
        r = b ? a / b : -1;
        break;
    case OP_REM:
        r = b ? a % b : a;
        break;
    case OP_ABS:
        r = a < 0 ? -a : a;
        break;
    case OP_NEG:
        r = -a;
        break;
    case OP_MIN:
        r = a < b ? a : b;
        break;
    case OP_MAX:
        r = a > b ? a : b;
        break;
    default:
        fail();
    }
    d[0] = (uint64_t)r;
}

static void test_integer_arithmetic(void **state)
{
    (void)state;
    static const struct {
        enum op op;
        int sources;
    } rows[] = {{OP_ADD, 2}, {OP_SUB, 2}, {OP_SAD, 3}, {OP_DIV, 2}, {OP_REM, 2}, {OP_MIN, 2}, {OP_MAX, 2}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t t = 0; t < 6; t++) {
            struct form f = form_of(rows[r].op, integer_types[t], rows[r].sources);
            check_form(&f, model_int);
        }
    for (size_t t = 0; t < 6; t++)
        for (enum mod half = HALF_LO; half <= HALF_HI; half++) {
            struct form mul = form_of(OP_MUL, integer_types[t], 2), mad = form_of(OP_MAD, integer_types[t], 3);
            set_mod(&mul, half);
            set_mod(&mad, half);
            check_form(&mul, model_int);
            check_form(&mad, model_int);
        }
    for (size_t t = 1; t < 6; t += 2) {
        struct form abs = form_of(OP_ABS, integer_types[t], 1), neg = form_of(OP_NEG, integer_types[t], 1);
        check_form(&abs, model_int);
        check_form(&neg, model_int);
    }
    struct form add = form_of(OP_ADD_SAT, TYPE_S32, 2), sub = form_of(OP_SUB_SAT, TYPE_S32, 2);
    struct form mad = form_of(OP_MAD_SAT, TYPE_S32, 3);
    set_mod(&mad, HALF_HI);
    check_form(&add, model_int);
    check_form(&sub, model_int);
    check_form(&mad, model_int);
}

/* Dividends of one less than a multiple of the divisor, a multiple, and one more: a quotient that is rounded to the
 * next integer is seen here. Divisors have any length, and with it quotients. */
static void test_quotients_next_to_integers(void **state)
{
    (void)state;
    static const enum type types[] = {TYPE_U32, TYPE_S32};
    struct random r = {.state = 3};
    for (int n = 0; n < 40000; n++) {
        struct form div = form_of(OP_DIV, types[n & 1], 2), rem = form_of(OP_REM, types[n & 1], 2);
        uint32_t a[ROW_LANES], b[ROW_LANES], quotient[ROW_LANES], rest[ROW_LANES];
        for (int i = 0; i < ROW_LANES; i++) {
            b[i] = (uint32_t)random_u64(&r) >> random_u64(&r) % 32;
            uint32_t most = UINT32_MAX / (b[i] ? b[i] : 1), q = (uint32_t)(random_u64(&r) % (most + UINT64_C(1)));
            a[i] = (i & 4 ? most : q) * b[i] + (uint32_t)i % 3 - 1;
            b[i] = i & 8 ? 0 - b[i] : b[i];
        }
        find(&div, false)(&(struct lanes){.dest = {quotient}, .source = {a, b}});
        find(&rem, false)(&(struct lanes){.dest = {rest}, .source = {a, b}});
        for (int i = 0; i < ROW_LANES; i++) {
            uint64_t wanted[2];
            model_int(&div, (const uint64_t[]){a[i], b[i], 0}, &wanted[0]);
            model_int(&rem, (const uint64_t[]){a[i], b[i], 0}, &wanted[1]);
            assert_int_equal(quotient[i], (uint32_t)wanted[0]);
            assert_int_equal(rest[i], (uint32_t)wanted[1]);
        }
    }
}

static void model_product(const struct form *f, const uint64_t *s, uint64_t *d)
{
    enum type t = (enum type)f->suffixes.type[0], u = (enum type)f->suffixes.type[1];
    bool high = f->suffixes.mod[GROUP_HALF] == HALF_HI, is_signed = type_table[t].kind == KIND_SINT;
    __int128 a = integer(t, s[0]), b = integer(t, s[1]), r = 0;
    switch (f->op) {
    case OP_MUL_WIDE:
        r = a * b;
        break;
    case OP_MAD_WIDE:
        r = a * b + (__int128)s[2];
        break;
    case OP_MUL24:
    case OP_MAD24:
    case OP_MAD24_SAT:
        a = (s[0] & 0xffffff) - (is_signed && s[0] >> 23 & 1 ? (__int128)0x1000000 : 0);
        b = (s[1] & 0xffffff) - (is_signed && s[1] >> 23 & 1 ? (__int128)0x1000000 : 0);
        r = high ? a * b >> 16 : a * b;
        if (f->op == OP_MAD24)
            r += (__int128)s[2];
        if (f->op == OP_MAD24_SAT)
            r = clamp(t, integer(t, (uint64_t)r) + integer(t, s[2]));
        break;
    case OP_DP4A:
        r = (__int128)s[2];
        for (int i = 0; i < 4; i++)
            r += integer(is_signed ? TYPE_S8 : TYPE_U8, s[0] >> 8 * i) *
                 integer(u == TYPE_S32 ? TYPE_S8 : TYPE_U8, s[1] >> 8 * i);
        break;
    case OP_DP2A:
        r = (__int128)s[2];
        for (int i = 0; i < 2; i++)
            r += integer(is_signed ? TYPE_S16 : TYPE_U16, s[0] >> 16 * i) *
                 integer(u == TYPE_S32 ? TYPE_S8 : TYPE_U8, s[1] >> (8 * i + 16 * high));
        break;
    default:
        fail();
    }
    d[0] = (uint64_t)r;
}

static void test_products(void **state)
{
    (void)state;
    for (size_t t = 0; t < 4; t++) {
        uint8_t wide = (uint8_t)(2 * type_table[integer_types[t]].bits);
        struct form mul = form_of(OP_MUL_WIDE, integer_types[t], 2), mad = form_of(OP_MAD_WIDE, integer_types[t], 3);
        mul.dest_bits[0] = mad.dest_bits[0] = mad.source_bits[2] = wide;
        check_form(&mul, model_product);
        check_form(&mad, model_product);
    }
    for (size_t t = 2; t < 4; t++)
        for (enum mod half = HALF_LO; half <= HALF_HI; half++) {
            struct form mul = form_of(OP_MUL24, integer_types[t], 2), mad = form_of(OP_MAD24, integer_types[t], 3);
            set_mod(&mul, half);
            set_mod(&mad, half);
            check_form(&mul, model_product);
            check_form(&mad, model_product);
            for (size_t u = 2; u < 4; u++) {
                struct form dot4 = form_of(OP_DP4A, integer_types[t], 3), dot2 = form_of(OP_DP2A, integer_types[t], 3);
                dot4.suffixes.type[1] = dot2.suffixes.type[1] = (uint8_t)integer_types[u];
                set_mod(&dot2, half);
                check_form(&dot4, model_product);
                check_form(&dot2, model_product);
            }
        }
    struct form sat = form_of(OP_MAD24_SAT, TYPE_S32, 3);
    set_mod(&sat, HALF_HI);
    check_form(&sat, model_product);
}

static void model_carry(const struct form *f, const uint64_t *s, uint64_t *d)
{
    enum type t = (enum type)f->suffixes.type[0];
    int bits = type_table[t].bits;
    unsigned __int128 range = (unsigned __int128)1 << bits, r = 0;
    bool high = f->suffixes.mod[GROUP_HALF] == HALF_HI;
    uint64_t product = (uint64_t)half_of_product(t, high, integer(t, s[0]), integer(t, s[1]));
    uint64_t complement = (uint64_t)(range - 1 - s[1]);
    if (bits == 32)
        product &= UINT32_MAX;
    switch (f->op) {
    case OP_ADD_CC:
        r = (unsigned __int128)s[0] + s[1];
        break;
    case OP_ADDC:
        r = (unsigned __int128)s[0] + s[1] + (s[2] & 1);
        break;
    case OP_SUB_CC:
        r = (unsigned __int128)s[0] + complement + 1;
        break;
    case OP_SUBC:
        r = (unsigned __int128)s[0] + complement + (s[2] & 1);
        break;
    case OP_MAD_CC:
        r = (unsigned __int128)product + s[2];
        break;
    case OP_MADC:
        r = (unsigned __int128)product + s[2] + (s[3] & 1);
        break;
    default:
        fail();
    }
    d[0] = (uint64_t)r;
    d[1] = (r & range) != 0;
}

static void test_carry(void **state)
{
    (void)state;
    static const enum type types[] = {TYPE_U32, TYPE_S32, TYPE_U64, TYPE_S64};
    static const struct {
        enum op op;
        int sources;
        bool reads;
    } rows[] = {{OP_ADD_CC, 2, false}, {OP_ADDC, 3, true},    {OP_SUB_CC, 2, false},
                {OP_SUBC, 3, true},    {OP_MAD_CC, 3, false}, {OP_MADC, 4, true}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t t = 0; t < 4; t++)
            for (int variant = 0; variant < 4; variant++) {
                bool writes = !rows[r].reads || variant & 1;
                struct form f = form_of(rows[r].op, types[t], rows[r].sources);
                set_mod(&f, variant & 2 ? HALF_HI : HALF_LO);
                set_flag(&f, FLAG_CC, writes);
                if (rows[r].reads)
                    f.source_bits[rows[r].sources - 1] = 1;
                f.dest_count = writes ? 2 : 1;
                f.dest_bits[1] = 1;
                check_form(&f, model_carry);
            }
}

/* Bit by bit, as the manual tells them. */
/* Positions and lengths: of 32-bit fields the low byte; of 64-bit ones all of it, and 1000 is as good as
 * more. */
static unsigned field_count(int bits, uint64_t n)
{
    return bits == 32 ? n & 255 : n < 1000 ? (unsigned)n : 1000;
}

static uint64_t model_bfe(int bits, bool is_signed, uint64_t a, unsigned position, unsigned length)
{
    unsigned top = (unsigned)bits - 1, last = position + length - 1 < top ? position + length - 1 : top;
    uint64_t sign = !is_signed || length == 0 ? 0 : a >> last & 1, d = 0;
    for (unsigned i = 0; i <= top; i++)
        d |= (i < length && position + i <= top ? a >> (position + i) & 1 : sign) << i;
    return d;
}

static uint64_t model_bfi(int bits, uint64_t a, uint64_t b, unsigned position, unsigned length)
{
    for (unsigned i = 0; i < length && position + i < (unsigned)bits; i++)
        b = (b & ~(1ull << (position + i))) | (a >> i & 1) << (position + i);
    return b;
}

static uint64_t model_bfind(int bits, bool is_signed, bool shift, uint64_t a)
{
    uint64_t skip = is_signed ? a >> (bits - 1) & 1 : 0;
    for (int i = bits - 1; i >= 0; i--)
        if ((a >> i & 1) != skip)
            return (uint64_t)(shift ? bits - 1 - i : i);
    return UINT32_MAX;
}

static uint64_t model_fns(uint64_t mask, uint64_t base, int32_t n)
{
    if (n == 0)
        return base < 32 && mask >> base & 1 ? base : UINT32_MAX;
    int64_t count = n < 0 ? -(int64_t)n : n;
    for (int64_t at = (int64_t)base; at >= 0 && at < 32; at += n < 0 ? -1 : 1) {
        count -= mask >> at & 1;
        if (count == 0)
            return (uint64_t)at;
    }
    return UINT32_MAX;
}

static uint64_t model_bmsk(bool clamped, uint64_t a, uint64_t b)
{
    uint64_t d = 0;
    if (!clamped)
        a &= 31, b &= 31;
    for (uint64_t i = 0; i < 32; i++)
        d |= (uint64_t)(i >= a && i - a < b) << i;
    return d;
}

static void model_field(const struct form *f, const uint64_t *s, uint64_t *d)
{
    enum type t = (enum type)f->suffixes.type[0];
    int bits = type_table[t].bits;
    bool is_signed = type_table[t].kind == KIND_SINT, wrap = f->suffixes.mod[GROUP_WRAP] == WRAP_WRAP;
    uint64_t width = wrap ? s[1] & 31 : s[1] > 32 ? 32 : s[1];
    switch (f->op) {
    case OP_POPC:
        for (int i = 0; i < bits; i++)
            d[0] += s[0] >> i & 1;
        break;
    case OP_CLZ:
        while (d[0] < (uint64_t)bits && !(s[0] >> (bits - 1 - (int)d[0]) & 1))
            d[0]++;
        break;
    case OP_BREV:
        for (int i = 0; i < bits; i++)
            d[0] |= (s[0] >> i & 1) << (bits - 1 - i);
        break;
    case OP_BFIND:
        d[0] = model_bfind(bits, is_signed, suffixes_has(&f->suffixes, FLAG_SHIFTAMT), s[0]);
        break;
    case OP_FNS:
        d[0] = model_fns(s[0], s[1], (int32_t)s[2]);
        break;
    case OP_BFE:
        d[0] = model_bfe(bits, is_signed, s[0], field_count(bits, s[1]), field_count(bits, s[2]));
        break;
    case OP_BFI:
        d[0] = model_bfi(bits, s[0], s[1], field_count(bits, s[2]), field_count(bits, s[3]));
        break;
    case OP_BMSK:
        d[0] = model_bmsk(!wrap, s[0], s[1]);
        break;
    case OP_SZEXT:
        d[0] = model_bfe(32, is_signed, s[0], 0, (unsigned)width);
        break;
    default:
        fail();
    }
}

static void test_fields(void **state)
{
    (void)state;
    static const enum type wide[] = {TYPE_U32, TYPE_S32, TYPE_U64, TYPE_S64}, raw[] = {TYPE_B32, TYPE_B64};
    for (int t = 0; t < 2; t++) {
        struct form popc = form_of(OP_POPC, raw[t], 1), clz = form_of(OP_CLZ, raw[t], 1);
        struct form brev = form_of(OP_BREV, raw[t], 1), bfi = form_of(OP_BFI, raw[t], 4);
        popc.dest_bits[0] = clz.dest_bits[0] = bfi.source_bits[2] = bfi.source_bits[3] = 32;
        check_form(&popc, model_field);
        check_form(&clz, model_field);
        check_form(&brev, model_field);
        check_form(&bfi, model_field);
    }
    for (int t = 0; t < 4; t++) {
        struct form bfe = form_of(OP_BFE, wide[t], 3), bfind = form_of(OP_BFIND, wide[t], 1);
        bfe.source_bits[1] = bfe.source_bits[2] = bfind.dest_bits[0] = 32;
        check_form(&bfe, model_field);
        check_form(&bfind, model_field);
        set_flag(&bfind, FLAG_SHIFTAMT, true);
        check_form(&bfind, model_field);
    }
    struct form fns = form_of(OP_FNS, TYPE_B32, 3);
    check_form(&fns, model_field);
    for (enum mod wrap = WRAP_CLAMP; wrap <= WRAP_WRAP; wrap++) {
        struct form bmsk = form_of(OP_BMSK, TYPE_B32, 2);
        set_mod(&bmsk, wrap);
        check_form(&bmsk, model_field);
        for (int t = 0; t < 2; t++) {
            struct form szext = form_of(OP_SZEXT, wide[t], 2);
            set_mod(&szext, wrap);
            check_form(&szext, model_field);
        }
    }
}

static uint64_t model_prmt(enum mod mode, uint64_t a, uint64_t b, unsigned c)
{
    /* Bytes of the result, lowest first, for the four values of c's low bits. */
    static const uint8_t modes[6][4][4] = {{{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}},
                                           {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}},
                                           {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}},
                                           {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}},
                                           {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}},
                                           {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}}};
    uint8_t bytes[8];
    uint64_t both = b << 32 | a, d = 0;
    memcpy(bytes, &both, 8);
    for (int i = 0; i < 4; i++) {
        unsigned selector = mode ? modes[mode - PRMT_F4E][c & 3][i] : c >> 4 * i & 15;
        uint64_t byte = bytes[selector & 7];
        d |= (selector & 8 ? (byte & 0x80 ? 0xff : 0) : byte) << 8 * i;
    }
    return d;
}

static void model_bits(const struct form *f, const uint64_t *s, uint64_t *d)
{
    enum type t = (enum type)f->suffixes.type[0];
    int bits = type_table[t].bits;
    const uint8_t *mod = f->suffixes.mod;
    uint64_t count = f->op == OP_SHF ? (mod[GROUP_WRAP] == WRAP_WRAP ? s[2] & 31 : s[2] > 32 ? 32 : s[2]) : s[1];
    switch (f->op) {
    case OP_AND:
        d[0] = s[0] & s[1];
        break;
    case OP_OR:
        d[0] = s[0] | s[1];
        break;
    case OP_XOR:
        d[0] = s[0] ^ s[1];
        break;
    case OP_NOT:
        d[0] = ~s[0];
        break;
    case OP_CNOT:
        d[0] = !s[0];
        break;
    case OP_LOP3:
        for (int i = 0; i < 32; i++)
            d[0] |= (s[3] >> ((s[0] >> i & 1) << 2 | (s[1] >> i & 1) << 1 | (s[2] >> i & 1)) & 1) << i;
        break;
    case OP_SHL:
        d[0] = count < (uint64_t)bits ? s[0] << count : 0;
        break;
    case OP_SHR:
        d[0] = (uint64_t)(integer(t, s[0]) >> (count < 64 ? count : 64));
        break;
    case OP_SHF:
        d[0] = mod[GROUP_DIR] == DIR_L ? (s[1] << 32 | s[0]) << count >> 32 : (s[1] << 32 | s[0]) >> count;
        break;
    case OP_PRMT:
        d[0] = model_prmt((enum mod)mod[GROUP_PRMT], s[0], s[1], (unsigned)s[2]);
        break;
    default:
        fail();
    }
}

static void test_bits(void **state)
{
    (void)state;
    static const enum type types[] = {TYPE_B16, TYPE_B32, TYPE_B64, TYPE_PRED};
    static const enum op logic[] = {OP_AND, OP_OR, OP_XOR};
    for (int t = 0; t < 4; t++) {
        for (int k = 0; k < 3; k++) {
            struct form f = form_of(logic[k], types[t], 2);
            check_form(&f, model_bits);
        }
        struct form not = form_of(OP_NOT, types[t], 1), cnot = form_of(OP_CNOT, types[t], 1);
        struct form shl = form_of(OP_SHL, types[t], 2);
        shl.source_bits[1] = 32;
        check_form(&not, model_bits);
        if (types[t] == TYPE_PRED)
            continue;
        check_form(&cnot, model_bits);
        check_form(&shl, model_bits);
    }
    for (size_t t = 0; t < 6; t++) {
        struct form shr = form_of(OP_SHR, integer_types[t], 2);
        shr.source_bits[1] = 32;
        check_form(&shr, model_bits);
    }
    struct form lop3 = form_of(OP_LOP3, TYPE_B32, 4), prmt = form_of(OP_PRMT, TYPE_B32, 3);
    check_form(&lop3, model_bits);
    check_form(&prmt, model_bits);
    for (enum mod mode = PRMT_F4E; mode <= PRMT_RC16; mode++) {
        set_mod(&prmt, mode);
        check_form(&prmt, model_bits);
    }
    for (enum mod wrap = WRAP_CLAMP; wrap <= WRAP_WRAP; wrap++)
        for (enum mod dir = DIR_L; dir <= DIR_R; dir++) {
            struct form shf = form_of(OP_SHF, TYPE_B32, 3);
            set_mod(&shf, wrap);
            set_mod(&shf, dir);
            check_form(&shf, model_bits);
        }
}

/* -1, 0, 1 for less, equal, greater; 2 if either is not a number. */
static int order_of(enum type t, bool ftz, uint64_t a, uint64_t b)
{
    if (type_table[t].kind == KIND_FLOAT) {
        double x = t == TYPE_F32 ? flushed(f32_of(a), ftz) : f64_of(a),
               y = t == TYPE_F32 ? flushed(f32_of(b), ftz) : f64_of(b);
        return isnan(x) || isnan(y) ? 2 : (x > y) - (x < y);
    }
    __int128 x = integer(t, a), y = integer(t, b);
    return (x > y) - (x < y);
}

static bool holds(enum mod cmp, int order)
{
    bool unordered = order == 2;
    switch (cmp) {
    case CMP_EQ:
        return order == 0;
    case CMP_NE:
        return order == -1 || order == 1;
    case CMP_LT:
    case CMP_LO:
        return order == -1;
    case CMP_LE:
    case CMP_LS:
        return order == -1 || order == 0;
    case CMP_GT:
    case CMP_HI:
        return order == 1;
    case CMP_GE:
    case CMP_HS:
        return order == 1 || order == 0;
    case CMP_NUM:
        return !unordered;
    case CMP_NAN:
        return unordered;
    default: /* equ to geu stand in the order of eq to ge */
        return unordered || holds((enum mod)(cmp - CMP_EQU + CMP_EQ), order);
    }
}

static void model_compare(const struct form *f, const uint64_t *s, uint64_t *d)
{
    const struct suffixes *x = &f->suffixes;
    bool set = f->op == OP_SET || f->op == OP_SET_BOOL, c = s[2] & 1;
    enum type t = (enum type)x->type[set];
    bool yes = holds((enum mod)x->mod[GROUP_CMP], order_of(t, suffixes_has(x, FLAG_FTZ), s[0], s[1])), no = !yes;
    switch (x->mod[GROUP_BOOL]) {
    case BOOL_AND:
        yes = yes && c, no = no && c;
        break;
    case BOOL_OR:
        yes = yes || c, no = no || c;
        break;
    case BOOL_XOR:
        yes = yes != c, no = no != c;
        break;
    }
    d[0] = !set ? yes : !yes ? 0 : x->type[0] == TYPE_F32 ? 0x3f800000 : UINT32_MAX;
    d[1] = no;
}

static void check_compare(enum type t, enum mod cmp, bool ftz)
{
    bool is_float = type_table[t].kind == KIND_FLOAT;
    for (unsigned combine = 0; combine < 4; combine++) {
        struct form f = form_of(OP_SETP, t, combine ? 3 : 2);
        f.op = combine ? (is_float ? OP_SETP_F_BOOL : OP_SETP_BOOL) : is_float ? OP_SETP_F : OP_SETP;
        f.dest_bits[0] = f.dest_bits[1] = f.source_bits[2] = 1;
        set_mod(&f, cmp);
        if (combine)
            set_mod(&f, (enum mod)(BOOL_AND + combine - 1));
        set_flag(&f, FLAG_FTZ, ftz);
        check_form(&f, model_compare);
        f.dest_count = 2;
        check_form(&f, model_compare);
        static const enum type results[] = {TYPE_U32, TYPE_S32, TYPE_F32};
        f.op = combine ? OP_SET_BOOL : OP_SET;
        f.dest_count = 1;
        f.dest_bits[0] = 32;
        f.suffixes.type[1] = (uint8_t)t;
        for (int r = 0; r < 3; r++) {
            f.suffixes.type[0] = (uint8_t)results[r];
            check_form(&f, model_compare);
        }
    }
}

static void test_compare(void **state)
{
    (void)state;
    static const enum type raw[] = {TYPE_B16, TYPE_B32, TYPE_B64};
    for (int t = 0; t < 3; t++)
        for (enum mod cmp = CMP_EQ; cmp <= CMP_NE; cmp++)
            check_compare(raw[t], cmp, false);
    for (int t = 0; t < 6; t++)
        for (enum mod cmp = CMP_EQ; cmp <= (t % 2 ? CMP_GE : CMP_HS); cmp++)
            check_compare(integer_types[t], cmp, false);
    for (enum mod cmp = CMP_EQ; cmp <= CMP_NAN; cmp++) {
        if (cmp >= CMP_LO && cmp <= CMP_HS)
            continue;
        check_compare(TYPE_F32, cmp, false);
        check_compare(TYPE_F32, cmp, true);
        check_compare(TYPE_F64, cmp, false);
    }
}

static void model_select(const struct form *f, const uint64_t *s, uint64_t *d)
{
    float c = flushed(f32_of(s[2]), suffixes_has(&f->suffixes, FLAG_FTZ));
    bool first = f->op == OP_SELP ? s[2] & 1 : f->suffixes.type[1] == TYPE_S32 ? !(s[2] >> 31) : c >= 0;
    d[0] = first ? s[0] : s[1];
}

static void test_select(void **state)
{
    (void)state;
    static const enum type types[] = {TYPE_B16, TYPE_U16, TYPE_S16, TYPE_B32, TYPE_U32, TYPE_S32,
                                      TYPE_F32, TYPE_B64, TYPE_U64, TYPE_S64, TYPE_F64};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        struct form selp = form_of(OP_SELP, types[t], 3), slct = form_of(OP_SLCT, types[t], 3);
        selp.source_bits[2] = 1;
        slct.source_bits[2] = 32;
        check_form(&selp, model_select);
        slct.suffixes.type[1] = TYPE_S32;
        check_form(&slct, model_select);
        slct.suffixes.type[1] = TYPE_F32;
        check_form(&slct, model_select);
        set_flag(&slct, FLAG_FTZ, true);
        check_form(&slct, model_select);
    }
}

static void model_move(const struct form *f, const uint64_t *s, uint64_t *d)
{
    int bits = type_table[f->suffixes.type[0]].bits;
    int part = f->op == OP_PACK ? bits / f->source_count : bits / f->dest_count;
    uint64_t mask = part == 64 ? UINT64_MAX : (1ull << part) - 1;
    if (f->op == OP_PACK)
        for (int k = 0; k < f->source_count; k++)
            d[0] |= (s[k] & mask) << part * k;
    else
        for (int k = 0; k < f->dest_count; k++)
            d[k] = s[0] >> part * k & mask;
}

static void test_moves(void **state)
{
    (void)state;
    static const enum type types[] = {TYPE_PRED, TYPE_B16, TYPE_U16, TYPE_S16, TYPE_F16, TYPE_B32, TYPE_U32,
                                      TYPE_S32,  TYPE_F32, TYPE_B64, TYPE_U64, TYPE_S64, TYPE_F64};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        struct form f = form_of(OP_MOV, types[t], 1);
        check_form(&f, model_move);
    }
    static const struct {
        enum type whole;
        int parts;
    } splits[] = {{TYPE_B16, 2}, {TYPE_B32, 2}, {TYPE_B64, 2}, {TYPE_B32, 4}, {TYPE_B64, 4}};
    for (size_t i = 0; i < sizeof splits / sizeof *splits; i++) {
        int part = type_table[splits[i].whole].bits / splits[i].parts;
        struct form pack = form_of(OP_PACK, splits[i].whole, splits[i].parts);
        struct form unpack = form_of(OP_UNPACK, splits[i].whole, 1);
        unpack.dest_count = splits[i].parts;
        for (int k = 0; k < splits[i].parts; k++)
            pack.source_bits[k] = unpack.dest_bits[k] = (uint8_t)(part < 16 ? 16 : part);
        check_form(&pack, model_move);
        check_form(&unpack, model_move);
    }
}

/* Rows that are not register to register have no handler here. */
static void test_others_have_none(void **state)
{
    (void)state;
    static const enum op others[] = {OP_CVTA, OP_CVTA_TO, OP_ISSPACEP, OP_LD, OP_ST, OP_BRA, OP_SHFL_SYNC, OP_EXIT};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct form f = form_of(others[i], TYPE_U64, 1);
        assert_null(find(&f, false));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integer_arithmetic),
        cmocka_unit_test(test_quotients_next_to_integers),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_carry),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_compare),
        cmocka_unit_test(test_select),
        cmocka_unit_test(test_moves),
        cmocka_unit_test(test_others_have_none),
    };
    return cmocka_run_group_tests_name("lanes", tests, NULL, NULL);
}
