/* Block-uniform code: the body of a kernel between its prologue and its epilogue. */
#ifndef HEDDLE_TESTS_RANDOM_UNIFORM_H
#define HEDDLE_TESTS_RANDOM_UNIFORM_H

#include "gen.h"

void uniform_phases(struct gen *g); /* until the budget is used up */

#endif
