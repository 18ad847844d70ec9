/*
 * The access to shared memory that the strands of one issue group make together.
 *
 * Where strands on disjoint lane slices issue in one cycle, the memory unit sees one access with the lanes of all of
 * them, and the banks conflict among all these lanes (Rogers et al., ISCA 2015, section 4.1). Strands join in the order
 * in which they issue, and the passes of the joint access are served in that order: a strand has its data after the
 * passes that it and the strands before it need. Accesses join if they could be one instruction: all loads, all stores
 * or all atomics, of one width. An issue group that accesses shared memory accesses neither the L1 data cache nor
 * textures, and vice versa.
 *
 * Where one strand takes all lanes, each access is a group of its own.
 */
#ifndef HEDDLE_SM_SHARED_GROUP_H
#define HEDDLE_SM_SHARED_GROUP_H

#include "exec/step.h"
#include "mem/mem.h"

struct shared_group {
    bool is_open;             /* a strand of the issue group at work has accessed shared memory */
    bool is_outside;          /* a strand of the issue group at work has accessed the L1 data cache or textures */
    bool is_store, is_atomic; /* of all strands that joined */
    uint16_t bytes;           /* per lane, of all strands that joined */
    int count;                /* lanes of all strands that joined */
    unsigned passes;          /* that these lanes take */
    uint64_t address[MEM_MAX_LANES]; /* by lane; addresses of different blocks differ, in the banks that they lie in */
};

/* The next strand begins a group of its own. */
static inline void shared_group_end(struct shared_group *g)
{
    g->is_open = g->is_outside = false;
}

/* Whether a strand that makes these accesses, either of which may be NULL, can issue in the group. */
bool shared_group_takes(const struct shared_group *g, const struct step_access *shared,
                        const struct step_access *outside);
/* Adds the lanes of a strand of the block. Returns the passes of all strands so far; `before` gets those of the strands
 * that joined before. */
unsigned shared_group_join(struct shared_group *g, const struct mem *mem, const struct step_access *shared,
                           int32_t block, unsigned *before);
/* A strand of the group accesses memory that is not shared memory. */
void shared_group_note_outside(struct shared_group *g, const struct step_access *outside);

#endif
