/*
 * What the mechanisms with pdom's stacks cost: pdom, pdom-lcp, bcc, scc.
 *
 * No text at hand gives figures for bcc and scc. Their logic is counted from what heddle models: bcc looks which groups
 * of p home slots are empty; scc moves threads to other lanes, so operands and results pass through crossbars.
 */
#include "div/parts/cost.h"
#include "div/pdom/pdom.h"

enum { OPERANDS = 3, DATA_BITS = 32 };

/* The number of stack entries that the knobs name; 0: they leave it open. */
static uint32_t own_entries(const struct cost *c)
{
    const struct pdom_knobs *knobs = c->knobs;
    return knobs ? knobs->stack.entries : 0;
}

void pdom_cost(struct cost *c)
{
    cost_baseline(c, own_entries(c));
}

void pdom_cost_lcp(struct cost *c)
{
    uint32_t entries = cost_entries(c, own_entries(c));
    cost_baseline(c, entries);
    cost_likely(c, (double)c->machine->warps * entries, entries);
}

void pdom_cost_bcc(struct cost *c)
{
    const struct cost_machine *m = c->machine;
    pdom_cost(c);
    cost_logic(c, "empty-group detector", (double)m->warp_width / m->simd_width, m->simd_width,
               "W / p groups of p bits of the active mask", COST_COUNTED);
}

void pdom_cost_scc(struct cost *c)
{
    const struct cost_machine *m = c->machine;
    pdom_cost(c);
    cost_logic(c, "priority encoder", m->simd_width, m->warp_width, "p encoders of W bits pick the next p threads",
               COST_COUNTED);
    cost_logic(c, "operand crosspoint", (double)OPERANDS * m->warp_width * m->simd_width, DATA_BITS,
               "three operands x W x p", COST_COUNTED);
    cost_logic(c, "result crosspoint", (double)m->warp_width * m->simd_width, DATA_BITS, "one result x p x W",
               COST_COUNTED);
}
