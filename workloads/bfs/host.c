/* Breadth-first search of a random graph, one launch per level; verified against a search with a queue. */
#include "work.h"

#include <string.h>

enum { THREADS = 256 };
/* Each node draws so many neighbours, and each edge stands in the lists of both its nodes: six edges per node. */
enum { LEAST_DRAWN = 2, MOST_DRAWN = 4 };

struct node {
    int32_t first_edge, edges; /* as in kernels.cu */
};

struct graph {
    uint32_t node_count, edge_count;
    struct node *nodes;
    uint32_t *edge_to;
};

static const uint32_t node_count_of[] = {[WORK_TEST] = 1000, [WORK_SMALL] = 38400, [WORK_PAPER] = 51200};

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

/* The cost of a node that the source does not reach is UINT32_MAX, which is -1 to the kernel. */
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

static void swap(CUdeviceptr *a, CUdeviceptr *b)
{
    CUdeviceptr kept = *a;
    *a = *b;
    *b = kept;
}

/* In the end no node is in a frontier, and both arrays of visited nodes hold all nodes that were reached: each is marked
 * in one of them by those who reach it, in the other by its own thread. A thread that does nothing leaves its mark in the
 * frontier, even if others reach all its neighbours. */
static void check_marks(struct work *w, const uint32_t *cost, const CUdeviceptr marks[4], uint32_t node_count)
{
    static const char *const names[] = {"frontier", "next frontier", "visited before", "visited"};
    for (int array = 0; array < 4; array++) {
        unsigned char *mark = work_buffer(w, node_count, 1);
        uint32_t wrong = 0;
        work_read(w, mark, marks[array], node_count);
        for (uint32_t i = 0; i < node_count; i++)
            wrong += mark[i] != (array >= 2 && cost[i] != UINT32_MAX);
        work_check(w, !wrong, "%s: the marks of %u nodes are wrong", names[array], wrong);
    }
}

/* Returns how many levels there were, the last, which reaches nothing, among them. There are no more than nodes: a
 * kernel that reaches nodes again and again must not keep the host forever. */
static unsigned search_by_level(struct work *w, const struct graph *g, uint32_t source, uint32_t *cost)
{
    const unsigned char yes = 1;
    unsigned char has_more = 1;
    int32_t node_count = (int32_t)g->node_count;
    memset(cost, 0xff, g->node_count * sizeof *cost);
    cost[source] = 0;
    CUdeviceptr nodes = work_upload(w, g->nodes, g->node_count * sizeof *g->nodes),
                edge_to = work_upload(w, g->edge_to, g->edge_count * sizeof *g->edge_to),
                is_frontier = work_alloc(w, g->node_count), is_next = work_alloc(w, g->node_count),
                was_visited = work_alloc(w, g->node_count), is_visited = work_alloc(w, g->node_count),
                costs = work_upload(w, cost, g->node_count * sizeof *cost), flag = work_alloc(w, 1);
    work_write(w, is_frontier + source, &yes, 1);
    work_write(w, was_visited + source, &yes, 1);
    unsigned levels = 0;
    for (; has_more && levels <= g->node_count; levels++) {
        has_more = 0;
        work_write(w, flag, &has_more, 1);
        work_launch(w, "search_level", (struct work_shape){.x = (g->node_count + THREADS - 1) / THREADS},
                    (struct work_shape){.x = THREADS}, 0,
                    (void *[]){&nodes, &edge_to, &is_frontier, &is_next, &was_visited, &is_visited, &costs, &flag,
                               &node_count});
        work_read(w, &has_more, flag, 1);
        /* is_visited lacks nothing: it had the levels before the last, got the frontier's own level and the next. */
        swap(&is_frontier, &is_next);
        swap(&was_visited, &is_visited);
    }
    work_read(w, cost, costs, g->node_count * sizeof *cost);
    check_marks(w, cost, (const CUdeviceptr[]){is_frontier, is_next, was_visited, is_visited}, g->node_count);
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

const struct workload workload = {.name = "bfs", .run = run};
