/*
 * Positions and weights of a texture fetch.
 *
 * Coordinates become fixed-point numbers of texels with 21 fractional bits; a normalised coordinate is cut to 21
 * bits before it is multiplied by the extent. NaN and subnormal numbers count as 0. A filter takes the two texels
 * around the position along each axis, with a weight of 8 bits, rounded half up. Weights are split axis by axis (z,
 * x, y), so that they stay 8 bits wide and their sum stays 256. A 1D texture is a 2D texture of height 1 that is
 * fetched at y = 0: with a border, half of the result is the border's colour.
 */
#include "exec/sampler.h"

#include "exec/sampler_cube.h"

#include <math.h>
#include <string.h>

enum { FRACTION_BITS = 21, WEIGHT_BITS = 8, WHOLE = 1 << WEIGHT_BITS };

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

static void set_weights(struct sampler_quad *q, int total, int wx, int wy)
{
    int x1 = share(total, wx, true), x0 = total - x1;
    int y1 = share(x0, wy, false);
    q->total = total;
    q->weight[2] = y1;
    q->weight[0] = x0 - y1;
    q->weight[3] = share(x1, wy, true);
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
                               bool filters)
{
    struct place p = {.slice = slice_of(t, r), .face = -1};
    int axes = p.slice < 0 ? 3 : 2;
    if (r->shape.is_cube) {
        struct cube_place c =
            cube_find((float[3]){float_of(r->coordinate[0]), float_of(r->coordinate[1]), float_of(r->coordinate[2])});
        int64_t x = (int64_t)floor(ldexp(c.x, FRACTION_BITS)), y = (int64_t)floor(ldexp(c.y, FRACTION_BITS));
        bool ends = !t->is_seamless && !r->gathers; /* a face is a texture of its own */
        p.span[0] = span_at(x * extent[0], 0, filters, extent[0], ends && address_mode(t, 0) == TEXTURE_CLAMP);
        p.span[1] = span_at(y * extent[1], 0, filters, extent[1], ends && address_mode(t, 1) == TEXTURE_CLAMP);
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
        p.span[axis] = span_at(fixed_position(t, x, extent[axis]), r->offset[axis], filters, extent[axis],
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

/* Adds the texels of one level, which all together have the weight `total`. */
static void add_level(const struct texture *t, const struct sampler_request *r, int level, int total, bool filters,
                      struct sampler_footprint *f)
{
    const struct texture_level *l = &t->level[level];
    const uint32_t extent[3] = {l->width, l->height ? l->height : 1, l->depth ? l->depth : 1};
    struct place p = find_place(t, r, extent, filters);
    const struct span *span = p.span;
    int second = share(total, span[2].weight, false);
    for (int z = 0; z < (second ? 2 : 1); z++) {
        struct sampler_quad *q = &f->quad[f->count++];
        int64_t plane = p.slice >= 0 ? p.slice : bring_inside(span[2].first + z, extent[2], address_mode(t, 2));
        set_weights(q, z ? second : total - second, span[0].weight, span[1].weight);
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

/* ---- levels of detail ---- */

/* Logarithms of 1 + i/256, in 256ths, as an H200 takes them. */
static const uint8_t logarithm[256] = {
    0,   2,   4,   5,   6,   8,   9,   11,  12,  13,  15,  16,  18,  19,  20,  22,  23,  24,  26,  27,  28,  30,
    31,  32,  34,  35,  36,  38,  39,  40,  42,  43,  44,  45,  47,  48,  49,  50,  52,  53,  54,  55,  57,  58,
    59,  60,  62,  63,  64,  65,  66,  68,  69,  70,  71,  72,  74,  75,  76,  77,  78,  79,  81,  82,  83,  84,
    85,  86,  88,  89,  90,  91,  92,  93,  94,  95,  97,  98,  99,  100, 101, 102, 103, 104, 105, 106, 107, 109,
    110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131,
    132, 133, 135, 136, 137, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153,
    154, 155, 156, 157, 158, 159, 160, 161, 162, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 173,
    174, 175, 176, 177, 178, 179, 180, 181, 181, 182, 183, 184, 185, 186, 187, 188, 188, 189, 190, 191, 192, 193,
    194, 195, 195, 196, 197, 198, 199, 200, 200, 201, 202, 203, 204, 205, 205, 206, 207, 208, 209, 210, 210, 211,
    212, 213, 214, 214, 215, 216, 217, 218, 218, 219, 220, 221, 222, 222, 223, 224, 225, 226, 226, 227, 228, 229,
    229, 230, 231, 232, 233, 233, 234, 235, 236, 236, 237, 238, 239, 239, 240, 241, 242, 242, 243, 244, 245, 245,
    246, 247, 248, 248, 249, 250, 251, 251, 252, 253, 253, 254, 255, 255,
};

/* The logarithm of a length in texels, in 256ths. */
static int level_of_length(float length)
{
    uint32_t bits;
    memcpy(&bits, &length, 4);
    return ((int)(bits >> 23) - 127) * WHOLE + logarithm[bits >> 15 & 255];
}

/* The length of a vector: its largest component and 11/32 of the others. */
static float length_of(const float v[3])
{
    float most = fmaxf(fmaxf(v[0], v[1]), v[2]);
    return isinf(most) ? most : most + (v[0] + v[1] + v[2] - most) * (11.0f / 32);
}

/* The level of detail that derivatives ask for, in 256ths: the logarithm of the longest of both derivatives and
 * 11/16 of their sum, all components without signs, as on an H200. */
static int gradient_level(const struct texture *t, const struct sampler_request *r)
{
    const struct texture_level *l = &t->level[0];
    const float extent[3] = {(float)l->width, (float)(l->height ? l->height : 1), (float)(l->depth ? l->depth : 1)};
    float v[2][3] = {{0}}, sum[3] = {0};
    for (int axis = 0; axis < r->shape.axes; axis++)
        for (int d = 0; d < 2; d++) {
            float x = fabsf(r->gradient[d][axis] * (t->normalized_coordinates ? extent[axis] : 1));
            v[d][axis] = isnan(x) ? 0 : x;
            sum[axis] += v[d][axis];
        }
    return level_of_length(fmaxf(fmaxf(length_of(v[0]), length_of(v[1])), length_of(sum) * (11.0f / 16)));
}

/* Cut toward zero; far away where the number is too large. */
static int in_256ths(float level)
{
    return (int)truncf(fminf(fmaxf(level, -0x1p16f), 0x1p16f) * WHOLE);
}

/* The level of detail in 256ths, clamped as the texture says and to the levels that exist. */
static int level_of_detail(const struct texture *t, const struct sampler_request *r)
{
    int detail = 0;
    if (r->detail == DETAIL_LEVEL)
        detail = isnan(float_of(r->level)) ? 0 : in_256ths(float_of(r->level));
    else if (r->detail == DETAIL_GRADIENT)
        detail = gradient_level(t, r);
    if (r->detail != DETAIL_BASE)
        detail += in_256ths(t->level_bias);
    int least = in_256ths(t->least_level), most = in_256ths(t->most_level), last = (t->level_count - 1) * WHOLE;
    detail = detail > most ? most : detail;
    detail = detail < least ? least : detail;
    return detail < 0 ? 0 : detail > last ? last : detail;
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
    int detail = r->gathers ? 0 : level_of_detail(t, r);
    int level = t->filters_levels ? detail >> WEIGHT_BITS : (detail + WHOLE / 2) >> WEIGHT_BITS;
    int next = t->filters_levels ? detail & (WHOLE - 1) : 0;
    bool filters = t->filters || r->gathers;
    f->is_single = !filters && !next;
    f->is_between = t->filters_levels;
    for (int i = 0; i < (next ? 2 : 1); i++) {
        int part = i ? next : WHOLE - next;
        add_level(t, r, level + i, part, filters, f);
    }
    return true;
}
