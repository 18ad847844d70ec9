/* The step of an instruction that a lane handler computes, with the common case inline: a strand of one row. */
#ifndef HEDDLE_EXEC_STEP_LANES_H
#define HEDDLE_EXEC_STEP_LANES_H

#include "base/inline.h"
#include "exec/step.h"
#include "exec/straight.h"

/* step_execute_lanes(), which does the uncommon cases. */
static ALWAYS_INLINE void step_lanes(struct step *s, const struct bound *in, const struct strand *strand)
{
    struct engine *e = s->engine;
    if (strand->threads.count != 1) {
        step_execute_lanes(s, in, strand);
        return;
    }
    const struct part part = strand->threads.part[0];
    e->row = s->rows[part.row];
    if (!in->is_simple) /* a source may be a special register */
        e->block = s->row_blocks[part.row];
    uint32_t active = straight_guarded(e, in, part.mask);
    if (active)
        straight_lanes(e, in, active);
}

/* What step_lanes() does, for one thread by itself. False: the instruction has no handler for that. */
static ALWAYS_INLINE bool step_single(struct step *s, const struct bound *in, struct part part)
{
    const struct row *row = s->rows[part.row];
    const unsigned lane = (unsigned)bits_lowest(part.mask);
    struct lanes x;
    if (!in->single)
        return false;
    if (in->guard != OFFSET_NONE && !lanes_value(row->planes + in->guard, 32, (int)lane) != in->guard_negate)
        return true;
    for (int i = 0; i < BOUND_SIMPLE_SOURCES; i++) {
        const uint8_t *source = bound_operand(row->planes, s->engine->code->constants, in->source[i]);
        x.source[i] = source + lane * in->lane_bytes[i];
    }
    x.dest[0] = row->planes + in->dest[0] + lane * in->lane_bytes[BOUND_SIMPLE_SOURCES];
    x.dest[1] = s->engine->dest_scratch[1];
    in->single(&x);
    return true;
}

#endif
