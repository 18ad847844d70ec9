/* A program in C, compiled by the C compiler: the runtime API without kernels of its own, and one of a .cu file. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

int run_kernel(int *data, int n);

int main(void)
{
    int host[64], *device = NULL;
    struct cudaDeviceProp properties;
    memset(&properties, 0, sizeof properties);
    if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess ||
        cudaMalloc((void **)&device, sizeof host) != cudaSuccess)
        return 1;
    printf("warp size %d\n", properties.warpSize);
    for (int i = 0; i < 64; i++)
        host[i] = i;
    if (cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice) != cudaSuccess || run_kernel(device, 64))
        return 2;
    memset(host, 0, sizeof host);
    if (cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 3;
    printf("values %d %d\n", host[0], host[63]);
    printf("peer copy %s\n", cudaGetErrorName(cudaMemcpyPeer(device, 0, device + 32, 0, 32 * sizeof(int))));
    if (cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 4;
    printf("values %d %d\n", host[0], host[31]);
    cudaFree(device);
    return 0;
}
