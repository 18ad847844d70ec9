/*
 * Positions and weights of a texture fetch.
 *
 * Coordinates become fixed-point numbers of texels with 21 fractional bits; a normalised coordinate is cut to 21
 * bits before it is multiplied by the extent. NaN and subnormal numbers count as 0. A filter takes the two texels
 * around the position along each axis, with a weight of 8 bits, rounded half up. Weights are split axis by axis (z,
 * x, y), so that they stay 8 bits wide and their sum stays 256. A 1D texture is a 2D texture of height 1 that is
 * fetched at y = 0: with a border, half of the result is the border's colour.
 */
#include "image/sampler.h"

#include "image/sampler_cube.h"
#include "image/sampler_level.h"

#include <math.h>
#include <string.h>

enum { FRACTION_BITS = CUBE_FRACTION_BITS, WEIGHT_BITS = 8, WHOLE = 1 << WEIGHT_BITS };

/* The two texels that a filter takes along an axis: `first` and the next one, which has `weight`. */
struct span {
    int64_t first;
    int weight;
};

static float float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

/* A coordinate in texels, as a fixed-point number. */
static int64_t fixed_position(const struct texture *t, float x, uint32_t extent)
{
    if (isnan(x) || fabsf(x) < 0x1p-126f)
        x = 0;
    x = fminf(fmaxf(x, -0x1p24f), 0x1p24f); /* larger numbers are even; and the product below does not overflow */
    int64_t fixed = (int64_t)floor(ldexp((double)x, FRACTION_BITS));
    return t->normalized_coordinates ? fixed * extent : fixed;
}

/* `offset` texels are added. Where an axis clamps, positions outside are moved inside before the weight is taken. */
static struct span span_at(int64_t position, int32_t offset, bool filters, uint32_t extent, bool clamps)
{
    position += (int64_t)offset * (INT64_C(1) << FRACTION_BITS);
    if (!filters)
        return (struct span){position >> FRACTION_BITS, 0};
    int64_t half = INT64_C(1) << (FRACTION_BITS - 1), round = INT64_C(1) << (FRACTION_BITS - WEIGHT_BITS - 1);
    int64_t at = (position - half + round) >> (FRACTION_BITS - WEIGHT_BITS);
    int64_t last = (int64_t)(extent - 1) << WEIGHT_BITS;
    if (clamps)
        at = at < 0 ? 0 : at > last ? last : at;
    return (struct span){at >> WEIGHT_BITS, (int)(at & (WHOLE - 1))};
}

/* The texel that the address mode puts in the place of `x`; -1: the border. */
static int64_t bring_inside(int64_t x, uint32_t extent, enum texture_address mode)
{
    int64_t n = extent;
    if (x >= 0 && x < n)
        return x;
    switch (mode) {
    case TEXTURE_BORDER:
        return -1;
    case TEXTURE_CLAMP:
        return x < 0 ? 0 : n - 1;
    case TEXTURE_WRAP:
        return (x % n + n) % n;
    default: {
        int64_t m = (x % (2 * n) + 2 * n) % (2 * n);
        return m < n ? m : 2 * n - 1 - m;
    }
    }
}

/* Without normalised coordinates the hardware clamps where it would wrap or mirror. The layers of a 1D texture are no
 * axis, and have no border. */
static enum texture_address address_mode(const struct texture *t, int axis)
{
    if (axis == 1 && t->layers && !t->level[0].height)
        return TEXTURE_CLAMP;
    enum texture_address mode = (enum texture_address)t->address_mode[axis];
    return t->normalized_coordinates || mode == TEXTURE_BORDER ? mode : TEXTURE_CLAMP;
}

static uint64_t texel_address(const struct texture *t, const struct texture_level *l, int64_t x, int64_t y, int64_t z)
{
    if (x < 0 || y < 0 || z < 0)
        return 0;
    return l->address + (uint64_t)z * l->slice_bytes + (uint64_t)y * l->row_bytes +
           (uint64_t)x * sampler_texel_bytes(t);
}

/* The part of a weight that goes to the second of two texels. */
static int share(int total, int weight, bool rounds_half_up)
{
    return (total * weight + WHOLE / 2 - !rounds_half_up) >> WEIGHT_BITS;
}

/* Which of two texels gets exact halves of a weight. The two samples of a near pair have opposite rules, so that the
 * sum of their weights is exact. */
enum halves { HALVES_DEFAULT, HALVES_FIRST, HALVES_SECOND };

static void set_weights(struct sampler_quad *q, int total, int wx, int wy, enum halves halves)
{
    int x1 = share(total, wx, halves != HALVES_SECOND), x0 = total - x1;
    int y1 = share(x0, wy, halves == HALVES_FIRST);
    q->total = total;
    q->weight[2] = y1;
    q->weight[0] = x0 - y1;
    q->weight[3] = share(x1, wy, halves != HALVES_FIRST);
    q->weight[1] = x1 - q->weight[3];
    q->takes_part = total ? (uint8_t)(1 | (wx ? 2 : 0) | (wy ? 4 : 0) | (wx && wy ? 8 : 0)) : 0;
}

/* The layer; -1: the texture has three axes. */
static int64_t slice_of(const struct texture *t, const struct sampler_request *r)
{
    if (r->shape.axes == 3 && !r->shape.is_cube)
        return -1;
    if (!r->shape.is_layered || !t->layers)
        return 0;
    return r->layer < t->layers ? r->layer : t->layers - 1; /* a negative number counts as a large one */
}

/* Where a fetch is in one mipmap level. */
struct place {
    struct span span[3];
    int64_t slice; /* layer or face; -1: z is an axis */
    int face;      /* of a cube map whose faces are joined; else -1 */
};

static struct place find_place(const struct texture *t, const struct sampler_request *r, const uint32_t extent[3],
                               bool filters, const int64_t shift[2])
{
    struct place p = {.slice = slice_of(t, r), .face = -1};
    int axes = p.slice < 0 ? 3 : 2;
    if (r->shape.is_cube) {
        struct cube_place c =
            cube_find((float[3]){float_of(r->coordinate[0]), float_of(r->coordinate[1]), float_of(r->coordinate[2])});
        bool ends = !t->is_seamless && !r->gathers; /* a face is a texture of its own */
        for (int i = 0; i < 2; i++)
            p.span[i] = span_at((i ? c.y : c.x) * extent[i] + shift[i], 0, filters, extent[i],
                                ends && address_mode(t, i) == TEXTURE_CLAMP);
        bool is_joined = t->is_seamless && filters;
        p.face = is_joined ? c.face : -1;
        p.slice = p.slice * TEXTURE_FACES + (is_joined ? 0 : c.face);
        if (t->is_seamless && !filters) { /* the edge of a face belongs to it */
            p.span[0].first = bring_inside(p.span[0].first, extent[0], TEXTURE_CLAMP);
            p.span[1].first = bring_inside(p.span[1].first, extent[1], TEXTURE_CLAMP);
        }
        return p;
    }
    for (int axis = 0; axis < axes; axis++) {
        float x = axis < r->shape.axes ? float_of(r->coordinate[axis]) : 0;
        int64_t position = fixed_position(t, x, extent[axis]) + (axis < 2 ? shift[axis] : 0);
        p.span[axis] = span_at(position, r->offset[axis], filters, extent[axis],
                               address_mode(t, axis) == TEXTURE_CLAMP && !r->gathers);
    }
    return p;
}

/* At a corner of a cube map with joined faces, where three faces meet, there is no fourth texel: its weight goes to
 * the other three, a third to each neighbour and the rest to the texel across. */
static void share_corner(struct sampler_quad *q, int corner)
{
    int weight = q->weight[corner], third = (2 * weight + 3) / 6;
    q->weight[corner ^ 1] += third;
    q->weight[corner ^ 2] += third;
    q->weight[corner ^ 3] += weight - 2 * third;
    q->weight[corner] = 0;
    q->takes_part &= (uint8_t) ~(1u << corner);
}

static bool is_corner(int64_t x, int64_t y, int64_t extent)
{
    return (x < 0 || x >= extent) && (y < 0 || y >= extent);
}

/* The texel of a cube map with joined faces; at a corner, the nearest texel of the face. */
static uint64_t joined_texel(const struct texture *t, const struct texture_level *l, const struct place *p, int64_t x,
                             int64_t y)
{
    int64_t n = l->width;
    int face = p->face;
    bool is_outside_x = x < 0 || x >= n, is_outside_y = y < 0 || y >= n;
    if (is_outside_x && is_outside_y) {
        x = bring_inside(x, l->width, TEXTURE_CLAMP);
        y = bring_inside(y, l->width, TEXTURE_CLAMP);
    } else if (is_outside_x || is_outside_y) {
        cube_step_over(&face, &x, &y, n);
    }
    return texel_address(t, l, x, y, p->slice + face);
}

/* Adds the texels of one sample of one level, which all together have the weight `total`. The position is moved by
 * `shift`. */
static void add_sample(const struct texture *t, const struct sampler_request *r, int level, int total, bool filters,
                       const int64_t shift[2], enum halves halves, struct sampler_footprint *f)
{
    const struct texture_level *l = &t->level[level];
    const uint32_t extent[3] = {l->width, l->height ? l->height : 1, l->depth ? l->depth : 1};
    struct place p = find_place(t, r, extent, filters, shift);
    const struct span *span = p.span;
    int second = share(total, span[2].weight, false);
    for (int z = 0; z < (second ? 2 : 1); z++) {
        struct sampler_quad *q = &f->quad[f->count++];
        int64_t plane = p.slice >= 0 ? p.slice : bring_inside(span[2].first + z, extent[2], address_mode(t, 2));
        set_weights(q, z ? second : total - second, span[0].weight, span[1].weight, halves);
        for (int i = 0; i < SAMPLER_QUAD; i++) {
            int64_t x = span[0].first + (i & 1), y = span[1].first + (i >> 1);
            q->address[i] = p.face >= 0 ? joined_texel(t, l, &p, x, y)
                                        : texel_address(t, l, bring_inside(x, extent[0], address_mode(t, 0)),
                                                        bring_inside(y, extent[1], address_mode(t, 1)), plane);
        }
        for (int i = 0; p.face >= 0 && i < SAMPLER_QUAD; i++)
            if (is_corner(span[0].first + (i & 1), span[1].first + (i >> 1), extent[0]))
                share_corner(q, i);
    }
}

static void scale_weights(struct sampler_footprint *f, int first, int factor)
{
    for (int q = first; q < f->count; q++) {
        f->quad[q].total *= factor;
        for (int i = 0; i < SAMPLER_QUAD; i++)
            f->quad[q].weight[i] *= factor;
    }
}

/* Adds the samples of one level, which have `part` 256ths of all weight. */
static void add_spread(const struct texture *t, const struct sampler_request *r, const struct sampler_spread *s,
                       int level, int part, bool filters, struct sampler_footprint *f)
{
    if (!s->pairs)
        add_sample(t, r, level, part, filters, (int64_t[2]){0, 0}, HALVES_DEFAULT, f);
    for (int i = 0, before = 0; i < s->pairs; i++) {
        int weight[2] = {share(before + s->weight[i], part, true) - share(before, part, true)};
        weight[1] = s->weight_bits == WEIGHT_BITS ? part - weight[0] : weight[0];
        before += s->weight[i];
        for (int k = 0; k < 2; k++) {
            int64_t shift[2];
            for (int axis = 0; axis < 2; axis++)
                shift[axis] = (int64_t)(k ? -1 : 1) * s->offset[i] * s->step[axis] * 128;
            add_sample(t, r, level, weight[k], filters, shift,
                       s->weight_bits != WEIGHT_BITS ? HALVES_DEFAULT
                       : k                           ? HALVES_SECOND
                                                     : HALVES_FIRST,
                       f);
        }
    }
}

/* ---- fetches ---- */

/* Whether the instruction's shape is the texture's. Other fetches read zeros. */
static bool shape_fits(const struct texture *t, const struct op_shape *s)
{
    bool has_depth = t->level[0].depth && !t->layers && !t->is_cube;
    return s->is_cube ? t->is_cube : has_depth == (s->axes == 3);
}

/* Coordinates that are numbers of texels. Whatever the address mode, a number outside the texture reads zeros; if the
 * instruction names a level, the nearest texel. A level that does not exist reads zeros. */
static bool find_numbered(const struct texture *t, const struct sampler_request *r, struct sampler_footprint *f)
{
    int32_t level = r->detail == DETAIL_LEVEL ? (int32_t)r->level : 0;
    if (level < 0 || level >= t->level_count)
        return false;
    const struct texture_level *l = &t->level[level];
    const uint32_t extent[3] = {l->width, l->height ? l->height : 1, l->depth ? l->depth : 1};
    int64_t at[3] = {0, 0, slice_of(t, r)};
    if (t->layers && r->shape.is_layered && r->layer >= t->layers && r->detail != DETAIL_LEVEL)
        return false;
    for (int axis = 0; axis < r->shape.axes; axis++) {
        at[axis] = (int64_t)(int32_t)r->coordinate[axis] + (t->is_linear ? 0 : r->offset[axis]);
        if (r->detail == DETAIL_LEVEL)
            at[axis] = bring_inside(at[axis], extent[axis], TEXTURE_CLAMP);
        else if (at[axis] < 0 || at[axis] >= extent[axis])
            return false;
    }
    f->count = 1;
    f->is_single = true;
    f->quad[0] = (struct sampler_quad){
        .total = WHOLE, .weight = {WHOLE}, .address = {texel_address(t, l, at[0], at[1], at[2] < 0 ? 0 : at[2])}};
    return true;
}

bool sampler_is_line(const struct sampler_request *r)
{
    return r->is_integer && r->shape.axes == 1 && !r->shape.is_layered && !r->shape.is_cube && !r->gathers &&
           r->detail == DETAIL_BASE;
}

uint64_t sampler_line_texel(const struct texture *t, uint32_t number)
{
    return t->is_linear && shape_fits(t, &(struct op_shape){.axes = 1}) && number < t->level[0].width &&
                   number <= INT32_MAX
               ? t->level[0].address + (uint64_t)number * sampler_texel_bytes(t)
               : 0;
}

bool sampler_find(const struct texture *t, const struct sampler_request *r, struct sampler_footprint *f)
{
    f->count = 0;
    f->is_single = f->is_between = false;
    if (!shape_fits(t, &r->shape))
        return false;
    /* Numbers of texels in one dimension are for linear memory, and floats for all else. */
    bool is_line = r->shape.axes == 1 && !r->shape.is_layered;
    if (r->is_integer ? is_line != t->is_linear : t->is_linear)
        return false;
    if (r->is_integer)
        return find_numbered(t, r, f);
    struct sampler_lod d = {.level = 0};
    if (!r->gathers)
        d = sampler_find_lod(t, r);
    int level = t->filters_levels ? d.level >> WEIGHT_BITS : (d.level + WHOLE / 2) >> WEIGHT_BITS;
    int next = t->filters_levels ? d.level & (WHOLE - 1) : 0;
    bool filters = t->filters || r->gathers;
    f->weight_bits = d.ratio ? 10 : WEIGHT_BITS;
    f->is_single = !filters && !next && !d.ratio;
    f->is_between = t->filters_levels;
    for (int i = 0; i < (next ? 2 : 1); i++) {
        int first = f->count;
        struct sampler_spread s = sampler_find_spread(&d, i);
        add_spread(t, r, &s, level + i, i ? next : WHOLE - next, filters, f);
        scale_weights(f, first, 1 << (f->weight_bits - s.weight_bits));
    }
    return true;
}
