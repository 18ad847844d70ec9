/* Dual-path execution: which paths of a warp run, and as which strands; the rules are described in dpe.c. */
#include "div/dpe/dpe.h"

void dpe_share(struct dpe *d, const struct dpe_warp *w, bool forks)
{
    struct div_host *h = d->host;
    uint32_t lanes = bits_below((unsigned)(h->facts.width < 32 ? h->facts.width : 32)) << w->at.shift;
    for (int32_t row = w->at.row; row < w->at.row + w->at.rows; row++)
        (forks ? h->calls.fork : h->calls.join)(h, row, lanes);
}

void dpe_count_others(struct dpe *d, const struct dpe_warp *w, const struct strand *s)
{
    paths_look_all(&d->paths, w->running, DUAL_SIDES, s, w->active);
}

void dpe_let_run(struct dpe *d, struct strand *s, bool runs)
{
    if (s && s->parked == runs)
        (runs ? d->host->calls.unpark : d->host->calls.park)(d->host, s);
}

/* Returns the strand that runs the path at `place` on a side. A path without a strand gets `*spare`, which is NULL
 * then, or a new strand. */
static struct strand *run_path(struct dpe *d, struct dpe_warp *w, struct dual_place place, int side,
                               struct strand **spare)
{
    struct dual_path *p = dual_path_at(&w->stack, place);
    struct strand *s = p->strand;
    if (s && s->side != side)
        dpe_share(d, w, false);
    if (!s) {
        struct threads t;
        static_warp_threads(&w->at, p->mask, &t);
        s = *spare;
        *spare = NULL;
        if (s) {
            s->side = (uint8_t)side;
            d->host->calls.assign(d->host, s, p->at.pc, p->at.depth, &t);
        } else {
            s = d->host->calls.create(d->host, p->at.pc, p->at.depth, &t, w->at.lineage);
        }
        paths_start(&d->paths, s, p->at.pc);
        vec_extend(&d->strands, s->id + 1);
        d->strands.data[s->id] = (struct dpe_strand){w->at.place, place, false};
        p->strand = s;
    }
    /* `create` evaluated a new strand for the left side. Right after a fork both sides have the same bits. */
    s->side = (uint8_t)side;
    return s;
}

/* If the top entry has one path, the highest path below that can run takes the other side. */
static void forward(struct dpe *d, struct dpe_warp *w, struct strand **spare)
{
    struct dual_place old = w->forwarded;
    int top = w->stack.count - 1, free_side = w->running[DUAL_LEFT] ? DUAL_RIGHT : DUAL_LEFT;
    w->forwarded.entry = -1;
    if (!w->running[free_side]) {
        w->forwarded = dual_runnable_below(&w->stack, &d->counters.stack);
        if (w->forwarded.entry >= 0)
            w->running[free_side] = run_path(d, w, w->forwarded, free_side, spare);
    }
    bool is_same = w->forwarded.entry == old.entry && w->forwarded.side == old.side;
    d->counters.forwarded += w->forwarded.entry >= 0 && !is_same;
    if (old.entry >= 0 && old.entry < top && !is_same)
        dpe_let_run(d, dual_path_at(&w->stack, old)->strand, false);
}

void dpe_arrange(struct dpe *d, struct dpe_warp *w)
{
    struct strand *left = w->running[DUAL_LEFT], *right = w->running[DUAL_RIGHT];
    bool left_runs = left && !dpe_pops(d, left), right_runs = right && !dpe_pops(d, right);
    if (d->knobs.constrained && left_runs && right_runs) {
        left_runs = !left->parked || right->parked;
        right_runs = !left_runs;
    }
    dpe_let_run(d, left, left_runs);
    dpe_let_run(d, right, right_runs);
}

void dpe_follow(struct dpe *d, struct dpe_warp *w, struct strand *spare, int before)
{
    int top = w->stack.count - 1;
    w->running[DUAL_LEFT] = w->running[DUAL_RIGHT] = NULL;
    for (int i = before <= top ? before - 1 : top; i >= 0 && i < top; i++)
        for (int side = 0; side < DUAL_SIDES; side++)
            dpe_let_run(d, w->stack.data[i].path[side].strand, false);
    for (int side = 0; side < DUAL_SIDES && top >= 0; side++)
        if (w->stack.data[top].path[side].mask)
            w->running[side] = run_path(d, w, (struct dual_place){top, side}, side, &spare);
    if (d->knobs.forwarding && top >= 0)
        forward(d, w, &spare);
    w->active = !!w->running[DUAL_LEFT] + !!w->running[DUAL_RIGHT];
    paths_most(&d->paths, w->active);
    if (spare)
        d->host->calls.retire(d->host, spare);
    dpe_arrange(d, w);
}
