/*
 * Ordering (--sort-threads [KERNEL:]BLOCK): gives threads that do alike at a branch to the same warps, as a program
 * does that sorts or bins its inputs first and reads them through an array of indices.
 *
 * A rehearsal (run/rehearsal.h) on a copy of memory counts how often each thread comes to the branch at the end of the
 * block, and how often it takes it; copies of the branch that a compiler made at the same place of the source count
 * with it. Then the threads are sorted by these two numbers and run in this order: each keeps its %tid and %ctaid, so
 * that it computes what it would have computed, but runs in the lane of its new place. The whole grid is sorted if
 * blocks have nothing to do with each other's threads: without barriers, shared memory and clusters. Otherwise each
 * block is sorted by itself.
 *
 * Refused, with the reason: kernels with warp-level operations or lane numbers, whose meaning would change; cooperative
 * launches. Not modelled: the time of sorting, and the load of the index that a sorted program has.
 */
#ifndef HEDDLE_RUN_ORDERING_H
#define HEDDLE_RUN_ORDERING_H

#include "exec/code.h"

#include <stdbool.h>
#include <stdint.h>

struct launch;
struct run_request;

/* Sets launch->order, if the request asks for it and the launch is one of its kernel; the caller frees it. Otherwise,
 * or if sorting is refused, which is said on stderr once per process, threads run at their own places. */
void ordering_begin(struct run_request *request, struct launch *launch, const struct code *code);
/* The launch has ended. Frees and clears launch->order. */
void ordering_end(struct launch *launch);

#endif
