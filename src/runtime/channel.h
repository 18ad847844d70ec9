/* The element of an array or a texture: the runtime describes its channels by their bits, the driver by a format. */
#ifndef HEDDLE_RUNTIME_CHANNEL_H
#define HEDDLE_RUNTIME_CHANNEL_H

#include "cuda.h"
#include "cuda_runtime_api.h"

/* The driver's format and number of channels; an error code if there is no such element. */
cudaError_t channel_find_format(const struct cudaChannelFormatDesc *channels, CUarray_format *format, unsigned *count);
/* The runtime's description; all zero and of no kind if the driver has a format that the runtime cannot describe. */
struct cudaChannelFormatDesc channel_describe(CUarray_format format, unsigned count);
/* Bytes of an element; 0: the format is none of the plain ones. */
size_t channel_element_bytes(CUarray_format format, unsigned count);

#endif
