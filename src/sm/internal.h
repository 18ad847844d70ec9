/*
 * A multiprocessor as its own files see it: what it is bound to, and its parts. Each part has a header of its own,
 * which says what the part is and who may write it.
 */
#ifndef HEDDLE_SM_INTERNAL_H
#define HEDDLE_SM_INTERNAL_H

#include "base/bits.h"
#include "base/inline.h"
#include "sched/parts/order.h"
#include "sm/access.h"
#include "sm/async/async.h"
#include "sm/async/copies.h"
#include "sm/backlog.h"
#include "sm/bundles/bundles.h"
#include "sm/cycle.h"
#include "sm/cycles.h"
#include "sm/fetch.h"
#include "sm/flights.h"
#include "sm/host.h"
#include "sm/issue.h"
#include "sm/limits.h"
#include "sm/pair.h"
#include "sm/plan.h"
#include "sm/readiness.h"
#include "sm/releases.h"
#include "sm/residents.h"
#include "sm/resolve.h"
#include "sm/scoreboard.h"
#include "sm/shared_group.h"
#include "sm/sm.h"
#include "sm/spill.h"
#include "sm/static_lines.h"
#include "sm/strand_table.h"
#include "sm/thread_map.h"
#include "sm/traits.h"
#include "sm/units.h"
#include "sm/warp_lanes.h"
#include "sm/wheel.h"

struct sm {
    struct div_host host;   /* first: the calls of div_host find the multiprocessor by this address */
    struct div_wants wants; /* what the mechanism asked for in `create` */

    /* bound when the multiprocessor is created */
    const struct sm_config *config;
    const struct plans *plans;
    const struct div_ops *ops;      /* the mechanism */
    struct div *div;                /* the mechanism's state */
    const struct sched_ops *policy; /* the scheduler */
    struct sched *sched;            /* the scheduler's state */
    struct engine *engine;          /* executes instructions; shared with others that never run at the same time */
    struct mem *mem;                /* shared by all multiprocessors */
    struct ideal_memory
        *ideal_memory; /* with ideal lanes: brings instructions and, with traits.least_time, data; else NULL */
    int index;         /* number of the multiprocessor */
    struct sm_traits traits;
    struct sm_shortcuts shortcuts;
    uint8_t *marks;                     /* [PC]: not 0 where the mechanism wants `arrive` */
    struct site *sites;                 /* [PC]: counters; shared as `engine` is */
    struct trace *trace;                /* NULL: none */
    const struct sm_observer *observer; /* of this multiprocessor; NULL: none */

    /* the parts */
    uint64_t now; /* the current cycle */
    struct cycle_state cycle;
    struct readiness ready;
    struct units units;
    struct pair pair;        /* only with traits.pairs */
    struct warp_lanes lanes; /* only with traits.has_lanes */
    struct strand_table strands;
    struct thread_map map;
    struct scoreboard scoreboard;
    struct residents residents;
    struct flights flights;
    struct spill_queue spill; /* only with traits.spills */
    struct async async;       /* only with traits.has_async */
    struct copies copies;     /* only with traits.has_async */
    struct shared_group shared;
    struct limits limits; /* only with traits.least_time */
    struct wheel wheel;
    struct fetch_unit *fetch;          /* NULL: every instruction is at hand */
    struct static_lines *static_lines; /* NULL: threads of a static warp execute together, or lanes are ideal */
    struct sm_stats stats;
    struct step step; /* executes instructions */
    struct releases releases;
};

/* What issuing the strand's next instruction, or its next convergence-barrier operation, takes. */
static inline const struct plan *sm_plan_of(const struct sm *sm, const struct strand *s)
{
    return &sm->plans->at[s->syncs ? sm->plans->sync : s->pc];
}

/* sm_heeds_memory(), for the cycle. */
static inline bool cycle_heeds_memory(const struct sm *sm)
{
    return sm->cycle.waits_for || sm->traits.fetches || sm->flights.pending;
}

/* What a cycle without issue is charged to. `is_ready`: a strand was ready. */
static inline enum cycle_idle cycle_idle_kind(const struct sm *sm, bool is_ready)
{
    return is_ready ? IDLE_STALL : sm->flights.pending ? IDLE_MEMORY : IDLE_NOTHING;
}

/* Charges cycles in each of which so many threads issued. */
static inline void cycle_charge_issue(struct sm *sm, int threads, uint64_t cycles)
{
    const int class = (threads - 1) / 4;
    sm->stats.issued_cycles[class < SM_WIDTH_CLASSES ? class : SM_WIDTH_CLASSES - 1] += cycles;
}

/* Charges cycles without issue. The counter is looked up: the host could not predict a branch on the kind. */
static inline void cycle_charge_idle(struct sm *sm, uint64_t cycles, enum cycle_idle kind)
{
    static const uint8_t counter[] = {[IDLE_NOTHING] = offsetof(struct sm_stats, idle_cycles),
                                      [IDLE_MEMORY] = offsetof(struct sm_stats, idle_memory_cycles),
                                      [IDLE_STALL] = offsetof(struct sm_stats, stall_cycles)};
    uint64_t *cycles_of = (uint64_t *)((char *)&sm->stats + counter[kind]);
    *cycles_of += cycles;
}

/* Panics if a thread or a home slot is in two strands, or if the mechanism's own check fails. */
void sm_check(const struct sm *sm);

/* Follows each call of the mechanism. */
static inline void sm_called(struct sm *sm)
{
    sm->cycle.was_called = sm->cycle.has_new_state = true;
#ifdef HEDDLE_CHECKS
    sm_check(sm);
#endif
}

#endif
