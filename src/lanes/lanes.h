/*
 * Lanes: what a register-to-register instruction does to 32 lanes.
 *
 * A handler reads and writes whole planes (flow/program.h): contiguous arrays of 32 lanes, each 2, 4 or 8 bytes
 * wide as the register is declared; a predicate lane is a uint32_t, 0 or 0xffffffff. It computes all 32 lanes,
 * always. Masks are the caller's: for a strand that does not fill the row the caller points `dest` at scratch
 * planes and blends; for a regrouped strand it gathers first and scatters after. So a handler never reads its
 * destination, must be harmless on lanes that hold garbage (no trap on division by 0), and a destination may be
 * the very plane of a source (lane i is written after lane i was read), but no plane overlaps another partly.
 *
 * Immediates, addresses of variables and special registers come as planes too, in the width of the operand's
 * type; negated predicates come already negated; absent or sunk destinations are scratch planes. The carry is a
 * predicate plane, the last source or destination.
 *
 * Floating point is computed by the host in the rounding the instruction asks for, without contraction; what is
 * not a number is made what the hardware would have made of it (lane_loop.h, lane_value.h).
 */
#ifndef HEDDLE_LANES_LANES_H
#define HEDDLE_LANES_LANES_H

#include "base/simd.h"
#include "flow/program.h"

/* The lanes of the loop that follows do not depend on each other, whatever the planes. clang would unroll 32
 * rounds entirely before it comes to vectorising them. */
#if defined(__clang__)
#define LANES_INDEPENDENT _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#else
#define LANES_INDEPENDENT _Pragma("GCC ivdep")
#endif

enum { ROW_LANES = 32, PLANE_BYTES = 128, LANES_MAX_DEST = 4, LANES_MAX_SOURCE = 6 };

struct lanes {
    void *dest[LANES_MAX_DEST];
    const void *source[LANES_MAX_SOURCE];
};

/* One lane of a plane whose lanes are `bits` wide. */
static inline uint64_t lanes_value(const void *lanes, unsigned bits, int lane)
{
    if (bits == 64)
        return ((const uint64_t *)lanes)[lane];
    return bits == 16 ? ((const uint16_t *)lanes)[lane] : ((const uint32_t *)lanes)[lane];
}

typedef void lane_fn(const struct lanes *x);

/* The bytes of one lane of a register declared so wide; a predicate's are 4. */
static inline unsigned lane_bytes(unsigned bits)
{
    return bits == 64 ? 8 : bits == 16 ? 2 : 4;
}

/* The handler for an instruction of these rows of ops.def: all from "Integer arithmetic" to "Floating point",
 * the CVT rows, PACK, UNPACK and MOV. NULL for every other row. Chosen by op, suffixes and the operands' declared
 * widths (insn->dest[i].bits, insn->source[i].bits where they are planes; immediates have the type's width, at
 * least 16 bits). */
lane_fn *lanes_find(const struct insn *insn);

#endif
