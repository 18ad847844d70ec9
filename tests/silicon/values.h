/* Operand values: the edges of each type, numbers around them, and seeded random ones. */
#ifndef HEDDLE_TESTS_VALUES_H
#define HEDDLE_TESTS_VALUES_H

#include "base/random.h"
#include "ptx/ops.h"

#include <stdint.h>

/* How an operand is used, where its type does not say. */
enum value_use {
    USE_NUMBER,
    USE_COUNT,    /* shift counts, positions, lengths */
    USE_LANE,     /* 0..31 */
    USE_OFFSET,   /* a small signed number */
    USE_SELECTOR, /* four hexadecimal digits that pick bytes */
    USE_ANGLE,    /* -pi..pi and what is not a number */
    USE_BOOL      /* 0 or 1 */
};

enum { VALUES_MAX = 1024, VALUES_PAIR_EDGES = 25 };

/* The edge values of a type as bit patterns, the most telling first; how many there are is returned. */
int values_edges(enum type type, enum value_use use, uint64_t out[VALUES_MAX]);

/* Edges and numbers near them, enough to try a conversion from the type on every limit of every other. */
int values_conversions(enum type type, uint64_t out[VALUES_MAX]);

uint64_t values_random(enum type type, enum value_use use, struct random *random);

#endif
