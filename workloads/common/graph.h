/*
 * Random graphs for the programs that search them breadth first, and the search with a queue that they are verified
 * against.
 */
#ifndef HEDDLE_WORKLOADS_GRAPH_H
#define HEDDLE_WORKLOADS_GRAPH_H

#include "work.h"

struct node {
    int32_t first_edge, edges; /* as in the kernels */
};

struct graph {
    uint32_t node_count, edge_count;
    struct node *nodes;
    uint32_t *edge_to;
};

/* Each node draws two to four neighbours, and each edge stands in the lists of both its nodes: six edges per node. A node
 * may draw itself, or another one twice; the graph may have parts that the source of a search does not reach. */
struct graph graph_make(struct work *w, uint32_t node_count);
/* Edges on the shortest way from the source to each node; UINT32_MAX if there is none. */
void graph_search(struct work *w, const struct graph *g, uint32_t source, uint32_t *cost);

#endif
