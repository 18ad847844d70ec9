/* Slice warps (slice.h): starting them, and what branches and barriers do to their stacks. This file makes no
 * strands. */
#include "div/parts/slice.h"

#include "base/diag.h"

void slices_free(struct slices *s)
{
    for (int i = 0; i < s->all.count; i++) {
        vec_free(&s->all.data[i].stack);
        held_free(&s->all.data[i].held);
    }
    vec_free(&s->all);
}

static uint32_t live_of(const struct slices *s, const struct slice *slice)
{
    struct div_host *h = s->host;
    return h->calls.row_live(h, slice->row) >> slice->shift & bits_below((unsigned)s->width);
}

bool slice_start(struct slices *s, int32_t thread, int32_t warp)
{
    int32_t place = thread / s->width;
    vec_reserve(&s->all, place + 1);
    while (s->all.count <= place)
        s->all.data[s->all.count++] = (struct slice){0};
    struct slice *slice = &s->all.data[place];
    slice->strand = NULL;
    slice->row = thread / 32;
    slice->shift = thread % 32;
    slice->warp = warp;
    slice->stack.count = 0;
    uint32_t live = live_of(s, slice);
    if (live)
        stack_start(&slice->stack, &s->rules, s->host->facts.program->functions[0].first, live);
    return live;
}

void slice_branch(struct slices *s, struct slice *slice, struct point from, const struct outcome *outcomes, int count)
{
    const struct program *p = s->host->facts.program;
    int32_t listed = p->insns[from.pc].branch;
    struct path paths[STACK_MAX_THREADS];
    int used = 0;
    for (int i = 0; i < count; i++)
        used = path_add(paths, used,
                        (struct path){{outcomes[i].pc, outcomes[i].depth}, slice_mask(s, slice, &outcomes[i].threads)});
    stack_branch(&slice->stack, &s->rules, listed < 0 ? NULL : &p->branches[listed], PC_NONE, from.depth, paths, used);
}

bool slice_must_leave(const struct slices *s, const struct slice *slice)
{
    return live_of(s, slice) & ~(uint32_t)stack_top(&slice->stack)->mask;
}

void slice_leave(struct slices *s, struct slice *slice)
{
    uint64_t own = stack_top(&slice->stack)->mask;
    slice->strand = NULL;
    held_add(&slice->held, own);
    stack_exit(&slice->stack, &s->rules, own);
}

bool slice_return(struct slices *s, struct slice *slice, struct point at, uint32_t mask)
{
    uint64_t released = mask, some;
    bool any = false;
    while ((some = held_next(&slice->held, &released, at.depth))) {
        stack_return(&slice->stack, &s->rules, at, some);
        any = true;
    }
    return any;
}

void slice_check(const struct slices *s, const struct slice *slice)
{
    const struct stack_entry *top = stack_top(&slice->stack);
    uint64_t live = live_of(s, slice), held = slice->held.all;
    if (!top != !slice->strand)
        panic("a slice warp of row %d has a strand and no path, or a path and no strand", slice->row);
    if (!stack_is_sound(&slice->stack) || live & ~(stack_threads(&slice->stack) | held) ||
        stack_threads(&slice->stack) & held)
        panic("the stack of a slice warp of row %d is not in order, or has lost threads", slice->row);
    uint64_t running = slice->strand ? slice_mask(s, slice, &slice->strand->threads) : 0;
    if (top && (running ^ top->mask) & live)
        panic("a slice warp of row %d runs threads 0x%llx; the top of its stack has 0x%llx", slice->row,
              (unsigned long long)running, (unsigned long long)top->mask);
}
