/*
 * Clock domains: converts a cycle of one clock to a cycle of another.
 *
 * Cycle n of a clock of f MHz begins at n/f microseconds; all clocks start together. A conversion rounds to the clock
 * edge that the caller wants and is exact: a reduced ratio of integers, so no error builds up.
 */
#ifndef HEDDLE_MEM_CLOCK_H
#define HEDDLE_MEM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define CLOCK_NEVER UINT64_MAX

/* Division by a constant, as a multiplication; exact for every dividend. */
struct divider {
    uint64_t by, inverse; /* the divisor; 2^64 divided by it, rounded down */
};

static inline struct divider divider_make(uint64_t by)
{
    return (struct divider){by, UINT64_MAX / by};
}

static inline uint64_t divide(struct divider d, uint64_t x)
{
    /* At most one too small, since `inverse` is less than 1 below 2^64 / by. */
    uint64_t quotient = (uint64_t)((unsigned __int128)x * d.inverse >> 64);
    return quotient + (x - quotient * d.by >= d.by);
}

struct clock_ratio {
    /* `to` cycles of the target clock take as long as `from` cycles of the source clock; no common divisor */
    uint64_t to, from;
    bool shifts; /* `from` is 2^shift: a shift replaces the division */
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

/* The first cycle of the target clock that begins at or after the given cycle begins, which is not CLOCK_NEVER. */
static inline uint64_t clock_first_since(const struct clock_ratio *r, uint64_t cycle)
{
    uint64_t scaled = cycle * r->to + r->from - 1;
    return r->shifts ? scaled >> r->shift : divide(r->by_from, scaled);
}

/* clock_first_since() for any cycle: CLOCK_NEVER stays CLOCK_NEVER. */
static inline uint64_t clock_first_from(const struct clock_ratio *r, uint64_t cycle)
{
    return cycle == CLOCK_NEVER ? cycle : clock_first_since(r, cycle);
}

/* The last cycle of the target clock that begins at or before the given cycle begins. */
static inline uint64_t clock_last_until(const struct clock_ratio *r, uint64_t cycle)
{
    uint64_t scaled = cycle * r->to;
    return r->shifts ? scaled >> r->shift : divide(r->by_from, scaled);
}

/* clock_last_until() of one cycle after the other, without a multiplication for each. */
struct clock_follower {
    uint64_t cycle;       /* of the target clock */
    uint64_t rest;        /* time since it began; a cycle of the target clock is `from` of these units */
    uint64_t whole, part; /* what a cycle of the source clock adds to both */
    uint64_t from;
};

static inline struct clock_follower clock_follow(const struct clock_ratio *r, uint64_t cycle)
{
    const uint64_t last = clock_last_until(r, cycle), whole = clock_last_until(r, 1);
    return (struct clock_follower){last, cycle * r->to - last * r->from, whole, r->to - whole * r->from, r->from};
}

/* The source clock's next cycle. */
static inline void clock_step(struct clock_follower *f)
{
    const uint64_t rest = f->rest + f->part, carry = rest >= f->from;
    f->cycle += f->whole + carry;
    f->rest = rest - (carry ? f->from : 0);
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
