/* Breadth-first search of a random graph, one launch per level; verified against a search with a queue. */
#include "graph.h"

#include <string.h>

enum { THREADS = 256 };

static const uint32_t node_count_of[] = {[WORK_TEST] = 1000, [WORK_SMALL] = 38400, [WORK_PAPER] = 51200};

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
    struct graph g = graph_make(w, node_count_of[size]);
    uint32_t source = 0;
    uint32_t *got = work_buffer(w, g.node_count, sizeof *got), *want = work_buffer(w, g.node_count, sizeof *want);
    unsigned levels = search_by_level(w, &g, source, got);
    graph_search(w, &g, source, want);
    work_compare_u32(w, "costs", got, want, g.node_count);
    work_say(w, "%u nodes, %u edges, %u levels", g.node_count, g.edge_count, levels);
}

const struct workload workload = {.name = "bfs", .run = run};
