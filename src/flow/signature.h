/*
 * A signature: the parameters and results that a function declares, or that a call through a pointer expects.
 *
 * Both sides of a call must find them at the same places of the callee's frame, and a call through a pointer
 * does not know its callee. So they stand first in every frame: parameters in order, then results, each at
 * the next multiple of its alignment. Their places depend on the signature alone.
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
/* Of the callee, or of the prototype (of a list of functions, the first one's); empty if there is neither. */
struct signature signature_of_call(const struct ptx_call *call);

/* Fills in the offsets in the callee's frame; returns where they end. Saturates at LAYOUT_LIMIT. */
uint64_t signature_place(const struct signature *s, int64_t *parameter_offset, int64_t *return_offset);

/* Whether parameters and results are as many, as large, and at the same places. */
bool signature_fits(const struct signature *a, const struct signature *b);

#endif
