/* A block's turn in the functional engine: its rows run one after the other, again and again. */
#ifndef HEDDLE_EXEC_TURN_H
#define HEDDLE_EXEC_TURN_H

#include "exec/cohort.h"

enum {
    /* Quanta, in warp instructions. */
    ROW_QUANTUM = 20000,     /* of a row, before the block's next row runs */
    BLOCK_QUANTUM = 1 << 20, /* of a block that runs alone, before another block is started beside it */
    SHARED_QUANTUM = 1 << 16 /* of a block among several: smaller, since some of them wait for each other */
};

/* Runs a block until it ends (RUN_BLOCKED), faults, its quantum is used up, no row can do more than poll, or none can
 * run because they wait for other blocks of the cluster (RUN_IDLE). `has_locks`: see cohort_run_row(). */
enum run_end turn_run(struct engine *e, struct block *block, uint64_t quantum, bool *has_locks);

#endif
