// The heap of the device: malloc and free in kernels, memory that outlives its kernel, exhaustion, and the limit.
#include "common.cuh"

__global__ void own_arrays(int *out)
{
    int n = 8 + threadIdx.x % 5;
    int *mine = (int *)malloc(n * sizeof(int));
    if (!mine) {
        out[threadIdx.x] = -1;
        return;
    }
    for (int i = 0; i < n; i++)
        mine[i] = i * threadIdx.x;
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += mine[i];
    out[threadIdx.x] = sum;
    free(mine);
}

struct list_node {
    int value;
    list_node *next;
};
__device__ list_node *head;

__global__ void push(int value)
{
    list_node *n = new list_node;
    n->value = value;
    n->next = head;
    head = n;
}

__global__ void pop_all(int *out)
{
    int count = 0, sum = 0;
    while (head) {
        list_node *n = head;
        head = n->next;
        sum = sum * 3 + n->value;
        count++;
        delete n;
    }
    out[0] = count;
    out[1] = sum;
}

__global__ void too_much(int *out)
{
    void *memory = malloc((size_t)1 << 40);
    out[0] = memory == NULL;
    free(memory);
    free(NULL);
    char *bytes = (char *)malloc(1000);
    out[1] = bytes != NULL && ((size_t)bytes & 15) == 0;
    free(bytes);
}

__global__ void repeat(int *out)
{
    // What is freed is there again: 2000 times 16 KiB are more than the heap.
    int ok = 0;
    for (int i = 0; i < 2000; i++) {
        int *block = (int *)malloc(16384);
        if (block) {
            block[4095] = i;
            ok += block[4095] == i;
        }
        free(block);
    }
    out[0] = ok;
}

int main()
{
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 8 << 20));
    int *out, host[64];
    CHECK(cudaMalloc(&out, sizeof host));
    own_arrays<<<1, 64>>>(out);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("sums %d %d %d\n", host[1], host[10], host[63]);
    for (int i = 1; i <= 5; i++)
        push<<<1, 1>>>(i);
    pop_all<<<1, 1>>>(out);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("popped %d value %d\n", host[0], host[1]);
    too_much<<<1, 1>>>(out);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("too much is NULL %d aligned %d\n", host[0], host[1]);
    repeat<<<1, 1>>>(out);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("repeated %d\n", host[0]);
    CHECK(cudaFree(out));
    return 0;
}
