/*
 * A CUDA program without a CUDA compiler: PTX text, registered with the runtime as nvcc's host code does it.
 *
 * A kernel or a variable is named by the address of a host symbol, for which any static object of the test will do:
 *
 *     static char add;
 *     void **binary = registered_binary(ptx);
 *     registered_kernel(binary, &add, "add");
 *     cudaLaunchKernel(&add, ...);
 *     registered_end(binary);
 */
#ifndef HEDDLE_TESTS_RUNTIME_REGISTERED_H
#define HEDDLE_TESTS_RUNTIME_REGISTERED_H

#include "cuda_runtime_api.h"

/* Calls that nvcc's host code makes, and no header declares. */
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, struct CUstream_st *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *symbol);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                               cudaStream_t stream);
char __cudaInitModule(void **handle);

/* Registers a fat binary with one plain entry of PTX. */
void **registered_binary(const char *ptx);
/* Registers a fat binary with one entry of machine code, which heddle does not run. */
void **registered_machine_code(void);
void registered_kernel(void **binary, const void *host, const char *name);
void registered_variable(void **binary, const void *host, const char *name, size_t bytes);
/* After this call *host is the address of the variable. */
void registered_managed(void **binary, void **host, const char *name, size_t bytes);
/* What a program does at its exit, and a shared object when it is closed. */
void registered_end(void **binary);

#endif
