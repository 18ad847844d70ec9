/*
 * The oracle's texture unit: which texels a fetch takes. PTX leaves the precision open; the rules are those that an
 * NVIDIA H200 was seen to follow, written here in floating point, axis by axis, for one thread.
 */
#include "oracle/sampler.h"

#include <math.h>
#include <string.h>

static float as_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* Two neighbours along an axis, after the address mode, and what part of 256 goes to the second. */
struct pair {
    int64_t number[2]; /* -1: the border */
    int second;
};

static int64_t fold(int64_t i, int64_t size, enum texture_address mode)
{
    bool is_inside = i >= 0 && i < size;
    if (is_inside)
        return i;
    if (mode == TEXTURE_CLAMP)
        return i < 0 ? 0 : size - 1;
    if (mode == TEXTURE_BORDER)
        return -1;
    int64_t turn = mode == TEXTURE_WRAP ? size : 2 * size;
    i -= (int64_t)floor((double)i / (double)turn) * turn;
    return i < size ? i : 2 * size - 1 - i;
}

static enum texture_address mode_of(const struct texture *t, int axis)
{
    enum texture_address mode = (enum texture_address)t->address_mode[axis];
    bool is_layer = axis == 1 && t->layers && !t->level[0].height; /* of a 1D texture */
    if (is_layer)
        return TEXTURE_CLAMP;
    bool repeats = mode == TEXTURE_WRAP || mode == TEXTURE_MIRROR;
    return repeats && !t->normalized_coordinates ? TEXTURE_CLAMP : mode;
}

/* `at` is a position in texels, with 21 bits behind the point. */
static struct pair neighbours(double at, int64_t size, enum texture_address mode, int offset, bool filters,
                              bool clamps_first)
{
    struct pair p = {.second = 0};
    at += offset;
    int64_t first = (int64_t)floor(at);
    if (filters) {
        double steps = floor((at - 0.5) * 256 + 0.5);
        if (clamps_first)
            steps = fmin(fmax(steps, 0), (double)(size - 1) * 256);
        first = (int64_t)floor(steps / 256);
        p.second = (int)(steps - (double)first * 256);
    }
    for (int i = 0; i < 2; i++)
        p.number[i] = fold(first + i, size, mode);
    return p;
}

static struct pair along(const struct oracle_fetch *f, int axis, int64_t size, bool filters)
{
    const struct texture *t = f->texture;
    double x = axis < f->shape.axes ? (double)as_float(f->coordinate[axis]) : 0;
    if (isnan(x) || fabs(x) < 0x1p-126)
        x = 0;
    x = fmin(fmax(x, -0x1p24), 0x1p24);
    double at = floor(x * 0x1p21) / 0x1p21 * (t->normalized_coordinates ? (double)size : 1);
    enum texture_address mode = mode_of(t, axis);
    return neighbours(at, size, mode, f->offset[axis], filters, mode == TEXTURE_CLAMP && !f->gathers);
}

/* ---- cube maps ---- */

/* Directions of a face's centre, of its rows and of its columns. */
static const double face_axes[6][3][3] = {
    {{1, 0, 0}, {0, 0, -1}, {0, -1, 0}}, {{-1, 0, 0}, {0, 0, 1}, {0, -1, 0}}, {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}},
    {{0, -1, 0}, {1, 0, 0}, {0, 0, -1}}, {{0, 0, 1}, {1, 0, 0}, {0, -1, 0}},  {{0, 0, -1}, {-1, 0, 0}, {0, -1, 0}},
};

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The face that a direction meets: of equal components, z goes before y and y before x. */
static int face_of(const double d[3])
{
    int axis = 2;
    for (int i = 1; i >= 0; i--)
        if (fabs(d[i]) > fabs(d[axis]))
            axis = i;
    return 2 * axis + (signbit(d[axis]) ? 1 : 0);
}

/* Positions on the face, from 0 to 1. */
static int meet_face(const struct oracle_fetch *f, double at[2])
{
    double d[3];
    bool is_infinite = false;
    for (int i = 0; i < 3; i++) {
        d[i] = (double)as_float(f->coordinate[i]);
        d[i] = isnan(d[i]) ? 0 : d[i];
        is_infinite |= isinf(d[i]);
    }
    at[0] = at[1] = 0.5;
    if (is_infinite)
        return isinf(d[0]) || isinf(d[1]) ? 4 : 2;
    int face = face_of(d);
    double depth = dot(d, face_axes[face][0]);
    for (int i = 0; i < 2 && depth > 0; i++)
        at[i] = dot(d, face_axes[face][i + 1]) / depth * 0.5 + 0.5;
    return face;
}

/* The texel beside a face whose filters go on from face to face. */
static void go_on(int *face, int64_t *x, int64_t *y, int64_t size)
{
    double s = (2 * (double)*x + 1) / (double)size - 1, t = (2 * (double)*y + 1) / (double)size - 1, d[3];
    bool is_corner = fabs(s) > 1 && fabs(t) > 1;
    if (fabs(s) < 1 && fabs(t) < 1)
        return;
    if (is_corner) {
        *x = fold(*x, size, TEXTURE_CLAMP);
        *y = fold(*y, size, TEXTURE_CLAMP);
        return;
    }
    /* Over the edge, the outer component is 1, and the depth that of the row next to the edge. */
    double depth = 1 - 1 / (double)size;
    for (int i = 0; i < 3; i++)
        d[i] = depth * face_axes[*face][0][i] + fmin(fmax(s, -1), 1) * face_axes[*face][1][i] +
               fmin(fmax(t, -1), 1) * face_axes[*face][2][i];
    *face = face_of(d);
    *x = (int64_t)floor((dot(d, face_axes[*face][1]) * 0.5 + 0.5) * (double)size);
    *y = (int64_t)floor((dot(d, face_axes[*face][2]) * 0.5 + 0.5) * (double)size);
}

/* ---- taps ---- */

static uint64_t place(const struct texture *t, const struct texture_level *l, int64_t x, int64_t y, int64_t z)
{
    uint64_t texel = (uint64_t)t->channels * type_bytes((enum type)t->texel_type);
    return x < 0 || y < 0 || z < 0
               ? 0
               : l->address + (uint64_t)x * texel + (uint64_t)y * l->row_bytes + (uint64_t)z * l->slice_bytes;
}

/* Splits a weight between two texels: the part of the second, exact halves going up or down. */
static int part(int whole, int second, bool up)
{
    double exact = (double)whole * second / 256;
    return (int)(up ? floor(exact + 0.5) : ceil(exact - 0.5));
}

/* The four texels of one plane. */
static void add_plane(struct oracle_tap *tap, int whole, int group, const struct pair *x, const struct pair *y)
{
    int right = part(whole, x->second, true), left = whole - right;
    int lower_right = part(right, y->second, true), lower_left = part(left, y->second, false);
    const int weight[4] = {left - lower_left, right - lower_right, lower_left, lower_right};
    for (int i = 0; i < 4; i++) {
        tap[i].weight = weight[i];
        tap[i].group = group;
        tap[i].counts = whole && (!(i & 1) || x->second) && (!(i & 2) || y->second);
    }
}

static int64_t layer_of(const struct oracle_fetch *f)
{
    if (!f->shape.is_layered || !f->texture->layers)
        return 0;
    return f->layer < f->texture->layers ? f->layer : f->texture->layers - 1;
}

/* Where three faces meet, a filter has three texels: the weight of the fourth is divided among them. */
static void drop_corner(struct oracle_tap *tap, int missing)
{
    int lost = tap[missing].weight, third = (int)floor(lost / 3.0 + 0.5);
    tap[missing ^ 1].weight += third;
    tap[missing ^ 2].weight += third;
    tap[missing ^ 3].weight += lost - 2 * third;
    tap[missing].weight = 0;
    tap[missing].counts = false;
}

static int cube_taps(const struct oracle_fetch *f, const struct texture_level *l, int whole, int group, bool filters,
                     struct oracle_tap *tap)
{
    const struct texture *t = f->texture;
    double at[2];
    int64_t size = l->width;
    int face = meet_face(f, at);
    struct pair p[2];
    for (int i = 0; i < 2; i++) {
        p[i] = neighbours(floor(at[i] * 0x1p21) / 0x1p21 * (double)size, size, mode_of(t, i), 0, filters,
                          mode_of(t, i) == TEXTURE_CLAMP && !t->is_seamless && !f->gathers);
        double texels = floor(at[i] * 0x1p21) / 0x1p21 * (double)size;
        if (t->is_seamless && filters) {
            p[i].number[0] = (int64_t)floor(floor((texels - 0.5) * 256 + 0.5) / 256);
            p[i].number[1] = p[i].number[0] + 1;
        } else if (t->is_seamless) {
            p[i].number[0] = fold((int64_t)floor(texels), size, TEXTURE_CLAMP);
        }
    }
    int missing = -1;
    add_plane(tap, whole, group, &p[0], &p[1]);
    for (int i = 0; i < 4; i++) {
        int other = face;
        int64_t x = p[0].number[i & 1], y = p[1].number[i >> 1];
        if (t->is_seamless && filters) {
            if ((x < 0 || x >= size) && (y < 0 || y >= size))
                missing = i;
            go_on(&other, &x, &y, size);
        }
        tap[i].address = place(t, l, x, y, layer_of(f) * TEXTURE_FACES + other);
    }
    if (missing >= 0)
        drop_corner(tap, missing);
    return 4;
}

static int level_taps(const struct oracle_fetch *f, int level, int whole, int group, bool filters,
                      struct oracle_tap *tap)
{
    const struct texture *t = f->texture;
    const struct texture_level *l = &t->level[level];
    if (f->shape.is_cube)
        return cube_taps(f, l, whole, group, filters, tap);
    struct pair x = along(f, 0, l->width, filters), y = along(f, 1, l->height ? l->height : 1, filters), z = {{0}, 0};
    if (f->shape.axes == 3)
        z = along(f, 2, l->depth, filters);
    else
        z.number[0] = layer_of(f);
    int back = part(whole, z.second, false), count = 0;
    for (int k = 0; k < (back ? 2 : 1); k++, count += 4) {
        add_plane(tap + count, k ? back : whole - back, group + k, &x, &y);
        for (int i = 0; i < 4; i++)
            tap[count + i].address = place(t, l, x.number[i & 1], y.number[i >> 1], z.number[k]);
    }
    return count;
}

/* ---- levels ---- */

/* The H200's logarithms of 1 to 2 in 256 steps, in 256ths: those of the middles of the steps, rounded; in some
 * steps one less. */
static int table_logarithm(int step)
{
    static const uint8_t less[] = {0, 61, 86, 108, 109, 110, 111, 115, 116, 117, 141, 162, 170, 255};
    int rounded = (int)floor(log2(1 + (step + 0.5) / 256) * 256 + 0.5);
    for (size_t i = 0; i < sizeof less; i++)
        rounded -= less[i] == step;
    return rounded;
}

/* max + 11/32 (sum - max), of components without signs */
static float approximate_length(const float *v, int count)
{
    float largest = 0, sum = 0;
    for (int i = 0; i < count; i++) {
        largest = v[i] > largest ? v[i] : largest;
        sum += v[i];
    }
    return isinf(largest) ? largest : largest + (sum - largest) * (11.0f / 32);
}

/* The longest of the two derivatives, and of 11/16 of their sum, in texels. */
static int gradient_detail(const struct oracle_fetch *f)
{
    const struct texture_level *l = &f->texture->level[0];
    const double size[3] = {l->width, l->height ? l->height : 1, l->depth ? l->depth : 1};
    float v[3][3] = {{0}}, longest = 0;
    for (int i = 0; i < f->shape.axes; i++) {
        for (int d = 0; d < 2; d++) {
            v[d][i] = (float)fabs((double)f->gradient[d][i] * (f->texture->normalized_coordinates ? size[i] : 1));
            v[d][i] = isnan(v[d][i]) ? 0 : v[d][i];
        }
        v[2][i] = v[0][i] + v[1][i];
    }
    for (int k = 0; k < 3; k++) {
        float length = approximate_length(v[k], 3) * (k == 2 ? 11.0f / 16 : 1);
        longest = length > longest ? length : longest;
    }
    if (isinf(longest) || longest == 0)
        return longest > 0 ? 128 * 256 : -127 * 256;
    int exponent = ilogbf(longest);
    return exponent * 256 + table_logarithm((int)(((double)longest / exp2(exponent) - 1) * 256));
}

static int cut_detail(float level)
{
    return (int)trunc(fmin(fmax((double)level, -65536), 65536) * 256);
}

static int detail_of(const struct oracle_fetch *f)
{
    const struct texture *t = f->texture;
    float named = as_float(f->level);
    int detail = f->has_level ? isnan(named) ? 0 : cut_detail(named) : f->has_gradient ? gradient_detail(f) : 0;
    if (f->has_level || f->has_gradient)
        detail += cut_detail(t->level_bias);
    if (detail > cut_detail(t->most_level))
        detail = cut_detail(t->most_level);
    if (detail < cut_detail(t->least_level))
        detail = cut_detail(t->least_level);
    int last = (t->level_count - 1) * 256;
    return detail < 0 ? 0 : detail > last ? last : detail;
}

/* ---- fetches ---- */

static int number_taps(const struct oracle_fetch *f, struct oracle_tap *tap)
{
    const struct texture *t = f->texture;
    int64_t level = f->has_level ? (int32_t)f->level : 0, at[3] = {0, 0, 0};
    if (level < 0 || level >= t->level_count)
        return 0;
    const struct texture_level *l = &t->level[level];
    const int64_t size[3] = {l->width, l->height ? l->height : 1, l->depth ? l->depth : 1};
    if (f->shape.is_layered && t->layers && f->layer >= t->layers && !f->has_level)
        return 0;
    if (f->shape.axes < 3)
        at[2] = layer_of(f);
    for (int i = 0; i < f->shape.axes; i++) {
        at[i] = fold((int64_t)(int32_t)f->coordinate[i] + (t->is_linear ? 0 : f->offset[i]), size[i],
                     f->has_level ? TEXTURE_CLAMP : TEXTURE_BORDER);
        if (at[i] < 0)
            return 0;
    }
    tap[0] = (struct oracle_tap){.address = place(t, l, at[0], at[1], at[2]), .weight = 256, .counts = true};
    return 1;
}

int oracle_taps(const struct oracle_fetch *f, struct oracle_tap tap[ORACLE_MAX_TAPS])
{
    const struct texture *t = f->texture;
    bool is_solid = t->level[0].depth && !t->layers && !t->is_cube;
    if (f->shape.is_cube ? !t->is_cube : is_solid != (f->shape.axes == 3))
        return 0;
    bool is_line = f->shape.axes == 1 && !f->shape.is_layered;
    if (f->by_number ? is_line != t->is_linear : t->is_linear) /* integers along a line are for linear memory alone */
        return 0;
    if (f->by_number)
        return number_taps(f, tap);
    if (f->gathers)
        return level_taps(f, 0, 256, 0, true, tap);
    int detail = detail_of(f), between = t->filters_levels ? detail % 256 : 0;
    int level = t->filters_levels ? detail / 256 : (detail + 128) / 256;
    int count = level_taps(f, level, 256 - between, 0, t->filters, tap);
    if (between)
        return count + level_taps(f, level + 1, between, 2, t->filters, tap + count);
    return t->filters ? count : 1;
}
