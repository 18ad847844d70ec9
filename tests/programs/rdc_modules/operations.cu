// The functions and variables that the other files use.
#include "shared.cuh"

__device__ int calls;
__constant__ int constants[4];
__device__ int triple(int value)
{
    return 3 * value;
}
__device__ int (*chosen)(int) = triple;

__device__ int apply(const operation &what, int value)
{
    atomicAdd(&calls, 1);
    switch (what.code) {
    case 0:
        return value + what.operand;
    case 1:
        return value * what.operand;
    default:
        return value - what.operand;
    }
}
