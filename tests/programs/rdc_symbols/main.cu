// Symbols of relocatable device code: arrays without a size, constant and managed variables of another file, private names that both
// files have, functions by address and by virtual table, inline functions and templates in both, weak ones, dynamic shared memory.
#include "shared.cuh"

static __device__ int mine = 5;
static __device__ __noinline__ int hidden(int x)
{
    return x + 100;
}
extern __shared__ int dynamic[];
__device__ int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__device__ int plus(int a, int b)
{
    return a + b;
}

__global__ void use_all(int *out, int n)
{
    int i = threadIdx.x;
    dynamic[i] = i;
    __syncthreads();
    int v = table[i & 7] * scale + from_other(i) + hidden(i) + mine;
    v += operations[i % 3](i, 3);
    v += twice(i) + (int)twice(0.5f) + in_both(i) + recurse(i % 5) + pick();
    shape *s;
    if (i & 1)
        s = new square(2.0f);
    else
        s = new disc(1.0f);
    v += (int)s->area() + s->tag;
    delete s;
    atomicAdd(&counter, 1);
    out[i] = v + dynamic[n - 1 - i];
}

int main()
{
    const int n = 48;
    int *d, out[n];
    CHECK(cudaMalloc(&d, sizeof out));
    use_all<<<1, n, sizeof out>>>(d, n);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        printf("%d%c", out[i], i % 12 == 11 ? '\n' : ' ');
    bump();
    CHECK_KERNEL();
    printf("counter %d\n", counter);
    return 0;
}
