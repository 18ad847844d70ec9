/* How sust.p converts values to the format of a surface: integers are clamped to the format, floats cut to half
 * precision where the format has it. */
#include "image/surface_format.h"

#include "base/half.h"

#include <string.h>

static uint32_t clamp_unsigned(uint32_t v, uint32_t most)
{
    return v < most ? v : most;
}

static uint32_t clamp_signed(int32_t v, int32_t most)
{
    return (uint32_t)(v > most ? most : v < -most - 1 ? -most - 1 : v);
}

static uint32_t convert(enum type type, uint32_t v)
{
    switch (type) {
    case TYPE_U8:
        return clamp_unsigned(v, UINT8_MAX);
    case TYPE_U16:
        return clamp_unsigned(v, UINT16_MAX);
    case TYPE_S8:
        return clamp_signed((int32_t)v, INT8_MAX);
    case TYPE_S16:
        return clamp_signed((int32_t)v, INT16_MAX);
    case TYPE_F16:
        return half_cut_f32_bits(v);
    default:
        return v;
    }
}

void surface_format(const struct surface *s, const uint64_t value[4], unsigned count, uint8_t *texel)
{
    enum type type = (enum type)s->texel_type;
    for (unsigned i = 0; i < s->channels; i++) {
        uint32_t v = i < count ? convert(type, (uint32_t)value[i]) : 0;
        memcpy(texel + (size_t)i * type_bytes(type), &v, type_bytes(type));
    }
}
