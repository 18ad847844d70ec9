/*
 * Libraries: modules that belong to no context.
 *
 * On a real device each context has its own copy of a library's variables; here all contexts share one copy, as they
 * share one memory. A CUkernel and its CUfunction are one handle.
 */
#include "cuda/driver.h"

#include "base/arena.h"

static struct library *find_library(struct driver *d, CUlibrary library)
{
    return object_find(d, OBJECT_LIBRARY, handle_of(library));
}

static struct function *find_kernel(struct driver *d, CUkernel kernel)
{
    return object_find(d, OBJECT_FUNCTION, handle_of(kernel));
}

void library_finish(struct driver *d, struct object *object)
{
    struct library *l = (struct library *)object;
    object_destroy(d, &l->module->object);
}

static CUresult load(CUlibrary *library, const void *image, const char *path, CUjit_option *options, void **values,
                     unsigned count, const CUlibraryOption *library_options, unsigned library_count)
{
    ENTER(e, NEED_INIT);
    if (!library || (!image && !path) || (library_count && !library_options))
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < library_count; i++)
        if ((unsigned)library_options[i] >= CU_LIBRARY_NUM_OPTIONS)
            return CUDA_ERROR_INVALID_VALUE;
    struct jit_log log;
    CUresult result = jit_read_options(count, options, values, &log);
    struct module *m = NULL;
    if (!result)
        result = image ? module_load_image(e.driver, NULL, "cuLibraryLoadData", image, &log, &m)
                       : module_load_file(e.driver, NULL, "cuLibraryLoadFromFile", path, &log, &m);
    if (result)
        return result;
    struct library *l = xcalloc(1, sizeof *l);
    object_add(e.driver, &l->object, OBJECT_LIBRARY, handle_of(l), NULL);
    l->module = m;
    m->library = l;
    m->object.is_owned = true;
    *library = (CUlibrary)l;
    return CUDA_SUCCESS;
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *options, void **option_values,
                           unsigned int option_count, CUlibraryOption *library_options, void **library_option_values,
                           unsigned int library_option_count)
{
    (void)library_option_values;
    return load(library, image, NULL, options, option_values, option_count, library_options, library_option_count);
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *options, void **option_values,
                               unsigned int option_count, CUlibraryOption *library_options,
                               void **library_option_values, unsigned int library_option_count)
{
    (void)library_option_values;
    return load(library, NULL, path, options, option_values, option_count, library_options, library_option_count);
}

CUresult cuLibraryUnload(CUlibrary library)
{
    ENTER(e, NEED_INIT);
    struct library *l = find_library(e.driver, library);
    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    object_destroy(e.driver, &l->object);
    return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
    ENTER(e, NEED_INIT);
    if (!kernel || !name)
        return CUDA_ERROR_INVALID_VALUE;
    struct library *l = find_library(e.driver, library);
    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    return module_find_function(e.driver, l->module, name, (struct function **)kernel);
}

CUresult cuLibraryGetKernelCount(unsigned int *count, CUlibrary library)
{
    ENTER(e, NEED_INIT);
    if (!count)
        return CUDA_ERROR_INVALID_VALUE;
    struct library *l = find_library(e.driver, library);
    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    *count = module_count_kernels(l->module);
    return CUDA_SUCCESS;
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int count, CUlibrary library)
{
    ENTER(e, NEED_INIT);
    if (!kernels)
        return CUDA_ERROR_INVALID_VALUE;
    struct library *l = find_library(e.driver, library);
    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    return module_list_kernels(e.driver, l->module, (struct function **)kernels, count);
}

CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library)
{
    ENTER(e, NEED_CONTEXT);
    if (!module)
        return CUDA_ERROR_INVALID_VALUE;
    struct library *l = find_library(e.driver, library);
    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    *module = (CUmodule)l->module;
    return CUDA_SUCCESS;
}

CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name)
{
    ENTER(e, NEED_CONTEXT);
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    struct library *l = find_library(e.driver, library);
    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    return module_find_global(l->module, name, address, bytes);
}

/* A managed variable has one address for the host and all devices, and needs no context. */
CUresult cuLibraryGetManaged(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name)
{
    ENTER(e, NEED_INIT);
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    struct library *l = find_library(e.driver, library);
    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    const struct ptx_variable *v = ptx_find_variable(l->module->ptx, name);
    return v && v->is_managed ? module_find_global(l->module, name, address, bytes) : CUDA_ERROR_NOT_FOUND;
}

/* A unified function pointer can be called on the host and on every device. Functions of a kernel's program have values
 * here that only that program understands, so no function is unified; the search ends as one for a wrong name does. */
CUresult cuLibraryGetUnifiedFunction(void **function, CUlibrary library, const char *name)
{
    ENTER(e, NEED_INIT);
    if (!function || !name)
        return CUDA_ERROR_INVALID_VALUE;
    return find_library(e.driver, library) ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
    ENTER(e, NEED_CONTEXT);
    if (!function)
        return CUDA_ERROR_INVALID_VALUE;
    struct function *f = find_kernel(e.driver, kernel);
    if (!f)
        return CUDA_ERROR_INVALID_HANDLE;
    *function = (CUfunction)f;
    return CUDA_SUCCESS;
}

CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel)
{
    ENTER(e, NEED_INIT);
    if (!library)
        return CUDA_ERROR_INVALID_VALUE;
    struct function *f = find_kernel(e.driver, kernel);
    if (!f || !f->module->library)
        return CUDA_ERROR_INVALID_HANDLE;
    *library = (CUlibrary)f->module->library;
    return CUDA_SUCCESS;
}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device)
{
    if (!device_is_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    return cuFuncGetAttribute(value, attribute, (CUfunction)kernel);
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device)
{
    if (!device_is_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    return cuFuncSetAttribute((CUfunction)kernel, attribute, value);
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device)
{
    if (!device_is_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    return cuFuncSetCacheConfig((CUfunction)kernel, config);
}

CUresult cuKernelGetName(const char **name, CUkernel kernel)
{
    return cuFuncGetName(name, (CUfunction)kernel);
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *bytes)
{
    return cuFuncGetParamInfo((CUfunction)kernel, index, offset, bytes);
}
