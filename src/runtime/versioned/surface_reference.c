/*
 * See surface_reference.h. A reference is one of the driver's (cuSurfRef*). The description of an element, which the
 * program gives beside the array, is not compared with the array's: kernels address surfaces in bytes.
 */
#include "runtime/versioned/surface_reference.h"

#include "runtime/registry.h"
#include "runtime/runtime.h"

#if RUNTIME_MAJOR < 12

/* As for textures (texture_reference.c), the name in the PTX stands in place of an address. */
void __cudaRegisterSurface(void **handle, const struct surfaceReference *host, const void **device, const char *name,
                           int dimensions, int is_extern)
{
    (void)dimensions, (void)is_extern;
    registry_add_surface(handle, host, device ? (const char *)device : name);
}

cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *surface, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *element)
{
    ENTER_RUNTIME();
    CUsurfref reference;
    if (!surface || !element)
        return runtime_fail(cudaErrorInvalidValue);
    cudaError_t error = registry_find_surface(surface, &reference);
    return error ? runtime_fail(error) : runtime_end(driver.cuSurfRefSetArray(reference, (CUarray)array, 0));
}

cudaError_t cudaGetSurfaceReference(const struct surfaceReference **surface, const void *symbol)
{
    ENTER_RUNTIME();
    CUsurfref reference;
    if (!surface)
        return runtime_fail(cudaErrorInvalidValue);
    cudaError_t error = registry_find_surface(symbol, &reference);
    if (!error)
        *surface = symbol;
    return runtime_fail(error);
}

#endif
