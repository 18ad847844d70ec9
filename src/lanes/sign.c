/* Floating-point instructions that do not round: abs, neg, copysign, min, max, testp. */
#include "lanes/lane_loop.h"

#define SIGN_F32 0x80000000u
#define SIGN_F64 0x8000000000000000u

/* Hardware executes abs and neg as additions of zero: an f32 NaN becomes NAN_F32, and an f64 NaN is quieted and keeps
 * its sign. */
static inline uint32_t abs_bits_f32(uint32_t a)
{
    return (a & ~SIGN_F32) > 0x7f800000u ? NAN_F32 : a & ~SIGN_F32;
}

static inline uint32_t neg_bits_f32(uint32_t a)
{
    return (a & ~SIGN_F32) > 0x7f800000u ? NAN_F32 : a ^ SIGN_F32;
}

static inline uint64_t abs_bits_f64(uint64_t a)
{
    return (a & ~SIGN_F64) > 0x7ff0000000000000u ? a | QUIET_F64 : a & ~SIGN_F64;
}

static inline uint64_t neg_bits_f64(uint64_t a)
{
    return (a & ~SIGN_F64) > 0x7ff0000000000000u ? a | QUIET_F64 : a ^ SIGN_F64;
}

static inline uint32_t flush_bits(uint32_t a)
{
    return a & 0x7f800000u ? a : a & SIGN_F32;
}

LANES_UNARY(abs_f32, uint32_t, uint32_t, abs_bits_f32(a))
LANES_UNARY(abs_f32_ftz, uint32_t, uint32_t, flush_bits(abs_bits_f32(a)))
LANES_UNARY(abs_f64, uint64_t, uint64_t, abs_bits_f64(a))
LANES_UNARY(neg_f32, uint32_t, uint32_t, neg_bits_f32(a))
LANES_UNARY(neg_f32_ftz, uint32_t, uint32_t, flush_bits(neg_bits_f32(a)))
LANES_UNARY(neg_f64, uint64_t, uint64_t, neg_bits_f64(a))
LANES_BINARY(copysign_f32, uint32_t, uint32_t, (a & SIGN_F32) | (b & ~SIGN_F32))
LANES_BINARY(copysign_f64, uint64_t, uint64_t, (a & SIGN_F64) | (b & ~SIGN_F64))

/*
 * min and max: -0 is less than +0. If one source is NaN the other is the result, unless .NaN is given. Keys are
 * integers with the order of the numbers.
 */
static inline int32_t key_f32(float a)
{
    int32_t i = (int32_t)bits_of_f32(a);
    return i ^ (int32_t)((uint32_t)(i >> 31) >> 1);
}

static inline int64_t key_f64(double a)
{
    int64_t i = (int64_t)bits_of_f64(a);
    return i ^ (int64_t)((uint64_t)(i >> 63) >> 1);
}

#define EXTREME(name, type, key, order)       \
    static inline type name(type a, type b)   \
    {                                         \
        type r = key(a) order key(b) ? a : b; \
        r = b != b ? a : r;                   \
        return a != a ? b : r;                \
    }
EXTREME(min_f32, float, key_f32, <)
EXTREME(max_f32, float, key_f32, >)
EXTREME(min_f64, double, key_f64, <)
EXTREME(max_f64, double, key_f64, >)

static inline float poison_f32(float r, float a, float b)
{
    return f32_of_bits(a != a || b != b ? NAN_F32 : bits_of_f32(r));
}

/* .xorsign.abs: min or max of the magnitudes, with the product of the signs as its sign. */
static inline float magnitude_f32(float a)
{
    return f32_of_bits(bits_of_f32(a) & ~SIGN_F32);
}

static inline float xorsign_f32(float r, float a, float b)
{
    return f32_of_bits(bits_of_f32(r) | ((bits_of_f32(a) ^ bits_of_f32(b)) & SIGN_F32));
}

#define EXTREME_F32(name, flush, expression)                \
    SIMD_CLONES static void name(const struct lanes *x)     \
    {                                                       \
        float *d = x->dest[0];                              \
        const float *pa = x->source[0], *pb = x->source[1]; \
        EACH_LANE(i)                                        \
        {                                                   \
            const float a = flush(pa[i]), b = flush(pb[i]); \
            d[i] = settle_nan_f32(expression);              \
        }                                                   \
    }
#define EXTREME3_F32(name, enter, expression)                                   \
    SIMD_CLONES static void name(const struct lanes *x)                         \
    {                                                                           \
        float *d = x->dest[0];                                                  \
        const float *pa = x->source[0], *pb = x->source[1], *pc = x->source[2]; \
        EACH_LANE(i)                                                            \
        {                                                                       \
            const float a = enter(pa[i]), b = enter(pb[i]), c = enter(pc[i]);   \
            d[i] = settle_nan_f32(expression);                                  \
        }                                                                       \
    }
#define KEEP(x) (x)
#define EXTREMES_F32(name, flush, pick)                                                             \
    EXTREME_F32(name, flush, pick(a, b))                                                            \
    EXTREME_F32(name##_nan, flush, poison_f32(pick(a, b), a, b))                                    \
    EXTREME_F32(name##_xorsign, flush, xorsign_f32(pick(magnitude_f32(a), magnitude_f32(b)), a, b)) \
    EXTREME_F32(name##_nan_xorsign, flush,                                                          \
                poison_f32(xorsign_f32(pick(magnitude_f32(a), magnitude_f32(b)), a, b), a, b))
EXTREMES_F32(smaller_f32, KEEP, min_f32)
EXTREMES_F32(smaller_f32_ftz, flush_f32, min_f32)
EXTREMES_F32(larger_f32, KEEP, max_f32)
EXTREMES_F32(larger_f32_ftz, flush_f32, max_f32)
LANES_BINARY(smaller_f64, double, double, settle_nan_f64(min_f64(a, b), b, a, a))
LANES_BINARY(larger_f64, double, double, settle_nan_f64(max_f64(a, b), b, a, a))

/* Three operands, by .ftz, .NaN and .abs. */
static inline float poison3_f32(float r, float a, float b, float c)
{
    return poison_f32(poison_f32(r, a, b), c, c);
}

static inline float magnitude_flushed_f32(float a)
{
    return magnitude_f32(flush_f32(a));
}

#define EXTREMES3_F32(name, pick)                                                          \
    EXTREME3_F32(name, KEEP, pick(pick(a, b), c))                                          \
    EXTREME3_F32(name##_abs, magnitude_f32, pick(pick(a, b), c))                           \
    EXTREME3_F32(name##_nan, KEEP, poison3_f32(pick(pick(a, b), c), a, b, c))              \
    EXTREME3_F32(name##_nan_abs, magnitude_f32, poison3_f32(pick(pick(a, b), c), a, b, c)) \
    EXTREME3_F32(name##_ftz, flush_f32, pick(pick(a, b), c))                               \
    EXTREME3_F32(name##_ftz_abs, magnitude_flushed_f32, pick(pick(a, b), c))               \
    EXTREME3_F32(name##_ftz_nan, flush_f32, poison3_f32(pick(pick(a, b), c), a, b, c))     \
    EXTREME3_F32(name##_ftz_nan_abs, magnitude_flushed_f32, poison3_f32(pick(pick(a, b), c), a, b, c))
EXTREMES3_F32(smallest_f32, min_f32)
EXTREMES3_F32(largest_f32, max_f32)

/* testp: the expression tests the magnitude m; `inf` is the bit pattern of infinity, `least` that of the least normal
 * number. Zero counts as normal. */
#define KIND_OF(name, type, sign, inf, least, expression)                      \
    SIMD_CLONES static void name(const struct lanes *x)                        \
    {                                                                          \
        uint32_t *d = x->dest[0];                                              \
        const type *a = x->source[0];                                          \
        EACH_LANE(i)                                                           \
        {                                                                      \
            const type m = a[i] & ~(type)sign, infinite = inf, normal = least; \
            d[i] = 0u - (uint32_t)(expression);                                \
            (void)infinite, (void)normal;                                      \
        }                                                                      \
    }
#define KINDS(suffix, ...)                                                                   \
    KIND_OF(testp_finite_##suffix, __VA_ARGS__, m < infinite)                                \
    KIND_OF(testp_infinite_##suffix, __VA_ARGS__, m == infinite)                             \
    KIND_OF(testp_number_##suffix, __VA_ARGS__, m <= infinite)                               \
    KIND_OF(testp_notanumber_##suffix, __VA_ARGS__, m > infinite)                            \
    KIND_OF(testp_normal_##suffix, __VA_ARGS__, ((m >= normal) | (m == 0)) & (m < infinite)) \
    KIND_OF(testp_subnormal_##suffix, __VA_ARGS__, (m < normal) & (m != 0))
KINDS(f32, uint32_t, SIGN_F32, 0x7f800000u, 0x00800000u)
KINDS(f64, uint64_t, SIGN_F64, 0x7ff0000000000000u, 0x0010000000000000u)

/* Handlers by .ftz, .NaN and .xorsign. */
#define BY_FLAGS(name)                     \
    {                                      \
        {name, name##_xorsign},            \
        {                                  \
            name##_nan, name##_nan_xorsign \
        }                                  \
    }
static lane_fn *const table_smaller[2][2][2] = {BY_FLAGS(smaller_f32), BY_FLAGS(smaller_f32_ftz)};
static lane_fn *const table_larger[2][2][2] = {BY_FLAGS(larger_f32), BY_FLAGS(larger_f32_ftz)};

#define BY_FLAGS3(name)                                     \
    {                                                       \
        {{name, name##_abs}, {name##_nan, name##_nan_abs}}, \
        {                                                   \
            {name##_ftz, name##_ftz_abs},                   \
            {                                               \
                name##_ftz_nan, name##_ftz_nan_abs          \
            }                                               \
        }                                                   \
    }
static lane_fn *const table_smallest[2][2][2] = BY_FLAGS3(smallest_f32);
static lane_fn *const table_largest[2][2][2] = BY_FLAGS3(largest_f32);

#define BY_KIND(suffix)                                                                                   \
    {                                                                                                     \
        testp_finite_##suffix, testp_infinite_##suffix, testp_number_##suffix, testp_notanumber_##suffix, \
            testp_normal_##suffix, testp_subnormal_##suffix                                               \
    }
static lane_fn *const table_testp[2][TESTP_SUBNORMAL - TESTP_FINITE + 1] = {BY_KIND(f32), BY_KIND(f64)};

lane_fn *lanes_find_sign(const struct insn *insn)
{
    const struct suffixes *s = &insn->suffixes;
    bool wide = s->type[0] == TYPE_F64, ftz = suffixes_has(s, FLAG_FTZ);
    bool nan = suffixes_has(s, FLAG_NANQ), xorsign = suffixes_has(s, FLAG_XORSIGN);
    switch (insn->op) {
    case OP_ABS_F:
        return wide ? abs_f64 : ftz ? abs_f32_ftz : abs_f32;
    case OP_NEG_F:
        return wide ? neg_f64 : ftz ? neg_f32_ftz : neg_f32;
    case OP_COPYSIGN:
        return wide ? copysign_f64 : copysign_f32;
    case OP_MIN_F:
        return wide ? smaller_f64 : table_smaller[ftz][nan][xorsign];
    case OP_MAX_F:
        return wide ? larger_f64 : table_larger[ftz][nan][xorsign];
    case OP_MIN3_F32:
        return table_smallest[ftz][nan][suffixes_has(s, FLAG_ABS)];
    case OP_MAX3_F32:
        return table_largest[ftz][nan][suffixes_has(s, FLAG_ABS)];
    case OP_TESTP:
        return table_testp[wide][s->mod[GROUP_TESTP] - TESTP_FINITE];
    default:
        return NULL;
    }
}
