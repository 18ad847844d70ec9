/* Blocks without time: see skip.h. */
#include "gpu/skip.h"

#include "exec/functional.h"
#include "gpu/internal.h"

static struct gpu_moment moment_of(const struct gpu *g, uint64_t now)
{
    struct gpu_moment m = {.next_block = g->next_block,
                           .block_count = g->block_count,
                           .wave_blocks = g->wave_blocks,
                           .cluster_size = g->cluster_size,
                           .cycle = now - g->start};
    for (int i = 0; i < g->sm_count; i++) {
        const struct sm_stats *s = sm_counters(g->sms[i]);
        m.warp_instructions += s->warp_instructions;
        m.thread_instructions += s->thread_instructions;
    }
    return m;
}

/* Ends the launch with the fault of a skipped block. */
static void halt(struct gpu *g, const struct launch_result *all, bool waits)
{
    g->result->skipped.waits = waits;
    g->result->launch.fault = all->fault;
    g->is_halted = true;
}

static void execute(struct gpu *g, uint64_t count)
{
    struct gpu_skipped *skipped = &g->result->skipped;
    struct launch_result all;
    const struct engine *e = g->engine;
    if (!g->stretch && !(g->stretch = functional_stretch_open(e->launch, e->code, &all))) {
        halt(g, &all, false);
        return;
    }
    enum functional_end end = functional_stretch_run(g->stretch, g->next_block, count, &all);
    g->next_block += count;
    skipped->blocks += count;
    skipped->warp_instructions = all.warp_instructions;
    skipped->thread_instructions = all.thread_instructions;
    skipped->branches = all.branches;
    skipped->divergent_branches = all.divergent_branches;
    if (end == FUNCTIONAL_DONE)
        g->run->skipper->skipped(g->run->skipper->context, &all);
    else
        halt(g, &all, end == FUNCTIONAL_WAITS);
}

void skip_blocks(struct gpu *g, uint64_t now)
{
    const struct gpu_skipper *skipper = g->run->skipper;
    while (g->next_block >= g->ask_at && g->next_block < g->block_count && !g->is_halted) {
        struct gpu_moment moment = moment_of(g, now);
        uint64_t left = g->block_count - g->next_block, count = skipper->choose(skipper->context, &moment, &g->ask_at);
        if (count)
            execute(g, count < left ? count : left);
        else if (g->ask_at <= g->next_block)
            g->ask_at = g->next_block + 1;
    }
}

void skip_end(struct gpu *g)
{
    functional_stretch_close(g->stretch);
    g->stretch = NULL;
}
