/* The backlog of a strand (backlog.h): its execution. */
#include "sm/backlog.h"

#include "sm/internal.h"

int32_t backlog_end(const struct sm *sm, const struct strand *s, const struct strand_state *state)
{
    return sm->traits.every_commit ? state->route_pc : s->pc;
}

void backlog_execute(struct sm *sm, const struct strand *s, struct strand_state *state)
{
    const int count = state->backlog;
    state->backlog = 0;
    step_execute_several(&sm->step, s, backlog_end(sm, s, state) - count, count);
}

void sm_catch_up_strand(struct sm *sm, int32_t id)
{
    backlog_empty(sm, &sm->strands.at[id], &sm->strands.state[id]);
}

void sm_catch_up(struct sm *sm)
{
    for (int32_t id = 0; id < sm->strands.top; id++)
        if (sm->strands.state[id].in_use)
            sm_catch_up_strand(sm, id);
}
