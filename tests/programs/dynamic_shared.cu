// Shared memory whose size the launch gives: several arrays in one piece, more than 48 KiB after opting in.
#include "common.cuh"

extern __shared__ __align__(16) unsigned char pool[];

__global__ void three_arrays(int *out, int n)
{
    double *reals = (double *)pool;
    int *integers = (int *)(reals + n);
    unsigned char *bytes = (unsigned char *)(integers + n);
    int i = threadIdx.x;
    reals[i] = i * 0.5;
    integers[i] = i * 3;
    bytes[i] = i;
    __syncthreads();
    int j = n - 1 - i;
    out[i] = (int)(reals[j] * 2) + integers[j] + bytes[j];
}

template <typename T> __device__ T *shared_of()
{
    extern __shared__ __align__(16) unsigned char raw[];
    return (T *)raw;
}

template <typename T> __global__ void rotate(T *data, int n)
{
    T *tile = shared_of<T>();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        tile[(i + 1) % n] = data[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        data[i] = tile[i];
}

__global__ void sizes(unsigned *out)
{
    unsigned all, dynamic;
    asm("mov.u32 %0, %%total_smem_size;" : "=r"(all));
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(dynamic));
    out[0] = all >= dynamic;
    out[1] = dynamic;
}

int main()
{
    const int n = 256;
    int *out, host[n];
    CHECK(cudaMalloc(&out, sizeof host));
    three_arrays<<<1, n, n *(sizeof(double) + sizeof(int) + 1)>>>(out, n);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    long long sum = 0;
    for (int x : host)
        sum += x;
    printf("three arrays %lld\n", sum);

    const int large = 16000;
    CHECK(cudaFuncSetAttribute(rotate<int>, cudaFuncAttributeMaxDynamicSharedMemorySize, large * sizeof(int)));
    static int numbers[large];
    for (int i = 0; i < large; i++)
        numbers[i] = i;
    int *data;
    CHECK(cudaMalloc(&data, sizeof numbers));
    CHECK(cudaMemcpy(data, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    rotate<int><<<1, 128, sizeof numbers>>>(data, large);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(numbers, data, sizeof numbers, cudaMemcpyDeviceToHost));
    printf("rotated %d %d %d\n", numbers[0], numbers[1], numbers[large - 1]);
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, rotate<int>));
    printf("opted in for %d bytes\n", attributes.maxDynamicSharedSizeBytes);

    double reals[100], *device;
    for (int i = 0; i < 100; i++)
        reals[i] = i + 0.5;
    CHECK(cudaMalloc(&device, sizeof reals));
    CHECK(cudaMemcpy(device, reals, sizeof reals, cudaMemcpyHostToDevice));
    rotate<double><<<1, 32, sizeof reals>>>(device, 100);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(reals, device, sizeof reals, cudaMemcpyDeviceToHost));
    printf("rotated %g %g\n", reals[0], reals[99]);
    unsigned told[2];
    sizes<<<1, 1, 1000>>>((unsigned *)out);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(told, out, sizeof told, cudaMemcpyDeviceToHost));
    printf("sizes %u %u\n", told[0], told[1]);
    return 0;
}
