/*
 * A layered drawing of a directed graph, as control-flow graphs are drawn: nodes in ranks from top to bottom, edges
 * downwards, and those that lead back at the right side.
 *
 * The steps are those of Sugiyama, Tagawa and Toda (1981): edges that close a cycle are set aside; a node's rank is
 * the longest path to it; edges over several ranks get a place of their own in each; the order within ranks follows
 * medians, as in Gansner et al., "A Technique for Drawing Directed Graphs" (1993); places within ranks are those
 * nearest to the neighbours' that leave nodes apart. Nothing is random, and all arithmetic is on integers, so a
 * drawing is the same on every machine.
 */
#ifndef HEDDLE_FLOW_LAYERED_H
#define HEDDLE_FLOW_LAYERED_H

#include "base/vec.h"

#include <stdbool.h>

struct layered_point {
    int x, y;
};

struct layered_node {
    int width, height; /* the caller's */
    int x, y;          /* upper left corner */
    int rank;          /* 0 is the uppermost */
};

struct layered_edge {
    int from, to; /* the caller's: indices of nodes, which may be the same */
    bool is_back; /* leads to a node that it can be reached from on the way down */
    struct layered_points vec_of(struct layered_point) points; /* see layered_place() */
};

struct layered {
    struct layered_node *nodes;
    struct layered_edge *edges;
    int node_count, edge_count;
    int width, height; /* of the drawing, whose upper left corner is (0, 0) */
};

/*
 * Places nodes and edges. Node 0 is where paths begin; further nodes that no path reaches begin paths of their own.
 *
 * The points of an edge lead from the lower side of its first node to the upper side of its last. Those of an edge
 * downwards come in pairs: a pair stands one above the other in a rank, and a curve may join it to the next pair in the
 * gap between ranks; the last point stands alone. The points of an edge back are corners of straight lines.
 */
void layered_place(struct layered *graph);
/* Frees the points of the edges. */
void layered_free(struct layered *graph);

#endif
