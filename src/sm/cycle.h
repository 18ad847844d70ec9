/*
 * What a multiprocessor remembers from one cycle to the next. cycle.c owns it, and so does bundles/easy.c while it runs
 * cycles; host.c lowers `tick_at`, sm.c sets `next` when a block starts, every call of the mechanism sets `was_called`
 * and `has_new_state`, and an issue that is traced may set the latter, too.
 */
#ifndef HEDDLE_SM_CYCLE_H
#define HEDDLE_SM_CYCLE_H

#include "sched/sched.h"

#include <stdbool.h>
#include <stdint.h>

enum { CYCLE_MOST_IDLE_TICKS = 1 << 16 }; /* more ticks in a row without progress: the mechanism waits for itself */

/* What a cycle without issue is charged to. */
enum cycle_idle { IDLE_NOTHING, IDLE_MEMORY, IDLE_STALL };

struct cycle_state {
    uint64_t next;                  /* next cycle at which something can happen, wake-ups from memory apart */
    uint64_t settled;               /* cycles before this one are charged in the statistics */
    uint64_t counted;               /* cycles before this one are in stats.cycles and stats.resident_thread_cycles */
    uint64_t tick_at;               /* cycle at which the mechanism asked for `tick`; SM_NEVER: none */
    uint64_t later_tick;            /* the latest cycle for which `tick_at` was lowered; if to come, the wheel has it */
    const struct mem_times *memory; /* what the memory system knows of this multiprocessor's side */
    uint32_t waits_for;             /* bits of enum mem_kind: memory ports that ready strands wait for */
    enum cycle_idle idle_kind;      /* what the cycles since `settled` will be charged to */
    int idle_ticks;                 /* ticks in a row with nothing issued and no access in flight */
    bool is_stopped;                /* a cycle was begun, and not finished: see sm_run() */
    bool has_taken;                 /* in that cycle, all that was due was taken, and fetch has had its turn */
    bool was_idle;                  /* the last cycle issued nothing */
    bool was_called;                /* the mechanism was called in this cycle */
    struct sched_ask ask;           /* what the scheduler is asked where one strand takes all lanes of its port */
    bool has_new_state;             /* what the mechanism prints of its state may differ from what the trace has */
};

struct sm;

/* Adds the cycles that are settled to stats.cycles and stats.resident_thread_cycles. To be called before the number of
 * resident threads changes, and before the statistics are read. */
void cycle_charge_residents(struct sm *sm);

#endif
