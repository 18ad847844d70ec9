/*
 * Half-precision arithmetic: add, sub, mul, fma, abs, neg, min and max on f16 and bf16, alone and packed.
 *
 * A plane of packed numbers is 64 numbers side by side, so that a packed handler is the loop of the single one with 64
 * turns. half_value.h has the conversions and says why the roundings are right. Every NaN result is 0x7fff.
 */
#include "lanes/half_value.h"
#include "lanes/lane_value.h"

#define EACH_NUMBER(i, count) \
    LANES_INDEPENDENT         \
    for (int i = 0; i < (count); i++)

/* One handler. In the expression, `a`, `b` and `c` are the operands after `enter`; `u` and `v` are a and b as bits. */
#define HALF_LOOP(name, count, sources, type, enter, expression)                                       \
    SIMD_CLONES static void name(const struct lanes *x)                                                \
    {                                                                                                  \
        uint16_t *d = x->dest[0];                                                                      \
        const uint16_t *pa = x->source[0], *pb = x->source[sources > 1 ? 1 : 0];                       \
        const uint16_t *pc = x->source[sources > 2 ? 2 : 0];                                           \
        EACH_NUMBER(i, count)                                                                          \
        {                                                                                              \
            const uint16_t u __attribute__((unused)) = pa[i], v __attribute__((unused)) = pb[i];       \
            const type a __attribute__((unused)) = enter(u), b __attribute__((unused)) = enter(pb[i]); \
            const type c __attribute__((unused)) = enter(pc[i]);                                       \
            d[i] = (uint16_t)(expression);                                                             \
        }                                                                                              \
    }
#define HALF(name, ...) HALF_LOOP(name, ROW_LANES, __VA_ARGS__) HALF_LOOP(name##_x2, 2 * ROW_LANES, __VA_ARGS__)

#define ENTER_F16(bits)      f16_to_f32(bits)
#define ENTER_F16_FTZ(bits)  f16_to_f32(f16_flush(bits))
#define ENTER_BF16(bits)     bf16_to_f32(bits)
#define ENTER_BITS(bits)     (bits)
#define ENTER_BITS_FTZ(bits) f16_flush(bits)

/* The result of fma.oob: 0 if a factor is marked as out of bounds. */
#define IS_OUT(bits)      (((bits) & ~HALF_SIGN) == HALF_OUT_OF_BOUNDS)
#define IN_BOUNDS(result) ((IS_OUT(u) | IS_OUT(v)) ? 0 : (result))

#define F16_FORMS(name, sources, expression)                                          \
    HALF(name, sources, float, ENTER_F16, f16_of_f32(expression))                     \
    HALF(name##_ftz, sources, float, ENTER_F16_FTZ, f16_of_f32_flushed(expression))   \
    HALF(name##_sat, sources, float, ENTER_F16, f16_saturate(f16_of_f32(expression))) \
    HALF(name##_ftz_sat, sources, float, ENTER_F16_FTZ, f16_saturate(f16_of_f32_flushed(expression)))
F16_FORMS(any_add_f16, 2, a + b)
F16_FORMS(any_sub_f16, 2, a - b)
F16_FORMS(any_mul_f16, 2, a *b)
F16_FORMS(any_fma_f16, 3, f16_fma(a, b, c))
HALF(fma_f16_relu, 3, float, ENTER_F16, half_relu(f16_of_f32(f16_fma(a, b, c))))
HALF(fma_f16_ftz_relu, 3, float, ENTER_F16_FTZ, half_relu(f16_of_f32_flushed(f16_fma(a, b, c))))
HALF(fma_f16_oob, 3, float, ENTER_F16, IN_BOUNDS(f16_of_f32(f16_fma(a, b, c))))
HALF(fma_f16_oob_relu, 3, float, ENTER_F16, IN_BOUNDS(half_relu(f16_of_f32(f16_fma(a, b, c)))))

HALF(add_bf16, 2, float, ENTER_BF16, bf16_of_f32(a + b))
HALF(sub_bf16, 2, float, ENTER_BF16, bf16_of_f32(a - b))
HALF(any_mul_bf16, 2, float, ENTER_BF16, bf16_of_f64((double)a *b))
HALF(any_fma_bf16, 3, float, ENTER_BF16, bf16_of_f64(bf16_fma(a, b, c)))
HALF(fma_bf16_relu, 3, float, ENTER_BF16, half_relu(bf16_of_f64(bf16_fma(a, b, c))))
HALF(fma_bf16_oob, 3, float, ENTER_BF16, IN_BOUNDS(bf16_of_f64(bf16_fma(a, b, c))))
HALF(fma_bf16_oob_relu, 3, float, ENTER_BF16, IN_BOUNDS(half_relu(bf16_of_f64(bf16_fma(a, b, c)))))

/* The frequent forms are tried first as if there were no special case, which takes two thirds of the time. `s` is the
 * sum or product; the highest bit of `mark` is set where there is a special case. */
#define QUICK_LOOP(name, count, sources, enter, sum, leave, mark)                                                \
    SIMD_CLONES static void name(const struct lanes *x)                                                          \
    {                                                                                                            \
        uint16_t result[count];                                                                                  \
        const uint16_t *pa = x->source[0], *pb = x->source[1], *pc = x->source[sources > 2 ? 2 : 1];             \
        uint32_t special = 0;                                                                                    \
        EACH_NUMBER(i, count)                                                                                    \
        {                                                                                                        \
            const uint16_t u __attribute__((unused)) = pa[i], v __attribute__((unused)) = pb[i];                 \
            const uint16_t w __attribute__((unused)) = pc[i];                                                    \
            const float a = enter(pa[i]), b = enter(pb[i]), c __attribute__((unused)) = enter(pc[i]), s = (sum); \
            result[i] = leave(s);                                                                                \
            special |= (mark);                                                                                   \
        }                                                                                                        \
        if (special >> 31)                                                                                       \
            any_##name(x);                                                                                       \
        else                                                                                                     \
            memcpy(x->dest[0], result, sizeof result);                                                           \
    }
#define QUICK(name, ...) QUICK_LOOP(name, ROW_LANES, __VA_ARGS__) QUICK_LOOP(name##_x2, 2 * ROW_LANES, __VA_ARGS__)
#define MARK_F16         (f16_mark_special(u) | f16_mark_special(v) | f16_mark_special(w))
#define MARK_BF16        bf16_mark_special(a, b, s)
QUICK(add_f16, 2, f16_to_f32_finite, a + b, f16_of_f32_finite, MARK_F16)
QUICK(sub_f16, 2, f16_to_f32_finite, a - b, f16_of_f32_finite, MARK_F16)
QUICK(mul_f16, 2, f16_to_f32_finite, a *b, f16_of_f32_finite, MARK_F16)
QUICK(fma_f16, 3, f16_to_f32_finite, half_fma_finite(a, b, c), f16_of_f32_finite, MARK_F16)
QUICK(mul_bf16, 2, bf16_to_f32, a *b, bf16_of_f32_finite, MARK_BF16)
QUICK(fma_bf16, 3, bf16_to_f32, half_fma_finite(a, b, c), bf16_of_f32_finite, MARK_BF16)

/* Hardware executes abs and neg as additions of zero, which make every NaN 0x7fff. */
HALF(abs_f16, 1, uint16_t, ENTER_BITS, f16_is_nan(a) ? NAN_F16 : a & ~HALF_SIGN)
HALF(abs_f16_ftz, 1, uint16_t, ENTER_BITS_FTZ, f16_is_nan(a) ? NAN_F16 : a & ~HALF_SIGN)
HALF(abs_bf16, 1, uint16_t, ENTER_BITS, bf16_is_nan(a) ? NAN_BF16 : a & ~HALF_SIGN)
HALF(neg_f16, 1, uint16_t, ENTER_BITS, f16_is_nan(a) ? NAN_F16 : a ^ HALF_SIGN)
HALF(neg_f16_ftz, 1, uint16_t, ENTER_BITS_FTZ, f16_is_nan(a) ? NAN_F16 : a ^ HALF_SIGN)
HALF(neg_bf16, 1, uint16_t, ENTER_BITS, bf16_is_nan(a) ? NAN_BF16 : a ^ HALF_SIGN)

/* .NaN: the result is NaN if either operand is. .xorsign.abs: min or max of the magnitudes, with the product of the
 * signs as its sign; NaN has no sign. */
static inline uint16_t poison(uint16_t r, bool is_nan)
{
    return is_nan ? NAN_F16 : r;
}

static inline uint16_t add_sign(uint16_t r, uint16_t a, uint16_t b, bool are_nan)
{
    return (uint16_t)(r | (are_nan ? 0 : (a ^ b) & HALF_SIGN));
}

#define SIZE(bits)              ((uint16_t)((bits) & ~HALF_SIGN))
#define SIGNED_BY(pick, is_nan) add_sign(pick(SIZE(a), SIZE(b), is_nan(a), is_nan(b)), a, b, is_nan(a) && is_nan(b))
#define EITHER(is_nan)          (is_nan(a) || is_nan(b))
#define EXTREMES(name, enter, pick, is_nan)                                                        \
    HALF(name, 2, uint16_t, enter, pick(a, b, is_nan(a), is_nan(b)))                               \
    HALF(name##_nan, 2, uint16_t, enter, poison(pick(a, b, is_nan(a), is_nan(b)), EITHER(is_nan))) \
    HALF(name##_xorsign, 2, uint16_t, enter, SIGNED_BY(pick, is_nan))                              \
    HALF(name##_nan_xorsign, 2, uint16_t, enter, poison(SIGNED_BY(pick, is_nan), EITHER(is_nan)))
EXTREMES(min_f16, ENTER_BITS, half_min, f16_is_nan)
EXTREMES(min_f16_ftz, ENTER_BITS_FTZ, half_min, f16_is_nan)
EXTREMES(max_f16, ENTER_BITS, half_max, f16_is_nan)
EXTREMES(max_f16_ftz, ENTER_BITS_FTZ, half_max, f16_is_nan)
EXTREMES(min_bf16, ENTER_BITS, half_min, bf16_is_nan)
EXTREMES(max_bf16, ENTER_BITS, half_max, bf16_is_nan)

/* Handlers by packing; by .ftz and .sat or .relu; by .NaN and .xorsign. */
typedef lane_fn *pair[2];
#define PAIR(name)      \
    {                   \
        name, name##_x2 \
    }
#define BY_FLAGS(name)                                         \
    {                                                          \
        {PAIR(name), PAIR(any_##name##_sat)},                  \
        {                                                      \
            PAIR(any_##name##_ftz), PAIR(any_##name##_ftz_sat) \
        }                                                      \
    }
#define BY_NAN(name)                                   \
    {                                                  \
        {PAIR(name), PAIR(name##_xorsign)},            \
        {                                              \
            PAIR(name##_nan), PAIR(name##_nan_xorsign) \
        }                                              \
    }
static const pair table_add[2][2] = BY_FLAGS(add_f16), table_sub[2][2] = BY_FLAGS(sub_f16);
static const pair table_mul[2][2] = BY_FLAGS(mul_f16), table_fma[2][2] = BY_FLAGS(fma_f16);
static const pair table_relu[2] = {PAIR(fma_f16_relu), PAIR(fma_f16_ftz_relu)};
static const pair table_fma_bf16[2] = {PAIR(fma_bf16), PAIR(fma_bf16_relu)};
static const pair table_oob[2][2] = {{PAIR(fma_f16_oob), PAIR(fma_f16_oob_relu)},
                                     {PAIR(fma_bf16_oob), PAIR(fma_bf16_oob_relu)}};
static const pair table_abs[2] = {PAIR(abs_f16), PAIR(abs_f16_ftz)}, table_neg[2] = {PAIR(neg_f16), PAIR(neg_f16_ftz)};
static const pair table_bf16[] = {PAIR(add_bf16), PAIR(sub_bf16), PAIR(mul_bf16), PAIR(abs_bf16), PAIR(neg_bf16)};
static const pair table_min[2][2][2] = {BY_NAN(min_f16), BY_NAN(min_f16_ftz)}, table_min_bf16[2][2] = BY_NAN(min_bf16);
static const pair table_max[2][2][2] = {BY_NAN(max_f16), BY_NAN(max_f16_ftz)}, table_max_bf16[2][2] = BY_NAN(max_bf16);

static const pair *find_pair(const struct insn *insn)
{
    const struct suffixes *s = &insn->suffixes;
    bool ftz = suffixes_has(s, FLAG_FTZ), sat = suffixes_has(s, FLAG_SAT), relu = suffixes_has(s, FLAG_RELU);
    bool nan = suffixes_has(s, FLAG_NANQ), xorsign = suffixes_has(s, FLAG_XORSIGN);
    switch (insn->op) {
    case OP_ADD_F16:
        return &table_add[ftz][sat];
    case OP_SUB_F16:
        return &table_sub[ftz][sat];
    case OP_MUL_F16:
        return &table_mul[ftz][sat];
    case OP_FMA_F16:
        return &table_fma[ftz][sat];
    case OP_FMA_F16_RELU:
        return &table_relu[ftz];
    case OP_FMA_BF16:
        return &table_fma_bf16[relu];
    case OP_FMA_OOB:
        return &table_oob[s->type[0] == TYPE_BF16 || s->type[0] == TYPE_BF16X2][relu];
    case OP_ABS_F16:
        return &table_abs[ftz];
    case OP_NEG_F16:
        return &table_neg[ftz];
    case OP_ADD_BF16:
        return &table_bf16[0];
    case OP_SUB_BF16:
        return &table_bf16[1];
    case OP_MUL_BF16:
        return &table_bf16[2];
    case OP_ABS_BF16:
        return &table_bf16[3];
    case OP_NEG_BF16:
        return &table_bf16[4];
    case OP_MIN_F16:
        return &table_min[ftz][nan][xorsign];
    case OP_MIN_BF16:
        return &table_min_bf16[nan][xorsign];
    case OP_MAX_F16:
        return &table_max[ftz][nan][xorsign];
    case OP_MAX_BF16:
        return &table_max_bf16[nan][xorsign];
    default:
        return NULL;
    }
}

lane_fn *lanes_find_half(const struct insn *insn)
{
    const pair *found = find_pair(insn);
    return found ? (*found)[type_table[insn->suffixes.type[0]].kind == KIND_PACKED] : NULL;
}

#ifndef LANES_SINGLE
static uint16_t combine(enum mod op, bool is_f16, uint16_t a, uint16_t b)
{
    bool a_is_nan = is_f16 ? f16_is_nan(a) : bf16_is_nan(a), b_is_nan = is_f16 ? f16_is_nan(b) : bf16_is_nan(b);
    if (op == ATOM_MIN)
        return half_min(a, b, a_is_nan, b_is_nan);
    if (op == ATOM_MAX)
        return half_max(a, b, a_is_nan, b_is_nan);
    return is_f16 ? f16_of_f32(f16_to_f32(a) + f16_to_f32(b)) : bf16_of_f32(bf16_to_f32(a) + bf16_to_f32(b));
}

uint32_t lane_value_combine_half(enum mod op, enum type type, uint32_t a, uint32_t b)
{
    bool is_f16 = type == TYPE_F16 || type == TYPE_F16X2;
    uint32_t low = combine(op, is_f16, (uint16_t)a, (uint16_t)b);
    if (type_table[type].kind != KIND_PACKED)
        return low;
    return low | (uint32_t)combine(op, is_f16, (uint16_t)(a >> 16), (uint16_t)(b >> 16)) << 16;
}
#endif
