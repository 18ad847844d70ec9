/*
 * Operations: what a stream or a node of a graph does. A kernel launch, a copy, a fill, a host function, an event's
 * record, and so on.
 *
 * An operation owns copies of everything that its parameters point to: a program may change or free what it passed as
 * soon as the call returns. Most operations of streams are done at once; others wait in a queue (queue.h), become nodes
 * of a graph that is being captured (capture.h), or are nodes that the program made by hand (graph.h).
 */
#ifndef HEDDLE_CUDA_OP_H
#define HEDDLE_CUDA_OP_H

#include "cuda/driver.h"

struct cuda_graph;
struct graph_memory;

/* A stream's callback: a type of operation that no node has, beside those of CUgraphNodeType. */
enum { OP_CALLBACK = 1000 };

struct operation {
    CUgraphNodeParams parameters; /* by type; pointers inside point to what the operation owns */
    uint8_t *block;               /* kernel: its parameters as the kernel reads them */
    size_t block_bytes;
    void **pointers; /* kernel: one per parameter, into the block; made when the program asks for it */
    CUlaunchAttribute *attributes;
    unsigned attribute_count;
    struct cuda_graph **children; /* graph: what the node runs; condition: what it runs by the condition's value */
    unsigned child_count;
    struct graph_memory *memory; /* allocation: the memory, which exists as long as the operation */
    CUstreamCallback callback;
    CUstream stream; /* callback: the stream that it is told */
    uint64_t turn;   /* event in a queue: which record of the event is meant (queue.h); 0: in a graph */
};

/* Fills an empty operation in after checking the parameters. `graph` is the one that a node is for; NULL: none. */
CUresult op_set(struct driver_entry *e, struct operation *op, const CUgraphNodeParams *parameters,
                const struct cuda_graph *graph);
/* A launch whose parameters launch_gather() collected. The operation takes the block over. */
void op_set_launch(struct operation *op, const CUlaunchConfig *config, CUfunction function, uint8_t *block,
                   size_t bytes);
/* `hidden`: no program will get handles of what is inside. */
void op_copy(struct driver *d, struct operation *to, const struct operation *from, bool hidden);
void op_clear(struct driver *d, struct operation *op);
/* The parameters in the form that a program gets, with pointers into the operation. */
CUresult op_get(struct driver *d, struct operation *op, CUgraphNodeParams *parameters);
CUlaunchAttribute *op_find_attribute(const struct operation *op, CUlaunchAttributeID id);
void op_set_attribute(struct operation *op, const CUlaunchAttribute *attribute);

/* Checks addresses of an operation that is not done at once. */
CUresult op_check(struct driver *d, const struct operation *op);
/* Does the operation now. An operation for which op_needs_worker() holds is done by the worker of queue.c alone, and
 * gives the driver's lock to others meanwhile. */
CUresult op_run(struct driver_entry *e, struct operation *op);
/* Whether the operation calls a function of the program, or may have to wait for the host. */
bool op_needs_worker(struct driver *d, const struct operation *op);
/* Whether what the operation waits for has happened. */
bool op_is_ready(struct driver *d, const struct operation *op);

/* memop.c: stream memory operations. */
CUresult memop_check(struct driver *d, unsigned count, const CUstreamBatchMemOpParams *operations, unsigned flags);
bool memop_is_wait(const CUstreamBatchMemOpParams *operation);
/* Whether the value that a wait wants is there; true for what is no wait. */
bool memop_is_ready(struct driver *d, const CUstreamBatchMemOpParams *operation);
CUresult memop_run(struct driver *d, const CUstreamBatchMemOpParams *operation);
/* Says what the wait waits for, for a message. */
void memop_describe(const CUstreamBatchMemOpParams *operation, char *text, size_t size);

#endif
