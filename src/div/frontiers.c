/*
 * frontiers: thread frontiers (Diamos, Ashbaugh, Maiyuran, Kerr, Wu and Yalamanchili, "SIMD Re-Convergence at Thread
 * Frontiers", MICRO 2011).
 *
 * There is no stack: each thread has a PC, and basic blocks have an order that is fixed before the run
 * (div/parts/block_order.h). A warp runs those of its threads that are at the first block in this order. The blocks at
 * which other threads of the warp can be while it runs a block are the block's thread frontier. Threads reconverge as
 * soon as they are at the same PC: without backward edges never later than at the post-dominator of the branch at which
 * they diverged. Threads that go back to the start of a loop run before threads further down.
 *
 * The threads of a warp that run are one strand; its other threads are groups {PC, mask}. What happens to a warp:
 *
 *   launch    All threads run.
 *   branch    The threads join the groups at the branch's targets; missing groups are made. Then the first group in the
 *             order runs, mostly the group at the nearest target.
 *   arrival   When the strand comes to a block at which a group is, the two become one (`merges`). If a group is at an
 *             earlier block, that group runs, and the strand's threads wait as a group (`switches`).
 *   exit      Threads that ended leave their group; if all threads of the strand ended, the first group runs.
 *   barrier   Barriers hold single threads. A strand that must wait gives way to the first group, unless the whole warp
 *             is at the barrier. Threads that are released form a group, which may take over when the strand comes to
 *             the start of a block.
 *
 * Groups deeper in calls come first, so that functions finish before their callers go on. `order=layout` is the order
 * of the text, as in hardware that compares PCs; a compiler would lay blocks out by priority.
 *
 * Not modelled: the time to find the first group, and conservative branches, by which some machines visit blocks of the
 * frontier at which no thread is.
 */
#include "base/diag.h"
#include "div/contract/div.h"
#include "div/parts/block_order.h"
#include "div/parts/cost.h"
#include "div/parts/static_warp.h"

enum { ORDER_TOPOLOGICAL, ORDER_LAYOUT };
static const char *const order_names[] = {"topological", "layout", NULL};

struct frontiers_knobs {
    uint32_t order;
};

struct frontiers_counters {
    uint64_t divergent_branches, groups, merges, switches, max_groups;
};

/* Threads of a warp at one point that are not in the warp's strand. */
struct frontiers_group {
    struct point at;
    uint64_t mask;
    bool waits; /* the threads are at a barrier or rendezvous, and go on at `at` when it releases them */
};

/* A static warp. */
struct frontiers_warp {
    struct static_warp at;
    struct strand *strand; /* the threads that run; NULL: no block is resident there, or all threads ended or wait */
    uint64_t running;      /* threads of `strand` */
    struct vec_of(struct frontiers_group) groups; /* other threads, by point and by whether they wait at a barrier */
};

struct frontiers {
    struct div_host *host;
    struct frontiers_knobs knobs;
    int32_t *rank;                              /* by basic block: position in the order */
    struct vec_of(struct frontiers_warp) warps; /* by place of the static warp */
    struct vec_of(int32_t) place;               /* by strand id: index in `warps` */
    struct frontiers_counters counters;
};

static struct frontiers *frontiers_of(struct div *div)
{
    return (struct frontiers *)div;
}

static const struct knob knobs[] = {
    {.name = "order",
     .unit = "",
     .meaning = "Order of basic blocks: topological with the blocks of a loop together "
                "(topological), or as in the text (layout).",
     .offset = offsetof(struct frontiers_knobs, order),
     .kind = KNOB_CHOICE,
     .high = ORDER_LAYOUT,
     .choices = order_names},
};
static const struct knob_table knob_table = {"frontiers", knobs, sizeof knobs / sizeof *knobs};

#define FIELD(field) .name = #field, .offset = offsetof(struct frontiers_counters, field)

static const struct stat_counter counters[] = {
    {FIELD(divergent_branches), .unit = "branches", .meaning = "Control instructions at which a strand diverged."},
    {FIELD(groups), .unit = "groups", .meaning = "Groups that a divergent branch made beyond the one that goes on."},
    {FIELD(merges), .unit = "groups", .meaning = "Groups that joined another group at the same PC."},
    {FIELD(switches), .unit = "switches",
     .meaning = "Times that a group at an earlier block took over from threads that came to a later one."},
    {FIELD(max_groups), .unit = "groups", .meaning = "Most groups that a warp had besides the threads that ran.",
     .combine = STAT_MAX},
};

static const struct stat_owner stats = {"frontiers", counters, sizeof counters / sizeof *counters,
                                        sizeof(struct frontiers_counters)};

static struct div *frontiers_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    (void)wants;
    if (host->facts.width < 1 || host->facts.width > STACK_MAX_THREADS || (host->facts.width & (host->facts.width - 1)))
        panic("thread frontiers cannot hold warps of %d threads", host->facts.width);
    struct frontiers *d = xcalloc(1, sizeof *d);
    d->host = host;
    d->knobs = *(const struct frontiers_knobs *)knob_values;
    return (struct div *)d;
}

static void frontiers_destroy(struct div *div)
{
    struct frontiers *d = frontiers_of(div);
    for (int i = 0; i < d->warps.count; i++)
        vec_free(&d->warps.data[i].groups);
    vec_free(&d->warps);
    vec_free(&d->place);
    free(d->rank);
    free(d);
}

static void *frontiers_counters(struct div *div)
{
    struct frontiers *d = frontiers_of(div);
    return &d->counters;
}

/* Groups can be where blocks begin, and behind calls, barriers and warp-level operations. */
static void frontiers_prepare(struct div *div, uint8_t *marks)
{
    struct frontiers *d = frontiers_of(div);
    const struct program *p = d->host->facts.program;
    d->rank = block_order(p);
    for (int i = 0; i < p->block_count && d->knobs.order == ORDER_LAYOUT; i++)
        d->rank[i] = p->blocks[i].first;
    for (int i = 0; i < p->block_count; i++)
        marks[p->blocks[i].first] = 1;
    for (int32_t pc = 0; pc + 1 < p->insn_count; pc++)
        if (p->insns[pc].class == CLASS_BARRIER || class_is_warp_level(p->insns[pc].class) ||
            p->insns[pc].op == OP_CALL)
            marks[pc + 1] = 1;
}

/* ---- groups ---- */

static struct frontiers_warp *warp_of(struct frontiers *d, const struct strand *s)
{
    return &d->warps.data[d->place.data[s->id]];
}

/* Whether point `a` comes before point `b`: deeper calls first, then by the order of blocks, then by PC. */
static bool comes_before(const struct frontiers *d, struct point a, struct point b)
{
    const struct insn *insns = d->host->facts.program->insns;
    if (a.depth != b.depth)
        return a.depth > b.depth;
    int32_t first = d->rank[insns[a.pc].block], second = d->rank[insns[b.pc].block];
    return first != second ? first < second : a.pc < b.pc;
}

/* Adds the group to the warp's groups, merged with the group at the same point if there is one. */
static void add_group(struct frontiers *d, struct frontiers_warp *w, struct frontiers_group g)
{
    for (int i = 0; i < w->groups.count; i++) {
        struct frontiers_group *other = &w->groups.data[i];
        if (!point_is_same(other->at, g.at) || other->waits != g.waits)
            continue;
        other->mask |= g.mask;
        d->counters.merges += !g.waits;
        return;
    }
    vec_push(&w->groups, g);
}

/* The first group in the order that waits at no barrier, or NULL. */
static struct frontiers_group *first_group(const struct frontiers *d, const struct frontiers_warp *w)
{
    struct frontiers_group *first = NULL;
    for (int i = 0; i < w->groups.count; i++) {
        struct frontiers_group *g = &w->groups.data[i];
        if (!g->waits && (!first || comes_before(d, g->at, first->at)))
            first = g;
    }
    return first;
}

/* Lets the first group run, when no thread of the warp runs: in the warp's strand, if it still has one, or in a new
 * strand. Without a group that can run, the strand is retired. */
static void run_first(struct frontiers *d, struct frontiers_warp *w)
{
    struct frontiers_group *first = first_group(d, w);
    w->running = 0;
    if (!first) {
        struct strand *ended = w->strand;
        w->strand = NULL;
        if (ended)
            d->host->calls.retire(d->host, ended);
        return;
    }
    struct frontiers_group g = *first;
    *first = w->groups.data[--w->groups.count];
    if ((uint64_t)w->groups.count > d->counters.max_groups)
        d->counters.max_groups = (uint64_t)w->groups.count;
    struct threads t;
    static_warp_threads(&w->at, g.mask, &t);
    w->running = g.mask;
    if (w->strand) {
        d->host->calls.assign(d->host, w->strand, g.at.pc, g.at.depth, &t);
        return;
    }
    w->strand = d->host->calls.create(d->host, g.at.pc, g.at.depth, &t, w->at.lineage);
    while (d->place.count <= w->strand->id)
        vec_push(&d->place, 0);
    d->place.data[w->strand->id] = w->at.place;
}

/* ---- calls of the contract ---- */

static void frontiers_launch(struct div *div, int32_t block)
{
    struct frontiers *d = frontiers_of(div);
    for (int i = 0; i < static_warp_count(d->host, block); i++) {
        struct static_warp at = static_warp_of(d->host, block, i);
        uint64_t mask = static_warp_live(d->host, &at);
        if (!mask)
            continue;
        while (d->warps.count <= at.place)
            vec_push(&d->warps, (struct frontiers_warp){0});
        struct frontiers_warp *w = &d->warps.data[at.place];
        w->at = at;
        add_group(d, w, (struct frontiers_group){.at = {d->host->facts.program->functions[0].first, 0}, .mask = mask});
        run_first(d, w);
    }
}

static void frontiers_branch(struct div *div, struct strand *s, const struct outcome *outcomes, int count)
{
    struct frontiers *d = frontiers_of(div);
    struct frontiers_warp *w = warp_of(d, s);
    struct path paths[STACK_MAX_THREADS];
    int used = static_warp_paths(&w->at, outcomes, count, paths);
    if (used == 1 && !w->groups.count) {
        d->host->calls.assign(d->host, s, paths[0].to.pc, paths[0].to.depth, &s->threads);
        return;
    }
    const struct frontiers_group *others = first_group(d, w);
    d->counters.switches += others && used == 1 && comes_before(d, others->at, paths[0].to);
    d->counters.divergent_branches += used > 1;
    d->counters.groups += (uint64_t)used - 1;
    for (int i = 0; i < used; i++)
        add_group(d, w, (struct frontiers_group){.at = paths[i].to, .mask = paths[i].mask});
    run_first(d, w);
}

static void frontiers_arrive(struct div *div, struct strand *s)
{
    struct frontiers *d = frontiers_of(div);
    struct frontiers_warp *w = warp_of(d, s);
    struct point at = {s->pc, s->depth};
    const struct frontiers_group *first = first_group(d, w);
    if (!first || comes_before(d, at, first->at))
        return;
    d->counters.switches += !point_is_same(at, first->at);
    add_group(d, w, (struct frontiers_group){.at = at, .mask = w->running});
    run_first(d, w);
}

static void frontiers_exit(struct div *div, struct strand *s, const struct threads *ended)
{
    struct frontiers *d = frontiers_of(div);
    struct frontiers_warp *w = warp_of(d, s);
    w->running &= ~static_warp_mask(&w->at, ended);
    if (!s->threads.count)
        run_first(d, w);
}

/* A warp that waits with all its threads is left as it is. */
static void frontiers_barrier(struct div *div, struct strand *s, int32_t block, int id)
{
    struct frontiers *d = frontiers_of(div);
    (void)block, (void)id;
    struct frontiers_warp *w = warp_of(d, s);
    if (s->waiting == s->size && !w->groups.count)
        return;
    add_group(d, w, (struct frontiers_group){.at = {s->pc + 1, s->depth}, .mask = w->running, .waits = true});
    w->strand = NULL;
    d->host->calls.retire(d->host, s);
    run_first(d, w);
}

/* Threads of the warp that waited become a group that can run. A strand of the warp is not replaced at once, since the
 * instruction that released the threads may be its own. */
static void let_go(struct frontiers *d, struct frontiers_warp *w, struct point at, uint64_t mask)
{
    for (int i = w->groups.count - 1; i >= 0; i--)
        if (w->groups.data[i].waits && !(w->groups.data[i].mask &= ~mask))
            w->groups.data[i] = w->groups.data[--w->groups.count];
    add_group(d, w, (struct frontiers_group){.at = at, .mask = mask});
    if (!w->strand)
        run_first(d, w);
}

static void frontiers_released(struct div *div, int32_t pc, int32_t depth, const struct threads *threads)
{
    struct frontiers *d = frontiers_of(div);
    struct threads left;
    struct static_warp at;
    threads_copy(&left, threads);
    for (uint64_t mask; (mask = static_warp_take(d->host, &left, &at));)
        let_go(d, &d->warps.data[at.place], (struct point){pc, depth}, mask);
}

/* ---- checks and reports ---- */

/* The groups may still list threads that have ended, since `exit` is reported later, but never miss a live one. */
static void check_warp(struct frontiers *d, const struct frontiers_warp *w)
{
    uint64_t live = static_warp_live(d->host, &w->at), held = w->running;
    uint64_t in_strand = w->strand ? static_warp_mask(&w->at, &w->strand->threads) : 0;
    if ((in_strand ^ w->running) & live)
        panic("warp %d has threads 0x%llx in its strand, not 0x%llx", (int)w->at.place, (unsigned long long)in_strand,
              (unsigned long long)w->running);
    for (int i = 0; i < w->groups.count; i++) {
        const struct frontiers_group *g = &w->groups.data[i];
        if (!g->mask || g->mask & held)
            panic("a group of warp %d has threads 0x%llx", (int)w->at.place, (unsigned long long)g->mask);
        held |= g->mask;
        if (!g->waits && !w->strand)
            panic("a group of warp %d could run, and none does", (int)w->at.place);
    }
    if (live & ~held)
        panic("warp %d lost threads: 0x%llx live, 0x%llx in its groups", (int)w->at.place, (unsigned long long)live,
              (unsigned long long)held);
}

static void frontiers_check(struct div *div)
{
    struct frontiers *d = frontiers_of(div);
    for (int i = 0; i < d->warps.count; i++)
        if (d->warps.data[i].strand || d->warps.data[i].groups.count)
            check_warp(d, &d->warps.data[i]);
}

static int32_t frontiers_where(struct div *div, int32_t row, int lane)
{
    struct frontiers *d = frontiers_of(div);
    for (int i = 0; i < d->warps.count; i++) {
        const struct frontiers_warp *w = &d->warps.data[i];
        bool is_resident = w->strand || w->groups.count;
        uint64_t bit = is_resident ? static_warp_bit(d->host, &w->at, row, lane) : 0;
        for (int k = 0; bit && k < w->groups.count; k++)
            if (w->groups.data[k].mask & bit)
                return w->groups.data[k].at.pc;
    }
    return PC_NONE;
}

static void frontiers_dump(struct div *div, struct text *out)
{
    struct frontiers *d = frontiers_of(div);
    const struct program *p = d->host->facts.program;
    for (int i = 0; i < d->warps.count; i++) {
        const struct frontiers_warp *w = &d->warps.data[i];
        if (!w->strand && !w->groups.count)
            continue;
        text_printf(out, "warp %d\n", (int)w->at.lineage);
        if (w->strand) { /* the start of its block is printed: its PC moves on without a call of the mechanism */
            text_printf(out, "  ");
            point_print((struct point){p->blocks[p->insns[w->strand->pc].block].first, w->strand->depth}, p, out);
            text_printf(out, " ");
            static_warp_print(w->running, d->host->facts.width, out);
            text_printf(out, " runs\n");
        }
        for (int k = 0; k < w->groups.count; k++) {
            text_printf(out, "  ");
            point_print(w->groups.data[k].at, p, out);
            text_printf(out, " ");
            static_warp_print(w->groups.data[k].mask, d->host->facts.width, out);
            text_printf(out, w->groups.data[k].waits ? " waits\n" : "\n");
        }
    }
}

/* A PC per thread in place of stacks (Diamos et al., MICRO 2011, whose own figures are not at hand). */
static void frontiers_cost(struct cost *c)
{
    const struct cost_machine *m = c->machine;
    cost_storage(c, "thread PCs", m->threads, COST_PC_BITS, "T PCs", COST_COUNTED);
    cost_front_end(c);
    cost_logic(c, "PC comparator", m->warp_width - 1.0, COST_PC_BITS, "W - 1: the first PC of a warp's threads",
               COST_COUNTED);
}

const struct div_ops div_frontiers = {
    .name = "frontiers",
    .summary = "One PC per thread; a warp runs its threads at the first block of a fixed order.",
    .paper = "Diamos et al., MICRO 2011",
    .flags = DIV_IN_STEP,
    .knobs = &knob_table,
    .stats = &stats,
    .create = frontiers_create,
    .cost = frontiers_cost,
    .destroy = frontiers_destroy,
    .counters = frontiers_counters,
    .prepare = frontiers_prepare,
    .launch = frontiers_launch,
    .branch = frontiers_branch,
    .arrive = frontiers_arrive,
    .exit = frontiers_exit,
    .barrier = frontiers_barrier,
    .released = frontiers_released,
    .check = frontiers_check,
    .where = frontiers_where,
    .dump = frontiers_dump,
};
