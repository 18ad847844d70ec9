/* Resident blocks: storage, start and end. See residents.h. */
#include "sm/residents.h"

#include "base/arena.h"
#include "exec/cluster.h"

#include <stdlib.h>

void residents_open(struct residents *r, int capacity, int rows_per_block, struct storage *storage)
{
    size_t rows = (size_t)capacity * (size_t)rows_per_block;
    r->capacity = capacity;
    r->rows_per_block = rows_per_block;
    r->storage = storage;
    r->at = storage_calloc(storage, (size_t)capacity, sizeof *r->at);
    r->rows = storage_calloc(storage, rows, sizeof *r->rows);
    r->row_blocks = storage_calloc(storage, rows, sizeof *r->row_blocks);
    r->place_of_row = storage_alloc(storage, rows * sizeof *r->place_of_row);
    for (int place = 0; place < capacity; place++) {
        r->at[place].first_row = place * rows_per_block;
        for (int i = 0; i < rows_per_block; i++)
            r->place_of_row[r->at[place].first_row + i] = place;
    }
}

void residents_close(struct residents *r)
{
    for (int place = 0; place < r->capacity; place++)
        block_destroy(r->at[place].block);
}

int residents_find_free(const struct residents *r, uint64_t now)
{
    for (int place = 0; place < r->capacity; place++) {
        const struct resident *resident = &r->at[place];
        if (!resident->in_use && resident->busy_until <= now && !resident->loads)
            return place;
    }
    return -1;
}

bool residents_has_free(const struct residents *r, int count, uint64_t now)
{
    for (int place = 0; place < r->capacity && count; place++) {
        const struct resident *resident = &r->at[place];
        count -= !resident->in_use && resident->busy_until <= now && !resident->loads;
    }
    return !count;
}

static void make_storage(struct residents *r, struct resident *resident, const struct engine *engine)
{
    resident->block = block_create(engine->launch, engine->program, engine->local_bytes, r->storage);
    resident->block->workspace = engine->workspace;
    for (int i = 0; i < r->rows_per_block; i++) {
        int32_t row = resident->first_row + i;
        r->rows[row] = &resident->block->rows[i];
        r->rows[row]->number = row;
        r->row_blocks[row] = resident->block;
    }
}

struct resident *residents_start(struct residents *r, int place, const struct engine *engine,
                                 const struct program *program, uint64_t number)
{
    struct resident *resident = &r->at[place];
    if (!resident->block)
        make_storage(r, resident, engine);
    block_start(resident->block, engine->launch, program, number);
    for (int i = 0; i < resident->block->row_count; i++)
        resident->block->rows[i].cohort_count = 0; /* the mechanism makes strands instead of cohorts */
    resident->in_use = true;
    resident->threads = (int)resident->block->live_threads;
    resident->age = number;
    r->count++;
    r->threads += (uint64_t)r->rows_per_block * ROW_LANES;
    return resident;
}

void residents_end(struct residents *r, struct resident *resident, uint64_t now)
{
    cluster_leave(resident->block);
    resident->in_use = false;
    r->count--;
    r->threads -= (uint64_t)r->rows_per_block * ROW_LANES;
    r->last_end = now;
}
