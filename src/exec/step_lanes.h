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

/* What the offsets of operands are added to for one lane of a row, by enum bound_base. */
struct step_bases {
    uint8_t *at[BASE_COUNT];
};

static ALWAYS_INLINE struct step_bases step_bases_of(const struct row *row, uint8_t *constants, size_t lane)
{
    uint8_t *planes = row->planes;
    _Static_assert(BASE_COUNT == 6, "each base is found");
    return (struct step_bases){
        {constants, planes + lane, planes + 2 * lane, planes + 4 * lane, planes + 8 * lane, planes + 16 * lane}};
}

/* What step_lanes() does, for one thread by itself. False: the instruction has no handler for that. */
static ALWAYS_INLINE bool step_single(struct step *s, const struct bound_single *in, const struct step_bases *bases)
{
    struct lanes x;
    if (!in->fn)
        return false;
    if (in->guard != OFFSET_NONE) {
        uint32_t guard;
        memcpy(&guard, bases->at[BASE_LANES_4] + (in->guard & ~1), sizeof guard);
        const bool holds = guard, is_negated = in->guard & 1;
        if (holds == is_negated)
            return true;
    }
    for (int i = 0; i < BOUND_SIMPLE_SOURCES; i++)
        x.source[i] = bases->at[in->source_base[i]] + in->source[i];
    x.dest[0] = bases->at[in->dest_base] + in->dest;
    x.dest[1] = s->engine->dest_scratch[1];
    in->fn(&x);
    return true;
}

#endif
