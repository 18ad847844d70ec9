/*
 * Threads of a block, and the thread compactor of Thread Block Compaction (Fung and Aamodt, HPCA 2011, section 3).
 *
 * A block mask holds a bit for each thread of one resident block, by row of the block and lane. The compactor packs
 * threads into as few warps as home slots allow: of each slot it takes one thread after the other, in order of thread
 * number, so the n-th warp has the n-th thread of each slot, and there are as many warps as the fullest slot has
 * threads. In hardware a priority encoder per slot gives one thread a cycle, so warp n comes n cycles after the first.
 */
#ifndef HEDDLE_DIV_COMPACT_H
#define HEDDLE_DIV_COMPACT_H

#include "div/div.h"

enum { COMPACT_MAX_ROWS = 32 }; /* of a block */

struct block_mask {
    uint32_t lanes[COMPACT_MAX_ROWS];
};

static inline void block_mask_add(struct block_mask *m, int32_t first_row, const struct threads *t)
{
    for (int i = 0; i < t->count; i++)
        m->lanes[t->part[i].row - first_row] |= t->part[i].mask;
}

static inline void block_mask_remove(struct block_mask *m, int32_t first_row, const struct threads *t)
{
    for (int i = 0; i < t->count; i++)
        m->lanes[t->part[i].row - first_row] &= ~t->part[i].mask;
}

static inline void block_mask_unite(struct block_mask *m, const struct block_mask *with, int rows)
{
    for (int r = 0; r < rows; r++)
        m->lanes[r] |= with->lanes[r];
}

static inline void block_mask_subtract(struct block_mask *m, const struct block_mask *without, int rows)
{
    for (int r = 0; r < rows; r++)
        m->lanes[r] &= ~without->lanes[r];
}

static inline bool block_mask_meets(const struct block_mask *a, const struct block_mask *b, int rows)
{
    uint32_t both = 0;
    for (int r = 0; r < rows; r++)
        both |= a->lanes[r] & b->lanes[r];
    return both != 0;
}

int block_mask_size(const struct block_mask *m, int rows);
bool block_mask_is_empty(const struct block_mask *m, int rows);

/* How many warps the compactor would make of them: the threads of the fullest home slot. */
int compact_count(struct div_host *host, const struct block_mask *m, int32_t first_row, int rows);
/* Makes them: `warps` must have room for compact_count(). Returns how many. */
int compact_threads(struct div_host *host, const struct block_mask *m, int32_t first_row, int rows,
                    struct threads *warps);
/* The threads as they are grouped at launch: a group for each static warp that has any. Returns how many; at most one
 * for each W threads of the block, or part of them, for which `warps` must have room. */
int compact_static(struct div_host *host, const struct block_mask *m, int32_t first_row, int rows,
                   struct threads *warps);
/* How many groups that would be: warps that mechanisms without compaction run these threads in. */
int compact_static_count(struct div_host *host, const struct block_mask *m, int rows);

#endif
