/* The textures of a random program, and fetches from them: see texture.h. */
#include "texture.h"

#include <stdlib.h>
#include <string.h>

enum shape { SHAPE_1D, SHAPE_2D, SHAPE_3D, SHAPE_A1D, SHAPE_A2D, SHAPE_CUBE, SHAPE_ACUBE, SHAPES };

static const struct format {
    enum type type;
    unsigned bytes;
    bool is_float;
    const char *read_as; /* type of a fetch of integers */
} formats[] = {
    {TYPE_U8, 1, false, "u32"},  {TYPE_S8, 1, false, "s32"},  {TYPE_U16, 2, false, "u32"}, {TYPE_S16, 2, false, "s32"},
    {TYPE_U32, 4, false, "u32"}, {TYPE_S32, 4, false, "s32"}, {TYPE_F16, 2, true, NULL},   {TYPE_F32, 4, true, NULL},
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

static const struct format *texture_format(const struct op_texture *x)
{
    int i = 0;
    while (formats[i].type != x->format)
        i++;
    return &formats[i];
}

const char *texture_shape(const struct op_texture *x)
{
    if (x->is_cube)
        return x->is_layered ? "acube" : "cube";
    if (x->is_layered)
        return x->height ? "a2d" : "a1d";
    return x->depth ? "3d" : x->height ? "2d" : "1d";
}

static unsigned texture_axes(const struct op_texture *x)
{
    return x->is_cube || (x->depth && !x->is_layered) ? 3 : x->height ? 2 : 1;
}

/* ---- what the program has ---- */

static void texture_choose_format(struct gen *g, struct random_texture *t)
{
    const struct format *f = &formats[rng_below(&g->rng, FORMATS)];
    t->is.format = f->type;
    t->is.channels = 1u << rng_below(&g->rng, 3);
    t->texel_bytes = f->bytes * t->is.channels;
}

static void texture_choose_extents(struct gen *g, struct op_texture *x, enum shape shape)
{
    x->width = 4 + rng_below(&g->rng, 21);
    x->height = 3 + rng_below(&g->rng, 10);
    x->depth = 2 + rng_below(&g->rng, 4);
    if (rng_chance(&g->rng, 40)) {
        x->width = 4u << x->width % 3;
        x->height = 4u << x->height % 2;
        x->depth = 2u << x->depth % 2;
    }
    x->is_layered = shape == SHAPE_A1D || shape == SHAPE_A2D || shape == SHAPE_ACUBE;
    x->is_cube = shape == SHAPE_CUBE || shape == SHAPE_ACUBE;
    if (x->is_cube) {
        x->height = x->width;
        x->depth = x->is_layered ? 12 : 6;
    }
    if (shape == SHAPE_1D || shape == SHAPE_A1D)
        x->height = 0;
    if (shape == SHAPE_1D || shape == SHAPE_2D)
        x->depth = 0;
}

/* As many levels as the extents have, or fewer. */
static unsigned texture_choose_levels(struct gen *g, const struct op_texture *x)
{
    const unsigned most = 1 + rng_below(&g->rng, 4);
    unsigned longest = x->width > x->height ? x->width : x->height, levels = 1;
    if (!x->is_layered && !x->is_cube && x->depth > longest)
        longest = x->depth;
    while (levels < most && longest >> levels)
        levels++;
    return levels;
}

/* Linear memory is read by numbers only, and its rows are not in need of alignment; pitched memory wants rows of a
 * multiple of 32 bytes. */
static void texture_choose_kind(struct gen *g, struct random_texture *t, enum shape shape)
{
    struct op_texture *x = &t->is;
    const unsigned roll = rng_below(&g->rng, 100);
    x->kind = OP_ARRAY_TEXTURE;
    if (shape == SHAPE_1D && roll < 50)
        x->kind = OP_LINEAR_TEXTURE;
    if (shape == SHAPE_2D && roll < 25) {
        const unsigned unit = 32 / t->texel_bytes;
        x->kind = OP_PITCHED_TEXTURE;
        x->width = (x->width + unit - 1) / unit * unit;
    }
}

/* How fetches sample it. Mipmaps and cube maps are sampled by normalised coordinates; without these, coordinates do not
 * wrap. A filter of a cube map clamps: without, some fetches near edges are not the H200's bits. */
static void texture_choose_sampling(struct gen *g, struct random_texture *t)
{
    static const float colours[] = {0, 1, 0.25f, -0.5f, 0.75f, 2};
    struct op_texture *x = &t->is;
    const struct format *f = texture_format(x);
    const unsigned mode = rng_below(&g->rng, 4);
    const bool integers = rng_chance(&g->rng, 50), filters = rng_chance(&g->rng, 60);
    const bool normalized = rng_chance(&g->rng, 70), filters_levels = rng_chance(&g->rng, 50);
    x->reads_integers = !f->is_float && (f->bytes == 4 || integers);
    x->filters = filters && !x->reads_integers && x->kind != OP_LINEAR_TEXTURE;
    x->is_normalized = x->kind != OP_LINEAR_TEXTURE && (normalized || x->is_cube || x->levels > 1);
    x->filters_levels = filters_levels && x->levels > 1 && !x->reads_integers;
    x->address_mode = (int)mode;
    if (x->is_cube && x->filters)
        x->address_mode = 1;
    else if (!x->is_normalized)
        x->address_mode = mode % 2 ? 3 : 1;
    for (int i = 0; i < 4; i++)
        x->border[i] = colours[rng_below(&g->rng, sizeof colours / sizeof colours[0])];
    if (x->reads_integers)
        memset(x->border, 0, sizeof x->border);
}

static void texture_choose_texture(struct gen *g, struct random_texture *t)
{
    const enum shape shape = (enum shape)rng_below(&g->rng, SHAPES);
    texture_choose_format(g, t);
    texture_choose_extents(g, &t->is, shape);
    texture_choose_kind(g, t, shape);
    const unsigned levels = texture_choose_levels(g, &t->is);
    t->is.levels = t->is.kind == OP_ARRAY_TEXTURE && rng_chance(&g->rng, 50) ? levels : 1;
    texture_choose_sampling(g, t);
}

/* A reduced surface holds words; ptxas knows no reductions of layers. */
static void texture_choose_reduction(struct gen *g, struct random_texture *t)
{
    static const char *const reductions[][2] = {{"add", "u32"}, {"add", "s32"}, {"min", "u32"}, {"max", "s32"},
                                                {"and", "b32"}, {"or", "b32"},  {"add", "u64"}};
    const unsigned which = rng_below(&g->rng, sizeof reductions / sizeof reductions[0]);
    memcpy(t->reduction, reductions[which], sizeof t->reduction);
    t->is.format = TYPE_U32;
    t->is.channels = strcmp(t->reduction[1], "u64") ? 1 : 2;
    t->texel_bytes = 4 * t->is.channels;
    t->is.is_layered = false;
    if (!t->is.height)
        t->is.depth = 0;
}

/* One texel per thread. */
static void texture_make_room(const struct gen *g, struct op_texture *x)
{
    const unsigned threads = g->plan.threads;
    if (x->height && x->depth)
        x->depth = (threads + x->width * x->height - 1) / (x->width * x->height);
    else if (x->height)
        x->height = (threads + x->width - 1) / x->width;
    else if (x->depth)
        x->depth = (threads + x->width - 1) / x->width;
    else
        x->width = threads;
}

static void texture_choose_surface(struct gen *g, struct random_texture *t)
{
    const enum shape shape = (enum shape)rng_below(&g->rng, SHAPE_CUBE);
    t->is.kind = OP_SURFACE;
    t->is.levels = 1;
    t->use = (enum surface_use)rng_below(&g->rng, 3);
    texture_choose_format(g, t);
    texture_choose_extents(g, &t->is, shape);
    if (t->use == SURFACE_STORED)
        texture_make_room(g, &t->is);
    if (t->use == SURFACE_REDUCED)
        texture_choose_reduction(g, t);
}

void texture_choose(struct gen *g)
{
    const unsigned textures = 1 + rng_below(&g->rng, 3), surfaces = rng_below(&g->rng, 3);
    const bool is_tiny = g->static_left < 40;
    if (is_tiny && rng_chance(&g->rng, 80))
        return;
    g->texture = draft_allocate(CASE_MAX_TEXTURES * sizeof *g->texture);
    for (unsigned i = 0; i < (is_tiny ? 1 : textures); i++)
        texture_choose_texture(g, &g->texture[g->textures++]);
    for (unsigned i = 0; i < (is_tiny ? 0 : surfaces); i++)
        texture_choose_surface(g, &g->texture[g->textures++]);
}

/* ---- arguments ---- */

/* A channel's bits: integers are random; floating-point numbers are finite, of either sign, and of moderate size. Filters
 * of two planes or two levels get positive numbers of similar size: of others, the H200 rounds one sum in some ten
 * thousand in another way (docs/architecture.md). */
static uint32_t texture_channel(struct gen *g, const struct op_texture *x)
{
    const bool sums_planes = x->filters_levels || (x->filters && texture_axes(x) == 3 && !x->is_cube);
    const uint32_t bits = (uint32_t)rng_next(&g->rng) & (sums_planes ? 0x7fffffff : 0xffffffff);
    const uint32_t exponent = rng_below(&g->rng, sums_planes ? 3 : 16);
    if (x->format == TYPE_F32)
        return (bits & 0x807fffff) | (exponent + 118) << 23;
    return x->format == TYPE_F16 ? (bits & (sums_planes ? 0x3ff : 0x83ff)) | (exponent + 7) << 10 : bits;
}

void texture_add_args(struct gen *g, struct test_case *c)
{
    c->texture = draft_allocate((size_t)g->textures * sizeof *c->texture);
    for (int i = 0; i < g->textures; i++) {
        const struct random_texture *t = &g->texture[i];
        struct op_texture *x = &c->texture[c->texture_count++];
        struct case_arg *arg = &c->arg[c->arg_count];
        const unsigned bytes = texture_format(&t->is)->bytes;
        const size_t channels = op_texture_texels(&t->is) * t->is.channels;
        *x = t->is;
        x->handle_arg = x->texel_arg = c->arg_count++;
        *arg = (struct case_arg){.is_buffer = true, .bytes = channels * bytes};
        arg->is_output = x->kind == OP_SURFACE && t->use != SURFACE_READ;
        arg->data = draft_allocate(arg->bytes);
        for (size_t k = 0; k < channels; k++) {
            const uint32_t value = texture_channel(g, x);
            for (unsigned b = 0; b < bytes; b++)
                ((unsigned char *)arg->data)[k * bytes + b] = (unsigned char)(value >> (8 * b));
        }
    }
    free(g->texture);
    g->texture = NULL;
}

void texture_parameters(const struct gen *g, struct draft *to)
{
    for (int i = 0; i < g->textures; i++)
        draft_add(to, ",\n\t.param .u64 k_x%d", i);
}

void texture_declare(const struct gen *g, struct draft *to)
{
    if (g->textures)
        draft_add(to, "\t.reg .b64 %%x<%d>;\n", g->textures);
}

void texture_load_handles(struct gen *g)
{
    for (int i = 0; i < g->textures; i++)
        gen_op(g, "ld.param.u64 %%x%d, [k_x%d]", i, i);
}

struct name texture_handle(const struct gen *g, const struct random_texture *t)
{
    return name_format("%%x%d", (int)(t - g->texture));
}

/* ---- fetches ---- */

struct name texture_index(struct gen *g, unsigned bits, int least)
{
    struct name t = gen_temporary(g, KIND_R);
    struct name v = gen_word(g);
    gen_op(g, "and.b32 %s, %s, %u", t.s, v.s, (1u << bits) - 1);
    if (least)
        gen_op(g, "add.s32 %s, %s, %d", t.s, t.s, least);
    return t;
}

/* A number of `bits` random bits, times 2^scale, plus a number of 128ths. */
static struct name texture_number(struct gen *g, unsigned bits, int scale, int plus)
{
    struct name f = gen_temporary(g, KIND_F);
    struct name t = texture_index(g, bits, 0);
    const float shift = (float)plus / 128.0f;
    uint32_t word;
    memcpy(&word, &shift, sizeof word);
    gen_op(g, "cvt.rn.f32.u32 %s, %s", f.s, t.s);
    gen_op(g, "fma.rn.f32 %s, %s, 0f%08X, 0f%08X", f.s, f.s, (unsigned)(127 + scale) << 23, (unsigned)word);
    return f;
}

/* A coordinate: around the texture, in steps of a part of a texel, or, unless it is to be near, any number at all. */
static struct name texture_coordinate(struct gen *g, const struct op_texture *x, bool by_number, bool is_near)
{
    const unsigned roll = rng_below(&g->rng, 100);
    if (by_number)
        return roll < 10 ? gen_word(g) : texture_index(g, 5, -4);
    if (roll < 15 && !is_near) {
        struct name f = gen_temporary(g, KIND_F);
        struct name v = gen_word(g);
        gen_op(g, "mov.b32 %s, %s", f.s, v.s);
        return f;
    }
    return x->is_normalized ? texture_number(g, 12, -10, -192) : texture_number(g, 11, -6, -512);
}

/* A direction whose largest component is never as large as another one: their fractions differ. */
static struct name texture_direction(struct gen *g, unsigned axis)
{
    static const int fractions[] = {32, 64, 16}; /* in 128ths: 1/4, 1/2, 1/8 */
    return texture_number(g, 10, 0, -512 * 128 + fractions[axis]);
}

/* Registers in braces; three are written as four. */
static void texture_list(struct draft *to, const struct name *names, unsigned count)
{
    draft_add(to, "{%s", names[0].s);
    for (unsigned i = 1; i < (count == 3 ? 4 : count); i++)
        draft_add(to, ", %s", names[i < count ? i : count - 1].s);
    draft_add(to, "}");
}

static void texture_place(struct gen *g, const struct op_texture *x, bool by_number, bool is_near, struct draft *to)
{
    struct name c[4];
    unsigned n = 0;
    if (x->is_layered)
        c[n++] = texture_index(g, 3, -1);
    for (unsigned axis = 0; axis < texture_axes(x); axis++)
        c[n++] = x->is_cube ? texture_direction(g, axis) : texture_coordinate(g, x, by_number, is_near);
    texture_list(to, c, n);
}

/* Derivatives along the axes, between 2^-5 and 8. */
static void texture_derivatives(struct gen *g, const struct op_texture *x, struct draft *to)
{
    const unsigned axes = texture_axes(x);
    for (unsigned d = 0; d < 2; d++) {
        struct name part[3];
        for (unsigned i = 0; i < axes; i++)
            part[i] = name_format("0f00000000");
        if (d < axes) {
            struct name exponent = texture_index(g, 3, 127 - 5);
            struct name rest = texture_index(g, 23, 0);
            struct name f = gen_temporary(g, KIND_F);
            gen_op(g, "shl.b32 %s, %s, 23", exponent.s, exponent.s);
            gen_op(g, "or.b32 %s, %s, %s", rest.s, rest.s, exponent.s);
            gen_op(g, "mov.b32 %s, %s", f.s, rest.s);
            part[d] = f;
        }
        draft_add(to, ", ");
        texture_list(to, part, axes);
    }
}

static void texture_offsets(struct gen *g, const struct op_texture *x, struct draft *to)
{
    struct name part[3];
    for (unsigned i = 0; i < texture_axes(x); i++) {
        const unsigned roll = rng_below(&g->rng, 100);
        const int number = (int)rng_below(&g->rng, 16) - 8;
        part[i] = roll < 50 ? name_format("%d", number) : texture_index(g, 4, -8);
    }
    draft_add(to, ", ");
    texture_list(to, part, texture_axes(x));
}

/* What an instruction gives: registers of one kind, which are folded into the program's variables. */
struct results {
    struct name part[4];
    unsigned count;
    enum kind kind;
};

static struct results texture_results(struct gen *g, unsigned count, enum kind kind)
{
    struct results r = {.count = count, .kind = kind};
    for (unsigned i = 0; i < count; i++)
        r.part[i] = gen_temporary(g, kind);
    return r;
}

static void texture_clear(struct gen *g, const struct results *r)
{
    for (unsigned i = 0; i < r->count; i++)
        gen_op(g, "mov.b%d %s, 0", r->kind == KIND_R ? 32 : 16, r->part[i].s);
}

static void texture_fold(struct gen *g, const struct results *r)
{
    if (r->kind == KIND_R && gen_has(g, KIND_F) && rng_chance(&g->rng, 30)) {
        struct name f = gen_dest(g, KIND_F);
        gen_op(g, "mov.b32 %s, %s", f.s, r->part[0].s);
    }
    for (unsigned i = 0; i < r->count; i++) {
        struct name dest = gen_dest(g, KIND_R), t = r->part[i];
        if (r->kind == KIND_H) {
            t = gen_temporary(g, KIND_R);
            gen_op(g, "cvt.u32.u16 %s, %s", t.s, r->part[i].s);
        }
        gen_op(g, "mad.lo.u32 %s, %s, 5, %s", dest.s, dest.s, t.s);
    }
}

/* The suffix of a fetch's result, and the registers for it. */
static struct results texture_result_type(struct gen *g, const struct op_texture *x, bool gathers, const char **suffix)
{
    const unsigned roll = rng_below(&g->rng, 100);
    if (x->reads_integers)
        *suffix = strcmp(texture_format(x)->read_as, "u32") ? ".v4.s32" : ".v4.u32";
    else
        *suffix = gathers || roll < 70 ? ".v4.f32" : roll < 85 ? ".v4.f16" : ".v2.f16x2";
    return texture_results(g, (*suffix)[2] == '2' ? 2 : 4, strcmp(*suffix, ".v4.f16") ? KIND_R : KIND_H);
}

enum detail { DETAIL_NONE, DETAIL_BASE, DETAIL_LEVEL, DETAIL_GRAD };

/* Derivatives of other mipmaps are not always the H200's bits: docs/architecture.md. */
static bool texture_is_binary(const struct op_texture *x)
{
    const unsigned depth = x->is_layered ? 0 : x->depth;
    return !((x->width & (x->width - 1)) | (x->height & (x->height - 1)) | (depth & (depth - 1))) || x->levels == 1;
}

static enum detail texture_detail(struct gen *g, const struct op_texture *x, bool by_number)
{
    const unsigned roll = rng_below(&g->rng, 100);
    if (x->kind == OP_LINEAR_TEXTURE)
        return DETAIL_NONE;
    if (roll < (x->levels > 1 ? 50 : 10))
        return DETAIL_LEVEL;
    if (roll < (x->levels > 1 ? 70 : 15))
        return x->is_cube || by_number || !texture_is_binary(x) ? DETAIL_LEVEL : DETAIL_GRAD;
    return x->levels > 1 || roll > 90 ? DETAIL_BASE : DETAIL_NONE;
}

static void texture_fetch(struct gen *g, const struct random_texture *t)
{
    static const char *const details[] = {"", ".base", ".level", ".grad"};
    const struct op_texture *x = &t->is;
    const unsigned roll = rng_below(&g->rng, 100);
    const bool by_number = x->kind == OP_LINEAR_TEXTURE || (!x->is_cube && roll < 25);
    const enum detail detail = texture_detail(g, x, by_number);
    const bool has_offsets = x->kind != OP_LINEAR_TEXTURE && !x->is_cube && rng_chance(&g->rng, 25);
    const char *suffix;
    struct results r = texture_result_type(g, x, false, &suffix);
    struct draft operands = {0};
    texture_place(g, x, by_number, detail == DETAIL_GRAD, &operands);
    draft_add(&operands, "]");
    if (detail == DETAIL_LEVEL) {
        struct name level = by_number ? texture_index(g, 3, -1) : texture_number(g, 10, -7, -128);
        draft_add(&operands, ", %s", level.s);
        gen_count(g, RANDOM_texture_level);
    } else if (detail == DETAIL_GRAD) {
        texture_derivatives(g, x, &operands);
        gen_count(g, RANDOM_texture_grad);
    }
    if (has_offsets && !(detail == DETAIL_GRAD && texture_axes(x) == 1))
        texture_offsets(g, x, &operands);
    gen_count(g, by_number ? RANDOM_texture_number : RANDOM_texture_fetch);
    struct name resident = rng_chance(&g->rng, 10) ? gen_dest(g, KIND_P) : name_format("%s", "");
    /* Unoptimised, the driver's compiler writes packed results under a false guard, too. */
    struct name guard = r.count == 2 ? name_format("%s", "") : gen_guard(g);
    struct draft list = {0};
    if (guard.s[0])
        texture_clear(g, &r);
    texture_list(&list, r.part, r.count);
    gen_op(g, "%stex%s.%s%s.%s %s%s%s, [%s, %s", guard.s, details[detail], texture_shape(x), suffix,
           by_number ? "s32" : "f32", list.s, resident.s[0] ? "|" : "", resident.s, texture_handle(g, t).s, operands.s);
    texture_fold(g, &r);
    draft_clear(&list);
    draft_clear(&operands);
}

static void texture_gather(struct gen *g, const struct random_texture *t)
{
    const struct op_texture *x = &t->is;
    const char component = "rgba"[rng_below(&g->rng, 4)];
    const char *suffix;
    struct results r = texture_result_type(g, x, true, &suffix);
    struct draft operands = {0}, list = {0};
    texture_place(g, x, false, false, &operands);
    draft_add(&operands, "]");
    if (rng_chance(&g->rng, 25))
        texture_offsets(g, x, &operands);
    texture_list(&list, r.part, r.count);
    gen_count(g, RANDOM_texture_gather);
    gen_op(g, "tld4.%c.%s%s.f32 %s, [%s, %s", component, texture_shape(x), suffix, list.s, texture_handle(g, t).s,
           operands.s);
    texture_fold(g, &r);
    draft_clear(&list);
    draft_clear(&operands);
}

static void texture_query(struct gen *g, const struct random_texture *t)
{
    static const char *const queries[] = {"width", "height", "depth"};
    const char *query = queries[rng_below(&g->rng, 3)];
    const bool is_surface = t->is.kind == OP_SURFACE, of_level = !is_surface && rng_chance(&g->rng, 30);
    struct results r = texture_results(g, 1, KIND_R);
    gen_count(g, RANDOM_texture_query);
    if (of_level) {
        struct name level = texture_index(g, 3, -1);
        gen_op(g, "txq.level.%s.b32 %s, [%s], %s", query, r.part[0].s, texture_handle(g, t).s, level.s);
    } else {
        gen_op(g, "%s.%s.b32 %s, [%s]", is_surface ? "suq" : "txq", query, r.part[0].s, texture_handle(g, t).s);
    }
    texture_fold(g, &r);
}

void texture_statement(struct gen *g)
{
    if (!g->textures || !gen_room(g, 20)) {
        expr_mark(g);
        return;
    }
    const struct random_texture *t = &g->texture[rng_below(&g->rng, (unsigned)g->textures)];
    const struct op_texture *x = &t->is;
    const unsigned roll = rng_below(&g->rng, 100);
    const bool is_flat = x->kind != OP_LINEAR_TEXTURE && x->levels == 1 && texture_axes(x) == 2;
    if (roll < 6)
        texture_query(g, t);
    else if (x->kind == OP_SURFACE)
        surface_statement(g, t);
    else if (is_flat && roll < 25)
        texture_gather(g, t);
    else
        texture_fetch(g, t);
}
