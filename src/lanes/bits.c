/* Logic, shifts, and permutation of bytes (prmt). */
#include "lanes/lane_loop.h"

FOR_UNSIGNED(LANES_BINARY, and, a &b)
FOR_UNSIGNED(LANES_BINARY, or, a | b)
FOR_UNSIGNED(LANES_BINARY, xor, a ^ b)
FOR_UNSIGNED(LANES_UNARY, not, ~a)
FOR_UNSIGNED(LANES_UNARY, cnot, a == 0)

/*
 * lop3: any function of three bits is an exclusive or of products (its algebraic normal form). The coefficients follow
 * from the truth table, whose entry for a, b, c is bit 4a + 2b + c, by summing entries modulo 2. The immediate is equal
 * in all lanes.
 */
SIMD_CLONES static void lop3(const struct lanes *x)
{
    uint32_t *d = x->dest[0];
    const uint32_t *a = x->source[0], *b = x->source[1], *c = x->source[2];
    uint32_t t = *(const uint32_t *)x->source[3];
    t ^= t << 1 & 0xaa;
    t ^= t << 2 & 0xcc;
    t ^= t << 4 & 0xf0;
    const uint32_t k0 = 0u - (t & 1), k1 = 0u - (t >> 1 & 1), k2 = 0u - (t >> 2 & 1), k3 = 0u - (t >> 3 & 1);
    const uint32_t k4 = 0u - (t >> 4 & 1), k5 = 0u - (t >> 5 & 1), k6 = 0u - (t >> 6 & 1), k7 = 0u - (t >> 7 & 1);
    EACH_LANE(i)
    {
        uint32_t without = k0 ^ (c[i] & k1) ^ (b[i] & (k2 ^ (c[i] & k3)));
        uint32_t with = k4 ^ (c[i] & k5) ^ (b[i] & (k6 ^ (c[i] & k7)));
        d[i] = without ^ (a[i] & with);
    }
}

/* lop3 with a predicate. The predicate that is read may have the plane of the result, so it is copied first. */
#define LOP3_BOOL(name, op)                              \
    static void name(const struct lanes *x)              \
    {                                                    \
        LANES_NARROW(uint32_t, p, 4);                    \
        lop3(x);                                         \
        const uint32_t *d = x->dest[0];                  \
        uint32_t *e = x->dest[1];                        \
        EACH_LANE(i)                                     \
        {                                                \
            e[i] = (d[i] != 0 ? UINT32_MAX : 0) op p[i]; \
        }                                                \
    }
LOP3_BOOL(lop3_and, &)
LOP3_BOOL(lop3_or, |)

/* Shifts. The count is unsigned, 32 bits wide, and clamped to the width of the value. */
#define SHIFT(name, type, expression)                   \
    SIMD_CLONES static void name(const struct lanes *x) \
    {                                                   \
        typedef type T;                                 \
        enum { BITS = 8 * sizeof(T) };                  \
        T *d = x->dest[0];                              \
        const T *pa = x->source[0];                     \
        LANES_APART(uint32_t, count, 1, d);             \
        EACH_LANE(i)                                    \
        {                                               \
            const T a = pa[i];                          \
            const uint32_t b = count[i];                \
            d[i] = (T)(expression);                     \
        }                                               \
    }
#define SHIFTS(suffix, type, signed_type)                                 \
    SHIFT(shl_u##suffix, type, b < BITS ? (T)(a << (b & (BITS - 1))) : 0) \
    SHIFT(shr_u##suffix, type, b < BITS ? (T)(a >> (b & (BITS - 1))) : 0) \
    SHIFT(shr_s##suffix, signed_type, a >> (b < BITS ? b : BITS - 1))
SHIFTS(16, uint16_t, int16_t)
SHIFTS(32, uint32_t, int32_t)
SHIFTS(64, uint64_t, int64_t)

/* Funnel shifts of the 64-bit pair (b,a). Each C shift is below 32, as C requires. */
#define FUNNEL_LEFT(n)  ((b << (n)) | (a >> 1 >> (31 - (n))))
#define FUNNEL_RIGHT(n) ((a >> (n)) | (b << 1 << (31 - (n))))
LANES_TERNARY(shf_l_wrap, uint32_t, uint32_t, FUNNEL_LEFT(c & 31))
LANES_TERNARY(shf_r_wrap, uint32_t, uint32_t, FUNNEL_RIGHT(c & 31))
LANES_TERNARY(shf_l_clamp, uint32_t, uint32_t, c < 32 ? FUNNEL_LEFT(c & 31) : a)
LANES_TERNARY(shf_r_clamp, uint32_t, uint32_t, c < 32 ? FUNNEL_RIGHT(c & 31) : b)

/* One byte of the pair (b,a): bits 0 to 2 of the selector choose the byte, bit 3 asks for its sign in all eight bits.
 * Conditional expressions would keep the loop from being vectorised, so masks are used. */
static inline uint32_t pick_byte(uint32_t a, uint32_t b, uint32_t selector)
{
    uint32_t word = a ^ ((a ^ b) & (0u - (selector >> 2 & 1)));
    uint32_t byte = word >> (selector & 3) * 8 & 0xff;
    uint32_t sign = 0xff & (0u - (byte >> 7)), replicate = 0u - (selector >> 3 & 1);
    return byte ^ ((byte ^ sign) & replicate);
}

static inline uint32_t permute(uint32_t a, uint32_t b, uint32_t selectors)
{
    return pick_byte(a, b, selectors) | pick_byte(a, b, selectors >> 4) << 8 | pick_byte(a, b, selectors >> 8) << 16 |
           pick_byte(a, b, selectors >> 12) << 24;
}

LANES_TERNARY(prmt, uint32_t, uint32_t, permute(a, b, c))

/* The other modes of prmt choose one of four fixed selectors by the two low bits of c. */
#define PRMT_MODE(mode, s0, s1, s2, s3) \
    LANES_TERNARY(prmt_##mode, uint32_t, uint32_t, permute(a, b, c & 2 ? (c & 1 ? s3 : s2) : (c & 1 ? s1 : s0)))
PRMT_MODE(f4e, 0x3210, 0x4321, 0x5432, 0x6543)
PRMT_MODE(b4e, 0x5670, 0x6701, 0x7012, 0x0123)
PRMT_MODE(rc8, 0x0000, 0x1111, 0x2222, 0x3333)
PRMT_MODE(ecl, 0x3210, 0x3211, 0x3222, 0x3333)
PRMT_MODE(ecr, 0x0000, 0x1110, 0x2210, 0x3210)
PRMT_MODE(rc16, 0x1010, 0x3232, 0x1010, 0x3232)

/* Predicates use the 32-bit handlers: a predicate lane is 0 or 0xffffffff. */
#define BY_BITS(name) BY_WIDTH(name), [TYPE_PRED] = name##_u32
static lane_fn *const table_and[TYPE_COUNT] = {BY_BITS(and)};
static lane_fn *const table_or[TYPE_COUNT] = {BY_BITS(or)};
static lane_fn *const table_xor[TYPE_COUNT] = {BY_BITS(xor)};
static lane_fn *const table_not[TYPE_COUNT] = {BY_BITS(not )};
static lane_fn *const table_cnot[TYPE_COUNT] = {BY_WIDTH(cnot)};
static lane_fn *const table_shl[TYPE_COUNT] = {BY_WIDTH(shl)};
static lane_fn *const table_shr[TYPE_COUNT] = {BY_SIGN(shr)};

static lane_fn *find_prmt(enum mod mode)
{
    switch (mode) {
    case PRMT_F4E:
        return prmt_f4e;
    case PRMT_B4E:
        return prmt_b4e;
    case PRMT_RC8:
        return prmt_rc8;
    case PRMT_ECL:
        return prmt_ecl;
    case PRMT_ECR:
        return prmt_ecr;
    case PRMT_RC16:
        return prmt_rc16;
    default:
        return prmt;
    }
}

lane_fn *lanes_find_bits(const struct insn *insn)
{
    const uint8_t *mod = insn->suffixes.mod;
    unsigned t = insn->suffixes.type[0];
    switch (insn->op) {
    case OP_AND:
        return table_and[t];
    case OP_OR:
        return table_or[t];
    case OP_XOR:
        return table_xor[t];
    case OP_NOT:
        return table_not[t];
    case OP_CNOT:
        return table_cnot[t];
    case OP_LOP3:
        return lop3;
    case OP_LOP3_BOOL:
        return mod[GROUP_BOOL] == BOOL_AND ? lop3_and : mod[GROUP_BOOL] == BOOL_OR ? lop3_or : NULL;
    case OP_SHL:
        return table_shl[t];
    case OP_SHR:
        return table_shr[t];
    case OP_SHF:
        if (mod[GROUP_WRAP] == WRAP_WRAP)
            return mod[GROUP_DIR] == DIR_L ? shf_l_wrap : shf_r_wrap;
        return mod[GROUP_DIR] == DIR_L ? shf_l_clamp : shf_r_clamp;
    case OP_PRMT:
        return find_prmt((enum mod)mod[GROUP_PRMT]);
    default:
        return NULL;
    }
}
