/* Compaction frames (frame.h): how frames and their paths start and end, and the calls that the pipeline makes to a
 * mechanism with frames. Meetings are in frame_meeting.c, warps in frame_warp.c. */
#include "base/diag.h"
#include "div/parts/frame_internal.h"

/* ---- life ---- */

struct frames *frame_create(struct div_host *host, const struct frame_policy *policy, bool filter, bool drain,
                            struct stack_time_knobs time)
{
    if (host->facts.width < 1 || host->facts.width > STACK_MAX_THREADS || (host->facts.width & (host->facts.width - 1)))
        panic("a reconvergence stack cannot hold warps of %d threads", host->facts.width);
    struct frames *d = xcalloc(1, sizeof *d);
    d->host = host;
    d->policy = policy;
    d->filter = filter;
    d->drain = drain;
    d->time = time;
    d->takes_time = time.entries || time.cycles;
    d->idle_hold = 2 * (uint64_t)(host->facts.width / host->facts.simd_width) + 2;
    /* If lanes are swizzled, lane 0 of the second row has another home slot than 0. */
    d->plain = host->facts.width == 32 && host->calls.slots(host, 0, 1) == 1 && host->calls.slots(host, 1, 1) == 1;
    vec_extend(&d->reach, host->facts.program->branch_count);
    return d;
}

static void free_warp(struct frame_warp *w)
{
    vec_free(&w->stack);
    vec_free(&w->visits);
    free(w);
}

static void free_meeting(struct meeting *m)
{
    vec_free(&m->came);
    vec_free(&m->arrivals);
    vec_free(&m->paths);
    vec_free(&m->sides);
    free(m);
}

static void free_frame(struct frame *f)
{
    for (int i = 0; i < f->meetings.count; i++)
        free_meeting(f->meetings.data[i]);
    vec_free(&f->warps);
    vec_free(&f->members);
    vec_free(&f->paths);
    vec_free(&f->pending);
    warp_buffer_close(&f->own_buffer);
    vec_free(&f->meetings);
    free(f);
}

void frame_destroy(struct div *div)
{
    struct frames *d = frames_of(div);
    if (d->policy->destroy)
        d->policy->destroy(d);
    for (int i = 0; i < d->warps.count; i++)
        if (d->warps.data[i])
            free_warp(d->warps.data[i]);
    for (int i = 0; i < d->free_warps.count; i++)
        free_warp(d->free_warps.data[i]);
    for (int i = 0; i < d->frames.count; i++)
        free_frame(d->frames.data[i]);
    for (int i = 0; i < d->free_frames.count; i++)
        free_frame(d->free_frames.data[i]);
    for (int i = 0; i < d->free_meetings.count; i++)
        free_meeting(d->free_meetings.data[i]);
    for (int i = 0; i < d->reach.count; i++)
        free(d->reach.data[i]);
    vec_free(&d->warps);
    vec_free(&d->free_warps);
    vec_free(&d->of_strand);
    vec_free(&d->frames);
    vec_free(&d->free_frames);
    vec_free(&d->changed);
    vec_free(&d->free_meetings);
    vec_free(&d->due);
    vec_free(&d->reach);
    vec_free(&d->packed);
    free(d);
}

void *frame_counters_of(struct div *div)
{
    struct frames *d = frames_of(div);
    d->counters.max_depth = d->rules.counters.max_depth;
    return &d->counters;
}

void frame_prepare(struct div *div, uint8_t *marks)
{
    struct frames *d = frames_of(div);
    const struct program *p = d->host->facts.program;
    for (int i = 0; i < p->branch_count; i++)
        if (p->branches[i].ipdom != PC_NONE)
            marks[p->branches[i].ipdom] = 1;
}

/* ---- frames ---- */

struct frame *frame_open(struct frames *d, struct frame *parent, struct point rpc)
{
    struct frame *f;
    if (d->free_frames.count)
        f = d->free_frames.data[--d->free_frames.count];
    else
        f = memset(xmalloc_lines(sizeof *f), 0, sizeof *f);
    f->parent = parent;
    f->rpc = rpc;
    f->warps.count = f->members.count = f->paths.count = f->pending.count = 0;
    f->meetings.count = f->searching = f->children = f->level = 0;
    f->next_path = f->groups = 0;
    f->rpcs = 0;
    f->feeding = f->changed = false;
    f->issued = 0;
    f->saved = 0;
    vec_push(&d->frames, f);
    if (!parent)
        return f;
    f->block = parent->block;
    f->first_row = parent->first_row;
    f->rows = parent->rows;
    f->level = parent->level + 1;
    f->buffer = parent->buffer;
    parent->children++;
    d->counters.frames++;
    d->counters.nested_frames += !frame_is_root(parent);
    if ((uint64_t)f->level > d->counters.max_level)
        d->counters.max_level = (uint64_t)f->level;
    return f;
}

void frame_changed(struct frames *d, struct frame *f)
{
    if (f->changed)
        return;
    f->changed = true;
    vec_push(&d->changed, f);
}

void frame_add_pending(struct frame *f, int32_t path, int32_t group, const struct threads *t)
{
    for (int i = 0; i < t->count; i++)
        vec_push(&f->pending, (struct frame_pending){path, group, t->part[i].row, t->part[i].mask});
}

/* Makes a warp whose threads start at `to` and end at the frame's RPC. */
static struct frame_warp *add_warp(struct frames *d, struct frame *f, struct point to, const struct threads *t)
{
    struct frame_warp *w = warp_create(d, f, t);
    struct stack_entry e = {
        .at = f->rpc, .rpc = {PC_NONE, 0}, .lpc = {PC_NONE, 0}, .back = PC_NONE, .mask = warp_slots(d, t)};
    vec_push(&w->stack, e);
    e.rpc = e.at;
    e.at = to;
    vec_push(&w->stack, e);
    if (d->rules.counters.max_depth < (uint64_t)w->stack.count)
        d->rules.counters.max_depth = (uint64_t)w->stack.count;
    return w;
}

/* The compactor makes the warp in this cycle: frame_tick() then starts it. */
static void add_due(struct frames *d, struct frame_warp *w, uint64_t cycle)
{
    w->state = WARP_DUE;
    vec_push(&d->due, (struct frame_due){cycle, w});
    for (int i = d->due.count - 1; i > 0 && d->due.data[i - 1].cycle > cycle; i--) {
        d->due.data[i] = d->due.data[i - 1];
        d->due.data[i - 1] = (struct frame_due){cycle, w};
    }
    d->host->calls.tick_at(d->host, cycle);
}

/* The threads of a path, and the groups that brought them. A group is one warp that came to the frame. */
struct taken {
    struct block_mask mask;
    int groups;
};

/* Moves the pending threads of a path from the frame into `t`. */
static void take_path(struct frame *f, int32_t path, struct taken *t)
{
    int kept = 0;
    int32_t last = -1;
    memset(t->mask.lanes, 0, sizeof t->mask.lanes[0] * (size_t)f->rows);
    t->groups = 0;
    for (int i = 0; i < f->pending.count; i++) {
        struct frame_pending p = f->pending.data[i];
        if (p.path != path) {
            f->pending.data[kept++] = p;
            continue;
        }
        t->mask.lanes[p.row - f->first_row] |= p.mask;
        t->groups += p.group != last;
        last = p.group;
    }
    f->pending.count = kept;
}

/* Cycles that the frame's stack entries take that were pushed or popped for the path that starts. */
static uint64_t path_time(struct frames *d)
{
    if (!d->takes_time)
        return 0;
    struct stack_usage usage = {.operations = stack_operations(&d->rules.counters) - d->timed};
    d->timed += usage.operations;
    return stack_time(&d->time, &d->counters.time, &usage, 0);
}

static void start_warp(struct frames *d, struct frame_warp *w, uint64_t wait)
{
    if (wait)
        add_due(d, w, d->host->now + wait);
    else
        warp_follow(d, w);
}

/* Starts a path in compacted warps, one per cycle. */
static void start_compacted(struct frames *d, struct frame *f, int32_t path, struct point to)
{
    struct taken taken;
    uint64_t wait = path_time(d);
    take_path(f, path, &taken);
    vec_reserve(&d->packed, f->rows * 32);
    int count = compact_threads(d->host, &taken.mask, f->first_row, f->rows, d->packed.data);
    *(count < taken.groups ? &d->counters.useful_compactions : &d->counters.useless_compactions) += taken.groups > 1;
    d->counters.warps_saved += (uint64_t)(taken.groups - count);
    f->saved += taken.groups - count;
    for (int i = 0; i < count; i++) {
        struct frame_warp *w = add_warp(d, f, to, &d->packed.data[i]);
        w->mixed = true;
        start_warp(d, w, wait + (uint64_t)i);
    }
}

/* Starts a path in one warp per group, not compacted. */
static void start_as_grouped(struct frames *d, struct frame *f, int32_t path, struct point to)
{
    int kept = 0;
    uint64_t wait = path_time(d);
    for (int i = 0; i < f->pending.count;) {
        struct frame_pending first = f->pending.data[i];
        if (first.path != path) {
            f->pending.data[kept++] = first;
            i++;
            continue;
        }
        struct threads t;
        t.count = 0;
        for (; i < f->pending.count && f->pending.data[i].path == path && f->pending.data[i].group == first.group; i++)
            threads_add(&t, f->pending.data[i].row, f->pending.data[i].mask);
        start_warp(d, add_warp(d, f, to, &t), wait);
    }
    f->pending.count = kept;
}

void frame_start_path(struct frames *d, struct frame *f, int32_t path, struct point to, bool compact)
{
    if (compact)
        start_compacted(d, f, path, to);
    else
        start_as_grouped(d, f, path, to);
    frame_changed(d, f);
}

/* Number of warps into which the path's threads would be compacted. */
static int count_packed(struct frames *d, const struct frame *f, int32_t path)
{
    struct block_mask mask = {0};
    for (int i = 0; i < f->pending.count; i++)
        if (f->pending.data[i].path == path)
            mask.lanes[f->pending.data[i].row - f->first_row] |= f->pending.data[i].mask;
    return compact_count(d->host, &mask, f->first_row, f->rows);
}

bool frame_next_path(struct frames *d, struct frame *f)
{
    if (!f->paths.count)
        return false;
    struct frame_path path = f->paths.data[--f->paths.count];
    d->rules.counters.pops++; /* the entry of the path that has ended */
    bool compact = path.before > 1 && d->policy->compacts(d, &path, count_packed(d, f, path.id));
    frame_start_path(d, f, path.id, path.to, compact);
    return true;
}

/* The point behind the frame at which a member's stack continues: the frame's RPC or, if the RPC is the end of a
 * function, the PC that the member's threads returned to. */
static struct point behind(const struct frame *f, const struct frame_member *m)
{
    if (!point_is_end(f->rpc))
        return f->rpc;
    struct point back = {m->back, f->rpc.depth - 1};
    const struct frame *p = f->parent;
    if (!frame_is_root(p) && point_is_end(p->rpc) && back.depth < p->rpc.depth)
        back.pc = SOMEWHERE_BACK;
    return back;
}

void frame_resume(struct frames *d, struct frame *f, const struct frame_member *m, uint64_t wait)
{
    struct frame_warp *w = m->warp;
    if (!m->emptied)
        stack_advance(&w->stack, &d->rules, behind(f, m));
    if (!warp_follow(d, w))
        return;
    if (wait)
        warp_hold(d, w, wait);
    meeting_note(d, w, f->rpc.depth);
}

void frame_leave(struct frames *d, const struct frame *f, int member)
{
    if (d->policy->left)
        d->policy->left(d, f, &f->members.data[member]);
}

static void end_frame(struct frames *d, struct frame *f)
{
    uint64_t share = f->members.count ? f->issued / (uint64_t)f->members.count : 0;
    if (d->policy->ran && f->parent)
        d->policy->ran(d, f);
    d->rules.counters.pops += f->parent != NULL; /* the entry of the last path */
    uint64_t wait = path_time(d);
    for (int i = 0; i < f->members.count; i++) {
        f->members.data[i].warp->issued += share;
        frame_leave(d, f, i);
        frame_resume(d, f, &f->members.data[i], wait);
    }
    if (f->meetings.count)
        panic("a frame ended while warps may meet in it");
    int i = 0;
    while (d->frames.data[i] != f)
        i++;
    d->frames.data[i] = d->frames.data[--d->frames.count];
    vec_push(&d->free_frames, f);
    if (!f->parent)
        return;
    f->parent->children--;
    f->parent->issued += f->issued;
    frame_changed(d, f->parent);
}

/* A frame without warps, open meeting and inner frames starts its next path, or ends. */
static void go_on(struct frames *d, struct frame *f)
{
    if (f->feeding || f->warps.count || f->children)
        return;
    if (!frame_next_path(d, f))
        end_frame(d, f);
}

/* Looks at the frames that have changed, and at those that change by that. */
static __attribute__((noinline)) void settle_changed(struct frames *d)
{
    while (d->changed.count) {
        struct frame *f = d->changed.data[--d->changed.count];
        f->changed = false;
        while (meeting_settle(d, f)) {
        }
        if (!f->changed)
            go_on(d, f);
    }
}

void frame_settle(struct frames *d)
{
    d->called_at = d->host->now;
    if (d->changed.count)
        settle_changed(d);
    d->timed = stack_operations(&d->rules.counters); /* what no warp waits for takes no time */
}

/* ---- the contract's calls ---- */

void frame_launch(struct div *div, int32_t block)
{
    struct frames *d = frames_of(div);
    struct div_host *h = d->host;
    struct frame *f = frame_open(d, NULL, (struct point){PC_NONE, 0});
    f->block = block;
    h->calls.block_rows(h, block, &f->first_row, &f->rows);
    if (f->rows > COMPACT_MAX_ROWS)
        panic("a block of %d rows", (int)f->rows);
    struct block_mask live = {0};
    for (int r = 0; r < f->rows; r++)
        live.lanes[r] = h->calls.row_live(h, f->first_row + r);
    vec_reserve(&d->packed, f->rows * 32);
    int count = compact_static(h, &live, f->first_row, f->rows, d->packed.data);
    f->buffer = &f->own_buffer;
    warp_buffer_open(f->buffer, f->first_row * 32 / h->facts.width, count);
    for (int i = 0; i < count; i++) {
        const struct threads *t = &d->packed.data[i];
        struct frame_warp *w = warp_create(d, f, t);
        stack_start(&w->stack, &d->rules, h->facts.program->functions[0].first, warp_slots(d, t));
        d->timed = stack_operations(&d->rules.counters); /* the stacks' first entries take no time */
        warp_follow(d, w);
    }
}

/* Threads returned from the function whose end is the frame's RPC: the members are told the PC that they returned
 * to. */
static void note_back(struct frames *d, const struct frame *f, const struct outcome *o)
{
    for (; !frame_is_root(f) && point_is_end(f->rpc) && o->depth < f->rpc.depth; f = f->parent)
        for (int i = 0; i < f->members.count; i++)
            if (warp_slots_among(d, f->members.data[i].warp, &o->threads))
                f->members.data[i].back = o->pc;
}

/* Turns outcomes into paths, one per point. Returns the number of paths. */
static int gather(struct frames *d, const struct frame_warp *w, const struct outcome *outcomes, int count,
                  struct path *paths)
{
    const struct frame *f = w->frame;
    bool may_leave = !frame_is_root(f) && point_is_end(f->rpc);
    int used = 0;
    for (int i = 0; i < count; i++) {
        struct path *path = &paths[used];
        *path = (struct path){{outcomes[i].pc, outcomes[i].depth}, warp_slots(d, &outcomes[i].threads)};
        if (may_leave && path->to.depth < f->rpc.depth) {
            note_back(d, f, &outcomes[i]);
            path->to.pc = SOMEWHERE_BACK;
        }
        int k = 0;
        while (k < used && !point_is_same(paths[k].to, path->to))
            k++;
        if (k < used)
            paths[k].mask |= path->mask;
        else
            used += path->mask != 0;
    }
    return used;
}

/* Whether warps may meet at the branch: not if compaction is switched off, a frame with one warp has no other to meet,
 * and a uniform branch does not diverge. */
static bool may_meet(const struct frames *d, const struct frame_warp *w, int32_t site)
{
    if (site < 0 || w->frame->warps.count < 2 || d->is_off)
        return false;
    const struct branch *b = &d->host->facts.program->branches[site];
    return !b->uniform && !b->promised_uniform;
}

/* The warp leaves an instruction for `paths`. */
static void leave(struct frames *d, struct frame_warp *w, const struct strand *s, struct path *paths, int used)
{
    const struct program *p = d->host->facts.program;
    int32_t site = p->insns[s->pc].branch, depth = s->depth;
    if (d->policy->visited)
        warp_count_issues(w, s->pc + 1);
    if (may_meet(d, w, site)) {
        meeting_join(d, w, site, paths, used);
    } else {
        if (warp_branch(d, w, site < 0 ? NULL : &p->branches[site], depth, paths, used))
            meeting_note(d, w, depth);
    }
    frame_settle(d);
}

void frame_branch(struct div *div, struct strand *s, const struct outcome *outcomes, int count)
{
    struct frames *d = frames_of(div);
    struct frame_warp *w = d->of_strand.data[s->id];
    struct path paths[STACK_MAX_THREADS];
    leave(d, w, s, paths, gather(d, w, outcomes, count, paths));
}

/* A branch does not return from a function, so that no thread leaves the frame by a return. */
void frame_part(struct div *div, struct strand *s, int32_t target, uint32_t taken)
{
    struct frames *d = frames_of(div);
    struct path paths[2];
    leave(d, d->of_strand.data[s->id], s, paths, path_part(s, target, taken, paths));
}

void frame_arrive(struct div *div, struct strand *s)
{
    struct frames *d = frames_of(div);
    struct frame_warp *w = d->of_strand.data[s->id];
    int32_t depth = s->depth;
    d->not_now = d->host->now + 1; /* the strand has issued in this cycle */
    if (d->policy->visited)
        warp_count_issues(w, s->pc);
    if (!stack_advance(&w->stack, &d->rules, (struct point){s->pc, depth}) || warp_follow(d, w))
        meeting_note(d, w, depth);
    frame_settle(d);
}

/* Removes exited threads from the stacks of all members: a member still holds the threads that run in its frame. */
static void leave_members(struct frames *d, struct frame *f, const struct threads *ended)
{
    for (; !frame_is_root(f); f = f->parent)
        for (int i = 0; i < f->members.count; i++) {
            struct frame_member *m = &f->members.data[i];
            uint64_t own = warp_slots_among(d, m->warp, ended);
            if (own && stack_exit(&m->warp->stack, &d->rules, own))
                m->emptied = true;
        }
}

void frame_exit(struct div *div, struct strand *s, const struct threads *ended)
{
    struct frames *d = frames_of(div);
    struct frame_warp *w = d->of_strand.data[s->id];
    int32_t depth = s->depth;
    leave_members(d, w->frame, ended);
    if (stack_exit(&w->stack, &d->rules, warp_slots(d, ended)) && warp_follow(d, w))
        meeting_note(d, w, depth);
    frame_settle(d);
}

/* If only some threads of the warp wait (the others were guarded off and have passed), the strand is retired: the
 * threads that wait may depend on the others. */
void frame_barrier(struct div *div, struct strand *s, int32_t block, int id)
{
    struct frames *d = frames_of(div);
    (void)block;
    (void)id;
    struct frame_warp *w = d->of_strand.data[s->id];
    d->waited = true;
    if (s->waiting != threads_size(&s->threads)) {
        warp_leave_strand(d, w);
        w->state = WARP_LOOSE;
    }
    meeting_note(d, w, 0);
    frame_settle(d);
}

void frame_released(struct div *div, int32_t pc, int32_t depth, const struct threads *threads)
{
    struct frames *d = frames_of(div);
    int count = d->warps.count;
    for (int i = 0; i < count; i++) {
        struct frame_warp *w = d->warps.data[i];
        if (!w || w->state != WARP_LOOSE)
            continue;
        uint64_t top = stack_top(&w->stack)->mask, passed = warp_slots_among(d, w, threads) & top;
        if (!passed)
            continue;
        if (passed != top)
            w = warp_split(d, w, passed);
        stack_advance(&w->stack, &d->rules, (struct point){pc, depth});
        if (warp_follow(d, w))
            meeting_note(d, w, depth);
    }
    frame_settle(d);
}

void frame_drained(struct div *div, struct strand *s)
{
    struct frames *d = frames_of(div);
    struct frame_warp *w = d->of_strand.data[s->id];
    struct meeting *m = w->meeting;
    w->meeting = NULL;
    if (m)
        meeting_drained(d, m);
    else
        warp_destroy(d, w);
    frame_settle(d);
}

void frame_tick(struct div *div)
{
    struct frames *d = frames_of(div);
    int done = 0;
    d->called_at = d->host->now;
    while (done < d->due.count && d->due.data[done].cycle <= d->host->now)
        warp_follow(d, d->due.data[done++].warp);
    for (int i = done; i < d->due.count; i++)
        d->due.data[i - done] = d->due.data[i];
    d->due.count -= done;
    if (d->deadline && d->deadline <= d->host->now)
        meeting_close_due(d);
    if (d->due.count)
        d->host->calls.tick_at(d->host, d->due.data[0].cycle);
    if (d->deadline)
        d->host->calls.tick_at(d->host, d->deadline);
    if (d->idle_next > d->host->now)
        d->host->calls.tick_at(d->host, d->idle_next);
}
