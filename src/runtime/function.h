/* What versions of cudaFuncGetAttributes() share. */
#ifndef HEDDLE_RUNTIME_FUNCTION_H
#define HEDDLE_RUNTIME_FUNCTION_H

#include "cuda_runtime_api.h"

/* Fills the first bytes of a struct cudaFuncAttributes: structures of older versions end earlier. */
cudaError_t function_read_attributes(void *attributes, size_t bytes, const void *symbol);

#endif
