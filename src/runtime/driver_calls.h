/*
 * The driver as the runtime sees it: a table of the calls that driver_calls.def lists.
 *
 * The table is filled from libcuda.so.1 when the program makes its first call of the runtime. The runtime is not linked
 * with the driver, so that the same objects serve libcudart.so and libcudart_static.a, and so that a program finds the
 * driver of the place where it runs, not of the place where it was linked.
 */
#ifndef HEDDLE_RUNTIME_DRIVER_CALLS_H
#define HEDDLE_RUNTIME_DRIVER_CALLS_H

#include "cuda.h"

#include <stdbool.h>

struct driver_calls {
#define DRIVER_CALL(name) __typeof__(name) *name;
#include "runtime/driver_calls.def"
#undef DRIVER_CALL
};

extern struct driver_calls driver;

/* Fills the table. False, having said why on stderr: there is no driver, or it lacks a call. */
bool driver_calls_load(void);

#endif
