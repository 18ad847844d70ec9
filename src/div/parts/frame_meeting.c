/*
 * Meetings of warps at a branch (frame.h explains meetings and frames): which warps may still arrive, what the warps
 * that arrived bring to each path, and how they run on, by themselves or in a frame. What to do with the warps of a
 * meeting is the policy's decision; this file only carries it out. What compaction would save is in frame_lanes.c.
 */
#include "base/diag.h"
#include "div/parts/frame_internal.h"

enum {
    /* Open meetings of one branch that warps pass without waiting. Bounds by how many passes through the branch the
     * first warp may be ahead of the last. */
    MOST_ROUNDS = 8,
    MOST_VISITS = 8 /* open visits per warp that are measured */
};

/* ---- which warps may still arrive ---- */

static bool bit_of(const uint64_t *bits, int i)
{
    return bits[(unsigned)i / 64] >> (i & 63) & 1;
}

static void set_bit(uint64_t *bits, int i)
{
    bits[(unsigned)i / 64] |= UINT64_C(1) << (i & 63);
}

static bool has_come(const struct meeting *m, const struct frame_warp *w)
{
    return (unsigned)w->place / 64 < (unsigned)m->came.count && bit_of(m->came.data, w->place);
}

static void set_come(struct meeting *m, const struct frame_warp *w)
{
    while (m->came.count <= w->place / 64)
        vec_push(&m->came, 0);
    set_bit(m->came.data, w->place);
}

/* Sets the bits of the basic blocks from which the branch can be reached without passing its reconvergence point. */
static void find_blocks(const struct program *p, const struct branch *b, uint64_t *bits)
{
    int32_t barred = b->ipdom == PC_NONE ? -1 : p->insns[b->ipdom].block, home = p->insns[b->pc].block;
    struct vec_of(int32_t) stack = {0};
    vec_push(&stack, home);
    set_bit(bits, home);
    while (stack.count) {
        const struct flow_block *block = &p->blocks[stack.data[--stack.count]];
        for (int i = 0; i < block->predecessor_count; i++) {
            int32_t from = block->predecessors[i];
            if (from == barred || bit_of(bits, from))
                continue;
            set_bit(bits, from);
            vec_push(&stack, from);
        }
    }
    vec_free(&stack);
}

/* The PCs from which a warp may arrive at the branch: those from which the branch can be reached without passing its
 * reconvergence point, and those of other functions, by a call or a return. By PC, so that one bit answers. */
static const uint64_t *reach_of(struct frames *d, int32_t site)
{
    if (d->reach.data[site])
        return d->reach.data[site];
    const struct program *p = d->host->facts.program;
    const struct branch *b = &p->branches[site];
    uint64_t *blocks = xcalloc((size_t)p->block_count / 64 + 1, sizeof *blocks);
    uint64_t *bits = xcalloc((size_t)p->insn_count / 64 + 1, sizeof *bits);
    find_blocks(p, b, blocks);
    for (int pc = 0; pc < p->insn_count; pc++)
        if (p->insns[pc].function != p->insns[b->pc].function || (pc != b->ipdom && bit_of(blocks, p->insns[pc].block)))
            set_bit(bits, pc);
    free(blocks);
    return d->reach.data[site] = bits;
}

/* Whether the warp, which has not arrived at the meeting, may still arrive. `reach`: reach_of() its branch. */
static bool may_come(const struct meeting *m, const uint64_t *reach, const struct frame_warp *w)
{
    if (!warp_can_run(w))
        return false;
    struct point at = w->state == WARP_DUE ? stack_top(&w->stack)->at : (struct point){w->strand->pc, w->strand->depth};
    return at.depth != m->depth || bit_of(reach, at.pc); /* at another depth: by a call or a return */
}

/* The warp is no longer the witness of the meeting, which searches for another. */
static void end_witness(struct meeting *m)
{
    m->witness->witnessed--;
    m->witness = NULL;
    m->frame->searching++;
}

void meeting_note_move(struct frames *d, struct frame_warp *w, int32_t old_depth)
{
    struct frame *f = w->frame;
    const struct strand *s = w->strand;
    for (int i = 0; i < f->meetings.count; i++) {
        struct meeting *m = f->meetings.data[i];
        if (s &&
            ((s->depth < m->depth && old_depth >= m->depth) || point_is_same((struct point){s->pc, s->depth}, m->rpc)))
            set_come(m, w); /* the warp has passed the branch without arriving */
        if (m->witness == w) {
            end_witness(m);
            frame_changed(d, f);
        }
    }
}

void meeting_forget(struct frame *f, const struct frame_warp *w, const struct frame_warp *last)
{
    for (int i = 0; i < f->meetings.count; i++) {
        struct meeting *m = f->meetings.data[i];
        if (m->witness == w)
            end_witness(m);
        if (has_come(m, last))
            set_come(m, w);
        else if (has_come(m, w))
            m->came.data[w->place / 64] &= ~(UINT64_C(1) << w->place % 64);
        if (has_come(m, last))
            m->came.data[last->place / 64] &= ~(UINT64_C(1) << last->place % 64);
    }
}

/* ---- opening and closing ---- */

/* A meeting with room for all warps of the frame, each of which has two sides. */
static struct meeting *new_meeting(const struct frame *f)
{
    struct meeting *m = memset(xmalloc_lines(sizeof *m), 0, sizeof *m);
    vec_reserve(&m->came, 1);
    vec_reserve(&m->arrivals, f->warps.count);
    vec_reserve(&m->paths, 2);
    vec_reserve(&m->sides, 2 * f->warps.count);
    return m;
}

static struct meeting *open_meeting(struct frames *d, struct frame *f, int32_t site, int32_t depth)
{
    const struct branch *b = &d->host->facts.program->branches[site];
    struct meeting *m = d->free_meetings.count ? d->free_meetings.data[--d->free_meetings.count] : new_meeting(f);
    m->frame = f;
    m->opened = NULL;
    m->pc = b->pc;
    m->depth = depth;
    m->site = site;
    m->rpc = (struct point){b->ipdom, depth};
    m->decided = m->stalls = m->closing = m->listed = false;
    m->deadline = 0;
    m->stage = STAGE_FIRST;
    m->serial = d->serial++;
    m->opened_at = d->host->now;
    m->witness = NULL;
    m->came.count = m->arrivals.count = m->paths.count = m->sides.count = 0;
    m->next = m->first_path = m->draining = 0;
    f->rpcs |= point_bit(m->rpc.pc);
    f->searching++;
    vec_push(&f->meetings, m);
    frame_changed(d, f);
    return m;
}

/* All warps of the meeting have run on. */
static void finish(struct frames *d, struct meeting *m)
{
    if (m->stalls && m->next != m->arrivals.count)
        panic("warps were left in a meeting");
    if (m->opened) {
        m->opened->feeding = false;
        frame_changed(d, m->opened);
    }
    vec_push(&d->free_meetings, m);
}

void meeting_close(struct frames *d, struct meeting *m)
{
    struct frame *f = m->frame;
    int i = 0;
    while (f->meetings.data[i] != m)
        i++;
    for (; i + 1 < f->meetings.count; i++)
        f->meetings.data[i] = f->meetings.data[i + 1];
    f->meetings.count--;
    f->rpcs = 0;
    for (i = 0; i < f->meetings.count; i++)
        f->rpcs |= point_bit(f->meetings.data[i]->rpc.pc);
    if (m->witness)
        end_witness(m);
    f->searching--;
    m->closing = true;
    if (m->arrivals.count)
        d->policy->closed(d, m);
    else
        d->counters.uniform_meetings++;
    if (!m->draining)
        finish(d, m);
}

void meeting_set_deadline(struct frames *d, struct meeting *m, uint64_t cycle)
{
    m->deadline = cycle;
    if (d->deadline && d->deadline <= cycle)
        return;
    d->deadline = cycle;
    d->host->calls.tick_at(d->host, cycle);
}

static struct meeting *find_due(struct frames *d)
{
    d->deadline = 0;
    for (int i = 0; i < d->frames.count; i++)
        for (int k = 0; k < d->frames.data[i]->meetings.count; k++) {
            struct meeting *m = d->frames.data[i]->meetings.data[k];
            if (!m->deadline)
                continue;
            if (m->deadline <= d->host->now)
                return m;
            if (!d->deadline || m->deadline < d->deadline)
                d->deadline = m->deadline;
        }
    return NULL;
}

void meeting_close_due(struct frames *d)
{
    struct meeting *m;
    while ((m = find_due(d))) {
        d->counters.deadlines++;
        meeting_close(d, m);
        frame_settle(d);
    }
}

/* The first of the frame's warps that have not come that may still come; NULL: none may. */
static struct frame_warp *find_witness(struct frames *d, const struct meeting *m)
{
    const struct frame *f = m->frame;
    const uint64_t *reach = reach_of(d, m->site);
    for (int first = 0; first < f->warps.count; first += 64) {
        const int count = f->warps.count - first;
        uint64_t left = ~(first / 64 < m->came.count ? m->came.data[first / 64] : 0);
        left &= count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
        for (; left; left &= left - 1) {
            struct frame_warp *w = f->warps.data[first + __builtin_ctzll(left)];
            if (may_come(m, reach, w))
                return w;
        }
    }
    return NULL;
}

bool meeting_settle(struct frames *d, struct frame *f)
{
    for (int i = 0; f->searching; i++) { /* the meetings before i have a witness */
        struct meeting *m = f->meetings.data[i];
        if (m->witness)
            continue;
        m->witness = find_witness(d, m);
        if (!m->witness) {
            meeting_close(d, m);
            return true;
        }
        m->witness->witnessed++;
        f->searching--;
    }
    return false;
}

/* ---- arriving ---- */

static int rank_of(const struct branch *b, struct point to)
{
    int rank = 0;
    while (rank < b->target_count && b->target[rank] != to.pc)
        rank++;
    return rank;
}

/* The index of the path to a point. A new path is inserted in the order of the branch's targets or, once warps have run
 * on, last. */
static int path_to(struct frames *d, struct meeting *m, struct point to)
{
    const struct branch *b = &d->host->facts.program->branches[m->site];
    int at = 0;
    for (int i = 0; i < m->paths.count; i++)
        if (point_is_same(m->paths.data[i], to))
            return i;
    while (at < m->paths.count && (m->next || rank_of(b, m->paths.data[at]) <= rank_of(b, to)))
        at++;
    vec_push(&m->paths, to);
    for (int i = m->paths.count - 1; i > at; i--)
        m->paths.data[i] = m->paths.data[i - 1];
    m->paths.data[at] = to;
    for (int i = 0; i < m->sides.count; i++)
        m->sides.data[i].path += m->sides.data[i].path >= at;
    return at;
}

static void add_arrival(struct frames *d, struct meeting *m, struct frame_warp *w, const struct path *paths, int count)
{
    const int first = m->sides.count, before = m->arrivals.count;
    const uint64_t now = d->host->now, sum = before ? m->arrivals.data[before - 1].since_sum : 0;
    d->diverged_at = now;
    for (int i = 0; i < count; i++) {
        int path = point_has_reached(paths[i].to, m->rpc) ? -1 : path_to(d, m, paths[i].to);
        vec_push(&m->sides, (struct meeting_side){before, path, paths[i].to, paths[i].mask});
    }
    vec_push(&m->arrivals, (struct meeting_arrival){w, now, sum + now, first, count});
}

/* Opens a visit of the warp to the branch `site`. All iterations of a loop are one visit. */
static void note_visit(struct frames *d, struct frame_warp *w, int32_t site, int32_t depth, int sides)
{
    struct point rpc = {d->host->facts.program->branches[site].ipdom, depth};
    int height = w->stack.count - point_is_same(stack_top(&w->stack)->rpc, rpc);
    for (int i = 0; i < w->visits.count; i++)
        if (w->visits.data[i].site == site) {
            w->visits.data[i].sides += (uint32_t)sides;
            return;
        }
    if (w->visits.count == MOST_VISITS)
        return;
    d->policy->visits(d, site);
    vec_push(&w->visits, (struct frame_visit){site, height, d->host->now, w->issued, (uint32_t)sides});
}

/* The warp leaves the branch without waiting: its own stack handles the divergence. */
static void go_by_itself(struct frames *d, struct frame_warp *w, int32_t site, int32_t depth, struct path *paths,
                         int count)
{
    if (d->policy->visited && count > 1)
        note_visit(d, w, site, depth, count);
    if (warp_branch(d, w, &d->host->facts.program->branches[site], depth, paths, count))
        meeting_note(d, w, depth);
}

/* Whether a side is at the reconvergence point of the warp's own entry, but not at that of the branch. This happens
 * where exits moved reconvergence points (flow/reconvergence.c). The warp's own stack handles such a side; a frame
 * cannot. */
static bool leaves_early(const struct frame_warp *w, const struct meeting *m, const struct path *paths, int count)
{
    struct point rpc = stack_top(&w->stack)->rpc;
    for (int i = 0; i < count && !point_is_same(rpc, m->rpc); i++)
        if (point_has_reached(paths[i].to, rpc) && !point_has_reached(paths[i].to, m->rpc))
            return true;
    return false;
}

/* The meeting that the warp joins. If warps do not wait, each pass of a warp through the branch belongs to the next
 * meeting, so that every meeting is judged over all warps. If warps wait, a warp that is an iteration ahead joins
 * them. */
static struct meeting *find_round(struct frames *d, struct frame *f, const struct frame_warp *w, int32_t site,
                                  int32_t depth)
{
    struct meeting *oldest = NULL;
    int rounds = 0;
    for (int i = 0; i < f->meetings.count; i++) {
        struct meeting *m = f->meetings.data[i];
        if (m->site != site || m->depth != depth)
            continue;
        if (!has_come(m, w) || m->stalls)
            return m;
        if (!rounds++)
            oldest = m;
    }
    if (rounds == MOST_ROUNDS)
        meeting_close(d, oldest);
    return open_meeting(d, f, site, depth);
}

void meeting_join(struct frames *d, struct frame_warp *w, int32_t site, struct path *paths, int count)
{
    int32_t depth = w->strand->depth;
    struct meeting *m = find_round(d, w->frame, w, site, depth);
    bool diverges = count > 1;
    set_come(m, w);
    if ((!diverges && d->filter) || leaves_early(w, m, paths, count)) {
        go_by_itself(d, w, site, depth, paths, count);
        return;
    }
    if (!m->decided) {
        m->decided = true;
        m->stalls = d->policy->stalls(d, m);
    }
    add_arrival(d, m, w, paths, count);
    if (!m->stalls) {
        go_by_itself(d, w, site, depth, paths, count);
        return;
    }
    d->host->calls.park(d->host, w->strand);
    w->state = WARP_MEETS;
    meeting_note(d, w, depth);
    if (d->policy->came)
        d->policy->came(d, m);
}

void meeting_count(struct frames *d, bool stalled, bool adequate)
{
    struct frame_counters *c = &d->counters;
    *(stalled ? (adequate ? &c->stall_stall : &c->stall_bypass) : (adequate ? &c->bypass_stall : &c->bypass_bypass)) +=
        1;
}

/* ---- running on ---- */

static void end_wait(struct frames *d, const struct meeting_arrival *a)
{
    d->counters.waits++;
    d->counters.wait_cycles += d->host->now - a->since;
}

void meeting_release(struct frames *d, struct meeting *m)
{
    for (; m->next < m->arrivals.count; m->next++) {
        const struct meeting_arrival *a = &m->arrivals.data[m->next];
        struct path paths[STACK_MAX_THREADS];
        for (int i = 0; i < a->side_count; i++)
            paths[i] = (struct path){m->sides.data[a->first_side + i].to, m->sides.data[a->first_side + i].mask};
        end_wait(d, a);
        go_by_itself(d, a->warp, m->site, m->depth, paths, a->side_count);
    }
}

/* Whether the warp has nothing else to do before the RPC of its frame, which is also that of the branch. */
static bool may_dissolve(const struct frame_warp *w, struct point rpc)
{
    return !frame_is_root(w->frame) && w->stack.count == 2 && point_is_same(stack_top(&w->stack)->rpc, rpc);
}

static bool all_may_dissolve(const struct meeting *m)
{
    for (int i = m->next; i < m->arrivals.count; i++)
        if (!may_dissolve(m->arrivals.data[i].warp, m->rpc))
            return false;
    return true;
}

/* The frame in which the warps of the meeting run on: their own, or a new one. */
static struct frame *choose_frame(struct frames *d, struct meeting *m)
{
    struct frame *f = m->frame;
    if (m->opened)
        return m->opened;
    bool alone = f->warps.count == m->arrivals.count - m->next && !f->children && !f->feeding;
    if (all_may_dissolve(m) && m->closing && (m->paths.count == 1 || alone)) {
        m->first_path = f->next_path;
        d->counters.reused_frames++;
        return f;
    }
    m->opened = frame_open(d, f, m->rpc);
    m->opened->site = m->site;
    m->opened->feeding = true;
    return m->opened;
}

static void become_member(struct frames *d, struct frame *f, const struct meeting *m, const struct meeting_arrival *a)
{
    int32_t back = PC_NONE;
    for (int i = 0; i < a->side_count; i++)
        if (m->sides.data[a->first_side + i].path < 0)
            back = m->sides.data[a->first_side + i].to.pc;
    warp_leave_strand(d, a->warp);
    a->warp->state = WARP_MEMBER;
    vec_push(&f->members, (struct frame_member){a->warp, back, false, m->run_at});
}

/* An arrived warp hands its threads to the paths of the frame. The warp itself dissolves or becomes a member. */
static void bring(struct frames *d, struct frame *f, struct meeting *m, const struct meeting_arrival *a)
{
    int32_t group = f->groups++;
    for (int i = 0; i < a->side_count; i++) {
        const struct meeting_side *side = &m->sides.data[a->first_side + i];
        struct threads t;
        if (side->path < 0)
            continue;
        warp_threads(d, a->warp, side->mask, &t);
        frame_add_pending(f, m->first_path + side->path, group, &t);
    }
    end_wait(d, a);
    if (may_dissolve(a->warp, m->rpc))
        warp_destroy(d, a->warp);
    else
        become_member(d, f, m, a);
}

static struct frame_path *find_path(struct frame *f, int32_t id)
{
    for (int i = 0; i < f->paths.count; i++)
        if (f->paths.data[i].id == id)
            return &f->paths.data[i];
    return NULL;
}

/* Lists the paths after the first; the next one to run is last. Once the list exists, new paths run after all
 * others. */
static void list_paths(struct frame *f, struct meeting *m, enum path_rule rule)
{
    for (int i = m->paths.count - 1; i > 0; i--) {
        struct frame_path path = {m->paths.data[i], m->first_path + i, m->site, 0, rule};
        struct frame_path *known = find_path(f, path.id);
        meeting_lanemax(m, i, 0, &path.before);
        if (known) {
            *known = path;
            continue;
        }
        vec_push(&f->paths, path);
        for (int k = f->paths.count - 1; m->listed && k > 0; k--) {
            f->paths.data[k] = f->paths.data[k - 1];
            f->paths.data[k - 1] = path;
        }
    }
    m->listed = true;
    f->next_path = m->first_path + m->paths.count;
}

/* All waiting warps of the meeting enter a frame, and the frame's first path starts. */
static void run(struct frames *d, struct meeting *m, bool compact, enum path_rule later)
{
    struct frame *f = choose_frame(d, m);
    int members = f->members.count;
    for (; m->next < m->arrivals.count; m->next++)
        bring(d, f, m, &m->arrivals.data[m->next]);
    if (d->policy->entered)
        d->policy->entered(d, f, f->members.count - members);
    d->rules.counters.pushes += m->listed ? 0 : (uint64_t)m->paths.count; /* one entry per path */
    list_paths(f, m, later);
    if (m->paths.count)
        frame_start_path(d, f, m->first_path, m->paths.data[0], compact);
}

/* Asks the pipeline to finish the instructions of the waiting warps; meeting_drained() follows for each. */
static void drain(struct frames *d, struct meeting *m)
{
    for (int i = m->next; i < m->arrivals.count; i++) {
        struct frame_warp *w = m->arrivals.data[i].warp;
        if (d->host->calls.drain(d->host, w->strand))
            continue;
        w->state = WARP_DRAINS;
        w->meeting = m;
        m->draining++;
    }
}

void meeting_run(struct frames *d, struct meeting *m, bool compact, enum path_rule later)
{
    if (compact && d->drain)
        drain(d, m);
    m->later = later;
    m->run_at = d->host->now;
    if (!m->draining)
        run(d, m, compact, later);
}

void meeting_drained(struct frames *d, struct meeting *m)
{
    if (--m->draining)
        return;
    run(d, m, true, m->later);
    finish(d, m);
}
