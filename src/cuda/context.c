/* Contexts: the device's primary context, created contexts, and each host thread's stack of current contexts. */
#include "cuda/capture.h"
#include "cuda/queue.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* By the API's definition each thread has a stack of its own. An entry may outlive its context, so each is looked up
 * in the registry before it is used. The depth is fixed so that nothing is left to free when a thread ends. */
enum { STACK_DEPTH = 64 };

static _Thread_local struct {
    struct context *context[STACK_DEPTH];
    int depth;
} current;

static const size_t default_limits[CU_LIMIT_MAX] = {
    [CU_LIMIT_STACK_SIZE] = 1024,
    [CU_LIMIT_PRINTF_FIFO_SIZE] = 1 << 20,
    [CU_LIMIT_MALLOC_HEAP_SIZE] = 8 << 20,
    [CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048,
    [CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64,
};

static struct context *find_context(struct driver *d, const void *handle)
{
    return handle ? object_find(d, OBJECT_CONTEXT, handle_of(handle)) : NULL;
}

struct context *context_current(struct driver *d)
{
    return current.depth ? find_context(d, current.context[current.depth - 1]) : NULL;
}

static struct context *create_context(struct driver *d, unsigned flags)
{
    struct context *c = xcalloc(1, sizeof *c);
    object_add(d, &c->object, OBJECT_CONTEXT, handle_of(c), NULL);
    c->flags = flags;
    memcpy(c->limit, default_limits, sizeof c->limit);
    return c;
}

void context_finish(struct driver *d, struct object *object)
{
    struct context *c = (struct context *)object;
    driver_flush(d);
    object_destroy_all(d, c);
    if (c == d->primary)
        d->primary = NULL;
}

static bool flags_are_valid(unsigned flags)
{
    unsigned schedule = flags & CU_CTX_SCHED_MASK;
    return !(flags & ~(unsigned)CU_CTX_FLAGS_MASK) && (!schedule || !(schedule & (schedule - 1)));
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    ENTER(e, NEED_INIT);
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_is_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    struct driver *d = e.driver;
    if (!d->primary) {
        d->primary = create_context(d, d->primary_flags);
        d->primary->is_primary = true;
    }
    d->primary_count++;
    *context = (CUcontext)d->primary;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    ENTER(e, NEED_INIT);
    if (!device_is_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if (!e.driver->primary_count)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (--e.driver->primary_count == 0 && e.driver->primary)
        object_destroy(e.driver, &e.driver->primary->object);
    return CUDA_SUCCESS;
}

/* Libraries belong to no context and live on, but their variables start anew, as if they were loaded anew, and so do
 * the attributes of their kernels. */
static void reset_libraries(struct driver *d)
{
    for (struct object *o = d->objects; o; o = o->hh.next) {
        if (o->kind == OBJECT_MODULE && ((struct module *)o)->library)
            image_reset(((struct module *)o)->image);
        if (o->kind == OBJECT_FUNCTION && ((struct function *)o)->module->library)
            function_set_defaults((struct function *)o);
    }
}

/* The primary context is emptied and its fault forgotten, but not destroyed: whoever retained it still has it. */
CUresult cuDevicePrimaryCtxReset(CUdevice device)
{
    ENTER(e, NEED_INIT);
    if (!device_is_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    struct context *c = e.driver->primary;
    if (!c)
        return CUDA_SUCCESS;
    driver_flush(e.driver);
    object_destroy_all(e.driver, c);
    reset_libraries(e.driver);
    c->sticky = CUDA_SUCCESS;
    c->cache_config = CU_FUNC_CACHE_PREFER_NONE;
    c->shared_config = CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE;
    memcpy(c->limit, default_limits, sizeof c->limit);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags)
{
    ENTER(e, NEED_INIT);
    if (!device_is_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if (!flags_are_valid(flags))
        return CUDA_ERROR_INVALID_VALUE;
    e.driver->primary_flags = flags;
    if (e.driver->primary)
        e.driver->primary->flags = flags;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active)
{
    ENTER(e, NEED_INIT);
    if (!flags || !active)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_is_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    *flags = e.driver->primary_flags;
    *active = e.driver->primary != NULL;
    return CUDA_SUCCESS;
}

static CUresult push(struct context *c)
{
    if (current.depth == STACK_DEPTH)
        return CUDA_ERROR_OUT_OF_MEMORY;
    current.context[current.depth++] = c;
    return CUDA_SUCCESS;
}

CUresult cuCtxCreate(CUcontext *context, CUctxCreateParams *parameters, unsigned int flags, CUdevice device)
{
    ENTER(e, NEED_INIT);
    if (!context || !flags_are_valid(flags))
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_is_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if (parameters && parameters->numExecAffinityParams)
        return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    if (parameters && parameters->cigParams)
        return driver_refuse(e.driver, "cuCtxCreate", "contexts that share the device with graphics");
    if (current.depth == STACK_DEPTH)
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct context *c = create_context(e.driver, flags);
    *context = (CUcontext)c;
    return push(c);
}

CUresult cuCtxDestroy(CUcontext context)
{
    ENTER(e, NEED_INIT);
    struct context *c = find_context(e.driver, context);
    if (!c || c->is_primary)
        return context ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
    if (current.depth && current.context[current.depth - 1] == c)
        current.depth--;
    object_destroy(e.driver, &c->object);
    return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context)
{
    ENTER(e, NEED_INIT);
    struct context *c = find_context(e.driver, context);
    return c ? push(c) : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxPopCurrent(CUcontext *context)
{
    ENTER(e, NEED_INIT);
    if (!current.depth)
        return CUDA_ERROR_INVALID_CONTEXT;
    struct context *c = current.context[--current.depth];
    if (context)
        *context = (CUcontext)c;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    ENTER(e, NEED_INIT);
    if (context && !find_context(e.driver, context))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (current.depth)
        current.depth--;
    return context ? push((struct context *)context) : CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    ENTER(e, NEED_INIT);
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    *context = (CUcontext)e.context;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    ENTER(e, NEED_ANY_CONTEXT);
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    *device = 0;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context)
{
    ENTER(e, NEED_INIT);
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    if (!(context ? find_context(e.driver, context) : e.context))
        return CUDA_ERROR_INVALID_CONTEXT;
    *device = 0;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned int *flags)
{
    ENTER(e, NEED_ANY_CONTEXT);
    if (!flags)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = e.context->flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned int flags)
{
    ENTER(e, NEED_ANY_CONTEXT);
    if (!flags_are_valid(flags))
        return CUDA_ERROR_INVALID_VALUE;
    e.context->flags = flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext context, unsigned long long *id)
{
    ENTER(e, NEED_INIT);
    struct context *c = context ? find_context(e.driver, context) : e.context;
    if (!c)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!id)
        return CUDA_ERROR_INVALID_VALUE;
    *id = c->object.id;
    return CUDA_SUCCESS;
}

/* Waits for all work of the entry's context. */
static CUresult synchronise(struct driver_entry *e)
{
    CUresult result = e->context->sticky ? e->context->sticky : capture_check_context(e);
    if (!result)
        result = queue_wait_context(e);
    driver_flush(e->driver);
    return result;
}

CUresult cuCtxSynchronize(void)
{
    ENTER(e, NEED_ANY_CONTEXT);
    return synchronise(&e);
}

CUresult cuCtxSynchronize_v2(CUcontext context)
{
    ENTER(e, NEED_INIT);
    struct context *c = context ? find_context(e.driver, context) : e.context;
    if (!c)
        return CUDA_ERROR_INVALID_CONTEXT;
    return synchronise(&(struct driver_entry){.driver = e.driver, .context = c});
}

/* Attaching only counts how often the context must be detached before it ends. */
CUresult cuCtxAttach(CUcontext *context, unsigned int flags)
{
    ENTER(e, NEED_ANY_CONTEXT);
    if (!context || flags)
        return CUDA_ERROR_INVALID_VALUE;
    e.context->attached++;
    *context = (CUcontext)e.context;
    return CUDA_SUCCESS;
}

CUresult cuCtxDetach(CUcontext context)
{
    ENTER(e, NEED_ANY_CONTEXT);
    struct context *c = find_context(e.driver, context);
    if (!c || c != e.context)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!c->attached)
        return cuCtxDestroy(context);
    c->attached--;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetExecAffinity(CUexecAffinityParam *affinity, CUexecAffinityType type)
{
    ENTER(e, NEED_CONTEXT);
    if (!affinity || (unsigned)type >= CU_EXEC_AFFINITY_TYPE_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
}

/* An event that stands for all work of a context. The legacy stream comes after the work of all blocking streams; a
 * stream that does not block, and is busy (queue.h), is not waited for. */
CUresult cuCtxRecordEvent(CUcontext context, CUevent event)
{
    ENTER(e, NEED_CONTEXT);
    return find_context(e.driver, context) ? cuEventRecord(event, NULL) : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxWaitEvent(CUcontext context, CUevent event)
{
    ENTER(e, NEED_CONTEXT);
    return find_context(e.driver, context) ? cuStreamWaitEvent(NULL, event, CU_EVENT_WAIT_DEFAULT)
                                           : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    ENTER(e, NEED_CONTEXT);
    size_t most;
    switch ((int)limit) {
    case CU_LIMIT_STACK_SIZE:
        if (value > LAUNCH_MAX_STACK_BYTES)
            return CUDA_ERROR_INVALID_VALUE;
        break;
    case CU_LIMIT_PRINTF_FIFO_SIZE:
    case CU_LIMIT_MALLOC_HEAP_SIZE:
    case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
        break;
    case CU_LIMIT_PERSISTING_L2_CACHE_SIZE: /* like a device, takes as much as there is */
        most = (size_t)device_attribute(e.driver, CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE);
        value = value < most ? value : most;
        break;
    case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
        if (value > 128)
            return CUDA_ERROR_INVALID_VALUE;
        break;
    default:
        return (unsigned)limit < CU_LIMIT_MAX ? CUDA_ERROR_UNSUPPORTED_LIMIT : CUDA_ERROR_INVALID_VALUE;
    }
    e.context->limit[limit] = value;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
    ENTER(e, NEED_CONTEXT);
    if (!value || (unsigned)limit >= CU_LIMIT_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    /* Kernels of compute capability 9.0 cannot wait for kernels that they launched; the last three limits are those of
     * contexts that share a device with graphics. */
    if (limit == CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH || limit >= CU_LIMIT_SHMEM_SIZE)
        return CUDA_ERROR_UNSUPPORTED_LIMIT;
    *value = e.context->limit[limit];
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *config)
{
    ENTER(e, NEED_CONTEXT);
    if (!config)
        return CUDA_ERROR_INVALID_VALUE;
    *config = e.context->cache_config;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
    ENTER(e, NEED_CONTEXT);
    if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL)
        return CUDA_ERROR_INVALID_VALUE;
    e.context->cache_config = config;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config)
{
    ENTER(e, NEED_CONTEXT);
    if (!config)
        return CUDA_ERROR_INVALID_VALUE;
    *config = e.context->shared_config;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config)
{
    ENTER(e, NEED_CONTEXT);
    if ((unsigned)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
        return CUDA_ERROR_INVALID_VALUE;
    e.context->shared_config = config;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version)
{
    ENTER(e, NEED_INIT);
    if (!(context ? find_context(e.driver, context) : e.context))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    ENTER(e, NEED_CONTEXT);
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return CUDA_SUCCESS;
}

CUresult cuCtxResetPersistingL2Cache(void)
{
    ENTER(e, NEED_CONTEXT);
    return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
    ENTER(e, NEED_CONTEXT);
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    return find_context(e.driver, peer) ? CUDA_ERROR_PEER_ACCESS_UNSUPPORTED : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    ENTER(e, NEED_CONTEXT);
    return find_context(e.driver, peer) ? CUDA_ERROR_PEER_ACCESS_NOT_ENABLED : CUDA_ERROR_INVALID_CONTEXT;
}
