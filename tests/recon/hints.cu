// The hints of include/heddle_hints.h in CUDA: a loop within a loop, merged; and a rare expensive part, soft.
// nvcc -ptx -arch=sm_75 -Iinclude tests/recon/hints.cu -o tests/recon/hints.ptx
#include "heddle_hints.h"

extern "C" __global__ void merged(float *out, unsigned tasks)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, random = i * 747796405u + 12345u;
    float sum = 0;
    HEDDLE_PREDICT(merge);
    for (unsigned task = 0; task < tasks; task++) {
        random = random * 1664525u + 1013904223u;
        unsigned steps = 2u << (random >> 16 & 7);
        for (unsigned step = 0; step < steps; step++) {
            HEDDLE_LABEL(merge);
            float x = (float)(step ^ random & 1023);
            sum = sum * 0.999f + x * x;
            sum = sum * 0.999f + x;
            sum = sum * 0.999f + sqrtf(x);
        }
    }
    out[i] = sum;
}

extern "C" __global__ void delayed(float *out, unsigned rounds)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, random = i * 747796405u + 12345u;
    float sum = 1;
    HEDDLE_PREDICT(delay);
    for (unsigned round = 0; round < rounds; round++) {
        random = random * 1664525u + 1013904223u;
        if ((random >> 16 & 7) == 0) {
            HEDDLE_SOFT_LABEL(delay, 16);
            for (unsigned k = 0; k < 40; k++)
                sum = sum * 0.999f + sqrtf(sum + (float)k);
        }
    }
    out[i] = sum;
}
