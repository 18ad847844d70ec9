/*
 * Memory of graphs. The address that an allocation node stands for is fixed when the node is made, because later nodes
 * take it as an argument; the memory stays reserved until the graph and its executable copy are gone and the memory is
 * freed. A launch marks the memory as allocated, and a free node or a call that frees the address marks it as free.
 */
#include "cuda/alloc.h"
#include "cuda/graph.h"

#include "base/arena.h"

#include <stdlib.h>

static void count_used(struct driver *d)
{
    struct stream_board *s = &d->streams;
    if (s->graph_bytes_used > s->graph_bytes_used_high)
        s->graph_bytes_used_high = s->graph_bytes_used;
    if (s->graph_bytes_reserved > s->graph_bytes_reserved_high)
        s->graph_bytes_reserved_high = s->graph_bytes_reserved;
}

CUresult graph_memory_create(struct driver_entry *e, const CUDA_MEM_ALLOC_NODE_PARAMS_v2 *parameters,
                             struct graph_memory **memory)
{
    const CUmemPoolProps *pool = &parameters->poolProps;
    if (!parameters->bytesize || pool->allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
        pool->location.type != CU_MEM_LOCATION_TYPE_DEVICE || !device_is_valid(pool->location.id) ||
        (parameters->accessDescCount && !parameters->accessDescs))
        return CUDA_ERROR_INVALID_VALUE;
    struct cuda_allocation *b;
    CUresult result = allocation_create(e, ALLOCATION_DEVICE, parameters->bytesize, "memory allocation node", &b);
    if (result)
        return result;
    struct graph_memory *m = xcalloc(1, sizeof *m);
    *m = (struct graph_memory){.address = b->object.handle, .bytes = parameters->bytesize, .references = 1};
    b->memory = m;
    e->driver->streams.graph_bytes_reserved += m->bytes;
    count_used(e->driver);
    *memory = m;
    return CUDA_SUCCESS;
}

static void destroy_unused(struct driver *d, struct graph_memory *m)
{
    if (m->references || m->is_live)
        return;
    struct cuda_allocation *b = object_find(d, OBJECT_ALLOCATION, m->address);
    if (!m->is_condition)
        d->streams.graph_bytes_reserved -= m->bytes;
    if (b && b->memory == m) {
        b->memory = NULL;
        object_destroy(d, &b->object);
    }
    free(m);
}

void graph_memory_release(struct driver *d, struct graph_memory *m)
{
    m->references--;
    destroy_unused(d, m);
}

CUresult graph_memory_allocate(struct driver *d, struct graph_memory *m)
{
    const struct cuda_allocation *b = object_find(d, OBJECT_ALLOCATION, m->address);
    if (m->is_live || !b || b->memory != m)
        return CUDA_ERROR_INVALID_VALUE;
    m->is_live = true;
    d->streams.graph_bytes_used += m->bytes;
    count_used(d);
    return CUDA_SUCCESS;
}

void graph_memory_free(struct driver *d, struct graph_memory *m)
{
    if (!m->is_live)
        return;
    m->is_live = false;
    d->streams.graph_bytes_used -= m->bytes;
    destroy_unused(d, m);
}

void graph_memory_forget(struct driver *d, struct graph_memory *m)
{
    if (m->is_live)
        d->streams.graph_bytes_used -= m->bytes;
    m->is_live = false;
    destroy_unused(d, m);
}

/* Nothing is kept beyond the graphs that need it. */
CUresult cuDeviceGraphMemTrim(CUdevice device)
{
    ENTER(e, NEED_INIT);
    return device_is_valid(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void *value)
{
    ENTER(e, NEED_INIT);
    if (!device_is_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    const struct stream_board *s = &e.driver->streams;
    const uint64_t values[] = {s->graph_bytes_used, s->graph_bytes_used_high, s->graph_bytes_reserved,
                               s->graph_bytes_reserved_high};
    if (!value || (unsigned)attribute >= sizeof values / sizeof values[0])
        return CUDA_ERROR_INVALID_VALUE;
    *(cuuint64_t *)value = values[attribute];
    return CUDA_SUCCESS;
}

/* The high-water marks may be set back, and nothing else. */
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void *value)
{
    ENTER(e, NEED_INIT);
    if (!device_is_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if (!value || *(const cuuint64_t *)value)
        return CUDA_ERROR_INVALID_VALUE;
    struct stream_board *s = &e.driver->streams;
    if (attribute == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH)
        s->graph_bytes_used_high = s->graph_bytes_used;
    else if (attribute == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)
        s->graph_bytes_reserved_high = s->graph_bytes_reserved;
    else
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}
