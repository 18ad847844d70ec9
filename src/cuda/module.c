/*
 * Modules: PTX, parsed, linked if it has several parts, and placed in the device's memory.
 *
 * PTX comes as text or in fat binaries. Machine code of a real GPU is refused, with a message that says how to compile
 * for heddle.
 */
#include "cuda/graph.h"

#include "base/arena.h"
#include "ptx/load.h"
#include "run/prepare.h"

#include <stdlib.h>
#include <string.h>

/* Reads where to write messages. Options for a compiler are accepted and ignored, because heddle has none. */
CUresult jit_read_options(unsigned count, const CUjit_option *options, void **values, struct jit_log *log)
{
    *log = (struct jit_log){0};
    if (count && (!options || !values))
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) {
        switch ((int)options[i]) {
        case CU_JIT_ERROR_LOG_BUFFER:
            log->error = values[i];
            break;
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
            log->error_bytes = (uint32_t)(uintptr_t)values[i];
            log->error_size = &values[i];
            break;
        case CU_JIT_INFO_LOG_BUFFER:
            log->info = values[i];
            break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
            log->info_bytes = (uint32_t)(uintptr_t)values[i];
            log->info_size = &values[i];
            break;
        default:
            if ((unsigned)options[i] >= CU_JIT_NUM_OPTIONS)
                return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return CUDA_SUCCESS;
}

static void write_log(char *buffer, size_t bytes, void **size, const char *text)
{
    size_t length = 0;
    if (buffer && bytes) {
        length = strlen(text);
        if (length > bytes - 1)
            length = bytes - 1;
        memcpy(buffer, text, length);
        buffer[length] = '\0';
    }
    if (size)
        *size = (void *)(uintptr_t)length;
}

void jit_report(const struct jit_log *log, const char *call, const char *text)
{
    write_log(log->error, log->error_bytes, log->error_size, text);
    write_log(log->info, log->info_bytes, log->info_size, "");
    size_t length = strlen(text);
    length -= length && text[length - 1] == '\n'; /* driver_complain() ends the line */
    if (length && !(log->error && log->error_bytes))
        driver_complain("%s: %.*s", call, (int)length, text);
}

CUresult jit_refuse(struct ptx_failure *failure, const struct jit_log *log, const char *call)
{
    static const CUresult results[] = {[FAILURE_TEXT] = CUDA_ERROR_INVALID_PTX,
                                       [FAILURE_LINK] = CUDA_ERROR_UNKNOWN, /* as NVIDIA's linker */
                                       [FAILURE_DATA] = CUDA_ERROR_INVALID_IMAGE,
                                       [FAILURE_CODE] = CUDA_ERROR_NO_BINARY_FOR_GPU,
                                       [FAILURE_FILE] = CUDA_ERROR_FILE_NOT_FOUND};
    /* That there is no such file, the error code says. */
    jit_report(log, call, failure->kind == FAILURE_FILE ? "" : failure->text.data);
    text_free(&failure->text);
    return results[failure->kind];
}

static CUresult load(struct driver *d, struct context *context, const char *call, struct ptx_module *ptx,
                     const struct jit_log *log, struct module **module)
{
    char *error = NULL;
    struct text link_errors = {0};
    ptx = graph_condition_link(ptx, &link_errors);
    if (!ptx) {
        jit_report(log, call, link_errors.data);
        text_free(&link_errors);
        return CUDA_ERROR_UNKNOWN;
    }
    prepare_module(&d->request.options, ptx, NULL);
    struct image *image = image_load(ptx, d->memory, &error);
    if (!image) {
        bool is_too_large = image_bytes(ptx) > d->memory->limit_bytes - d->memory->used_bytes;
        jit_report(log, call, error);
        free(error);
        ptx_destroy(ptx);
        return is_too_large ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_PTX;
    }
    jit_report(log, call, "");
    struct module *m = xcalloc(1, sizeof *m);
    m->ptx = ptx;
    m->image = image;
    m->functions = xcalloc((size_t)ptx->function_count, sizeof(struct function *));
    object_add(d, &m->object, OBJECT_MODULE, handle_of(m), context);
    *module = m;
    return CUDA_SUCCESS;
}

unsigned module_capability(const struct driver *d)
{
    return (unsigned)(10 * device_attribute(d, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                      device_attribute(d, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
}

CUresult module_load_image(struct driver *d, struct context *context, const char *call, const void *image,
                           const struct jit_log *log, struct module **module)
{
    struct ptx_failure failure = {0};
    struct ptx_module *ptx = ptx_load_image("image", image, module_capability(d), &failure);
    return ptx ? load(d, context, call, ptx, log, module) : jit_refuse(&failure, log, call);
}

CUresult module_load_file(struct driver *d, struct context *context, const char *call, const char *path,
                          const struct jit_log *log, struct module **module)
{
    struct ptx_failure failure = {0};
    struct ptx_module *ptx = ptx_load_file(path, module_capability(d), &failure);
    return ptx ? load(d, context, call, ptx, log, module) : jit_refuse(&failure, log, call);
}

void module_finish(struct driver *d, struct object *object)
{
    struct module *m = (struct module *)object;
    driver_flush(d);
    for (int i = 0; i < m->ptx->function_count; i++)
        if (m->functions[i])
            object_destroy(d, &m->functions[i]->object);
    free(m->functions);
    image_unload(m->image);
    ptx_destroy(m->ptx);
}

static struct function *get_function(struct driver *d, struct module *m, int index)
{
    struct function *f = m->functions[index];
    if (f)
        return f;
    f = m->functions[index] = xcalloc(1, sizeof *f);
    f->module = m;
    f->kernel = m->ptx->functions[index];
    function_set_defaults(f);
    object_add(d, &f->object, OBJECT_FUNCTION, handle_of(f), m->object.context);
    f->object.is_owned = true;
    return f;
}

static bool is_kernel(const struct ptx_function *f)
{
    return f->is_entry && f->is_defined;
}

CUresult module_find_function(struct driver *d, struct module *m, const char *name, struct function **function)
{
    const struct ptx_function *f = ptx_find_function(m->ptx, name);
    if (!f || !is_kernel(f))
        return CUDA_ERROR_NOT_FOUND;
    *function = get_function(d, m, f->index);
    return CUDA_SUCCESS;
}

CUresult module_find_global(struct module *m, const char *name, CUdeviceptr *address, size_t *bytes)
{
    const struct ptx_variable *v = ptx_find_variable(m->ptx, name);
    uint64_t at = v ? image_address(m->image, v) : 0;
    if (!at)
        return CUDA_ERROR_NOT_FOUND;
    if (address)
        *address = at;
    if (bytes)
        *bytes = v->size_bytes;
    return CUDA_SUCCESS;
}

unsigned module_count_kernels(const struct module *m)
{
    unsigned count = 0;
    for (int i = 0; i < m->ptx->function_count; i++)
        count += is_kernel(m->ptx->functions[i]);
    return count;
}

CUresult module_list_kernels(struct driver *d, struct module *m, struct function **functions, unsigned count)
{
    unsigned n = 0;
    for (int i = 0; i < m->ptx->function_count && n < count; i++)
        if (is_kernel(m->ptx->functions[i]))
            functions[n++] = get_function(d, m, i);
    return CUDA_SUCCESS;
}

static struct module *find_module(struct driver *d, CUmodule module)
{
    return object_find(d, OBJECT_MODULE, handle_of(module));
}

CUresult cuModuleLoad(CUmodule *module, const char *path)
{
    ENTER(e, NEED_CONTEXT);
    if (!module || !path)
        return CUDA_ERROR_INVALID_VALUE;
    struct jit_log log = {0};
    return module_load_file(e.driver, e.context, "cuModuleLoad", path, &log, (struct module **)module);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int option_count, CUjit_option *options,
                            void **option_values)
{
    ENTER(e, NEED_CONTEXT);
    if (!module || !image)
        return CUDA_ERROR_INVALID_VALUE;
    struct jit_log log;
    CUresult result = jit_read_options(option_count, options, option_values, &log);
    if (result)
        return result;
    return module_load_image(e.driver, e.context, "cuModuleLoadData", image, &log, (struct module **)module);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
    return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

CUresult cuModuleUnload(CUmodule module)
{
    ENTER(e, NEED_CONTEXT);
    struct module *m = find_module(e.driver, module);
    if (!m)
        return CUDA_ERROR_INVALID_HANDLE;
    if (m->object.is_owned)
        return CUDA_ERROR_NOT_PERMITTED;
    object_destroy(e.driver, &m->object);
    return CUDA_SUCCESS;
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    ENTER(e, NEED_INIT);
    if (!mode)
        return CUDA_ERROR_INVALID_VALUE;
    *mode = CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    ENTER(e, NEED_CONTEXT);
    if (!function || !name)
        return CUDA_ERROR_INVALID_VALUE;
    struct module *m = find_module(e.driver, module);
    if (!m)
        return CUDA_ERROR_INVALID_HANDLE;
    return module_find_function(e.driver, m, name, (struct function **)function);
}

CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule module)
{
    ENTER(e, NEED_CONTEXT);
    if (!count)
        return CUDA_ERROR_INVALID_VALUE;
    struct module *m = find_module(e.driver, module);
    if (!m)
        return CUDA_ERROR_INVALID_HANDLE;
    *count = module_count_kernels(m);
    return CUDA_SUCCESS;
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int count, CUmodule module)
{
    ENTER(e, NEED_CONTEXT);
    if (!functions)
        return CUDA_ERROR_INVALID_VALUE;
    struct module *m = find_module(e.driver, module);
    if (!m)
        return CUDA_ERROR_INVALID_HANDLE;
    return module_list_kernels(e.driver, m, (struct function **)functions, count);
}

CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)
{
    ENTER(e, NEED_CONTEXT);
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    struct module *m = find_module(e.driver, module);
    if (!m)
        return CUDA_ERROR_INVALID_HANDLE;
    return module_find_global(m, name, address, bytes);
}
