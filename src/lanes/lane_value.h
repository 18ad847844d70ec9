/*
 * Conversion of one value, any type to any type in any rounding, by integer arithmetic alone: it leans
 * neither on the host's floating point nor on its rounding mode. The common pairs have faster handlers
 * (lanes_convert.c), which are held against this.
 */
#ifndef HEDDLE_LANES_LANE_VALUE_H
#define HEDDLE_LANES_LANE_VALUE_H

#include "ptx/ops.h"

struct conversion {
    enum type from, to;
    enum mod rounding; /* RND_*; the RND_R?I forms round to an integral value first */
    bool ftz, sat;
};

/* `raw` is the source's register; only the bits of its type count. The result is extended to 64 bits as PTX
 * extends it to a wider register: by the sign of a signed type, else by zeros. */
uint64_t lane_value_convert(const struct conversion *c, uint64_t raw);

/* What an integer becomes from a source that is not a number: its highest bit from f64 or for 64 bits, else
 * 0. */
static inline uint64_t lane_value_nan_integer(enum type from, enum type to)
{
    unsigned bits = type_table[to].bits;
    return from == TYPE_F64 || bits == 64 ? 1ull << (bits - 1) : 0;
}

#endif
