/* Double-precision arithmetic: add, sub, mul, fma, division and square root, in four roundings. */
#include "lanes/lane_loop.h"

#include <math.h>

static void settle_row(double *result, const double *first, const double *second, const double *third)
{
    for (int i = 0; i < ROW_LANES; i++)
        result[i] = settle_nan_f64(result[i], first[i], second[i], third[i]);
}

/* Results are buffered until it is known whether one is NaN: only then are the sources needed again, in order of
 * `precedence` (settle_nan_f64). */
#define BY_UNIT    pb, pc, pa
#define BY_ROUTINE pa, pb, pb
#define F64_LOOP(attributes, loop, name, sources, precedence, expression)                                            \
    attributes static void name(const struct lanes *x)                                                               \
    {                                                                                                                \
        double result[ROW_LANES];                                                                                    \
        const double *pa = x->source[0], *pb = x->source[sources > 1 ? 1 : 0], *pc = x->source[sources > 2 ? 2 : 0]; \
        uint64_t nans = 0;                                                                                           \
        loop(i)                                                                                                      \
        {                                                                                                            \
            const double a = pa[i], b __attribute__((unused)) = pb[i], c __attribute__((unused)) = pc[i];            \
            const double r = (expression);                                                                           \
            result[i] = r;                                                                                           \
            nans |= (uint64_t)(r != r);                                                                              \
        }                                                                                                            \
        if (nans)                                                                                                    \
            settle_row(result, precedence);                                                                          \
        memcpy(x->dest[0], result, sizeof result);                                                                   \
    }                                                                                                                \
    static void name##_rz(const struct lanes *x)                                                                     \
    {                                                                                                                \
        lanes_run_rounded(RND_RZ, name, x);                                                                          \
    }                                                                                                                \
    static void name##_rm(const struct lanes *x)                                                                     \
    {                                                                                                                \
        lanes_run_rounded(RND_RM, name, x);                                                                          \
    }                                                                                                                \
    static void name##_rp(const struct lanes *x)                                                                     \
    {                                                                                                                \
        lanes_run_rounded(RND_RP, name, x);                                                                          \
    }

F64_LOOP(SIMD_CLONES, EACH_LANE, add, 2, BY_UNIT, a + b)
F64_LOOP(SIMD_CLONES, EACH_LANE, sub, 2, BY_UNIT, a - b)
F64_LOOP(SIMD_CLONES, EACH_LANE, mul, 2, BY_UNIT, a *b)
F64_LOOP(SIMD_CLONES, EACH_LANE, div, 2, BY_ROUTINE, a / b)
F64_LOOP(SIMD_CLONES, EACH_LANE, rcp, 1, BY_ROUTINE, 1.0 / a)
F64_LOOP(, EACH_LANE_SERIAL, root, 1, BY_ROUTINE, sqrt(a))

/* x86-64 has fused multiply-add only from Haswell on; on older hosts the C library computes it. */
#if defined(__x86_64__)
F64_LOOP(, EACH_LANE_SERIAL, fma_library, 3, BY_UNIT, fma(a, b, c))
F64_LOOP(__attribute__((target("avx2,fma"))), EACH_LANE, fma_host, 3, BY_UNIT, __builtin_fma(a, b, c))
#else
F64_LOOP(, EACH_LANE, fma_host, 3, BY_UNIT, __builtin_fma(a, b, c))
#endif

/* Handlers by rounding: nearest, zero, down, up. */
typedef lane_fn *rounding_table[4];
#define BY_ROUNDING(name)                     \
    {                                         \
        name, name##_rz, name##_rm, name##_rp \
    }
static const rounding_table table_add = BY_ROUNDING(add);
static const rounding_table table_sub = BY_ROUNDING(sub);
static const rounding_table table_mul = BY_ROUNDING(mul);
static const rounding_table table_fma = BY_ROUNDING(fma_host);
static const rounding_table table_div = BY_ROUNDING(div);
static const rounding_table table_rcp = BY_ROUNDING(rcp);
static const rounding_table table_root = BY_ROUNDING(root);
#if defined(__x86_64__)
static const rounding_table table_fma_library = BY_ROUNDING(fma_library);
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
    case OP_ADD_F64:
        return &table_add;
    case OP_SUB_F64:
        return &table_sub;
    case OP_MUL_F64:
        return &table_mul;
    case OP_FMA_F64:
    case OP_MAD_F64:
        return find_fma();
    case OP_DIV_F64:
        return &table_div;
    case OP_RCP_F64:
        return &table_rcp;
    case OP_SQRT_F64:
        return &table_root;
    default:
        return NULL;
    }
}

lane_fn *lanes_find_f64(const struct insn *insn)
{
    const rounding_table *table = find_table(insn->op);
    unsigned rounding = insn->suffixes.mod[GROUP_RND] ? insn->suffixes.mod[GROUP_RND] - RND_RN : 0;
    return table && rounding < 4 ? (*table)[rounding] : NULL;
}
