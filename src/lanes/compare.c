/*
 * Comparisons: setp and set. The plain comparison, which writes one predicate plane, is the frequent handler. The other
 * forms (a second predicate, a third source, or 1.0 for true) run the plain comparison into a scratch plane and finish
 * from there.
 */
#include "lanes/lane_loop.h"

/* A comparison writes all ones where true. Sources of 16 bits are narrower than predicate lanes, so they are copied
 * first. */
#define COMPARE(name, type, expression)                    \
    SIMD_CLONES static void name(const struct lanes *x)    \
    {                                                      \
        uint32_t *d = x->dest[0];                          \
        const type *pa = x->source[0], *pb = x->source[1]; \
        EACH_LANE(i)                                       \
        {                                                  \
            const type a = pa[i], b = pb[i];               \
            d[i] = 0u - (uint32_t)(expression);            \
        }                                                  \
    }
#define COMPARE_NARROW(name, type, expression)          \
    SIMD_CLONES static void name(const struct lanes *x) \
    {                                                   \
        uint32_t *d = x->dest[0];                       \
        LANES_APART(type, pa, 0, d);                    \
        LANES_APART(type, pb, 1, d);                    \
        EACH_LANE(i)                                    \
        {                                               \
            const type a = pa[i], b = pb[i];            \
            d[i] = 0u - (uint32_t)(expression);         \
        }                                               \
    }
#define COMPARE_FTZ(name, type, expression)                        \
    SIMD_CLONES static void name(const struct lanes *x)            \
    {                                                              \
        uint32_t *d = x->dest[0];                                  \
        const type *pa = x->source[0], *pb = x->source[1];         \
        EACH_LANE(i)                                               \
        {                                                          \
            const type a = flush_f32(pa[i]), b = flush_f32(pb[i]); \
            d[i] = 0u - (uint32_t)(expression);                    \
        }                                                          \
    }

/* What follows the plain comparison: how its result `m` and the source `c` become the destinations. */
static void finish_both(const struct lanes *x, const uint32_t *m)
{
    uint32_t *d = x->dest[0], *e = x->dest[1];
    EACH_LANE(i)
    {
        d[i] = m[i];
        e[i] = ~m[i];
    }
}

static void finish_one(const struct lanes *x, const uint32_t *m)
{
    uint32_t *d = x->dest[0];
    EACH_LANE(i)
    {
        d[i] = m[i] & 0x3f800000u; /* 1.0 */
    }
}

static void finish_f16(const struct lanes *x, const uint32_t *m)
{
    uint16_t *d = x->dest[0];
    EACH_LANE(i)
    {
        d[i] = m[i] & 0x3c00u; /* 1.0 */
    }
}

static void finish_bf16(const struct lanes *x, const uint32_t *m)
{
    uint16_t *d = x->dest[0];
    EACH_LANE(i)
    {
        d[i] = m[i] & 0x3f80u; /* 1.0 */
    }
}

#define FINISH_BOOL_HALF(name, operator, suffix, one)                              \
    static void finish_##suffix##_##name(const struct lanes *x, const uint32_t *m) \
    {                                                                              \
        uint16_t *d = x->dest[0];                                                  \
        const uint32_t *c = x->source[2];                                          \
        EACH_LANE(i)                                                               \
        {                                                                          \
            d[i] = (uint16_t)((m[i] operator c[i]) & one);                         \
        }                                                                          \
    }
FINISH_BOOL_HALF(and, &, f16, 0x3c00u)
FINISH_BOOL_HALF(or, |, f16, 0x3c00u)
FINISH_BOOL_HALF(xor, ^, f16, 0x3c00u)
FINISH_BOOL_HALF(and, &, bf16, 0x3f80u)
FINISH_BOOL_HALF(or, |, bf16, 0x3f80u)
FINISH_BOOL_HALF(xor, ^, bf16, 0x3f80u)

#define FINISH_BOOL(name, operator)                                          \
    static void finish_both_##name(const struct lanes *x, const uint32_t *m) \
    {                                                                        \
        uint32_t *d = x->dest[0], *e = x->dest[1];                           \
        const uint32_t *pc = x->source[2];                                   \
        EACH_LANE(i)                                                         \
        {                                                                    \
            const uint32_t c = pc[i];                                        \
            d[i] = m[i] operator c;                                          \
            e[i] = ~m[i] operator c;                                         \
        }                                                                    \
    }                                                                        \
    static void finish_mask_##name(const struct lanes *x, const uint32_t *m) \
    {                                                                        \
        uint32_t *d = x->dest[0];                                            \
        const uint32_t *c = x->source[2];                                    \
        EACH_LANE(i)                                                         \
        {                                                                    \
            d[i] = m[i] operator c[i];                                       \
        }                                                                    \
    }                                                                        \
    static void finish_one_##name(const struct lanes *x, const uint32_t *m)  \
    {                                                                        \
        uint32_t *d = x->dest[0];                                            \
        const uint32_t *c = x->source[2];                                    \
        EACH_LANE(i)                                                         \
        {                                                                    \
            d[i] = (m[i] operator c[i]) & 0x3f800000u;                       \
        }                                                                    \
    }
FINISH_BOOL(and, &)
FINISH_BOOL(or, |)
FINISH_BOOL(xor, ^)

/* The forms of a comparison; each has its handler. */
enum compare_form {
    FORM_MASK,
    FORM_BOTH,
    FORM_ONE,
    FORM_BOTH_AND,
    FORM_BOTH_OR,
    FORM_BOTH_XOR,
    FORM_MASK_AND,
    FORM_MASK_OR,
    FORM_MASK_XOR,
    FORM_ONE_AND,
    FORM_ONE_OR,
    FORM_ONE_XOR,
    FORM_F16,
    FORM_F16_AND,
    FORM_F16_OR,
    FORM_F16_XOR,
    FORM_BF16,
    FORM_BF16_AND,
    FORM_BF16_OR,
    FORM_BF16_XOR,
    FORM_COUNT
};

/* Not inlined: there are many forms, and a call costs little beside the loops. */
static __attribute__((noinline)) void run_finished(const struct lanes *x, lane_fn *compare,
                                                   void (*finish)(const struct lanes *, const uint32_t *))
{
    uint32_t mask[ROW_LANES];
    compare(&(struct lanes){{mask}, {x->source[0], x->source[1]}});
    finish(x, mask);
}

#define FINISHED(compare, finish)                         \
    static void compare##_##finish(const struct lanes *x) \
    {                                                     \
        run_finished(x, compare, finish_##finish);        \
    }
#define FORMS(shape, compare, type, expression)                                                                        \
    shape(compare, type, expression) FINISHED(compare, both) FINISHED(compare, one) FINISHED(compare, both_and)        \
        FINISHED(compare, both_or) FINISHED(compare, both_xor) FINISHED(compare, mask_and) FINISHED(compare, mask_or)  \
            FINISHED(compare, mask_xor) FINISHED(compare, one_and) FINISHED(compare, one_or)                           \
                FINISHED(compare, one_xor) FINISHED(compare, f16) FINISHED(compare, f16_and) FINISHED(compare, f16_or) \
                    FINISHED(compare, f16_xor) FINISHED(compare, bf16) FINISHED(compare, bf16_and)                     \
                        FINISHED(compare, bf16_or) FINISHED(compare, bf16_xor)
#define FORM_LIST(compare)                                                                                            \
    {                                                                                                                 \
        compare, compare##_both, compare##_one, compare##_both_and, compare##_both_or, compare##_both_xor,            \
            compare##_mask_and, compare##_mask_or, compare##_mask_xor, compare##_one_and, compare##_one_or,           \
            compare##_one_xor, compare##_f16, compare##_f16_and, compare##_f16_or, compare##_f16_xor, compare##_bf16, \
            compare##_bf16_and, compare##_bf16_or, compare##_bf16_xor                                                 \
    }

/* Integers have six relations; lo, ls, hi, hs are lt, le, gt, ge of unsigned numbers. */
#define INTEGER_RELATIONS(shape, suffix, type) \
    FORMS(shape, eq_##suffix, type, a == b)    \
    FORMS(shape, ne_##suffix, type, a != b)    \
    FORMS(shape, lt_##suffix, type, a < b)     \
    FORMS(shape, le_##suffix, type, a <= b)    \
    FORMS(shape, gt_##suffix, type, a > b)     \
    FORMS(shape, ge_##suffix, type, a >= b)
INTEGER_RELATIONS(COMPARE_NARROW, u16, uint16_t)
INTEGER_RELATIONS(COMPARE_NARROW, s16, int16_t)
INTEGER_RELATIONS(COMPARE, u32, uint32_t)
INTEGER_RELATIONS(COMPARE, s32, int32_t)
INTEGER_RELATIONS(COMPARE, u64, uint64_t)
INTEGER_RELATIONS(COMPARE, s64, int64_t)

/* Floating point: if either source is NaN, the plain relations are false and those with u (ltu, ...) true. */
#define FLOAT_RELATIONS(shape, suffix, type)               \
    FORMS(shape, eq_##suffix, type, a == b)                \
    FORMS(shape, ne_##suffix, type, (a < b) | (a > b))     \
    FORMS(shape, lt_##suffix, type, a < b)                 \
    FORMS(shape, le_##suffix, type, a <= b)                \
    FORMS(shape, gt_##suffix, type, a > b)                 \
    FORMS(shape, ge_##suffix, type, a >= b)                \
    FORMS(shape, equ_##suffix, type, !((a < b) | (a > b))) \
    FORMS(shape, neu_##suffix, type, a != b)               \
    FORMS(shape, ltu_##suffix, type, !(a >= b))            \
    FORMS(shape, leu_##suffix, type, !(a > b))             \
    FORMS(shape, gtu_##suffix, type, !(a <= b))            \
    FORMS(shape, geu_##suffix, type, !(a < b))             \
    FORMS(shape, num_##suffix, type, (a == a) & (b == b))  \
    FORMS(shape, nan_##suffix, type, (a != a) | (b != b))
FLOAT_RELATIONS(COMPARE, f32, float)
FLOAT_RELATIONS(COMPARE_FTZ, f32_ftz, float)
FLOAT_RELATIONS(COMPARE, f64, double)

enum { FIRST_CMP = CMP_EQ, CMP_FORMS = CMP_NAN - CMP_EQ + 1 };
typedef lane_fn *relation_table[CMP_FORMS][FORM_COUNT];

#define BY_RELATION(suffix)                                                                                 \
    [CMP_EQ - FIRST_CMP] = FORM_LIST(eq_##suffix), [CMP_NE - FIRST_CMP] = FORM_LIST(ne_##suffix),           \
              [CMP_LT - FIRST_CMP] = FORM_LIST(lt_##suffix), [CMP_LE - FIRST_CMP] = FORM_LIST(le_##suffix), \
              [CMP_GT - FIRST_CMP] = FORM_LIST(gt_##suffix), [CMP_GE - FIRST_CMP] = FORM_LIST(ge_##suffix)
#define BY_UNSIGNED_RELATION(suffix)                                                              \
    [CMP_LO - FIRST_CMP] = FORM_LIST(lt_##suffix), [CMP_LS - FIRST_CMP] = FORM_LIST(le_##suffix), \
              [CMP_HI - FIRST_CMP] = FORM_LIST(gt_##suffix), [CMP_HS - FIRST_CMP] = FORM_LIST(ge_##suffix)
#define BY_UNORDERED_RELATION(suffix)                                                                            \
    [CMP_EQU - FIRST_CMP] = FORM_LIST(equ_##suffix), [CMP_NEU - FIRST_CMP] = FORM_LIST(neu_##suffix),            \
               [CMP_LTU - FIRST_CMP] = FORM_LIST(ltu_##suffix), [CMP_LEU - FIRST_CMP] = FORM_LIST(leu_##suffix), \
               [CMP_GTU - FIRST_CMP] = FORM_LIST(gtu_##suffix), [CMP_GEU - FIRST_CMP] = FORM_LIST(geu_##suffix), \
               [CMP_NUM - FIRST_CMP] = FORM_LIST(num_##suffix), [CMP_NAN - FIRST_CMP] = FORM_LIST(nan_##suffix)

static const relation_table table_u16 = {BY_RELATION(u16), BY_UNSIGNED_RELATION(u16)};
static const relation_table table_u32 = {BY_RELATION(u32), BY_UNSIGNED_RELATION(u32)};
static const relation_table table_u64 = {BY_RELATION(u64), BY_UNSIGNED_RELATION(u64)};
static const relation_table table_s16 = {BY_RELATION(s16), BY_UNSIGNED_RELATION(u16)};
static const relation_table table_s32 = {BY_RELATION(s32), BY_UNSIGNED_RELATION(u32)};
static const relation_table table_s64 = {BY_RELATION(s64), BY_UNSIGNED_RELATION(u64)};
static const relation_table table_f32 = {BY_RELATION(f32), BY_UNORDERED_RELATION(f32)};
static const relation_table table_f32_ftz = {BY_RELATION(f32_ftz), BY_UNORDERED_RELATION(f32_ftz)};
static const relation_table table_f64 = {BY_RELATION(f64), BY_UNORDERED_RELATION(f64)};

static const relation_table *const table_types[TYPE_COUNT] = {
    [TYPE_B16] = &table_u16, [TYPE_U16] = &table_u16, [TYPE_S16] = &table_s16, [TYPE_B32] = &table_u32,
    [TYPE_U32] = &table_u32, [TYPE_S32] = &table_s32, [TYPE_F32] = &table_f32, [TYPE_B64] = &table_u64,
    [TYPE_U64] = &table_u64, [TYPE_S64] = &table_s64, [TYPE_F64] = &table_f64};

static lane_fn *find_form(const struct insn *insn, unsigned type, enum compare_form form)
{
    const struct suffixes *s = &insn->suffixes;
    const relation_table *table = table_types[type];
    if (type == TYPE_F32 && suffixes_has(s, FLAG_FTZ))
        table = &table_f32_ftz;
    unsigned cmp = s->mod[GROUP_CMP];
    return table && cmp >= FIRST_CMP ? (*table)[cmp - FIRST_CMP][form] : NULL;
}

/* The form of `set` whose result is of the type: 1.0 for floating point, else all ones. */
static enum compare_form result_form(unsigned type)
{
    return type == TYPE_F32 ? FORM_ONE : type == TYPE_F16 ? FORM_F16 : type == TYPE_BF16 ? FORM_BF16 : FORM_MASK;
}

static enum compare_form result_form_and(unsigned type)
{
    return type == TYPE_F32    ? FORM_ONE_AND
           : type == TYPE_F16  ? FORM_F16_AND
           : type == TYPE_BF16 ? FORM_BF16_AND
                               : FORM_MASK_AND;
}

static enum compare_form with_bool(const struct insn *insn, enum compare_form and_form)
{
    return (enum compare_form)(and_form + (insn->suffixes.mod[GROUP_BOOL] - BOOL_AND));
}

lane_fn *lanes_find_compare(const struct insn *insn)
{
    unsigned t = insn->suffixes.type[0], u = insn->suffixes.type[1];
    bool second = insn->dest_count > 1 && insn->dest[1].kind == REF_PLANE;
    switch (insn->op) {
    case OP_SETP:
    case OP_SETP_F:
        return find_form(insn, t, second ? FORM_BOTH : FORM_MASK);
    case OP_SETP_BOOL:
    case OP_SETP_F_BOOL:
        return find_form(insn, t, with_bool(insn, second ? FORM_BOTH_AND : FORM_MASK_AND));
    case OP_SET:
        return find_form(insn, u, result_form(t));
    case OP_SET_BOOL:
        return find_form(insn, u, with_bool(insn, result_form_and(t)));
    default:
        return NULL;
    }
}
