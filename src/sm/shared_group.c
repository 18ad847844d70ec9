/* The access to shared memory that the strands of one issue group make together: see shared_group.h. */
#include "sm/shared_group.h"

/* Distance between blocks in the addresses of a group. Blocks have their own shared memory, of at most 1 MiB, in the
 * same banks: an address of one block is another word of the same bank as that address of another block. The distance
 * is a multiple of the number of banks, and more than 1 MiB. */
static uint64_t block_distance(const struct mem *mem)
{
    return (uint64_t)mem_shared_banks(mem) << 23;
}

/* Constants come from a cache of their own, outside the memory unit. */
static bool is_of_memory_unit(const struct step_access *outside)
{
    return outside && outside->kind != STEP_CONSTANT;
}

bool shared_group_takes(const struct shared_group *g, const struct step_access *shared,
                        const struct step_access *outside)
{
    bool is_outside = is_of_memory_unit(outside);
    if (shared && is_outside) /* a generic access to both is a group of its own */
        return !g->is_open && !g->is_outside;
    if (is_outside)
        return !g->is_open;
    if (!shared || !g->is_open)
        return !shared || !g->is_outside;
    return !g->is_outside && g->is_store == shared->is_store && g->is_atomic == shared->is_atomic &&
           g->bytes == shared->bytes && g->count + shared->count <= MEM_MAX_LANES;
}

unsigned shared_group_join(struct shared_group *g, const struct mem *mem, const struct step_access *shared,
                           int32_t block, unsigned *before)
{
    if (!g->is_open) {
        g->count = 0;
        g->passes = 0;
        g->is_open = true;
        g->is_store = shared->is_store;
        g->is_atomic = shared->is_atomic;
        g->bytes = shared->bytes;
    }
    *before = g->passes;
    for (int i = 0; i < shared->count; i++)
        g->address[g->count++] = shared->address[i] + (uint64_t)block * block_distance(mem);
    g->passes = mem_shared_passes_of(mem, g->count, g->address, g->bytes, g->is_atomic);
    return g->passes;
}

void shared_group_note_outside(struct shared_group *g, const struct step_access *outside)
{
    g->is_outside |= is_of_memory_unit(outside);
}
