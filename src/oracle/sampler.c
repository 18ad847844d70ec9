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

static struct pair along(const struct oracle_fetch *f, int axis, int64_t size, bool filters, double shift)
{
    const struct texture *t = f->texture;
    double x = axis < f->shape.axes ? (double)as_float(f->coordinate[axis]) : 0;
    if (isnan(x) || fabs(x) < 0x1p-126)
        x = 0;
    x = fmin(fmax(x, -0x1p24), 0x1p24);
    double at = floor(x * 0x1p21) / 0x1p21 * (t->normalized_coordinates ? (double)size : 1);
    enum texture_address mode = mode_of(t, axis);
    return neighbours(at + shift, size, mode, f->offset[axis], filters, mode == TEXTURE_CLAMP && !f->gathers);
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

/* The four texels of one plane. Two near samples (`half` is 1 or 2) round exact halves to opposite sides. */
static void add_plane(struct oracle_tap *tap, int whole, int group, int half, const struct pair *x,
                      const struct pair *y)
{
    int right = part(whole, x->second, half != 2), left = whole - right;
    int lower_right = part(right, y->second, half != 1), lower_left = part(left, y->second, half == 1);
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

static int cube_taps(const struct oracle_fetch *f, const struct texture_level *l, const struct oracle_sample *s,
                     int group, bool filters, struct oracle_tap *tap)
{
    const struct texture *t = f->texture;
    double at[2];
    int64_t size = l->width;
    int face = oracle_meet_face(f, at);
    struct pair p[2];
    for (int i = 0; i < 2; i++) {
        double texels = at[i] * (double)size + s->shift[i];
        p[i] = neighbours(texels, size, mode_of(t, i), 0, filters,
                          mode_of(t, i) == TEXTURE_CLAMP && !t->is_seamless && !f->gathers);
        if (t->is_seamless && filters) {
            p[i].number[0] = (int64_t)floor(floor((texels - 0.5) * 256 + 0.5) / 256);
            p[i].number[1] = p[i].number[0] + 1;
        } else if (t->is_seamless) {
            p[i].number[0] = fold((int64_t)floor(texels), size, TEXTURE_CLAMP);
        }
    }
    int missing = -1;
    add_plane(tap, s->weight, group, s->half, &p[0], &p[1]);
    for (int i = 0; i < 4; i++) {
        int other = face;
        int64_t x = p[0].number[i & 1], y = p[1].number[i >> 1];
        if (t->is_seamless && filters) {
            if ((x < 0 || x >= size) && (y < 0 || y >= size))
                missing = i;
            oracle_go_on(&other, &x, &y, size);
        }
        tap[i].address = place(t, l, x, y, layer_of(f) * TEXTURE_FACES + other);
    }
    if (missing >= 0)
        drop_corner(tap, missing);
    return 4;
}

static int level_taps(const struct oracle_fetch *f, int level, const struct oracle_sample *s, int group, bool filters,
                      struct oracle_tap *tap)
{
    const struct texture *t = f->texture;
    const struct texture_level *l = &t->level[level];
    if (f->shape.is_cube)
        return cube_taps(f, l, s, group, filters, tap);
    struct pair x = along(f, 0, l->width, filters, s->shift[0]);
    struct pair y = along(f, 1, l->height ? l->height : 1, filters, s->shift[1]), z = {{0}, 0};
    if (f->shape.axes == 3)
        z = along(f, 2, l->depth, filters, 0);
    else
        z.number[0] = layer_of(f);
    int back = part(s->weight, z.second, false), count = 0;
    for (int k = 0; k < (back ? 2 : 1); k++, count += 4) {
        add_plane(tap + count, k ? back : s->weight - back, group + k, s->half, &x, &y);
        for (int i = 0; i < 4; i++)
            tap[count + i].address = place(t, l, x.number[i & 1], y.number[i >> 1], z.number[k]);
    }
    return count;
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
        return level_taps(f, 0, &(struct oracle_sample){.weight = 256}, 0, true, tap);
    struct oracle_detail d = oracle_find_detail(f);
    int between = t->filters_levels ? d.level % 256 : 0, count = 0, group = 0;
    int level = t->filters_levels ? d.level / 256 : (d.level + 128) / 256;
    for (int k = 0; k < (between ? 2 : 1); k++) {
        struct oracle_sample sample[ORACLE_MAX_SAMPLES];
        int samples = oracle_find_samples(&d, k, k ? between : 256 - between, sample);
        for (int i = 0; i < samples; i++, group += f->shape.axes == 3 && !f->shape.is_cube ? 2 : 1) {
            int taps = level_taps(f, level + k, &sample[i], group, t->filters, tap + count);
            for (int j = 0; j < taps && d.ratio; j++)
                tap[count + j].weight *= sample[i].unit;
            count += taps;
        }
    }
    return t->filters || between || d.ratio ? count : 1;
}
