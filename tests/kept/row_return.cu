// A return in divergent code before a row operation that names all threads of the warp. No thread returns,
// and the branch's post-dominator lies behind the operation.
extern "C" __global__ void row_return(const int *stop, int *out, int n)
{
    int t = threadIdx.x, acc = t;
    for (int i = 0; i < n; i++) {
        if (t & 1) {
            if (stop[t] == i) {
                out[t] = acc > 5 ? 77 : acc;
                return;
            }
        }
        acc = acc * 3 + __shfl_xor_sync(0xffffffff, acc, 1 + i);
        acc ^= __ballot_sync(0xffffffff, acc & 4);
    }
    out[t] = acc;
}
