// Every kind of memory that a program can ask for, what the runtime says of a pointer into it, and copies between kinds.
#include "common.cuh"
#include <cstring>

__global__ void twice(int *to, const int *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = 2 * from[i];
}

static const char *kind_of(const void *pointer)
{
    cudaPointerAttributes attributes;
    memset(&attributes, 0x55, sizeof attributes);
    CHECK(cudaPointerGetAttributes(&attributes, pointer));
    switch (attributes.type) {
    case cudaMemoryTypeUnregistered:
        return "unregistered";
    case cudaMemoryTypeHost:
        return attributes.hostPointer == pointer ? "host" : "host of another address";
    case cudaMemoryTypeDevice:
        return attributes.devicePointer == pointer ? "device" : "device of another address";
    case cudaMemoryTypeManaged:
        return "managed";
    }
    return "unknown";
}

static void run(const char *name, int *to, const int *from, int n)
{
    twice<<<(n + 127) / 128, 128>>>(to, from, n);
    CHECK_KERNEL();
    int *back = (int *)malloc(n * sizeof(int));
    CHECK(cudaMemcpy(back, to, n * sizeof(int), cudaMemcpyDefault));
    long long sum = 0;
    for (int i = 0; i < n; i++)
        sum += back[i];
    printf("%s sum %lld\n", name, sum);
    free(back);
}

int main()
{
    const int n = 1000;
    const size_t bytes = n * sizeof(int);
    int *device, *result, *pinned, *mapped, *mapped_device, *managed, *managed_host;
    int *plain = (int *)malloc(bytes);
    for (int i = 0; i < n; i++)
        plain[i] = i;
    CHECK(cudaMalloc(&device, bytes));
    CHECK(cudaMalloc(&result, bytes));
    CHECK(cudaMallocHost(&pinned, bytes));
    CHECK(cudaHostAlloc(&mapped, bytes, cudaHostAllocMapped | cudaHostAllocWriteCombined));
    CHECK(cudaHostGetDevicePointer((void **)&mapped_device, mapped, 0));
    CHECK(cudaMallocManaged(&managed, bytes));
    CHECK(cudaMallocManaged(&managed_host, bytes, cudaMemAttachHost));
    printf("plain is %s\n", kind_of(plain));
    printf("cudaMalloc is %s\n", kind_of(device));
    printf("inside cudaMalloc is %s\n", kind_of(device + 7));
    printf("cudaMallocHost is %s\n", kind_of(pinned));
    printf("cudaHostAlloc is %s\n", kind_of(mapped));
    printf("cudaMallocManaged is %s\n", kind_of(managed));

    CHECK(cudaMemcpy(device, plain, bytes, cudaMemcpyDefault));
    run("device", result, device, n);
    memcpy(pinned, plain, bytes);
    CHECK(cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, 0));
    run("pinned", result, device, n);
    memcpy(mapped, plain, bytes);
    run("mapped", result, mapped_device, n);
    run("mapped result", mapped_device, device, n);
    printf("host sees %d\n", mapped[n - 1]);
    memcpy(managed, plain, bytes);
    run("managed", managed, managed, n);
    printf("host sees %d\n", managed[n - 1]);
    memcpy(managed_host, plain, bytes);
    CHECK(cudaMemcpy(device, managed_host, bytes, cudaMemcpyDefault));
    run("managed for the host", result, device, n);

    unsigned flags = 99;
    CHECK(cudaHostGetFlags(&flags, mapped));
    printf("flags of mapped memory %u\n", flags & (cudaHostAllocMapped | cudaHostAllocWriteCombined));
    CHECK(cudaHostRegister(plain, bytes, cudaHostRegisterMapped));
    printf("registered is %s\n", kind_of(plain));
    int *registered;
    CHECK(cudaHostGetDevicePointer((void **)&registered, plain, 0));
    run("registered", result, registered, n);
    TELL(cudaHostRegister(plain, bytes, cudaHostRegisterDefault));
    CHECK(cudaHostUnregister(plain));
    TELL(cudaHostUnregister(plain));
    printf("unregistered is %s\n", kind_of(plain));

    size_t free_bytes = 0, total_bytes = 0, later = 0;
    CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    fact("free memory is part of all memory", free_bytes > 0 && free_bytes <= total_bytes);
    void *large;
    CHECK(cudaMalloc(&large, 64 << 20));
    CHECK(cudaMemGetInfo(&later, &total_bytes));
    fact("an allocation takes free memory", later < free_bytes);
    CHECK(cudaFree(large));
    void *huge = &huge;
    TELL(cudaMalloc(&huge, (size_t)1 << 60));
    TELL(cudaMalloc(NULL, 16));
    TELL(cudaFree(plain));
    TELL(cudaFreeHost(device));
    TELL(cudaGetLastError());
    CHECK(cudaFree(device));
    TELL(cudaFree(device));
    cudaGetLastError();
    CHECK(cudaFree(result));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFreeHost(mapped));
    CHECK(cudaFree(managed));
    CHECK(cudaFree(managed_host));
    free(plain);
    return 0;
}
