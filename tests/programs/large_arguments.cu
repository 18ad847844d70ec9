// Kernels with many and with large arguments: up to 4 KiB, more than that, and constant ones that kernels point into.
#include "common.cuh"

struct table {
    int at[1000];
};
struct huge {
    int at[3000];
};

__global__ void by_value(table t, int *out)
{
    out[threadIdx.x] = t.at[threadIdx.x * 31];
}

__device__ int look(const table &t, int i)
{
    return t.at[i];
}
__global__ void constant(const __grid_constant__ table t, int *out)
{
    const table *pointer = &t;
    out[threadIdx.x] = look(t, threadIdx.x * 2) + pointer->at[999 - threadIdx.x];
}

__global__ void beyond(const __grid_constant__ huge t, int *out)
{
    out[threadIdx.x] = t.at[threadIdx.x * 93];
}

__global__ void many(char a, short b, int c, long long d, float e, double f, bool g, unsigned char h, char3 i, float4 j,
                     const int *k, int *out, unsigned l, unsigned short m, double2 n, int o)
{
    out[0] = a + b + c + (int)d + (int)e + (int)f + g + h + i.x + i.y + i.z + (int)(j.x + j.y + j.z + j.w) + *k +
             (int)l + m + (int)(n.x + n.y) + o;
}

__global__ void change(table t, int *out)
{
    // An argument is the thread's own.
    t.at[threadIdx.x] += threadIdx.x;
    t.at[(threadIdx.x + 1) % 32] *= 2;
    out[threadIdx.x] = t.at[threadIdx.x] + t.at[(threadIdx.x + 1) % 32];
}

static int *out;
static void show(const char *name)
{
    int host[32];
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("%s %d %d %d fingerprint %08x\n", name, host[0], host[15], host[31], fingerprint(host, sizeof host));
}

int main()
{
    static table t;
    static huge h;
    for (int i = 0; i < 1000; i++)
        t.at[i] = i * i;
    for (int i = 0; i < 3000; i++)
        h.at[i] = i * 7;
    CHECK(cudaMalloc(&out, 32 * sizeof(int)));
    CHECK(cudaMemset(out, 0, 32 * sizeof(int)));
    by_value<<<1, 32>>>(t, out);
    show("by value");
    constant<<<1, 32>>>(t, out);
    show("constant");
    beyond<<<1, 32>>>(h, out);
    show("beyond 4 KiB");
    change<<<1, 32>>>(t, out);
    show("changed");
    int *k, seven = 7;
    CHECK(cudaMalloc(&k, sizeof(int)));
    CHECK(cudaMemcpy(k, &seven, sizeof seven, cudaMemcpyHostToDevice));
    many<<<1, 1>>>(1, 20, 300, 4000, 50000.5f, 600000.5, true, 200, make_char3(1, 2, 3), make_float4(1, 2, 3, 4), k,
                   out, 70000, 800, make_double2(9, 10), -5);
    show("many");
    return 0;
}
