/*
 * Which warps the thread compactor of Thread Block Compaction makes from threads of a block (Fung and Aamodt, HPCA
 * 2011, section 3).
 *
 * The compactor packs threads into as few warps as home slots allow. It takes the threads of each slot in order of
 * thread number: the n-th warp gets the n-th thread of each slot, so there are as many warps as the fullest slot has
 * threads. In hardware one priority encoder per slot gives one thread per cycle, so warp n appears n cycles after the
 * first. That timing is in div/parts/compactor.h; this file knows no time.
 */
#ifndef HEDDLE_DIV_PARTS_COMPACT_H
#define HEDDLE_DIV_PARTS_COMPACT_H

#include "div/parts/block_mask.h"

/* The number of warps that compaction makes: the number of threads in the fullest home slot. */
int compact_count(struct div_host *host, const struct block_mask *m, int32_t first_row, int rows);
/* Compacts the threads into `warps`, which has room for compact_count() of them. Returns the number of warps. */
int compact_threads(struct div_host *host, const struct block_mask *m, int32_t first_row, int rows,
                    struct threads *warps);
/* Groups the threads as at launch: one warp for each static warp that has any of them. Returns the number of warps, at
 * most the number of static warps of the block, for which `warps` must have room. */
int compact_static(struct div_host *host, const struct block_mask *m, int32_t first_row, int rows,
                   struct threads *warps);
/* The number of warps that compact_static() would make: what a mechanism without compaction runs these threads in. */
int compact_static_count(struct div_host *host, const struct block_mask *m, int rows);

struct compact_counters {
    uint64_t useful, useless; /* compactions that gave fewer warps than compact_static(), and those that did not */
    uint64_t warps_before, warps_after; /* sums over all compactions */
};

/* compact_threads(), or compact_static() if `stay`; counts the compaction. */
int compact_counted(struct div_host *host, const struct block_mask *m, int32_t first_row, int rows, bool stay,
                    struct threads *warps, struct compact_counters *counters);

#endif
