/* The kernel around its random body: parameters, tables, initial values of all variables, final stores. */
#ifndef HEDDLE_TESTS_RANDOM_KERNEL_H
#define HEDDLE_TESTS_RANDOM_KERNEL_H

#include "gen.h"

struct kernel_shape {
    unsigned grid[3], block[3];
    bool dynamic_shared;
};

void kernel_write(struct gen *g, const struct kernel_shape *shape, struct draft *to); /* the whole module */

#endif
