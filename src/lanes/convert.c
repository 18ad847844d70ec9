/* Conversions: cvt. The pairs of types that are frequent in compiled code have vectorised loops here; any.c has all
 * forms. */
#include "lanes/lane_loop.h"

#include <math.h>

/* A handler from lanes of type S to lanes of type D; `a` is the source lane. */
#define CONVERT(name, S, D, expression)                 \
    SIMD_CLONES static void name(const struct lanes *x) \
    {                                                   \
        D *d = x->dest[0];                              \
        LANES_APART(S, source, 0, d);                   \
        EACH_LANE(i)                                    \
        {                                               \
            const S a = source[i];                      \
            d[i] = (D)(expression);                     \
        }                                               \
    }

/* Integers to integers: C's conversions, from source type to result type to register, do what PTX asks. Narrow types in
 * 64-bit registers are left to any.c. */
#define FROM_KINDS(X, ...)            \
    X(U8, uint8_t, 16, __VA_ARGS__)   \
    X(S8, int8_t, 16, __VA_ARGS__)    \
    X(U8, uint8_t, 32, __VA_ARGS__)   \
    X(S8, int8_t, 32, __VA_ARGS__)    \
    X(U16, uint16_t, 16, __VA_ARGS__) \
    X(S16, int16_t, 16, __VA_ARGS__)  \
    X(U16, uint16_t, 32, __VA_ARGS__) \
    X(S16, int16_t, 32, __VA_ARGS__)  \
    X(U32, uint32_t, 32, __VA_ARGS__) \
    X(S32, int32_t, 32, __VA_ARGS__)  \
    X(U64, uint64_t, 64, __VA_ARGS__) \
    X(S64, int64_t, 64, __VA_ARGS__)
#define TO_KINDS(X)      \
    X(U8, uint8_t, 16)   \
    X(S8, int8_t, 16)    \
    X(U8, uint8_t, 32)   \
    X(S8, int8_t, 32)    \
    X(U16, uint16_t, 16) \
    X(S16, int16_t, 16)  \
    X(U16, uint16_t, 32) \
    X(S16, int16_t, 32)  \
    X(U32, uint32_t, 32) \
    X(S32, int32_t, 32)  \
    X(U64, uint64_t, 64) \
    X(S64, int64_t, 64)

#define INTEGER_PAIR(from, from_type, from_bits, to, to_type, to_bits) \
    CONVERT(cvt_##to##to_bits##_##from##from_bits, uint##from_bits##_t, uint##to_bits##_t, (to_type)(from_type)a)
#define INTEGER_TO(to, to_type, to_bits) FROM_KINDS(INTEGER_PAIR, to, to_type, to_bits)
TO_KINDS(INTEGER_TO)

/* clang 14 vectorises the conversion of 64-bit integers to float through double, which rounds twice. So in a number too
 * long for a double, the last 11 bits, which lie far below a float's precision, are folded into the next bit: the
 * double is then exact. */
static inline uint64_t narrow_u64(uint64_t a)
{
    uint64_t folded = (a & ~UINT64_C(0x7ff)) | (uint64_t)((a & 0x7ff) != 0) << 11;
    return a >> 53 ? folded : a;
}

static inline int64_t narrow_s64(int64_t a)
{
    int64_t folded = (int64_t)(((uint64_t)a & ~UINT64_C(0x7ff)) | (uint64_t)((a & 0x7ff) != 0) << 11);
    return (uint64_t)((a >> 53) + 1) > 1 ? folded : a;
}

/* Integers to floating point, rounded to nearest even. */
CONVERT(cvt_f32_s32, int32_t, float, a)
CONVERT(cvt_f32_u32, uint32_t, float, a)
CONVERT(cvt_f32_s64, int64_t, float, narrow_s64(a))
CONVERT(cvt_f32_u64, uint64_t, float, narrow_u64(a))
CONVERT(cvt_f64_s32, int32_t, double, a)
CONVERT(cvt_f64_u32, uint32_t, double, a)
CONVERT(cvt_f64_s64, int64_t, double, a)
CONVERT(cvt_f64_u64, uint64_t, double, a)

/*
 * Floating point to integers: C does not define the conversion of a value out of range, so such a value is replaced by
 * 0 before it is converted. The integer type's range is [low, high), both exact in the floating-point type. Masks
 * vectorise into fewer instructions than conditionals.
 */
static inline float keep_f32(float r, int keep)
{
    return f32_of_bits(bits_of_f32(r) & (0u - (uint32_t)keep));
}

static inline double keep_f64(double r, int keep)
{
    return f64_of_bits(bits_of_f64(r) & (0u - (uint64_t)keep));
}

#define TO_INTEGER(name, S, D, U, low, high, minimum, maximum, nan, keep, round)                \
    static inline U name##_value(S a)                                                           \
    {                                                                                           \
        const S r = round(a);                                                                   \
        const U inside = (U)(D)keep(r, (r >= low) & (r < high));                                \
        const U under = 0u - (U)(r < low), over = 0u - (U)(r >= high), none = 0u - (U)(a != a); \
        return inside | ((U)minimum & under) | ((U)maximum & over) | ((U)nan & none);           \
    }                                                                                           \
    CONVERT(name, S, U, name##_value(a))
#define TO_INTEGERS(from, S, rounding, round, nan_32)                                                                 \
    TO_INTEGER(cvt_s32_##from##_##rounding, S, int32_t, uint32_t, -0x1p31f, 0x1p31f, INT32_MIN, INT32_MAX, nan_32,    \
               keep_##from, round)                                                                                    \
    TO_INTEGER(cvt_u32_##from##_##rounding, S, uint32_t, uint32_t, 0.0f, 0x1p32f, 0, UINT32_MAX, nan_32, keep_##from, \
               round)                                                                                                 \
    TO_INTEGER(cvt_s64_##from##_##rounding, S, int64_t, uint64_t, -0x1p63f, 0x1p63f, INT64_MIN, INT64_MAX, INT64_MIN, \
               keep_##from, round)                                                                                    \
    TO_INTEGER(cvt_u64_##from##_##rounding, S, uint64_t, uint64_t, 0.0f, 0x1p64f, 0, UINT64_MAX, INT64_MIN,           \
               keep_##from, round)
TO_INTEGERS(f32, float, rni, rintf, 0u)
TO_INTEGERS(f32, float, rzi, truncf, 0u)
TO_INTEGERS(f32, float, rmi, floorf, 0u)
TO_INTEGERS(f32, float, rpi, ceilf, 0u)
TO_INTEGERS(f64, double, rni, rint, 0x80000000u)
TO_INTEGERS(f64, double, rzi, trunc, 0x80000000u)
TO_INTEGERS(f64, double, rmi, floor, 0x80000000u)
TO_INTEGERS(f64, double, rpi, ceil, 0x80000000u)

/* Floating point to floating point, without .ftz and .sat. convert_nan() in lane_value.c says what a NaN becomes; the
 * host's conversion of a double to a float treats NaN as GPU hardware does. */
static inline float widen_f16(uint16_t h)
{
    uint32_t magnitude = (h & 0x7fffu) << 13, sign = (h & 0x8000u) << 16;
    float scaled = f32_of_bits(magnitude) * 0x1p112f;
    uint32_t special = h & 0x03ffu ? NAN_F32 : sign | 0x7f800000u;
    return f32_of_bits((h & 0x7c00u) == 0x7c00u ? special : sign | bits_of_f32(scaled));
}

static inline double widen_f32(float a)
{
    uint64_t u = bits_of_f64((double)a);
    return f64_of_bits(a != a ? u | QUIET_F64 : u);
}

static inline double keep_nan_f64(double r, double a)
{
    return f64_of_bits(a != a ? bits_of_f64(a) | QUIET_F64 : bits_of_f64(r));
}

CONVERT(cvt_f32_f16, uint16_t, float, widen_f16(a))
CONVERT(cvt_f32_bf16, uint16_t, uint32_t, (uint32_t)a << 16)
CONVERT(cvt_f64_f32, float, double, widen_f32(a))
CONVERT(cvt_f32_f64, double, float, a)
CONVERT(cvt_sat_f32, float, float, saturate_f32(a))
CONVERT(cvt_rni_f32, float, float, settle_nan_f32(rintf(a)))
CONVERT(cvt_rzi_f32, float, float, settle_nan_f32(truncf(a)))
CONVERT(cvt_rmi_f32, float, float, settle_nan_f32(floorf(a)))
CONVERT(cvt_rpi_f32, float, float, settle_nan_f32(ceilf(a)))
CONVERT(cvt_rni_f64, double, double, keep_nan_f64(rint(a), a))
CONVERT(cvt_rzi_f64, double, double, keep_nan_f64(trunc(a), a))
CONVERT(cvt_rmi_f64, double, double, keep_nan_f64(floor(a), a))
CONVERT(cvt_rpi_f64, double, double, keep_nan_f64(ceil(a), a))

/*
 * tf32: an f32 whose low 13 bits are zero. A finite number may round to infinity; .satfinite turns infinity into the
 * largest finite number, by subtracting one unit in the last place. With .rn and .rz every NaN becomes NAN_TF32. The
 * older .rna has no rule for NaN: it truncates a NaN like any other number, and .satfinite subtracts a unit from it
 * too.
 */
#define NAN_TF32 0x7fffe000u

static inline uint32_t finish_rna(uint32_t a, uint32_t rounded, bool relu, bool satfinite)
{
    uint32_t sign = a & 0x80000000u, magnitude = rounded & 0x7fffe000u;
    if (satfinite)
        magnitude -= magnitude < 0x7f800000u ? 0 : 0x2000u;
    return relu && sign ? 0 : sign | magnitude;
}

static inline uint32_t finish_tf32(uint32_t a, uint32_t rounded, bool relu, bool satfinite)
{
    return (a & 0x7fffffffu) > 0x7f800000u ? NAN_TF32 : finish_rna(a, rounded, relu, satfinite);
}

#define TF32(name, finish, rounded)                                           \
    CONVERT(name, uint32_t, uint32_t, finish(a, rounded, false, false))       \
    CONVERT(name##_relu, uint32_t, uint32_t, finish(a, rounded, true, false)) \
    CONVERT(name##_fin, uint32_t, uint32_t, finish(a, rounded, false, true))  \
    CONVERT(name##_relu_fin, uint32_t, uint32_t, finish(a, rounded, true, true))
TF32(tf32_rn, finish_tf32, (a & 0x7fffffffu) + 0xfffu + (a >> 13 & 1))
TF32(tf32_rna, finish_rna, (a & 0x7fffffffu) + ((a & 0x7f800000u) < 0x7f800000u ? 0x1000u : 0))
TF32(tf32_rz, finish_tf32, a)

/* A handler, and the instruction that it is for: opcode, types, widths of the registers, rounding. */
struct fast_pair {
    uint8_t op, from, from_bits, to, to_bits, rounding; /* rounding: enum mod; 0: none */
    lane_fn *handler;
};

#define INTEGER_ROW(from, from_type, from_bits, to, to_type, to_bits) \
    {OP_CVT_INT, TYPE_##from, from_bits, TYPE_##to, to_bits, 0, cvt_##to##to_bits##_##from##from_bits},
#define INTEGER_ROWS(to, to_type, to_bits) FROM_KINDS(INTEGER_ROW, to, to_type, to_bits)
#define TO_INTEGER_ROWS(rounding, suffix)                                            \
    {OP_CVT_TO_INT, TYPE_F32, 32, TYPE_S32, 32, rounding, cvt_s32_f32_##suffix},     \
        {OP_CVT_TO_INT, TYPE_F32, 32, TYPE_U32, 32, rounding, cvt_u32_f32_##suffix}, \
        {OP_CVT_TO_INT, TYPE_F32, 32, TYPE_S64, 64, rounding, cvt_s64_f32_##suffix}, \
        {OP_CVT_TO_INT, TYPE_F32, 32, TYPE_U64, 64, rounding, cvt_u64_f32_##suffix}, \
        {OP_CVT_TO_INT, TYPE_F64, 64, TYPE_S32, 32, rounding, cvt_s32_f64_##suffix}, \
        {OP_CVT_TO_INT, TYPE_F64, 64, TYPE_U32, 32, rounding, cvt_u32_f64_##suffix}, \
        {OP_CVT_TO_INT, TYPE_F64, 64, TYPE_S64, 64, rounding, cvt_s64_f64_##suffix}, \
        {OP_CVT_TO_INT, TYPE_F64, 64, TYPE_U64, 64, rounding, cvt_u64_f64_##suffix}, \
        {OP_CVT_FLOAT, TYPE_F32, 32, TYPE_F32, 32, rounding, cvt_##suffix##_f32},    \
    {                                                                                \
        OP_CVT_FLOAT, TYPE_F64, 64, TYPE_F64, 64, rounding, cvt_##suffix##_f64       \
    }
static const struct fast_pair fast_pairs[] = {
    TO_KINDS(INTEGER_ROWS){OP_CVT_FROM_INT, TYPE_S32, 32, TYPE_F32, 32, RND_RN, cvt_f32_s32},
    {OP_CVT_FROM_INT, TYPE_U32, 32, TYPE_F32, 32, RND_RN, cvt_f32_u32},
    {OP_CVT_FROM_INT, TYPE_S64, 64, TYPE_F32, 32, RND_RN, cvt_f32_s64},
    {OP_CVT_FROM_INT, TYPE_U64, 64, TYPE_F32, 32, RND_RN, cvt_f32_u64},
    {OP_CVT_FROM_INT, TYPE_S32, 32, TYPE_F64, 64, RND_RN, cvt_f64_s32},
    {OP_CVT_FROM_INT, TYPE_U32, 32, TYPE_F64, 64, RND_RN, cvt_f64_u32},
    {OP_CVT_FROM_INT, TYPE_S64, 64, TYPE_F64, 64, RND_RN, cvt_f64_s64},
    {OP_CVT_FROM_INT, TYPE_U64, 64, TYPE_F64, 64, RND_RN, cvt_f64_u64},
    TO_INTEGER_ROWS(RND_RNI, rni),
    TO_INTEGER_ROWS(RND_RZI, rzi),
    TO_INTEGER_ROWS(RND_RMI, rmi),
    TO_INTEGER_ROWS(RND_RPI, rpi),
    {OP_CVT_FLOAT, TYPE_F16, 16, TYPE_F32, 32, 0, cvt_f32_f16},
    {OP_CVT_FLOAT, TYPE_BF16, 16, TYPE_F32, 32, 0, cvt_f32_bf16},
    {OP_CVT_FLOAT, TYPE_F32, 32, TYPE_F64, 64, 0, cvt_f64_f32},
    {OP_CVT_FLOAT, TYPE_F64, 64, TYPE_F32, 32, RND_RN, cvt_f32_f64},
};

/* Do .ftz or .sat change the result? .ftz does not if no float is involved, or if a subnormal rounds to zero anyway;
 * .sat does not if the result is clamped anyway. */
static bool flags_matter(const struct insn *insn)
{
    const struct suffixes *s = &insn->suffixes;
    unsigned rounding = s->mod[GROUP_RND];
    bool ftz = suffixes_has(s, FLAG_FTZ), sat = suffixes_has(s, FLAG_SAT);
    switch (insn->op) {
    case OP_CVT_TO_INT:
        return ftz && s->type[1] == TYPE_F32 && rounding != RND_RNI && rounding != RND_RZI;
    case OP_CVT_FLOAT:
        return ftz || sat;
    default:
        return sat;
    }
}

/* Whether it is cvt.sat.f32.f32, which programs use to clamp. */
static bool only_saturates(const struct insn *insn)
{
    const struct suffixes *s = &insn->suffixes;
    return insn->op == OP_CVT_FLOAT && s->type[0] == TYPE_F32 && s->type[1] == TYPE_F32 && !s->mod[GROUP_RND] &&
           suffixes_has(s, FLAG_SAT) && !suffixes_has(s, FLAG_FTZ) && ref_lane_bits(&insn->source[0]) == 32 &&
           ref_lane_bits(&insn->dest[0]) == 32;
}

static lane_fn *find_fast(const struct insn *insn)
{
    const struct suffixes *s = &insn->suffixes;
    if (only_saturates(insn))
        return cvt_sat_f32;
    if (flags_matter(insn))
        return NULL;
    for (size_t i = 0; i < sizeof fast_pairs / sizeof *fast_pairs; i++) {
        const struct fast_pair *p = &fast_pairs[i];
        if (p->op == insn->op && p->from == s->type[1] && p->to == s->type[0] && p->rounding == s->mod[GROUP_RND] &&
            p->from_bits == ref_lane_bits(&insn->source[0]) && p->to_bits == ref_lane_bits(&insn->dest[0]))
            return p->handler;
    }
    return NULL;
}

/* The table is indexed by rounding, .relu and .satfinite. */
static lane_fn *find_tf32(const struct insn *insn)
{
    static lane_fn *const table[3][2][2] = {
        {{tf32_rn, tf32_rn_fin}, {tf32_rn_relu, tf32_rn_relu_fin}},
        {{tf32_rna, tf32_rna_fin}, {tf32_rna_relu, tf32_rna_relu_fin}},
        {{tf32_rz, tf32_rz_fin}, {tf32_rz_relu, tf32_rz_relu_fin}},
    };
    const struct suffixes *s = &insn->suffixes;
    unsigned rounding = s->mod[GROUP_RND];
    int row = rounding == RND_RN ? 0 : rounding == RND_RNA ? 1 : rounding == RND_RZ ? 2 : -1;
    return row < 0 ? NULL : table[row][suffixes_has(s, FLAG_RELU)][suffixes_has(s, FLAG_SATFINITE)];
}

lane_fn *lanes_find_convert(const struct insn *insn)
{
    if (insn->op == OP_CVT_TF32)
        return find_tf32(insn);
    return find_fast(insn);
}
