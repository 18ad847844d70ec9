// Threads end inside a function that their warp calls divergently, and others return early from it; the
// live ones meet at the caller's barriers.
__device__ __noinline__ int step(int t, int acc, int stop, int i, int *out)
{
    if (stop == i) {
        out[t] = acc > 5 ? 77 : acc;
        asm volatile("exit;");
    }
    if ((t ^ i) & 4)
        return acc + 1;
    for (int k = 0; k < (t & 3); k++)
        acc = acc * 5 + k;
    return acc ^ i;
}

extern "C" __global__ void early_callee(const int *stop, int *out, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x, acc = 0;
    s[t] = 0;
    __syncthreads();
    for (int i = 0; i < n; i++) {
        if (t & 1)
            acc = step(t, acc, stop[t], i, out);
        s[t] = t + 1 + i;
        __syncthreads();
        acc = acc * 3 + s[t ^ 63];
        __syncthreads();
    }
    out[t] = acc;
}
