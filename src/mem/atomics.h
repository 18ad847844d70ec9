/*
 * The lines of one L2 slice on which an atomic is in progress. A line serves one atomic packet at a time, and the slice
 * so many lines. Cycles are those of the crossbar's clock.
 */
#ifndef HEDDLE_MEM_ATOMICS_H
#define HEDDLE_MEM_ATOMICS_H

#include <stdint.h>

enum { ATOMICS_LINES = 16 }; /* lines on which an atomic can be in progress at a time */

struct atomics {
    uint64_t line[ATOMICS_LINES];  /* lines with an atomic in progress */
    uint64_t until[ATOMICS_LINES]; /* cycles up to which they are taken */
};

void atomics_open(struct atomics *a);
/* The first cycle from k on at which an atomic on the line may start: when the atomic in progress on the line is done
 * or, if all elements are taken by other lines, when the first of them is free. */
uint64_t atomics_start(const struct atomics *a, uint64_t line, uint64_t k);
/* Performs an atomic that takes so many cycles, as soon as its line allows, from cycle k on. Gives the cycle up to
 * which the line is taken. */
uint64_t atomics_perform(struct atomics *a, uint64_t line, uint64_t cycles, uint64_t k);

#endif
