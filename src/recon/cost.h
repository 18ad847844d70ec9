/*
 * Cost: an estimate of the time that code takes a warp, without running it.
 *
 * The cost of an instruction depends on its class: about its issue slots plus a share of its latency. How often a block
 * is executed follows from the probabilities of edges. A branch has the probabilities of the profile, if the profile
 * knows the branch. Otherwise an exit of a loop has one over the loop's iterations; a test whether numbers are equal,
 * or whether a float is huge, mostly fails; a test whether a loop is entered mostly succeeds; and any other branch
 * takes either side equally often. A loop has the iterations that the profile says; else those of an induction variable
 * with constant bounds; else COST_ROUNDS.
 */
#ifndef HEDDLE_RECON_COST_H
#define HEDDLE_RECON_COST_H

#include "flow/profile_points.h"
#include "flow/program.h"

enum {
    COST_ROUNDS = 16,       /* iterations of a loop of which nothing is known */
    COST_MOST_ROUNDS = 4096 /* larger numbers of iterations count as this one */
};

struct cost {
    const struct program *program;
    const struct branch_use *profile; /* by branch; NULL: no profile */
    double *block;                    /* by block: cost of its instructions, calls with their callees */
    double *memory;                   /* by block: the part of the cost for accesses to global and local memory */
    double *function;                 /* by function: cost of one call */
    double *rounds;                   /* by loop: iterations each time that the loop is entered */
    double *often;                    /* by block: executions; result of the last cost_from() */
    bool *repeating; /* by branch: threads take the same side in every iteration; see recon/repeating.h */
};

/* Cost of an instruction by itself; 1 for a call, without its callee. */
double cost_of_instruction(const struct insn *in);

struct cost cost_create(const struct program *program, const struct branch_use *profile, struct arena *arena);

bool cost_is_in_loop(const struct program *p, int32_t block, int loop);
/* Probability that a thread goes from a block to the block's k-th successor. */
double cost_probability(const struct cost *c, int32_t block, int k);
/* Whether threads of a warp may leave the loop in different iterations. `branch` is then the branch by which most do
 * so; a repeating branch (recon/repeating.h) only if the loop has no other. */
bool cost_is_uneven(const struct cost *c, int loop, int32_t *branch);

/* Cost for a thread from a block's start until the thread comes to the start of `stop` (-1: no such block), leaves
 * `loop` (-1: the function), or comes to that loop's header again. c->often[] then holds the executions of each block.
 * `memory`, unless NULL, gets the part of the cost for memory accesses. */
double cost_from(struct cost *c, int32_t block, int32_t stop, int loop, double *memory);

#endif
