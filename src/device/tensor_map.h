/*
 * Tensor maps: what cuTensorMapEncodeTiled() and cuTensorMapEncodeIm2col() write into the 128 bytes that CUDA calls
 * opaque, and kernels hand to instructions that copy boxes of tensors.
 *
 * The bytes are laid out as this structure, not as on hardware: programs get maps from the driver only. A map that
 * another driver made is not recognised.
 */
#ifndef HEDDLE_DEVICE_TENSOR_MAP_H
#define HEDDLE_DEVICE_TENSOR_MAP_H

#include "ptx/ops.h"

enum { TENSOR_MAP_BYTES = 128, TENSOR_MAP_MAX_RANK = 5, TENSOR_MAP_MAX_SLICE = 32, TENSOR_MAP_MAGIC = 0x504d5448 };

/* Element types, in CUDA's order. */
enum tensor_type {
    TENSOR_U8,
    TENSOR_U16,
    TENSOR_U32,
    TENSOR_S32,
    TENSOR_U64,
    TENSOR_S64,
    TENSOR_F16,
    TENSOR_F32,
    TENSOR_F64,
    TENSOR_BF16,
    TENSOR_F32_FTZ,
    TENSOR_TF32,
    TENSOR_TF32_FTZ,
    TENSOR_TYPE_COUNT
};

/* Swizzles, in CUDA's order: in each line of 128 bytes of shared memory, units of 16 bytes change places by the number
 * of the line. */
enum tensor_swizzle {
    TENSOR_SWIZZLE_NONE,
    TENSOR_SWIZZLE_32,
    TENSOR_SWIZZLE_64,
    TENSOR_SWIZZLE_128,
    TENSOR_SWIZZLE_COUNT
};

/* Interleaved layouts, in CUDA's order: channels are kept in slices of 16 or 32 bytes. The first dimension then counts
 * pixels of one slice each, the one before the last slices, and the last images. */
enum tensor_interleave { TENSOR_INTERLEAVE_NONE, TENSOR_INTERLEAVE_16, TENSOR_INTERLEAVE_32, TENSOR_INTERLEAVE_COUNT };

struct tensor_map {
    uint32_t magic; /* TENSOR_MAP_MAGIC */
    uint8_t rank, type, interleave, swizzle;
    uint8_t fills_nan; /* elements outside the tensor are read as NaN, otherwise as 0 */
    uint8_t is_im2col;
    uint8_t step[TENSOR_MAP_MAX_RANK]; /* of each dimension, from element to element of the box */
    uint8_t unused;
    uint64_t address;                                                       /* of the first element, generic */
    uint64_t stride[TENSOR_MAP_MAX_RANK - 1];                               /* bytes, of dimensions 1, 2, ... */
    uint32_t size[TENSOR_MAP_MAX_RANK];                                     /* elements */
    uint16_t box[TENSOR_MAP_MAX_RANK];                                      /* elements, before steps */
    int16_t lower[TENSOR_MAP_MAX_RANK - 2], upper[TENSOR_MAP_MAX_RANK - 2]; /* im2col: corners of the box of pixels, for
                                                                                dimensions 1, 2, ..., or 0, 1, ... if
                                                                                interleaved */
    uint16_t channels, pixels; /* im2col: channels per pixel, pixels per column */
};

_Static_assert(sizeof(struct tensor_map) <= TENSOR_MAP_BYTES, "a map has 128 bytes");

/* Bytes of an element; 0: there is no such type. */
static inline unsigned tensor_type_bytes(unsigned type)
{
    static const uint8_t bytes[TENSOR_TYPE_COUNT] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return type < TENSOR_TYPE_COUNT ? bytes[type] : 0;
}

static inline unsigned tensor_slice_bytes(unsigned interleave)
{
    return interleave == TENSOR_INTERLEAVE_16 ? 16 : TENSOR_MAP_MAX_SLICE;
}

/* tensormap.replace numbers types otherwise than CUDA: 8, 9 and 10 are f32.ftz, f64 and bf16. */
static inline uint8_t tensor_type_of_code(unsigned code)
{
    static const uint8_t types[3] = {TENSOR_F32_FTZ, TENSOR_F64, TENSOR_BF16};
    code %= TENSOR_TYPE_COUNT;
    return code >= 8 && code <= 10 ? types[code - 8] : (uint8_t)code;
}

/* The type as which elements are combined. */
static inline enum type tensor_element_type(unsigned type)
{
    static const uint8_t types[TENSOR_TYPE_COUNT] = {TYPE_U8,  TYPE_U16, TYPE_U32, TYPE_S32, TYPE_U64,
                                                     TYPE_S64, TYPE_F16, TYPE_F32, TYPE_F64, TYPE_BF16,
                                                     TYPE_F32, TYPE_F32, TYPE_F32};
    return (enum type)types[type];
}

#endif
