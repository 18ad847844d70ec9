/*
 * A tally: sums over launches that are taken for alike, in their order, from which the cycles of those that were only
 * computed are estimated.
 *
 * Launches that were only computed form gaps between those that were measured. A gap takes its work times the mean of
 * the rates (cycles per unit of work) at its two ends, and behind the last measured launch the mean of the last four,
 * or the last one where rates drift.
 *
 * The variance between measured launches is that of the differences between a rate and the line through its two
 * neighbours: just the error that the estimate would have without this launch. A drift, which the means at both ends of
 * a gap follow, does not count. Behind the last measured launch nothing follows a drift, and the variance there is half
 * the mean square of the differences between one measured launch and the next.
 *
 * Two errors are not noise and come on top, as far as they are larger than what noise makes. Where the rates at the two
 * ends of a gap differ, the rate may have changed all at once, anywhere in the gap: the largest such change counts. And
 * where the last rate differs from the mean of the last four, rates may drift although noise hides it, and go on
 * drifting behind the last measured launch.
 *
 * Work is counted in several units at once, and the one whose rates vary least is taken: launches that wait more than
 * they issue take the same cycles whatever their instructions, and the cycles of launches of several sizes grow more
 * slowly than their instructions, since each has a start and a tail.
 */
#ifndef HEDDLE_SAMPLE_TALLY_H
#define HEDDLE_SAMPLE_TALLY_H

#include <stdbool.h>

/* What the work of a launch is measured in: its instructions to the power of 1, 3/4, 1/2, 1/4, and 0 (launches). */
enum tally_unit { TALLY_INSTRUCTIONS, TALLY_LAUNCHES = 4, TALLY_UNITS };

/* What a tally needs of a launch that has ended. */
struct tally_launch {
    double work;                        /* instructions */
    double cycles, half, sampling_half; /* of a timed launch */
    bool is_timed, is_measured;         /* it was timed; and it counts for others */
};

/* By one unit of work. */
struct tally_rates {
    double last, before;  /* rates of the launch that was measured last, and of the one before it */
    double trend, noise;  /* means of the last relative differences between a rate and the next, and of their squares */
    double level;         /* mean of the rates, in which the last ones weigh most; for the gap behind the last */
    double sum;           /* of the rates of all measured launches */
    double steps_squared; /* sum of the squares of the relative differences between a rate and the next */
    double bends_squared; /* sum of the squares of those between a rate and the line through its two neighbours */
    double closed_cycles; /* of the gaps before the launch that was measured last */
    double open_work;     /* work of the gap behind it */
    double left;          /* work before it to which its rate applies */
    double weights_squared;     /* sum over the other measured launches of the square of the work of their rates */
    double change_work, change; /* of the gap where their product is largest: its work, and the part of the rate's
                                 * change over it that the step before did not foresee */
    double distance, step; /* from the measured launch before the last one to the last: work, and change of the rate */
    double each_work_squared; /* sum of the squares of the work that strays together, of what was only computed */
};

struct tally {
    double timed_cycles, timed_half_squared, timed_allowance; /* of launches that were timed */
    double timed_work, work;                                  /* instructions: timed, and all */
    int launches, measured;
    int last_at, before_at;  /* launches when one was measured last, and when the one before it was */
    double relative_squared; /* sum of the squares of the relative sampling errors of measured launches */
    struct tally_rates by[TALLY_UNITS];
};

/* The variance of rates, pooled over tallies. */
struct tally_spread {
    double steps_squared[TALLY_UNITS], bends_squared[TALLY_UNITS];
    int steps, bends; /* how many */
};

/* What launches that were only computed take, and the square of half its interval. */
struct tally_sum {
    double cycles, half_squared;
};

/* Adds a launch. `alike`: launches that were only computed before, which stray from the rate together with this one;
 * NULL: it strays by itself. */
void tally_add(struct tally *t, const struct tally_launch *launch, const struct tally *alike);
void tally_spread_add(struct tally_spread *s, const struct tally *t);
/* Square of half the interval of a rate, relative to the rate: of the launches behind the last measured one, and of
 * those between measured ones. */
double tally_ahead_squared(const struct tally_spread *s, enum tally_unit unit);
double tally_between_squared(const struct tally_spread *s, enum tally_unit unit);
/* The rate of launches behind the last measured one. */
double tally_rate_ahead(const struct tally *t, enum tally_unit unit);
/* Of the launches that were only computed, by the rates of the tally, or, if none was measured, by those of `others`.
 */
struct tally_sum tally_open(const struct tally *t, const struct tally *others, const struct tally_spread *s,
                            enum tally_unit unit);
/* The unit whose rates vary less, relative to what they give. */
enum tally_unit tally_unit_of(const struct tally *t, const struct tally *others, const struct tally_spread *s);
double tally_work(const struct tally_launch *launch, enum tally_unit unit);

#endif
