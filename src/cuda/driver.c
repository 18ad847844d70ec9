/* The driver's state, the registry of handles, and the functions of heddle.h for programs that embed heddle. */
#define _GNU_SOURCE /* a recursive mutex that needs no initialising call */
#include "cuda/driver.h"
#include "base/diag.h"
#include "cuda/queue.h"
#include "run/output.h"
#include "run/recording.h"
#include "run/run.h"

#include "base/arena.h"
#include "heddle.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The process-wide state that the API demands: see driver.h. The lock is recursive, because calls that are made of
 * other calls enter the driver again. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct driver state;

static _Thread_local struct {
    unsigned depth;   /* how often this thread has taken the lock */
    bool in_callback; /* the program's function runs in a thread of the driver */
    uint64_t thread;  /* 0: no number was asked for */
} self;

struct driver_entry driver_enter(enum need need)
{
    pthread_mutex_lock(&lock);
    self.depth++;
    state.calls++;
    struct driver_entry e = {.driver = &state, .error = CUDA_SUCCESS};
    if (need == NEED_LOCK)
        return e;
    if (self.in_callback || !state.is_ready || state.is_forked) {
        e.error = self.in_callback ? CUDA_ERROR_NOT_PERMITTED : CUDA_ERROR_NOT_INITIALIZED;
        return e;
    }
    e.context = context_current(&state);
    if (need == NEED_INIT)
        return e;
    if (!e.context)
        e.error = CUDA_ERROR_INVALID_CONTEXT;
    else if (need != NEED_ANY_CONTEXT)
        e.error = e.context->sticky;
    if (!e.error && (need == NEED_UNSAFE || need == NEED_SYNC))
        e.error = queue_check_call(&e, need == NEED_SYNC);
    return e;
}

void driver_leave(struct driver_entry *entry)
{
    (void)entry;
    self.depth--;
    pthread_mutex_unlock(&lock);
}

void driver_wait(unsigned milliseconds)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += milliseconds / 1000;
    end.tv_nsec += milliseconds % 1000 * 1000000L;
    if (end.tv_nsec >= 1000000000L) {
        end.tv_sec++;
        end.tv_nsec -= 1000000000L;
    }
    /* A wait gives back one taking of the lock, so the others are given back by hand. */
    for (unsigned i = 1; i < self.depth; i++)
        pthread_mutex_unlock(&lock);
    pthread_cond_timedwait(&changed, &lock, &end);
    for (unsigned i = 1; i < self.depth; i++)
        pthread_mutex_lock(&lock);
}

void driver_wake(void)
{
    pthread_cond_broadcast(&changed);
}

void driver_call_out(void (*call)(void *data), void *data)
{
    unsigned depth = self.depth;
    for (unsigned i = 0; i < depth; i++)
        pthread_mutex_unlock(&lock);
    self.depth = 0;
    self.in_callback = true;
    call(data);
    self.in_callback = false;
    for (unsigned i = 0; i < depth; i++)
        pthread_mutex_lock(&lock);
    self.depth = depth;
}

uint64_t driver_thread(void)
{
    if (!self.thread)
        self.thread = ++state.next_thread;
    return self.thread;
}

void driver_flush(struct driver *d)
{
    if (!d->printed.length)
        return;
    fwrite(d->printed.data, 1, d->printed.length, stdout);
    fflush(stdout);
    d->printed.length = 0;
}

void driver_complain(const char *format, ...)
{
    FILE *out = diag_stream();
    va_list args;
    va_start(args, format);
    fputs("heddle: ", out);
    vfprintf(out, format, args);
    fputc('\n', out);
    va_end(args);
}

void driver_say_once(struct driver *d, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    for (int i = 0; i < d->said_count; i++)
        if (!strcmp(d->said[i], line))
            return;
    d->said = xrealloc(d->said, sizeof *d->said * (size_t)(d->said_count + 1));
    d->said[d->said_count++] = memcpy(xmalloc(strlen(line) + 1), line, strlen(line) + 1);
    driver_complain("%s", line);
}

CUresult driver_refuse(struct driver *d, const char *call, const char *why)
{
    driver_say_once(d, "%s is not supported%s%s", call, why ? ": " : "", why ? why : "");
    return CUDA_ERROR_NOT_SUPPORTED;
}

void object_add(struct driver *d, struct object *object, enum object_kind kind, uint64_t handle,
                struct context *context)
{
    object->kind = kind;
    object->handle = handle;
    object->context = context;
    object->id = ++d->next_id;
    HASH_ADD(hh, d->objects, handle, sizeof object->handle, object);
}

void *object_find(struct driver *d, enum object_kind kind, uint64_t handle)
{
    struct object *found = NULL;
    HASH_FIND(hh, d->objects, &handle, sizeof handle, found);
    return found && found->kind == kind ? found : NULL;
}

void object_destroy(struct driver *d, struct object *object)
{
    static void (*const finish[OBJECT_KINDS])(struct driver *, struct object *) = {
        [OBJECT_CONTEXT] = context_finish,
        [OBJECT_MODULE] = module_finish,
        [OBJECT_LIBRARY] = library_finish,
        [OBJECT_LINK] = link_finish,
        [OBJECT_FUNCTION] = function_finish,
        [OBJECT_ALLOCATION] = allocation_finish,
        [OBJECT_ARRAY] = array_finish,
        [OBJECT_MIPMAPPED_ARRAY] = mipmapped_array_finish,
        [OBJECT_TEXTURE] = texture_finish,
        [OBJECT_SURFACE] = surface_finish,
        [OBJECT_SURFACE_REFERENCE] = surface_reference_finish,
        [OBJECT_POOL] = pool_finish,
        [OBJECT_TEXTURE_REFERENCE] = texture_reference_finish,
        [OBJECT_RESERVATION] = reservation_finish,
        [OBJECT_PHYSICAL] = physical_finish,
        [OBJECT_STREAM] = stream_finish,
        [OBJECT_EVENT] = event_finish,
        [OBJECT_GRAPH] = cuda_graph_finish,
        [OBJECT_GRAPH_NODE] = graph_node_finish,
        [OBJECT_GRAPH_EXEC] = graph_exec_finish,
    };
    HASH_DELETE(hh, d->objects, object);
    if (finish[object->kind])
        finish[object->kind](d, object);
    free(object);
}

/* Destroying an object may destroy others that the object owns, so the walk starts anew after each. */
void object_destroy_all(struct driver *d, const struct context *context)
{
    for (struct object *o = d->objects; o;) {
        if (!o->is_owned && (!context || o->context == context)) {
            object_destroy(d, o);
            o = d->objects;
        } else {
            o = o->hh.next;
        }
    }
}

/*
 * CUDA_VISIBLE_DEVICES lists the devices that a program may see, up to the first entry that names none. heddle's device
 * stands for any device of the host, so it is hidden only by a list whose first entry names no device at all: "", "-1".
 */
static bool device_is_hidden(void)
{
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    if (!list)
        return false;
    list += strspn(list, " ");
    return !(*list >= '0' && *list <= '9') && strncmp(list, "GPU-", 4) && strncmp(list, "MIG-", 4);
}

CUresult cuInit(unsigned int flags)
{
    ENTER(e, NEED_LOCK);
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    struct driver *d = e.driver;
    if (d->is_forked)
        return CUDA_ERROR_NOT_INITIALIZED;
    if (d->is_ready)
        return CUDA_SUCCESS;
    if (device_is_hidden()) {
        driver_say_once(d, "cuInit: CUDA_VISIBLE_DEVICES=\"%s\" hides the device", getenv("CUDA_VISIBLE_DEVICES"));
        return CUDA_ERROR_NO_DEVICE;
    }
    char *error = NULL;
    if (!d->has_options) {
        request_open(&d->request);
        if (!options_take_environment(&d->request.options, &error) || !request_settle(&d->request, &error) ||
            !output_check(&d->request, &error)) {
            driver_complain("error: HEDDLE_OPTS: %s", error);
            free(error);
            request_close(&d->request);
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    d->memory = memory_create(d->request.options.memory_bytes);
    d->is_ready = true;
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version)
{
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

const char *heddle_version(void)
{
    return HEDDLE_VERSION;
}

int heddle_set_options(const char *words)
{
    struct driver_entry e __attribute__((cleanup(driver_leave))) = driver_enter(NEED_LOCK);
    struct driver *d = e.driver;
    if (d->is_ready || !words)
        return -1;
    if (d->has_options)
        request_close(&d->request);
    d->has_options = false;
    char *error = NULL;
    request_open(&d->request);
    if (!options_take_environment(&d->request.options, &error) ||
        !options_take_text(&d->request.options, words, &error) || !request_settle(&d->request, &error) ||
        !output_check(&d->request, &error)) {
        driver_complain("error: %s", error);
        free(error);
        request_close(&d->request);
        return -1;
    }
    d->has_options = true;
    return 0;
}

const char *heddle_last_report(void)
{
    struct driver_entry e __attribute__((cleanup(driver_leave))) = driver_enter(NEED_LOCK);
    return e.driver->report ? e.driver->report : "";
}

/* In a process that fork() made, no other thread lives that could leave the driver, and what the parent's kernels
 * printed is the parent's to write. If the parent has initialised the driver, the child cannot use it: as with a real
 * device, every call says so. Otherwise the child starts afresh. */
static void driver_forked(void)
{
    lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    state.is_forked |= state.is_ready;
}

__attribute__((constructor)) static void driver_begin(void)
{
    pthread_atfork(NULL, NULL, driver_forked);
}

/* At the end of the process: writes what kernels printed and nobody waited for. Nothing is freed, because other threads
 * may still be running, and use memory that they allocated. A thread that is within a call has a second to leave it. */
__attribute__((destructor)) static void driver_end(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    if (state.is_forked || pthread_mutex_timedlock(&lock, &until))
        return;
    driver_flush(&state);
    recording_finish(&state.request);
    run_print_notes(&state.request);
    state.is_ended = true;
    driver_wake();
    pthread_mutex_unlock(&lock);
}
