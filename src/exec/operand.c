/*
 * Operands: where an instruction reads and writes lanes.
 *
 * Most sources are planes or constants and are used in place. Negated predicates, addresses in the thread's frame and
 * special registers that change during the launch are computed into scratch planes at each execution.
 */
#include "exec/operand.h"

#include "lanes/mask.h"

static const uint8_t *operand(const struct engine *e, int32_t offset)
{
    return bound_operand(e->row->planes, e->code->constants, offset);
}

static uint64_t read_sreg(const struct engine *e, enum sreg sreg)
{
    uint64_t clock = (e->elapsed + e->now) * e->clock_step;
    switch (sreg) {
    case SREG_CLOCK_HI:
    case SREG_GLOBALTIMER_HI:
        return clock >> 32;
    case SREG_CLOCK:
    case SREG_GLOBALTIMER_LO:
        return (uint32_t)clock;
    default:
        return clock;
    }
}

static const void *prepare_source(struct engine *e, const struct bound *in, int i)
{
    uint8_t *scratch = e->source_scratch[i];
    uint64_t *wide = (void *)scratch;
    uint32_t *narrow = (void *)scratch;
    uint16_t *half = (void *)scratch;
    const uint8_t *from = in->prepare[i] == PREPARE_SREG ? NULL : operand(e, in->source[i]);
    for (int lane = 0; lane < ROW_LANES; lane++) {
        uint64_t v;
        if (in->prepare[i] == PREPARE_NEGATE)
            v = ~((const uint32_t *)from)[lane];
        else if (in->prepare[i] == PREPARE_FRAME)
            v = ((const uint64_t *)from)[lane] + e->row->frame[lane];
        else if (in->prepare[i] == PREPARE_SHARED)
            v = ((const uint64_t *)from)[lane] + ((uint64_t)e->block->rank << MEMORY_SHARED_SHIFT);
        else
            v = read_sreg(e, (enum sreg)in->source[i]);
        if (in->source_bits[i] == 64)
            wide[lane] = v;
        else if (in->source_bits[i] == 16)
            half[lane] = (uint16_t)v;
        else
            narrow[lane] = (uint32_t)v;
    }
    return scratch;
}

const void *operand_source(struct engine *e, const struct bound *in, int i)
{
    return in->prepare[i] == PREPARE_NONE ? operand(e, in->source[i]) : prepare_source(e, in, i);
}

const void *operand_texture_source(struct engine *e, const struct bound *in, int i)
{
    if (i < BOUND_MAX_OPERANDS)
        return in->source[i] == OFFSET_NONE ? NULL : operand_source(e, in, i);
    int32_t offset = e->code->more[in->address + i - BOUND_MAX_OPERANDS];
    return offset == OFFSET_NONE ? NULL : operand(e, offset);
}

SIMD_CLONES void operand_write(struct engine *e, const struct bound *in, int i, const void *lanes, uint32_t mask)
{
    if (!in->dest_bits[i])
        return;
    if (in->dest_bits[i] <= 32 && in->dest_bits[i] != 16) { /* the most frequent widths: one loop is enough */
        mask_choose(e->row->planes + in->dest[i], lanes, mask);
        return;
    }
    uint32_t chosen[ROW_LANES];
    mask_to_lanes(mask, chosen);
    mask_blend(e->row->planes + in->dest[i], lanes, chosen, in->dest_bits[i]);
}
