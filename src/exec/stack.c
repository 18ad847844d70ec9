/*
 * Stacks grow upwards here: what alloca takes lies above the static frame of its function, and a call puts the callee's
 * frame above that (call.c). Hardware grows its stack downwards; PTX says nothing about either, and a program sees only
 * that allocations do not overlap. A return frees everything that its function took.
 */
#include "exec/stack.h"

#include "base/bits.h"
#include "exec/engine_fault.h"
#include "exec/operand.h"

enum { LEAST_ALIGN = 8 };

static bool overflow(struct engine *e, const struct bound *in, int lane, uint64_t bytes)
{
    return engine_fault(e, in, 1u << lane, FAULT_STACK_OVERFLOW,
                        "the stack would have %llu bytes; a thread's stack has %u bytes (--stack)",
                        (unsigned long long)bytes, e->local_bytes);
}

/* Takes `size` bytes for one lane; `at` becomes their address. */
static bool take(struct engine *e, const struct bound *in, int lane, uint64_t bottom, uint64_t size, uint64_t *at)
{
    struct row *row = e->row;
    uint64_t align = in->source[1] == OFFSET_NONE ? 0 : lanes_value(operand_source(e, in, 1), in->source_bits[1], lane);
    *at = bits_align_up(bottom + row->taken[lane], align > LEAST_ALIGN ? align : LEAST_ALIGN);
    if (size > e->local_bytes || *at + size > e->local_bytes)
        return overflow(e, in, lane, *at + size);
    row->taken[lane] = (uint32_t)(*at + size - bottom);
    return true;
}

bool stack_execute(struct engine *e, const struct bound *in, uint32_t mask)
{
    struct row *row = e->row;
    uint32_t frame = stack_frame_bytes(&e->program->functions[in->insn->function]), narrow[ROW_LANES] = {0};
    uint64_t wide[ROW_LANES] = {0};
    const void *value = in->source_count ? operand_source(e, in, 0) : NULL;
    for (uint32_t left = mask; left; left &= left - 1) {
        int i = bits_lowest(left);
        uint64_t bottom = (uint64_t)row->frame[i] + frame;
        uint64_t given = value ? lanes_value(value, in->source_bits[0], i) : 0;
        if (in->insn->op == OP_STACKRESTORE) {
            if (given < bottom || given > e->local_bytes)
                return overflow(e, in, i, given);
            row->taken[i] = (uint32_t)(given - bottom);
        } else if (in->insn->op == OP_STACKSAVE) {
            wide[i] = bottom + row->taken[i];
        } else if (!take(e, in, i, bottom, given, &wide[i])) {
            return false;
        }
        narrow[i] = (uint32_t)wide[i];
    }
    if (in->dest_count)
        operand_write(e, in, 0, in->dest_bits[0] == 64 ? (void *)wide : (void *)narrow, mask);
    return true;
}
