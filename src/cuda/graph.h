/*
 * Graphs: nodes that do operations, and edges that order them.
 *
 * A graph that can be launched (CUgraphExec) holds a copy of the graph that it was made from, so that later changes of
 * either do not reach the other. Copies remember from which nodes theirs come. A launch does the nodes one after the
 * other: each after those it depends on, otherwise in the order in which the program made them.
 */
#ifndef HEDDLE_CUDA_GRAPH_H
#define HEDDLE_CUDA_GRAPH_H

#include "cuda/op.h"

#include "base/vec.h"

struct graph_node;

struct graph_edge {
    struct graph_node *node; /* the other end */
    CUgraphEdgeData data;
};

struct graph_edges vec_of(struct graph_edge);
struct graph_nodes vec_of(struct graph_node *);

struct graph_node {
    struct object object; /* in the registry unless the graph is hidden */
    struct cuda_graph *graph;
    struct operation op;
    uint64_t origin;             /* id of the node that this one is a copy of; 0: none */
    bool is_disabled;            /* in an executable graph: a launch skips the node */
    struct graph_edges in, out;  /* those that the node depends on; that depend on it */
    int mark;                    /* for walks over the graph; any value before */
    UT_hash_handle hh_by_origin; /* in struct graph_exec */
};

struct capture;
struct user_object;

struct user_reference {
    struct user_object *object;
    uint64_t count;
};

struct cuda_graph {
    struct object object;
    uint64_t origin;               /* id of the graph that this one is a copy of; 0: none */
    bool is_hidden;                /* inside an executable graph or an operation: no program has its handle */
    uint64_t exec_handle, exec_id; /* the last executable graph made of it: a graph that allocates has one at a time */
    struct graph_nodes nodes;      /* in the order in which they were made */
    struct vec_of(struct user_reference) users;
    struct vec_of(struct graph_memory *) conditions; /* whose handles were made for this graph */
    struct capture *capture;                         /* that adds to the graph now; NULL: none */
};

struct graph_exec {
    struct object object;
    struct cuda_graph *graph; /* the copy */
    uint64_t flags;
    struct graph_nodes order;     /* in which a launch does the nodes */
    struct graph_node *by_origin; /* all nodes, with those of child graphs, by the node they are copies of */
};

/* graph.c */
struct cuda_graph *cuda_graph_find(struct driver *d, CUgraph graph);
struct graph_node *cuda_graph_find_node(struct driver *d, CUgraphNode node);
struct cuda_graph *cuda_graph_create(struct driver *d, struct context *context, bool is_hidden);
void cuda_graph_destroy(struct driver *d, struct cuda_graph *g);
struct cuda_graph *cuda_graph_copy(struct driver *d, const struct cuda_graph *g, bool is_hidden);
/* Adds a node that does an operation, and takes over what the operation owns. */
struct graph_node *cuda_graph_add(struct driver *d, struct cuda_graph *g, struct operation *op);
/* Finds the nodes that a new node of the graph shall depend on. */
CUresult cuda_graph_find_dependencies(struct driver *d, const struct cuda_graph *g, const CUgraphNode *dependencies,
                                      const CUgraphEdgeData *edges, size_t count, struct graph_edges *found);
void cuda_graph_connect(struct graph_node *from, struct graph_node *to, const CUgraphEdgeData *data);
bool cuda_graph_is_connected(const struct graph_node *from, const struct graph_node *to);
/* Whether a node of the graph, or of a child graph, has the type. */
bool cuda_graph_has_type(const struct cuda_graph *g, CUgraphNodeType type);

/* graph_exec.c: an order of all nodes; false, with a node of a cycle: there is none. */
bool cuda_graph_sort(const struct cuda_graph *g, struct graph_nodes *order, struct graph_node **cycle);
CUresult cuda_graph_run(struct driver_entry *e, const struct cuda_graph *g);
/* Enters the nodes of a graph, and of child graphs, into the table by origin. */
void graph_exec_index(struct graph_exec *x, const struct cuda_graph *g);

/* graph_memory.c: memory of allocation nodes. Its address is fixed when the node is made; launches allocate and free
 * it. */
struct graph_memory {
    uint64_t address, bytes;
    int references; /* operations that allocate it */
    bool is_live;   /* allocated, and not yet freed */
    /* Of a condition (graph_condition.c), which is memory that no launch allocates: */
    bool is_condition, is_used, assigns_initial;
    uint32_t initial;
};
CUresult graph_memory_create(struct driver_entry *e, const CUDA_MEM_ALLOC_NODE_PARAMS_v2 *parameters,
                             struct graph_memory **memory);
void graph_memory_release(struct driver *d, struct graph_memory *m);
CUresult graph_memory_allocate(struct driver *d, struct graph_memory *m);
void graph_memory_free(struct driver *d, struct graph_memory *m);
/* The allocation ends with its context. */
void graph_memory_forget(struct driver *d, struct graph_memory *m);

/* graph_condition.c: the values that decide what conditional nodes do. A value is a word of device memory, and its
 * handle the word's address. */
CUresult graph_condition_use(struct driver *d, CUgraphConditionalHandle handle);
uint32_t graph_condition_value(struct driver *d, CUgraphConditionalHandle handle);
void graph_conditions_assign(struct driver *d, const struct cuda_graph *g);
bool graph_conditions_are_used(const struct cuda_graph *g);
void graph_conditions_copy(struct driver *d, struct cuda_graph *to, const struct cuda_graph *from);
void graph_conditions_release(struct driver *d, struct cuda_graph *g);
/* Gives a module the body of the function by which kernels set a condition, if one of its kernels calls it; NULL, with
 * the error: the function cannot be linked. The module is given away. */
struct ptx_module;
struct ptx_module *graph_condition_link(struct ptx_module *ptx, struct text *errors);

/* user_object.c */
void user_references_copy(struct driver *d, struct cuda_graph *to, const struct cuda_graph *from);
void user_references_release(struct driver *d, struct cuda_graph *g);

#endif
