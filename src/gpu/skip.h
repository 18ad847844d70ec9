/*
 * Blocks without time: a launch on a machine may execute stretches of its blocks at once, with the functional engine,
 * and time only the others.
 *
 * Whoever samples a launch (sample/) chooses the stretches. A stretch is executed at the moment in which its first
 * block would be given to a multiprocessor, and takes no cycle. For the machine the grid is shorter: it goes on with
 * the block behind the stretch, with its multiprocessors as full and its caches as warm as they are. Every block is
 * executed exactly once, in the launch's own memory, so that the values of memory are right whatever is skipped.
 * Skipped blocks touch no cache.
 */
#ifndef HEDDLE_GPU_SKIP_H
#define HEDDLE_GPU_SKIP_H

#include <stdbool.h>
#include <stdint.h>

struct gpu;
struct launch_result;

/* A moment at which a block is about to be given to a multiprocessor. */
struct gpu_moment {
    uint64_t next_block;                             /* the block, which is the first one that may be skipped */
    uint64_t block_count;                            /* of the launch */
    uint64_t wave_blocks;                            /* blocks that all multiprocessors hold together */
    int cluster_size;                                /* blocks must be skipped in multiples of this */
    uint64_t cycle;                                  /* since the start of the launch */
    uint64_t warp_instructions, thread_instructions; /* that the machine has issued so far */
};

/* Who chooses the blocks to skip. */
struct gpu_skipper {
    void *context; /* the chooser's; given to each call */
    /* Returns how many blocks are skipped, from moment->next_block on, and sets *again to the number of the block at
     * which to ask next, at least moment->next_block plus the skipped ones; UINT64_MAX: never. The first question is
     * asked when all multiprocessors are full. */
    uint64_t (*choose)(void *context, const struct gpu_moment *moment, uint64_t *again);
    /* Blocks were skipped; `all` has the instructions of all skipped blocks so far. */
    void (*skipped)(void *context, const struct launch_result *all);
};

/* What was executed without time. */
struct gpu_skipped {
    uint64_t blocks, warp_instructions, thread_instructions, branches, divergent_branches;
    bool waits; /* the launch was stopped since skipped blocks wait for blocks that are timed */
};

/* To be called when blocks were given to a multiprocessor at core cycle `now`, before others are. After a fault of
 * skipped blocks the launch has a fault and gpu.is_halted. */
void skip_blocks(struct gpu *g, uint64_t now);
/* Ends the engine of skipped blocks. */
void skip_end(struct gpu *g);

#endif
