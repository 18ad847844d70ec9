/*
 * The functional engine's loop over blocks and rows.
 *
 * Blocks run one after the other. A block that does not end soon, or whose rows only poll memory (poll.h), may wait for
 * another block, so it is kept and the next block is started beside it. Of a cooperative launch all blocks may be kept.
 * The rows of a block take turns; cohort.c orders the cohorts within a row.
 */
#include "exec/functional.h"

#include "base/arena.h"
#include "exec/ahead/ahead.h"
#include "exec/cluster.h"
#include "exec/engine.h"
#include "exec/engine_fault.h"
#include "exec/settled.h"
#include "exec/site.h"
#include "exec/writers.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    CLUSTER_TURNS = 16, /* turns of each block of a cluster, before another cluster is started beside it */
    /* Warp instructions. */
    POLL_LIMIT = 1 << 26,         /* of a launch in which blocks only poll memory that nobody writes: some seconds */
    STRETCH_POLL_LIMIT = 1 << 18, /* of a stretch of blocks, which may wait for blocks of a machine: milliseconds */
    /* Blocks that are kept at once: as many as a large GPU holds, unless their threads' stacks take too much host
     * memory. */
    KEPT_BLOCKS_SM = 32,     /* blocks per multiprocessor */
    KEPT_THREADS_SM = 2048,  /* threads per multiprocessor */
    KEPT_BLOCKS_ALWAYS = 264 /* blocks that are kept whatever their stacks take */
};

#define KEPT_STACK_BYTES (UINT64_C(1) << 30) /* host memory for the stacks of all kept blocks */

/* Blocks that a large GPU holds by their number and their threads. */
static uint64_t blocks_that_fit(const struct launch *l)
{
    uint64_t sm = KEPT_THREADS_SM / ((uint64_t)l->block[0] * l->block[1] * l->block[2]);
    return LAUNCH_MULTIPROCESSORS * (sm < KEPT_BLOCKS_SM ? sm : KEPT_BLOCKS_SM);
}

static uint64_t count_blocks(const struct launch *l)
{
    return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
}

static int most_kept_blocks(const struct engine *e)
{
    const uint32_t *n = e->launch->block;
    uint64_t threads = (uint64_t)n[0] * n[1] * n[2], blocks = blocks_that_fit(e->launch);
    if (e->launch->is_cooperative)
        return (int)blocks;
    uint64_t by_stack = e->local_bytes ? KEPT_STACK_BYTES / (threads * e->local_bytes) : blocks;
    by_stack = by_stack > KEPT_BLOCKS_ALWAYS ? by_stack : KEPT_BLOCKS_ALWAYS;
    return (int)(blocks < by_stack ? blocks : by_stack);
}

/* Since when nothing has happened but polling. */
struct standstill {
    uint64_t since, writes; /* engine.now when it began, and engine.writes ever since */
    uint64_t seen;          /* engine.now at the end of the last turn */
    int idle;               /* turns in succession in which no block could run */
};

/* To be called after a block's turn. False, with the fault in the result, if all blocks have polled for too long, or
 * none of the `count` blocks can run. `is_full`: no block can be started beside those that poll. */
static bool goes_on(struct engine *e, struct standstill *s, enum run_end ended, bool is_full, int count)
{
    uint64_t limit = e->launch->poll_limit ? e->launch->poll_limit : POLL_LIMIT;
    s->idle = ended == RUN_IDLE && e->now == s->seen ? s->idle + 1 : 0;
    s->seen = e->now;
    if (ended == RUN_IDLE)
        return s->idle <= count || !is_full || engine_fault_deadlock(e);
    if (ended != RUN_POLLING || !is_full || e->writes != s->writes)
        *s = (struct standstill){.since = e->now, .writes = e->writes, .seen = e->now};
    return e->now - s->since <= limit || engine_fault_polling(e);
}

/* Starts a block, in the storage of a finished one if there is one. */
static struct block *start_block(struct engine *e, struct block **spare, uint64_t number)
{
    bool is_new = !*spare;
    struct block *b = is_new ? block_create(e->launch, e->program, e->local_bytes, NULL) : *spare;
    b->workspace = e->workspace;
    *spare = NULL;
    block_start(b, e->launch, e->program, number);
    if (is_new)
        settled_fill(e, b);
    block_clear_local(b);
    writers_start_block(e, number);
    return b;
}

/* Starts the next blocks: one, or all of a cluster. Returns how many. */
static int start_next(struct engine *e, struct block **spare, uint64_t next, int size, struct block **resident)
{
    if (size == 1) {
        resident[0] = start_block(e, spare, next);
        return 1;
    }
    struct cluster *cluster = cluster_create();
    for (int rank = 0; rank < size; rank++) {
        uint64_t number = launch_cluster_block(e->launch, next / (uint64_t)size, (uint32_t)rank);
        resident[rank] = start_block(e, spare, number);
        cluster_join(cluster, resident[rank], (uint32_t)rank);
    }
    return size;
}

/* Runs the blocks from `next` up to `total`. Blocks that are kept take turns; the storage of a finished block serves
 * the next one. While no block is kept, blocks may run ahead of their turns (ahead.h; NULL: they may not). False after
 * a fault. */
static bool run_blocks(struct engine *e, struct ahead *ahead, uint64_t next, uint64_t total)
{
    const struct launch *l = e->launch;
    int most = most_kept_blocks(e), size = cluster_size(l, e->code);
    most = most < size ? size : most;
    struct block **resident = xmalloc(sizeof *resident * (size_t)most);
    struct block *spare = NULL;
    int count = 0, turn = 0, turns = 0;
    bool ok = true, has_locks = false;
    struct standstill standstill = {0};
    ahead_begin(ahead, next);
    while (ok && (count || next < total)) {
        struct ahead_end end = {.kept = NULL};
        if (!count && ahead_is_due(ahead, next, total)) {
            end = ahead_run(ahead, next, total, &has_locks);
            next = end.next;
            if (!end.kept)
                continue;
            standstill = (struct standstill){.since = end.now, .writes = end.writes, .seen = end.now};
            resident[count++] = end.kept;
            turn = 0;
        }
        /* Blocks of a cluster need turns to meet: only if they do not end soon is the next cluster started. */
        bool is_time = size == 1 || !count || turns++ > CLUSTER_TURNS * count;
        if (!end.kept && next < total && count + size <= most && is_time) {
            turn = count;
            turns = 0;
            count += start_next(e, &spare, next, size, resident + count);
            next += (uint64_t)size;
        }
        struct block *b = resident[turn];
        enum run_end ended =
            end.kept ? end.ended : turn_run(e, b, count > 1 ? SHARED_QUANTUM : BLOCK_QUANTUM, &has_locks);
        bool is_full = next == total || count + size > most;
        ok = ended != RUN_FAULT && goes_on(e, &standstill, ended, is_full, count);
        if (ok && ended == RUN_BLOCKED) {
            cluster_leave(b);
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

/* All blocks of a cooperative launch must be kept at once. False, with the fault in the result, if they do not fit. */
static bool fits_together(struct engine *e)
{
    const struct launch *l = e->launch;
    struct fault *f = &e->result->fault;
    if (!l->is_cooperative || count_blocks(l) <= blocks_that_fit(l))
        return true;
    f->kind = FAULT_LAUNCH;
    f->kernel = l->kernel->name;
    snprintf(f->detail, sizeof f->detail,
             "a cooperative launch of %llu blocks does not fit on the device, which holds %llu of them at once",
             (unsigned long long)count_blocks(l), (unsigned long long)blocks_that_fit(l));
    return false;
}

/* Without a machine, %clock goes three further with each warp instruction. Programs wait for a round number of cycles
 * and then test that more than these have passed; if it went one further, a loop of five instructions would end at just
 * that number. */
enum { CLOCK_STEP = 3 };

void functional_launch(const struct launch *launch, const struct code *code, struct launch_result *result)
{
    struct engine *e = engine_open(launch, settled_code(code, launch), result);
    if (!e)
        return;
    e->clock_step = CLOCK_STEP;
    e->sites = launch->sites;
    e->waste = launch->sites ? launch->waste : NULL;
    e->accesses = launch->accesses;
    if (launch->writers && count_blocks(launch) > 1)
        writers_begin(launch->writers, e);
    struct ahead *ahead = ahead_open(e);
    if (fits_together(e))
        run_blocks(e, ahead, 0, count_blocks(launch));
    ahead_close(ahead);
    if (e->sites)
        site_sum_runs(e->sites, e->program->insn_count);
    if (e->assertion)
        result->fault = *e->assertion;
    result->warp_instructions = e->now;
    engine_close(e);
}

/* The launch is a copy, so that its blocks give up waiting sooner than those of a launch that runs by itself. */
struct functional_stretch {
    struct launch launch;
    struct launch_result result;
    struct engine *engine;
    struct ahead *ahead;
};

struct functional_stretch *functional_stretch_open(const struct launch *launch, const struct code *code,
                                                   struct launch_result *result)
{
    struct functional_stretch *s = xcalloc(1, sizeof *s);
    s->launch = *launch;
    s->launch.poll_limit = STRETCH_POLL_LIMIT;
    s->engine = engine_open(&s->launch, settled_code(code, &s->launch), &s->result);
    if (s->engine) {
        s->engine->clock_step = CLOCK_STEP;
        s->ahead = ahead_open(s->engine);
        return s;
    }
    *result = s->result;
    free(s);
    return NULL;
}

enum functional_end functional_stretch_run(struct functional_stretch *s, uint64_t first, uint64_t count,
                                           struct launch_result *result)
{
    bool ok = run_blocks(s->engine, s->ahead, first, first + count);
    if (s->engine->assertion) {
        s->result.fault = *s->engine->assertion;
        ok = false;
    }
    s->result.warp_instructions = s->engine->now;
    *result = s->result;
    if (ok)
        return FUNCTIONAL_DONE;
    return s->result.fault.kind == FAULT_LIVELOCK ? FUNCTIONAL_WAITS : FUNCTIONAL_FAULT;
}

void functional_stretch_close(struct functional_stretch *s)
{
    if (!s)
        return;
    ahead_close(s->ahead);
    engine_close(s->engine);
    free(s);
}
