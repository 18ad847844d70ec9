/*
 * The approximate functions of the special function unit. They are computed in double precision and rounded once, which
 * is well within the error that PTX allows. Special cases follow the tables of the PTX manual. The exact bits of
 * hardware are not modelled.
 */
#include "lanes/lane_loop.h"

#include <math.h>

static inline float approx_rcp(float a)
{
    return (float)(1.0 / a);
}

/* Hardware multiplies by the reciprocal, which is flushed to 0 for the largest divisors. */
static inline float approx_div(float a, float b)
{
    float m = fabsf(b);
    return m > 0x1p126f && m < INFINITY ? a * copysignf(0.0f, b) : (float)((double)a / b);
}

static inline float full_div(float a, float b)
{
    return (float)((double)a / b);
}

static inline float approx_sqrt(float a)
{
    return (float)sqrt(a);
}

static inline float approx_rsqrt(float a)
{
    return (float)(1.0 / sqrt(a));
}

static inline float approx_sin(float a)
{
    return (float)sin(a);
}

static inline float approx_cos(float a)
{
    return (float)cos(a);
}

static inline float approx_lg2(float a)
{
    return (float)log2(a);
}

static inline float approx_ex2(float a)
{
    return (float)exp2(a);
}

static inline float approx_tanh(float a)
{
    return (float)tanh(a);
}

#define KEEP(x) (x)
#define MATH_LOOP(name, flush, second, expression)                                  \
    static void name(const struct lanes *x)                                         \
    {                                                                               \
        float *d = x->dest[0];                                                      \
        const float *pa = x->source[0], *pb = x->source[second];                    \
        EACH_LANE_SERIAL(i)                                                         \
        {                                                                           \
            const float a = flush(pa[i]), b __attribute__((unused)) = flush(pb[i]); \
            d[i] = settle_nan_f32(flush(expression));                               \
        }                                                                           \
    }
#define MATH(name, second, expression) \
    MATH_LOOP(name, KEEP, second, expression) MATH_LOOP(name##_ftz, flush_f32, second, expression)
MATH(rcp, 0, approx_rcp(a))
MATH(div_approx, 1, approx_div(a, b))
MATH(div_full, 1, full_div(a, b))
MATH(root, 0, approx_sqrt(a))
MATH(rsqrt, 0, approx_rsqrt(a))
MATH(sine, 0, approx_sin(a))
MATH(cosine, 0, approx_cos(a))
MATH(lg2, 0, approx_lg2(a))
MATH(ex2, 0, approx_ex2(a))
MATH(tangent, 0, approx_tanh(a))

/* rcp and rsqrt .approx.ftz.f64: only the upper 32 bits of input and result are used. */
static inline double upper_word(double a)
{
    return f64_of_bits(bits_of_f64(a) & 0xffffffff00000000u);
}

static inline double finish_upper(double r)
{
    return r != r ? f64_of_bits(0x7fffffff00000000u) : flush_f64(upper_word(r));
}

LANES_UNARY_SERIAL(rcp_f64, double, double, finish_upper(1.0 / flush_f64(upper_word(a))))
LANES_UNARY_SERIAL(rsqrt_f64_ftz, double, double, finish_upper(1.0 / sqrt(flush_f64(upper_word(a)))))
LANES_UNARY_SERIAL(rsqrt_f64, double, double, settle_nan_f64(1.0 / sqrt(a), a, a, a))

lane_fn *lanes_find_math(const struct insn *insn)
{
    bool ftz = suffixes_has(&insn->suffixes, FLAG_FTZ);
    switch (insn->op) {
    case OP_RCP_APPROX:
        return ftz ? rcp_ftz : rcp;
    case OP_DIV_APPROX:
        return ftz ? div_approx_ftz : div_approx;
    case OP_DIV_FULL:
        return ftz ? div_full_ftz : div_full;
    case OP_SQRT_APPROX:
        return ftz ? root_ftz : root;
    case OP_RSQRT_APPROX:
        return ftz ? rsqrt_ftz : rsqrt;
    case OP_SIN:
        return ftz ? sine_ftz : sine;
    case OP_COS:
        return ftz ? cosine_ftz : cosine;
    case OP_LG2:
        return ftz ? lg2_ftz : lg2;
    case OP_EX2:
        return ftz ? ex2_ftz : ex2;
    case OP_TANH:
        return ftz ? tangent_ftz : tangent;
    case OP_RCP_APPROX_F64:
        return rcp_f64;
    case OP_RSQRT_APPROX_F64:
        return ftz ? rsqrt_f64_ftz : rsqrt_f64;
    default:
        return NULL;
    }
}
