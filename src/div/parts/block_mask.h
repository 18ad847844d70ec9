/*
 * Threads of one resident block as a mask: one bit per thread, by row of the block and lane. A large warp (lwm) uses
 * such a mask too, for the rows that share one stack. `first_row` is the block's first row on the multiprocessor.
 */
#ifndef HEDDLE_DIV_PARTS_BLOCK_MASK_H
#define HEDDLE_DIV_PARTS_BLOCK_MASK_H

#include "div/contract/div.h"

enum {
    COMPACT_MAX_ROWS = 32, /* rows of the largest block: 1024 threads */
    BLOCK_MASK_ROWS = 8    /* rows that are combined at a time, so that the loops of most blocks have one round */
};

/* Rows that the block does not have are empty. */
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
    for (int first = 0; first < rows; first += BLOCK_MASK_ROWS)
        for (int r = first; r < first + BLOCK_MASK_ROWS; r++)
            m->lanes[r] |= with->lanes[r];
}

static inline void block_mask_subtract(struct block_mask *m, const struct block_mask *without, int rows)
{
    for (int first = 0; first < rows; first += BLOCK_MASK_ROWS)
        for (int r = first; r < first + BLOCK_MASK_ROWS; r++)
            m->lanes[r] &= ~without->lanes[r];
}

/* The lanes of two rows. */
static inline uint64_t block_mask_two_rows(const struct block_mask *m, int r)
{
    uint64_t lanes;
    memcpy(&lanes, &m->lanes[r], sizeof lanes);
    return lanes;
}

static inline bool block_mask_meets(const struct block_mask *a, const struct block_mask *b, int rows)
{
    uint64_t both = 0;
    for (int first = 0; first < rows; first += BLOCK_MASK_ROWS)
        for (int r = first; r < first + BLOCK_MASK_ROWS; r += 2)
            both |= block_mask_two_rows(a, r) & block_mask_two_rows(b, r);
    return both != 0;
}

static inline bool block_mask_is_empty(const struct block_mask *m, int rows)
{
    uint64_t all = 0;
    for (int first = 0; first < rows; first += BLOCK_MASK_ROWS)
        for (int r = first; r < first + BLOCK_MASK_ROWS; r += 2)
            all |= block_mask_two_rows(m, r);
    return !all;
}

static inline bool block_mask_is_within(const struct block_mask *m, const struct block_mask *around, int rows)
{
    uint64_t out = 0;
    for (int first = 0; first < rows; first += BLOCK_MASK_ROWS)
        for (int r = first; r < first + BLOCK_MASK_ROWS; r += 2)
            out |= block_mask_two_rows(m, r) & ~block_mask_two_rows(around, r);
    return !out;
}

/* The threads of the block that have not exited. */
struct block_mask block_mask_live(struct div_host *host, int32_t first_row, int rows);
/* Prints the mask by home lane, as Fung and Aamodt draw it: one group per lane, with one digit per static warp of the
 * block. Warps of more than 8 threads are printed by row, in hexadecimal. */
void block_mask_print(const struct block_mask *m, int rows, int warps, int width, struct text *out);

#endif
