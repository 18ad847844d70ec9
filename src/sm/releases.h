/*
 * Threads that barriers and rendezvous let go.
 *
 * A thread that is in a strand counts down what its strand waits for; the strand goes on when all its threads were let
 * go. A thread that is in no strand is loose: it belongs to the mechanism, which hears of loose threads after the
 * instruction that let them go, all threads of one place together.
 *
 * issue.c sets `executing` and empties `passed` before it executes an instruction, and adds to and reads `passed` after
 * that.
 */
#ifndef HEDDLE_SM_RELEASES_H
#define HEDDLE_SM_RELEASES_H

#include "exec/strand.h"

struct sm;

enum { RELEASES_MAX_LOOSE = 4 };

struct releases {
    struct strand *executing; /* strand whose control instruction is being executed; NULL: none */
    struct threads passed;    /* threads of `executing` that its instruction let go at once */
    int loose_count;
    struct outcome loose[RELEASES_MAX_LOOSE]; /* loose threads by place, until the mechanism hears of them */
};

/* Step callback (step.released): threads of a row may go on at (pc, depth). `context` is the struct sm. */
void releases_take(void *context, int32_t row, int32_t pc, int32_t depth, uint32_t mask);
/* Tells the mechanism of the loose threads. */
void releases_deliver(struct sm *sm);

#endif
