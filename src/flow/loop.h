/*
 * Loops: the nesting forest of a flow graph, by Havlak's algorithm (TOPLAS 1997).
 *
 * Loops with the same header are one loop. A region with several entries (irreducible) is a loop, too; its header is
 * the first of its nodes that a depth-first walk comes to. So every cycle lies in a loop.
 */
#ifndef HEDDLE_FLOW_LOOP_H
#define HEDDLE_FLOW_LOOP_H

#include "flow/graph.h"

#include <stdbool.h>

struct loop {
    int32_t header; /* node */
    int parent;     /* next loop out, or -1; less than the loop's own index */
    int depth;      /* outermost: 1 */
    bool irreducible;
    int node_count;
    int32_t *nodes; /* header first; the nodes of an inner loop stand together */
};

struct loop_forest {
    int count;
    struct loop *loops; /* outer before inner */
    int32_t *innermost; /* by node: innermost loop around the node, or -1 */
};

struct loop_forest loop_find(struct arena *arena, const struct graph *g, int root);

/* Whether `inner` is `outer` or a loop inside it. -1 stands for the whole graph, which contains every loop. */
bool loop_contains(const struct loop_forest *forest, int outer, int inner);

#endif
