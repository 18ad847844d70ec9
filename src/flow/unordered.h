/*
 * What lets a right launch leave one memory or another: instructions whose result depends on the order in which threads
 * run, on how they are grouped, or on time.
 *
 * Such are: an atomic whose result the thread uses; an atomic addition of floats, whose sum depends on the order; an
 * exchange or compare-and-swap, of which the last one stays; loads and stores with .relaxed, .acquire or .release, which
 * may meet each other in any order without being a race; special registers that tell the time or the multiprocessor;
 * activemask and warp-level operations without .sync, which see the threads that happen to be together; and the device's
 * malloc, which gives addresses in the order of the calls. From one of these on, any word may depend on it: nothing is
 * traced from the instruction to the word.
 */
#ifndef HEDDLE_FLOW_UNORDERED_H
#define HEDDLE_FLOW_UNORDERED_H

#include "base/text.h"
#include "flow/program.h"

/* Describes each kind of such an instruction that was executed, by its first instruction: "the order of atomics (atom.add,
 * PTX line 12); %clock (PTX line 3)". `executed`: by PC. False, and nothing printed, if there is none. */
bool unordered_describe(const struct program *p, const bool *executed, struct text *out);

#endif
