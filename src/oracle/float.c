/*
 * The oracle's floating-point arithmetic: computed by the host, in the rounding mode that the instruction names.
 *
 * Operands and results go through volatile variables, so that the compiler neither folds an operation nor moves it
 * across the change of rounding mode. Approximate operations are those of the special function unit (special.c).
 */
#include "oracle/internal.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

#define QUIET_F64 UINT64_C(0x0008000000000000)

static float float_of(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float f;
    memcpy(&f, &low, sizeof f);
    return f;
}

static uint64_t bits_of_float(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static uint64_t bits_of_double(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

float oracle_flush32(float x)
{
    return fpclassify(x) == FP_SUBNORMAL ? copysignf(0, x) : x;
}

/* The NaN that arithmetic in the type gives (in f64, if no operand is NaN). */
uint64_t oracle_nan(enum type type)
{
    switch (type) {
    case TYPE_F16:
    case TYPE_BF16:
        return 0x7fff;
    case TYPE_F64:
        return UINT64_C(0xfff8000000000000);
    case TYPE_TF32:
        return 0x7fffe000;
    default:
        return 0x7fffffff;
    }
}

/* A NaN result in double precision has sign and payload of a NaN operand, quieted: of the first in the order of the
 * arguments, which is the order of hardware. */
static uint64_t finish64(double result, double first, double second, double third)
{
    if (!isnan(result))
        return bits_of_double(result);
    const double operand[3] = {first, second, third};
    for (int i = 0; i < 3; i++)
        if (isnan(operand[i]))
            return bits_of_double(operand[i]) | QUIET_F64;
    return oracle_nan(TYPE_F64);
}

static uint64_t finish32(const struct oracle_insn *x, float result)
{
    if (isnan(result))
        return oracle_flag(x, FLAG_SAT) ? 0 : oracle_nan(TYPE_F32);
    if (oracle_flag(x, FLAG_FTZ))
        result = oracle_flush32(result);
    if (oracle_flag(x, FLAG_SAT))
        result = result > 0 ? (result < 1 ? result : 1) : 0;
    return bits_of_float(result);
}

static int host_rounding(enum mod rounding)
{
    switch (rounding) {
    case RND_RZ:
        return FE_TOWARDZERO;
    case RND_RM:
        return FE_DOWNWARD;
    case RND_RP:
        return FE_UPWARD;
    default:
        return FE_TONEAREST;
    }
}

static double compute64(enum op op, double x, double y, double z);

uint64_t oracle_fma64(uint64_t a, uint64_t b, uint64_t c, enum mod rounding)
{
    fesetround(host_rounding(rounding));
    double d = compute64(OP_FMA_F64, double_of(a), double_of(b), double_of(c));
    fesetround(FE_TONEAREST);
    return finish64(d, double_of(b), double_of(c), double_of(a));
}

static float compute32(enum op op, float x, float y, float z)
{
    volatile float a = x, b = y, c = z, d = 0;
    switch (op) {
    case OP_ADD_F32:
        d = a + b;
        break;
    case OP_SUB_F32:
        d = a - b;
        break;
    case OP_MUL_F32:
        d = a * b;
        break;
    case OP_FMA_F32:
    case OP_MAD_F32:
        d = fmaf(a, b, c);
        break;
    case OP_DIV_F32:
        d = a / b;
        break;
    case OP_RCP_F32:
        d = 1 / a;
        break;
    default:
        d = sqrtf(a);
    }
    return d;
}

static double compute64(enum op op, double x, double y, double z)
{
    volatile double a = x, b = y, c = z, d = 0;
    switch (op) {
    case OP_ADD_F64:
        d = a + b;
        break;
    case OP_SUB_F64:
        d = a - b;
        break;
    case OP_MUL_F64:
        d = a * b;
        break;
    case OP_FMA_F64:
    case OP_MAD_F64:
        d = fma(a, b, c);
        break;
    case OP_DIV_F64:
        d = a / b;
        break;
    case OP_RCP_F64:
        d = 1 / a;
        break;
    default:
        d = sqrt(a);
    }
    return d;
}

float oracle_add_f32(float a, float b)
{
    float d = compute32(OP_ADD_F32, a, b, 0);
    return isnan(d) ? float_of(oracle_nan(TYPE_F32)) : d;
}

/*
 * Under .ftz hardware rounds to 24 bits as if the exponent had no lower bound, and flushes results below 2^-126. The
 * host rounds subnormals to fewer bits, which may carry one up to 2^-126: such a result is computed again, scaled to
 * where the host has 24 bits.
 */
static float flush_result(enum op op, float d, float a, float b, float c)
{
    if (op == OP_RCP_F32) {
        op = OP_DIV_F32;
        b = a;
        a = 1;
    }
    bool may_need_rounding = op == OP_MUL_F32 || op == OP_FMA_F32 || op == OP_MAD_F32 || op == OP_DIV_F32;
    if (fabsf(d) != 0x1p-126f || !may_need_rounding)
        return d;
    return fabsf(compute32(op, a * 0x1p64f, b, c * 0x1p64f)) < 0x1p-62f ? copysignf(0, d) : d;
}

static uint64_t arithmetic32(const struct oracle_insn *x, enum op op, float a, float b, float c)
{
    int mode = host_rounding(oracle_mod(x, GROUP_RND));
    if (mode != FE_TONEAREST)
        fesetround(mode);
    float d = compute32(op, a, b, c);
    if (oracle_flag(x, FLAG_FTZ))
        d = flush_result(op, d, a, b, c);
    if (mode != FE_TONEAREST)
        fesetround(FE_TONEAREST);
    return finish32(x, d);
}

static uint64_t arithmetic64(const struct oracle_insn *x, double a, double b, double c)
{
    int mode = host_rounding(oracle_mod(x, GROUP_RND));
    if (mode != FE_TONEAREST)
        fesetround(mode);
    double d = compute64((enum op)x->op, a, b, c);
    if (mode != FE_TONEAREST)
        fesetround(FE_TONEAREST);
    bool is_fused = x->op == OP_FMA_F64 || x->op == OP_MAD_F64;
    return x->op == OP_DIV_F64 ? finish64(d, a, b, 0) : finish64(d, b, is_fused ? c : a, a);
}

/* rsqrt.approx.f64: the unit's 20 bits, improved by one step of Newton's method. */
static uint64_t reciprocal_root64(uint64_t bits)
{
    double a = double_of(bits);
    if (a == 0)
        return bits_of_double(copysign(INFINITY, a));
    if (isinf(a) && a > 0)
        return 0;
    if (isnan(a) || a < 0)
        return finish64(NAN, a, 0, 0);
    bool is_tiny = fpclassify(a) == FP_SUBNORMAL;
    volatile double x = is_tiny ? a * 0x1p54 : a, y = double_of(oracle_special_upper(true, bits_of_double(x))),
                    square = y * y;
    volatile double rest = fma(x, -square, 1), factor = fma(rest, 0.375, 0.5), step = y * rest,
                    root = fma(factor, step, y);
    return bits_of_double(is_tiny ? root * 0x1p27 : root);
}

/* min and max: -0 is less than +0; if one operand is NaN the other is the result, unless .NaN is given. */
static bool takes_first(bool smaller, double a, double b)
{
    if (a == b)
        return smaller == (signbit(a) != 0);
    return smaller ? a < b : a > b;
}

static uint64_t choose(const struct oracle_insn *x, uint64_t a, uint64_t b)
{
    bool smaller = x->op == OP_MIN_F || x->op == OP_MIN3_F32;
    bool is_double = x->type == TYPE_F64;
    uint64_t sign = is_double ? UINT64_C(1) << 63 : UINT64_C(1) << 31, flip = 0;
    if (oracle_flag(x, FLAG_XORSIGN))
        flip = (a ^ b) & sign;
    if (oracle_flag(x, FLAG_ABS)) {
        a &= ~sign;
        b &= ~sign;
    }
    double first = is_double ? double_of(a) : float_of(a), second = is_double ? double_of(b) : float_of(b);
    bool any = isnan(first) || isnan(second), both = isnan(first) && isnan(second);
    if (both || (any && oracle_flag(x, FLAG_NANQ)))
        return is_double ? finish64(NAN, second, first, 0) : oracle_nan(TYPE_F32);
    if (any)
        return (isnan(first) ? b : a) | flip;
    return (takes_first(smaller, first, second) ? a : b) | flip;
}

static bool test_kind(const struct oracle_insn *x, uint64_t bits)
{
    int class = x->type == TYPE_F64 ? fpclassify(double_of(bits)) : fpclassify(float_of(bits));
    switch (oracle_mod(x, GROUP_TESTP)) {
    case TESTP_FINITE:
        return class != FP_INFINITE && class != FP_NAN;
    case TESTP_INFINITE:
        return class == FP_INFINITE;
    case TESTP_NUMBER:
        return class != FP_NAN;
    case TESTP_NOTANUMBER:
        return class == FP_NAN;
    case TESTP_NORMAL: /* zero counts as normal */
        return class == FP_NORMAL || class == FP_ZERO;
    default:
        return class == FP_SUBNORMAL;
    }
}

static uint64_t change_sign(const struct oracle_insn *x, uint64_t a)
{
    uint64_t sign = x->type == TYPE_F64 ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
    if (x->type == TYPE_F32 && isnan(float_of(a)))
        return oracle_nan(TYPE_F32);
    if (x->type == TYPE_F64 && isnan(double_of(a))) /* hardware adds a zero: a NaN keeps its sign */
        return a | QUIET_F64;
    return x->op == OP_ABS_F ? a & ~sign : a ^ sign;
}

/* The row of single precision that the operation on f32x2, or in mixed precision, does. */
static enum op single_of(enum op op)
{
    switch (op) {
    case OP_ADD_F32X2:
    case OP_ADD_MIXED:
        return OP_ADD_F32;
    case OP_SUB_F32X2:
    case OP_SUB_MIXED:
        return OP_SUB_F32;
    case OP_MUL_F32X2:
        return OP_MUL_F32;
    default:
        return OP_FMA_F32;
    }
}

static uint64_t arithmetic32_twice(const struct oracle_insn *x, const uint64_t *v)
{
    uint64_t d = 0;
    for (unsigned at = 0; at < 64; at += 32) {
        float f[3];
        for (int i = 0; i < 3; i++) {
            f[i] = float_of(v[i] >> at & 0xffffffff);
            if (oracle_flag(x, FLAG_FTZ))
                f[i] = oracle_flush32(f[i]);
        }
        d |= arithmetic32(x, single_of((enum op)x->op), f[0], f[1], f[2]) << at;
    }
    return d;
}

static uint64_t arithmetic_mixed(const struct oracle_insn *x, const uint64_t *v)
{
    float f[3];
    for (int i = 0; i < 3; i++) {
        enum type type = (enum type)x->operand[i + 1].type;
        bool is_half = type == TYPE_F16 || type == TYPE_BF16;
        f[i] = is_half ? (float)oracle_half_value(type, v[i], false) : float_of(v[i]);
    }
    return arithmetic32(x, single_of((enum op)x->op), f[0], f[1], f[2]);
}

void oracle_float(struct oracle_thread *t, const struct oracle_insn *x)
{
    uint64_t v[3], d;
    bool ftz = oracle_flag(x, FLAG_FTZ);
    for (int i = 0; i < 3; i++) {
        v[i] = oracle_read(t, &x->operand[i + 1]);
        if (x->type == TYPE_F32 && ftz)
            v[i] = bits_of_float(oracle_flush32(float_of(v[i])));
    }
    switch (x->op) {
    case OP_ADD_F32:
    case OP_SUB_F32:
    case OP_MUL_F32:
    case OP_FMA_F32:
    case OP_MAD_F32:
    case OP_DIV_F32:
    case OP_RCP_F32:
    case OP_SQRT_F32:
        d = arithmetic32(x, (enum op)x->op, float_of(v[0]), float_of(v[1]), float_of(v[2]));
        break;
    case OP_ADD_F64:
    case OP_SUB_F64:
    case OP_MUL_F64:
    case OP_FMA_F64:
    case OP_MAD_F64:
    case OP_DIV_F64:
    case OP_RCP_F64:
    case OP_SQRT_F64:
        d = arithmetic64(x, double_of(v[0]), double_of(v[1]), double_of(v[2]));
        break;
    case OP_DIV_APPROX:
    case OP_DIV_FULL:
        d = finish32(x, oracle_divide_approximately(x->op == OP_DIV_FULL, ftz, float_of(v[0]), float_of(v[1])));
        break;
    case OP_RCP_APPROX:
    case OP_SQRT_APPROX:
    case OP_RSQRT_APPROX:
    case OP_SIN:
    case OP_COS:
    case OP_LG2:
    case OP_EX2:
    case OP_TANH:
        d = finish32(x, oracle_special((enum op)x->op, ftz, float_of(v[0])));
        break;
    case OP_RCP_APPROX_F64:
        d = oracle_special_upper(false, v[0]);
        break;
    case OP_RSQRT_APPROX_F64:
        d = ftz ? oracle_special_upper(true, v[0]) : reciprocal_root64(v[0]);
        break;
    case OP_ABS_F:
    case OP_NEG_F:
        d = change_sign(x, v[0]);
        break;
    case OP_MIN_F:
    case OP_MAX_F:
        d = choose(x, v[0], v[1]);
        break;
    case OP_COPYSIGN: {
        uint64_t sign = UINT64_C(1) << (type_table[x->type].bits - 1);
        d = (v[1] & ~sign) | (v[0] & sign);
        break;
    }
    case OP_TESTP:
        d = test_kind(x, v[0]);
        break;
    default:
        oracle_unsupported(t, x);
        return;
    }
    oracle_write(t, &x->operand[0], d);
}

void oracle_float_newer(struct oracle_thread *t, const struct oracle_insn *x)
{
    uint64_t v[3], d;
    for (int i = 0; i < 3; i++)
        v[i] = oracle_read(t, &x->operand[i + 1]);
    switch (x->op) {
    case OP_MIN3_F32:
    case OP_MAX3_F32:
        for (int i = 0; i < 3 && oracle_flag(x, FLAG_FTZ); i++)
            v[i] = bits_of_float(oracle_flush32(float_of(v[i])));
        d = choose(x, choose(x, v[0], v[1]), v[2]);
        break;
    case OP_ADD_MIXED ... OP_FMA_MIXED:
        d = arithmetic_mixed(x, v);
        break;
    default:
        d = arithmetic32_twice(x, v);
    }
    oracle_write(t, &x->operand[0], d);
}
