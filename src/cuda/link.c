/*
 * Linking: inputs are parsed as they are added, and cuLinkComplete makes one PTX module of them.
 *
 * What cuLinkComplete calls a cubin is a fat binary with the linked PTX here: cuModuleLoadData takes it, and so does
 * another link. Options for a compiler are accepted and ignored, because heddle has none. The type of an input is not
 * believed; its content says what it is. Whole libraries are linked, not just the members that are needed.
 */
#include "cuda/driver.h"

#include "base/arena.h"
#include "binary/fatbin.h"
#include "ptx/load.h"

#include <stdlib.h>
#include <string.h>

struct link {
    struct object object;
    struct jit_log log;
    struct ptx_units units;
    struct text image; /* what cuLinkComplete made; the program has its address */
    bool is_complete;
};

static struct link *find_link(struct driver *d, CUlinkState state)
{
    return object_find(d, OBJECT_LINK, handle_of(state));
}

void link_finish(struct driver *d, struct object *object)
{
    (void)d;
    struct link *l = (struct link *)object;
    ptx_units_free(&l->units);
    text_free(&l->image);
}

CUresult cuLinkCreate(unsigned int option_count, CUjit_option *options, void **option_values, CUlinkState *state)
{
    ENTER(e, NEED_CONTEXT);
    struct jit_log log;
    if (!state)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = jit_read_options(option_count, options, option_values, &log);
    if (result)
        return result;
    struct link *l = xcalloc(1, sizeof *l);
    l->log = log;
    object_add(e.driver, &l->object, OBJECT_LINK, handle_of(l), e.context);
    *state = (CUlinkState)l;
    return CUDA_SUCCESS;
}

/* Checks what both calls that add an input are given beside it. */
static CUresult check_input(struct link *l, CUjitInputType type, unsigned option_count, CUjit_option *options,
                            void **option_values)
{
    struct jit_log log; /* messages go where cuLinkCreate was told */
    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    if (l->is_complete || (unsigned)type >= CU_JIT_NUM_INPUT_TYPES)
        return CUDA_ERROR_INVALID_VALUE;
    return jit_read_options(option_count, options, option_values, &log);
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t bytes, const char *name,
                       unsigned int option_count, CUjit_option *options, void **option_values)
{
    ENTER(e, NEED_CONTEXT);
    struct link *l = find_link(e.driver, state);
    CUresult result = check_input(l, type, option_count, options, option_values);
    if (result)
        return result;
    if (!data || !bytes)
        return CUDA_ERROR_INVALID_VALUE;
    struct ptx_failure failure = {0};
    unsigned capability = module_capability(e.driver);
    name = name ? name : "input";
    bool is_wrapper = bytes >= 2 * sizeof(uint32_t) + 2 * sizeof(void *) && fatbin_is_wrapper(data);
    bool ok = is_wrapper ? ptx_gather_image(&l->units, name, data, capability, &failure)
                         : ptx_gather_bytes(&l->units, name, data, bytes, capability, &failure);
    ok = ok && ptx_units_fit(&l->units, &failure); /* as NVIDIA's driver, which names what does not fit at once */
    return ok ? CUDA_SUCCESS : jit_refuse(&failure, &l->log, "cuLinkAddData");
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned int option_count,
                       CUjit_option *options, void **option_values)
{
    ENTER(e, NEED_CONTEXT);
    struct link *l = find_link(e.driver, state);
    CUresult result = check_input(l, type, option_count, options, option_values);
    if (result)
        return result;
    if (!path)
        return CUDA_ERROR_INVALID_VALUE;
    struct ptx_failure failure = {0};
    size_t bytes;
    char *data = ptx_read_file(path, &bytes, &failure);
    bool ok = data && ptx_gather_bytes(&l->units, path, data, bytes, module_capability(e.driver), &failure) &&
              ptx_units_fit(&l->units, &failure);
    free(data);
    return ok ? CUDA_SUCCESS : jit_refuse(&failure, &l->log, "cuLinkAddFile");
}

static CUresult complete(struct driver *d, struct link *l)
{
    struct ptx_failure failure = {0};
    struct text printed = {0};
    struct ptx_module *linked = ptx_link_units(&l->units, "cuLinkComplete", LINK_TOGETHER, &failure);
    if (!linked)
        return jit_refuse(&failure, &l->log, "cuLinkComplete");
    ptx_print(linked, &printed);
    fatbin_append_ptx(&l->image, printed.data, printed.length, module_capability(d));
    text_free(&printed);
    ptx_destroy(linked);
    jit_report(&l->log, "cuLinkComplete", "");
    return CUDA_SUCCESS;
}

CUresult cuLinkComplete(CUlinkState state, void **cubin, size_t *bytes)
{
    ENTER(e, NEED_CONTEXT);
    struct link *l = find_link(e.driver, state);
    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!cubin)
        return CUDA_ERROR_INVALID_VALUE;
    if (!l->is_complete) {
        CUresult result = complete(e.driver, l);
        if (result)
            return result;
        l->is_complete = true;
    }
    *cubin = l->image.data;
    if (bytes)
        *bytes = l->image.length;
    return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state)
{
    ENTER(e, NEED_CONTEXT);
    struct link *l = find_link(e.driver, state);
    if (!l)
        return CUDA_ERROR_INVALID_HANDLE;
    object_destroy(e.driver, &l->object);
    return CUDA_SUCCESS;
}
