/* Video instructions with random types, selectors, negations and second operations. */
#include "gen.h"

static const char *video_type(struct gen *g)
{
    return rng_chance(&g->rng, 50) ? "u32" : "s32";
}

/* "", or one byte or half. */
static struct name video_part(struct gen *g)
{
    unsigned roll = rng_below(&g->rng, 10);
    return roll < 4 ? (struct name){0} : roll < 8 ? name_format(".b%u", roll - 4) : name_format(".h%u", roll - 8);
}

/* "", or `parts` numbers out of twice as many. */
static struct name video_parts(struct gen *g, unsigned parts)
{
    if (rng_chance(&g->rng, 40))
        return (struct name){0};
    unsigned last = 2 * parts, digit[4];
    for (int i = 0; i < 4; i++)
        digit[i] = rng_below(&g->rng, last);
    if (parts == 2)
        return name_format(".h%u%u", digit[0], digit[1]);
    /* The driver's compiler takes .b1024 for a type. */
    if (digit[0] == 1 && !digit[1] && digit[2] == 2 && digit[3] == 4)
        digit[3] = 5;
    return name_format(".b%u%u%u%u", digit[0], digit[1], digit[2], digit[3]);
}

/* "", or which parts are written, the last one first. */
static struct name video_mask(struct gen *g, unsigned parts)
{
    unsigned mask = rng_below(&g->rng, 1u << parts);
    char digits[5] = "";
    int count = 0;
    for (unsigned i = parts; i > 0; i--)
        if (mask >> (i - 1) & 1)
            digits[count++] = (char)('0' + i - 1);
    digits[count] = '\0';
    return mask ? name_format(".%c%s", parts == 2 ? 'h' : 'b', digits) : (struct name){0};
}

static const char *video_comparison(struct gen *g)
{
    static const char *const comparisons[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    return comparisons[rng_below(&g->rng, 6)];
}

static void video_simd(struct gen *g, struct name dest, struct name a, struct name b, struct name c)
{
    static const char *const ops[] = {"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"};
    static const char *const ends[] = {"", ".sat", ".add"};
    unsigned parts = rng_chance(&g->rng, 50) ? 2 : 4;
    struct name mask = video_mask(g, parts), first = video_parts(g, parts), second = video_parts(g, parts);
    struct name opcode;
    if (rng_chance(&g->rng, 15)) {
        const char *t = video_type(g), *u = video_type(g), *comparison = video_comparison(g);
        opcode = name_format("vset%u.%s.%s.%s%s", parts, t, u, comparison, rng_chance(&g->rng, 50) ? ".add" : "");
    } else {
        const char *op = ops[rng_below(&g->rng, 6)], *d = video_type(g), *t = video_type(g), *u = video_type(g);
        opcode = name_format("%s%u.%s.%s.%s%s", op, parts, d, t, u, ends[rng_below(&g->rng, 3)]);
    }
    gen_op(g, "%s %s%s, %s%s, %s%s, %s", opcode.s, dest.s, mask.s, a.s, first.s, b.s, second.s, c.s);
}

static void video_scalar(struct gen *g, struct name dest, struct name a, struct name b, struct name c)
{
    static const char *const ops[] = {"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vset"};
    static const char *const merges[] = {"", "", "", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
    static const char *const seconds[] = {"", ".add", ".min", ".max"};
    unsigned op = rng_below(&g->rng, 8);
    const char *d = video_type(g), *t = video_type(g), *u = video_type(g);
    const char *merge = merges[rng_below(&g->rng, 9)], *comparison = video_comparison(g);
    const char *second = *merge ? "" : seconds[rng_below(&g->rng, 4)];
    const char *sat = rng_chance(&g->rng, 40) ? ".sat" : "", *wrap = rng_chance(&g->rng, 50) ? "wrap" : "clamp";
    struct name first = video_part(g), other = video_part(g), opcode;
    if (op == 7)
        opcode = name_format("vset.%s.%s.%s%s", t, u, comparison, second);
    else if (op >= 5)
        opcode = name_format("%s.%s.%s.u32%s.%s%s", ops[op], d, t, sat, wrap, second);
    else
        opcode = name_format("%s.%s.%s.%s%s%s", ops[op], d, t, u, sat, second);
    gen_op(g, "%s %s%s, %s%s, %s%s, %s", opcode.s, dest.s, merge, a.s, first.s, b.s, other.s, c.s);
}

static void video_mad(struct gen *g, struct name dest, struct name a, struct name b, struct name c)
{
    static const char *const scales[] = {"", ".shr7", ".shr15"};
    static const char *const signs[][3] = {{"", "", ""}, {"-", "", ""}, {"", "-", ""}, {"-", "-", ""}, {"", "", "-"}};
    const char *d = video_type(g), *t = video_type(g), *u = video_type(g), *scale = scales[rng_below(&g->rng, 3)];
    const char *sat = rng_chance(&g->rng, 40) ? ".sat" : "";
    unsigned sign = rng_below(&g->rng, 5);
    const char *po = !sign && rng_chance(&g->rng, 50) ? ".po" : "";
    struct name first = video_part(g), other = video_part(g);
    gen_op(g, "vmad.%s.%s.%s%s%s%s %s, %s%s%s, %s%s%s, %s%s", d, t, u, po, sat, scale, dest.s, signs[sign][0], a.s,
           first.s, signs[sign][1], b.s, other.s, signs[sign][2], c.s);
}

void video_statement(struct gen *g)
{
    struct name a = gen_source(g, KIND_R), b = gen_source(g, KIND_R), c = gen_source(g, KIND_R);
    struct name dest = gen_dest(g, KIND_R);
    gen_count(g, RANDOM_video);
    unsigned roll = rng_below(&g->rng, 100);
    if (roll < 50)
        video_simd(g, dest, a, b, c);
    else if (roll < 88)
        video_scalar(g, dest, a, b, c);
    else
        video_mad(g, dest, a, b, c);
}
