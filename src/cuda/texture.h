/* What kernels see of textures, for texture objects and texture references. */
#ifndef HEDDLE_CUDA_TEXTURE_H
#define HEDDLE_CUDA_TEXTURE_H

#include "cuda/driver.h"

/* Fills in all but the handle of a texture; an error, having said why, if kernels cannot read it. `call` is what
 * messages name; `view` may be NULL. */
CUresult texture_describe(struct driver *d, const char *call, const CUDA_RESOURCE_DESC *resource,
                          const CUDA_TEXTURE_DESC *sampling, const CUDA_RESOURCE_VIEW_DESC *view,
                          struct texture *texture);
void texture_put(struct driver *d, const struct texture *texture);
void texture_remove(struct driver *d, uint64_t handle); /* does nothing if there is no texture of that handle */

#endif
