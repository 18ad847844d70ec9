// Arrays in local memory, indexed at run time.
#include "corpus.h"

extern "C" __global__ void insertion_sort(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int a[12];
    int m = n - i * 12;
    if (m <= 0)
        return;
    if (m > 12)
        m = 12;
#pragma unroll 1
    for (int k = 0; k < m; k++) {
        int x = in[12 * i + k], j = k;
        while (j > 0 && a[j - 1] > x) {
            a[j] = a[j - 1];
            j--;
        }
        a[j] = x;
    }
#pragma unroll 1
    for (int k = 0; k < m; k++)
        out[12 * i + k] = a[k];
}

extern "C" __global__ void byte_stack(const u8 *in, u16 *out, int length)
{
    int i = threadIdx.x;
    u8 stack[32];
    int depth = 0;
    u32 sum = 0;
#pragma unroll 1
    for (int k = 0; k < length; k++) {
        u8 c = in[i * length + k];
        if (c & 1 && depth < 32) {
            stack[depth++] = c;
        } else if (depth > 0) {
            sum = sum * 31 + stack[--depth];
            if (c & 2 && depth > 0)
                stack[depth / 2] ^= c;
        }
    }
    out[i] = (u16)(sum ^ depth);
}

extern "C" __global__ void mixed_local(const int *in, double *out)
{
    struct cell {
        double value;
        int link;
        u8 mark;
    } cells[8];
    int i = threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < 8; k++) {
        cells[k].value = k * 0.5;
        cells[k].link = (in[8 * i + k] & 7);
        cells[k].mark = 0;
    }
    int at = i & 7;
    double sum = 0;
    while (!cells[at].mark) {
        cells[at].mark = 1;
        sum += cells[at].value + 1.0;
        at = cells[at].link;
    }
    out[i] = sum * 8 + at;
}
