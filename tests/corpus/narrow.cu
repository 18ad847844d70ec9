// 8- and 16-bit arithmetic, sign extension, bit-fields and truth values.
#include "corpus.h"

struct packed {
    unsigned low : 5;
    int middle : 11;
    unsigned high : 16;
};

extern "C" __global__ void narrow(const s8 *a, const u8 *b, const s16 *c, u16 *d, u8 *flags, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    s8 p = a[i];
    u8 q = b[i];
    s16 r = c[i];
    u16 s = d[i];
    s8 sum = (s8)(p + q);
    u8 difference = (u8)(q - p);
    s16 product = (s16)(p * r);
    u16 quotient = (u16)(s / (q | 1));
    s16 shifted = (s16)(r >> (q & 7));
    packed f;
    f.low = q;
    f.middle = r;
    f.high = s;
    f.middle += p;
    f.low ^= s;
    bool either = p < 0 || r > s;
    bool both = sum > 0 && (q & 1);
    d[i] = (u16)(sum + difference + product + quotient + shifted + f.low + f.middle + f.high);
    flags[i] = (u8)(either | both << 1 | (either != both) << 2 | (product < 0) << 3 |
                    (u32)((s8)difference % 5) << 4);
}
