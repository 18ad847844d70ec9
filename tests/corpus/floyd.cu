// All-pairs shortest paths in one block, and the longest common subsequence along anti-diagonals.
#include "corpus.h"

extern "C" __global__ void floyd(u16 *distance, int n)
{
    extern __shared__ u16 d[];
    int cells = n * n;
    for (int i = threadIdx.x; i < cells; i += blockDim.x)
        d[i] = distance[i];
    __syncthreads();
    for (int k = 0; k < n; k++) {
        // Row and column k do not change in turn k, so the update may be made in place.
        for (int i = threadIdx.x; i < cells; i += blockDim.x) {
            int r = i / n, c = i % n;
            u32 through = (u32)d[r * n + k] + d[k * n + c];
            if (r != k && c != k && through < d[i])
                d[i] = (u16)through;
        }
        __syncthreads();
    }
    for (int i = threadIdx.x; i < cells; i += blockDim.x)
        distance[i] = d[i];
}

extern "C" __global__ void common_subsequence(const u8 *a, const u8 *b, int *out, int n)
{
    __shared__ int row[3][65];
    int t = threadIdx.x;
    if (t <= n)
        row[0][t] = row[1][t] = row[2][t] = 0;
    __syncthreads();
    for (int diagonal = 2; diagonal <= 2 * n; diagonal++) {
        int *now = row[diagonal % 3], *last = row[(diagonal + 2) % 3], *before = row[(diagonal + 1) % 3];
        int j = diagonal - t;
        if (t == 0 || (t <= n && j == 0))
            now[t] = 0;
        else if (t <= n && j > 0 && j <= n)
            now[t] = a[t - 1] == b[j - 1] ? before[t - 1] + 1 : max(last[t - 1], last[t]);
        __syncthreads();
    }
    if (t == n)
        *out = row[2 * n % 3][n];
}
