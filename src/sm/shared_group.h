/*
 * The access to shared memory that the strands of one issue group make together.
 *
 * Where strands on disjoint lane slices issue in one cycle, the memory unit sees one access with the lanes of all of
 * them, and the banks conflict among all these lanes (Rogers et al., ISCA 2015, section 4.1), whether they load, store
 * or do atomics, and whatever their sizes. Strands join in the order in which they issue, and the passes of the joint
 * access are served in that order: a strand has its data after the passes that it and the strands before it need.
 *
 * Where one strand takes all lanes, each access is a group of its own.
 */
#ifndef HEDDLE_SM_SHARED_GROUP_H
#define HEDDLE_SM_SHARED_GROUP_H

#include "exec/step.h"
#include "mem/mem.h"

struct shared_group {
    bool is_mixed;   /* strands that joined load and store, say, or differ in the bytes per lane */
    int count;       /* lanes of all strands that joined */
    unsigned passes; /* that these lanes take */
    struct mem_shared_lane
        lane[MEM_MAX_LANES]; /* addresses of different blocks differ, in the banks that they lie in */
};

/* The next strand begins a group of its own. */
static inline void shared_group_end(struct shared_group *g)
{
    g->count = 0;
    g->passes = 0;
    g->is_mixed = false;
}

/* Adds the lanes of a strand of the block. Returns the passes of all strands so far; `before` gets those of the strands
 * that joined before. */
unsigned shared_group_join(struct shared_group *g, const struct mem *mem, const struct step_access *shared,
                           int32_t block, unsigned *before);

#endif
