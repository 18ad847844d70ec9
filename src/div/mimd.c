/*
 * mimd and bound: what regrouping threads could gain at most. Every thread has its own PC and is a strand of its own.
 * Under mimd the pipeline may simulate threads of a row that are in the same state together, as one strand that counts
 * as many (sm/bundles/bundles.h); results are those of single threads.
 *
 * mimd (the bound of Fung, Sham, Yuan and Aamodt, MICRO 2007) bounds the use of lanes. In each cycle the pipeline fills
 * its lanes with any W ready threads, whatever their PCs and home slots (DIV_IDEAL_LANES). Everything else is the
 * machine's own, so mimd is a machine that could be built, and another mechanism may be faster: mimd's scheduler may
 * pick the wrong threads first, an issue takes all passes even if few threads are ready, and threads that access memory
 * one by one use the memory system worse than a warp does.
 *
 * bound is a lower bound on the cycles of every mechanism. No limit delays a thread: it takes the time of its own
 * instructions, each at its least (DIV_LEAST_TIME). What lanes, units, ports, links and channels need at least for all
 * threads is counted apart (sm/limits.h, mem/ideal.h), and the launch takes as long as the greatest of these times.
 * docs/sources/bound.md says why no mechanism can be faster.
 *
 * Under both, instructions are at hand, except that on machines with instruction caches a line takes its time when it
 * is fetched for the first time. Neither suits programs that rely on warps in lockstep: their results are wrong.
 */
#include "base/diag.h"
#include "div/contract/div.h"
#include "div/parts/cost.h"

#include <stdlib.h>

struct mimd {
    struct div_host *host;
};

static struct mimd *mimd_of(struct div *div)
{
    return (struct mimd *)div;
}

static struct div *mimd_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    (void)knob_values, (void)wants;
    struct mimd *d = xcalloc(1, sizeof *d);
    d->host = host;
    return (struct div *)d;
}

static void mimd_destroy(struct div *div)
{
    struct mimd *d = mimd_of(div);
    free(d);
}

/* The lanes of a row whose threads issue on the same port as the thread with this number on the multiprocessor. */
static uint32_t port_lanes(const struct div_host *h, int32_t thread)
{
    uint32_t lanes = 0;
    for (int32_t lane = 0; lane < 32; lane++)
        lanes |= (uint32_t)((thread / 32 * 32 + lane - thread) % h->facts.schedulers == 0) << lane;
    return lanes;
}

static void mimd_launch(struct div *div, int32_t block)
{
    struct mimd *d = mimd_of(div);
    struct div_host *h = d->host;
    int32_t first, count;
    h->calls.block_rows(h, block, &first, &count);
    for (int32_t row = first; row < first + count; row++)
        for (uint32_t left = h->calls.row_live(h, row); left;) {
            uint32_t lanes = h->facts.bundles ? left & port_lanes(h, row * 32 + bits_lowest(left)) : left & -left;
            struct threads threads = {1, {{row, lanes}}};
            h->calls.create(h, h->facts.program->functions[0].first, 0, &threads, row * 32 + bits_lowest(left));
            left &= ~lanes;
        }
}

static void mimd_branch(struct div *div, struct strand *s, const struct outcome *outcomes, int count)
{
    struct mimd *d = mimd_of(div);
    if (count != 1 && !d->host->facts.bundles)
        panic("one thread left for %d places", count);
    d->host->calls.assign(d->host, s, outcomes[0].pc, outcomes[0].depth, &outcomes[0].threads);
    for (int i = 1; i < count; i++)
        d->host->calls.split(d->host, s, outcomes[i].pc, outcomes[i].depth, &outcomes[i].threads);
}

static void mimd_exit(struct div *div, struct strand *s, const struct threads *ended)
{
    struct mimd *d = mimd_of(div);
    (void)ended;
    if (!s->threads.count) /* else mimd_branch() hears of the rest of the bundle */
        d->host->calls.retire(d->host, s);
}

#define ONE_STRAND_PER_THREAD \
    .create = mimd_create, .destroy = mimd_destroy, .launch = mimd_launch, .branch = mimd_branch, .exit = mimd_exit

const struct div_ops div_mimd = {
    .name = "mimd",
    .summary = "Upper bound on the use of lanes: one PC per thread, lanes always packed, accesses of one cycle merged.",
    .paper = "the upper bound of Fung et al., MICRO 2007",
    .flags = DIV_IDEAL_LANES,
    .cost = cost_ideal,
    ONE_STRAND_PER_THREAD,
};

const struct div_ops div_bound = {
    .name = "bound",
    .summary =
        "Lower bound on cycles, which no mechanism passes: threads wait for themselves alone, and lanes, units and "
        "memory need the least time for all of them.",
    .paper = "beyond the papers",
    .flags = DIV_IDEAL_LANES | DIV_LEAST_TIME,
    .cost = cost_ideal,
    ONE_STRAND_PER_THREAD,
};
