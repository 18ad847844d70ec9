/*
 * Conversion of one value, any type to any type in any rounding, by integer arithmetic alone: it leans
 * neither on the host's floating point nor on its rounding mode. The common pairs have faster handlers
 * (lanes_convert.c), which are held against this.
 */
#ifndef HEDDLE_EXEC_LANE_VALUE_H
#define HEDDLE_EXEC_LANE_VALUE_H

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

/*
 * What floating point becomes from a source that is not a number, as read from the hardware:
 *
 *   f32 to f32, f64 to f64, bf16 to f32   a move or a shift, so that nothing changes, not even quieting
 *   from f64, to f64                      sign and the payload's upper bits are kept, quieted
 *   any other pair                        the one pattern of the new format
 *
 * Under .ftz an f32, source or result, is brought to its one pattern first; from f64 that does not happen. A
 * move is what is neither rounded nor saturated.
 */
uint64_t lane_value_convert_nan(const struct conversion *c, uint64_t raw);

#endif
