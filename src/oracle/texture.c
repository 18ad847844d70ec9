/*
 * The oracle's texture fetches and queries: operands, handles and memory. sampler.c says which texels a fetch
 * takes, and sampler_blend.c what it makes of them.
 */
#include "oracle/sampler.h"

#include <string.h>

static const struct texture *find_texture(const struct launch *l, uint64_t handle)
{
    for (int i = 0; i < l->texture_count; i++)
        if (l->textures[i].handle == handle)
            return &l->textures[i];
    return NULL;
}

const struct surface *oracle_find_surface(const struct oracle_thread *t, uint64_t handle)
{
    const struct launch *l = t->oracle->launch;
    for (int i = 0; i < l->surface_count; i++)
        if (l->surfaces[i].handle == handle)
            return &l->surfaces[i];
    return NULL;
}

/* An operand in braces, one number per axis. */
static void read_axes(const struct oracle_thread *t, const struct oracle_operand *o, uint32_t out[3])
{
    for (int i = 0; i < o->element_count && i < 3; i++)
        out[i] = (uint32_t)oracle_read(t, &o->element[i]);
}

/* Offsets have four bits, those of tld4 six. */
static int offset_bits(uint32_t word, int bits)
{
    int value = (int)(word & ((1u << bits) - 1));
    return value >> (bits - 1) ? value - (1 << bits) : value;
}

static struct oracle_fetch read_fetch(const struct oracle_thread *t, const struct oracle_insn *x)
{
    const struct oracle_operand *source = &x->operand[2];
    struct oracle_fetch f = {.shape = suffixes_shape(&x->origin->suffixes),
                             .by_number = x->origin->suffixes.type[1] == TYPE_S32 && !oracle_flag(x, FLAG_GRAD),
                             .gathers = x->op == OP_TLD4,
                             .has_level = oracle_flag(x, FLAG_LEVEL),
                             .has_gradient = oracle_flag(x, FLAG_GRAD)};
    int at = 1, next = 3;
    uint32_t words[3] = {0};
    if (f.shape.is_layered)
        f.layer = (int64_t)oracle_read(t, &source->element[at++]);
    for (int i = 0; i < f.shape.axes; i++)
        f.coordinate[i] = (uint32_t)oracle_read(t, &source->element[at++]);
    if (f.has_level)
        f.level = (uint32_t)oracle_read(t, &x->operand[next++]);
    for (int d = 0; f.has_gradient && d < 2; d++) {
        read_axes(t, &x->operand[next++], words);
        memcpy(f.gradient[d], words, sizeof words);
    }
    if (x->operand[next].source == SOURCE_VECTOR) {
        read_axes(t, &x->operand[next], words);
        for (int i = 0; i < f.shape.axes; i++)
            f.offset[i] = offset_bits(words[i], f.gathers ? 6 : 4);
        if (f.shape.axes == 1) /* the H200 takes four more bits of the word as the offset of the row */
            f.offset[1] = offset_bits(words[0] >> 4, 4);
    }
    f.has_depth = x->operand[next + 1].source != SOURCE_NONE;
    return f;
}

/* The bits of one channel of a tap; false after a fault. */
static bool read_channel(struct oracle_thread *t, const struct oracle_insn *x, const struct texture *from,
                         uint64_t address, int channel, uint32_t *raw)
{
    unsigned bytes = type_bytes((enum type)from->texel_type);
    *raw = oracle_border(from, channel);
    if (!address)
        return true;
    const void *host = oracle_reach(t, x, MOD_NONE, address + (unsigned)channel * bytes, bytes, false);
    if (host)
        *raw = (uint32_t)oracle_load(host, bytes);
    return host;
}

/* tld4 reads signed bytes as a filter of one texel does, and so do fetches that filter between levels. */
static uint32_t gathered(const struct texture *from, int channel, uint32_t raw)
{
    const struct oracle_tap whole = {.weight = 256, .counts = true};
    bool is_stretched = from->texel_type == TYPE_S8 && from->read_normalized;
    return is_stretched ? oracle_blend(from, channel, &whole, &raw, 1) : oracle_texel(from, channel, raw);
}

/* The channels that the fetch reads, four words; false after a fault. */
static bool fetch(struct oracle_thread *t, const struct oracle_insn *x, const struct oracle_fetch *f, uint32_t value[4])
{
    struct oracle_tap tap[ORACLE_MAX_TAPS];
    uint32_t raw[ORACLE_MAX_TAPS];
    const struct texture *from = f->texture;
    int count = oracle_taps(f, tap);
    for (int c = 0; c < from->channels && count; c++) {
        for (int i = 0; i < count; i++)
            if (!read_channel(t, x, from, tap[i].address, c, &raw[i]))
                return false;
        if (!f->gathers && count == 1 && from->filters_levels &&
            !f->by_number) /* it passes the filter between levels */
            value[c] = gathered(from, c, raw[0]);
        else if (!f->gathers)
            value[c] = count == 1 ? oracle_texel(from, c, raw[0]) : oracle_blend(from, c, tap, raw, count);
        else if (c + COMP_R == (int)oracle_mod(x, GROUP_COMP)) { /* lower left, lower right, upper right, upper left */
            static const int order[4] = {2, 3, 1, 0};
            for (int i = 0; i < 4; i++)
                value[i] = gathered(from, c, raw[order[i]]);
        }
    }
    return true;
}

static uint64_t to_half(uint32_t bits)
{
    return oracle_number_encode(TYPE_F16, oracle_number_decode(TYPE_F32, bits), RND_RN);
}

static void execute_fetch(struct oracle_thread *t, const struct oracle_insn *x)
{
    const struct oracle_operand *d = &x->operand[0];
    struct oracle_fetch f = read_fetch(t, x);
    uint64_t handle = oracle_read(t, &x->operand[2].element[0]);
    uint32_t value[4] = {0};
    f.texture = find_texture(t->oracle->launch, handle);
    if (!f.texture) {
        oracle_fault(t, x, FAULT_OUT_OF_BOUNDS, "no texture object has the handle 0x%llx", (unsigned long long)handle);
        return;
    }
    if (!fetch(t, x, &f, value))
        return;
    for (int i = 0; i < d->element_count; i++) {
        uint64_t v = value[i];
        if (x->type == TYPE_F16)
            v = to_half(value[i]);
        if (x->type == TYPE_F16X2)
            v = to_half(value[2 * i]) | to_half(value[2 * i + 1]) << 16;
        oracle_write(t, &d->element[i], v);
    }
    oracle_write(t, &x->operand[1], 1);
}

/* Width, height and depth as txq and suq give them: layers count as the extent behind the last axis. */
static uint32_t ask(const struct texture_level *l, enum mod query, uint32_t layers, bool is_cube, uint32_t no_height)
{
    uint32_t size[3] = {l->width, l->height, is_cube || layers ? 0 : l->depth};
    if (!l->height)
        size[1] = layers ? layers : no_height;
    else if (layers)
        size[2] = layers;
    return size[query - QUERY_WIDTH];
}

static void execute_query(struct oracle_thread *t, const struct oracle_insn *x)
{
    uint64_t handle = oracle_read(t, &x->operand[1].element[0]);
    enum mod query = oracle_mod(x, GROUP_QUERY);
    const struct texture *texture = find_texture(t->oracle->launch, handle);
    const struct surface *surface = oracle_find_surface(t, handle);
    if (x->op == OP_SUQ ? !surface : !texture) {
        oracle_fault(t, x, FAULT_OUT_OF_BOUNDS, "no texture or surface has the handle 0x%llx",
                     (unsigned long long)handle);
        return;
    }
    int32_t level = x->op == OP_TXQ_LEVEL ? (int32_t)oracle_read(t, &x->operand[2]) : 0;
    uint32_t size = 0;
    if (x->op == OP_SUQ)
        size = ask(&surface->level, query, surface->is_layered ? surface->level.depth : 0, false, surface->is_layered);
    else if (level >= 0 && level < texture->level_count)
        size = ask(&texture->level[level], query, texture->layers, texture->is_cube, !texture->is_linear);
    oracle_write(t, &x->operand[0], size);
}

void oracle_texture(struct oracle_thread *t, const struct oracle_insn *x)
{
    if (x->op == OP_ISTYPEP)
        oracle_write(t, &x->operand[0],
                     image_reference_type(t->oracle->image, oracle_read(t, &x->operand[1])) == (enum type)x->type);
    else if (x->op == OP_TXQ || x->op == OP_TXQ_LEVEL || x->op == OP_SUQ)
        execute_query(t, x);
    else
        execute_fetch(t, x);
}
