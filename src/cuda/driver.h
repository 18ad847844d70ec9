/*
 * heddle as a CUDA driver: its state, its handles, and how a call of the driver API enters it.
 *
 * The API has no argument for the driver's state, so this state is one of the few mutable globals of heddle: a struct
 * driver, reached only through driver_enter(), which takes the driver's one lock, and left by driver_leave(). Besides,
 * each host thread has a stack of current contexts.
 *
 * Every handle that is given out is registered, and looked up when it comes back: a wrong handle is an error code,
 * never a crash. All contexts share one device memory; what a context allocated is freed with the context. Execution is
 * synchronous: a launch has run when the call returns, unless its stream still waits for the host (queue.h). As on a
 * real device, a kernel's fault is what later calls of its context return, until the context is destroyed.
 */
#ifndef HEDDLE_CUDA_DRIVER_H
#define HEDDLE_CUDA_DRIVER_H

#include "base/text.h"
#include "cuda.h"
#include "exec/code.h"
#include "run/request.h"

#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

/* The device that programs see without --gpu: limits of compute capability 9.0. */
enum {
    DEVICE_MULTIPROCESSORS = 132,
    DEVICE_WARP_THREADS = 32,
    DEVICE_SM_THREADS = 2048,
    DEVICE_SM_BLOCKS = 32,
    DEVICE_SM_REGISTERS = 65536,
    DEVICE_SM_PARTITIONS = 4, /* warp schedulers, each with a quarter of the registers */
    DEVICE_SM_SHARED_BYTES = 228 * 1024,
    DEVICE_RESERVED_SHARED_BYTES = 1024, /* taken from every block beside what it asks for */
    DEVICE_DEFAULT_SHARED_BYTES = 48 * 1024,
    DEVICE_BLOCK_X = 1024,
    DEVICE_BLOCK_Z = 64,
    DEVICE_GRID_YZ = 65535,
    DEVICE_TEXTURE_ALIGN = 512,
    DEVICE_TEXTURE_PITCH_ALIGN = 32,
    DEVICE_LINEAR_TEXELS = 1 << 27,
    DEVICE_TEXTURE_2D_WIDTH = 131072,
    DEVICE_TEXTURE_2D_HEIGHT = 65536
};

enum object_kind {
    OBJECT_CONTEXT,
    OBJECT_MODULE,
    OBJECT_LIBRARY,
    OBJECT_LINK,
    OBJECT_FUNCTION,
    OBJECT_STREAM,
    OBJECT_EVENT,
    OBJECT_ALLOCATION,
    OBJECT_ARRAY,
    OBJECT_MIPMAPPED_ARRAY,
    OBJECT_TEXTURE,
    OBJECT_SURFACE,
    OBJECT_TEXTURE_REFERENCE,
    OBJECT_SURFACE_REFERENCE,
    OBJECT_POOL,
    OBJECT_RESERVATION,
    OBJECT_PHYSICAL,
    OBJECT_GRAPH,
    OBJECT_GRAPH_NODE,
    OBJECT_GRAPH_EXEC,
    OBJECT_USER_OBJECT,
    OBJECT_KINDS
};

struct context;

/* What a handle stands for; the first member of each of the structures below. */
struct object {
    uint64_t handle; /* the object's own address; of an allocation, the address of its memory */
    enum object_kind kind;
    struct context *context; /* the object ends with this context; NULL: with the driver */
    bool is_owned;           /* another object owns this one, and alone may end it */
    uint64_t id;             /* counts objects; never used again */
    UT_hash_handle hh;
};

struct context {
    struct object object;
    unsigned flags;
    bool is_primary;
    unsigned attached; /* calls of cuCtxAttach() that cuCtxDetach() has not undone */
    CUresult sticky;   /* the error of a kernel's fault, which every later call returns */
    size_t limit[CU_LIMIT_MAX];
    CUfunc_cache cache_config;
    CUsharedconfig shared_config;
    struct stream *legacy_stream; /* made when it is first used */
};

struct module {
    struct object object;
    struct library *library; /* the library that the module belongs to; NULL: none */
    struct ptx_module *ptx;
    struct image *image;
    struct function **functions; /* by index of the function in the PTX; NULL: nobody asked for a handle */
};

struct library {
    struct object object;
    struct module *module;
};

struct function {
    struct object object;
    struct module *module;
    const struct ptx_function *kernel;
    struct code *code;            /* made when the kernel is first needed */
    int max_dynamic_shared_bytes; /* what the program has opted in to; -1: nothing */
    int carveout;
    bool has_wide_clusters;        /* clusters of more than 8 blocks may be launched */
    struct old_launch *old_launch; /* what the calls before cuLaunchKernel() set; NULL: nothing (launch_old.c) */
};

enum allocation_kind {
    ALLOCATION_DEVICE,
    ALLOCATION_HOST,
    ALLOCATION_REGISTERED,
    ALLOCATION_MANAGED,
    ALLOCATION_KINDS
};

/* Memory that the program has allocated or registered. */
struct cuda_allocation {
    struct object object;
    enum allocation_kind allocation_kind;
    uint64_t bytes;
    unsigned flags;
    void *host;                  /* host memory to free with the allocation; NULL: none */
    struct pool *pool;           /* the pool that the allocation was taken from; NULL: none */
    bool had_pool;               /* that pool has ended; the memory is still freed as a pool's */
    struct graph_memory *memory; /* of an allocation that belongs to a graph (graph_memory.c); NULL: it does not */
    bool has_sync_memops;
};

/* What the driver knows of its streams as a whole. */
struct stream_board {
    struct stream *all;       /* list */
    struct capture *captures; /* those that have begun and not ended */
    uint64_t next_turn;       /* counts operations that were put into a queue */
    int queued;               /* operations in the queues of streams, and the one that the worker does now */
    bool has_worker;          /* the thread of queue.c was started */
    uint64_t worker;          /* its number (driver_thread()) */
    bool in_host_function;    /* the worker runs a function of the program, without the driver's lock */
    uint64_t begun;           /* counts operations that were begun: tells whether queues still move */
    uint64_t graph_bytes_used, graph_bytes_used_high, graph_bytes_reserved, graph_bytes_reserved_high;
};

struct driver {
    bool is_ready;  /* cuInit succeeded */
    bool is_forked; /* cuInit succeeded in the parent of this process: the driver cannot be used here */
    struct run_request request;
    bool has_options; /* the options come from heddle_set_options(), which goes before HEDDLE_OPTS */
    struct memory *memory;
    struct object *objects; /* hash table of all live objects, by handle */
    uint64_t next_id, next_grid_id;
    struct context *primary;
    unsigned primary_count, primary_flags;
    struct pool *default_pool[ALLOCATION_KINDS]; /* NULL: nobody asked for it */
    struct pool *current_pool[ALLOCATION_KINDS]; /* NULL: the default one */
    struct advice *advice;                       /* what programs said of ranges of managed memory (advice.c) */
    int advice_count;
    int physical_file;        /* physical memory of cuMemCreate() */
    bool has_physical_file;   /* the file is open */
    uint64_t physical_bytes;  /* the file's length */
    struct texture *textures; /* what the live texture objects read */
    int texture_count;
    struct surface *surfaces; /* what live surface objects and bound surface references name */
    int surface_count;
    struct text printed; /* what kernels have printed, not yet on stdout */
    char *report;        /* the text of the last fault; NULL: none */
    char **said;         /* what driver_say_once() has said */
    int said_count;
    struct stream_board streams;
    uint64_t next_thread; /* numbers host threads */
    uint64_t calls;       /* counts entries: tells whether the program still does something */
    bool is_ended;        /* the process ends */
};

/* What must be so before a call may go on. */
enum need {
    NEED_LOCK,        /* nothing: the call only takes the lock */
    NEED_INIT,        /* cuInit was called */
    NEED_CONTEXT,     /* a context is current, and no kernel of it has faulted */
    NEED_ANY_CONTEXT, /* a context is current, whether or not a kernel of it has faulted */
    NEED_UNSAFE,      /* as NEED_CONTEXT, and no capture of a stream forbids a call that could wait for the device */
    NEED_SYNC /* as NEED_UNSAFE, and all earlier work of the legacy stream is done: driver_enter() waits for it */
};

struct driver_entry {
    struct driver *driver;
    struct context *context; /* the current context; NULL: none */
    CUresult error;          /* what the call returns if its need is not met */
};

/* Takes the lock, which a thread that has it may take again. */
struct driver_entry driver_enter(enum need need);
void driver_leave(struct driver_entry *entry);

/* Gives the lock to others until someone calls driver_wake(), or for so many milliseconds. What the caller has looked
 * up before may be gone afterwards. */
void driver_wait(unsigned milliseconds);
void driver_wake(void);
/* Calls a function of the program without the lock. CUDA calls inside fail with CUDA_ERROR_NOT_PERMITTED. */
void driver_call_out(void (*call)(void *data), void *data);
/* A number of the calling thread, which no other thread has or had. The caller has the lock. */
uint64_t driver_thread(void);

/* The first line of an API function: enters the driver, returns the error if the need is not met, and leaves the
 * driver when the function returns. */
#define ENTER(name, need)                                                                 \
    struct driver_entry name __attribute__((cleanup(driver_leave))) = driver_enter(need); \
    if (name.error)                                                                       \
    return name.error

/* Writes what kernels have printed to stdout. */
void driver_flush(struct driver *d);
/* Says on stderr why a call failed, where an error code does not say enough. */
void driver_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, unless it was said before. */
void driver_say_once(struct driver *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Says once that a call is not supported, and why (NULL: it never is); returns CUDA_ERROR_NOT_SUPPORTED. */
CUresult driver_refuse(struct driver *d, const char *call, const char *why);

void object_add(struct driver *d, struct object *object, enum object_kind kind, uint64_t handle,
                struct context *context);
/* The live object of this kind and handle; NULL: there is none. */
void *object_find(struct driver *d, enum object_kind kind, uint64_t handle);
void object_destroy(struct driver *d, struct object *object);
/* Destroys the objects of a context; NULL: of all contexts. */
void object_destroy_all(struct driver *d, const struct context *context);

static inline uint64_t handle_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

/* What object_destroy(), and nobody else, calls for an object of each kind. */
void context_finish(struct driver *d, struct object *object);
void module_finish(struct driver *d, struct object *object);
void library_finish(struct driver *d, struct object *object);
void link_finish(struct driver *d, struct object *object);
void function_finish(struct driver *d, struct object *object);
void allocation_finish(struct driver *d, struct object *object);
void array_finish(struct driver *d, struct object *object);
void mipmapped_array_finish(struct driver *d, struct object *object);
void texture_finish(struct driver *d, struct object *object);
void texture_reference_finish(struct driver *d, struct object *object);
void surface_finish(struct driver *d, struct object *object);
void surface_reference_finish(struct driver *d, struct object *object);
void pool_finish(struct driver *d, struct object *object);
void reservation_finish(struct driver *d, struct object *object);
void physical_finish(struct driver *d, struct object *object);
void stream_finish(struct driver *d, struct object *object);
void event_finish(struct driver *d, struct object *object);
void cuda_graph_finish(struct driver *d, struct object *object);
void graph_node_finish(struct driver *d, struct object *object);
void graph_exec_finish(struct driver *d, struct object *object);

/* context.c: the calling thread's current context; NULL: there is none, or it was destroyed. */
struct context *context_current(struct driver *d);
/* device.c */
bool device_is_valid(CUdevice device);
struct machine;
const struct machine *device_machine(const struct driver *d); /* the machine of --gpu; NULL: none */
int device_attribute(const struct driver *d, CUdevice_attribute attribute);

/* module.c */
struct jit_log {
    char *error, *info;
    size_t error_bytes, info_bytes;
    void **error_size, **info_size; /* where to store how many bytes were written; NULL: nowhere */
};
CUresult jit_read_options(unsigned count, const CUjit_option *options, void **values, struct jit_log *log);
/* Writes errors to the program's buffer, or to stderr, behind the name of the call, if the program gave none. */
void jit_report(const struct jit_log *log, const char *call, const char *text);
struct ptx_failure;
/* Reports a failure, frees its text, and returns its error code. */
CUresult jit_refuse(struct ptx_failure *failure, const struct jit_log *log, const char *call);
unsigned module_capability(const struct driver *d); /* the compute capability of the device: 90 for 9.0 */
/* An image is PTX text, a fat binary, or the wrapper of one; its length is not known. */
CUresult module_load_image(struct driver *d, struct context *context, const char *call, const void *image,
                           const struct jit_log *log, struct module **module);
CUresult module_load_file(struct driver *d, struct context *context, const char *call, const char *path,
                          const struct jit_log *log, struct module **module);
CUresult module_find_function(struct driver *d, struct module *m, const char *name, struct function **function);
CUresult module_find_global(struct module *m, const char *name, CUdeviceptr *address, size_t *bytes);
unsigned module_count_kernels(const struct module *m);
CUresult module_list_kernels(struct driver *d, struct module *m, struct function **functions, unsigned count);

/* function.c: the decoded program of a kernel; CUDA_ERROR_NOT_SUPPORTED, having said why, if the kernel cannot run. */
CUresult function_program(struct function *f, const struct program **program);
/* The attributes of a kernel that the program has not set. */
void function_set_defaults(struct function *f);
unsigned function_max_threads(const struct function *f);
unsigned function_max_dynamic_shared(const struct function *f, const struct layout *layout);

/* occupancy.c: how many blocks of a kernel a multiprocessor holds at once; 0: none. */
unsigned occupancy_blocks(const struct driver *d, const struct function *f, const struct program *p, unsigned threads,
                          uint64_t dynamic_shared_bytes);

/* launch.c: checks a launch and collects its parameters in a block, which the caller frees. */
CUresult launch_gather(struct driver_entry *e, const CUlaunchConfig *config, CUfunction function, void **parameters,
                       void **extra, uint8_t **block, size_t *bytes);
/* Runs a kernel with parameters that launch_gather() collected. */
CUresult launch_now(struct driver_entry *e, const CUlaunchConfig *config, CUfunction function, const uint8_t *block,
                    size_t bytes);

/* copy.c: a copy of up to three dimensions; `dry`: is only checked. */
CUresult copy_3d(struct driver *d, const CUDA_MEMCPY3D *copy, bool dry);
/* Whether the copy reads or writes host memory that CUDA does not know. */
bool copy_is_pageable(struct driver *d, const CUDA_MEMCPY3D *copy);
/* fill.c: fills memory; `dry`: only checks. */
CUresult fill_2d(struct driver *d, const CUDA_MEMSET_NODE_PARAMS_v2 *fill, bool dry);
/* alloc.c: frees device memory. */
CUresult alloc_free(struct driver_entry *e, uint64_t address);

/* copy.c: where heddle has `bytes` bytes of device memory or, if allowed, of host memory; NULL: not all are valid. */
void *copy_resolve(struct driver *d, uint64_t address, uint64_t bytes, bool allow_host);
/* The same for memory that is to be written: NULL also if it was registered as memory that is only read. */
void *copy_target(struct driver *d, uint64_t address, uint64_t bytes, bool allow_host);

#endif
