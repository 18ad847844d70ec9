/*
 * Detection: predictions that a compiler can find by itself (Damani et al., CGO 2020, section 4.5).
 *
 *   iteration delay  a divergent branch in a loop, one side of which costs much more than the rest of an iteration. The
 *                    point is the first block of that side; the region begins before the loop. The other side may go
 *                    back to the header
 *   loop merge       a loop, within another loop, that threads leave in different iterations. The point is the first
 *                    block that every iteration comes to; the region begins before the outer loop. If nothing stands
 *                    ahead of the inner loop, both loops have one header, and the inner loop is a branch back to it
 *   common call      a divergent branch on several sides of which threads call the same function before they
 *                    reconverge. The point is the function's entry; the region begins at the branch
 *
 * Each candidate gets an estimate of its gain (recon/gain.h) from the costs of recon/cost.h, and the threshold with the
 * best estimate. Code that threads run together without the prediction and few at a time with it is charged one and a
 * half times for its memory accesses. Left alone, each with the reason, are candidates
 *   - whose region holds block barriers, warp-level operations, atomics by which threads may wait for each other, or
 *     reads of volatile shared memory, through which threads that execute together may communicate without a barrier
 *   - whose branch sends the same threads to the same side in every iteration (recon/repeating.h)
 *   - whose gain is below `least_gain`
 *   - that would lose more than a fifth of the speed if the worst guess is true; with a profile nothing is guessed
 *   - in the same loops as a better candidate; common calls come before all others, since reconverging there changes
 *     nothing elsewhere
 *
 * Detection does not know: caches, what other warps could do meanwhile, and whether threads that have more to do in one
 * iteration have less in the next. Each prediction is estimated by itself.
 */
#ifndef HEDDLE_RECON_DETECT_H
#define HEDDLE_RECON_DETECT_H

#include "flow/profile_points.h"
#include "recon/predict.h"

struct detect_rules {
    const struct branch_use *profile; /* by branch, of a run that reconverged at post-dominators; NULL: none */
    double least_gain;                /* 0: DETECT_LEAST_GAIN, or with a profile DETECT_PROFILED_GAIN */
    int width;                        /* threads per warp; 0: 32 */
};

#define DETECT_LEAST_GAIN    1.2 /* higher, since estimates without a profile are rough */
#define DETECT_PROFILED_GAIN 1.1

enum detect_pattern { DETECT_ITERATION_DELAY, DETECT_LOOP_MERGE, DETECT_COMMON_CALL, DETECT_PATTERNS };

struct detected {
    enum detect_pattern pattern;
    int32_t branch; /* index into the program's branches */
    struct prediction prediction;
    double common;       /* cost of the common code, each time that it is run, in issue slots */
    double rest;         /* cost of the rest of an iteration, which threads run diverged, in issue slots */
    double gain;         /* estimated speed-up */
    double least_gain;   /* estimated speed-up with the worst guess; equal to gain if a profile knows the branch */
    int threshold;       /* threads of a soft barrier with the best estimate; 0: all threads wait */
    const char *refusal; /* why the candidate is left alone; NULL: it is one of the predictions */
};

struct detection {
    struct arena arena;
    struct vec_of(struct detected) list; /* all candidates, best first */
};

/* Adds the predictions that pay to `into`, named auto1, auto2 and so on. */
struct detection *detect(struct predictions *into, const struct program *program, const struct detect_rules *rules);
void detection_destroy(struct detection *d);
void detection_print(const struct detection *d, const struct program *program, struct text *out);

#endif
