/* A block's turn: see turn.h. */
#include "exec/turn.h"

#include "exec/engine_fault.h"

enum run_end turn_run(struct engine *e, struct block *block, uint64_t quantum, bool *has_locks)
{
    uint64_t end = e->now + quantum;
    int idle = 0, waiting = 0; /* rows in succession that could not run; that could not, or only polled */
    e->block = block;
    if (e->now >= e->limit) { /* the block before reached the limit with its last instruction */
        e->row = &block->rows[block->next_row];
        engine_fault_limit(e);
        return RUN_FAULT;
    }
    while (block->live_threads) {
        if (e->now >= end)
            return RUN_QUANTUM;
        struct row *row = &block->rows[block->next_row];
        block->next_row = block->next_row + 1 < block->row_count ? block->next_row + 1 : 0;
        uint64_t before = e->now, left = e->limit - e->now;
        enum run_end ended = cohort_run_row(e, row, left < ROW_QUANTUM ? left : ROW_QUANTUM, has_locks);
        if (ended == RUN_FAULT)
            return RUN_FAULT;
        if (e->now >= e->limit && block->live_threads) {
            engine_fault_limit(e);
            return RUN_FAULT;
        }
        idle = e->now == before ? idle + 1 : 0;
        if (idle > block->row_count && block->cluster)
            return RUN_IDLE;
        if (idle > block->row_count) {
            engine_fault_deadlock(e);
            return RUN_FAULT;
        }
        waiting = idle || ended == RUN_POLLING ? waiting + 1 : 0;
        if (waiting > block->row_count)
            return RUN_POLLING;
    }
    return RUN_BLOCKED;
}
