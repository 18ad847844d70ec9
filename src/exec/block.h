/*
 * A resident block: its rows, its shared memory and its barriers.
 *
 * All blocks of a launch have the same shape, so the next block takes over the storage of a finished one.
 */
#ifndef HEDDLE_EXEC_BLOCK_H
#define HEDDLE_EXEC_BLOCK_H

#include "base/storage.h"
#include "device/launch.h"
#include "exec/row.h"

/* Special registers that can differ between two blocks of a launch: those of blocks, and %tid where threads do not run
 * at their own places. */
enum { BLOCK_CHANGING = 16 };

struct cluster;
struct tape_log;
struct tape_play;

enum {
    WARPGROUP_ROWS = 4,
    /* Barriers 0 to 15 have names. Behind them is one for each warpgroup, for wgmma.wait_group. */
    BLOCK_BARRIERS = LAUNCH_MAX_BARRIERS + LAUNCH_MAX_THREADS / (WARPGROUP_ROWS * ROW_LANES)
};

/* A barrier. Its fields hold only while it is in use: a thread has arrived since it last opened. */
struct block_barrier {
    bool is_reduction;
    uint32_t expected; /* threads that open the barrier; 0: all live threads of the block or of the warpgroup */
    uint32_t came;     /* threads that arrived */
    uint32_t arrived[LAUNCH_MAX_THREADS / ROW_LANES];   /* by row: lanes that arrived, whether or not they wait */
    int32_t aligned_pc[LAUNCH_MAX_THREADS / ROW_LANES]; /* by row: PC of the arrived .aligned instruction; -1: none */
    uint32_t votes;                                     /* arrived threads whose predicate is true */
    uint32_t voters;                                    /* arrived threads that gave a predicate */
};

struct block {
    uint32_t index[3];  /* %ctaid */
    uint64_t number;    /* linear index in the grid */
    uint64_t workspace; /* generic address of a cooperative launch's workspace; 0: the launch is not cooperative */
    int row_count;
    struct row *rows;
    struct cluster *cluster; /* NULL: the block is alone (cluster.h) */
    uint32_t rank;           /* in the cluster */
    bool is_let_go;          /* the barrier of a spread cluster has opened, and threads of the block still wait at it */
    uint8_t *shared;
    uint32_t shared_bytes;
    uint8_t *local; /* local memory of all rows, row after row; pages that no thread touches cost nothing */
    size_t local_bytes;
    bool has_locals;                  /* the program has variables in local memory, or calls */
    bool is_started;                  /* a block of the launch was started in this storage before */
    int sreg_planes;                  /* planes of special registers, which come first; holds once is_started does */
    int cleared_planes;               /* planes from these up to this one are cleared when another block is started */
    uint8_t changing[BLOCK_CHANGING]; /* special registers that differ between blocks, once is_started */
    int changing_count;
    bool is_in_storage;  /* what the block is kept in, with its parts, is freed by others */
    uint64_t last_order; /* functional engine: engine.now of the last operation that may order blocks (writers.h) */
    int next_row;        /* functional engine: the row that runs next */
    uint32_t live_threads;
    struct tape_log *log;     /* what its threads decided so far, where the launch is recorded; else NULL. Owned */
    struct tape_play *play;   /* what its threads decide, where the launch is replayed; else NULL. Owned */
    uint32_t barriers_in_use; /* one bit per barrier */
    struct block_barrier barrier[BLOCK_BARRIERS];
};

/* Memory for one block of this launch; `local_bytes` is per thread. The memory is from `storage`, or from malloc() if
 * that is NULL. The caller sets `workspace`. */
struct block *block_create(const struct launch *launch, const struct program *program, uint32_t local_bytes,
                           struct storage *storage);
void block_destroy(struct block *block);
/* Makes the storage the block with this linear number: all threads at PC 0, special registers set, shared memory
 * zero. */
void block_start(struct block *block, const struct launch *launch, const struct program *program, uint64_t number);
/* Makes local memory zero, unless the block has so much of it that this would take long: then threads find what the
 * block before left in this storage. A no-op if no instruction of the program has to do with local memory. */
void block_clear_local(struct block *block);
/* Whether blocks of this launch have local memory that block_clear_local() clears; `local_bytes` is per thread. */
bool block_local_is_cleared(const struct launch *launch, uint32_t local_bytes);

#endif
