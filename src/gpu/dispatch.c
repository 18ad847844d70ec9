/* Dispatch of thread blocks: see dispatch.h. */
#include "gpu/dispatch.h"

#include "exec/cluster.h"
#include "gpu/hands.h"

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

/* The first blocks of the SMs that one hand has: the block of the SM's own number, and every sm_count-th one behind it,
 * while there is room. */
static void launch_first(struct gpu *g, struct hand *hand)
{
    for (int i = hands_next_turn(g, hand); i >= 0; i = hands_next_turn(g, hand)) {
        struct sm *sm = g->sms[i];
        sm_begin_turn(sm, hand->engine, hand->sites, true);
        for (uint64_t block = (uint64_t)i; block < g->block_count && sm_has_room(sm, 1); block += (uint64_t)g->sm_count)
            sm_launch(sm, block, g->start, 0);
    }
}

/* Host threads give the SMs their first blocks side by side. As all SMs have room for the same number of blocks, each
 * gets the same ones as if it had one block in turn. */
static void dispatch_together(struct gpu *g)
{
    g->window.turn_count = g->sm_count;
    for (int i = 0; i < g->sm_count; i++)
        g->window.turns[i] = i;
    hands_run(g, launch_first, true);
    for (int i = 0; i < g->sm_count; i++)
        g->next_block += (uint64_t)sm_resident(g->sms[i]);
    skip_blocks(g, g->start);
}

void dispatch_first(struct gpu *g)
{
    if (g->spreads) {
        dispatch_spread(g, g->start);
        return;
    }
    if (g->hands.count > 1 && g->cluster_size == 1 && !g->run->machine->gpu.block_interval) {
        dispatch_together(g);
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
