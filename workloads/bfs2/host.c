/* Breadth-first search of a random graph, level by level; verified against a search with a queue. */
#include "work.h"

#include <string.h>

enum { EXPAND_THREADS = 512, ADVANCE_THREADS = 256 };
/* Each node draws so many neighbours, and each edge stands in the lists of both its nodes: six edges a node. */
enum { LEAST_DRAWN = 2, MOST_DRAWN = 4 };

struct node {
    int32_t first_edge, edges; /* as in kernels.cu */
};

struct graph {
    uint32_t node_count, edge_count;
    struct node *nodes;
    uint32_t *edge_to;
};

static const uint32_t node_count_of[] = {[WORK_TEST] = 700, [WORK_SMALL] = 61440, [WORK_PAPER] = 65536};

/* A node may draw itself, or another one twice; the graph may have parts that the source does not reach. */
static struct graph make_graph(struct work *w, uint32_t node_count)
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

/* Edges from a node that nothing has reached: UINT32_MAX, which is -1 to the kernels. */
static void search_by_queue(struct work *w, const struct graph *g, uint32_t source, uint32_t *cost)
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

/* Returns how many levels there were, the last, which reaches nothing, among them. */
static unsigned search_by_level(struct work *w, const struct graph *g, uint32_t source, uint32_t *cost)
{
    const unsigned char yes = 1;
    int32_t node_count = (int32_t)g->node_count, has_more = 1;
    memset(cost, 0xff, g->node_count * sizeof *cost);
    cost[source] = 0;
    CUdeviceptr nodes = work_upload(w, g->nodes, g->node_count * sizeof *g->nodes),
                edge_to = work_upload(w, g->edge_to, g->edge_count * sizeof *g->edge_to),
                is_frontier = work_alloc(w, g->node_count), is_reached = work_alloc(w, g->node_count),
                is_visited = work_alloc(w, g->node_count), costs = work_upload(w, cost, g->node_count * sizeof *cost),
                flag = work_alloc(w, sizeof has_more);
    work_write(w, is_frontier + source, &yes, 1);
    work_write(w, is_visited + source, &yes, 1);
    unsigned levels = 0;
    for (; has_more; levels++) {
        has_more = 0;
        work_write(w, flag, &has_more, sizeof has_more);
        work_launch(w, "expand", (struct work_shape){.x = (g->node_count + EXPAND_THREADS - 1) / EXPAND_THREADS},
                    (struct work_shape){.x = EXPAND_THREADS}, 0,
                    (void *[]){&nodes, &edge_to, &is_frontier, &is_reached, &is_visited, &costs, &node_count});
        work_launch(w, "advance", (struct work_shape){.x = (g->node_count + ADVANCE_THREADS - 1) / ADVANCE_THREADS},
                    (struct work_shape){.x = ADVANCE_THREADS}, 0,
                    (void *[]){&is_frontier, &is_reached, &is_visited, &flag, &node_count});
        work_read(w, &has_more, flag, sizeof has_more);
    }
    work_read(w, cost, costs, g->node_count * sizeof *cost);
    return levels;
}

static void run(struct work *w, enum work_size size)
{
    struct graph g = make_graph(w, node_count_of[size]);
    uint32_t source = 0;
    uint32_t *got = work_buffer(w, g.node_count, sizeof *got), *want = work_buffer(w, g.node_count, sizeof *want);
    unsigned levels = search_by_level(w, &g, source, got);
    search_by_queue(w, &g, source, want);
    work_compare_u32(w, "costs", got, want, g.node_count);
    work_say(w, "%u nodes, %u edges, %u levels", g.node_count, g.edge_count, levels);
}

const struct workload workload = {.name = "bfs2", .run = run};
