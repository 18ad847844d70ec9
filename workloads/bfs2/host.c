/* Breadth-first search of a random graph, level by level; verified against a search with a queue. */
#include "graph.h"

#include <string.h>

enum { EXPAND_THREADS = 512, ADVANCE_THREADS = 256 };

static const uint32_t node_count_of[] = {[WORK_TEST] = 700, [WORK_SMALL] = 61440, [WORK_PAPER] = 65536};

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
    struct graph g = graph_make(w, node_count_of[size]);
    uint32_t source = 0;
    uint32_t *got = work_buffer(w, g.node_count, sizeof *got), *want = work_buffer(w, g.node_count, sizeof *want);
    unsigned levels = search_by_level(w, &g, source, got);
    graph_search(w, &g, source, want);
    work_compare_u32(w, "costs", got, want, g.node_count);
    work_say(w, "%u nodes, %u edges, %u levels", g.node_count, g.edge_count, levels);
}

const struct workload workload = {.name = "bfs2", .run = run};
