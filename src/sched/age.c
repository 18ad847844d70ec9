/* See age.h. Picking costs a look at each word, and at 64 ages for a word whose oldest left or is rejected.
 */
#include "sched/age.h"

#include "base/arena.h"

struct age *age_create(int ports)
{
    struct age *a = xcalloc(1, sizeof *a + (size_t)ports * sizeof a->port[0]);
    a->ports = ports;
    return a;
}

static bool is_older(const struct age *a, int x, int y)
{
    const struct age_key *k = &a->key[x], *l = &a->key[y];
    return k->major != l->major ? k->major < l->major : k->minor < l->minor;
}

void age_add(struct age *a, struct strand *strand, struct age_key key)
{
    int32_t id = strand->id;
    int port = strand->lineage % a->ports, w = id / 64;
    if (a->port_of[id])
        return;
    a->port_of[id] = (int16_t)(port + 1);
    a->key[id] = key;
    a->strand[id] = strand;
    struct age_port *p = &a->port[port];
    if (!p->ready[w] || (p->oldest[w] && is_older(a, id, p->oldest[w] - 1)))
        p->oldest[w] = (int16_t)(id + 1);
    p->ready[w] |= 1ull << id % 64;
    if (p->words <= w)
        p->words = w + 1;
}

void age_remove(struct age *a, const struct strand *strand)
{
    int32_t id = strand->id;
    int w = id / 64;
    if (!a->port_of[id])
        return;
    struct age_port *p = &a->port[a->port_of[id] - 1];
    a->port_of[id] = 0;
    p->ready[w] &= ~(1ull << id % 64);
    if (p->oldest[w] == id + 1)
        p->oldest[w] = 0;
}

static int oldest_of(const struct age *a, int word, uint64_t left)
{
    int best = -1;
    for (; left; left &= left - 1) {
        int id = word * 64 + __builtin_ctzll(left);
        if (best < 0 || is_older(a, id, best))
            best = id;
    }
    return best;
}

struct strand *age_pick(struct age *a, int port, const uint64_t *reject)
{
    struct age_port *p = &a->port[port];
    int best = -1;
    for (int w = 0; w < p->words; w++) {
        if (!p->ready[w])
            continue;
        if (!p->oldest[w])
            p->oldest[w] = (int16_t)(oldest_of(a, w, p->ready[w]) + 1);
        int id = p->oldest[w] - 1;
        if (reject[w] >> id % 64 & 1)
            id = oldest_of(a, w, p->ready[w] & ~reject[w]);
        if (id >= 0 && (best < 0 || is_older(a, id, best)))
            best = id;
    }
    return best < 0 ? NULL : a->strand[best];
}
