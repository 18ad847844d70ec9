// Copies of tensors: tiles of one to five dimensions, swizzles, steps, elements outside the tensor, reductions,
// im2col. What is left in memory is printed as one number per copy.
#include "common.cuh"
#include <cstdint>
#include <cstring>
#include <cuda.h>
#include <cuda_fp16.h>
typedef unsigned long long u64;
struct Args {
    int rank;
    int c[5];
    int bytes;
    int store;
    int op;
    int im2col;
    unsigned short off[3];
};
__device__ __forceinline__ unsigned sa(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}
__device__ void wait0(unsigned bar, unsigned par)
{
    unsigned ok = 0;
    while (!ok)
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0,1,0,p;}"
                     : "=r"(ok)
                     : "r"(bar), "r"(par)
                     : "memory");
}
#define LD(D, C, ...)                                                                                              \
    asm volatile("cp.async.bulk.tensor." #D                                                                        \
                 "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" C "}], [%2];" ::"r"(s), \
                 "l"(m), "r"(b), __VA_ARGS__                                                                       \
                 : "memory")
#define ST(D, C, ...)                                                                                             \
    asm volatile("cp.async.bulk.tensor." #D "d.global.shared::cta.tile.bulk_group [%1, {" C "}], [%0];" ::"r"(s), \
                 "l"(m), __VA_ARGS__                                                                              \
                 : "memory")
#define RD(D, OP, C, ...)                                                                                  \
    asm volatile("cp.reduce.async.bulk.tensor." #D "d.global.shared::cta." #OP ".tile.bulk_group [%1, {" C \
                 "}], [%0];" ::"r"(s),                                                                     \
                 "l"(m), __VA_ARGS__                                                                       \
                 : "memory")
#define I(k) "r"(a.c[k])
extern __shared__ __align__(1024) unsigned char sm[];
__global__ void run(const __grid_constant__ CUtensorMap map, Args a, unsigned char *out)
{
    __shared__ __align__(8) u64 bar;
    unsigned s = sa(sm), b = sa(&bar);
    const CUtensorMap *m = &map;
    for (int i = threadIdx.x; i < 8192; i += blockDim.x)
        sm[i] = a.store ? (unsigned char)(i * 7 + (i >> 8) + 3) : 0xcd;
    __syncthreads();
    if (a.store == 2)
        for (int i = threadIdx.x; i < 2048; i += blockDim.x)
            ((unsigned *)sm)[i] = i % 5 ? i * 3 : 0xfffffff0u + i % 16;
    if (a.store == 3)
        for (int i = threadIdx.x; i < 4096; i += blockDim.x)
            ((__half *)sm)[i] = __float2half((float)(i % 77) * 0.25f - 3.0f);
    if (a.store == 4)
        for (int i = threadIdx.x; i < 2048; i += blockDim.x)
            ((float *)sm)[i] = (float)(i % 77) * 0.3f - 3.0f;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b));
        asm volatile("fence.mbarrier_init.release.cluster;");
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (!a.store) {
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(a.bytes) : "memory");
            if (a.im2col) {
                if (a.rank == 3)
                    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                                 "[%0], [%1, {%3,%4,%5}], [%2], {%6};" ::"r"(s),
                                 "l"(m), "r"(b), I(0), I(1), I(2), "h"(a.off[0])
                                 : "memory");
                if (a.rank == 4)
                    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                                 "[%0], [%1, {%3,%4,%5,%6}], [%2], {%7,%8};" ::"r"(s),
                                 "l"(m), "r"(b), I(0), I(1), I(2), I(3), "h"(a.off[0]), "h"(a.off[1])
                                 : "memory");
                if (a.rank == 5)
                    asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                                 "[%0], [%1, {%3,%4,%5,%6,%7}], [%2], {%8,%9,%10};" ::"r"(s),
                                 "l"(m), "r"(b), I(0), I(1), I(2), I(3), I(4), "h"(a.off[0]), "h"(a.off[1]),
                                 "h"(a.off[2])
                                 : "memory");
            } else
                switch (a.rank) {
                case 1:
                    LD(1, "%3", I(0));
                    break;
                case 2:
                    LD(2, "%3,%4", I(0), I(1));
                    break;
                case 3:
                    LD(3, "%3,%4,%5", I(0), I(1), I(2));
                    break;
                case 4:
                    LD(4, "%3,%4,%5,%6", I(0), I(1), I(2), I(3));
                    break;
                case 5:
                    LD(5, "%3,%4,%5,%6,%7", I(0), I(1), I(2), I(3), I(4));
                    break;
                }
        }
        wait0(b, 0);
    } else if (threadIdx.x == 0) {
        if (a.im2col)
            asm volatile(
                "cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group [%1, {%2,%3,%4,%5}], [%0];" ::"r"(
                    s),
                "l"(m), I(0), I(1), I(2), I(3)
                : "memory");
        else if (a.op == 0)
            switch (a.rank) {
            case 1:
                ST(1, "%2", I(0));
                break;
            case 2:
                ST(2, "%2,%3", I(0), I(1));
                break;
            case 3:
                ST(3, "%2,%3,%4", I(0), I(1), I(2));
                break;
            case 4:
                ST(4, "%2,%3,%4,%5", I(0), I(1), I(2), I(3));
                break;
            case 5:
                ST(5, "%2,%3,%4,%5,%6", I(0), I(1), I(2), I(3), I(4));
                break;
            }
        else
            switch (a.op) {
            case 1:
                RD(2, add, "%2,%3", I(0), I(1));
                break;
            case 2:
                RD(2, min, "%2,%3", I(0), I(1));
                break;
            case 3:
                RD(2, max, "%2,%3", I(0), I(1));
                break;
            case 4:
                RD(2, inc, "%2,%3", I(0), I(1));
                break;
            case 5:
                RD(2, dec, "%2,%3", I(0), I(1));
                break;
            case 6:
                RD(2, and, "%2,%3", I(0), I(1));
                break;
            case 7:
                RD(2, or, "%2,%3", I(0), I(1));
                break;
            case 8:
                RD(2, xor, "%2,%3", I(0), I(1));
                break;
            }
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 8192; i += blockDim.x)
        out[i] = sm[i];
}
static unsigned char *g, *o;
static CUresult (*enc)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *,
                       const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                       CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
static CUresult (*enci)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *,
                        const int *, const int *, cuuint32_t, cuuint32_t, const cuuint32_t *, CUtensorMapInterleave,
                        CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
static const int G = 1 << 19;
static int number;
static void fill(int kind)
{
    for (int i = 0; i < G; i++)
        g[i] = (unsigned char)((i * 2654435761u) >> 11);
    if (kind == 2)
        for (int i = 0; i < G / 4; i++)
            ((unsigned *)g)[i] = i % 7 ? i * 11 : 0xfffffff8u;
    if (kind == 3)
        for (int i = 0; i < G / 2; i++)
            ((__half *)g)[i] = __float2half((float)(i % 101) * 0.5f - 9.0f);
    if (kind == 4)
        for (int i = 0; i < G / 4; i++)
            ((float *)g)[i] = (float)(i % 101) * 0.7f - 9.0f;
}
static unsigned hash(const unsigned char *p, int n)
{
    unsigned h = 2166136261u;
    for (int i = 0; i < n; i++)
        h = (h ^ p[i]) * 16777619u;
    return h;
}
static int sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
static void show(const char *name, int show_global)
{
    CHECK_KERNEL();
    printf("%d %s: %08x", number, name, hash(o, 8192));
    if (show_global)
        printf(" global %08x", hash(g, G));
    printf("\n");
}
static void tile(const char *name, int type, int rank, const u64 *dim, const u64 *stride, const unsigned *box,
                 const unsigned *step, int inter, int swz, int oob, const int *c, int store, int op)
{
    CUtensorMap m;
    cuuint64_t d[5], st[4];
    cuuint32_t bx[5], es[5];
    int n = inter ? 16 * inter : sizes[type];
    char label[200];
    for (int i = 0; i < rank; i++) {
        d[i] = dim[i];
        bx[i] = box[i];
        es[i] = step ? step[i] : 1;
        // Of an interleaved tensor, the first dimension counts slices of channels, and one slice is copied.
        if (!inter || i != rank - 2)
            n *= i || inter ? (box[i] + es[i] - 1) / es[i] : box[i];
        if (i < rank - 1)
            st[i] = stride[i];
    }
    number++;
    for (int i = 0; store && i < rank; i++)
        if (c[i] < 0)
            return;
    fill(store);
    if (type >= 10 && rank == 1)
        for (int i = 0; i < 1000; i++) {
            static const unsigned v[] = {0x3f801000, 0x3f800fff, 0x3f801001, 0x3f803000, 0x7f7fffff, 0xff7ff000,
                                         0x7f800001, 0x7fc01234, 0xffffffff, 0x00000fff, 0x00001000, 0x007fffff,
                                         0x807ff000, 0x80000001, 0x7f800000, 0xff800000, 0x00800fff, 0x3f802fff};
            ((unsigned *)g)[i] = v[i % 18] + (i / 18) * 0x800;
        }
    memset(o, 0, 8192);
    CUresult r = enc(&m, (CUtensorMapDataType)type, rank, g, d, st, bx, es, (CUtensorMapInterleave)inter,
                     (CUtensorMapSwizzle)swz, CU_TENSOR_MAP_L2_PROMOTION_NONE, (CUtensorMapFloatOOBfill)oob);
    Args a = {};
    a.rank = rank;
    a.bytes = n;
    a.store = store;
    a.op = op;
    for (int i = 0; i < rank; i++)
        a.c[i] = c[i];
    snprintf(label, 200, "%s t%d r%d i%d s%d o%d at %d,%d st%d op%d enc %d bytes %d", name, type, rank, inter, swz, oob,
             c[0], rank > 1 ? c[1] : 0, store, op, (int)r, n);
    if (r || n > 8192) {
        printf("%s\n", label);
        return;
    }
    run<<<1, 128, 8192>>>(m, a, o);
    show(label, store);
}
// Slices of 16 and of 32 bytes: tiles over every edge, steps, swizzles and types.
static void interleaved()
{
    u64 s[] = {512, 4096, 20480, 102400};
    for (int inter = 1; inter < 3; inter++)
        for (int rank = 3; rank <= 5; rank++) {
            u64 d[] = {11, 7, 5, 2, 3};
            unsigned b[] = {8, 3, 2, 2, 2}, es[] = {3, 2, 1, 1, 2};
            int c[5] = {1, 1, 1, 1, 1};
            d[rank - 2] = 5;
            for (int swz = 0; swz < 4; swz++) {
                tile("slices", 1, rank, d, s, b, 0, inter, swz, 0, c, 0, 0);
                tile("slices", 6, rank, d, s, b, es, inter, swz, 1, c, 0, 0);
                tile("slices", 2, rank, d, s, b, es, inter, swz, 0, c, 1, 0);
            }
            for (int k = 0; k < 2 * rank; k++) {
                int edge[5] = {1, 1, 1, 1, 1};
                edge[k / 2] = k % 2 ? (int)d[k / 2] - 1 : -1;
                tile("slices", 7, rank, d, s, b, 0, inter, 1, 1, edge, 0, 0);
                tile("slices", 1, rank, d, s, b, 0, inter, 1, 0, edge, 1, 0);
            }
        }
    for (int t = 0; t < 13; t++) {
        u64 d[] = {11, 7, 5};
        unsigned b[] = {16 / (unsigned)sizes[t], 3, 2};
        int c[] = {9, 1, 2};
        tile("slices", t, 3, d, s, b, 0, 1, 0, t >= 6, c, 0, 0);
        tile("slices", t, 3, d, s, b, 0, 2, 1, 0, c, 0, 0);
    }
}
// Pixels of channels. The box of pixels is in the dimensions between the first and the last; of an interleaved tensor,
// in all but the last two.
static void im2col(int rank, int inter, int swz, int k, int es1)
{
    cuuint64_t plain[] = {32, 9, 7, 5, 3}, sliced[] = {9, 5, 4, 3, 3}, s[4], *d = inter ? sliced : plain;
    int spatial = inter ? 0 : 1;
    s[0] = inter ? 320 : 64;
    for (int i = 1; i < 4; i++)
        s[i] = s[i - 1] * d[i];
    if (rank < 5)
        d[rank - 1] = 3;
    int lo[] = {-1, -1, -1}, hi[] = {-1, -1, -1};
    if (k & 1) {
        lo[0] = 0;
        hi[0] = -2;
        lo[1] = 1;
        hi[1] = 0;
    }
    cuuint32_t es[] = {inter ? (cuuint32_t)es1 : 1, (cuuint32_t)es1, (cuuint32_t)es1, (cuuint32_t)es1, 1};
    if (rank < 5)
        es[rank - 1] = 1;
    number++;
    CUtensorMap m;
    fill(0);
    memset(o, 0, 8192);
    unsigned px = k < 3 ? 16 : 40, ch = 16;
    CUresult r =
        enci(&m, CU_TENSOR_MAP_DATA_TYPE_UINT16, rank, g, d, s, lo, hi, ch, px, es, (CUtensorMapInterleave)inter,
             (CUtensorMapSwizzle)swz, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    Args a = {};
    bool below = false;
    a.rank = rank;
    a.bytes = px * (inter ? inter * 16 : ch * 2);
    a.im2col = 1;
    if (inter)
        a.c[rank - 2] = k & 1;
    else
        a.c[0] = k == 2 ? 24 : 8;
    for (int i = 0; i < rank - 2; i++) {
        a.c[spatial + i] = lo[i] + (k * (i + 1)) % 3;
        below |= lo[i] < 0;
    }
    a.c[rank - 1] = k % 3;
    a.off[0] = k % 3;
    a.off[1] = (k + 1) % 3;
    a.off[2] = k & 1;
    char label[200];
    snprintf(label, 200, "im2col r%d i%d s%d k%d es%d enc %d", rank, inter, swz, k, es1, (int)r);
    if (r) {
        printf("%s\n", label);
        return;
    }
    run<<<1, 128, 8192>>>(m, a, o);
    show(label, 0);
    if (rank == 4 && !below) {
        a.store = 1;
        run<<<1, 128, 8192>>>(m, a, o);
        show("im2col store", 1);
    }
}

int main()
{
    CHECK(cudaMallocManaged(&g, G));
    CHECK(cudaMallocManaged(&o, 8192));
    cudaDriverEntryPointQueryResult q;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&enc, 12000, cudaEnableDefault, &q);
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", (void **)&enci, 12000, cudaEnableDefault, &q);
    {
        u64 d[] = {1000};
        unsigned b[] = {64};
        int c0[] = {0}, c1[] = {976}, c2[] = {-16};
        for (int t = 0; t < 13; t++) {
            tile("1d", t, 1, d, 0, b, 0, 0, 0, 0, c0, 0, 0);
            tile("1d", t, 1, d, 0, b, 0, 0, 0, t >= 6, c1, 0, 0);
            tile("1d", t, 1, d, 0, b, 0, 0, 0, 0, c2, 0, 0);
        }
    }
    {
        u64 d[] = {100, 60}, s[] = {416};
        unsigned b[] = {16, 8};
        int c[][2] = {{0, 0}, {4, 3}, {92, 55}, {-4, -2}, {96, 59}, {200, 3}};
        for (int k = 0; k < 6; k++) {
            tile("2d", 7, 2, d, s, b, 0, 0, 0, 1, c[k], 0, 0);
            tile("2d", 2, 2, d, s, b, 0, 0, 0, 0, c[k], 0, 0);
            tile("2d", 2, 2, d, s, b, 0, 0, 0, 0, c[k], 1, 0);
        }
    }
    for (int swz = 0; swz < 4; swz++) {
        u64 d[] = {128, 64}, s[] = {512};
        unsigned inner[] = {32, 8, 16, 32};
        unsigned b[] = {inner[swz], 32};
        int c[] = {4, 7};
        tile("swizzle", 2, 2, d, s, b, 0, 0, swz, 0, c, 0, 0);
        tile("swizzle", 2, 2, d, s, b, 0, 0, swz, 0, c, 1, 0);
        unsigned b2[] = {inner[swz] / 2, 13};
        tile("swizzle half", 2, 2, d, s, b2, 0, 0, swz, 0, c, 0, 0);
        unsigned b3[] = {4, 3};
        tile("swizzle small", 2, 2, d, s, b3, 0, 0, swz, 0, c, 0, 0);
        tile("swizzle small", 2, 2, d, s, b3, 0, 0, swz, 0, c, 1, 0);
        unsigned b4[] = {inner[swz] / 2, 3, 3};
        u64 d4[] = {128, 8, 8}, s4[] = {512, 4096};
        int c4[] = {8, 2, 3};
        tile("swizzle 3d", 2, 3, d4, s4, b4, 0, 0, swz, 0, c4, 0, 0);
    }
    {
        u64 d[] = {40, 20, 10, 6, 4}, s[] = {80, 1600, 16000, 96000};
        unsigned b[] = {8, 3, 2, 2, 2};
        int c[][5] = {{0, 0, 0, 0, 0}, {8, 1, 2, 3, 1}, {32, 18, 9, 5, 3}, {-8, -1, -1, -1, -1}, {40, 0, 0, 0, 0}};
        for (int k = 0; k < 5; k++)
            for (int r = 3; r <= 5; r++) {
                tile("nd", 1, r, d, s, b, 0, 0, 0, 0, c[k], 0, 0);
                tile("nd", 6, r, d, s, b, 0, 0, 0, 1, c[k], 0, 0);
                tile("nd", 1, r, d, s, b, 0, 0, 0, 0, c[k], 1, 0);
            }
    }
    {
        u64 d[] = {100, 60, 20}, s[] = {416, 24960 / 2};
        unsigned b[] = {16, 8, 4};
        unsigned es[][3] = {{2, 1, 1}, {1, 2, 1}, {1, 3, 2}, {2, 2, 2}, {4, 3, 1}, {1, 8, 1}};
        int c[][3] = {{0, 0, 0}, {4, 7, 3}, {92, 55, 17}, {-4, -3, -1}};
        for (int k = 0; k < 6; k++)
            for (int j = 0; j < 4; j++) {
                tile("step", 2, 2, d, s, b, es[k], 0, 0, 0, c[j], 0, 0);
                tile("step", 2, 3, d, s, b, es[k], 0, 0, 0, c[j], 0, 0);
                tile("step", 2, 2, d, s, b, es[k], 0, 0, 0, c[j], 1, 0);
            }
    }
    {
        u64 d[] = {100, 60}, s[] = {416};
        unsigned b[] = {16, 8};
        int c[][2] = {{0, 0}, {96, 57}};
        for (int k = 0; k < 2; k++)
            for (int op = 1; op <= 8; op++) {
                tile("reduce u32", 2, 2, d, s, b, 0, 0, 0, 0, c[k], 2, op);
                if (op < 4 || op > 5)
                    tile("reduce s32", 3, 2, d, s, b, 0, 0, 0, 0, c[k], 2, op);
                u64 s8[] = {816};
                if (op < 4 || op > 5) {
                    tile("reduce u64", 4, 2, d, s8, b, 0, 0, 0, 0, c[k], 2, op);
                    if (op == 2 || op == 3)
                        tile("reduce s64", 5, 2, d, s8, b, 0, 0, 0, 0, c[k], 2, op);
                }
                if (op < 4) {
                    u64 s2[] = {208};
                    tile("reduce f16", 6, 2, d, s2, b, 0, 0, 0, 0, c[k], 3, op);
                    tile("reduce bf16", 9, 2, d, s2, b, 0, 0, 0, 0, c[k], 3, op);
                }
                if (op == 1) {
                    tile("reduce f32", 7, 2, d, s, b, 0, 0, 0, 0, c[k], 4, op);
                    tile("reduce f64", 8, 2, d, s8, b, 0, 0, 0, 0, c[k], 2, op);
                }
            }
    }
    // Stores and reductions write whole units of 16 bytes, even if the tensor ends in the middle of one.
    for (int t = 0; t < 13; t++) {
        u64 d[] = {37, 9}, s[] = {320};
        unsigned b[] = {64 / (unsigned)sizes[t], 4};
        for (int x = 0; x < 3; x++) {
            int c[] = {x * 32 / sizes[t], 7};
            tile("end", t, 2, d, s, b, 0, 0, 0, 0, c, 1, 0);
            tile("end", t, 2, d, s, b, 0, 0, 0, t >= 6, c, 0, 0);
        }
    }
    interleaved();
    for (int inter = 0; inter < 3; inter++)
        for (int rank = 3; rank <= 5; rank++)
            for (int swz = 0; swz < 4; swz += 3)
                for (int k = 0; k < 6; k++)
                    for (int es1 = 1; es1 < 3; es1++)
                        im2col(rank, inter, swz, k, es1);
}
