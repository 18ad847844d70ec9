/*
 * pdom and pdom-lcp: one reconvergence stack per static warp; only the path of the stack's top entry runs.
 *
 * A static warp is W consecutive threads: a part of a row, one row, or two rows. It is one strand while it has threads
 * to run; the strand has the threads and the PC of the stack's top entry. pdom reconverges at immediate post-dominators
 * only; pdom-lcp (Fung and Aamodt, HPCA 2011, section 4) also at likely-convergence points. div/parts/stack.c has the
 * rules of the stack.
 *
 * A strand waits for the time that its stack takes (div/parts/stack_time.h), which is none by default, and with
 * `spill_traffic` for entries on their way to memory and back (div/parts/stack_traffic.h).
 */
#include "div/pdom/pdom.h"
#include "base/diag.h"
#include "div/parts/control.h"
#include "div/parts/marks.h"

const char *const pdom_order_names[] = {"taken-first",   "not-taken-first", "larger-first",
                                        "smaller-first", "highest-lane",    NULL};

static const struct knob knobs[] = {PDOM_KNOBS};
enum { KNOBS = sizeof knobs / sizeof *knobs };
static const struct knob_table pdom_knob_table = {"pdom", knobs, KNOBS};
static const struct knob_table lcp_knob_table = {"pdom-lcp", knobs, KNOBS};

static const struct stat_counter counters[] = {
    PDOM_COUNTERS,
    PDOM_TIME_COUNTERS,
    {PDOM_COUNTER(lcp_pushed), .unit = "entries", .meaning = "Entries made for likely-convergence points."},
    {PDOM_COUNTER(lcp_merged), .unit = "paths", .meaning = "Paths that reached their likely-convergence point."},
    {PDOM_COUNTER(lcp_unused), .unit = "entries",
     .meaning = "Entries for likely-convergence points that no path reached."},
};

enum { COUNTERS_LCP = 3, COUNTERS_ALL = sizeof counters / sizeof *counters };

static const struct stat_owner pdom_stats = {"pdom", counters, COUNTERS_ALL - COUNTERS_LCP,
                                             sizeof(struct stack_counters)};
static const struct stat_owner lcp_stats = {"pdom-lcp", counters, COUNTERS_ALL, sizeof(struct stack_counters)};

void pdom_start(struct pdom *d, struct div_host *host, const struct pdom_knobs *knob_values, struct div_wants *wants)
{
    static_warp_check_width(host);
    d->host = host;
    d->rules.order = (enum stack_order)knob_values->order;
    d->time = knob_values->stack;
    stack_code_open(&d->code, host, wants);
    d->takes_time = d->time.entries || d->time.cycles;
    wants->spills = d->time.spill_traffic;
}

static struct div *create(struct div_host *host, const void *knob_values, struct div_wants *wants, bool likely)
{
    struct pdom *d = xcalloc(1, sizeof *d);
    pdom_start(d, host, knob_values, wants);
    d->likely = likely;
    return (struct div *)d;
}

static struct div *pdom_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    return create(host, knob_values, wants, false);
}

static struct div *lcp_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    return create(host, knob_values, wants, true);
}

void pdom_destroy(struct div *div)
{
    struct pdom *d = pdom_of(div);
    for (int i = 0; i < d->warps.count; i++) {
        vec_free(&d->warps.data[i].stack);
        held_free(&d->warps.data[i].held);
    }
    vec_free(&d->warps);
    vec_free(&d->place);
    stack_code_close(&d->code);
    free(d);
}

static void *pdom_counters(struct div *div)
{
    struct pdom *d = pdom_of(div);
    return &d->rules.counters;
}

static int32_t likely_point(const struct pdom *d, int32_t branch)
{
    return d->likely && branch >= 0 ? div_likely_point(d->host, branch) : PC_NONE;
}

void pdom_prepare(struct div *div, uint8_t *marks)
{
    struct pdom *d = pdom_of(div);
    marks_post_dominators(d->host->facts.program, marks);
    held_mark(d->host->facts.program, marks);
    stack_code_mark(&d->code, d->host->facts.program, marks);
    if (d->likely)
        marks_likely_points(d->host, marks);
}

static struct pdom_warp *warp_of(struct pdom *d, const struct strand *s)
{
    return &d->warps.data[d->place.data[s->id]];
}

static void start_strand(struct pdom *d, struct pdom_warp *w, int32_t pc, int32_t depth, const struct threads *t)
{
    w->strand = d->host->calls.create(d->host, pc, depth, t, w->at.lineage);
    vec_extend(&d->place, w->strand->id + 1);
    d->place.data[w->strand->id] = w->at.place;
}

/* The strand issues so many instructions of the stack before the instruction at its PC. */
static void issue_first(struct pdom *d, struct strand *s, int count)
{
    if (count)
        d->host->calls.set_syncs(d->host, s, count);
}

void pdom_launch(struct div *div, int32_t block)
{
    struct pdom *d = pdom_of(div);
    struct static_warp at;
    int32_t pc = d->host->facts.program->functions[0].first;
    int next = 0;
    for (uint64_t mask; (mask = static_warp_next(d->host, block, &next, &at));) {
        vec_extend(&d->warps, at.place + 1); /* warps of later blocks use the place again */
        struct pdom_warp *w = &d->warps.data[at.place];
        struct threads t;
        static_warp_threads(&at, mask, &t);
        w->at = at;
        stack_usage_start(&w->usage);
        stack_start(&w->stack, &d->rules, pc, mask);
        start_strand(d, w, pc, 0, &t);
        issue_first(d, w->strand, stack_code_behind(&d->code, pc));
    }
    d->timed = stack_operations(&d->rules.counters); /* the stacks' first entries take no time */
}

/* Cycles that the changes of the warp's stack since the last call take. */
static uint64_t time_of(struct pdom *d, struct pdom_warp *w)
{
    uint64_t operations = stack_operations(&d->rules.counters);
    w->usage.operations = operations - d->timed;
    d->timed = operations;
    int mask_words = (d->host->facts.width + 31) / 32;
    struct stack_place place = {d->host, w->at.place, stack_entry_bytes(2 + (d->likely ? 2 : 0) + mask_words)};
    return stack_time_at(&d->time, &d->rules.counters.time, &w->usage, w->stack.count, place);
}

/* The strand waits for what its stack takes; the stack has an entry. */
static void take_time(struct pdom *d, struct pdom_warp *w)
{
    uint64_t wait = time_of(d, w), from = d->host->now > d->not_now ? d->host->now : d->not_now;
    w->not_before = from + wait;
    if (w->usage.moving)
        d->host->calls.hold(d->host, w->strand, UINT64_MAX);
    else if (wait)
        d->host->calls.hold(d->host, w->strand, from + wait);
}

/* The stack changed: the warp's strand, or a new one, gets the top entry's threads and PC. With an empty stack the warp
 * has no strand. `synced`: PC at which a path has issued its sync; threads that go on there have reconverged. */
static void follow_sync(struct pdom *d, struct pdom_warp *w, int32_t synced)
{
    const struct stack_entry *top = stack_top(&w->stack);
    if (top) {
        struct threads t;
        static_warp_threads(&w->at, top->mask, &t);
        if (w->strand)
            d->host->calls.assign(d->host, w->strand, top->at.pc, top->at.depth, &t);
        else
            start_strand(d, w, top->at.pc, top->at.depth, &t);
        issue_first(d, w->strand,
                    top->at.pc == synced ? stack_code_behind(&d->code, synced) : stack_code_at(&d->code, top->at.pc));
        if (d->takes_time)
            take_time(d, w);
    } else if (w->strand) {
        struct strand *ended = w->strand;
        w->strand = NULL;
        d->host->calls.retire(d->host, ended);
    }
    d->timed = stack_operations(&d->rules.counters); /* an empty stack makes nobody wait */
}

static void follow(struct pdom *d, struct pdom_warp *w)
{
    follow_sync(d, w, PC_NONE);
}

/* All threads of the top entry go to a point with a sync instruction: the entry stays until it has issued the sync. */
static void come_to_sync(struct pdom *d, struct pdom_warp *w, struct point at)
{
    w->stack.data[w->stack.count - 1].at = at;
    d->host->calls.assign(d->host, w->strand, at.pc, at.depth, &w->strand->threads);
    issue_first(d, w->strand, stack_code_at(&d->code, at.pc));
}

/* Entries of a warp's stack have moved to memory and back: the warp goes on. */
void pdom_spilled(struct div *div, int32_t stack, int lines, bool is_done)
{
    struct pdom *d = pdom_of(div);
    struct pdom_warp *w = &d->warps.data[stack];
    if (!stack_spilled(&d->rules.counters.time, &w->usage, d->host->now, lines, is_done) || !w->strand)
        return;
    d->host->calls.let_go(d->host, w->strand);
    d->host->calls.hold(d->host, w->strand, w->not_before);
}

/* All threads of the strand go to a point. True, and done: nothing changes on the stack but the point of its top, as at
 * most branches. */
static bool goes_on(struct pdom *d, struct pdom_warp *w, struct point to, uint64_t mask)
{
    if (!stack_goes_on(&w->stack, to, mask) || stack_code_has_sync(&d->code, to.pc))
        return false;
    w->stack.data[w->stack.count - 1].at = to;
    d->host->calls.assign(d->host, w->strand, to.pc, to.depth, &w->strand->threads);
    issue_first(d, w->strand, stack_code_at(&d->code, to.pc));
    if (d->takes_time)
        take_time(d, w);
    return true;
}

/* The strand leaves an instruction for `paths`. */
static void leave(struct pdom *d, struct pdom_warp *w, const struct strand *s, struct path *paths, int used)
{
    const struct program *p = d->host->facts.program;
    if (used == 1 && paths[0].to.depth == s->depth && stack_code_has_sync(&d->code, paths[0].to.pc)) {
        come_to_sync(d, w, paths[0].to);
        return;
    }
    stack_branch(&w->stack, &d->rules, control_branch_at(p, s->pc), likely_point(d, p->insns[s->pc].branch), s->depth,
                 paths, used);
    follow(d, w);
}

void pdom_branch(struct div *div, struct strand *s, const struct outcome *outcomes, int count)
{
    struct pdom *d = pdom_of(div);
    struct pdom_warp *w = warp_of(d, s);
    struct path paths[STACK_MAX_THREADS];
    const struct point to = {outcomes[0].pc, outcomes[0].depth};
    if (count > 1 || !goes_on(d, w, to, static_warp_mask(&w->at, &outcomes[0].threads)))
        leave(d, w, s, paths, static_warp_paths(&w->at, outcomes, count, paths));
}

/* A warp is one row, whose lanes are its mask. */
void pdom_part(struct div *div, struct strand *s, int32_t target, uint32_t taken)
{
    struct pdom *d = pdom_of(div);
    struct pdom_warp *w = warp_of(d, s);
    struct path paths[2];
    const int used = path_part(s, target, taken, paths);
    if (used > 1 || !goes_on(d, w, paths[0].to, paths[0].mask))
        leave(d, w, s, paths, used);
}

/* The stack keeps its entries, which takes no time. */
bool pdom_pass(struct div *div, struct strand *s, int32_t pc)
{
    struct pdom *d = pdom_of(div);
    struct pdom_warp *w = warp_of(d, s);
    const struct point to = {pc, s->depth};
    if (!stack_goes_on(&w->stack, to, s->lanes))
        return false;
    w->stack.data[w->stack.count - 1].at = to;
    return true;
}

/* The top entry is at `here`. True: it has reconverged, and the stack has changed. */
static bool advance(struct pdom *d, struct pdom_warp *w, struct point here)
{
    return stack_advance(&w->stack, &d->rules, here) ||
           (held_is_behind(d->host->facts.program, here) && stack_unite(&w->stack, &d->rules, here));
}

void pdom_arrive(struct div *div, struct strand *s)
{
    struct pdom *d = pdom_of(div);
    struct pdom_warp *w = warp_of(d, s);
    struct point here = {s->pc, s->depth};
    d->not_now = d->host->now + 1; /* the strand has issued in this cycle */
    if (!stack_code_has_sync(&d->code, s->pc) && advance(d, w, here))
        follow(d, w);
    else
        issue_first(d, s, stack_code_at(&d->code, s->pc));
}

/* A path that has issued its sync is popped. A push changes nothing: entries are made when paths part. */
void pdom_sync(struct div *div, struct strand *s)
{
    struct pdom *d = pdom_of(div);
    struct pdom_warp *w = warp_of(d, s);
    struct point here = {s->pc, s->depth};
    if (!stack_code_was_sync(&d->code, s->pc, s->syncs))
        return;
    d->not_now = d->host->now + 1;
    if (advance(d, w, here))
        follow_sync(d, w, here.pc);
}

void pdom_exit(struct div *div, struct strand *s, const struct threads *ended)
{
    struct pdom *d = pdom_of(div);
    struct pdom_warp *w = warp_of(d, s);
    if (stack_exit(&w->stack, &d->rules, static_warp_mask(&w->at, ended)))
        follow(d, w);
}

/* A path that is not the whole warp leaves the stack, so that the warp's other paths can come to the barrier. */
void pdom_barrier(struct div *div, struct strand *s, int32_t block, int id)
{
    struct pdom *d = pdom_of(div);
    (void)block, (void)id;
    struct pdom_warp *w = warp_of(d, s);
    if (!held_leaves(d->host, &w->at, s))
        return;
    uint64_t own = static_warp_mask(&w->at, &s->threads);
    d->not_now = d->host->now + 1; /* the strand has issued in this cycle */
    held_add(&w->held, own);
    stack_exit(&w->stack, &d->rules, own);
    w->strand = NULL;
    d->host->calls.retire(d->host, s);
    follow(d, w);
}

void pdom_released(struct div *div, int32_t pc, int32_t depth, const struct threads *threads)
{
    struct pdom *d = pdom_of(div);
    struct threads left;
    struct static_warp at;
    threads_copy(&left, threads);
    for (uint64_t mask; (mask = static_warp_take(d->host, &left, &at));) {
        struct pdom_warp *w = &d->warps.data[at.place];
        for (uint64_t some; (some = held_next(&w->held, &mask, depth));)
            stack_return(&w->stack, &d->rules, (struct point){pc, depth}, some);
        if (!w->strand)
            follow(d, w);
        d->timed = stack_operations(&d->rules.counters); /* an entry below a running one makes nobody wait */
    }
}

/* The stack may still list threads that have ended, since `exit` is reported later, but never misses a live one. */
void pdom_check(struct div *div)
{
    struct pdom *d = pdom_of(div);
    for (int i = 0; i < d->warps.count; i++) {
        const struct pdom_warp *w = &d->warps.data[i];
        if (!w->strand && !w->held.all)
            continue;
        uint64_t live = static_warp_live(d->host, &w->at), held = w->held.all;
        uint64_t running = w->strand ? static_warp_mask(&w->at, &w->strand->threads) : 0;
        const struct stack_entry *top = stack_top(&w->stack);
        if (!top != !w->strand || !stack_is_sound(&w->stack))
            panic("the stack of warp %d is not in order", i);
        if (live & ~(stack_threads(&w->stack) | held) || stack_threads(&w->stack) & held)
            panic("warp %d lost threads: 0x%llx live, 0x%llx on its stack, 0x%llx at barriers", i,
                  (unsigned long long)live, (unsigned long long)stack_threads(&w->stack), (unsigned long long)held);
        if (top && (running ^ top->mask) & live)
            panic("warp %d runs threads 0x%llx; the top of its stack has 0x%llx", i, (unsigned long long)running,
                  (unsigned long long)top->mask);
    }
}

void pdom_dump(struct div *div, struct text *out)
{
    struct pdom *d = pdom_of(div);
    const struct program *p = d->host->facts.program;
    for (int i = 0; i < d->warps.count; i++) {
        const struct pdom_warp *w = &d->warps.data[i];
        if (!w->strand && !w->held.all)
            continue;
        text_printf(out, "warp %d\n", (int)w->at.lineage);
        if (w->strand) {
            struct point here = control_block_of(p, w->strand);
            stack_print(&w->stack, &here, p, d->host->facts.width, out);
        }
        held_print(&w->held, d->host->facts.width, out);
    }
}

/* The highest entry that holds the thread says where it goes on. Threads that are held are in no entry. */
int32_t pdom_where(struct div *div, int32_t row, int lane)
{
    struct pdom *d = pdom_of(div);
    for (int i = 0; i < d->warps.count; i++) {
        const struct pdom_warp *w = &d->warps.data[i];
        uint64_t bit = w->strand || w->held.all ? static_warp_bit(d->host, &w->at, row, lane) : 0;
        for (int k = w->stack.count - 1; bit && k >= 0; k--)
            if (w->stack.data[k].mask & bit)
                return w->stack.data[k].at.pc;
    }
    return PC_NONE;
}

const struct div_ops div_pdom = {
    .name = "pdom",
    .summary = "One reconvergence stack per warp; threads reconverge at immediate post-dominators.",
    .paper = "Fung, Sham, Yuan and Aamodt, MICRO 2007; the baseline of HPCA 2011",
    .flags = DIV_IN_STEP | DIV_ONE_ITERATION,
    .knobs = &pdom_knob_table,
    .stats = &pdom_stats,
    .create = pdom_create,
    .cost = pdom_cost,
    .counters = pdom_counters,
    PDOM_CALLS,
};

const struct div_ops div_pdom_lcp = {
    .name = "pdom-lcp",
    .summary = "Variant of pdom that also reconverges at likely-convergence points, such as a loop's backward branch.",
    .paper = "Fung and Aamodt, Thread Block Compaction, HPCA 2011, section 4",
    .flags = DIV_IN_STEP | DIV_LIKELY,
    .knobs = &lcp_knob_table,
    .stats = &lcp_stats,
    .create = lcp_create,
    .cost = pdom_cost_lcp,
    .counters = pdom_counters,
    PDOM_CALLS,
};
