// PTX inside CUDA: named barriers, predicates, carry chains, vectors, video and bit-field instructions, special registers.
#include "common.cuh"

__global__ void named_barriers(int *out)
{
    // Warps 0 and 1 produce and consume through barrier 1; warps 2 and 3 through barrier 2.
    __shared__ int box[2];
    int pair = threadIdx.x / 64, warp = threadIdx.x / 32 % 2;
    if (warp == 0) {
        if (threadIdx.x % 32 == 0)
            box[pair] = 100 * (pair + 1);
        asm volatile("bar.arrive %0, 64;" ::"r"(pair + 1) : "memory");
    } else {
        asm volatile("bar.sync %0, 64;" ::"r"(pair + 1) : "memory");
        out[threadIdx.x] = box[pair] + threadIdx.x;
    }
    if (warp == 0)
        out[threadIdx.x] = threadIdx.x;
}

__global__ void carry(unsigned *out)
{
    unsigned i = threadIdx.x, a = 0xffffffffu - i, b = i * 3, low, high, third;
    asm("add.cc.u32 %0, %3, %4;\n\taddc.cc.u32 %1, %3, %3;\n\taddc.u32 %2, 0, 0;"
        : "=r"(low), "=r"(high), "=r"(third)
        : "r"(a), "r"(b));
    unsigned long long product;
    asm("{\n\t.reg .u32 l, h;\n\tmul.lo.u32 l, %1, %2;\n\tmul.hi.u32 h, %1, %2;\n\tmov.b64 %0, {l, h};\n\t}"
        : "=l"(product)
        : "r"(a), "r"(b + 7));
    unsigned less;
    asm("{\n\t.reg .pred p;\n\tsetp.lt.u32 p, %1, 16;\n\tselp.u32 %0, 111, 222, p;\n\t@p add.u32 %0, %0, 1000;\n\t}"
        : "=r"(less)
        : "r"(i));
    out[i] = low ^ high ^ third ^ (unsigned)product ^ (unsigned)(product >> 32) ^ less;
}

__global__ void bits(unsigned *out)
{
    unsigned i = threadIdx.x, x = i * 0x01234567u, field, inserted, found, three, permuted, shifted;
    asm("bfe.u32 %0, %1, 5, 9;" : "=r"(field) : "r"(x));
    asm("bfi.b32 %0, %1, %2, 8, 12;" : "=r"(inserted) : "r"(i), "r"(x));
    asm("bfind.u32 %0, %1;" : "=r"(found) : "r"(x | 1));
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(three) : "r"(x), "r"(i), "r"(field));
    asm("prmt.b32 %0, %1, %2, 0x3715;" : "=r"(permuted) : "r"(x), "r"(three));
    asm("shf.l.wrap.b32 %0, %1, %2, 7;" : "=r"(shifted) : "r"(x), "r"(permuted));
    out[i] = field + inserted * 3 + found * 5 + three * 7 + permuted * 11 + shifted * 13;
}

__global__ void memory(const uint4 *in, uint4 *out)
{
    unsigned a, b, c, d;
    asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "l"(in + threadIdx.x));
    asm volatile("st.global.cg.v4.u32 [%0], {%4, %3, %2, %1};" ::"l"(out + threadIdx.x), "r"(a), "r"(b), "r"(c), "r"(d)
                 : "memory");
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in));
    asm volatile("membar.gl;" ::: "memory");
}

static void show(const char *name, const void *device, int n)
{
    unsigned host[128];
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, device, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    printf("%s %u %u %u fingerprint %08x\n", name, host[0], host[n / 2], host[n - 1], fingerprint(host, n * 4));
}

int main()
{
    unsigned *a, *b, host[128];
    for (int i = 0; i < 128; i++)
        host[i] = i * i;
    CHECK(cudaMalloc(&a, sizeof host));
    CHECK(cudaMalloc(&b, sizeof host));
    CHECK(cudaMemcpy(b, host, sizeof host, cudaMemcpyHostToDevice));
    named_barriers<<<1, 128>>>((int *)a);
    show("named barriers", a, 128);
    carry<<<1, 32>>>(a);
    show("carry", a, 32);
    bits<<<1, 32>>>(a);
    show("bits", a, 32);
    memory<<<1, 32>>>((const uint4 *)b, (uint4 *)a);
    show("memory", a, 128);
    return 0;
}
