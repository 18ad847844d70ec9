// Breadth-first search with one launch per level and one thread per node. What the launch reads of other nodes
// (`was_visited`) and what it writes (`is_visited`, `is_next`) are different arrays, which the host swaps between
// levels: so a node that is reached in this launch does not look visited before the next one.

#include "device.h"

struct node {
    int first_edge;
    int edges;
};

// Blocks of 256. Several threads may reach one node; all of them write the same values.
extern "C" __global__ void search_level(const node *nodes, const int *edge_to, bool *is_frontier, bool *is_next,
                                        const bool *was_visited, bool *is_visited, int *cost, bool *has_more,
                                        int node_count)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me < node_count && is_frontier[me]) {
        is_frontier[me] = false;
        is_visited[me] = true;
        node n = nodes[me];
#pragma unroll 1 // by four, it would be two loops, which threads with different numbers of edges leave apart
        for (int e = n.first_edge; e < n.first_edge + n.edges; e++) {
            int other = edge_to[e];
            if (!was_visited[other]) {
                cost[other] = cost[me] + 1;
                is_next[other] = true;
                is_visited[other] = true;
                *has_more = true;
            }
        }
    }
}
