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
    APART_RESULTS,      /* an atomic gives a result */
    APART_STRONG,       /* accesses or fences by which blocks may wait for each other */
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

static inline bool launch_is_apart(const struct launch *launch, const struct origins *origins)
{
    return launch_find_apart(launch, origins) == APART_YES;
}

#endif
