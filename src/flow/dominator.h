/*
 * Dominators and post-dominators.
 *
 * A post-dominator tree needs one exit that every node can reach. The exit is a node of its own behind all
 * nodes that end. A loop that nothing leaves is cut where a new round begins: before its header stands an
 * imaginary node from which one could also go to the exit, so that branches inside the loop meet where one
 * round meets, at the latest before the next.
 */
#ifndef HEDDLE_FLOW_DOMINATOR_H
#define HEDDLE_FLOW_DOMINATOR_H

#include "flow/graph.h"

#include <stdbool.h>

/* dominator[node] = immediate dominator; -1 for the root and for nodes that it does not reach. */
void dominator_tree(struct arena *arena, const struct graph *g, int root, int32_t *dominator);

/*
 * post_dominator[node] = immediate post-dominator, or -1 for the exit. reconvergence[node] is the same but for
 * nodes whose post-dominator is imaginary: they meet at the header behind it (and in the tree come next to
 * the exit, so that it stays a tree). ends[node]: a thread can end there.
 */
void post_dominator_tree(struct arena *arena, const struct graph *g, int root, const bool *ends,
                         int32_t *post_dominator, int32_t *reconvergence);

#endif
