/* Predictions drawn at random, legal and illegal, and the barriers that they make. */
#ifndef HEDDLE_TESTS_PREDICTIONS_H
#define HEDDLE_TESTS_PREDICTIONS_H

#include "recon/barrier.h"

struct drawn_predictions {
    uint64_t honoured, refused;
};

/* One to four of them for the program, by number; counted in `count`. The caller destroys the plan. */
struct barrier_plan *predictions_draw(const struct program *program, uint64_t number, struct drawn_predictions *count);

#endif
