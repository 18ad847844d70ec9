/*
 * The clock that events read.
 *
 * With --gpu it shows simulated time, which only the work of the device advances: a launch by the machine's launch
 * latency (gpu.launch_ns) and its cycles at the core clock (run/run.c), a copy between host and device by its bytes at
 * the machine's bandwidth (gpu.copy_gbps). A launch that --kernel and --launch do not choose is only computed and
 * advances the clock by the latency alone. What the host program computes takes no simulated time, and neither do
 * copies within the device, fills, and accesses to managed memory; managed memory counts as memory of the host. All
 * streams are in one order, so nothing overlaps. Without --gpu the clock is that of the host.
 */
#ifndef HEDDLE_CUDA_CLOCK_H
#define HEDDLE_CUDA_CLOCK_H

#include "cuda/driver.h"

#include <time.h>

/* The time now. It never runs backwards. */
void clock_read(const struct driver *d, struct timespec *time);
/* Advances the clock by a copy of so many bytes, if exactly one of the two addresses is one of device memory. */
void clock_pass_copy(struct driver *d, uint64_t to, uint64_t from, uint64_t bytes);

#endif
