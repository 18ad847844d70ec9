/*
 * max-heap: the majority scheduler as hardware would do it (Fung et al., MICRO 2007). The PCs are in a heap by how
 * many threads wait there; a small set-associative table says where in the heap a PC is. Heap and table have few
 * ports, and nothing issues while an update is in progress. Each issue port has its own heap and table.
 *
 * An update is made when a strand becomes ready and when it issues. An update reads and writes the heap entries that
 * it moves; per cycle, as many reads and writes go through as there are ports. A PC that the table has lost, or for
 * which the heap has no entry left, is found by reading the whole heap.
 */
#include "sched/parts/pc_heap.h"

enum { HEAP_ENTRIES = 128, TABLE_SETS = 8, TABLE_WAYS = 4, READ_PORTS = 4, WRITE_PORTS = 4 };

struct max_heap_entry {
    int32_t pc;    /* -1: the entry is empty */
    uint64_t used; /* lookup that used the entry last */
};

struct max_heap_hardware {
    struct max_heap_entry table[TABLE_SETS][TABLE_WAYS];
    uint64_t uses;          /* lookups so far: the clock of least-recently-used replacement */
    uint64_t reads, writes; /* when all updates so far are done, in turns: turn n of a port is in cycle n / ports */
};

struct max_heap_sched {
    struct pc_heap *heap;
    const uint64_t *now;
    /* [strand id] what it cost to take the strand out of the heap, charged if the strand issues */
    struct pc_heap_cost leaving[SCHED_MAX_STRANDS];
    struct max_heap_hardware hardware[]; /* [port] */
};

static struct max_heap_sched *max_heap_of(struct sched *sched)
{
    return (struct max_heap_sched *)sched;
}

static struct sched *max_heap_create(const struct sched_setup *setup)
{
    struct max_heap_sched *s = xcalloc(1, sizeof *s + (size_t)setup->ports * sizeof s->hardware[0]);
    s->heap = pc_heap_create(setup->ports);
    s->now = setup->now;
    for (int i = 0; i < setup->ports; i++)
        for (int k = 0; k < TABLE_SETS * TABLE_WAYS; k++)
            s->hardware[i].table[k / TABLE_WAYS][k % TABLE_WAYS].pc = -1;
    return (struct sched *)s;
}

static void max_heap_destroy(struct sched *sched)
{
    struct max_heap_sched *s = max_heap_of(sched);
    pc_heap_destroy(s->heap);
    free(s);
}

/* Whether the table knows the PC. Afterwards it does. */
static bool look_up(struct max_heap_hardware *h, int32_t pc)
{
    struct max_heap_entry *set = h->table[pc % TABLE_SETS], *oldest = set;
    for (int i = 0; i < TABLE_WAYS; i++) {
        if (set[i].pc == pc) {
            set[i].used = ++h->uses;
            return true;
        }
        if (set[i].used < oldest->used)
            oldest = &set[i];
    }
    *oldest = (struct max_heap_entry){pc, ++h->uses};
    return false;
}

static void charge(const struct max_heap_sched *s, struct max_heap_hardware *h, struct pc_heap_cost cost)
{
    uint64_t reads = *s->now * READ_PORTS, writes = *s->now * WRITE_PORTS;
    h->reads = (h->reads > reads ? h->reads : reads) + (uint64_t)cost.reads;
    h->writes = (h->writes > writes ? h->writes : writes) + (uint64_t)cost.writes;
}

static bool is_busy(const struct max_heap_sched *s, const struct max_heap_hardware *h)
{
    return h->reads > (*s->now + 1) * READ_PORTS || h->writes > (*s->now + 1) * WRITE_PORTS;
}

static void max_heap_added(struct sched *sched, struct strand *strand)
{
    struct max_heap_sched *s = max_heap_of(sched);
    (void)s, (void)strand;
}

static void max_heap_removed(struct sched *sched, struct strand *strand)
{
    struct max_heap_sched *s = max_heap_of(sched);
    pc_heap_leave(s->heap, strand);
}

static void max_heap_ready(struct sched *sched, struct strand *strand, int class)
{
    struct max_heap_sched *s = max_heap_of(sched);
    const struct pc_heap_strand *m = &s->heap->member[strand->id];
    struct pc_heap_cost cost = pc_heap_enter(s->heap, strand, class);
    if (m->urgent)
        return;
    struct max_heap_hardware *h = &s->hardware[m->port];
    int entries = s->heap->port[m->port].heap.count;
    bool is_first = s->heap->port[m->port].pcs.data[m->pc].list.first == strand->id;
    bool is_known = look_up(h, m->pc);
    if ((!is_known && !is_first) || entries > HEAP_ENTRIES)
        cost.reads += entries < HEAP_ENTRIES ? entries : HEAP_ENTRIES;
    charge(s, h, cost);
}

static void max_heap_unready(struct sched *sched, struct strand *strand)
{
    struct max_heap_sched *s = max_heap_of(sched);
    s->leaving[strand->id] = pc_heap_leave(s->heap, strand);
}

static struct strand *max_heap_pick(struct sched *sched, const struct sched_ask *ask)
{
    struct max_heap_sched *s = max_heap_of(sched);
    return is_busy(s, &s->hardware[ask->port]) ? NULL : pc_heap_pick(s->heap, ask);
}

static void max_heap_issued(struct sched *sched, int port, struct strand *strand, uint64_t now)
{
    struct max_heap_sched *s = max_heap_of(sched);
    (void)now;
    pc_heap_issued(s->heap, port, strand);
    charge(s, &s->hardware[port], s->leaving[strand->id]);
}

const struct sched_ops sched_max_heap = {
    .name = "max-heap",
    .summary =
        "Like majority, with a hardware heap of 128 PCs and four ports; nothing issues while the heap is updated.",
    .source = "Fung, Sham, Yuan and Aamodt, MICRO 2007",
    .without_time = "majority",
    .create = max_heap_create,
    .destroy = max_heap_destroy,
    .added = max_heap_added,
    .removed = max_heap_removed,
    .ready = max_heap_ready,
    .unready = max_heap_unready,
    .pick = max_heap_pick,
    .issued = max_heap_issued,
};
