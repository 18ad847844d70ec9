/* Directed graphs: storage, depth-first walks, strong components. Nothing here recurses: graphs may be deep. */
#include "flow/graph.h"

#include <stdbool.h>

static void fill_side(struct arena *arena, const struct graph_edge *edges, int edge_count, int node_count, bool forward,
                      int32_t **first_out, int32_t **list_out)
{
    int32_t *first = arena_array(arena, int32_t, (size_t)node_count + 2);
    int32_t *list = arena_array(arena, int32_t, (size_t)edge_count);
    for (int i = 0; i < edge_count; i++)
        first[(forward ? edges[i].from : edges[i].to) + 2]++;
    for (int n = 0; n < node_count; n++)
        first[n + 2] += first[n + 1];
    for (int i = 0; i < edge_count; i++)
        list[first[(forward ? edges[i].from : edges[i].to) + 1]++] = forward ? edges[i].to : edges[i].from;
    *first_out = first;
    *list_out = list;
}

struct graph graph_create(struct arena *arena, int node_count, const struct graph_edge *edges, int edge_count)
{
    struct graph g = {.node_count = node_count};
    fill_side(arena, edges, edge_count, node_count, true, &g.first_successor, &g.successors);
    fill_side(arena, edges, edge_count, node_count, false, &g.first_predecessor, &g.predecessors);
    return g;
}

struct graph_walk graph_walk(struct arena *arena, const struct graph *g, int root)
{
    size_t n = (size_t)g->node_count;
    struct graph_walk w = {
        .node = arena_array(arena, int32_t, n),
        .number = arena_array(arena, int32_t, n),
        .parent = arena_array(arena, int32_t, n),
        .last = arena_array(arena, int32_t, n),
        .post = arena_array(arena, int32_t, n),
    };
    int32_t *next = arena_array(arena, int32_t, n); /* by number: index of the successor to look at next */
    for (size_t i = 0; i < n; i++)
        w.number[i] = -1;
    int finished = 0;
    int32_t current = 0;
    w.node[0] = root;
    w.number[root] = w.count++;
    w.parent[0] = -1;
    next[0] = g->first_successor[root];
    while (current >= 0) {
        int32_t node = w.node[current];
        if (next[current] == g->first_successor[node + 1]) {
            w.last[current] = w.count - 1;
            w.post[current] = finished++;
            current = w.parent[current];
            continue;
        }
        int32_t to = g->successors[next[current]++];
        if (w.number[to] >= 0)
            continue;
        int32_t number = w.count++;
        w.number[to] = number;
        w.node[number] = to;
        w.parent[number] = current;
        next[number] = g->first_successor[to];
        current = number;
    }
    return w;
}

/* Tarjan's algorithm with an explicit stack. */
struct component_search {
    const struct graph *graph;
    int32_t *component, *number, *low, *next, *parent, *stack;
    int numbered, stacked, found;
};

static void discover(struct component_search *s, int32_t node, int32_t parent)
{
    s->number[node] = s->low[node] = ++s->numbered;
    s->next[node] = s->graph->first_successor[node];
    s->parent[node] = parent;
    s->stack[s->stacked++] = node;
}

static void finish(struct component_search *s, int32_t node)
{
    if (s->low[node] == s->number[node]) {
        int32_t member;
        do {
            member = s->stack[--s->stacked];
            s->component[member] = s->found;
        } while (member != node);
        s->found++;
    }
    int32_t parent = s->parent[node];
    if (parent >= 0 && s->low[node] < s->low[parent])
        s->low[parent] = s->low[node];
}

static void search_from(struct component_search *s, int32_t root)
{
    discover(s, root, -1);
    for (int32_t node = root; node >= 0;) {
        if (s->next[node] == s->graph->first_successor[node + 1]) {
            int32_t parent = s->parent[node];
            finish(s, node);
            node = parent;
            continue;
        }
        int32_t to = s->graph->successors[s->next[node]++];
        if (!s->number[to]) {
            discover(s, to, node);
            node = to;
        } else if (s->component[to] < 0 && s->number[to] < s->low[node]) {
            s->low[node] = s->number[to];
        }
    }
}

int graph_components(struct arena *arena, const struct graph *g, int32_t *component)
{
    size_t n = (size_t)g->node_count;
    struct component_search s = {
        .graph = g,
        .component = component,
        .number = arena_array(arena, int32_t, n),
        .low = arena_array(arena, int32_t, n),
        .next = arena_array(arena, int32_t, n),
        .parent = arena_array(arena, int32_t, n),
        .stack = arena_array(arena, int32_t, n),
    };
    for (size_t i = 0; i < n; i++)
        component[i] = -1;
    for (int32_t i = 0; i < g->node_count; i++)
        if (!s.number[i])
            search_from(&s, i);
    return s.found;
}
