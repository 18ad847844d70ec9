/*
 * Copies between host memory, device memory and arrays, in one, two and three dimensions.
 *
 * Addresses are unified: a pointer that device memory does not have is taken for a host pointer. Every row of a copy is
 * checked before the first byte moves.
 */
#include "cuda/array.h"
#include "cuda/clock.h"
#include "cuda/stream.h"

#include <string.h>

enum { LOWEST_HOST_ADDRESS = 0x10000 }; /* systems map nothing below, so a smaller address is a mistake */

void *copy_resolve(struct driver *d, uint64_t address, uint64_t bytes, bool allow_host)
{
    void *host = memory_host(d->memory, address, bytes);
    if (host)
        return host;
    /* An address in the range that the device allocates from is a wrong device address, never one of the host. */
    bool is_heap = address >= MEMORY_HEAP_BASE && address < d->memory->next_address;
    if (!allow_host || is_heap || address < LOWEST_HOST_ADDRESS || memory_find(d->memory, address))
        return NULL;
    return (void *)(uintptr_t)address;
}

void *copy_target(struct driver *d, uint64_t address, uint64_t bytes, bool allow_host)
{
    const struct allocation *a = memory_find(d->memory, address);
    const struct cuda_allocation *b = a && a->is_constant ? object_find(d, OBJECT_ALLOCATION, a->address) : NULL;
    bool is_read_only = b && b->allocation_kind == ALLOCATION_REGISTERED; /* the host may be unable to write it, too */
    return is_read_only ? NULL : copy_resolve(d, address, bytes, allow_host);
}

/* Source or target of a copy. The byte at (x, y, z) is at base + ((z * height) + y) * pitch + x. */
struct copy_side {
    uint64_t base;
    uint64_t x, y, z;
    uint64_t pitch, height; /* bytes of a row, rows of a plane */
    bool allow_host;        /* the address may be one of host memory */
};

struct copy_extent {
    uint64_t width, height, depth;
};

/* The address of a row of the copy; false: it overflows. */
static bool side_address(const struct copy_side *s, uint64_t y, uint64_t z, uint64_t *address)
{
    uint64_t row, offset;
    return !__builtin_mul_overflow(s->z + z, s->height, &row) && !__builtin_add_overflow(row, s->y + y, &row) &&
           !__builtin_mul_overflow(row, s->pitch, &offset) && !__builtin_add_overflow(offset, s->x, &offset) &&
           !__builtin_add_overflow(s->base, offset, address);
}

/* The first pass checks every row, the second copies. `dry`: there is no second. */
static CUresult copy_rows(struct driver *d, const struct copy_side *to, const struct copy_side *from,
                          const struct copy_extent *extent, bool dry)
{
    if (!extent->width || !extent->height || !extent->depth)
        return CUDA_SUCCESS;
    for (int pass = 0; pass < (dry ? 1 : 2); pass++)
        for (uint64_t z = 0; z < extent->depth; z++)
            for (uint64_t y = 0; y < extent->height; y++) {
                uint64_t a, b;
                if (!side_address(to, y, z, &a) || !side_address(from, y, z, &b))
                    return CUDA_ERROR_INVALID_VALUE;
                void *target = copy_target(d, a, extent->width, to->allow_host);
                const void *source = copy_resolve(d, b, extent->width, from->allow_host);
                if (!target || !source)
                    return CUDA_ERROR_INVALID_VALUE;
                if (pass)
                    memmove(target, source, extent->width);
            }
    if (!dry)
        clock_pass_copy(d, to->base, from->base, extent->width * extent->height * extent->depth);
    return CUDA_SUCCESS;
}

static CUresult copy_line(struct driver_entry *e, uint64_t to, bool to_host, uint64_t from, bool from_host,
                          size_t bytes)
{
    if (!bytes)
        return CUDA_SUCCESS;
    void *target = copy_target(e->driver, to, bytes, to_host);
    const void *source = copy_resolve(e->driver, from, bytes, from_host);
    if (!target || !source)
        return CUDA_ERROR_INVALID_VALUE;
    memmove(target, source, bytes);
    clock_pass_copy(e->driver, to, from, bytes);
    return CUDA_SUCCESS;
}

/* A copy in a stream of bytes that lie in a row. */
static CUresult submit_line(struct driver_entry *e, CUdeviceptr to, CUmemorytype to_type, CUdeviceptr from,
                            CUmemorytype from_type, size_t bytes, CUstream stream)
{
    struct operation op = {.parameters.type = CU_GRAPH_NODE_TYPE_MEMCPY};
    op.parameters.memcpy.copyParams = (CUDA_MEMCPY3D){.srcMemoryType = from_type,
                                                      .srcHost = (const void *)(uintptr_t)from,
                                                      .srcDevice = from,
                                                      .dstMemoryType = to_type,
                                                      .dstHost = (void *)(uintptr_t)to,
                                                      .dstDevice = to,
                                                      .WidthInBytes = bytes,
                                                      .Height = 1,
                                                      .Depth = 1};
    return stream_submit(e, stream, &op);
}

static CUresult submit_3d(struct driver_entry *e, const CUDA_MEMCPY3D *copy, CUstream stream)
{
    struct operation op = {.parameters = {.type = CU_GRAPH_NODE_TYPE_MEMCPY, .memcpy.copyParams = *copy}};
    return stream_submit(e, stream, &op);
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    ENTER(e, NEED_SYNC);
    driver_flush(e.driver);
    return copy_line(&e, to, true, from, true, bytes);
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    ENTER(e, NEED_CONTEXT);
    return submit_line(&e, to, CU_MEMORYTYPE_UNIFIED, from, CU_MEMORYTYPE_UNIFIED, bytes, stream);
}

static CUresult check_contexts(struct driver_entry *e, CUcontext to, CUcontext from)
{
    return object_find(e->driver, OBJECT_CONTEXT, handle_of(to)) &&
                   object_find(e->driver, OBJECT_CONTEXT, handle_of(from))
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes)
{
    ENTER(e, NEED_SYNC);
    CUresult result = check_contexts(&e, to_context, from_context);
    return result ? result : copy_line(&e, to, false, from, false, bytes);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes,
                           CUstream stream)
{
    ENTER(e, NEED_CONTEXT);
    CUresult result = check_contexts(&e, to_context, from_context);
    return result ? result : submit_line(&e, to, CU_MEMORYTYPE_DEVICE, from, CU_MEMORYTYPE_DEVICE, bytes, stream);
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes)
{
    ENTER(e, NEED_SYNC);
    driver_flush(e.driver);
    return copy_line(&e, to, false, handle_of(from), true, bytes);
}

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes)
{
    ENTER(e, NEED_SYNC);
    driver_flush(e.driver);
    return copy_line(&e, handle_of(to), true, from, false, bytes);
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    ENTER(e, NEED_SYNC);
    return copy_line(&e, to, false, from, false, bytes);
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    ENTER(e, NEED_CONTEXT);
    return submit_line(&e, to, CU_MEMORYTYPE_DEVICE, handle_of(from), CU_MEMORYTYPE_HOST, bytes, stream);
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    ENTER(e, NEED_CONTEXT);
    return submit_line(&e, handle_of(to), CU_MEMORYTYPE_HOST, from, CU_MEMORYTYPE_DEVICE, bytes, stream);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    ENTER(e, NEED_CONTEXT);
    return submit_line(&e, to, CU_MEMORYTYPE_DEVICE, from, CU_MEMORYTYPE_DEVICE, bytes, stream);
}

/* The address of `bytes` bytes from an offset on in the first row of an array; 0 and an error code if the row has
 * not all. */
static CUresult array_run(struct driver *d, CUarray array, size_t offset, size_t bytes, uint64_t *address)
{
    const struct array *a = array_find(d, array);
    if (!a)
        return CUDA_ERROR_INVALID_HANDLE;
    if (offset > a->row_bytes || bytes > a->row_bytes - offset)
        return CUDA_ERROR_INVALID_VALUE;
    *address = a->address + offset;
    return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoA(CUarray to, size_t to_offset, CUdeviceptr from, size_t bytes)
{
    ENTER(e, NEED_SYNC);
    uint64_t address;
    CUresult result = array_run(e.driver, to, to_offset, bytes, &address);
    return result ? result : copy_line(&e, address, false, from, false, bytes);
}

CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t from_offset, size_t bytes)
{
    ENTER(e, NEED_SYNC);
    uint64_t address;
    CUresult result = array_run(e.driver, from, from_offset, bytes, &address);
    return result ? result : copy_line(&e, to, false, address, false, bytes);
}

CUresult cuMemcpyHtoA(CUarray to, size_t to_offset, const void *from, size_t bytes)
{
    ENTER(e, NEED_SYNC);
    uint64_t address;
    CUresult result = array_run(e.driver, to, to_offset, bytes, &address);
    return result ? result : copy_line(&e, address, false, handle_of(from), true, bytes);
}

CUresult cuMemcpyAtoH(void *to, CUarray from, size_t from_offset, size_t bytes)
{
    ENTER(e, NEED_SYNC);
    uint64_t address;
    CUresult result = array_run(e.driver, from, from_offset, bytes, &address);
    return result ? result : copy_line(&e, handle_of(to), true, address, false, bytes);
}

CUresult cuMemcpyAtoA(CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes)
{
    ENTER(e, NEED_SYNC);
    uint64_t a, b;
    CUresult result = array_run(e.driver, to, to_offset, bytes, &a);
    if (!result)
        result = array_run(e.driver, from, from_offset, bytes, &b);
    return result ? result : copy_line(&e, a, false, b, false, bytes);
}

CUresult cuMemcpyHtoAAsync(CUarray to, size_t to_offset, const void *from, size_t bytes, CUstream stream)
{
    ENTER(e, NEED_CONTEXT);
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = from,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = to,
                          .dstXInBytes = to_offset,
                          .WidthInBytes = bytes,
                          .Height = 1,
                          .Depth = 1};
    return submit_3d(&e, &copy, stream);
}

CUresult cuMemcpyAtoHAsync(void *to, CUarray from, size_t from_offset, size_t bytes, CUstream stream)
{
    ENTER(e, NEED_CONTEXT);
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                          .srcArray = from,
                          .srcXInBytes = from_offset,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = to,
                          .WidthInBytes = bytes,
                          .Height = 1,
                          .Depth = 1};
    return submit_3d(&e, &copy, stream);
}

/* Source or target as CUDA_MEMCPY2D and CUDA_MEMCPY3D describe it. */
struct copy_place {
    CUmemorytype type;
    const void *host;
    CUdeviceptr device;
    CUarray array;
    size_t x, y, z, pitch, height;
};

/* Translates a place. A pitch or height of 0 stands for rows or planes without gaps, just large enough for this
 * copy. */
static CUresult make_side(struct driver *d, const struct copy_place *p, const struct copy_extent *extent,
                          struct copy_side *side)
{
    *side = (struct copy_side){.x = p->x, .y = p->y, .z = p->z, .pitch = p->pitch, .height = p->height};
    const struct array *a;
    uint64_t row, rows, slices;
    if (__builtin_add_overflow(p->x, extent->width, &row) || __builtin_add_overflow(p->y, extent->height, &rows) ||
        __builtin_add_overflow(p->z, extent->depth, &slices))
        return CUDA_ERROR_INVALID_VALUE;
    switch ((int)p->type) {
    case CU_MEMORYTYPE_HOST:
        side->base = handle_of(p->host);
        side->allow_host = true;
        break;
    case CU_MEMORYTYPE_UNIFIED:
        side->base = p->device;
        side->allow_host = true;
        break;
    case CU_MEMORYTYPE_DEVICE:
        side->base = p->device;
        break;
    case CU_MEMORYTYPE_ARRAY:
        a = array_find(d, p->array);
        if (!a)
            return CUDA_ERROR_INVALID_HANDLE;
        if (row > a->row_bytes || rows > a->rows || slices > a->slices)
            return CUDA_ERROR_INVALID_VALUE;
        side->base = a->address;
        side->pitch = a->row_bytes;
        side->height = a->rows;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!side->pitch)
        side->pitch = row;
    if (!side->height)
        side->height = rows;
    if (side->pitch < row || (extent->depth > 1 && side->height < rows))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

/* A copy that starts from memory that CUDA knows must not leave it, since what follows may be nobody's. Nothing follows
 * an address that is a mistake, either. */
static void bind_side(struct driver *d, struct copy_side *side)
{
    if (side->base < LOWEST_HOST_ADDRESS || memory_find(d->memory, side->base))
        side->allow_host = false;
}

static CUresult copy_places(struct driver *d, const struct copy_place *to, const struct copy_place *from,
                            const struct copy_extent *extent, bool dry)
{
    struct copy_side target, source;
    CUresult result = make_side(d, to, extent, &target);
    if (!result)
        result = make_side(d, from, extent, &source);
    if (result)
        return result;
    bind_side(d, &target);
    bind_side(d, &source);
    return copy_rows(d, &target, &source, extent, dry);
}

CUresult copy_3d(struct driver *d, const CUDA_MEMCPY3D *copy, bool dry)
{
    if (copy->srcLOD || copy->dstLOD)
        return CUDA_ERROR_INVALID_VALUE;
    struct copy_place from = {copy->srcMemoryType, copy->srcHost, copy->srcDevice, copy->srcArray, copy->srcXInBytes,
                              copy->srcY,          copy->srcZ,    copy->srcPitch,  copy->srcHeight};
    struct copy_place to = {copy->dstMemoryType, copy->dstHost, copy->dstDevice, copy->dstArray, copy->dstXInBytes,
                            copy->dstY,          copy->dstZ,    copy->dstPitch,  copy->dstHeight};
    struct copy_extent extent = {copy->WidthInBytes, copy->Height, copy->Depth};
    return copy_places(d, &to, &from, &extent, dry);
}

static bool is_pageable(struct driver *d, CUmemorytype type, const void *host, CUdeviceptr device)
{
    return (type == CU_MEMORYTYPE_HOST && !memory_find(d->memory, handle_of(host))) ||
           (type == CU_MEMORYTYPE_UNIFIED && !memory_find(d->memory, device));
}

bool copy_is_pageable(struct driver *d, const CUDA_MEMCPY3D *copy)
{
    return is_pageable(d, copy->srcMemoryType, copy->srcHost, copy->srcDevice) ||
           is_pageable(d, copy->dstMemoryType, copy->dstHost, copy->dstDevice);
}

static CUDA_MEMCPY3D as_3d(const CUDA_MEMCPY2D *copy)
{
    return (CUDA_MEMCPY3D){.srcMemoryType = copy->srcMemoryType,
                           .srcHost = copy->srcHost,
                           .srcDevice = copy->srcDevice,
                           .srcArray = copy->srcArray,
                           .srcXInBytes = copy->srcXInBytes,
                           .srcY = copy->srcY,
                           .srcPitch = copy->srcPitch,
                           .dstMemoryType = copy->dstMemoryType,
                           .dstHost = copy->dstHost,
                           .dstDevice = copy->dstDevice,
                           .dstArray = copy->dstArray,
                           .dstXInBytes = copy->dstXInBytes,
                           .dstY = copy->dstY,
                           .dstPitch = copy->dstPitch,
                           .WidthInBytes = copy->WidthInBytes,
                           .Height = copy->Height,
                           .Depth = 1};
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *copy)
{
    ENTER(e, NEED_SYNC);
    if (!copy)
        return CUDA_ERROR_INVALID_VALUE;
    driver_flush(e.driver);
    CUDA_MEMCPY3D whole = as_3d(copy);
    return copy_3d(e.driver, &whole, false);
}

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *copy)
{
    return cuMemcpy2D(copy);
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream)
{
    ENTER(e, NEED_CONTEXT);
    if (!copy)
        return CUDA_ERROR_INVALID_VALUE;
    CUDA_MEMCPY3D whole = as_3d(copy);
    return submit_3d(&e, &whole, stream);
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D *copy)
{
    ENTER(e, NEED_SYNC);
    if (!copy)
        return CUDA_ERROR_INVALID_VALUE;
    driver_flush(e.driver);
    return copy_3d(e.driver, copy, false);
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *copy, CUstream stream)
{
    ENTER(e, NEED_CONTEXT);
    return copy ? submit_3d(&e, copy, stream) : CUDA_ERROR_INVALID_VALUE;
}
