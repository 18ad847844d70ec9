/*
 * Dominators and post-dominators.
 *
 * A post-dominator tree needs one exit that every node can reach. The exit is a node of its own behind all nodes that
 * end. A loop that nothing leaves is cut where a new iteration begins: an imaginary node before the loop's header has
 * an edge to the exit, so that branches inside the loop reconverge within an iteration, at the latest before the next
 * one.
 */
#ifndef HEDDLE_FLOW_DOMINATOR_H
#define HEDDLE_FLOW_DOMINATOR_H

#include "flow/graph.h"

#include <stdbool.h>

/* dominator[node] = immediate dominator; -1 for the root and for nodes that cannot be reached from the root. */
void dominator_tree(struct arena *arena, const struct graph *g, int root, int32_t *dominator);

/*
 * post_dominator[node] = immediate post-dominator, or -1 for the exit. reconvergence[node] differs from it only for
 * nodes whose immediate post-dominator is an imaginary node: they reconverge at the header behind that node, while
 * their post_dominator is the exit, so that the tree stays a tree. ends[node]: a thread can end there.
 */
void post_dominator_tree(struct arena *arena, const struct graph *g, int root, const bool *ends,
                         int32_t *post_dominator, int32_t *reconvergence);

#endif
