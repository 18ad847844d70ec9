/*
 * Repeated stretches: where the operands of lane handlers stand, for stretches (bound.stretch) that one row executes
 * again and again.
 *
 * Finding the operands of an instruction takes a third of the time that the functional engine needs for it. In a loop
 * without barriers a row runs for many thousand instructions before the next row has its turn. So the operands of a
 * stretch that the row has executed some times in its turn are found once for the rest of the turn, in which an
 * instruction of it is a call and little else. Other rows have their registers elsewhere, so each turn begins anew.
 */
#ifndef HEDDLE_EXEC_REPEATED_H
#define HEDDLE_EXEC_REPEATED_H

#include "exec/engine.h"

/* An instruction of a repeated stretch. */
struct repeated_call {
    lane_fn *fn; /* NULL: a load, which access_row() executes */
    struct lanes x;
    uint64_t handlers; /* instructions from this one on that are no loads */
};

enum {
    /* How often a row jumps back before it executes repeated stretches: to find the calls of a stretch takes as long as
     * they save in two or three executions. */
    REPEATED_PATIENCE = 12
};

struct repeated {
    uint64_t turn;              /* of the row at work; from 1 on */
    uint64_t *found_in;         /* by PC of a stretch's first instruction: the turn in which its calls were found */
    struct repeated_call *call; /* by PC */
};

void repeated_destroy(struct repeated *r); /* `r` may be NULL */

/* Executes `count` instructions from the PC on as straight_stretch() does, for a row that goes on in a loop. A stretch
 * that is a loop by itself, with a branch back to its start behind it, is executed again while all threads take the
 * branch, up to `most_rounds` times; *rounds says how often. Else `most_rounds` is 0. Returns how many instructions
 * were executed since the last such branch. */
uint64_t repeated_stretch(struct engine *e, int32_t pc, uint64_t count, uint32_t mask, uint64_t most_rounds,
                          uint64_t *rounds);

/* Another row begins its turn. */
static inline void repeated_begin_turn(struct repeated *r)
{
    r->turn++;
}

#endif
