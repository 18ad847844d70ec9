/*
 * The signature of a launch: which code its threads executed, and how much of it.
 *
 * A basic-block vector has one number per basic block: the share of the launch's thread instructions that were executed
 * in the block. Vectors of programs with many blocks are projected to a few dimensions by a fixed random matrix, which
 * keeps distances nearly as they are. Two more dimensions are the logarithms of the launch's instructions and of
 * its blocks, since short launches spend a larger share of their cycles on start and tail.
 */
#ifndef HEDDLE_SAMPLE_SIGNATURE_H
#define HEDDLE_SAMPLE_SIGNATURE_H

#include "exec/site.h"
#include "flow/program.h"

enum { SIGNATURE_DIMENSIONS = 16 };

struct signature {
    double at[SIGNATURE_DIMENSIONS];
};

/* `sites`: counters of the launch by PC; `instructions`: thread instructions of the launch. */
void signature_of(const struct program *program, const struct site *sites, uint64_t instructions, uint64_t blocks,
                  struct signature *signature);
double signature_distance(const struct signature *a, const struct signature *b); /* Euclidean */

#endif
