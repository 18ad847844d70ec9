/* Filling memory with a value of 8, 16 or 32 bits, in one and two dimensions. */
#include "cuda/driver.h"

#include <string.h>

static void fill_row(uint8_t *row, uint32_t value, unsigned element_bytes, size_t count)
{
    if (element_bytes == 1)
        memset(row, (int)value, count);
    else
        for (size_t i = 0; i < count; i++)
            memcpy(row + i * element_bytes, &value, element_bytes); /* all hosts are little-endian */
}

/* Checks every row before the first is written. */
static CUresult fill(CUdeviceptr to, size_t pitch, uint32_t value, unsigned element_bytes, size_t width, size_t height,
                     CUstream stream)
{
    ENTER(e, NEED_CONTEXT);
    if (!stream_is_valid(e.driver, stream))
        return CUDA_ERROR_INVALID_HANDLE;
    if (to % element_bytes || (height > 1 && pitch % element_bytes))
        return CUDA_ERROR_INVALID_VALUE;
    uint64_t row_bytes, last;
    if (__builtin_mul_overflow(width, (size_t)element_bytes, &row_bytes) || (height > 1 && pitch < row_bytes))
        return CUDA_ERROR_INVALID_VALUE;
    if (!width || !height)
        return CUDA_SUCCESS;
    if (__builtin_mul_overflow(pitch, height - 1, &last) || __builtin_add_overflow(to, last, &last))
        return CUDA_ERROR_INVALID_VALUE;
    for (int pass = 0; pass < 2; pass++)
        for (size_t y = 0; y < height; y++) {
            uint8_t *row = copy_resolve(e.driver, to + y * pitch, row_bytes, false);
            if (!row)
                return CUDA_ERROR_INVALID_VALUE;
            if (pass)
                fill_row(row, value, element_bytes, width);
        }
    return CUDA_SUCCESS;
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count)
{
    return fill(to, 0, value, 1, count, 1, NULL);
}

CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count)
{
    return fill(to, 0, value, 2, count, 1, NULL);
}

CUresult cuMemsetD32(CUdeviceptr to, unsigned int value, size_t count)
{
    return fill(to, 0, value, 4, count, 1, NULL);
}

CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height)
{
    return fill(to, pitch, value, 1, width, height, NULL);
}

CUresult cuMemsetD2D16(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height)
{
    return fill(to, pitch, value, 2, width, height, NULL);
}

CUresult cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned int value, size_t width, size_t height)
{
    return fill(to, pitch, value, 4, width, height, NULL);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream)
{
    return fill(to, 0, value, 1, count, 1, stream);
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream)
{
    return fill(to, 0, value, 2, count, 1, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t count, CUstream stream)
{
    return fill(to, 0, value, 4, count, 1, stream);
}

CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height,
                           CUstream stream)
{
    return fill(to, pitch, value, 1, width, height, stream);
}

CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height,
                            CUstream stream)
{
    return fill(to, pitch, value, 2, width, height, stream);
}

CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned int value, size_t width, size_t height,
                            CUstream stream)
{
    return fill(to, pitch, value, 4, width, height, stream);
}
