// A switch (brx.idx) with a returning case, between the barriers of a loop.
extern "C" __global__ void early_switch(const int *stop, int *out, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x, acc = 0;
    s[t] = 0;
    __syncthreads();
    for (int i = 0; i < n; i++) {
        switch (stop[t] + i) {
        case 0: acc += 3; break;
        case 1: acc ^= t; break;
        case 2: acc = acc * 7 + stop[(t + acc) & 63]; break;
        case 3: acc -= i; /* falls through */
        case 4: acc = (acc << 3) | (acc & 3); break;
        case 5: out[t] = acc; return;
        case 6: acc = __brev(acc); break;
        case 7: acc = __popc(acc) + t; break;
        case 8: out[t] = acc + 5; return;
        default: acc += stop[acc & 63]; break;
        }
        s[t] = acc + i;
        __syncthreads();
        acc = acc * 3 + s[t ^ 63];
        __syncthreads();
    }
    out[t] = acc;
}
