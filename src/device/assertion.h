/*
 * Failed assertions of kernels, as CUDA treats them.
 *
 * Every thread whose assertion fails reports one line and ends. The other threads go on, so that they can report too;
 * the launch then ends with the fault of the first one. A launch whose remaining threads wait for those that ended is
 * stopped after ASSERTION_GRACE warp instructions. On a machine the launch ends with the first strand that fails.
 */
#ifndef HEDDLE_DEVICE_ASSERTION_H
#define HEDDLE_DEVICE_ASSERTION_H

#include "device/launch.h"

enum { ASSERTION_GRACE = 1 << 20 }; /* warp instructions that a launch goes on after its first failed assertion */

struct assertion {
    char condition[256], file[256], function[256];
    uint32_t line;
};

/* Writes the line of one thread to the launch's sink:
 * file:line: function: block: [x,y,z], thread: [x,y,z] Assertion `condition` failed. */
void assertion_report(const struct launch *launch, const struct assertion *a, const uint32_t block[3],
                      const uint32_t thread[3]);

#endif
