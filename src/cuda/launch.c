/*
 * Launches: gathers parameters from either of their two forms, checks limits, and runs the kernel to its end.
 *
 * As on a real device, a launch does not return its kernel's fault: the next call that waits returns it, and the fault
 * stays with the context. A launch that cannot be made at all fails at once and changes nothing. A launch whose results
 * (--json, --csv) cannot be written fails at once, too, although the kernel has run, so that the program notices.
 */
#include "base/diag.h"
#include "cuda/attribute.h"
#include "cuda/stream.h"
#include "heddle.h"
#include "run/compaction.h"
#include "run/run.h"

#include "base/arena.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static CUresult fault_result(enum fault_kind kind)
{
    switch (kind) {
    case FAULT_NONE:
        return CUDA_SUCCESS;
    case FAULT_LAUNCH:
        return CUDA_ERROR_INVALID_VALUE;
    case FAULT_UNSUPPORTED:
        return CUDA_ERROR_NOT_SUPPORTED;
    case FAULT_OUT_OF_BOUNDS:
    case FAULT_READ_ONLY:
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    case FAULT_MISALIGNED:
        return CUDA_ERROR_MISALIGNED_ADDRESS;
    case FAULT_STACK_OVERFLOW:
        return CUDA_ERROR_HARDWARE_STACK_ERROR;
    case FAULT_DIVERGENT_BARRIER:
    case FAULT_BAD_BARRIER:
    case FAULT_BAD_COPY:
        return CUDA_ERROR_ILLEGAL_INSTRUCTION;
    case FAULT_BAD_INDEX:
    case FAULT_BAD_POINTER:
        return CUDA_ERROR_INVALID_PC;
    case FAULT_DEADLOCK:
    case FAULT_LIVELOCK:
    case FAULT_ENDLESS:
    case FAULT_LIMIT:
    case FAULT_STOPPED:
        return CUDA_ERROR_LAUNCH_TIMEOUT;
    case FAULT_ASSERT:
        return CUDA_ERROR_ASSERT;
    case FAULT_TRAP:
    case FAULT_RECORDING:
    case FAULT_COUNT:
        break;
    }
    return CUDA_ERROR_LAUNCH_FAILED;
}

static void report_fault(struct driver *d, const struct fault *fault)
{
    char text[2048];
    fault_describe(fault, text, sizeof text);
    size_t bytes = strlen(text) + 1;
    free(d->report);
    d->report = memcpy(xmalloc(bytes), text, bytes);
    driver_flush(d);
    fprintf(diag_stream(), "heddle: %s", text);
}

/* What a kernel prints waits for a synchronising call, as on a real device. When the buffer is full, a real device
 * overwrites the oldest text; here the text is written to stdout early, and nothing is lost. */
struct launch_printer {
    struct driver *driver;
    size_t limit_bytes; /* size of the buffer: text beyond it is written early */
};

static void print(void *context, const char *text, size_t length)
{
    struct launch_printer *p = context;
    text_append(&p->driver->printed, text, length);
    if (p->driver->printed.length > p->limit_bytes)
        driver_flush(p->driver);
}

/* A failed assertion goes to stderr, behind what the kernel printed before it. */
static void print_assertion(void *context, const char *text, size_t length)
{
    struct launch_printer *p = context;
    driver_flush(p->driver);
    fwrite(text, 1, length, diag_stream());
}

static CUresult check_shape(const struct function *f, const struct layout *layout, const struct launch *l)
{
    const uint32_t *g = l->grid, *b = l->block;
    if (!g[0] || !g[1] || !g[2] || !b[0] || !b[1] || !b[2])
        return CUDA_ERROR_INVALID_VALUE;
    if (g[0] > INT_MAX || g[1] > DEVICE_GRID_YZ || g[2] > DEVICE_GRID_YZ)
        return CUDA_ERROR_INVALID_VALUE;
    if (b[0] > DEVICE_BLOCK_X || b[1] > DEVICE_BLOCK_X || b[2] > DEVICE_BLOCK_Z)
        return CUDA_ERROR_INVALID_VALUE;
    uint64_t threads = (uint64_t)b[0] * b[1] * b[2];
    if (threads > function_max_threads(f))
        return CUDA_ERROR_INVALID_VALUE;
    if (l->dynamic_shared_bytes > function_max_dynamic_shared(f, layout))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

/* Reads parameters in their packed form: names and values that end with CU_LAUNCH_PARAM_END. */
static CUresult read_extra(void **extra, const void **buffer, size_t *bytes)
{
    const size_t *size = NULL;
    *buffer = NULL;
    for (int i = 0; extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
        if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER)
            *buffer = extra[i + 1];
        else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE)
            size = extra[i + 1];
        else
            return CUDA_ERROR_INVALID_VALUE;
    }
    if (!*buffer || !size)
        return CUDA_ERROR_INVALID_VALUE;
    *bytes = *size;
    return CUDA_SUCCESS;
}

/* Bytes of the parameters that a program gives; heddle adds the last parameter of a coarsened kernel itself. */
static size_t given_bytes(const struct ptx_function *k, const struct layout *layout)
{
    int last = ptx_given_parameters(k) - 1;
    if (!k->coarsened)
        return layout->parameter_bytes;
    return last < 0 ? 0 : (size_t)layout->frame[k->index].formal_offset[last] + k->parameters[last]->size_bytes;
}

/* Collects the launch's parameters in `block`, laid out as the kernel reads them. */
static CUresult gather(const struct function *f, const struct layout *layout, void **parameters, void **extra,
                       uint8_t *block)
{
    const struct ptx_function *k = f->kernel;
    if (parameters && extra)
        return CUDA_ERROR_INVALID_VALUE;
    if (extra) {
        const void *buffer;
        size_t bytes;
        CUresult result = read_extra(extra, &buffer, &bytes);
        if (result)
            return result;
        size_t wanted = given_bytes(k, layout);
        if (bytes < wanted)
            return CUDA_ERROR_INVALID_VALUE;
        memcpy(block, buffer, wanted);
        return CUDA_SUCCESS;
    }
    if (ptx_given_parameters(k) && !parameters)
        return CUDA_ERROR_INVALID_VALUE;
    const int64_t *offset = layout->frame[k->index].formal_offset;
    for (int i = 0; i < ptx_given_parameters(k); i++) {
        if (!parameters[i])
            return CUDA_ERROR_INVALID_VALUE;
        memcpy(block + offset[i], parameters[i], k->parameters[i]->size_bytes);
    }
    return CUDA_SUCCESS;
}

/* Runs a launch whose shape and parameters are checked. A fault of the kernel becomes the context's sticky error. */
static CUresult run(struct driver_entry *e, struct function *f, struct launch *l)
{
    struct driver *d = e->driver;
    struct launch_printer printer = {d, e->context->limit[CU_LIMIT_PRINTF_FIFO_SIZE]};
    size_t stack = e->context->limit[CU_LIMIT_STACK_SIZE];
    l->kernel = f->kernel;
    l->image = f->module->image;
    l->heap_limit_bytes = e->context->limit[CU_LIMIT_MALLOC_HEAP_SIZE];
    l->stack_bytes = stack > d->request.options.stack_bytes ? (uint32_t)stack : d->request.options.stack_bytes;
    l->texture_count = d->texture_count;
    l->textures = d->textures;
    l->surface_count = d->surface_count;
    l->surfaces = d->surfaces;
    l->print = (struct print_sink){print, &printer};
    l->assertions = (struct print_sink){print_assertion, &printer};
    l->grid_id = ++d->next_grid_id;
    struct launch_result result = {0};
    bool recorded = run_launch_aloud(&d->request, l, f->code, &result);
    if (result.fault.kind == FAULT_NONE)
        return recorded ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
    report_fault(d, &result.fault);
    CUresult error = fault_result(result.fault.kind);
    if (result.fault.kind == FAULT_LAUNCH || result.fault.kind == FAULT_UNSUPPORTED)
        return error;
    e->context->sticky = error;
    return CUDA_SUCCESS;
}

/* Finds the kernel of a launch, and fills in its shape. */
static CUresult prepare(struct driver_entry *e, const CUlaunchConfig *config, CUfunction function, struct function **f,
                        const struct program **p, struct launch *l)
{
    *l = (struct launch){.grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                         .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                         .dynamic_shared_bytes = config->sharedMemBytes};
    *f = object_find(e->driver, OBJECT_FUNCTION, handle_of(function));
    if (!*f)
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult result = CUDA_SUCCESS;
    for (unsigned i = 0; !result && i < config->numAttrs; i++)
        result = attribute_apply(e->driver, &config->attrs[i], l);
    if (!result)
        result = function_program(*f, p);
    if (!result)
        result = check_shape(*f, (*p)->layout, l);
    l->kernel = (*f)->kernel;
    return result ? result : attribute_check(e->driver, *f, *p, l);
}

CUresult launch_gather(struct driver_entry *e, const CUlaunchConfig *config, CUfunction function, void **parameters,
                       void **extra, uint8_t **block, size_t *bytes)
{
    struct launch l;
    struct function *f;
    const struct program *p;
    CUresult result = prepare(e, config, function, &f, &p, &l);
    if (result)
        return result;
    *bytes = p->layout->parameter_bytes;
    *block = xcalloc(1, *bytes);
    result = gather(f, p->layout, parameters, extra, *block);
    if (result)
        free(*block);
    return result;
}

CUresult launch_now(struct driver_entry *e, const CUlaunchConfig *config, CUfunction function, const uint8_t *block,
                    size_t bytes)
{
    struct launch l;
    struct function *f;
    const struct program *p;
    CUresult result = prepare(e, config, function, &f, &p, &l);
    if (result)
        return result;
    /* The module may have gone since the parameters were collected, and another stand in its place. */
    if (bytes != p->layout->parameter_bytes)
        return CUDA_ERROR_INVALID_HANDLE;
    uint8_t *own = f->kernel->coarsened ? xmalloc(bytes) : NULL;
    if (own) {
        memcpy(own, block, bytes);
        launch_coarsen(&l, p->layout, own);
    }
    l.parameters = own ? own : block;
    l.parameter_bytes = bytes;
    result = run(e, f, &l);
    free(own);
    return result;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra)
{
    ENTER(e, NEED_CONTEXT);
    if (!config || (config->numAttrs && !config->attrs))
        return CUDA_ERROR_INVALID_VALUE;
    uint8_t *block;
    size_t bytes;
    CUresult result = launch_gather(&e, config, function, parameters, extra, &block, &bytes);
    if (result)
        return result;
    struct operation op = {0};
    op_set_launch(&op, config, function, block, bytes);
    result = stream_submit(&e, config->hStream, &op);
    /* A kernel that has faulted is no failure of the launch, and nothing after it happens. */
    return result || e.context->sticky ? result : attribute_record_events(config);
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
                        CUstream stream, void **parameters, void **extra)
{
    CUlaunchConfig config = {grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, NULL, 0};
    return cuLaunchKernelEx(&config, function, parameters, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                                   unsigned int block_x, unsigned int block_y, unsigned int block_z,
                                   unsigned int shared_bytes, CUstream stream, void **parameters)
{
    CUlaunchAttribute cooperative = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
    CUlaunchConfig config = {grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, &cooperative, 1};
    return cuLaunchKernelEx(&config, function, parameters, NULL);
}

/* The launch is an ordinary one with one more attribute, so that streams, captures and graphs keep it. */
int heddle_launch_without_compaction(const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra)
{
    ENTER(e, NEED_CONTEXT);
    const struct gpu_run *run = e.driver->request.gpu;
    const char *obstacle = compaction_obstacle(run);
    if (!config || (config->numAttrs && !config->attrs))
        return CUDA_ERROR_INVALID_VALUE;
    if (obstacle) {
        driver_say_once(e.driver, "heddle_launch_without_compaction does not work under %s: %s", run->mechanism->name,
                        obstacle);
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    CUlaunchConfig changed = *config;
    changed.attrs = xcalloc(changed.numAttrs + 1, sizeof *changed.attrs);
    if (changed.numAttrs)
        memcpy(changed.attrs, config->attrs, changed.numAttrs * sizeof *changed.attrs);
    changed.attrs[changed.numAttrs++].id = (CUlaunchAttributeID)ATTRIBUTE_KEEPS_WARPS;
    CUresult result = cuLaunchKernelEx(&changed, function, parameters, extra);
    free(changed.attrs);
    return result;
}
