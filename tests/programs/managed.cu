// Managed memory: variables and structures that host and device both follow, without a copy.
#include "common.cuh"
#include <cstring>
#include <new>

__managed__ int counter = 5;
__managed__ float table[8] = {1, 2, 3};
__device__ __managed__ const char *message;

struct node {
    int value;
    node *next;
    void *operator new(size_t bytes)
    {
        void *memory;
        CHECK(cudaMallocManaged(&memory, bytes));
        return memory;
    }
    void operator delete(void *memory) { CHECK(cudaFree(memory)); }
};

__global__ void use()
{
    atomicAdd(&counter, threadIdx.x);
    if (threadIdx.x < 8)
        table[threadIdx.x] = table[threadIdx.x] * 2 + threadIdx.x;
}

__global__ void walk(node *list, int *sum)
{
    int total = 0;
    for (node *n = list; n; n = n->next) {
        total += n->value;
        n->value = -n->value;
    }
    *sum = total;
}

__global__ void upper(char *text)
{
    int i = 0;
    for (const char *c = message; *c; c++, i++)
        text[i] = *c >= 'a' && *c <= 'z' ? *c - 32 : *c;
    text[i] = 0;
}

int main()
{
    printf("counter %d table %g %g\n", counter, table[2], table[7]);
    counter = 100;
    table[7] = 0.5f;
    use<<<1, 64>>>();
    CHECK_KERNEL();
    printf("counter %d table %g %g %g\n", counter, table[0], table[2], table[7]);
    counter++;
    use<<<2, 64>>>();
    CHECK_KERNEL();
    printf("counter %d\n", counter);

    node *list = NULL;
    for (int i = 1; i <= 10; i++) {
        node *n = new node;
        n->value = i * i;
        n->next = list;
        list = n;
    }
    int *sum;
    CHECK(cudaMallocManaged(&sum, sizeof *sum));
    walk<<<1, 1>>>(list, sum);
    CHECK_KERNEL();
    printf("list sum %d, first now %d\n", *sum, list->value);
    while (list) {
        node *next = list->next;
        delete list;
        list = next;
    }

    char *text, *result;
    CHECK(cudaMallocManaged(&text, 64));
    CHECK(cudaMallocManaged(&result, 64));
    strcpy(text, "managed text, host to device");
    message = text;
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    CHECK(cudaMemAdvise(text, 64, cudaMemAdviseSetReadMostly, device));
    CHECK(cudaMemPrefetchAsync(text, 64, device, 0, 0));
    upper<<<1, 1>>>(result);
    CHECK(cudaMemPrefetchAsync(result, 64, host, 0, 0));
    CHECK_KERNEL();
    printf("%s\n", result);
    int mostly = 9;
    CHECK(cudaMemRangeGetAttribute(&mostly, sizeof mostly, cudaMemRangeAttributeReadMostly, text, 64));
    printf("read mostly %d\n", mostly);

    // Symbols of managed variables work as those of others.
    int value = 0;
    CHECK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
    printf("counter by symbol %d\n", value);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamAttachMemAsync(stream, sum, 0, cudaMemAttachSingle));
    CHECK(cudaStreamSynchronize(stream));
    *sum = 3;
    printf("attached %d\n", *sum);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(sum));
    CHECK(cudaFree(text));
    CHECK(cudaFree(result));
    return 0;
}
