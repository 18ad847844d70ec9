// Two files without separate compilation: kernels and variables of the same name in both stay apart.
#include "../common.cuh"

static __device__ int value = 10;
namespace
{
__global__ void kernel(int *out)
{
    *out = value++;
}
} // namespace
int other_value(int *device);
void early_launch_result(int *launched, int *result);

int main()
{
    int *device, host = 0;
    CHECK(cudaMalloc(&device, sizeof(int)));
    for (int round = 0; round < 3; round++) {
        kernel<<<1, 1>>>(device);
        CHECK(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
        printf("here %d there %d\n", host, other_value(device));
    }
    int launched = 0, result = 0;
    early_launch_result(&launched, &result);
    printf("before main: %d %d\n", launched, result);
    return 0;
}
