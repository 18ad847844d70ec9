// Prefix sums: Hillis-Steele and Blelloch in shared memory, and by warp shuffles.
#include "corpus.h"

extern "C" __global__ void scan_inclusive(const int *in, int *out, int n)
{
    extern __shared__ int buffer[];
    int t = threadIdx.x, size = blockDim.x, from = 0;
    buffer[t] = t < n ? in[t] : 0;
    __syncthreads();
    for (int by = 1; by < size; by *= 2) {
        int to = size - from;
        buffer[to + t] = buffer[from + t] + (t >= by ? buffer[from + t - by] : 0);
        from = to;
        __syncthreads();
    }
    if (t < n)
        out[t] = buffer[from + t];
}

extern "C" __global__ void scan_exclusive(const u32 *in, u32 *out, u32 *total)
{
    __shared__ u32 tree[256];
    u32 t = threadIdx.x, base = blockIdx.x * 256;
    tree[2 * t] = in[base + 2 * t];
    tree[2 * t + 1] = in[base + 2 * t + 1];
    u32 stride = 1;
    for (u32 d = 128; d > 0; d /= 2) {
        __syncthreads();
        if (t < d)
            tree[stride * (2 * t + 2) - 1] += tree[stride * (2 * t + 1) - 1];
        stride *= 2;
    }
    if (t == 0) {
        total[blockIdx.x] = tree[255];
        tree[255] = 0;
    }
    for (u32 d = 1; d < 256; d *= 2) {
        stride /= 2;
        __syncthreads();
        if (t < d) {
            u32 left = stride * (2 * t + 1) - 1, right = stride * (2 * t + 2) - 1, x = tree[left];
            tree[left] = tree[right];
            tree[right] += x;
        }
    }
    __syncthreads();
    out[base + 2 * t] = tree[2 * t];
    out[base + 2 * t + 1] = tree[2 * t + 1];
}

extern "C" __global__ void scan_warp(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    int x = in[i];
    for (int by = 1; by < 32; by *= 2) {
        int y = __shfl_up_sync(FULL_WARP, x, by);
        if (lane >= by)
            x += y;
    }
    out[i] = x;
}
