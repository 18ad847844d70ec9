/* Dispatch of thread blocks: see dispatch.h. */
#include "gpu/dispatch.h"

#include "exec/cluster.h"

/* Starts the next block on the SM. */
static struct block *start_block(struct gpu *g, struct sm *sm, uint64_t number, uint64_t now)
{
    const double interval = g->run->machine->gpu.block_interval;
    uint64_t delay = 0;
    if (interval > 0) {
        /* SMs run through a window one after the other: what counts is when the window began, so that an SM does not
         * wait for one that ran before it but made room later. */
        const double begin = (double)(now - now % g->by_quantum.by);
        if (g->dispatcher_free < begin)
            g->dispatcher_free = begin;
        delay = g->dispatcher_free > (double)now ? (uint64_t)g->dispatcher_free - now : 0;
        g->dispatcher_free += interval;
    }
    g->next_block++;
    return sm_launch(sm, number, now, delay);
}

void dispatch_block(struct gpu *g, struct sm *sm, uint64_t now)
{
    if (g->cluster_size == 1) {
        start_block(g, sm, g->next_block, now);
        skip_blocks(g, now);
        return;
    }
    struct cluster *cluster = cluster_create();
    uint64_t number = g->next_block / (uint64_t)g->cluster_size;
    for (uint32_t rank = 0; rank < (uint32_t)g->cluster_size; rank++)
        cluster_join(cluster, start_block(g, sm, launch_cluster_block(g->engine->launch, number, rank), now), rank);
    skip_blocks(g, now);
}

void dispatch_first(struct gpu *g)
{
    bool any = true;
    while (any) {
        any = false;
        for (int i = 0; i < g->sm_count && dispatch_has_blocks(g); i++)
            if (sm_has_room(g->sms[i], g->cluster_size)) {
                dispatch_block(g, g->sms[i], g->start);
                any = true;
            }
    }
}

bool dispatch_is_done(const struct gpu *g)
{
    for (int i = 0; i < g->sm_count; i++)
        if (dispatch_is_active(g, g->sms[i]))
            return false;
    return true;
}
