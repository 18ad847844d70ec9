/*
 * Repeating branches: branches at which a thread of a warp takes the same side in every iteration of the loops around
 * them.
 *
 * `i < n` with an `i` that grows from thread to thread makes at most one warp per block diverge. `lane == 0`, a loop of
 * `tid` iterations, and a test of what was loaded before all loops send the same threads to the same side in every
 * iteration. Nothing is gained if threads wait there for others: the others are there already, or never come, or have
 * just as much more to do in each iteration.
 *
 * Two things are known of a value. The first is its slope: by how much it grows from one thread to the next. The slope
 * is 0 if the value is the same for all threads, and a number if the value is computed from the thread's index by sums,
 * products with constants, shifts and divisions. There is no slope for data from memory, for bits that were mixed, for
 * floats, for products so steep that upper bits are lost (as in random number generators), and for a register that was
 * written on one side of a divergent branch, behind its reconvergence point. The second is whether the value is fixed:
 * computed at one place from fixed values only, or read before all loops. A test is repeating if each of its operands
 * is fixed or has a slope.
 *
 * The result is a judgement for estimates (recon/detect.h), not a proof: sums may wrap, and orders of several thread
 * indices may mix.
 */
#ifndef HEDDLE_RECON_REPEATING_H
#define HEDDLE_RECON_REPEATING_H

#include "flow/program.h"

/* By branch: whether the branch is repeating. The array is in the arena. */
bool *repeating_branches(const struct program *program, struct arena *arena);

#endif
