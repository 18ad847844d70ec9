/*
 * dws: dynamic warp subdivision (Meng, Tarjan and Skadron, ISCA 2010), as Rhu and Erez (HPCA 2013, section 2) describe
 * it and compare it with dual paths.
 *
 * Each warp has one reconvergence stack (div/parts/stack.c) and runs its top entry until the warp is subdivided. Then
 * it has warp splits instead, each of which is a strand, in a warp-split table that all warps of the SM share. What
 * happens to a warp:
 *
 *   top diverges    If the block at the branch's post-dominator has at most `threshold` instructions and the table has
 *                   room, the warp is subdivided: the top entry is popped, and each side becomes a split. The splits
 *                   take over the entry's reconvergence point, not the branch's. Otherwise the stack takes the sides.
 *                   While the warp has splits, no entry of the stack runs.
 *   split diverges  Each side becomes a split with the same reconvergence point, whatever the threshold, so splits do
 *                   not reconverge where inner branches do. If the table has no room, the split keeps its sides on an
 *                   inner stack of its own and reconverges at the branch's post-dominator, until it is whole again.
 *   split end       A split at its reconvergence point is retired. After the last one the top of the stack runs.
 *   merge           With the knob `merge`: when a split comes to a branch target, a post-dominator or from a barrier,
 *                   and another split of the warp is there, they become one, if they would also return to the same PC.
 *                   A split that is the only one left becomes a stack entry again.
 *   load            A load may return data for some threads of a strand before the others. The knob `memory` says when
 *                   such a load subdivides the warp. aggressive: always; lazy: if nothing else issues in that cycle;
 *                   revive: as lazy, or in a later cycle in which nothing issues while the other threads still wait.
 *                   Splits made from a stack entry in this way reconverge at the end of their basic block; those made
 *                   from a split reconverge where that split would.
 *   barrier         Barriers count threads, since splits may come one by one. If a strand waits at a barrier while
 *                   other threads of its warp wait on the stack, and might never come, the strand dissolves until the
 *                   barrier opens, and all entries of the stack become splits without a reconvergence point before the
 *                   end, as far as the table has room. One split of each warp may run even without room.
 *   exit            Threads that end leave every mask.
 *
 * Not modelled: the time of a table access; a search for splits to merge at every PC.
 */
#include "div/dws/dws.h"
#include "div/parts/block_end.h"
#include "div/parts/control.h"
#include "div/parts/marks.h"
#include "div/parts/stack_words.h"

#include <stdlib.h>

static const char *const memory_names[] = {"off", "aggressive", "lazy", "revive", NULL};

#define KNOB(field) .name = #field, .offset = offsetof(struct dws_knobs, field)

static const struct knob knobs[] = {
    {KNOB(entries), .unit = "splits", .meaning = "Entries of the warp-split table of an SM.", .kind = KNOB_COUNT,
     .fallback = 16, .high = 4096},
    {KNOB(threshold), .unit = "instructions",
     .meaning = "Largest basic block at a branch's post-dominator for which the branch subdivides "
                "a warp, in instructions; 0: any size.",
     .kind = KNOB_COUNT, .fallback = 100, .high = 65536},
    {KNOB(memory), .unit = "",
     .meaning =
         "When a load that returns in parts subdivides a warp: never (off), always (aggressive), if nothing else "
         "issues in that cycle (lazy), or also in a later cycle in which nothing issues (revive).",
     .kind = KNOB_CHOICE, .high = MEMORY_REVIVE, .choices = memory_names},
    {KNOB(merge), .unit = "", .meaning = "Whether splits of a warp that are at the same PC become one.",
     .kind = KNOB_BOOL, .fallback = 1, .high = 1},
};
static const struct knob_table knob_table = {"dws", knobs, sizeof knobs / sizeof *knobs};

#define FIELD(field) .name = #field, .offset = offsetof(struct dws_counters, field)

static const struct stat_counter counters[] = {
    PATH_COUNTERS(struct dws_counters),
    STACK_COUNTERS(struct dws_counters, stack.),
    {FIELD(subdivisions), .unit = "warps", .meaning = "Stack entries that became splits at a branch or load."},
    {FIELD(splits), .unit = "splits", .meaning = "Entries added to the warp-split table."},
    {FIELD(merges), .unit = "splits", .meaning = "Splits that joined another split at the same PC."},
    {FIELD(ended_splits), .unit = "splits",
     .meaning = "Splits that reached their reconvergence point, or whose threads ended."},
    {FIELD(memory_splits), .unit = "loads", .meaning = "Loads that subdivided a warp or split."},
    {FIELD(table_full), .unit = "events",
     .meaning = "Branches, loads and releases for whose splits the table had no room."},
    {FIELD(dissolved), .unit = "strands",
     .meaning = "Strands dissolved at a barrier that other threads of their warp could keep shut."},
    {FIELD(max_entries), .unit = "splits", .meaning = "Most entries of the table in use at a time.",
     .combine = STAT_MAX},
};

static const struct stat_owner stats = {"dws", counters, sizeof counters / sizeof *counters,
                                        sizeof(struct dws_counters)};

static struct div *dws_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    static_warp_check_width(host);
    struct dws *d = xcalloc(1, sizeof *d);
    d->host = host;
    d->knobs = *(const struct dws_knobs *)knob_values;
    wants->whole_loads = d->knobs.memory == MEMORY_OFF;
    wants->never_idle = d->knobs.memory != MEMORY_LAZY && d->knobs.memory != MEMORY_REVIVE;
    return (struct div *)d;
}

static void dws_destroy(struct div *div)
{
    struct dws *d = dws_of(div);
    for (int i = 0; i < d->warps.count; i++) {
        vec_free(&d->warps.data[i].stack);
        vec_free(&d->warps.data[i].splits);
        vec_free(&d->warps.data[i].held);
    }
    vec_free(&d->warps);
    vec_free(&d->place);
    vec_free(&d->low);
    for (int i = 0; i < d->inner.count; i++)
        vec_free(&d->inner.data[i]);
    vec_free(&d->inner);
    vec_free(&d->candidates);
    paths_close(&d->paths);
    free(d->block_end);
    free(d);
}

static void *dws_counters(struct div *div)
{
    struct dws *d = dws_of(div);
    d->counters.stack = d->rules.counters;
    d->counters.paths = d->paths.counters;
    return &d->counters;
}

static void dws_prepare(struct div *div, uint8_t *marks)
{
    struct dws *d = dws_of(div);
    const struct program *p = d->host->facts.program;
    marks_post_dominators(p, marks);
    for (int32_t pc = 0; pc < p->insn_count && d->knobs.merge; pc++)
        if (p->insns[pc].class == CLASS_BARRIER) /* splits that waited together at a barrier can merge behind it */
            marks[pc + 1] = 1;
    if (d->knobs.memory != MEMORY_OFF)
        d->block_end = block_ends(p, marks);
}

/* ---- strands ---- */

static bool is_at(const struct strand *s, struct point p)
{
    return s->pc == p.pc && s->depth == p.depth;
}

struct strand *dws_send(struct dws *d, struct dws_warp *w, struct strand *s, struct point to, uint64_t mask)
{
    struct threads t;
    static_warp_threads(&w->at, mask, &t);
    if (s)
        d->host->calls.assign(d->host, s, to.pc, to.depth, &t);
    else
        s = d->host->calls.create(d->host, to.pc, to.depth, &t, w->at.lineage);
    vec_extend(&d->place, s->id + 1);
    vec_extend(&d->low, s->id + 1);
    vec_extend(&d->inner, s->id + 1);
    d->place.data[s->id] = w->at.place;
    paths_start(&d->paths, s, to.pc);
    return s;
}

/* The top entry of the stack runs, in the strand `spare` if that is not NULL. */
static void run_top(struct dws *d, struct dws_warp *w, struct strand *spare)
{
    const struct stack_entry *top = stack_top(&w->stack);
    w->strand = NULL;
    if (top)
        w->strand = dws_send(d, w, spare, top->at, top->mask);
    else if (spare)
        d->host->calls.retire(d->host, spare);
}

/* ---- splits ---- */

static bool has_room(struct dws *d, int splits)
{
    return d->used + (uint32_t)splits <= d->knobs.entries;
}

void dws_defer(struct dws *d, struct dws_warp *w, struct point at, uint64_t mask)
{
    d->counters.table_full++;
    w->deferred++;
    stack_push(&w->stack, &d->rules, at, mask, w->rpc);
}

void dws_add_split(struct dws *d, struct dws_warp *w, struct strand *s, int32_t low)
{
    vec_push(&w->splits, s);
    stack_push(dws_inner_of(d, s), &d->rules, (struct point){s->pc, s->depth}, static_warp_mask(&w->at, &s->threads),
               (struct point){PC_NONE, 0});
    d->low.data[s->id] = s->depth < low ? s->depth : low;
    d->counters.splits++;
    if (++d->used > d->counters.max_entries)
        d->counters.max_entries = d->used;
    paths_most(&d->paths, w->splits.count);
}

void dws_remove_split(struct dws *d, struct dws_warp *w, const struct strand *s)
{
    int i = 0;
    while (w->splits.data[i] != s)
        i++;
    w->splits.data[i] = w->splits.data[--w->splits.count];
    d->used--;
    d->rules.counters.pops += (uint64_t)dws_inner_of(d, s)->count;
    dws_inner_of(d, s)->count = 0;
}

bool dws_may_add(struct dws *d, const struct dws_warp *w)
{
    bool runs = false;
    for (int i = 0; i < w->splits.count; i++)
        runs |= !w->splits.data[i]->held;
    return !runs || has_room(d, 1);
}

void dws_start_deferred(struct dws *d, struct dws_warp *w)
{
    while (w->deferred && dws_may_add(d, w)) {
        struct stack_entry e = stack_take_top(&w->stack, &d->rules);
        w->deferred--;
        dws_add_split(d, w, dws_send(d, w, NULL, e.at, e.mask), 0);
    }
}

/* The warp has no splits: the stack goes on, in the strand `spare` if that is not NULL. */
static void resume(struct dws *d, struct dws_warp *w, struct strand *spare)
{
    w->deferred = 0;
    stack_resume(&w->stack, &d->rules);
    run_top(d, w, spare);
}

/* The split has ended. A deferred path may take its place in the table. */
static void end_split(struct dws *d, struct dws_warp *w, struct strand *s)
{
    dws_remove_split(d, w, s);
    d->counters.ended_splits++;
    if (!w->splits.count && !w->waiting) {
        resume(d, w, s);
        return;
    }
    d->host->calls.retire(d->host, s);
    dws_start_deferred(d, w);
}

void dws_reunite(struct dws *d, struct dws_warp *w, struct strand *s)
{
    if (w->splits.count > 1 || w->waiting || !dws_is_whole(d, s))
        return;
    dws_remove_split(d, w, s);
    w->deferred = 0;
    stack_push(&w->stack, &d->rules, (struct point){s->pc, s->depth}, static_warp_mask(&w->at, &s->threads), w->rpc);
    w->strand = s;
}

void dws_try_merge(struct dws *d, struct dws_warp *w, struct strand *s)
{
    struct strand *found = NULL;
    struct point here = {s->pc, s->depth};
    for (int i = 0; i < w->splits.count && d->knobs.merge && dws_is_whole(d, s) && !found; i++) {
        struct strand *t = w->splits.data[i];
        if (t != s && is_at(t, here) && !t->busy && !t->held && dws_is_whole(d, t) && d->low.data[s->id] == s->depth &&
            d->low.data[t->id] == s->depth)
            found = t;
    }
    if (!found)
        return;
    dws_count_others(d, w, s);
    uint64_t mask = static_warp_mask(&w->at, &s->threads) | static_warp_mask(&w->at, &found->threads);
    dws_remove_split(d, w, s);
    d->host->calls.retire(d->host, s);
    d->counters.merges++;
    dws_send(d, w, found, here, mask);
    dws_inner_of(d, found)->data[0].mask = mask;
    dws_start_deferred(d, w);
    dws_reunite(d, w, found);
}

/* Subdivides the top entry: its sides `paths`, none of which is at `rpc`, become splits that end at `rpc`. */
static void subdivide(struct dws *d, struct dws_warp *w, struct point rpc, const struct path *paths, int count)
{
    struct strand *s = w->strand;
    int32_t depth = s->depth;
    w->strand = NULL;
    w->rpc = rpc;
    d->counters.subdivisions++;
    for (int i = 0; i < count; i++)
        dws_add_split(d, w, dws_send(d, w, i ? NULL : s, paths[i].to, paths[i].mask), depth);
}

/* The split's inner stack changed: the split runs its top, or has ended. */
static void follow_split(struct dws *d, struct dws_warp *w, struct strand *s)
{
    const struct stack_entry *top = stack_top(dws_inner_of(d, s));
    int32_t *low = &d->low.data[s->id];
    if (top && dws_is_whole(d, s) && point_has_reached(top->at, w->rpc)) {
        stack_note_end(&w->stack, top->at, w->rpc);
        top = NULL;
    }
    if (!top) {
        dws_count_others(d, w, s);
        end_split(d, w, s);
        return;
    }
    *low = top->at.depth < *low ? top->at.depth : *low;
    dws_send(d, w, s, top->at, top->mask);
    dws_try_merge(d, w, s);
}

/* Each path of a split becomes a split. paths[0] is at the call depth of the split, since returns are sorted last. */
static void subdivide_split(struct dws *d, struct dws_warp *w, struct strand *s, const struct path *paths, int count)
{
    struct stack_entry *base = &dws_inner_of(d, s)->data[0];
    int32_t low = d->low.data[s->id];
    base->at = paths[0].to;
    base->mask = paths[0].mask;
    dws_send(d, w, s, paths[0].to, paths[0].mask);
    for (int i = 1; i < count; i++)
        dws_add_split(d, w, dws_send(d, w, NULL, paths[i].to, paths[i].mask), low);
    dws_try_merge(d, w, s);
}

/* The split's threads go to `paths`. Threads that are at the split's end leave it. */
static void branch_split(struct dws *d, struct dws_warp *w, struct strand *s, const struct branch *branch,
                         struct path *paths, int count)
{
    struct stack *inner = dws_inner_of(d, s);
    int staying = count;
    if (count > 1 && dws_is_whole(d, s)) {
        struct stack_entry *base = &inner->data[0];
        base->mask = 0;
        staying = 0;
        for (int i = 0; i < count; i++)
            if (point_has_reached(paths[i].to, w->rpc)) {
                stack_note_end(&w->stack, paths[i].to, w->rpc);
            } else {
                base->mask |= paths[i].mask;
                paths[staying++] = paths[i];
            }
        if (staying > 1 && has_room(d, staying - 1)) {
            d->rules.counters.divergent_branches++;
            dws_count_others(d, w, s);
            subdivide_split(d, w, s, paths, staying);
            return;
        }
        d->counters.table_full += staying > 1;
    }
    stack_branch(inner, &d->rules, branch, PC_NONE, s->depth, paths, staying);
    follow_split(d, w, s);
}

/* ---- the stack ---- */

/* Number of instructions of the basic block at the branch's post-dominator. */
static uint32_t block_length(const struct program *p, const struct branch *branch)
{
    if (branch->ipdom == PC_NONE)
        return 0;
    const struct flow_block *b = &p->blocks[p->insns[branch->ipdom].block];
    return (uint32_t)(b->last - b->first + 1);
}

/* Whether the top entry is subdivided when its threads go to `paths`. Threads that are at the entry's reconvergence
 * point need no split. */
static bool is_subdivided(struct dws *d, const struct dws_warp *w, const struct branch *branch,
                          const struct path *paths, int count)
{
    int staying = 0;
    for (int i = 0; i < count; i++)
        staying += !point_has_reached(paths[i].to, stack_top(&w->stack)->rpc);
    if (staying < 2 || !branch)
        return false;
    if (d->knobs.threshold && block_length(d->host->facts.program, branch) > d->knobs.threshold)
        return false;
    if (has_room(d, staying))
        return true;
    d->counters.table_full++;
    return false;
}

static void branch_top(struct dws *d, struct dws_warp *w, struct strand *s, const struct branch *branch,
                       struct path *paths, int count)
{
    if (!is_subdivided(d, w, branch, paths, count)) {
        stack_branch(&w->stack, &d->rules, branch, PC_NONE, s->depth, paths, count);
        run_top(d, w, s);
        return;
    }
    struct stack_entry top = stack_take_top(&w->stack, &d->rules);
    int staying = 0;
    d->rules.counters.divergent_branches++;
    for (int i = 0; i < count; i++)
        if (point_has_reached(paths[i].to, top.rpc))
            stack_note_end(&w->stack, paths[i].to, top.rpc);
        else
            paths[staying++] = paths[i];
    subdivide(d, w, top.rpc, paths, staying);
}

/* ---- calls of the contract ---- */

static void dws_launch(struct div *div, int32_t block)
{
    struct dws *d = dws_of(div);
    struct static_warp at;
    int next = 0;
    for (uint64_t mask; (mask = static_warp_next(d->host, block, &next, &at));) {
        vec_extend(&d->warps, at.place + 1);
        struct dws_warp *w = &d->warps.data[at.place];
        w->at = at;
        stack_start(&w->stack, &d->rules, d->host->facts.program->functions[0].first, mask);
        run_top(d, w, NULL);
        paths_most(&d->paths, 1);
    }
}

static void dws_branch(struct div *div, struct strand *s, const struct outcome *outcomes, int count)
{
    struct dws *d = dws_of(div);
    struct dws_warp *w = dws_warp_of(d, s);
    struct path paths[STACK_MAX_THREADS];
    paths_passed(&d->paths, s, s->pc + 1, dws_path_count(w));
    int used = static_warp_paths(&w->at, outcomes, count, paths);
    const struct branch *branch = control_branch_at(d->host->facts.program, s->pc);
    if (used > 1)
        stack_sort_paths(ORDER_TAKEN_FIRST, branch, paths, used);
    if (w->strand)
        branch_top(d, w, s, branch, paths, used);
    else
        branch_split(d, w, s, branch, paths, used);
}

static void dws_arrive(struct div *div, struct strand *s)
{
    struct dws *d = dws_of(div);
    struct dws_warp *w = dws_warp_of(d, s);
    struct point here = {s->pc, s->depth};
    paths_passed(&d->paths, s, s->pc, dws_path_count(w));
    bool popped = stack_advance(w->strand ? &w->stack : dws_inner_of(d, s), &d->rules, here);
    if (w->strand && popped)
        run_top(d, w, s);
    else if (!w->strand && (popped || (dws_is_whole(d, s) && point_has_reached(here, w->rpc))))
        follow_split(d, w, s);
    else if (!w->strand)
        dws_try_merge(d, w, s);
}

static void dws_exit(struct div *div, struct strand *s, const struct threads *ended)
{
    struct dws *d = dws_of(div);
    struct dws_warp *w = dws_warp_of(d, s);
    uint64_t mask = static_warp_mask(&w->at, ended);
    paths_passed(&d->paths, s, s->pc + 1, dws_path_count(w));
    if (w->strand) {
        if (stack_exit(&w->stack, &d->rules, mask))
            run_top(d, w, s);
        return;
    }
    for (int i = 0; i < w->stack.count; i++)
        w->stack.data[i].mask &= ~mask;
    if (stack_exit(dws_inner_of(d, s), &d->rules, mask))
        follow_split(d, w, s);
}

/* ---- loads ---- */

/* Splits the `late` threads, whose data has not come, off a strand. False: the strand cannot be split now. */
static bool split_by_load(struct dws *d, struct strand *s, uint64_t late)
{
    struct dws_warp *w = dws_warp_of(d, s);
    uint64_t all = static_warp_mask(&w->at, &s->threads), early = all & ~late;
    struct point here = {s->pc, s->depth}, end = {d->block_end[s->pc], s->depth};
    late &= all;
    if (s->busy || s->held || !late || !early || (w->strand ? end.pc == s->pc : !dws_is_whole(d, s)))
        return false;
    if (!has_room(d, w->strand ? 2 : 1)) {
        d->counters.table_full++;
        return false;
    }
    d->counters.memory_splits++;
    paths_passed(&d->paths, s, s->pc, dws_path_count(w));
    if (w->strand) {
        struct path sides[] = {{here, early}, {here, late}};
        struct stack_entry *top = &w->stack.data[w->stack.count - 1];
        top->at = end; /* the top entry waits there for its splits; that may be its own reconvergence point */
        subdivide(d, w, end, sides, 2);
        return true;
    }
    dws_count_others(d, w, s);
    dws_send(d, w, s, here, early);
    dws_inner_of(d, s)->data[0].mask = early;
    dws_add_split(d, w, dws_send(d, w, NULL, here, late), d->low.data[s->id]);
    return true;
}

static void dws_memory(struct div *div, struct strand *s, const struct threads *hit, const struct threads *miss)
{
    struct dws *d = dws_of(div);
    (void)hit;
    uint64_t late = static_warp_mask(&dws_warp_of(d, s)->at, miss);
    if (d->knobs.memory == MEMORY_AGGRESSIVE) {
        split_by_load(d, s, late);
        return;
    }
    struct dws_candidate c = {s, s->generation, s->pc, late, d->host->now};
    for (int i = 0; i < d->candidates.count; i++)
        if (d->candidates.data[i].strand == s) {
            d->candidates.data[i] = c;
            return;
        }
    vec_push(&d->candidates, c);
}

/* Subdivides one of the warps that a load could subdivide, so that there is something to issue. */
static void dws_idle(struct div *div)
{
    struct dws *d = dws_of(div);
    int kept = 0;
    bool done = false;
    for (int i = 0; i < d->candidates.count; i++) {
        struct dws_candidate c = d->candidates.data[i];
        bool is_late = d->knobs.memory == MEMORY_LAZY && c.cycle != d->host->now;
        if (is_late || c.strand->generation != c.generation || c.strand->pc != c.pc)
            continue;
        if (!done && split_by_load(d, c.strand, c.late))
            done = true;
        else
            d->candidates.data[kept++] = c;
    }
    d->candidates.count = kept;
}

const struct div_ops div_dws = {
    .name = "dws",
    .summary = "One stack per warp; branches and loads may subdivide a warp into warp splits.",
    .paper = "Meng, Tarjan and Skadron, ISCA 2010, after Rhu and Erez, HPCA 2013",
    .knobs = &knob_table,
    .stats = &stats,
    .create = dws_create,
    .cost = dws_cost,
    .destroy = dws_destroy,
    .counters = dws_counters,
    .prepare = dws_prepare,
    .launch = dws_launch,
    .branch = dws_branch,
    .arrive = dws_arrive,
    .exit = dws_exit,
    .barrier = dws_barrier,
    .released = dws_released,
    .memory = dws_memory,
    .idle = dws_idle,
    .check = dws_check,
    .where = dws_where,
    .dump = dws_dump,
};
