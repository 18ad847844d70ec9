/*
 * Regions of branches: which branch to blame for lanes that are empty at a PC.
 *
 * The region of a branch is what threads can execute from its targets on until they come to its immediate
 * post-dominator: where they are apart. A PC is charged to the innermost region around it: the smallest, and of
 * equal ones (a loop that is left in several places) that of the nearest branch above the PC, or else of the last
 * one. A function has its own regions; a PC outside them is charged to what all calls of the function are charged
 * to, or to nobody if they differ.
 *
 * It is an approximation where threads meet elsewhere than at post-dominators.
 */
#ifndef HEDDLE_FLOW_REGION_H
#define HEDDLE_FLOW_REGION_H

#include "flow/program.h"

/* Only branches with counts[branch] are charged. branch_of[pc] gets the branch, or -1: none. */
void region_charge(const struct program *p, const bool *counts, int32_t *branch_of);

#endif
