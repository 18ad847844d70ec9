/*
 * Launches: f<<<...>>>() in its two halves, and the calls that name a kernel by its host symbol.
 *
 * The driver has one error code for all wrong arguments of a launch; the runtime had, before CUDA 13, another one for a
 * shape that no kernel could have.
 */
#include "runtime/launch.h"

#include "runtime/registry.h"
#include "runtime/runtime.h"

#include <limits.h>

/* f<<<shape>>>(arguments) becomes a push of the shape, the evaluation of the arguments, and a call of f's host stub,
 * which pops the shape. Not 0: the shape cannot be kept, and the stub is not called. */
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, struct CUstream_st *stream)
{
    struct runtime_thread *t = runtime_thread();
    if (t->shape_count == RUNTIME_CONFIG_DEPTH) {
        runtime_fail(cudaErrorMissingConfiguration);
        return 1;
    }
    t->shapes[t->shape_count++] = (struct launch_shape){grid, block, shared_bytes, stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream)
{
    struct runtime_thread *t = runtime_thread();
    if (!t->shape_count)
        return runtime_fail(cudaErrorMissingConfiguration);
    const struct launch_shape *shape = &t->shapes[--t->shape_count];
    *grid = shape->grid;
    *block = shape->block;
    *shared_bytes = shape->shared_bytes;
    *(cudaStream_t *)stream = shape->stream;
    return cudaSuccess;
}

static bool is_within(unsigned value, CUdevice_attribute most)
{
    int limit = 0;
    return value && !driver.cuDeviceGetAttribute(&limit, most, 0) && value <= (unsigned)limit;
}

/* Whether the device can run blocks and grids of this shape, whatever the kernel. */
static bool shape_is_possible(dim3 grid, dim3 block)
{
    unsigned long long threads = (unsigned long long)block.x * block.y * block.z;
    return is_within(block.x, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X) &&
           is_within(block.y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y) &&
           is_within(block.z, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z) &&
           is_within(threads > UINT_MAX ? UINT_MAX : (unsigned)threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK) &&
           is_within(grid.x, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X) &&
           is_within(grid.y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y) &&
           is_within(grid.z, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
}

static cudaError_t end_launch(CUresult result, dim3 grid, dim3 block)
{
    if (result == CUDA_ERROR_INVALID_VALUE && !shape_is_possible(grid, block))
        return runtime_fail(launch_shape_error());
    return runtime_end(result);
}

static CUresult launch(CUkernel kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                       cudaStream_t stream)
{
    unsigned shared = shared_bytes > UINT_MAX ? UINT_MAX : (unsigned)shared_bytes;
    return driver.cuLaunchKernel((CUfunction)kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared,
                                 (CUstream)stream, arguments, NULL);
}

/* The stub of a kernel keeps its handle. If the binary could not be loaded when the stub asked for the handle, the
 * driver does not know it, and the registry says why; or loads the binary now, if memory was short then. */
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                               cudaStream_t stream)
{
    ENTER_RUNTIME();
    CUresult result = launch((CUkernel)kernel, grid, block, arguments, shared_bytes, stream);
    if (result == CUDA_ERROR_INVALID_HANDLE) {
        CUkernel found;
        cudaError_t error = registry_find_kernel(kernel, &found);
        if (error)
            return runtime_fail(error);
        if (found != (CUkernel)kernel)
            result = launch(found, grid, block, arguments, shared_bytes, stream);
    }
    return end_launch(result, grid, block);
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                             cudaStream_t stream)
{
    ENTER_RUNTIME();
    CUkernel kernel;
    cudaError_t error = registry_find_kernel(function, &kernel);
    return error ? runtime_fail(error)
                 : __cudaLaunchKernel((cudaKernel_t)kernel, grid, block, arguments, shared_bytes, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                        size_t shared_bytes, cudaStream_t stream)
{
    ENTER_RUNTIME();
    CUkernel kernel;
    cudaError_t error = registry_find_kernel(function, &kernel);
    if (error)
        return runtime_fail(error);
    CUresult result = driver.cuLaunchCooperativeKernel(
        (CUfunction)kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z,
        shared_bytes > UINT_MAX ? UINT_MAX : (unsigned)shared_bytes, (CUstream)stream, arguments);
    return end_launch(result, grid, block);
}

void launch_translate(const cudaLaunchConfig_t *from, CUlaunchConfig *to)
{
    _Static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute), "one layout serves both APIs");
    size_t shared = from->dynamicSmemBytes;
    *to = (CUlaunchConfig){.gridDimX = from->gridDim.x,
                           .gridDimY = from->gridDim.y,
                           .gridDimZ = from->gridDim.z,
                           .blockDimX = from->blockDim.x,
                           .blockDimY = from->blockDim.y,
                           .blockDimZ = from->blockDim.z,
                           .sharedMemBytes = shared > UINT_MAX ? UINT_MAX : (unsigned)shared,
                           .hStream = (CUstream)from->stream,
                           .attrs = (CUlaunchAttribute *)from->attrs,
                           .numAttrs = from->numAttrs};
}

cudaError_t launch_with_config(const cudaLaunchConfig_t *config, const void *function, void **arguments,
                               cudaStream_t stream)
{
    ENTER_RUNTIME();
    CUkernel kernel;
    CUlaunchConfig translated;
    cudaError_t error = registry_find_kernel(function, &kernel);
    if (error)
        return runtime_fail(error);
    launch_translate(config, &translated);
    translated.hStream = (CUstream)stream;
    return end_launch(driver.cuLaunchKernelEx(&translated, (CUfunction)kernel, arguments, NULL), config->gridDim,
                      config->blockDim);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments)
{
    return config ? launch_with_config(config, function, arguments, config->stream)
                  : runtime_fail(cudaErrorInvalidValue);
}
