/*
 * A multiprocessor: resident blocks, their strands, and the pipeline that issues the strands.
 *
 * In each cycle in which something can happen, the multiprocessor takes what is due (results, resolved branches,
 * released barriers, memory replies), then asks the scheduler for a strand per issue port. An instruction is executed
 * at issue (backlog.h has the exceptions); its registers are pending until its latency has passed, and a strand whose
 * next instruction needs a pending register is not ready until the last such register is written. Cycles in which
 * nothing can happen are charged by span, not visited.
 *
 * Modelled: fetch (ideal, or through instruction caches), issue ports, several strands on disjoint lane slices in one
 * cycle, SIMD width below the warp's, latency and interval per cost class, conflicts of register banks, scoreboards
 * (exact, or the papers' simpler ones), branch resolution, barriers, rendezvous, shared-memory banks, the ports to the
 * memory system with their back-pressure, occupancy. Not modelled: limits of the write-back ports, replays.
 *
 * The files, bottom up: config, stats, plan (what an instruction takes); wheel, units, residents, scoreboard, flights,
 * strand_table, backlog, thread_map, readiness, releases (the parts of struct sm); fetch, access, static_lines, issue,
 * host, cycle (what happens); internal.h puts the parts together.
 */
#ifndef HEDDLE_SM_SM_H
#define HEDDLE_SM_SM_H

#include "div/contract/div.h"
#include "exec/site.h"
#include "exec/step.h"
#include "mem/mem.h"
#include "sched/sched.h"
#include "sm/config.h"
#include "sm/stats.h"
#include "trace/trace.h"

struct sm;
struct plans;
struct limits_meters;
struct storage;
struct ideal_memory;

/* Whoever follows the issues of one multiprocessor one by one (step/). */
struct sm_observer {
    void *context; /* the observer's; given to each call */
    int sm;        /* number of the multiprocessor */
    /* The strand is about to execute the instruction at its PC. False: the launch ends here, with FAULT_STOPPED. */
    bool (*before)(void *context, const struct sm *sm, const struct strand *strand);
    /* The instruction was executed; the strand's threads go on at so many different places. */
    void (*after)(void *context, int places);
};

/* What all multiprocessors of a launch share. */
struct sm_setup {
    const struct sm_config *config;
    const struct div_ops *mechanism;
    const void *mechanism_knobs;
    const int32_t *likely;               /* likely-convergence points, for div_host */
    const struct barrier_plan *barriers; /* convergence barriers, for div_host */
    const struct sched_ops *scheduler;
    struct engine *engine;
    const struct program *program; /* the program as the mechanism sees it, for div_host */
    const struct plans *plans;
    struct mem *mem;
    const struct mem_config *memory;    /* configuration of `mem` */
    struct ideal_memory *ideal_memory;  /* for mechanisms with DIV_IDEAL_LANES; else NULL */
    int blocks;                         /* occupancy: most blocks that can be resident */
    uint64_t grid_blocks;               /* blocks of the launch */
    int sm_count;                       /* multiprocessors of the machine */
    uint64_t start;                     /* cycle before the launch's first cycle */
    struct site *sites;                 /* [PC]: counters */
    struct trace *trace;                /* NULL: none */
    const struct sm_observer *observer; /* NULL: none */
    struct storage *storage;            /* what SMs are kept in, beside what their parts ask malloc() for */
};

struct sm *sm_create(const struct sm_setup *setup, int index);
/* Frees what the multiprocessor keeps outside of the setup's storage. */
void sm_destroy(struct sm *sm);

/* ---- blocks ---- */

bool sm_has_room(const struct sm *sm, int blocks); /* for so many blocks more */
/* Starts a block, for which there must be room. Its first instruction is fetched `delay` cycles later than the
 * machine's launch latency says. Not while sm_is_stopped(). Returns the block. */
struct block *sm_launch(struct sm *sm, uint64_t block_number, uint64_t now, uint64_t delay);
int sm_resident(const struct sm *sm); /* resident blocks */
/* Lets go, at cycle `now`, the threads that the barriers of spread clusters let go on other multiprocessors. False:
 * there are none. */
bool sm_let_go(struct sm *sm, uint64_t now);

/* ---- time ---- */

enum sm_progress {
    SM_DONE,
    SM_STOPPED, /* the cycle needs more than the turn allows: call again for this cycle, with a turn that allows it */
    SM_FAULT    /* the guest program made a fault */
};
/* What a multiprocessor may do in its turn. */
enum sm_turn {
    SM_TURN_OWN,    /* anything: no other multiprocessor runs, and memory has been advanced to the cycle before */
    SM_TURN_SHARED, /* others run at the same time, so nothing that they could see within the window (sm/plan.h) */
    SM_TURN_LEAD,   /* as shared, and no read of what others may write: they are behind */
    SM_TURN_AHEAD   /* as shared, and nothing that needs the memory system: it is behind */
};
/* Announces with which engine and counters by PC the next calls of sm_run() are, and what they may do, with regard to
 * global memory: in a turn of its own the multiprocessor writes there at once; in another, its writes wait for
 * sm_publish(). */
void sm_begin_turn(struct sm *sm, struct engine *engine, struct site *sites, bool is_own);
/* Makes what the multiprocessor wrote to global memory up to the cycle visible to all: without `late`, only what comes
 * before its first late write (sm_is_late()). Gives the number of writes that may have changed memory. */
uint64_t sm_publish(struct sm *sm, uint64_t until, bool late);
/* Whether cycle sm_now() is not before the one in which an atomic with a result could issue in its window, under limits
 * that defer it. Then what the multiprocessor writes is late: without these limits it would have stopped before. */
bool sm_is_late(const struct sm *sm);
/* Whether an atomic was deferred whose result is not in its register yet. */
bool sm_awaits_results(const struct sm *sm);
uint64_t sm_unpublished(const struct sm *sm); /* cycle of the first write that others do not see yet; UINT64_MAX */
/* How far sm_run() may go. */
struct sm_run_limits {
    uint64_t until;    /* the last cycle; the first one is done in any case */
    enum sm_turn turn; /* what it may do */
    bool takes_blocks; /* stop when there may be room for another block */
    /* Atomics with a result are posted (exec/posted.h), so that they need no turn of their own: values flow between
     * multiprocessors only through them and through shared_classes (plan.h). */
    bool defers;
    bool results_stop; /* no more atomics are deferred; what comes behind those that were is late all the same */
};
/* Does cycle `now`, and then each cycle in which something can happen, while nothing outside has a say in it. sm_now()
 * is the last cycle done. */
enum sm_progress sm_run(struct sm *sm, uint64_t now, const struct sm_run_limits *limits);
/* Whether sm_run() stopped in the middle of cycle sm_now(). */
bool sm_is_stopped(const struct sm *sm);
/* Whether the multiprocessor neither affects nor is affected by anything outside until it needs the memory system: it
 * may run ahead of the others. */
bool sm_is_alone(const struct sm *sm);
/* The next cycle for which sm_run() must be called; UINT64_MAX: only memory or a new block can change anything. The
 * answer is exact up to cycle `until`, to which the memory system may be advanced; if sm_heeds_memory(), what happens
 * in memory after `until` may make it earlier. */
uint64_t sm_next(struct sm *sm, uint64_t until);
bool sm_heeds_memory(const struct sm *sm);   /* whether wake-ups from memory count for sm_next() */
void sm_settle(struct sm *sm, uint64_t now); /* charges idle cycles up to `now` in the statistics */
uint64_t sm_now(const struct sm *sm);        /* the last cycle done, or stopped in */
uint64_t sm_last_end(const struct sm *sm);   /* cycle at which a block ended last */

/* What ports and units need for all instructions so far, under a mechanism with DIV_LEAST_TIME; else NULL. */
const struct limits_meters *sm_limits(const struct sm *sm);

/* ---- statistics and explanations; strands by id, rows by number ---- */

const struct sm_stats *sm_counters(struct sm *sm);
const void *sm_mechanism_counters(struct sm *sm);              /* in the structure of its stat_owner; NULL: none */
void sm_dump_mechanism(const struct sm *sm, struct text *out); /* the mechanism's state in words */

int sm_strand_top(const struct sm *sm);                          /* ids are below this */
const struct strand *sm_strand(const struct sm *sm, int32_t id); /* NULL: there is none */
/* Executes what strands have issued and not executed yet (sm/backlog.h), so that registers have their values. */
void sm_catch_up(struct sm *sm);
void sm_catch_up_strand(struct sm *sm, int32_t id); /* of this strand alone */
int sm_row_count(const struct sm *sm);
const struct row *sm_row(const struct sm *sm, int32_t row);         /* NULL: no resident block has the row */
const struct block *sm_row_block(const struct sm *sm, int32_t row); /* block of a row that sm_row() gives */
/* Home slots, one bit each, of lanes of a row. */
uint64_t sm_slots(const struct sm *sm, int32_t row, uint32_t lanes);
/* Id of the strand that has the thread; -1: the thread belongs to the mechanism, or has ended. */
int32_t sm_strand_of(const struct sm *sm, int32_t row, int lane);
/* Whether the thread may yet run by itself: `comes` of the mechanism says so, or the thread's strand drains. */
bool sm_comes(const struct sm *sm, int32_t row, int lane, uint64_t since);
/* Appends why a parked strand does not run, as the end of a sentence; nothing if unknown. */
void sm_why(const struct sm *sm, int32_t strand, struct text *out);
/* Whether data of bulk copies is still to come, so that threads which ask for it will get another answer. */
bool sm_awaits_copies(const struct sm *sm);
/* Whether the strand does not issue before data of bulk copies has come. */
bool sm_is_kept_by_copies(const struct sm *sm, int32_t strand);
/* PC at which the mechanism will let the thread go on; PC_NONE: unknown. */
int32_t sm_where(const struct sm *sm, int32_t row, int lane);

#endif
