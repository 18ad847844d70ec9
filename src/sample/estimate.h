/*
 * An estimate: a figure that was extrapolated from samples, and how far it may be off.
 *
 * The interval holds the true figure with a confidence of 95 %, if the samples are independent and nearly normal. Its
 * half width has two terms: the sampling error, from the variance between samples and Student's distribution, and an
 * allowance for what the samples cannot show, a fixed share of the extrapolated part (sample_allowance).
 */
#ifndef HEDDLE_SAMPLE_ESTIMATE_H
#define HEDDLE_SAMPLE_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

/* Of the cycles that were extrapolated: caches that skipped work would have changed, and the mix of work at the edges
 * of samples. docs/sampling.md compares it with what was measured. */
extern const double sample_allowance;
/* The half width that is aimed at, as a share of the estimate. */
extern const double sample_target;

/* By how much a launch changed the estimate for all launches so far. Readers of many launches add the changes up: the
 * sum is the estimate for all of them, and rates that were measured late count for early launches, too. */
struct sample_change {
    double cycles, half_cycles;
};

struct sample_estimate {
    double cycles;           /* the estimate */
    double half_cycles;      /* half the width of the interval; 0: every cycle was simulated */
    double timed_cycles;     /* cycles that were simulated, part of `cycles` */
    double sampling_half;    /* the part of half_cycles that comes from the variance between samples */
    double timed_work, work; /* instructions that were timed, and all */
    uint64_t timed_blocks, blocks;
    int samples; /* measured stretches of the launch; of several launches: those that were timed */
    struct sample_change program, kernel; /* of all launches of the program, and of those of the kernel */
    const char *why; /* why all that counts of a launch was timed, for a note; NULL: it was not, or needs no note */
};

/* Half width over estimate; 0 if nothing was extrapolated. */
double sample_relative_half(const struct sample_estimate *e);
/* Share of the instructions that were timed. */
double sample_timed_share(const struct sample_estimate *e);

/* The factor by which a standard error becomes half of a 95 % interval, of so many degrees of freedom (1 or more). */
double sample_student(int degrees);

#endif
