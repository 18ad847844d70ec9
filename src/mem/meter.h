/*
 * Meters: how long a resource needs at least for what is asked of it.
 *
 * A resource serves a fixed amount per cycle. A meter adds up what is asked, each part from the cycle on at which it
 * can be asked for at the earliest. Whatever the order in which a machine asks, the resource cannot have served
 * everything before the meter's time: for each cycle t, what can only be asked for from t on is served after t. Times
 * are in parts of a cycle.
 */
#ifndef HEDDLE_MEM_METER_H
#define HEDDLE_MEM_METER_H

#include <stdint.h>

enum { METER_BITS = 20 };
#define METER_CYCLE (UINT64_C(1) << METER_BITS) /* one cycle */

struct meter {
    uint64_t free; /* when the resource can have served everything, in parts of a cycle */
    uint64_t work; /* the time that everything takes, in parts of a cycle */
};

static inline void meter_add(struct meter *m, uint64_t now, uint64_t cost)
{
    uint64_t from = now << METER_BITS;
    m->free = (m->free > from ? m->free : from) + cost;
    m->work += cost;
}

/* The first cycle that does not end before the time. */
static inline uint64_t meter_cycles(uint64_t time)
{
    return (time + METER_CYCLE - 1) >> METER_BITS;
}

#endif
