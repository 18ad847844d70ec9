// Bulk copies and reductions on edge values, copies to several blocks of a cluster, st.async, red.async, cp.async.
// What is left in memory is printed as one number per kernel.
#include "common.cuh"
#include <cstdint>
#include <cstring>
typedef unsigned long long u64;
__device__ __forceinline__ unsigned sa(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}
__device__ void waitp(unsigned bar, unsigned par)
{
    unsigned ok = 0;
    while (!ok)
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0,1,0,p;}"
                     : "=r"(ok)
                     : "r"(bar), "r"(par)
                     : "memory");
}
#define R(OPT)                                                                                                      \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." OPT " [%0], [%1], %2;" ::"l"(g), "r"(sa(s)), \
                 "r"(1024)                                                                                          \
                 : "memory")
__global__ void red(unsigned char *g, const unsigned char *in, int k)
{
    __shared__ __align__(128) unsigned char s[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        s[i] = in[i];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        switch (k) {
        case 0:
            R("add.f32");
            break;
        case 1:
            R("add.f64");
            break;
        case 2:
            R("add.noftz.f16");
            break;
        case 3:
            R("add.noftz.bf16");
            break;
        case 4:
            R("min.f16");
            break;
        case 5:
            R("max.f16");
            break;
        case 6:
            R("min.bf16");
            break;
        case 7:
            R("max.bf16");
            break;
        case 8:
            R("add.u32");
            break;
        case 9:
            R("add.s32");
            break;
        case 10:
            R("add.u64");
            break;
        case 11:
            R("inc.u32");
            break;
        case 12:
            R("dec.u32");
            break;
        case 13:
            R("min.u32");
            break;
        case 14:
            R("max.s32");
            break;
        case 15:
            R("min.s64");
            break;
        case 16:
            R("max.u64");
            break;
        case 17:
            R("and.b32");
            break;
        case 18:
            R("or.b32");
            break;
        case 19:
            R("xor.b64");
            break;
        case 20:
            R("and.b64");
            break;
        case 21:
            R("min.s32");
            break;
        case 22:
            R("max.u32");
            break;
        case 23:
            R("min.u64");
            break;
        case 24:
            R("max.s64");
            break;
        }
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
#define P(OPT)                                                                                        \
    asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." OPT \
                 " [%0], [%1], %2, [%3];" ::"r"(rem),                                                 \
                 "r"(sa(s)), "r"(512), "r"(rbar)                                                      \
                 : "memory")
__global__ __cluster_dims__(2, 1, 1) void peer(unsigned char *g, const unsigned char *in, int k)
{
    __shared__ __align__(128) unsigned char s[512], d[512];
    __shared__ __align__(8) u64 bar;
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    unsigned rem, rbar, b = sa(&bar);
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(rem) : "r"(sa(d)), "r"(rank ^ 1));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(rbar) : "r"(b), "r"(rank ^ 1));
    for (int i = threadIdx.x; i < 512; i += blockDim.x) {
        s[i] = in[i + 512 * rank];
        d[i] = g[i + 512 * rank];
    }
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b));
        asm volatile("fence.mbarrier_init.release.cluster;");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" ::"r"(b) : "memory");
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
    if (threadIdx.x == 0)
        switch (k) {
        case 0:
            P("add.u32");
            break;
        case 1:
            P("add.s32");
            break;
        case 2:
            P("add.u64");
            break;
        case 3:
            P("inc.u32");
            break;
        case 4:
            P("dec.u32");
            break;
        case 5:
            P("min.u32");
            break;
        case 6:
            P("max.s32");
            break;
        case 7:
            P("and.b32");
            break;
        case 8:
            P("or.b32");
            break;
        case 9:
            P("xor.b32");
            break;
        case 10:
            P("min.s32");
            break;
        case 11:
            P("max.u32");
            break;
        default:
            asm volatile(
                "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                    rem),
                "r"(sa(s)), "r"(512), "r"(rbar)
                : "memory");
        }
    waitp(b, 0);
    for (int i = threadIdx.x; i < 512; i += blockDim.x)
        g[i + 512 * rank] = d[i];
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}
__global__ __cluster_dims__(4, 1, 1) void cast(const unsigned char *in, unsigned char *out)
{
    __shared__ __align__(128) unsigned char d[512];
    __shared__ __align__(8) u64 bar, bar2;
    __shared__ __align__(16) unsigned v[8];
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    unsigned b = sa(&bar), b2 = sa(&bar2);
    for (int i = threadIdx.x; i < 512; i += blockDim.x)
        d[i] = 0;
    if (threadIdx.x < 8)
        v[threadIdx.x] = 100 + threadIdx.x;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b));
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b2));
        asm volatile("fence.mbarrier_init.release.cluster;");
        if (rank != 2)
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" ::"r"(b) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b2), "r"(4 + 8 + 16 + 4 + 8 + 4)
                     : "memory");
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    if (threadIdx.x == 0 && rank == 1)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], "
                     "%2, [%3], %4;" ::"r"(sa(d)),
                     "l"(in), "r"(512), "r"(b), "h"((unsigned short)0xb)
                     : "memory");
    if (rank != 2)
        waitp(b, 0);
    if (threadIdx.x == 0) {
        unsigned rv, rb;
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(rv) : "r"(sa(v)), "r"((rank + 1) & 3));
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(rb) : "r"(b2), "r"((rank + 1) & 3));
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(rv),
                     "r"(7 + rank), "r"(rb)
                     : "memory");
        asm volatile(
            "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0+8], {%1, %2}, [%3];" ::"r"(rv),
            "r"(17 + rank), "r"(27 + rank), "r"(rb)
            : "memory");
        asm volatile(
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0+16], {%1, %1, %1, %1}, [%2];" ::"r"(rv),
            "f"(1.5f * rank), "r"(rb)
            : "memory");
        asm volatile(
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0+4], %1, [%2];" ::"r"(
                rv),
            "r"(1000 + rank), "r"(rb)
            : "memory");
        asm volatile(
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0+8], %1, [%2];" ::"r"(
                rv),
            "l"(0x100000001ull), "r"(rb)
            : "memory");
        asm volatile(
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%0+4], %1, [%2];" ::"r"(
                rv),
            "r"(5000), "r"(rb)
            : "memory");
    }
    waitp(b2, 0);
    for (int i = threadIdx.x; i < 512; i += blockDim.x)
        out[rank * 1024 + i] = d[i];
    if (threadIdx.x < 8)
        ((unsigned *)(out + rank * 1024 + 512))[threadIdx.x] = v[threadIdx.x];
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}
__global__ void cp(const unsigned *in, unsigned *out)
{
    __shared__ __align__(16) unsigned s[32 * 4 * 4];
    for (int i = 0; i < 16; i++)
        s[threadIdx.x * 16 + i] = 0xeeeeeeee;
    __syncwarp();
    unsigned a = sa(s) + threadIdx.x * 64, n = threadIdx.x % 20;
    const unsigned *p = in + threadIdx.x * 4;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(a), "l"(p), "r"(n > 16 ? 16 : n));
    asm volatile("cp.async.cg.shared.global.L2::128B [%0+16], [%1], 16;" ::"r"(a), "l"(p));
    asm volatile("cp.async.ca.shared::cta.global [%0+32], [%1], 8, %2;" ::"r"(a), "l"(p), "r"(n > 8 ? 8 : n));
    asm volatile("cp.async.ca.shared.global [%0+40], [%1], 4, %2;" ::"r"(a), "l"(p), "r"(n & 3));
    asm volatile("{.reg .pred p; setp.lt.u32 p, %2, 10; cp.async.ca.shared.global [%0+48], [%1], 16, p;}" ::"r"(a),
                 "l"(p), "r"(n));
    asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
    __syncwarp();
    for (int i = 0; i < 16; i++)
        out[threadIdx.x * 16 + i] = s[threadIdx.x * 16 + i];
}
static unsigned hash(const unsigned char *p, int n)
{
    unsigned h = 2166136261u;
    for (int i = 0; i < n; i++)
        h = (h ^ p[i]) * 16777619u;
    return h;
}
int main()
{
    unsigned char *g, *in, *o;
    CHECK(cudaMallocManaged(&g, 4096));
    CHECK(cudaMallocManaged(&in, 4096));
    CHECK(cudaMallocManaged(&o, 8192));
    unsigned f32[] = {0,          0x80000000, 1,          0x80000001, 0x7fffff,   0x800000,   0x80800000, 0x3f800000,
                      0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 0x7f7fffff, 0x33800000};
    unsigned short h[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x8400, 0x3c00,
                          0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xfe12, 0x7bff, 0x1400},
                   bf[] = {0,      0x8000, 1,      0x8001, 0x7f,   0x80,   0x8080, 0x3f80,
                           0xbf80, 0x7f80, 0xff80, 0x7fc0, 0x7f81, 0xffc1, 0x7f7f, 0x3300};
    u64 d[] = {0,
               1ull << 63,
               1,
               0xfffffffffffffull,
               1ull << 52,
               0x3ff0000000000000,
               0xbff0000000000000,
               0x7ff0000000000000,
               0xfff0000000000000,
               0x7ff8000000000000,
               0x7ff0000000000001,
               0xfff8000000012345};
    auto fill = [&](int k) {
        for (int i = 0; i < 1024; i++) {
            g[i] = (i * 2654435761u) >> 9;
            in[i] = (i * 40503u) >> 5;
        }
        if (k == 0)
            for (int i = 0; i < 256; i++) {
                ((unsigned *)g)[i] = f32[i % 16];
                ((unsigned *)in)[i] = f32[i / 16];
            }
        if (k == 1)
            for (int i = 0; i < 128; i++) {
                ((u64 *)g)[i] = d[i % 12];
                ((u64 *)in)[i] = d[i / 12 % 12];
            }
        if (k >= 2 && k <= 7)
            for (int i = 0; i < 512; i++) {
                const unsigned short *t = k == 2 || k == 4 || k == 5 ? h : bf;
                ((unsigned short *)g)[i] = i < 256 ? t[i % 16] : t[i % 16] + i * 7;
                ((unsigned short *)in)[i] = i < 256 ? t[i / 16] : t[i % 16] + i * 5;
            }
        if (k >= 8 && k % 2)
            for (int i = 0; i < 256; i += 3)
                ((unsigned *)in)[i] = i;
    };
    for (int k = 0; k < 25; k++) {
        fill(k);
        red<<<1, 32>>>(g, in, k);
        CHECK_KERNEL();
        printf("reduction %d: %08x\n", k, hash(g, 1024));
    }
    for (int k = 0; k < 13; k++) {
        fill(8 + k);
        peer<<<2, 32>>>(g, in, k);
        CHECK_KERNEL();
        printf("to the other block %d: %08x\n", k, hash(g, 1024));
    }
    memset(o, 0, 8192);
    cast<<<4, 32>>>(in, o);
    CHECK_KERNEL();
    printf("to several blocks: %08x\n", hash(o, 8192));
    memset(o, 0, 8192);
    cp<<<1, 32>>>((unsigned *)in, (unsigned *)o);
    CHECK_KERNEL();
    printf("copies of threads: %08x\n", hash(o, 2048));
}
