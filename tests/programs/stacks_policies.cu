// Small things that CUDA programs ask of PTX: memory taken on the stack at run time, cache policies of libcu++, which space an address
// is in, parameters by address, loads and stores with cache operators.
#include "common.cuh"
#include <alloca.h>
#include <cuda/annotated_ptr>

struct parameters {
    int value[24];
};

__global__ void spaces(const __grid_constant__ parameters given, int *out, int n)
{
    __shared__ int tile[32];
    int own[4] = {n, n + 1, n + 2, n + 3}, t = threadIdx.x;
    tile[t] = t;
    const int *p = &given.value[t % 24];
    out[t] = *p + own[t & 3] + __isGlobal(out) + 2 * __isShared(&tile[n]) + 4 * __isLocal(&own[n]) +
             8 * __isGlobal(&tile[n]) + 16 * __isShared(out) + 32 * __isLocal(out);
    out[32 + t] = __isGridConstant(&given.value[n]) + 2 * __isConstant(&given.value[n]);
}

__device__ __noinline__ int weigh(const int *a, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * (i + 1);
    return sum;
}

__global__ void stacks(int *out)
{
    int total = 0;
    for (int k = 1; k < 5; k++) {
        int n = threadIdx.x % 7 + k;
        int *a = (int *)alloca(n * sizeof(int));
        for (int i = 0; i < n; i++)
            a[i] = i + k;
        total += weigh(a, n);
    }
    out[threadIdx.x] = total;
}

__global__ void policies(int *data, int *out, size_t n)
{
    typedef cuda::access_property property;
    cuda::annotated_ptr<int, property::persisting> hot(data);
    cuda::annotated_ptr<int, property::streaming> once(out);
    cuda::annotated_ptr<int, property> half(data, property(property::persisting{}, 0.5f));
    cuda::annotated_ptr<int, property> part(
        data, property(data, 4096, 8192, property::persisting{}, property::streaming{}));
    int i = threadIdx.x;
    once[i] = hot[i] + half[i] * 2 + part[i] * 3;
    cuda::apply_access_property(data, n * sizeof(int), property::persisting{});
    cuda::apply_access_property(data, n * sizeof(int), property::normal{});
}

__global__ void caches(const int *in, int *out)
{
    int i = threadIdx.x;
    out[i] = __ldg(in + i) + __ldca(in + i) + __ldcg(in + i) + __ldcs(in + i) + __ldlu(in + i) + __ldcv(in + i);
    __stwb(out + 32 + i, i);
    __stcg(out + 64 + i, i + 1);
    __stcs(out + 96 + i, i + 2);
    __stwt(out + 128 + i, i + 3);
    int4 v = __ldcs((const int4 *)in + (i & 3));
    __stwt((int4 *)(out + 160) + (i & 3), v);
    __nanosleep(10);
    __prof_trigger(3);
    out[176 + i] = __fns(0x8421u, i, 1);
}

static void show(const char *name, const int *device, int count, int step)
{
    int values[256];
    CHECK_KERNEL();
    CHECK(cudaMemcpy(values, device, count * sizeof(int), cudaMemcpyDeviceToHost));
    printf("%s", name);
    for (int i = 0; i < count; i += step)
        printf(" %d", values[i]);
    printf("\n");
}

int main()
{
    int *out, *in, squares[64];
    parameters given;
    CHECK(cudaMalloc(&out, 1024));
    CHECK(cudaMalloc(&in, 1 << 16));
    CHECK(cudaMemset(out, 0, 1024));
    for (int i = 0; i < 64; i++)
        squares[i] = i * i - 7;
    for (int i = 0; i < 24; i++)
        given.value[i] = 100 * i;
    CHECK(cudaMemcpy(in, squares, sizeof squares, cudaMemcpyHostToDevice));
    spaces<<<1, 32>>>(given, out, 1);
    show("spaces", out, 64, 5);
    stacks<<<1, 32>>>(out);
    show("stacks", out, 32, 3);
    policies<<<1, 32>>>(in, out, 64);
    show("policies", out, 32, 3);
    caches<<<1, 32>>>(in, out);
    show("caches", out, 208, 7);
    return 0;
}
