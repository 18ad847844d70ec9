/* Scalar instructions of a launch: see scalar.h. */
#include "gpu/scalar.h"

#include "base/vec.h"
#include "recon/barrier.h"

#include <stdlib.h>

/* Where threads of different iterations wait for each other: at the waits of barriers that were made for a prediction,
 * not for a branch, and at waits that let some threads go on without the others. Threads that wait for a group which
 * yields, in a loop that may spin, go on without the group after some yields: its loop counts as well. */
static void find_mixing(const struct barrier_plan *plan, int32_t **mixing, int *count)
{
    struct vec_of(int32_t) points = {0};
    for (int i = 0; i < plan->entries.count; i++) {
        const struct barrier_entry *e = &plan->entries.data[i];
        bool is_wait = e->op.kind == BARRIER_WAIT && plan->barriers.data[e->op.barrier].branch < 0;
        if (is_wait || e->op.kind == BARRIER_SOFT_WAIT || e->op.kind == BARRIER_YIELD)
            vec_push(&points, e->place.pc);
    }
    *mixing = points.data;
    *count = points.count;
}

struct scalar_facts scalar_of_launch(const struct gpu_run *run, const struct program *program,
                                     const struct barrier_plan *barriers)
{
    const struct sm_config *config = &run->machine->sm;
    const unsigned flags = run->mechanism->flags;
    int32_t *mixing = NULL;
    int count = 0;
    /* Strands on slices of the lanes are no whole warps. The bound must know what any mechanism may take as scalar. */
    if (config->scalar == SM_SCALAR_NONE || config->slice_lanes < config->warp_width ||
        !(flags & (DIV_ONE_ITERATION | DIV_BARRIERS | DIV_LEAST_TIME)))
        return (struct scalar_facts){0};
    if (flags & DIV_BARRIERS && barriers->dropped) /* then threads need not reconverge at all */
        return (struct scalar_facts){0};
    if (flags & DIV_BARRIERS)
        find_mixing(barriers, &mixing, &count);
    struct scalar_facts facts = scalar_find(program, mixing, count);
    free(mixing);
    return facts;
}
