/*
 * Clock domains: which cycle of one clock is meant by a cycle of another.
 *
 * Cycle n of a clock of f MHz begins at n/f microseconds; all clocks start together. Conversions round to the
 * edge that is wanted and are exact: a ratio of integers, reduced, and no remainder is ever dropped between
 * two of them.
 */
#ifndef HEDDLE_MEM_CLOCK_H
#define HEDDLE_MEM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define CLOCK_NEVER UINT64_MAX

/* Division by a number that stays the same, as a multiplication; exact for every dividend. */
struct divider {
    uint64_t by, inverse; /* inverse: of 2^64, rounded down */
};

static inline struct divider divider_make(uint64_t by)
{
    return (struct divider){by, UINT64_MAX / by};
}

static inline uint64_t divide(struct divider d, uint64_t x)
{
    /* At most one too small, since the inverse lacks less than 1 of 2^64 / by. */
    uint64_t quotient = (uint64_t)((unsigned __int128)x * d.inverse >> 64);
    return quotient + (x - quotient * d.by >= d.by);
}

struct clock_ratio {
    uint64_t to, from; /* cycles of the one in as many of the other; no common divisor */
    bool shifts;       /* `from` is 2^shift */
    unsigned shift;
    struct divider by_from;
};

static inline struct clock_ratio clock_make_ratio(uint64_t from_mhz, uint64_t to_mhz)
{
    uint64_t a = from_mhz, b = to_mhz;
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    uint64_t from = from_mhz / a;
    return (struct clock_ratio){.to = to_mhz / a,
                                .from = from,
                                .shifts = !(from & (from - 1)),
                                .shift = (unsigned)__builtin_ctzll(from),
                                .by_from = divider_make(from)};
}

/* The first cycle of the other clock that begins at or after this one's; CLOCK_NEVER stays. */
static inline uint64_t clock_first_from(const struct clock_ratio *r, uint64_t cycle)
{
    if (cycle == CLOCK_NEVER)
        return cycle;
    uint64_t scaled = cycle * r->to + r->from - 1;
    return r->shifts ? scaled >> r->shift : divide(r->by_from, scaled);
}

/* The last cycle of the other clock that begins at or before this one's. */
static inline uint64_t clock_last_until(const struct clock_ratio *r, uint64_t cycle)
{
    uint64_t scaled = cycle * r->to;
    return r->shifts ? scaled >> r->shift : divide(r->by_from, scaled);
}

static inline uint64_t clock_earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t clock_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

#endif
