/*
 * What a compiler's other passes leave of a prediction (Damani et al., CGO 2020, section 6).
 *
 * Compilers copy code, and pragmas with it, and drop code that cannot be reached. The copies of a point tell what was
 * done:
 *
 *   unrolled partly    several copies in one loop, of which the first comes before the others in every iteration:
 *                      threads wait there, once for each iteration of the unrolled loop
 *   unrolled partly,   several copies in one loop, and an iteration may come to any of them or to none: every copy is a
 *   iteration delay    point, but threads at one copy do not meet threads at another
 *   unrolled wholly    copies that no loop contains, but a path leads from one to another; or copies in the outer loop,
 *                      to the first of which all threads come together: the prediction is refused
 *   inlined            copies between which no path leads: they stand on different sides of a branch. Within a loop
 *                      each is a point; otherwise the prediction is refused, since a thread comes to one of them, once
 *   fused, moved       a point in another loop than before: found where it is; copies of fused loops are as of unrolled
 *                      loops
 *
 * A point that is gone was dead code; a predicted function that is gone was inlined. The names that line tables give to
 * inlined code tell where.
 *
 * Not known: what the source looked like. A programmer who writes one label twice gets what a compiler would get.
 */
#ifndef HEDDLE_RECON_PREDICT_COPIES_H
#define HEDDLE_RECON_PREDICT_COPIES_H

#include "recon/predict.h"

/* All places of points that have one name, in one function. */
struct predict_copies {
    int count;
    const int32_t *pcs; /* rising; each once */
};

/* Whether another copy counts instead of the one at `pc`: one in more loops, or one in as many that dominates it. */
bool copies_are_covered(const struct program *program, const struct predict_copies *copies, int32_t pc);

/* Why no copy can be a point, or NULL. The text needs no freeing. */
const char *copies_refusal(const struct program *program, const struct predict_copies *copies, struct arena *arena);
/* Why the prediction, whose point is one of the copies, gains nothing; or NULL. */
const char *copies_uselessness(const struct program *program, const struct predict_copies *copies,
                               const struct prediction *prediction, struct arena *arena);
/* What the copies mean for a point at `pc`, or NULL if it is the only one. */
const char *copies_note(const struct program *program, const struct predict_copies *copies, int32_t pc,
                        struct arena *arena);

/* Why the kernel has neither a point nor a function of that name. */
const char *copies_absence(const struct program *program, const char *name, struct arena *arena);
/* Whether some function of the module predicts the name. */
bool copies_are_predicted(const struct ptx_module *module, const char *name);

#endif
