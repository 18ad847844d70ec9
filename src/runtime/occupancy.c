/* Occupancy of kernels that are named by their host symbols. */
#include "runtime/registry.h"
#include "runtime/runtime.h"

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *symbol, int block_threads,
                                                          size_t shared_bytes)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, symbol, block_threads, shared_bytes,
                                                                  cudaOccupancyDefault);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *symbol, int block_threads,
                                                                   size_t shared_bytes, unsigned int flags)
{
    ENTER_RUNTIME();
    CUkernel kernel;
    cudaError_t error = registry_find_kernel(symbol, &kernel);
    if (error)
        return runtime_fail(error);
    return runtime_end(driver.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (CUfunction)kernel,
                                                                                   block_threads, shared_bytes, flags));
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared_bytes, const void *symbol, int blocks,
                                                      int block_threads)
{
    ENTER_RUNTIME();
    CUkernel kernel;
    cudaError_t error = registry_find_kernel(symbol, &kernel);
    if (error)
        return runtime_fail(error);
    return runtime_end(
        driver.cuOccupancyAvailableDynamicSMemPerBlock(shared_bytes, (CUfunction)kernel, blocks, block_threads));
}
