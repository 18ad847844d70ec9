// Breadth-first search level by level, one thread a node: the nodes of the frontier look at all their edges, then every
// node that was reached becomes the next frontier. Two kernels, since the first must have ended in all blocks before
// the marks it sets may be looked at.

#include "device.h"

struct node {
    int first_edge;
    int edges;
};

// Blocks of 512. Several threads may reach one node; all of them write the same cost and the same mark.
extern "C" __global__ void expand(const node *nodes, const int *edge_to, bool *is_frontier, bool *is_reached,
                                  const bool *is_visited, int *cost, int node_count)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me < node_count && is_frontier[me]) {
        is_frontier[me] = false;
        node n = nodes[me];
        int next_cost = cost[me] + 1;
#pragma unroll 1 // by four, it would be two loops, which threads with different numbers of edges leave apart
        for (int e = n.first_edge; e < n.first_edge + n.edges; e++) {
            int other = edge_to[e];
            if (!is_visited[other]) {
                cost[other] = next_cost;
                is_reached[other] = true;
            }
        }
    }
}

// Blocks of 256. The flag tells the host that there is another level.
extern "C" __global__ void advance(bool *is_frontier, bool *is_reached, bool *is_visited, int *has_more,
                                   int node_count)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me < node_count && is_reached[me]) {
        is_frontier[me] = true;
        is_visited[me] = true;
        is_reached[me] = false;
        *has_more = 1;
    }
}
