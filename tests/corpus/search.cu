// Binary search in a sorted table, and a walk down a tree stored as an array.
#include "corpus.h"

extern "C" __global__ void binary_search(const u32 *table, int size, const u32 *keys, int *place, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int low = 0, high = size;
    while (low < high) {
        int middle = (low + high) / 2;
        if (table[middle] * 3 < keys[i])
            low = middle + 1;
        else
            high = middle;
    }
    place[i] = low;
}

extern "C" __global__ void decision_tree(const float *threshold, const u8 *feature, const float *samples,
                                         u8 *out, int depth, int features, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int at = 0;
    for (int level = 0; level < depth; level++) {
        float x = samples[i * features + feature[at] % features];
        at = 2 * at + (x < threshold[at] ? 1 : 2);
        if (feature[at] > 240)
            break;
    }
    out[i] = (u8)at;
}
