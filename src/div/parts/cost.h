/*
 * Terms of hardware cost that several mechanisms share; div/contract/cost.h says what is counted.
 *
 * Widths that the papers give: PC, reconvergence PC and likely-convergence PC have 32 bits, so that a stack entry of a
 * warp of 32 has 96 (Rhu and Erez, HPCA 2013, section 6.5: 96 bits against 160). A decoded instruction has 128 bits,
 * and the scoreboard of a warp 56: eight entries of a register number (6 bits) and a pending bit (Rogers et al., ISCA
 * 2015, Table 2: 4 Kbit and 1800 bits for 32 warps; 32 times 56 is 1792). A stack has 32 entries where neither the
 * mechanism's knobs nor pdom's say otherwise (Zhang et al., 2016, section 4.2.5).
 */
#ifndef HEDDLE_DIV_PARTS_COST_H
#define HEDDLE_DIV_PARTS_COST_H

#include "div/contract/cost.h"

enum {
    COST_PC_BITS = 32,
    COST_INSTRUCTION_BITS = 128,
    COST_REGISTER_BITS = 6,      /* of a register number: up to 63 registers per thread, as on Fermi */
    COST_SCOREBOARD_ENTRIES = 8, /* per warp */
};

/* Sources: the papers as formulas cite them, and what no paper settles. */
#define COST_TBC     "HPCA 2011"
#define COST_DPE     "HPCA 2013"
#define COST_TSTBC   "TSTBC 2016"
#define COST_VWS     "ISCA 2015"
#define COST_COUNTED "counted from heddle's structure"

void cost_storage(struct cost *c, const char *name, double count, double each, const char *formula, const char *source);
void cost_logic(struct cost *c, const char *name, double count, double each, const char *formula, const char *source);
void cost_figure(struct cost *c, const char *name, double value, const char *unit, const char *formula,
                 const char *source);
/* Area that a paper gives; `percent` of a multiprocessor, or negative. */
void cost_area(struct cost *c, double mm2, double percent);
/* A paper says that the area is far below this many square millimetres. */
void cost_area_below(struct cost *c, double mm2);
/* The whole cost of mechanisms that no hardware could have. */
void cost_ideal(struct cost *c);

/* Bits that hold the numbers 0 to count - 1. */
uint32_t cost_bits(uint32_t count);
/* Entries of a stack: the mechanism's own knob, or the machine's where the knob leaves the number open (0). */
uint32_t cost_entries(const struct cost *c, uint32_t own);
/* Entries of a dual-path stack, which needs 7 where one with single paths needs 11 (HPCA 2013, section 6.5). */
uint32_t cost_dual_entries(uint32_t single);
/* Bits of a scoreboard entry, and entries of a warp's scoreboard. */
uint32_t cost_scoreboard_bits(const struct cost *c);
uint32_t cost_scoreboard_entries(const struct cost *c);

/* One stack per warp: entries of PC, RPC and active mask. */
void cost_warp_stacks(struct cost *c, uint32_t entries);
/* The L0 instruction cache of a machine that has one for whole warps. Mechanisms with slices have one per slice. */
void cost_l0(struct cost *c);
/* Scoreboards and instruction buffers of N warps, and the L0. */
void cost_front_end(struct cost *c);
/* All of pdom. `entries`: of a stack; 0: as the machine says. */
void cost_baseline(struct cost *c, uint32_t entries);
/* Likely-convergence points: LPC and LPos in each of `count` stack entries. */
void cost_likely(struct cost *c, double count, uint32_t entries);
/* One stack per block: entries of PC, RPC and a count of warps, and the masks of all blocks in one array of T bits per
 * entry. */
void cost_block_stacks(struct cost *c, uint32_t entries, uint32_t count_bits, const char *count_formula,
                       const char *source);
/* Thread block compaction beside its stacks: compactor, thread numbers of the warp buffer, row addresses per lane. */
void cost_compactor(struct cost *c);
/* Logic that judges compaction: a counter of threads per lane, and the largest of them. */
void cost_adequacy(struct cost *c);
/* All of multipath: tables of splits and of reconvergence points per warp, with room for as many splits as a warp can
 * have, and scoreboards that know each lane. ElTantawy et al., HPCA 2014, whose own figures are not at hand. */
void cost_split_tables(struct cost *c);
/* Dynamic warp formation: the pool of warps, the LUT that finds a warp by its PC (0 entries: a perfect one, not
 * counted), and no stacks. */
void cost_pool(struct cost *c, uint32_t lut_entries);

#endif
