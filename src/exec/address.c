/*
 * Address conversion: between a space's own addresses and generic addresses, and the test which space a generic address
 * lies in. Constant and parameter memory are allocations of the heap, so their generic addresses are heap addresses.
 */
#include "exec/address.h"

#include "exec/operand.h"

#include <string.h>

static uint64_t base_of(const struct engine *e, enum space space)
{
    switch (space) {
    case IN_SHARED:
        return MEMORY_SHARED_BASE;
    case IN_LOCAL:
        return MEMORY_LOCAL_BASE;
    case IN_CONSTANT:
        return e->code->image->constant_base;
    case IN_PARAMETER:
        return e->parameter_base;
    default:
        return 0;
    }
}

/* `in_cluster`: shared memory of all blocks of the cluster counts, not only the block's own. */
static bool lies_in(const struct engine *e, enum space space, uint64_t address, bool in_cluster)
{
    bool shared = address - MEMORY_SHARED_BASE < MEMORY_SHARED_SIZE;
    bool own = shared && (address - MEMORY_SHARED_BASE) >> MEMORY_SHARED_SHIFT == e->block->rank;
    bool local = address - MEMORY_LOCAL_BASE < MEMORY_WINDOW_SIZE;
    switch (space) {
    case IN_SHARED:
        return in_cluster ? shared : own;
    case IN_LOCAL:
        return local;
    case IN_CONSTANT:
        return address - e->code->image->constant_base < e->constants.bytes;
    case IN_PARAMETER:
        return address - e->parameter_base < e->parameters.bytes;
    default: /* global: as on hardware, that excludes the constant bank but includes kernel parameters */
        return !shared && !local && address - e->code->image->constant_base >= e->constants.bytes;
    }
}

/* Between a space's own addresses of 64 bits and generic ones: nearly all conversions. */
SIMD_CLONES static void add_base(uint64_t *restrict to, const uint64_t *restrict from, uint64_t base)
{
    for (int i = 0; i < ROW_LANES; i++)
        to[i] = from[i] + base;
}

void address_execute(struct engine *e, const struct bound *in, uint32_t mask)
{
    const void *a = operand_source(e, in, 0);
    enum space space = (enum space)in->space;
    /* Parameters of a device function are in its frame, which is local memory. */
    if (space == IN_PARAMETER && !e->program->functions[in->insn->function].source->is_entry)
        space = IN_LOCAL;
    uint64_t base = base_of(e, space);
    if (in->kind == BOUND_FROM_GENERIC)
        base = -base;
    uint64_t wide[ROW_LANES];
    uint32_t narrow[ROW_LANES];
    if (in->kind != BOUND_IS_SPACE && in->source_bits[0] == 64 && in->dest_bits[0] == 64) {
        add_base(wide, a, base);
        if (e->row->live & ~mask)
            operand_write(e, in, 0, wide, mask);
        else
            memcpy(e->row->planes + in->dest[0], wide, sizeof wide);
        return;
    }
    for (int i = 0; i < ROW_LANES; i++) {
        uint64_t address = lanes_value(a, in->source_bits[0], i);
        wide[i] = address + base;
        narrow[i] = in->kind == BOUND_IS_SPACE
                        ? -(uint32_t)lies_in(e, space, address, in->insn->suffixes.mod[GROUP_SPACE] == SPACE_CLUSTER)
                        : (uint32_t)wide[i];
    }
    operand_write(e, in, 0, in->dest_bits[0] == 64 ? (void *)wide : (void *)narrow, mask);
}
