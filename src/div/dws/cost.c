/*
 * What dynamic warp subdivision costs: a warp-split table beside pdom's stacks (Rhu and Erez, HPCA 2013, section 2: PC,
 * active mask and reconvergence PC per split), and an entry of the scheduler for each split (Rogers et al., ISCA 2015,
 * section 7.2). The size of the table is heddle's knob; the texts at hand give none.
 */
#include "div/parts/cost.h"
#include "div/dws/dws.h"

void dws_cost(struct cost *c)
{
    const struct cost_machine *m = c->machine;
    const struct dws_knobs *knobs = c->knobs;
    uint32_t splits = knobs->entries;
    cost_baseline(c, 0);
    cost_storage(c, "warp-split table", splits, 2.0 * COST_PC_BITS + m->warp_width + cost_bits(m->warps),
                 "dws.entries of PC + RPC + W + warp (log2 N)", COST_DPE ", section 2; warp number " COST_COUNTED);
    cost_storage(c, "split scoreboards", (double)splits * cost_scoreboard_entries(c), cost_scoreboard_bits(c),
                 "dws.entries scoreboards as a warp has", COST_COUNTED);
    cost_storage(c, "split buffers", (double)splits * m->ibuffer_entries, COST_INSTRUCTION_BITS,
                 "dws.entries instruction buffers as a warp has",
                 COST_VWS ", section 7.2: one scheduler entry per split");
    cost_logic(c, "PC comparator", splits, COST_PC_BITS, "dws.entries: splits of a warp at one PC merge", COST_COUNTED);
}
