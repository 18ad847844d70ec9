/* Texture references: variables of a program of CUDA 11 or earlier to which it binds memory, and which kernels read. */
#ifndef HEDDLE_RUNTIME_VERSIONED_TEXTURE_REFERENCE_H
#define HEDDLE_RUNTIME_VERSIONED_TEXTURE_REFERENCE_H

#include "cuda_runtime_api.h"

/* The host's variable, with what the program has set. */
struct textureReference {
    int normalized; /* coordinates are */
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureAddressMode addressMode[3];
    struct cudaChannelFormatDesc channelDesc;
    int sRGB;
    unsigned int maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization;
    int reserved[14];
};

#pragma GCC visibility push(default)
void __cudaRegisterTexture(void **handle, const struct textureReference *host, const void **device, const char *name,
                           int dimensions, int reads_normalized, int is_extern);
cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *texture, const void *memory,
                            const struct cudaChannelFormatDesc *texel, size_t bytes);
cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *texture, const void *memory,
                              const struct cudaChannelFormatDesc *texel, size_t width, size_t height, size_t pitch);
cudaError_t cudaBindTextureToArray(const struct textureReference *texture, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *texel);
cudaError_t cudaBindTextureToMipmappedArray(const struct textureReference *texture, cudaMipmappedArray_const_t array,
                                            const struct cudaChannelFormatDesc *texel);
cudaError_t cudaUnbindTexture(const struct textureReference *texture);
cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *texture);
cudaError_t cudaGetTextureReference(const struct textureReference **texture, const void *symbol);
#pragma GCC visibility pop

#endif
