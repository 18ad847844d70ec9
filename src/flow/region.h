/*
 * Regions of branches: which branch to blame for lanes that are empty at a PC.
 *
 * The region of a branch is the code that threads can execute from its targets until they come to its reconvergence
 * point: the code in which they are diverged. A PC is charged to the innermost region around it, which is the smallest.
 * Among regions of equal size (a loop with several exits), it is charged to that of the nearest branch above the PC, or
 * else to that of the last branch. A function has its own regions; a PC outside them is charged to the branch that all
 * calls of the function are charged to, or to nobody if these differ.
 *
 * The charge is an approximation under mechanisms whose threads reconverge elsewhere.
 */
#ifndef HEDDLE_FLOW_REGION_H
#define HEDDLE_FLOW_REGION_H

#include "flow/program.h"

/* branch_of[pc] = the branch that the PC is charged to, or -1: none. Only branches with counts[branch] are charged. */
void region_charge(const struct program *p, const bool *counts, int32_t *branch_of);

#endif
