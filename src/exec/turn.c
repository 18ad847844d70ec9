/* A block's turn: see turn.h. */
#include "exec/turn.h"

#include "exec/engine_fault.h"

/* The last time at which a row may begin a turn of full length, in a block's turn that ends at `end`. */
static uint64_t last_begin(const struct engine *e, uint64_t end)
{
    const uint64_t before_limit = e->limit < ROW_QUANTUM ? 0 : e->limit - ROW_QUANTUM;
    return before_limit < end ? before_limit : end - 1;
}

enum run_end turn_run(struct engine *e, struct block *block, uint64_t quantum, bool *has_locks)
{
    uint64_t end = e->now + quantum;
    int idle = 0, waiting = 0; /* rows in succession that could not run; that could not, or only polled */
    e->block = block;
    e->next_row_until = last_begin(e, end);
    if (e->now >= e->limit) { /* the block before reached the limit with its last instruction */
        e->row = &block->rows[block->next_row];
        engine_fault_limit(e);
        return RUN_FAULT;
    }
    while (block->live_threads) {
        if (e->now >= end)
            return RUN_QUANTUM;
        uint64_t before = e->now, left = e->limit - e->now;
        turn_begin_row(e, left < ROW_QUANTUM ? left : ROW_QUANTUM);
        enum run_end ended = cohort_run_row(e, has_locks);
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
        if (e->row_began != before) /* rows behind it had turns, too, and did something */
            waiting = 0;
        waiting = idle || ended == RUN_POLLING ? waiting + 1 : 0;
        if (waiting > block->row_count)
            return RUN_POLLING;
    }
    return RUN_BLOCKED;
}
