// Recursion, direct and mutual, to a different depth in every thread.
#include "corpus.h"

static __device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static __device__ __noinline__ int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

static __device__ int odd_steps(u32 n);

static __device__ __noinline__ int even_steps(u32 n)
{
    return n == 0 ? 0 : 1 + 2 * odd_steps(n >> 1);
}

static __device__ __noinline__ int odd_steps(u32 n)
{
    return n == 0 ? 0 : 3 * (int)(n & 1) + even_steps(n - 1);
}

static __device__ __noinline__ void quicksort(int *a, int low, int high)
{
    if (low >= high)
        return;
    int pivot = a[high], k = low;
    for (int i = low; i < high; i++) {
        if (a[i] < pivot) {
            int t = a[i];
            a[i] = a[k];
            a[k++] = t;
        }
    }
    a[high] = a[k];
    a[k] = pivot;
    quicksort(a, low, k - 1);
    quicksort(a, k + 1, high);
}

extern "C" __global__ void recursion(int *out)
{
    int i = threadIdx.x;
    out[3 * i] = fibonacci(i % 11);
    out[3 * i + 1] = i % 4 == 3 ? ackermann(2, i & 3) : ackermann(1, i & 7);
    out[3 * i + 2] = even_steps((u32)i);
}

extern "C" __global__ void sort_rows(int *data, int length)
{
    quicksort(data + threadIdx.x * length, 0, length - 1);
}
