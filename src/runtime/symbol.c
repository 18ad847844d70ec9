/* Variables of device code, which host code names by the address of their host symbol. */
#include "runtime/registry.h"
#include "runtime/runtime.h"

#include <stdbool.h>

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol)
{
    ENTER_RUNTIME();
    CUdeviceptr address;
    if (!pointer)
        return runtime_fail(cudaErrorInvalidValue);
    cudaError_t error = registry_find_variable(symbol, &address, NULL);
    if (!error)
        *pointer = (void *)(uintptr_t)address;
    return runtime_fail(error);
}

cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    ENTER_RUNTIME();
    if (!bytes)
        return runtime_fail(cudaErrorInvalidValue);
    return runtime_fail(registry_find_variable(symbol, NULL, bytes));
}

static bool writes_device(enum cudaMemcpyKind kind)
{
    return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault;
}

static bool reads_device(enum cudaMemcpyKind kind)
{
    return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault;
}

static cudaError_t find_target(const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind, void **part)
{
    return writes_device(kind) ? registry_find_part(symbol, bytes, offset, part) : cudaErrorInvalidMemcpyDirection;
}

static cudaError_t find_source(const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind, void **part)
{
    return reads_device(kind) ? registry_find_part(symbol, bytes, offset, part) : cudaErrorInvalidMemcpyDirection;
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind)
{
    ENTER_RUNTIME();
    void *to;
    cudaError_t error = find_target(symbol, bytes, offset, kind, &to);
    return error ? runtime_fail(error) : cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
    ENTER_RUNTIME();
    void *from;
    cudaError_t error = find_source(symbol, bytes, offset, kind, &from);
    return error ? runtime_fail(error) : cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream)
{
    ENTER_RUNTIME();
    void *to;
    cudaError_t error = find_target(symbol, bytes, offset, kind, &to);
    return error ? runtime_fail(error) : cudaMemcpyAsync(to, from, bytes, kind, stream);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    ENTER_RUNTIME();
    void *from;
    cudaError_t error = find_source(symbol, bytes, offset, kind, &from);
    return error ? runtime_fail(error) : cudaMemcpyAsync(to, from, bytes, kind, stream);
}
