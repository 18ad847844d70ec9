// Launches with attributes, by cudaLaunchKernelEx and cudaLaunchKernelExC; cooperative, with priority, with an event.
#include "common.cuh"
#include <cooperative_groups.h>

__global__ void scaled(int *data, int by, float add)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = i * by + (int)add;
}

__global__ void meet(int *data)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int i = grid.thread_rank(), n = grid.size();
    data[i] = i;
    grid.sync();
    int other = data[n - 1 - i];
    grid.sync();
    data[i] = other * 2;
}

extern __shared__ int dynamic[];
__global__ void with_shared(int *data)
{
    dynamic[threadIdx.x] = threadIdx.x * 3;
    __syncthreads();
    data[threadIdx.x] = dynamic[blockDim.x - 1 - threadIdx.x];
}

int main()
{
    int *data, host[256];
    CHECK(cudaMalloc(&data, sizeof host));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(4);
    config.blockDim = dim3(64);
    config.stream = stream;
    CHECK(cudaLaunchKernelEx(&config, scaled, data, 3, 2.5f));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    printf("no attributes %d %d\n", host[0], host[255]);

    cudaLaunchAttribute attributes[3] = {};
    attributes[0].id = cudaLaunchAttributeCooperative;
    attributes[0].val.cooperative = 1;
    attributes[1].id = cudaLaunchAttributePriority;
    attributes[1].val.priority = 0;
    config.attrs = attributes;
    config.numAttrs = 2;
    CHECK(cudaLaunchKernelEx(&config, meet, data));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    printf("cooperative %d %d\n", host[0], host[255]);

    int by = 5;
    float add = 1;
    void *arguments[] = {&data, &by, &add};
    attributes[0].id = cudaLaunchAttributeIgnore;
    CHECK(cudaLaunchKernelExC(&config, (const void *)scaled, arguments));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    printf("by pointer %d %d\n", host[1], host[255]);

    config.gridDim = dim3(1);
    config.numAttrs = 0;
    config.dynamicSmemBytes = 64 * sizeof(int);
    CHECK(cudaLaunchKernelEx(&config, with_shared, data));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    printf("shared %d %d\n", host[0], host[63]);

    // An event of the launch itself.
    cudaEvent_t done;
    CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    attributes[0].id = cudaLaunchAttributeProgrammaticEvent;
    attributes[0].val.programmaticEvent.event = done;
    attributes[0].val.programmaticEvent.flags = 0;
    attributes[0].val.programmaticEvent.triggerAtBlockStart = 0;
    config.numAttrs = 0;
    CHECK(cudaLaunchKernelEx(&config, with_shared, data));
    CHECK(cudaEventRecord(done, stream));
    CHECK(cudaEventSynchronize(done));
    TELL(cudaEventQuery(done));
    config.blockDim = dim3(3000);
    TELL(cudaLaunchKernelExC(&config, (const void *)with_shared, arguments));
    TELL(cudaGetLastError());
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
