/* Arrays and formats of their elements, for copies, textures and surfaces. */
#ifndef HEDDLE_CUDA_ARRAY_H
#define HEDDLE_CUDA_ARRAY_H

#include "cuda/driver.h"

/* Limits of arrays of compute capability 9.0, in elements, beside those of 1D and 2D arrays (driver.h). */
enum { SIDE_3D = 16384, SIDE_LAYERED = 32768 /* and of cube maps */, LAYERS = 2048, CUBE_LAYERS = 2046 };

/* The byte x of row y of slice z is at address + (z * rows + y) * row_bytes + x. */
struct array {
    struct object object;
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    uint64_t address;
    uint64_t row_bytes;
    uint64_t rows, slices; /* rows of a slice; layers, faces or planes of the array; at least 1 */
};

/* The live array of a handle; NULL: there is none. */
struct array *array_find(struct driver *d, CUarray array);

/* The array of a level of a live mipmapped array; NULL: there is none. */
struct array *array_level(struct driver *d, CUmipmappedArray array, unsigned level);

/* The type of one channel of a format; TYPE_NONE: heddle has no such format. */
enum type format_type(CUarray_format format);
unsigned format_bytes(CUarray_format format); /* 0: heddle has no such format */
uint64_t texel_bytes(CUarray_format format, unsigned channels);

#endif
