/* How far multiprocessors may run past the window at work: see lead.h. */
#include "gpu/lead.h"

#include "base/arena.h"
#include "device/apart.h"
#include "gpu/hands.h"
#include "sm/plan.h"

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
    /* Even where SMs cannot run past a window, atomics with a result need not stop them. */
    const bool is_of_use = lead->cycles > quantum || g->prepared->plans->result_classes;
    lead->may = hands_are_free(g) && !run->visit_every_cycle && !run->watch.every_cycles && is_of_use &&
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

static void publish_sm(struct gpu *g, int sm, uint64_t end, bool late)
{
    g->engine->writes += sm_publish(g->sms[sm], end, late); /* stores count here, too: memory changes now */
    g->lead.unpublished[sm] = sm_unpublished(g->sms[sm]);
}

/* Makes visible what SMs wrote up to the end of a window, unless it is late. */
static void publish_first_part(struct gpu *g, uint64_t end)
{
    for (int i = 0; i < g->sm_count; i++)
        if (g->lead.unpublished[i] <= end)
            publish_sm(g, i, end, false);
}

void lead_publish(struct gpu *g, uint64_t last)
{
    for (;;) {
        uint64_t first = UINT64_MAX;
        for (int i = 0; i < g->sm_count; i++)
            first = clock_earlier(first, g->lead.unpublished[i]);
        if (first > last || first == UINT64_MAX)
            return;
        const uint64_t end = gpu_window_end(g, first);
        publish_first_part(g, end);
        for (int i = 0; i < g->sm_count; i++)
            lead_publish_late(g, i, end);
    }
}

void lead_publish_before(struct gpu *g, uint64_t last)
{
    if (last >= g->by_quantum.by)
        lead_publish(g, last - g->by_quantum.by);
}

void lead_publish_first_part(struct gpu *g, uint64_t last, int fault_sm)
{
    lead_publish_before(g, last);
    for (int i = fault_sm + 1; i < g->sm_count; i++) /* dropped */
        g->lead.unpublished[i] = UINT64_MAX;
    publish_first_part(g, last);
}

bool lead_has_late(const struct gpu *g, int sm, uint64_t last)
{
    return g->lead.may && g->lead.unpublished[sm] <= last;
}

void lead_publish_late(struct gpu *g, int sm, uint64_t last)
{
    if (lead_has_late(g, sm, last))
        publish_sm(g, sm, last, true);
}

void lead_keep_fault(struct gpu *g, int sm, struct fault *fault, uint64_t cycle)
{
    g->lead.fault[sm] = xmalloc(sizeof *fault);
    *g->lead.fault[sm] = *fault;
    fault->kind = FAULT_NONE;
    g->due[sm] = cycle;
    g->ignores_memory[sm] = UINT64_MAX;
}
