// Products of matrices as libraries compute them on sm_90a: a warpgroup that loads tiles by copies of tensors into a
// ring of stages, and warpgroups that multiply them by wgmma. The two meet at mbarriers. Blocks are persistent,
// clusters share their tiles by multicast, and results leave by a copy or a reduction of a tensor. Each result is
// compared with that of the host.
#include "common.cuh"
#include <cmath>
#include <cstdint>
#include <cstring>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <vector>
typedef unsigned long long u64;

enum { PANEL = 64, LINE = 128, STEP = 32 }; // columns per panel; bytes per swizzled line; bytes of k per wgmma

// ---- mbarriers and copies ----

__device__ __forceinline__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void barrier_init(unsigned bar, unsigned count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(count));
}
__device__ __forceinline__ void barrier_expect(unsigned bar, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}
__device__ __forceinline__ void barrier_wait(unsigned bar, unsigned parity)
{
    asm volatile("{\n\t.reg .pred done;\n"
                 "again:\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
                 "@done bra through;\n\t"
                 "bra again;\n"
                 "through:\n\t}" ::"r"(bar),
                 "r"(parity)
                 : "memory");
}
// Arrives at the barrier at the same offset in another block of the cluster.
__device__ __forceinline__ void barrier_arrive_at(unsigned bar, unsigned rank)
{
    asm volatile("{\n\t.reg .b32 there;\n\t"
                 "mapa.shared::cluster.u32 there, %0, %1;\n\t"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n\t}" ::"r"(bar),
                 "r"(rank)
                 : "memory");
}
__device__ __forceinline__ void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}
__device__ __forceinline__ void load(unsigned to, const CUtensorMap *map, int x, int y, unsigned bar, u64 policy)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
                 "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(bar), "l"(policy)
                 : "memory");
}
__device__ __forceinline__ void load_all(unsigned to, const CUtensorMap *map, int x, int y, unsigned bar,
                                         unsigned short blocks, u64 policy)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
                 ".L2::cache_hint [%0], [%1, {%2, %3}], [%4], %5, %6;" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(bar), "h"(blocks), "l"(policy)
                 : "memory");
}
__device__ __forceinline__ void store(const CUtensorMap *map, int x, int y, unsigned from, u64 policy)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group.L2::cache_hint [%0, {%1, %2}], [%3], %4;" ::"l"(map),
        "r"(x), "r"(y), "r"(from), "l"(policy)
        : "memory");
}
__device__ __forceinline__ void add(const CUtensorMap *map, int x, int y, unsigned from, u64 policy)
{
    asm volatile(
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group.L2::cache_hint [%0, {%1, %2}], [%3], "
        "%4;" ::"l"(map),
        "r"(x), "r"(y), "r"(from), "l"(policy)
        : "memory");
}
__device__ __forceinline__ void prefetch(const CUtensorMap *map, int x, int y)
{
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global [%0, {%1, %2}];" ::"l"(map), "r"(x), "r"(y) : "memory");
}

// ---- wgmma ----

#define R8(i)                                                                                                   \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), \
        "+f"(d[i + 7])
#define R32(i) R8(i), R8(i + 8), R8(i + 16), R8(i + 24)
#define P32_0                                                                                                   \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, " \
    "%23, %24, %25, %26, %27, %28, %29, %30, %31"
#define P32_1                                                                                                   \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, " \
    "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define P32_2                                                                                                   \
    "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, " \
    "%85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define P32_3                                                                                                  \
    "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, " \
    "%114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define MULTIPLY(N, SHAPE, LIST, A, B, C, MORE, ...)                                                               \
    asm volatile("{\n\t.reg .pred adds;\n\tsetp.ne.b32 adds, " C ", 0;\n\t"                                        \
                 "wgmma.mma_async.sync.aligned.m64n" N SHAPE " {" LIST "}, " A ", " B ", adds, 1, 1" MORE ";\n\t}" \
                 : __VA_ARGS__                                                                                     \
                 : "l"(a), "l"(b), "r"(adds), "n"(TRANSPOSED))
// SHAPE: depth and types. MORE: whether a and b are transposed, which types of 16 bits alone can be.
#define MULTIPLY_ALL(SHAPE, MORE)                                                                                    \
    if constexpr (BN == 64)                                                                                          \
        MULTIPLY("64", SHAPE, P32_0, "%32", "%33", "%34", MORE("%35"), R32(0));                                      \
    else if constexpr (BN == 128)                                                                                    \
        MULTIPLY("128", SHAPE, P32_0 ", " P32_1, "%64", "%65", "%66", MORE("%67"), R32(0), R32(32));                 \
    else                                                                                                             \
        MULTIPLY("256", SHAPE, P32_0 ", " P32_1 ", " P32_2 ", " P32_3, "%128", "%129", "%130", MORE("%131"), R32(0), \
                 R32(32), R32(64), R32(96))
#define TURNS(T)    ", 0, " T
#define NO_TURNS(T) ""

template <typename T, int BN, int TRANSPOSED>
__device__ __forceinline__ void multiply(float (&d)[BN / 2], u64 a, u64 b, int adds)
{
    if constexpr (std::is_same<T, __half>::value) {
        MULTIPLY_ALL("k16.f32.f16.f16", TURNS);
    } else if constexpr (std::is_same<T, __nv_bfloat16>::value) {
        MULTIPLY_ALL("k16.f32.bf16.bf16", TURNS);
    } else if constexpr (std::is_same<T, float>::value) {
        MULTIPLY_ALL("k8.f32.tf32.tf32", NO_TURNS);
    } else {
        MULTIPLY_ALL("k32.f32.e4m3.e4m3", NO_TURNS);
    }
}

// Describes a matrix in shared memory with a swizzle of 128 bytes.
__device__ __forceinline__ u64 descriptor(unsigned address, unsigned leading, unsigned stride)
{
    return (address & 0x3ffff) >> 4 | (u64)(leading >> 4) << 16 | (u64)(stride >> 4) << 32 | (u64)1 << 62;
}

// ---- the kernel ----

// T: type of a and b. OUT: type of the result. A tile has BM rows and BN columns; CM times CN blocks are a cluster.
// With TRANSPOSED, b has k rows of n elements, otherwise n rows of k. The k of a tile is split among SPLITS blocks,
// whose sums are added in memory.
template <typename T_, typename OUT_, int BM_, int BN_, int STAGES_, int CM_, int CN_, int TRANSPOSED_, int SPLITS_>
struct Form {
    typedef T_ T;
    typedef OUT_ OUT;
    enum {
        BM = BM_,
        BN = BN_,
        STAGES = STAGES_,
        CM = CM_,
        CN = CN_,
        TRANSPOSED = TRANSPOSED_,
        SPLITS = SPLITS_,
        CONSUMERS = BM / 64,
        THREADS = 128 * (1 + CONSUMERS),
        DEPTH = LINE / (int)sizeof(T), // elements of k per stage
        A_BYTES = BM * LINE,
        B_BYTES = BN * LINE,
        STAGE_BYTES = A_BYTES + B_BYTES,
        OUT_COLUMNS = LINE / (int)sizeof(OUT), // columns of a panel of the result
        OUT_PANEL = 64 * LINE,                 // bytes of a panel of a warpgroup's 64 rows
        SHARED = 1024 + STAGES * STAGE_BYTES + BM * BN * (int)sizeof(OUT)
    };
};

struct Maps {
    CUtensorMap a, b, out;
};

struct Work {
    int rows, columns, splits; // tiles
    int steps;                 // stages of k, per tile
};

// Where a tile lies. The blocks of a cluster have neighbouring tiles.
template <class F>
__device__ __forceinline__ bool tile_of(const Work &w, int number, int rank, int &m, int &n, int &split)
{
    int columns = w.columns / F::CN, rows = w.rows / F::CM;
    if (number >= columns * rows * w.splits)
        return false;
    n = number % columns * F::CN + rank % F::CN;
    m = number / columns % rows * F::CM + rank / F::CN;
    split = number / columns / rows;
    return true;
}

template <class F>
__device__ __forceinline__ void produce(const Maps &maps, const Work &w, unsigned stages, unsigned full, unsigned empty,
                                        int rank)
{
    int m, n, split, round = 0;
    unsigned short same_row = ((1 << F::CN) - 1) << (rank / F::CN * F::CN), same_column = 0;
    for (int i = 0; i < F::CM; i++)
        same_column |= 1 << (i * F::CN + rank % F::CN);
    u64 keep, drop;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(keep));
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(drop));
    for (int number = blockIdx.x / (F::CM * F::CN); tile_of<F>(w, number, rank, m, n, split);
         number += gridDim.x / (F::CM * F::CN))
        for (int step = split; step < w.steps; step += w.splits, round++) {
            int stage = round % F::STAGES, k = step * F::DEPTH;
            unsigned a = stages + stage * F::STAGE_BYTES, b = a + F::A_BYTES, bar = full + 8 * stage;
            if (step + w.splits < w.steps)
                prefetch(&maps.a, k + w.splits * F::DEPTH, m * F::BM);
            barrier_wait(empty + 8 * stage, round / F::STAGES % 2 ^ 1);
            barrier_expect(bar, F::STAGE_BYTES);
            if (F::CN == 1) {
                load(a, &maps.a, k, m * F::BM, bar, drop);
            } else {
                int part = F::BM / F::CN, at = rank % F::CN * part;
                load_all(a + at * LINE, &maps.a, k, m * F::BM + at, bar, same_row, drop);
            }
            for (int i = 0; i < F::BN / PANEL; i++) {
                int x = F::TRANSPOSED ? n * F::BN + i * PANEL : k, y = F::TRANSPOSED ? k : n * F::BN + i * PANEL;
                if (F::CM == 1)
                    load(b + i * PANEL * LINE, &maps.b, x, y, bar, keep);
                else if (i % F::CM == rank / F::CN)
                    load_all(b + i * PANEL * LINE, &maps.b, x, y, bar, same_column, keep);
            }
        }
}

// Writes a warpgroup's 64 rows to shared memory, in panels of lines of 128 bytes that are swizzled.
template <class F> __device__ __forceinline__ void place(const float (&d)[F::BN / 2], unsigned out)
{
    int warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    if constexpr (sizeof(typename F::OUT) == 2) {
        for (int i = 0; i < F::BN / 16; i++) { // 16 columns: four matrices of eight by eight
            unsigned v[4];
            for (int j = 0; j < 4; j++) {
                float x = d[8 * i + 2 * j], y = d[8 * i + 2 * j + 1];
                if constexpr (std::is_same<typename F::OUT, __half>::value) {
                    __half2 h = __floats2half2_rn(x, y);
                    memcpy(&v[j], &h, 4);
                } else {
                    __nv_bfloat162 h = __floats2bfloat162_rn(x, y);
                    memcpy(&v[j], &h, 4);
                }
            }
            int row = warp * 16 + lane % 16, unit = (i * 2 + lane / 16) % 8;
            unsigned at = out + i / 4 * F::OUT_PANEL + row * LINE + ((unit ^ row % 8) << 4);
            asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(v[0]),
                         "r"(v[1]), "r"(v[2]), "r"(v[3])
                         : "memory");
        }
    } else {
        for (int i = 0; i < F::BN / 2; i += 2) {
            int row = warp * 16 + lane / 4 + i / 2 % 2 * 8, column = i / 4 * 8 + lane % 4 * 2;
            int unit = column % 32 / 4;
            unsigned at = out + column / 32 * F::OUT_PANEL + row * LINE + ((unit ^ row % 8) << 4) + column % 4 * 4;
            asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(at), "f"(d[i]), "f"(d[i + 1]) : "memory");
        }
    }
}

template <class F>
__device__ __forceinline__ void consume(const Maps &maps, const Work &w, unsigned stages, unsigned full, unsigned empty,
                                        int rank)
{
    int m, n, split, round = 0, group = threadIdx.x / 128 - 1, in_group = threadIdx.x % 128;
    unsigned out = stages + F::STAGES * F::STAGE_BYTES + group * 64 * F::BN * (int)sizeof(typename F::OUT);
    u64 drop;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(drop));
    for (int number = blockIdx.x / (F::CM * F::CN); tile_of<F>(w, number, rank, m, n, split);
         number += gridDim.x / (F::CM * F::CN)) {
        float d[F::BN / 2];
        for (int step = split; step < w.steps; step += w.splits, round++) {
            int stage = round % F::STAGES;
            unsigned a = stages + stage * F::STAGE_BYTES + group * 64 * LINE;
            unsigned b = stages + stage * F::STAGE_BYTES + F::A_BYTES;
            barrier_wait(full + 8 * stage, round / F::STAGES % 2);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
            for (int k = 0; k < LINE / STEP; k++) {
                u64 da = descriptor(a + k * STEP, 16, 1024);
                u64 db = F::TRANSPOSED ? descriptor(b + k * 16 * LINE, PANEL * LINE, 1024)
                                       : descriptor(b + k * STEP, 16, 1024);
                multiply<typename F::T, F::BN, F::TRANSPOSED>(d, da, db, k || step != split);
            }
            asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;" ::: "memory");
            // One thread for each block that loads for this one, which are those of its row and of its column.
            if (in_group < F::CM * F::CN && (in_group / F::CN == rank / F::CN || in_group % F::CN == rank % F::CN))
                barrier_arrive_at(empty + 8 * stage, in_group);
        }
        if (in_group == 0) // the last tile's copy has read its source
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
        place<F>(d, out);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
        if (in_group == 0) {
            for (int i = 0; i < F::BN / F::OUT_COLUMNS; i++) {
                int x = n * F::BN + i * F::OUT_COLUMNS, y = m * F::BM + group * 64;
                if (F::SPLITS > 1)
                    add(&maps.out, x, y, out + i * F::OUT_PANEL, drop);
                else
                    store(&maps.out, x, y, out + i * F::OUT_PANEL, drop);
            }
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
    }
    if (in_group == 0)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

template <class F>
__global__ void __launch_bounds__(F::THREADS, 1) gemm(const __grid_constant__ Maps maps, const Work w)
{
    extern __shared__ unsigned char memory[];
    __shared__ __align__(8) u64 full[F::STAGES], empty[F::STAGES];
    unsigned stages = (shared_address(memory) + 1023) & ~1023u, rank = 0;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        asm volatile("prefetch.tensormap [%0];" ::"l"(&maps.a) : "memory");
        asm volatile("prefetch.tensormap [%0];" ::"l"(&maps.b) : "memory");
        for (int i = 0; i < F::STAGES; i++) {
            barrier_init(shared_address(&full[i]), 1);
            barrier_init(shared_address(&empty[i]), F::CONSUMERS * (F::CM + F::CN - 1));
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    cluster_sync();
    if (threadIdx.x < 128) {
        if constexpr (F::CONSUMERS == 2)
            asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (threadIdx.x == 0)
            produce<F>(maps, w, stages, shared_address(full), shared_address(empty), (int)rank);
    } else {
        if constexpr (F::CONSUMERS == 2)
            asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
        consume<F>(maps, w, stages, shared_address(full), shared_address(empty), (int)rank);
    }
    cluster_sync(); // a block's barriers stay until the others have arrived at them
}

// ---- the host ----

static CUresult (*encode)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                          const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                          CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

template <typename T> static CUtensorMapDataType type_of()
{
    return sizeof(T) == 1                   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
           : std::is_same<T, __half>::value ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
           : std::is_same<T, float>::value  ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
                                            : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
}

template <typename T> static void make_map(CUtensorMap *map, T *at, u64 columns, u64 rows, u64 pitch, unsigned high)
{
    cuuint64_t size[] = {columns, rows}, stride[] = {pitch * sizeof(T)};
    cuuint32_t box[] = {LINE / (unsigned)sizeof(T), high}, step[] = {1, 1};
    CUresult r =
        encode(map, type_of<T>(), 2, at, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
               CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (r) {
        printf("cuTensorMapEncodeTiled: %d\n", (int)r);
        exit(2);
    }
}

template <typename T> static T number_of(float f);
template <> __half number_of(float f)
{
    return __float2half(f);
}
template <> __nv_bfloat16 number_of(float f)
{
    return __float2bfloat16(f);
}
template <> float number_of(float f)
{
    return f;
}
template <> __nv_fp8_e4m3 number_of(float f)
{
    return __nv_fp8_e4m3(f);
}
static float float_of(__nv_fp8_e4m3 h)
{
    return (float)h;
}
static float float_of(__half h)
{
    return __half2float(h);
}
static float float_of(__nv_bfloat16 h)
{
    return __bfloat162float(h);
}
static float float_of(float f)
{
    return f;
}

static int up(int n, int unit)
{
    return (n + unit - 1) / unit * unit;
}

// With `exact`, every sum is exact in f32, so that results equal those of the host.
template <class F> static void run(const char *name, int m, int n, int k, int blocks, bool exact)
{
    typedef typename F::T T;
    typedef typename F::OUT OUT;
    const int unit = 16 / sizeof(T); // elements; rows begin at multiples
    int pitch_a = up(k, unit), pitch_b = up(F::TRANSPOSED ? n : k, unit), rows_b = F::TRANSPOSED ? k : n,
        pitch = up(n, 8);
    T *a, *b;
    OUT *out;
    CHECK(cudaMallocManaged(&a, sizeof(T) * m * pitch_a));
    CHECK(cudaMallocManaged(&b, sizeof(T) * rows_b * pitch_b));
    CHECK(cudaMallocManaged(&out, sizeof(OUT) * m * pitch));
    numbers random(m + 7 * n + 31 * k);
    auto next = [&] {
        return exact ? (float)((int)random.below(33) - 16) / 8 : ldexpf((float)((int)random.below(2001) - 1000), -9);
    };
    for (int i = 0; i < m * pitch_a; i++)
        a[i] = number_of<T>(next());
    for (int i = 0; i < rows_b * pitch_b; i++)
        b[i] = number_of<T>(next());
    for (int i = 0; i < m * pitch; i++)
        out[i] = number_of<OUT>(F::SPLITS > 1 ? (float)(i % 5) : 77);
    Maps maps;
    make_map(&maps.a, a, k, m, pitch_a, F::BM / F::CN);
    make_map(&maps.b, b, F::TRANSPOSED ? n : k, rows_b, pitch_b, PANEL);
    make_map(&maps.out, out, n, m, pitch, 64);
    Work w = {up(m, F::BM * F::CM) / F::BM, up(n, F::BN * F::CN) / F::BN, F::SPLITS, up(k, F::DEPTH) / F::DEPTH};
    CHECK(cudaFuncSetAttribute(gemm<F>, cudaFuncAttributeMaxDynamicSharedMemorySize, F::SHARED));
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = F::CM * F::CN;
    attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(F::THREADS);
    config.dynamicSmemBytes = F::SHARED;
    config.attrs = attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, gemm<F>, (const Maps)maps, (const Work)w));
    CHECK_KERNEL();
    int wrong = 0, outside = 0;
    std::vector<OUT> inside;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < pitch; j++) {
            float old = F::SPLITS > 1 ? (float)((i * pitch + j) % 5) : 77, got = float_of(out[i * pitch + j]);
            if (j >= n) {
                outside += got != old;
                continue;
            }
            float sum = 0, size = 0;
            for (int l = 0; l < k; l++) {
                float x = float_of(a[i * pitch_a + l]),
                      y = float_of(b[F::TRANSPOSED ? l * pitch_b + j : j * pitch_b + l]);
                sum += x * y;
                size += fabsf(x * y);
            }
            sum += F::SPLITS > 1 ? old : 0;
            float want = float_of(number_of<OUT>(sum));
            wrong += exact ? got != want : fabsf(got - want) > size * 0.004f;
            inside.push_back(out[i * pitch + j]);
        }
    printf("%s, %d x %d x %d, %d blocks: %d wrong, %d changed outside, %08x\n", name, m, n, k, blocks, wrong, outside,
           fingerprint(inside.data(), inside.size() * sizeof(OUT)));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(out));
}

int main()
{
    typedef __half h;
    typedef __nv_bfloat16 b;
    typedef __nv_fp8_e4m3 f8;
    cudaDriverEntryPointQueryResult found;
    CHECK(
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, &found));
    fact("the driver encodes tensor maps", found == cudaDriverEntryPointSuccess);
    //        a,b out    tile     stages  cluster transposed splits
    run<Form<h, h, 128, 128, 4, 1, 1, 0, 1>>("f16 to f16, tile 128 x 128", 256, 256, 192, 3, true);
    run<Form<h, float, 128, 128, 3, 1, 1, 1, 1>>("f16 to f32, tile 128 x 128, b transposed", 200, 136, 136, 2, true);
    run<Form<b, b, 64, 64, 2, 1, 1, 0, 1>>("bf16 to bf16, tile 64 x 64", 100, 90, 200, 4, true);
    run<Form<b, float, 64, 256, 4, 1, 1, 1, 1>>("bf16 to f32, tile 64 x 256, b transposed", 64, 320, 328, 1, true);
    run<Form<h, h, 128, 256, 3, 1, 1, 0, 1>>("f16 to f16, tile 128 x 256", 130, 260, 72, 2, true);
    run<Form<h, float, 128, 64, 3, 1, 1, 0, 3>>("f16 to f32, k in three parts", 128, 128, 320, 4, true);
    run<Form<h, h, 128, 128, 3, 1, 2, 0, 1>>("f16 to f16, cluster 1 x 2", 256, 500, 192, 4, true);
    run<Form<b, float, 64, 128, 4, 2, 1, 1, 1>>("bf16 to f32, cluster 2 x 1", 250, 128, 520, 2, true);
    run<Form<b, b, 128, 128, 2, 2, 2, 0, 1>>("bf16 to bf16, cluster 2 x 2", 512, 256, 136, 4, true);
    run<Form<float, float, 128, 128, 3, 1, 1, 0, 1>>("tf32 to f32, tile 128 x 128", 150, 140, 100, 2, true);
    run<Form<f8, h, 64, 128, 3, 1, 2, 0, 1>>("e4m3 to f16, cluster 1 x 2", 100, 250, 400, 4, true);
    run<Form<h, float, 128, 128, 4, 1, 2, 0, 1>>("f16 to f32, any numbers", 128, 256, 448, 2, false);
    run<Form<b, float, 64, 256, 3, 1, 1, 0, 1>>("bf16 to f32, any numbers", 64, 256, 384, 1, false);
    run<Form<f8, float, 64, 64, 4, 1, 1, 0, 1>>("e4m3 to f32, any numbers", 64, 128, 512, 1, false);
}
