/*
 * Cost: what code takes a warp, estimated without running it.
 *
 * An instruction costs what its class says, about its issue slots with a share of its latency. How often a block is executed
 * follows from the probabilities of ways: of a branch those of the profile, if it knows it; else the way out of a loop
 * once in as many rounds as the loop has; a test whether numbers are equal, or a float is huge, fails mostly; one whether a
 * loop is entered succeeds mostly; any other branch goes either way alike. A loop has as many rounds as the profile
 * says; else as an induction variable with constant bounds says; else COST_ROUNDS.
 */
#ifndef HEDDLE_RECON_COST_H
#define HEDDLE_RECON_COST_H

#include "flow/profile_points.h"
#include "flow/program.h"

enum { COST_ROUNDS = 16, COST_MOST_ROUNDS = 4096 };

struct cost {
    const struct program *program;
    const struct branch_use *profile; /* NULL: none */
    double *block;                    /* by block: of its instructions, calls with what they call */
    double *memory;                   /* by block: of these, accesses to global and local memory */
    double *function;                 /* by function: a call of it */
    double *rounds;                   /* by loop: each time that it is entered */
    double *often;                    /* by block: scratch of cost_from() */
    bool *repeating;                  /* by branch: see recon/repeating.h */
};

struct cost cost_create(const struct program *program, const struct branch_use *profile, struct arena *arena);

bool cost_is_in_loop(const struct program *p, int32_t block, int loop);
/* How likely threads go from a block to its k-th successor. */
double cost_probability(const struct cost *c, int32_t block, int k);
/* Whether threads of a warp may leave the loop in different rounds; the branch by which most do so, a repeating one only if
 * there is no other. */
bool cost_is_uneven(const struct cost *c, int loop, int32_t *branch);

/* What a thread takes from a block's start until it comes to the start of `stop` (-1: nowhere), leaves the loop (-1: the
 * function), or comes to that loop's header again. c->often[] then says how often each block was executed. `memory` gets
 * the share of memory accesses, unless it is NULL. */
double cost_from(struct cost *c, int32_t block, int32_t stop, int loop, double *memory);

#endif
