// Loops with break, continue and goto, loops with two exits, and early returns.
#include "corpus.h"

extern "C" __global__ void nested_loops(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int x = in[i], sum = 0;
    if (x == 0) {
        out[i] = -1;
        return;
    }
    for (int j = 1; j < 20; j++) {
        if (j % 3 == x % 3)
            continue;
        int k = j;
        while (true) {
            k = k * 3 + x;
            sum += k & 15;
            if (k > 500)
                break;
            if (sum > 900)
                goto done;
            if ((k & 7) == 5)
                goto next;
        }
        sum ^= j;
    next:
        sum++;
    }
done:
    do {
        sum -= x;
    } while (sum > 100 && --x > 3);
    out[i] = sum;
}

// Irreducible: both cases jump into the middle of one loop.
extern "C" __global__ void jump_into_loop(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int x = in[i], count = 0;
    if (x & 1)
        goto upper;
lower:
    x = x / 2;
    count += 1;
    if (x <= 1)
        goto end;
upper:
    x = x - 1;
    count += 100;
    if (x & 4)
        goto upper;
    if (x > 1)
        goto lower;
end:
    out[i] = count;
}

extern "C" __global__ void short_circuit(const int *a, const int *b, const int *c, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int r = 0;
    if ((a[i] > 0 && b[i] > a[i]) || (c[i] < 0 && (b[i] & 1))) {
        r = a[i] > c[i] ? b[i] / (1 + (c[i] & 7)) : c[i] % (2 + (a[i] & 3));
    } else if (a[i] == b[i]) {
        r = 1;
    } else {
        for (int k = c[i] & 15; k; k &= k - 1)
            r += k;
    }
    out[i] = r;
}
