/* Attributes of a launch: what the program asks for beside the shape of the grid. */
#ifndef HEDDLE_CUDA_ATTRIBUTE_H
#define HEDDLE_CUDA_ATTRIBUTE_H

#include "cuda/driver.h"

/* An attribute of heddle_launch_without_compaction(): far from those of cuda.h. */
enum { ATTRIBUTE_KEEPS_WARPS = 0x68656464 };

/* Takes an attribute over into the launch. */
CUresult attribute_apply(struct driver *d, const CUlaunchAttribute *a, struct launch *l);
/* Whether the device can run the launch with its attributes: a cooperative grid fits, and clusters divide the grid. */
CUresult attribute_check(struct driver *d, const struct function *f, const struct program *p, const struct launch *l);
/* Records the events that the attributes name. The launch has run, so all of them have happened. */
CUresult attribute_record_events(const CUlaunchConfig *config);

#endif
