/* Errors of launches that CUDA 13 gives other numbers than earlier versions do. */
#include "runtime/launch.h"

cudaError_t launch_shape_error(void)
{
    return RUNTIME_MAJOR >= 13 ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;
}

cudaError_t launch_symbol_error(void)
{
    return RUNTIME_MAJOR >= 13 ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;
}
