// A program that hides every device from itself gets the errors of a machine without a GPU.
#include "common.cuh"

__global__ void nothing() {}

int main()
{
    setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
    int count = 0, *memory;
    TELL(cudaGetDeviceCount(&count));
    TELL(cudaGetLastError());
    TELL(cudaMalloc(&memory, 4));
    nothing<<<1, 1>>>();
    TELL(cudaGetLastError());
    TELL(cudaSetDevice(0));
    TELL(cudaDeviceSynchronize());
    int version = 0;
    TELL(cudaRuntimeGetVersion(&version));
    return 0;
}
