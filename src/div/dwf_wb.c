/*
 * dwf-wb: dynamic warp formation with warp barriers (Fung and Aamodt, HPCA 2011, section 2.4).
 *
 * Threads stay in their static warp until the warp diverges: a top-level divergence. The warp then has a barrier at the
 * branch's immediate post-dominator, and its threads are regrouped with threads of other diverged warps as under dwf,
 * at inner branches too. A thread that comes to its own warp's barrier leaves its strand and waits there; the other
 * threads of the strand go on. When all live threads of the warp wait there, they form the static warp again. If the
 * branch has no post-dominator in its function, the threads wait behind the call, once they have returned.
 *
 * Block barriers count threads. If some threads of a warp wait at a block barrier or rendezvous and all its other
 * threads at the warp barrier, neither can open: the warp barrier is broken, and its threads go on as under dwf.
 *
 * Not modelled: a limit on warp barriers, or the time that restoring a warp takes. div/parts/pool.h has the pool's own
 * limits.
 */
#include "div/parts/cost.h"
#include "div/parts/pool.h"

#include "base/diag.h"

/* A static warp. */
struct dwf_wb_warp {
    int32_t row, rows; /* first row, and number of rows: 1 or 2; 0: no block there */
    uint32_t lanes;    /* lanes of each row that are the warp's */
    bool diverged;     /* the threads are not one strand, and the warp barrier is set */
    int32_t pc, depth; /* the warp barrier; PC_NONE: where the function of this call depth returns to */
    int32_t back;      /* PC behind the call, one call less deep, at which threads of `behind` wait */
    bool is_suspect;   /* listed in `suspects` */
};

struct dwf_wb_counters {
    struct pool_counters pool; /* first: POOL_COUNTERS takes offsets from the start */
    uint64_t barriers, arrivals, opened, broken;
};

struct dwf_wb {
    struct pool pool;
    struct dwf_wb_counters counters;
    struct vec_of(struct dwf_wb_warp) warps; /* by place; warps of one row are consecutive */
    struct vec_of(uint32_t) arrived;         /* by row: threads that wait at their warp's barrier */
    struct vec_of(uint32_t) behind;          /* by row: threads that wait where their warp's function returned to */
    struct vec_of(int32_t) first_warp;       /* by row: place of the first warp */
    struct vec_of(int32_t) suspects;         /* places of warps that `tick` examines: their barrier may never open */
};

static struct dwf_wb *wb_of(struct div *div)
{
    return (struct dwf_wb *)div;
}

#define FIELD(field) .name = #field, .offset = offsetof(struct dwf_wb_counters, field)

static const struct knob knobs[] = {POOL_KNOBS};
static const struct knob_table knob_table = {"dwf-wb", knobs, sizeof knobs / sizeof *knobs};
static const struct stat_counter counters[] = {
    POOL_COUNTERS,
    {FIELD(barriers), .unit = "barriers", .meaning = "Warp barriers set, one per top-level divergence."},
    {FIELD(arrivals), .unit = "threads", .meaning = "Threads that arrived at their warp's barrier."},
    {FIELD(opened), .unit = "barriers",
     .meaning = "Warp barriers at which all live threads of the warp arrived, so that it was static again."},
    {FIELD(broken), .unit = "barriers",
     .meaning = "Warp barriers broken, since a block barrier or rendezvous could not open otherwise."},
};
static const struct stat_owner stats = {"dwf-wb", counters, sizeof counters / sizeof *counters,
                                        sizeof(struct dwf_wb_counters)};

static struct div *wb_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    struct dwf_wb *d = xcalloc(1, sizeof *d);
    pool_open(&d->pool, host, knob_values, &d->counters.pool);
    wants->home_lanes = d->pool.lanes;
    return (struct div *)d;
}

static void wb_destroy(struct div *div)
{
    struct dwf_wb *d = wb_of(div);
    pool_close(&d->pool);
    vec_free(&d->warps);
    vec_free(&d->arrived);
    vec_free(&d->behind);
    vec_free(&d->first_warp);
    vec_free(&d->suspects);
    free(d);
}

static void *wb_counters(struct div *div)
{
    struct dwf_wb *d = wb_of(div);
    pool_sum_up(&d->pool);
    return &d->counters;
}

/* ---- static warps ---- */

static int32_t warp_of(const struct dwf_wb *d, int32_t row, int lane)
{
    int width = d->pool.host->facts.width;
    return d->first_warp.data[row] + (width < 32 ? lane / width : 0);
}

static struct threads live_of(struct dwf_wb *d, const struct dwf_wb_warp *w)
{
    struct div_host *h = d->pool.host;
    struct threads live = {0};
    for (int32_t row = w->row; row < w->row + w->rows; row++)
        if (h->calls.row_live(h, row) & w->lanes)
            threads_add(&live, row, h->calls.row_live(h, row) & w->lanes);
    return live;
}

static void start_warp(struct dwf_wb *d, int32_t place, struct dwf_wb_warp at)
{
    while (d->warps.count <= place)
        vec_push(&d->warps, (struct dwf_wb_warp){0});
    d->warps.data[place] = at;
    struct threads live = live_of(d, &at);
    if (!live.count)
        return;
    struct strand *s = pool_make(&d->pool, d->pool.host->facts.program->functions[0].first, 0, &live, false);
    pool_node(&d->pool, s)->warp = (int16_t)place;
}

/* A block is launched on the row: no thread of the row waits. */
static void reset_row(struct dwf_wb *d, int32_t row, int32_t first_warp)
{
    pool_reset_row(&d->pool, row);
    while (d->arrived.count <= row) {
        vec_push(&d->arrived, 0);
        vec_push(&d->behind, 0);
        vec_push(&d->first_warp, 0);
    }
    d->arrived.data[row] = d->behind.data[row] = 0;
    d->first_warp.data[row] = first_warp;
}

/* A static warp of 64 threads is two rows, counted from the block's first row. */
static void wb_launch(struct div *div, int32_t block)
{
    struct dwf_wb *d = wb_of(div);
    struct div_host *h = d->pool.host;
    int32_t first, count, rows = h->facts.width > 32 ? 2 : 1, per_row = h->facts.width < 32 ? 32 / h->facts.width : 1;
    h->calls.block_rows(h, block, &first, &count);
    for (int32_t row = first; row < first + count; row++)
        reset_row(d, row, (rows > 1 ? row - (row - first) % 2 : row) * per_row);
    for (int32_t row = first; row < first + count; row += rows)
        for (int32_t i = 0; i < per_row; i++)
            start_warp(d, row * per_row + i,
                       (struct dwf_wb_warp){.row = row,
                                            .rows = row + rows <= first + count ? rows : 1,
                                            .lanes = h->facts.width < 32
                                                         ? bits_below((unsigned)h->facts.width) << i * h->facts.width
                                                         : UINT32_MAX,
                                            .pc = PC_NONE});
}

/* ---- warp barriers ---- */

/* Moves the warp's threads out of `by_row` (`arrived` or `behind`) into `t`. */
static void take_waiting(const struct dwf_wb_warp *w, uint32_t *by_row, struct threads *t)
{
    t->count = 0;
    for (int32_t row = w->row; row < w->row + w->rows; row++) {
        if (by_row[row] & w->lanes)
            threads_add(t, row, by_row[row] & w->lanes);
        by_row[row] &= ~w->lanes;
    }
}

static void open_barrier(struct dwf_wb *d, int32_t place)
{
    struct dwf_wb_warp *w = &d->warps.data[place];
    struct threads here, back;
    take_waiting(w, d->arrived.data, &here);
    take_waiting(w, d->behind.data, &back);
    if (here.count && back.count) /* threads that return pass the post-dominator, if there is one */
        panic("threads of warp %d left a function without passing its barrier at pc %d", (int)place, (int)w->pc);
    d->counters.opened++;
    w->diverged = false;
    struct strand *s = here.count ? pool_make(&d->pool, w->pc, w->depth, &here, false)
                                  : pool_make(&d->pool, w->back, w->depth - 1, &back, false);
    pool_node(&d->pool, s)->warp = (int16_t)place;
}

/* The warp's threads go on as they are, and wait again where the function returns to. */
static void break_barrier(struct dwf_wb *d, int32_t place)
{
    struct dwf_wb_warp *w = &d->warps.data[place];
    struct threads here, back;
    take_waiting(w, d->arrived.data, &here);
    take_waiting(w, d->behind.data, &back);
    int32_t pc = w->pc, depth = w->depth;
    d->counters.broken++;
    w->pc = PC_NONE;
    w->depth -= back.count > 0;
    if (here.count)
        pool_scatter(&d->pool, pc, depth, &here);
    if (back.count)
        pool_scatter(&d->pool, w->back, depth - 1, &back);
}

/* State of a diverged warp. */
enum progress {
    PROGRESS_RUNS,  /* some threads run, or none has arrived at the warp barrier */
    PROGRESS_STUCK, /* some threads have arrived, and all others wait at a block barrier or rendezvous */
    PROGRESS_DONE   /* all live threads have arrived */
};

static enum progress progress_of(struct dwf_wb *d, const struct dwf_wb_warp *w)
{
    struct div_host *h = d->pool.host;
    uint32_t came = 0, missing = 0, running = 0;
    for (int32_t row = w->row; row < w->row + w->rows; row++) {
        uint32_t here = (d->arrived.data[row] | d->behind.data[row]) & w->lanes;
        uint32_t elsewhere = h->calls.row_live(h, row) & w->lanes & ~here;
        came |= here;
        missing |= elsewhere;
        running |= elsewhere & ~(d->pool.at_block.data[row] | d->pool.at_warp.data[row]);
    }
    if (!w->diverged || !came || running)
        return PROGRESS_RUNS;
    return missing ? PROGRESS_STUCK : PROGRESS_DONE;
}

/* Threads of the warp arrived, wait elsewhere, or ended. A stuck warp is examined again in the next cycle, since its
 * threads may be released in this one. */
static void consider(struct dwf_wb *d, int32_t place)
{
    struct dwf_wb_warp *w = &d->warps.data[place];
    enum progress progress = progress_of(d, w);
    if (progress == PROGRESS_DONE)
        open_barrier(d, place);
    if (progress != PROGRESS_STUCK || w->is_suspect)
        return;
    w->is_suspect = true;
    vec_push(&d->suspects, place);
    d->pool.host->calls.tick_at(d->pool.host, d->pool.host->now + 1);
}

static void consider_all(struct dwf_wb *d, const struct threads *threads)
{
    for (int i = 0; i < threads->count; i++)
        for (uint32_t left = threads->part[i].mask; left;) {
            int32_t place = warp_of(d, threads->part[i].row, bits_lowest(left));
            left &= ~d->warps.data[place].lanes;
            consider(d, place);
        }
}

/* Splits threads that go to (pc, depth) into those that arrive at their warp's barrier there (`came`), and the
 * others. */
static void arrive(struct dwf_wb *d, int32_t pc, int32_t depth, const struct threads *threads, struct threads *came,
                   struct threads *others)
{
    came->count = others->count = 0;
    for (int i = 0; i < threads->count; i++) {
        int32_t row = threads->part[i].row;
        uint32_t own = 0;
        for (uint32_t left = threads->part[i].mask; left;) {
            struct dwf_wb_warp *w = &d->warps.data[warp_of(d, row, bits_lowest(left))];
            uint32_t mine = left & w->lanes;
            left &= ~mine;
            if (!w->diverged || depth > w->depth || (depth == w->depth && pc != w->pc))
                continue;
            own |= mine;
            if (depth == w->depth) {
                d->arrived.data[row] |= mine;
            } else {
                d->behind.data[row] |= mine;
                w->back = pc;
            }
        }
        d->counters.arrivals += (uint64_t)bits_count(own);
        if (own)
            came->part[came->count++] = (struct part){row, own};
        if (threads->part[i].mask & ~own)
            others->part[others->count++] = (struct part){row, threads->part[i].mask & ~own};
    }
}

/* How threads that are in no strand enter the pool. */
typedef void pool_entrance(struct pool *p, int32_t pc, int32_t depth, const struct threads *threads);

/* Threads of diverged warps, in no strand, go to (pc, depth). Those that do not arrive at their warp's barrier enter
 * the pool. */
static void deliver(struct dwf_wb *d, int32_t pc, int32_t depth, const struct threads *threads, pool_entrance *enter)
{
    struct threads came, rest;
    arrive(d, pc, depth, threads, &came, &rest);
    if (rest.count)
        enter(&d->pool, pc, depth, &rest);
    consider_all(d, &came);
}

/* ---- calls of the contract ---- */

static void diverge_warp(struct dwf_wb *d, struct dwf_wb_warp *w, const struct branch *branch, int32_t depth)
{
    d->counters.barriers++;
    w->diverged = true;
    w->pc = branch ? branch->ipdom : PC_NONE;
    w->depth = depth;
}

/* Whether a warp barrier may be at the outcome: a post-dominator, or behind a call. */
static bool may_arrive(const struct dwf_wb *d, const struct outcome *o, int32_t depth)
{
    return (d->pool.traits[o->pc] & POOL_MEETING) | (o->depth < depth);
}

/* Delivers the outcomes of a strand that was at call depth `depth`. `urgent`: from a block barrier. */
static void deliver_all(struct dwf_wb *d, const struct outcome *outcomes, int count, int32_t depth, bool urgent)
{
    struct threads room;
    pool_entrance *enter = urgent ? pool_urge : pool_split;
    for (int i = 0; i < count; i++) {
        const struct outcome *o = &outcomes[i];
        const struct threads *group = pool_group(outcomes, count, i, &room);
        if (group && may_arrive(d, o, depth))
            deliver(d, o->pc, o->depth, group, enter);
        else if (group)
            enter(&d->pool, o->pc, o->depth, group);
    }
}

static void regroup_static(struct dwf_wb *d, struct strand *s, const struct outcome *outcomes, int count)
{
    const struct program *program = d->pool.host->facts.program;
    struct dwf_wb_warp *w = &d->warps.data[pool_node(&d->pool, s)->warp];
    struct threads room;
    const struct threads *first = pool_group(outcomes, count, 0, &room);
    bool urgent = d->pool.traits[s->pc] & POOL_BARRIER;
    if (count == 1 || threads_size(first) == threads_size(&s->threads)) {
        pool_keep(&d->pool, s, outcomes[0].pc, outcomes[0].depth, urgent);
        return;
    }
    int32_t branch = program->insns[s->pc].branch;
    int32_t depth = s->depth;
    diverge_warp(d, w, branch < 0 ? NULL : &program->branches[branch], depth);
    pool_drop(&d->pool, s);
    deliver_all(d, outcomes, count, depth, urgent);
}

static void regroup(struct div *div, struct strand *s, const struct outcome *outcomes, int count)
{
    struct dwf_wb *d = wb_of(div);
    const struct pool *p = &d->pool;
    if (pool_node(&d->pool, s)->warp >= 0) {
        regroup_static(d, s, outcomes, count);
        return;
    }
    bool urgent = p->traits[s->pc] & POOL_BARRIER;
    int32_t depth = s->depth;
    if (count == 1 && !urgent && !may_arrive(d, outcomes, depth)) {
        pool_move(&d->pool, s, outcomes[0].pc, outcomes[0].depth);
        return;
    }
    pool_drop(&d->pool, s);
    deliver_all(d, outcomes, count, depth, urgent);
}

static void wb_commit(struct div *div, struct strand *s, const struct outcome *outcomes, int count)
{
    struct dwf_wb *d = wb_of(div);
    if (pool_begin_commit(&d->pool, s, outcomes, count))
        regroup(div, s, outcomes, count);
}

/* Most instructions neither come from a barrier nor lead to one. */
static bool wb_advance(struct div *div, struct strand *s, int32_t pc)
{
    struct pool *p = &wb_of(div)->pool;
    struct pool_node *n = pool_node(p, s);
    if (!((p->traits[s->pc] & POOL_BARRIER) | (p->traits[pc] & POOL_MEETING)))
        return n->warp >= 0 ? pool_advance_apart(p, s, n, pc) : pool_advance(p, s, n, pc);
    pool_commit_advance(p, div, s, pc, regroup);
    return false;
}

static void wb_tick(struct div *div)
{
    struct dwf_wb *d = wb_of(div);
    for (int i = 0; i < d->suspects.count; i++) {
        int32_t place = d->suspects.data[i];
        d->warps.data[place].is_suspect = false;
        if (progress_of(d, &d->warps.data[place]) == PROGRESS_STUCK)
            break_barrier(d, place);
    }
    d->suspects.count = 0;
    pool_tick(&d->pool, div, regroup);
}

static void wb_exit(struct div *div, struct strand *s, const struct threads *ended)
{
    struct dwf_wb *d = wb_of(div);
    pool_exit(&d->pool, s, ended);
    consider_all(d, ended);
}

static void wb_barrier(struct div *div, struct strand *s, int32_t block, int id)
{
    struct dwf_wb *d = wb_of(div);
    (void)block;
    struct threads threads;
    threads_copy(&threads, &s->threads);
    pool_wait(&d->pool, s, id);
    consider_all(d, &threads);
}

/* A barrier released threads of a warp that was one strand. It is one strand again if all its live threads were
 * released; otherwise it has diverged without a branch. */
static void release_static(struct dwf_wb *d, int32_t place, int32_t pc, int32_t depth, const struct threads *mine,
                           bool urgent)
{
    struct threads live = live_of(d, &d->warps.data[place]);
    bool all = true;
    for (int i = 0; i < live.count; i++)
        all &= !(live.part[i].mask & ~threads_of_row(mine, live.part[i].row));
    if (!all) {
        diverge_warp(d, &d->warps.data[place], NULL, depth);
        deliver(d, pc, depth, mine, urgent ? pool_urge : pool_split);
        return;
    }
    struct strand *s = pool_make(&d->pool, pc, depth, mine, urgent);
    pool_node(&d->pool, s)->warp = (int16_t)place;
}

static void wb_released(struct div *div, int32_t pc, int32_t depth, const struct threads *threads)
{
    struct dwf_wb *d = wb_of(div);
    bool urgent = pool_stop_waiting(&d->pool, threads);
    struct threads left, diverged = {0};
    threads_copy(&left, threads);
    while (left.count) {
        int32_t place = warp_of(d, left.part[0].row, bits_lowest(left.part[0].mask));
        const struct dwf_wb_warp *w = &d->warps.data[place];
        struct threads mine = {0};
        for (int32_t row = w->row; row < w->row + w->rows; row++) {
            uint32_t own = threads_of_row(&left, row) & w->lanes;
            if (!own)
                continue;
            threads_add(w->diverged ? &diverged : &mine, row, own);
            threads_remove(&left, row, own);
        }
        if (mine.count)
            release_static(d, place, pc, depth, &mine, urgent);
    }
    deliver(d, pc, depth, &diverged, urgent ? pool_urge : pool_scatter);
}

/* ---- checks and reports ---- */

/* Whether threads of the warp are in a strand. Threads that ended stay in theirs until its instruction is done; the
 * warp barrier opens only then. */
static bool has_strand(struct dwf_wb *d, int32_t place)
{
    for (int i = 0; i < d->pool.nodes.count; i++) {
        const struct strand *s = pool_strand(&d->pool.nodes.data[i]);
        const struct dwf_wb_warp *w = &d->warps.data[place];
        for (int32_t row = w->row; s && row < w->row + w->rows; row++)
            if (threads_of_row(&s->threads, row) & w->lanes)
                return true;
    }
    return false;
}

static void wb_check(struct div *div)
{
    struct dwf_wb *d = wb_of(div);
    int rows = d->arrived.count;
    uint32_t *waiting = xcalloc((size_t)rows + 1, sizeof *waiting);
    for (int row = 0; row < rows; row++) {
        if (d->arrived.data[row] & d->behind.data[row])
            panic("a thread of row %d waits at two warp barriers", row);
        waiting[row] = d->arrived.data[row] | d->behind.data[row];
    }
    pool_check(&d->pool, waiting);
    free(waiting);
    for (int32_t place = 0; place < d->warps.count; place++)
        if (progress_of(d, &d->warps.data[place]) == PROGRESS_DONE && !has_strand(d, place))
            panic("all of warp %d came to its barrier, and it is closed", (int)place);
}

static int32_t wb_where(struct div *div, int32_t row, int lane)
{
    struct dwf_wb *d = wb_of(div);
    if (row < d->arrived.count && d->arrived.data[row] >> lane & 1)
        return d->warps.data[warp_of(d, row, lane)].pc;
    if (row < d->arrived.count && d->behind.data[row] >> lane & 1)
        return d->warps.data[warp_of(d, row, lane)].back;
    return pool_where(&d->pool, row, lane);
}

static void wb_dump(struct div *div, struct text *out)
{
    struct dwf_wb *d = wb_of(div);
    for (int i = 0; i < d->warps.count; i++) {
        const struct dwf_wb_warp *w = &d->warps.data[i];
        if (!w->diverged)
            continue;
        text_printf(out, "warp %d\n  barrier at ", i);
        if (w->pc == PC_NONE)
            text_printf(out, w->depth ? "return" : "end");
        else
            program_print_pc(d->pool.host->facts.program, w->pc, out);
        if (w->depth)
            text_printf(out, "@%d", (int)w->depth);
        for (int32_t row = w->row; row < w->row + w->rows; row++)
            text_printf(out, " row %d 0x%x", (int)row, (d->arrived.data[row] | d->behind.data[row]) & w->lanes);
        text_printf(out, "\n");
    }
    pool_dump(&d->pool, out);
}

/* dwf's, and one barrier per static warp (Fung and Aamodt, HPCA 2011, section 2.4). */
static void wb_cost(struct cost *c)
{
    const struct cost_machine *m = c->machine;
    const struct pool_knobs *chosen = c->knobs;
    cost_pool(c, chosen->entries);
    cost_storage(c, "warp barriers", m->warps, 1 + COST_PC_BITS + m->warp_width, "N barriers of valid + PC + arrived W",
                 COST_TBC ", section 2.4; layout " COST_COUNTED);
}

const struct div_ops div_dwf_wb = {
    .name = "dwf-wb",
    .summary = "Like dwf while a warp is diverged; its threads return to their static warp at the post-dominator.",
    .paper = "Fung and Aamodt, Thread Block Compaction, HPCA 2011, section 2.4",
    .flags = DIV_EVERY_INSTRUCTION | DIV_MIXES_BLOCKS,
    .knobs = &knob_table,
    .stats = &stats,
    .create = wb_create,
    .cost = wb_cost,
    .destroy = wb_destroy,
    .counters = wb_counters,
    .launch = wb_launch,
    .exit = wb_exit,
    .barrier = wb_barrier,
    .released = wb_released,
    .commit = wb_commit,
    .advance = wb_advance,
    .tick = wb_tick,
    .check = wb_check,
    .where = wb_where,
    .dump = wb_dump,
};
