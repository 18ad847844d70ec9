/*
 * Strata: the launches of a family, told apart in one way, and what those that were only computed take by the rates of
 * those that were measured.
 *
 * A stratum is the launches of one group of signatures; or those of one group behind one kernel, if launches are to be
 * told apart by the kernel that ran before. Launches of one kind in one stratum are a cell.
 *
 * Launches that were not timed take the rates of their cell, if a launch of it was measured, and else those of their
 * stratum: programs whose launches all have different arguments, as a loop's counter, never come back to a cell. Where
 * none of the stratum was measured either, they take the rates of the family's launches before and behind them. All
 * launches of a cell of which none was measured may be off by the same share, and so may those of such a stratum.
 */
#ifndef HEDDLE_SAMPLE_STRATA_H
#define HEDDLE_SAMPLE_STRATA_H

#include "sample/groups.h"
#include "sample/tally.h"

#include <uthash.h>

enum {
    BEFORE_MAX = 4, /* kernels before that are told apart; further ones count as the last of these */
    STRATA_MAX = GROUPS_MAX * BEFORE_MAX
};

/* A launch that has ended. */
struct member {
    struct signature signature;
    int kind;   /* number of its grid and scalar arguments */
    int before; /* number of the kernel that ran before, below BEFORE_MAX */
    int group;  /* of its signature; the family finds it */
    struct tally_launch launch;
};

struct cell_key {
    int kind, stratum;
};

struct cell {
    struct cell_key key;
    struct tally tally;
    bool is_known; /* some launch of it was measured */
    struct cell *next_known;
    UT_hash_handle hh;
};

struct strata_sum {
    double cycles, half_squared, allowance;
};

struct strata {
    bool by_before;                /* which kernel ran before tells launches apart */
    int count;                     /* strata that have launches */
    int last[GROUPS_MAX];          /* of a group, the stratum of the launch that was measured last, if any was */
    bool has_return;               /* measured launches of a group left a stratum for another one and came back */
    struct tally rest[STRATA_MAX]; /* of a stratum, what belongs to no known cell, and all of it that was measured */
    struct tally orphans; /* what belongs to no stratum of which a launch was measured, and all that was measured */
    bool is_known[STRATA_MAX]; /* some launch of the stratum was measured */
    bool is_used[STRATA_MAX];  /* it has launches */
    struct cell *cells, *known;
    int known_count;
    struct tally_spread within_cells, within_strata; /* pooled over all known cells, and over all strata */
    struct strata_sum part;                          /* what all launches take */
};

void strata_drop(struct strata *s);
/* Sums the launches up anew. */
void strata_sum_up(struct strata *s, const struct member *members, int count);
/* Adds the last of the launches. */
void strata_add(struct strata *s, const struct member *members, int count);
/* Finds variances and the sum. `whole`: all launches of the family. */
void strata_estimate(struct strata *s, const struct tally *whole);
/* Square of half the interval of what launches of the kind take that were only computed, so far as a measured launch of
 * the kind would narrow it. If the kind (-1: none) has no launches yet, one may be of any stratum: all count. */
double strata_half_squared(const struct strata *s, const struct tally *whole, int kind);
/* Square of half the interval of the rate of one launch, relative to the rate, as far as strata tell launches apart. */
double strata_spread(const struct strata *s);
/* Whether measured launches of its cell or stratum say what the member takes. */
bool strata_know(const struct strata *s, const struct member *m);
/* Cycles of a member that was only computed; *half_squared gets the square of half their interval, relative to them. */
double strata_cycles(const struct strata *s, const struct tally *whole, const struct member *m, double *half_squared);

#endif
