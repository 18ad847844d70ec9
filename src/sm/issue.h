/*
 * Issue: an instruction leaves for its unit and is executed at once; its results are due later. What follows from the
 * results is in resolve.h, but for strands that a barrier lets go.
 */
#ifndef HEDDLE_SM_ISSUE_H
#define HEDDLE_SM_ISSUE_H

#include <stdint.h>

struct sm;
struct strand;

enum issue_result {
    ISSUE_DONE,    /* the strand's instruction issued */
    ISSUE_SYNCED,  /* a convergence-barrier operation of the mechanism issued, and no instruction */
    ISSUE_REFUSED, /* the strand's accesses could not join the cycle's access: nothing happened */
    ISSUE_FAULT    /* the guest program made a fault; it is in the engine's result */
};
enum issue_result issue_strand(struct sm *sm, struct strand *s, int port);
/* Panics if threads of the strand read different values in its next instruction, which is scalar: scalar_check.c. */
void issue_check_scalar(const struct sm *sm, const struct strand *s);
/* The strand has advanced to a PC that is marked: the mechanism hears of it. Then the strand is evaluated. */
void issue_arrive(struct sm *sm, struct strand *s);
/* A barrier or rendezvous let all threads of the strand go, to (pc, depth). */
void issue_pass(struct sm *sm, struct strand *s, int32_t pc, int32_t depth);

#endif
