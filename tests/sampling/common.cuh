/* What the programs of tests/sampling have in common: numbers that look random, arrays of the device, and what they print. */
#pragma once
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

__host__ __device__ static inline unsigned mixed(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

template <class T> static T *device(const std::vector<T> &host)
{
    T *memory;
    cudaMalloc(&memory, host.size() * sizeof(T));
    cudaMemcpy(memory, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
    return memory;
}

/* Prints the sum of an array of the device, which must not change with --sample. */
template <class T> static void print(const char *name, const T *memory, size_t count)
{
    std::vector<T> host(count);
    cudaError_t error = cudaMemcpy(host.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += host[i];
    printf("%s %.6e %s\n", name, sum, cudaGetErrorString(error));
}
