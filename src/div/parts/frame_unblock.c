/*
 * What compaction frames (frame.h) do in cycles in which nothing issues. They count idle cycles for policies that want
 * visits. In a block that is stuck at a barrier they force threads to run on that wait for threads at the barrier.
 */
#include "div/parts/frame_internal.h"

/* Cycles of an idle span that are counted. The bound keeps a deadlock from asking for ticks for ever. */
enum { LONGEST_SPAN = 4096 };

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

/* Splits a warp whose top waits at a barrier: the paths below run on as a new warp. */
static bool split_stack(struct frames *d, int32_t block)
{
    for (int i = 0; i < d->warps.count; i++) {
        struct frame_warp *w = d->warps.data[i];
        if (!w || w->frame->block != block || w->state == WARP_MEMBER || w->state == WARP_MEETS ||
            w->state == WARP_DRAINS)
            continue;
        uint64_t below = stack_threads(&w->stack) & ~stack_top(&w->stack)->mask;
        if (!below)
            continue;
        d->counters.forced_splits++;
        struct frame_warp *v = warp_split(d, w, below);
        if (warp_follow(d, v))
            meeting_note(d, v, 0);
        return true;
    }
    return false;
}

/* Adds the threads that have not reached the frame's RPC. */
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

/* Splits a member. Those of its threads that have reached the frame's RPC run on; if there are none, those that wait
 * further down on its stack run on. `inside`: threads that have not reached the frame's RPC. False: all threads of the
 * member are inside the frame. */
static bool split_member(struct frames *d, struct frame *f, int i, const struct block_mask *inside)
{
    struct frame_member m = f->members.data[i];
    struct threads t;
    if (m.emptied) {
        drop_member(d, f, i);
        frame_resume(d, f, &m, 0);
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
    frame_resume(d, f, &m, 0);
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

/* Lets some threads of a stuck block run on; false: there are none. */
static bool force(struct frames *d, int32_t block)
{
    return start_pending_path(d, block) || split_stack(d, block) || split_members(d, block);
}

/* Counts cycles in which no strand was ready. Nothing issued in this cycle, but a strand may have been ready while its
 * unit was busy, for as long as one or two instructions occupy the lanes. So the span is looked at again after that
 * time, and is counted only if it has not ended. */
static void count_idle(struct frames *d)
{
    const uint64_t now = d->host->now;
    if (now < d->idle_next && d->called_at == now)
        return; /* a call to the mechanism in this cycle led to the call of `idle`: the span may have begun earlier */
    if (now == d->idle_next)
        d->idle_cycles += now - d->idle_until;
    else
        d->idle_since = now;
    d->idle_until = now;
    if (now - d->idle_since >= LONGEST_SPAN)
        return;
    d->idle_next = now + d->idle_hold + (now - d->idle_since) / 4;
    d->host->calls.tick_at(d->host, d->idle_next);
}

/* Nothing issued in this cycle: forces threads on in blocks that are stuck. */
static __attribute__((noinline)) void free_stuck_blocks(struct frames *d)
{
    for (int i = 0; i < d->frames.count; i++) {
        int32_t block = d->frames.data[i]->block;
        while (frame_is_root(d->frames.data[i]) && !block_can_run(d, block) && force(d, block)) {
            d->diverged_at = d->host->now;
            frame_settle(d);
            if (i >= d->frames.count)
                return;
        }
    }
}

void frame_idle(struct div *div)
{
    struct frames *d = frames_of(div);
    if (d->policy->visited)
        count_idle(d);
    if (d->waited)
        free_stuck_blocks(d);
}
