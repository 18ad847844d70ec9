/*
 * Easy strands (bundles.h): ready bundles whose next instruction is simple (simple.h).
 *
 * Such an instruction neither accesses memory nor waits for another thread. So, as long as the lanes of a cycle suffice
 * for all ready threads of a port, the order of picks has no effect on them, and they issue one behind the other from a
 * list, without a search by rows. Where lanes do not suffice, the strands of the port go to the set of ready threads
 * (ready.h), from which threads are picked in order; and for some cycles strands go there at once, since lanes
 * will probably not suffice then either.
 */
#ifndef HEDDLE_SM_BUNDLES_EASY_H
#define HEDDLE_SM_BUNDLES_EASY_H

#include "sm/internal.h"

/* Issues the easy strands of all ports whose lanes suffice, and makes the others ready as any strand. */
void bundles_issue_easy(struct sm *sm);
/* Runs cycles, from cycle `now` on, in which easy strands alone can issue and nothing but wake-ups is due. Gives the
 * cycle that is next in `now`, and whether it is to run within the limits. */
bool bundles_run(struct sm *sm, uint64_t *now, const struct sm_run_limits *limits);
/* Issues a simple instruction of a strand that is not in the set of ready threads any more. */
void bundles_issue_simple(struct sm *sm, struct strand *s, const struct plan *p);

/* Whether strands at the instruction of the plan can be easy ones. */
static ALWAYS_INLINE bool bundles_is_easy(const struct sm *sm, const struct plan *p)
{
    return p->is_simple && sm->map.bundles.has_easy && sm->now >= sm->map.bundles.crowded_until;
}

/* Whether nothing that the memory system does can concern strands before the cycle. */
static ALWAYS_INLINE bool bundles_is_quiet(const struct sm *sm, uint64_t cycle)
{
    const struct mem_times *memory = sm->cycle.memory;
    return !sm->cycle.waits_for && sm_earlier(memory->next, memory->reply) >= cycle;
}

/* The last of some threads of a row in the order of picks, the thread `last` apart; 0: there is no other. There is no
 * branch on the row or on whether there is another thread: the host could not predict it. */
static ALWAYS_INLINE uint64_t bundles_newest_of(const uint64_t *order, struct part part, struct bundle_thread last)
{
    const uint32_t is_row = -(uint32_t)(last.row == part.row), lanes = part.mask & ~(last.lane & is_row);
    const uint64_t place = order[part.row] + (uint64_t)(__builtin_clz(lanes | 1) ^ 31) * BUNDLES_ORDER;
    return place & -(uint64_t)(lanes != 0);
}

/* Threads of the port, one at least, are among those that issue. The thread that issued last in the cycle before goes
 * first: it is the newest only if it is the only one, and does not count here. */
static ALWAYS_INLINE void bundles_note_newest(struct bundles *b, int port, struct part part)
{
    b->newest[port] = sm_later(b->newest[port], bundles_newest_of(b->order, part, b->last[port]));
}

/* The newest of the threads that issue, if there is one, goes first in the port's next cycle. */
static ALWAYS_INLINE void bundles_end_turn(struct bundles *b, int port)
{
    const uint64_t newest = b->newest[port];
    const int32_t row = (int32_t)(newest % BUNDLES_ORDER);
    b->easy_threads[port] = 0;
    if (newest)
        b->last[port] = (struct bundle_thread){row, UINT32_C(1) << (newest - b->order[row]) / BUNDLES_ORDER};
    b->newest[port] = 0;
}

/* The easy strand found so far that is at the PC of this one, in its row and on its port; NULL: there may be none. */
static ALWAYS_INLINE struct strand *bundles_find_mate(struct sm *sm, const struct strand *s)
{
    struct bundles *b = &sm->map.bundles;
    const int32_t row = s->threads.part[0].row;
    const unsigned port = sm->strands.state[s->id].port;
    struct bundle_mate *m = &b->mates[((unsigned)row * 37 + (unsigned)s->pc * 5 + port) % BUNDLES_MATES];
    struct strand *mate = &sm->strands.at[m->id];
    if (m->round == b->easy_round && mate->pc == s->pc && mate->threads.part[0].row == row && mate->depth == s->depth &&
        sm->strands.state[m->id].port == port)
        return mate;
    *m = (struct bundle_mate){b->easy_round, s->id};
    return NULL;
}

/* Puts the strand into one of the lists of wake-ups. False: the wake-up must be an event of the wheel. */
static ALWAYS_INLINE bool bundles_list_wake(struct sm *sm, int16_t *lists, int32_t id, uint64_t cycle)
{
    enum { ANY = 0 }; /* the wheel's bit only says that there is a list */
    int16_t *next = &sm->map.bundles.wake_next[id], *first = &lists[cycle % WHEEL_CYCLES];
    if (*next != BUNDLES_UNLISTED || cycle - sm->wheel.now >= WHEEL_CYCLES)
        return false;
    wheel_add_wake(&sm->wheel, cycle, ANY); /* mostly it is there: the host could not predict a branch on that */
    *next = *first;
    *first = (int16_t)id;
    return true;
}

/* Lists a strand, which is not ready and whose next instruction has the plan, as an easy one. */
static ALWAYS_INLINE void bundles_add_easy(struct sm *sm, const struct strand *s, struct strand_state *state,
                                           const struct plan *p)
{
    struct bundles *b = &sm->map.bundles;
    const int port = state->port;
    state->ready = true;
    b->easy_threads[port] += s->size;
    b->easy[b->easy_count++] = (int16_t)s->id;
    bundles_note_newest(b, port, s->threads.part[0]);
    if (p->is_control && bundles_find_mate(sm, s))
        b->has_mates = true;
}

#endif
