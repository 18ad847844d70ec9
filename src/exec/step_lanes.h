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

#endif
