// No thread ends early. From divergent code one way leads around the loop's barriers; either all threads
// of the block take it in an iteration, or none does. The branch's post-dominator lies behind the
// barriers all the same.
extern "C" __global__ void skipped_barrier(const int *skip, int *out, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x, acc = 0;
    s[t] = 0;
    __syncthreads();
    for (int i = 0; i < n; i++) {
        if (t & 1) {
            if (skip[i]) {
                acc += 11;
                goto next;
            }
            acc += s[t];
        } else {
            if (skip[i]) {
                acc ^= 5;
                goto next;
            }
        }
        s[t] = t + 1 + i;
        __syncthreads();
        acc = acc * 3 + s[t ^ 63];
        __syncthreads();
    next:
        out[t] = acc;
    }
    out[t] = acc + 1;
}
