/*
 * Threads of one resident block as a mask: one bit per thread, by row of the block and lane. A large warp (lwm) uses
 * such a mask too, for the rows that share one stack. `first_row` is the block's first row on the multiprocessor.
 */
#ifndef HEDDLE_DIV_PARTS_BLOCK_MASK_H
#define HEDDLE_DIV_PARTS_BLOCK_MASK_H

#include "div/contract/div.h"

enum { COMPACT_MAX_ROWS = 32 }; /* rows of the largest block: 1024 threads */

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

/* The threads of the block that have not exited. */
struct block_mask block_mask_live(struct div_host *host, int32_t first_row, int rows);
/* Prints the mask by home lane, as Fung and Aamodt draw it: one group per lane, with one digit per static warp of the
 * block. Warps of more than 8 threads are printed by row, in hexadecimal. */
void block_mask_print(const struct block_mask *m, int rows, int warps, int width, struct text *out);

#endif
