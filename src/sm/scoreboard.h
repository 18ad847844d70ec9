/*
 * The scoreboard: which registers are still to be written, and until when.
 *
 * The exact one knows it for each thread, so that any regrouping of threads is right. Writes of fixed latency are noted
 * with the strand that began them, for all its threads. Those that are not done when the threads leave it are noted with
 * the rows, and so are loads: of each register of a row the lanes with a write under way, and the cycle at which it ends,
 * or that memory must answer. Lanes of one register mostly end together; writes that do not are kept in a list of the
 * row. Strands look at the rows only as long as something may be noted there for their threads.
 *
 * The papers' simpler ones know registers of a static warp only, or of its slices, for one side, or for both sides of a
 * dual path. A warp wider than a row is looked up row by row. There a strand's write may keep others of its warp that were
 * ready: they are looked at again as it begins, so that they do not issue in the same cycle either. Ideal lanes know no
 * warps, and have the exact one.
 *
 * Every instruction is looked up here and most write a register, so what usually happens is inline.
 */
#ifndef HEDDLE_SM_SCOREBOARD_H
#define HEDDLE_SM_SCOREBOARD_H

#include "sm/internal.h"

void scoreboard_open(struct sm *sm, size_t rows);
void scoreboard_close(struct sm *sm);
/* The same when memory has answered, for one part of it; and it has, for these lanes of it, if it had not before. */
void scoreboard_begin_load(struct sm *sm, struct flight *f);
void scoreboard_end_load(struct sm *sm, struct flight *f, uint32_t lanes);
void scoreboard_leave(struct sm *sm, const struct strand *s);     /* its threads will be others', or in no strand */
void scoreboard_take_over(struct sm *sm, const struct strand *s); /* it has got threads, which may have been others' */
/* What is pending for the static warps of these lanes is seen by both sides. */
void scoreboard_share(struct sm *sm, int32_t row, uint32_t lanes);

/* What scoreboard_clears() and scoreboard_begin() do where it is not the usual scoreboard, or not only the strand's own
 * writes count. */
uint64_t scoreboard_other_clears(struct sm *sm, const struct strand *s);
uint64_t scoreboard_rows_clear(struct sm *sm, const struct strand *s);
uint64_t scoreboard_own_clears_exactly(const struct strand_state *state, const struct plan *p);
void scoreboard_other_begin(struct sm *sm, const struct strand *s, const struct plan *p, uint64_t due);
void scoreboard_give_to_rows(struct sm *sm, const struct strand *s, struct own_write *w);

/* When the strand's own writes are done that the plan waits for. No branch on which of them it does: nobody could guess
 * it. */
static inline uint64_t scoreboard_own_clears(const struct sm *sm, const struct strand_state *state,
                                             const struct plan *p)
{
    uint64_t when = 0;
    for (int i = 0; i < SM_OWN_WRITES; i++) {
        uint64_t is_checked = p->checks >> (state->own[i].plane & (PLAN_CHECK_BITS - 1)) & 1;
        when = sm_later(when, state->own[i].due & -is_checked);
    }
    bool shares_bits = sm->plane_count > PLAN_CHECK_BITS;
    return shares_bits && when > sm->now ? scoreboard_own_clears_exactly(state, p) : when;
}

/* Whether rows may have noted writes for the strand's threads that are not done. */
static inline bool scoreboard_asks_rows(const struct sm *sm, struct strand_state *state)
{
    state->others_load &= sm->memory_pending || sm->group.is_open;
    return state->loads || state->others_load || state->others_until > sm->now;
}

/* The cycle from which the strand's next instruction finds its registers written; SM_NEVER: memory must answer first.
 * Where the mechanism hears of every instruction a thread has one in flight at most, and none waits for registers. */
static inline uint64_t scoreboard_clears(struct sm *sm, const struct strand *s)
{
    if (!sm->exact_scoreboard)
        return sm->traits.every_commit ? 0 : scoreboard_other_clears(sm, s);
    struct strand_state *state = &sm->states[s->id];
    uint64_t when = scoreboard_own_clears(sm, state, &sm->plans->at[s->pc]);
    return scoreboard_asks_rows(sm, state) ? sm_later(when, scoreboard_rows_clear(sm, s)) : when;
}

/* The strand writes the register, and forgets the oldest of its own writes; rows remember it if it is not done. */
static inline void scoreboard_own_write(struct sm *sm, const struct strand *s, int16_t plane, uint64_t due)
{
    struct strand_state *state = &sm->states[s->id];
    struct own_write *oldest = &state->own[state->own_oldest];
    if (oldest->due > sm->now)
        scoreboard_give_to_rows(sm, s, oldest);
    *oldest = (struct own_write){due, plane};
    state->own_oldest ^= SM_OWN_WRITES - 1; /* there are two */
}

/* The instruction at the strand's PC writes its destinations at cycle `due`. */
static inline void scoreboard_begin(struct sm *sm, const struct strand *s, const struct plan *p, uint64_t due)
{
    if (!sm->exact_scoreboard) {
        if (!sm->traits.every_commit)
            scoreboard_other_begin(sm, s, p, due);
        return;
    }
    for (int k = 0; k < p->dest_count; k++)
        scoreboard_own_write(sm, s, p->plane[k], due);
}

#endif
