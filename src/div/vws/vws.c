/*
 * vws: variable warp sizing (Rogers, Johnson, O'Connor and Keckler, ISCA 2015). ws: the paper's baselines of narrow
 * warps.
 *
 * A static warp is cut into slice warps, narrow warps that are bound to a slice of the lanes and have a stack of their
 * own. Slice warps at the same point run as one gang. So a divergent warp runs as many paths at once as it has slices,
 * and a convergent warp issues at full width. ws has slice warps without gangs.
 *
 * A warp starts as one gang. After a control instruction the members of the gang are grouped by their next point: two
 * or more members at one point are a gang, a single one is a singleton. Gangs may also split when some members are
 * ready for the next instruction and others wait for memory (section 4.4: the ready bits of the scoreboard differ):
 * into singletons (impatient), or into members that are ready and members that wait (group). Gangs stay split (I-VWS),
 * or merge again where they happen to be at one point (E-VWS), also after waiting for each other at sync
 * points (E-VWS-Sync).
 *
 * The gang table is set-associative; the set of a static warp is its number modulo the number of sets. A group for
 * which the table has no room runs as singletons. The pipeline issues up to `gangs` gangs per cycle, and singletons on
 * the slices that these leave free.
 *
 * Not modelled: the time that splitting takes; slice warps that move between static warps.
 */
#include "div/vws/vws.h"

#include "base/diag.h"
#include "div/parts/marks.h"

/* ---- strands: gangs and singletons ---- */

void vws_count_sizes(struct vws *d)
{
    if (d->host->now <= d->counted)
        return;
    uint64_t cycles = d->host->now - d->counted;
    d->counted = d->host->now;
    for (int i = 0; i < VWS_SIZES; i++)
        d->counters.size_cycles[i] += cycles * d->in_size[i];
}

static int *set_of(struct vws *d, int32_t original)
{
    return &d->table[(uint32_t)original % d->knobs.table_sets];
}

bool vws_has_room(struct vws *d, int32_t original)
{
    return *set_of(d, original) < (int)d->knobs.table_ways;
}

static void change_size(struct vws *d, int32_t original, int size, int change)
{
    if (!size)
        return;
    d->in_size[size < VWS_SIZES ? size - 1 : VWS_SIZES - 1] += (uint64_t)(change * size);
    if (size > 1)
        *set_of(d, original) += change;
}

void vws_set_members(struct vws *d, const struct strand *s, int32_t original, uint64_t members)
{
    while (d->gangs.count <= s->id)
        vec_push(&d->gangs, (struct vws_gang){0});
    struct vws_gang *g = &d->gangs.data[s->id];
    int before = vws_size(g->members), after = vws_size(members);
    if (before != after) {
        vws_count_sizes(d);
        change_size(d, original, before, -1);
        change_size(d, original, after, 1);
    }
    *g = (struct vws_gang){original, members, PC_NONE};
}

static struct vws_gang *gang_of(struct vws *d, const struct strand *s)
{
    return &d->gangs.data[s->id];
}

static void retire(struct vws *d, struct strand *s)
{
    int32_t original = gang_of(d, s)->original;
    vws_set_members(d, s, original, 0);
    vws_note_parts(d, original, -1);
    d->host->calls.retire(d->host, s);
}

/* The strand `s`, or a new one if `s` is NULL, runs these members, which are at one point. */
static void form(struct vws *d, struct strand *s, int32_t original, uint64_t members)
{
    const struct vws_original *o = &d->warps.data[original];
    struct point at = slice_at(vws_slice(d, o, vws_lowest(members)));
    struct threads t;
    t.count = 0;
    for (uint64_t left = members; left; left &= left - 1)
        slice_add_top(vws_slice(d, o, vws_lowest(left)), &t);
    if (s) {
        d->host->calls.assign(d->host, s, at.pc, at.depth, &t);
        d->splitting = s;
    } else {
        s = d->splitting ? d->host->calls.split(d->host, d->splitting, at.pc, at.depth, &t)
                         : d->host->calls.create(d->host, at.pc, at.depth, &t, original);
        vws_note_parts(d, original, 1);
    }
    vws_set_members(d, s, original, members);
    for (uint64_t left = members; left; left &= left - 1)
        vws_slice(d, o, vws_lowest(left))->strand = s;
}

/* Each member becomes a singleton, the first in the strand `s` if that is not NULL. */
static void scatter(struct vws *d, struct strand *s, int32_t original, uint64_t members)
{
    for (; members; members &= members - 1) {
        form(d, s, original, members & -members);
        s = NULL;
    }
}

/* The members become one gang if the gang table has room, otherwise singletons. The first strand is `s`, if not
 * NULL. */
static void gather(struct vws *d, struct strand *s, int32_t original, uint64_t members)
{
    bool is_gang = members & (members - 1);
    if (!is_gang || vws_has_room(d, original)) {
        form(d, s, original, members);
        return;
    }
    d->counters.table_full += d->knobs.mode != VWS_SLICE_ONLY;
    scatter(d, s, original, members);
}

/* The members that have a path to run. Others wait at a barrier, or have ended and leave the static warp's members. */
static uint64_t runnable(struct vws *d, struct vws_original *o, uint64_t members)
{
    for (uint64_t left = members; left; left &= left - 1) {
        struct slice *slice = vws_slice(d, o, vws_lowest(left));
        if (slice->stack.count)
            continue;
        slice->strand = NULL;
        members &= ~(left & -left);
        if (!slice->held.all)
            o->members &= ~(left & -left);
    }
    return members;
}

/* The members' strands, which have come to `pc`, issue the instructions of the stack that stand there. `synced`: PC at
 * which the members have issued their sync; those that are there now have reconverged. */
static void issue_first(struct vws *d, const struct vws_original *o, uint64_t members, int32_t pc, int32_t synced)
{
    int count = pc == synced ? stack_code_behind(&d->code, pc) : stack_code_at(&d->code, pc);
    for (uint64_t left = count ? members : 0; left; left &= left - 1)
        d->host->calls.set_syncs(d->host, vws_slice(d, o, vws_lowest(left))->strand, count);
}

/* Groups members of a static warp by their points. The first group runs in the strand `s`, if that is not NULL.
 * `synced`: see issue_first(). */
static void regroup_synced(struct vws *d, struct strand *s, int32_t original, uint64_t members, int32_t synced)
{
    struct vws_original *o = &d->warps.data[original];
    members = runnable(d, o, members);
    if (s && members)
        vws_set_members(d, s, original, 0); /* its entry of the gang table is free for the new groups */
    else if (s)
        retire(d, s);
    for (bool is_first = true; members; is_first = false) {
        struct point at = slice_at(vws_slice(d, o, vws_lowest(members)));
        uint64_t alike = 0;
        for (uint64_t left = members; left; left &= left - 1)
            if (point_is_same(slice_at(vws_slice(d, o, vws_lowest(left))), at))
                alike |= left & -left;
        gather(d, s, original, alike);
        issue_first(d, o, alike, at.pc, synced);
        for (uint64_t left = d->knobs.sync_cycles ? alike : 0; left; left &= left - 1)
            vws_wait(d, vws_slice(d, o, vws_lowest(left))->strand);
        s = NULL;
        members &= ~alike;
        d->counters.splits += !is_first;
    }
    d->splitting = NULL;
    if (d->apart_count)
        vws_look(d);
}

static void regroup(struct vws *d, struct strand *s, int32_t original, uint64_t members)
{
    regroup_synced(d, s, original, members, PC_NONE);
}

/* The strand has come to a marked point or branch target with the members it had: others may be there, or come. */
static void come(struct vws *d, struct strand *s)
{
    if (stack_code_at(&d->code, s->pc))
        d->host->calls.set_syncs(d->host, s, stack_code_at(&d->code, s->pc));
    if (d->knobs.sync_cycles)
        vws_wait(d, s);
    if (d->apart_count)
        vws_look(d);
}

/* ---- calls of the contract ---- */

static struct div *create(struct div_host *host, const struct vws_knobs *knobs, struct div_wants *wants)
{
    struct vws *d = xcalloc(1, sizeof *d);
    int width = (int)vws_widths[knobs->width], widest = host->facts.width < 32 ? host->facts.width : 32;
    d->host = host;
    d->knobs = *knobs;
    d->slices.host = host;
    d->slices.rules.order = (enum stack_order)knobs->order;
    d->slices.width = width < widest && knobs->mode != VWS_GANG_ONLY ? width : widest;
    d->per_warp = host->facts.width / d->slices.width;
    if (knobs->mode == VWS_SLICE_ONLY)
        d->knobs.table_ways = 0;
    d->table = xcalloc(knobs->table_sets, sizeof *d->table);
    stack_code_open(&d->code, host, wants);
    d->sync_points = xcalloc((size_t)host->facts.program->insn_count + 1, 1);
    d->is_issuing = true;
    d->counted = host->now + 1; /* cycles are counted from the next one on */
    wants->slice_lanes = d->slices.width;
    wants->gangs = (int)knobs->gangs;
    wants->fetch_ports = (int)knobs->fetch_ports;
    wants->whole_loads = knobs->split == VWS_SPLIT_CONTROL;
    wants->ready_parts = true;
    wants->never_idle = !knobs->reform;
    return (struct div *)d;
}

static struct div *vws_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    return create(host, knob_values, wants);
}

/* Each narrow warp fetches for itself, so the instruction cache has one port per slice. */
static struct div *ws_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    const struct ws_knobs *own = knob_values;
    uint32_t width = vws_widths[own->width], widest = host->facts.width < 32 ? (uint32_t)host->facts.width : 32;
    uint32_t slices = (uint32_t)host->facts.width / (width < widest ? width : widest);
    struct vws_knobs knobs = {.width = own->width,
                              .order = own->order,
                              .mode = VWS_SLICE_ONLY,
                              .gangs = 1,
                              .table_sets = 1,
                              .fetch_ports = slices > 1 ? slices : 0};
    return create(host, &knobs, wants);
}

static void vws_destroy(struct div *div)
{
    struct vws *d = vws_of(div);
    slices_free(&d->slices);
    vec_free(&d->warps);
    vec_free(&d->gangs);
    vec_free(&d->passing);
    vec_free(&d->apart);
    vec_free(&d->waits);
    free(d->table);
    free(d->sync_points);
    stack_code_close(&d->code);
    free(d);
}

static void vws_prepare(struct div *div, uint8_t *marks)
{
    struct vws *d = vws_of(div);
    marks_post_dominators(d->host->facts.program, marks);
    held_mark(d->host->facts.program, marks);
    stack_code_mark(&d->code, d->host->facts.program, marks);
    if (!d->code.ops)
        marks_post_dominators(d->host->facts.program, d->sync_points);
    for (int32_t pc = 0; d->code.ops && pc < d->host->facts.program->insn_count; pc++)
        d->sync_points[pc] = d->code.syncs[pc];
}

static void start(struct vws *d, int32_t first, int32_t end)
{
    int32_t number = first / (d->host->facts.width < 32 ? d->host->facts.width : 32);
    vws_add_original(d, number);
    struct vws_original *o = &d->warps.data[number];
    *o = (struct vws_original){.first = first};
    for (int i = 0; i < d->per_warp && first + i * d->slices.width < end; i++)
        if (slice_start(&d->slices, first + i * d->slices.width, number))
            o->members |= UINT64_C(1) << i;
    if (o->members)
        gather(d, NULL, number, o->members);
    int32_t entry = d->host->facts.program->functions[0].first;
    issue_first(d, o, o->members, entry, entry);
}

/* A static warp of 64 threads is two rows, counted from the block's first row. The last warp of a block may have one
 * row: the next row is another block's. */
static void vws_launch(struct div *div, int32_t block)
{
    struct vws *d = vws_of(div);
    int32_t first, count;
    d->host->calls.block_rows(d->host, block, &first, &count);
    int32_t end = (first + count) * 32;
    for (int32_t thread = first * 32; thread < end; thread += d->host->facts.width)
        start(d, thread, end);
}

/* All threads of the strand go to one point. If no member has entries below the top of its stack, the strand goes on as
 * it is. False: the members must be regrouped. */
static bool goes_on(struct vws *d, struct strand *s, const struct vws_original *o, uint64_t members, struct point to)
{
    for (uint64_t left = members; left; left &= left - 1)
        if (vws_slice(d, o, vws_lowest(left))->stack.count > 1)
            return false;
    for (uint64_t left = members; left; left &= left - 1)
        slice_put(vws_slice(d, o, vws_lowest(left)), to);
    d->host->calls.assign(d->host, s, to.pc, to.depth, &s->threads);
    gang_of(d, s)->load_split_pc = PC_NONE;
    come(d, s);
    return true;
}

/* Whether all running threads of the slice warp go to one point, at which a sync instruction stands. Then the top of
 * its stack goes there, and is not popped before the sync has issued. */
static bool comes_to_sync(struct vws *d, struct slice *slice, const struct strand *s, const struct outcome *outcomes,
                          int count)
{
    uint32_t own = d->code.ops ? slice_mask(&d->slices, slice, &s->threads) : 0;
    for (int i = 0; own && i < count; i++) {
        if (slice_mask(&d->slices, slice, &outcomes[i].threads) != own)
            continue;
        if (outcomes[i].depth != s->depth || !stack_code_has_sync(&d->code, outcomes[i].pc))
            return false;
        slice_put(slice, (struct point){outcomes[i].pc, outcomes[i].depth});
        return true;
    }
    return false;
}

static void vws_branch(struct div *div, struct strand *s, const struct outcome *outcomes, int count)
{
    struct vws *d = vws_of(div);
    struct vws_gang g = *gang_of(d, s);
    const struct vws_original *o = &d->warps.data[g.original];
    if (count == 1 && goes_on(d, s, o, g.members, (struct point){outcomes[0].pc, outcomes[0].depth}))
        return;
    for (uint64_t left = g.members; left; left &= left - 1) {
        struct slice *slice = vws_slice(d, o, vws_lowest(left));
        if (!comes_to_sync(d, slice, s, outcomes, count))
            slice_branch(&d->slices, slice, vws_point(s), outcomes, count);
    }
    regroup(d, s, g.original, g.members);
}

/* The members' tops are at the strand's point. True: some of them have reconverged, and their stacks have changed. */
static bool advance(struct vws *d, const struct strand *s)
{
    const struct vws_gang *g = gang_of(d, s);
    const struct vws_original *o = &d->warps.data[g->original];
    struct point here = vws_point(s);
    bool is_behind = held_is_behind(d->host->facts.program, here), has_changed = false;
    for (uint64_t left = g->members; left; left &= left - 1) {
        struct stack *stack = &vws_slice(d, o, vws_lowest(left))->stack;
        has_changed |=
            stack_advance(stack, &d->slices.rules, here) || (is_behind && stack_unite(stack, &d->slices.rules, here));
    }
    return has_changed;
}

static void vws_arrive(struct div *div, struct strand *s)
{
    struct vws *d = vws_of(div);
    struct vws_gang g = *gang_of(d, s);
    if (!stack_code_has_sync(&d->code, s->pc) && advance(d, s))
        regroup(d, s, g.original, g.members);
    else
        come(d, s);
}

/* The gang has issued an instruction of the stacks. After its sync, paths of members that end there are popped. */
static void vws_sync(struct div *div, struct strand *s)
{
    struct vws *d = vws_of(div);
    struct vws_gang g = *gang_of(d, s);
    if (stack_code_was_sync(&d->code, s->pc, s->syncs) && advance(d, s))
        regroup_synced(d, s, g.original, g.members, s->pc);
}

/* Members whose top entry has no thread left go on elsewhere. The strand keeps the other members: `branch` follows for
 * them. */
static void vws_exit(struct div *div, struct strand *s, const struct threads *ended)
{
    struct vws *d = vws_of(div);
    struct vws_gang g = *gang_of(d, s);
    const struct vws_original *o = &d->warps.data[g.original];
    uint64_t done = 0;
    for (uint64_t left = g.members; left; left &= left - 1) {
        struct slice *slice = vws_slice(d, o, vws_lowest(left));
        if (stack_exit(&slice->stack, &d->slices.rules, slice_mask(&d->slices, slice, ended)))
            done |= left & -left;
    }
    if (done && s->threads.count)
        vws_set_members(d, s, g.original, g.members & ~done);
    if (done)
        regroup(d, s->threads.count ? NULL : s, g.original, done);
}

/* The gang dissolves, and each member waits for itself, if a member's path must leave its stack so that other threads
 * of the member can come, or if a guard let some threads pass, for which others may wait. */
static void vws_barrier(struct div *div, struct strand *s, int32_t block, int id)
{
    struct vws *d = vws_of(div);
    (void)block, (void)id;
    struct vws_gang g = *gang_of(d, s);
    const struct vws_original *o = &d->warps.data[g.original];
    bool stays = s->waiting == threads_size(&s->threads);
    for (uint64_t left = g.members; stays && left; left &= left - 1)
        stays = !slice_must_leave(&d->slices, vws_slice(d, o, vws_lowest(left)));
    if (stays)
        return;
    for (uint64_t left = g.members; left; left &= left - 1)
        slice_leave(&d->slices, vws_slice(d, o, vws_lowest(left)));
    retire(d, s);
    regroup(d, NULL, g.original, g.members);
}

/* Threads of one row are released at `to` and return to the stacks of their slice warps. Slice warps that have no
 * strand are noted in `passed`; a slice warp that runs another path finishes that path first. */
static void pass(struct vws *d, struct point to, const struct part *part)
{
    for (int lane = 0; lane < 32; lane += d->slices.width) {
        struct slice *slice = slice_of_thread(&d->slices, part->row * 32 + lane);
        uint32_t own = part->mask >> lane & bits_below((unsigned)d->slices.width);
        if (!own || !slice_return(&d->slices, slice, to, own) || slice->strand)
            continue;
        struct vws_original *o = &d->warps.data[slice->warp];
        if (!o->passed)
            vec_push(&d->passing, slice->warp);
        o->passed |= UINT64_C(1) << (part->row * 32 + lane - o->first) / d->slices.width;
    }
}

static void vws_released(struct div *div, int32_t pc, int32_t depth, const struct threads *threads)
{
    struct vws *d = vws_of(div);
    d->passing.count = 0;
    for (int i = 0; i < threads->count; i++)
        pass(d, (struct point){pc, depth}, &threads->part[i]);
    for (int i = 0; i < d->passing.count; i++) {
        struct vws_original *o = &d->warps.data[d->passing.data[i]];
        uint64_t members = o->passed;
        o->passed = 0;
        regroup(d, NULL, d->passing.data[i], members);
    }
}

/* Splits the gang: some members are ready for its next instruction (`hit`), and others wait for memory (`miss`). */
static void vws_memory(struct div *div, struct strand *s, const struct threads *hit, const struct threads *miss)
{
    struct vws *d = vws_of(div);
    (void)hit;
    struct vws_gang g = *gang_of(d, s);
    const struct vws_original *o = &d->warps.data[g.original];
    uint64_t late = 0;
    bool is_gang = g.members & (g.members - 1);
    if (d->knobs.split == VWS_SPLIT_CONTROL || !is_gang || s->busy || s->held || s->parked)
        return;
    for (uint64_t left = g.members; left; left &= left - 1) {
        struct slice *slice = vws_slice(d, o, vws_lowest(left));
        slice_put(slice, vws_point(s));
        if (slice_mask(&d->slices, slice, miss))
            late |= left & -left;
    }
    if (late == g.members)
        return;
    d->counters.memory_splits++;
    vws_set_members(d, s, g.original, 0);
    if (d->knobs.split == VWS_SPLIT_IMPATIENT) {
        scatter(d, s, g.original, g.members);
    } else {
        gather(d, s, g.original, late); /* in `s`: `memory` reports the rest of the load for it */
        gather(d, NULL, g.original, g.members & ~late);
    }
    d->splitting = NULL;
    for (uint64_t left = g.members; left; left &= left - 1) {
        const struct strand *part = vws_slice(d, o, vws_lowest(left))->strand;
        gang_of(d, part)->load_split_pc = part->pc;
    }
    vws_look(d);
}

#define VWS_CALLS                                                                                                      \
    .destroy = vws_destroy, .counters = vws_count, .prepare = vws_prepare, .launch = vws_launch, .branch = vws_branch, \
    .arrive = vws_arrive, .exit = vws_exit, .barrier = vws_barrier, .released = vws_released, .check = vws_check,      \
    .where = vws_where, .dump = vws_dump, .sync = vws_sync

const struct div_ops div_vws = {
    .name = "vws",
    .summary = "Slices of a warp with one stack each, which run as a gang while they are at one PC.",
    .paper = "Rogers, Johnson, O'Connor and Keckler, A Variable Warp Size Architecture, ISCA 2015",
    .knobs = &vws_knob_table,
    .stats = &vws_stats,
    .create = vws_create,
    .cost = vws_cost,
    .memory = vws_memory,
    .idle = vws_idle,
    .resume = vws_resume,
    .tick = vws_tick,
    VWS_CALLS,
};

const struct div_ops div_ws = {
    .name = "ws",
    .summary = "Narrow warps on slices of the lanes, with one stack each.",
    .paper = "the WS baselines of Rogers, Johnson, O'Connor and Keckler, ISCA 2015",
    .knobs = &ws_knob_table,
    .stats = &ws_stats,
    .create = ws_create,
    .cost = ws_cost,
    VWS_CALLS,
};
