/*
 * A family: the launches of one kernel with blocks of one shape, whatever their grids, since many programs shrink or
 * grow a grid from launch to launch; of few waves, only those of as many waves.
 *
 * Launches are told apart in three ways. Before a launch its kind is known: its grid, and its arguments that are no
 * addresses. A kernel that is given a distance, a level or a size often takes other cycles with another one at the same
 * instructions. It is also known which kernel ran before. Behind a launch its signature is known, by which launches
 * form groups (sample/groups.h). The launches are sorted by kind and group, and once more also by the kernel before,
 * which counts if it gives a narrower interval (sample/strata.h).
 */
#ifndef HEDDLE_SAMPLE_FAMILY_H
#define HEDDLE_SAMPLE_FAMILY_H

#include "base/vec.h"
#include "sample/program.h"
#include "sample/strata.h"

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

/* The ways in which launches are sorted: by group, and by group and the kernel before. */
enum sorting { PLAIN, BY_BEFORE, SORTINGS };

struct family {
    struct kind *kinds;
    struct vec_of(struct member) members;
    struct groups groups;
    struct tally whole;
    struct strata sorted[SORTINGS];
    bool has_two_before; /* two kernels ran before launches: as long as it is one, launches are sorted by group only */
    enum sorting chosen; /* the one that counts */
    bool is_doubtful;    /* the kernel before seems to tell launches apart, but a drift would look the same so far */
    int measured_before; /* number of the kernel before the launch that was measured last */
    int grouped;         /* members when groups were found last */
    struct strata_sum part; /* what the family adds to a sum */
};

void family_close(struct family *f);
/* The launches with such arguments; they are added if there were none. */
struct kind *family_kind(struct family *f, uint64_t arguments);
void family_add(struct family *f, const struct member *m);
/* Square of half the interval of what launches of the kind take that were only computed, so far as a measured launch of
 * the kind would narrow it. NULL, or a kind without launches yet: of all launches of the family. */
double family_half_squared(const struct family *f, const struct kind *kind);
/* Square of half the interval of the rate of one launch, relative to the rate, as far as launches are told apart. */
double family_spread(const struct family *f);
/* Parts of the family that a measured launch can be of: cells of which one was measured, and strata. */
int family_parts(const struct family *f);
/* Whether measured launches say what the last member takes. */
bool family_knows_last(const struct family *f);
/* The estimate for the last member. */
void family_last(const struct family *f, struct sample_estimate *e);

#endif
