/* Dual-path execution: checks, and its state in words; the rules are described in dpe.c. */
#include "base/diag.h"
#include "div/dpe/dpe.h"
#include "div/parts/control.h"

/* Masks are compared on live threads only: `exit` is reported after a thread has ended. */
static void check_path(struct dpe *d, const struct dpe_warp *w, struct dual_place place, uint64_t live)
{
    const struct dual_path *p = dual_path_at(&w->stack, place);
    const struct strand *s = p->strand;
    bool is_top = place.entry == w->stack.count - 1;
    bool runs = w->running[DUAL_LEFT] == s || w->running[DUAL_RIGHT] == s;
    if (!s) {
        if (is_top && p->mask & live)
            panic("a path of warp %d does not run", (int)w->at.place);
        return;
    }
    if ((static_warp_mask(&w->at, &s->threads) ^ p->mask) & live)
        panic("a strand of warp %d does not have its path's threads", (int)w->at.place);
    if (d->strands.data[s->id].path.entry != place.entry || d->strands.data[s->id].path.side != place.side)
        panic("a strand of warp %d is taken for another path's", (int)w->at.place);
    if (runs ? is_top && s->side != place.side : !s->parked)
        panic("a path of warp %d below the top runs, or one of the top runs on the wrong side", (int)w->at.place);
}

void dpe_check(struct div *div)
{
    struct dpe *d = dpe_of(div);
    for (int i = 0; i < d->warps.count; i++) {
        const struct dpe_warp *w = &d->warps.data[i];
        if (!w->stack.count && !w->held.all)
            continue;
        uint64_t live = static_warp_live(d->host, &w->at);
        if (!dual_is_sound(&w->stack))
            panic("the stack of warp %d is not in order", i);
        if (live & ~(dual_threads(&w->stack) | w->held.all) || dual_threads(&w->stack) & w->held.all)
            panic("warp %d lost threads: 0x%llx live, 0x%llx on its stack, 0x%llx at barriers", i,
                  (unsigned long long)live, (unsigned long long)dual_threads(&w->stack),
                  (unsigned long long)w->held.all);
        for (int32_t k = 0; k < w->stack.count; k++)
            for (int side = 0; side < DUAL_SIDES; side++)
                if (w->stack.data[k].path[side].mask)
                    check_path(d, w, (struct dual_place){k, side}, live);
    }
}

/* Prints a copy of the stack in which paths that run are where their strands are. */
static void print_stack(const struct dual_stack *stack, const struct program *p, int width, struct text *out)
{
    struct dual_stack shown = {0};
    for (int i = 0; i < stack->count; i++) {
        struct dual_entry e = stack->data[i];
        for (int side = 0; side < DUAL_SIDES; side++)
            if (e.path[side].mask && e.path[side].strand)
                e.path[side].at = control_block_of(p, e.path[side].strand);
        vec_push(&shown, e);
    }
    dual_print(&shown, p, width, out);
    vec_free(&shown);
}

void dpe_dump(struct div *div, struct text *out)
{
    struct dpe *d = dpe_of(div);
    const struct program *p = d->host->facts.program;
    for (int i = 0; i < d->warps.count; i++) {
        const struct dpe_warp *w = &d->warps.data[i];
        if (!w->stack.count && !w->held.all)
            continue;
        text_printf(out, "warp %d\n", (int)w->at.lineage);
        print_stack(&w->stack, p, d->host->facts.width, out);
        held_print(&w->held, d->host->facts.width, out);
    }
}

/* The highest entry that holds the thread says where it goes on. */
int32_t dpe_where(struct div *div, int32_t row, int lane)
{
    struct dpe *d = dpe_of(div);
    for (int i = 0; i < d->warps.count; i++) {
        const struct dpe_warp *w = &d->warps.data[i];
        uint64_t bit = w->stack.count ? static_warp_bit(d->host, &w->at, row, lane) : 0;
        for (int k = w->stack.count - 1; bit && k >= 0; k--)
            for (int side = 0; side < DUAL_SIDES; side++)
                if (w->stack.data[k].path[side].mask & bit)
                    return w->stack.data[k].path[side].at.pc;
    }
    return PC_NONE;
}
