/* A layered drawing of a directed graph: see layered.h. */
#include "flow/layered.h"

#include <limits.h>
#include <stdint.h>

enum {
    NODE_GAP = 24,   /* pixels between nodes of a rank */
    DUMMY_WIDTH = 8, /* of the place of an edge in a rank */
    RANK_GAP = 44,   /* between ranks */
    LANE = 10,       /* between edges back, at the right side */
    STUB = 10,       /* from a node to the corner of an edge back */
    SWEEPS = 16,     /* passes over the ranks, for orders and for places */
};

/* A node in its rank, or the place of an edge in a rank that it passes. */
struct vertex {
    int rank, width, x;
    int node;                    /* -1: the place of an edge */
    int position;                /* in its rank */
    int64_t key;                 /* sorts the rank */
    struct vec_of(int) up, down; /* vertices of the neighbouring ranks */
};

struct rank {
    struct vec_of(int) vertices; /* in their order */
    int top, bottom;             /* y */
};

struct drawing {
    struct layered *graph;
    struct vec_of(struct vertex) vertices; /* those of nodes come first, under the nodes' indices */
    struct rank *ranks;
    int rank_count;
    struct vec_of(int) * chains; /* by edge: its vertices in the ranks between its ends */
};

/* ---- cycles and ranks ---- */

enum { UNSEEN, OPEN, DONE };

struct search {
    struct layered *graph;
    char *state; /* by node: UNSEEN, OPEN (on the path), DONE */
    int *order;  /* nodes in the order in which they were done */
    int done_count;
};

struct step {
    int node, edge; /* the next edge to look at */
};

/* Depth first without recursion, since a kernel may have thousands of blocks in a row. */
static void search_from(struct search *s, int start)
{
    struct vec_of(struct step) path = {0};
    struct layered *g = s->graph;
    vec_push(&path, (struct step){start, 0});
    s->state[start] = OPEN;
    while (path.count) {
        int at = path.count - 1, node = path.data[at].node, next = -1;
        while (next < 0 && path.data[at].edge < g->edge_count) {
            struct layered_edge *e = &g->edges[path.data[at].edge++];
            if (e->from != node)
                continue;
            e->is_back = s->state[e->to] == OPEN;
            if (s->state[e->to] == UNSEEN)
                next = e->to;
        }
        if (next >= 0) {
            s->state[next] = OPEN;
            vec_push(&path, (struct step){next, 0});
        } else {
            s->state[node] = DONE;
            s->order[s->done_count++] = node;
            path.count--;
        }
    }
    vec_free(&path);
}

/* Sets edges that close cycles aside, and ranks nodes by the longest path to them. */
static void rank_nodes(struct layered *g)
{
    struct search s = {.graph = g,
                       .state = xcalloc((size_t)g->node_count + 1, 1),
                       .order = xcalloc((size_t)g->node_count + 1, sizeof(int))};
    for (int i = 0; i < g->node_count; i++) {
        g->nodes[i].rank = 0;
        if (s.state[i] == UNSEEN)
            search_from(&s, i);
    }
    for (int i = s.done_count - 1; i >= 0; i--)
        for (int e = 0; e < g->edge_count; e++) {
            const struct layered_edge *edge = &g->edges[e];
            int rank = g->nodes[s.order[i]].rank + 1;
            if (edge->from == s.order[i] && !edge->is_back && g->nodes[edge->to].rank < rank)
                g->nodes[edge->to].rank = rank;
        }
    free(s.state);
    free(s.order);
}

/* ---- vertices ---- */

static void join(struct drawing *d, int above, int below)
{
    vec_push(&d->vertices.data[above].down, below);
    vec_push(&d->vertices.data[below].up, above);
}

static void make_vertices(struct drawing *d)
{
    struct layered *g = d->graph;
    for (int i = 0; i < g->node_count; i++) {
        const struct layered_node *n = &g->nodes[i];
        vec_push(&d->vertices, (struct vertex){.rank = n->rank, .width = n->width, .node = i, .key = i});
        d->rank_count = n->rank >= d->rank_count ? n->rank + 1 : d->rank_count;
    }
    d->ranks = xcalloc((size_t)d->rank_count + 1, sizeof *d->ranks);
    d->chains = xcalloc((size_t)g->edge_count + 1, sizeof *d->chains);
    for (int e = 0; e < g->edge_count; e++) {
        const struct layered_edge *edge = &g->edges[e];
        if (edge->is_back)
            continue;
        int last = edge->from;
        for (int rank = g->nodes[edge->from].rank + 1; rank < g->nodes[edge->to].rank; rank++) {
            vec_push(&d->vertices, (struct vertex){.rank = rank, .width = DUMMY_WIDTH, .node = -1, .key = edge->to});
            vec_push(&d->chains[e], d->vertices.count - 1);
            join(d, last, d->vertices.count - 1);
            last = d->vertices.count - 1;
        }
        join(d, last, edge->to);
    }
    for (int v = 0; v < d->vertices.count; v++) {
        struct rank *r = &d->ranks[d->vertices.data[v].rank];
        d->vertices.data[v].position = r->vertices.count;
        vec_push(&r->vertices, v);
    }
}

/* ---- order within ranks ---- */

/* Sorts a rank by the keys of its vertices; equal keys keep their order. */
static void sort_rank(struct drawing *d, struct rank *r)
{
    struct vertex *v = d->vertices.data;
    int *list = r->vertices.data;
    for (int i = 1; i < r->vertices.count; i++) {
        int moved = list[i], at = i;
        for (; at > 0 && v[list[at - 1]].key > v[moved].key; at--)
            list[at] = list[at - 1];
        list[at] = moved;
    }
    for (int i = 0; i < r->vertices.count; i++)
        v[list[i]].position = i;
}

static int compare_ints(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;
    return a < b ? -1 : a > b;
}

/* Twice the median of the neighbours' positions; `position` twice if there are none. */
static int64_t median_of(const struct drawing *d, const int *neighbours, int count, int position)
{
    if (!count)
        return 2 * (int64_t)position;
    int *places = xcalloc((size_t)count, sizeof *places);
    for (int i = 0; i < count; i++)
        places[i] = d->vertices.data[neighbours[i]].position;
    qsort(places, (size_t)count, sizeof *places, compare_ints);
    int64_t median = (int64_t)places[(count - 1) / 2] + places[count / 2];
    free(places);
    return median;
}

static void order_rank(struct drawing *d, int rank, bool by_upper)
{
    struct rank *r = &d->ranks[rank];
    for (int i = 0; i < r->vertices.count; i++) {
        struct vertex *v = &d->vertices.data[r->vertices.data[i]];
        v->key = by_upper ? median_of(d, v->up.data, v->up.count, v->position)
                          : median_of(d, v->down.data, v->down.count, v->position);
    }
    sort_rank(d, r);
}

/* Pairs of edges between neighbouring ranks that cross. */
static int64_t count_crossings(const struct drawing *d)
{
    int64_t crossings = 0;
    for (int r = 0; r + 1 < d->rank_count; r++) {
        struct vec_of(int) ends = {0}; /* lower ends, in the order of upper ends */
        for (int i = 0; i < d->ranks[r].vertices.count; i++) {
            const struct vertex *v = &d->vertices.data[d->ranks[r].vertices.data[i]];
            int first = ends.count;
            for (int k = 0; k < v->down.count; k++)
                vec_push(&ends, d->vertices.data[v->down.data[k]].position);
            if (ends.count > first)
                qsort(ends.data + first, (size_t)(ends.count - first), sizeof *ends.data, compare_ints);
        }
        for (int a = 0; a < ends.count; a++)
            for (int b = a + 1; b < ends.count; b++)
                crossings += ends.data[a] > ends.data[b];
        vec_free(&ends);
    }
    return crossings;
}

/* Sweeps down and up, and keeps the order with the fewest crossings. */
static void order_ranks(struct drawing *d)
{
    int *best = xcalloc((size_t)d->vertices.count + 1, sizeof *best);
    int64_t fewest = INT64_MAX;
    for (int sweep = 0; sweep <= SWEEPS && fewest; sweep++) {
        int64_t crossings = count_crossings(d);
        for (int v = 0; v < d->vertices.count && crossings < fewest; v++)
            best[v] = d->vertices.data[v].position;
        fewest = crossings < fewest ? crossings : fewest;
        for (int i = 0; i < d->rank_count; i++)
            order_rank(d, sweep % 2 ? d->rank_count - 1 - i : i, sweep % 2 == 0);
    }
    for (int v = 0; v < d->vertices.count; v++)
        d->vertices.data[v].key = best[v];
    for (int r = 0; r < d->rank_count; r++)
        sort_rank(d, &d->ranks[r]);
    free(best);
}

/* ---- places within ranks ---- */

static int centre(const struct vertex *v)
{
    return v->x + v->width / 2;
}

/* Where the vertex would stand for its neighbours: its left side if its centre were their mean. */
static int wanted_x(const struct drawing *d, const struct vertex *v, bool by_upper, bool by_lower)
{
    int64_t sum = 0;
    int count = 0;
    for (int i = 0; i < v->up.count && by_upper; i++, count++)
        sum += centre(&d->vertices.data[v->up.data[i]]);
    for (int i = 0; i < v->down.count && by_lower; i++, count++)
        sum += centre(&d->vertices.data[v->down.data[i]]);
    return count ? (int)(sum / count) - v->width / 2 : v->x;
}

/* A run of vertices that stand as close as they may. */
struct run {
    int64_t sum; /* of what its vertices want for their left side, less the room of those before them */
    int count;
};

static int64_t mean(const struct run *r)
{
    int64_t quotient = r->sum / r->count;
    return quotient - (r->sum % r->count < 0);
}

/* Moves the vertices of a rank as near as possible to where they want to be, in their order and apart: the least sum of
 * squared distances, by pooling adjacent violators. */
static void place_rank(struct drawing *d, const struct rank *r, bool by_upper, bool by_lower)
{
    struct vec_of(struct run) runs = {0};
    int64_t room = 0;
    for (int i = 0; i < r->vertices.count; i++) {
        const struct vertex *v = &d->vertices.data[r->vertices.data[i]];
        vec_push(&runs, (struct run){wanted_x(d, v, by_upper, by_lower) - room, 1});
        room += v->width + NODE_GAP;
        while (runs.count > 1 && mean(&runs.data[runs.count - 2]) > mean(&runs.data[runs.count - 1])) {
            runs.data[runs.count - 2].sum += runs.data[runs.count - 1].sum;
            runs.data[runs.count - 2].count += runs.data[runs.count - 1].count;
            runs.count--;
        }
    }
    room = 0;
    for (int k = 0, i = 0; k < runs.count; k++)
        for (int end = i + runs.data[k].count; i < end; i++) {
            struct vertex *v = &d->vertices.data[r->vertices.data[i]];
            v->x = (int)(mean(&runs.data[k]) + room);
            room += v->width + NODE_GAP;
        }
    vec_free(&runs);
}

static void place_vertices(struct drawing *d)
{
    for (int r = 0; r < d->rank_count; r++)
        place_rank(d, &d->ranks[r], false, false);
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int i = 0; i < d->rank_count; i++)
            place_rank(d, &d->ranks[sweep % 2 ? d->rank_count - 1 - i : i], sweep % 2 == 0 || sweep + 2 >= SWEEPS,
                       sweep % 2 == 1 || sweep + 2 >= SWEEPS);
    int left = INT_MAX, y = 0;
    for (int v = 0; v < d->vertices.count; v++)
        left = d->vertices.data[v].x < left ? d->vertices.data[v].x : left;
    for (int r = 0; r < d->rank_count; r++) {
        struct rank *rank = &d->ranks[r];
        rank->top = rank->bottom = y;
        for (int i = 0; i < rank->vertices.count; i++) {
            struct vertex *v = &d->vertices.data[rank->vertices.data[i]];
            v->x -= left;
            if (v->node < 0)
                continue;
            struct layered_node *n = &d->graph->nodes[v->node];
            n->x = v->x;
            n->y = y;
            rank->bottom = y + n->height > rank->bottom ? y + n->height : rank->bottom;
        }
        y = rank->bottom + RANK_GAP;
    }
    d->graph->height = y - RANK_GAP;
}

/* ---- edges ---- */

/* Where an edge goes on from its first node, or comes to its last one from; edges back are at the right. */
static int next_x(const struct drawing *d, int edge, bool at_start)
{
    const struct layered_edge *e = &d->graph->edges[edge];
    if (e->is_back)
        return INT_MAX;
    int count = d->chains[edge].count;
    int v = count ? d->chains[edge].data[at_start ? 0 : count - 1] : at_start ? e->to : e->from;
    return centre(&d->vertices.data[v]);
}

/* Where the edge leaves its first node (or enters its last one): the edges of a node's side share its width, in the
 * order of where they come from or go to. */
static int port(const struct drawing *d, int edge, bool at_start)
{
    const struct layered *g = d->graph;
    int node = at_start ? g->edges[edge].from : g->edges[edge].to, before = 0, count = 0,
        own = next_x(d, edge, at_start);
    for (int e = 0; e < g->edge_count; e++) {
        if ((at_start ? g->edges[e].from : g->edges[e].to) != node)
            continue;
        int other = next_x(d, e, at_start);
        count++;
        before += other < own || (other == own && e < edge);
    }
    return g->nodes[node].x + g->nodes[node].width * (before + 1) / (count + 1);
}

static void route_down(const struct drawing *d, int edge)
{
    struct layered_edge *e = &d->graph->edges[edge];
    const struct layered_node *from = &d->graph->nodes[e->from], *to = &d->graph->nodes[e->to];
    int x = port(d, edge, true);
    vec_push(&e->points, (struct layered_point){x, from->y + from->height});
    vec_push(&e->points, (struct layered_point){x, d->ranks[from->rank].bottom});
    for (int i = 0; i < d->chains[edge].count; i++) {
        const struct vertex *v = &d->vertices.data[d->chains[edge].data[i]];
        vec_push(&e->points, (struct layered_point){centre(v), d->ranks[v->rank].top});
        vec_push(&e->points, (struct layered_point){centre(v), d->ranks[v->rank].bottom});
    }
    vec_push(&e->points, (struct layered_point){port(d, edge, false), to->y});
}

/* Routes an edge back along its own lane, `lane` pixels from the left. `number` counts edges back; neighbours among
 * them turn at different heights. */
static void route_back(const struct drawing *d, int edge, int lane, int number)
{
    struct layered_edge *e = &d->graph->edges[edge];
    const struct layered_node *from = &d->graph->nodes[e->from], *to = &d->graph->nodes[e->to];
    int x = port(d, edge, true), end = port(d, edge, false), stub = STUB + 2 * (number % 5);
    int low = d->ranks[from->rank].bottom + stub;
    vec_push(&e->points, (struct layered_point){x, from->y + from->height});
    vec_push(&e->points, (struct layered_point){x, low});
    vec_push(&e->points, (struct layered_point){lane, low});
    vec_push(&e->points, (struct layered_point){lane, to->y - stub});
    vec_push(&e->points, (struct layered_point){end, to->y - stub});
    vec_push(&e->points, (struct layered_point){end, to->y});
}

/* Edges over few ranks get the inner lanes. */
static void route_edges(struct drawing *d)
{
    struct layered *g = d->graph;
    for (int v = 0; v < d->vertices.count; v++) {
        int right = d->vertices.data[v].x + d->vertices.data[v].width;
        g->width = right > g->width ? right : g->width;
    }
    int number = 0;
    for (int span = 0; span < d->rank_count; span++)
        for (int e = 0; e < g->edge_count; e++) {
            const struct layered_edge *edge = &g->edges[e];
            if (!edge->is_back || g->nodes[edge->from].rank - g->nodes[edge->to].rank != span)
                continue;
            g->width += LANE;
            route_back(d, e, g->width, number++);
        }
    for (int e = 0; e < g->edge_count; e++)
        if (!g->edges[e].is_back)
            route_down(d, e);
}

void layered_place(struct layered *graph)
{
    struct drawing d = {.graph = graph};
    graph->width = graph->height = 0;
    if (!graph->node_count)
        return;
    rank_nodes(graph);
    make_vertices(&d);
    order_ranks(&d);
    place_vertices(&d);
    route_edges(&d);
    for (int v = 0; v < d.vertices.count; v++) {
        vec_free(&d.vertices.data[v].up);
        vec_free(&d.vertices.data[v].down);
    }
    for (int r = 0; r < d.rank_count; r++)
        vec_free(&d.ranks[r].vertices);
    for (int e = 0; e < graph->edge_count; e++)
        vec_free(&d.chains[e]);
    vec_free(&d.vertices);
    free(d.ranks);
    free(d.chains);
}

void layered_free(struct layered *graph)
{
    for (int e = 0; e < graph->edge_count; e++)
        vec_free(&graph->edges[e].points);
}
