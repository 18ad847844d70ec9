/*
 * What a divergence mechanism costs in hardware: the structures of one multiprocessor that depend on the mechanism, as
 * terms with their formulas and sources. `cost` of struct div_ops fills them in; div/cost.h adds them up.
 *
 * A mechanism lists everything that differs between mechanisms: where threads wait (stacks, tables, barrier registers),
 * scoreboards and instruction buffers. Structures that the mechanism shares with all others (register file, caches,
 * decoders) are left out. So the difference between two mechanisms is what one needs beyond the other. Storage is in
 * bits. Logic is counted in units, since no paper gives gates. Area stands only where a paper gives one.
 *
 * Formulas use the papers' letters: T threads and N warps of a multiprocessor, W threads of a warp, p lanes of the
 * datapath, B resident blocks, S warps of the largest block, D entries of a reconvergence stack.
 */
#ifndef HEDDLE_DIV_CONTRACT_COST_H
#define HEDDLE_DIV_CONTRACT_COST_H

#include <stdbool.h>
#include <stdint.h>

struct cost_machine {
    uint32_t threads, warps, warp_width, simd_width; /* T, N, W, p */
    uint32_t blocks, block_warps;                    /* B, S */
    uint32_t stack_entries;   /* D, for mechanisms whose own knobs set no number of stack entries */
    uint32_t ibuffer_entries; /* decoded instructions that a warp's buffer holds */
    bool tracks_registers;    /* scoreboards hold registers; otherwise one bit per warp says that it is in flight */
    uint32_t l0_bytes, l1i_bytes, sm_count;
    bool has_l0; /* the machine has an L0 instruction cache for whole warps, whatever the mechanism */
};

enum cost_kind {
    COST_STORAGE, /* `count` items of `each` bits */
    COST_LOGIC,   /* `count` units, each `each` bits wide */
    COST_FIGURE   /* a figure that a paper prints, in `unit`; `each` is 0, and sums leave it out */
};

struct cost_term {
    enum cost_kind kind;
    const char *name;
    double count, each;
    const char *unit; /* COST_FIGURE only */
    const char *formula, *source;
};

enum { COST_MOST_TERMS = 16 };

/* The caller of `cost` sets the first two members and zeroes the rest. */
struct cost {
    const struct cost_machine *machine;
    const void *knobs; /* the mechanism's knobs; NULL: it has none */
    int count;
    struct cost_term terms[COST_MOST_TERMS];
    const char *none; /* why the mechanism has no cost, in a few words; NULL: it has one */
    /* Area that the paper gives. A negative percentage: the paper does not relate the area to a multiprocessor. */
    bool has_area;
    bool area_is_bound; /* the paper says only that the area is far below this */
    double area_mm2, area_percent;
};

#endif
