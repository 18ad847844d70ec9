/*
 * Copies, prefetches and discards of several ranges by one call, and copies between the memories of two contexts in
 * three dimensions.
 *
 * A batch does its operations one after the other, which is one of the orders that the API allows. All contexts share
 * one memory, so a copy between two of them is an ordinary copy.
 */
#include "cuda/array.h"
#include "cuda/legacy.h"

/* Checks the attributes of a batch of copies: each holds from the copy of its index on. They only tell how soon the
 * source may be read, which changes nothing here. */
static CUresult check_attributes(const CUmemcpyAttributes *attributes, const size_t *indices, size_t attribute_count,
                                 size_t count)
{
    if (!attributes || !indices || !attribute_count || attribute_count > count || indices[0])
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < attribute_count; i++) {
        if (i && indices[i] <= indices[i - 1])
            return CUDA_ERROR_INVALID_VALUE;
        if (indices[i] >= count || attributes[i].srcAccessOrder < CU_MEMCPY_SRC_ACCESS_ORDER_STREAM ||
            attributes[i].srcAccessOrder > CU_MEMCPY_SRC_ACCESS_ORDER_ANY)
            return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

/* `failed` gets the index of the copy that failed, or SIZE_MAX if the batch as a whole is not valid; NULL: nobody
 * asks. */
static CUresult copy_batch(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                           CUmemcpyAttributes *attributes, size_t *indices, size_t attribute_count, size_t *failed,
                           CUstream stream)
{
    size_t nowhere;
    failed = failed ? failed : &nowhere;
    *failed = SIZE_MAX;
    if (!to || !from || !bytes || !count)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = check_attributes(attributes, indices, attribute_count, count);
    for (size_t i = 0; i < count && !result; i++) {
        result = cuMemcpyAsync(to[i], from[i], bytes[i], stream);
        if (result)
            *failed = i;
    }
    return result;
}

CUresult cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                            CUmemcpyAttributes *attributes, size_t *indices, size_t attribute_count, CUstream stream)
{
    return copy_batch(to, from, bytes, count, attributes, indices, attribute_count, NULL, stream);
}

CUresult legacy_cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                                   CUmemcpyAttributes *attributes, size_t *indices, size_t attribute_count,
                                   size_t *failed, CUstream stream)
{
    return copy_batch(to, from, bytes, count, attributes, indices, attribute_count, failed, stream);
}

/* The bytes of one element of an operand; 1 for memory, whose elements are bytes unless an array is on the other side;
 * 0: the operand names no array, or is of no kind. */
static uint64_t operand_element(const CUmemcpy3DOperand *operand)
{
    if (operand->type == CU_MEMCPY_OPERAND_TYPE_POINTER)
        return 1;
    if (operand->type != CU_MEMCPY_OPERAND_TYPE_ARRAY)
        return 0;
    ENTER(e, NEED_LOCK);
    const struct array *a = array_find(e.driver, operand->op.array.array);
    return a ? texel_bytes(a->descriptor.Format, a->descriptor.NumChannels) : 0;
}

/* The part of an operand that counts elements, in bytes: where an array's part starts, or how far apart the rows of
 * memory are. */
static bool scale_operand(const CUmemcpy3DOperand *operand, uint64_t element, size_t *x_bytes, size_t *pitch)
{
    return operand->type == CU_MEMCPY_OPERAND_TYPE_ARRAY
               ? !__builtin_mul_overflow(operand->op.array.offset.x, element, x_bytes)
               : !__builtin_mul_overflow(operand->op.ptr.rowLength, element, pitch);
}

static CUresult copy_operation(const CUDA_MEMCPY3D_BATCH_OP *o, CUstream stream)
{
    uint64_t from = operand_element(&o->src), to = operand_element(&o->dst), element = from > to ? from : to;
    CUDA_MEMCPY3D copy = {.Height = o->extent.height, .Depth = o->extent.depth};
    if (!from || !to || o->srcAccessOrder < CU_MEMCPY_SRC_ACCESS_ORDER_STREAM ||
        o->srcAccessOrder > CU_MEMCPY_SRC_ACCESS_ORDER_ANY ||
        __builtin_mul_overflow(o->extent.width, element, &copy.WidthInBytes) ||
        !scale_operand(&o->src, element, &copy.srcXInBytes, &copy.srcPitch) ||
        !scale_operand(&o->dst, element, &copy.dstXInBytes, &copy.dstPitch))
        return CUDA_ERROR_INVALID_VALUE;
    if (o->src.type == CU_MEMCPY_OPERAND_TYPE_ARRAY) {
        copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.srcArray = o->src.op.array.array;
        copy.srcY = o->src.op.array.offset.y;
        copy.srcZ = o->src.op.array.offset.z;
    } else {
        copy.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
        copy.srcDevice = o->src.op.ptr.ptr;
        copy.srcHeight = o->src.op.ptr.layerHeight;
    }
    if (o->dst.type == CU_MEMCPY_OPERAND_TYPE_ARRAY) {
        copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.dstArray = o->dst.op.array.array;
        copy.dstY = o->dst.op.array.offset.y;
        copy.dstZ = o->dst.op.array.offset.z;
    } else {
        copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
        copy.dstDevice = o->dst.op.ptr.ptr;
        copy.dstHeight = o->dst.op.ptr.layerHeight;
    }
    return cuMemcpy3DAsync(&copy, stream);
}

static CUresult copy_batch_3d(size_t count, CUDA_MEMCPY3D_BATCH_OP *operations, size_t *failed,
                              unsigned long long flags, CUstream stream)
{
    size_t nowhere;
    failed = failed ? failed : &nowhere;
    *failed = SIZE_MAX;
    if (!count || !operations || flags)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < count && !result; i++) {
        result = copy_operation(&operations[i], stream);
        if (result)
            *failed = i;
    }
    return result;
}

CUresult cuMemcpy3DBatchAsync(size_t count, CUDA_MEMCPY3D_BATCH_OP *operations, unsigned long long flags,
                              CUstream stream)
{
    return copy_batch_3d(count, operations, NULL, flags, stream);
}

CUresult legacy_cuMemcpy3DBatchAsync(size_t count, CUDA_MEMCPY3D_BATCH_OP *operations, size_t *failed,
                                     unsigned long long flags, CUstream stream)
{
    return copy_batch_3d(count, operations, failed, flags, stream);
}

/* Turns a copy between contexts into one within a context. */
static CUresult read_peer(const CUDA_MEMCPY3D_PEER *p, CUDA_MEMCPY3D *copy)
{
    ENTER(e, NEED_CONTEXT);
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    if ((p->srcContext && !object_find(e.driver, OBJECT_CONTEXT, handle_of(p->srcContext))) ||
        (p->dstContext && !object_find(e.driver, OBJECT_CONTEXT, handle_of(p->dstContext))))
        return CUDA_ERROR_INVALID_CONTEXT;
    *copy = (CUDA_MEMCPY3D){.srcXInBytes = p->srcXInBytes,
                            .srcY = p->srcY,
                            .srcZ = p->srcZ,
                            .srcLOD = p->srcLOD,
                            .srcMemoryType = p->srcMemoryType,
                            .srcHost = p->srcHost,
                            .srcDevice = p->srcDevice,
                            .srcArray = p->srcArray,
                            .srcPitch = p->srcPitch,
                            .srcHeight = p->srcHeight,
                            .dstXInBytes = p->dstXInBytes,
                            .dstY = p->dstY,
                            .dstZ = p->dstZ,
                            .dstLOD = p->dstLOD,
                            .dstMemoryType = p->dstMemoryType,
                            .dstHost = p->dstHost,
                            .dstDevice = p->dstDevice,
                            .dstArray = p->dstArray,
                            .dstPitch = p->dstPitch,
                            .dstHeight = p->dstHeight,
                            .WidthInBytes = p->WidthInBytes,
                            .Height = p->Height,
                            .Depth = p->Depth};
    return CUDA_SUCCESS;
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *copy)
{
    CUDA_MEMCPY3D plain;
    CUresult result = read_peer(copy, &plain);
    return result ? result : cuMemcpy3D(&plain);
}

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *copy, CUstream stream)
{
    CUDA_MEMCPY3D plain;
    CUresult result = read_peer(copy, &plain);
    return result ? result : cuMemcpy3DAsync(&plain, stream);
}

CUresult cuMemPrefetchBatchAsync(CUdeviceptr *addresses, size_t *bytes, size_t count, CUmemLocation *locations,
                                 size_t *indices, size_t location_count, unsigned long long flags, CUstream stream)
{
    if (!addresses || !bytes || !count || !locations || !indices || !location_count || location_count > count ||
        flags || indices[0])
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 1; i < location_count; i++)
        if (indices[i] <= indices[i - 1] || indices[i] >= count)
            return CUDA_ERROR_INVALID_VALUE;
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0, l = 0; i < count && !result; i++) {
        if (l + 1 < location_count && indices[l + 1] == i)
            l++;
        result = cuMemPrefetchAsync(addresses[i], bytes[i], locations[l], 0, stream);
    }
    return result;
}

/* What a discarded range holds is undefined, so it may stay as it is. */
CUresult cuMemDiscardBatchAsync(CUdeviceptr *addresses, size_t *bytes, size_t count, unsigned long long flags,
                                CUstream stream)
{
    CUmemLocation location = {.type = CU_MEM_LOCATION_TYPE_HOST};
    size_t index = 0;
    return cuMemPrefetchBatchAsync(addresses, bytes, count, &location, &index, 1, flags, stream);
}

CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *addresses, size_t *bytes, size_t count,
                                           CUmemLocation *locations, size_t *indices, size_t location_count,
                                           unsigned long long flags, CUstream stream)
{
    return cuMemPrefetchBatchAsync(addresses, bytes, count, locations, indices, location_count, flags, stream);
}
