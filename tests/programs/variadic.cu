// Functions that take any number of arguments: numbers of three types, structures, a copied list, calls that call themselves, calls
// through pointers, and none at all.
#include "common.cuh"
#include <cstdarg>

__device__ __noinline__ double mixed(int count, ...)
{
    va_list list;
    va_start(list, count);
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += i % 3 == 0 ? va_arg(list, int) : i % 3 == 1 ? va_arg(list, double) : (double)va_arg(list, long long);
    va_end(list);
    return sum;
}

struct triple {
    int a, b, c;
};

__device__ __noinline__ int structures(const char *, ...)
{
    va_list list, copy;
    va_start(list, 0);
    triple t = va_arg(list, triple);
    va_copy(copy, list);
    int first = va_arg(list, int), again = va_arg(copy, int);
    va_end(list);
    va_end(copy);
    return t.a + 2 * t.b + 3 * t.c + 10 * first + 100 * again;
}

__device__ __noinline__ int deep(int depth, ...)
{
    va_list list;
    va_start(list, depth);
    int a = va_arg(list, int), b = va_arg(list, int);
    va_end(list);
    return depth == 0 ? a : a + deep(depth - 1, b + 1, a + 2);
}

__device__ __noinline__ int sum(int count, ...)
{
    va_list list;
    va_start(list, count);
    int s = 0;
    while (count-- > 0)
        s += va_arg(list, int);
    va_end(list);
    return s;
}

__device__ __noinline__ int last(int count, ...)
{
    va_list list;
    va_start(list, count);
    int s = -1;
    while (count-- > 0)
        s = va_arg(list, int);
    va_end(list);
    return s;
}

typedef int (*variadic)(int, ...);
__device__ variadic table[2] = {sum, last};

__global__ void call(double *out, int count)
{
    int t = threadIdx.x;
    variadic f = table[t % 2];
    out[4 * t] = mixed(count, t, 0.5, 7LL, 3, t * 1.25, 1LL << 33);
    out[4 * t + 1] = structures("", triple{1, t, 3}, t + 1);
    out[4 * t + 2] = deep(t % 4, 1, t);
    out[4 * t + 3] = f(0) + f(1, t) * 10 + f(5, 1, 2, 3, 4, t) * 1000;
}

int main()
{
    double *d, out[4 * 40];
    CHECK(cudaMalloc(&d, sizeof out));
    call<<<1, 40>>>(d, 6);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 40; t += 3)
        printf("%d: %.2f %.0f %.0f %.0f\n", t, out[4 * t], out[4 * t + 1], out[4 * t + 2], out[4 * t + 3]);
    return 0;
}
