/*
 * majority: the PC at which most threads wait; then that PC until no thread waits there, threads that arrive late
 * included. Of PCs with equally many threads, the lowest; of the strands at a PC, the one that arrived first. Fung et
 * al., MICRO 2007.
 */
#include "sched/parts/pc_heap.h"

struct sched {
    struct pc_heap *heap;
};

static struct sched *majority_create(const struct sched_setup *setup)
{
    struct sched *s = xcalloc(1, sizeof *s);
    s->heap = pc_heap_create(setup->ports);
    return s;
}

static void majority_destroy(struct sched *s)
{
    pc_heap_destroy(s->heap);
    free(s);
}

static void majority_added(struct sched *s, struct strand *strand)
{
    (void)s, (void)strand;
}

static void majority_removed(struct sched *s, struct strand *strand)
{
    pc_heap_leave(s->heap, strand);
}

static void majority_ready(struct sched *s, struct strand *strand, int class)
{
    pc_heap_enter(s->heap, strand, class);
}

static void majority_unready(struct sched *s, struct strand *strand)
{
    pc_heap_leave(s->heap, strand);
}

static struct strand *majority_pick(struct sched *s, const struct sched_ask *ask)
{
    return pc_heap_pick(s->heap, ask);
}

static void majority_issued(struct sched *s, int port, struct strand *strand, uint64_t now)
{
    (void)now;
    pc_heap_issued(s->heap, port, strand);
}

const struct sched_ops sched_majority = {
    .name = "majority",
    .summary = "The PC at which most threads wait, until no thread waits there.",
    .source = "Fung, Sham, Yuan and Aamodt, MICRO 2007",
    .create = majority_create,
    .destroy = majority_destroy,
    .added = majority_added,
    .removed = majority_removed,
    .ready = majority_ready,
    .unready = majority_unready,
    .pick = majority_pick,
    .issued = majority_issued,
};
