/*
 * Why a correct launch may leave one memory or another: instructions whose result depends on the order in which threads
 * run, on how they are grouped, or on time.
 *
 * These are: an atomic whose result the thread uses; a floating-point atomic, whose sum depends on the order; an
 * exchange or compare-and-swap, of which the last one's value stays; loads and stores with .relaxed, .acquire or
 * .release, which may be ordered either way without being a race; special registers that tell the time or the
 * multiprocessor; activemask and warp-level operations without .sync, which depend on which threads execute together;
 * and the device's malloc, which hands out addresses in the order of the calls. Nothing is traced from the instruction
 * to a word of memory: once such an instruction was executed, any word may depend on it.
 */
#ifndef HEDDLE_FLOW_UNORDERED_H
#define HEDDLE_FLOW_UNORDERED_H

#include "base/text.h"
#include "flow/program.h"

/* Describes each kind of such instructions by the first one that was executed: "the order of atomics (atom.add, PTX
 * line 12)". executed[pc]: some thread executed the instruction. False, and nothing printed, if there is none. */
bool unordered_describe(const struct program *p, const bool *executed, struct text *out);

#endif
