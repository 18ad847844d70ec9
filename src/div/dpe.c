/*
 * dpe: dual-path execution (Rhu and Erez, "The Dual-Path Execution Model for Efficient GPU Control Flow", HPCA 2013).
 *
 * A warp has a stack whose entries hold two paths, left and right, and their common reconvergence point; both paths
 * of the top entry are strands and interleave (div/parts/dual_stack.c has the stack's rules). What happens to a warp, in
 * the paper's words, TOS being the top entry:
 *
 *   launch                    one entry {A, 1111 | -; -}
 *   path X of the TOS parts   X waits at the branch's post-dominator r, mask kept; an entry {taken | fall-through; r}
 *   (section 3)               becomes the TOS. Its two paths run; X's sibling does not until that entry is popped.
 *   path at its entry's RPC   it is no longer valid; the sibling goes on alone. Both not valid: the entry is popped,
 *                             and the paths of the one below go on, among them the one that waited at r.
 *   a side at the RPC         it just leaves the mask, so loops and ifs without an else run one path.
 *   scoreboard (section 4)    each side has its own: an issue sets P of its destination there. Where a path parts or
 *                             ends, P is copied to S on both sides (`fork`, `join`; sm/scoreboard.c with
 *                             sm.scoreboard=dual). A path waits for P of its own side and S of the other; the write
 *                             clears both. So true dependences across pending_branches and meetings hold, and some false
 *                             ones: registers that were pending then block both sides.
 *
 * A branch that is under way when the sibling's pushes an entry resolves below the TOS; if it parts, its entry goes
 * on top. Threads that end leave every mask. So do the threads of a path that comes to a barrier while others of its
 * warp are elsewhere, until the barrier opens (div/parts/held.h).
 *
 * Options. `constrained`: of the two paths only one may issue; the other takes its place when that has issued an
 * access to memory outside the multiprocessor, waits at a barrier, or ends. `forwarding` (section 7): a TOS with one
 * path left takes the highest path below it that waits for nobody into its free place. `stack=software` (section 7):
 * the RPC is known to software, and a path ends by an instruction: it issues that (counted in sm.syncs, being none of
 * the program's) and holds its place for `pop_cycles` more.
 * `memory_divergence` (section 7): threads of a load whose data came first become the left path, the others the right
 * one, up to the block's next instruction that all must issue together; until then they are not in step. Meeting where
 * the loaded register is needed first would gain nothing, and with shadow bits this does not either: the load is
 * pending on both sides.
 *
 * Not modelled: stacks of limited capacity; the time that pushing takes; an explicit pop for threads that leave a path
 * which goes on. Both paths have their own place among the scheduler's strands, and the right one's is that of a new
 * strand, not of its warp.
 */
#include "base/diag.h"
#include "div/parts/block_end.h"
#include "div/parts/control.h"
#include "div/parts/dual_stack.h"
#include "div/parts/held.h"
#include "div/parts/marks.h"
#include "div/parts/paths.h"
#include "div/parts/stack_words.h"
#include "div/parts/static_warp.h"

#include <stdlib.h>

enum { STACK_HARDWARE, STACK_SOFTWARE };
static const char *const stack_names[] = {"hardware", "software", NULL};

struct dpe_knobs {
    bool constrained, forwarding, memory_divergence;
    uint32_t stack, pop_cycles;
};

struct dpe_counters {
    struct dual_counters stack;
    struct path_counters paths;
    uint64_t forwarded, switches, memory_splits, explicit_pops;
};

struct dpe_warp {
    struct static_warp at;
    struct dual_stack stack;
    struct strand *running[DUAL_SIDES]; /* those of the top entry, and one that was forwarded */
    int active;                         /* how many */
    struct dual_place forwarded;        /* path below the top that is among them; entry -1: none */
    struct held held;                   /* threads at barriers that left the stack */
};

/* Of a strand. */
struct dpe_strand {
    int32_t warp; /* place in `warps` */
    struct dual_place path;
    bool pops; /* its path has ended, and the instruction that says so has issued */
};

struct dpe_pop {
    struct strand *strand;
    uint64_t due;
};

struct dpe {
    struct div_host *host;
    struct dpe_knobs knobs;
    struct vec_of(struct dpe_warp) warps;   /* by place */
    struct vec_of(struct dpe_strand) homes; /* by strand id */
    struct vec_of(struct dpe_pop) pops;     /* in order of time */
    uint8_t *is_long;                       /* by PC: constrained paths take turns behind it */
    int32_t *meeting;                       /* by PC: where threads that a load parted meet */
    struct paths paths;
    struct dpe_counters counters;
};

static struct dpe *dpe_of(struct div *div)
{
    return (struct dpe *)div;
}

#define KNOB(field) .name = #field, .offset = offsetof(struct dpe_knobs, field)

static const struct knob knobs[] = {
    {KNOB(constrained), .unit = "",
     .meaning = "one path of a warp issues at a time; they take turns at accesses to memory", .kind = KNOB_BOOL,
     .high = 1},
    {KNOB(forwarding), .unit = "", .meaning = "a path below takes the place of one of the top entry that ended",
     .kind = KNOB_BOOL, .high = 1},
    {KNOB(memory_divergence), .unit = "", .meaning = "threads whose data comes first run ahead as a path of their own",
     .kind = KNOB_BOOL, .high = 1},
    {KNOB(stack), .unit = "",
     .meaning = "who knows where a path ends: the stack, or software, which says so by an instruction",
     .kind = KNOB_CHOICE, .high = STACK_SOFTWARE, .choices = stack_names},
    {KNOB(pop_cycles), .unit = "cycles", .meaning = "of that instruction", .kind = KNOB_COUNT, .fallback = 4, .low = 1,
     .high = 1000},
};
static const struct knob_table knob_table = {"dpe", knobs, sizeof knobs / sizeof *knobs};

#define FIELD(field) .name = #field, .offset = offsetof(struct dpe_counters, field)

static const struct stat_counter counters[] = {
    PATH_COUNTERS(struct dpe_counters),
    STACK_COUNTERS(struct dpe_counters, stack.),
    {FIELD(forwarded), .unit = "paths", .meaning = "paths that ran in the place of one that had ended"},
    {FIELD(switches), .unit = "switches", .meaning = "times that constrained paths took turns"},
    {FIELD(memory_splits), .unit = "loads", .meaning = "loads whose threads became two paths"},
    {FIELD(explicit_pops), .unit = "paths", .meaning = "paths that software ended"},
};

static const struct stat_owner stats = {"dpe", counters, sizeof counters / sizeof *counters,
                                        sizeof(struct dpe_counters)};

static bool dpe_in_step(const void *knob_values)
{
    return !((const struct dpe_knobs *)knob_values)->memory_divergence;
}

static struct div *dpe_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    static_warp_check_width(host);
    struct dpe *d = xcalloc(1, sizeof *d);
    d->host = host;
    d->knobs = *(const struct dpe_knobs *)knob_values;
    wants->whole_loads = !d->knobs.memory_divergence;
    return (struct div *)d;
}

static void dpe_destroy(struct div *div)
{
    struct dpe *d = dpe_of(div);
    for (int i = 0; i < d->warps.count; i++) {
        vec_free(&d->warps.data[i].stack);
        held_free(&d->warps.data[i].held);
    }
    vec_free(&d->warps);
    vec_free(&d->homes);
    vec_free(&d->pops);
    paths_close(&d->paths);
    free(d->is_long);
    free(d->meeting);
    free(d);
}

static void *dpe_counters(struct div *div)
{
    struct dpe *d = dpe_of(div);
    d->counters.paths = d->paths.counters;
    return &d->counters;
}

/* ---- where it must act ---- */

/* Its latency is the memory system's. */
static bool is_long_access(const struct insn *in)
{
    uint8_t space = in->suffixes.mod[GROUP_SPACE];
    bool is_near = space == SPACE_SHARED || space == SPACE_CONST || space == SPACE_PARAM;
    return in->class == CLASS_TEX || ((in->class == CLASS_LOAD || in->class == CLASS_ATOMIC) && !is_near);
}

static void dpe_prepare(struct div *div, uint8_t *marks)
{
    struct dpe *d = dpe_of(div);
    const struct program *p = d->host->facts.program;
    marks_post_dominators(p, marks);
    held_mark(p, marks);
    if (d->knobs.constrained) {
        d->is_long = xcalloc((size_t)p->insn_count + 1, 1);
        for (int32_t pc = 0; pc < p->insn_count; pc++)
            if (is_long_access(&p->insns[pc]))
                d->is_long[pc] = marks[pc + 1] = 1;
    }
    if (d->knobs.memory_divergence)
        d->meeting = block_ends(p, marks);
}

/* ---- strands ---- */

static struct dpe_warp *warp_of(struct dpe *d, const struct strand *s)
{
    return &d->warps.data[d->homes.data[s->id].warp];
}

/* Registers of the warp that are pending are seen by both sides from here on. */
static void share(struct dpe *d, const struct dpe_warp *w, bool forks)
{
    struct div_host *h = d->host;
    uint32_t lanes = bits_below((unsigned)(h->facts.width < 32 ? h->facts.width : 32)) << w->at.shift;
    for (int32_t row = w->at.row; row < w->at.row + w->at.rows; row++)
        (forks ? h->calls.fork : h->calls.join)(h, row, lanes);
}

/* Counts what the other strands of the warp have issued: how many there are changes. */
static void count_others(struct dpe *d, const struct dpe_warp *w, const struct strand *s)
{
    paths_look_all(&d->paths, w->running, DUAL_SIDES, s, w->active);
}

static void let_run(struct dpe *d, struct strand *s, bool runs)
{
    if (s && s->parked == runs)
        (runs ? d->host->calls.unpark : d->host->calls.park)(d->host, s);
}

static bool pops(const struct dpe *d, const struct strand *s)
{
    return d->homes.data[s->id].pops;
}

/* The path as a strand on a side; `*spare` becomes it if it has none. */
static struct strand *run_path(struct dpe *d, struct dpe_warp *w, struct dual_place place, int side,
                               struct strand **spare)
{
    struct dual_path *p = dual_path_at(&w->stack, place);
    struct strand *s = p->strand;
    if (s && s->side != side)
        share(d, w, false);
    if (!s) {
        struct threads t = static_warp_threads(&w->at, p->mask);
        s = *spare;
        *spare = NULL;
        if (s) {
            s->side = (uint8_t)side;
            d->host->calls.assign(d->host, s, p->at.pc, p->at.depth, &t);
        } else {
            s = d->host->calls.create(d->host, p->at.pc, p->at.depth, &t, w->at.lineage);
        }
        paths_start(&d->paths, s, p->at.pc);
        vec_extend(&d->homes, s->id + 1);
        d->homes.data[s->id] = (struct dpe_strand){w->at.place, place, false};
        p->strand = s;
    }
    s->side = (uint8_t)side; /* a new strand is evaluated for the left, which sees the same just behind a parting */
    return s;
}

/* A top entry with one path takes another from below. */
static void forward(struct dpe *d, struct dpe_warp *w, struct strand **spare)
{
    struct dual_place old = w->forwarded;
    int top = w->stack.count - 1, free_side = w->running[DUAL_LEFT] ? DUAL_RIGHT : DUAL_LEFT;
    w->forwarded.entry = -1;
    if (!w->running[free_side]) {
        w->forwarded = dual_runnable_below(&w->stack, &d->counters.stack);
        if (w->forwarded.entry >= 0)
            w->running[free_side] = run_path(d, w, w->forwarded, free_side, spare);
    }
    bool is_same = w->forwarded.entry == old.entry && w->forwarded.side == old.side;
    d->counters.forwarded += w->forwarded.entry >= 0 && !is_same;
    if (old.entry >= 0 && old.entry < top && !is_same)
        let_run(d, dual_path_at(&w->stack, old)->strand, false);
}

/* Who of those that could run does. */
static void arrange(struct dpe *d, struct dpe_warp *w)
{
    struct strand *left = w->running[DUAL_LEFT], *right = w->running[DUAL_RIGHT];
    bool left_runs = left && !pops(d, left), right_runs = right && !pops(d, right);
    if (d->knobs.constrained && left_runs && right_runs) {
        left_runs = !left->parked || right->parked;
        right_runs = !left_runs;
    }
    let_run(d, left, left_runs);
    let_run(d, right, right_runs);
}

/* The stack changed; before that it had so many entries. `spare` has lost its path, and may get another; or NULL. */
static void follow(struct dpe *d, struct dpe_warp *w, struct strand *spare, int before)
{
    int top = w->stack.count - 1;
    w->running[DUAL_LEFT] = w->running[DUAL_RIGHT] = NULL;
    for (int i = before <= top ? before - 1 : top; i >= 0 && i < top; i++)
        for (int side = 0; side < DUAL_SIDES; side++)
            let_run(d, w->stack.data[i].path[side].strand, false);
    for (int side = 0; side < DUAL_SIDES && top >= 0; side++)
        if (w->stack.data[top].path[side].mask)
            w->running[side] = run_path(d, w, (struct dual_place){top, side}, side, &spare);
    if (d->knobs.forwarding && top >= 0)
        forward(d, w, &spare);
    w->active = !!w->running[DUAL_LEFT] + !!w->running[DUAL_RIGHT];
    paths_most(&d->paths, w->active);
    if (spare)
        d->host->calls.retire(d->host, spare);
    arrange(d, w);
}

/* ---- calls ---- */

static void dpe_launch(struct div *div, int32_t block)
{
    struct dpe *d = dpe_of(div);
    struct static_warp at;
    int next = 0;
    for (uint64_t mask; (mask = static_warp_next(d->host, block, &next, &at));) {
        vec_extend(&d->warps, at.place + 1);
        struct dpe_warp *w = &d->warps.data[at.place];
        w->at = at;
        w->forwarded.entry = -1;
        dual_start(&w->stack, &d->counters.stack, (struct point){d->host->facts.program->functions[0].first, 0}, mask);
        follow(d, w, NULL, 0);
    }
}

/* The strand's path is at `at`, where it ends. */
static void end_path(struct dpe *d, struct strand *s, struct point at)
{
    struct dpe_warp *w = warp_of(d, s);
    struct dual_place place = d->homes.data[s->id].path;
    int before = w->stack.count;
    count_others(d, w, s);
    share(d, w, false);
    dual_path_at(&w->stack, place)->strand = NULL;
    dual_end(&w->stack, &d->counters.stack, place, at);
    follow(d, w, s, before);
}

/* The same, unless software must say so first: then the strand has one more instruction to issue. */
static void come_to_end(struct dpe *d, struct strand *s, struct point at)
{
    if (d->knobs.stack == STACK_HARDWARE) {
        end_path(d, s, at);
        return;
    }
    d->host->calls.assign(d->host, s, at.pc, at.depth, &s->threads);
    d->host->calls.set_syncs(d->host, s, 1);
    paths_start(&d->paths, s, at.pc);
}

/* The explicit pop has issued; the other path need not wait for it to be done. */
static void dpe_sync(struct div *div, struct strand *s)
{
    struct dpe *d = dpe_of(div);
    uint64_t due = d->host->now + d->knobs.pop_cycles;
    d->homes.data[s->id].pops = true;
    d->counters.explicit_pops++;
    vec_push(&d->pops, (struct dpe_pop){s, due});
    d->host->calls.tick_at(d->host, due);
    arrange(d, warp_of(d, s));
}

static void dpe_tick(struct div *div)
{
    struct dpe *d = dpe_of(div);
    int done = 0;
    while (done < d->pops.count && d->pops.data[done].due <= d->host->now) {
        struct strand *s = d->pops.data[done++].strand;
        end_path(d, s, (struct point){s->pc, s->depth});
    }
    d->pops.count -= done;
    memmove(d->pops.data, d->pops.data + done, sizeof *d->pops.data * (size_t)d->pops.count);
    if (d->pops.count)
        d->host->calls.tick_at(d->host, d->pops.data[0].due);
}

static void dpe_branch(struct div *div, struct strand *s, const struct outcome *outcomes, int count)
{
    struct dpe *d = dpe_of(div);
    struct dpe_warp *w = warp_of(d, s);
    struct dual_place place = d->homes.data[s->id].path;
    const struct branch *branch = control_branch_at(d->host->facts.program, s->pc);
    paths_passed(&d->paths, s, s->pc + 1, w->active);
    struct path paths[STACK_MAX_THREADS];
    int used = static_warp_paths(&w->at, outcomes, count, paths), before = w->stack.count;
    if (used == 1) {
        struct point to = paths[0].to;
        if (dual_ends(&w->stack, place, to)) {
            come_to_end(d, s, to);
            return;
        }
        dual_path_at(&w->stack, place)->at = to;
        d->host->calls.assign(d->host, s, to.pc, to.depth, &s->threads);
        paths_start(&d->paths, s, to.pc);
        return;
    }
    count_others(d, w, s);
    share(d, w, true);
    dual_path_at(&w->stack, place)->strand = NULL;
    dual_branch(&w->stack, &d->counters.stack, place, branch, s->depth, paths, used);
    follow(d, w, s, before);
}

/* Constrained paths: the other one's turn, if there is one. */
static void take_turns(struct dpe *d, struct strand *s)
{
    struct dpe_warp *w = warp_of(d, s);
    struct strand *other = w->running[w->running[DUAL_LEFT] == s];
    if (!other || other == s || !other->parked || pops(d, other))
        return;
    d->counters.switches++;
    let_run(d, s, false);
    let_run(d, other, true);
}

/* Whether all threads of the stack are at a point, and none has an instruction under way. From the top down, an entry's
 * paths have as their own the threads that no path above has. */
static bool all_are_at(const struct dpe_warp *w, struct point here)
{
    uint64_t seen = 0;
    for (int i = w->stack.count - 1; i >= 0; i--)
        for (int side = 0; side < DUAL_SIDES; side++) {
            const struct dual_path *p = &w->stack.data[i].path[side];
            const struct strand *s = p->strand;
            struct point at = s ? (struct point){s->pc, s->depth} : p->at;
            if (p->mask & ~seen && (!point_is_same(at, here) || (s && (s->busy || s->held || s->syncs))))
                return false;
            seen |= p->mask;
        }
    return true;
}

/* The strand opened a barrier for all others of its warp, which have not issued since: they go on as one path. */
static void unite(struct dpe *d, struct dpe_warp *w, struct strand *s, struct point here)
{
    uint64_t all = dual_threads(&w->stack);
    int before = w->stack.count;
    paths_passed(&d->paths, s, s->pc, w->active);
    count_others(d, w, s);
    share(d, w, false);
    for (int i = 0; i < w->stack.count; i++)
        for (int side = 0; side < DUAL_SIDES; side++) {
            struct strand *other = w->stack.data[i].path[side].strand;
            if (w->stack.data[i].path[side].mask && other && other != s)
                d->host->calls.retire(d->host, other);
        }
    w->forwarded.entry = -1;
    dual_start(&w->stack, &d->counters.stack, here, all);
    d->counters.stack.pops += (uint64_t)before;
    follow(d, w, s, w->stack.count);
}

static void dpe_arrive(struct div *div, struct strand *s)
{
    struct dpe *d = dpe_of(div);
    struct point at = {s->pc, s->depth};
    struct dpe_warp *w = warp_of(d, s);
    if (held_is_behind(d->host->facts.program, at) &&
        dual_threads(&w->stack) != static_warp_mask(&w->at, &s->threads) && all_are_at(w, at))
        unite(d, w, s, at);
    else if (dual_ends(&w->stack, d->homes.data[s->id].path, at)) {
        paths_passed(&d->paths, s, s->pc, w->active);
        come_to_end(d, s, at);
    } else if (d->is_long && d->is_long[s->pc - 1]) {
        take_turns(d, s);
    }
}

/* The path leaves the stack, and its strand is no more: the warp's other paths can come to the barrier too. */
static void leave(struct dpe *d, struct dpe_warp *w, struct strand *s)
{
    uint64_t own = static_warp_mask(&w->at, &s->threads);
    int before = w->stack.count;
    paths_passed(&d->paths, s, s->pc + 1, w->active);
    count_others(d, w, s);
    share(d, w, false);
    dual_path_at(&w->stack, d->homes.data[s->id].path)->strand = NULL;
    held_add(&w->held, own);
    dual_exit(&w->stack, &d->counters.stack, own);
    d->host->calls.retire(d->host, s);
    follow(d, w, NULL, before);
}

static void dpe_barrier(struct div *div, struct strand *s, int32_t block, int id)
{
    struct dpe *d = dpe_of(div);
    (void)block, (void)id;
    struct dpe_warp *w = warp_of(d, s);
    if (held_leaves(d->host, &w->at, s))
        leave(d, w, s);
    else if (d->knobs.constrained)
        take_turns(d, s);
}

static void dpe_released(struct div *div, int32_t pc, int32_t depth, const struct threads *threads)
{
    struct dpe *d = dpe_of(div);
    struct threads left;
    struct static_warp at;
    threads_copy(&left, threads);
    for (uint64_t mask; (mask = static_warp_take(d->host, &left, &at));) {
        struct dpe_warp *w = &d->warps.data[at.place];
        for (uint64_t some; (some = held_next(&w->held, &mask, depth));) {
            int before = w->stack.count;
            count_others(d, w, NULL);
            share(d, w, true);
            dual_return(&w->stack, &d->counters.stack, (struct point){pc, depth}, some);
            follow(d, w, NULL, before);
        }
    }
}

static void dpe_exit(struct div *div, struct strand *s, const struct threads *ended)
{
    struct dpe *d = dpe_of(div);
    struct dpe_warp *w = warp_of(d, s);
    int before = w->stack.count;
    bool is_gone = !s->threads.count;
    paths_passed(&d->paths, s, s->pc + 1, w->active);
    if (is_gone) {
        count_others(d, w, s);
        dual_path_at(&w->stack, d->homes.data[s->id].path)->strand = NULL;
    }
    dual_exit(&w->stack, &d->counters.stack, static_warp_mask(&w->at, ended));
    if (is_gone)
        follow(d, w, s, before);
}

/* A path of the top entry that is ahead of its meeting and has nothing else to do. Where it ends at the meeting itself its
 * two sides need its place and its sibling's. */
static bool may_part_by_load(const struct dpe_warp *w, const struct strand *s, struct dual_place place,
                             struct point meeting)
{
    const struct dual_entry *e = &w->stack.data[place.entry];
    bool has_places = !point_is_same(meeting, e->rpc) || !e->path[!place.side].mask;
    return !s->busy && !s->held && !s->parked && !s->syncs && place.entry == w->stack.count - 1 &&
           meeting.pc != s->pc && has_places;
}

static void dpe_memory(struct div *div, struct strand *s, const struct threads *hit, const struct threads *miss)
{
    struct dpe *d = dpe_of(div);
    (void)hit;
    struct dpe_warp *w = warp_of(d, s);
    struct dual_place place = d->homes.data[s->id].path;
    struct point meeting = {d->meeting[s->pc], s->depth};
    uint64_t late = static_warp_mask(&w->at, miss), early = dual_path_at(&w->stack, place)->mask & ~late;
    if (!early || !late || !may_part_by_load(w, s, place, meeting))
        return;
    int before = w->stack.count;
    struct path sides[] = {{{s->pc, s->depth}, early}, {{s->pc, s->depth}, late}};
    paths_passed(&d->paths, s, s->pc, w->active);
    count_others(d, w, s);
    share(d, w, true);
    d->counters.memory_splits++;
    dual_path_at(&w->stack, place)->strand = NULL;
    dual_part(&w->stack, &d->counters.stack, place, meeting, sides, 2);
    follow(d, w, s, before);
}

/* ---- for others to look at ---- */

/* Threads may have ended that it was not told of yet. */
static void check_path(struct dpe *d, const struct dpe_warp *w, struct dual_place place, uint64_t live)
{
    const struct dual_path *p = dual_path_at(&w->stack, place);
    const struct strand *s = p->strand;
    bool is_top = place.entry == w->stack.count - 1;
    bool runs = w->running[DUAL_LEFT] == s || w->running[DUAL_RIGHT] == s;
    if (!s) {
        if (is_top && p->mask & live)
            panic("a path of warp %d does not run", (int)w->at.place);
        return;
    }
    if ((static_warp_mask(&w->at, &s->threads) ^ p->mask) & live)
        panic("a strand of warp %d does not have its path's threads", (int)w->at.place);
    if (d->homes.data[s->id].path.entry != place.entry || d->homes.data[s->id].path.side != place.side)
        panic("a strand of warp %d is taken for another path's", (int)w->at.place);
    if (runs ? is_top && s->side != place.side : !s->parked)
        panic("a path of warp %d below the top runs, or one of the top runs on the wrong side", (int)w->at.place);
}

static void dpe_check(struct div *div)
{
    struct dpe *d = dpe_of(div);
    for (int i = 0; i < d->warps.count; i++) {
        const struct dpe_warp *w = &d->warps.data[i];
        if (!w->stack.count && !w->held.all)
            continue;
        uint64_t live = static_warp_live(d->host, &w->at);
        if (!dual_is_sound(&w->stack))
            panic("the stack of warp %d is not in order", i);
        if (live & ~(dual_threads(&w->stack) | w->held.all) || dual_threads(&w->stack) & w->held.all)
            panic("warp %d lost threads: 0x%llx live, 0x%llx on its stack, 0x%llx at barriers", i,
                  (unsigned long long)live, (unsigned long long)dual_threads(&w->stack),
                  (unsigned long long)w->held.all);
        for (int32_t k = 0; k < w->stack.count; k++)
            for (int side = 0; side < DUAL_SIDES; side++)
                if (w->stack.data[k].path[side].mask)
                    check_path(d, w, (struct dual_place){k, side}, live);
    }
}

/* Prints a copy of the stack in which paths that run are where their strands are. */
static void print_stack(const struct dual_stack *stack, const struct program *p, int width, struct text *out)
{
    struct dual_stack shown = {0};
    for (int i = 0; i < stack->count; i++) {
        struct dual_entry e = stack->data[i];
        for (int side = 0; side < DUAL_SIDES; side++)
            if (e.path[side].mask && e.path[side].strand)
                e.path[side].at = control_block_of(p, e.path[side].strand);
        vec_push(&shown, e);
    }
    dual_print(&shown, p, width, out);
    vec_free(&shown);
}

static void dpe_dump(struct div *div, struct text *out)
{
    struct dpe *d = dpe_of(div);
    const struct program *p = d->host->facts.program;
    for (int i = 0; i < d->warps.count; i++) {
        const struct dpe_warp *w = &d->warps.data[i];
        if (!w->stack.count && !w->held.all)
            continue;
        text_printf(out, "warp %d\n", (int)w->at.lineage);
        print_stack(&w->stack, p, d->host->facts.width, out);
        held_print(&w->held, d->host->facts.width, out);
    }
}

/* Of the entries that hold the thread, the highest says where it goes on. */
static int32_t dpe_where(struct div *div, int32_t row, int lane)
{
    struct dpe *d = dpe_of(div);
    for (int i = 0; i < d->warps.count; i++) {
        const struct dpe_warp *w = &d->warps.data[i];
        uint64_t bit = w->stack.count ? static_warp_bit(d->host, &w->at, row, lane) : 0;
        for (int k = w->stack.count - 1; bit && k >= 0; k--)
            for (int side = 0; side < DUAL_SIDES; side++)
                if (w->stack.data[k].path[side].mask & bit)
                    return w->stack.data[k].path[side].at.pc;
    }
    return PC_NONE;
}

const struct div_ops div_dpe = {
    .name = "dpe",
    .summary = "a stack a warp with two paths an entry, which issue side by side",
    .paper = "Rhu and Erez, HPCA 2013",
    .flags = DIV_IN_STEP,
    .knobs = &knob_table,
    .stats = &stats,
    .in_step = dpe_in_step,
    .create = dpe_create,
    .destroy = dpe_destroy,
    .counters = dpe_counters,
    .prepare = dpe_prepare,
    .launch = dpe_launch,
    .branch = dpe_branch,
    .arrive = dpe_arrive,
    .exit = dpe_exit,
    .barrier = dpe_barrier,
    .released = dpe_released,
    .sync = dpe_sync,
    .memory = dpe_memory,
    .tick = dpe_tick,
    .check = dpe_check,
    .where = dpe_where,
    .dump = dpe_dump,
};
