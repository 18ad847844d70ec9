/*
 * Happens-before among the threads of a launch, by the rules of race.h.
 *
 * A block's epoch counts its barriers without a count: every access of an earlier epoch happens before all later ones
 * of the block. Within an epoch, vector clocks order threads. Each thread has a clock, which counts its
 * synchronisations, and knows, per other thread, up to which clock that thread's accesses happen before its own. A
 * thread knows the threads of its row; it knows all threads of the block from the block's first barrier with a count
 * on, since before that only the epoch can order rows.
 */
#ifndef HEDDLE_EXEC_RACE_ORDER_H
#define HEDDLE_EXEC_RACE_ORDER_H

#include "base/vec.h"
#include "exec/engine.h"

/* What is known of a resident block. The next block in the same storage (block.h) takes the structure over. */
struct race_order_block {
    const struct block *block; /* key; NULL: a free slot of the table */
    uint64_t number;           /* number of the block that the fields below describe */
    int threads;
    uint32_t epoch;    /* barriers without a count so far */
    uint32_t known;    /* threads that each thread knows: 32, those of its row, or all of the block */
    uint32_t *clock;   /* by thread */
    uint32_t *behind;  /* [thread][known]: up to which clock the known thread's accesses happen before the thread's */
    uint32_t *atomic;  /* by thread: rank of the last atomic of the thread or of threads that it synchronised with */
    uint32_t *arrived; /* [barrier][thread]: clocks of the threads that arrived; NULL: no barrier with a count yet */
    uint32_t arrived_atomic[LAUNCH_MAX_BARRIERS]; /* by barrier: last atomic of the threads that arrived */
    struct race_word *words;                      /* lock-step check: words that atomics touched (order.c) */
    void *shared;                                 /* shadow of shared memory: made and cleared by race.c, freed here */
};

struct race_order {
    struct race_order_block *table; /* open addressing by `block` */
    int capacity, count;
    uint32_t atomics;                    /* executed so far, in all blocks; gives atomics their rank */
    struct vec_of(uint32_t) last_atomic; /* by block number: rank of its last atomic; 0: none */
};

/* A past access: by one thread, or by several of one row. */
struct race_seen {
    uint32_t block; /* block number + 1; 0: no access */
    uint32_t lanes;
    uint32_t epoch, clock, atomics; /* of the block, the thread and the launch, at the access */
    uint32_t pc : 26, row : 6;
};

enum { RACE_PC_MASK = (1 << 26) - 1 };

/* A thread that is about to access memory. */
struct race_present {
    struct race_order_block *block;
    struct race_seen self; /* the access, as the shadow will record it */
    int lane;
};

void race_order_free(struct race_order *o);
/* The state of a block. `is_new`: the block has just been given the structure, and `shared` is stale. */
struct race_order_block *race_order_find(struct race_order *o, const struct block *block, bool *is_new);
struct race_present race_order_present(const struct race_order *o, struct race_order_block *b, int row, int lane,
                                       int32_t pc);
/* The lanes of `before` whose access nothing orders before the present thread. */
uint32_t race_order_unordered(const struct race_order *o, const struct race_seen *before, const struct race_present *p);

/* What orders threads; each call corresponds to one of race.h. */
void race_order_atomic(struct race_order *o, struct race_order_block *b, int thread);
/* The lock-step check's rule for atomics: the thread reads the word at `address`, writes it, or both. */
void race_order_hand_over(struct race_order_block *b, enum space space, uint64_t address, int thread, bool reads,
                          bool writes);
void race_order_warp_sync(struct race_order_block *b, int row, uint32_t mask);
void race_order_arrive(struct race_order_block *b, uint32_t barrier, int row, uint32_t mask);
void race_order_pass(struct race_order_block *b, uint32_t barrier, int row, uint32_t mask);
void race_order_open(struct race_order_block *b, uint32_t barrier);
void race_order_open_all(struct race_order_block *b);

#endif
