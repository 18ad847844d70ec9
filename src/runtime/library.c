/* Libraries: modules that a program loads itself, by the runtime API. */
#include "runtime/runtime.h"

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, enum cudaJitOption *options,
                                void **option_values, unsigned int option_count,
                                enum cudaLibraryOption *library_options, void **library_option_values,
                                unsigned int library_option_count)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuLibraryLoadData((CUlibrary *)library, code, (CUjit_option *)options, option_values,
                                                option_count, (CUlibraryOption *)library_options, library_option_values,
                                                library_option_count));
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path, enum cudaJitOption *options,
                                    void **option_values, unsigned int option_count,
                                    enum cudaLibraryOption *library_options, void **library_option_values,
                                    unsigned int library_option_count)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuLibraryLoadFromFile((CUlibrary *)library, path, (CUjit_option *)options, option_values,
                                                    option_count, (CUlibraryOption *)library_options,
                                                    library_option_values, library_option_count));
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuLibraryUnload((CUlibrary)library));
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuLibraryGetKernel((CUkernel *)kernel, (CUlibrary)library, name));
}

cudaError_t cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t library)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuLibraryGetKernelCount(count, (CUlibrary)library));
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int count, cudaLibrary_t library)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuLibraryEnumerateKernels((CUkernel *)kernels, count, (CUlibrary)library));
}

cudaError_t cudaLibraryGetGlobal(void **address, size_t *bytes, cudaLibrary_t library, const char *name)
{
    ENTER_RUNTIME();
    CUdeviceptr found = 0;
    CUresult result = driver.cuLibraryGetGlobal(&found, bytes, (CUlibrary)library, name);
    if (!result && address)
        *address = (void *)(uintptr_t)found;
    return runtime_end(result);
}

cudaError_t cudaLibraryGetManaged(void **address, size_t *bytes, cudaLibrary_t library, const char *name)
{
    ENTER_RUNTIME();
    CUdeviceptr found = 0;
    CUresult result = driver.cuLibraryGetManaged(&found, bytes, (CUlibrary)library, name);
    if (!result && address)
        *address = (void *)(uintptr_t)found;
    return runtime_end(result);
}

cudaError_t cudaLibraryGetUnifiedFunction(void **function, cudaLibrary_t library, const char *name)
{
    ENTER_RUNTIME();
    return runtime_end(driver.cuLibraryGetUnifiedFunction(function, (CUlibrary)library, name));
}
