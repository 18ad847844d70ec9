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

/* Finds SMs with room for one block each, an SM as often as it has room. False: there are not enough. */
static bool find_places(const struct gpu *g, int *sms)
{
    int count = 0;
    for (int i = 0; i < g->sm_count; i++)
        for (int more = 1; count < g->cluster_size && sm_has_room(g->sms[i], more); more++)
            sms[count++] = i;
    return count == g->cluster_size;
}

void dispatch_spread(struct gpu *g, uint64_t now)
{
    int sms[LAUNCH_MAX_CLUSTER_BLOCKS];
    while (dispatch_has_blocks(g) && find_places(g, sms)) {
        struct cluster *cluster = cluster_create();
        uint64_t number = g->next_block / (uint64_t)g->cluster_size;
        cluster->is_spread = true;
        for (uint32_t rank = 0; rank < (uint32_t)g->cluster_size; rank++) {
            struct sm *sm = g->sms[sms[rank]];
            g->due[sms[rank]] = now + 1;
            cluster_join(cluster, start_block(g, sm, launch_cluster_block(g->engine->launch, number, rank), now), rank);
        }
    }
}

void dispatch_first(struct gpu *g)
{
    if (g->spreads) {
        dispatch_spread(g, g->start);
        return;
    }
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
