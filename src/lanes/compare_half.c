/*
 * Comparisons of half precision: setp and set on f16 and bf16, alone and packed. As in compare.c, each relation is one
 * loop that makes a mask, and each form of the instruction finishes from there. A packed form runs the loop for the
 * lower and for the upper halves.
 */
#include "lanes/half_value.h"

#define RELATION(name, enter, expression)                   \
    SIMD_CLONES static void name(const struct lanes *x)     \
    {                                                       \
        uint32_t *d = x->dest[0];                           \
        LANES_NARROW(uint16_t, pa, 0);                      \
        LANES_NARROW(uint16_t, pb, 1);                      \
        EACH_LANE(i)                                        \
        {                                                   \
            const float a = enter(pa[i]), b = enter(pb[i]); \
            d[i] = 0u - (uint32_t)(expression);             \
        }                                                   \
    }

/* What the mask, or the masks of the lower and the upper halves, become: a mask of 32 bits or predicates, a mask of 16
 * bits, or 1.0. `m` and `n` are the masks, combined with the predicate c if there is one. */
#define FINISH_SCALAR(name, type, with, value)                                                  \
    static void finish_##name(const struct lanes *x, const uint32_t *low, const uint32_t *high) \
    {                                                                                           \
        type *d = x->dest[0];                                                                   \
        const uint32_t *c = x->source[2];                                                       \
        (void)c, (void)high;                                                                    \
        EACH_LANE(i)                                                                            \
        {                                                                                       \
            const uint32_t m = low[i] with;                                                     \
            d[i] = (type)(value);                                                               \
        }                                                                                       \
    }
#define FINISH_BOTH(name, with)                                                                 \
    static void finish_##name(const struct lanes *x, const uint32_t *low, const uint32_t *high) \
    {                                                                                           \
        uint32_t *d = x->dest[0], *e = x->dest[1];                                              \
        const uint32_t *c = x->source[2];                                                       \
        (void)c;                                                                                \
        EACH_LANE(i)                                                                            \
        {                                                                                       \
            const uint32_t m = low[i] with, n = high[i] with;                                   \
            d[i] = m;                                                                           \
            e[i] = n;                                                                           \
        }                                                                                       \
    }
#define FINISH_PACKED(name, with, value)                                                        \
    static void finish_##name(const struct lanes *x, const uint32_t *low, const uint32_t *high) \
    {                                                                                           \
        uint32_t *d = x->dest[0];                                                               \
        const uint32_t *c = x->source[2];                                                       \
        (void)c;                                                                                \
        EACH_LANE(i)                                                                            \
        {                                                                                       \
            const uint32_t m = low[i] with, n = high[i] with;                                   \
            d[i] = (m & value) | (n & value) << 16;                                             \
        }                                                                                       \
    }
#define FINISHES(bool, with)                               \
    FINISH_SCALAR(mask##bool, uint32_t, with, m)           \
    FINISH_SCALAR(short##bool, uint16_t, with, m)          \
    FINISH_SCALAR(f16##bool, uint16_t, with, m &F16_ONE)   \
    FINISH_SCALAR(bf16##bool, uint16_t, with, m &BF16_ONE) \
    FINISH_BOTH(both##bool, with)                          \
    FINISH_PACKED(masks##bool, with, 0xffffu)              \
    FINISH_PACKED(f16x2##bool, with, F16_ONE)              \
    FINISH_PACKED(bf16x2##bool, with, BF16_ONE)
FINISHES(, )
FINISHES(_and, &c[i])
FINISHES(_or, | c[i])
FINISHES(_xor, ^c[i])

typedef void finish_fn(const struct lanes *x, const uint32_t *low, const uint32_t *high);

static __attribute__((noinline)) void run_single(const struct lanes *x, lane_fn *relation, finish_fn *finish)
{
    uint32_t mask[ROW_LANES];
    relation(&(struct lanes){{mask}, {x->source[0], x->source[1]}});
    finish(x, mask, mask);
}

static __attribute__((noinline)) void run_packed(const struct lanes *x, lane_fn *relation, finish_fn *finish)
{
    uint16_t part[2][2][ROW_LANES]; /* [half][source] */
    uint32_t mask[2][ROW_LANES];
    for (int k = 0; k < 2; k++) {
        const uint32_t *source = x->source[k];
        EACH_LANE(i)
        {
            part[0][k][i] = (uint16_t)source[i];
            part[1][k][i] = (uint16_t)(source[i] >> 16);
        }
    }
    for (int h = 0; h < 2; h++)
        relation(&(struct lanes){{mask[h]}, {part[h][0], part[h][1]}});
    finish(x, mask[0], mask[1]);
}

/* The forms, four each: without a predicate, and combined with one by and, or, xor. */
enum form { FORM_MASK, FORM_SHORT, FORM_F16, FORM_BF16, FORM_BOTH, FORM_MASKS, FORM_F16X2, FORM_BF16X2, FORM_COUNT };

#define FORM_OF(relation, runner, finish)                  \
    static void relation##_##finish(const struct lanes *x) \
    {                                                      \
        runner(x, relation, finish_##finish);              \
    }
#define FORMS_OF(relation, runner, finish)  \
    FORM_OF(relation, runner, finish)       \
    FORM_OF(relation, runner, finish##_and) \
    FORM_OF(relation, runner, finish##_or) FORM_OF(relation, runner, finish##_xor)
#define FORMS(relation, enter, expression) \
    RELATION(relation, enter, expression)  \
    FORMS_OF(relation, run_single, mask)   \
    FORMS_OF(relation, run_single, short)  \
    FORMS_OF(relation, run_single, f16)    \
    FORMS_OF(relation, run_single, bf16)   \
    FORMS_OF(relation, run_packed, both)   \
    FORMS_OF(relation, run_packed, masks)  \
    FORMS_OF(relation, run_packed, f16x2)  \
    FORMS_OF(relation, run_packed, bf16x2)
#define FOUR(relation, finish)                                                                              \
    {                                                                                                       \
        relation##_##finish, relation##_##finish##_and, relation##_##finish##_or, relation##_##finish##_xor \
    }
#define FORM_LIST(relation)                                                                                           \
    {                                                                                                                 \
        FOUR(relation, mask), FOUR(relation, short), FOUR(relation, f16), FOUR(relation, bf16), FOUR(relation, both), \
            FOUR(relation, masks), FOUR(relation, f16x2), FOUR(relation, bf16x2)                                      \
    }

/* If either source is NaN, the plain relations are false and those with u (ltu, ...) true. */
#define RELATIONS(suffix, enter)                     \
    FORMS(eq_##suffix, enter, a == b)                \
    FORMS(ne_##suffix, enter, (a < b) | (a > b))     \
    FORMS(lt_##suffix, enter, a < b)                 \
    FORMS(le_##suffix, enter, a <= b)                \
    FORMS(gt_##suffix, enter, a > b)                 \
    FORMS(ge_##suffix, enter, a >= b)                \
    FORMS(equ_##suffix, enter, !((a < b) | (a > b))) \
    FORMS(neu_##suffix, enter, a != b)               \
    FORMS(ltu_##suffix, enter, !(a >= b))            \
    FORMS(leu_##suffix, enter, !(a > b))             \
    FORMS(gtu_##suffix, enter, !(a <= b))            \
    FORMS(geu_##suffix, enter, !(a < b))             \
    FORMS(num_##suffix, enter, (a == a) & (b == b))  \
    FORMS(nan_##suffix, enter, (a != a) | (b != b))
#define ENTER_F16_FTZ(a) f16_to_f32(f16_flush(a))
RELATIONS(h, f16_to_f32)
RELATIONS(h_ftz, ENTER_F16_FTZ)
RELATIONS(b, bf16_to_f32)

enum { FIRST_CMP = CMP_EQ, CMP_FORMS = CMP_NAN - CMP_EQ + 1 };
typedef lane_fn *relation_table[CMP_FORMS][FORM_COUNT][4];

#define AT(cmp, relation) [CMP_##cmp - FIRST_CMP] = FORM_LIST(relation)
#define BY_RELATION(suffix)                                                                                      \
    {                                                                                                            \
        AT(EQ, eq_##suffix), AT(NE, ne_##suffix), AT(LT, lt_##suffix), AT(LE, le_##suffix), AT(GT, gt_##suffix), \
            AT(GE, ge_##suffix), AT(EQU, equ_##suffix), AT(NEU, neu_##suffix), AT(LTU, ltu_##suffix),            \
            AT(LEU, leu_##suffix), AT(GTU, gtu_##suffix), AT(GEU, geu_##suffix), AT(NUM, num_##suffix),          \
            AT(NAN, nan_##suffix)                                                                                \
    }
static const relation_table table_f16 = BY_RELATION(h), table_f16_ftz = BY_RELATION(h_ftz), table_bf16 = BY_RELATION(b);

/* The form of `set` whose result is of the type. */
static enum form result_form(enum type result, bool is_packed)
{
    switch (result) {
    case TYPE_U16:
    case TYPE_S16:
        return FORM_SHORT;
    case TYPE_F16:
        return FORM_F16;
    case TYPE_BF16:
        return FORM_BF16;
    case TYPE_F16X2:
        return FORM_F16X2;
    case TYPE_BF16X2:
        return FORM_BF16X2;
    default:
        return is_packed ? FORM_MASKS : FORM_MASK;
    }
}

lane_fn *lanes_find_compare_half(const struct insn *insn)
{
    if (insn->op < OP_SETP_F16 || insn->op > OP_SET_BF16X2_BOOL || insn->op == OP_SET || insn->op == OP_SET_BOOL)
        return NULL;
    const struct suffixes *s = &insn->suffixes;
    bool is_set = insn->op >= OP_SET_F16;
    enum type type = (enum type)s->type[is_set];
    bool is_packed = type == TYPE_F16X2 || type == TYPE_BF16X2, is_f16 = type == TYPE_F16 || type == TYPE_F16X2;
    const relation_table *table = !is_f16 ? &table_bf16 : suffixes_has(s, FLAG_FTZ) ? &table_f16_ftz : &table_f16;
    enum form form = is_set ? result_form((enum type)s->type[0], is_packed) : is_packed ? FORM_BOTH : FORM_MASK;
    unsigned with = s->mod[GROUP_BOOL] ? s->mod[GROUP_BOOL] - BOOL_AND + 1u : 0;
    unsigned cmp = s->mod[GROUP_CMP];
    return cmp >= FIRST_CMP ? (*table)[cmp - FIRST_CMP][form][with] : NULL;
}
