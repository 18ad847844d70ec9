// printf from a few threads, with every kind of argument.
#include "corpus.h"

extern "C" __global__ void print(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int x = in[i], written = 0;
    if (x % 4 == 0)
        written = printf("thread %d: %u %x %c\n", i, (u32)x * 3u, x, 'a' + (x & 15));
    else if (x % 4 == 1)
        written = printf("%s %5.2f %lld|%08llx\n", i & 1 ? "odd" : "even", (double)x * 0.25, (s64)x << 33,
                         (u64)x * 0x1234567ull);
    if (i == 0)
        printf("no arguments\n");
    // The number of arguments, which the device's printf returns.
    out[i] = written;
}
