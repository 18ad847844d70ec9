/*
 * Allocation: device memory, host memory that kernels can reach, managed memory, and what a pointer points to.
 *
 * Kernels reach host and managed memory at the address that the host uses. Advice and prefetching are checked and
 * otherwise ignored, because there is only one memory.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "cuda/alloc.h"
#include "cuda/capture.h"
#include "cuda/graph.h"
#include "cuda/queue.h"

#include "base/arena.h"
#include "base/bits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HOST_ALIGN = 4096, PITCH_ALIGN = 512, SYSTEM_BYTES = 1 << 20 };

/* Whole pages of zeros. Pages of the system take memory only once they are touched. Many small pieces come from the C
 * library, mostly at ascending addresses, since device memory is a sorted list (device/memory.h), to which an address
 * below all others is dear to add. */
static void *take_host(uint64_t bytes)
{
    size_t rounded = (size_t)bits_align_up(bytes, HOST_ALIGN);
    if (bytes < SYSTEM_BYTES) {
        void *host = aligned_alloc(HOST_ALIGN, rounded);
        return host ? memset(host, 0, rounded) : NULL;
    }
    void *host = mmap(NULL, rounded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return host == MAP_FAILED ? NULL : host;
}

static void free_host(void *host, uint64_t bytes)
{
    if (bytes < SYSTEM_BYTES)
        free(host);
    else
        munmap(host, (size_t)bits_align_up(bytes, HOST_ALIGN));
}

void allocation_finish(struct driver *d, struct object *object)
{
    struct cuda_allocation *b = (struct cuda_allocation *)object;
    if (b->memory)
        graph_memory_forget(d, b->memory);
    memory_free(d->memory, object->handle);
    if (b->host)
        free_host(b->host, b->bytes);
    if (b->allocation_kind == ALLOCATION_MANAGED)
        advice_forget(d, object->handle, b->bytes);
    if (b->pool)
        pool_release(b->pool, b->bytes);
}

static void add_allocation(struct driver_entry *e, enum allocation_kind kind, uint64_t address, uint64_t bytes,
                           unsigned flags, void *host)
{
    struct cuda_allocation *b = xcalloc(1, sizeof *b);
    b->allocation_kind = kind;
    b->bytes = bytes;
    b->flags = flags;
    b->host = host;
    object_add(e->driver, &b->object, OBJECT_ALLOCATION, address, e->context);
}

struct cuda_allocation *allocation_find(struct driver *d, uint64_t address)
{
    const struct allocation *a = memory_find(d->memory, address);
    return a ? object_find(d, OBJECT_ALLOCATION, a->address) : NULL;
}

static CUresult allocate_device(struct driver_entry *e, uint64_t bytes, const char *call, uint64_t *address)
{
    char label[80];
    snprintf(label, sizeof label, "%s's memory", call);
    *address = memory_alloc(e->driver->memory, bytes, label);
    if (!*address)
        return CUDA_ERROR_OUT_OF_MEMORY;
    add_allocation(e, ALLOCATION_DEVICE, *address, bytes, 0, NULL);
    return CUDA_SUCCESS;
}

static CUresult allocate_host(struct driver_entry *e, enum allocation_kind kind, uint64_t bytes, unsigned flags,
                              const char *call, void **memory)
{
    if (bytes > SIZE_MAX - HOST_ALIGN)
        return CUDA_ERROR_OUT_OF_MEMORY;
    void *host = take_host(bytes);
    if (!host)
        return CUDA_ERROR_OUT_OF_MEMORY;
    char label[80];
    snprintf(label, sizeof label, "%s's memory", call);
    if (!memory_map(e->driver->memory, host, bytes, label)) {
        free_host(host, bytes);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    add_allocation(e, kind, handle_of(host), bytes, flags, host);
    *memory = host;
    return CUDA_SUCCESS;
}

CUresult allocation_create(struct driver_entry *e, enum allocation_kind kind, uint64_t bytes, const char *call,
                           struct cuda_allocation **allocation)
{
    uint64_t address;
    void *memory;
    CUresult result = kind == ALLOCATION_DEVICE ? allocate_device(e, bytes, call, &address)
                                                : allocate_host(e, kind, bytes, 0, call, &memory);
    if (!result)
        *allocation =
            object_find(e->driver, OBJECT_ALLOCATION, kind == ALLOCATION_DEVICE ? address : handle_of(memory));
    return result;
}

CUresult cuMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    ENTER(e, NEED_CONTEXT);
    const struct memory *m = e.driver->memory;
    if (free_bytes)
        *free_bytes = m->limit_bytes - m->used_bytes;
    if (total_bytes)
        *total_bytes = m->limit_bytes;
    return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes)
{
    ENTER(e, NEED_UNSAFE);
    if (!address || !bytes)
        return CUDA_ERROR_INVALID_VALUE;
    uint64_t at;
    CUresult result = allocate_device(&e, bytes, "cuMemAlloc", &at);
    if (!result)
        *address = at;
    return result;
}

CUresult cuMemAllocPitch(CUdeviceptr *address, size_t *pitch, size_t width_bytes, size_t height,
                         unsigned int element_bytes)
{
    ENTER(e, NEED_UNSAFE);
    if (!address || !pitch || !width_bytes || !height)
        return CUDA_ERROR_INVALID_VALUE;
    if (element_bytes != 4 && element_bytes != 8 && element_bytes != 16)
        return CUDA_ERROR_INVALID_VALUE;
    uint64_t row = bits_align_up(width_bytes, PITCH_ALIGN), bytes, at;
    if (row < width_bytes || __builtin_mul_overflow(row, (uint64_t)height, &bytes))
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = allocate_device(&e, bytes, "cuMemAllocPitch", &at);
    if (result)
        return result;
    *address = at;
    *pitch = row;
    return CUDA_SUCCESS;
}

/* Memory of a graph stays with the graph, which may allocate it again. */
static CUresult free_allocation(struct driver_entry *e, uint64_t address, bool on_device)
{
    struct cuda_allocation *b = object_find(e->driver, OBJECT_ALLOCATION, address);
    bool is_device = b && (b->allocation_kind == ALLOCATION_DEVICE || b->allocation_kind == ALLOCATION_MANAGED ||
                           b->pool || b->had_pool);
    if (!b || is_device != on_device || b->allocation_kind == ALLOCATION_REGISTERED)
        return CUDA_ERROR_INVALID_VALUE;
    if (b->memory && !b->memory->is_live)
        return CUDA_ERROR_INVALID_VALUE;
    if (b->memory)
        graph_memory_free(e->driver, b->memory);
    else
        object_destroy(e->driver, &b->object);
    return CUDA_SUCCESS;
}

CUresult alloc_free(struct driver_entry *e, uint64_t address)
{
    return free_allocation(e, address, true);
}

/* Memory is freed for the program when all that was asked for before is done. */
static CUresult free_settled(struct driver_entry *e, uint64_t address, bool on_device)
{
    CUresult result = e->driver->streams.queued ? queue_wait_context(e) : CUDA_SUCCESS;
    return result ? result : free_allocation(e, address, on_device);
}

CUresult cuMemFree(CUdeviceptr address)
{
    ENTER(e, NEED_UNSAFE);
    return address ? free_settled(&e, address, true) : CUDA_SUCCESS;
}

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream)
{
    ENTER(e, NEED_CONTEXT);
    return pool_allocate_in_stream(&e, NULL, bytes, stream, "cuMemAllocAsync", address);
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream)
{
    ENTER(e, NEED_CONTEXT);
    struct operation op;
    CUgraphNodeParams parameters = {.type = CU_GRAPH_NODE_TYPE_MEM_FREE, .free.dptr = address};
    CUresult result = op_set(&e, &op, &parameters, NULL);
    return result ? result : stream_submit(&e, stream, &op);
}

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr address)
{
    ENTER(e, NEED_CONTEXT);
    const struct allocation *a = memory_find(e.driver->memory, address);
    if (!a)
        return CUDA_ERROR_NOT_FOUND;
    if (base)
        *base = a->address;
    if (bytes)
        *bytes = a->bytes;
    return CUDA_SUCCESS;
}

CUresult cuMemAllocHost(void **memory, size_t bytes)
{
    ENTER(e, NEED_UNSAFE);
    if (!memory || !bytes)
        return CUDA_ERROR_INVALID_VALUE;
    return allocate_host(&e, ALLOCATION_HOST, bytes, 0, "cuMemAllocHost", memory);
}

CUresult cuMemFreeHost(void *memory)
{
    ENTER(e, NEED_UNSAFE);
    return memory ? free_settled(&e, handle_of(memory), false) : CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void **memory, size_t bytes, unsigned int flags)
{
    ENTER(e, NEED_UNSAFE);
    unsigned known = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
    if (!memory || !bytes || flags & ~known)
        return CUDA_ERROR_INVALID_VALUE;
    return allocate_host(&e, ALLOCATION_HOST, bytes, flags, "cuMemHostAlloc", memory);
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *address, void *memory, unsigned int flags)
{
    ENTER(e, NEED_CONTEXT);
    struct cuda_allocation *b = allocation_find(e.driver, handle_of(memory));
    if (!address || flags || !b ||
        (b->allocation_kind != ALLOCATION_HOST && b->allocation_kind != ALLOCATION_REGISTERED))
        return CUDA_ERROR_INVALID_VALUE;
    *address = handle_of(memory);
    return CUDA_SUCCESS;
}

CUresult cuMemHostGetFlags(unsigned int *flags, void *memory)
{
    ENTER(e, NEED_CONTEXT);
    struct cuda_allocation *b = allocation_find(e.driver, handle_of(memory));
    if (!flags || !b || (b->allocation_kind != ALLOCATION_HOST && b->allocation_kind != ALLOCATION_REGISTERED))
        return CUDA_ERROR_INVALID_VALUE;
    *flags = b->flags;
    return CUDA_SUCCESS;
}

CUresult cuMemHostRegister(void *memory, size_t bytes, unsigned int flags)
{
    ENTER(e, NEED_UNSAFE);
    unsigned known = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_IOMEMORY |
                     CU_MEMHOSTREGISTER_READ_ONLY;
    if (!memory || !bytes || flags & ~known || bytes > UINT64_MAX - handle_of(memory))
        return CUDA_ERROR_INVALID_VALUE;
    bool is_read_only = flags & CU_MEMHOSTREGISTER_READ_ONLY;
    if (!memory_map_at(e.driver->memory, handle_of(memory), memory, bytes, is_read_only, "cuMemHostRegister's memory"))
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    add_allocation(&e, ALLOCATION_REGISTERED, handle_of(memory), bytes, flags, NULL);
    return CUDA_SUCCESS;
}

CUresult cuMemHostUnregister(void *memory)
{
    ENTER(e, NEED_UNSAFE);
    if (!memory)
        return CUDA_ERROR_INVALID_VALUE;
    struct cuda_allocation *b = object_find(e.driver, OBJECT_ALLOCATION, handle_of(memory));
    if (!b || b->allocation_kind != ALLOCATION_REGISTERED)
        return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    object_destroy(e.driver, &b->object);
    return CUDA_SUCCESS;
}

CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned int flags)
{
    ENTER(e, NEED_UNSAFE);
    if (!address || !bytes || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
        return CUDA_ERROR_INVALID_VALUE;
    void *memory;
    CUresult result = allocate_host(&e, ALLOCATION_MANAGED, bytes, flags, "cuMemAllocManaged", &memory);
    if (!result)
        *address = handle_of(memory);
    return result;
}

static CUresult check_managed(struct driver_entry *e, CUdeviceptr address, size_t bytes)
{
    struct cuda_allocation *b = allocation_find(e->driver, address);
    const struct allocation *a = memory_find(e->driver->memory, address);
    bool is_managed = b ? b->allocation_kind == ALLOCATION_MANAGED : a && a->is_managed;
    bool ok = is_managed && bytes && memory_host(e->driver->memory, address, bytes);
    return ok ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult allocation_check_managed(struct driver_entry *e, CUdeviceptr address, size_t bytes)
{
    return check_managed(e, address, bytes);
}

static bool location_is_valid(CUmemLocation location)
{
    return location.type == CU_MEM_LOCATION_TYPE_DEVICE
               ? device_is_valid(location.id)
               : location.type >= CU_MEM_LOCATION_TYPE_HOST && location.type <= CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
}

CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation location)
{
    ENTER(e, NEED_CONTEXT);
    if (advice < CU_MEM_ADVISE_SET_READ_MOSTLY || advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY)
        return CUDA_ERROR_INVALID_VALUE;
    bool needs_location = advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION || advice == CU_MEM_ADVISE_SET_ACCESSED_BY ||
                          advice == CU_MEM_ADVISE_UNSET_ACCESSED_BY;
    if (needs_location && !location_is_valid(location))
        return CUDA_ERROR_INVALID_DEVICE;
    CUresult result = check_managed(&e, address, bytes);
    if (!result)
        advice_set(e.driver, address, bytes, advice, location);
    return result;
}

CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned int flags,
                            CUstream stream)
{
    ENTER(e, NEED_CONTEXT);
    CUresult result = stream_settle(&e, stream);
    if (result)
        return result;
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (!location_is_valid(location))
        return CUDA_ERROR_INVALID_DEVICE;
    result = check_managed(&e, address, bytes);
    if (!result)
        advice_prefetch(e.driver, address, bytes, location);
    return result;
}

static bool attribute_is_known(CUpointer_attribute attribute)
{
    return attribute >= CU_POINTER_ATTRIBUTE_CONTEXT && attribute <= CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE;
}

/* Stores an attribute of a pointer. Each value has the size that programs expect; booleans have 32 bits. */
static CUresult pointer_attribute(struct driver *d, CUpointer_attribute attribute, uint64_t address, void *data)
{
    const struct allocation *a = memory_find(d->memory, address);
    if (!a)
        return CUDA_ERROR_INVALID_VALUE;
    const struct cuda_allocation *b =
        allocation_find(d, address); /* NULL: the address is that of a variable of a module */
    bool is_host = b && (b->allocation_kind == ALLOCATION_HOST || b->allocation_kind == ALLOCATION_REGISTERED);
    bool is_managed = b ? b->allocation_kind == ALLOCATION_MANAGED : a->is_managed;
    switch ((int)attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        *(CUcontext *)data = b ? (CUcontext)b->object.context : NULL;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(uint32_t *)data = is_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *(CUdeviceptr *)data = address;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (!is_host && !is_managed)
            return CUDA_ERROR_INVALID_VALUE;
        *(void **)data = (void *)(uintptr_t)address;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        *(uint32_t *)data = b && b->has_sync_memops;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
        *(uint32_t *)data = 0;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        *(uint64_t *)data = CU_MEM_HANDLE_TYPE_NONE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        *(uint32_t *)data = a->is_constant ? CU_MEM_ACCESS_FLAGS_PROT_READ : CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
        *(uint64_t *)data = b ? b->object.id : 0;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(uint32_t *)data = is_managed;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)data = 0;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
        *(uint64_t *)data = a->address;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
        *(size_t *)data = a->bytes;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        *(uint32_t *)data = 1;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        *(CUmemoryPool *)data = b ? (CUmemoryPool)b->pool : NULL;
        return CUDA_SUCCESS;
    default:
        return attribute_is_known(attribute) ? driver_refuse(d, "cuPointerGetAttribute", "this attribute")
                                             : CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr address)
{
    ENTER(e, NEED_INIT);
    return data ? pointer_attribute(e.driver, attribute, address, data) : CUDA_ERROR_INVALID_VALUE;
}

/* The size of the value that pointer_attribute() stores. */
static size_t attribute_bytes(CUpointer_attribute attribute)
{
    switch ((int)attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    case CU_POINTER_ATTRIBUTE_MAPPED:
        return 4;
    default:
        return 8;
    }
}

/* Unlike cuPointerGetAttribute(), this call succeeds for a pointer that CUDA does not know: every attribute is zero,
 * and the device is CU_DEVICE_INVALID. */
CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes, void **data, CUdeviceptr address)
{
    ENTER(e, NEED_INIT);
    if (!attributes || !data)
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) {
        if (!data[i] || !attribute_is_known(attributes[i]))
            return CUDA_ERROR_INVALID_VALUE;
        CUresult result = pointer_attribute(e.driver, attributes[i], address, data[i]);
        if (result == CUDA_ERROR_NOT_SUPPORTED)
            return result;
        if (result && attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
            *(int *)data[i] = CU_DEVICE_INVALID;
        else if (result)
            memset(data[i], 0, attribute_bytes(attributes[i]));
    }
    return CUDA_SUCCESS;
}

/* The one attribute that can be set asks copies of this memory to be synchronous, which all are. */
CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr address)
{
    ENTER(e, NEED_INIT);
    struct cuda_allocation *b = allocation_find(e.driver, address);
    if (!value || !b || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
        return CUDA_ERROR_INVALID_VALUE;
    b->has_sync_memops = *(const uint32_t *)value != 0;
    return CUDA_SUCCESS;
}
