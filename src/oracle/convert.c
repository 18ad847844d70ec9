/* The oracle's conversions and moves: cvt between all scalar types, and all forms of mov. */
#include "oracle/internal.h"

static int64_t smallest(enum type type)
{
    return type_table[type].kind == KIND_SINT ? -(int64_t)(oracle_mask(type_table[type].bits) >> 1) - 1 : 0;
}

static uint64_t largest(enum type type)
{
    uint64_t mask = oracle_mask(type_table[type].bits);
    return type_table[type].kind == KIND_SINT ? mask >> 1 : mask;
}

/* The integer of the type that is nearest to the number with this sign and magnitude. */
static uint64_t clamp(enum type to, bool negative, uint64_t magnitude)
{
    if (!negative)
        return magnitude > largest(to) ? largest(to) : magnitude;
    uint64_t most = -(uint64_t)smallest(to);
    return -(magnitude > most ? most : magnitude);
}

static uint64_t integer_to_integer(const struct oracle_insn *x, uint64_t a)
{
    struct oracle_number n = oracle_number_from_integer((enum type)x->operand[1].type, a);
    return oracle_flag(x, FLAG_SAT) ? clamp((enum type)x->type, n.negative, n.mantissa) : a;
}

/* What a NaN becomes as an integer: on hardware, conversions to or from 64 bits differ from the others. */
static uint64_t nan_to_integer(enum type to, enum type from)
{
    unsigned bits = type_table[to].bits;
    return from == TYPE_F64 || bits == 64 ? UINT64_C(1) << (bits - 1) : 0;
}

static struct oracle_number flush(struct oracle_number n, enum type type)
{
    bool is_subnormal = type == TYPE_F32 && n.kind == NUMBER_FINITE && !(n.mantissa >> 23);
    if (is_subnormal) {
        n.kind = NUMBER_ZERO;
        n.mantissa = 0;
    }
    return n;
}

static uint64_t float_to_integer(const struct oracle_insn *x, uint64_t a)
{
    enum type to = (enum type)x->type, from = (enum type)x->operand[1].type;
    struct oracle_number n = oracle_number_decode(from, a);
    if (n.kind == NUMBER_NAN)
        return nan_to_integer(to, from);
    if (oracle_flag(x, FLAG_FTZ))
        n = flush(n, from);
    n = oracle_number_round(n, oracle_mod(x, GROUP_RND));
    if (n.kind == NUMBER_ZERO)
        return 0;
    bool is_huge = n.kind == NUMBER_INFINITE || n.exponent >= 64 || (n.exponent > 0 && n.mantissa >> (64 - n.exponent));
    return clamp(to, n.negative, is_huge ? UINT64_MAX : n.mantissa << n.exponent);
}

static bool is_integral_rounding(enum mod rounding)
{
    return rounding == RND_RNI || rounding == RND_RZI || rounding == RND_RMI || rounding == RND_RPI;
}

/* Clamps to [0, 1]; a NaN becomes 0. */
static struct oracle_number saturate(struct oracle_number n)
{
    struct oracle_number zero = {.kind = NUMBER_ZERO}, one = {.kind = NUMBER_FINITE, .mantissa = 1};
    if (n.kind == NUMBER_NAN || n.kind == NUMBER_ZERO || n.negative)
        return zero;
    int leading = n.kind == NUMBER_FINITE ? 63 - __builtin_clzll(n.mantissa) + n.exponent : 0;
    return n.kind == NUMBER_INFINITE || leading >= 0 ? one : n;
}

/* Does .ftz flush the number to zero? That is decided after rounding to 24 bits as if the exponent had no lower
 * bound. */
static bool is_flushed(struct oracle_number n, enum mod rounding)
{
    if (n.kind != NUMBER_FINITE)
        return false;
    n.exponent += 64;
    return (oracle_number_encode(TYPE_F32, n, rounding) & 0x7fffffff) < 0x20800000; /* 2^(-126+64) */
}

static uint64_t to_float(const struct oracle_insn *x, struct oracle_number n)
{
    enum type to = (enum type)x->type;
    enum mod rounding = oracle_mod(x, GROUP_RND);
    if (is_integral_rounding(rounding))
        rounding = RND_RN;
    if (oracle_flag(x, FLAG_SAT))
        n = saturate(n);
    if (oracle_flag(x, FLAG_FTZ) && to == TYPE_F32 && is_flushed(n, rounding))
        n.kind = NUMBER_ZERO;
    return oracle_number_encode(to, n, rounding);
}

static unsigned fraction_bits(enum type type)
{
    return type == TYPE_F64 ? 52 : type == TYPE_F32 ? 23 : type == TYPE_F16 ? 10 : 7;
}

/* What a NaN becomes in another format: unchanged if the conversion is a move; to or from double precision, sign and
 * upper payload are kept; else the NaN of the new format. */
static uint64_t nan_to_float(const struct oracle_insn *x, enum type from, enum type to, uint64_t a)
{
    bool is_plain = !is_integral_rounding(oracle_mod(x, GROUP_RND)) && !oracle_flag(x, FLAG_FTZ);
    bool is_copy = (from == to && from != TYPE_F16 && from != TYPE_BF16) || (from == TYPE_BF16 && to == TYPE_F32);
    if (oracle_flag(x, FLAG_SAT))
        return 0;
    if (is_plain && is_copy)
        return a << (type_table[to].bits - type_table[from].bits);
    if (from != TYPE_F64 && to != TYPE_F64)
        return oracle_nan(to);
    if (oracle_flag(x, FLAG_FTZ) && from == TYPE_F32)
        a = oracle_nan(TYPE_F32);
    uint64_t payload = a << (64 - fraction_bits(from)) >> (64 - fraction_bits(to));
    uint64_t quiet = UINT64_C(1) << (fraction_bits(to) - 1);
    uint64_t sign = a >> (type_table[from].bits - 1) << (type_table[to].bits - 1);
    struct oracle_number infinity = {.kind = NUMBER_INFINITE};
    return sign | oracle_number_encode(to, infinity, RND_RN) | quiet | payload;
}

static uint64_t float_to_float(const struct oracle_insn *x, uint64_t a)
{
    enum type from = (enum type)x->operand[1].type, to = (enum type)x->type;
    enum mod rounding = oracle_mod(x, GROUP_RND);
    struct oracle_number n = oracle_number_decode(from, a);
    if (n.kind == NUMBER_NAN)
        return nan_to_float(x, from, to, a);
    if (oracle_flag(x, FLAG_FTZ) && to != TYPE_F16) /* .ftz has no effect on conversions to f16 */
        n = flush(n, from);
    if (is_integral_rounding(rounding))
        n = oracle_number_round(n, rounding);
    return to_float(x, n);
}

/* The older .rna has no rule for NaN: it truncates a NaN as it does infinity, and .satfinite subtracts one unit in the
 * last place from both. */
static uint64_t float_to_tf32(const struct oracle_insn *x, uint64_t a)
{
    struct oracle_number n = oracle_number_decode(TYPE_F32, a);
    enum mod rounding = oracle_mod(x, GROUP_RND);
    if (n.kind == NUMBER_NAN && rounding != RND_RNA)
        return oracle_nan(TYPE_TF32);
    if (oracle_flag(x, FLAG_RELU) && n.negative)
        return 0;
    uint64_t sign = a & 0x80000000, magnitude = a & 0x7fffe000;
    if (n.kind == NUMBER_FINITE)
        magnitude = oracle_number_encode(TYPE_TF32, n, rounding) & 0x7fffffff;
    if (oracle_flag(x, FLAG_SATFINITE) && magnitude >= 0x7f800000)
        magnitude -= 0x2000;
    return sign | magnitude;
}

void oracle_convert(struct oracle_thread *t, const struct oracle_insn *x)
{
    uint64_t a = oracle_read_integer(t, &x->operand[1]), d;
    switch (x->op) {
    case OP_CVT_INT:
        d = integer_to_integer(x, a);
        break;
    case OP_CVT_TO_INT:
        d = float_to_integer(x, a);
        break;
    case OP_CVT_FROM_INT:
        d = to_float(x, oracle_number_from_integer((enum type)x->operand[1].type, a));
        break;
    case OP_CVT_FLOAT:
        d = float_to_float(x, a);
        break;
    case OP_CVT_TF32:
        d = float_to_tf32(x, a);
        break;
    default:
        oracle_unsupported(t, x);
        return;
    }
    oracle_write(t, &x->operand[0], d);
}

/* 128 bits: the parts are 64 or 32 bits wide. */
static void pack_wide(struct oracle_thread *t, const struct oracle_operand *d, const struct oracle_operand *v)
{
    uint64_t half[2] = {0, 0};
    unsigned at = 0;
    for (int i = 0; i < v->element_count; i++) {
        half[at / 64] |= oracle_read(t, &v->element[i]) << at % 64;
        at += type_table[v->element[i].type].bits;
    }
    oracle_write(t, d, half[0]);
    oracle_write_upper(t, d, half[1]);
}

static void unpack_wide(struct oracle_thread *t, const struct oracle_operand *v, const struct oracle_operand *a)
{
    uint64_t half[2] = {oracle_read(t, a), oracle_read_upper(t, a)};
    unsigned at = 0;
    for (int i = 0; i < v->element_count; i++) {
        oracle_write(t, &v->element[i], half[at / 64] >> at % 64);
        at += type_table[v->element[i].type].bits;
    }
}

static void move_wide(struct oracle_thread *t, const struct oracle_insn *x)
{
    const struct oracle_operand *d = &x->operand[0], *a = &x->operand[1];
    uint64_t upper = oracle_read_upper(t, a);
    if (x->op == OP_PACK) {
        pack_wide(t, d, a);
    } else if (x->op == OP_UNPACK) {
        unpack_wide(t, d, a);
    } else {
        oracle_write(t, d, oracle_read(t, a));
        oracle_write_upper(t, d, upper);
    }
}

static uint64_t pack(struct oracle_thread *t, const struct oracle_operand *v)
{
    uint64_t d = 0;
    unsigned at = 0;
    for (int i = 0; i < v->element_count; i++) {
        d |= oracle_read(t, &v->element[i]) << at;
        at += type_table[v->element[i].type].bits;
    }
    return d;
}

static void unpack(struct oracle_thread *t, const struct oracle_operand *v, uint64_t a)
{
    for (int i = 0; i < v->element_count; i++) {
        oracle_write(t, &v->element[i], a);
        a >>= type_table[v->element[i].type].bits;
    }
}

/* Every element is read before any is written: a register may stand on both sides. */
static void move_vector(struct oracle_thread *t, const struct oracle_operand *d, const struct oracle_operand *a)
{
    uint64_t value[8];
    for (int i = 0; i < a->element_count && i < 8; i++)
        value[i] = oracle_read(t, &a->element[i]);
    for (int i = 0; i < d->element_count && i < a->element_count && i < 8; i++)
        oracle_write(t, &d->element[i], value[i]);
}

void oracle_move(struct oracle_thread *t, const struct oracle_insn *x)
{
    if (x->type == TYPE_B128) {
        move_wide(t, x);
        return;
    }
    switch (x->op) {
    case OP_PACK:
        oracle_write(t, &x->operand[0], pack(t, &x->operand[1]));
        break;
    case OP_UNPACK:
        unpack(t, &x->operand[0], oracle_read(t, &x->operand[1]));
        break;
    case OP_MOV:
        oracle_write(t, &x->operand[0], oracle_read(t, &x->operand[1]));
        break;
    case OP_MOV_VECTOR:
        move_vector(t, &x->operand[0], &x->operand[1]);
        break;
    default:
        oracle_unsupported(t, x);
    }
}
