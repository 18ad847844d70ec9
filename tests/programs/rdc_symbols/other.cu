#include "shared.cuh"

static __device__ int mine = 9;
static __device__ __noinline__ int hidden(int x)
{
    return x * mine;
}
__constant__ int scale = 11;
__managed__ int counter = 0;

__device__ int minus(int a, int b)
{
    return a - b;
}
__device__ int times(int a, int b)
{
    return a * b;
}
__device__ operation operations[3] = {plus, minus, times};

__device__ int from_other(int x)
{
    return hidden(x) + in_both(1) + twice(2);
}
__device__ int pick()
{
    return 77;
}
__device__ __noinline__ int recurse(int n)
{
    return n < 2 ? 1 : n * recurse(n - 1);
}
__device__ square::square(float s) : side(s)
{
    tag = 1;
}
__device__ float square::area() const
{
    return side * side;
}

__global__ void add_thousand()
{
    atomicAdd(&counter, 1000);
}
void bump()
{
    add_thousand<<<1, 1>>>();
}
