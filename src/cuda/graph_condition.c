/*
 * Conditions: the values that decide which bodies of conditional nodes run, and how often.
 *
 * A condition is a word of device memory, and its handle is the word's address. Kernels set it by calling
 * cudaGraphSetConditional(), a function that device code only declares; heddle gives it a body, which stores the value.
 * An executable graph and the graph it was made from share the word, since kernels have the handle as an argument.
 */
#include "cuda/alloc.h"
#include "cuda/graph.h"
#include "ptx/load.h"

#include <string.h>

static struct graph_memory *find(struct driver *d, CUgraphConditionalHandle handle)
{
    const struct cuda_allocation *b = object_find(d, OBJECT_ALLOCATION, handle);
    return b && b->memory && b->memory->is_condition ? b->memory : NULL;
}

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *handle, CUgraph graph, CUcontext context,
                                        unsigned int value, unsigned int flags)
{
    ENTER(e, NEED_CONTEXT);
    struct cuda_graph *g = cuda_graph_find(e.driver, graph);
    if (!handle || !g || flags & ~(unsigned)CU_GRAPH_COND_ASSIGN_DEFAULT ||
        (context && !object_find(e.driver, OBJECT_CONTEXT, handle_of(context))))
        return CUDA_ERROR_INVALID_VALUE;
    struct cuda_allocation *b;
    CUresult result = allocation_create(&e, ALLOCATION_DEVICE, sizeof(uint32_t), "a graph's condition", &b);
    if (result)
        return result;
    b->memory = xcalloc(1, sizeof *b->memory);
    *b->memory = (struct graph_memory){.address = b->object.handle,
                                       .bytes = b->bytes,
                                       .references = 1,
                                       .is_condition = true,
                                       .initial = value,
                                       .assigns_initial = flags & CU_GRAPH_COND_ASSIGN_DEFAULT};
    vec_push(&g->conditions, b->memory);
    *handle = b->object.handle;
    return CUDA_SUCCESS;
}

/* A condition decides one node. */
CUresult graph_condition_use(struct driver *d, CUgraphConditionalHandle handle)
{
    struct graph_memory *m = find(d, handle);
    if (!m || m->is_used)
        return CUDA_ERROR_INVALID_VALUE;
    m->is_used = true;
    return CUDA_SUCCESS;
}

static uint32_t *word_of(struct driver *d, uint64_t address)
{
    return memory_host(d->memory, address, sizeof(uint32_t));
}

uint32_t graph_condition_value(struct driver *d, CUgraphConditionalHandle handle)
{
    const uint32_t *word = find(d, handle) ? word_of(d, handle) : NULL;
    return word ? *word : 0;
}

void graph_conditions_assign(struct driver *d, const struct cuda_graph *g)
{
    for (int i = 0; i < g->conditions.count; i++) {
        const struct graph_memory *m = g->conditions.data[i];
        uint32_t *word = m->assigns_initial && find(d, m->address) == m ? word_of(d, m->address) : NULL;
        if (word)
            *word = m->initial;
    }
}

bool graph_conditions_are_used(const struct cuda_graph *g)
{
    for (int i = 0; i < g->conditions.count; i++)
        if (!g->conditions.data[i]->is_used)
            return false;
    return true;
}

void graph_conditions_copy(struct driver *d, struct cuda_graph *to, const struct cuda_graph *from)
{
    (void)d;
    for (int i = 0; i < from->conditions.count; i++) {
        from->conditions.data[i]->references++;
        vec_push(&to->conditions, from->conditions.data[i]);
    }
}

void graph_conditions_release(struct driver *d, struct cuda_graph *g)
{
    while (g->conditions.count)
        graph_memory_release(d, g->conditions.data[--g->conditions.count]);
    vec_free(&g->conditions);
}

struct ptx_module *graph_condition_link(struct ptx_module *ptx, struct text *errors)
{
    static const char name[] = "cudaGraphSetConditional";
    static const char body[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                               ".visible .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value)\n"
                               "{ .reg .b32 %r; .reg .b64 %d;\n"
                               "  ld.param.u64 %d, [handle]; ld.param.u32 %r, [value];\n"
                               "  st.global.u32 [%d], %r; ret; }\n";
    const struct ptx_function *f = ptx_find_function(ptx, name);
    if (!f || f->is_defined)
        return ptx;
    struct ptx_failure failure = {0};
    struct ptx_module *parts[] = {ptx, ptx_load_image(name, body, 90, &failure)};
    text_free(&failure.text);
    return parts[1] ? ptx_link(parts, 2, LINK_TOGETHER, errors) : ptx;
}
