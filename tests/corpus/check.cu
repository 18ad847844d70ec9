// Assertions that hold.
#include "corpus.h"

extern "C" __global__ void check(const u32 *in, u32 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(n > 0);
    if (i >= n)
        return;
    u32 x = in[i] % 1000;
    assert(x < 1000);
    u32 root = 0;
    while ((root + 1) * (root + 1) <= x)
        root++;
    assert(root * root <= x && "the root is not above");
    assert((root + 1) * (root + 1) > x);
    out[i] = root;
}
