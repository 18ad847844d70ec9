/* Filling memory with a value of 8, 16 or 32 bits, in one and two dimensions. */
#include "cuda/stream.h"

#include <string.h>

static void fill_row(uint8_t *row, uint32_t value, unsigned element_bytes, size_t count)
{
    if (element_bytes == 1)
        memset(row, (int)value, count);
    else
        for (size_t i = 0; i < count; i++)
            memcpy(row + i * element_bytes, &value, element_bytes); /* all hosts are little-endian */
}

/* Checks every row before the first is written. `dry`: none is. */
CUresult fill_2d(struct driver *d, const CUDA_MEMSET_NODE_PARAMS_v2 *fill, bool dry)
{
    size_t bytes = fill->elementSize, width = fill->width, height = fill->height;
    if (bytes != 1 && bytes != 2 && bytes != 4)
        return CUDA_ERROR_INVALID_VALUE;
    if (fill->dst % bytes || (height > 1 && fill->pitch % bytes))
        return CUDA_ERROR_INVALID_VALUE;
    size_t pitch = height > 1 ? fill->pitch : 0;
    uint64_t row_bytes, last;
    if (__builtin_mul_overflow(width, bytes, &row_bytes) || (height > 1 && pitch < row_bytes))
        return CUDA_ERROR_INVALID_VALUE;
    if (!width || !height)
        return CUDA_SUCCESS;
    if (__builtin_mul_overflow(pitch, height - 1, &last) || __builtin_add_overflow(fill->dst, last, &last))
        return CUDA_ERROR_INVALID_VALUE;
    for (int pass = 0; pass < (dry ? 1 : 2); pass++)
        for (size_t y = 0; y < height; y++) {
            uint8_t *row = copy_target(d, fill->dst + y * pitch, row_bytes, false);
            if (!row)
                return CUDA_ERROR_INVALID_VALUE;
            if (pass)
                fill_row(row, fill->value, (unsigned)bytes, width);
        }
    return CUDA_SUCCESS;
}

/* A fill of the legacy stream, for which the caller waits. */
static CUresult fill_now(CUdeviceptr to, size_t pitch, uint32_t value, unsigned element_bytes, size_t width,
                         size_t height)
{
    ENTER(e, NEED_SYNC);
    CUDA_MEMSET_NODE_PARAMS_v2 fill = {to, pitch, value, element_bytes, width, height, NULL};
    return fill_2d(e.driver, &fill, false);
}

static CUresult fill_async(CUdeviceptr to, size_t pitch, uint32_t value, unsigned element_bytes, size_t width,
                           size_t height, CUstream stream)
{
    ENTER(e, NEED_CONTEXT);
    struct operation op = {.parameters = {.type = CU_GRAPH_NODE_TYPE_MEMSET,
                                          .memset = {to, pitch, value, element_bytes, width, height, NULL}}};
    return stream_submit(&e, stream, &op);
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count)
{
    return fill_now(to, 0, value, 1, count, 1);
}

CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count)
{
    return fill_now(to, 0, value, 2, count, 1);
}

CUresult cuMemsetD32(CUdeviceptr to, unsigned int value, size_t count)
{
    return fill_now(to, 0, value, 4, count, 1);
}

CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height)
{
    return fill_now(to, pitch, value, 1, width, height);
}

CUresult cuMemsetD2D16(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height)
{
    return fill_now(to, pitch, value, 2, width, height);
}

CUresult cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned int value, size_t width, size_t height)
{
    return fill_now(to, pitch, value, 4, width, height);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream)
{
    return fill_async(to, 0, value, 1, count, 1, stream);
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream)
{
    return fill_async(to, 0, value, 2, count, 1, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t count, CUstream stream)
{
    return fill_async(to, 0, value, 4, count, 1, stream);
}

CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height,
                           CUstream stream)
{
    return fill_async(to, pitch, value, 1, width, height, stream);
}

CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height,
                            CUstream stream)
{
    return fill_async(to, pitch, value, 2, width, height, stream);
}

CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned int value, size_t width, size_t height,
                            CUstream stream)
{
    return fill_async(to, pitch, value, 4, width, height, stream);
}
