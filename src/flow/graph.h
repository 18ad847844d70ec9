/*
 * Directed graphs of small integers, for the analyses of control flow and of calls.
 *
 * A graph knows nothing of instructions. Each node keeps its successors and its predecessors in the order in which the
 * edges were given, so that everything computed from a graph is the same on every run.
 */
#ifndef HEDDLE_FLOW_GRAPH_H
#define HEDDLE_FLOW_GRAPH_H

#include "base/arena.h"

#include <stdint.h>

struct graph_edge {
    int32_t from, to;
};

struct graph {
    int node_count;
    int32_t *first_successor; /* node n has successors[first_successor[n] .. first_successor[n + 1]) */
    int32_t *successors;
    int32_t *first_predecessor; /* like first_successor, into predecessors */
    int32_t *predecessors;
};

struct graph graph_create(struct arena *arena, int node_count, const struct graph_edge *edges, int edge_count);

/* A depth-first walk from a root. Nodes that the walk does not reach have number -1. */
struct graph_walk {
    int count;       /* nodes reached */
    int32_t *node;   /* by number: node; numbers are given in the order of discovery */
    int32_t *number; /* by node: number */
    int32_t *parent; /* by number: number of the parent in the tree; -1 for the root */
    int32_t *last;   /* by number: highest number in the subtree of that node */
    int32_t *post;   /* by number: position in postorder */
};

struct graph_walk graph_walk(struct arena *arena, const struct graph *g, int root);

/* Whether `above` is `below` or an ancestor of it in the walk's tree; both are numbers. */
static inline int graph_is_ancestor(const struct graph_walk *w, int32_t above, int32_t below)
{
    return above <= below && below <= w->last[above];
}

/* Strongly connected components of the whole graph: component[node] gets a number, and an edge between two
 * components goes from a higher number to a lower. Returns the number of components. */
int graph_components(struct arena *arena, const struct graph *g, int32_t *component);

#endif
