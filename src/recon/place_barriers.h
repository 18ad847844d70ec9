/*
 * Barriers from post-dominators: where hardware with convergence barriers reconverges unless a program says otherwise.
 *
 * Each reconvergence point of branches, their immediate post-dominator, gets one barrier. Threads wait at the point.
 * They join before the branch; or, if the branch is in loops that do not contain the point, on the edges into the
 * outermost of these loops, so that threads join once and not in every iteration. A join is left out where all threads
 * that come to it are participants already: an inner branch with the reconvergence point of the outer one needs no
 * join.
 *
 * Threads that diverge within a function and do not reconverge in it (early returns) reconverge behind the call: calls
 * of such functions have a barrier around them. So have calls that some threads do not take, or take to different
 * functions.
 *
 * No barrier is made for a branch that is proved or promised uniform, for a branch whose threads reconverge only at the
 * kernel's end, nor for a branch of which only one side comes to the reconvergence point.
 *
 * Programs that lower_module() changed (lower/lower.h) have ptxas' barriers instead: threads also reconverge inside
 * loops that other paths leave (recon/loop_points.h), and there is no barrier where nothing but the kernel's end
 * follows.
 *
 * Threads that leave an if by break, continue or return do not miss its wait, since the wait stands at a
 * post-dominator, which those paths come to as well. Only where a reconvergence point was found past the exits of
 * threads (flow/reconvergence.c) can a thread take a path that does not come to the wait; the thread cancels on the
 * first edge behind which no path leads to the wait.
 *
 * Yields. A loop that may wait for what other threads write has a yield on its back edges: a loop that contains,
 * outside of inner loops, an atomic whose result is used, a volatile or more strongly ordered load, a fence, or a
 * nanosleep.
 */
#ifndef HEDDLE_RECON_PLACE_BARRIERS_H
#define HEDDLE_RECON_PLACE_BARRIERS_H

#include "recon/barrier.h"

/* Makes the plan of a program, coloured and sound. The caller destroys the plan. */
struct barrier_plan *barriers_place(const struct program *program);

#endif
