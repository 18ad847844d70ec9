/*
 * Copies between linear memory and arrays of one and two dimensions.
 *
 * cudaMemcpyToArray() and its relatives copy a run of bytes that may start inside a row and goes on in the next rows.
 * Here that is one copy per stretch that lies in a single row on both sides.
 */
#include "runtime/channel.h"
#include "runtime/copy.h"
#include "runtime/runtime.h"

static cudaError_t check_target_kind(enum cudaMemcpyKind kind)
{
    bool ok = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault;
    return ok ? cudaSuccess : cudaErrorInvalidMemcpyDirection;
}

static cudaError_t check_source_kind(enum cudaMemcpyKind kind)
{
    bool ok = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault;
    return ok ? cudaSuccess : cudaErrorInvalidMemcpyDirection;
}

static void set_target_array(CUDA_MEMCPY2D *copy, cudaArray_t array, size_t x_bytes, size_t y)
{
    copy->dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy->dstArray = (CUarray)array;
    copy->dstXInBytes = x_bytes;
    copy->dstY = y;
}

static void set_source_array(CUDA_MEMCPY2D *copy, cudaArray_const_t array, size_t x_bytes, size_t y)
{
    copy->srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy->srcArray = (CUarray)(cudaArray_t)array;
    copy->srcXInBytes = x_bytes;
    copy->srcY = y;
}

static void set_target_memory(CUDA_MEMCPY2D *copy, void *to, size_t pitch, enum cudaMemcpyKind kind)
{
    struct copy_types types = {.to = CU_MEMORYTYPE_UNIFIED, .from = CU_MEMORYTYPE_UNIFIED};
    copy_find_types(kind, &types);
    copy->dstMemoryType = types.to;
    copy->dstHost = to;
    copy->dstDevice = address_of(to);
    copy->dstPitch = pitch;
}

static void set_source_memory(CUDA_MEMCPY2D *copy, const void *from, size_t pitch, enum cudaMemcpyKind kind)
{
    struct copy_types types = {.to = CU_MEMORYTYPE_UNIFIED, .from = CU_MEMORYTYPE_UNIFIED};
    copy_find_types(kind, &types);
    copy->srcMemoryType = types.from;
    copy->srcHost = from;
    copy->srcDevice = address_of(from);
    copy->srcPitch = pitch;
}

static cudaError_t translate_to_array(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t pitch,
                                      size_t width_bytes, size_t height, enum cudaMemcpyKind kind, CUDA_MEMCPY2D *copy)
{
    cudaError_t error = width_bytes && height ? check_target_kind(kind) : cudaSuccess;
    if (!error && height > 1 && width_bytes > pitch)
        error = cudaErrorInvalidPitchValue;
    *copy = (CUDA_MEMCPY2D){.WidthInBytes = width_bytes, .Height = height};
    set_target_array(copy, to, x_bytes, y);
    set_source_memory(copy, from, pitch, kind);
    return error;
}

static cudaError_t translate_from_array(void *to, size_t pitch, cudaArray_const_t from, size_t x_bytes, size_t y,
                                        size_t width_bytes, size_t height, enum cudaMemcpyKind kind,
                                        CUDA_MEMCPY2D *copy)
{
    cudaError_t error = width_bytes && height ? check_source_kind(kind) : cudaSuccess;
    if (!error && height > 1 && width_bytes > pitch)
        error = cudaErrorInvalidPitchValue;
    *copy = (CUDA_MEMCPY2D){.WidthInBytes = width_bytes, .Height = height};
    set_target_memory(copy, to, pitch, kind);
    set_source_array(copy, from, x_bytes, y);
    return error;
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t pitch,
                                size_t width_bytes, size_t height, enum cudaMemcpyKind kind)
{
    ENTER_RUNTIME();
    CUDA_MEMCPY2D copy;
    cudaError_t error = translate_to_array(to, x_bytes, y, from, pitch, width_bytes, height, kind, &copy);
    return error ? runtime_fail(error) : runtime_end(driver.cuMemcpy2DUnaligned(&copy));
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t pitch,
                                     size_t width_bytes, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    ENTER_RUNTIME();
    CUDA_MEMCPY2D copy;
    cudaError_t error = translate_to_array(to, x_bytes, y, from, pitch, width_bytes, height, kind, &copy);
    return error ? runtime_fail(error) : runtime_end(driver.cuMemcpy2DAsync(&copy, stream));
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x_bytes, size_t y,
                                  size_t width_bytes, size_t height, enum cudaMemcpyKind kind)
{
    ENTER_RUNTIME();
    CUDA_MEMCPY2D copy;
    cudaError_t error = translate_from_array(to, pitch, from, x_bytes, y, width_bytes, height, kind, &copy);
    return error ? runtime_fail(error) : runtime_end(driver.cuMemcpy2DUnaligned(&copy));
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x_bytes, size_t y,
                                       size_t width_bytes, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    ENTER_RUNTIME();
    CUDA_MEMCPY2D copy;
    cudaError_t error = translate_from_array(to, pitch, from, x_bytes, y, width_bytes, height, kind, &copy);
    return error ? runtime_fail(error) : runtime_end(driver.cuMemcpy2DAsync(&copy, stream));
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x_bytes, size_t to_y, cudaArray_const_t from,
                                     size_t from_x_bytes, size_t from_y, size_t width_bytes, size_t height,
                                     enum cudaMemcpyKind kind)
{
    ENTER_RUNTIME();
    if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return runtime_fail(cudaErrorInvalidMemcpyDirection);
    CUDA_MEMCPY2D copy = {.WidthInBytes = width_bytes, .Height = height};
    set_target_array(&copy, to, to_x_bytes, to_y);
    set_source_array(&copy, from, from_x_bytes, from_y);
    return runtime_end(driver.cuMemcpy2DUnaligned(&copy));
}

/* A place in an array from which a run of bytes goes on, row by row. */
struct run_place {
    cudaArray_const_t array;
    size_t x_bytes, y;
    size_t row_bytes, rows;
};

static CUresult find_place(struct run_place *place, cudaArray_const_t array, size_t x_bytes, size_t y)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    CUresult result = driver.cuArray3DGetDescriptor(&descriptor, (CUarray)(cudaArray_t)array);
    if (result)
        return result;
    *place = (struct run_place){.array = array, .y = y};
    place->row_bytes = descriptor.Width * channel_element_bytes(descriptor.Format, descriptor.NumChannels);
    place->rows = descriptor.Height ? descriptor.Height : 1;
    if (place->row_bytes) {
        place->x_bytes = x_bytes % place->row_bytes;
        if (__builtin_add_overflow(y, x_bytes / place->row_bytes, &place->y))
            return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

/* Whether the array has all bytes of a run. The rows of an array are fewer than 2^31 and shorter than 2^32 bytes. */
static bool has_run(const struct run_place *place, size_t bytes)
{
    if (place->y >= place->rows)
        return bytes == 0;
    return bytes <= (place->rows - place->y) * place->row_bytes - place->x_bytes;
}

static void advance(struct run_place *place, size_t bytes)
{
    place->x_bytes += bytes;
    if (place->x_bytes == place->row_bytes) {
        place->x_bytes = 0;
        place->y++;
    }
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Copies a run of bytes between two ends, of which each is an array or linear memory (NULL place). */
static cudaError_t copy_run(struct run_place *to, void *to_memory, struct run_place *from, const void *from_memory,
                            size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    if ((to && !has_run(to, bytes)) || (from && !has_run(from, bytes)))
        return runtime_fail(cudaErrorInvalidValue);
    for (size_t done = 0; done < bytes;) {
        size_t part = bytes - done;
        if (to)
            part = smaller(part, to->row_bytes - to->x_bytes);
        if (from)
            part = smaller(part, from->row_bytes - from->x_bytes);
        CUDA_MEMCPY2D copy = {.WidthInBytes = part, .Height = 1};
        if (to)
            set_target_array(&copy, (cudaArray_t)to->array, to->x_bytes, to->y);
        else
            set_target_memory(&copy, (char *)to_memory + done, part, kind);
        if (from)
            set_source_array(&copy, from->array, from->x_bytes, from->y);
        else
            set_source_memory(&copy, (const char *)from_memory + done, part, kind);
        CUresult result = driver.cuMemcpy2DAsync(&copy, stream);
        if (result)
            return runtime_end(result);
        if (to)
            advance(to, part);
        if (from)
            advance(from, part);
        done += part;
    }
    return cudaSuccess;
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t bytes,
                                   enum cudaMemcpyKind kind, cudaStream_t stream)
{
    ENTER_RUNTIME();
    struct run_place place;
    cudaError_t error = check_target_kind(kind);
    if (!error)
        error = (cudaError_t)find_place(&place, to, x_bytes, y);
    return error ? runtime_fail(error) : copy_run(&place, NULL, NULL, from, bytes, kind, stream);
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t bytes,
                              enum cudaMemcpyKind kind)
{
    return cudaMemcpyToArrayAsync(to, x_bytes, y, from, bytes, kind, NULL);
}

cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x_bytes, size_t y, size_t bytes,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    ENTER_RUNTIME();
    struct run_place place;
    cudaError_t error = check_source_kind(kind);
    if (!error)
        error = (cudaError_t)find_place(&place, from, x_bytes, y);
    return error ? runtime_fail(error) : copy_run(NULL, to, &place, NULL, bytes, kind, stream);
}

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x_bytes, size_t y, size_t bytes,
                                enum cudaMemcpyKind kind)
{
    return cudaMemcpyFromArrayAsync(to, from, x_bytes, y, bytes, kind, NULL);
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x_bytes, size_t to_y, cudaArray_const_t from,
                                   size_t from_x_bytes, size_t from_y, size_t bytes, enum cudaMemcpyKind kind)
{
    ENTER_RUNTIME();
    struct run_place target, source;
    if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return runtime_fail(cudaErrorInvalidMemcpyDirection);
    CUresult result = find_place(&target, to, to_x_bytes, to_y);
    if (!result)
        result = find_place(&source, from, from_x_bytes, from_y);
    return result ? runtime_end(result) : copy_run(&target, NULL, &source, NULL, bytes, kind, NULL);
}
