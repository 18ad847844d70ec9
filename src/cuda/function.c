/* Functions: kernels of a loaded module, decoded when they are first needed, and their attributes. */
#include "cuda/driver.h"

#include <stdlib.h>
#include <string.h>

static struct function *find_function(struct driver *d, CUfunction function)
{
    return object_find(d, OBJECT_FUNCTION, handle_of(function));
}

void function_finish(struct driver *d, struct object *object)
{
    (void)d;
    struct function *f = (struct function *)object;
    if (f->code)
        code_destroy(f->code);
    free(f->old_launch);
}

void function_set_defaults(struct function *f)
{
    f->max_dynamic_shared_bytes = -1;
    f->carveout = CU_SHAREDMEM_CARVEOUT_DEFAULT;
}

CUresult function_program(struct function *f, const struct program **program)
{
    if (!f->code) {
        char *error = NULL;
        f->code = code_create(f->kernel, f->module->image, &error);
        if (!f->code) {
            driver_complain("kernel %s cannot run: %s", f->kernel->name, error);
            free(error);
            return CUDA_ERROR_NOT_SUPPORTED;
        }
    }
    *program = code_program(f->code);
    return CUDA_SUCCESS;
}

static unsigned product(const uint32_t dimension[3])
{
    return dimension[0] ? dimension[0] * (dimension[1] ? dimension[1] : 1) * (dimension[2] ? dimension[2] : 1) : 0;
}

unsigned function_max_threads(const struct function *f)
{
    unsigned given = product(f->kernel->limits.required_threads);
    if (!given)
        given = product(f->kernel->limits.max_threads);
    return given && given < LAUNCH_MAX_THREADS ? given : LAUNCH_MAX_THREADS;
}

/* The most dynamic shared memory of a launch. Unless the program has opted in to more, static and dynamic shared memory
 * together have DEVICE_DEFAULT_SHARED_BYTES. */
unsigned function_max_dynamic_shared(const struct function *f, const struct layout *layout)
{
    if (f->max_dynamic_shared_bytes >= 0)
        return (unsigned)f->max_dynamic_shared_bytes;
    return layout->static_shared_bytes < DEVICE_DEFAULT_SHARED_BYTES
               ? DEVICE_DEFAULT_SHARED_BYTES - layout->static_shared_bytes
               : 0;
}

/* The number of a target: 90 of "sm_90a". */
static int target_number(const struct ptx_module *ptx)
{
    const char *underscore = ptx->target ? strchr(ptx->target, '_') : NULL;
    return underscore ? atoi(underscore + 1) : 0;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
    ENTER(e, NEED_INIT);
    if (!value || (unsigned)attribute >= CU_FUNC_ATTRIBUTE_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    struct function *f = find_function(e.driver, function);
    if (!f)
        return CUDA_ERROR_INVALID_HANDLE;
    const struct program *p;
    CUresult result = function_program(f, &p);
    if (result)
        return result;
    const struct ptx_limits *limits = &f->kernel->limits;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = (int)function_max_threads(f);
        break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = (int)p->layout->static_shared_bytes;
        break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *value = (int)f->module->image->constant_bytes;
        break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = (int)p->stack_bytes;
        break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = p->register_count;
        break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        *value = target_number(f->module->ptx);
        break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = 10 * device_attribute(e.driver, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                 device_attribute(e.driver, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
        break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = (int)function_max_dynamic_shared(f, p->layout);
        break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = f->carveout;
        break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
        *value = limits->explicit_cluster;
        break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        *value = f->has_wide_clusters;
        break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
        *value = (int)limits->required_cluster[0];
        break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
        *value = (int)limits->required_cluster[1];
        break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
        *value = (int)limits->required_cluster[2];
        break;
    default:
        *value = 0;
    }
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    ENTER(e, NEED_INIT);
    struct function *f = find_function(e.driver, function);
    if (!f)
        return CUDA_ERROR_INVALID_HANDLE;
    const struct program *p;
    CUresult result;
    switch ((int)attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        result = function_program(f, &p);
        if (result)
            return result;
        if (value < 0 || (uint64_t)value + p->layout->static_shared_bytes > LAUNCH_MAX_SHARED_BYTES)
            return CUDA_ERROR_INVALID_VALUE;
        f->max_dynamic_shared_bytes = value;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        if (value < CU_SHAREDMEM_CARVEOUT_DEFAULT || value > CU_SHAREDMEM_CARVEOUT_MAX_SHARED)
            return CUDA_ERROR_INVALID_VALUE;
        f->carveout = value;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        f->has_wide_clusters = value != 0;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        return CUDA_SUCCESS; /* clusters run in one order */
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config)
{
    ENTER(e, NEED_INIT);
    if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL)
        return CUDA_ERROR_INVALID_VALUE;
    return find_function(e.driver, function) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config)
{
    ENTER(e, NEED_INIT);
    if ((unsigned)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
        return CUDA_ERROR_INVALID_VALUE;
    return find_function(e.driver, function) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction function)
{
    ENTER(e, NEED_INIT);
    if (!module)
        return CUDA_ERROR_INVALID_VALUE;
    struct function *f = find_function(e.driver, function);
    if (!f)
        return CUDA_ERROR_INVALID_HANDLE;
    *module = (CUmodule)f->module;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetName(const char **name, CUfunction function)
{
    ENTER(e, NEED_INIT);
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    struct function *f = find_function(e.driver, function);
    if (!f)
        return CUDA_ERROR_INVALID_HANDLE;
    *name = f->kernel->name;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes)
{
    ENTER(e, NEED_INIT);
    if (!offset)
        return CUDA_ERROR_INVALID_VALUE;
    struct function *f = find_function(e.driver, function);
    if (!f)
        return CUDA_ERROR_INVALID_HANDLE;
    if (index >= (size_t)ptx_given_parameters(f->kernel))
        return CUDA_ERROR_INVALID_VALUE;
    const struct program *p;
    CUresult result = function_program(f, &p);
    if (result)
        return result;
    *offset = (size_t)p->layout->frame[f->kernel->index].formal_offset[index];
    if (bytes)
        *bytes = f->kernel->parameters[index]->size_bytes;
    return CUDA_SUCCESS;
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function)
{
    ENTER(e, NEED_INIT);
    if (!state)
        return CUDA_ERROR_INVALID_VALUE;
    struct function *f = find_function(e.driver, function);
    if (!f)
        return CUDA_ERROR_INVALID_HANDLE;
    *state = f->code ? CU_FUNCTION_LOADING_STATE_LOADED : CU_FUNCTION_LOADING_STATE_UNLOADED;
    return CUDA_SUCCESS;
}

CUresult cuFuncLoad(CUfunction function)
{
    ENTER(e, NEED_INIT);
    struct function *f = find_function(e.driver, function);
    const struct program *p;
    return f ? function_program(f, &p) : CUDA_ERROR_INVALID_HANDLE;
}
