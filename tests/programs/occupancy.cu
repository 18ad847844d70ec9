// Attributes of functions and the occupancy calls: figures that do not depend on the machine, and bounds for the others.
#include "common.cuh"

__global__ void plain(float *data)
{
    data[threadIdx.x] *= 2;
}

__global__ void __launch_bounds__(128, 2) bounded(float *data)
{
    __shared__ float tile[256];
    tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = tile[127 - threadIdx.x];
}

extern __shared__ float dynamic[];
__global__ void shared_user(float *data)
{
    dynamic[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = dynamic[blockDim.x - 1 - threadIdx.x];
}

template <int N> __global__ void large_local(int *out, int index)
{
    int local[N];
    for (int i = 0; i < N; i++)
        local[i] = i * index;
    for (int i = 0; i < N; i++)
        local[(i * index) % N] += local[i];
    out[threadIdx.x] = local[index % N];
}

static size_t bytes_of(int threads)
{
    return threads * sizeof(float);
}

int main()
{
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, plain));
    printf("plain: shared %zu, threads %d\n", attributes.sharedSizeBytes, attributes.maxThreadsPerBlock);
    fact("plain has registers", attributes.numRegs > 0);
    fact("plain has versions", attributes.ptxVersion >= 70 && attributes.binaryVersion >= 70);
    CHECK(cudaFuncGetAttributes(&attributes, bounded));
    printf("bounded: shared %zu, threads %d\n", attributes.sharedSizeBytes, attributes.maxThreadsPerBlock);
    CHECK(cudaFuncGetAttributes(&attributes, (const void *)large_local<500>));
    fact("large local array is in local memory", attributes.localSizeBytes >= 500 * sizeof(int));

    int blocks = 0, threads = 0, grid = 0;
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 256, 0));
    fact("blocks of 256 fit", blocks >= 1 && blocks * 256 <= device.maxThreadsPerMultiProcessor);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shared_user, 64, 40 * 1024));
    fact("blocks of 40 KiB fit", blocks >= 1 && blocks * 40 * 1024 <= (int)device.sharedMemPerMultiprocessor);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, bounded, 128, 0, cudaOccupancyDefault));
    fact("bounded blocks fit at least twice", blocks >= 2);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &threads, plain));
    fact("a block size is proposed", threads >= 32 && threads <= 1024 && threads % 32 == 0 && grid >= 1);
    CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &threads, shared_user, bytes_of));
    fact("one with shared memory, too", threads >= 32 && threads <= 1024 && grid >= 1);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &threads, bounded));
    fact("launch bounds hold", threads <= 128);
    size_t left = 0;
    CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&left, shared_user, 2, 128));
    fact("shared memory is left for two blocks", left > 0);

    // A limit per function is a promise that launches keep.
    float *data, host[64];
    CHECK(cudaMalloc(&data, 1024 * sizeof(float)));
    for (int i = 0; i < 64; i++)
        host[i] = i;
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaFuncSetCacheConfig(shared_user, cudaFuncCachePreferShared));
    CHECK(cudaFuncSetAttribute(shared_user, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
    shared_user<<<1, 64, 64 * sizeof(float)>>>(data);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    printf("reversed %g %g\n", host[0], host[63]);
    int *numbers, number;
    CHECK(cudaMalloc(&numbers, 32 * sizeof(int)));
    large_local<500><<<1, 32>>>(numbers, 7);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(&number, numbers, sizeof number, cudaMemcpyDeviceToHost));
    printf("local %d\n", number);
    bounded<<<1, 256>>>(data);
    TELL(cudaGetLastError());
    return 0;
}
