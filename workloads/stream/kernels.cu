// The four kernels of the STREAM benchmark. Each thread has several elements, a grid apart, so that the threads of a
// warp always have neighbours. Blocks of 256 threads.

#include "device.h"

extern "C" __global__ void copy(const float *a, float *c, unsigned count)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        c[i] = a[i];
}

extern "C" __global__ void scale(float *b, const float *c, float factor, unsigned count)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        b[i] = factor * c[i];
}

extern "C" __global__ void add(const float *a, const float *b, float *c, unsigned count)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        c[i] = a[i] + b[i];
}

extern "C" __global__ void triad(float *a, const float *b, const float *c, float factor, unsigned count)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        a[i] = b[i] + factor * c[i];
}
