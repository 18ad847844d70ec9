/*
 * Outlining: an equal sequence of instructions in several places becomes one function that all of them call.
 *
 * What the files of the pass share: outline.c finds the places and decides, outline_build.c makes the function and the
 * calls.
 */
#ifndef HEDDLE_REWRITE_OUTLINE_H
#define HEDDLE_REWRITE_OUTLINE_H

#include "base/vec.h"
#include "rewrite/edit.h"
#include "rewrite/live.h"

enum { OUTLINE_MAX_PLACES = 8 }; /* one per side that rewrite/sides.h looks at */

/* A value that the function is given: a register of the first place, or an immediate that differs between places. */
struct outline_input {
    int32_t reg;       /* register, or -1: an immediate */
    int step, operand; /* of the immediate: instruction of the sequence, and its operand */
};

struct outline {
    int place_count;
    int first[OUTLINE_MAX_PLACES];   /* by place: index of the first instruction */
    int count;                       /* instructions */
    int32_t *to[OUTLINE_MAX_PLACES]; /* by place: its register for each register of the first place; [0] is NULL */
    struct vec_of(struct outline_input) inputs;
    struct vec_of(int32_t) outputs; /* registers of the first place that are read behind some place */
};

/* Fills in inputs and outputs. False: the carry flag is needed from ahead, or behind. */
bool outline_find_values(struct outline *o, const struct live *live);
void outline_free(struct outline *o);

/* Issue slots that the calls add: in each caller, and once in the function. */
double outline_caller_cost(const struct outline *o, const struct ptx_function *function);
double outline_callee_cost(const struct outline *o, const struct ptx_function *function);

/* Makes the function, and replaces every place by a call of it. The function of `e` is open, and its places are as they
 * were when it was opened. */
struct ptx_function *outline_build(const struct outline *o, struct edit *e);

#endif
