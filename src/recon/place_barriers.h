/*
 * Barriers from post-dominators: where hardware with convergence barriers reconverges unless a program says otherwise.
 *
 * Each point at which sides of branches meet again, their immediate post-dominator, gets one barrier. Threads
 * wait there; they join it before the branch; if the reconvergence point lies outside loops that the branch is in, on the ways
 * into the outermost of these, so that they join once and not in every round. A join is left out where all threads
 * that come to it are in the barrier already: an inner branch that meets where the outer one does needs none.
 *
 * Threads that part within a function and meet nowhere in it (early returns) meet behind the call: calls of such functions
 * have a barrier around them, as have calls that some threads do not take, or take to different functions.
 *
 * A branch that is proved or promised uniform gets nothing; nor does one whose threads meet only at the kernel's end, or
 * of whose sides only one comes to the reconvergence point.
 *
 * Threads that leave an if by break, continue or return do not miss its wait: it stands at a post-dominator, so past the
 * place that these ways lead to as well. Only where a reconvergence point was found past the ends of threads (flow/reconvergence.c)
 * can a thread lose its way to the wait; it cancels on the first way behind which it cannot come there any more.
 *
 * Yields. A loop that may wait for what other threads write has a yield on its ways back: one in which, and not in a loop
 * within it, stands an atomic whose result is kept, a load that is volatile or of a stronger order, a fence, or a
 * nanosleep.
 */
#ifndef HEDDLE_RECON_PLACE_BARRIERS_H
#define HEDDLE_RECON_PLACE_BARRIERS_H

#include "recon/barrier.h"

/* The plan, coloured and sound. The caller destroys it. */
struct barrier_plan *barriers_place(const struct program *program);

#endif
