/*
 * dpe: dual-path execution (Rhu and Erez, "The Dual-Path Execution Model for Efficient GPU Control Flow", HPCA 2013).
 *
 * Each warp has one stack. A stack entry holds two paths, left and right, and their common reconvergence point (RPC).
 * Both paths of the top entry (TOS) are strands and interleave. div/parts/dual_stack.c has the rules of the stack. What
 * happens to a warp:
 *
 *   launch       The stack has one entry {A, 1111 | -; -}.
 *   divergence   (section 3) When path X of the TOS diverges, X waits at the branch's post-dominator r with its mask,
 *                and an entry {taken | fall-through; r} becomes the TOS. The two paths of that entry run; X's sibling
 *                is parked until that entry is popped.
 *   path end     A path that comes to its entry's RPC becomes invalid; its sibling goes on alone. When both paths are
 *                invalid, the entry is popped and the paths of the entry below go on, among them the path that waited
 *                at r.
 *   empty side   Threads that are at r right after the branch leave the new entry's masks at once, so a loop or an if
 *                without an else runs one path.
 *   scoreboard   (section 4) Each side has its own bits. An issue sets the pending bit P of its destination on its
 *                side. When a path diverges or ends, P is copied to the shadow bit S on both sides (`fork` and `join`;
 *                sm/scoreboard.c with sm.scoreboard=dual). A path waits for P of its own side and S of the other; the
 *                write clears both. So true dependences across divergence and reconvergence hold, and some false ones:
 *                a register that was pending at that moment blocks both sides.
 *
 * A branch that is in flight when the sibling's branch pushes an entry resolves below the TOS; if that branch diverges,
 * its entry goes on top. Threads that end leave every mask. Threads of a path that comes to a barrier while other
 * threads of the warp are elsewhere leave every mask until the barrier opens (div/parts/held.h).
 *
 * Knobs. `constrained`: only one of the two paths may issue; the other takes over when that one has issued a
 * long-latency instruction (`turns` says which are; the slides do not), waits at a barrier, or ends. `forwarding`
 * (section 7): when the TOS has one path left, the highest path below that waits for no other path takes the free side.
 * `stack=software` (section 7): software knows the RPC, and a path ends by an explicit pop instruction. The pop is
 * counted in sm.syncs, not among the program's instructions, and the path keeps its side for `pop_cycles` more.
 * `memory_divergence` (section 7): threads of a load whose data comes first become the left path and the others the
 * right path; both reconverge before the block's next instruction that all threads must issue together, and are not in
 * step until then. Reconverging where the loaded register is first used would gain nothing. With shadow bits the later
 * point gains nothing either, since the load is pending on both sides.
 *
 * Not modelled: stacks of limited capacity; the time of a push; an explicit pop for threads that leave a path which
 * goes on. Each path has its own place among the scheduler's strands; the right path's place is that of a new strand,
 * not of its warp.
 */
#include "div/dpe/dpe.h"
#include "div/parts/block_end.h"
#include "div/parts/control.h"
#include "div/parts/marks.h"
#include "div/parts/stack_words.h"

#include <stdlib.h>

static const char *const turn_names[] = {"outside", "memory", "long", NULL};
static const char *const stack_names[] = {"hardware", "software", NULL};

#define KNOB(field) .name = #field, .offset = offsetof(struct dpe_knobs, field)

static const struct knob knobs[] = {
    {KNOB(constrained), .unit = "",
     .meaning = "Whether only one of the two paths of a warp issues at a time; the paths take "
                "turns at long-latency instructions.",
     .kind = KNOB_BOOL, .high = 1},
    {KNOB(turns), .unit = "",
     .meaning = "Which instructions are long for constrained paths: loads, atomics and texture fetches outside the "
                "multiprocessor (outside), loads from shared memory as well (memory), or also divisions, special "
                "functions and double precision (long).",
     .kind = KNOB_CHOICE, .high = DPE_TURNS_LONG, .choices = turn_names},
    {KNOB(forwarding), .unit = "",
     .meaning = "Whether a path of a lower stack entry takes the side of a top path that has "
                "ended.",
     .kind = KNOB_BOOL, .high = 1},
    {KNOB(memory_divergence), .unit = "",
     .meaning = "Whether threads of a load whose data comes first run ahead as a path of their "
                "own.",
     .kind = KNOB_BOOL, .high = 1},
    {KNOB(stack), .unit = "",
     .meaning = "What ends a path: the hardware stack, which knows the path's reconvergence point "
                "(hardware), or an explicit pop instruction of the program (software).",
     .kind = KNOB_CHOICE, .high = DPE_STACK_SOFTWARE, .choices = stack_names},
    {KNOB(pop_cycles), .unit = "cycles", .meaning = "Latency of an explicit pop, in cycles.", .kind = KNOB_COUNT,
     .fallback = 4, .low = 1, .high = 1000},
};
static const struct knob_table knob_table = {"dpe", knobs, sizeof knobs / sizeof *knobs};

#define FIELD(field) .name = #field, .offset = offsetof(struct dpe_counters, field)

static const struct stat_counter counters[] = {
    PATH_COUNTERS(struct dpe_counters),
    STACK_COUNTERS(struct dpe_counters, stack.),
    {FIELD(forwarded), .unit = "paths",
     .meaning = "Paths of lower entries that ran on the side of a path that had ended."},
    {FIELD(switches), .unit = "switches", .meaning = "Times that one constrained path took over from the other."},
    {FIELD(memory_splits), .unit = "loads",
     .meaning = "Loads that split a path into threads whose data came first and the others."},
    {FIELD(explicit_pops), .unit = "paths", .meaning = "Paths ended by an explicit pop instruction."},
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
    vec_free(&d->strands);
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

/* ---- marks ---- */

/* Whether the instruction waits for memory: for the memory system outside the SM, or for shared memory as well. */
static bool is_long_access(const struct insn *in, bool shared_counts)
{
    uint8_t space = in->suffixes.mod[GROUP_SPACE];
    bool is_near = (space == SPACE_SHARED && !shared_counts) || space == SPACE_CONST || space == SPACE_PARAM;
    return in->class == CLASS_TEX || ((in->class == CLASS_LOAD || in->class == CLASS_ATOMIC) && !is_near);
}

/* Arithmetic that takes several times as long as an addition on the machines of the time. */
static bool is_long_arithmetic(const struct insn *in)
{
    return in->class == CLASS_IDIV || in->class == CLASS_FDIV || in->class == CLASS_DDIV || in->class == CLASS_SFU ||
           in->class == CLASS_FP64;
}

static bool is_long(const struct insn *in, uint32_t turns)
{
    return is_long_access(in, turns >= DPE_TURNS_MEMORY) || (turns >= DPE_TURNS_LONG && is_long_arithmetic(in));
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
            if (is_long(&p->insns[pc], d->knobs.turns))
                d->is_long[pc] = marks[pc + 1] = 1;
    }
    if (d->knobs.memory_divergence)
        d->meeting = block_ends(p, marks);
}

/* ---- calls of the contract ---- */

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
        dpe_follow(d, w, NULL, 0);
    }
}

/* The strand's path ends at `at`. */
static void end_path(struct dpe *d, struct strand *s, struct point at)
{
    struct dpe_warp *w = dpe_warp_of(d, s);
    struct dual_place place = dpe_path_of(d, s);
    int before = w->stack.count;
    dpe_count_others(d, w, s);
    dpe_share(d, w, false);
    dual_path_at(&w->stack, place)->strand = NULL;
    dual_end(&w->stack, &d->counters.stack, place, at);
    dpe_follow(d, w, s, before);
}

/* The strand's path is at `at`, where it ends. With a software stack the strand issues an explicit pop before the path
 * ends. */
static void come_to_end(struct dpe *d, struct strand *s, struct point at)
{
    if (d->knobs.stack == DPE_STACK_HARDWARE) {
        end_path(d, s, at);
        return;
    }
    d->host->calls.assign(d->host, s, at.pc, at.depth, &s->threads);
    d->host->calls.set_syncs(d->host, s, 1);
    paths_start(&d->paths, s, at.pc);
}

/* The explicit pop has issued. A constrained sibling may run while the pop is in flight. */
static void dpe_sync(struct div *div, struct strand *s)
{
    struct dpe *d = dpe_of(div);
    uint64_t due = d->host->now + d->knobs.pop_cycles;
    d->strands.data[s->id].pops = true;
    d->counters.explicit_pops++;
    vec_push(&d->pops, (struct dpe_pop){s, due});
    d->host->calls.tick_at(d->host, due);
    dpe_arrange(d, dpe_warp_of(d, s));
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
    struct dpe_warp *w = dpe_warp_of(d, s);
    struct dual_place place = dpe_path_of(d, s);
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
    dpe_count_others(d, w, s);
    dpe_share(d, w, true);
    dual_path_at(&w->stack, place)->strand = NULL;
    dual_branch(&w->stack, &d->counters.stack, place, branch, s->depth, paths, used);
    dpe_follow(d, w, s, before);
}

/* Constrained paths: `s` is parked and the other path of the warp runs, if there is one that can. */
static void take_turns(struct dpe *d, struct strand *s)
{
    struct dpe_warp *w = dpe_warp_of(d, s);
    struct strand *other = w->running[w->running[DUAL_LEFT] == s];
    if (!other || other == s || !other->parked || dpe_pops(d, other))
        return;
    d->counters.switches++;
    dpe_let_run(d, s, false);
    dpe_let_run(d, other, true);
}

/* Whether all threads of the stack are at `here` and no strand of the warp has an instruction in flight that decides
 * where its threads go. A path's mask includes threads of the paths above that it waits for; only its other threads are
 * looked at. */
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

/* The strand has just passed the barrier that it opened, and all other threads of the warp are there too: all become
 * one path. */
static void unite(struct dpe *d, struct dpe_warp *w, struct strand *s, struct point here)
{
    uint64_t all = dual_threads(&w->stack);
    int before = w->stack.count;
    paths_passed(&d->paths, s, s->pc, w->active);
    dpe_count_others(d, w, s);
    dpe_share(d, w, false);
    for (int i = 0; i < w->stack.count; i++)
        for (int side = 0; side < DUAL_SIDES; side++) {
            struct strand *other = w->stack.data[i].path[side].strand;
            if (w->stack.data[i].path[side].mask && other && other != s)
                d->host->calls.retire(d->host, other);
        }
    w->forwarded.entry = -1;
    dual_start(&w->stack, &d->counters.stack, here, all);
    d->counters.stack.pops += (uint64_t)before;
    dpe_follow(d, w, s, w->stack.count);
}

static void dpe_arrive(struct div *div, struct strand *s)
{
    struct dpe *d = dpe_of(div);
    struct point at = {s->pc, s->depth};
    struct dpe_warp *w = dpe_warp_of(d, s);
    if (held_is_behind(d->host->facts.program, at) &&
        dual_threads(&w->stack) != static_warp_mask(&w->at, &s->threads) && all_are_at(w, at))
        unite(d, w, s, at);
    else if (dual_ends(&w->stack, dpe_path_of(d, s), at)) {
        paths_passed(&d->paths, s, s->pc, w->active);
        come_to_end(d, s, at);
    } else if (d->is_long && d->is_long[s->pc - 1]) {
        take_turns(d, s);
    }
}

/* At a barrier: the path leaves the stack and its strand is retired, so that the warp's other paths can come to the
 * barrier. */
static void leave(struct dpe *d, struct dpe_warp *w, struct strand *s)
{
    uint64_t own = static_warp_mask(&w->at, &s->threads);
    int before = w->stack.count;
    paths_passed(&d->paths, s, s->pc + 1, w->active);
    dpe_count_others(d, w, s);
    dpe_share(d, w, false);
    dual_path_at(&w->stack, dpe_path_of(d, s))->strand = NULL;
    held_add(&w->held, own);
    dual_exit(&w->stack, &d->counters.stack, own);
    d->host->calls.retire(d->host, s);
    dpe_follow(d, w, NULL, before);
}

static void dpe_barrier(struct div *div, struct strand *s, int32_t block, int id)
{
    struct dpe *d = dpe_of(div);
    (void)block, (void)id;
    struct dpe_warp *w = dpe_warp_of(d, s);
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
            dpe_count_others(d, w, NULL);
            dpe_share(d, w, true);
            dual_return(&w->stack, &d->counters.stack, (struct point){pc, depth}, some);
            dpe_follow(d, w, NULL, before);
        }
    }
}

static void dpe_exit(struct div *div, struct strand *s, const struct threads *ended)
{
    struct dpe *d = dpe_of(div);
    struct dpe_warp *w = dpe_warp_of(d, s);
    int before = w->stack.count;
    bool is_gone = !s->threads.count;
    paths_passed(&d->paths, s, s->pc + 1, w->active);
    if (is_gone) {
        dpe_count_others(d, w, s);
        dual_path_at(&w->stack, dpe_path_of(d, s))->strand = NULL;
    }
    dual_exit(&w->stack, &d->counters.stack, static_warp_mask(&w->at, ended));
    if (is_gone)
        dpe_follow(d, w, s, before);
}

/* Whether a load may split the strand's path: the path is in the top entry, not yet at `meeting`, where its two halves
 * are to reconverge, and free to issue. If the path itself ends at `meeting`, the halves take both sides of its entry,
 * so its sibling must be invalid. */
static bool may_split_by_load(const struct dpe_warp *w, const struct strand *s, struct dual_place place,
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
    struct dpe_warp *w = dpe_warp_of(d, s);
    struct dual_place place = dpe_path_of(d, s);
    struct point meeting = {d->meeting[s->pc], s->depth};
    uint64_t late = static_warp_mask(&w->at, miss), early = dual_path_at(&w->stack, place)->mask & ~late;
    if (!early || !late || !may_split_by_load(w, s, place, meeting))
        return;
    int before = w->stack.count;
    struct path sides[] = {{{s->pc, s->depth}, early}, {{s->pc, s->depth}, late}};
    paths_passed(&d->paths, s, s->pc, w->active);
    dpe_count_others(d, w, s);
    dpe_share(d, w, true);
    d->counters.memory_splits++;
    dual_path_at(&w->stack, place)->strand = NULL;
    dual_diverge(&w->stack, &d->counters.stack, place, meeting, sides, 2);
    dpe_follow(d, w, s, before);
}

const struct div_ops div_dpe = {
    .name = "dpe",
    .summary = "One stack per warp with two paths per entry, which issue side by side.",
    .paper = "Rhu and Erez, HPCA 2013",
    .flags = DIV_IN_STEP | DIV_ONE_ITERATION,
    .knobs = &knob_table,
    .stats = &stats,
    .in_step = dpe_in_step,
    .create = dpe_create,
    .cost = dpe_cost,
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
