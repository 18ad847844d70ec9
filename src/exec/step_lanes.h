/* The step of an instruction that a lane handler computes, with the common case inline: a strand of one row. */
#ifndef HEDDLE_EXEC_STEP_LANES_H
#define HEDDLE_EXEC_STEP_LANES_H

#include "base/inline.h"
#include "exec/step.h"
#include "exec/straight.h"

enum { STEP_FEW_LANES = 4 }; /* threads that are written one by one: more are written 32 lanes at a time */

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

/* step_lanes() for threads of one row that are few: the lanes are written one by one. */
static ALWAYS_INLINE void step_few_lanes(struct step *s, const struct bound *in, const struct strand *strand)
{
    struct engine *e = s->engine;
    const struct part part = strand->threads.part[0];
    struct row *row = e->row = s->rows[part.row];
    e->block = s->row_blocks[part.row];
    uint32_t active = part.mask;
    if (in->guard != OFFSET_NONE)
        active = strand->size > 1 ? straight_guarded(e, in, active)
                 : (lanes_value(row->planes + in->guard, 32, bits_lowest(active)) != 0) != in->guard_negate ? active
                                                                                                            : 0;
    if (!active)
        return;
    if (strand->size > STEP_FEW_LANES || !in->is_simple) {
        straight_lanes(e, in, active);
        return;
    }
    struct lanes x;
    for (int i = 0; i < BOUND_SIMPLE_SOURCES; i++) {
        int64_t offset = in->source[i];
        x.source[i] = offset >= 0 ? row->planes + offset : e->code->constants - offset;
    }
    x.dest[0] = e->dest_scratch[0];
    x.dest[1] = e->dest_scratch[1];
    in->fn(&x);
    /* Lanes of 2 and 16 bytes are rare. Of 4 bytes and of 8 there are many: the second half of 4 is written to a scratch
     * plane, so that there is no branch that the host could not predict. */
    const unsigned bits = in->dest_bits[0];
    if (!bits)
        return;
    uint8_t *to = row->planes + in->dest[0];
    const uint8_t *from = x.dest[0];
    for (; active; active &= active - 1) {
        const int i = bits_lowest(active);
        if (__builtin_expect(bits == 16 || bits == 128, 0)) {
            memcpy(to + lane_bytes(bits) * (unsigned)i, from + lane_bytes(bits) * (unsigned)i, lane_bytes(bits));
            continue;
        }
        const int at = i << (bits == 64); /* in words */
        uint32_t *word = (uint32_t *)to + at, *second = bits == 64 ? word + 1 : (uint32_t *)e->dest_scratch[1];
        word[0] = ((const uint32_t *)from)[at];
        *second = ((const uint32_t *)from)[at + 1];
    }
}

#endif
