/* Texture and surface objects: translation of their descriptions, whose length depends on the version of CUDA. */
#ifndef HEDDLE_RUNTIME_TEXTURE_H
#define HEDDLE_RUNTIME_TEXTURE_H

#include "cuda.h"
#include "cuda_runtime_api.h"

#include <stdbool.h>

/* What a texture or surface object reads, in the driver's words. */
cudaError_t texture_translate_resource(const struct cudaResourceDesc *resource, CUDA_RESOURCE_DESC *translated);
/* The other way. Of the description only what CUDA 11 knows is written, which is all but the flags. */
void texture_describe_resource(const CUDA_RESOURCE_DESC *translated, struct cudaResourceDesc *resource);

/* has_seamless: the description has its last member, which CUDA 11 does not know. */
cudaError_t texture_create(cudaTextureObject_t *object, const struct cudaResourceDesc *resource,
                           const struct cudaTextureDesc *sampling, const struct cudaResourceViewDesc *view,
                           bool has_seamless);
cudaError_t texture_get_sampling(struct cudaTextureDesc *sampling, cudaTextureObject_t object, bool has_seamless);

#endif
