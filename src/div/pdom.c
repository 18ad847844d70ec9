/*
 * pdom and pdom-lcp: a reconvergence stack per static warp; only its top entry runs.
 *
 * A static warp is W consecutive threads: a part of a row, a row, or two rows. It is one strand for its whole
 * life, with the threads and the PC of the stack's top entry. pdom reconverges at immediate post-dominators
 * alone; pdom-lcp also at likely-convergence points. The rules are in div/stack.c.
 *
 * Not modelled: a stack of limited capacity, or the time that pushing and popping take.
 */
#include "base/diag.h"
#include "div/control.h"
#include "div/marks.h"
#include "div/pdom.h"

const char *const pdom_order_names[] = {"taken-first",   "not-taken-first", "larger-first",
                                        "smaller-first", "highest-lane",    NULL};

static const struct knob knobs[] = {PDOM_KNOBS};
static const struct knob_table pdom_knob_table = {"pdom", knobs, 1};
static const struct knob_table lcp_knob_table = {"pdom-lcp", knobs, 1};

static const struct stat_counter counters[] = {
    PDOM_COUNTERS,
    {PDOM_COUNTER(lcp_pushed), .unit = "entries", .meaning = "entries made for likely-convergence points"},
    {PDOM_COUNTER(lcp_merged), .unit = "paths", .meaning = "paths that came to their likely-convergence point"},
    {PDOM_COUNTER(lcp_unused), .unit = "entries", .meaning = "such entries that no path came to"},
};

enum { COUNTERS_LCP = 3, COUNTERS_ALL = sizeof counters / sizeof *counters };

static const struct stat_owner pdom_stats = {"pdom", counters, COUNTERS_ALL - COUNTERS_LCP,
                                             sizeof(struct stack_counters)};
static const struct stat_owner lcp_stats = {"pdom-lcp", counters, COUNTERS_ALL,
                                            sizeof(struct stack_counters)};

void pdom_start(struct div *d, struct div_host *host, const struct pdom_knobs *knob_values)
{
    static_warp_check_width(host);
    d->host = host;
    host->barrier_width = host->width;
    d->rules.order = (enum stack_order)knob_values->order;
}

static struct div *create(struct div_host *host, const void *knob_values, bool likely)
{
    struct div *d = xcalloc(1, sizeof *d);
    pdom_start(d, host, knob_values);
    d->likely = likely;
    return d;
}

static struct div *pdom_create(struct div_host *host, const void *knob_values)
{
    return create(host, knob_values, false);
}

static struct div *lcp_create(struct div_host *host, const void *knob_values)
{
    return create(host, knob_values, true);
}

void pdom_destroy(struct div *d)
{
    for (int i = 0; i < d->warps.count; i++)
        vec_free(&d->warps.data[i].stack);
    vec_free(&d->warps);
    vec_free(&d->place);
    free(d);
}

static void *pdom_counters(struct div *d)
{
    return &d->rules.counters;
}

static int32_t likely_point(const struct div *d, int32_t branch)
{
    return d->likely && branch >= 0 ? div_likely_point(d->host, branch) : PC_NONE;
}

void pdom_prepare(struct div *d, uint8_t *marks)
{
    marks_post_dominators(d->host->program, marks);
    if (d->likely)
        marks_likely_points(d->host, marks);
}

static struct warp *warp_of(struct div *d, const struct strand *s)
{
    return &d->warps.data[d->place.data[s->id]];
}

void pdom_launch(struct div *d, int32_t block)
{
    struct static_warp at;
    int32_t pc = d->host->program->functions[0].first;
    int next = 0;
    for (uint64_t mask; (mask = static_warp_next(d->host, block, &next, &at));) {
        vec_extend(&d->warps, at.place + 1); /* a place is kept for the next block's warps there */
        struct warp *w = &d->warps.data[at.place];
        struct threads t = static_warp_threads(&at, mask);
        w->at = at;
        stack_start(&w->stack, &d->rules, pc, mask);
        w->strand = d->host->create(d->host, pc, 0, &t, at.lineage);
        vec_extend(&d->place, w->strand->id + 1);
        d->place.data[w->strand->id] = at.place;
    }
}

/* The strand runs what is on top, or is no more. */
static void follow(struct div *d, struct warp *w)
{
    const struct entry *top = stack_top(&w->stack);
    if (!top) {
        struct strand *ended = w->strand;
        w->strand = NULL;
        d->host->retire(d->host, ended);
        return;
    }
    struct threads t = static_warp_threads(&w->at, top->mask);
    d->host->assign(d->host, w->strand, top->at.pc, top->at.depth, &t);
}

void pdom_branch(struct div *d, struct strand *s, const struct outcome *outcomes, int count)
{
    struct warp *w = warp_of(d, s);
    const struct program *p = d->host->program;
    struct path paths[STACK_MAX_THREADS];
    int used = static_warp_paths(&w->at, outcomes, count, paths);
    stack_branch(&w->stack, &d->rules, control_branch_at(p, s->pc), likely_point(d, p->insns[s->pc].branch), s->depth,
                 paths, used);
    follow(d, w);
}

void pdom_arrive(struct div *d, struct strand *s)
{
    struct warp *w = warp_of(d, s);
    uint64_t pops = d->rules.counters.pops;
    stack_advance(&w->stack, &d->rules, (struct point){s->pc, s->depth});
    if (d->rules.counters.pops != pops)
        follow(d, w);
}

void pdom_exit(struct div *d, struct strand *s, const struct threads *ended)
{
    struct warp *w = warp_of(d, s);
    if (stack_exit(&w->stack, &d->rules, static_warp_mask(&w->at, ended)))
        follow(d, w);
}

/* Threads may have ended that it was not told of yet; it may hold more than live, never less. */
void pdom_check(struct div *d)
{
    for (int i = 0; i < d->warps.count; i++) {
        const struct warp *w = &d->warps.data[i];
        if (!w->strand)
            continue;
        uint64_t live = static_warp_live(d->host, &w->at), running = static_warp_mask(&w->at, &w->strand->threads);
        const struct entry *top = stack_top(&w->stack);
        if (!top || !stack_is_sound(&w->stack))
            panic("the stack of warp %d is not in order", i);
        if (live & ~stack_threads(&w->stack))
            panic("warp %d lost threads: 0x%llx live, 0x%llx on its stack", i, (unsigned long long)live,
                  (unsigned long long)stack_threads(&w->stack));
        if ((running ^ top->mask) & live)
            panic("warp %d runs threads 0x%llx; the top of its stack has 0x%llx", i,
                  (unsigned long long)running, (unsigned long long)top->mask);
    }
}

void pdom_dump(struct div *d, struct text *out)
{
    for (int i = 0; i < d->warps.count; i++) {
        struct warp *w = &d->warps.data[i];
        if (!w->strand)
            continue;
        const struct program *p = d->host->program;
        struct entry *top = &w->stack.data[w->stack.count - 1];
        struct point branched = top->at;
        top->at = control_block_of(p, w->strand);
        text_printf(out, "warp %d\n", (int)w->strand->lineage);
        stack_print(&w->stack, p, d->host->width, out);
        top->at = branched;
    }
}

/* Of the entries that hold the thread, the highest says where it goes on. */
int32_t pdom_where(struct div *d, int32_t row, int lane)
{
    for (int i = 0; i < d->warps.count; i++) {
        const struct warp *w = &d->warps.data[i];
        uint64_t bit = w->strand ? static_warp_bit(d->host, &w->at, row, lane) : 0;
        for (int k = w->stack.count - 1; bit && k >= 0; k--)
            if (w->stack.data[k].mask & bit)
                return w->stack.data[k].at.pc;
    }
    return PC_NONE;
}

const struct div_ops div_pdom = {
    .name = "pdom",
    .summary = "a reconvergence stack per warp; threads meet at immediate post-dominators",
    .paper = "Fung, Sham, Yuan and Aamodt, MICRO 2007; the baseline of HPCA 2011",
    .flags = DIV_IN_STEP,
    .knobs = &pdom_knob_table,
    .stats = &pdom_stats,
    .create = pdom_create,
    .counters = pdom_counters,
    PDOM_CALLS,
};

const struct div_ops div_pdom_lcp = {
    .name = "pdom-lcp",
    .summary = "pdom that also reconverges at the backward branch of the loop around",
    .paper = "Fung and Aamodt, Thread Block Compaction, HPCA 2011, section 4",
    .flags = DIV_IN_STEP | DIV_LIKELY,
    .knobs = &lcp_knob_table,
    .stats = &lcp_stats,
    .create = lcp_create,
    .counters = pdom_counters,
    PDOM_CALLS,
};
