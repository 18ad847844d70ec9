// early_return with `exit` in place of the return: the ends stay where they are written.
extern "C" __global__ void early_exit(const int *stop, int *out, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x, acc = 0;
    s[t] = 0;
    __syncthreads();
    for (int i = 0; i < n; i++) {
        if (t & 1) {
            if (stop[t] == i) {
                out[t] = acc > 5 ? 77 : acc;
                asm volatile("exit;");
            }
        }
        s[t] = t + 1 + i;
        __syncthreads();
        acc = acc * 3 + s[t ^ 63];
        __syncthreads();
    }
    out[t] = acc;
}
