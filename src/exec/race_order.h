/*
 * What happened before what, among the threads of a launch: see race.h for the rules.
 *
 * A block counts its barriers in an epoch: what was done in an earlier one is over for all its threads. Within an
 * epoch each thread has a clock, which counts what it met others at, and knows of others up to which reading of their
 * clocks it is behind them. Threads of a row know each other; those of different rows only from when the block first
 * uses a barrier with a count, since until then nothing but the epoch can order them.
 */
#ifndef HEDDLE_EXEC_RACE_ORDER_H
#define HEDDLE_EXEC_RACE_ORDER_H

#include "base/vec.h"
#include "exec/engine.h"

/* A block in place of which others come later. */
struct order_block {
    const struct block *block; /* NULL: a free place of the table */
    uint64_t number;           /* the block that the rest speaks of */
    int threads;
    uint32_t epoch;
    uint32_t known;    /* threads that a thread knows of: those of its row, or all */
    uint32_t *clock;   /* by thread */
    uint32_t *behind;  /* [thread][known] */
    uint32_t *atomic;  /* by thread: its last atomic, or the last one of those it met */
    uint32_t *arrived; /* [barrier][thread], once there is a barrier with a count: clocks of those that came */
    uint32_t arrived_atomic[LAUNCH_MAX_BARRIERS];
    void *shared; /* shadow of shared memory: the user's, who also clears it of what the block before left */
};

struct order {
    struct order_block *table; /* open addressing by `block` */
    int capacity, count;
    uint32_t atomics;                    /* so far */
    struct vec_of(uint32_t) last_atomic; /* by block number */
};

/* A thread, or several of one row that did the same. */
struct seen {
    uint32_t block; /* number, from 1; 0: nobody */
    uint32_t lanes;
    uint32_t epoch, clock, atomics;
    uint32_t pc : 26, row : 6;
};

/* A thread at work. */
struct present {
    struct order_block *block;
    struct seen self; /* as it will be remembered; one lane */
    int lane;
};

void order_free(struct order *o);
/* The state of a block; `is_new`: nothing is known of it yet. */
struct order_block *order_find(struct order *o, const struct block *block, bool *is_new);
struct present order_present(const struct order *o, struct order_block *b, int row, int lane, int32_t pc);
/* The lanes of `before` that nothing orders before the thread. */
uint32_t order_unordered(const struct order *o, const struct seen *before, const struct present *p);

void order_atomic(struct order *o, struct order_block *b, int thread);
void order_meet(struct order_block *b, int row, uint32_t mask);
void order_arrive(struct order_block *b, uint32_t barrier, int row, uint32_t mask);
void order_pass(struct order_block *b, uint32_t barrier, int row, uint32_t mask);
void order_open(struct order_block *b, uint32_t barrier);
void order_open_all(struct order_block *b);

#endif
