/*
 * Video instructions with random types, selectors and second operations.
 *
 * Scalar forms are those in which the driver's compiler, which builds these instructions from others, follows the
 * manual: without .sat, without .min and .max, and without a merge into the upper half (lanes/video.c).
 */
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
    static const char *const ops[] = {"vadd", "vsub", "vabsdiff", "vmin", "vmax"};
    static const char *const merges[] = {"", ".b0", ".b1", ".b2", ".b3", ".h0"};
    const char *op = ops[rng_below(&g->rng, 5)], *d = video_type(g), *t = video_type(g), *u = video_type(g);
    const char *merge = merges[rng_below(&g->rng, 6)];
    struct name first = video_part(g), second = video_part(g);
    const char *add = !*merge && rng_chance(&g->rng, 50) ? ".add" : "";
    gen_op(g, "%s.%s.%s.%s%s %s%s, %s%s, %s%s, %s", op, d, t, u, add, dest.s, merge, a.s, first.s, b.s, second.s, c.s);
}

void video_statement(struct gen *g)
{
    struct name a = gen_source(g, KIND_R), b = gen_source(g, KIND_R), c = gen_source(g, KIND_R);
    struct name dest = gen_dest(g, KIND_R);
    gen_count(g, RANDOM_video);
    if (rng_chance(&g->rng, 60))
        video_simd(g, dest, a, b, c);
    else
        video_scalar(g, dest, a, b, c);
}
