/* Occupancy of kernels that are named by their host symbols. */
#include "runtime/function.h"
#include "runtime/launch.h"
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
    CUfunction function;
    cudaError_t error = function_find(symbol, &function);
    if (error)
        return error;
    return runtime_end(driver.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_threads,
                                                                                   shared_bytes, flags));
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared_bytes, const void *symbol, int blocks,
                                                      int block_threads)
{
    CUfunction function;
    cudaError_t error = function_find(symbol, &function);
    if (error)
        return error;
    return runtime_end(driver.cuOccupancyAvailableDynamicSMemPerBlock(shared_bytes, function, blocks, block_threads));
}

/* Calls on clusters give the launch's description to the driver, in the driver's form. */
static cudaError_t ask(int *answer, const void *symbol, const cudaLaunchConfig_t *config,
                       CUresult (*call)(int *, CUfunction, const CUlaunchConfig *))
{
    CUfunction function;
    CUlaunchConfig translated;
    cudaError_t error = function_find(symbol, &function);
    if (error)
        return error;
    if (!config)
        return runtime_fail(cudaErrorInvalidValue);
    launch_translate(config, &translated);
    return runtime_end(call(answer, function, &translated));
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *symbol, const cudaLaunchConfig_t *config)
{
    cudaError_t error = runtime_begin();
    return error ? error : ask(clusters, symbol, config, driver.cuOccupancyMaxActiveClusters);
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *blocks, const void *symbol, const cudaLaunchConfig_t *config)
{
    cudaError_t error = runtime_begin();
    return error ? error : ask(blocks, symbol, config, driver.cuOccupancyMaxPotentialClusterSize);
}
