// What the files of this program share: declarations of device functions and variables that live in other files.
#pragma once
#include "../common.cuh"

struct operation {
    int code;
    int operand;
};

extern __device__ int calls;
extern __constant__ int constants[4];
extern __device__ int (*chosen)(int);

__device__ int apply(const operation &what, int value);
__device__ int triple(int value);
__device__ int depth(int value);
__device__ int back(int value);
__global__ void remote_kernel(int *data, int n);
void launch_remote(int *data, int n);
