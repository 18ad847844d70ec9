/*
 * Resident blocks: the places of a multiprocessor that hold a block each, and the rows of those places.
 *
 * A place always has the same rows, with consecutive numbers, and keeps the storage of its block for the next block. A
 * place is free for another block when its block has ended, the last write to its registers is done, and memory has
 * answered all loads of its rows. Occupancy, which says how many places there are, is computed in gpu/.
 *
 * Of a struct resident, issue.c counts `threads` down, access.c counts `loads`, and copies.c counts `copies`; other
 * fields change only here.
 */
#ifndef HEDDLE_SM_RESIDENTS_H
#define HEDDLE_SM_RESIDENTS_H

#include "base/storage.h"
#include "exec/block.h"
#include "sm/cycles.h"

struct engine;

struct resident {
    struct block *block; /* storage, kept from block to block; NULL until the place is used for the first time */
    bool in_use;         /* a block runs here */
    int threads;         /* threads of the block whose end the pipeline has not seen */
    int32_t first_row;
    uint64_t age;        /* linear number of the block: a smaller one was launched earlier */
    uint64_t busy_until; /* first cycle at which all register writes of fixed latency are done */
    int copies;          /* bulk copies of the block that are not done */
    int loads;           /* flights (sm_flight) of these rows that memory has not answered */
};

struct residents {
    struct resident *at; /* [place] */
    int capacity;        /* places */
    int count;           /* places in use */
    int rows_per_block;
    uint64_t threads;          /* threads of all places in use, counted in whole rows */
    uint64_t last_end;         /* cycle at which a block ended last */
    int32_t *place_of_row;     /* [row] */
    struct row **rows;         /* [row]; NULL until the place is used for the first time */
    struct block **row_blocks; /* [row]: block of the row's place */
    struct storage *storage;   /* what blocks are kept in */
};

void residents_open(struct residents *r, int capacity, int rows_per_block, struct storage *storage);
void residents_close(struct residents *r);
int residents_find_free(const struct residents *r, uint64_t now);            /* a free place, or -1 */
bool residents_has_free(const struct residents *r, int count, uint64_t now); /* whether so many places are free */
/* Starts the block with this linear number at a free place. Its threads are in no cohort of the functional engine. */
struct resident *residents_start(struct residents *r, int place, const struct engine *engine,
                                 const struct program *program, uint64_t number);
void residents_end(struct residents *r, struct resident *resident, uint64_t now);

static inline struct resident *residents_of_row(const struct residents *r, int32_t row)
{
    return &r->at[r->place_of_row[row]];
}

static inline int residents_row_count(const struct residents *r)
{
    return r->capacity * r->rows_per_block;
}

/* Keeps the row's place from the next block until a register write is done. */
static inline void residents_keep_row(struct residents *r, int32_t row, uint64_t due)
{
    struct resident *resident = residents_of_row(r, row);
    resident->busy_until = sm_later(resident->busy_until, due);
}

#endif
