/* What calls on kernels share. */
#ifndef HEDDLE_RUNTIME_FUNCTION_H
#define HEDDLE_RUNTIME_FUNCTION_H

#include "cuda.h"
#include "cuda_runtime_api.h"

/* Enters the runtime and finds the kernel. An error, that of a faulted context included, is remembered. */
cudaError_t function_find(const void *symbol, CUfunction *function);
/* Fills the first bytes of a struct cudaFuncAttributes: structures of older versions end earlier. */
cudaError_t function_read_attributes(void *attributes, size_t bytes, const void *symbol);

#endif
