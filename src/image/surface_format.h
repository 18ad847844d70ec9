/* Formats of surfaces, for sust.p. */
#ifndef HEDDLE_IMAGE_SURFACE_FORMAT_H
#define HEDDLE_IMAGE_SURFACE_FORMAT_H

#include "device/texture.h"
#include "ptx/ops.h"

static inline uint32_t surface_texel_bytes(const struct surface *s)
{
    return s->channels * type_bytes((enum type)s->texel_type);
}

/* Writes a texel. Values are integers for integer formats, and bits of floats for others; a channel without a value is
 * written as 0. */
void surface_format(const struct surface *s, const uint64_t value[4], unsigned count, uint8_t *texel);

#endif
