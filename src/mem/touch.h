/*
 * Touches: what accesses leave in the L2, without time. A launch that is only computed can so leave the L2 as warm as a
 * launch that runs on the machine.
 *
 * Lines come in, are used and become dirty as slice.h says, in the order of the touches. Not modelled: first-level
 * caches, which keep some loads from the L2, and the traffic of lines that are evicted.
 */
#ifndef HEDDLE_MEM_TOUCH_H
#define HEDDLE_MEM_TOUCH_H

#include "mem/mem.h"
#include "mem/slice.h"

/* See mem_touch(). The slices must have nothing to do. */
int touch_slices(struct mem_slice *slices, const struct mem_access *access);

#endif
