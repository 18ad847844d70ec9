/*
 * Detection: predictions that a compiler can find by itself (Damani et al., CGO 2020, section 4.5).
 *
 *   iteration delay  a divergent branch within a loop, one side of which costs much more than the rest of a round: its first
 *                    block is the point, and the region begins before the loop. The other side may go back to the header
 *   loop merge       a loop whose threads leave it in different rounds, within another loop: the first block that every
 *                    round comes to is the point, and the region begins before the outer loop. If nothing stands ahead of
 *                    the inner loop both have one header, and the inner one is a branch back to it
 *   common call      a divergent branch from several sides of which threads call the same function before they meet: its
 *                    entry is the point, and the region begins at the branch
 *
 * Each candidate gets an estimate of what it gains (recon/gain.h) from the costs of recon/cost.h, and the threshold that the
 * estimate likes best. Code that threads run together now and few at a time then is charged for its memory accesses once
 * more by half. Left alone, each with the reason, are candidates
 *   - whose region holds block barriers, warp-level operations, atomics by which threads may wait for each other, or reads
 *     of volatile shared memory, through which threads that run together may speak without a barrier
 *   - whose branch treats the same threads the same in every round (recon/repeating.h)
 *   - below `least_gain`
 *   - that would lose more than a fifth if what was guessed is not so; a profile guesses nothing
 *   - in the same loops as a better one; calls go before all others, since reconvergence there changes nothing elsewhere
 *
 * What it does not know: caches, what else the machine could do meanwhile, and whether threads that have more to do in one
 * round have less in the next. It looks at a prediction by itself.
 */
#ifndef HEDDLE_RECON_DETECT_H
#define HEDDLE_RECON_DETECT_H

#include "flow/profile_points.h"
#include "recon/predict.h"

struct detect_rules {
    const struct branch_use *profile; /* by branch, of a run whose threads met at post-dominators; NULL: none */
    double least_gain;                /* 0: one of those below */
    int width;                        /* threads of a warp; 0: 32 */
};

#define DETECT_LEAST_GAIN    1.2 /* estimates without a profile are rough */
#define DETECT_PROFILED_GAIN 1.1

enum detect_pattern { DETECT_ITERATION_DELAY, DETECT_LOOP_MERGE, DETECT_COMMON_CALL, DETECT_PATTERNS };

struct detected {
    enum detect_pattern pattern;
    int32_t branch; /* of the program */
    struct prediction prediction;
    double common, rest; /* cost of the common code, each time, and of what threads then run apart, a round */
    double gain;         /* estimated */
    double least_gain;   /* with the worst of the guesses, where no profile knows better */
    int threshold;       /* that the estimate likes best; 0: all threads */
    const char *refusal; /* NULL: it is one of the predictions */
};

struct detection {
    struct arena arena;
    struct vec_of(struct detected) list; /* all candidates, best first */
};

/* Adds what pays to `into`, named auto1, auto2 and so on. */
struct detection *detect(struct predictions *into, const struct program *program, const struct detect_rules *rules);
void detection_destroy(struct detection *d);
void detection_print(const struct detection *d, const struct program *program, struct text *out);

#endif
