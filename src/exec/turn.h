/* A block's turn in the functional engine: its rows run one after the other, again and again. */
#ifndef HEDDLE_EXEC_TURN_H
#define HEDDLE_EXEC_TURN_H

#include "base/inline.h"
#include "exec/cohort.h"
#include "exec/repeated.h"

enum {
    /* Quanta, in warp instructions. */
    ROW_QUANTUM = 20000,     /* of a row, before the block's next row runs */
    BLOCK_QUANTUM = 1 << 20, /* of a block that runs alone, before another block is started beside it */
    SHARED_QUANTUM = 1 << 16 /* of a block among several: smaller, since some of them wait for each other */
};

/* Begins the turn of the block's next row. */
static ALWAYS_INLINE void turn_begin_row(struct engine *e, uint64_t quantum)
{
    struct block *block = e->block;
    e->row = &block->rows[block->next_row];
    block->next_row = block->next_row + 1 < block->row_count ? block->next_row + 1 : 0;
    e->row_began = e->now;
    e->row_end = e->now + quantum;
    if (e->repeated)
        repeated_begin_turn(e->repeated);
}

/* Runs a block until it ends (RUN_BLOCKED), faults, its quantum is used up, no row can do more than poll, or none can
 * run because they wait for other blocks of the cluster (RUN_IDLE). `has_locks`: see cohort_run_row(). */
enum run_end turn_run(struct engine *e, struct block *block, uint64_t quantum, bool *has_locks);

#endif
