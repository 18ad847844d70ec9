/*
 * The oracle's surface accesses: suld, sust and sured. Coordinates along x count bytes, under .p texels.
 */
#include "oracle/internal.h"

#include <string.h>

/* What an instruction does outside the surface: -1 for nothing, or the nearest place. */
static int64_t limit(int64_t at, int64_t size, enum mod bounds)
{
    if (at >= 0 && at < size)
        return at;
    if (bounds != BOUNDS_CLAMP)
        return -1;
    return at < 0 ? 0 : size - 1;
}

/* a / b, rounded down; b is positive. */
static int64_t divide_down(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static unsigned texel_size(const struct surface *s)
{
    return (unsigned)s->channels * type_bytes((enum type)s->texel_type);
}

/* The generic address of an access of so many bytes; 0: it is outside. `x_unit` bytes are one step along x. */
static uint64_t locate(const struct oracle_thread *t, const struct oracle_insn *x, const struct oracle_operand *source,
                       const struct surface *s, unsigned bytes, unsigned x_unit, bool is_store)
{
    struct op_shape shape = suffixes_shape(&x->origin->suffixes);
    enum mod bounds = oracle_mod(x, GROUP_BOUNDS);
    int at = 1;
    int64_t layer = 0, c[3] = {0, 0, 0};
    if (shape.is_layered) {
        uint64_t word = oracle_read(t, &source->element[at++]);
        layer = is_store ? (int64_t)(word & 0xffff) : (int32_t)word;
    }
    for (int i = 0; i < shape.axes; i++)
        c[i] = (int32_t)oracle_read(t, &source->element[at++]);
    int64_t row = (int64_t)s->level.width * texel_size(s), depth = s->level.depth ? s->level.depth : 1;
    int64_t column = limit(divide_down(c[0] * (int64_t)x_unit, bytes), row / bytes, bounds);
    int64_t line = limit(c[1], s->level.height ? s->level.height : 1, bounds);
    int64_t plane = limit(shape.is_layered ? layer : c[2], depth, bounds);
    if (column < 0 || line < 0 || plane < 0)
        return 0;
    return s->level.address + (uint64_t)plane * s->level.slice_bytes + (uint64_t)line * s->level.row_bytes +
           (uint64_t)column * bytes;
}

static uint64_t clamp_to(enum type type, uint64_t word)
{
    int64_t v = (int32_t)word, top = (int64_t)(oracle_mask(type_table[type].bits) >> 1);
    if (type_table[type].kind == KIND_UINT)
        return word > oracle_mask(type_table[type].bits) ? oracle_mask(type_table[type].bits) : word;
    return (uint64_t)(v > top ? top : v < -top - 1 ? -top - 1 : v);
}

/* Half precision, cut; a NaN keeps the upper part of its payload. */
static uint64_t cut_to_half(uint64_t word)
{
    uint64_t payload = word >> 13 & 0x3ff;
    if ((word & 0x7fffffff) > 0x7f800000)
        return (word >> 16 & 0x8000) | 0x7c00 | (payload ? payload : 1);
    return oracle_number_encode(TYPE_F16, oracle_number_decode(TYPE_F32, word), RND_RZ);
}

static void store_texel(const struct surface *s, const uint64_t value[4], unsigned count, uint8_t *host)
{
    enum type type = (enum type)s->texel_type;
    unsigned bytes = type_bytes(type);
    for (unsigned i = 0; i < s->channels; i++) {
        uint64_t v = i < count ? value[i] : 0;
        if (type == TYPE_F16)
            v = cut_to_half(v);
        else if (bytes < 4)
            v = clamp_to(type, v);
        oracle_store(host + (size_t)i * bytes, v, bytes);
    }
}

static uint64_t combine(const struct oracle_insn *x, enum type type, uint64_t old, uint64_t value)
{
    uint64_t a = oracle_extend(old, type), b = oracle_extend(value, type);
    bool is_signed = type_table[type].kind == KIND_SINT;
    bool is_larger = is_signed ? (int64_t)a > (int64_t)b : a > b;
    if (oracle_flag(x, FLAG_ADD))
        return a + b;
    if (oracle_mod(x, GROUP_EXTREME))
        return is_larger == (oracle_mod(x, GROUP_EXTREME) == EXTREME_MAX) ? a : b;
    return oracle_mod(x, GROUP_ANDOR) == ANDOR_AND ? a & b : a | b;
}

static void read_values(const struct oracle_thread *t, const struct oracle_operand *o, uint64_t value[4])
{
    value[0] = oracle_read(t, o);
    for (int i = 0; o->source == SOURCE_VECTOR && i < o->element_count; i++)
        value[i] = oracle_read(t, &o->element[i]);
}

static void load(struct oracle_thread *t, const struct oracle_insn *x, const uint8_t *host, unsigned count,
                 unsigned bytes)
{
    const struct oracle_operand *d = &x->operand[0];
    for (unsigned i = 0; i < count; i++)
        oracle_write(t, d->source == SOURCE_VECTOR ? &d->element[i] : d,
                     host ? oracle_load(host + (size_t)i * bytes, bytes) : 0);
}

void oracle_surface(struct oracle_thread *t, const struct oracle_insn *x)
{
    bool is_load = x->op == OP_SULD || x->op == OP_SULD_V2 || x->op == OP_SULD_V4,
         texels = oracle_flag(x, FLAG_FORMATTED);
    bool reduces = x->op >= OP_SURED_ADD && x->op <= OP_SURED_P_ANDOR;
    const struct oracle_operand *source = &x->operand[is_load];
    uint64_t handle = oracle_read(t, &source->element[0]);
    const struct surface *s = oracle_find_surface(t, handle);
    if (!s) {
        oracle_fault(t, x, FAULT_OUT_OF_BOUNDS, "no surface object has the handle 0x%llx", (unsigned long long)handle);
        return;
    }
    unsigned count = suffixes_vector(&x->origin->suffixes), element = type_bytes((enum type)x->type);
    unsigned bytes = texels && !reduces ? texel_size(s) : count * element;
    int64_t along_x = (int32_t)oracle_read(t, &source->element[1 + suffixes_shape(&x->origin->suffixes).is_layered]);
    if (!texels && along_x & (bytes - 1)) {
        oracle_fault(t, x, FAULT_MISALIGNED, "x = %lld is not a multiple of the size of the access",
                     (long long)along_x);
        return;
    }
    uint64_t address = locate(t, x, source, s, bytes, texels ? bytes : 1, !is_load), value[4] = {0};
    if (!address && oracle_mod(x, GROUP_BOUNDS) == BOUNDS_TRAP) {
        oracle_fault(t, x, FAULT_OUT_OF_BOUNDS, "x = %lld or another coordinate is outside the surface",
                     (long long)along_x);
        return;
    }
    uint8_t *host = address ? oracle_reach(t, NULL, MOD_NONE, address, bytes, !is_load) : NULL;
    if (is_load) {
        load(t, x, host, count, element);
        return;
    }
    read_values(t, &x->operand[1], value);
    if (!host)
        return;
    if (reduces) {
        enum type type = (enum type)x->type;
        if (texels && type_table[s->texel_type].kind == KIND_SINT) /* the format says whether words are signed */
            type = bytes == 8 ? TYPE_S64 : TYPE_S32;
        oracle_store(host, combine(x, type, oracle_load(host, bytes), value[0]), bytes);
    } else if (texels) {
        store_texel(s, value, count, host);
    } else {
        for (unsigned i = 0; i < count; i++)
            oracle_store(host + (size_t)i * element, value[i], element);
    }
}
