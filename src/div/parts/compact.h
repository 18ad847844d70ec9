/*
 * What the thread compactor of Thread Block Compaction makes of a block's threads (Fung and Aamodt, HPCA
 * 2011, section 3).
 *
 * It packs threads into as few warps as home slots allow: of each slot it takes one thread after the other,
 * in order of thread number, so the n-th warp has the n-th thread of each slot, and there are as many warps
 * as the fullest slot has threads. In hardware a priority encoder per slot gives one thread a cycle, so warp
 * n comes n cycles after the first: div/parts/compactor.h.
 */
#ifndef HEDDLE_DIV_PARTS_COMPACT_H
#define HEDDLE_DIV_PARTS_COMPACT_H

#include "div/parts/block_mask.h"

/* How many warps the compactor would make of them: the threads of the fullest home slot. */
int compact_count(struct div_host *host, const struct block_mask *m, int32_t first_row, int rows);
/* Makes them: `warps` must have room for compact_count(). Returns how many. */
int compact_threads(struct div_host *host, const struct block_mask *m, int32_t first_row, int rows,
                    struct threads *warps);
/* The threads as they are grouped at launch: a group for each static warp that has any. Returns how many; at
 * most one for each W threads of the block, or part of them, for which `warps` must have room. */
int compact_static(struct div_host *host, const struct block_mask *m, int32_t first_row, int rows,
                   struct threads *warps);
/* How many groups that would be: warps that mechanisms without compaction run these threads in. */
int compact_static_count(struct div_host *host, const struct block_mask *m, int rows);

struct compact_counters {
    uint64_t useful, useless; /* masks that became fewer warps than they have static ones, and others */
    uint64_t warps_before, warps_after;
};

/* compact_threads(), or with `stay` compact_static(), counted. */
int compact_counted(struct div_host *host, const struct block_mask *m, int32_t first_row, int rows, bool stay,
                    struct threads *warps, struct compact_counters *counters);

#endif
