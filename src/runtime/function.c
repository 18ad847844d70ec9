/* Kernels by their host symbols: attributes, names, parameters and handles. */
#include "runtime/function.h"

#include "runtime/registry.h"
#include "runtime/runtime.h"

#include <string.h>

cudaError_t function_find(const void *symbol, CUfunction *function)
{
    ENTER_RUNTIME();
    CUkernel kernel;
    cudaError_t error = registry_find_kernel(symbol, &kernel);
    return error ? runtime_fail(error) : runtime_end(driver.cuKernelGetFunction(function, kernel));
}

static const struct {
    CUfunction_attribute attribute;
    size_t offset;
    bool is_size; /* of type size_t, else int */
} attribute_table[] = {
#define SIZE(name, attribute)                                      \
    {                                                              \
        attribute, offsetof(struct cudaFuncAttributes, name), true \
    }
#define NUMBER(name, attribute)                                     \
    {                                                               \
        attribute, offsetof(struct cudaFuncAttributes, name), false \
    }
    SIZE(sharedSizeBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES),
    SIZE(constSizeBytes, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES),
    SIZE(localSizeBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES),
    NUMBER(maxThreadsPerBlock, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
    NUMBER(numRegs, CU_FUNC_ATTRIBUTE_NUM_REGS),
    NUMBER(ptxVersion, CU_FUNC_ATTRIBUTE_PTX_VERSION),
    NUMBER(binaryVersion, CU_FUNC_ATTRIBUTE_BINARY_VERSION),
    NUMBER(cacheModeCA, CU_FUNC_ATTRIBUTE_CACHE_MODE_CA),
    NUMBER(maxDynamicSharedSizeBytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES),
    NUMBER(preferredShmemCarveout, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT),
    NUMBER(clusterDimMustBeSet, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET),
    NUMBER(requiredClusterWidth, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH),
    NUMBER(requiredClusterHeight, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT),
    NUMBER(requiredClusterDepth, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH),
    NUMBER(clusterSchedulingPolicyPreference, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE),
    NUMBER(nonPortableClusterSizeAllowed, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED),
#undef SIZE
#undef NUMBER
};

cudaError_t function_read_attributes(void *attributes, size_t bytes, const void *symbol)
{
    CUfunction function;
    cudaError_t error = attributes ? function_find(symbol, &function) : runtime_fail(cudaErrorInvalidValue);
    if (error)
        return error;
    struct cudaFuncAttributes all = {0};
    for (size_t i = 0; i < sizeof attribute_table / sizeof attribute_table[0]; i++) {
        int value = 0;
        CUresult result = driver.cuFuncGetAttribute(&value, attribute_table[i].attribute, function);
        if (result)
            return runtime_end(result);
        char *at = (char *)&all + attribute_table[i].offset;
        if (attribute_table[i].is_size)
            *(size_t *)at = (size_t)value;
        else
            *(int *)at = value;
    }
    memcpy(attributes, &all, bytes);
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *symbol, enum cudaFuncAttribute attribute, int value)
{
    CUfunction function;
    cudaError_t error = function_find(symbol, &function);
    return error ? error : runtime_end(driver.cuFuncSetAttribute(function, (CUfunction_attribute)attribute, value));
}

cudaError_t cudaFuncSetCacheConfig(const void *symbol, enum cudaFuncCache config)
{
    CUfunction function;
    cudaError_t error = function_find(symbol, &function);
    return error ? error : runtime_end(driver.cuFuncSetCacheConfig(function, (CUfunc_cache)config));
}

cudaError_t cudaFuncSetSharedMemConfig(const void *symbol, enum cudaSharedMemConfig config)
{
    CUfunction function;
    cudaError_t error = function_find(symbol, &function);
    return error ? error : runtime_end(driver.cuFuncSetSharedMemConfig(function, (CUsharedconfig)config));
}

cudaError_t cudaFuncGetName(const char **name, const void *symbol)
{
    CUfunction function;
    cudaError_t error = function_find(symbol, &function);
    return error ? error : runtime_end(driver.cuFuncGetName(name, function));
}

cudaError_t cudaFuncGetParamInfo(const void *symbol, size_t index, size_t *offset, size_t *bytes)
{
    CUfunction function;
    cudaError_t error = function_find(symbol, &function);
    return error ? error : runtime_end(driver.cuFuncGetParamInfo(function, index, offset, bytes));
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol)
{
    return function ? function_find(symbol, (CUfunction *)function) : runtime_fail(cudaErrorInvalidValue);
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute, int value,
                                            int device)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuKernelSetAttribute((CUfunction_attribute)attribute, value, (CUkernel)kernel, device));
}
