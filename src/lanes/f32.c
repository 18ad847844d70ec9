/*
 * Single-precision arithmetic: add, sub, mul, fma, and IEEE division and square root, in four roundings.
 *
 * Every NaN result is NAN_F32, as on hardware. Under .ftz, subnormal inputs and results become zeros of the same sign.
 * Hardware then rounds to 24 bits as if the exponent had no lower bound, and flushes results below 2^-126. The host
 * rounds a subnormal to fewer bits, which may carry it up to 2^-126. So a result of exactly that magnitude is computed
 * once more, scaled up into the range where the host has 24 bits.
 *
 * Two relatives run these handlers: f32x2, whose plane is 64 numbers side by side, and mixed precision, whose f16 or
 * bf16 operands are converted first.
 */
#include "lanes/half_value.h"

#include <math.h>

/* One handler per combination of .ftz and .sat. `finish` replaces NaN, or saturates. */
#define SETTLE(r) settle_nan_f32(r)
#define F32_LOOP(attributes, loop, name, finish, sources, expression)                                               \
    attributes static void name(const struct lanes *x)                                                              \
    {                                                                                                               \
        float *d = x->dest[0];                                                                                      \
        const float *pa = x->source[0], *pb = x->source[sources > 1 ? 1 : 0], *pc = x->source[sources > 2 ? 2 : 0]; \
        loop(i)                                                                                                     \
        {                                                                                                           \
            const float a = pa[i], b __attribute__((unused)) = pb[i], c __attribute__((unused)) = pc[i];            \
            d[i] = finish(expression);                                                                              \
        }                                                                                                           \
    }

/* The highest bit of the result is set if the number is subnormal or the least normal number: twice its bit pattern,
 * less one, is then below 2^24. A comparison would keep some compilers from vectorising. */
static inline uint32_t mark_tiny(float x)
{
    return ((2 * bits_of_f32(x) - 1) >> 24) - 1;
}

static inline float flush_result(float r, float scaled)
{
    bool rounded_up = fabsf(r) == 0x1p-126f && fabsf(scaled) < 0x1p-62f;
    return rounded_up ? copysignf(0.0f, r) : flush_f32(r);
}

/* .ftz: most rows have no tiny numbers and need no flushing, so that is checked first. `scaled` is the expression times
 * 2^64; where the scaled expression overflows, the result is far above 2^-126. */
#define F32_LOOP_FTZ(attributes, loop, name, finish, sources, expression, scaled)                                   \
    attributes static void name(const struct lanes *x)                                                              \
    {                                                                                                               \
        float result[ROW_LANES];                                                                                    \
        const float *pa = x->source[0], *pb = x->source[sources > 1 ? 1 : 0], *pc = x->source[sources > 2 ? 2 : 0]; \
        uint32_t tiny = 0;                                                                                          \
        loop(i)                                                                                                     \
        {                                                                                                           \
            const float a = pa[i], b __attribute__((unused)) = pb[i], c __attribute__((unused)) = pc[i];            \
            const float r = (expression);                                                                           \
            result[i] = finish(r);                                                                                  \
            tiny |= mark_tiny(r) | mark_tiny(a);                                                                    \
            tiny |= sources > 1 ? mark_tiny(b) : 0;                                                                 \
            tiny |= sources > 2 ? mark_tiny(c) : 0;                                                                 \
        }                                                                                                           \
        for (int i = 0; tiny >> 31 && i < ROW_LANES; i++) {                                                         \
            const float a = flush_f32(pa[i]), b __attribute__((unused)) = flush_f32(pb[i]);                         \
            const float c __attribute__((unused)) = flush_f32(pc[i]);                                               \
            result[i] = finish(flush_result(expression, scaled));                                                   \
        }                                                                                                           \
        memcpy(x->dest[0], result, sizeof result);                                                                  \
    }

/* Directed roundings run the round-to-nearest handler in another of the host's rounding modes. */
#define ROUNDED(name)                            \
    static void name##_rz(const struct lanes *x) \
    {                                            \
        lanes_run_rounded(RND_RZ, name, x);      \
    }                                            \
    static void name##_rm(const struct lanes *x) \
    {                                            \
        lanes_run_rounded(RND_RM, name, x);      \
    }                                            \
    static void name##_rp(const struct lanes *x) \
    {                                            \
        lanes_run_rounded(RND_RP, name, x);      \
    }
#define F32_PLAIN(suffix, finish, attributes, loop, name, sources, expression, scaled)      \
    F32_LOOP(attributes, loop, name##suffix, finish, sources, expression)                   \
    F32_LOOP_FTZ(attributes, loop, name##_ftz##suffix, finish, sources, expression, scaled) \
    ROUNDED(name##suffix)                                                                   \
    ROUNDED(name##_ftz##suffix)
#define F32(...)     F32_PLAIN(, SETTLE, __VA_ARGS__)
#define F32_SAT(...) F32(__VA_ARGS__) F32_PLAIN(_sat, saturate_f32, __VA_ARGS__)

F32_SAT(SIMD_CLONES, EACH_LANE, add, 2, a + b, 0x1p64f * a + 0x1p64f * b)
F32_SAT(SIMD_CLONES, EACH_LANE, sub, 2, a - b, 0x1p64f * a - 0x1p64f * b)
F32_SAT(SIMD_CLONES, EACH_LANE, mul, 2, a *b, 0x1p64f * a * b)
F32(, EACH_LANE, div, 2, a / b, 0x1p64f * a / b)
F32(, EACH_LANE, rcp, 1, 1.0f / a, 0x1p64f / a)
F32(, EACH_LANE_SERIAL, root, 1, sqrtf(a), 0x1p64f * sqrtf(a))

/* x86-64 has fused multiply-add only from Haswell on; on older hosts the C library computes it. */
#if defined(__x86_64__)
F32_SAT(, EACH_LANE_SERIAL, fma_library, 3, fmaf(a, b, c), fmaf(0x1p64f * a, b, 0x1p64f * c))
F32_SAT(__attribute__((target("avx2,fma"))), EACH_LANE, fma_host, 3, __builtin_fmaf(a, b, c),
        __builtin_fmaf(0x1p64f * a, b, 0x1p64f * c))
#else
F32_SAT(, EACH_LANE, fma_host, 3, __builtin_fmaf(a, b, c), __builtin_fmaf(0x1p64f * a, b, 0x1p64f * c))
#endif

/* f32x2: the handler runs on the first 32 numbers of the plane and on the last. */
static __attribute__((noinline)) void run_twice(const struct lanes *x, lane_fn *core)
{
    core(x);
    struct lanes rest = *x;
    rest.dest[0] = (float *)x->dest[0] + ROW_LANES;
    for (int i = 0; i < 3; i++)
        rest.source[i] = (const float *)x->source[i] + ROW_LANES;
    core(&rest);
}

/* Mixed precision: the first operands, `count` in number, are half as wide. */
#define MIXED(name, convert)                                                                    \
    static __attribute__((noinline)) void name(const struct lanes *x, lane_fn *core, int count) \
    {                                                                                           \
        float wide[2][ROW_LANES];                                                               \
        struct lanes y = *x;                                                                    \
        for (int k = 0; k < count; k++) {                                                       \
            const uint16_t *narrow = x->source[k];                                              \
            EACH_LANE(i)                                                                        \
            {                                                                                   \
                wide[k][i] = convert(narrow[i]);                                                \
            }                                                                                   \
            y.source[k] = wide[k];                                                              \
        }                                                                                       \
        core(&y);                                                                               \
    }
MIXED(run_f16, f16_to_f32)
MIXED(run_bf16, bf16_to_f32)

#define RELATIVE(name, runner, ...)                    \
    static void name##_##runner(const struct lanes *x) \
    {                                                  \
        runner(x, __VA_ARGS__);                        \
    }
#define FOR_ROUNDINGS(name, runner, ...)               \
    RELATIVE(name, runner, name __VA_ARGS__)           \
    RELATIVE(name##_rz, runner, name##_rz __VA_ARGS__) \
    RELATIVE(name##_rm, runner, name##_rm __VA_ARGS__) \
    RELATIVE(name##_rp, runner, name##_rp __VA_ARGS__)
#define COMMA ,
#define RELATIVES(name, count)                       \
    FOR_ROUNDINGS(name, run_f16, COMMA count)        \
    FOR_ROUNDINGS(name##_sat, run_f16, COMMA count)  \
    FOR_ROUNDINGS(name, run_bf16, COMMA count)       \
    FOR_ROUNDINGS(name##_sat, run_bf16, COMMA count) \
    FOR_ROUNDINGS(name, run_twice, )                 \
    FOR_ROUNDINGS(name##_ftz, run_twice, )
RELATIVES(add, 1)
RELATIVES(sub, 1)
RELATIVES(fma_host, 2)
FOR_ROUNDINGS(mul, run_twice, )
FOR_ROUNDINGS(mul_ftz, run_twice, )
#if defined(__x86_64__)
RELATIVES(fma_library, 2)
#endif

/* Handlers by rounding (nearest, zero, down, up), .ftz and .sat. */
typedef lane_fn *rounding_table[4][2][2];
#define BY_ROUNDING(name)                                                     \
    {                                                                         \
        {{name, name##_sat}, {name##_ftz, name##_ftz_sat}},                   \
            {{name##_rz, name##_sat_rz}, {name##_ftz_rz, name##_ftz_sat_rz}}, \
            {{name##_rm, name##_sat_rm}, {name##_ftz_rm, name##_ftz_sat_rm}}, \
            {{name##_rp, name##_sat_rp}, {name##_ftz_rp, name##_ftz_sat_rp}}, \
    }
#define BY_ROUNDING_UNCLAMPED(name)                                                             \
    {                                                                                           \
        {{name}, {name##_ftz}}, {{name##_rz}, {name##_ftz_rz}}, {{name##_rm}, {name##_ftz_rm}}, \
            {{name##_rp}, {name##_ftz_rp}},                                                     \
    }
static const rounding_table table_add = BY_ROUNDING(add);
static const rounding_table table_sub = BY_ROUNDING(sub);
static const rounding_table table_mul = BY_ROUNDING(mul);
static const rounding_table table_fma = BY_ROUNDING(fma_host);
static const rounding_table table_div = BY_ROUNDING_UNCLAMPED(div);
static const rounding_table table_rcp = BY_ROUNDING_UNCLAMPED(rcp);
static const rounding_table table_root = BY_ROUNDING_UNCLAMPED(root);
#if defined(__x86_64__)
static const rounding_table table_fma_library = BY_ROUNDING(fma_library);
#endif

/* The relatives by rounding; f32x2 by .ftz, mixed precision by bf16 and .sat. */
#define BY_ROUNDING_TWICE(name)                                                                             \
    {                                                                                                       \
        {name##_run_twice, name##_ftz_run_twice}, {name##_rz_run_twice, name##_ftz_rz_run_twice},           \
            {name##_rm_run_twice, name##_ftz_rm_run_twice}, {name##_rp_run_twice, name##_ftz_rp_run_twice}, \
    }
#define BY_SAT(name, rounding, runner)                             \
    {                                                              \
        name##rounding##_##runner, name##_sat##rounding##_##runner \
    }
#define BY_TYPE(name, rounding)                                           \
    {                                                                     \
        BY_SAT(name, rounding, run_f16), BY_SAT(name, rounding, run_bf16) \
    }
#define BY_ROUNDING_MIXED(name)                                                     \
    {                                                                               \
        BY_TYPE(name, ), BY_TYPE(name, _rz), BY_TYPE(name, _rm), BY_TYPE(name, _rp) \
    }
typedef lane_fn *twice_table[4][2];
typedef lane_fn *mixed_table[4][2][2];
static const twice_table twice_add = BY_ROUNDING_TWICE(add), twice_sub = BY_ROUNDING_TWICE(sub);
static const twice_table twice_mul = BY_ROUNDING_TWICE(mul), twice_fma = BY_ROUNDING_TWICE(fma_host);
static const mixed_table mixed_add = BY_ROUNDING_MIXED(add), mixed_sub = BY_ROUNDING_MIXED(sub);
static const mixed_table mixed_fma = BY_ROUNDING_MIXED(fma_host);
#if defined(__x86_64__)
static const twice_table twice_fma_library = BY_ROUNDING_TWICE(fma_library);
static const mixed_table mixed_fma_library = BY_ROUNDING_MIXED(fma_library);
#endif

static const rounding_table *find_fma(void)
{
#if defined(__x86_64__)
    if (!host_has_fma())
        return &table_fma_library;
#endif
    return &table_fma;
}

static const rounding_table *find_table(unsigned op)
{
    switch (op) {
    case OP_ADD_F32:
        return &table_add;
    case OP_SUB_F32:
        return &table_sub;
    case OP_MUL_F32:
        return &table_mul;
    case OP_FMA_F32:
    case OP_MAD_F32:
        return find_fma();
    case OP_DIV_F32:
        return &table_div;
    case OP_RCP_F32:
        return &table_rcp;
    case OP_SQRT_F32:
        return &table_root;
    default:
        return NULL;
    }
}

static const twice_table *find_twice(unsigned op)
{
    switch (op) {
    case OP_ADD_F32X2:
        return &twice_add;
    case OP_SUB_F32X2:
        return &twice_sub;
    case OP_MUL_F32X2:
        return &twice_mul;
    case OP_FMA_F32X2:
#if defined(__x86_64__)
        if (!host_has_fma())
            return &twice_fma_library;
#endif
        return &twice_fma;
    default:
        return NULL;
    }
}

static const mixed_table *find_mixed(unsigned op)
{
    switch (op) {
    case OP_ADD_MIXED:
        return &mixed_add;
    case OP_SUB_MIXED:
        return &mixed_sub;
    case OP_FMA_MIXED:
#if defined(__x86_64__)
        if (!host_has_fma())
            return &mixed_fma_library;
#endif
        return &mixed_fma;
    default:
        return NULL;
    }
}

lane_fn *lanes_find_f32(const struct insn *insn)
{
    const struct suffixes *s = &insn->suffixes;
    const rounding_table *table = find_table(insn->op);
    unsigned rounding = s->mod[GROUP_RND] ? s->mod[GROUP_RND] - RND_RN : 0;
    if (rounding >= 4)
        return NULL;
    const twice_table *twice = find_twice(insn->op);
    if (twice)
        return (*twice)[rounding][suffixes_has(s, FLAG_FTZ)];
    const mixed_table *mixed = find_mixed(insn->op);
    if (mixed)
        return (*mixed)[rounding][s->type[1] == TYPE_BF16][suffixes_has(s, FLAG_SAT)];
    return table ? (*table)[rounding][suffixes_has(s, FLAG_FTZ)][suffixes_has(s, FLAG_SAT)] : NULL;
}
