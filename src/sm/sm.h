/*
 * A multiprocessor: resident blocks, their strands, and the pipeline that issues them.
 *
 * Each cycle in which something can happen, it takes what is due (results, resolved branches, released barriers,
 * memory replies), then asks the scheduler for a strand per issue port. An instruction is executed at issue; its
 * registers are pending until its latency has passed, and a strand whose next instruction needs a pending register is
 * not ready until the last of them is written. Cycles in which nothing can happen are charged by span, not visited.
 *
 * Modelled: fetch (ideal, or through instruction caches), issue ports, several strands on disjoint lane slices in one
 * cycle, SIMD width below the warp's, latency and interval per cost class, conflicts of register banks, scoreboards
 * (exact, or the papers' simpler ones), branch resolution, barriers, rendezvous, shared-memory banks, the ports to the
 * memory system with their back-pressure, occupancy. Not modelled: limits of the write-back ports, replays.
 */
#ifndef HEDDLE_SM_SM_H
#define HEDDLE_SM_SM_H

#include "div/contract/div.h"
#include "exec/step.h"
#include "mem/mem.h"
#include "sched/sched.h"
#include "sm/config.h"
#include "sm/stats.h"
#include "trace/trace.h"

struct sm;
struct plans;

/* What all multiprocessors of a launch share. */
struct sm_setup {
    const struct sm_config *config;
    const struct div_ops *mechanism;
    const void *mechanism_knobs;
    const int32_t *likely;               /* as mechanisms see them in div_host */
    const struct barrier_plan *barriers; /* the same */
    const struct sched_ops *scheduler;
    struct engine *engine;
    const struct program *program; /* as the mechanism sees it */
    const struct plans *plans;
    struct mem *mem;
    const struct mem_config *memory; /* what it was made by */
    int blocks;                      /* resident at most: occupancy */
    uint64_t start;                  /* cycle before the first */
    struct sm_site *sites;           /* by PC */
    struct trace *trace;             /* NULL: none */
};

struct sm *sm_create(const struct sm_setup *setup, int index);
void sm_destroy(struct sm *sm);

bool sm_has_room(const struct sm *sm); /* for one more block */
void sm_launch(struct sm *sm, uint64_t block_number, uint64_t now);
int sm_resident(const struct sm *sm);

enum sm_progress {
    SM_DONE,
    SM_STOPPED, /* the cycle is to be done again, when memory has come to it */
    SM_FAULT    /* of the guest */
};
/* Does cycle `now`; with `alone`, only if nothing in it wants the memory system. */
enum sm_progress sm_cycle(struct sm *sm, uint64_t now, bool alone);
bool sm_is_stopped(const struct sm *sm); /* in the middle of cycle sm_now(): it is no time for a new block */
/* Nothing that others do can reach it, nor what it does reach others, before it wants the memory system: it may run ahead
 * of them. */
bool sm_is_alone(const struct sm *sm);
/* The next cycle at which it wants to be called; UINT64_MAX: only memory or a new block can change anything. Exact up to
 * `until`, to which the memory system lets it run; what happens there later may make it earlier, if it heeds it. */
uint64_t sm_next(struct sm *sm, uint64_t until);
bool sm_heeds_memory(const struct sm *sm);
/* Charges idle cycles up to `now`, for statistics at the end. */
void sm_settle(struct sm *sm, uint64_t now);

const struct sm_stats *sm_counters(const struct sm *sm);
const void *sm_mechanism_counters(struct sm *sm);
uint64_t sm_now(const struct sm *sm);      /* the last cycle it did */
uint64_t sm_last_end(const struct sm *sm); /* cycle at which a block ended last */
/* What the mechanism says of itself. */
void sm_dump_mechanism(const struct sm *sm, struct text *out);

/* For explanations and watchdogs: strands by id, rows by number. */
int sm_strand_top(const struct sm *sm);                          /* ids are below it */
const struct strand *sm_strand(const struct sm *sm, int32_t id); /* NULL: there is none */
int sm_row_count(const struct sm *sm);
const struct row *sm_row(const struct sm *sm, int32_t row);         /* NULL: no resident block there */
const struct block *sm_row_block(const struct sm *sm, int32_t row); /* of a row that is not NULL */
int32_t sm_strand_of(const struct sm *sm, int32_t row, int lane);   /* id; -1: the mechanism's, or ended */
bool sm_comes(const struct sm *sm, int32_t row, int lane,
              uint64_t since); /* see `comes` of the mechanism; or it drains */
void sm_why(const struct sm *sm, int32_t strand,
            struct text *out);                                /* why a parked one does not run; nothing if unknown */
int32_t sm_where(const struct sm *sm, int32_t row, int lane); /* where the mechanism lets it go on; or PC_NONE */

#endif
