/* The table of strands: storage and ids. See strand_table.h. */
#include "sm/strand_table.h"

#include <stdlib.h>
#include <string.h>

void strand_table_open(struct strand_table *t, int capacity, struct storage *storage)
{
    size_t count = (size_t)capacity;
    t->capacity = capacity;
    t->at = storage_reserve(storage, count * sizeof *t->at);
    t->state = storage_reserve(storage, count * sizeof *t->state);
    t->branch = storage_reserve(storage, count * sizeof *t->branch);
    t->free_ids = storage_reserve(storage, count * sizeof *t->free_ids);
}

void strand_table_close(struct strand_table *t)
{
    for (int i = 0; i < t->top; i++)
        free(t->branch[i].outcome);
}

static int32_t take_first_time(struct strand_table *t)
{
    if (t->top == t->capacity)
        return -1;
    int32_t id = t->top++;
    memset(&t->at[id], 0, sizeof *t->at);
    memset(&t->state[id], 0, sizeof *t->state);
    memset(&t->branch[id], 0, sizeof *t->branch);
    return id;
}

int32_t strand_table_take(struct strand_table *t)
{
    int32_t id = t->free_count ? t->free_ids[--t->free_count] : take_first_time(t);
    if (id < 0)
        return -1;
    t->at[id].id = id;
    t->at[id].generation++;
    t->state[id].in_use = true;
    return id;
}

void strand_table_put_back(struct strand_table *t, int32_t id)
{
    t->at[id].generation++;
    t->state[id].in_use = false;
    t->free_ids[t->free_count++] = id;
}
