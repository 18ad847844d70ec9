/*
 * What the mechanisms with block-wide stacks cost: tbc, tbc-lcp, tbc-dpe (Fung and Aamodt, HPCA 2011, sections 3.2 and
 * 7). tbc-dpe is no paper's: its stack is tbc's with two paths per entry.
 */
#include "div/parts/cost.h"
#include "div/tbc/tbc.h"

static uint32_t own_entries(const struct cost *c)
{
    const struct tbc_knobs *knobs = c->knobs;
    return cost_entries(c, knobs ? knobs->stack.entries : 0);
}

static void cost_rest(struct cost *c)
{
    cost_compactor(c);
    cost_front_end(c);
}

void tbc_cost(struct cost *c)
{
    cost_block_stacks(c, own_entries(c), cost_bits(c->machine->block_warps + 1), "B x D counts of 0 to S warps (WCnt)",
                      COST_TBC ", section 3.2; width " COST_COUNTED);
    cost_rest(c);
}

void tbc_cost_lcp(struct cost *c)
{
    uint32_t entries = own_entries(c);
    tbc_cost(c);
    cost_likely(c, (double)c->machine->blocks * entries, entries);
}

void tbc_cost_dpe(struct cost *c)
{
    const struct cost_machine *m = c->machine;
    uint32_t entries = cost_dual_entries(own_entries(c));
    cost_storage(c, "dual block stacks", (double)m->blocks * entries,
                 3 * COST_PC_BITS + 2.0 * cost_bits(m->block_warps + 1),
                 "B x ceil(7/11 D) entries of 2 (PC + WCnt) + RPC", COST_COUNTED);
    cost_storage(c, "mask array", entries, 2.0 * m->threads, "ceil(7/11 D) entries of 2 T bits", COST_COUNTED);
    cost_rest(c);
}
