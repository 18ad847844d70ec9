/*
 * What the lane handlers share: the loop over 32 lanes, the shapes of handlers, and the hardware's rules for NaN, .ftz
 * and .sat. Only files of lanes/ include this header.
 *
 * A macro makes a handler from its name, its types and one expression, so that the handler's meaning is one line that
 * can be compared with the PTX manual. In the expression, `a`, `b` and `c` are the lane's sources in order, `T` is the
 * type of the sources and `U` the unsigned type of the same width.
 *
 * A destination may be the plane of a source. If destination lanes are as wide as source lanes, or narrower, lane i is
 * read before lane i is written. If destination lanes are wider, the narrow sources are copied first (LANES_NARROW).
 */
#ifndef HEDDLE_LANES_LANE_LOOP_H
#define HEDDLE_LANES_LANE_LOOP_H

#include "lanes/lanes.h"

#include <string.h>

/* The files of handlers are compiled a second time with LANES_SINGLE, for rows of one lane: these handlers execute one
 * thread by itself (lanes_find_single()). */
#ifdef LANES_SINGLE
#define ROW_LANES 1
#undef SIMD_CLONES
#define SIMD_CLONES
#define lanes_find_int          lanes_find_int_single
#define lanes_find_mul          lanes_find_mul_single
#define lanes_find_carry        lanes_find_carry_single
#define lanes_find_bits         lanes_find_bits_single
#define lanes_find_field        lanes_find_field_single
#define lanes_find_compare      lanes_find_compare_single
#define lanes_find_compare_half lanes_find_compare_half_single
#define lanes_find_select       lanes_find_select_single
#define lanes_find_f32          lanes_find_f32_single
#define lanes_find_f64          lanes_find_f64_single
#define lanes_find_half         lanes_find_half_single
#define lanes_find_sign         lanes_find_sign_single
#define lanes_find_math         lanes_find_math_single
#define lanes_find_convert      lanes_find_convert_single
#define lanes_find_move         lanes_find_move_single
#define lanes_find_packed       lanes_find_packed_single
#endif

/* The vectorised loop over 32 lanes; and the serial loop, for bodies that call a library or divide integers. */
#define EACH_LANE(i)  \
    LANES_INDEPENDENT \
    for (int i = 0; i < ROW_LANES; i++)
#define EACH_LANE_SERIAL(i) for (int i = 0; i < ROW_LANES; i++)
#define CLONED_EACH_LANE    SIMD_CLONES
#define CLONED_EACH_LANE_SERIAL

/* Whether the host can run handlers that are compiled for "avx2,fma". */
#if defined(__x86_64__)
static inline bool host_has_fma(void)
{
    return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
}
#endif

/* Copies a source whose lanes are narrower than the destination's, since writing lane i could overwrite unread
 * lanes. */
#define LANES_NARROW(type, name, index) \
    type name[ROW_LANES];               \
    memcpy(name, x->source[index], sizeof name)

/* As LANES_NARROW, for handlers whose only destination is `d`: the source is copied only if its lanes are narrower and
 * it overlaps `d`. Compilers write a copy in pieces of 16 bytes, and a host that then reads 32 bytes waits for the
 * writes: half of a shift's time. */
#define LANES_APART(type, name, index, d)                                                          \
    type name##_copy[ROW_LANES];                                                                   \
    const type *name = x->source[index];                                                           \
    if (sizeof *(d) > sizeof(type) && overlap(name, sizeof name##_copy, d, sizeof *(d)*ROW_LANES)) \
    name = memcpy(name##_copy, name, sizeof name##_copy)

static inline bool overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
    return (uintptr_t)a < (uintptr_t)b + b_bytes && (uintptr_t)b < (uintptr_t)a + a_bytes;
}

/* Handlers of one to three sources; sources and destination have type T. */
#define LANES_UNARY_LOOP(loop, name, type, utype, expression) \
    CLONED_##loop static void name(const struct lanes *x)     \
    {                                                         \
        typedef type T;                                       \
        typedef utype U __attribute__((unused));              \
        T *d = x->dest[0];                                    \
        const T *pa = x->source[0];                           \
        loop(i)                                               \
        {                                                     \
            const T a = pa[i];                                \
            d[i] = (T)(expression);                           \
        }                                                     \
    }
#define LANES_BINARY_LOOP(loop, name, type, utype, expression) \
    CLONED_##loop static void name(const struct lanes *x)      \
    {                                                          \
        typedef type T;                                        \
        typedef utype U __attribute__((unused));               \
        T *d = x->dest[0];                                     \
        const T *pa = x->source[0], *pb = x->source[1];        \
        loop(i)                                                \
        {                                                      \
            const T a = pa[i], b = pb[i];                      \
            d[i] = (T)(expression);                            \
        }                                                      \
    }
#define LANES_TERNARY_LOOP(loop, name, type, utype, expression)             \
    CLONED_##loop static void name(const struct lanes *x)                   \
    {                                                                       \
        typedef type T;                                                     \
        typedef utype U __attribute__((unused));                            \
        T *d = x->dest[0];                                                  \
        const T *pa = x->source[0], *pb = x->source[1], *pc = x->source[2]; \
        loop(i)                                                             \
        {                                                                   \
            const T a = pa[i], b = pb[i], c = pc[i];                        \
            d[i] = (T)(expression);                                         \
        }                                                                   \
    }
#define LANES_UNARY(...)          LANES_UNARY_LOOP(EACH_LANE, __VA_ARGS__)
#define LANES_BINARY(...)         LANES_BINARY_LOOP(EACH_LANE, __VA_ARGS__)
#define LANES_TERNARY(...)        LANES_TERNARY_LOOP(EACH_LANE, __VA_ARGS__)
#define LANES_UNARY_SERIAL(...)   LANES_UNARY_LOOP(EACH_LANE_SERIAL, __VA_ARGS__)
#define LANES_BINARY_SERIAL(...)  LANES_BINARY_LOOP(EACH_LANE_SERIAL, __VA_ARGS__)
#define LANES_TERNARY_SERIAL(...) LANES_TERNARY_LOOP(EACH_LANE_SERIAL, __VA_ARGS__)

/* One handler per width: for the unsigned types, for the signed types, and for both. */
#define FOR_UNSIGNED(shape, name, ...)                                                                    \
    shape(name##_u16, uint16_t, uint16_t, __VA_ARGS__) shape(name##_u32, uint32_t, uint32_t, __VA_ARGS__) \
        shape(name##_u64, uint64_t, uint64_t, __VA_ARGS__)
#define FOR_SIGNED(shape, name, ...)                                                                    \
    shape(name##_s16, int16_t, uint16_t, __VA_ARGS__) shape(name##_s32, int32_t, uint32_t, __VA_ARGS__) \
        shape(name##_s64, int64_t, uint64_t, __VA_ARGS__)
#define FOR_INTEGERS(shape, name, ...) FOR_UNSIGNED(shape, name, __VA_ARGS__) FOR_SIGNED(shape, name, __VA_ARGS__)

/* Initialisers of a table by type: one handler per width; or one per width and signedness. */
#define BY_WIDTH(name)                                                                                  \
    [TYPE_B16] = name##_u16, [TYPE_U16] = name##_u16, [TYPE_S16] = name##_u16, [TYPE_F16] = name##_u16, \
    [TYPE_B32] = name##_u32, [TYPE_U32] = name##_u32, [TYPE_S32] = name##_u32, [TYPE_F32] = name##_u32, \
    [TYPE_B64] = name##_u64, [TYPE_U64] = name##_u64, [TYPE_S64] = name##_u64, [TYPE_F64] = name##_u64
#define BY_SIGN(name)                                                                                   \
    [TYPE_B16] = name##_u16, [TYPE_U16] = name##_u16, [TYPE_S16] = name##_s16, [TYPE_B32] = name##_u32, \
    [TYPE_U32] = name##_u32, [TYPE_S32] = name##_s32, [TYPE_B64] = name##_u64, [TYPE_U64] = name##_u64, \
    [TYPE_S64] = name##_s64

/* Bits per lane of an operand: a register's declared width, or the type's width if the operand is no register. */
static inline unsigned ref_lane_bits(const struct ref *r)
{
    unsigned bits = r->kind == REF_PLANE ? r->bits : type_table[r->type].bits;
    return bits == 1 ? 32 : bits < 16 ? 16 : bits;
}

/* Floating-point numbers as bit patterns, and back. */
static inline uint32_t bits_of_f32(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline float f32_of_bits(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

static inline uint64_t bits_of_f64(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline double f64_of_bits(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* The hardware's rule for NaN in f32 (f16, bf16): every NaN result is one bit pattern. */
#define NAN_F32  0x7fffffffu
#define NAN_F16  0x7fffu
#define NAN_BF16 0x7fffu

static inline float settle_nan_f32(float r)
{
    return f32_of_bits(r != r ? NAN_F32 : bits_of_f32(r));
}

/*
 * The hardware's rule for NaN in f64: a NaN input passes on its sign and payload, quieted; a NaN that arises from
 * numbers is NAN_F64. Of several NaN inputs, the first in order of precedence wins. The adder and multiplier take the
 * order b, c, a of a * b + c (b, a for two inputs), whatever the rounding, and a subtraction does not flip the sign of
 * b's NaN. Division is a routine of several instructions, in which a comes first.
 */
#define NAN_F64   0xfff8000000000000u
#define QUIET_F64 0x0008000000000000u

static inline double settle_nan_f64(double r, double first, double second, double third)
{
    uint64_t n = third != third ? bits_of_f64(third) | QUIET_F64 : NAN_F64;
    n = second != second ? bits_of_f64(second) | QUIET_F64 : n;
    n = first != first ? bits_of_f64(first) | QUIET_F64 : n;
    return f64_of_bits(r != r ? n : bits_of_f64(r));
}

/* .ftz: a subnormal becomes a zero of the same sign. f32.c says what counts as subnormal in a result that is rounded.
 * Masks vectorise into fewer instructions than a conditional. */
static inline float flush_f32(float x)
{
    uint32_t u = bits_of_f32(x);
    return f32_of_bits(u & ~(0x7fffffffu & (0u - (uint32_t)((u & 0x7f800000u) == 0))));
}

static inline double flush_f64(double x)
{
    uint64_t u = bits_of_f64(x);
    return f64_of_bits(u & ~(0x7fffffffffffffffu & (0u - (uint64_t)((u & 0x7ff0000000000000u) == 0))));
}

/* .sat: clamps to [0, 1]; NaN and -0 become +0. */
static inline float saturate_f32(float x)
{
    x = x > 0.0f ? x : 0.0f;
    return x < 1.0f ? x : 1.0f;
}

/* Runs a handler in one of the host's rounding modes (enum mod RND_*; RND_RN and MOD_NONE are nearest even). The call
 * through a pointer keeps the compiler from moving arithmetic across the change of mode. */
void lanes_run_rounded(enum mod rounding, lane_fn *core, const struct lanes *x);

/* One function per file: the handler of the instruction, or NULL if the file has none for it. */
lane_fn *lanes_find_int(const struct insn *insn);
lane_fn *lanes_find_mul(const struct insn *insn);
lane_fn *lanes_find_carry(const struct insn *insn);
lane_fn *lanes_find_bits(const struct insn *insn);
lane_fn *lanes_find_field(const struct insn *insn);
lane_fn *lanes_find_compare(const struct insn *insn);
lane_fn *lanes_find_select(const struct insn *insn);
lane_fn *lanes_find_f32(const struct insn *insn);
lane_fn *lanes_find_f64(const struct insn *insn);
lane_fn *lanes_find_half(const struct insn *insn);
lane_fn *lanes_find_compare_half(const struct insn *insn);
lane_fn *lanes_find_sign(const struct insn *insn);
lane_fn *lanes_find_math(const struct insn *insn);
lane_fn *lanes_find_convert(const struct insn *insn);
lane_fn *lanes_find_any_conversion(const struct insn *insn);
lane_fn *lanes_find_narrow(const struct insn *insn);
lane_fn *lanes_find_packed(const struct insn *insn);
lane_fn *lanes_find_video(const struct insn *insn);
lane_fn *lanes_find_move(const struct insn *insn);

/* The same for handlers of single lanes. */
#ifndef LANES_SINGLE
lane_fn *lanes_find_int_single(const struct insn *insn);
lane_fn *lanes_find_mul_single(const struct insn *insn);
lane_fn *lanes_find_carry_single(const struct insn *insn);
lane_fn *lanes_find_bits_single(const struct insn *insn);
lane_fn *lanes_find_field_single(const struct insn *insn);
lane_fn *lanes_find_compare_single(const struct insn *insn);
lane_fn *lanes_find_compare_half_single(const struct insn *insn);
lane_fn *lanes_find_select_single(const struct insn *insn);
lane_fn *lanes_find_f32_single(const struct insn *insn);
lane_fn *lanes_find_f64_single(const struct insn *insn);
lane_fn *lanes_find_half_single(const struct insn *insn);
lane_fn *lanes_find_sign_single(const struct insn *insn);
lane_fn *lanes_find_math_single(const struct insn *insn);
lane_fn *lanes_find_convert_single(const struct insn *insn);
lane_fn *lanes_find_move_single(const struct insn *insn);
lane_fn *lanes_find_packed_single(const struct insn *insn);
#endif

#endif
