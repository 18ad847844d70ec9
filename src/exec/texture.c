/*
 * Texture fetches: 1D linear memory and 2D pitched memory with point filtering. Other filters and shapes are not
 * modelled.
 *
 * A fetch by integer coordinates takes the texel with that index; an index outside the texture reads 0, whatever the
 * address mode. A fetch by float coordinates takes the texel whose cell the point lies in; the address mode maps points
 * outside the texture. A fetch from linear memory by float coordinates reads 0 everywhere.
 */
#include "exec/texture.h"

#include "base/bits.h"
#include "base/half.h"
#include "exec/engine_fault.h"
#include "exec/operand.h"

#include <math.h>
#include <string.h>

/* The texture of a handle; NULL: there is none. Textures found before are remembered by a hash of the handle, so that a
 * program with many textures does not search through them at each fetch. */
static const struct texture *find_texture(struct engine *e, uint64_t handle)
{
    const struct texture **recent = &e->recent_texture[(handle * UINT64_C(0x9e3779b97f4a7c15) >> 32) % ENGINE_TEXTURES];
    if (*recent && (*recent)->handle == handle)
        return *recent;
    for (int i = 0; i < e->launch->texture_count; i++)
        if (e->launch->textures[i].handle == handle)
            return *recent = &e->launch->textures[i];
    return NULL;
}

/* The texel index of a coordinate, which may lie outside the texture. Coordinates too large for an integer, and NaN,
 * become an index far outside. */
static int64_t texel_number(const struct texture *t, uint32_t bits, bool is_float, uint32_t extent)
{
    if (!is_float)
        return (int32_t)bits;
    float f;
    memcpy(&f, &bits, 4);
    double x = t->normalized_coordinates ? (double)f * extent : f;
    if (!(fabs(x) < 1e15))
        return x > 0 ? INT64_MAX / 2 : -1;
    return (int64_t)floor(x);
}

/* Maps a texel index into the texture by the address mode. False: the texel is outside and reads as 0. */
static bool bring_inside(int64_t *x, uint32_t extent, enum texture_address mode, bool normalized)
{
    if (*x >= 0 && *x < extent)
        return true;
    if (mode == TEXTURE_BORDER)
        return false;
    int64_t n = extent;
    if (mode == TEXTURE_WRAP && normalized) {
        *x = (*x % n + n) % n;
    } else if (mode == TEXTURE_MIRROR && normalized) {
        int64_t m = (*x % (2 * n) + 2 * n) % (2 * n);
        *x = m < n ? m : 2 * n - 1 - m;
    } else { /* wrap and mirror need normalised coordinates; without these the hardware clamps */
        *x = *x < 0 ? 0 : n - 1;
    }
    return true;
}

static uint32_t float_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}

static uint32_t channel_value(const struct texture *t, const uint8_t *texel, int channel)
{
    unsigned bytes = type_bytes((enum type)t->texel_type);
    uint32_t raw = 0;
    memcpy(&raw, texel + (unsigned)channel * bytes, bytes);
    switch (t->texel_type) {
    case TYPE_U8:
        return t->read_normalized ? float_bits((float)raw / 255.0f) : raw;
    case TYPE_U16:
        return t->read_normalized ? float_bits((float)raw / 65535.0f) : raw;
    case TYPE_S8:
        return t->read_normalized ? float_bits(fmaxf((float)(int8_t)raw / 127.0f, -1.0f)) : (uint32_t)(int8_t)raw;
    case TYPE_S16:
        return t->read_normalized ? float_bits(fmaxf((float)(int16_t)raw / 32767.0f, -1.0f)) : (uint32_t)(int16_t)raw;
    case TYPE_F16:
        return half_to_f32_bits((uint16_t)raw);
    default:
        return raw;
    }
}

/* The indices of the texel, mapped into the texture. False: the texel reads as 0. */
static bool find_inside(const struct texture *t, const uint32_t coordinate[2], bool is_float, bool two_dimensions,
                        int64_t number[2])
{
    uint32_t extent[2] = {t->width, t->height};
    number[1] = 0;
    if (is_float && !two_dimensions && !t->height)
        return false;
    for (int d = 0; d < (two_dimensions ? 2 : 1); d++) {
        enum texture_address mode = is_float ? (enum texture_address)t->address_mode[d] : TEXTURE_BORDER;
        number[d] = texel_number(t, coordinate[d], is_float, extent[d]);
        if (!bring_inside(&number[d], extent[d], mode, t->normalized_coordinates))
            return false;
    }
    return true;
}

/* Operands of a fetch, by lane. */
struct texture_fetch {
    const void *handles;
    unsigned handle_bits;
    const uint32_t *x, *y;
    bool is_float, two_dimensions;
    uint64_t handle;               /* of the lane before: mostly, all lanes of a row have one handle */
    const struct texture *texture; /* of that handle; NULL: there is none */
};

static struct texture_fetch read_fetch(struct engine *e, const struct bound *in)
{
    struct texture_fetch f = {
        .handles = operand_source(e, in, 0), .handle_bits = in->source_bits[0], .x = operand_source(e, in, 1)};
    f.y = in->source_count > 2 ? operand_source(e, in, 2) : f.x;
    f.is_float = in->insn->suffixes.type[1] == TYPE_F32;
    f.two_dimensions = in->insn->suffixes.mod[GROUP_GEOM] == GEOM_D2;
    return f;
}

/* The texture that the lane fetches from; NULL: its handle names none. */
static const struct texture *texture_of(struct engine *e, struct texture_fetch *f, int lane)
{
    uint64_t handle = lanes_value(f->handles, f->handle_bits, lane);
    if (!f->texture || handle != f->handle) {
        f->handle = handle;
        f->texture = find_texture(e, handle);
    }
    return f->texture;
}

static uint32_t texel_bytes(const struct texture *t)
{
    return t->channels * type_bytes((enum type)t->texel_type);
}

/* The generic address of the lane's texel. False: the texel reads as 0. */
static bool find_texel(const struct texture_fetch *f, const struct texture *t, int lane, uint64_t *address)
{
    int64_t number[2];
    if (!find_inside(t, (uint32_t[2]){f->x[lane], f->y[lane]}, f->is_float, f->two_dimensions, number))
        return false;
    *address = t->address + (uint64_t)number[1] * t->pitch_bytes + (uint64_t)number[0] * texel_bytes(t);
    return true;
}

uint32_t texture_addresses(struct engine *e, const struct bound *in, uint32_t mask, uint64_t address[ROW_LANES],
                           uint32_t *bytes)
{
    struct texture_fetch f = read_fetch(e, in);
    uint32_t inside = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        int i = bits_lowest(left);
        const struct texture *t = texture_of(e, &f, i);
        if (!t || !find_texel(&f, t, i, &address[i])) /* a handle without a texture faults when the fetch is executed */
            continue;
        inside |= 1u << i;
        *bytes = texel_bytes(t) > *bytes ? texel_bytes(t) : *bytes;
    }
    return inside;
}

/* Host pointer to a texel; NULL: its memory does not exist any more. `last` is the allocation that the instruction
 * accessed last. */
static const uint8_t *texel_host(struct engine *e, struct segment *last, uint64_t address, uint32_t bytes)
{
    if (address - last->base >= last->bytes) {
        const struct allocation *a = memory_find(e->memory, address);
        if (!a)
            return NULL;
        *last = (struct segment){a->address, a->bytes, a->host, a->is_constant};
    }
    uint64_t offset = address - last->base;
    return bytes <= last->bytes - offset ? last->host + offset : NULL;
}

bool texture_execute(struct engine *e, const struct bound *in, uint32_t mask)
{
    struct texture_fetch f = read_fetch(e, in);
    struct segment *last = &e->last[in - e->code->bound];
    uint32_t texel[4][ROW_LANES] = {{0}};
    for (uint32_t left = mask; left; left &= left - 1) {
        int i = bits_lowest(left);
        uint64_t address;
        const struct texture *t = texture_of(e, &f, i);
        if (!t)
            return engine_fault(e, in, 1u << i, FAULT_OUT_OF_BOUNDS, "no texture object has the handle 0x%llx",
                                (unsigned long long)f.handle);
        const uint8_t *from = find_texel(&f, t, i, &address) ? texel_host(e, last, address, texel_bytes(t)) : NULL;
        for (int c = 0; c < 4; c++) /* channels that the format lacks read as 0 */
            texel[c][i] = from && c < t->channels ? channel_value(t, from, c) : 0;
    }
    for (int c = 0; c < 4 && c < in->dest_count; c++)
        operand_write(e, in, c, texel[c], mask);
    return true;
}
