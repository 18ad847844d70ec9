/* cuGraphDebugDotPrint: a graph as a picture in Graphviz's language, with child graphs as clusters. */
#include "cuda/graph.h"

#include <stdio.h>

static const char *type_name(CUgraphNodeType type)
{
    static const char *const names[] = {
        [CU_GRAPH_NODE_TYPE_KERNEL] = "kernel",
        [CU_GRAPH_NODE_TYPE_MEMCPY] = "memcpy",
        [CU_GRAPH_NODE_TYPE_MEMSET] = "memset",
        [CU_GRAPH_NODE_TYPE_HOST] = "host",
        [CU_GRAPH_NODE_TYPE_GRAPH] = "graph",
        [CU_GRAPH_NODE_TYPE_EMPTY] = "empty",
        [CU_GRAPH_NODE_TYPE_WAIT_EVENT] = "event wait",
        [CU_GRAPH_NODE_TYPE_EVENT_RECORD] = "event record",
        [CU_GRAPH_NODE_TYPE_MEM_ALLOC] = "allocate",
        [CU_GRAPH_NODE_TYPE_MEM_FREE] = "free",
        [CU_GRAPH_NODE_TYPE_BATCH_MEM_OP] = "memory operations",
        [CU_GRAPH_NODE_TYPE_CONDITIONAL] = "condition",
    };
    return (unsigned)type < sizeof names / sizeof names[0] && names[type] ? names[type] : "node";
}

/* Details of a node that the flags ask for. */
static void print_details(struct driver *d, FILE *out, const struct operation *op, unsigned flags)
{
    bool is_verbose = flags & CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE;
    const CUgraphNodeParams *p = &op->parameters;
    const struct function *f;
    switch ((int)p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        f = object_find(d, OBJECT_FUNCTION, handle_of(p->kernel.func));
        fprintf(out, "\\n%s", f ? f->kernel->name : "?");
        if (is_verbose || flags & CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS)
            fprintf(out, "\\ngrid %u,%u,%u block %u,%u,%u shared %u", p->kernel.gridDimX, p->kernel.gridDimY,
                    p->kernel.gridDimZ, p->kernel.blockDimX, p->kernel.blockDimY, p->kernel.blockDimZ,
                    p->kernel.sharedMemBytes);
        break;
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        if (is_verbose || flags & CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS)
            fprintf(out, "\\n%zu x %zu x %zu bytes", p->memcpy.copyParams.WidthInBytes, p->memcpy.copyParams.Height,
                    p->memcpy.copyParams.Depth);
        break;
    case CU_GRAPH_NODE_TYPE_MEMSET:
        if (is_verbose || flags & CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS)
            fprintf(out, "\\n0x%llx = 0x%x, %zu x %zu of %u bytes", p->memset.dst, p->memset.value, p->memset.width,
                    p->memset.height, p->memset.elementSize);
        break;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        if (is_verbose || flags & CU_GRAPH_DEBUG_DOT_FLAGS_MEM_ALLOC_NODE_PARAMS)
            fprintf(out, "\\n0x%llx, %zu bytes", p->alloc.dptr, p->alloc.bytesize);
        break;
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        if (is_verbose || flags & CU_GRAPH_DEBUG_DOT_FLAGS_MEM_FREE_NODE_PARAMS)
            fprintf(out, "\\n0x%llx", p->free.dptr);
        break;
    default:
        break;
    }
}

static void print_graph(struct driver *d, FILE *out, const struct cuda_graph *g, unsigned flags)
{
    fprintf(out, "subgraph cluster_%llu {\nlabel=\"graph_%llu\";\n", (unsigned long long)g->object.id,
            (unsigned long long)g->object.id);
    for (int i = 0; i < g->nodes.count; i++) {
        const struct graph_node *n = g->nodes.data[i];
        fprintf(out, "node_%llu [shape=box, label=\"%d\\n%s", (unsigned long long)n->object.id, i,
                type_name(n->op.parameters.type));
        print_details(d, out, &n->op, flags);
        if (flags & CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES)
            fprintf(out, "\\n%p", (const void *)n);
        fputs("\"];\n", out);
        for (int k = 0; k < n->out.count; k++)
            fprintf(out, "node_%llu -> node_%llu;\n", (unsigned long long)n->object.id,
                    (unsigned long long)n->out.data[k].node->object.id);
    }
    fputs("}\n", out);
    for (int i = 0; i < g->nodes.count; i++)
        for (unsigned k = 0; k < g->nodes.data[i]->op.child_count; k++)
            print_graph(d, out, g->nodes.data[i]->op.children[k], flags);
}

CUresult cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned int flags)
{
    ENTER(e, NEED_INIT);
    const struct cuda_graph *g = cuda_graph_find(e.driver, graph);
    if (!g || !path)
        return CUDA_ERROR_INVALID_VALUE;
    FILE *out = fopen(path, "w");
    if (!out)
        return CUDA_ERROR_OPERATING_SYSTEM;
    fputs("digraph dot {\n", out);
    print_graph(e.driver, out, g, flags);
    fputs("}\n", out);
    bool is_written = !ferror(out);
    return !fclose(out) && is_written ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}
