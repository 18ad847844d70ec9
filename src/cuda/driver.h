/*
 * The driver's insides: its state, its handles, and how a call enters it.
 *
 * The API knows no state argument, so the driver has the one mutable global of the house: a struct driver,
 * reached only through driver_enter(), which takes the one lock, and left by driver_leave(). Beside it each
 * host thread has its stack of current contexts.
 *
 * Every handle given out is registered, and looked up when it comes back: a wrong one is an error code, never
 * a crash. The device's memory is one for all contexts; what a context allocated is freed with it. Execution
 * is synchronous: a launch has run when the call returns. Its fault, as on a real device, is what later calls
 * of the same context return, until the context is destroyed.
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

/* The device that programs see: limits of compute capability 9.0. */
enum {
    DEVICE_MULTIPROCESSORS = 132,
    DEVICE_WARP_THREADS = 32,
    DEVICE_SM_THREADS = 2048,
    DEVICE_SM_BLOCKS = 32,
    DEVICE_SM_REGISTERS = 65536,
    DEVICE_SM_PARTITIONS = 4, /* warp schedulers, each with its share of the registers */
    DEVICE_SM_SHARED_BYTES = 228 * 1024,
    DEVICE_RESERVED_SHARED_BYTES = 1024, /* of a block, on top of what it asks for */
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
    OBJECT_FUNCTION,
    OBJECT_STREAM,
    OBJECT_EVENT,
    OBJECT_BLOCK,
    OBJECT_ARRAY,
    OBJECT_TEXTURE,
    OBJECT_KINDS
};

struct context;

/* What all handles have in common; first member of each. */
struct object {
    uint64_t handle; /* the object's own address; of a block of memory, the memory's address */
    enum object_kind kind;
    struct context *context; /* dies with it; NULL: with the driver */
    bool is_owned;           /* by another object, which alone may end it */
    uint64_t id;
    UT_hash_handle hh;
};

struct context {
    struct object object;
    unsigned flags;
    bool is_primary;
    CUresult sticky; /* what a kernel did; returned by every later call */
    size_t limit[CU_LIMIT_MAX];
    CUfunc_cache cache_config;
    CUsharedconfig shared_config;
};

struct module {
    struct object object;
    struct library *library; /* that it belongs to, or NULL */
    struct ptx_module *ptx;
    struct image *image;
    struct function **functions; /* by function index of the text; NULL where no handle was asked for */
};

struct library {
    struct object object;
    struct module *module;
};

struct function {
    struct object object;
    struct module *module;
    const struct ptx_function *kernel;
    struct code *code;            /* made when it is first needed */
    int max_dynamic_shared_bytes; /* -1: not set */
    int carveout;
};

enum block_kind { BLOCK_DEVICE, BLOCK_HOST, BLOCK_REGISTERED, BLOCK_MANAGED };

struct block { /* of memory, as allocated by the program */
    struct object object;
    enum block_kind block_kind;
    uint64_t bytes;
    unsigned flags;
    void *host; /* to be freed with it, or NULL */
};

struct array {
    struct object object;
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    uint64_t address;
    uint64_t row_bytes; /* also its pitch */
};

struct driver {
    bool is_ready; /* cuInit succeeded */
    struct run_request request;
    bool has_options; /* of heddle_set_options; they stand above HEDDLE_OPTS */
    struct memory *memory;
    struct object *objects; /* hash table of every live handle */
    uint64_t next_id, next_grid_id;
    struct context *primary;
    unsigned primary_count, primary_flags;
    struct texture *textures; /* of the live texture objects */
    int texture_count;
    struct text printed; /* by kernels, not yet on stdout */
    char *report;        /* text of the last fault */
};

/* What a call needs before it may go on. */
enum need {
    NEED_LOCK,       /* nothing */
    NEED_INIT,       /* cuInit was called */
    NEED_CONTEXT,    /* a context is current and its kernels did nothing wrong */
    NEED_ANY_CONTEXT /* a context is current */
};

struct entry {
    struct driver *driver;
    struct context *context; /* current one, or NULL */
    CUresult error;
};

/* Takes the lock, which the same thread may take again. */
struct entry driver_enter(enum need need);
void driver_leave(struct entry *entry);

/* First line of an API function: enters, returns the error if the need is not met, leaves when it returns. */
#define ENTER(name, need)                                                          \
    struct entry name __attribute__((cleanup(driver_leave))) = driver_enter(need); \
    if (name.error)                                                                \
    return name.error

/* Text printed by kernels goes to stdout, now. */
void driver_flush(struct driver *d);
/* Says why a call failed, for what an error code cannot say: a line on stderr. */
void driver_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

void object_add(struct driver *d, struct object *object, enum object_kind kind, uint64_t handle,
                struct context *context);
void *object_find(struct driver *d, enum object_kind kind, uint64_t handle); /* NULL if it is not a live one */
void object_destroy(struct driver *d, struct object *object);                /* in the way of its kind */
void object_destroy_all(struct driver *d, const struct context *context);    /* NULL: those of all contexts */

static inline uint64_t handle_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

/* How objects of each kind end; called by object_destroy alone. */
void context_finish(struct driver *d, struct object *object);
void module_finish(struct driver *d, struct object *object);
void library_finish(struct driver *d, struct object *object);
void function_finish(struct driver *d, struct object *object);
void block_finish(struct driver *d, struct object *object);
void array_finish(struct driver *d, struct object *object);
void texture_finish(struct driver *d, struct object *object);

/* context.c: the calling thread's current context, if it still lives. */
struct context *context_current(struct driver *d);
/* device.c */
bool device_is_valid(CUdevice device);
struct machine;
const struct machine *device_machine(const struct driver *d); /* that the options describe; NULL: none */
int device_attribute(const struct driver *d, CUdevice_attribute attribute);

/* module.c */
struct jit_log {
    char *error, *info;
    size_t error_bytes, info_bytes;
    void **error_size, **info_size; /* where to store how much was written, or NULL */
};
CUresult jit_read_options(unsigned count, const CUjit_option *options, void **values, struct jit_log *log);
CUresult module_load_text(struct driver *d, struct context *context, const char *path, const void *image,
                          const struct jit_log *log, struct module **module);
CUresult module_load_file(struct driver *d, struct context *context, const char *path, const struct jit_log *log,
                          struct module **module);
CUresult module_find_function(struct driver *d, struct module *m, const char *name, struct function **function);
CUresult module_find_global(struct module *m, const char *name, CUdeviceptr *address, size_t *bytes);
unsigned module_count_kernels(const struct module *m);
CUresult module_list_kernels(struct driver *d, struct module *m, struct function **functions, unsigned count);

/* function.c: the decoded program of a kernel; CUDA_ERROR_NOT_SUPPORTED, having said why, if it cannot run.
 */
CUresult function_program(struct function *f, const struct program **program);
unsigned function_max_threads(const struct function *f);
unsigned function_max_dynamic_shared(const struct function *f, const struct layout *layout);

/* stream.c: NULL and the two named streams are valid, too. */
bool stream_is_valid(struct driver *d, CUstream stream);

/* copy.c: host address of `bytes` bytes of device memory or, if allowed, of host memory; NULL if invalid. */
void *copy_resolve(struct driver *d, uint64_t address, uint64_t bytes, bool allow_host);

/* texture.c: bytes of a channel of a format; 0 if there is no such format. */
unsigned format_bytes(CUarray_format format);

#endif
