/*
 * A resident block: its rows with their registers, stacks and local memory, its shared memory, its barriers.
 *
 * Everything is by row and lane and stays there for the thread's life. Blocks of one launch are alike, so a
 * finished block's storage is taken over by the next one.
 */
#ifndef HEDDLE_EXEC_BLOCK_H
#define HEDDLE_EXEC_BLOCK_H

#include "device/launch.h"
#include "exec/bound.h"

enum cohort_state { COHORT_READY, COHORT_AT_BARRIER, COHORT_AT_RENDEZVOUS };

/* Threads of one row at one PC. */
struct cohort {
    int32_t pc;
    int32_t depth; /* calls deep */
    uint32_t mask;
    uint8_t state;   /* enum cohort_state */
    uint8_t barrier; /* number, while COHORT_AT_BARRIER */
};

/* What a thread goes back to. */
struct return_record {
    int32_t pc;
    uint32_t frame;
    int32_t call; /* index of the call: says what to copy back and restore */
};

struct row {
    uint8_t *planes;           /* registers: plane_count * PLANE_BYTES */
    uint8_t *local;            /* [word][lane]: 4-byte words, interleaved, so that one offset in all lanes is a plane */
    uint32_t live;             /* lanes whose thread has not ended */
    uint32_t first_thread;     /* linear id in the block of lane 0 */
    int32_t number;            /* of the row on its multiprocessor; unused by the functional engine */
    uint32_t frame[ROW_LANES]; /* frame pointer: offset in local memory */
    uint64_t last_turn[ROW_LANES]; /* when the thread last had its turn (cohort.c), in warp instructions */
    uint64_t apart;                /* warp instructions since it was whole, or since turns changed (cohort.c) */
    bool by_turn;                  /* the cohort that waited longest runs, not the lowest in PC */
    int cohort_count;
    struct cohort cohort[ROW_LANES];
    struct return_record *returns; /* [depth][lane] */
    int return_capacity;           /* depths */
    uint32_t *saved;               /* [word][lane]: registers saved across recursive calls */
    uint32_t saved_capacity;       /* words */
    uint32_t saved_top[ROW_LANES];
};

/* A named barrier in use. */
struct block_barrier {
    bool in_use;
    bool is_reduction;
    uint32_t expected;                                  /* threads; 0: all live ones */
    uint32_t arrived[LAUNCH_MAX_THREADS / ROW_LANES];   /* lanes by row, waiting or not */
    int32_t aligned_pc[LAUNCH_MAX_THREADS / ROW_LANES]; /* of the row's first arrival, if it was .aligned; else -1 */
    uint32_t votes;                                     /* true predicates so far */
    uint32_t voters;
};

struct block {
    uint32_t index[3];
    uint64_t number; /* linear */
    int row_count;
    struct row *rows;
    uint8_t *shared;
    uint32_t shared_bytes;
    uint8_t *local; /* of all rows, one after the other: most of it is never touched */
    size_t local_bytes;
    int next_row; /* whose turn it is */
    uint32_t live_threads;
    struct block_barrier barrier[LAUNCH_MAX_BARRIERS];
};

/* Storage for a block of this launch; local_bytes per thread. */
struct block *block_create(const struct launch *launch, const struct program *program, uint32_t local_bytes);
void block_destroy(struct block *block);
/* Makes it the block with this linear number: threads at PC 0, special registers set, shared memory zero. */
void block_start(struct block *block, const struct launch *launch, const struct program *program, uint64_t number);

/* Adds threads to the row's cohorts, merging with a ready cohort at the same place. */
void row_add_cohort(struct row *row, int32_t pc, int32_t depth, uint32_t mask);

#endif
