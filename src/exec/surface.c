/*
 * Surface accesses.
 *
 * Along x, the coordinate of .b counts bytes, and that of .p texels; along y and z, and of layers, it counts. An access
 * that is not aligned to its size faults. Outside the surface .trap faults, .zero reads zeros and writes nothing, and
 * .clamp takes the nearest place inside.
 */
#include "exec/surface.h"

#include "base/bits.h"
#include "exec/engine_fault.h"
#include "exec/operand.h"
#include "image/surface_format.h"

#include <string.h>

const struct surface *surface_find(const struct engine *e, uint64_t handle)
{
    for (int i = 0; i < e->launch->surface_count; i++)
        if (e->launch->surfaces[i].handle == handle)
            return &e->launch->surfaces[i];
    return NULL;
}

enum { SURFACE_MOST_BYTES = 16 };

/* An instruction's operands. */
struct surface_access {
    const struct bound *in;
    const void *handles;
    unsigned handle_bits;
    struct op_shape shape;
    const uint32_t *layer, *coordinate[3];
    int first_value;   /* source that holds the first value to be stored */
    bool is_formatted; /* .p */
    bool is_store, is_reduction;
    unsigned elements, element_bytes;
};

static struct surface_access read_access(struct engine *e, const struct bound *in)
{
    const struct suffixes *s = &in->insn->suffixes;
    struct surface_access a = {.in = in, .handles = operand_source(e, in, 0), .handle_bits = in->source_bits[0]};
    a.shape = suffixes_shape(s);
    int at = 1;
    if (a.shape.is_layered)
        a.layer = operand_source(e, in, at++);
    for (int i = 0; i < a.shape.axes; i++)
        a.coordinate[i] = operand_source(e, in, at++);
    a.first_value = at;
    a.is_formatted = suffixes_has(s, FLAG_FORMATTED);
    a.is_reduction = in->insn->op >= OP_SURED_ADD;
    a.is_store = in->insn->op >= OP_SUST;
    a.elements = suffixes_vector(s);
    a.element_bytes = type_bytes((enum type)s->type[0]);
    return a;
}

/* What becomes of a coordinate: the coordinate inside the surface, or -1. */
static int64_t bring_inside(int64_t x, int64_t extent, enum mod bounds)
{
    if (x >= 0 && x < extent)
        return x;
    return bounds == BOUNDS_CLAMP ? (x < 0 ? 0 : extent - 1) : -1;
}

struct surface_place {
    uint64_t address; /* 0: outside the surface */
    uint32_t bytes;
    bool is_misaligned;
};

static struct surface_place find_place(const struct surface_access *a, const struct surface *s, int lane)
{
    enum mod bounds = (enum mod)a->in->insn->suffixes.mod[GROUP_BOUNDS];
    const struct texture_level *l = &s->level;
    uint32_t texel = surface_texel_bytes(s);
    /* A reduction of texels takes them as words, whatever their format. */
    struct surface_place p = {.bytes = a->is_formatted && !a->is_reduction ? texel : a->elements * a->element_bytes};
    int64_t unit = p.bytes, x = (int32_t)a->coordinate[0][lane], y = 0, z = 0;
    if (!a->is_formatted) {
        p.is_misaligned = x & (unit - 1);
        x = x >> __builtin_ctzll((uint64_t)unit);
    }
    x = bring_inside(x, (int64_t)l->width * texel / unit, bounds);
    if (a->shape.axes > 1)
        y = bring_inside((int32_t)a->coordinate[1][lane], l->height ? l->height : 1, bounds);
    if (a->shape.axes > 2)
        z = bring_inside((int32_t)a->coordinate[2][lane], l->depth ? l->depth : 1, bounds);
    if (a->layer) /* of a store, the H200 takes the low 16 bits */
        z = bring_inside(a->is_store ? (int64_t)(a->layer[lane] & 0xffff) : (int32_t)a->layer[lane],
                         l->depth ? l->depth : 1, bounds);
    if (x >= 0 && y >= 0 && z >= 0)
        p.address = l->address + (uint64_t)z * l->slice_bytes + (uint64_t)y * l->row_bytes + (uint64_t)(x * unit);
    return p;
}

uint32_t surface_addresses(struct engine *e, const struct bound *in, uint32_t mask, uint64_t address[ROW_LANES],
                           uint32_t *bytes)
{
    struct surface_access a = read_access(e, in);
    uint32_t inside = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        int i = bits_lowest(left);
        const struct surface *s = surface_find(e, lanes_value(a.handles, a.handle_bits, i));
        struct surface_place p = {0};
        if (s)
            p = find_place(&a, s, i);
        if (!p.address)
            continue;
        address[i] = p.address;
        *bytes = p.bytes > *bytes ? p.bytes : *bytes;
        inside |= 1u << i;
    }
    return inside;
}

static uint64_t source_value(struct engine *e, const struct surface_access *a, unsigned element, int lane)
{
    int i = a->first_value + (int)element;
    return lanes_value(operand_source(e, a->in, i), a->in->source_bits[i], lane);
}

static uint64_t reduce(const struct surface_access *a, enum type type, uint64_t old, uint64_t value)
{
    const struct suffixes *s = &a->in->insn->suffixes;
    unsigned shift = 64 - type_table[type].bits;
    bool is_signed = type_table[type].kind == KIND_SINT;
    bool is_less = is_signed ? (int64_t)(value << shift) < (int64_t)(old << shift) : value < old;
    if (suffixes_has(s, FLAG_ADD))
        return old + value;
    switch (s->mod[GROUP_EXTREME] + s->mod[GROUP_ANDOR]) {
    case EXTREME_MIN:
        return is_less ? value : old;
    case EXTREME_MAX:
        return is_less ? old : value;
    case ANDOR_AND:
        return old & value;
    default:
        return old | value;
    }
}

/* Stores or reduces one lane's values. */
static void store_lane(struct engine *e, const struct surface_access *a, const struct surface *s, uint8_t *host,
                       uint32_t bytes, int lane)
{
    uint64_t value[4] = {0};
    for (unsigned i = 0; i < a->elements; i++)
        value[i] = source_value(e, a, i, lane);
    e->writes++;
    if (a->is_reduction) {
        uint64_t old = 0;
        bool is_signed = a->is_formatted && type_table[s->texel_type].kind == KIND_SINT;
        enum type type = (enum type)a->in->insn->suffixes.type[0];
        if (is_signed)
            type = type == TYPE_B64 ? TYPE_S64 : TYPE_S32;
        memcpy(&old, host, bytes < 8 ? bytes : 8);
        uint64_t new = reduce(a, type, old, value[0]);
        memcpy(host, &new, bytes < 8 ? bytes : 8);
    } else if (a->is_formatted) {
        surface_format(s, value, a->elements, host);
    } else {
        for (unsigned i = 0; i < a->elements; i++)
            memcpy(host + (size_t)i * a->element_bytes, &value[i], a->element_bytes);
    }
}

/* Host pointer to the bytes; NULL: they do not exist any more. */
static uint8_t *find_host(struct engine *e, const struct surface_place *p)
{
    const struct allocation *a = memory_find(e->memory, p->address);
    return a && p->address - a->address + p->bytes <= a->bytes ? a->host + (p->address - a->address) : NULL;
}

static void put_loaded(const struct surface_access *a, const uint8_t *host, int lane, uint64_t wide[4][ROW_LANES])
{
    for (unsigned i = 0; i < a->elements; i++) {
        uint64_t v = 0;
        if (host)
            memcpy(&v, host + (size_t)i * a->element_bytes, a->element_bytes);
        switch (a->in->dest_bits[i]) {
        case 64:
            wide[i][lane] = v;
            break;
        case 16:
            ((uint16_t *)wide[i])[lane] = (uint16_t)v;
            break;
        default:
            ((uint32_t *)wide[i])[lane] = (uint32_t)v;
        }
    }
}

static bool fault(struct engine *e, const struct surface_access *a, int lane, bool is_misaligned)
{
    return engine_fault(e, a->in, 1u << lane, is_misaligned ? FAULT_MISALIGNED : FAULT_OUT_OF_BOUNDS, "x = %d%s",
                        (int)a->coordinate[0][lane],
                        is_misaligned ? " is not a multiple of the size of the access"
                                      : " or another coordinate is outside the surface");
}

bool surface_execute(struct engine *e, const struct bound *in, uint32_t mask)
{
    struct surface_access a = read_access(e, in);
    uint64_t loaded[4][ROW_LANES] = {{0}};
    bool traps = in->insn->suffixes.mod[GROUP_BOUNDS] == BOUNDS_TRAP;
    for (uint32_t left = mask; left; left &= left - 1) {
        int i = bits_lowest(left);
        uint64_t handle = lanes_value(a.handles, a.handle_bits, i);
        const struct surface *s = surface_find(e, handle);
        if (!s)
            return engine_fault(e, in, 1u << i, FAULT_OUT_OF_BOUNDS, "no surface object has the handle 0x%llx",
                                (unsigned long long)handle);
        struct surface_place p = find_place(&a, s, i);
        if (p.is_misaligned || (!p.address && traps))
            return fault(e, &a, i, p.is_misaligned);
        uint8_t *host = p.address ? find_host(e, &p) : NULL;
        if (!a.is_store)
            put_loaded(&a, host, i, loaded);
        else if (host)
            store_lane(e, &a, s, host, p.bytes, i);
    }
    for (unsigned i = 0; !a.is_store && i < a.elements; i++)
        operand_write(e, in, (int)i, loaded[i], mask);
    return true;
}
