/* Integer arithmetic with sources and result of one width: add, sub, div, rem, abs, neg, min, max, sad. Overflow wraps
 * unless .sat is given. */
#include "lanes/lane_loop.h"

FOR_UNSIGNED(LANES_BINARY, add, a + b)
FOR_UNSIGNED(LANES_BINARY, sub, a - b)
FOR_UNSIGNED(LANES_UNARY, neg, 0u - a)
FOR_SIGNED(LANES_UNARY, abs, a < 0 ? (U)(0u - (U)a) : (U)a)
FOR_INTEGERS(LANES_BINARY, min, a < b ? a : b)
FOR_INTEGERS(LANES_BINARY, max, a > b ? a : b)
FOR_INTEGERS(LANES_TERNARY, sad, (U)c + (a < b ? (U)b - (U)a : (U)a - (U)b))

/* add.sat overflows if both operands have the sign that the result does not have; the sign of a then says in which
 * direction. */
LANES_BINARY(add_sat_s32, int32_t, uint32_t,
             (~((U)a ^ (U)b) & ((U)a ^ ((U)a + (U)b))) >> 31 ? (U)(a >> 31) ^ 0x7fffffffu : (U)a + (U)b)
LANES_BINARY(sub_sat_s32, int32_t, uint32_t,
             (((U)a ^ (U)b) & ((U)a ^ ((U)a - (U)b))) >> 31 ? (U)(a >> 31) ^ 0x7fffffffu : (U)a - (U)b)

/* As on hardware, division by 0 gives all ones and the dividend as remainder. The least integer divided by -1 is
 * itself. */
#define UNSIGNED_QUOTIENT b ? a / b : (T) ~(T)0
#define UNSIGNED_REST     b ? a % b : a
#define SIGNED_QUOTIENT   b == -1 ? (T)(0u - (U)a) : b ? (T)(a / b) : (T)-1
#define SIGNED_REST       b == -1 ? 0 : b ? a % b : a
LANES_BINARY_SERIAL(div_u16, uint16_t, uint16_t, UNSIGNED_QUOTIENT)
LANES_BINARY_SERIAL(rem_u16, uint16_t, uint16_t, UNSIGNED_REST)
LANES_BINARY_SERIAL(div_s16, int16_t, uint16_t, SIGNED_QUOTIENT)
LANES_BINARY_SERIAL(rem_s16, int16_t, uint16_t, SIGNED_REST)
LANES_BINARY_SERIAL(div_u64, uint64_t, uint64_t, UNSIGNED_QUOTIENT)
LANES_BINARY_SERIAL(rem_u64, uint64_t, uint64_t, UNSIGNED_REST)
LANES_BINARY_SERIAL(div_s64, int64_t, uint64_t, SIGNED_QUOTIENT)
LANES_BINARY_SERIAL(rem_s64, int64_t, uint64_t, SIGNED_REST)

#if defined(__x86_64__) && !defined(LANES_SINGLE)
/* x86-64 divides vectors of doubles, but not of integers. A quotient of 32 bits that is no integer is further from the
 * next integer than a double's rounding reaches. Where the divisor is 0 the result means nothing. */
static inline double double_of_u32(uint32_t a)
{
    return f64_of_bits(UINT64_C(0x4330000000000000) | a) - 0x1p52;
}

static inline uint32_t divide_u32(uint32_t a, uint32_t b)
{
    const double exact = double_of_u32(a) / double_of_u32(b), nearest = (exact + 0x1p52) - 0x1p52;
    return (uint32_t)bits_of_f64((nearest > exact ? nearest - 1 : nearest) + 0x1p52);
}

static inline uint32_t magnitude_s32(int32_t a)
{
    return a < 0 ? 0u - (uint32_t)a : (uint32_t)a;
}

static inline uint32_t divide_s32(int32_t a, int32_t b)
{
    const uint32_t quotient = divide_u32(magnitude_s32(a), magnitude_s32(b));
    return (a ^ b) < 0 ? 0u - quotient : quotient;
}

LANES_BINARY(div_u32, uint32_t, uint32_t, b ? divide_u32(a, b) : UINT32_MAX)
LANES_BINARY(rem_u32, uint32_t, uint32_t, b ? a - divide_u32(a, b) * b : a)
LANES_BINARY(div_s32, int32_t, uint32_t, b ? divide_s32(a, b) : UINT32_MAX)
LANES_BINARY(rem_s32, int32_t, uint32_t, b ? (U)a - divide_s32(a, b) * (U)b : (U)a)
#else
LANES_BINARY_SERIAL(div_u32, uint32_t, uint32_t, UNSIGNED_QUOTIENT)
LANES_BINARY_SERIAL(rem_u32, uint32_t, uint32_t, UNSIGNED_REST)
LANES_BINARY_SERIAL(div_s32, int32_t, uint32_t, SIGNED_QUOTIENT)
LANES_BINARY_SERIAL(rem_s32, int32_t, uint32_t, SIGNED_REST)
#endif

static lane_fn *const table_add[TYPE_COUNT] = {BY_WIDTH(add)};
static lane_fn *const table_sub[TYPE_COUNT] = {BY_WIDTH(sub)};
static lane_fn *const table_neg[TYPE_COUNT] = {BY_WIDTH(neg)};
static lane_fn *const table_abs[TYPE_COUNT] = {[TYPE_S16] = abs_s16, [TYPE_S32] = abs_s32, [TYPE_S64] = abs_s64};
static lane_fn *const table_min[TYPE_COUNT] = {BY_SIGN(min)};
static lane_fn *const table_max[TYPE_COUNT] = {BY_SIGN(max)};
static lane_fn *const table_sad[TYPE_COUNT] = {BY_SIGN(sad)};
static lane_fn *const table_div[TYPE_COUNT] = {BY_SIGN(div)};
static lane_fn *const table_rem[TYPE_COUNT] = {BY_SIGN(rem)};

lane_fn *lanes_find_int(const struct insn *insn)
{
    unsigned t = insn->suffixes.type[0];
    switch (insn->op) {
    case OP_ADD:
        return table_add[t];
    case OP_SUB:
        return table_sub[t];
    case OP_ADD_SAT:
        return add_sat_s32;
    case OP_SUB_SAT:
        return sub_sat_s32;
    case OP_NEG:
        return table_neg[t];
    case OP_ABS:
        return table_abs[t];
    case OP_MIN:
        return table_min[t];
    case OP_MAX:
        return table_max[t];
    case OP_SAD:
        return table_sad[t];
    case OP_DIV:
        return table_div[t];
    case OP_REM:
        return table_rem[t];
    default:
        return NULL;
    }
}
