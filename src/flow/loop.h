/*
 * Loops: the nesting forest of a flow graph, by Havlak's algorithm (TOPLAS 1997).
 *
 * Loops of one header are one loop. A region with several ways in (irreducible) is a loop too, whose header
 * is the first of its nodes that a depth-first walk comes to; so every cycle lies in a loop.
 */
#ifndef HEDDLE_FLOW_LOOP_H
#define HEDDLE_FLOW_LOOP_H

#include "flow/graph.h"

#include <stdbool.h>

struct loop {
    int32_t header; /* node */
    int parent;     /* loop around it, or -1; always less than the loop's own index */
    int depth;      /* outermost: 1 */
    bool irreducible;
    int node_count;
    int32_t *nodes; /* header first; loops inside come with their nodes side by side */
};

struct loop_forest {
    int count;
    struct loop *loops; /* outer before inner */
    int32_t *innermost; /* by node: loop, or -1 */
};

struct loop_forest loop_find(struct arena *arena, const struct graph *g, int root);

/* Is `inner` the loop `outer` or inside it? -1 is the function's body, inside which everything is. */
bool loop_contains(const struct loop_forest *forest, int outer, int inner);

#endif
