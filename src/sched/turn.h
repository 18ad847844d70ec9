/*
 * Ready strands in the order of their turn: by port, then lineage, then id. For policies that go round.
 *
 * A place is a lineage as its port counts them (lineage / ports). A set bit says that a place has ready
 * strands; more than one share it only under mechanisms that split a warp.
 */
#ifndef HEDDLE_SCHED_TURN_H
#define HEDDLE_SCHED_TURN_H

#include "sched/sched.h"

enum { SCHED_WORDS = SCHED_MAX_STRANDS / 64, TURN_PLACES = SCHED_MAX_STRANDS };

struct turn_port {
    uint64_t places[TURN_PLACES / 64]; /* with ready strands */
    int16_t first[TURN_PLACES];        /* lowest id + 1 of those there, or 0 */
    int words;                         /* of `places` that were ever used */
};

struct turn {
    int ports;
    uint64_t ready[SCHED_WORDS]; /* by id */
    struct strand *strand[SCHED_MAX_STRANDS];
    int32_t lineage[SCHED_MAX_STRANDS]; /* as of when it became ready */
    int16_t next[SCHED_MAX_STRANDS];    /* id + 1 of the next of the same place, or 0 */
    struct turn_port port[];
};

struct turn *turn_create(int ports);
/* Both do nothing where nothing changes. */
void turn_add(struct turn *t, struct strand *strand);
void turn_remove(struct turn *t, const struct strand *strand);

static inline int turn_place(const struct turn *t, int32_t lineage)
{
    return lineage / t->ports % TURN_PLACES;
}

static inline bool turn_has(const struct turn *t, int32_t id)
{
    return t->ready[id / 64] >> id % 64 & 1;
}

/* The first ready strand of places low .. high - 1 that is not rejected and, at `low`, has an id above
 * `after`. */
struct strand *turn_find(const struct turn *t, int port, int low, int high, int32_t after,
                         const uint64_t *reject);
/* The same, around: from (from, after) to `high`, then from `low` to there again. */
struct strand *turn_around(const struct turn *t, int port, int low, int high, int from, int32_t after,
                           const uint64_t *reject);

#endif
