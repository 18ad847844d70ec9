/* The textures and surfaces of a case: what the kernel reads and writes through handles. */
#ifndef HEDDLE_TESTS_OP_TEXTURE_H
#define HEDDLE_TESTS_OP_TEXTURE_H

#include "ptx/ops.h"

#include <stdbool.h>
#include <stddef.h>

enum op_texture_kind { OP_NO_TEXTURE, OP_LINEAR_TEXTURE, OP_PITCHED_TEXTURE, OP_ARRAY_TEXTURE, OP_SURFACE };

/* Where a kernel reads a texture or accesses a surface: the argument that takes the handle, and the one that holds the
 * texels, level after level, without gaps; they may be one argument, which is then passed as the handle. What a kernel
 * leaves in a surface comes back in the argument of the texels. */
struct op_texture {
    enum op_texture_kind kind;
    int handle_arg, texel_arg;
    unsigned width, height, depth, levels; /* texels of the first level; layers and faces count as depth */
    bool is_layered, is_cube;
    enum type format;
    unsigned channels;
    bool filters, filters_levels, is_normalized, reads_integers;
    int address_mode; /* 0: wrap; 1: clamp; 2: mirror; 3: border */
    float border[4];
};

/* Texels of all levels. */
static inline size_t op_texture_texels(const struct op_texture *x)
{
    size_t count = 0;
    for (unsigned level = 0; level < x->levels; level++) {
        const unsigned w = x->width >> level, h = x->height >> level;
        const unsigned d = x->is_layered || x->is_cube ? x->depth : x->depth >> level;
        count += (size_t)(w ? w : 1) * (h ? h : 1) * (d ? d : 1);
    }
    return count;
}

#endif
