// A return in divergent code between the barriers of a loop. nvcc merges all returns into one `ret` at
// the kernel's end, so the divergent branch's post-dominator lies behind the barriers: a warp must still
// come to each barrier as a whole.
extern "C" __global__ void early_return(const int *stop, int *out, int n)
{
    __shared__ int s[64];
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
        __syncthreads();
        acc = acc * 3 + s[t ^ 63];
        __syncthreads();
    }
    out[t] = acc;
}
