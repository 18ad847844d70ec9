/*
 * Dominators by Lengauer and Tarjan's algorithm (TOPLAS 1979) in its simple form, O(edges log nodes). Long ladders of
 * branches to one label are common, and make the shorter iterative methods quadratic.
 */
#include "flow/dominator.h"

/* All arrays are by depth-first number. */
struct dominator_search {
    struct graph_walk walk;
    int32_t *semi;     /* semidominator */
    int32_t *ancestor; /* in the forest of linked nodes; -1: a root */
    int32_t *label;    /* node of least semidominator on the compressed path to the root */
    int32_t *idom;     /* immediate dominator */
    int32_t *path;     /* scratch of path compression */
};

static int32_t evaluate(struct dominator_search *s, int32_t v)
{
    if (s->ancestor[v] < 0)
        return v;
    int depth = 0;
    for (int32_t u = v; s->ancestor[s->ancestor[u]] >= 0; u = s->ancestor[u])
        s->path[depth++] = u;
    while (depth--) {
        int32_t u = s->path[depth], above = s->ancestor[u];
        if (s->semi[s->label[above]] < s->semi[s->label[u]])
            s->label[u] = s->label[above];
        s->ancestor[u] = s->ancestor[above];
    }
    return s->label[v];
}

static void find_semidominator(struct dominator_search *s, const struct graph *g, int32_t w)
{
    int32_t node = s->walk.node[w];
    for (int32_t i = g->first_predecessor[node]; i < g->first_predecessor[node + 1]; i++) {
        int32_t v = s->walk.number[g->predecessors[i]];
        if (v < 0)
            continue;
        int32_t u = evaluate(s, v);
        if (s->semi[u] < s->semi[w])
            s->semi[w] = s->semi[u];
    }
}

void dominator_tree(struct arena *arena, const struct graph *g, int root, int32_t *dominator)
{
    for (int i = 0; i < g->node_count; i++)
        dominator[i] = -1;
    struct dominator_search s = {.walk = graph_walk(arena, g, root)};
    size_t n = (size_t)s.walk.count;
    s.semi = arena_array(arena, int32_t, n);
    s.ancestor = arena_array(arena, int32_t, n);
    s.label = arena_array(arena, int32_t, n);
    s.idom = arena_array(arena, int32_t, n);
    s.path = arena_array(arena, int32_t, n);
    int32_t *bucket = arena_array(arena, int32_t, n); /* first node whose semidominator this is */
    int32_t *chain = arena_array(arena, int32_t, n);  /* next node of the same bucket */
    for (size_t i = 0; i < n; i++) {
        s.semi[i] = s.label[i] = (int32_t)i;
        s.ancestor[i] = bucket[i] = chain[i] = -1;
    }
    for (int32_t w = (int32_t)n - 1; w > 0; w--) {
        find_semidominator(&s, g, w);
        chain[w] = bucket[s.semi[w]];
        bucket[s.semi[w]] = w;
        int32_t parent = s.walk.parent[w];
        s.ancestor[w] = parent;
        for (int32_t v = bucket[parent]; v >= 0; v = chain[v]) {
            int32_t u = evaluate(&s, v);
            s.idom[v] = s.semi[u] < s.semi[v] ? u : parent;
        }
        bucket[parent] = -1;
    }
    for (int32_t w = 1; w < (int32_t)n; w++) {
        if (s.idom[w] != s.semi[w])
            s.idom[w] = s.idom[s.idom[w]];
        dominator[s.walk.node[w]] = s.walk.node[s.idom[w]];
    }
}

/* Loops that nothing leaves: strong components without an end and without an edge to another component. */
struct closed_loops {
    int32_t *component; /* by node */
    int32_t *header;    /* by component: its header, or -1 if the component is not closed */
    int count;          /* of components, closed or not */
};

/* The header of a closed loop is the node that a depth-first walk from the root leaves last. */
static struct closed_loops find_closed_loops(struct arena *arena, const struct graph *g, int root, const bool *ends)
{
    struct closed_loops l = {.component = arena_array(arena, int32_t, (size_t)g->node_count)};
    l.count = graph_components(arena, g, l.component);
    l.header = arena_array(arena, int32_t, (size_t)l.count);
    bool *is_open = arena_array(arena, bool, (size_t)l.count);
    struct graph_walk walk = graph_walk(arena, g, root);
    for (int c = 0; c < l.count; c++)
        l.header[c] = -1;
    for (int32_t i = 0; i < g->node_count; i++) {
        int32_t c = l.component[i], number = walk.number[i];
        is_open[c] |= ends[i];
        for (int32_t k = g->first_successor[i]; k < g->first_successor[i + 1]; k++)
            is_open[c] |= l.component[g->successors[k]] != c;
        int32_t old = l.header[c] < 0 ? -1 : walk.number[l.header[c]];
        if (l.header[c] < 0 || (number >= 0 && (old < 0 || walk.post[number] > walk.post[old])))
            l.header[c] = i;
    }
    for (int c = 0; c < l.count; c++)
        if (is_open[c])
            l.header[c] = -1;
    return l;
}

void post_dominator_tree(struct arena *arena, const struct graph *g, int root, const bool *ends,
                         int32_t *post_dominator, int32_t *reconvergence)
{
    int n = g->node_count, exit_node = n, edge_count = g->first_successor[n], filled = 0;
    struct closed_loops loops = find_closed_loops(arena, g, root, ends);
    struct graph_edge *turned = arena_array(arena, struct graph_edge, (size_t)(edge_count + n + 2 * loops.count));
    for (int32_t i = 0; i < n; i++) {
        int32_t header = loops.header[loops.component[i]], imaginary = n + 1 + loops.component[i];
        for (int32_t k = g->first_successor[i]; k < g->first_successor[i + 1]; k++) {
            int32_t to = g->successors[k];
            turned[filled++] = (struct graph_edge){to == header ? imaginary : to, i};
        }
        if (ends[i])
            turned[filled++] = (struct graph_edge){exit_node, i};
        if (i == header) {
            turned[filled++] = (struct graph_edge){i, imaginary};
            turned[filled++] = (struct graph_edge){exit_node, imaginary};
        }
    }
    struct graph from_exit = graph_create(arena, n + 1 + loops.count, turned, filled);
    int32_t *tree = arena_array(arena, int32_t, (size_t)from_exit.node_count);
    dominator_tree(arena, &from_exit, exit_node, tree);
    for (int i = 0; i < n; i++) {
        post_dominator[i] = tree[i] >= n ? -1 : tree[i];
        reconvergence[i] = tree[i] > n ? loops.header[tree[i] - n - 1] : post_dominator[i];
    }
}
