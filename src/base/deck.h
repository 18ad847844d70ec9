/*
 * A deck: numbers in a row, of which each is taken once. Its owner takes them from the front; other host threads that
 * have nothing to do take them from the back, so that an owner mostly keeps the same numbers.
 */
#ifndef HEDDLE_BASE_DECK_H
#define HEDDLE_BASE_DECK_H

#include <stdatomic.h>
#include <stdint.h>

enum { DECK_EMPTY = -1 };

struct deck {
    atomic_uint_least64_t rest; /* the first number that is left, and 2^32 times the one behind the last */
};

/* Makes the deck hold the numbers from `first` up to `end`, exclusively. Nobody may take at the same time. */
static inline void deck_fill(struct deck *d, uint32_t first, uint32_t end)
{
    atomic_store_explicit(&d->rest, (uint64_t)end << 32 | first, memory_order_relaxed);
}

/* Takes a number, or gives DECK_EMPTY. Orders no other access to memory: numbers alone pass between threads. */
static inline int deck_take(struct deck *d, int from_back)
{
    uint64_t rest = atomic_load_explicit(&d->rest, memory_order_relaxed), next;
    do {
        if ((uint32_t)rest >= rest >> 32)
            return DECK_EMPTY;
        next = from_back ? rest - (UINT64_C(1) << 32) : rest + 1;
    } while (!atomic_compare_exchange_weak_explicit(&d->rest, &rest, next, memory_order_relaxed, memory_order_relaxed));
    return from_back ? (int)(next >> 32) : (int)(uint32_t)rest;
}

/* deck_take_front() of a deck that nobody else takes from. */
static inline int deck_take_alone(struct deck *d)
{
    uint64_t rest = atomic_load_explicit(&d->rest, memory_order_relaxed);
    if ((uint32_t)rest >= rest >> 32)
        return DECK_EMPTY;
    atomic_store_explicit(&d->rest, rest + 1, memory_order_relaxed);
    return (int)(uint32_t)rest;
}

static inline int deck_take_front(struct deck *d)
{
    return deck_take(d, 0);
}

static inline int deck_take_back(struct deck *d)
{
    return deck_take(d, 1);
}

#endif
