/*
 * Straight instructions: those that neither branch nor wait.
 *
 * Guards and lane handlers are most of what the two hot loops execute (cohort.c, step.c), so their common case is
 * inline.
 */
#ifndef HEDDLE_EXEC_STRAIGHT_H
#define HEDDLE_EXEC_STRAIGHT_H

#include "base/inline.h"
#include "exec/access.h"
#include "exec/engine.h"
#include "exec/operand.h"
#include "lanes/mask.h"

/* Executes an instruction that neither branches nor waits, for the threads `mask` of the row at work. */
bool straight_execute(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask);
/* straight_stretch() for some threads of the row, up to the first load. */
uint64_t straight_stretch_of_some(struct engine *e, const struct bound *in, uint64_t count, uint32_t mask);
/* Executes the instructions from `in` to before `end`, all of lane handlers, for the threads `mask`. */
void straight_several(struct engine *e, const struct bound *in, const struct bound *end, uint32_t mask);
/* A lane handler with any number of operands, which may need preparation. */
void straight_lanes_general(struct engine *e, const struct bound *in, uint32_t mask);

/* The threads of the mask whose guard predicate holds. */
static inline uint32_t straight_guarded(const struct engine *e, const struct bound *in, uint32_t mask)
{
    if (in->guard == OFFSET_NONE)
        return mask;
    uint32_t p = mask_from_lanes((const void *)(e->row->planes + in->guard));
    return mask & (in->guard_negate ? ~p : p);
}

/* The planes and constants that a simple instruction reads. */
static inline void straight_find_sources(const struct bound *in, const uint8_t *planes, const uint8_t *constants,
                                         struct lanes *x)
{
    for (int i = 0; i < BOUND_SIMPLE_SOURCES; i++)
        x->source[i] = bound_operand(planes, constants, in->source[i]);
}

/* Executes `count` instructions from `in` on, all of one stretch (bound.stretch), for the threads `mask`. Returns how
 * many it has executed: it stops before a load that access_row() cannot execute, or before any load if it may not load.
 */
static ALWAYS_INLINE uint64_t straight_stretch(struct engine *e, const struct bound *in, uint64_t count, uint32_t mask,
                                               bool may_load)
{
    uint8_t *planes = e->row->planes;
    const uint8_t *constants = e->code->constants;
    const struct bound *first = in, *end = in + count;
    struct lanes x;
    if (e->row->live & ~mask)
        return straight_stretch_of_some(e, in, count, mask);
    x.dest[1] = e->dest_scratch[1];
    for (; in < end; in++) {
        if (in->kind == BOUND_LOAD) {
            if (!may_load || mask != UINT32_MAX || !access_row(e, in, (int32_t)(in - e->code->bound)))
                break;
            continue;
        }
        straight_find_sources(in, planes, constants, &x);
        x.dest[0] = planes + in->dest[0];
        in->fn(&x);
    }
    return (uint64_t)(in - first);
}

/* Executes an instruction of a lane handler. Registers of threads that have ended may be overwritten, so a mask with
 * all live threads needs no blending. */
static inline void straight_lanes(struct engine *e, const struct bound *in, uint32_t mask)
{
    struct lanes x;
    uint8_t *planes = e->row->planes;
    bool is_whole = !(e->row->live & ~mask);
    if (__builtin_expect(!in->is_simple, 0)) {
        straight_lanes_general(e, in, mask);
        return;
    }
    straight_find_sources(in, planes, e->code->constants, &x);
    x.dest[0] = is_whole ? planes + in->dest[0] : e->dest_scratch[0];
    x.dest[1] = e->dest_scratch[1];
    in->fn(&x);
    if (!is_whole)
        operand_write(e, in, 0, x.dest[0], mask);
}

#endif
