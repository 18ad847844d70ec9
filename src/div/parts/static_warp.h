/*
 * Static warps: W threads with consecutive ids. A static warp is a part of a row, a row, or two rows.
 *
 * Mechanisms that keep one structure per warp hold its threads as a mask, thread 0 in the lowest bit; the pipeline
 * names threads by row and lane. The functions here convert between the two.
 */
#ifndef HEDDLE_DIV_PARTS_STATIC_WARP_H
#define HEDDLE_DIV_PARTS_STATIC_WARP_H

#include "base/diag.h"
#include "div/contract/div.h"
#include "div/parts/stack.h"

struct static_warp {
    int32_t row, rows; /* the first row, and the number of rows: 1 or 2 */
    int shift;         /* the first thread's lane in its row */
    int32_t place;     /* number of the warp on its multiprocessor; numbers may have gaps */
    int32_t lineage;   /* as strands have it: schedulers keep strands of one lineage together */
};

/* Panics unless a 64-bit mask can hold a warp of the machine. */
static inline void static_warp_check_width(const struct div_host *host)
{
    if (host->facts.width < 1 || host->facts.width > STACK_MAX_THREADS || (host->facts.width & (host->facts.width - 1)))
        panic("a mask cannot hold warps of %d threads", host->facts.width);
}

static inline int static_warp_count(struct div_host *host, int32_t block)
{
    int32_t first, count;
    host->calls.block_rows(host, block, &first, &count);
    return host->facts.width > 32 ? (count + 1) / 2 : count * (32 / host->facts.width);
}

/* The i-th warp of a block. A warp of 64 threads takes two rows, counted from the block's first row; the last row may
 * be alone. Two blocks with an odd number of rows may then share a lineage, which only affects fairness among
 * schedulers. */
static inline struct static_warp static_warp_of(struct div_host *host, int32_t block, int i)
{
    int32_t first, count;
    host->calls.block_rows(host, block, &first, &count);
    if (host->facts.width > 32) {
        int32_t row = first + 2 * i;
        return (struct static_warp){
            .row = row, .rows = row + 1 < first + count ? 2 : 1, .place = row, .lineage = row / 2};
    }
    int per_row = 32 / host->facts.width;
    int32_t place = first * per_row + i;
    return (struct static_warp){.row = place / per_row,
                                .rows = 1,
                                .shift = place % per_row * host->facts.width,
                                .place = place,
                                .lineage = place};
}

static inline uint64_t static_warp_mask(const struct static_warp *w, const struct threads *t)
{
    uint64_t mask = 0;
    for (int i = 0; i < t->count; i++)
        mask |= (uint64_t)(t->part[i].mask >> w->shift) << 32 * (t->part[i].row - w->row);
    return mask;
}

/* Not by value: a copy of struct threads has half a kilobyte. */
static inline void static_warp_threads(const struct static_warp *w, uint64_t mask, struct threads *t)
{
    t->count = 0;
    if ((uint32_t)mask)
        t->part[t->count++] = (struct part){w->row, (uint32_t)mask << w->shift};
    if (mask >> 32)
        t->part[t->count++] = (struct part){w->row + 1, (uint32_t)(mask >> 32)};
}

static inline uint64_t static_warp_live(struct div_host *host, const struct static_warp *w)
{
    uint64_t live = host->calls.row_live(host, w->row) >> w->shift;
    if (w->rows > 1)
        return live | (uint64_t)host->calls.row_live(host, w->row + 1) << 32;
    return live & bits_below((unsigned)host->facts.width);
}

/* Gives the warps of a block that have live threads, one per call: the next warp and its mask. 0: there are no more.
 * Set `*next` to 0 before the first call. */
static inline uint64_t static_warp_next(struct div_host *host, int32_t block, int *next, struct static_warp *w)
{
    int count = static_warp_count(host, block);
    uint64_t mask = 0;
    while (!mask && *next < count) {
        *w = static_warp_of(host, block, (*next)++);
        mask = static_warp_live(host, w);
    }
    return mask;
}

/* Removes the threads of one warp from `*left` and returns them as a mask. All threads are of one block. 0: none are
 * left. */
static inline uint64_t static_warp_take(struct div_host *host, struct threads *left, struct static_warp *w)
{
    if (!left->count)
        return 0;
    struct part part = left->part[0];
    int32_t first, count, block = host->calls.row_block(host, part.row);
    host->calls.block_rows(host, block, &first, &count);
    int i = host->facts.width > 32 ? (part.row - first) / 2
                                   : ((part.row - first) * 32 + bits_lowest(part.mask)) / host->facts.width;
    *w = static_warp_of(host, block, i);
    uint32_t lanes = host->facts.width < 32 ? bits_below((unsigned)host->facts.width) << w->shift : UINT32_MAX;
    struct threads own;
    own.count = 0;
    for (int32_t row = w->row; row < w->row + w->rows; row++) {
        uint32_t mask = threads_of_row(left, row) & lanes;
        if (mask) {
            threads_add(&own, row, mask);
            threads_remove(left, row, mask);
        }
    }
    return static_warp_mask(w, &own);
}

/* The thread's bit in the warp's mask; 0: the thread is not of this warp. */
static inline uint64_t static_warp_bit(struct div_host *host, const struct static_warp *w, int32_t row, int lane)
{
    int thread = 32 * (row - w->row) + lane - w->shift;
    if (row < w->row || row >= w->row + w->rows || thread < 0 || thread >= host->facts.width)
        return 0;
    return UINT64_C(1) << thread;
}

/* Turns outcomes into paths with masks of the warp, one path per point; `paths` has room for W. Returns their
 * number. */
static inline int static_warp_paths(const struct static_warp *w, const struct outcome *outcomes, int count,
                                    struct path *paths)
{
    int used = 0;
    for (int i = 0; i < count; i++)
        used = path_add(paths, used,
                        (struct path){{outcomes[i].pc, outcomes[i].depth}, static_warp_mask(w, &outcomes[i].threads)});
    return used;
}

static inline void static_warp_print(uint64_t mask, int width, struct text *out)
{
    for (int i = 0; i < width; i++)
        text_append(out, mask >> i & 1 ? "1" : "0", 1);
}

#endif
