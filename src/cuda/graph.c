/* Graphs as structures: nodes, edges, copies, and the calls that ask about them. See graph.h. */
#include "cuda/graph.h"
#include "cuda/capture.h"
#include "cuda/legacy.h"

#include <stdlib.h>
#include <string.h>

struct cuda_graph *cuda_graph_find(struct driver *d, CUgraph graph)
{
    return object_find(d, OBJECT_GRAPH, handle_of(graph));
}

struct graph_node *cuda_graph_find_node(struct driver *d, CUgraphNode node)
{
    return object_find(d, OBJECT_GRAPH_NODE, handle_of(node));
}

/* Objects of hidden graphs are not in the registry. */
static void add_object(struct driver *d, struct object *o, enum object_kind kind, struct context *c, bool is_hidden)
{
    if (!is_hidden) {
        object_add(d, o, kind, handle_of(o), c);
        return;
    }
    o->kind = kind;
    o->context = c;
    o->id = ++d->next_id;
}

struct cuda_graph *cuda_graph_create(struct driver *d, struct context *context, bool is_hidden)
{
    struct cuda_graph *g = xcalloc(1, sizeof *g);
    g->is_hidden = is_hidden;
    add_object(d, &g->object, OBJECT_GRAPH, context, is_hidden);
    return g;
}

void graph_node_finish(struct driver *d, struct object *object)
{
    struct graph_node *n = (struct graph_node *)object;
    op_clear(d, &n->op);
    vec_free(&n->in);
    vec_free(&n->out);
}

static void destroy_node(struct driver *d, struct graph_node *n)
{
    if (!n->graph->is_hidden) {
        object_destroy(d, &n->object);
        return;
    }
    graph_node_finish(d, &n->object);
    free(n);
}

void cuda_graph_finish(struct driver *d, struct object *object)
{
    struct cuda_graph *g = (struct cuda_graph *)object;
    if (g->capture)
        capture_end_with_graph(d, g->capture);
    for (int i = 0; i < g->nodes.count; i++)
        destroy_node(d, g->nodes.data[i]);
    graph_conditions_release(d, g);
    vec_free(&g->nodes);
    user_references_release(d, g);
}

void cuda_graph_destroy(struct driver *d, struct cuda_graph *g)
{
    if (!g->is_hidden) {
        object_destroy(d, &g->object);
        return;
    }
    cuda_graph_finish(d, &g->object);
    free(g);
}

struct graph_node *cuda_graph_add(struct driver *d, struct cuda_graph *g, struct operation *op)
{
    struct graph_node *n = xcalloc(1, sizeof *n);
    n->graph = g;
    n->op = *op;
    *op = (struct operation){.parameters.type = CU_GRAPH_NODE_TYPE_EMPTY};
    add_object(d, &n->object, OBJECT_GRAPH_NODE, g->object.context, g->is_hidden);
    n->object.is_owned = true;
    vec_push(&g->nodes, n);
    return n;
}

bool cuda_graph_is_connected(const struct graph_node *from, const struct graph_node *to)
{
    for (int i = 0; i < to->in.count; i++)
        if (to->in.data[i].node == from)
            return true;
    return false;
}

void cuda_graph_connect(struct graph_node *from, struct graph_node *to, const CUgraphEdgeData *data)
{
    if (cuda_graph_is_connected(from, to))
        return;
    vec_push(&to->in, (struct graph_edge){from, *data});
    vec_push(&from->out, (struct graph_edge){to, *data});
}

static void remove_edge(struct graph_edges *edges, const struct graph_node *node)
{
    for (int i = 0; i < edges->count; i++)
        if (edges->data[i].node == node) {
            memmove(&edges->data[i], &edges->data[i + 1], sizeof *edges->data * (size_t)(edges->count - i - 1));
            edges->count--;
            return;
        }
}

static void disconnect(struct graph_node *from, struct graph_node *to)
{
    remove_edge(&to->in, from);
    remove_edge(&from->out, to);
}

struct cuda_graph *cuda_graph_copy(struct driver *d, const struct cuda_graph *g, bool is_hidden)
{
    struct cuda_graph *copy = cuda_graph_create(d, g->object.context, is_hidden);
    copy->origin = g->object.id;
    for (int i = 0; i < g->nodes.count; i++) {
        struct graph_node *n = g->nodes.data[i];
        struct operation op;
        op_copy(d, &op, &n->op, is_hidden);
        struct graph_node *c = cuda_graph_add(d, copy, &op);
        c->origin = n->object.id;
        c->is_disabled = n->is_disabled;
        n->mark = i;
    }
    for (int i = 0; i < g->nodes.count; i++)
        for (int k = 0; k < g->nodes.data[i]->in.count; k++) {
            const struct graph_edge *edge = &g->nodes.data[i]->in.data[k];
            cuda_graph_connect(copy->nodes.data[edge->node->mark], copy->nodes.data[i], &edge->data);
        }
    user_references_copy(d, copy, g);
    graph_conditions_copy(d, copy, g);
    return copy;
}

bool cuda_graph_has_type(const struct cuda_graph *g, CUgraphNodeType type)
{
    for (int i = 0; i < g->nodes.count; i++) {
        const struct operation *op = &g->nodes.data[i]->op;
        if (op->parameters.type == type)
            return true;
        for (unsigned k = 0; k < op->child_count; k++)
            if (cuda_graph_has_type(op->children[k], type))
                return true;
    }
    return false;
}

/* Ports other than 0 let a kernel start before the end of the one before it. Doing one node after the other keeps to
 * any such edge. */
static bool edge_is_valid(const CUgraphEdgeData *data)
{
    static const unsigned char zero[sizeof data->reserved];
    return data->type <= CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC &&
           data->from_port <= CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER && !data->to_port &&
           !memcmp(data->reserved, zero, sizeof zero);
}

CUresult cuda_graph_find_dependencies(struct driver *d, const struct cuda_graph *g, const CUgraphNode *dependencies,
                                      const CUgraphEdgeData *edges, size_t count, struct graph_edges *found)
{
    if (count && !dependencies)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        struct graph_edge edge = {cuda_graph_find_node(d, dependencies[i]), edges ? edges[i] : (CUgraphEdgeData){0}};
        if (!edge.node || edge.node->graph != g || !edge_is_valid(&edge.data))
            return CUDA_ERROR_INVALID_VALUE;
        for (int k = 0; k < found->count; k++)
            if (found->data[k].node == edge.node)
                return CUDA_ERROR_INVALID_VALUE;
        vec_push(found, edge);
    }
    return CUDA_SUCCESS;
}

CUresult cuGraphCreate(CUgraph *graph, unsigned int flags)
{
    ENTER(e, NEED_CONTEXT);
    if (!graph || flags)
        return CUDA_ERROR_INVALID_VALUE;
    *graph = (CUgraph)cuda_graph_create(e.driver, e.context, false);
    return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph)
{
    ENTER(e, NEED_INIT);
    struct cuda_graph *g = cuda_graph_find(e.driver, graph);
    if (!g || g->object.is_owned || g->capture)
        return CUDA_ERROR_INVALID_VALUE;
    cuda_graph_destroy(e.driver, g);
    return CUDA_SUCCESS;
}

CUresult cuGraphClone(CUgraph *clone, CUgraph graph)
{
    ENTER(e, NEED_CONTEXT);
    struct cuda_graph *g = cuda_graph_find(e.driver, graph);
    if (!clone || !g)
        return CUDA_ERROR_INVALID_VALUE;
    if (cuda_graph_has_type(g, CU_GRAPH_NODE_TYPE_MEM_ALLOC) || cuda_graph_has_type(g, CU_GRAPH_NODE_TYPE_MEM_FREE)) {
        driver_complain("cuGraphClone: a graph with memory allocation or free nodes cannot be copied");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    *clone = (CUgraph)cuda_graph_copy(e.driver, g, false);
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeFindInClone(CUgraphNode *node, CUgraphNode original, CUgraph clone)
{
    ENTER(e, NEED_INIT);
    struct cuda_graph *g = cuda_graph_find(e.driver, clone);
    const struct graph_node *n = cuda_graph_find_node(e.driver, original);
    if (!node || !g || !n || g->origin != n->graph->object.id)
        return CUDA_ERROR_INVALID_VALUE;
    for (int i = 0; i < g->nodes.count; i++)
        if (g->nodes.data[i]->origin == n->object.id) {
            *node = (CUgraphNode)g->nodes.data[i];
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphDestroyNode(CUgraphNode node)
{
    ENTER(e, NEED_INIT);
    struct graph_node *n = cuda_graph_find_node(e.driver, node);
    if (!n)
        return CUDA_ERROR_INVALID_VALUE;
    /* Memory that later nodes use would not be there. */
    if (n->op.parameters.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || n->op.parameters.type == CU_GRAPH_NODE_TYPE_MEM_FREE) {
        driver_complain("cuGraphDestroyNode: memory allocation and free nodes cannot be taken out of a graph");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    while (n->in.count)
        disconnect(n->in.data[0].node, n);
    while (n->out.count)
        disconnect(n, n->out.data[0].node);
    struct graph_nodes *nodes = &n->graph->nodes;
    for (int i = 0; i < nodes->count; i++)
        if (nodes->data[i] == n) {
            memmove(&nodes->data[i], &nodes->data[i + 1], sizeof *nodes->data * (size_t)(nodes->count - i - 1));
            nodes->count--;
            break;
        }
    destroy_node(e.driver, n);
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type)
{
    ENTER(e, NEED_INIT);
    const struct graph_node *n = cuda_graph_find_node(e.driver, node);
    if (!n || !type)
        return CUDA_ERROR_INVALID_VALUE;
    *type = n->op.parameters.type;
    return CUDA_SUCCESS;
}

/* Gives nodes out as the API does: without an array their number; with an array as many as fit, the rest of the array
 * filled with NULL. */
struct giver {
    CUgraphNode *nodes, *others;
    CUgraphEdgeData *edges;
    size_t room, count;
    bool is_lossy; /* an edge has data, and there is no array for it */
};

static void give(struct giver *g, struct graph_node *node, struct graph_node *other, const CUgraphEdgeData *data)
{
    static const CUgraphEdgeData plain;
    if (g->nodes && g->count < g->room) {
        g->nodes[g->count] = (CUgraphNode)node;
        if (g->others)
            g->others[g->count] = (CUgraphNode)other;
        if (g->edges)
            g->edges[g->count] = *data;
        else if (data && memcmp(data, &plain, sizeof plain))
            g->is_lossy = true;
    }
    g->count++;
}

static CUresult give_end(struct giver *g, size_t *count)
{
    if (!g->nodes) {
        *count = g->count;
        return CUDA_SUCCESS;
    }
    for (size_t i = g->count; i < g->room; i++) {
        g->nodes[i] = NULL;
        if (g->others)
            g->others[i] = NULL;
        if (g->edges)
            g->edges[i] = (CUgraphEdgeData){0};
    }
    *count = g->count < g->room ? g->count : g->room;
    return g->is_lossy ? CUDA_ERROR_LOSSY_QUERY : CUDA_SUCCESS;
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    ENTER(e, NEED_INIT);
    struct cuda_graph *g = cuda_graph_find(e.driver, graph);
    if (!g || !count)
        return CUDA_ERROR_INVALID_VALUE;
    struct giver giver = {.nodes = nodes, .room = *count};
    for (int i = 0; i < g->nodes.count; i++)
        give(&giver, g->nodes.data[i], NULL, NULL);
    return give_end(&giver, count);
}

CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    ENTER(e, NEED_INIT);
    struct cuda_graph *g = cuda_graph_find(e.driver, graph);
    if (!g || !count)
        return CUDA_ERROR_INVALID_VALUE;
    struct giver giver = {.nodes = nodes, .room = *count};
    for (int i = 0; i < g->nodes.count; i++)
        if (!g->nodes.data[i]->in.count)
            give(&giver, g->nodes.data[i], NULL, NULL);
    return give_end(&giver, count);
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edges, size_t *count)
{
    ENTER(e, NEED_INIT);
    struct cuda_graph *g = cuda_graph_find(e.driver, graph);
    if (!g || !count || !from != !to)
        return CUDA_ERROR_INVALID_VALUE;
    struct giver giver = {.nodes = from, .others = to, .edges = edges, .room = *count};
    for (int i = 0; i < g->nodes.count; i++)
        for (int k = 0; k < g->nodes.data[i]->out.count; k++) {
            const struct graph_edge *edge = &g->nodes.data[i]->out.data[k];
            give(&giver, g->nodes.data[i], edge->node, &edge->data);
        }
    return give_end(&giver, count);
}

static CUresult give_neighbours(CUgraphNode node, bool are_dependents, CUgraphNode *nodes, CUgraphEdgeData *edges,
                                size_t *count)
{
    ENTER(e, NEED_INIT);
    const struct graph_node *n = cuda_graph_find_node(e.driver, node);
    if (!n || !count)
        return CUDA_ERROR_INVALID_VALUE;
    const struct graph_edges *from = are_dependents ? &n->out : &n->in;
    struct giver giver = {.nodes = nodes, .edges = edges, .room = *count};
    for (int i = 0; i < from->count; i++)
        give(&giver, from->data[i].node, NULL, &from->data[i].data);
    return give_end(&giver, count);
}

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *dependencies, CUgraphEdgeData *edges, size_t *count)
{
    return give_neighbours(node, false, dependencies, edges, count);
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *dependents, CUgraphEdgeData *edges, size_t *count)
{
    return give_neighbours(node, true, dependents, edges, count);
}

/* Adds or removes edges after all of them are checked. */
static CUresult change_edges(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                             const CUgraphEdgeData *edges, size_t count, bool adds)
{
    ENTER(e, NEED_INIT);
    struct cuda_graph *g = cuda_graph_find(e.driver, graph);
    if (!g || (count && (!from || !to)))
        return CUDA_ERROR_INVALID_VALUE;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count; i++) {
            struct graph_node *a = cuda_graph_find_node(e.driver, from[i]), *b = cuda_graph_find_node(e.driver, to[i]);
            CUgraphEdgeData data = edges ? edges[i] : (CUgraphEdgeData){0};
            if (!a || !b || a == b || a->graph != g || b->graph != g || !edge_is_valid(&data))
                return CUDA_ERROR_INVALID_VALUE;
            if (!pass && cuda_graph_is_connected(a, b) == adds)
                return CUDA_ERROR_INVALID_VALUE;
            if (pass && adds)
                cuda_graph_connect(a, b, &data);
            else if (pass)
                disconnect(a, b);
        }
    return CUDA_SUCCESS;
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                const CUgraphEdgeData *edges, size_t count)
{
    return change_edges(graph, from, to, edges, count, true);
}

CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *edges, size_t count)
{
    return change_edges(graph, from, to, edges, count, false);
}

CUresult legacy_cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count)
{
    return cuGraphGetEdges(graph, from, to, NULL, count);
}

CUresult legacy_cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *dependencies, size_t *count)
{
    return cuGraphNodeGetDependencies(node, dependencies, NULL, count);
}

CUresult legacy_cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *dependents, size_t *count)
{
    return cuGraphNodeGetDependentNodes(node, dependents, NULL, count);
}

CUresult legacy_cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count)
{
    return cuGraphAddDependencies(graph, from, to, NULL, count);
}

CUresult legacy_cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count)
{
    return cuGraphRemoveDependencies(graph, from, to, NULL, count);
}
