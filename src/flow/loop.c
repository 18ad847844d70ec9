/*
 * Loops: the nesting forest of a flow graph, by Havlak's algorithm (TOPLAS 1997). Headers are tried in descending
 * depth-first order, so inner loops are found before outer ones, and a finished loop shrinks into its header, which
 * then stands for the whole loop in the body of the next loop out.
 */
#include "flow/loop.h"

#include "base/vec.h"

/* All arrays are by depth-first number. */
struct loop_search {
    const struct graph *graph;
    struct graph_walk walk;
    int32_t *shrunk; /* union-find: leads towards the header that a node has shrunk into */
    int32_t *header; /* header of the innermost loop around a node, -1: none; for a header, of the next loop out */
    bool *is_header, *is_irreducible; /* the node begins a loop; that loop has entries besides its header */
    int32_t *mark;                    /* the node was last taken into the body of header mark - 1; 0: into none */
    struct vec_of(int32_t) body;      /* of the loop that is looked at now, without the header */
    struct loop_entry {               /* an edge into an irreducible loop, to another node than the header */
        int32_t from, next;           /* source of the edge; next entry of the same loop, or -1 */
    } * entry;
    int entry_count, entry_capacity;
    int32_t *first_entry; /* by header: first of its list in entry, or -1 */
};

/* The header of the outermost finished loop around x, or x: what x has shrunk into. */
static int32_t find(struct loop_search *s, int32_t x)
{
    int32_t top = x;
    while (s->shrunk[top] != top)
        top = s->shrunk[top];
    while (s->shrunk[x] != top) {
        int32_t next = s->shrunk[x];
        s->shrunk[x] = top;
        x = next;
    }
    return top;
}

/* Takes x into the body of the header's loop, once. */
static void take(struct loop_search *s, int32_t header, int32_t x)
{
    if (x == header || s->mark[x] == header + 1)
        return;
    s->mark[x] = header + 1;
    vec_push(&s->body, x);
}

/* Records that an edge from `from` enters the header's loop elsewhere than at the header. Loops further out must follow
 * that edge too, once the loop has shrunk into its header. */
static void add_entry(struct loop_search *s, int32_t header, int32_t from)
{
    if (s->entry_count == s->entry_capacity) {
        s->entry_capacity = 2 * s->entry_capacity + 16;
        s->entry = xrealloc(s->entry, sizeof *s->entry * (size_t)s->entry_capacity);
    }
    s->entry[s->entry_count] = (struct loop_entry){from, s->first_entry[header]};
    s->first_entry[header] = s->entry_count++;
}

/* Takes the source of an edge into the body. An edge from outside the header's subtree makes the loop irreducible. */
static void follow(struct loop_search *s, int32_t header, int32_t from)
{
    int32_t y = find(s, from);
    if (graph_is_ancestor(&s->walk, header, y)) {
        take(s, header, y);
    } else {
        s->is_irreducible[header] = true;
        add_entry(s, header, y);
    }
}

/* Finds the body of the loop that the node begins, if it begins one: everything that reaches a back edge to the header
 * without passing the header. The body then shrinks into the header. */
static void find_body(struct loop_search *s, int32_t header)
{
    const struct graph *g = s->graph;
    int32_t node = s->walk.node[header];
    s->body.count = 0;
    for (int32_t i = g->first_predecessor[node]; i < g->first_predecessor[node + 1]; i++) {
        int32_t v = s->walk.number[g->predecessors[i]];
        if (v >= 0 && graph_is_ancestor(&s->walk, header, v)) {
            s->is_header[header] = true;
            take(s, header, find(s, v));
        }
    }
    for (int k = 0; k < s->body.count; k++) {
        int32_t x = s->body.data[k], inner = s->walk.node[x];
        for (int32_t i = g->first_predecessor[inner]; i < g->first_predecessor[inner + 1]; i++) {
            int32_t v = s->walk.number[g->predecessors[i]];
            if (v >= 0 && !graph_is_ancestor(&s->walk, x, v))
                follow(s, header, v);
        }
        for (int32_t e = s->first_entry[x]; e >= 0; e = s->entry[e].next)
            follow(s, header, s->entry[e].from);
    }
    for (int k = 0; k < s->body.count; k++) {
        s->header[s->body.data[k]] = header;
        s->shrunk[s->body.data[k]] = header;
    }
}

/* Numbers the loops, outer before inner, and lays their nodes out so that each loop is one slice of a common array. */
static struct loop_forest collect(struct loop_search *s, struct arena *arena, int node_count)
{
    struct loop_forest f = {.innermost = arena_array(arena, int32_t, (size_t)node_count)};
    int n = s->walk.count;
    int32_t *loop_of = arena_array(arena, int32_t, (size_t)n); /* by number: the loop whose header the node is, or -1 */
    for (int32_t w = 0; w < n; w++)
        f.count += s->is_header[w];
    f.loops = arena_array(arena, struct loop, (size_t)f.count);
    for (int i = 0; i < node_count; i++)
        f.innermost[i] = -1;
    int made = 0;
    for (int32_t w = 0; w < n; w++) {
        int around = s->header[w] < 0 ? -1 : loop_of[s->header[w]];
        loop_of[w] = -1;
        f.innermost[s->walk.node[w]] = around;
        if (!s->is_header[w])
            continue;
        f.loops[made] = (struct loop){.header = s->walk.node[w],
                                      .parent = around,
                                      .depth = around < 0 ? 1 : f.loops[around].depth + 1,
                                      .irreducible = s->is_irreducible[w]};
        f.innermost[s->walk.node[w]] = loop_of[w] = made++;
    }
    for (int32_t w = 0; w < n; w++)
        if (f.innermost[s->walk.node[w]] >= 0)
            f.loops[f.innermost[s->walk.node[w]]].node_count++;
    for (int i = f.count - 1; i >= 0; i--)
        if (f.loops[i].parent >= 0)
            f.loops[f.loops[i].parent].node_count += f.loops[i].node_count;
    int32_t *all = arena_array(arena, int32_t, (size_t)n);
    int32_t **end = arena_array(arena, int32_t *, (size_t)f.count); /* where the loop's next node goes */
    for (int i = 0; i < f.count; i++) {
        int32_t **place = f.loops[i].parent < 0 ? &all : &end[f.loops[i].parent];
        f.loops[i].nodes = end[i] = *place;
        *place += f.loops[i].node_count;
        *end[i]++ = f.loops[i].header;
    }
    for (int32_t w = 0; w < n; w++) {
        int inner = f.innermost[s->walk.node[w]];
        if (inner >= 0 && loop_of[w] < 0)
            *end[inner]++ = s->walk.node[w];
    }
    return f;
}

struct loop_forest loop_find(struct arena *arena, const struct graph *g, int root)
{
    struct loop_search s = {.graph = g, .walk = graph_walk(arena, g, root)};
    size_t n = (size_t)s.walk.count;
    s.shrunk = arena_array(arena, int32_t, n);
    s.header = arena_array(arena, int32_t, n);
    s.is_header = arena_array(arena, bool, n);
    s.is_irreducible = arena_array(arena, bool, n);
    s.mark = arena_array(arena, int32_t, n);
    s.first_entry = arena_array(arena, int32_t, n);
    for (size_t i = 0; i < n; i++) {
        s.shrunk[i] = (int32_t)i;
        s.header[i] = s.first_entry[i] = -1;
    }
    for (int32_t w = (int32_t)n - 1; w >= 0; w--)
        find_body(&s, w);
    struct loop_forest forest = collect(&s, arena, g->node_count);
    vec_free(&s.body);
    free(s.entry);
    return forest;
}

bool loop_contains(const struct loop_forest *forest, int outer, int inner)
{
    if (outer < 0 || inner < 0)
        return outer < 0;
    /* The nodes of each loop are a slice of an array that all loops share, and slices nest like loops. */
    const struct loop *o = &forest->loops[outer], *i = &forest->loops[inner];
    return i->nodes >= o->nodes && i->nodes < o->nodes + o->node_count;
}
