/*
 * Scalar instructions: those that a scalar datapath can execute once for all threads of a warp, and the registers that
 * such a datapath keeps once per warp (Damani et al., Speculative Reconvergence, CGO 2020, section 6: what Loop Merge
 * costs devices with scalar pipelines).
 *
 * A register is scalar from a write to the last read of what was written if one copy per warp will do: all threads of
 * the warp that are under way execute together from the write to these reads, and write the same value. All other
 * registers are private: every thread has its own copy. An instruction is scalar if
 *   - its class is one that scalar datapaths have (integer arithmetic, logic, moves, compares, conversions between
 *     integers),
 *   - everything that it reads, its guard included, is a constant or scalar, and
 *   - what it writes meets no private value of the same register where paths join.
 * A load of a kernel parameter or of constant memory from a scalar address leaves its result in a scalar register, and
 * is no scalar instruction itself: the load/store unit executes it.
 *
 * Threads execute together except
 *   - between a branch that is not proved uniform (flow/uniform.c) and its reconvergence point, if more than one side
 *     of the branch has instructions there: then two groups of the warp are under way, and one copy per warp would hold
 *     the other group's value. If one side alone has instructions (a loop that threads leave one by one, an `if`
 *     without `else`), the threads of the other side wait, and those under way execute together. A register that is
 *     written there and live where the sides meet is private behind that point.
 *   - in a loop around a mixing point, where threads of different iterations wait for each other and go on together.
 *     There loop indices differ between threads, and parts of the loop that all threads executed together are executed
 *     by some at a time. Behind the loop nothing is taken to be scalar either, since the barriers at which its threads
 *     would reconverge may have given way to the mixing point.
 *
 * All this holds for mechanisms whose strands hold threads of one warp that came to a PC the same number of times.
 * Functions that the kernel calls have no scalar instructions.
 */
#ifndef HEDDLE_FLOW_SCALAR_H
#define HEDDLE_FLOW_SCALAR_H

#include "flow/program.h"

struct scalar_facts {
    bool *is_scalar; /* [PC]; owned */
    /* The most 32-bit registers of the kernel's own that are live at once: kept once per warp, and in every thread.
     * Predicates do not count. */
    int scalar_registers, private_registers;
};

/* `mixing`: PCs of the program at which threads of different iterations go on together. */
struct scalar_facts scalar_find(const struct program *program, const int32_t *mixing, int mixing_count);
void scalar_facts_free(struct scalar_facts *facts);

#endif
