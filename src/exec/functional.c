/*
 * The functional engine's loop over blocks and rows.
 *
 * Blocks run one after the other. A block that does not end soon may wait for another block, so it is kept and the next
 * block is started beside it. The rows of a block take turns; cohort.c orders the cohorts within a row.
 */
#include "exec/functional.h"

#include "base/arena.h"
#include "exec/cohort.h"
#include "exec/engine.h"
#include "exec/engine_fault.h"

#include <stdlib.h>

enum {
    /* Quanta, in warp instructions. */
    ROW_QUANTUM = 20000,      /* of a row, before the block's next row runs */
    BLOCK_QUANTUM = 1 << 20,  /* of a block that runs alone, before another block is started beside it */
    SHARED_QUANTUM = 1 << 16, /* of a block among several: smaller, since some of them wait for each other */
    /* Blocks that are kept at once: as many as a large GPU holds, unless their threads' stacks take too much host
     * memory. */
    KEPT_BLOCKS_SM = 32,     /* blocks per multiprocessor */
    KEPT_THREADS_SM = 2048,  /* threads per multiprocessor */
    KEPT_BLOCKS_ALWAYS = 264 /* blocks that are kept whatever their stacks take */
};

#define KEPT_STACK_BYTES (UINT64_C(1) << 30) /* host memory for the stacks of all kept blocks */

static int most_kept_blocks(const struct engine *e)
{
    const uint32_t *n = e->launch->block;
    uint64_t threads = (uint64_t)n[0] * n[1] * n[2], sm = KEPT_THREADS_SM / threads;
    uint64_t blocks = LAUNCH_MULTIPROCESSORS * (sm < KEPT_BLOCKS_SM ? sm : KEPT_BLOCKS_SM);
    uint64_t by_stack = e->local_bytes ? KEPT_STACK_BYTES / (threads * e->local_bytes) : blocks;
    by_stack = by_stack > KEPT_BLOCKS_ALWAYS ? by_stack : KEPT_BLOCKS_ALWAYS;
    return (int)(blocks < by_stack ? blocks : by_stack);
}

/* Runs a block until it ends (RUN_BLOCKED), faults, or its quantum is used up. */
static enum run_end run_block(struct engine *e, struct block *block, uint64_t quantum, bool *has_locks)
{
    uint64_t end = e->now + quantum;
    int idle = 0;
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
        block->next_row = (block->next_row + 1) % block->row_count;
        uint64_t before = e->now, left = e->limit - e->now;
        if (cohort_run_row(e, row, left < ROW_QUANTUM ? left : ROW_QUANTUM, has_locks) == RUN_FAULT)
            return RUN_FAULT;
        if (e->now >= e->limit && block->live_threads) {
            engine_fault_limit(e);
            return RUN_FAULT;
        }
        idle = e->now == before ? idle + 1 : 0;
        if (idle > block->row_count) {
            engine_fault_deadlock(e);
            return RUN_FAULT;
        }
    }
    return RUN_BLOCKED;
}

/* Runs all blocks of the grid. Blocks that are kept take turns; the storage of a finished block serves the next one.
 * False after a fault. */
static bool run_grid(struct engine *e)
{
    const struct launch *l = e->launch;
    uint64_t total = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2], next = 0;
    int most = most_kept_blocks(e);
    struct block **resident = xmalloc(sizeof *resident * (size_t)most);
    struct block *spare = NULL;
    int count = 0, turn = 0;
    bool ok = true, has_locks = false;
    while (ok && (count || next < total)) {
        if (next < total && count < most) {
            struct block *b = spare ? spare : block_create(l, e->program, e->local_bytes);
            spare = NULL;
            block_start(b, l, e->program, next++);
            turn = count;
            resident[count++] = b;
        }
        struct block *b = resident[turn];
        enum run_end ended = run_block(e, b, count > 1 ? SHARED_QUANTUM : BLOCK_QUANTUM, &has_locks);
        ok = ended != RUN_FAULT;
        if (ok && ended == RUN_BLOCKED) {
            resident[turn] = resident[--count];
            block_destroy(spare);
            spare = b;
        }
        turn = count ? (turn + 1) % count : 0;
    }
    for (int i = 0; i < count; i++)
        block_destroy(resident[i]);
    block_destroy(spare);
    free(resident);
    return ok;
}

void functional_launch(const struct launch *launch, const struct code *code, struct launch_result *result)
{
    struct engine *e = engine_open(launch, code, result);
    if (!e)
        return;
    run_grid(e);
    result->warp_instructions = e->now;
    engine_close(e);
}
