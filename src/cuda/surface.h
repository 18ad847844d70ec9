/* What kernels see of surfaces, for surface objects and surface references. */
#ifndef HEDDLE_CUDA_SURFACE_H
#define HEDDLE_CUDA_SURFACE_H

#include "cuda/array.h"

void surface_put(struct driver *d, uint64_t handle, const struct array *a);
void surface_remove(struct driver *d, uint64_t handle); /* does nothing if there is no surface of that handle */

#endif
