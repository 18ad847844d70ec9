/*
 * Memory pools: what stream-ordered allocation takes from. There are pools of device memory, of host memory and of
 * managed memory, and a default pool of each kind.
 *
 * A pool counts what its live allocations take (used) and what it has taken from the system (reserved). Freed memory
 * stays reserved up to the release threshold, as on a device, but only in these figures: the bytes go back to the host
 * at once, so that an access to freed memory is found. A device returns memory beyond the threshold at the next
 * synchronisation; here every call has synchronised when it returns. Sharing pools with other processes is refused.
 */
#include "cuda/alloc.h"
#include "cuda/capture.h"

#include "base/arena.h"

#include <string.h>

struct pool {
    struct object object;
    CUmemPoolProps properties;
    enum allocation_kind kind;
    bool is_default;
    uint64_t threshold; /* bytes that stay reserved when they are freed */
    int reuse[3];       /* the reuse attributes, which change nothing: memory is free as soon as it is freed */
    uint64_t used, used_high, reserved, reserved_high;
};

/* The kind of memory that a pool of this location and type has; false: there are no such pools. */
static bool find_kind(const CUmemLocation *location, CUmemAllocationType type, enum allocation_kind *kind)
{
    bool is_host = location->type == CU_MEM_LOCATION_TYPE_HOST || location->type == CU_MEM_LOCATION_TYPE_HOST_NUMA ||
                   location->type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
    bool is_device = location->type == CU_MEM_LOCATION_TYPE_DEVICE && device_is_valid(location->id);
    *kind = type == CU_MEM_ALLOCATION_TYPE_MANAGED ? ALLOCATION_MANAGED : is_host ? ALLOCATION_HOST : ALLOCATION_DEVICE;
    if (type == CU_MEM_ALLOCATION_TYPE_MANAGED)
        return is_host || is_device || location->type == CU_MEM_LOCATION_TYPE_NONE;
    return type == CU_MEM_ALLOCATION_TYPE_PINNED && (is_host || is_device);
}

static struct pool *create_pool(struct driver *d, enum allocation_kind kind, const CUmemPoolProps *properties)
{
    struct pool *p = xcalloc(1, sizeof *p);
    p->properties = *properties;
    p->kind = kind;
    for (int i = 0; i < 3; i++)
        p->reuse[i] = 1;
    object_add(d, &p->object, OBJECT_POOL, handle_of(p), NULL);
    return p;
}

static struct pool *default_pool(struct driver *d, enum allocation_kind kind)
{
    if (!d->default_pool[kind]) {
        CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                     .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
        if (kind == ALLOCATION_HOST)
            properties.location.type = CU_MEM_LOCATION_TYPE_HOST;
        if (kind == ALLOCATION_MANAGED)
            properties.allocType = CU_MEM_ALLOCATION_TYPE_MANAGED;
        d->default_pool[kind] = create_pool(d, kind, &properties);
        d->default_pool[kind]->is_default = true;
    }
    return d->default_pool[kind];
}

static struct pool *current_pool(struct driver *d, enum allocation_kind kind)
{
    return d->current_pool[kind] ? d->current_pool[kind] : default_pool(d, kind);
}

static struct pool *find_pool(struct driver *d, CUmemoryPool pool)
{
    return object_find(d, OBJECT_POOL, handle_of(pool));
}

/* What is still allocated goes on without its pool. */
void pool_finish(struct driver *d, struct object *object)
{
    struct pool *p = (struct pool *)object;
    for (struct object *o = d->objects; o; o = o->hh.next)
        if (o->kind == OBJECT_ALLOCATION && ((struct cuda_allocation *)o)->pool == p) {
            ((struct cuda_allocation *)o)->pool = NULL;
            ((struct cuda_allocation *)o)->had_pool = true;
        }
    if (d->current_pool[p->kind] == p)
        d->current_pool[p->kind] = NULL;
    if (d->default_pool[p->kind] == p)
        d->default_pool[p->kind] = NULL;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void pool_release(struct pool *p, uint64_t bytes)
{
    p->used -= bytes;
    if (p->reserved > p->threshold)
        p->reserved = larger(p->used, p->threshold);
}

CUresult pool_allocate(struct driver_entry *e, struct pool *p, size_t bytes, const char *call, CUdeviceptr *address)
{
    if (!p)
        p = current_pool(e->driver, ALLOCATION_DEVICE);
    if (!address || !bytes)
        return CUDA_ERROR_INVALID_VALUE;
    if (p->properties.maxSize && bytes > p->properties.maxSize - p->used)
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct cuda_allocation *b;
    CUresult result = allocation_create(e, p->kind, bytes, call, &b);
    if (result)
        return result;
    b->pool = p;
    p->used += bytes;
    p->used_high = larger(p->used_high, p->used);
    p->reserved = larger(p->reserved, p->used);
    p->reserved_high = larger(p->reserved_high, p->reserved);
    *address = b->object.handle;
    return CUDA_SUCCESS;
}

/* In a capture the memory is that of the graph. A busy stream need not be waited for: the memory is new. */
CUresult pool_allocate_in_stream(struct driver_entry *e, struct pool *p, size_t bytes, CUstream stream,
                                 const char *call, CUdeviceptr *address)
{
    struct stream *s = stream_find(e, stream);
    if (!s)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!address || !bytes)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = capture_check_stream(e, s);
    if (result)
        return result;
    return s->capture ? capture_alloc(e, s, bytes, address) : pool_allocate(e, p, bytes, call, address);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream stream)
{
    ENTER(e, NEED_CONTEXT);
    struct pool *p = find_pool(e.driver, pool);
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    return pool_allocate_in_stream(&e, p, bytes, stream, "cuMemAllocFromPoolAsync", address);
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties)
{
    ENTER(e, NEED_INIT);
    enum allocation_kind kind;
    if (!pool || !properties || !find_kind(&properties->location, properties->allocType, &kind))
        return CUDA_ERROR_INVALID_VALUE;
    if (properties->handleTypes)
        return driver_refuse(e.driver, "cuMemPoolCreate", "pools that processes share");
    if (properties->usage)
        return driver_refuse(e.driver, "cuMemPoolCreate", "pools for hardware decompression");
    *pool = (CUmemoryPool)create_pool(e.driver, kind, properties);
    return CUDA_SUCCESS;
}

CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
    ENTER(e, NEED_INIT);
    struct pool *p = find_pool(e.driver, pool);
    if (!p || p->is_default)
        return CUDA_ERROR_INVALID_VALUE;
    object_destroy(e.driver, &p->object);
    return CUDA_SUCCESS;
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes_to_keep)
{
    ENTER(e, NEED_INIT);
    struct pool *p = find_pool(e.driver, pool);
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    if (p->reserved > bytes_to_keep)
        p->reserved = larger(p->used, bytes_to_keep);
    return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    ENTER(e, NEED_INIT);
    const struct pool *p = find_pool(e.driver, pool);
    if (!p || !value)
        return CUDA_ERROR_INVALID_VALUE;
    switch ((int)attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        *(int *)value = p->reuse[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES];
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        *(cuuint64_t *)value = p->threshold;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
        *(cuuint64_t *)value = p->reserved;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
        *(cuuint64_t *)value = p->reserved_high;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
        *(cuuint64_t *)value = p->used;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        *(cuuint64_t *)value = p->used_high;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* As on a device, a high-water mark can only be set to 0, which makes it the current figure. */
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    ENTER(e, NEED_INIT);
    struct pool *p = find_pool(e.driver, pool);
    if (!p || !value)
        return CUDA_ERROR_INVALID_VALUE;
    switch ((int)attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        p->reuse[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES] = *(int *)value != 0;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        p->threshold = *(cuuint64_t *)value;
        if (p->reserved > p->threshold)
            p->reserved = larger(p->used, p->threshold);
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
        if (*(cuuint64_t *)value)
            return CUDA_ERROR_INVALID_VALUE;
        p->reserved_high = p->reserved;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        if (*(cuuint64_t *)value)
            return CUDA_ERROR_INVALID_VALUE;
        p->used_high = p->used;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* The one device reaches every pool, and the host reaches pools of host and managed memory. Neither can be changed. */
static CUmemAccess_flags access_of(const struct pool *p, const CUmemLocation *location)
{
    if (location->type == CU_MEM_LOCATION_TYPE_DEVICE || p->kind != ALLOCATION_DEVICE)
        return CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return CU_MEM_ACCESS_FLAGS_PROT_NONE;
}

static bool location_is_valid(const CUmemLocation *location)
{
    if (location->type == CU_MEM_LOCATION_TYPE_DEVICE)
        return device_is_valid(location->id);
    return location->type == CU_MEM_LOCATION_TYPE_HOST || location->type == CU_MEM_LOCATION_TYPE_HOST_NUMA ||
           location->type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *access, size_t count)
{
    ENTER(e, NEED_INIT);
    const struct pool *p = find_pool(e.driver, pool);
    if (!p || (count && !access))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        if (!location_is_valid(&access[i].location))
            return access[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE ? CUDA_ERROR_INVALID_DEVICE
                                                                          : CUDA_ERROR_INVALID_VALUE;
        if (access[i].flags != access_of(p, &access[i].location))
            return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location)
{
    ENTER(e, NEED_INIT);
    const struct pool *p = find_pool(e.driver, pool);
    if (!p || !flags || !location || !location_is_valid(location))
        return CUDA_ERROR_INVALID_VALUE;
    *flags = access_of(p, location);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
    ENTER(e, NEED_INIT);
    if (!pool)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_is_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    *pool = (CUmemoryPool)default_pool(e.driver, ALLOCATION_DEVICE);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device)
{
    ENTER(e, NEED_INIT);
    if (!pool)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_is_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    *pool = (CUmemoryPool)current_pool(e.driver, ALLOCATION_DEVICE);
    return CUDA_SUCCESS;
}

static CUresult set_current(struct driver *d, enum allocation_kind kind, CUmemoryPool pool)
{
    struct pool *p = find_pool(d, pool);
    if (!p || p->kind != kind)
        return CUDA_ERROR_INVALID_VALUE;
    d->current_pool[kind] = p;
    return CUDA_SUCCESS;
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool)
{
    ENTER(e, NEED_INIT);
    if (!device_is_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    return set_current(e.driver, ALLOCATION_DEVICE, pool);
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type)
{
    ENTER(e, NEED_INIT);
    enum allocation_kind kind;
    if (!pool || !location || !find_kind(location, type, &kind))
        return CUDA_ERROR_INVALID_VALUE;
    *pool = (CUmemoryPool)default_pool(e.driver, kind);
    return CUDA_SUCCESS;
}

CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type)
{
    ENTER(e, NEED_INIT);
    enum allocation_kind kind;
    if (!pool || !location || !find_kind(location, type, &kind))
        return CUDA_ERROR_INVALID_VALUE;
    *pool = (CUmemoryPool)current_pool(e.driver, kind);
    return CUDA_SUCCESS;
}

CUresult cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool)
{
    ENTER(e, NEED_INIT);
    enum allocation_kind kind;
    if (!location || !find_kind(location, type, &kind))
        return CUDA_ERROR_INVALID_VALUE;
    return set_current(e.driver, kind, pool);
}
