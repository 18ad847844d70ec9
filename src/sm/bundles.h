/*
 * Bundles: threads of one row that issue as one strand where every thread counts as a strand of its own (ideal lanes).
 *
 * With ideal lanes the scheduler picks single threads, W of them per port and cycle. Threads of a row that were picked
 * in the same cycles at the same PCs are in the same state, so a host that simulates each by itself does everything
 * many times. A bundle is such a set of threads: one strand, whose issue counts as an issue of each of its threads.
 * Bundles are invisible in results. A bundle is split where its threads would be told apart:
 *   - the lanes of the cycle end in its middle, or another thread comes between its threads in the order of picks and
 *     that order matters;
 *   - a branch sends its threads to different places (the mechanism does this);
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
#ifndef HEDDLE_SM_BUNDLES_H
#define HEDDLE_SM_BUNDLES_H

#include "lanes/lanes.h"
#include "sm/readiness.h"

#include <stdbool.h>
#include <stdint.h>

struct sched_ask;
struct sm;
struct strand;

/* A thread by its place, which a thread of a later block may take over. */
struct bundle_thread {
    int32_t row;   /* -1: none */
    uint32_t lane; /* one bit */
};

/* A row. */
struct bundle_row {
    uint32_t ready;        /* lanes of the threads in ready strands */
    int16_t id[ROW_LANES]; /* [lane] the strand of the thread */
};

struct bundles {
    struct bundle_row *rows;                        /* [row]; NULL: threads are not bundled */
    bool has_noted;                                 /* accesses of the strand that issues are in sm.step already */
    bool is_greedy;                                 /* the thread that issued last goes first */
    struct bundle_thread last[READINESS_MAX_PORTS]; /* [port] the thread that issued last */
    uint32_t port_lanes[READINESS_MAX_PORTS];       /* [port] lanes of a row whose threads issue on the port */
};

/* Finds out whether threads may be bundled in this launch, which then is in host.facts.bundles; replaces a greedy
 * scheduler by one without greed, since greed is for threads. */
void bundles_open(struct sm *sm);
void bundles_close(struct sm *sm);
/* Threads of a row are in another strand now. */
void bundles_enter(struct sm *sm, int32_t row, uint32_t lanes, int32_t id);
/* Splits threads off the strand that find the registers of its next instruction written at another cycle than its first
 * thread does. Returns whether there are any. */
bool bundles_separate(struct sm *sm, struct strand *s);
/* Issues threads that fit `ask`, as many as the port has lanes; adds their number to `threads`. False after a fault. */
bool bundles_issue(struct sm *sm, struct sched_ask *ask, int *threads);

#endif
