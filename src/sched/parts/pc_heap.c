/* Ready strands by PC (pc_heap.h): the heap of PCs, the list of strands at each PC, and picks. */
#include "sched/parts/pc_heap.h"

static const struct pc_heap_list empty = {-1, -1};

struct pc_heap *pc_heap_create(int ports)
{
    struct pc_heap *c = xcalloc(1, sizeof *c + (size_t)ports * sizeof c->port[0]);
    c->ports = ports;
    for (int i = 0; i < ports; i++) {
        c->port[i].urgent = empty;
        c->port[i].chosen = -1;
    }
    return c;
}

void pc_heap_destroy(struct pc_heap *c)
{
    for (int i = 0; i < c->ports; i++) {
        vec_free(&c->port[i].pcs);
        vec_free(&c->port[i].heap);
    }
    free(c);
}

/* ---- the heap ---- */

static bool is_above(const struct pc_heap_port *p, int32_t a, int32_t b)
{
    int32_t of_a = p->pcs.data[a].threads, of_b = p->pcs.data[b].threads;
    return of_a != of_b ? of_a > of_b : a < b;
}

static void put(struct pc_heap_port *p, int place, int32_t pc, struct pc_heap_cost *cost)
{
    p->heap.data[place] = pc;
    p->pcs.data[pc].place = place;
    cost->writes++;
}

static void rise(struct pc_heap_port *p, int place, int32_t pc, struct pc_heap_cost *cost)
{
    while (place) {
        int above = (place - 1) / 2;
        cost->reads++;
        if (!is_above(p, pc, p->heap.data[above]))
            break;
        put(p, place, p->heap.data[above], cost);
        place = above;
    }
    put(p, place, pc, cost);
}

static void sink(struct pc_heap_port *p, int place, int32_t pc, struct pc_heap_cost *cost)
{
    for (int below; (below = 2 * place + 1) < p->heap.count; place = below) {
        cost->reads += below + 1 < p->heap.count ? 2 : 1;
        if (below + 1 < p->heap.count && is_above(p, p->heap.data[below + 1], p->heap.data[below]))
            below++;
        if (!is_above(p, p->heap.data[below], pc))
            break;
        put(p, place, p->heap.data[below], cost);
    }
    put(p, place, pc, cost);
}

/* Restores the heap after the number of threads at the PC changed. */
static struct pc_heap_cost update(struct pc_heap_port *p, int32_t pc, bool grew)
{
    struct pc_heap_cost cost = {0};
    struct pc_heap_group *at = &p->pcs.data[pc];
    if (at->place < 0) {
        vec_push(&p->heap, pc);
        rise(p, p->heap.count - 1, pc, &cost);
    } else if (at->list.first >= 0) {
        (grew ? rise : sink)(p, at->place, pc, &cost);
    } else {
        int place = at->place;
        int32_t last = p->heap.data[--p->heap.count];
        at->place = -1;
        at->classes = 0;
        if (last == pc)
            return cost;
        if (place && is_above(p, last, p->heap.data[(place - 1) / 2]))
            rise(p, place, last, &cost);
        else
            sink(p, place, last, &cost);
    }
    return cost;
}

/* ---- lists ---- */

static struct pc_heap_list *list_of(struct pc_heap *c, const struct pc_heap_strand *m)
{
    struct pc_heap_port *p = &c->port[m->port];
    return m->urgent ? &p->urgent : &p->pcs.data[m->pc].list;
}

struct pc_heap_cost pc_heap_enter(struct pc_heap *c, struct strand *strand, int class)
{
    struct pc_heap_strand *m = &c->member[strand->id];
    pc_heap_leave(c, strand);
    *m = (struct pc_heap_strand){.strand = strand,
                                 .pc = strand->pc,
                                 .threads = strand->size,
                                 .previous = -1,
                                 .next = -1,
                                 .class = (int8_t) class,
                                 .port = (int8_t)sched_port(strand->lineage, c->ports),
                                 .urgent = strand->key < 0};
    struct pc_heap_port *p = &c->port[m->port];
    while (p->pcs.count <= m->pc)
        vec_push(&p->pcs, (struct pc_heap_group){.list = empty, .place = -1});
    struct pc_heap_list *list = list_of(c, m);
    m->previous = list->last;
    *(list->last < 0 ? &list->first : &c->member[list->last].next) = (int16_t)strand->id;
    list->last = (int16_t)strand->id;
    if (m->urgent)
        return (struct pc_heap_cost){0};
    p->pcs.data[m->pc].threads += m->threads;
    p->pcs.data[m->pc].classes |= 1u << class;
    return update(p, m->pc, true);
}

struct pc_heap_cost pc_heap_leave(struct pc_heap *c, const struct strand *strand)
{
    struct pc_heap_strand *m = &c->member[strand->id];
    if (!m->strand)
        return (struct pc_heap_cost){0};
    m->strand = NULL;
    struct pc_heap_list *list = list_of(c, m);
    *(m->previous < 0 ? &list->first : &c->member[m->previous].next) = m->next;
    *(m->next < 0 ? &list->last : &c->member[m->next].previous) = m->previous;
    if (m->urgent)
        return (struct pc_heap_cost){0};
    c->port[m->port].pcs.data[m->pc].threads -= m->threads;
    return update(&c->port[m->port], m->pc, false);
}

/* ---- picks ---- */

static struct strand *first_that_fits(const struct pc_heap *c, struct pc_heap_list list, const struct sched_ask *ask)
{
    for (int id = list.first; id >= 0; id = c->member[id].next) {
        const struct pc_heap_strand *m = &c->member[id];
        if (!(ask->blocked >> m->class & 1) && sched_fits(m->strand, m->class, ask))
            return m->strand;
    }
    return NULL;
}

static struct strand *first_of_pc(const struct pc_heap *c, const struct pc_heap_group *at, const struct sched_ask *ask)
{
    return at->classes & ~ask->blocked ? first_that_fits(c, at->list, ask) : NULL;
}

/* The strand of the best PC from which one fits. The top of the heap has been tried; below it the heap is not
 * sorted. */
static struct strand *best_of_others(const struct pc_heap *c, const struct pc_heap_port *p, const struct sched_ask *ask)
{
    struct strand *best = NULL;
    int32_t best_pc = -1;
    for (int i = 0; i < p->heap.count; i++) {
        int32_t pc = p->heap.data[i];
        if (best && !is_above(p, pc, best_pc))
            continue;
        struct strand *s = first_of_pc(c, &p->pcs.data[pc], ask);
        if (s) {
            best = s;
            best_pc = pc;
        }
    }
    return best;
}

struct strand *pc_heap_pick(const struct pc_heap *c, const struct sched_ask *ask)
{
    const struct pc_heap_port *p = &c->port[ask->port];
    struct strand *s = first_that_fits(c, p->urgent, ask);
    if (s || !p->heap.count)
        return s;
    bool stays = p->chosen >= 0 && p->pcs.data[p->chosen].place >= 0;
    s = first_of_pc(c, &p->pcs.data[stays ? p->chosen : p->heap.data[0]], ask);
    return s ? s : best_of_others(c, p, ask);
}

void pc_heap_issued(struct pc_heap *c, int port, const struct strand *strand)
{
    struct pc_heap_port *p = &c->port[port];
    const struct pc_heap_strand *m = &c->member[strand->id];
    bool stays = p->chosen >= 0 && p->pcs.data[p->chosen].place >= 0;
    if (!stays && !m->urgent)
        p->chosen = m->pc;
}
