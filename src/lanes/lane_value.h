/*
 * Conversion of one value, from any type to any type in any rounding, by integer arithmetic alone, independent of the
 * host's floating point and rounding mode. The common pairs of types have faster handlers (convert.c); tests compare
 * these with this conversion.
 */
#ifndef HEDDLE_LANES_LANE_VALUE_H
#define HEDDLE_LANES_LANE_VALUE_H

#include "ptx/ops.h"

struct conversion {
    enum type from, to;
    enum mod rounding; /* RND_*; the RND_R?I forms round to an integral value first */
    bool ftz, sat;
};

/* `raw` is the source register, of which only the bits of the type `from` count. The result is extended to 64 bits as
 * PTX extends to a wider register: by the sign for a signed type, else by zeros. */
uint64_t lane_value_convert(const struct conversion *c, uint64_t raw);

/* The sum (ATOM_ADD), the smaller (ATOM_MIN) or the larger (ATOM_MAX) of two numbers of half precision; for a packed
 * type, of their lower and of their upper halves. */
uint32_t lane_value_combine_half(enum mod op, enum type type, uint32_t a, uint32_t b);

/* What a NaN becomes as an integer: only the highest bit set, if the source is f64 or the integer has 64 bits; else
 * 0. */
static inline uint64_t lane_value_nan_integer(enum type from, enum type to)
{
    unsigned bits = type_table[to].bits;
    return from == TYPE_F64 || bits == 64 ? 1ull << (bits - 1) : 0;
}

#endif
