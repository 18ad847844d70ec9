/* The registry of a program's fat binaries, kernels and variables: see registry.h. */
#define _GNU_SOURCE /* a recursive mutex that needs no initialising call */
#include "runtime/registry.h"

#include "base/arena.h"
#include "runtime/launch.h"
#include "runtime/runtime.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct binary {
    const void *wrapper; /* what the program registered; its handle is the address of this field */
    CUlibrary library;   /* NULL: not loaded */
    CUresult error;      /* why the image cannot be loaded, ever; CUDA_SUCCESS: it was not tried, or is loaded */
    struct binary *next;
};

struct symbol {
    const void *host; /* the key */
    struct binary *binary;
    char *name;      /* in the device code; owned */
    CUkernel kernel; /* of a kernel: NULL until it is first used */
    enum { VARIABLE, KERNEL, TEXTURE, SURFACE } kind;
    bool reads_normalized; /* of a texture reference: it reads integers as numbers of 0 to 1 */
    void **managed;        /* of a managed variable: where the program reads its address; else NULL */
    size_t bytes;          /* of a managed variable: its size */
    void *spare;           /* host memory in place of a managed variable whose binary cannot be loaded. Owned */
    UT_hash_handle hh;
};

/* The entry points have no argument for the registry. Constructors of shared objects and threads that load them may
 * register at any time, hence the lock; it is recursive, because loading a binary fills in its managed variables. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static struct binary *binaries;
static struct symbol *symbols;

static struct binary *binary_of(void **handle)
{
    return handle ? (struct binary *)handle : NULL;
}

void **__cudaRegisterFatBinary(void *wrapper)
{
    struct binary *b = xcalloc(1, sizeof *b);
    b->wrapper = wrapper;
    pthread_mutex_lock(&lock);
    b->next = binaries;
    binaries = b;
    pthread_mutex_unlock(&lock);
    return (void **)b;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

static void drop_symbols(const struct binary *b)
{
    struct symbol *s, *next;
    HASH_ITER(hh, symbols, s, next)
    {
        if (s->binary != b)
            continue;
        HASH_DEL(symbols, s);
        free(s->name);
        free(s->spare);
        free(s);
    }
}

/* Called when the program, or a shared object of it, ends. The driver may have ended before. */
void __cudaUnregisterFatBinary(void **handle)
{
    struct binary *b = binary_of(handle);
    if (!b)
        return;
    pthread_mutex_lock(&lock);
    drop_symbols(b);
    for (struct binary **at = &binaries; *at; at = &(*at)->next)
        if (*at == b) {
            *at = b->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    if (b->library)
        driver.cuLibraryUnload(b->library);
    free(b);
}

static struct symbol *add_symbol(void **handle, const void *host, const char *name)
{
    struct symbol *s = NULL;
    if (!name)
        name = "";
    pthread_mutex_lock(&lock);
    HASH_FIND_PTR(symbols, &host, s);
    if (!s) {
        s = xcalloc(1, sizeof *s);
        s->host = host;
        HASH_ADD_PTR(symbols, host, s);
    }
    free(s->name);
    s->name = strcpy(xmalloc(strlen(name) + 1), name);
    s->binary = binary_of(handle);
    s->kernel = NULL; /* a handle of another binary, which may end before this one */
    pthread_mutex_unlock(&lock);
    return s;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            uint3 *thread, uint3 *block, dim3 *block_dim, dim3 *grid_dim, int *warp_size)
{
    (void)device, (void)thread_limit, (void)thread, (void)block, (void)block_dim, (void)grid_dim, (void)warp_size;
    add_symbol(handle, host, name)->kind = KERNEL;
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_extern, size_t bytes,
                       int is_constant, int is_global)
{
    (void)device, (void)is_extern, (void)bytes, (void)is_constant, (void)is_global;
    add_symbol(handle, host, name);
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int is_extern, size_t bytes,
                              int is_constant, int is_global)
{
    (void)device, (void)is_extern, (void)is_constant, (void)is_global;
    struct symbol *s = add_symbol(handle, host, name);
    s->managed = host;
    s->bytes = bytes;
}

/* A host variable that kernels on real GPUs reach through the host's page tables. */
void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes)
{
    (void)bytes;
    add_symbol(handle, host, name);
}

void registry_add_texture(void **handle, const void *host, const char *name, bool reads_normalized)
{
    struct symbol *s = add_symbol(handle, host, name);
    s->kind = TEXTURE;
    s->reads_normalized = reads_normalized;
}

void registry_add_surface(void **handle, const void *host, const char *name)
{
    add_symbol(handle, host, name)->kind = SURFACE;
}

/* Tells the program where its managed variables are. */
static CUresult fill_managed(const struct binary *b)
{
    for (struct symbol *s = symbols; s; s = s->hh.next) {
        CUdeviceptr address;
        if (s->binary != b || !s->managed)
            continue;
        CUresult result = driver.cuLibraryGetGlobal(&address, NULL, b->library, s->name);
        if (result)
            return result;
        *s->managed = (void *)(uintptr_t)address;
    }
    return CUDA_SUCCESS;
}

/* The host part of a program reads and writes managed variables without asking whether they are there. If their binary
 * cannot be loaded, it gets memory all the same, so that the program lives to report the error. */
static void spare_managed(const struct binary *b)
{
    for (struct symbol *s = symbols; s; s = s->hh.next)
        if (s->binary == b && s->managed && !*s->managed)
            *s->managed = s->spare = xcalloc(1, s->bytes ? s->bytes : 1);
}

/* A bad image is bad at every try, and is complained of once. A want of memory may pass. */
static CUresult load(struct binary *b)
{
    if (b->library || b->error)
        return b->error;
    CUresult result = driver.cuLibraryLoadData(&b->library, b->wrapper, NULL, NULL, 0, NULL, NULL, 0);
    if (result) {
        b->library = NULL;
        spare_managed(b);
        b->error = result == CUDA_ERROR_OUT_OF_MEMORY ? CUDA_SUCCESS : result;
        return result;
    }
    return fill_managed(b);
}

/* The program reads a managed variable, perhaps before any other call. */
char __cudaInitModule(void **handle)
{
    struct binary *b = binary_of(handle);
    if (!b || runtime_begin())
        return 0;
    pthread_mutex_lock(&lock);
    CUresult result = load(b);
    pthread_mutex_unlock(&lock);
    return runtime_end(result) == cudaSuccess;
}

static struct symbol *find(const void *host)
{
    struct symbol *s = NULL;
    HASH_FIND_PTR(symbols, &host, s);
    return s;
}

static cudaError_t kernel_of(struct symbol *s, CUkernel *kernel)
{
    if (s->kind != KERNEL || !s->binary)
        return cudaErrorInvalidDeviceFunction;
    CUresult result = load(s->binary);
    if (!result && !s->kernel)
        result = driver.cuLibraryGetKernel(&s->kernel, s->binary->library, s->name);
    *kernel = s->kernel;
    return result == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidDeviceFunction : (cudaError_t)result;
}

/* Whether the kernel handle is that of a symbol whose binary could not be loaded: see __cudaGetKernel(). */
static bool is_symbol(const void *handle)
{
    for (const struct symbol *s = symbols; s; s = s->hh.next)
        if (s == handle)
            return true;
    return false;
}

static cudaError_t find_kernel(const void *host, CUkernel *kernel)
{
    struct symbol *s = find(host);
    if (s)
        return kernel_of(s, kernel);
    CUfunction function;
    CUresult result = driver.cuKernelGetFunction(&function, (CUkernel)host);
    *kernel = (CUkernel)host;
    if (result == CUDA_ERROR_INVALID_HANDLE && is_symbol(host))
        return kernel_of((struct symbol *)host, kernel);
    if (result == CUDA_ERROR_INVALID_HANDLE)
        return host ? launch_symbol_error() : cudaErrorInvalidDeviceFunction;
    return (cudaError_t)result;
}

cudaError_t registry_find_kernel(const void *symbol, CUkernel *kernel)
{
    pthread_mutex_lock(&lock);
    cudaError_t error = find_kernel(symbol, kernel);
    pthread_mutex_unlock(&lock);
    return error;
}

const void *registry_find_symbol(CUkernel kernel)
{
    const void *host = kernel;
    pthread_mutex_lock(&lock);
    for (const struct symbol *s = symbols; s; s = s->hh.next)
        if (s->kind == KERNEL && s->kernel == kernel) {
            host = s->host;
            break;
        }
    pthread_mutex_unlock(&lock);
    return host;
}

static cudaError_t find_variable(const void *host, CUdeviceptr *address, size_t *bytes)
{
    struct symbol *s = find(host);
    if (!s || s->kind != VARIABLE || !s->binary)
        return cudaErrorInvalidSymbol;
    CUresult result = load(s->binary);
    if (!result)
        result = driver.cuLibraryGetGlobal(address, bytes, s->binary->library, s->name);
    return result == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidSymbol : (cudaError_t)result;
}

/* A managed variable may be named by its own address, since that is what the program has. */
static const void *managed_host(const void *address)
{
    for (struct symbol *s = symbols; s; s = s->hh.next)
        if (s->managed && *s->managed == address)
            return s->host;
    return address;
}

cudaError_t registry_find_variable(const void *symbol, CUdeviceptr *address, size_t *bytes)
{
    pthread_mutex_lock(&lock);
    cudaError_t error = find_variable(find(symbol) ? symbol : managed_host(symbol), address, bytes);
    pthread_mutex_unlock(&lock);
    return error;
}

cudaError_t registry_find_part(const void *symbol, size_t bytes, size_t offset, void **part)
{
    CUdeviceptr address;
    size_t variable_bytes;
    cudaError_t error = registry_find_variable(symbol, &address, &variable_bytes);
    if (error)
        return error;
    if (bytes && (offset > variable_bytes || bytes > variable_bytes - offset))
        return cudaErrorInvalidValue;
    *part = (void *)(uintptr_t)(address + offset);
    return cudaSuccess;
}

/* The module that has a texture or surface reference; the symbol is in *found. */
static CUresult find_module(const void *host, int kind, CUmodule *module, const struct symbol **found)
{
    const struct symbol *s = *found = find(host);
    if (!s || (int)s->kind != kind || !s->binary)
        return CUDA_ERROR_NOT_FOUND;
    CUresult result = load(s->binary);
    return result ? result : driver.cuLibraryGetModule(module, s->binary->library);
}

cudaError_t registry_find_texture(const void *symbol, CUtexref *reference, bool *reads_normalized)
{
    CUmodule module;
    const struct symbol *s;
    pthread_mutex_lock(&lock);
    CUresult result = find_module(symbol, TEXTURE, &module, &s);
    if (!result) {
        result = driver.cuModuleGetTexRef(reference, module, s->name);
        *reads_normalized = s->reads_normalized;
    }
    pthread_mutex_unlock(&lock);
    return result == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidTexture : (cudaError_t)result;
}

cudaError_t registry_find_surface(const void *symbol, CUsurfref *reference)
{
    CUmodule module;
    const struct symbol *s;
    pthread_mutex_lock(&lock);
    CUresult result = find_module(symbol, SURFACE, &module, &s);
    if (!result)
        result = driver.cuModuleGetSurfRef(reference, module, s->name);
    pthread_mutex_unlock(&lock);
    return result == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidSurface : (cudaError_t)result;
}

cudaError_t registry_reload(void)
{
    CUresult result = CUDA_SUCCESS;
    pthread_mutex_lock(&lock);
    for (const struct binary *b = binaries; b && !result; b = b->next)
        if (b->library)
            result = fill_managed(b);
    pthread_mutex_unlock(&lock);
    return (cudaError_t)result;
}

/* nvcc's host code calls this once per kernel, ignores the result, and keeps the handle for good. If the kernel's
 * binary cannot be loaded, the handle is the symbol itself, so that every launch returns the reason. */
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *symbol)
{
    CUkernel found = NULL;
    if (!kernel)
        return runtime_fail(cudaErrorInvalidValue);
    pthread_mutex_lock(&lock);
    *kernel = (cudaKernel_t)find(symbol);
    if (*kernel && !runtime_begin_quietly() && !find_kernel(symbol, &found))
        *kernel = (cudaKernel_t)found;
    pthread_mutex_unlock(&lock);
    return *kernel ? cudaSuccess : runtime_fail(cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *symbol)
{
    ENTER_RUNTIME();
    return kernel ? runtime_fail(registry_find_kernel(symbol, (CUkernel *)kernel))
                  : runtime_fail(cudaErrorInvalidValue);
}
