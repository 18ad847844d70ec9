/*
 * A multiprocessor: resident blocks, their strands, and the pipeline that issues them.
 *
 * Each cycle in which something can happen, it takes what is due (results, resolved branches, released barriers,
 * memory replies), then asks the scheduler for a strand per issue port. An instruction is executed at issue; its
 * registers are pending until its latency has passed, and a strand whose next instruction needs a pending register is
 * not ready until the last of them is written. Cycles in which nothing can happen are charged by span, not visited.
 *
 * Modelled: issue ports, SIMD width below the warp's, latency and interval per cost class, exact scoreboard (or one
 * instruction in flight a strand), branch resolution, barriers, rendezvous, shared-memory banks, the port to the memory
 * system with its back-pressure, occupancy.
 * Not modelled yet: fetch and instruction caches (ideal), operand collectors, texture addresses (fixed latency).
 */
#ifndef HEDDLE_SM_SM_H
#define HEDDLE_SM_SM_H

#include "div/div.h"
#include "exec/step.h"
#include "mem/mem.h"
#include "sched/sched.h"
#include "sm/config.h"
#include "sm/stats.h"
#include "trace/trace.h"

struct sm;

/* What all multiprocessors of a launch share. */
struct sm_setup {
    const struct sm_config *config;
    const struct div_ops *mechanism;
    const void *mechanism_knobs;
    const struct sched_ops *scheduler;
    struct engine *engine;
    struct mem *mem;
    int blocks; /* resident at most: occupancy */
    struct sm_site *sites; /* by PC */
    struct trace *trace;   /* NULL: none */
};

struct sm *sm_create(const struct sm_setup *setup, int index);
void sm_destroy(struct sm *sm);

bool sm_has_room(const struct sm *sm); /* for one more block */
void sm_launch(struct sm *sm, uint64_t block_number, uint64_t now);
int sm_resident(const struct sm *sm);

/* Does cycle `now`. False after a guest fault. */
bool sm_cycle(struct sm *sm, uint64_t now);
/* The next cycle at which it wants to be called; UINT64_MAX: only a memory reply or a new block can change anything. */
uint64_t sm_next(const struct sm *sm);
/* Charges idle cycles up to `now`, for statistics at the end. */
void sm_settle(struct sm *sm, uint64_t now);

const struct sm_stats *sm_counters(const struct sm *sm);
const void *sm_mechanism_counters(const struct sm *sm);
/* Who waits for what; for a deadlock. */
void sm_dump(const struct sm *sm, struct text *out);

#endif
