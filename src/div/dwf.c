/*
 * dwf: dynamic warp formation (Fung, Sham, Yuan and Aamodt, MICRO 2007). After every instruction threads are regrouped
 * with all other threads of the SM that wait at their next PC, whatever their warp and block.
 *
 * A strand leaves the pool when it issues. When its instruction is done, its threads are split by their next PC. Each
 * group joins the waiting strand that the PC lookup table points to, as far as its home slots are free; threads whose
 * slots are taken form a new strand, to which the table points from then on (div/parts/pool.c). Threads at a block
 * barrier leave their strands. When the barrier opens they return in strands of that block only, which no other threads
 * join and which policies that order by key issue first.
 *
 * Which strand issues next decides whether threads regroup at all: see the policies majority, fifo, pc, pdom-priority
 * and max-heap. Code that relies on the threads of a warp staying together computes something else under dwf.
 *
 * Not modelled: a pool with fewer slots than threads; loads that split a strand; the time of a table lookup, except for
 * the limit on strands regrouped per cycle.
 */
#include "div/parts/cost.h"
#include "div/parts/pool.h"

struct dwf {
    struct pool pool;
    struct pool_counters counters;
};

static struct dwf *dwf_of(struct div *div)
{
    return (struct dwf *)div;
}

static const struct knob knobs[] = {POOL_KNOBS};
static const struct knob_table knob_table = {"dwf", knobs, sizeof knobs / sizeof *knobs};
static const struct stat_counter counters[] = {POOL_COUNTERS};
static const struct stat_owner stats = {"dwf", counters, sizeof counters / sizeof *counters,
                                        sizeof(struct pool_counters)};

static struct div *dwf_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    struct dwf *d = xcalloc(1, sizeof *d);
    pool_open(&d->pool, host, knob_values, &d->counters);
    wants->home_lanes = d->pool.lanes;
    return (struct div *)d;
}

static void dwf_destroy(struct div *div)
{
    struct dwf *d = dwf_of(div);
    pool_close(&d->pool);
    free(d);
}

static void *dwf_counters(struct div *div)
{
    struct dwf *d = dwf_of(div);
    pool_sum_up(&d->pool);
    return &d->counters;
}

/* A static warp of 64 threads is two rows, counted from the block's first row. */
static void dwf_launch(struct div *div, int32_t block)
{
    struct dwf *d = dwf_of(div);
    struct div_host *h = d->pool.host;
    int32_t first, count, rows = h->facts.width > 32 ? 2 : 1;
    h->calls.block_rows(h, block, &first, &count);
    for (int32_t row = first; row < first + count; row++)
        pool_reset_row(&d->pool, row);
    for (int32_t row = first; row < first + count; row += rows) {
        struct threads all = {0};
        for (int32_t i = row; i < row + rows && i < first + count; i++)
            if (h->calls.row_live(h, i))
                threads_add(&all, i, h->calls.row_live(h, i));
        pool_scatter(&d->pool, h->facts.program->functions[0].first, 0, &all);
    }
}

static void regroup(struct div *div, struct strand *s, const struct outcome *outcomes, int count)
{
    struct dwf *d = dwf_of(div);
    struct pool *p = &d->pool;
    bool urgent = p->traits[s->pc] & POOL_BARRIER;
    if (count == 1 && !urgent) {
        pool_move(p, s, outcomes[0].pc, outcomes[0].depth);
        return;
    }
    pool_drop(p, s);
    struct threads room;
    for (int i = 0; i < count; i++) {
        const struct threads *group = pool_group(outcomes, count, i, &room);
        if (group)
            (urgent ? pool_urge : pool_split)(p, outcomes[i].pc, outcomes[i].depth, group);
    }
}

static void dwf_commit(struct div *div, struct strand *s, const struct outcome *outcomes, int count)
{
    struct dwf *d = dwf_of(div);
    if (pool_begin_commit(&d->pool, s, outcomes, count))
        regroup(div, s, outcomes, count);
}

static bool dwf_advance(struct div *div, struct strand *s, int32_t pc)
{
    struct pool *p = &dwf_of(div)->pool;
    if (!(p->traits[s->pc] & POOL_BARRIER))
        return pool_advance(p, s, pool_node(p, s), pc);
    pool_commit_advance(p, div, s, pc, regroup);
    return false;
}

static void dwf_tick(struct div *div)
{
    struct dwf *d = dwf_of(div);
    pool_tick(&d->pool, div, regroup);
}

static void dwf_exit(struct div *div, struct strand *s, const struct threads *ended)
{
    struct dwf *d = dwf_of(div);
    pool_exit(&d->pool, s, ended);
}

static void dwf_barrier(struct div *div, struct strand *s, int32_t block, int id)
{
    struct dwf *d = dwf_of(div);
    (void)block;
    pool_wait(&d->pool, s, id);
}

static void dwf_released(struct div *div, int32_t pc, int32_t depth, const struct threads *threads)
{
    struct dwf *d = dwf_of(div);
    bool urgent = pool_stop_waiting(&d->pool, threads);
    (urgent ? pool_urge : pool_scatter)(&d->pool, pc, depth, threads);
}

static void dwf_check(struct div *div)
{
    struct dwf *d = dwf_of(div);
    pool_check(&d->pool, NULL);
}

static int32_t dwf_where(struct div *div, int32_t row, int lane)
{
    struct dwf *d = dwf_of(div);
    return pool_where(&d->pool, row, lane);
}

static void dwf_dump(struct div *div, struct text *out)
{
    struct dwf *d = dwf_of(div);
    pool_dump(&d->pool, out);
}

static void dwf_cost(struct cost *c)
{
    const struct pool_knobs *chosen = c->knobs;
    cost_pool(c, chosen->entries);
}

const struct div_ops div_dwf = {
    .name = "dwf",
    .summary = "Dynamic warps: threads of all warps and blocks are regrouped by PC after every instruction.",
    .paper = "Fung, Sham, Yuan and Aamodt, Dynamic Warp Formation, MICRO 2007",
    .flags = DIV_EVERY_INSTRUCTION | DIV_MIXES_BLOCKS,
    .knobs = &knob_table,
    .stats = &stats,
    .create = dwf_create,
    .cost = dwf_cost,
    .destroy = dwf_destroy,
    .counters = dwf_counters,
    .launch = dwf_launch,
    .exit = dwf_exit,
    .barrier = dwf_barrier,
    .released = dwf_released,
    .commit = dwf_commit,
    .advance = dwf_advance,
    .tick = dwf_tick,
    .check = dwf_check,
    .where = dwf_where,
    .dump = dwf_dump,
};
