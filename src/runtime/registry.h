/*
 * What a program registers before main(): its fat binaries, and the kernels and variables in them.
 *
 * nvcc's host code names a kernel or a variable by the address of a host symbol. The registry maps these addresses to
 * the names in the device code. A fat binary is loaded when something in it is first used, so that a program that uses
 * only part of its kernels loads only those binaries, and an error in one appears where that one is used.
 */
#ifndef HEDDLE_RUNTIME_REGISTRY_H
#define HEDDLE_RUNTIME_REGISTRY_H

#include "cuda.h"
#include "cuda_runtime_api.h"

#include <stdbool.h>

/* The kernel of a host symbol; its binary is loaded. A kernel handle of __cudaGetKernel() is taken, too. */
cudaError_t registry_find_kernel(const void *symbol, CUkernel *kernel);
/* The host symbol of a kernel; the kernel's handle itself if no symbol was registered for it. */
const void *registry_find_symbol(CUkernel kernel);
/* The variable of a host symbol; its binary is loaded. Either of address and bytes may be NULL. */
cudaError_t registry_find_variable(const void *symbol, CUdeviceptr *address, size_t *bytes);
/* The address of `bytes` bytes from an offset on in a variable; cudaErrorInvalidValue: the variable has not all. */
cudaError_t registry_find_part(const void *symbol, size_t bytes, size_t offset, void **part);
/* Texture references, for programs of CUDA 11: whether integers are read as numbers of 0 to 1 is part of the type, and
 * known when the reference is registered. */
void registry_add_texture(void **handle, const void *host, const char *name, bool reads_normalized);
cudaError_t registry_find_texture(const void *symbol, CUtexref *reference, bool *reads_normalized);
/* Surface references, for programs of CUDA 11, too. */
void registry_add_surface(void **handle, const void *host, const char *name);
cudaError_t registry_find_surface(const void *symbol, CUsurfref *reference);
/* After the device was reset: managed variables get their addresses anew. */
cudaError_t registry_reload(void);

/* The entry points that nvcc's host code calls. */
#pragma GCC visibility push(default)
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            uint3 *thread, uint3 *block, dim3 *block_dim, dim3 *grid_dim, int *warp_size);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_extern, size_t bytes,
                       int is_constant, int is_global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int is_extern, size_t bytes,
                              int is_constant, int is_global);
void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes);
char __cudaInitModule(void **handle);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *symbol);
#pragma GCC visibility pop

#endif
