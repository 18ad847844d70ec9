// Pointers to device functions: in a table, as a symbol copied by the host, as a template argument, and recursion.
#include "common.cuh"

typedef float (*unary)(float);
__device__ float twice(float x)
{
    return 2 * x;
}
__device__ float negate(float x)
{
    return -x;
}
__device__ float square(float x)
{
    return x * x;
}
__device__ unary table[3] = {twice, negate, square};
__device__ unary chosen = square;

__global__ void by_table(float *data)
{
    int i = threadIdx.x;
    data[i] = table[i % 3](data[i]);
}

__global__ void by_argument(float *data, unary function)
{
    data[threadIdx.x] = function(data[threadIdx.x]);
}

template <unary F> __global__ void by_template(float *data)
{
    data[threadIdx.x] = F(data[threadIdx.x]);
}

__device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__device__ __noinline__ int ackermann(int m, int n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__global__ void recurse(int *out)
{
    out[threadIdx.x] = fibonacci(threadIdx.x);
    if (threadIdx.x == 0)
        out[12] = ackermann(2, 3);
}

static void show(const char *name, const float *device)
{
    float host[8];
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    printf("%s", name);
    for (float x : host)
        printf(" %g", x);
    printf("\n");
}

int main()
{
    float *data, start[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    CHECK(cudaMalloc(&data, sizeof start));
    CHECK(cudaMemcpy(data, start, sizeof start, cudaMemcpyHostToDevice));
    by_table<<<1, 8>>>(data);
    CHECK_KERNEL();
    show("table", data);
    unary function;
    CHECK(cudaMemcpyFromSymbol(&function, chosen, sizeof function));
    by_argument<<<1, 8>>>(data, function);
    CHECK_KERNEL();
    show("argument", data);
    unary functions[3];
    CHECK(cudaMemcpyFromSymbol(functions, table, sizeof functions));
    by_argument<<<1, 8>>>(data, functions[1]);
    CHECK_KERNEL();
    show("from table", data);
    by_template<twice><<<1, 8>>>(data);
    CHECK_KERNEL();
    show("template", data);
    // A kernel by its host pointer.
    void (*kernel)(float *) = by_template<negate>;
    kernel<<<1, 8>>>(data);
    CHECK_KERNEL();
    show("kernel pointer", data);
    int *out, numbers[13];
    CHECK(cudaMalloc(&out, sizeof numbers));
    recurse<<<1, 12>>>(out);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(numbers, out, sizeof numbers, cudaMemcpyDeviceToHost));
    printf("fibonacci %d %d ackermann %d\n", numbers[7], numbers[11], numbers[12]);
    return 0;
}
