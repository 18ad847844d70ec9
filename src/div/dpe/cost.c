/*
 * What dual-path execution costs (Rhu and Erez, HPCA 2013, section 6.5): longer stack entries, but fewer of them; two
 * scoreboards with shadow bits; twice the instruction buffers that the scheduler chooses from.
 *
 * The slides say that shadow bits add 7 to 14 % to the scoreboard, and not how an entry is made up. Two layouts reach
 * the ends of that range on a machine of 48 warps and 63 registers per thread: {register number, P} in a scoreboard of
 * each warp, which is 7 bits, and {valid, warp, register number, P} in one associative table for all warps, which is 14
 * (the slides: indexed with a register number and a warp ID). The sums below have the first.
 */
#include "div/parts/cost.h"
#include "div/dpe/dpe.h"

/* Most entries that the paper's programs used: of the single-path stack, and of the dual-path stack. */
enum { SEEN_SINGLE = 11, SEEN_DUAL = 7 };

void dpe_cost(struct cost *c)
{
    const struct cost_machine *m = c->machine;
    const struct dpe_knobs *knobs = c->knobs;
    bool in_software = knobs && knobs->stack == DPE_STACK_SOFTWARE;
    uint32_t entries = cost_dual_entries(cost_entries(c, 0));
    uint32_t register_bits = cost_scoreboard_bits(c) - 1;
    double single = 2.0 * COST_PC_BITS + m->warp_width;
    double dual = 2.0 * (COST_PC_BITS + m->warp_width) + (in_software ? 0 : COST_PC_BITS);
    cost_storage(c, "dual-path stacks", (double)m->warps * entries, dual,
                 in_software ? "N x ceil(7/11 D) entries of 2 (PC + W); RPC is in software"
                             : "N x ceil(7/11 D) entries of 2 (PC + W) + RPC",
                 in_software ? COST_DPE ", sections 6.5, 7" : COST_DPE ", section 6.5: 160 bits for W = 32");
    cost_storage(c, "scoreboards", 2.0 * m->warps * cost_scoreboard_entries(c), cost_scoreboard_bits(c),
                 "twice pdom's: one per path", COST_DPE ", section 6.5");
    cost_storage(c, "shadow bits", 2.0 * m->warps * cost_scoreboard_entries(c), 1, "one per scoreboard entry",
                 COST_DPE ", section 6.5");
    cost_storage(c, "instruction buffers", 2.0 * m->warps * m->ibuffer_entries, COST_INSTRUCTION_BITS,
                 "twice pdom's: instructions of both paths", COST_DPE ", section 6.5");
    cost_l0(c);
    cost_figure(c, "single-path entry", single, "bits", "PC + RPC + W", COST_DPE ", section 6.5: 96");
    cost_figure(c, "dual-path entry", dual, "bits", in_software ? "2 (PC + W)" : "2 (PC + W) + RPC",
                COST_DPE ", section 6.5: 160");
    cost_figure(c, "stack, single, as used", SEEN_SINGLE * single, "bits", "11 entries, the most that was seen",
                COST_DPE ", section 6.5");
    cost_figure(c, "stack, dual, as used", SEEN_DUAL * dual, "bits", "7 entries, the most that was seen",
                COST_DPE ", section 6.5");
    cost_figure(c, "shadow bits, most", 100.0 / (register_bits + 1), "%", "1 of {register number, P}",
                COST_DPE ", section 6.5: 7 to 14 %; layout: heddle's reading");
    cost_figure(c, "shadow bits, least", 100.0 / (1 + cost_bits(m->warps) + register_bits + 1), "%",
                "1 of {valid, warp, register number, P}",
                COST_DPE ", section 6.5: 7 to 14 %; layout: heddle's reading");
}
