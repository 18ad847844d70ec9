/* Checks and printed state of compaction frames (frame.h). Changes nothing. */
#include "base/diag.h"
#include "div/parts/frame_internal.h"

/* ---- checks ---- */

/* Adds lanes of a row to those seen so far; panics if one of them was seen before. */
static void see(uint32_t *seen, int32_t row, uint32_t mask)
{
    if (*seen & mask)
        panic("threads 0x%x of row %d are in two places", *seen & mask, (int)row);
    *seen |= mask;
}

static void check_warp(struct frames *d, const struct frame_warp *w)
{
    const struct stack_entry *top = stack_top(&w->stack);
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

/* Open meetings of the frame whose witness is the warp or, if it is NULL, that have none. */
static int count_witnessed(const struct frame *f, const struct frame_warp *w)
{
    int count = 0;
    for (int i = 0; i < f->meetings.count; i++)
        count += f->meetings.data[i]->witness == w;
    return count;
}

static void check_frame(const struct frame *f)
{
    int searching = count_witnessed(f, NULL);
    if (f->searching != searching)
        panic("a frame of block %d searches %d witnesses, and counts %d", (int)f->block, searching, f->searching);
    for (int i = 0; i < f->warps.count; i++) {
        const struct frame_warp *w = f->warps.data[i];
        if (w->place != i || w->frame != f)
            panic("warp %d is not where its frame has it", (int)w->index);
        if (w->witnessed != count_witnessed(f, w))
            panic("warp %d is witness of %d meetings, and counts %d", (int)w->index, count_witnessed(f, w),
                  (int)w->witnessed);
    }
}

/* Panics unless every live thread of the row is in one warp, on one pending path, or in a member. */
static void check_row(struct frames *d, const struct frame *root, int32_t row)
{
    uint32_t seen = 0, waiting = 0;
    for (int i = 0; i < d->warps.count; i++) {
        const struct frame_warp *w = d->warps.data[i];
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
        check_frame(f);
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

/* A waiting warp is released by what other warps do, and what they do repeats as long as no warp diverges. Only where
 * warps diverge may the policy, or the order of arrivals, decide otherwise the next time. */
bool frame_comes(struct div *div, int32_t row, int lane, uint64_t since)
{
    struct frames *d = frames_of(div);
    (void)row, (void)lane;
    return d->due.count || d->deadline || d->diverged_at >= since;
}

void frame_why(struct div *div, const struct strand *s, struct text *out)
{
    struct frames *d = frames_of(div);
    const struct frame_warp *w = d->of_strand.data[s->id];
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
        const struct frame_warp *w = d->warps.data[i];
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

static void print_warp(struct frames *d, const struct frame_warp *w, struct text *out)
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
