/*
 * The approximate functions: what the compiler of the hardware makes of .approx and .full, around the special
 * function unit (special.h). Results are the hardware's, bit for bit.
 *
 * The unit takes subnormal numbers for zeros. So without .ftz such numbers are scaled up before and results down
 * after, and so are numbers whose reciprocal would be subnormal. With .ftz the unit's result is taken as it is. The
 * unit takes angles in turns: the compiler multiplies by 1 / (2 pi), and cuts the product off.
 */
#include "lanes/half_value.h"
#include "lanes/special.h"

#include <math.h>

#define LEAST_NORMAL 0x1p-126f

/* Handlers of functions with lanes of their own in special.c. `before` scales a lane's number `a`, and `after` its
 * result `r`; NaN results are settled. */
#define SCALED(name, function, before, after)                                   \
    SIMD_CLONES static void name(const struct lanes *x)                         \
    {                                                                           \
        const float *pa = x->source[0];                                         \
        float scaled[ROW_LANES], result[ROW_LANES];                             \
        EACH_LANE(i)                                                            \
        {                                                                       \
            const float a = pa[i];                                              \
            scaled[i] = (before);                                               \
        }                                                                       \
        function((const uint32_t *)(void *)scaled, (uint32_t *)(void *)result); \
        float *d = x->dest[0];                                                  \
        EACH_LANE(i)                                                            \
        {                                                                       \
            const float a __attribute__((unused)) = pa[i], r = result[i];       \
            d[i] = settle_nan_f32(after);                                       \
        }                                                                       \
    }
#define UNSCALED(name, function)            \
    static void name(const struct lanes *x) \
    {                                       \
        function(x->source[0], x->dest[0]); \
    }

static inline bool is_tiny(float a)
{
    return fabsf(a) < LEAST_NORMAL;
}

/* What a divisor is multiplied by so that neither it nor its reciprocal is subnormal. */
static inline float divisor_scale(float b)
{
    float large = fabsf(b) > 0x1p126f ? 0.25f : 1.0f;
    return is_tiny(b) ? 0x1p24f : large;
}

SCALED(rcp, special_rcp, a *divisor_scale(a), r *divisor_scale(a))
SCALED(rsqrt, special_rsqrt, a *(is_tiny(a) ? 0x1p24f : 1.0f), r *(is_tiny(a) ? 0x1p12f : 1.0f))
SCALED(root, special_sqrt, a *(is_tiny(a) ? 0x1p24f : 1.0f), r *(is_tiny(a) ? 0x1p-12f : 1.0f))
SCALED(ex2, special_ex2, a *(a < -126.0f ? 0.5f : 1.0f), r *(a < -126.0f ? r : 1.0f))
UNSCALED(rcp_ftz, special_rcp)
UNSCALED(rsqrt_ftz, special_rsqrt)
UNSCALED(root_ftz, special_sqrt)
UNSCALED(ex2_ftz, special_ex2)

/* Under .ftz a product is rounded to 24 bits whatever its exponent, and flushed if it is then below the least normal
 * number. */
static inline float multiply_ftz(float a, float b)
{
    float scaled = (float)(0x1p64 * a * b);
    return fabsf(scaled) < 0x1p-62f ? copysignf(0.0f, scaled) : a * b;
}

/* Divisions multiply by the reciprocal; `scale` is what both numbers are multiplied by first. */
#define DIVISION(name, scale, product)                                                   \
    SIMD_CLONES static void name(const struct lanes *x)                                  \
    {                                                                                    \
        const float *pa = x->source[0], *pb = x->source[1];                              \
        float divisor[ROW_LANES], reciprocal[ROW_LANES];                                 \
        EACH_LANE(i)                                                                     \
        {                                                                                \
            const float b = pb[i];                                                       \
            divisor[i] = b * (scale);                                                    \
        }                                                                                \
        special_rcp((const uint32_t *)(void *)divisor, (uint32_t *)(void *)reciprocal);  \
        float *d = x->dest[0];                                                           \
        EACH_LANE(i)                                                                     \
        {                                                                                \
            const float a = pa[i], b __attribute__((unused)) = pb[i], r = reciprocal[i]; \
            d[i] = settle_nan_f32(product);                                              \
        }                                                                                \
    }
DIVISION(div_approx, is_tiny(b) ? 0x1p24f : 1.0f, r *(a *(is_tiny(b) ? 0x1p24f : 1.0f)))
DIVISION(div_approx_ftz, 1.0f, multiply_ftz(flush_f32(a), r))
DIVISION(div_full, divisor_scale(b), r *(a *divisor_scale(b)))
DIVISION(div_full_ftz, fabsf(b) > 0x1p126f ? 0.25f : 1.0f,
         multiply_ftz(flush_f32(flush_f32(a) * (fabsf(b) > 0x1p126f ? 0.25f : 1.0f)), r))

/* An angle in turns: the product of two numbers of 24 bits is exact in double precision. */
static inline uint32_t turns(float a)
{
    double exact = (double)a * 0x1.45f306p-3;
    float t = (float)exact;
    return bits_of_f32(t) - (fabs((double)t) > fabs(exact));
}

#define OF_ANGLE(name, function)                        \
    SIMD_CLONES static void name(const struct lanes *x) \
    {                                                   \
        const float *pa = x->source[0];                 \
        uint32_t in_turns[ROW_LANES];                   \
        EACH_LANE(i) in_turns[i] = turns(pa[i]);        \
        function(in_turns, x->dest[0]);                 \
    }
OF_ANGLE(sine, special_sin)
OF_ANGLE(cosine, special_cos)
SCALED(lg2, special_lg2, a *(is_tiny(a) ? 0x1p24f : 1.0f), r - (is_tiny(a) ? 24.0f : 0.0f))
UNSCALED(lg2_ftz, special_lg2)
LANES_UNARY_SERIAL(tangent, uint32_t, uint32_t, special_tanh(a))

/* Half precision: hardware computes in f32, and cuts the result off. A packed plane is 64 numbers side by side. */
static inline uint16_t cut_f16(float r)
{
    uint32_t u = bits_of_f32(r), m = bits_of_f32(f32_of_bits(u & 0x7fffe000u) * 0x1p-112f) >> 13;
    uint32_t tiny = (uint32_t)(f32_of_bits(u & 0x7fffffffu) * 0x1p24f); /* in units of the least subnormal */
    m = (u & 0x7fffffffu) < (113u << 23) ? tiny : m > F16_INFINITY ? F16_INFINITY : m;
    return (uint16_t)(f32_is_nan(u) ? NAN_F16 : m | (u >> 16 & HALF_SIGN));
}

static inline uint16_t cut_bf16(float r)
{
    uint32_t u = bits_of_f32(r);
    return (uint16_t)(f32_is_nan(u) ? NAN_BF16 : u >> 16);
}

#define MATH_HALF_LOOP(name, rows, widen, function, cut)                        \
    static void name(const struct lanes *x)                                     \
    {                                                                           \
        float in[ROW_LANES], out[ROW_LANES];                                    \
        for (int k = 0; k < (rows); k++) {                                      \
            const uint16_t *a = (const uint16_t *)x->source[0] + k * ROW_LANES; \
            uint16_t *d = (uint16_t *)x->dest[0] + k * ROW_LANES;               \
            for (int i = 0; i < ROW_LANES; i++)                                 \
                in[i] = widen(a[i]);                                            \
            function(&(struct lanes){{out}, {in}});                             \
            for (int i = 0; i < ROW_LANES; i++)                                 \
                d[i] = cut(out[i]);                                             \
        }                                                                       \
    }
#define MATH_HALF(name, ...) MATH_HALF_LOOP(name, 1, __VA_ARGS__) MATH_HALF_LOOP(name##_x2, 2, __VA_ARGS__)
MATH_HALF(ex2_f16, f16_to_f32, ex2, cut_f16)
MATH_HALF(ex2_bf16, bf16_to_f32, ex2_ftz, cut_bf16)
MATH_HALF(tangent_f16, f16_to_f32, tangent, cut_f16)
MATH_HALF(tangent_bf16, bf16_to_f32, tangent, cut_bf16)

static lane_fn *find_half(const struct insn *insn)
{
    enum type t = (enum type)insn->suffixes.type[0];
    bool is_packed = type_table[t].kind == KIND_PACKED, is_f16 = t == TYPE_F16 || t == TYPE_F16X2;
    switch (insn->op) {
    case OP_EX2_F16:
        return is_packed ? ex2_f16_x2 : ex2_f16;
    case OP_EX2_BF16:
        return is_packed ? ex2_bf16_x2 : ex2_bf16;
    default:
        return is_f16 ? (is_packed ? tangent_f16_x2 : tangent_f16) : is_packed ? tangent_bf16_x2 : tangent_bf16;
    }
}

/* rcp and rsqrt .approx.ftz.f64: only the upper words of number and result are used. */
static inline double upper_rcp(double a)
{
    return f64_of_bits((uint64_t)special_rcp_upper((uint32_t)(bits_of_f64(a) >> 32)) << 32);
}

static inline double upper_rsqrt(double a)
{
    return f64_of_bits((uint64_t)special_rsqrt_upper((uint32_t)(bits_of_f64(a) >> 32)) << 32);
}

/* rsqrt.approx.f64: the unit's result improved once. */
static inline double improved_rsqrt(double a)
{
    double y = upper_rsqrt(a), rest = fma(a, -(y * y), 1.0);
    return fma(fma(rest, 0.375, 0.5), y * rest, y);
}

static inline double approx_rsqrt_f64(double a)
{
    if (a == 0.0)
        return copysign(INFINITY, a);
    if (a != a || a < 0.0)
        return settle_nan_f64(NAN, a, a, a);
    if (a == INFINITY)
        return 0.0;
    return a < 0x1p-1022 ? improved_rsqrt(a * 0x1p54) * 0x1p27 : improved_rsqrt(a);
}

LANES_UNARY_SERIAL(rcp_f64, double, double, upper_rcp(a))
LANES_UNARY_SERIAL(rsqrt_f64_ftz, double, double, upper_rsqrt(a))
LANES_UNARY_SERIAL(rsqrt_f64, double, double, approx_rsqrt_f64(a))

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
        return sine;
    case OP_COS:
        return cosine;
    case OP_LG2:
        return ftz ? lg2_ftz : lg2;
    case OP_EX2:
        return ftz ? ex2_ftz : ex2;
    case OP_TANH:
        return tangent;
    case OP_EX2_F16:
    case OP_EX2_BF16:
    case OP_TANH_HALF:
        return find_half(insn);
    case OP_RCP_APPROX_F64:
        return rcp_f64;
    case OP_RSQRT_APPROX_F64:
        return ftz ? rsqrt_f64_ftz : rsqrt_f64;
    default:
        return NULL;
    }
}
