// One member of the library: a threshold that is a constant of the device.
#include "../common.cuh"
#include "filters.h"

static __constant__ int limit_value;
int launches;

__global__ void threshold(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && data[i] > limit_value)
        data[i] = limit_value;
}

void filter_threshold(int *device, int n, int limit)
{
    CHECK(cudaMemcpyToSymbol(limit_value, &limit, sizeof limit));
    threshold<<<(n + 127) / 128, 128>>>(device, n);
    CHECK_KERNEL();
    launches++;
}

int filter_launches()
{
    return launches;
}
