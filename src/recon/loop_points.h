/*
 * Where threads that diverge in a loop reconverge by ptxas' rule, though some paths leave the loop.
 *
 * A post-dominator of a branch lies on every path. If one path from the branch leaves the loop, perhaps for good, the
 * post-dominator lies behind the loop, and threads that diverge in one iteration would stay diverged in all later ones.
 * ptxas lets the threads reconverge inside the loop: it looks only at paths that stay, and threads on a path that
 * leaves cancel the barrier (BREAK). Probe kernels show it for a `break` within an `if` of the loop, and for a `goto`
 * out of two loops (docs/lowering.md). A stack cannot do this, since the threads that leave would never come to the
 * stack entry's reconvergence point; so only barrier plans ask for these points.
 */
#ifndef HEDDLE_RECON_LOOP_POINTS_H
#define HEDDLE_RECON_LOOP_POINTS_H

#include "flow/program.h"

/* By branch of the program: the PC at which its threads reconverge. It is the branch's `ipdom`, unless that lies
 * outside of a loop in which the paths that stay meet. In the arena. */
int32_t *loop_points(const struct program *program, struct arena *arena);

/* Whether the block is in the loop or in a loop inside it. */
bool loop_holds(const struct program *program, int loop, int32_t block);

#endif
