/*
 * multipath: any number of paths of a warp side by side, with reconvergence at post-dominators (ElTantawy, Ma, O'Connor
 * and Aamodt, "A Scalable Multi-Path Microarchitecture for Efficient GPU Control Flow", HPCA 2014).
 *
 * Instead of a stack each warp has two tables. The splits table holds the paths that run, {PC, mask, reconvergence
 * entry at which the path ends}; each path is a warp split and a strand. The reconvergence table holds the points at
 * which paths reconverge, {PC, mask, pending mask, the outer entry at which the reconverged threads end}. What happens
 * to a warp:
 *
 *   divergence   The split moves to the reconvergence table, at the branch's post-dominator, with all its threads
 *                pending. Each side that is not at that point yet becomes a split that ends there. If the split itself
 *                ends at that point, its sides do too and no entry is made, so loops do not fill the table.
 *   split end    A split at its reconvergence entry is retired, and its threads are pending there no more. When no
 *                thread is pending, the entry's threads become one split, which ends at the outer entry.
 *   exit         Threads that end leave all masks, and may have been the last that were pending.
 *
 * A split waits only for threads from which it diverged. The paper's scoreboard keeps one mask of lanes per register
 * and finds a conflict only where masks overlap: sm.scoreboard=exact. A split that comes to a barrier while other
 * threads of its warp are elsewhere leaves all masks until the barrier opens (div/parts/held.h).
 *
 * The knob `splits` limits how many splits of a warp may issue; further splits wait, in the order of their creation,
 * until another is retired or waits at a barrier. The knob `merge` adds to the paper's reconvergence: two splits that
 * end at the same entry become one when one of them comes, at a branch target, a post-dominator or behind a barrier, to
 * the PC at which the other is.
 *
 * Not modelled: tables of limited size that spill, and the time of a table access.
 */
#include "base/diag.h"
#include "div/parts/control.h"
#include "div/parts/cost.h"
#include "div/parts/held.h"
#include "div/parts/marks.h"
#include "div/parts/paths.h"
#include "div/parts/static_warp.h"

#include <stdlib.h>

enum { NOWHERE = -1 }; /* no entry: the split ends with its threads */

struct multipath_knobs {
    uint32_t splits;
    bool merge;
};

struct multipath_counters {
    struct path_counters paths;
    uint64_t divergent_branches, splits, merges, shared_entries, meetings, met, max_meetings, table_full;
};

/* An entry of the reconvergence table. */
struct multipath_meeting {
    struct point at;        /* where paths reconverge; {PC_NONE, d}: the end of the function entered at call depth d */
    int32_t back;           /* with {PC_NONE, d}: PC to which threads returned, at call depth d - 1; or PC_NONE */
    int32_t outer;          /* index of the entry at which the reconverged threads end, or NOWHERE */
    uint64_t mask, pending; /* all threads, and those not here yet; mask 0: the entry is free */
};

/* A static warp. */
struct multipath_warp {
    struct static_warp at;
    struct vec_of(struct strand *) splits;            /* the splits table, in the order of creation */
    struct vec_of(struct multipath_meeting) meetings; /* the reconvergence table */
    int meeting_count;                                /* entries of `meetings` in use */
    struct held held;                                 /* threads at barriers, which have left the tables */
};

struct multipath {
    struct div_host *host;
    struct multipath_knobs knobs;
    struct vec_of(struct multipath_warp) warps; /* by place of the static warp */
    struct vec_of(int32_t) place;               /* by strand id: index in `warps` */
    struct vec_of(int32_t) end; /* by strand id: index of the entry at which the split ends, or NOWHERE */
    struct paths paths;
    struct multipath_counters counters;
};

static struct multipath *multipath_of(struct div *div)
{
    return (struct multipath *)div;
}

#define KNOB(field) .name = #field, .offset = offsetof(struct multipath_knobs, field)

static const struct knob knobs[] = {
    {KNOB(splits), .unit = "splits", .meaning = "Splits of a warp that may issue; 0: all.", .kind = KNOB_COUNT,
     .high = 64},
    {KNOB(merge), .unit = "",
     .meaning = "Whether splits that are at the same PC before their reconvergence point become "
                "one.",
     .kind = KNOB_BOOL, .high = 1},
};
static const struct knob_table knob_table = {"multipath", knobs, sizeof knobs / sizeof *knobs};

#define FIELD(field) .name = #field, .offset = offsetof(struct multipath_counters, field)

static const struct stat_counter counters[] = {
    PATH_COUNTERS(struct multipath_counters),
    {FIELD(divergent_branches), .unit = "branches", .meaning = "Control instructions at which a split diverged."},
    {FIELD(splits), .unit = "splits", .meaning = "Entries added to splits tables."},
    {FIELD(merges), .unit = "splits", .meaning = "Splits that joined another split at the same PC."},
    {FIELD(meetings), .unit = "entries", .meaning = "Entries added to reconvergence tables."},
    {FIELD(shared_entries), .unit = "branches",
     .meaning = "Divergent branches that made no entry, since the split ended at the same point."},
    {FIELD(met), .unit = "entries",
     .meaning = "Entries of reconvergence tables at which no thread was pending any more."},
    {FIELD(max_meetings), .unit = "entries", .meaning = "Most entries of a warp's reconvergence table.",
     .combine = STAT_MAX},
    {FIELD(table_full), .unit = "splits",
     .meaning = "Times that a split was kept from issuing by the limit on splits."},
};

static const struct stat_owner stats = {"multipath", counters, sizeof counters / sizeof *counters,
                                        sizeof(struct multipath_counters)};

static struct div *multipath_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    (void)wants;
    static_warp_check_width(host);
    struct multipath *d = xcalloc(1, sizeof *d);
    d->host = host;
    d->knobs = *(const struct multipath_knobs *)knob_values;
    return (struct div *)d;
}

static void multipath_destroy(struct div *div)
{
    struct multipath *d = multipath_of(div);
    for (int i = 0; i < d->warps.count; i++) {
        vec_free(&d->warps.data[i].splits);
        vec_free(&d->warps.data[i].meetings);
        held_free(&d->warps.data[i].held);
    }
    vec_free(&d->warps);
    vec_free(&d->place);
    vec_free(&d->end);
    paths_close(&d->paths);
    free(d);
}

static void *multipath_counters(struct div *div)
{
    struct multipath *d = multipath_of(div);
    d->counters.paths = d->paths.counters;
    return &d->counters;
}

static void multipath_prepare(struct div *div, uint8_t *marks)
{
    struct multipath *d = multipath_of(div);
    const struct program *p = d->host->facts.program;
    marks_post_dominators(p, marks);
    held_mark(p, marks); /* with a limit on splits, a split that waited at a barrier counts again behind it */
}

/* ---- splits ---- */

static struct multipath_warp *warp_of(struct multipath *d, const struct strand *s)
{
    return &d->warps.data[d->place.data[s->id]];
}

/* Counts the issues of the warp's strands other than `s`. Called before the number of its strands changes. */
static void count_others(struct multipath *d, const struct multipath_warp *w, const struct strand *s)
{
    paths_look_all(&d->paths, w->splits.data, w->splits.count, s, w->splits.count);
}

/* Runs a split that ends at entry `end`: in the strand `*spare` of the warp or, if `*spare` is NULL, in a new strand.
 * `*spare` is NULL afterwards. */
static struct strand *run_split(struct multipath *d, struct multipath_warp *w, struct strand **spare, struct point at,
                                uint64_t mask, int32_t end)
{
    struct threads t;
    static_warp_threads(&w->at, mask, &t);
    struct strand *s = *spare;
    *spare = NULL;
    if (s) {
        d->host->calls.assign(d->host, s, at.pc, at.depth, &t);
    } else {
        s = d->host->calls.create(d->host, at.pc, at.depth, &t, w->at.lineage);
        vec_push(&w->splits, s);
        d->counters.splits++;
        paths_most(&d->paths, w->splits.count);
    }
    vec_extend(&d->place, s->id + 1);
    vec_extend(&d->end, s->id + 1);
    d->place.data[s->id] = w->at.place;
    d->end.data[s->id] = end;
    paths_start(&d->paths, s, at.pc);
    return s;
}

static void drop_split(struct multipath *d, struct multipath_warp *w, struct strand *s)
{
    int i = 0;
    while (w->splits.data[i] != s)
        i++;
    for (; i + 1 < w->splits.count; i++) /* keeps the order, in which splits wait to issue */
        w->splits.data[i] = w->splits.data[i + 1];
    w->splits.count--;
    d->host->calls.retire(d->host, s);
}

/* With a limit on splits: lets the oldest splits issue that are not held at a barrier, and parks the others. */
static void arrange(struct multipath *d, struct multipath_warp *w)
{
    uint32_t places = d->knobs.splits;
    for (int i = 0; i < w->splits.count && d->knobs.splits; i++) {
        struct strand *s = w->splits.data[i];
        bool runs = s->held || places > 0;
        places -= !s->held && runs;
        if (s->parked == !runs)
            continue;
        d->counters.table_full += !runs;
        (runs ? d->host->calls.unpark : d->host->calls.park)(d->host, s);
    }
}

/* ---- reconvergence entries ---- */

/* Adds an entry at which all threads of `mask` are pending. Returns its index. */
static int32_t make_meeting(struct multipath *d, struct multipath_warp *w, struct point at, int32_t outer,
                            uint64_t mask)
{
    int32_t i = 0;
    while (i < w->meetings.count && w->meetings.data[i].mask)
        i++;
    if (i == w->meetings.count)
        vec_push(&w->meetings, (struct multipath_meeting){0});
    w->meetings.data[i] =
        (struct multipath_meeting){.at = at, .back = PC_NONE, .outer = outer, .mask = mask, .pending = mask};
    d->counters.meetings++;
    w->meeting_count++;
    if ((uint64_t)w->meeting_count > d->counters.max_meetings)
        d->counters.max_meetings = (uint64_t)w->meeting_count;
    return i;
}

/* Whether threads at point `at` have reached entry `end`. */
static bool has_come(const struct multipath_warp *w, int32_t end, struct point at)
{
    return end != NOWHERE && point_has_reached(at, w->meetings.data[end].at);
}

/* Threads have come to their entry `end` at point `at`. */
static void come(struct multipath_warp *w, int32_t end, struct point at, uint64_t mask)
{
    struct multipath_meeting *m = &w->meetings.data[end];
    point_note_return(m->at, at, &m->back);
    m->pending &= ~mask;
}

/* Frees entry `end` and its outer entries as far as no thread is pending there. The reconverged threads go on as one
 * split. */
static void open_meetings(struct multipath *d, struct multipath_warp *w, int32_t end, struct strand **spare)
{
    while (end != NOWHERE && !w->meetings.data[end].pending) {
        struct multipath_meeting m = w->meetings.data[end];
        w->meetings.data[end].mask = 0;
        w->meeting_count--;
        d->counters.met++;
        end = m.outer;
        if (!m.mask) /* all its threads ended */
            continue;
        struct point at = point_behind(m.at, &m.back);
        if (has_come(w, end, at)) {
            come(w, end, at, m.mask);
        } else {
            run_split(d, w, spare, at, m.mask, end);
            return;
        }
    }
}

/* ---- calls of the contract ---- */

static void multipath_launch(struct div *div, int32_t block)
{
    struct multipath *d = multipath_of(div);
    struct static_warp at;
    int next = 0;
    for (uint64_t mask; (mask = static_warp_next(d->host, block, &next, &at));) {
        struct strand *none = NULL;
        vec_extend(&d->warps, at.place + 1);
        struct multipath_warp *w = &d->warps.data[at.place];
        w->at = at;
        run_split(d, w, &none, (struct point){d->host->facts.program->functions[0].first, 0}, mask, NOWHERE);
    }
}

/* Merges the split with another one at its PC. Splits that end at the same entry have returned to the same callers if
 * they are at the call depth of that entry, or in the kernel itself. */
static void try_merge(struct multipath *d, struct multipath_warp *w, struct strand *s)
{
    int32_t end = d->end.data[s->id], depth = end == NOWHERE ? 0 : w->meetings.data[end].at.depth;
    struct strand *found = NULL;
    for (int i = 0; i < w->splits.count && d->knobs.merge && s->depth == depth && !found; i++) {
        struct strand *t = w->splits.data[i];
        if (t != s && t->pc == s->pc && t->depth == depth && d->end.data[t->id] == end && !t->busy && !t->held)
            found = t;
    }
    if (!found)
        return;
    count_others(d, w, s);
    struct point here = {s->pc, s->depth};
    uint64_t mask = static_warp_mask(&w->at, &s->threads) | static_warp_mask(&w->at, &found->threads);
    drop_split(d, w, s);
    d->counters.merges++;
    run_split(d, w, &found, here, mask, end);
}

/* The split's threads go to `paths`, none of which is at the split's end. */
static void diverge(struct multipath *d, struct multipath_warp *w, struct strand **spare, const struct branch *branch,
                    int32_t depth, int32_t end, struct path *paths, int count)
{
    struct point at = branch ? (struct point){branch->ipdom, depth} : (struct point){PC_NONE, 0};
    bool is_same = !branch || (end == NOWHERE ? point_is_same(at, (struct point){PC_NONE, 0})
                                              : point_is_same(at, w->meetings.data[end].at));
    int32_t meeting = end;
    uint64_t all = 0;
    for (int i = 0; i < count; i++)
        all |= paths[i].mask;
    if (is_same)
        d->counters.shared_entries++;
    else
        meeting = make_meeting(d, w, at, end, all);
    for (int i = 0; i < count; i++)
        if (has_come(w, meeting, paths[i].to))
            come(w, meeting, paths[i].to, paths[i].mask);
        else
            run_split(d, w, spare, paths[i].to, paths[i].mask, meeting);
    open_meetings(d, w, meeting, spare);
}

static void multipath_branch(struct div *div, struct strand *s, const struct outcome *outcomes, int count)
{
    struct multipath *d = multipath_of(div);
    struct multipath_warp *w = warp_of(d, s);
    struct path paths[STACK_MAX_THREADS];
    int32_t end = d->end.data[s->id], depth = s->depth;
    const struct branch *branch = control_branch_at(d->host->facts.program, s->pc);
    paths_passed(&d->paths, s, s->pc + 1, w->splits.count);
    int used = static_warp_paths(&w->at, outcomes, count, paths), staying = 0;
    struct strand *spare = s;
    if (used > 1) {
        d->counters.divergent_branches++;
        count_others(d, w, s);
        stack_sort_paths(ORDER_TAKEN_FIRST, branch, paths, used);
    }
    for (int i = 0; i < used; i++)
        if (has_come(w, end, paths[i].to))
            come(w, end, paths[i].to, paths[i].mask);
        else
            paths[staying++] = paths[i];
    if (!staying) {
        count_others(d, w, s);
        open_meetings(d, w, end, &spare);
    } else if (staying == 1) {
        run_split(d, w, &spare, paths[0].to, paths[0].mask, end);
    } else {
        diverge(d, w, &spare, branch, depth, end, paths, staying);
    }
    if (spare)
        drop_split(d, w, spare);
    else
        try_merge(d, w, s);
    arrange(d, w);
}

/* The split came to `here`, behind a barrier. If all other live threads of the warp are there too, all become one
 * split. */
static bool unite(struct multipath *d, struct multipath_warp *w, struct strand *s, struct point here)
{
    uint64_t all = 0, live = static_warp_live(d->host, &w->at);
    for (int i = 0; i < w->splits.count; i++) {
        const struct strand *t = w->splits.data[i];
        if (t->pc != here.pc || t->depth != here.depth || t->busy || t->held)
            return false;
        all |= static_warp_mask(&w->at, &t->threads);
    }
    if (w->splits.count < 2 || live & ~all)
        return false;
    count_others(d, w, s);
    d->counters.merges += (uint64_t)w->splits.count - 1;
    while (w->splits.count > 1)
        drop_split(d, w, w->splits.data[w->splits.data[0] == s]);
    for (int i = 0; i < w->meetings.count; i++)
        w->meetings.data[i].mask = 0;
    d->counters.met += (uint64_t)w->meeting_count;
    w->meeting_count = 0;
    run_split(d, w, &s, here, all, NOWHERE);
    return true;
}

static void multipath_arrive(struct div *div, struct strand *s)
{
    struct multipath *d = multipath_of(div);
    struct multipath_warp *w = warp_of(d, s);
    struct point here = {s->pc, s->depth};
    int32_t end = d->end.data[s->id];
    paths_passed(&d->paths, s, s->pc, w->splits.count);
    if (held_is_behind(d->host->facts.program, here) && unite(d, w, s, here))
        return;
    if (has_come(w, end, here)) {
        struct strand *spare = s;
        count_others(d, w, s);
        come(w, end, here, static_warp_mask(&w->at, &s->threads));
        open_meetings(d, w, end, &spare);
        if (spare)
            drop_split(d, w, spare);
    } else {
        try_merge(d, w, s);
    }
    arrange(d, w);
}

/* Removes the threads from entry `end` and its outer entries, so that none of these entries waits for the threads. */
static void forget_threads(struct multipath_warp *w, int32_t end, uint64_t mask)
{
    for (int32_t i = end; i != NOWHERE; i = w->meetings.data[i].outer) {
        w->meetings.data[i].mask &= ~mask;
        w->meetings.data[i].pending &= ~mask;
    }
}

static void multipath_exit(struct div *div, struct strand *s, const struct threads *ended)
{
    struct multipath *d = multipath_of(div);
    struct multipath_warp *w = warp_of(d, s);
    struct strand *spare = s;
    int32_t end = d->end.data[s->id];
    paths_passed(&d->paths, s, s->pc + 1, w->splits.count);
    forget_threads(w, end, static_warp_mask(&w->at, ended));
    if (s->threads.count)
        return;
    count_others(d, w, s);
    open_meetings(d, w, end, &spare);
    if (spare)
        drop_split(d, w, spare);
    arrange(d, w);
}

static void multipath_barrier(struct div *div, struct strand *s, int32_t block, int id)
{
    struct multipath *d = multipath_of(div);
    (void)block, (void)id;
    struct multipath_warp *w = warp_of(d, s);
    if (held_leaves(d->host, &w->at, s)) {
        struct strand *none = NULL;
        int32_t end = d->end.data[s->id];
        uint64_t own = static_warp_mask(&w->at, &s->threads);
        paths_passed(&d->paths, s, s->pc + 1, w->splits.count);
        count_others(d, w, s);
        held_add(&w->held, own);
        forget_threads(w, end, own);
        drop_split(d, w, s);
        open_meetings(d, w, end, &none);
    }
    arrange(d, w);
}

static void multipath_released(struct div *div, int32_t pc, int32_t depth, const struct threads *threads)
{
    struct multipath *d = multipath_of(div);
    struct threads left;
    struct static_warp at;
    threads_copy(&left, threads);
    for (uint64_t mask; (mask = static_warp_take(d->host, &left, &at));) {
        struct multipath_warp *w = &d->warps.data[at.place];
        count_others(d, w, NULL);
        for (uint64_t some; (some = held_next(&w->held, &mask, depth));) {
            struct strand *none = NULL;
            run_split(d, w, &none, (struct point){pc, depth}, some, NOWHERE);
        }
        arrange(d, w);
    }
}

/* ---- checks and reports ---- */

static void check_warp(struct multipath *d, const struct multipath_warp *w)
{
    int place = (int)w->at.place, in_use = 0;
    uint64_t live = static_warp_live(d->host, &w->at), seen = 0, waiting = 0;
    for (int i = 0; i < w->splits.count; i++) {
        const struct strand *s = w->splits.data[i];
        uint64_t own = static_warp_mask(&w->at, &s->threads);
        if (seen & own || warp_of(d, s) != w)
            panic("splits of warp %d share threads", place);
        for (int32_t k = d->end.data[s->id]; k != NOWHERE; k = w->meetings.data[k].outer)
            if (own & ~w->meetings.data[k].pending & live)
                panic("threads of warp %d are not pending where they end", place);
        seen |= own;
    }
    for (int i = 0; i < w->meetings.count; i++) {
        const struct multipath_meeting *m = &w->meetings.data[i];
        in_use += m->mask != 0;
        if (m->mask && (m->pending & ~m->mask || !m->pending))
            panic("a meeting of warp %d is not in order", place);
        waiting |= m->mask & ~m->pending;
    }
    waiting |= w->held.all;
    if (seen & waiting & live || live & ~(seen | waiting) || in_use != w->meeting_count)
        panic("warp %d lost threads, or has some twice: 0x%llx live", place, (unsigned long long)live);
}

static void multipath_check(struct div *div)
{
    struct multipath *d = multipath_of(div);
    for (int i = 0; i < d->warps.count; i++)
        if (d->warps.data[i].splits.count || d->warps.data[i].held.all)
            check_warp(d, &d->warps.data[i]);
}

static void print_end(const struct multipath_warp *w, int32_t end, const struct program *p, struct text *out)
{
    text_printf(out, " ");
    point_print(end == NOWHERE ? (struct point){PC_NONE, 0} : w->meetings.data[end].at, p, out);
    text_printf(out, "\n");
}

static void multipath_dump(struct div *div, struct text *out)
{
    struct multipath *d = multipath_of(div);
    const struct program *p = d->host->facts.program;
    for (int i = 0; i < d->warps.count; i++) {
        const struct multipath_warp *w = &d->warps.data[i];
        if (!w->splits.count && !w->held.all)
            continue;
        text_printf(out, "warp %d\n", (int)w->at.lineage);
        for (int k = 0; k < w->meetings.count; k++) {
            const struct multipath_meeting *m = &w->meetings.data[k];
            if (!m->mask)
                continue;
            text_printf(out, "  meet ");
            point_print(m->at, p, out);
            text_printf(out, " ");
            static_warp_print(m->mask, d->host->facts.width, out);
            text_printf(out, " ");
            static_warp_print(m->pending, d->host->facts.width, out);
            print_end(w, m->outer, p, out);
        }
        for (int k = 0; k < w->splits.count; k++) {
            const struct strand *s = w->splits.data[k];
            text_printf(out, "  ");
            point_print(control_block_of(p, s), p, out);
            text_printf(out, " ");
            static_warp_print(static_warp_mask(&w->at, &s->threads), d->host->facts.width, out);
            print_end(w, d->end.data[s->id], p, out);
        }
        held_print(&w->held, d->host->facts.width, out);
    }
}

static int32_t multipath_where(struct div *div, int32_t row, int lane)
{
    struct multipath *d = multipath_of(div);
    for (int i = 0; i < d->warps.count; i++) {
        const struct multipath_warp *w = &d->warps.data[i];
        uint64_t bit = w->splits.count ? static_warp_bit(d->host, &w->at, row, lane) : 0;
        for (int k = 0; bit && k < w->meetings.count; k++)
            if (w->meetings.data[k].mask & ~w->meetings.data[k].pending & bit)
                return w->meetings.data[k].at.pc;
    }
    return PC_NONE;
}

const struct div_ops div_multipath = {
    .name = "multipath",
    .summary = "One table of splits and one of reconvergence points per warp; all paths of a warp issue side by side.",
    .paper = "ElTantawy, Ma, O'Connor and Aamodt, HPCA 2014",
    .flags = DIV_IN_STEP,
    .knobs = &knob_table,
    .stats = &stats,
    .create = multipath_create,
    .cost = cost_split_tables,
    .destroy = multipath_destroy,
    .counters = multipath_counters,
    .prepare = multipath_prepare,
    .launch = multipath_launch,
    .branch = multipath_branch,
    .arrive = multipath_arrive,
    .exit = multipath_exit,
    .barrier = multipath_barrier,
    .released = multipath_released,
    .check = multipath_check,
    .where = multipath_where,
    .dump = multipath_dump,
};
