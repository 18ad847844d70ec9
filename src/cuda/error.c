/* Error codes of the driver API: their names and meanings. */
#include "cuda/driver.h"

struct error_row {
    CUresult code;
    const char *name, *text;
};

#define ROW(code, text)   \
    {                     \
        code, #code, text \
    }

static const struct error_row error_table[] = {
    ROW(CUDA_SUCCESS, "no error"),
    ROW(CUDA_ERROR_INVALID_VALUE, "an argument has a value that is not allowed"),
    ROW(CUDA_ERROR_OUT_OF_MEMORY, "not enough memory"),
    ROW(CUDA_ERROR_NOT_INITIALIZED, "cuInit was not called"),
    ROW(CUDA_ERROR_DEINITIALIZED, "the driver is shutting down"),
    ROW(CUDA_ERROR_PROFILER_DISABLED, "the profiler is disabled"),
    ROW(CUDA_ERROR_PROFILER_NOT_INITIALIZED, "the profiler was not initialised"),
    ROW(CUDA_ERROR_PROFILER_ALREADY_STARTED, "the profiler already runs"),
    ROW(CUDA_ERROR_PROFILER_ALREADY_STOPPED, "the profiler is already stopped"),
    ROW(CUDA_ERROR_STUB_LIBRARY, "the program was linked with a stub and found no driver"),
    ROW(CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER, "the call needs a newer driver"),
    ROW(CUDA_ERROR_DEVICE_UNAVAILABLE, "the device cannot be used now"),
    ROW(CUDA_ERROR_NO_DEVICE, "there is no device"),
    ROW(CUDA_ERROR_INVALID_DEVICE, "there is no device of that number"),
    ROW(CUDA_ERROR_DEVICE_NOT_LICENSED, "the device is not licensed"),
    ROW(CUDA_ERROR_INVALID_IMAGE, "the module's image is not valid"),
    ROW(CUDA_ERROR_INVALID_CONTEXT, "no context is current, or it is not valid"),
    ROW(CUDA_ERROR_CONTEXT_ALREADY_CURRENT, "the context is current already"),
    ROW(CUDA_ERROR_MAP_FAILED, "mapping failed"),
    ROW(CUDA_ERROR_UNMAP_FAILED, "unmapping failed"),
    ROW(CUDA_ERROR_ARRAY_IS_MAPPED, "the array is mapped and cannot be destroyed"),
    ROW(CUDA_ERROR_ALREADY_MAPPED, "the resource is mapped already"),
    ROW(CUDA_ERROR_NO_BINARY_FOR_GPU, "the image holds no code that this device can run"),
    ROW(CUDA_ERROR_ALREADY_ACQUIRED, "the resource was acquired already"),
    ROW(CUDA_ERROR_NOT_MAPPED, "the resource is not mapped"),
    ROW(CUDA_ERROR_NOT_MAPPED_AS_ARRAY, "the resource is not mapped as an array"),
    ROW(CUDA_ERROR_NOT_MAPPED_AS_POINTER, "the resource is not mapped as a pointer"),
    ROW(CUDA_ERROR_ECC_UNCORRECTABLE, "a memory error could not be corrected"),
    ROW(CUDA_ERROR_UNSUPPORTED_LIMIT, "the device has no such limit"),
    ROW(CUDA_ERROR_CONTEXT_ALREADY_IN_USE, "the context is in use by another thread"),
    ROW(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, "the devices cannot reach each other's memory"),
    ROW(CUDA_ERROR_INVALID_PTX, "the PTX does not compile"),
    ROW(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, "the graphics context is not valid"),
    ROW(CUDA_ERROR_NVLINK_UNCORRECTABLE, "an error on a link could not be corrected"),
    ROW(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, "the PTX compiler was not found"),
    ROW(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "the PTX is of a version that is not supported"),
    ROW(CUDA_ERROR_JIT_COMPILATION_DISABLED, "compiling PTX is disabled"),
    ROW(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, "the execution affinity is not supported"),
    ROW(CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC, "synchronising from within a kernel is not supported"),
    ROW(CUDA_ERROR_CONTAINED, "an error was contained to the process"),
    ROW(CUDA_ERROR_INVALID_SOURCE, "the kernel's source is not valid"),
    ROW(CUDA_ERROR_FILE_NOT_FOUND, "the file was not found"),
    ROW(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, "a symbol of a shared object was not found"),
    ROW(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, "a shared object could not be initialised"),
    ROW(CUDA_ERROR_OPERATING_SYSTEM, "the operating system refused"),
    ROW(CUDA_ERROR_INVALID_HANDLE, "the handle is not a valid one"),
    ROW(CUDA_ERROR_ILLEGAL_STATE, "something is not in the state that the call needs"),
    ROW(CUDA_ERROR_LOSSY_QUERY, "the answer would lose information"),
    ROW(CUDA_ERROR_NOT_FOUND, "no such name was found"),
    ROW(CUDA_ERROR_NOT_READY, "not finished yet"),
    ROW(CUDA_ERROR_ILLEGAL_ADDRESS, "a kernel accessed memory that is not there"),
    ROW(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "the launch needs more than the device has"),
    ROW(CUDA_ERROR_LAUNCH_TIMEOUT, "a kernel ran too long, or for ever"),
    ROW(CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING, "the kernel uses an incompatible texturing mode"),
    ROW(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "access to the peer is enabled already"),
    ROW(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "access to the peer is not enabled"),
    ROW(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, "the primary context is active already"),
    ROW(CUDA_ERROR_CONTEXT_IS_DESTROYED, "the context is destroyed"),
    ROW(CUDA_ERROR_ASSERT, "an assertion in a kernel failed"),
    ROW(CUDA_ERROR_TOO_MANY_PEERS, "too many peers"),
    ROW(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "the host memory is registered already"),
    ROW(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "the host memory is not registered"),
    ROW(CUDA_ERROR_HARDWARE_STACK_ERROR, "a kernel's stack overflowed"),
    ROW(CUDA_ERROR_ILLEGAL_INSTRUCTION, "a kernel came to an illegal instruction"),
    ROW(CUDA_ERROR_MISALIGNED_ADDRESS, "a kernel used an address that is not aligned"),
    ROW(CUDA_ERROR_INVALID_ADDRESS_SPACE, "a kernel used an address of the wrong space"),
    ROW(CUDA_ERROR_INVALID_PC, "a kernel jumped to nowhere"),
    ROW(CUDA_ERROR_LAUNCH_FAILED, "a kernel failed"),
    ROW(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "the cooperative launch has more blocks than fit at once"),
    ROW(CUDA_ERROR_TENSOR_MEMORY_LEAK, "a kernel ended without freeing its tensor memory"),
    ROW(CUDA_ERROR_NOT_PERMITTED, "not permitted"),
    ROW(CUDA_ERROR_NOT_SUPPORTED, "not supported"),
    ROW(CUDA_ERROR_SYSTEM_NOT_READY, "the system is not ready"),
    ROW(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "driver versions do not match"),
    ROW(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, "the device does not support forward compatibility"),
    ROW(CUDA_ERROR_MPS_CONNECTION_FAILED, "no connection to the multi-process server"),
    ROW(CUDA_ERROR_MPS_RPC_FAILURE, "a call of the multi-process server failed"),
    ROW(CUDA_ERROR_MPS_SERVER_NOT_READY, "the multi-process server is not ready"),
    ROW(CUDA_ERROR_MPS_MAX_CLIENTS_REACHED, "the multi-process server has its most clients"),
    ROW(CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED, "the multi-process server has its most connections"),
    ROW(CUDA_ERROR_MPS_CLIENT_TERMINATED, "the multi-process client was ended"),
    ROW(CUDA_ERROR_CDP_NOT_SUPPORTED, "launching from within a kernel is not supported"),
    ROW(CUDA_ERROR_CDP_VERSION_MISMATCH, "versions of launching from within kernels differ"),
    ROW(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "not allowed while a stream is captured"),
    ROW(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "the capture became invalid"),
    ROW(CUDA_ERROR_STREAM_CAPTURE_MERGE, "the call would merge two captures"),
    ROW(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "the capture was not begun in this stream"),
    ROW(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "the capture holds a fork that was not joined"),
    ROW(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "a dependency would leave the capture"),
    ROW(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "a capture would depend on the default stream"),
    ROW(CUDA_ERROR_CAPTURED_EVENT, "the event was recorded in a captured stream"),
    ROW(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, "the capture was begun by another thread"),
    ROW(CUDA_ERROR_TIMEOUT, "the time for it ran out"),
    ROW(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "the graph differs too much to be updated"),
    ROW(CUDA_ERROR_EXTERNAL_DEVICE, "another device failed"),
    ROW(CUDA_ERROR_INVALID_CLUSTER_SIZE, "the cluster's size is not allowed"),
    ROW(CUDA_ERROR_FUNCTION_NOT_LOADED, "the function is not loaded"),
    ROW(CUDA_ERROR_INVALID_RESOURCE_TYPE, "the resource is of the wrong type"),
    ROW(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, "the resource's configuration is not valid"),
    ROW(CUDA_ERROR_KEY_ROTATION, "the encryption key must be renewed"),
    ROW(CUDA_ERROR_UNKNOWN, "unknown error"),
};

static const struct error_row *find_error(CUresult error)
{
    for (size_t i = 0; i < sizeof error_table / sizeof error_table[0]; i++)
        if (error_table[i].code == error)
            return &error_table[i];
    return NULL;
}

CUresult cuGetErrorName(CUresult error, const char **name)
{
    const struct error_row *row = find_error(error);
    if (name)
        *name = row ? row->name : NULL;
    return row && name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
    const struct error_row *row = find_error(error);
    if (text)
        *text = row ? row->text : NULL;
    return row && text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
