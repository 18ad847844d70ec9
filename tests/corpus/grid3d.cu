// Every index register in three dimensions.
#include "corpus.h"

extern "C" __global__ void grid3d(u32 *out, u64 *codes)
{
    u32 thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    u32 block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    u32 i = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
    out[i] = threadIdx.x | threadIdx.y << 4 | threadIdx.z << 8 | blockIdx.x << 12 | blockIdx.y << 16 |
             blockIdx.z << 20 | gridDim.x << 24 | gridDim.z << 28;
    u32 lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    codes[i] = (u64)(gridDim.y * 100 + blockDim.x) << 32 | lane << 16 | blockDim.y << 8 | blockDim.z;
}
