/*
 * Blocks ahead of their turn: the functional engine on several host threads.
 *
 * The blocks of a launch run one after the other, and what a launch leaves is what that order gives: also where blocks
 * race, add floats by atomics, print, or fault. With several host threads, blocks still take their turns in that
 * order, but are executed before it, in rounds. In a round, each host thread takes stretches of consecutive blocks and
 * runs them with drafts (draft.h) in place of writes to memory. Then the stretches' turns come, one after the other. A
 * stretch whose draft is good is done: its writes go to memory. Any other is executed again, at its turn. A stretch
 * that comes to something that cannot be executed ahead waits for its turn and goes on from there.
 *
 * A round ends at a block that does not end by itself (it faults, it polls memory, its quantum is used up): the loop of
 * functional.c goes on with that block, and later blocks run again.
 *
 * Rounds that are not faster than one host thread are followed by ever longer stretches without rounds, and launches
 * whose rounds were not faster by ever more launches of the kernel without rounds. Only the host's time depends on
 * that.
 */
#ifndef HEDDLE_EXEC_AHEAD_AHEAD_H
#define HEDDLE_EXEC_AHEAD_AHEAD_H

#include "exec/turn.h"

struct crew;
struct ptx_function;

/* What is known of a kernel's earlier launches. */
struct ahead_habit {
    const struct ptx_function *kernel; /* NULL: nothing is known */
    int rests;                         /* launches to come that are to have no rounds */
    int last_rests; /* `rests` after the last launch whose rounds were too slow; 0: they were faster */
};

enum { AHEAD_HABITS = 32 };

/* The host threads. They serve one launch after the other. */
struct ahead_team {
    int threads;         /* host threads, the caller's included; 0: one for each core that is idle */
    bool is_eager;       /* for tests: rounds from the first block on, however short or slow */
    struct crew *crew;   /* NULL until a launch is long enough */
    uint64_t good, vain; /* stretches of all rounds so far that were executed ahead, and in vain */
    struct ahead_habit habits[AHEAD_HABITS]; /* of kernels, by their addresses; two may share a place */
};

struct ahead_team *ahead_team_create(int threads);
void ahead_team_destroy(struct ahead_team *team); /* NULL is allowed */

struct ahead;

/* How a round ended. */
struct ahead_end {
    uint64_t next;        /* the next block: all earlier ones are done, but for `kept` */
    enum run_end ended;   /* RUN_BLOCKED, or how the turn of `kept` ended */
    uint64_t now, writes; /* of the engine, when `kept` began */
    struct block *kept;   /* the block before `next`, which has not ended; NULL: there is none. The caller's */
};

/* NULL: the launch has only one host thread, or is followed instruction by instruction, or its blocks do not run one
 * after the other. */
struct ahead *ahead_open(struct engine *e);
void ahead_close(struct ahead *a); /* NULL is allowed */
/* Blocks from `first` on are going to run. `a` may be NULL. */
void ahead_begin(struct ahead *a, uint64_t first);
/* Whether blocks from `next` up to `total` should run in a round now. `a` may be NULL. */
bool ahead_is_due(struct ahead *a, uint64_t next, uint64_t total);
/* Runs a round of them, while no block is kept. `has_locks`: see cohort_run_row(). */
struct ahead_end ahead_run(struct ahead *a, uint64_t next, uint64_t total, bool *has_locks);

#endif
