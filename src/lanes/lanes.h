/*
 * Lanes: what a register-to-register instruction does to 32 lanes.
 *
 * A handler reads and writes whole planes (flow/program.h): contiguous arrays of 32 lanes, each 2, 4, 8 or 16 bytes
 * wide, as the register is declared. A predicate lane is a uint32_t, 0 or 0xffffffff. A handler always computes all 32
 * lanes and knows no active mask: for a partial row the caller points `dest` at scratch planes and blends the active
 * lanes; for a strand of several rows the caller gathers sources and scatters results. So a handler never reads its
 * destination, and must not trap on inactive lanes, which hold arbitrary values (division by 0). A destination may be
 * the same plane as a source (lane i is read before lane i is written); otherwise planes do not overlap.
 *
 * Immediates, addresses of variables and special registers are planes too, in the width of the operand's type. Negated
 * predicates come already negated. Absent and sunk destinations are scratch planes. The carry flag is a predicate
 * plane: the last source or the last destination.
 *
 * The host computes floating point, in the rounding that the instruction asks for and without contraction; NaN results
 * are then replaced by the bit pattern that hardware produces (lane_loop.h, lane_value.h).
 */
#ifndef HEDDLE_LANES_LANES_H
#define HEDDLE_LANES_LANES_H

#include "base/simd.h"
#include "flow/program.h"

/* Tells the compiler that the iterations of the next loop are independent, so that it vectorises. clang must be kept
 * from unrolling the 32 iterations first. */
#if defined(__clang__)
#define LANES_INDEPENDENT _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#else
#define LANES_INDEPENDENT _Pragma("GCC ivdep")
#endif

enum { ROW_LANES = 32, PLANE_BYTES = 128, LANES_MAX_DEST = 4, LANES_MAX_SOURCE = 6 };

/* Operands of one execution: pointers to planes. */
struct lanes {
    void *dest[LANES_MAX_DEST];
    const void *source[LANES_MAX_SOURCE];
};

/* A lane of 128 bits, the lower word first. */
struct lane_b128 {
    uint64_t word[2];
};

/* The value of one lane of a plane whose lanes are `bits` wide. */
static inline uint64_t lanes_value(const void *lanes, unsigned bits, int lane)
{
    if (bits == 64)
        return ((const uint64_t *)lanes)[lane];
    return bits == 16 ? ((const uint16_t *)lanes)[lane] : ((const uint32_t *)lanes)[lane];
}

typedef void lane_fn(const struct lanes *x);

/* Bytes of one lane of a register that is declared `bits` wide; 4 for a predicate. */
static inline unsigned lane_bytes(unsigned bits)
{
    return bits == 128 ? 16 : bits == 64 ? 8 : bits == 16 ? 2 : 4;
}

/* The handler of an instruction, chosen by opcode, suffixes and widths of the operands: a register's declared width
 * (insn->dest[i].bits, insn->source[i].bits); for immediates the type's width, at least 16 bits. Handlers exist for the
 * rows of ops.def from "Integer arithmetic" to "Floating point", the CVT rows, PACK, UNPACK, MOV and MOV_VECTOR. NULL
 * for every other row. */
lane_fn *lanes_find(const struct insn *insn);
/* The handler of one lane: `dest` and `source` point to the lane's own values, and no other lane is read or written.
 * NULL: there is none, also where lanes_find() finds a handler. */
lane_fn *lanes_find_single(const struct insn *insn);
/* Whether some form of the row has a handler. */
bool lanes_has(enum op op);

/* Instructions with more forms than there are handlers: the handler reads the form from a constant of 64 bits per lane,
 * which the caller adds behind the sources that the text has; the absent ones among these are zeros. False: the
 * instruction has no such constant. */
bool lanes_control(const struct insn *insn, uint64_t *control);

#endif
