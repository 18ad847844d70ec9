/*
 * Textures and surfaces as both executors see them: where the texels are, their format, and how fetches sample them.
 * The driver fills these structures in; executors only read them.
 */
#ifndef HEDDLE_DEVICE_TEXTURE_H
#define HEDDLE_DEVICE_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

enum { TEXTURE_MAX_LEVELS = 18, TEXTURE_FACES = 6 }; /* of mipmaps; of a cube map */

/* What happens to coordinates outside a texture. */
enum texture_address { TEXTURE_WRAP, TEXTURE_CLAMP, TEXTURE_MIRROR, TEXTURE_BORDER };

/* Slices are the planes of a 3D texture, or layers, or faces of cube maps. */
struct texture_level {
    uint64_t address;              /* generic */
    uint64_t row_bytes;            /* from one row of texels to the next */
    uint64_t slice_bytes;          /* from one slice to the next */
    uint32_t width, height, depth; /* texels; height and depth are 0 where the texture has no such axis */
};

struct texture {
    uint64_t handle; /* the value by which kernels name the texture; never 0 */
    struct texture_level level[TEXTURE_MAX_LEVELS];
    uint8_t level_count; /* at least 1 */
    bool is_linear;      /* linear memory: fetched by integer coordinates alone */
    bool is_cube;
    bool is_seamless;     /* filters of a cube map go on from face to face */
    uint32_t layers;      /* 0: not layered; of a layered cube map: cubes */
    uint8_t channels;     /* 1, 2 or 4 */
    uint8_t texel_type;   /* enum type of a channel: U8, S8, U16, S16, F16, U32, S32 or F32 */
    bool read_normalized; /* integer channels are read as floats in [0,1] or [-1,1] */
    bool is_srgb;         /* the first three channels, unsigned bytes, are sRGB */
    bool normalized_coordinates;
    bool filters;            /* linear filtering within a level */
    bool filters_levels;     /* linear filtering between levels */
    uint8_t max_anisotropy;  /* 0 or 1: isotropic */
    uint8_t address_mode[3]; /* enum texture_address, for x, y and z */
    float border[4];         /* the colour outside the texture, under TEXTURE_BORDER */
    float level_bias, least_level, most_level;
};

struct surface {
    uint64_t handle;            /* never 0 */
    struct texture_level level; /* depth counts layers too */
    bool is_layered;            /* or a cube map, whose faces are layers */
    uint8_t channels, texel_type;
};

#endif
