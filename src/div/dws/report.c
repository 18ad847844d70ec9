/* Dynamic warp subdivision: checks, and its state in words. dws.c has the rules. */
#include "base/diag.h"
#include "div/dws/dws.h"
#include "div/parts/control.h"

static void check_warp(struct dws *d, const struct dws_warp *w)
{
    int place = (int)w->at.place;
    uint64_t live = static_warp_live(d->host, &w->at), seen = 0;
    for (int i = 0; i < w->splits.count; i++) {
        const struct stack *inner = dws_inner_of(d, w->splits.data[i]);
        uint64_t own = stack_threads(inner), runs = static_warp_mask(&w->at, &w->splits.data[i]->threads);
        if (seen & own & live || !inner->count || !stack_is_sound(inner))
            panic("splits of warp %d share threads, or one has none", place);
        if ((runs ^ stack_top(inner)->mask) & live)
            panic("a split of warp %d does not run the top of its stack", place);
        if (dws_warp_of(d, w->splits.data[i]) != w)
            panic("a split of warp %d is taken for another's", place);
        seen |= own;
    }
    if (w->strand) {
        const struct stack_entry *top = stack_top(&w->stack);
        if (!top || !stack_is_sound(&w->stack))
            panic("the stack of warp %d is not in order", place);
        if ((static_warp_mask(&w->at, &w->strand->threads) ^ top->mask) & live)
            panic("warp %d does not run the top of its stack", place);
    }
    if (seen & w->waiting || (w->strand && (w->waiting || w->deferred)) || w->deferred > w->stack.count)
        panic("warp %d runs threads that wait, or its stack beside them", place);
    if (live & ~(seen | w->waiting | stack_threads(&w->stack)))
        panic("warp %d lost threads: 0x%llx live", place, (unsigned long long)live);
}

void dws_check(struct div *div)
{
    struct dws *d = dws_of(div);
    uint32_t used = 0;
    for (int i = 0; i < d->warps.count; i++) {
        const struct dws_warp *w = &d->warps.data[i];
        if (w->strand && w->splits.count)
            panic("warp %d runs its stack beside its splits", i);
        if (w->strand || w->splits.count || w->waiting)
            check_warp(d, w);
        used += (uint32_t)w->splits.count;
    }
    if (used != d->used)
        panic("%u splits, and %u entries of the table are taken", used, d->used);
}

static void print_split(struct dws *d, const struct dws_warp *w, const struct strand *s, struct text *out)
{
    const struct program *p = d->host->facts.program;
    const struct stack *inner = dws_inner_of(d, s);
    for (int i = 0; i < inner->count - 1; i++) {
        text_printf(out, "  inner ");
        point_print(inner->data[i].at, p, out);
        text_printf(out, " ");
        static_warp_print(inner->data[i].mask, d->host->facts.width, out);
        text_printf(out, "\n");
    }
    text_printf(out, "  split ");
    point_print(control_block_of(p, s), p, out);
    text_printf(out, " ");
    static_warp_print(static_warp_mask(&w->at, &s->threads), d->host->facts.width, out);
    text_printf(out, " ");
    point_print(w->rpc, p, out);
    text_printf(out, "\n");
}

void dws_dump(struct div *div, struct text *out)
{
    struct dws *d = dws_of(div);
    const struct program *p = d->host->facts.program;
    for (int i = 0; i < d->warps.count; i++) {
        const struct dws_warp *w = &d->warps.data[i];
        if (!w->strand && !w->splits.count && !w->waiting)
            continue;
        text_printf(out, "warp %d\n", (int)w->at.lineage);
        struct point here = w->strand ? control_block_of(p, w->strand) : (struct point){PC_NONE, 0};
        stack_print(&w->stack, w->strand ? &here : NULL, p, d->host->facts.width, out);
        for (int k = 0; k < w->splits.count; k++)
            print_split(d, w, w->splits.data[k], out);
        if (w->waiting) {
            text_printf(out, "  waiting ");
            static_warp_print(w->waiting, d->host->facts.width, out);
            text_printf(out, "\n");
        }
    }
}

/* The highest entry that holds the thread says where it goes on. */
static int32_t where_on(const struct stack *s, uint64_t bit)
{
    int k = s->count - 1;
    while (!(s->data[k].mask & bit))
        k--;
    return s->data[k].at.pc;
}

int32_t dws_where(struct div *div, int32_t row, int lane)
{
    struct dws *d = dws_of(div);
    for (int i = 0; i < d->warps.count; i++) {
        const struct dws_warp *w = &d->warps.data[i];
        uint64_t bit = w->strand || w->splits.count || w->waiting ? static_warp_bit(d->host, &w->at, row, lane) : 0;
        for (int k = 0; bit && k < w->splits.count; k++)
            if (stack_threads(dws_inner_of(d, w->splits.data[k])) & bit)
                return where_on(dws_inner_of(d, w->splits.data[k]), bit);
        if (bit && stack_threads(&w->stack) & bit)
            return where_on(&w->stack, bit);
    }
    return PC_NONE;
}
