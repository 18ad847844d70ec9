/* How far multiprocessors may run past the window at work: see lead.h. */
#include "gpu/lead.h"

#include "base/arena.h"
#include "device/apart.h"
#include "gpu/hands.h"

#include <stdlib.h>

/* Finds at which instructions SMs of the launch may see what others do. False: at any time. */
static bool find_shared(struct gpu *g, const struct launch *launch)
{
    const struct origins *origins = prepared_origins(g->prepared);
    if (!apart_but_for_accesses(launch_find_apart(launch, origins)))
        return false;
    bool *is_shared = xcalloc((size_t)origins->access_count + 1, sizeof *is_shared);
    bool reads_shared = launch_find_shared(launch, origins, is_shared), fits = prepared_share(g->prepared, is_shared);
    g->lead.reads_shared = reads_shared && fits;
    free(is_shared);
    return fits;
}

void lead_open(struct gpu *g, const struct launch *launch)
{
    struct gpu_lead *lead = &g->lead;
    const struct gpu_run *run = g->run;
    const uint64_t quantum = mem_quantum(g->mem);
    lead->cycles = mem_reach(g->mem) / quantum * quantum;
    lead->may = hands_are_free(g) && !run->visit_every_cycle && !run->watch.every_cycles && lead->cycles > quantum &&
                (g->sm_count == 1 || find_shared(g, launch));
    if (!lead->may)
        return;
    lead->unpublished = storage_alloc(g->storage, (size_t)g->sm_count * sizeof *lead->unpublished);
    lead->fault = storage_calloc(g->storage, (size_t)g->sm_count, sizeof *lead->fault);
    for (int i = 0; i < g->sm_count; i++)
        lead->unpublished[i] = UINT64_MAX;
}

void lead_close(struct gpu *g)
{
    for (int i = 0; g->lead.fault && i < g->sm_count; i++)
        free(g->lead.fault[i]);
}

uint64_t lead_end(const struct gpu *g, uint64_t last)
{
    if (!g->lead.may || livelock_is_wide(&g->livelock))
        return last;
    return (last / g->lead.cycles + 1) * g->lead.cycles - 1;
}

/* Makes visible what SMs, up to number `last_sm`, wrote up to cycle `end`, and drops what others did. */
static void publish_window(struct gpu *g, uint64_t end, int last_sm)
{
    for (int i = 0; i < g->sm_count; i++) {
        if (g->lead.unpublished[i] > end)
            continue;
        if (i <= last_sm) {
            sm_publish(g->sms[i], end);
            g->engine->writes++; /* counted as it was executed, but memory changes now */
        }
        g->lead.unpublished[i] = i <= last_sm ? sm_unpublished(g->sms[i]) : UINT64_MAX;
    }
}

void lead_publish(struct gpu *g, uint64_t last, int fault_sm)
{
    for (;;) {
        uint64_t first = UINT64_MAX;
        for (int i = 0; i < g->sm_count; i++)
            first = clock_earlier(first, g->lead.unpublished[i]);
        if (first > last || first == UINT64_MAX)
            return;
        const uint64_t end = gpu_window_end(g, first);
        publish_window(g, end, end < last ? g->sm_count : fault_sm);
    }
}

void lead_keep_fault(struct gpu *g, int sm, struct fault *fault, uint64_t cycle)
{
    g->lead.fault[sm] = xmalloc(sizeof *fault);
    *g->lead.fault[sm] = *fault;
    fault->kind = FAULT_NONE;
    g->due[sm] = cycle;
    g->ignores_memory[sm] = UINT64_MAX;
}
