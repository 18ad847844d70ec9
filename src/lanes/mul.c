/* Integer products: low and high halves, wide products, 24-bit products, and dot products of packed bytes. */
#include "lanes/lane_loop.h"

/* The high half of a product, one function per type. */
static inline uint16_t high_u16(uint16_t a, uint16_t b)
{
    return (uint16_t)((uint32_t)a * b >> 16);
}

static inline int16_t high_s16(int16_t a, int16_t b)
{
    return (int16_t)((int32_t)a * b >> 16);
}

static inline uint32_t high_u32(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b >> 32);
}

static inline int32_t high_s32(int32_t a, int32_t b)
{
    return (int32_t)((int64_t)a * b >> 32);
}

static inline uint64_t high_u64(uint64_t a, uint64_t b)
{
    return (uint64_t)((unsigned __int128)a * b >> 64);
}

static inline int64_t high_s64(int64_t a, int64_t b)
{
    return (int64_t)((__int128)a * b >> 64);
}

static inline int32_t clamp_s32(int64_t v)
{
    return (int32_t)(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
}

FOR_UNSIGNED(LANES_BINARY, mul_lo, 1u * a * b)
FOR_UNSIGNED(LANES_TERNARY, mad_lo, 1u * a * b + c)

LANES_BINARY(mul_hi_u16, uint16_t, uint16_t, high_u16(a, b))
LANES_BINARY(mul_hi_s16, int16_t, uint16_t, high_s16(a, b))
LANES_BINARY(mul_hi_u32, uint32_t, uint32_t, high_u32(a, b))
LANES_BINARY(mul_hi_s32, int32_t, uint32_t, high_s32(a, b))
LANES_BINARY_SERIAL(mul_hi_u64, uint64_t, uint64_t, high_u64(a, b))
LANES_BINARY_SERIAL(mul_hi_s64, int64_t, uint64_t, high_s64(a, b))

LANES_TERNARY(mad_hi_u16, uint16_t, uint16_t, high_u16(a, b) + c)
LANES_TERNARY(mad_hi_s16, int16_t, uint16_t, high_s16(a, b) + c)
LANES_TERNARY(mad_hi_u32, uint32_t, uint32_t, high_u32(a, b) + c)
LANES_TERNARY(mad_hi_s32, int32_t, uint32_t, (U)high_s32(a, b) + (U)c)
LANES_TERNARY_SERIAL(mad_hi_u64, uint64_t, uint64_t, high_u64(a, b) + c)
LANES_TERNARY_SERIAL(mad_hi_s64, int64_t, uint64_t, (U)high_s64(a, b) + (U)c)

LANES_TERNARY(mad_lo_sat_s32, int32_t, uint32_t, clamp_s32((int64_t)(int32_t)((U)a *(U)b) + c))
LANES_TERNARY(mad_hi_sat_s32, int32_t, uint32_t, clamp_s32((int64_t)high_s32(a, b) + c))

#define MUL_WIDE(name, narrow, wide, uwide)                        \
    SIMD_CLONES static void mul_wide_##name(const struct lanes *x) \
    {                                                              \
        wide *d = x->dest[0];                                      \
        LANES_APART(narrow, a, 0, d);                              \
        LANES_APART(narrow, b, 1, d);                              \
        EACH_LANE(i)                                               \
        {                                                          \
            d[i] = (wide)a[i] * b[i];                              \
        }                                                          \
    }                                                              \
    SIMD_CLONES static void mad_wide_##name(const struct lanes *x) \
    {                                                              \
        wide *d = x->dest[0];                                      \
        const uwide *c = x->source[2];                             \
        LANES_APART(narrow, a, 0, d);                              \
        LANES_APART(narrow, b, 1, d);                              \
        EACH_LANE(i)                                               \
        {                                                          \
            d[i] = (wide)((uwide)((wide)a[i] * b[i]) + c[i]);      \
        }                                                          \
    }
MUL_WIDE(u16, uint16_t, uint32_t, uint32_t)
MUL_WIDE(s16, int16_t, int32_t, uint32_t)
MUL_WIDE(u32, uint32_t, uint64_t, uint64_t)
MUL_WIDE(s32, int32_t, int64_t, uint64_t)

/* 24-bit operands: .lo is bits 31..0 of the 48-bit product, .hi is bits 47..16. */
static inline int64_t product24_u32(uint32_t a, uint32_t b)
{
    return (int64_t)((uint64_t)(a & 0xffffffu) * (b & 0xffffffu));
}

static inline int64_t product24_s32(int32_t a, int32_t b)
{
    return (int64_t)((int32_t)((uint32_t)a << 8) >> 8) * ((int32_t)((uint32_t)b << 8) >> 8);
}

LANES_BINARY(mul24_lo_u32, uint32_t, uint32_t, product24_u32(a, b))
LANES_BINARY(mul24_hi_u32, uint32_t, uint32_t, product24_u32(a, b) >> 16)
LANES_BINARY(mul24_lo_s32, int32_t, uint32_t, product24_s32(a, b))
LANES_BINARY(mul24_hi_s32, int32_t, uint32_t, product24_s32(a, b) >> 16)
LANES_TERNARY(mad24_lo_u32, uint32_t, uint32_t, product24_u32(a, b) + c)
LANES_TERNARY(mad24_hi_u32, uint32_t, uint32_t, (product24_u32(a, b) >> 16) + c)
LANES_TERNARY(mad24_lo_s32, int32_t, uint32_t, product24_s32(a, b) + c)
LANES_TERNARY(mad24_hi_s32, int32_t, uint32_t, (product24_s32(a, b) >> 16) + c)
LANES_TERNARY(mad24_lo_sat_s32, int32_t, uint32_t, clamp_s32((int64_t)(int32_t)product24_s32(a, b) + c))
LANES_TERNARY(mad24_hi_sat_s32, int32_t, uint32_t, clamp_s32((product24_s32(a, b) >> 16) + c))

/* Dot products: the types of a and b say how their bytes (for dp2a, the halves of a) are extended. */
#define BYTE(type, x, n) ((type##8_t)((x) >> 8 * (n)))
#define HALF(type, x, n) ((type##16_t)((x) >> 16 * (n)))
#define DOT(name, A, B)                                                                         \
    LANES_TERNARY(dp4a_##name, uint32_t, uint32_t,                                              \
                  c + (U)(BYTE(A, a, 0) * BYTE(B, b, 0)) + (U)(BYTE(A, a, 1) * BYTE(B, b, 1)) + \
                      (U)(BYTE(A, a, 2) * BYTE(B, b, 2)) + (U)(BYTE(A, a, 3) * BYTE(B, b, 3)))  \
    LANES_TERNARY(dp2a_lo_##name, uint32_t, uint32_t,                                           \
                  c + (U)(HALF(A, a, 0) * BYTE(B, b, 0)) + (U)(HALF(A, a, 1) * BYTE(B, b, 1)))  \
    LANES_TERNARY(dp2a_hi_##name, uint32_t, uint32_t,                                           \
                  c + (U)(HALF(A, a, 0) * BYTE(B, b, 2)) + (U)(HALF(A, a, 1) * BYTE(B, b, 3)))
DOT(uu, uint, uint)
DOT(us, uint, int)
DOT(su, int, uint)
DOT(ss, int, int)

static lane_fn *const table_mul[2][TYPE_COUNT] = {{BY_WIDTH(mul_lo)}, {BY_SIGN(mul_hi)}};
static lane_fn *const table_mad[2][TYPE_COUNT] = {{BY_WIDTH(mad_lo)}, {BY_SIGN(mad_hi)}};

#define BY_NARROW(name) \
    [TYPE_U16] = name##_u16, [TYPE_S16] = name##_s16, [TYPE_U32] = name##_u32, [TYPE_S32] = name##_s32
static lane_fn *const table_mul_wide[TYPE_COUNT] = {BY_NARROW(mul_wide)};
static lane_fn *const table_mad_wide[TYPE_COUNT] = {BY_NARROW(mad_wide)};

/* Indexed by half (.lo, .hi) and signedness. */
static lane_fn *const table_mul24[2][2] = {{mul24_lo_u32, mul24_lo_s32}, {mul24_hi_u32, mul24_hi_s32}};
static lane_fn *const table_mad24[2][2] = {{mad24_lo_u32, mad24_lo_s32}, {mad24_hi_u32, mad24_hi_s32}};

/* Indexed by the signedness of a and of b. */
static lane_fn *const table_dp4a[2][2] = {{dp4a_uu, dp4a_us}, {dp4a_su, dp4a_ss}};
static lane_fn *const table_dp2a[2][2][2] = {{{dp2a_lo_uu, dp2a_lo_us}, {dp2a_lo_su, dp2a_lo_ss}},
                                             {{dp2a_hi_uu, dp2a_hi_us}, {dp2a_hi_su, dp2a_hi_ss}}};

lane_fn *lanes_find_mul(const struct insn *insn)
{
    unsigned t = insn->suffixes.type[0], u = insn->suffixes.type[1];
    bool high = insn->suffixes.mod[GROUP_HALF] == HALF_HI;
    switch (insn->op) {
    case OP_MUL:
        return table_mul[high][t];
    case OP_MUL_WIDE:
        return table_mul_wide[t];
    case OP_MAD:
        return table_mad[high][t];
    case OP_MAD_SAT:
        return high ? mad_hi_sat_s32 : mad_lo_sat_s32;
    case OP_MAD_WIDE:
        return table_mad_wide[t];
    case OP_MUL24:
        return table_mul24[high][t == TYPE_S32];
    case OP_MAD24:
        return table_mad24[high][t == TYPE_S32];
    case OP_MAD24_SAT:
        return high ? mad24_hi_sat_s32 : mad24_lo_sat_s32;
    case OP_DP4A:
        return table_dp4a[t == TYPE_S32][u == TYPE_S32];
    case OP_DP2A:
        return table_dp2a[high][t == TYPE_S32][u == TYPE_S32];
    default:
        return NULL;
    }
}
