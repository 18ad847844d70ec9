// The second file; an object with static lifetime launches a kernel before main() begins.
#include "../common.cuh"

static __device__ int value = 1000;
namespace
{
__global__ void kernel(int *out)
{
    *out = value += 5;
}
} // namespace

int other_value(int *device)
{
    int host = 0;
    kernel<<<1, 1>>>(device);
    CHECK(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
    return host;
}

__global__ void early(int *out)
{
    *out = 4321;
}

struct starter {
    int launched, result, *device;
    starter() : launched(0), result(0)
    {
        CHECK(cudaMalloc(&device, sizeof(int)));
        early<<<1, 1>>>(device);
        launched = cudaGetLastError() == cudaSuccess;
        CHECK(cudaMemcpy(&result, device, sizeof result, cudaMemcpyDeviceToHost));
    }
    ~starter() { cudaFree(device); }
};
static starter at_start;

void early_launch_result(int *launched, int *result)
{
    *launched = at_start.launched;
    *result = at_start.result;
}
