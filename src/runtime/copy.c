/*
 * Copies between linear host and device memory, in one and two dimensions.
 *
 * The direction that a program names decides which driver call is made, so that a side that should be device memory
 * and is not is an error. A host side may be device memory, since addresses are unified. A copy of no bytes succeeds in
 * any direction, even after a kernel has faulted, as in NVIDIA's runtime.
 */
#include "runtime/copy.h"

#include "runtime/runtime.h"

bool copy_find_types(enum cudaMemcpyKind kind, struct copy_types *types)
{
    static const struct copy_types type_table[] = {
        [cudaMemcpyHostToHost] = {.to = CU_MEMORYTYPE_HOST, .from = CU_MEMORYTYPE_HOST},
        [cudaMemcpyHostToDevice] = {.to = CU_MEMORYTYPE_DEVICE, .from = CU_MEMORYTYPE_HOST},
        [cudaMemcpyDeviceToHost] = {.to = CU_MEMORYTYPE_HOST, .from = CU_MEMORYTYPE_DEVICE},
        [cudaMemcpyDeviceToDevice] = {.to = CU_MEMORYTYPE_DEVICE, .from = CU_MEMORYTYPE_DEVICE},
        [cudaMemcpyDefault] = {.to = CU_MEMORYTYPE_UNIFIED, .from = CU_MEMORYTYPE_UNIFIED},
    };
    if ((unsigned)kind >= sizeof type_table / sizeof type_table[0])
        return false;
    *types = type_table[kind];
    return true;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    ENTER_RUNTIME();
    if (!bytes)
        return cudaSuccess;
    switch ((int)kind) {
    case cudaMemcpyHostToDevice:
        return runtime_end(driver.cuMemcpyHtoD(address_of(to), from, bytes));
    case cudaMemcpyDeviceToHost:
        return runtime_end(driver.cuMemcpyDtoH(to, address_of(from), bytes));
    case cudaMemcpyDeviceToDevice:
        return runtime_end(driver.cuMemcpyDtoD(address_of(to), address_of(from), bytes));
    case cudaMemcpyHostToHost:
    case cudaMemcpyDefault:
        return runtime_end(driver.cuMemcpy(address_of(to), address_of(from), bytes));
    default:
        return runtime_fail(cudaErrorInvalidMemcpyDirection);
    }
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    ENTER_RUNTIME();
    if (!bytes)
        return cudaSuccess;
    switch ((int)kind) {
    case cudaMemcpyHostToDevice:
        return runtime_end(driver.cuMemcpyHtoDAsync(address_of(to), from, bytes, stream));
    case cudaMemcpyDeviceToHost:
        return runtime_end(driver.cuMemcpyDtoHAsync(to, address_of(from), bytes, stream));
    case cudaMemcpyDeviceToDevice:
        return runtime_end(driver.cuMemcpyDtoDAsync(address_of(to), address_of(from), bytes, stream));
    case cudaMemcpyHostToHost:
    case cudaMemcpyDefault:
        return runtime_end(driver.cuMemcpyAsync(address_of(to), address_of(from), bytes, stream));
    default:
        return runtime_fail(cudaErrorInvalidMemcpyDirection);
    }
}

static cudaError_t translate_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width_bytes,
                                size_t height, enum cudaMemcpyKind kind, CUDA_MEMCPY2D *copy)
{
    struct copy_types types = {.to = CU_MEMORYTYPE_UNIFIED, .from = CU_MEMORYTYPE_UNIFIED};
    if (width_bytes && height && !copy_find_types(kind, &types))
        return cudaErrorInvalidMemcpyDirection;
    if (height > 1 && (width_bytes > to_pitch || width_bytes > from_pitch))
        return cudaErrorInvalidPitchValue; /* of a single row, the driver looks at the pitch */
    *copy = (CUDA_MEMCPY2D){
        .srcMemoryType = types.from,
        .srcHost = from,
        .srcDevice = address_of(from),
        .srcPitch = from_pitch,
        .dstMemoryType = types.to,
        .dstHost = to,
        .dstDevice = address_of(to),
        .dstPitch = to_pitch,
        .WidthInBytes = width_bytes,
        .Height = height,
    };
    return cudaSuccess;
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width_bytes,
                         size_t height, enum cudaMemcpyKind kind)
{
    ENTER_RUNTIME();
    CUDA_MEMCPY2D copy;
    cudaError_t error = translate_2d(to, to_pitch, from, from_pitch, width_bytes, height, kind, &copy);
    return error ? runtime_fail(error) : runtime_end(driver.cuMemcpy2DUnaligned(&copy));
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width_bytes,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    ENTER_RUNTIME();
    CUDA_MEMCPY2D copy;
    cudaError_t error = translate_2d(to, to_pitch, from, from_pitch, width_bytes, height, kind, &copy);
    return error ? runtime_fail(error) : runtime_end(driver.cuMemcpy2DAsync(&copy, stream));
}
