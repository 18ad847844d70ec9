/* Terms of hardware cost that several mechanisms share. See cost.h. */
#include "div/parts/cost.h"

#include "base/diag.h"

static void add(struct cost *c, const struct cost_term *term)
{
    if (c->count == COST_MOST_TERMS)
        panic("a mechanism's cost has more than %d terms", COST_MOST_TERMS);
    c->terms[c->count++] = *term;
}

void cost_storage(struct cost *c, const char *name, double count, double each, const char *formula, const char *source)
{
    add(c, &(struct cost_term){COST_STORAGE, name, count, each, NULL, formula, source});
}

void cost_logic(struct cost *c, const char *name, double count, double each, const char *formula, const char *source)
{
    add(c, &(struct cost_term){COST_LOGIC, name, count, each, NULL, formula, source});
}

void cost_figure(struct cost *c, const char *name, double value, const char *unit, const char *formula,
                 const char *source)
{
    add(c, &(struct cost_term){COST_FIGURE, name, value, 0, unit, formula, source});
}

void cost_area(struct cost *c, double mm2, double percent)
{
    c->has_area = true;
    c->area_mm2 = mm2;
    c->area_percent = percent;
}

void cost_area_below(struct cost *c, double mm2)
{
    cost_area(c, mm2, -1);
    c->area_is_bound = true;
}

void cost_ideal(struct cost *c)
{
    c->none = "ideal: a bound, not hardware";
}

uint32_t cost_bits(uint32_t count)
{
    uint32_t bits = 0;
    while (bits < 32 && (uint64_t)1 << bits < count)
        bits++;
    return bits;
}

uint32_t cost_entries(const struct cost *c, uint32_t own)
{
    return own ? own : c->machine->stack_entries;
}

uint32_t cost_dual_entries(uint32_t single)
{
    return (single * 7 + 10) / 11;
}

uint32_t cost_scoreboard_bits(const struct cost *c)
{
    return c->machine->tracks_registers ? COST_REGISTER_BITS + 1 : 1;
}

uint32_t cost_scoreboard_entries(const struct cost *c)
{
    return c->machine->tracks_registers ? COST_SCOREBOARD_ENTRIES : 1;
}

void cost_warp_stacks(struct cost *c, uint32_t entries)
{
    const struct cost_machine *m = c->machine;
    cost_storage(c, "warp stacks", (double)m->warps * entries, 2.0 * COST_PC_BITS + m->warp_width,
                 "N x D entries of PC + RPC + W", COST_DPE ", section 6.5: 96 bits for W = 32");
}

void cost_l0(struct cost *c)
{
    if (c->machine->has_l0)
        cost_storage(c, "L0 cache", 1, 8.0 * c->machine->l0_bytes, "sm.l0_bytes", "the machine's");
}

void cost_front_end(struct cost *c)
{
    const struct cost_machine *m = c->machine;
    cost_storage(c, "scoreboards", (double)m->warps * cost_scoreboard_entries(c), cost_scoreboard_bits(c),
                 m->tracks_registers ? "N x 8 entries of register number 6 + pending bit"
                                     : "N x 1 bit: one instruction of a warp in flight",
                 m->tracks_registers ? COST_VWS ", Table 2: 1800 bits for 32 warps" : COST_TBC ", section 2.2");
    cost_storage(c, "instruction buffers", (double)m->warps * m->ibuffer_entries, COST_INSTRUCTION_BITS,
                 "N x sm.ibuffer decoded instructions", COST_VWS ", Table 2: 4 Kbit for 32 warps");
    cost_l0(c);
}

void cost_baseline(struct cost *c, uint32_t entries)
{
    cost_warp_stacks(c, cost_entries(c, entries));
    cost_front_end(c);
}

void cost_likely(struct cost *c, double count, uint32_t entries)
{
    cost_storage(c, "likely-convergence", count, COST_PC_BITS + cost_bits(entries),
                 "LPC + LPos (log2 D) in each stack entry", COST_TBC ", section 4");
}

void cost_block_stacks(struct cost *c, uint32_t entries, uint32_t count_bits, const char *count_formula,
                       const char *source)
{
    const struct cost_machine *m = c->machine;
    cost_storage(c, "block stacks", (double)m->blocks * entries, 2 * COST_PC_BITS, "B x D entries of PC + RPC",
                 COST_TBC ", section 3.2");
    cost_storage(c, "warp counts", (double)m->blocks * entries, count_bits, count_formula, source);
    cost_storage(c, "mask array", entries, m->threads, "D entries of T bits, which the blocks divide",
                 COST_TBC ", section 7: no more mask bits than warp stacks have");
}

void cost_compactor(struct cost *c)
{
    const struct cost_machine *m = c->machine;
    cost_storage(c, "warp buffer ids", (double)m->warps * m->warp_width, cost_bits(m->block_warps),
                 "N x W thread ids of log2 S bits: a thread keeps its lane, so its warp names it",
                 COST_TBC ", sections 3.2, 7; width " COST_COUNTED);
    cost_storage(c, "compactor masks", m->warp_width, m->block_warps, "W buffers of S bits, one per lane",
                 COST_TBC ", section 3.3");
    cost_logic(c, "priority encoder", m->warp_width, m->block_warps, "W encoders of S bits",
               COST_TBC ", section 7: of 32 bits for blocks of 1024 threads; together far below 1 mm2 in 65 nm");
    cost_logic(c, "register row address", m->simd_width, cost_bits(m->warps),
               "one per lane: the register file is banked by lane", COST_TBC ", section 7; width " COST_COUNTED);
    if (m->block_warps <= 32) /* what the paper synthesised */
        cost_area_below(c, 1);
}

void cost_adequacy(struct cost *c)
{
    const struct cost_machine *m = c->machine;
    cost_logic(c, "lane counter", m->warp_width, cost_bits(m->block_warps + 1), "W counters of 0 to S threads",
               COST_TSTBC ", section 3.4; width " COST_COUNTED);
    cost_logic(c, "count comparator", m->warp_width - 1.0, cost_bits(m->block_warps + 1),
               "W - 1 comparators of two counts", COST_TSTBC ", section 3.4; number " COST_COUNTED);
}

void cost_split_tables(struct cost *c)
{
    const struct cost_machine *m = c->machine;
    double w = m->warp_width;
    cost_storage(c, "split tables", m->warps * w, 2 * COST_PC_BITS + w + cost_bits(m->warp_width),
                 "N x W entries of PC + RPC + W + index of the reconvergence entry", COST_COUNTED);
    cost_storage(c, "reconvergence tables", m->warps * (w - 1), 2 * COST_PC_BITS + 2 * w,
                 "N x (W - 1) entries of PC + RPC + threads W + pending W", COST_COUNTED);
    cost_storage(c, "scoreboards", (double)m->warps * cost_scoreboard_entries(c), cost_scoreboard_bits(c) + w,
                 "as pdom's, with a mask of W lanes per entry", COST_COUNTED);
    cost_storage(c, "instruction buffers", (double)m->warps * m->ibuffer_entries, COST_INSTRUCTION_BITS,
                 "as pdom's: splits take the slots of idle warps", COST_COUNTED);
    cost_l0(c);
}

void cost_pool(struct cost *c, uint32_t lut_entries)
{
    const struct cost_machine *m = c->machine;
    double w = m->warp_width, slot = cost_bits(m->threads);
    cost_storage(c, "warp pool", m->threads, COST_PC_BITS + w * cost_bits(m->warps) + w + cost_bits(lut_entries),
                 "T slots of PC + W thread ids (log2 N) + occupancy W + LUT link",
                 COST_TBC ", section 3.2; " COST_COUNTED);
    if (lut_entries)
        cost_storage(c, "PC-warp LUT", lut_entries, COST_PC_BITS + slot + w,
                     "lut_entries of PC + pool slot (log2 T) + occupancy W", COST_TBC ", section 3.2; " COST_COUNTED);
    cost_storage(c, "free-slot queue", m->threads, slot, "T slot numbers (log2 T)", COST_COUNTED);
    cost_storage(c, "in-flight bits", m->threads, 1,
                 "T: a warp has one instruction in flight, so no registers are kept", COST_COUNTED);
    cost_storage(c, "instruction buffers", (double)m->warps * m->ibuffer_entries, COST_INSTRUCTION_BITS, "as pdom's",
                 COST_VWS ", Table 2: 4 Kbit for 32 warps");
    cost_l0(c);
    cost_logic(c, "register row address", m->simd_width, cost_bits(m->warps),
               "one per lane: the register file is banked by lane", COST_TBC ", section 7; width " COST_COUNTED);
    cost_logic(c, "lane conflict detector", 1, w, "W bits: lanes that are taken in the warp that the LUT names",
               COST_COUNTED);
}
