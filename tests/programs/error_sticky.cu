// A kernel that faults spoils its context: every later call says so, and the process can only end. The fault is chosen
// by the argument: trap, null or assert.
#include "common.cuh"
#include <cassert>
#include <cstring>

__global__ void trap(int *data)
{
    if (data[threadIdx.x] == 0 && threadIdx.x == 5)
        __trap();
    data[threadIdx.x] = 1;
}
__global__ void store(int *data)
{
    *data = 1;
}
__global__ void check(const int *data)
{
    assert(data[threadIdx.x] == 1);
}
__global__ void set(int *data)
{
    data[threadIdx.x] = 3;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "trap";
    int *data, host[32] = {};
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemset(data, 0, sizeof host));
    CHECK(cudaDeviceSynchronize());
    if (!strcmp(what, "null"))
        store<<<1, 1>>>((int *)8);
    else if (!strcmp(what, "assert"))
        check<<<1, 32>>>(data);
    else
        trap<<<1, 32>>>(data);
    TELL(cudaDeviceSynchronize());
    TELL(cudaPeekAtLastError());
    TELL(cudaGetLastError());
    TELL(cudaGetLastError());
    TELL(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    TELL(cudaFree(data));
    int *more;
    TELL(cudaMalloc(&more, 16));
    set<<<1, 1>>>(data);
    TELL(cudaGetLastError());
    cudaStream_t stream;
    TELL(cudaStreamCreate(&stream));
    return 3;
}
