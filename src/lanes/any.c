/*
 * Conversions in every form, lane by lane through lane_value.c. The common forms have faster handlers (convert.c).
 *
 * A handler gets no data but its planes, so the forms are numbered, and each number has a tiny handler that passes it
 * on.
 */
#include "lanes/lane_loop.h"
#include "lanes/lane_value.h"

/* A kind is a type in a register of some width. f32 under .ftz is a separate kind, and comes last: conversions from
 * integers, which never give a subnormal, leave the last kinds out. */
static const struct conversion_kind {
    uint8_t type, bits;
    bool ftz;
} kinds[] = {
    {TYPE_U8, 16, 0},  {TYPE_U8, 32, 0},  {TYPE_U8, 64, 0},  {TYPE_S8, 16, 0},   {TYPE_S8, 32, 0},   {TYPE_S8, 64, 0},
    {TYPE_U16, 16, 0}, {TYPE_U16, 32, 0}, {TYPE_U16, 64, 0}, {TYPE_S16, 16, 0},  {TYPE_S16, 32, 0},  {TYPE_S16, 64, 0},
    {TYPE_U32, 32, 0}, {TYPE_U32, 64, 0}, {TYPE_S32, 32, 0}, {TYPE_S32, 64, 0},  {TYPE_U64, 64, 0},  {TYPE_S64, 64, 0},
    {TYPE_F16, 16, 0}, {TYPE_F16, 32, 0}, {TYPE_F16, 64, 0}, {TYPE_BF16, 16, 0}, {TYPE_BF16, 32, 0}, {TYPE_BF16, 64, 0},
    {TYPE_F32, 32, 0}, {TYPE_F32, 64, 0}, {TYPE_F64, 64, 0}, {TYPE_F32, 32, 1},  {TYPE_F32, 64, 1},
};

enum { INTEGERS = 18, FLOATS = 9, FLUSHED = 2, KIND_COUNT = INTEGERS + FLOATS + FLUSHED };
_Static_assert(sizeof kinds / sizeof *kinds == KIND_COUNT, "KIND_COUNT is the number of kinds");

/* Each row of ops.def has a section of the numbers: all combinations of source kind, result kind, rounding and .sat. */
enum section_name { SECTION_INT, SECTION_TO_INT, SECTION_FROM_INT, SECTION_FLOAT, SECTION_COUNT };

static const struct conversion_section {
    int first_from, from_count, first_to, to_count, rounding_count, sat_count;
} sections[SECTION_COUNT] = {
    [SECTION_INT] = {0, INTEGERS, 0, INTEGERS, 1, 2},
    [SECTION_TO_INT] = {INTEGERS, FLOATS + FLUSHED, 0, INTEGERS, 4, 1},
    [SECTION_FROM_INT] = {0, INTEGERS, INTEGERS, FLOATS, 4, 2},
    [SECTION_FLOAT] = {INTEGERS, FLOATS + FLUSHED, INTEGERS, FLOATS + FLUSHED, 5, 2},
};

enum {
    FORM_COUNT = INTEGERS * INTEGERS * 2 + (FLOATS + FLUSHED) * INTEGERS * 4 + INTEGERS * FLOATS * 4 * 2 +
                 (FLOATS + FLUSHED) * (FLOATS + FLUSHED) * 5 * 2
};

static int section_size(const struct conversion_section *s)
{
    return s->from_count * s->to_count * s->rounding_count * s->sat_count;
}

/* The roundings of a section, in order. Between floating-point types they depend on whether the types are equal. */
static const uint8_t *section_roundings(enum section_name section, bool same_type)
{
    static const uint8_t to_precision[] = {RND_RN, RND_RZ, RND_RM, RND_RP, MOD_NONE};
    static const uint8_t to_integral[] = {RND_RNI, RND_RZI, RND_RMI, RND_RPI, RND_RN};
    return section == SECTION_TO_INT || (section == SECTION_FLOAT && same_type) ? to_integral : to_precision;
}

/* A conversion, and the widths of its registers. */
struct conversion_form {
    struct conversion conversion;
    int from_bits, to_bits;
};

static struct conversion_form form_of_number(int n)
{
    int section = 0;
    for (; n >= section_size(&sections[section]); section++)
        n -= section_size(&sections[section]);
    const struct conversion_section *s = &sections[section];
    bool sat = n % s->sat_count;
    n /= s->sat_count;
    int rounding = n % s->rounding_count;
    n /= s->rounding_count;
    const struct conversion_kind *to = &kinds[s->first_to + n % s->to_count],
                                 *from = &kinds[s->first_from + n / s->to_count];
    const uint8_t *roundings = section_roundings((enum section_name)section, from->type == to->type);
    return (struct conversion_form){
        .conversion = {(enum type)from->type, (enum type)to->type, (enum mod)roundings[rounding], from->ftz || to->ftz,
                       sat},
        .from_bits = from->bits,
        .to_bits = to->bits,
    };
}

static uint64_t read_lane(const void *plane, int bits, int i)
{
    return bits == 16   ? ((const uint16_t *)plane)[i]
           : bits == 32 ? ((const uint32_t *)plane)[i]
                        : ((const uint64_t *)plane)[i];
}

static void write_lane(void *plane, int bits, int i, uint64_t value)
{
    if (bits == 16)
        ((uint16_t *)plane)[i] = (uint16_t)value;
    else if (bits == 32)
        ((uint32_t *)plane)[i] = (uint32_t)value;
    else
        ((uint64_t *)plane)[i] = value;
}

static __attribute__((noinline)) void convert_row(const struct lanes *x, int number)
{
    struct conversion_form f = form_of_number(number);
    uint64_t value[ROW_LANES];
    for (int i = 0; i < ROW_LANES; i++)
        value[i] = lane_value_convert(&f.conversion, read_lane(x->source[0], f.from_bits, i));
    for (int i = 0; i < ROW_LANES; i++)
        write_lane(x->dest[0], f.to_bits, i, value[i]);
}

/* The numbers from 0 to 0xf6f, in hexadecimal, since macros can paste digits. Laid out by hand: clang-format 14 lays
 * these macros out anew at every run. */
/* clang-format off */
#define TIMES_16(X, n)                                                                  \
    X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)                     \
    X(n##8) X(n##9) X(n##a) X(n##b) X(n##c) X(n##d) X(n##e) X(n##f)
#define TIMES_112(X, n)                                                                 \
    TIMES_16(X, n##0) TIMES_16(X, n##1) TIMES_16(X, n##2) TIMES_16(X, n##3)             \
    TIMES_16(X, n##4) TIMES_16(X, n##5) TIMES_16(X, n##6)
#define TIMES_256(X, n)                                                                 \
    TIMES_112(X, n)                                                                     \
    TIMES_16(X, n##7) TIMES_16(X, n##8) TIMES_16(X, n##9) TIMES_16(X, n##a)             \
    TIMES_16(X, n##b) TIMES_16(X, n##c) TIMES_16(X, n##d) TIMES_16(X, n##e)             \
    TIMES_16(X, n##f)
#define ALL_NUMBERS(X)                                                                  \
    TIMES_256(X, 0) TIMES_256(X, 1) TIMES_256(X, 2) TIMES_256(X, 3)                     \
    TIMES_256(X, 4) TIMES_256(X, 5) TIMES_256(X, 6) TIMES_256(X, 7)                     \
    TIMES_256(X, 8) TIMES_256(X, 9) TIMES_256(X, a) TIMES_256(X, b)                     \
    TIMES_256(X, c) TIMES_256(X, d) TIMES_256(X, e) TIMES_112(X, f)
/* clang-format on */

#define NUMBERED(n)                                \
    static void convert_##n(const struct lanes *x) \
    {                                              \
        convert_row(x, 0x##n);                     \
    }
ALL_NUMBERS(NUMBERED)

#define NAME(n) convert_##n,
static lane_fn *const numbered[] = {ALL_NUMBERS(NAME)};
_Static_assert(sizeof numbered / sizeof *numbered >= FORM_COUNT, "every form has a handler");

static int kind_find(enum type type, unsigned bits, bool ftz)
{
    for (int k = 0; k < KIND_COUNT; k++)
        if (kinds[k].type == type && kinds[k].bits == bits && kinds[k].ftz == (ftz && type == TYPE_F32))
            return k;
    return -1;
}

/* Without a rounding suffix the value is exact in the new type, so it does not matter that RND_RN is used. */
static int rounding_find(const uint8_t *roundings, int count, unsigned rounding)
{
    for (int i = 0; i < count; i++)
        if (roundings[i] == (rounding == MOD_NONE ? RND_RN : rounding))
            return i;
    return -1;
}

static lane_fn *find_numbered(const struct insn *insn, enum section_name section)
{
    const struct suffixes *x = &insn->suffixes;
    const struct conversion_section *s = &sections[section];
    bool ftz = suffixes_has(x, FLAG_FTZ) && section != SECTION_FROM_INT, sat = suffixes_has(x, FLAG_SAT);
    int from = kind_find((enum type)x->type[1], ref_lane_bits(&insn->source[0]), ftz) - s->first_from;
    int to = kind_find((enum type)x->type[0], ref_lane_bits(&insn->dest[0]), ftz) - s->first_to;
    int rounding = rounding_find(section_roundings(section, x->type[0] == x->type[1]), s->rounding_count,
                                 section == SECTION_INT ? (unsigned)RND_RN : x->mod[GROUP_RND]);
    if (from < 0 || to < 0 || rounding < 0)
        return NULL;
    int n = ((from * s->to_count + to) * s->rounding_count + rounding) * s->sat_count + (sat && s->sat_count > 1);
    for (int i = 0; i < (int)section; i++)
        n += section_size(&sections[i]);
    return numbered[n];
}

lane_fn *lanes_find_any_conversion(const struct insn *insn)
{
    switch (insn->op) {
    case OP_CVT_INT:
        return find_numbered(insn, SECTION_INT);
    case OP_CVT_TO_INT:
        return find_numbered(insn, SECTION_TO_INT);
    case OP_CVT_FROM_INT:
        return find_numbered(insn, SECTION_FROM_INT);
    case OP_CVT_FLOAT:
        return find_numbered(insn, SECTION_FLOAT);
    default:
        return NULL;
    }
}
