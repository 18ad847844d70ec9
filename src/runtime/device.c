/* The device: choosing, synchronising, resetting and describing it. */
#include "runtime/runtime.h"

cudaError_t cudaDeviceSynchronize(void)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuCtxSynchronize());
}
