// A loop over a grid, as HIP's samples write it.
// run: --grid 2 --block 16 --arg buf:f32[100]=iota --arg 2.5 --arg 100
// expect: 0: 0 2.5 5 7.5 10 12.5 15 17.5 20 22.5 ... 245 247.5
#include "hip_runtime.h"
extern "C" __global__ void stride(float *data, float factor, int n)
{
    int offset = hipBlockDim_x * hipBlockIdx_x + hipThreadIdx_x, step = hipBlockDim_x * hipGridDim_x;
    for (int i = offset; i < n; i += step)
        data[i] *= factor;
}
