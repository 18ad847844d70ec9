/*
 * Tensor maps: cuTensorMapEncodeTiled() and its kin check what a program says about a tensor, and write it into the map
 * that kernels use (device/tensor_map.h). Promotions to the L2 have no effect.
 */
#include "cuda/driver.h"

#include "device/tensor_map.h"

#include <string.h>

_Static_assert(sizeof(CUtensorMap) == TENSOR_MAP_BYTES, "the map is what kernels read");

enum { MAX_BOX = 256, MAX_STEP = 8, ADDRESS_ALIGN = 16, MAX_CHANNELS = 256, MAX_PIXELS = 1024 };

#define MAX_SIZE   (UINT64_C(1) << 32)
#define MAX_STRIDE (UINT64_C(1) << 40)

/* What both kinds of maps say. */
struct tensor_form {
    CUtensorMapDataType type;
    cuuint32_t rank;
    void *address;
    const cuuint64_t *size, *stride;
    const cuuint32_t *step;
    CUtensorMapInterleave interleave;
    CUtensorMapSwizzle swizzle;
    CUtensorMapFloatOOBfill fill;
};

static bool is_float(unsigned type)
{
    return type >= TENSOR_F16;
}

static bool fill_common(const struct tensor_form *f, struct tensor_map *m)
{
    if (!f->rank || f->rank > TENSOR_MAP_MAX_RANK || !f->size || !f->step || (f->rank > 1 && !f->stride) ||
        (unsigned)f->type >= TENSOR_TYPE_COUNT || (unsigned)f->swizzle >= TENSOR_SWIZZLE_COUNT)
        return false;
    if ((unsigned)f->interleave >= TENSOR_INTERLEAVE_COUNT || (f->interleave && f->rank < 3))
        return false;
    const unsigned align = f->interleave ? tensor_slice_bytes(f->interleave) : ADDRESS_ALIGN;
    if ((uintptr_t)f->address % align || (f->fill && !is_float((unsigned)f->type)))
        return false;
    *m = (struct tensor_map){.magic = TENSOR_MAP_MAGIC,
                             .rank = (uint8_t)f->rank,
                             .type = (uint8_t)f->type,
                             .swizzle = (uint8_t)f->swizzle,
                             .interleave = (uint8_t)f->interleave,
                             .fills_nan = f->fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
                             .address = (uint64_t)(uintptr_t)f->address};
    for (cuuint32_t d = 0; d < f->rank; d++) {
        if (!f->size[d] || f->size[d] > MAX_SIZE || !f->step[d] || f->step[d] > MAX_STEP)
            return false;
        m->size[d] = f->size[d] < MAX_SIZE ? (uint32_t)f->size[d] : UINT32_MAX;
        m->step[d] = (uint8_t)f->step[d];
        if (d + 1 == f->rank)
            break;
        if (f->stride[d] % align || f->stride[d] >= MAX_STRIDE)
            return false;
        m->stride[d] = f->stride[d];
    }
    return true;
}

/* Whether a row of so many bytes fits the swizzle, and copies can move it. Rows of interleaved tensors fit any. */
static bool is_row(const struct tensor_map *m, uint32_t bytes)
{
    return !(bytes % 16) && (!m->swizzle || m->interleave || bytes <= 16u << m->swizzle);
}

static CUresult write_map(CUtensorMap *to, const struct tensor_map *m)
{
    memset(to, 0, sizeof *to);
    memcpy(to, m, sizeof *m);
    return CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                const cuuint64_t *size, const cuuint64_t *stride, const cuuint32_t *box,
                                const cuuint32_t *step, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    ENTER(e, NEED_CONTEXT);
    (void)e;
    (void)promotion;
    struct tensor_form f = {type, rank, address, size, stride, step, interleave, swizzle, fill};
    struct tensor_map m;
    if (!map || !box || !fill_common(&f, &m))
        return CUDA_ERROR_INVALID_VALUE;
    for (cuuint32_t d = 0; d < rank; d++) {
        if (!box[d] || box[d] > MAX_BOX)
            return CUDA_ERROR_INVALID_VALUE;
        m.box[d] = (uint16_t)box[d];
    }
    if (!is_row(&m, m.box[0] * tensor_type_bytes(m.type)))
        return CUDA_ERROR_INVALID_VALUE;
    return write_map(map, &m);
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                 const cuuint64_t *size, const cuuint64_t *stride, const int *lower, const int *upper,
                                 cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *step,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    ENTER(e, NEED_CONTEXT);
    (void)e;
    (void)promotion;
    struct tensor_form f = {type, rank, address, size, stride, step, interleave, swizzle, fill};
    struct tensor_map m;
    if (!map || !lower || !upper || rank < 3 || !channels || channels > MAX_CHANNELS || !pixels ||
        pixels > MAX_PIXELS || !fill_common(&f, &m))
        return CUDA_ERROR_INVALID_VALUE;
    m.is_im2col = 1;
    m.channels = (uint16_t)channels;
    m.pixels = (uint16_t)pixels;
    for (cuuint32_t d = 0; d + 2 < rank; d++) {
        const int most = rank == 3 ? INT16_MAX : rank == 4 ? 127 : 15;
        if (lower[d] < -most - 1 || lower[d] > most || upper[d] < -most - 1 || upper[d] > most)
            return CUDA_ERROR_INVALID_VALUE;
        m.lower[d] = (int16_t)lower[d];
        m.upper[d] = (int16_t)upper[d];
    }
    if (!is_row(&m, channels * tensor_type_bytes(m.type)))
        return CUDA_ERROR_INVALID_VALUE;
    return write_map(map, &m);
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address)
{
    ENTER(e, NEED_CONTEXT);
    (void)e;
    struct tensor_map m;
    if (!map || (uintptr_t)address % ADDRESS_ALIGN)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&m, map, sizeof m);
    m.address = (uint64_t)(uintptr_t)address;
    return write_map(map, &m);
}
