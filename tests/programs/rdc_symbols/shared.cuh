// What both files of rdc_symbols declare: variables of every space, tables of functions, classes with virtual functions, and names that
// both define.
#ifndef RDC_SYMBOLS_CUH
#define RDC_SYMBOLS_CUH
#include "../common.cuh"

struct shape {
    int tag;
    __device__ virtual float area() const = 0;
    __device__ virtual ~shape() {}
};
struct square : shape {
    float side;
    __device__ explicit square(float s);
    __device__ float area() const override;
};
struct disc : shape {
    float radius;
    __device__ explicit disc(float r) : radius(r) { tag = 2; }
    __device__ float area() const override { return 3.0f * radius * radius; }
};

typedef int (*operation)(int, int);
extern __device__ int table[];
extern __device__ operation operations[3];
extern __constant__ int scale;
extern __managed__ int counter;

__device__ int from_other(int x);
__device__ int plus(int a, int b);
__device__ int recurse(int n);
__device__ __attribute__((weak)) int pick();

template <class T> __device__ T twice(T x)
{
    static __device__ int calls;
    atomicAdd(&calls, 1);
    return x + x;
}
inline __device__ int in_both(int x)
{
    return x * 17;
}

void bump();
#endif
