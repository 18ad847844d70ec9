/*
 * Threads of one resident block: a bit each, by row of the block and lane.
 *
 * Here a large warp is a block, too: rows that share one stack.
 */
#ifndef HEDDLE_DIV_PARTS_BLOCK_MASK_H
#define HEDDLE_DIV_PARTS_BLOCK_MASK_H

#include "div/contract/div.h"

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

static inline bool block_mask_is_empty(const struct block_mask *m, int rows)
{
    int r = 0;
    while (r < rows && !m->lanes[r])
        r++;
    return r == rows;
}

static inline bool block_mask_is_within(const struct block_mask *m, const struct block_mask *around, int rows)
{
    uint32_t out = 0;
    for (int r = 0; r < rows; r++)
        out |= m->lanes[r] & ~around->lanes[r];
    return !out;
}

/* Those that have not ended. */
struct block_mask block_mask_live(struct div_host *host, int32_t first_row, int rows);
/* By home lane, as Fung and Aamodt draw them: for each lane of warps of up to 8 threads a group with a digit
 * for each of the block's `warps` static warps; wider ones by row, in hexadecimal. */
void block_mask_print(const struct block_mask *m, int rows, int warps, int width, struct text *out);

#endif
