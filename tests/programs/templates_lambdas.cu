// Generic kernels: templates over types and values, extended lambdas of both kinds, large and oddly aligned arguments.
#include "common.cuh"
#include <initializer_list>
#include <type_traits>

template <typename T, int N> struct vector {
    T at[N];
    __host__ __device__ T sum() const
    {
        T total = T();
        for (int i = 0; i < N; i++)
            total += at[i];
        return total;
    }
};

template <typename F, typename... A> __global__ void apply(int n, F function, A... arguments)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        function(i, arguments...);
}

template <typename T, int N> __global__ void sums(const vector<T, N> *in, T *out, int n)
{
    int i = threadIdx.x;
    if (i < n)
        out[i] = in[i].sum();
}

struct mixed {
    char a;
    long long b;
    short c;
    float d[3];
    char e;
};
struct __align__(16) wide
{
    int value[900];
};

__global__ void take(char a, mixed m, double b, short c, wide w, bool d, int *out)
{
    out[0] = a;
    out[1] = (int)m.b + m.a + m.c + m.e;
    out[2] = (int)(m.d[0] + m.d[1] * 10 + m.d[2] * 100);
    out[3] = (int)(b * 4);
    out[4] = c;
    out[5] = w.value[0] + w.value[899];
    out[6] = d;
}

template <typename T> static void by_type(const char *name)
{
    vector<T, 5> host[4], *device;
    T result[4], *out;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 5; j++)
            host[i].at[j] = T(10 * i + j);
    CHECK(cudaMalloc(&device, sizeof host));
    CHECK(cudaMalloc(&out, sizeof result));
    CHECK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
    sums<T, 5><<<1, 32>>>(device, out, 4);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
    printf("%s", name);
    for (int i = 0; i < 4; i++)
        printf(" %g", (double)result[i]);
    printf("\n");
    CHECK(cudaFree(device));
    CHECK(cudaFree(out));
}

int main()
{
    by_type<int>("int");
    by_type<float>("float");
    by_type<double>("double");
    by_type<unsigned char>("unsigned char");
    by_type<long long>("long long");

    const int n = 100;
    int *data;
    CHECK(cudaMallocManaged(&data, n * sizeof(int)));
    int factor = 3, offset = 4;
    apply<<<4, 32>>>(n, [=] __device__(int i) { data[i] = i * factor + offset; });
    CHECK_KERNEL();
    printf("device lambda %d %d\n", data[0], data[99]);
    auto both = [=] __host__ __device__(int i, int times, double more) { data[i] = data[i] * times + (int)more; };
    apply<<<4, 32>>>(n, both, 2, 7.9);
    CHECK_KERNEL();
    both(0, 10, 1.5);
    printf("lambda of both sides %d %d\n", data[0], data[99]);

    mixed m = {1, 200, 30, {1, 2, 3}, 4};
    wide w = {};
    w.value[0] = 5;
    w.value[899] = 60;
    take<<<1, 1>>>('A', m, 2.75, -7, w, true, data);
    CHECK_KERNEL();
    printf("arguments %d %d %d %d %d %d %d\n", data[0], data[1], data[2], data[3], data[4], data[5], data[6]);
    CHECK(cudaFree(data));
    return 0;
}
