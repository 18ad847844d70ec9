/* Dynamic warp subdivision at barriers: a strand dissolves so that other threads of its warp can come to the barrier,
 * and returns as a split when the barrier opens. dws.c has the rules. */
#include "div/dws/dws.h"

/* All entries of the stack become deferred splits. Each keeps the threads that no entry or split above it has. */
static void dissolve_stack(struct dws *d, struct dws_warp *w)
{
    uint64_t above = w->waiting;
    for (int i = 0; i < w->splits.count; i++)
        above |= stack_threads(dws_inner_of(d, w->splits.data[i]));
    w->rpc = (struct point){PC_NONE, 0};
    w->deferred = 0;
    for (int i = w->stack.count - 1; i >= 0; i--) {
        struct stack_entry *e = &w->stack.data[i];
        uint64_t own = e->mask & ~above;
        above |= e->mask;
        e->mask = own;
        e->rpc = w->rpc;
        if (own && point_is_end(e->at)) /* its threads have returned from the function */
            e->at = (struct point){e->back, e->at.depth - 1};
        e->back = PC_NONE;
    }
    for (int i = 0; i < w->stack.count; i++)
        if (w->stack.data[i].mask)
            w->stack.data[w->deferred++] = w->stack.data[i];
    d->rules.counters.pops += (uint64_t)(w->stack.count - w->deferred);
    w->stack.count = w->deferred;
}

void dws_barrier(struct div *div, struct strand *s, int32_t block, int id)
{
    struct dws *d = dws_of(div);
    (void)block;
    (void)id;
    struct dws_warp *w = dws_warp_of(d, s);
    uint64_t own = static_warp_mask(&w->at, &s->threads), others = stack_threads(&w->stack) & ~w->waiting;
    for (int i = 0; i < w->splits.count; i++)
        others &= ~stack_threads(dws_inner_of(d, w->splits.data[i]));
    if (!w->strand)
        others |= stack_threads(dws_inner_of(d, s));
    others &= ~own;
    if (!others && s->waiting == s->size)
        return;
    d->counters.dissolved++;
    paths_passed(&d->paths, s, s->pc + 1, dws_path_count(w));
    dws_count_others(d, w, s);
    vec_push(&w->held, (struct dws_held){own, w->strand ? 0 : d->low.data[s->id]});
    w->waiting |= own;
    if (!w->strand) {
        const struct stack *inner = dws_inner_of(d, s);
        for (int i = 0; i < inner->count; i++)
            vec_push(&w->stack, inner->data[i]);
        d->rules.counters.pushes += (uint64_t)inner->count;
        dws_remove_split(d, w, s);
    }
    w->strand = NULL;
    d->host->calls.retire(d->host, s);
    dissolve_stack(d, w);
    dws_start_deferred(d, w);
}

/* Threads that one strand brought to the barrier go on as one split. */
static void release(struct dws *d, struct dws_warp *w, struct point at, uint64_t mask, int32_t low)
{
    dws_count_others(d, w, NULL);
    w->waiting &= ~mask;
    if (!dws_may_add(d, w)) {
        dws_defer(d, w, at, mask);
        return;
    }
    struct strand *s = dws_send(d, w, NULL, at, mask);
    dws_add_split(d, w, s, low);
    dws_try_merge(d, w, s);
    if (!w->strand && w->splits.count == 1)
        dws_reunite(d, w, w->splits.data[0]);
}

/* Releases threads of the warp, those of each dissolved strand together. */
static void release_held(struct dws *d, struct dws_warp *w, struct point at, uint64_t mask)
{
    int kept = 0, count = w->held.count;
    for (int i = 0; i < count && mask; i++) {
        struct dws_held *h = &w->held.data[i];
        uint64_t own = h->mask & mask;
        h->mask &= ~mask;
        if (own)
            release(d, w, at, own, h->low);
    }
    for (int i = 0; i < count; i++)
        if (w->held.data[i].mask)
            w->held.data[kept++] = w->held.data[i];
    w->held.count = kept;
}

void dws_released(struct div *div, int32_t pc, int32_t depth, const struct threads *threads)
{
    struct dws *d = dws_of(div);
    struct point at = {pc, depth};
    for (int i = 0; i < d->warps.count; i++) {
        struct dws_warp *w = &d->warps.data[i];
        struct threads own = {0};
        for (int k = 0; w->waiting && k < threads->count; k++)
            if (threads->part[k].row >= w->at.row && threads->part[k].row < w->at.row + w->at.rows)
                threads_add(&own, threads->part[k].row, threads->part[k].mask);
        release_held(d, w, at, static_warp_mask(&w->at, &own) & w->waiting);
    }
}
