/* Random graphs: see graph.h. */
#include "graph.h"

#include <string.h>

enum { LEAST_DRAWN = 2, MOST_DRAWN = 4 };

struct graph graph_make(struct work *w, uint32_t node_count)
{
    struct graph g = {.node_count = node_count, .nodes = work_buffer(w, node_count, sizeof *g.nodes)};
    uint32_t drawn = 0;
    uint32_t(*ends)[2] = work_buffer(w, (size_t)node_count * MOST_DRAWN, sizeof *ends);
    for (uint32_t i = 0; i < node_count; i++)
        for (uint32_t k = LEAST_DRAWN + work_random_below(w, MOST_DRAWN - LEAST_DRAWN + 1); k; k--, drawn++) {
            ends[drawn][0] = i;
            ends[drawn][1] = work_random_below(w, node_count);
            g.nodes[i].edges++;
            g.nodes[ends[drawn][1]].edges++;
        }
    g.edge_count = 2 * drawn;
    for (uint32_t i = 1; i < node_count; i++)
        g.nodes[i].first_edge = g.nodes[i - 1].first_edge + g.nodes[i - 1].edges;
    g.edge_to = work_buffer(w, g.edge_count, sizeof *g.edge_to);
    uint32_t *filled = work_buffer(w, node_count, sizeof *filled);
    for (uint32_t e = 0; e < drawn; e++)
        for (int end = 0; end < 2; end++) {
            uint32_t from = ends[e][end];
            g.edge_to[(uint32_t)g.nodes[from].first_edge + filled[from]++] = ends[e][!end];
        }
    return g;
}

void graph_search(struct work *w, const struct graph *g, uint32_t source, uint32_t *cost)
{
    uint32_t *queue = work_buffer(w, g->node_count, sizeof *queue), head = 0, tail = 0;
    memset(cost, 0xff, g->node_count * sizeof *cost);
    cost[source] = 0;
    queue[tail++] = source;
    while (head < tail) {
        uint32_t from = queue[head++];
        const uint32_t *to = g->edge_to + g->nodes[from].first_edge;
        for (int32_t e = 0; e < g->nodes[from].edges; e++)
            if (cost[to[e]] == UINT32_MAX) {
                cost[to[e]] = cost[from] + 1;
                queue[tail++] = to[e];
            }
    }
}
