// Indirect calls: a table of functions and virtual functions.
#include "corpus.h"

static __device__ __noinline__ int add(int a, int b)
{
    return a + b;
}
static __device__ __noinline__ int subtract(int a, int b)
{
    return a - b;
}
static __device__ __noinline__ int multiply(int a, int b)
{
    return a * b;
}
static __device__ __noinline__ int average(int a, int b)
{
    return (a + b) / 2;
}

typedef int operation(int, int);
static __device__ operation *const operations[4] = {add, subtract, multiply, average};

extern "C" __global__ void function_table(const u8 *code, const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int acc = in[i];
    for (int k = 0; k < 4; k++)
        acc = operations[code[4 * i + k] & 3](acc, in[(i + k) % n]);
    out[i] = acc;
}

struct shape {
    __device__ virtual int area() const = 0;
    __device__ virtual int sides() const { return 4; }
};

struct square : shape {
    int edge;
    __device__ explicit square(int e) : edge(e) {}
    __device__ int area() const override { return edge * edge; }
};

struct triangle : shape {
    int base, height;
    __device__ triangle(int b, int h) : base(b), height(h) {}
    __device__ int area() const override { return base * height / 2; }
    __device__ int sides() const override { return 3; }
};

static __device__ __noinline__ int measure(const shape *s)
{
    return s->area() * 10 + s->sides();
}

extern "C" __global__ void virtual_call(int *out)
{
    int i = threadIdx.x;
    square s(i);
    triangle t(i + 3, 7);
    const shape *which = i % 3 ? (const shape *)&s : (const shape *)&t;
    out[i] = measure(which);
}
