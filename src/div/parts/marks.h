/* PCs at which mechanisms with reconvergence stacks want the call `arrive`. */
#ifndef HEDDLE_DIV_PARTS_MARKS_H
#define HEDDLE_DIV_PARTS_MARKS_H

#include "div/contract/div.h"

/* Marks the reconvergence points of all branches. */
static inline void marks_post_dominators(const struct program *p, uint8_t *marks)
{
    for (int i = 0; i < p->branch_count; i++)
        if (p->branches[i].ipdom != PC_NONE)
            marks[p->branches[i].ipdom] = 1;
}

/* Marks the likely-convergence points of all branches. */
static inline void marks_likely_points(const struct div_host *host, uint8_t *marks)
{
    for (int i = 0; i < host->facts.program->branch_count; i++)
        if (div_likely_point(host, i) != PC_NONE)
            marks[div_likely_point(host, i)] = 1;
}

#endif
