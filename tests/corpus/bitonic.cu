// Bitonic sort in shared memory, keys with values.
#include "corpus.h"

extern "C" __global__ void bitonic(u32 *keys, u16 *values)
{
    __shared__ u32 key[256];
    __shared__ u16 value[256];
    u32 t = threadIdx.x, base = blockIdx.x * 256;
    key[t] = keys[base + t];
    value[t] = values[base + t];
    for (u32 size = 2; size <= 256; size *= 2) {
        for (u32 stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            u32 other = t ^ stride;
            if (other > t) {
                bool ascending = (t & size) == 0;
                // Ties go by value, so that the order is the only one.
                bool greater = key[t] > key[other] || (key[t] == key[other] && value[t] > value[other]);
                if (greater == ascending) {
                    u32 k = key[t];
                    key[t] = key[other];
                    key[other] = k;
                    u16 v = value[t];
                    value[t] = value[other];
                    value[other] = v;
                }
            }
        }
    }
    __syncthreads();
    keys[base + t] = key[t];
    values[base + t] = value[t];
}
