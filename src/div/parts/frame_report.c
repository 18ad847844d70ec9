/* What frames say of themselves, and how they get out of a barrier that would never open. See frame.h. */
#include "base/diag.h"
#include "div/parts/frame_internal.h"

/* ---- idle cycles ---- */

enum { LONGEST_SPAN = 4096 }; /* that is counted to its end; a block that is stuck is not looked at for ever */

/* ---- a block in which no warp can run ---- */

static bool block_can_run(const struct frames *d, int32_t block)
{
    for (int i = 0; i < d->frames.count; i++) {
        const struct frame *f = d->frames.data[i];
        for (int k = 0; f->block == block && k < f->warps.count; k++)
            if (warp_can_run(f->warps.data[k]) || f->warps.data[k]->state == WARP_DRAINS)
                return true;
    }
    return false;
}

static bool start_pending_path(struct frames *d, int32_t block)
{
    for (int i = 0; i < d->frames.count; i++)
        if (d->frames.data[i]->block == block && frame_next_path(d, d->frames.data[i])) {
            d->counters.forced_paths++;
            return true;
        }
    return false;
}

/* Paths below one whose threads are at a barrier go on without it. */
static bool split_stack(struct frames *d, int32_t block)
{
    for (int i = 0; i < d->warps.count; i++) {
        struct warp *w = d->warps.data[i];
        if (!w || w->frame->block != block || w->state == WARP_MEMBER || w->state == WARP_MEETS ||
            w->state == WARP_DRAINS)
            continue;
        uint64_t below = stack_threads(&w->stack) & ~stack_top(&w->stack)->mask;
        if (!below)
            continue;
        d->counters.forced_splits++;
        struct warp *v = warp_split(d, w, below);
        if (warp_follow(d, v))
            meeting_note(d, v, 0);
        return true;
    }
    return false;
}

/* Threads that have not come to the frame's RPC. */
static void add_inside(struct frames *d, const struct frame *f, struct block_mask *mask)
{
    struct threads t;
    for (int i = 0; i < f->warps.count; i++) {
        warp_threads(d, f->warps.data[i], stack_threads(&f->warps.data[i]->stack), &t);
        block_mask_add(mask, f->first_row, &t);
    }
    for (int i = 0; i < f->pending.count; i++)
        mask->lanes[f->pending.data[i].row - f->first_row] |= f->pending.data[i].mask;
    for (int i = 0; i < d->frames.count; i++)
        if (d->frames.data[i]->parent == f)
            add_inside(d, d->frames.data[i], mask);
}

static void drop_member(struct frames *d, struct frame *f, int i)
{
    frame_leave(d, f, i);
    f->members.data[i] = f->members.data[--f->members.count];
}

/* Threads of a member that have come to the frame's RPC, or that wait on its stack for others in the frame,
 * go on without them. */
static bool split_member(struct frames *d, struct frame *f, int i, const struct block_mask *inside)
{
    struct member m = f->members.data[i];
    struct threads t;
    if (m.emptied) {
        drop_member(d, f, i);
        frame_resume(d, f, &m);
        return true;
    }
    uint64_t top = stack_top(&m.warp->stack)->mask, all = stack_threads(&m.warp->stack);
    warp_threads(d, m.warp, top, &t);
    for (int k = 0; k < t.count; k++)
        t.part[k].mask &= ~inside->lanes[t.part[k].row - f->first_row];
    uint64_t through = warp_slots(d, &t);
    if (through == all) {
        drop_member(d, f, i);
    } else if (through) {
        f->members.data[i].emptied = through == top;
        m.warp = warp_split(d, m.warp, through);
    } else if (all != top) {
        m.warp = warp_split(d, m.warp, all & ~top);
        m.emptied = true;
    } else {
        return false;
    }
    frame_resume(d, f, &m);
    return true;
}

static bool split_members(struct frames *d, int32_t block)
{
    for (int i = 0; i < d->frames.count; i++) {
        struct frame *f = d->frames.data[i];
        struct block_mask inside = {0};
        if (f->block != block || !f->members.count)
            continue;
        add_inside(d, f, &inside);
        for (int k = 0; k < f->members.count; k++)
            if (split_member(d, f, k, &inside)) {
                d->counters.forced_splits++;
                return true;
            }
    }
    return false;
}

static bool force(struct frames *d, int32_t block)
{
    return start_pending_path(d, block) || split_stack(d, block) || split_members(d, block);
}

/* Nothing issued in this cycle, for the first time or still. A strand may have been ready and what it needs busy, but
 * not for longer than an instruction or two hold the lanes: so the span is looked at again after that, and counts
 * if it has not ended. */
static void count_idle(struct frames *d)
{
    uint64_t now = d->host->now, hold = 2 * (uint64_t)(d->host->facts.width / d->host->facts.simd_width) + 2;
    if (now < d->idle_next && d->called_at == now)
        return; /* that may be why: the span may have begun before */
    if (now == d->idle_next)
        d->idle_cycles += now - d->idle_until;
    else
        d->idle_since = now;
    d->idle_until = now;
    if (now - d->idle_since >= LONGEST_SPAN)
        return;
    d->idle_next = now + hold + (now - d->idle_since) / 4;
    d->host->calls.tick_at(d->host, d->idle_next);
}

void frame_idle(struct div *div)
{
    struct frames *d = frames_of(div);
    if (d->policy->visited)
        count_idle(d);
    if (!d->waited)
        return;
    for (int i = 0; i < d->frames.count; i++) {
        int32_t block = d->frames.data[i]->block;
        while (frame_is_root(d->frames.data[i]) && !block_can_run(d, block) && force(d, block)) {
            d->parted_at = d->host->now;
            frame_settle(d);
            if (i >= d->frames.count)
                return;
        }
    }
}

/* ---- checks ---- */

static void see(uint32_t *seen, int32_t row, uint32_t mask)
{
    if (*seen & mask)
        panic("threads 0x%x of row %d are in two places", *seen & mask, (int)row);
    *seen |= mask;
}

static void check_warp(struct frames *d, const struct warp *w)
{
    const struct entry *top = stack_top(&w->stack);
    if (w->state == WARP_MEMBER)
        return;
    if (!top || !stack_is_sound(&w->stack))
        panic("the stack of warp %d is not in order", (int)w->index);
    if (!w->strand || w->state == WARP_DRAINS)
        return;
    struct threads t;
    warp_threads(d, w, top->mask, &t);
    for (int i = 0; i < t.count; i++) {
        uint32_t live = d->host->calls.row_live(d->host, t.part[i].row);
        if ((threads_of_row(&w->strand->threads, t.part[i].row) ^ t.part[i].mask) & live)
            panic("warp %d runs other threads than the top of its stack has", (int)w->index);
    }
}

static void check_row(struct frames *d, const struct frame *root, int32_t row)
{
    uint32_t seen = 0, waiting = 0;
    for (int i = 0; i < d->warps.count; i++) {
        const struct warp *w = d->warps.data[i];
        if (!w || w->frame->block != root->block || !threads_of_row(&w->threads, row))
            continue;
        struct threads t;
        warp_threads(d, w, stack_threads(&w->stack), &t);
        if (w->state == WARP_MEMBER)
            waiting |= threads_of_row(&t, row);
        else
            see(&seen, row, threads_of_row(&t, row));
    }
    for (int i = 0; i < d->frames.count; i++) {
        const struct frame *f = d->frames.data[i];
        for (int k = 0; f->block == root->block && k < f->pending.count; k++)
            if (f->pending.data[k].row == row)
                see(&seen, row, f->pending.data[k].mask);
    }
    uint32_t lost = d->host->calls.row_live(d->host, row) & ~(seen | waiting);
    if (lost)
        panic("threads 0x%x of row %d are lost", lost, (int)row);
}

void frame_check(struct div *div)
{
    struct frames *d = frames_of(div);
    for (int i = 0; i < d->warps.count; i++)
        if (d->warps.data[i])
            check_warp(d, d->warps.data[i]);
    for (int i = 0; i < d->frames.count; i++) {
        const struct frame *f = d->frames.data[i];
        for (int k = 0; k < f->warps.count; k++)
            if (f->warps.data[k]->place != k || f->warps.data[k]->frame != f)
                panic("warp %d is not where its frame has it", (int)f->warps.data[k]->index);
        for (int32_t row = f->first_row; frame_is_root(f) && row < f->first_row + f->rows; row++)
            check_row(d, f, row);
    }
    if (d->policy->check)
        d->policy->check(d);
}

/* ---- words ---- */

static int32_t pc_on_stack(const struct stack *s, uint64_t slot)
{
    for (int i = s->count - 1; i >= 0; i--)
        if (s->data[i].mask & slot)
            return s->data[i].at.pc;
    return PC_NONE;
}

/* A warp that waits is let go by what others do on their ways, which is the same each time as long as no warp parts: only
 * where some do may the policy, and who comes first, decide otherwise. */
bool frame_comes(struct div *div, int32_t row, int lane, uint64_t since)
{
    struct frames *d = frames_of(div);
    (void)row, (void)lane;
    return d->due.count || d->deadline || d->parted_at >= since;
}

void frame_why(struct div *div, const struct strand *s, struct text *out)
{
    struct frames *d = frames_of(div);
    const struct warp *w = d->of_strand.data[s->id];
    if (w->state == WARP_MEETS)
        text_printf(out, "in a meeting there, until no other warp of the block can come to that branch");
}

int32_t frame_where(struct div *div, int32_t row, int lane)
{
    struct frames *d = frames_of(div);
    struct threads one = {1, {{row, UINT32_C(1) << lane}}};
    for (int i = 0; i < d->frames.count; i++) {
        const struct frame *f = d->frames.data[i];
        for (int k = 0; k < f->pending.count; k++)
            if (f->pending.data[k].row == row && f->pending.data[k].mask & one.part[0].mask)
                for (int p = 0; p < f->paths.count; p++)
                    if (f->paths.data[p].id == f->pending.data[k].path)
                        return f->paths.data[p].to.pc;
    }
    for (int i = 0; i < d->warps.count; i++) {
        const struct warp *w = d->warps.data[i];
        if (!w || w->state == WARP_MEMBER)
            continue;
        uint64_t slot = warp_slots_among(d, w, &one);
        if (slot & stack_threads(&w->stack))
            return pc_on_stack(&w->stack, slot);
    }
    for (int i = 0; i < d->frames.count; i++)
        for (int k = 0; k < d->frames.data[i]->members.count; k++)
            if (warp_slots_among(d, d->frames.data[i]->members.data[k].warp, &one))
                return d->frames.data[i]->rpc.pc;
    return PC_NONE;
}

static void print_warp(struct frames *d, const struct warp *w, struct text *out)
{
    static const char *const states[] = {"",          " (about to start)", " (in a meeting)",
                                         " (drains)", " (at a barrier)",   " (waits for a frame)"};
    text_printf(out, "  warp %d%s:", (int)w->index, states[w->state]);
    for (int i = 0; i < w->threads.count; i++)
        text_printf(out, " row %d 0x%x", (int)w->threads.part[i].row, w->threads.part[i].mask);
    text_printf(out, "\n");
    stack_print(&w->stack, NULL, d->host->facts.program, d->host->facts.width, out);
}

static void print_frame(struct frames *d, const struct frame *f, struct text *out)
{
    text_printf(out, "block %d, frame at level %d", (int)f->block, f->level);
    if (!frame_is_root(f))
        text_printf(out, ", rpc %d@%d, %d members, %d paths to run", (int)f->rpc.pc, (int)f->rpc.depth,
                    f->members.count, f->paths.count);
    text_printf(out, "\n");
    for (int i = 0; i < f->meetings.count; i++) {
        const struct meeting *m = f->meetings.data[i];
        text_printf(out, "  meeting at %d@%d: %d came, %s\n", (int)m->pc, (int)m->depth, m->arrivals.count,
                    m->stalls ? "wait" : "went on");
    }
    for (int i = 0; i < f->warps.count; i++)
        print_warp(d, f->warps.data[i], out);
}

void frame_dump(struct div *div, struct text *out)
{
    struct frames *d = frames_of(div);
    for (int i = 0; i < d->frames.count; i++)
        print_frame(d, d->frames.data[i], out);
    if (d->policy->dump)
        d->policy->dump(d, out);
}
