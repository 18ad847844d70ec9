/* See turn.h. Finding costs a look at each word between the last turn and the next. */
#include "sched/turn.h"

#include "base/arena.h"

struct turn *turn_create(int ports)
{
    struct turn *t = xcalloc(1, sizeof *t + (size_t)ports * sizeof t->port[0]);
    t->ports = ports;
    return t;
}

void turn_add(struct turn *t, struct strand *strand)
{
    int32_t id = strand->id;
    if (turn_has(t, id))
        return;
    struct turn_port *p = &t->port[strand->lineage % t->ports];
    int place = turn_place(t, strand->lineage);
    int16_t *link = &p->first[place];
    while (*link && *link - 1 < id)
        link = &t->next[*link - 1];
    t->next[id] = *link;
    *link = (int16_t)(id + 1);
    t->strand[id] = strand;
    t->lineage[id] = strand->lineage;
    t->ready[id / 64] |= 1ull << id % 64;
    p->places[place / 64] |= 1ull << place % 64;
    if (p->words <= place / 64)
        p->words = place / 64 + 1;
}

void turn_remove(struct turn *t, const struct strand *strand)
{
    int32_t id = strand->id;
    if (!turn_has(t, id))
        return;
    struct turn_port *p = &t->port[t->lineage[id] % t->ports];
    int place = turn_place(t, t->lineage[id]);
    int16_t *link = &p->first[place];
    while (*link - 1 != id)
        link = &t->next[*link - 1];
    *link = t->next[id];
    t->ready[id / 64] &= ~(1ull << id % 64);
    if (!p->first[place])
        p->places[place / 64] &= ~(1ull << place % 64);
}

static struct strand *first_at(const struct turn *t, const struct turn_port *p, int place, int32_t after,
                               const uint64_t *reject)
{
    for (int id = p->first[place] - 1; id >= 0; id = t->next[id] - 1)
        if (id > after && !(reject[id / 64] >> id % 64 & 1))
            return t->strand[id];
    return NULL;
}

struct strand *turn_find(const struct turn *t, int port, int low, int high, int32_t after,
                         const uint64_t *reject)
{
    const struct turn_port *p = &t->port[port];
    for (int w = low / 64; w < p->words && w * 64 < high; w++) {
        uint64_t left = p->places[w];
        if (w == low / 64)
            left &= ~0ull << low % 64;
        for (; left; left &= left - 1) {
            int place = w * 64 + __builtin_ctzll(left);
            if (place >= high)
                return NULL;
            struct strand *s = first_at(t, p, place, place == low ? after : -1, reject);
            if (s)
                return s;
        }
    }
    return NULL;
}

struct strand *turn_around(const struct turn *t, int port, int low, int high, int from, int32_t after,
                           const uint64_t *reject)
{
    struct strand *s = turn_find(t, port, from, high, after, reject);
    return s ? s : turn_find(t, port, low, from + 1, -1, reject);
}
