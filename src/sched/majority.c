/*
 * majority: the PC at which most threads wait; then that PC until no thread waits there, threads that arrive late
 * included. Of PCs with equally many threads, the lowest; of the strands at a PC, the one that arrived first. Fung et
 * al., MICRO 2007.
 */
#include "sched/parts/pc_heap.h"

struct majority_sched {
    struct pc_heap *heap;
};

static struct majority_sched *majority_of(struct sched *sched)
{
    return (struct majority_sched *)sched;
}

static struct sched *majority_create(const struct sched_setup *setup)
{
    struct majority_sched *s = xcalloc(1, sizeof *s);
    s->heap = pc_heap_create(setup->ports);
    return (struct sched *)s;
}

static void majority_destroy(struct sched *sched)
{
    struct majority_sched *s = majority_of(sched);
    pc_heap_destroy(s->heap);
    free(s);
}

static void majority_added(struct sched *sched, struct strand *strand)
{
    struct majority_sched *s = majority_of(sched);
    (void)s, (void)strand;
}

static void majority_removed(struct sched *sched, struct strand *strand)
{
    struct majority_sched *s = majority_of(sched);
    pc_heap_leave(s->heap, strand);
}

static void majority_ready(struct sched *sched, struct strand *strand, int class)
{
    struct majority_sched *s = majority_of(sched);
    pc_heap_enter(s->heap, strand, class);
}

static void majority_unready(struct sched *sched, struct strand *strand)
{
    struct majority_sched *s = majority_of(sched);
    pc_heap_leave(s->heap, strand);
}

static struct strand *majority_pick(struct sched *sched, const struct sched_ask *ask)
{
    struct majority_sched *s = majority_of(sched);
    return pc_heap_pick(s->heap, ask);
}

static void majority_issued(struct sched *sched, int port, struct strand *strand, uint64_t now)
{
    struct majority_sched *s = majority_of(sched);
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
