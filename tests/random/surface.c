/* Accesses to the surfaces of a random program: see texture.h. */
#include "texture.h"

#include <string.h>

/* Ways to access a whole texel as bytes. */
static const struct access {
    const char *suffix;
    unsigned elements, bytes; /* bytes: of all elements */
    enum kind kind;
} accesses[] = {
    {"b8", 1, 1, KIND_H},     {"b16", 1, 2, KIND_H},     {"v2.b8", 2, 2, KIND_H},   {"b32", 1, 4, KIND_R},
    {"v2.b16", 2, 4, KIND_H}, {"v4.b8", 4, 4, KIND_H},   {"b64", 1, 8, KIND_D},     {"v2.b32", 2, 8, KIND_R},
    {"v4.b16", 4, 8, KIND_H}, {"v2.b64", 2, 16, KIND_D}, {"v4.b32", 4, 16, KIND_R},
};

static const struct access *surface_access(struct gen *g, const struct random_texture *t)
{
    const struct access *a;
    do
        a = &accesses[rng_below(&g->rng, sizeof accesses / sizeof accesses[0])];
    while (a->bytes != t->texel_bytes);
    return a;
}

/* A place inside the surface, or, unless the access traps outside, in or around it. */
static struct name surface_coordinate(struct gen *g, unsigned extent, bool traps)
{
    if (!traps && rng_chance(&g->rng, 50))
        return texture_index(g, 5, -3);
    struct name t = gen_temporary(g, KIND_R);
    struct name v = gen_word(g);
    gen_op(g, "rem.u32 %s, %s, %u", t.s, v.s, extent);
    return t;
}

static void surface_any_place(struct gen *g, const struct op_texture *x, bool traps, struct name place[3])
{
    place[0] = surface_coordinate(g, x->width, traps);
    if (x->height)
        place[1] = surface_coordinate(g, x->height, traps);
    if (x->depth)
        place[2] = surface_coordinate(g, x->depth, true);
}

/* The thread's own texel. */
static void surface_own_place(struct gen *g, const struct op_texture *x, struct name place[3])
{
    struct name above = gen_temporary(g, KIND_R);
    for (int i = 0; i < 3; i++)
        place[i] = gen_temporary(g, KIND_R);
    gen_op(g, "rem.u32 %s, %%gid, %u", place[0].s, x->width);
    gen_op(g, "div.u32 %s, %%gid, %u", above.s, x->width);
    if (x->height && x->depth) {
        gen_op(g, "rem.u32 %s, %s, %u", place[1].s, above.s, x->height);
        gen_op(g, "div.u32 %s, %s, %u", place[2].s, above.s, x->height);
    } else {
        place[1] = place[2] = above;
    }
}

/* The operand: x counts bytes, or texels. */
static void surface_operand(struct gen *g, const struct random_texture *t, const struct name place[3], bool by_texel,
                            struct draft *to)
{
    const struct op_texture *x = &t->is;
    struct name column = place[0];
    if (!by_texel && t->texel_bytes > 1) {
        column = gen_temporary(g, KIND_R);
        gen_op(g, "mul.lo.s32 %s, %s, %u", column.s, place[0].s, t->texel_bytes);
    }
    draft_add(to, "[%s, {", texture_handle(g, t).s);
    if (x->is_layered)
        draft_add(to, "%s, ", place[2].s);
    draft_add(to, "%s", column.s);
    if (x->height)
        draft_add(to, ", %s", place[1].s);
    if (x->height && x->depth) /* three are written as four */
        draft_add(to, x->is_layered ? ", %s" : ", %s, %s", x->is_layered ? place[1].s : place[2].s, place[2].s);
    draft_add(to, "}]");
}

static void surface_list(struct draft *to, const struct name *names, unsigned count)
{
    draft_add(to, "%s%s", count > 1 ? "{" : "", names[0].s);
    for (unsigned i = 1; i < count; i++)
        draft_add(to, ", %s", names[i].s);
    draft_add(to, "%s", count > 1 ? "}" : "");
}

static const char *const bounds[] = {"trap", "clamp", "zero"};

static void surface_load(struct gen *g, const struct random_texture *t)
{
    static const char *const caching[] = {"", "", ".ca", ".cg", ".cs"};
    const struct access *a = surface_access(g, t);
    const unsigned bound = rng_below(&g->rng, 3), cache = rng_below(&g->rng, 5);
    struct name place[3] = {{{0}}}, part[4], dest = gen_dest(g, KIND_R);
    struct draft operand = {0}, list = {0};
    surface_any_place(g, &t->is, bound == 0, place);
    surface_operand(g, t, place, false, &operand);
    for (unsigned i = 0; i < a->elements; i++)
        part[i] = gen_temporary(g, a->kind);
    surface_list(&list, part, a->elements);
    gen_count(g, RANDOM_surface_load);
    gen_op(g, "suld.b.%s%s.%s.%s %s, %s", texture_shape(&t->is), caching[cache], a->suffix, bounds[bound], list.s,
           operand.s);
    for (unsigned i = 0; i < a->elements; i++) {
        struct name low = a->kind == KIND_R ? part[i] : gen_temporary(g, KIND_R);
        struct name high = a->kind == KIND_D ? gen_temporary(g, KIND_R) : low;
        if (a->kind == KIND_H)
            gen_op(g, "cvt.u32.u16 %s, %s", low.s, part[i].s);
        if (a->kind == KIND_D)
            gen_op(g, "mov.b64 {%s, %s}, %s", low.s, high.s, part[i].s);
        gen_op(g, "mad.lo.u32 %s, %s, 7, %s", dest.s, dest.s, low.s);
        if (a->kind == KIND_D)
            gen_op(g, "mad.lo.u32 %s, %s, 7, %s", dest.s, dest.s, high.s);
    }
    draft_clear(&operand);
    draft_clear(&list);
}

/* A value to be stored, as wide as an element. */
static struct name surface_value(struct gen *g, enum kind kind)
{
    struct name v = gen_word(g);
    if (kind == KIND_R)
        return v;
    struct name t = gen_temporary(g, kind);
    if (kind == KIND_H)
        gen_op(g, "cvt.u16.u32 %s, %s", t.s, v.s);
    else
        gen_op(g, "mov.b64 %s, {%s, %%hash}", t.s, v.s);
    return t;
}

/* As bytes, or as a texel whose channels come from words. */
static void surface_store(struct gen *g, const struct random_texture *t)
{
    static const char *const caching[] = {"", "", ".wb", ".cg", ".wt"}, *const vectors[] = {"", "", "v2.", "", "v4."};
    const struct access *a = surface_access(g, t);
    const bool is_formatted = rng_chance(&g->rng, 40);
    const unsigned elements = is_formatted ? t->is.channels : a->elements;
    const unsigned bound = rng_below(&g->rng, 3), cache = rng_below(&g->rng, 5);
    struct name place[3], part[4];
    struct draft operand = {0}, list = {0};
    surface_own_place(g, &t->is, place);
    surface_operand(g, t, place, is_formatted, &operand);
    for (unsigned i = 0; i < elements; i++)
        part[i] = surface_value(g, is_formatted ? KIND_R : a->kind);
    surface_list(&list, part, elements);
    struct name guard = gen_guard(g);
    gen_count(g, RANDOM_surface_store);
    gen_op(g, "%ssust.%s.%s%s.%s%s.%s %s, %s", guard.s, is_formatted ? "p" : "b", texture_shape(&t->is), caching[cache],
           is_formatted ? vectors[elements] : "", is_formatted ? "b32" : a->suffix, bounds[bound], operand.s, list.s);
    draft_clear(&operand);
    draft_clear(&list);
}

static void surface_reduce(struct gen *g, const struct random_texture *t)
{
    const bool is_wide = t->texel_bytes == 8;
    const unsigned bound = rng_below(&g->rng, 3);
    struct name place[3] = {{{0}}};
    struct draft operand = {0};
    surface_any_place(g, &t->is, bound == 0, place);
    surface_operand(g, t, place, false, &operand);
    struct name value = surface_value(g, is_wide ? KIND_D : KIND_R);
    struct name guard = gen_guard(g);
    gen_count(g, RANDOM_surface_reduce);
    gen_op(g, "%ssured.b.%s.%s.%s.%s %s, %s", guard.s, t->reduction[0], texture_shape(&t->is), t->reduction[1],
           bounds[bound], operand.s, value.s);
    draft_clear(&operand);
}

void surface_statement(struct gen *g, const struct random_texture *t)
{
    if (t->use == SURFACE_READ)
        surface_load(g, t);
    else if (t->use == SURFACE_STORED)
        surface_store(g, t);
    else
        surface_reduce(g, t);
}
