/* cudaFuncGetAttributes(): the structure grew when clusters came, with version 12. */
#include "runtime/function.h"

#include <stddef.h>

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *symbol)
{
    size_t bytes = RUNTIME_MAJOR >= 12 ? sizeof *attributes : offsetof(struct cudaFuncAttributes, clusterDimMustBeSet);
    return function_read_attributes(attributes, bytes, symbol);
}
