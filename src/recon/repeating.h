/*
 * Steady branches: those at which the same threads of a warp do the same in every round of the loops around them.
 *
 * `i < n` with an `i` that grows from thread to thread parts one warp of a block at most. `lane == 0`, a loop of `tid`
 * rounds, and a test of what was loaded before all loops treat the same threads the same in every round. Nothing is gained
 * if threads wait there for others: those either are there, or never come, or have as much more to do in each round.
 *
 * A value is known by two things. Its slope: by how much it grows from a thread to the next; 0 of what is the same for all,
 * some number of what is computed from the thread's number by sums, products with constants, shifts and divisions. Data
 * from memory have none, nor bits that were mixed, nor slopes so steep that the product has lost its upper bits (as of
 * random number generators), nor floats, nor what was written on one way of a branch that may part threads, where the ways
 * have met. And whether it is fixed: computed at one place, from fixed values only, or read before all loops. A test is
 * steady if each of its sides is fixed or has a slope.
 *
 * It is a judgement for estimates (recon/detect.h), no proof: sums may wrap, and orders of several thread indices mix.
 */
#ifndef HEDDLE_RECON_REPEATING_H
#define HEDDLE_RECON_REPEATING_H

#include "flow/program.h"

/* By branch. */
bool *repeating_branches(const struct program *program, struct arena *arena);

#endif
