/*
 * Sampling among the launches of a program.
 *
 * Launches of one kernel with blocks of one shape form a family (sample/family.h); those of few waves are a family for
 * each number of waves, since one wave more takes as long as the others. Before each launch the sampler chooses whether
 * it is timed on the machine or only computed. The first launches of a family are timed, later ones at ever larger
 * distances, whenever launches were unlike all that were timed, and whenever the interval of the program is too wide.
 * docs/sampling.md has the rules.
 *
 * A timed launch is measured, so that it counts for others, if it is warm: the L2 holds what it would hold if all
 * launches had been timed. A launch that is only computed can leave its lines in the L2, which takes little more time
 * than to compute it. So a launch that is wanted and would be cold is computed that way, and so are all launches behind
 * it, until the next one of its family finds the L2 warm.
 */
#ifndef HEDDLE_SAMPLE_PROGRAM_H
#define HEDDLE_SAMPLE_PROGRAM_H

#include "device/launch.h"
#include "sample/estimate.h"
#include "sample/signature.h"

struct gpu_result;
struct sample_program;

/* What a launch is known by before it runs. */
struct sample_key {
    uint64_t program; /* hash of the kernel's program */
    uint32_t block[3], shared_bytes;
    uint32_t waves;     /* of blocks; 0: more than are told apart */
    uint64_t arguments; /* hash of the grid and of the arguments that are no addresses */
};
/* `wave`: blocks that the machine holds at once. */
struct sample_key sample_key_of(const struct launch *launch, const struct program *program, uint64_t wave);

/* What is known of a launch behind it. */
struct sample_launch {
    struct signature signature;
    double work;                            /* instructions, in which rates are measured */
    bool is_in_l2;                          /* it left its lines in the L2: it was timed, or computed to warm the L2 */
    double brought;                         /* lines that it then brought into the L2, as a share of the L2's lines */
    const struct gpu_result *result;        /* counters and cycles of a timed launch; NULL: it was only computed */
    const struct sample_estimate *estimate; /* of a timed launch */
};

struct sample_program *sample_program_create(void);
void sample_program_destroy(struct sample_program *p); /* `p` may be NULL */

/* What becomes of a launch. */
enum sample_choice {
    SAMPLE_COMPUTE, /* it is only computed, and leaves the caches alone */
    SAMPLE_WARM,    /* it is only computed, and leaves its lines in the L2, for a launch behind it that is timed */
    SAMPLE_TIME     /* it is timed */
};
enum sample_choice sample_program_choose(struct sample_program *p, const struct sample_key *key);
/* Whether an earlier launch like it could not be sampled within, so that all blocks of this one are timed, if any. */
bool sample_program_times_whole(struct sample_program *p, const struct sample_key *key);
/* Notes a launch that has ended well. */
void sample_program_add(struct sample_program *p, const struct sample_key *key, const struct sample_launch *launch);
/* The estimate for the last launch that was added, which was only computed, and the counters of a timed launch like it,
 * which belongs to the sampler. */
void sample_program_last(const struct sample_program *p, struct sample_estimate *estimate,
                         const struct gpu_result **like);
/* How the last launch that was added changed the sums of its program and of its kernel; to be called once for each. */
void sample_program_changes(struct sample_program *p, struct sample_change *program, struct sample_change *kernel);
/* The estimate for all launches so far, or for those of one kernel (`program` is not 0). */
void sample_program_sum(const struct sample_program *p, uint64_t program, struct sample_estimate *estimate);

#endif
