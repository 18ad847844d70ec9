/*
 * Kinds of divergence: which of a few well-known situations a branch is in, decided by the flow graph (shape.h) and by
 * what a run counted, never by names or texts. The first of these that fits:
 *
 *   boundary             The branch leaves no loop, and decides the same way in every iteration, or is in no loop; and
 *                        it diverges in few of its executions, and costs its kernel few lanes. So most warps are wholly
 *                        inside or wholly outside.
 *   early end            Threads that take one side end, and share no more code with the others; those of the other
 *                        side go on and have more to do. In a loop, the others can leave it elsewhere, too: the branch
 *                        is a return out of the loop, not the loop's own end.
 *   loop trips           The branch leaves a loop in which other threads stay; or it decides whether a loop is entered
 *                        at all whose trips differ, and the loop is nearly all that stands behind it.
 *   common call or tail  Both sides have code, part of which stands in both, in runs of several instructions or as a
 *                        call of the same function; done once for both, it would save a quarter of what they issue.
 *                        (Two sides that are the same would save half.)
 *   condition in a loop  The branch is in a loop.
 *   condition            The branch is in no loop.
 *
 * Memory is no property of a branch: it is a finding of its own (finding.h).
 */
#ifndef HEDDLE_EXPLAIN_KIND_H
#define HEDDLE_EXPLAIN_KIND_H

#include "explain/evidence.h"

enum explain_kind {
    KIND_LOOP_TRIPS,
    KIND_LOOP_CONDITION,
    KIND_COMMON,
    KIND_BOUNDARY,
    KIND_EARLY_END,
    KIND_MEMORY,
    KIND_CONDITION,
    KIND_COUNT
};

extern const char *const kind_names[KIND_COUNT]; /* "loop trips", ... */

/* Shares of a branch's executions that diverge, up to which it is a boundary: of any branch, and of one whose rarer
 * side takes few threads. The edge of an image of 128 columns is in one warp of four at either end. */
#define KIND_BOUNDARY_SHARE      0.125
#define KIND_BOUNDARY_SHARE_RARE 0.3
#define KIND_RARE_SIDE           0.1
/* A branch that costs its kernel more of its lanes is no edge: few warps go on, and those nearly empty. */
#define KIND_BOUNDARY_COST 0.25
/* If threads of both sides end without meeting again, one side ends early if it has at most this share of the other's
 * work; else the two are sides like any others. */
#define KIND_EARLY_WORK 0.1
/* A branch decides about a loop if this share of what stands behind it is in the loop. */
#define KIND_LOOP_WORK 0.8
/* Sides have code in common if doing it once would save this share of the issues of both. */
#define KIND_ALIKE 0.25
enum { KIND_LEAST_ALIKE = 6 }; /* fewer instructions in common are too few to matter */

/* `cost`: share of the kernel's lanes that are empty because of the branch. */
enum explain_kind kind_of_branch(const struct evidence_branch *b, double cost);

#endif
