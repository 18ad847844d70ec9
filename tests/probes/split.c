/*
 * split: threads that diverge never reconverge. A static warp begins as one strand; at a divergent branch each side
 * becomes a strand of its own. The example of docs/adding-a-mechanism.md.
 */
#include "base/arena.h"
#include "tests/probes/probes.h"

#include <stdlib.h>

struct split {
    struct div_host *host;
};

/* The pipeline holds a mechanism's state by an opaque `struct div *`. */
static struct split *split_of(struct div *div)
{
    return (struct split *)div;
}

static struct div *split_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    (void)knob_values, (void)wants;
    struct split *d = xcalloc(1, sizeof *d);
    d->host = host;
    return (struct div *)d;
}

static void split_destroy(struct div *div)
{
    free(split_of(div));
}

/* Makes one strand for each static warp that has threads in `mask`, which are lanes of the row. */
static void start(struct split *d, int32_t pc, int32_t depth, int32_t row, uint32_t mask)
{
    int width = d->host->facts.width < 32 ? d->host->facts.width : 32;
    uint32_t warp = UINT32_MAX >> (32 - width);
    for (int lane = 0; lane < 32; lane += width) {
        struct threads t = {1, {{row, mask & warp << lane}}};
        if (t.part[0].mask)
            d->host->calls.create(d->host, pc, depth, &t, row);
    }
}

static void split_launch(struct div *div, int32_t block)
{
    struct split *d = split_of(div);
    int32_t first, count;
    d->host->calls.block_rows(d->host, block, &first, &count);
    for (int32_t row = first; row < first + count; row++)
        start(d, d->host->facts.program->functions[0].first, 0, row, d->host->calls.row_live(d->host, row));
}

/* The first side goes on in the strand that branched, each other side in a new strand. */
static void split_branch(struct div *div, struct strand *s, const struct outcome *outcomes, int count)
{
    struct split *d = split_of(div);
    int32_t lineage = s->lineage;
    d->host->calls.assign(d->host, s, outcomes[0].pc, outcomes[0].depth, &outcomes[0].threads);
    for (int i = 1; i < count; i++)
        d->host->calls.create(d->host, outcomes[i].pc, outcomes[i].depth, &outcomes[i].threads, lineage);
}

static void split_exit(struct div *div, struct strand *s, const struct threads *ended)
{
    struct split *d = split_of(div);
    (void)ended;
    if (!s->threads.count)
        d->host->calls.retire(d->host, s);
}

/* If some threads of the strand have passed the barrier already, the strand is retired, and `released` follows for them
 * at once and for the others later. A strand that waits with all its threads stays as it is. */
static void split_barrier(struct div *div, struct strand *s, int32_t block, int id)
{
    struct split *d = split_of(div);
    (void)block, (void)id;
    if (s->waiting < s->size)
        d->host->calls.retire(d->host, s);
}

static void split_released(struct div *div, int32_t pc, int32_t depth, const struct threads *threads)
{
    struct split *d = split_of(div);
    for (int i = 0; i < threads->count; i++)
        start(d, pc, depth, threads->part[i].row, threads->part[i].mask);
}

const struct div_ops probe_split = {
    .name = "example-split",
    .summary = "threads that diverge never reconverge",
    .paper = "none: an example",
    .create = split_create,
    .destroy = split_destroy,
    .launch = split_launch,
    .branch = split_branch,
    .exit = split_exit,
    .barrier = split_barrier,
    .released = split_released,
};
