/*
 * A signature: the parameters and results that a function declares, or that a call through a pointer expects.
 *
 * Caller and callee must find parameters and results at the same offsets of the callee's frame, and a call through a
 * pointer does not know its callee. So parameters and results stand first in every frame: parameters in order, then
 * results, each at the next multiple of its alignment, and last the array of a variadic function, whose size each call
 * sets. Their offsets depend on the signature alone.
 */
#ifndef HEDDLE_FLOW_SIGNATURE_H
#define HEDDLE_FLOW_SIGNATURE_H

#include "ptx/module.h"

struct signature {
    const char *name; /* of the function or prototype, for messages */
    int parameter_count, return_count;
    struct ptx_variable **parameters, **returns;
};

struct signature signature_of_function(const struct ptx_function *function);
/* The signature of the callee; through a pointer, of the prototype, or of the first function on the list of targets;
 * empty if the call has none of these. */
struct signature signature_of_call(const struct ptx_call *call);

/* Fills in the offsets in the callee's frame. Returns the first offset behind them, without the bytes of a variadic
 * function's array; saturates at LAYOUT_LIMIT. */
uint64_t signature_place(const struct signature *s, int64_t *parameter_offset, int64_t *return_offset);

/* Whether a call that wants the signature can enter a function that has the given one: as many parameters and results,
 * of the same sizes at the same offsets. Only a call that passes no further arguments may leave out the array of a
 * variadic function. */
bool signature_fits(const struct signature *wanted, const struct signature *given);

#endif
