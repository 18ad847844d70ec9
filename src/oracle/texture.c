/*
 * The oracle's texture fetches: one texel, no filtering. Float coordinates take the texel whose cell the point lies in,
 * and the address mode maps points outside the texture. Integer coordinates outside the texture read 0. Float
 * coordinates in linear memory read 0 everywhere.
 */
#include "oracle/internal.h"

#include <math.h>
#include <string.h>

static const struct texture *find_texture(const struct launch *l, uint64_t handle)
{
    for (int i = 0; i < l->texture_count; i++)
        if (l->textures[i].handle == handle)
            return &l->textures[i];
    return NULL;
}

/* Maps an index to one of `size` texels by the address mode; -1: the border, which reads 0. */
static int64_t fold(int64_t index, int64_t size, enum texture_address mode)
{
    if (index >= 0 && index < size)
        return index;
    if (mode == TEXTURE_BORDER)
        return -1;
    if (mode == TEXTURE_CLAMP)
        return index < 0 ? 0 : size - 1;
    int64_t period = mode == TEXTURE_MIRROR ? 2 * size : size;
    int64_t within = index % period;
    if (within < 0)
        within += period;
    return within < size ? within : period - 1 - within;
}

/* The index of the texel that a coordinate takes along one axis; -1: the texel reads 0. */
static int64_t pick(const struct texture *x, int axis, uint64_t bits, enum type coordinate)
{
    int64_t size = axis ? x->height : x->width;
    enum texture_address mode = (enum texture_address)x->address_mode[axis];
    if (size <= 0)
        return -1;
    if (coordinate == TYPE_S32)
        return fold((int32_t)bits, size, TEXTURE_BORDER);
    if (!x->height)
        return -1;
    /* Wrap and mirror need normalised coordinates; without these the hardware clamps. */
    if (!x->normalized_coordinates && mode != TEXTURE_BORDER)
        mode = TEXTURE_CLAMP;
    uint32_t low = (uint32_t)bits;
    float f;
    memcpy(&f, &low, sizeof f);
    double at = floor(x->normalized_coordinates ? (double)f * (double)size : f);
    at = isnan(at) || at < -0x1p62 ? -0x1p62 : at > 0x1p62 ? 0x1p62 : at;
    return fold((int64_t)at, size, mode);
}

static uint32_t bits_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static float normalize(enum type type, uint64_t value)
{
    double most = (double)(oracle_mask(type_table[type].bits) >> (type_table[type].kind == KIND_SINT));
    double d = type_table[type].kind == KIND_SINT ? (double)(int64_t)value / most : (double)value / most;
    return (float)(d < -1 ? -1 : d);
}

/* A channel's value as the kernel reads it. */
static uint64_t convert_channel(const struct texture *x, uint64_t raw)
{
    enum type type = (enum type)x->texel_type;
    if (type == TYPE_F16)
        return oracle_number_encode(TYPE_F32, oracle_number_decode(TYPE_F16, raw), RND_RN);
    if (type == TYPE_F32)
        return raw;
    uint64_t value = oracle_extend(raw, type);
    return x->read_normalized ? bits_of(normalize(type, value)) : value;
}

static bool reads_float(const struct texture *x)
{
    return x->read_normalized || x->texel_type == TYPE_F16 || x->texel_type == TYPE_F32;
}

/* Reads the texel's channels; false after a fault. Of channels that the format lacks, the fourth reads 1, the others
 * 0. */
static bool fetch(struct oracle_thread *t, const struct oracle_insn *insn, const struct texture *x, int64_t column,
                  int64_t line, uint64_t value[4])
{
    unsigned bytes = type_bytes((enum type)x->texel_type);
    value[0] = value[1] = value[2] = value[3] = 0;
    if (column < 0 || line < 0)
        return true;
    value[3] = reads_float(x) ? bits_of(1) : 1;
    for (unsigned i = 0; i < x->channels && i < 4; i++) {
        uint64_t address = x->address + (uint64_t)line * x->pitch_bytes + ((uint64_t)column * x->channels + i) * bytes;
        const void *host = oracle_reach(t, insn, MOD_NONE, address, bytes, false);
        if (!host)
            return false;
        value[i] = convert_channel(x, oracle_load(host, bytes));
    }
    return true;
}

void oracle_texture(struct oracle_thread *t, const struct oracle_insn *x)
{
    const struct oracle_operand *d = &x->operand[0], *source = &x->operand[1];
    bool is_plane = oracle_mod(x, GROUP_GEOM) == GEOM_D2;
    enum type coordinate = (enum type)x->origin->suffixes.type[1];
    if (source->source != SOURCE_VECTOR || source->element_count < (is_plane ? 3 : 2)) {
        oracle_unsupported(t, x);
        return;
    }
    uint64_t handle = oracle_read(t, &source->element[0]);
    const struct texture *texture = find_texture(t->oracle->launch, handle);
    if (!texture || type_bytes((enum type)texture->texel_type) == 0) {
        oracle_fault(t, x, FAULT_OUT_OF_BOUNDS, "no texture object has the handle 0x%llx", (unsigned long long)handle);
        return;
    }
    int64_t column = pick(texture, 0, oracle_read(t, &source->element[1]), coordinate);
    int64_t line = is_plane ? pick(texture, 1, oracle_read(t, &source->element[2]), coordinate) : 0;
    uint64_t value[4];
    if (!fetch(t, x, texture, column, line, value))
        return;
    for (int i = 0; i < 4 && d->source == SOURCE_VECTOR; i++)
        oracle_write(t, &d->element[i], value[i]);
}
