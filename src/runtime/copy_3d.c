/*
 * Copies in three dimensions, between linear memory and arrays.
 *
 * The runtime counts the width of a copy in elements of the array that takes part, in bytes if none does; the driver
 * counts bytes always. A position is counted in elements of its own side. The direction says what the linear sides are;
 * an array is an array in any direction.
 */
#include "runtime/channel.h"
#include "runtime/copy.h"
#include "runtime/runtime.h"

/* One end of a copy as the runtime describes it. */
struct copy_end {
    cudaArray_t array;
    struct cudaPos position;
    struct cudaPitchedPtr pointer;
};

/* An end's memory type, and the bytes of its elements. */
struct end_facts {
    CUmemorytype type;
    size_t element_bytes, x_bytes;
};

static cudaError_t read_end(const struct copy_end *end, CUmemorytype type, struct end_facts *facts)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    *facts = (struct end_facts){.type = type, .element_bytes = 1};
    if (!end->array == !end->pointer.ptr)
        return cudaErrorInvalidValue;
    if (end->array) {
        CUresult result = driver.cuArray3DGetDescriptor(&descriptor, (CUarray)end->array);
        if (result)
            return (cudaError_t)result;
        facts->type = CU_MEMORYTYPE_ARRAY;
        facts->element_bytes = channel_element_bytes(descriptor.Format, descriptor.NumChannels);
    }
    if (__builtin_mul_overflow(end->position.x, facts->element_bytes, &facts->x_bytes))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

/* Whether the rows and planes of linear memory are large enough. To the driver, a pitch or a height of zero means that
 * there are no gaps; a copy of more than one row, or more than one plane, has to say how long they are. NVIDIA's
 * runtime compares the pitch with the width in elements, and leaves the rest to the driver, too. */
static cudaError_t check_room(const struct copy_end *end, struct cudaExtent extent)
{
    if (end->array)
        return cudaSuccess;
    if ((extent.height > 1 || extent.depth > 1) && end->pointer.pitch < extent.width)
        return cudaErrorInvalidPitchValue;
    if (end->pointer.ysize >= extent.height)
        return cudaSuccess;
    if (extent.depth > 1)
        return cudaErrorInvalidPitchValue;
    return end->pointer.ysize ? cudaErrorInvalidValue : cudaSuccess;
}

static cudaError_t translate(const struct copy_end *to, const struct copy_end *from, struct cudaExtent extent,
                             struct copy_types types, CUDA_MEMCPY3D *copy)
{
    struct end_facts target, source;
    size_t width_bytes;
    cudaError_t error = read_end(to, types.to, &target);
    if (!error)
        error = read_end(from, types.from, &source);
    if (error)
        return error;
    if (to->array && from->array && target.element_bytes != source.element_bytes)
        return cudaErrorInvalidValue;
    size_t element_bytes = to->array ? target.element_bytes : source.element_bytes;
    if (__builtin_mul_overflow(extent.width, element_bytes, &width_bytes))
        return cudaErrorInvalidValue;
    error = check_room(to, extent);
    if (!error)
        error = check_room(from, extent);
    if (error)
        return error;
    *copy = (CUDA_MEMCPY3D){
        .srcXInBytes = source.x_bytes,
        .srcY = from->position.y,
        .srcZ = from->position.z,
        .srcMemoryType = source.type,
        .srcHost = from->pointer.ptr,
        .srcDevice = address_of(from->pointer.ptr),
        .srcArray = (CUarray)from->array,
        .srcPitch = from->pointer.pitch,
        .srcHeight = from->pointer.ysize,
        .dstXInBytes = target.x_bytes,
        .dstY = to->position.y,
        .dstZ = to->position.z,
        .dstMemoryType = target.type,
        .dstHost = to->pointer.ptr,
        .dstDevice = address_of(to->pointer.ptr),
        .dstArray = (CUarray)to->array,
        .dstPitch = to->pointer.pitch,
        .dstHeight = to->pointer.ysize,
        .WidthInBytes = width_bytes,
        .Height = extent.height,
        .Depth = extent.depth,
    };
    return cudaSuccess;
}

cudaError_t copy_translate_3d(const struct cudaMemcpy3DParms *parameters, CUDA_MEMCPY3D *copy)
{
    struct copy_types types = {.to = CU_MEMORYTYPE_UNIFIED, .from = CU_MEMORYTYPE_UNIFIED};
    if (!parameters)
        return cudaErrorInvalidValue;
    bool is_empty = !parameters->extent.width || !parameters->extent.height || !parameters->extent.depth;
    if (!is_empty && !copy_find_types(parameters->kind, &types))
        return cudaErrorInvalidMemcpyDirection;
    struct copy_end to = {parameters->dstArray, parameters->dstPos, parameters->dstPtr};
    struct copy_end from = {parameters->srcArray, parameters->srcPos, parameters->srcPtr};
    return translate(&to, &from, parameters->extent, types, copy);
}

static cudaError_t translate_peer(const struct cudaMemcpy3DPeerParms *parameters, CUDA_MEMCPY3D *copy)
{
    struct copy_types types = {.to = CU_MEMORYTYPE_DEVICE, .from = CU_MEMORYTYPE_DEVICE};
    if (!parameters)
        return cudaErrorInvalidValue;
    if (parameters->dstDevice || parameters->srcDevice)
        return cudaErrorInvalidDevice;
    struct copy_end to = {parameters->dstArray, parameters->dstPos, parameters->dstPtr};
    struct copy_end from = {parameters->srcArray, parameters->srcPos, parameters->srcPtr};
    return translate(&to, &from, parameters->extent, types, copy);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *parameters)
{
    ENTER_RUNTIME();
    CUDA_MEMCPY3D copy;
    cudaError_t error = copy_translate_3d(parameters, &copy);
    return error ? runtime_fail(error) : runtime_end(driver.cuMemcpy3D(&copy));
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *parameters, cudaStream_t stream)
{
    ENTER_RUNTIME();
    CUDA_MEMCPY3D copy;
    cudaError_t error = copy_translate_3d(parameters, &copy);
    return error ? runtime_fail(error) : runtime_end(driver.cuMemcpy3DAsync(&copy, stream));
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *parameters)
{
    ENTER_RUNTIME();
    CUDA_MEMCPY3D copy;
    cudaError_t error = translate_peer(parameters, &copy);
    return error ? runtime_fail(error) : runtime_end(driver.cuMemcpy3D(&copy));
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *parameters, cudaStream_t stream)
{
    ENTER_RUNTIME();
    CUDA_MEMCPY3D copy;
    cudaError_t error = translate_peer(parameters, &copy);
    return error ? runtime_fail(error) : runtime_end(driver.cuMemcpy3DAsync(&copy, stream));
}
