/*
 * volta: independent threads that reconverge at convergence barriers, after NVIDIA's Volta (Choquette, Giroux and
 * Foley, IEEE Micro 2018) and the barrier operations of Damani et al. (Speculative Reconvergence, CGO 2020, section 2
 * and Table 1).
 *
 * Each thread has its own PC, and each warp 16 barrier registers. The threads of a warp that run together are one
 * strand, the running group; the other threads are ready, wait at a convergence barrier, or wait at a block barrier.
 * div/parts/groups.c has these states and chooses the group that runs next. A plan beside the program says which
 * barriers there are (recon/barrier.h): the launch's plan, or else one barrier per post-dominator
 * (recon/place_barriers.h). What happens to a warp:
 *
 *   launch     All threads run.
 *   branch     The threads diverge: one side runs, the others are ready.
 *   barrier    Where the plan has operations (join, wait, cancel, yield) the running group executes them before the
 *              instruction. With `barrier_cost` each operation takes an issue slot (`sync`), otherwise no time.
 *   exit       Threads that end leave all barriers.
 *   waits      A block barrier or rendezvous holds single threads; other threads of the warp go on meanwhile. Groups
 *              that it releases to the same point become one group, so that bar.warp.sync makes threads reconverge.
 *
 * Convergence barriers are hints. No thread waits for ever for threads that spin: div/parts/groups.h has the limits. If
 * all live threads of a warp wait, some of them at a convergence barrier, these go on at once.
 *
 * The order of groups on real machines is not published. The default, `stack`, comes closest to traces of Turing (Abaie
 * Shoushtary et al., arXiv 2407.02944).
 *
 * With `memory_switch` a group whose next instruction waits for a load gives way to a group of its warp that does not,
 * when it comes to that instruction and whenever data returns to the warp. NVIDIA has not published whether its GPUs do
 * so, and Damani et al. do not say; by default a group keeps running.
 *
 * Not modelled: the time to change between groups.
 */
#include "base/diag.h"
#include "div/parts/cost.h"
#include "div/parts/groups.h"
#include "div/parts/paths.h"
#include "div/parts/static_warp.h"

#include <stdlib.h>

static const char *const order_names[] = {"stack", "oldest", "most-threads", "round-robin", NULL};

struct volta_knobs {
    uint32_t order, yield_limit, timeout_cycles, patience_cycles;
    bool barrier_cost, merge, memory_switch;
};

struct volta_counters {
    struct group_counters groups;
    struct path_counters paths;
    uint64_t dropped_barriers, predictions;
};

/* A static warp. */
struct volta_warp {
    struct static_warp at;
    struct groups groups;
    struct strand *strand; /* the running group; NULL: no group runs */
    bool is_resident;      /* the warp has live threads */
};

struct volta {
    struct div_host *host;
    struct volta_knobs knobs;
    struct group_code code;
    struct group_rules rules;
    struct vec_of(struct volta_warp) warps; /* by place of the static warp */
    struct vec_of(int32_t) place;           /* by strand id: index in `warps` */
    struct paths paths;
    struct volta_counters counters;
};

static struct volta *volta_of(struct div *div)
{
    return (struct volta *)div;
}

#define KNOB(field) .name = #field, .offset = offsetof(struct volta_knobs, field)

static const struct knob knobs[] = {
    {KNOB(order), .unit = "",
     .meaning = "Which ready group of a warp runs next: the group that became ready last (stack) "
                "or first (oldest), the largest (most-threads), or all in turns (round-robin).",
     .kind = KNOB_CHOICE, .fallback = GROUP_STACK, .high = GROUP_ROUND_ROBIN, .choices = order_names},
    {KNOB(barrier_cost), .unit = "", .meaning = "Whether operations on convergence barriers take issue slots.",
     .kind = KNOB_BOOL, .fallback = 1, .high = 1},
    {KNOB(merge), .unit = "",
     .meaning = "Whether groups of a warp become one wherever they come to the same PC, not only "
                "at barriers.",
     .kind = KNOB_BOOL, .high = 1},
    {KNOB(memory_switch), .unit = "",
     .meaning = "Whether a group that waits for a load gives way to a ready group of its warp that does not.",
     .kind = KNOB_BOOL, .high = 1},
    {KNOB(yield_limit), .unit = "yields",
     .meaning = "Yields of a group after which threads that wait for it at a convergence barrier go on.",
     .kind = KNOB_COUNT, .fallback = 16, .low = 1, .high = 1000000000},
    {KNOB(timeout_cycles), .unit = "cycles",
     .meaning =
         "Cycles for which a group may be ready before it replaces the running group, at that group's next control "
         "instruction.",
     .kind = KNOB_COUNT, .fallback = 10000, .low = 1, .high = 1000000000},
    {KNOB(patience_cycles), .unit = "cycles",
     .meaning = "Cycles without an arrival after which the threads at a convergence barrier go on without the others.",
     .kind = KNOB_COUNT, .fallback = 1000000, .low = 1, .high = 1000000000},
};
static const struct knob_table knob_table = {"volta", knobs, sizeof knobs / sizeof *knobs};

#define GROUP(field) .name = #field, .offset = offsetof(struct volta_counters, groups.field)
#define FIELD(field) .name = #field, .offset = offsetof(struct volta_counters, field)

static const struct stat_counter counters[] = {
    PATH_COUNTERS(struct volta_counters),
    {GROUP(joins), .unit = "operations", .meaning = "Joins and rejoins of a convergence barrier by a group."},
    {GROUP(waits), .unit = "operations", .meaning = "Waits at a convergence barrier by a group."},
    {GROUP(cancels), .unit = "operations", .meaning = "Cancels of a convergence barrier by a group."},
    {GROUP(yields), .unit = "operations", .meaning = "Yields by a group."},
    {GROUP(opened), .unit = "barriers",
     .meaning = "Convergence barriers that opened because all threads had come, some of which had waited."},
    {GROUP(opened_soft), .unit = "barriers",
     .meaning = "Convergence barriers that opened because the threshold of a soft wait was reached."},
    {GROUP(broken), .unit = "barriers",
     .meaning = "Convergence barriers whose threads went on without those that had not come."},
    {GROUP(reconvergences), .unit = "groups",
     .meaning = "Groups that came to a convergence barrier at which others waited."},
    {GROUP(merges), .unit = "groups", .meaning = "Groups that joined another group at the same PC without waiting."},
    {GROUP(wait_thread_cycles), .unit = "threads times cycles",
     .meaning = "Cycles that threads waited at convergence barriers, summed over threads."},
    {GROUP(switches), .unit = "times",
     .meaning = "Times that a group replaced a running group that waited for a load."},
    {GROUP(rotations), .unit = "times",
     .meaning = "Times that a group which had been ready for too long replaced the running group."},
    {GROUP(register_saves), .unit = "registers",
     .meaning = "Barrier registers saved, because a function joined a barrier that its caller had joined."},
    {FIELD(dropped_barriers), .unit = "barriers",
     .meaning = "Convergence barriers of the program's plan for which there was no register.", .combine = STAT_MAX},
    {FIELD(predictions), .unit = "predictions",
     .meaning = "Predicted reconvergence points that the program's plan of convergence barriers honours.",
     .combine = STAT_MAX},
};
static const struct stat_owner stats = {"volta", counters, sizeof counters / sizeof *counters,
                                        sizeof(struct volta_counters)};

static struct div *volta_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    struct volta *d = xcalloc(1, sizeof *d);
    if (!host->facts.barriers)
        panic("volta without a plan of convergence barriers");
    d->host = host;
    d->knobs = *(const struct volta_knobs *)knob_values;
    wants->hears_loads = d->knobs.memory_switch;
    group_code_open(&d->code, host->facts.barriers);
    d->rules = (struct group_rules){.code = &d->code,
                                    .order = (enum group_order)d->knobs.order,
                                    .merges = d->knobs.merge,
                                    .yield_limit = d->knobs.yield_limit,
                                    .timeout_cycles = d->knobs.timeout_cycles,
                                    .patience_cycles = d->knobs.patience_cycles};
    return (struct div *)d;
}

static void volta_destroy(struct div *div)
{
    struct volta *d = volta_of(div);
    for (int i = 0; i < d->warps.count; i++)
        groups_free(&d->warps.data[i].groups);
    vec_free(&d->warps);
    vec_free(&d->place);
    paths_close(&d->paths);
    group_code_close(&d->code);
    free(d);
}

static void *volta_counters(struct div *div)
{
    struct volta *d = volta_of(div);
    d->counters.groups = d->rules.counters;
    d->counters.paths = d->paths.counters;
    d->counters.dropped_barriers = (uint64_t)d->host->facts.barriers->dropped;
    d->counters.predictions = (uint64_t)d->host->facts.barriers->predictions;
    return &d->counters;
}

/* Whether the instruction may release threads of several groups together. */
static bool lets_go_together(const struct insn *in)
{
    return in->class == CLASS_BARRIER || class_is_warp_level(in->class);
}

/* Marks where the plan has operations, and behind barriers and warp-level operations, where released groups become
 * one. With `memory_switch` any instruction may wait for a load. */
static void volta_prepare(struct div *div, uint8_t *marks)
{
    struct volta *d = volta_of(div);
    const struct program *p = d->host->facts.program;
    for (int32_t pc = 0; pc < p->insn_count; pc++) {
        marks[pc] |= d->code.op[pc] < d->code.end[pc] || d->knobs.memory_switch;
        if (lets_go_together(&p->insns[pc]))
            marks[pc + 1] = 1;
    }
    for (int i = 0; i < d->code.edges.count; i++)
        if (d->code.edges.data[i].from + 1 == d->code.edges.data[i].pc)
            marks[d->code.edges.data[i].pc] = 1;
}

static struct volta_warp *warp_of(struct volta *d, const struct strand *s)
{
    d->rules.now = d->host->now;
    return &d->warps.data[d->place.data[s->id]];
}

static int paths_of(const struct volta_warp *w)
{
    return w->groups.ready.count + (w->groups.running.mask != 0);
}

/* The warp's strand, or a new one, gets the running group's threads and PC. Without a running group there is no
 * strand. */
static void follow(struct volta *d, struct volta_warp *w)
{
    const struct warp_group *running = &w->groups.running;
    if (!running->mask) {
        struct strand *ended = w->strand;
        w->strand = NULL;
        if (ended)
            d->host->calls.retire(d->host, ended);
        w->is_resident = groups_threads(&w->groups) != 0;
        return;
    }
    struct threads t;
    static_warp_threads(&w->at, running->mask, &t);
    if (w->strand) {
        d->host->calls.assign(d->host, w->strand, running->at.pc, running->at.depth, &t);
    } else {
        w->strand = d->host->calls.create(d->host, running->at.pc, running->at.depth, &t, w->at.lineage);
        while (d->place.count <= w->strand->id)
            vec_push(&d->place, 0);
        d->place.data[w->strand->id] = w->at.place;
    }
    paths_start(&d->paths, w->strand, running->at.pc);
    paths_most(&d->paths, paths_of(w));
    if (group_has_ops(running))
        d->host->calls.set_syncs(d->host, w->strand, group_ops_left(&d->code, &running->at));
}

/* Whether the group has no barrier operation to do and its next instruction waits for a load. */
static bool awaits_load(const struct volta *d, const struct volta_warp *w, const struct warp_group *group)
{
    struct threads t;
    static_warp_threads(&w->at, group->mask, &t);
    return !group_has_ops(group) && d->host->calls.awaits_load(d->host, group->at.pc, &t);
}

/* If the running group waits for a load, a ready group that does not wait runs instead. True: it does. */
static bool switch_groups(struct volta *d, struct volta_warp *w)
{
    uint64_t may_run = 0;
    if (!d->knobs.memory_switch || !w->groups.ready.count || !w->groups.running.mask ||
        !awaits_load(d, w, &w->groups.running))
        return false;
    for (int i = 0; i < w->groups.ready.count; i++)
        if (!awaits_load(d, w, &w->groups.ready.data[i]))
            may_run |= w->groups.ready.data[i].mask;
    return groups_switch(&w->groups, &d->rules, may_run);
}

/* The next group runs if none does. If barrier operations cost nothing, they are executed here, up to the next
 * instruction. */
static void go_on(struct volta *d, struct volta_warp *w)
{
    groups_run(&w->groups, &d->rules);
    while (!d->knobs.barrier_cost && w->groups.running.mask && group_has_ops(&w->groups.running)) {
        groups_do(&w->groups, &d->rules);
        groups_run(&w->groups, &d->rules);
    }
    switch_groups(d, w);
    follow(d, w);
}

static void volta_launch(struct div *div, int32_t block)
{
    struct volta *d = volta_of(div);
    d->rules.now = d->host->now;
    for (int i = 0; i < static_warp_count(d->host, block); i++) {
        struct static_warp at = static_warp_of(d->host, block, i);
        uint64_t mask = static_warp_live(d->host, &at);
        if (!mask)
            continue;
        vec_reserve(&d->warps, at.place + 1);
        while (d->warps.count <= at.place)
            d->warps.data[d->warps.count++] = (struct volta_warp){0};
        struct volta_warp *w = &d->warps.data[at.place];
        w->at = at;
        w->is_resident = true;
        struct point entry = {d->host->facts.program->functions[0].first, 0};
        groups_start(&w->groups, mask, group_spot(&d->code, PC_NONE, entry));
        go_on(d, w);
    }
}

/* Position among the branch's targets. Return addresses, which are no targets, come last. */
static int rank_of(const struct branch *branch, int32_t pc)
{
    int rank = 0, count = branch ? branch->target_count : 0;
    while (rank < count && branch->target[rank] != pc)
        rank++;
    return rank;
}

static bool comes_behind(const struct branch *branch, struct point a, struct point b)
{
    int ranks = rank_of(branch, a.pc) - rank_of(branch, b.pc);
    return ranks ? ranks > 0 : a.pc > b.pc;
}

/* In the order of the branch's targets: taken first, the next PC last. */
static void sort_paths(const struct branch *branch, struct path *paths, int count)
{
    for (int i = 1; i < count; i++) {
        struct path path = paths[i];
        int at = i;
        for (; at > 0 && comes_behind(branch, paths[at - 1].to, path.to); at--)
            paths[at] = paths[at - 1];
        paths[at] = path;
    }
}

static void volta_branch(struct div *div, struct strand *s, const struct outcome *outcomes, int count)
{
    struct volta *d = volta_of(div);
    struct volta_warp *w = warp_of(d, s);
    const struct program *p = d->host->facts.program;
    int32_t listed = p->insns[s->pc].branch;
    struct path paths[STACK_MAX_THREADS];
    struct warp_group to[STACK_MAX_THREADS];
    int used = static_warp_paths(&w->at, outcomes, count, paths);
    paths_passed(&d->paths, s, s->pc + 1, paths_of(w));
    if (used > 1)
        sort_paths(listed < 0 ? NULL : &p->branches[listed], paths, used);
    for (int i = 0; i < used; i++) {
        bool returns = paths[i].to.depth < s->depth; /* such threads come from the call instruction */
        int32_t from = returns ? paths[i].to.pc - 1 : s->pc;
        to[i].at = group_spot(&d->code, from, paths[i].to);
        to[i].mask = paths[i].mask;
    }
    groups_branch(&w->groups, &d->rules, s->depth, to, used);
    go_on(d, w);
}

static void volta_arrive(struct div *div, struct strand *s)
{
    struct volta *d = volta_of(div);
    struct volta_warp *w = warp_of(d, s);
    struct point at = {s->pc, s->depth};
    paths_passed(&d->paths, s, s->pc, paths_of(w));
    bool joined = groups_advance(&w->groups, &d->rules, group_spot(&d->code, s->pc - 1, at),
                                 d->knobs.merge || lets_go_together(&d->host->facts.program->insns[s->pc - 1]));
    if (!joined && !group_has_ops(&w->groups.running)) {
        if (switch_groups(d, w))
            follow(d, w);
        return;
    }
    if (!joined && d->knobs.barrier_cost)
        d->host->calls.set_syncs(d->host, s, group_ops_left(&d->code, &w->groups.running.at));
    else
        go_on(d, w);
}

static void volta_sync(struct div *div, struct strand *s)
{
    struct volta *d = volta_of(div);
    struct volta_warp *w = warp_of(d, s);
    bool is_same = groups_do(&w->groups, &d->rules);
    if (!is_same || (d->knobs.memory_switch && !group_has_ops(&w->groups.running)))
        go_on(d, w);
}

/* The data may be that of a ready group, which then runs instead of a group that still waits. */
static void volta_loaded(struct div *div, int32_t row, uint32_t lanes)
{
    struct volta *d = volta_of(div);
    struct threads left = {1, {{row, lanes}}};
    struct static_warp at;
    d->rules.now = d->host->now;
    while (static_warp_take(d->host, &left, &at)) {
        struct volta_warp *w = at.place < d->warps.count ? &d->warps.data[at.place] : NULL;
        if (!w || !w->is_resident || !w->strand || w->strand->busy || w->strand->held || w->strand->syncs)
            continue;
        paths_passed(&d->paths, w->strand, w->strand->pc, paths_of(w));
        if (switch_groups(d, w))
            follow(d, w);
    }
}

static void volta_exit(struct div *div, struct strand *s, const struct threads *ended)
{
    struct volta *d = volta_of(div);
    struct volta_warp *w = warp_of(d, s);
    groups_exit(&w->groups, &d->rules, static_warp_mask(&w->at, ended));
    if (s->threads.count)
        return;
    paths_passed(&d->paths, s, s->pc + 1, paths_of(w) + 1);
    go_on(d, w);
}

/* A warp that waits with all its threads is left as it is; otherwise its other groups go on. */
static void volta_barrier(struct div *div, struct strand *s, int32_t block, int id)
{
    struct volta *d = volta_of(div);
    (void)block, (void)id;
    struct volta_warp *w = warp_of(d, s);
    if (s->waiting == s->size && w->groups.running.mask == groups_threads(&w->groups))
        return;
    paths_passed(&d->paths, s, s->pc + 1, paths_of(w));
    groups_leave(&w->groups);
    w->strand = NULL;
    d->host->calls.retire(d->host, s);
    go_on(d, w);
}

static void release(struct volta *d, struct volta_warp *w, uint64_t mask, struct point at)
{
    groups_return(&w->groups, &d->rules, mask, group_spot(&d->code, at.pc - 1, at));
    if (!w->strand)
        go_on(d, w);
}

static void volta_released(struct div *div, int32_t pc, int32_t depth, const struct threads *threads)
{
    struct volta *d = volta_of(div);
    struct threads left;
    struct static_warp at;
    threads_copy(&left, threads);
    d->rules.now = d->host->now;
    for (uint64_t mask; (mask = static_warp_take(d->host, &left, &at));)
        release(d, &d->warps.data[at.place], mask, (struct point){pc, depth});
}

/* The groups may still list threads that have ended, since `exit` is reported later, but never miss a live one. */
static void volta_check(struct div *div)
{
    struct volta *d = volta_of(div);
    for (int i = 0; i < d->warps.count; i++) {
        const struct volta_warp *w = &d->warps.data[i];
        if (!w->is_resident)
            continue;
        uint64_t live = static_warp_live(d->host, &w->at),
                 running = w->strand ? static_warp_mask(&w->at, &w->strand->threads) : 0;
        if (!groups_are_sound(&w->groups))
            panic("the groups of warp %d are not in order", i);
        if (live & ~groups_threads(&w->groups))
            panic("warp %d lost threads: 0x%llx live, 0x%llx in its groups", i, (unsigned long long)live,
                  (unsigned long long)groups_threads(&w->groups));
        if ((running ^ w->groups.running.mask) & live)
            panic("warp %d has threads 0x%llx in its strand; its running group has 0x%llx", i,
                  (unsigned long long)running, (unsigned long long)w->groups.running.mask);
    }
}

static int32_t volta_where(struct div *div, int32_t row, int lane)
{
    struct volta *d = volta_of(div);
    for (int i = 0; i < d->warps.count; i++) {
        const struct volta_warp *w = &d->warps.data[i];
        uint64_t thread = w->is_resident ? static_warp_bit(d->host, &w->at, row, lane) : 0;
        if (thread)
            return groups_where(&w->groups, thread);
    }
    return PC_NONE;
}

static void volta_dump(struct div *div, struct text *out)
{
    struct volta *d = volta_of(div);
    const struct program *p = d->host->facts.program;
    for (int i = 0; i < d->warps.count; i++) {
        const struct volta_warp *w = &d->warps.data[i];
        if (!w->is_resident)
            continue;
        text_printf(out, "warp %d\n", (int)w->at.lineage);
        /* The start of the running group's block is printed, since the group's PC moves on without a call. */
        int32_t pc = w->strand ? p->blocks[p->insns[w->strand->pc].block].first : PC_NONE;
        groups_print(&w->groups, p, pc, d->host->facts.width, out);
    }
}

/* State per thread in place of stacks (Damani et al., CGO 2020, section 2), and 16 barrier registers per warp. A thread
 * is ready, yielded, has ended, waits at a block barrier or rendezvous, or waits at one of the barriers: 5 bits. */
static void volta_cost(struct cost *c)
{
    enum { STATES = 5 + BARRIER_REGISTERS };
    const struct cost_machine *m = c->machine;
    cost_storage(c, "thread PCs", m->threads, COST_PC_BITS, "T PCs", "CGO 2020, section 2: state per thread");
    cost_storage(c, "thread states", m->threads, cost_bits(STATES), "T states: 5, or waiting at one of 16 barriers",
                 COST_COUNTED);
    cost_storage(c, "barrier registers", (double)m->warps * BARRIER_REGISTERS, m->warp_width, "N x 16 masks of W",
                 "CGO 2020, section 2; number and width " COST_COUNTED);
    cost_front_end(c);
    cost_logic(c, "PC comparator", m->warp_width - 1.0, COST_PC_BITS, "W - 1: threads of a warp at one PC",
               COST_COUNTED);
}

const struct div_ops div_volta = {
    .name = "volta",
    .summary = "One PC per thread; threads reconverge at convergence barriers, and none waits for ever.",
    .paper = "Choquette, Giroux and Foley, Volta, IEEE Micro 2018; Damani et al., CGO 2020",
    .flags = DIV_BARRIERS,
    .knobs = &knob_table,
    .stats = &stats,
    .create = volta_create,
    .cost = volta_cost,
    .destroy = volta_destroy,
    .counters = volta_counters,
    .prepare = volta_prepare,
    .launch = volta_launch,
    .branch = volta_branch,
    .arrive = volta_arrive,
    .loaded = volta_loaded,
    .exit = volta_exit,
    .barrier = volta_barrier,
    .released = volta_released,
    .sync = volta_sync,
    .check = volta_check,
    .where = volta_where,
    .dump = volta_dump,
};
