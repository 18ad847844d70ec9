/*
 * An agenda of the slices of the L2: for each slice, the next cycle of the crossbar's clock at which it has something
 * of one kind to do.
 *
 * A wheel of AGENDA_CYCLES sets lists the slices of each cycle, as bits, so that a cycle finds its slices without
 * asking all of them. A set also holds slices of cycles that are one or several turns of the wheel later, and slices
 * that have another cycle now: whoever takes a slice from a set compares with `due`.
 */
#ifndef HEDDLE_MEM_AGENDA_H
#define HEDDLE_MEM_AGENDA_H

#include "mem/clock.h"

enum { AGENDA_CYCLES = 64 }; /* a power of two */

struct agenda {
    uint64_t *due;          /* [slice] its next cycle, by what is known now; CLOCK_NEVER */
    uint64_t *wheel;        /* [slice / 64][cycle % AGENDA_CYCLES] slices, as bits */
    uint32_t slices, words; /* number of slices; 64-bit words for one bit per slice */
};

void agenda_open(struct agenda *a, uint32_t slices);
void agenda_close(struct agenda *a);

/* The set of slices from 64 * word on that the wheel has for the cycle. */
static inline uint64_t *agenda_set_of(const struct agenda *a, uint32_t word, uint64_t cycle)
{
    return &a->wheel[word * AGENDA_CYCLES + cycle % AGENDA_CYCLES];
}

/* The slice's next cycle is this one. */
static inline void agenda_put(struct agenda *a, uint32_t slice, uint64_t cycle)
{
    a->due[slice] = cycle;
    *agenda_set_of(a, slice / 64, cycle) |= UINT64_C(1) << slice % 64;
}

/* Whether the slice, which was taken from the set of cycle k, is due. A slice of a later turn goes back to its set. */
static inline bool agenda_is_due(struct agenda *a, uint32_t slice, uint64_t k)
{
    if (a->due[slice] <= k)
        return true;
    *agenda_set_of(a, slice / 64, a->due[slice]) |= UINT64_C(1) << slice % 64;
    return false;
}

/* The earliest cycle of any slice. */
static inline uint64_t agenda_first(const struct agenda *a)
{
    const uint64_t *due = a->due, *end = due + a->slices;
    uint64_t first = CLOCK_NEVER;
    for (; due < end; due++)
        first = clock_earlier(first, *due);
    return first;
}

#endif
