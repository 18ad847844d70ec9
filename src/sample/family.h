/*
 * A family: the launches of one kernel with blocks of one shape, whatever their grids, since many programs shrink or
 * grow a grid from launch to launch.
 *
 * Launches are told apart in two ways. Before a launch its kind is known: its grid, and its arguments that are no
 * addresses. A kernel that is given a distance, a level or a size often takes other cycles with another one at the same
 * instructions. Behind a launch its signature is known, by which launches form groups (sample/groups.h). Launches of
 * one kind and one group are a cell.
 *
 * Launches that were not timed take the rates of their cell, if a launch of it was measured, and else those of their
 * group: programs whose launches all have different arguments, as a loop's counter, never come back to a cell. Where
 * none of the group was measured either, they take the rates of the family's launches before and behind them. What
 * becomes of launches of a cell that was not measured is uncertain for all of them together.
 */
#ifndef HEDDLE_SAMPLE_FAMILY_H
#define HEDDLE_SAMPLE_FAMILY_H

#include "base/vec.h"
#include "sample/groups.h"
#include "sample/program.h"
#include "sample/tally.h"

#include <uthash.h>

struct sampled;

/* Launches of a family with the same grid and scalar arguments. */
struct kind {
    uint64_t arguments; /* hash */
    int number, launches;
    bool
        is_unsure; /* since a launch of the family was measured last, one of the kind was like none that was measured */
    /* The last two kinds of launches that followed, and their families; NULL: none did. Many programs alternate. */
    struct sampled *next[2];
    struct kind *next_kind[2];
    UT_hash_handle hh;
};

struct cell_key {
    int kind, group;
};

struct cell {
    struct cell_key key;
    struct tally tally;
    bool is_known; /* some launch of it was measured */
    struct cell *next_known;
    UT_hash_handle hh;
};

/* A launch that has ended. */
struct member {
    struct signature signature;
    int kind;
    struct tally_launch launch;
};

struct family_sum {
    double cycles, half_squared, allowance;
};

struct family {
    struct kind *kinds;
    struct vec_of(struct member) members;
    struct groups groups;
    struct tally whole;
    struct tally
        rest[GROUPS_MAX];      /* of a group, what belongs to no known cell, and all of the group that was measured */
    struct tally orphans;      /* what belongs to no group of which a launch was measured, and all that was measured */
    bool is_known[GROUPS_MAX]; /* some launch of the group was measured */
    struct cell *cells, *known;
    int known_count;
    int grouped;                                     /* members when groups were found last */
    struct tally_spread within_cells, within_groups; /* pooled over all known cells, and over all groups */
    struct family_sum part;                          /* what the family adds to a sum */
};

void family_close(struct family *f);
/* The launches with such arguments; they are added if there were none. */
struct kind *family_kind(struct family *f, uint64_t arguments);
void family_add(struct family *f, const struct member *m);
/* Square of half the interval of what launches of the kind take that were only computed, so far as a measured launch of
 * the kind would narrow it. NULL: of a kind that was not measured. */
double family_half_squared(const struct family *f, const struct kind *kind);
/* Square of half the interval of the rate of one launch, relative to the rate, as far as groups tell launches apart. */
double family_spread(const struct family *f);
/* Whether measured launches say what the last member takes. */
bool family_knows_last(const struct family *f);
/* The estimate for the last member. */
void family_last(const struct family *f, struct sample_estimate *e);

#endif
