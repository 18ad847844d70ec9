/* The access to shared memory that the strands of one issue group make together: see shared_group.h. */
#include "sm/shared_group.h"

/* Distance between blocks in the addresses of a group. Blocks have their own shared memory, of at most 1 MiB, in the
 * same banks: an address of one block is another word of the same bank as that address of another block. The distance
 * is a multiple of the number of banks, and more than 1 MiB. */
static uint64_t block_distance(const struct mem *mem)
{
    return (uint64_t)mem_shared_banks(mem) << 23;
}

static uint8_t kind_of(const struct step_access *shared)
{
    return shared->is_atomic ? MEM_SHARED_ATOMIC : shared->is_store ? MEM_SHARED_STORE : MEM_SHARED_LOAD;
}

/* The passes of lanes that all do one thing. */
static unsigned passes_of_one_kind(const struct shared_group *g, const struct mem *mem)
{
    uint64_t address[MEM_MAX_LANES];
    for (int i = 0; i < g->count; i++)
        address[i] = g->lane[i].address;
    return mem_shared_passes_of(mem, g->count, address, g->lane[0].bytes, g->lane[0].kind == MEM_SHARED_ATOMIC);
}

unsigned shared_group_join(struct shared_group *g, const struct mem *mem, const struct step_access *shared,
                           int32_t block, unsigned *before)
{
    *before = g->passes;
    for (int i = 0; i < shared->count; i++)
        g->lane[g->count++] =
            (struct mem_shared_lane){.address = shared->address[i] + (uint64_t)block * block_distance(mem),
                                     .bytes = (uint8_t)shared->bytes,
                                     .kind = kind_of(shared)};
    g->is_mixed |= g->lane[0].bytes != shared->bytes || g->lane[0].kind != kind_of(shared);
    g->passes = g->is_mixed ? mem_shared_mixed_of(mem, g->count, g->lane) : passes_of_one_kind(g, mem);
    return g->passes;
}
