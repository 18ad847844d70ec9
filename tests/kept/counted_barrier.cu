// Two of four warps meet at one named barrier and the other two at another one, each with a count, and
// threads end early between. A barrier with a count waits for whole warps, so a warp whose threads have
// all ended would be missed: the even threads live to the end.
extern "C" __global__ void counted_barrier(const int *stop, int *out, int n)
{
    __shared__ int s[128];
    int t = threadIdx.x, acc = 0;
    s[t] = 0;
    __syncthreads();
    for (int i = 0; i < n; i++) {
        if (t & 1) {
            if (stop[t] == i) {
                out[t] = acc > 5 ? 77 : acc;
                return;
            }
        }
        s[t] = t + 1 + i;
        if (t < 64)
            asm volatile("bar.sync 1, 64;" ::: "memory");
        else
            asm volatile("bar.sync 2, 64;" ::: "memory");
        acc = acc * 3 + s[t ^ 63];
        if (t < 64)
            asm volatile("bar.sync 3, 64;" ::: "memory");
        else
            asm volatile("bar.sync 4, 64;" ::: "memory");
    }
    out[t] = acc;
}
