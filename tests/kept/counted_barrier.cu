// Two of four warps meet at one named barrier and the other two at another one, each with a count; threads end early between
// them. A barrier with a count waits for the threads it names, and ended warps are not among them: so one lane of each warp
// lives to the end, and a count stays true.
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
