/* Warps of compaction frames (frame.h): their threads by home slot, their strands and stacks, and how a warp is split.
 * This file decides nothing about meetings and paths. */
#include "base/diag.h"
#include "base/inline.h"
#include "div/parts/frame_internal.h"

uint64_t warp_slots_among(struct frames *d, const struct frame_warp *w, const struct threads *t)
{
    uint64_t slots = 0;
    for (int i = 0; i < t->count; i++) {
        uint32_t own = threads_of_row(&w->threads, t->part[i].row) & t->part[i].mask;
        if (own)
            slots |= d->host->calls.slots(d->host, t->part[i].row, own);
    }
    return slots;
}

/* Lanes of the part whose home slots are in `slots`. */
static uint32_t lanes_of(struct frames *d, const struct part *part, uint64_t slots)
{
    uint32_t lanes = 0;
    for (uint32_t left = part->mask; left; left &= left - 1)
        if (d->host->calls.slots(d->host, part->row, left & -left) & slots)
            lanes |= left & -left;
    return lanes;
}

/* warp_threads() where home slots are not lanes. */
static __attribute__((noinline)) void threads_in_slots(struct frames *d, const struct frame_warp *w, uint64_t slots,
                                                       struct threads *out)
{
    out->count = 0;
    for (int i = 0; i < w->threads.count; i++) {
        uint64_t own = w->part_slots[i] & slots;
        if (own)
            out->part[out->count++] =
                (struct part){w->threads.part[i].row, own == w->part_slots[i] ? w->threads.part[i].mask
                                                                              : lanes_of(d, &w->threads.part[i], own)};
    }
}

void warp_threads(struct frames *d, const struct frame_warp *w, uint64_t slots, struct threads *out)
{
    int count = 0;
    if (UNLIKELY(!d->plain)) {
        threads_in_slots(d, w, slots, out);
        return;
    }
    for (int i = 0; i < w->threads.count; i++) { /* no branch on masks: the host could not predict it */
        const uint32_t own = w->threads.part[i].mask & (uint32_t)slots;
        out->part[count] = (struct part){w->threads.part[i].row, own};
        count += own != 0;
    }
    out->count = count;
}

static void set_threads(struct frames *d, struct frame_warp *w, const struct threads *t)
{
    threads_copy(&w->threads, t);
    for (int i = 0; !d->plain && i < t->count; i++)
        w->part_slots[i] = d->host->calls.slots(d->host, t->part[i].row, t->part[i].mask);
}

/* A warp that no frame has had before, with room for the stack entries and visits that most warps have. */
static struct frame_warp *new_warp(struct frames *d)
{
    const size_t bytes = sizeof(struct frame_warp) + (d->plain ? 0 : STRAND_MAX_PARTS * sizeof(uint64_t));
    struct frame_warp *w = memset(xmalloc_lines(bytes), 0, bytes);
    vec_reserve(&w->stack, 4);
    if (d->policy->visited)
        vec_reserve(&w->visits, 4);
    w->index = d->warps.count;
    vec_push(&d->warps, NULL);
    return w;
}

struct frame_warp *warp_create(struct frames *d, struct frame *f, const struct threads *t)
{
    struct frame_warp *w = d->free_warps.count ? d->free_warps.data[--d->free_warps.count] : new_warp(d);
    d->warps.data[w->index] = w;
    w->strand = NULL;
    w->frame = f;
    w->state = WARP_RUNS;
    w->mixed = false;
    w->meeting = NULL;
    w->place = f->warps.count;
    w->witnessed = 0;
    w->stack.count = w->visits.count = 0;
    w->issued = 0;
    w->usage = (struct stack_usage){0};
    d->residents += frame_is_root(f);
    if (d->residents > d->most_residents)
        d->most_residents = d->residents;
    vec_push(&f->warps, w);
    set_threads(d, w, t);
    return w;
}

void warp_leave_strand(struct frames *d, struct frame_warp *w)
{
    struct strand *s = w->strand;
    if (!s)
        return;
    w->strand = NULL;
    d->of_strand.data[s->id] = NULL;
    warp_buffer_give(w->frame->buffer, s->lineage);
    d->host->calls.retire(d->host, s);
}

/* Ends the visits whose branch has reconverged. */
static void end_visits(struct frames *d, struct frame_warp *w)
{
    while (w->visits.count && w->stack.count <= w->visits.data[w->visits.count - 1].height) {
        const struct frame_visit *v = &w->visits.data[--w->visits.count];
        d->policy->visited(d, v, w->issued - v->issued, true);
    }
}

void warp_destroy(struct frames *d, struct frame_warp *w)
{
    while (w->visits.count)
        d->policy->visited(d, &w->visits.data[--w->visits.count], 0, false);
    struct frame *f = w->frame;
    warp_leave_strand(d, w);
    d->residents -= frame_is_root(f);
    struct frame_warp *last = f->warps.data[--f->warps.count];
    meeting_forget(f, w, last);
    f->warps.data[w->place] = last;
    last->place = w->place;
    d->warps.data[w->index] = NULL;
    vec_push(&d->free_warps, w);
    frame_changed(d, f);
}

/* Whether the warp's stack is finished. In a frame that is not a root, the lowest entry waits at the frame's RPC and
 * never runs. */
static bool is_through(const struct frame_warp *w)
{
    return w->stack.count == 0 || (!frame_is_root(w->frame) && w->stack.count == 1);
}

/* Whether a compacted warp must wait until its instructions are done before it dissolves. */
static bool drains_first(struct frames *d, struct frame_warp *w)
{
    return d->drain && w->mixed && w->strand && w->strand->threads.count && !d->host->calls.drain(d->host, w->strand);
}

/* Entries of the warp's stack, with those of the frames around it: the paths that have not run, and the entry that
 * waits at the RPC. The warp's own stack has that entry of the innermost frame. */
static int depth_of(const struct frame_warp *w)
{
    const struct frame *f = w->frame;
    int depth = w->stack.count + (frame_is_root(f) ? 0 : f->level - 1);
    for (; !frame_is_root(f); f = f->parent)
        depth += f->paths.count;
    return depth;
}

void warp_hold(struct frames *d, struct frame_warp *w, uint64_t wait)
{
    uint64_t from = d->host->now > d->not_now ? d->host->now : d->not_now;
    d->host->calls.hold(d->host, w->strand, from + wait);
}

/* Holds the warp's strand for the time of the stack operations since the last call. */
static void wait_for_stack(struct frames *d, struct frame_warp *w)
{
    if (!d->takes_time)
        return;
    uint64_t operations = stack_operations(&d->rules.counters);
    w->usage.operations = operations - d->timed;
    d->timed = operations;
    uint64_t wait = stack_time(&d->time, &d->counters.time, &w->usage, depth_of(w));
    if (wait)
        warp_hold(d, w, wait);
}

bool warp_follow(struct frames *d, struct frame_warp *w)
{
    if (w->visits.count)
        end_visits(d, w);
    if (is_through(w)) {
        if (drains_first(d, w))
            w->state = WARP_DRAINS;
        else
            warp_destroy(d, w);
        return false;
    }
    const struct stack_entry *top = stack_top(&w->stack);
    struct strand *s = w->strand;
    const bool is_same = s && w->running == top->mask;
    struct threads t;
    if (!is_same)
        warp_threads(d, w, top->mask, &t);
    w->state = WARP_RUNS;
    w->counted = top->at.pc;
    w->running = top->mask;
    if (s) {
        d->host->calls.assign(d->host, s, top->at.pc, top->at.depth, is_same ? &s->threads : &t);
        if (s->parked)
            d->host->calls.unpark(d->host, s);
        wait_for_stack(d, w);
        return true;
    }
    int32_t slot = warp_buffer_take(w->frame->buffer);
    w->strand = d->host->calls.create(d->host, top->at.pc, top->at.depth, &t, slot);
    while (d->of_strand.count <= w->strand->id)
        vec_push(&d->of_strand, NULL);
    d->of_strand.data[w->strand->id] = w;
    wait_for_stack(d, w);
    return true;
}

bool warp_branch(struct frames *d, struct frame_warp *w, const struct branch *branch, int32_t depth, struct path *paths,
                 int count)
{
    const bool runs_on = count == 1 && w->state == WARP_RUNS && !d->takes_time;
    if (runs_on && stack_goes_on(&w->stack, paths[0].to, paths[0].mask)) {
        const struct point to = paths[0].to;
        if (w->visits.count) /* warp_split() may have removed entries from the stack since */
            end_visits(d, w);
        w->stack.data[w->stack.count - 1].at = to;
        w->counted = to.pc;
        d->host->calls.assign(d->host, w->strand, to.pc, to.depth, &w->strand->threads);
        return true;
    }
    stack_branch(&w->stack, &d->rules, branch, PC_NONE, depth, paths, count);
    return warp_follow(d, w);
}

/* Removes threads outside `slots`, and entries without threads. The order of the other entries stays. */
static void keep_only(struct stack *s, uint64_t slots)
{
    int kept = 0;
    for (int i = 0; i < s->count; i++) {
        s->data[kept] = s->data[i];
        s->data[kept].mask &= slots;
        kept += s->data[kept].mask != 0;
    }
    s->count = kept;
}

/* If the top waits at the end of a function for threads that left the stack by the split, the top's threads return to
 * the caller. */
static void wake_returned(struct frames *d, struct frame_warp *w)
{
    if (is_through(w) || !point_is_end(stack_top(&w->stack)->at))
        return;
    const struct stack_entry *top = stack_top(&w->stack);
    stack_advance(&w->stack, &d->rules, (struct point){top->back, top->at.depth - 1});
}

struct frame_warp *warp_split(struct frames *d, struct frame_warp *w, uint64_t slots)
{
    struct threads gone, rest;
    const uint64_t all = warp_slots(d, &w->threads);
    warp_threads(d, w, slots, &gone);
    warp_threads(d, w, all & ~slots, &rest);
    struct frame_warp *v = warp_create(d, w->frame, &gone);
    for (int i = 0; i < w->stack.count; i++)
        vec_push(&v->stack, w->stack.data[i]);
    keep_only(&v->stack, slots);
    keep_only(&w->stack, ~slots);
    set_threads(d, w, &rest);
    wake_returned(d, v);
    wake_returned(d, w);
    return v;
}
