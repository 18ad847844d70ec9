// One step of an n-body simulation, bodies in tiles through dynamic shared memory.
#include "corpus.h"

extern "C" __global__ void nbody(const float4 *bodies, float4 *moved, int n, float step)
{
    extern __shared__ float4 near[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
    float ax = 0, ay = 0, az = 0;
    for (int from = 0; from < n; from += blockDim.x) {
        int j = from + threadIdx.x;
        near[threadIdx.x] = j < n ? bodies[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
        for (u32 k = 0; k < blockDim.x; k++) {
            float4 it = near[k];
            float dx = it.x - me.x, dy = it.y - me.y, dz = it.z - me.z;
            float square = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, 0.01f)));
            float force = it.w / (square * sqrtf(square));
            ax = fmaf(dx, force, ax);
            ay = fmaf(dy, force, ay);
            az = fmaf(dz, force, az);
        }
        __syncthreads();
    }
    if (i < n)
        moved[i] = make_float4(fmaf(ax, step, me.x), fmaf(ay, step, me.y), fmaf(az, step, me.z), me.w);
}
