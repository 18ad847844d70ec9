/*
 * Launches whose multiprocessors are apart: while such a launch runs, no value that one multiprocessor writes reaches
 * another one through memory, so each sees the memory that it would see without the others.
 *
 * A launch is apart if every access to global memory is known to go to the allocations that its parameters and module
 * variables point to (flow/origins.h), and no allocation is both written and read. So it counts whether an allocation
 * is accessed, not which bytes of it: a kernel that changes an array in place is not apart. Writes of several
 * multiprocessors may still go to the same place.
 *
 * A parameter of 8 bytes is a pointer if it points into an allocation; otherwise it counts as a number. An address that
 * comes from numbers alone, NULL among them, makes the launch not apart.
 *
 * Of a launch that is not apart it is known which reads may see what another multiprocessor writes: all other accesses
 * see what they would see if the launch were apart.
 */
#ifndef HEDDLE_DEVICE_APART_H
#define HEDDLE_DEVICE_APART_H

#include "device/launch.h"
#include "flow/origins.h"

/* The first reason that is found why a launch is not apart. */
enum apart {
    APART_YES,          /* it is apart */
    APART_COOPERATIVE,  /* blocks may wait for each other */
    APART_CLUSTER,      /* blocks share their shared memory */
    APART_ASYNC,        /* asynchronous copies */
    APART_BUILTINS,     /* printf, malloc and the like */
    APART_STRONG,       /* accesses or fences by which blocks may wait for each other */
    APART_RESULTS,      /* an atomic gives a result; from here on, values flow only through single accesses */
    APART_UNKNOWN_READ, /* a read whose address comes from memory or from a call, or is not computed from a pointer */
    APART_UNKNOWN_WRITE,
    APART_MIXED,     /* an address was computed from a pointer in a way that loses it */
    APART_NOWHERE,   /* an address comes from parameters of which none points into an allocation */
    APART_TEXTURE,   /* a texture or surface that is not there */
    APART_READ_BACK, /* an allocation is written and read */
    APART_COUNT
};

extern const char *const apart_text[APART_COUNT];

/* `origins`: of the launch's program. */
enum apart launch_find_apart(const struct launch *launch, const struct origins *origins);

/* Whether values flow between multiprocessors of a launch only through atomics with a result and through the reads that
 * launch_find_shared() finds. `why`: what launch_find_apart() gave. */
static inline bool apart_but_for_accesses(enum apart why)
{
    return why == APART_YES || why >= APART_RESULTS;
}

/* Finds the reads that may see what another multiprocessor writes: is_shared[i] for origins->accesses[i]. Gives whether
 * there are any. */
bool launch_find_shared(const struct launch *launch, const struct origins *origins, bool *is_shared);

#endif
