/*
 * Texture fetches: finds the texture and the operands of each thread, asks the sampler which texels are read
 * (sampler.h), and reads them. And queries: the size of a texture or surface, and what an address names.
 *
 * Not modelled: samplers apart from textures and multi-sample textures, which CUDA does not make, and sparse textures
 * (every texel is resident).
 */
#include "exec/texture.h"

#include "base/bits.h"
#include "base/half.h"
#include "exec/engine_fault.h"
#include "exec/operand.h"
#include "exec/surface.h"
#include "image/sampler.h"

#include <string.h>

/* The texture of a handle; NULL: there is none. Textures found before are remembered by a hash of the handle, so
 * that a program with many textures does not search through them at each fetch. */
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

/* Operands of a fetch: 32 lanes each, or NULL. */
struct texture_fetch {
    const void *handles;
    unsigned handle_bits;
    const uint32_t *layer, *coordinate[3], *level, *gradient[2][3], *offset[3];
    struct sampler_request request; /* what is the same for all lanes */
    bool is_line;                   /* see sampler_is_line() */
    uint64_t handle;                /* of the lane before: mostly, all lanes of a row have one handle */
    const struct texture *texture;  /* of that handle; NULL: there is none */
};

/* The operands stand in this order: handle, layer, coordinates; a sampler, which has no effect, since the H200 takes
 * that of the texture; level, or derivatives; offsets, unless absent; and a depth to compare texels with, which has no
 * effect: CUDA makes no depth textures, and of others the H200 gives the texels. */
static struct texture_fetch read_fetch(struct engine *e, const struct bound *in)
{
    const struct suffixes *s = &in->insn->suffixes;
    struct op_shape shape = suffixes_shape(s);
    struct texture_fetch f = {
        .handles = operand_source(e, in, 0), .handle_bits = in->source_bits[0], .request = {.shape = shape}};
    /* With derivatives, the H200 takes the bits of integer coordinates as floating-point numbers. */
    f.request.is_integer = s->type[1] == TYPE_S32 && !suffixes_has(s, FLAG_GRAD);
    f.request.gathers = in->insn->op == OP_TLD4;
    int at = 1;
    if (shape.is_layered)
        f.layer = operand_texture_source(e, in, at++);
    for (int i = 0; i < shape.axes; i++)
        f.coordinate[i] = operand_texture_source(e, in, at++);
    at += (in->insn->flags & INSN_SAMPLER) != 0;
    if (suffixes_has(s, FLAG_LEVEL)) {
        f.request.detail = DETAIL_LEVEL;
        f.level = operand_texture_source(e, in, at++);
    } else if (suffixes_has(s, FLAG_GRAD)) {
        f.request.detail = DETAIL_GRADIENT;
        for (int d = 0; d < 2; d++)
            for (int i = 0; i < shape.axes; i++)
                f.gradient[d][i] = operand_texture_source(e, in, at++);
    }
    bool has_offsets = in->insn->source[at].kind != REF_NONE;
    for (int i = 0; has_offsets && i < shape.axes; i++)
        f.offset[i] = operand_texture_source(e, in, at + i);
    bool has_depth = in->insn->source[at + (has_offsets ? shape.axes : 1)].kind != REF_NONE;
    f.request.has_neighbours = shape.axes == 3 || has_depth;
    f.is_line = sampler_is_line(&f.request);
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

/* An offset is a number of four bits, of tld4 one of six bits. */
static int32_t offset_of(uint32_t word, bool gathers)
{
    int unused = gathers ? 26 : 28;
    return (int32_t)(word << unused) >> unused;
}

/* The texels that the lane fetches. False: it reads zeros. */
static bool find_texels(struct texture_fetch *f, const struct texture *t, int lane, struct sampler_footprint *out)
{
    struct sampler_request *r = &f->request;
    for (int i = 0; i < r->shape.axes; i++)
        r->coordinate[i] = f->coordinate[i][lane];
    if (f->layer)
        r->layer = f->layer[lane];
    if (f->level)
        r->level = f->level[lane];
    for (int i = 0; r->detail == DETAIL_GRADIENT && i < r->shape.axes; i++) {
        memcpy(&r->gradient[0][i], &f->gradient[0][i][lane], 4);
        memcpy(&r->gradient[1][i], &f->gradient[1][i][lane], 4);
    }
    for (int i = 0; f->offset[0] && i < r->shape.axes; i++)
        r->offset[i] = offset_of(f->offset[i][lane], r->gathers);
    if (f->offset[0] &&
        r->shape.axes == 1) /* the word's next four bits are the offset of the row, which is the only one */
        r->offset[1] = offset_of(f->offset[0][lane] >> 4, false);
    return sampler_find(t, r, out);
}

/* The address of the first texel that the lane fetches; 0: it fetches none. */
static uint64_t first_texel(struct texture_fetch *f, const struct texture *t, int lane)
{
    struct sampler_footprint found;
    if (f->is_line)
        return sampler_line_texel(t, f->coordinate[0][lane]);
    if (find_texels(f, t, lane, &found))
        for (int k = 0; k < SAMPLER_QUAD; k++)
            if (found.quad[0].address[k])
                return found.quad[0].address[k];
    return 0;
}

uint32_t texture_addresses(struct engine *e, const struct bound *in, uint32_t mask, uint64_t address[ROW_LANES],
                           uint32_t *bytes)
{
    struct texture_fetch f = read_fetch(e, in);
    uint32_t inside = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        int i = bits_lowest(left);
        const struct texture *t = texture_of(e, &f, i);
        address[i] = t ? first_texel(&f, t, i) : 0; /* without a texture, the fetch faults when it is executed */
        if (!address[i])
            continue;
        inside |= 1u << i;
        *bytes = sampler_texel_bytes(t) > *bytes ? sampler_texel_bytes(t) : *bytes;
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

static void find_hosts(struct engine *e, struct segment *last, const struct texture *t,
                       const struct sampler_footprint *f, sampler_texels texel)
{
    for (int q = 0; q < f->count; q++)
        for (int i = 0; i < (f->is_single ? 1 : SAMPLER_QUAD); i++)
            texel[q][i] =
                f->quad[q].address[i] ? texel_host(e, last, f->quad[q].address[i], sampler_texel_bytes(t)) : NULL;
}

/* tld4: one channel of the texels, counter-clockwise from the lower left. */
static void gather(const struct texture *t, const struct bound *in, sampler_texels texel, uint32_t value[4])
{
    static const int order[4] = {2, 3, 1, 0};
    int channel = in->insn->suffixes.mod[GROUP_COMP] - COMP_R;
    for (int i = 0; i < 4; i++)
        value[i] = sampler_gathered(t, texel[0][order[i]], channel);
}

static void fetch_lane(struct engine *e, const struct bound *in, struct texture_fetch *f, int lane, uint32_t value[4])
{
    struct sampler_footprint found;
    sampler_texels texel;
    const struct texture *t = f->texture;
    struct segment *last = &e->last[in - e->code->bound];
    memset(value, 0, 4 * sizeof *value);
    if (f->is_line) {
        const uint64_t address = sampler_line_texel(t, f->coordinate[0][lane]);
        const uint8_t *host = address ? texel_host(e, last, address, sampler_texel_bytes(t)) : NULL;
        for (int c = 0; address && c < t->channels; c++)
            value[c] = sampler_texel(t, host, c);
        return;
    }
    if (!find_texels(f, t, lane, &found))
        return;
    find_hosts(e, last, t, &found, texel);
    if (f->request.gathers) {
        gather(t, in, texel, value);
        return;
    }
    for (int c = 0; c < t->channels; c++)
        value[c] = sampler_channel(t, &found, texel, c);
}

bool texture_execute(struct engine *e, const struct bound *in, uint32_t mask)
{
    struct texture_fetch f = read_fetch(e, in);
    const enum type type = (enum type)in->insn->suffixes.type[0];
    uint32_t value[4][ROW_LANES] = {{0}};
    uint16_t narrow[4][ROW_LANES] = {{0}};
    for (uint32_t left = mask; left; left &= left - 1) {
        int i = bits_lowest(left);
        uint32_t v[4];
        if (!texture_of(e, &f, i))
            return engine_fault(e, in, 1u << i, FAULT_OUT_OF_BOUNDS, "no texture object has the handle 0x%llx",
                                (unsigned long long)f.handle);
        fetch_lane(e, in, &f, i, v);
        for (int c = 0; c < 4; c++) {
            value[c][i] = v[c];
            if (type == TYPE_F16 || type == TYPE_F16X2)
                narrow[c][i] = half_from_f32_bits(v[c]);
        }
        if (type == TYPE_F16X2)
            for (int c = 0; c < 2; c++)
                value[c][i] = (uint32_t)narrow[2 * c][i] | (uint32_t)narrow[2 * c + 1][i] << 16;
    }
    int elements = type == TYPE_F16X2 ? 2 : 4;
    for (int c = 0; c < elements; c++)
        operand_write(e, in, c, type == TYPE_F16 ? (const void *)narrow[c] : value[c], mask);
    uint32_t all[ROW_LANES];
    memset(all, 0xff, sizeof all);
    operand_write(e, in, elements, all, mask); /* every texel is resident */
    return true;
}

/* ---- queries ---- */

/* A 1D texture has the height 1, but linear memory and a 1D surface the height 0. The layers of a 1D texture count as
 * its height. */
static uint32_t extent_of(const struct texture *t, const struct texture_level *l, enum mod query)
{
    uint32_t rows = l->height || t->is_linear ? l->height : t->layers ? t->layers : 1;
    switch (query) {
    case QUERY_WIDTH:
        return l->width;
    case QUERY_HEIGHT:
        return rows;
    default:
        return t->layers ? l->height ? t->layers : 0 : t->is_cube ? 0 : l->depth;
    }
}

/* The size of the texture with this handle, or of the surface. False: there is none. */
static bool find_size(struct engine *e, const struct bound *in, uint64_t handle, int64_t level, uint32_t *size)
{
    enum mod query = (enum mod)in->insn->suffixes.mod[GROUP_QUERY];
    const struct texture *t = find_texture(e, handle);
    const struct surface *s = in->insn->op == OP_SUQ ? surface_find(e, handle) : NULL;
    if (in->insn->op == OP_SUQ) {
        struct texture like = {.is_linear = s && !s->is_layered, .layers = s && s->is_layered ? s->level.depth : 0};
        *size = s ? extent_of(&like, &s->level, query) : 0;
        return s;
    }
    if (t)
        *size = level >= 0 && level < t->level_count ? extent_of(t, &t->level[level], query) : 0;
    return t;
}

bool texture_query(struct engine *e, const struct bound *in, uint32_t mask)
{
    uint32_t value[ROW_LANES] = {0};
    const void *handles = operand_source(e, in, 0);
    const uint32_t *levels = in->insn->op == OP_TXQ_LEVEL ? operand_source(e, in, 1) : NULL;
    for (uint32_t left = mask; left && in->insn->op != OP_ISTYPEP; left &= left - 1) {
        int i = bits_lowest(left);
        uint64_t handle = lanes_value(handles, in->source_bits[0], i);
        if (!find_size(e, in, handle, levels ? (int32_t)levels[i] : 0, &value[i]))
            return engine_fault(e, in, 1u << i, FAULT_OUT_OF_BOUNDS, "no texture or surface has the handle 0x%llx",
                                (unsigned long long)handle);
    }
    for (uint32_t left = mask; left && in->insn->op == OP_ISTYPEP; left &= left - 1) {
        int i = bits_lowest(left);
        enum type type = image_reference_type(e->code->image, lanes_value(handles, in->source_bits[0], i));
        value[i] = type == (enum type)in->insn->suffixes.type[0] ? UINT32_MAX : 0;
    }
    operand_write(e, in, 0, value, mask);
    return true;
}
