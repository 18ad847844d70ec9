/* Launches: f<<<...>>>() in its two halves, and the calls that name a kernel by its host symbol. */
#include "runtime/launch.h"

#include "runtime/registry.h"
#include "runtime/runtime.h"

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

static cudaError_t launch(CUkernel kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                          cudaStream_t stream)
{
    if (!kernel)
        return runtime_fail(cudaErrorInvalidDeviceFunction);
    return runtime_end(driver.cuLaunchKernel((CUfunction)kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                             (unsigned)shared_bytes, (CUstream)stream, arguments, NULL));
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                               cudaStream_t stream)
{
    ENTER_RUNTIME();
    return launch((CUkernel)kernel, grid, block, arguments, shared_bytes, stream);
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                             cudaStream_t stream)
{
    ENTER_RUNTIME();
    CUkernel kernel;
    cudaError_t error = registry_find_kernel(function, &kernel);
    if (error)
        return runtime_fail(error);
    return launch(kernel, grid, block, arguments, shared_bytes, stream);
}
