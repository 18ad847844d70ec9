/*
 * The backlog of a strand: the simple instructions (simple.h) right before its PC that the strand has issued and that
 * have not been executed yet. Where the mechanism is called after every instruction, the strand's PC advances when the
 * instruction is done, so that the instruction at the PC may be the last of the backlog.
 *
 * Time does not depend on what a lane handler computes, only on what branches and accesses read. So the lane handlers
 * of a strand run one behind the other when one of those issues: while they run, the host's caches have the registers
 * of the strand's rows, which between two issues other strands' registers would push out.
 *
 * The backlog is executed before the strand issues any instruction that is not in it, before the strand gets other
 * threads or another PC, and before anybody looks at registers (sm_catch_up()).
 */
#ifndef HEDDLE_SM_BACKLOG_H
#define HEDDLE_SM_BACKLOG_H

#include "base/inline.h"
#include "sm/strand_table.h"

struct sm;

enum { BACKLOG_MOST = 128 }; /* instructions in a backlog */

/* The PC behind the last instruction of a backlog that is not empty. */
int32_t backlog_end(const struct sm *sm, const struct strand *s, const struct strand_state *state);
/* Executes the instructions of a backlog that is not empty. */
void backlog_execute(struct sm *sm, const struct strand *s, struct strand_state *state);

static ALWAYS_INLINE void backlog_empty(struct sm *sm, const struct strand *s, struct strand_state *state)
{
    if (state->backlog)
        backlog_execute(sm, s, state);
}

/* The strand has issued the instruction before backlog_end(), whose lane handler can wait. */
static ALWAYS_INLINE void backlog_add(struct sm *sm, const struct strand *s, struct strand_state *state)
{
    if (UNLIKELY(++state->backlog == BACKLOG_MOST))
        backlog_execute(sm, s, state);
}

#endif
