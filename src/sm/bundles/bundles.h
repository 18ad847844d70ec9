/*
 * Bundles: threads of one row that issue as one strand where every thread counts as a strand of its own (ideal lanes).
 *
 * With ideal lanes the scheduler picks single threads, W of them per port and cycle. Threads of a row that were picked
 * in the same cycles at the same PCs are in the same state, so a host that simulates each by itself does everything
 * many times. A bundle is such a set of threads: one strand, whose issue counts as an issue of each of its threads.
 * Bundles are invisible in results. A bundle is split where its threads would be told apart:
 *   - the lanes of the cycle end in its middle, or another thread comes between its threads in the order of picks and
 *     that order matters;
 *   - a branch sends its threads to different places;
 *   - some of its threads access memory, or one kind of memory, and others do not;
 *   - the instruction depends on which threads execute it together, or makes each thread wait by itself.
 *   - registers of its next instruction are written at different cycles for its threads.
 * Bundles of a row that are ready at the same PC in the same cycle become one.
 *
 * The order of picks is that of schedulers by age, with or without greed (sched_ops.by_age, .without_greed): the thread
 * that issued last on the port, if greedy; then the threads of older blocks before those of younger ones, in the order
 * of rows and lanes. A thread that is not ready, or whose class of instruction is blocked, is passed over. The order
 * matters for instructions that access memory, since the first access of a cycle decides which others can join it.
 */
#ifndef HEDDLE_SM_BUNDLES_BUNDLES_H
#define HEDDLE_SM_BUNDLES_BUNDLES_H

#include "lanes/lanes.h"
#include "sm/readiness.h"
#include "sm/wheel.h"

#include <stdbool.h>
#include <stdint.h>

struct sched_ask;
struct sm;
struct step_access;
struct strand;
struct strand_state;

/* A thread by its place, which a thread of a later block may take over. */
struct bundle_thread {
    int32_t row;   /* -1: none */
    uint32_t lane; /* one bit */
};

/* A row. */
struct bundle_row {
    int16_t id[ROW_LANES]; /* [lane] the strand of the thread */
};

/* The place of a thread in the order of picks, times BUNDLES_ORDER, plus the thread's row: threads of a block have
 * consecutive places from 1 on, and those of younger blocks larger ones. 0: no thread. */
enum { BUNDLES_ORDER = 1 << 16 };

/* The last easy strand that was found with a hash of row, PC and port. */
struct bundle_mate {
    uint32_t round; /* bundles.easy_round when it was found */
    int32_t id;
};

enum { BUNDLES_MATES = 128 };

/* Not in a list of wake-ups; and the end of a list. */
enum { BUNDLES_UNLISTED = -2, BUNDLES_END = -1 };

struct bundles {
    struct bundle_row *rows;                        /* [row]; NULL: threads are not bundled */
    bool has_noted;                                 /* accesses of the strand that issues are in sm.step already */
    bool is_greedy;                                 /* the thread that issued last goes first */
    struct bundle_thread last[READINESS_MAX_PORTS]; /* [port] the thread that issued last */
    uint32_t *ready[READINESS_MAX_PORTS];           /* [port][row] lanes of threads in ready strands of the port */
    uint32_t *of_class[READINESS_MAX_PORTS];        /* [port][class * row_count + row] those of one class */
    uint64_t *ready_rows[READINESS_MAX_PORTS];      /* [port] one bit per row that has such threads */
    int row_count;
    int place_count;
    int *places;     /* places that have had blocks, in the order of their blocks' ages */
    uint64_t *order; /* [row] place of the row's first thread in the order of picks: see BUNDLES_ORDER */
    /* Strands that wake up, two lists per cycle of the wheel. A strand is in one list at most; what else it asks for is
     * an event of the wheel. */
    int16_t wake_first[WHEEL_CYCLES];
    int16_t easy_first[WHEEL_CYCLES]; /* those that will be easy strands, at instructions of lane handlers */
    int16_t *wake_next;               /* [strand] */
    /* Strands that have issued in this cycle and can issue in the next one. */
    int16_t *again;
    int again_count;
    /* Easy strands: easy.h. */
    bool has_easy;
    uint64_t crowded_until; /* cycle up to which no strand becomes an easy one */
    int easy_count;
    int16_t *easy;
    int easy_threads[READINESS_MAX_PORTS]; /* [port] threads of easy strands */
    uint64_t newest[READINESS_MAX_PORTS];  /* [port] the last of these threads in the order of picks */
    bool has_mates;                        /* easy strands of one row may be at one branch */
    uint32_t easy_round;                   /* counts the cycles that issue easy strands */
    struct bundle_mate mates[BUNDLES_MATES];
};

/* Finds out whether threads may be bundled in this launch, which then is in host.facts.bundles; replaces the scheduler
 * by one that does nothing, since bundles_issue() picks by itself. */
void bundles_open(struct sm *sm);
void bundles_close(struct sm *sm);
/* A block starts at the place. */
void bundles_start_block(struct sm *sm, int place);
/* Threads of a row are in another strand now. */
void bundles_enter(struct sm *sm, int32_t row, uint32_t lanes, int32_t id);
/* The strand, which is not in the set of ready threads, keeps these lanes. The others become a strand of their own,
 * which is returned. It is in the same state, but was not evaluated yet. */
struct strand *bundles_split(struct sm *sm, struct strand *s, uint32_t lanes);
/* bundles_split() of a strand that is in the set of ready threads, as its other threads are then, too. */
void bundles_split_ready(struct sm *sm, struct strand *s, uint32_t lanes);
/* Two strands of a row become one. Both are at one PC, and both in the set of ready threads or neither. */
void bundles_join(struct sm *sm, struct strand *s, struct strand *from);
/* Splits threads off the strand that find the registers of its next instruction written at another cycle than its first
 * thread does. Returns whether there are any. */
bool bundles_separate(struct sm *sm, struct strand *s);
/* Issues threads that fit `ask`, as many as the port has lanes; adds their number to `threads`. False after a fault. */
bool bundles_issue(struct sm *sm, struct sched_ask *ask, int *threads);
/* The strand has issued an instruction that is no control instruction, and goes on behind it; with easy strands. */
void bundles_advance(struct sm *sm, struct strand *s);
/* Counts the passes over the banks of shared memory that the threads of a bundle need. Each thread accesses by itself,
 * so its passes, which are returned, depend on the number of its bytes alone. */
unsigned bundles_pass_banks(struct sm *sm, const struct strand *s, const struct step_access *shared);
/* At the end of a cycle: makes those strands ready that have issued and can issue in the next cycle. */
void bundles_end_cycle(struct sm *sm);
/* Asks for a wake-up at the cycle. False: threads are not bundled, or the wake-up must be an event of the wheel. */
bool bundles_wake_later(struct sm *sm, const struct strand *s, uint64_t cycle);
/* The registers of the strand's next instruction are written: the strand becomes ready, unless it waits for something
 * else. */
void bundles_make_ready(struct sm *sm, struct strand *s, struct strand_state *state);
/* The data of loads is back for these lanes: evaluates the strands that may have waited for it. */
void bundles_wake_lanes(struct sm *sm, int32_t row, uint32_t lanes);
/* The cycle has come: wakes the strands up that asked for it. */
void bundles_wake_all(struct sm *sm, uint64_t cycle);

#endif
