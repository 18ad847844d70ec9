// Tensor maps that a kernel changes: tensormap.replace of every field, in shared memory with tensormap.cp_fenceproxy,
// and in global memory. A tile that is copied with the changed map equals that of a map which the driver made so.
#include "common.cuh"
#include <cstring>
#include <cuda.h>
typedef unsigned long long u64;

enum field { ADDRESS, RANK, BOX, SIZE, STRIDE, STEP, TYPE, INTERLEAVE, SWIZZLE, FILL };
enum { TILE = 8192, TENSOR = 1 << 20 };

struct Edit {
    field what;
    int index;
    u64 value;
};
struct Edits {
    int count;
    Edit edit[32];
};
struct Copy {
    int rank, bytes, at[5];
};

__device__ __forceinline__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

#define REPLACE(FIELD, TYPE, ...)                                                                           \
    do {                                                                                                    \
        if (in_shared)                                                                                      \
            asm volatile("tensormap.replace.tile." FIELD ".shared::cta.b1024." TYPE " [%0], " __VA_ARGS__); \
        else                                                                                                \
            asm volatile("tensormap.replace.tile." FIELD ".global.b1024." TYPE " [%0], " __VA_ARGS__);      \
    } while (0)
#define WORD(FIELD) REPLACE(FIELD, "b32", "%1;" ::"l"(at), "r"((unsigned)e.value) : "memory")
#define CODE(FIELD, N)                                      \
    case N:                                                 \
        REPLACE(FIELD, "b32", #N ";" ::"l"(at) : "memory"); \
        break
#define AT(FIELD, N)                                                                    \
    case N:                                                                             \
        REPLACE(FIELD, "b32", #N ", %1;" ::"l"(at), "r"((unsigned)e.value) : "memory"); \
        break
#define FIVE(FIELD)    \
    switch (e.index) { \
        AT(FIELD, 0);  \
        AT(FIELD, 1);  \
        AT(FIELD, 2);  \
        AT(FIELD, 3);  \
        AT(FIELD, 4);  \
    }
#define LONG_AT(N)                                                                      \
    case N:                                                                             \
        REPLACE("global_stride", "b64", #N ", %1;" ::"l"(at), "l"(e.value) : "memory"); \
        break

// Changes one field of the map at `at`, an address in shared or in global memory.
__device__ void replace(const Edit &e, u64 at, bool in_shared)
{
    switch (e.what) {
    case ADDRESS:
        REPLACE("global_address", "b64", "%1;" ::"l"(at), "l"(e.value) : "memory");
        break;
    case RANK:
        WORD("rank");
        break;
    case BOX:
        FIVE("box_dim");
        break;
    case SIZE:
        FIVE("global_dim");
        break;
    case STEP:
        FIVE("element_stride");
        break;
    case STRIDE:
        switch (e.index) {
            LONG_AT(0);
            LONG_AT(1);
            LONG_AT(2);
            LONG_AT(3);
        }
        break;
    case TYPE:
        switch ((int)e.value) {
            CODE("elemtype", 0);
            CODE("elemtype", 1);
            CODE("elemtype", 2);
            CODE("elemtype", 3);
            CODE("elemtype", 4);
            CODE("elemtype", 5);
            CODE("elemtype", 6);
            CODE("elemtype", 7);
            CODE("elemtype", 8);
            CODE("elemtype", 9);
            CODE("elemtype", 10);
            CODE("elemtype", 11);
            CODE("elemtype", 12);
        }
        break;
    case INTERLEAVE:
        switch ((int)e.value) {
            CODE("interleave_layout", 0);
            CODE("interleave_layout", 1);
            CODE("interleave_layout", 2);
        }
        break;
    case SWIZZLE:
        switch ((int)e.value) {
            CODE("swizzle_mode", 0);
            CODE("swizzle_mode", 1);
            CODE("swizzle_mode", 2);
            CODE("swizzle_mode", 3);
        }
        break;
    case FILL:
        switch ((int)e.value) {
            CODE("fill_mode", 0);
            CODE("fill_mode", 1);
        }
        break;
    }
}

#define LOAD(D, C, ...)                                                                      \
    asm volatile("cp.async.bulk.tensor." #D                                                  \
                 "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" C \
                 "}], [%2];" ::"r"(shared_address(tile)),                                    \
                 "l"(map), "r"(shared_address(&bar)), __VA_ARGS__                            \
                 : "memory")

// One warp. Changes the map, if there is something to change, and copies a tile with it.
__global__ void run(const __grid_constant__ CUtensorMap original, CUtensorMap *workspace, Edits edits, bool in_shared,
                    Copy copy, unsigned char *out)
{
    __shared__ __align__(1024) unsigned char tile[TILE];
    __shared__ __align__(128) CUtensorMap mine;
    __shared__ __align__(8) u64 bar;
    for (int i = threadIdx.x; i < TILE; i += 32)
        tile[i] = 0xcd;
    ((int *)&mine)[threadIdx.x] = ((const int *)&original)[threadIdx.x];
    if (!in_shared)
        ((int *)workspace)[threadIdx.x] = ((const int *)&original)[threadIdx.x];
    __syncwarp();
    if (threadIdx.x == 0)
        for (int i = 0; i < edits.count; i++)
            replace(edits.edit[i], in_shared ? shared_address(&mine) : (u64)workspace, in_shared);
    __syncwarp();
    if (in_shared)
        asm volatile(
            "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], "
            "128;" ::"l"(workspace),
            "r"(shared_address(&mine))
            : "memory");
    else
        asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(workspace) : "memory");
    if (threadIdx.x == 0) {
        const CUtensorMap *map = workspace;
        unsigned done = 0;
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\tfence.proxy.async;" ::"r"(shared_address(&bar))
                     : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&bar)),
                     "r"(copy.bytes)
                     : "memory");
        if (copy.rank == 1)
            LOAD(1, "%3", "r"(copy.at[0]));
        else if (copy.rank == 2)
            LOAD(2, "%3, %4", "r"(copy.at[0]), "r"(copy.at[1]));
        else if (copy.rank == 3)
            LOAD(3, "%3, %4, %5", "r"(copy.at[0]), "r"(copy.at[1]), "r"(copy.at[2]));
        else if (copy.rank == 4)
            LOAD(4, "%3, %4, %5, %6", "r"(copy.at[0]), "r"(copy.at[1]), "r"(copy.at[2]), "r"(copy.at[3]));
        else
            LOAD(5, "%3, %4, %5, %6, %7", "r"(copy.at[0]), "r"(copy.at[1]), "r"(copy.at[2]), "r"(copy.at[3]),
                 "r"(copy.at[4]));
        for (int i = 0; i < 1000000 && !done; i++)
            asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
                         : "=r"(done)
                         : "r"(shared_address(&bar))
                         : "memory");
        if (!done)
            tile[0] = 0xee;
    }
    __syncwarp();
    for (int i = threadIdx.x; i < TILE; i += 32)
        out[i] = tile[i];
}

static CUresult (*encode)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                          const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                          CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
static unsigned char *tensor, *out;
static CUtensorMap *workspace;

// What a program says about a tensor.
struct Form {
    int type, rank;
    u64 offset;
    u64 size[5], stride[4];
    int box[5], step[5], interleave, swizzle, fill;
};

static CUtensorMap make(const Form &f)
{
    CUtensorMap map;
    cuuint64_t size[5], stride[4];
    cuuint32_t box[5], step[5];
    for (int d = 0; d < 5; d++) {
        size[d] = f.size[d];
        box[d] = f.box[d];
        step[d] = f.step[d];
        if (d < 4)
            stride[d] = f.stride[d];
    }
    CUresult r = encode(&map, (CUtensorMapDataType)f.type, f.rank, tensor + f.offset, size, stride, box, step,
                        (CUtensorMapInterleave)f.interleave, (CUtensorMapSwizzle)f.swizzle,
                        CU_TENSOR_MAP_L2_PROMOTION_NONE, (CUtensorMapFloatOOBfill)f.fill);
    if (r) {
        printf("cuTensorMapEncodeTiled: %d\n", (int)r);
        exit(2);
    }
    return map;
}

static int bytes_of(const Form &f)
{
    static const int bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    int n = f.interleave ? 16 * f.interleave : bytes[f.type];
    for (int d = 0; d < f.rank; d++)
        if (!f.interleave || d != f.rank - 2) // of slices of channels, one is copied
            n *= d ? (f.box[d] + f.step[d] - 1) / f.step[d] : f.box[d];
    return n;
}

// The number that PTX gives the driver's type.
static int code_of(int type)
{
    static const int code[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8, 11, 12};
    return code[type];
}

// The edits that make one form of the other.
static Edits between(const Form &a, const Form &b)
{
    Edits e = {};
    auto put = [&](field what, int index, u64 value) { e.edit[e.count++] = {what, index, value}; };
    if (a.offset != b.offset)
        put(ADDRESS, 0, (u64)(tensor + b.offset));
    if (a.rank != b.rank)
        put(RANK, 0, b.rank - 1);
    for (int d = 0; d < 5; d++) {
        bool is_new = d >= a.rank && d < b.rank; // what the driver left out of the map
        if (is_new || a.box[d] != b.box[d])
            put(BOX, d, b.box[d]);
        if (is_new || a.size[d] != b.size[d])
            put(SIZE, d, b.size[d]);
        if (is_new || a.step[d] != b.step[d])
            put(STEP, d, b.step[d]);
        if (d < 4 && ((d + 1 >= a.rank && d + 1 < b.rank) || a.stride[d] != b.stride[d]))
            put(STRIDE, d, b.stride[d]);
    }
    if (a.type != b.type)
        put(TYPE, 0, code_of(b.type));
    if (a.interleave != b.interleave)
        put(INTERLEAVE, 0, b.interleave);
    if (a.swizzle != b.swizzle)
        put(SWIZZLE, 0, b.swizzle);
    if (a.fill != b.fill)
        put(FILL, 0, b.fill);
    return e;
}

static unsigned copy(const Form &f, const CUtensorMap &map, const Edits &edits, bool in_shared, const int *at)
{
    Copy c = {f.rank, bytes_of(f), {at[0], at[1], at[2], at[3], at[4]}};
    memset(out, 0, TILE);
    run<<<1, 32>>>(map, workspace, edits, in_shared, c, out);
    CHECK_KERNEL();
    return fingerprint(out, TILE);
}

static void compare(const char *what, const Form &a, const Form &b, int x, int y)
{
    int at[5] = {x, y, 1, 0, 1};
    Edits edits = between(a, b), none = {};
    unsigned whole = copy(b, make(b), none, true, at);
    bool shared = copy(b, make(a), edits, true, at) == whole, global = copy(b, make(a), edits, false, at) == whole;
    printf("%s: %d fields, %08x, shared %s, global %s\n", what, edits.count, whole, shared ? "equal" : "DIFFERENT",
           global ? "equal" : "DIFFERENT");
}

int main()
{
    CHECK(cudaMallocManaged(&tensor, TENSOR));
    CHECK(cudaMallocManaged(&out, TILE));
    CHECK(cudaMallocManaged(&workspace, sizeof(CUtensorMap)));
    cudaDriverEntryPointQueryResult found;
    CHECK(
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, &found));
    numbers random(5);
    for (int i = 0; i < TENSOR; i++)
        tensor[i] = (unsigned char)random.next();
    const Form plain = {2, 2, 0, {100, 60, 5, 4, 3}, {416, 24960, 74880, 74880}, {16, 8, 2, 2, 2}, {1, 1, 1, 1, 1},
                        0, 0, 0};
    Form f = plain;
    f.offset = 4096;
    compare("address", plain, f, 4, 3);
    f = plain;
    f.box[0] = 8;
    f.box[1] = 13;
    compare("box", plain, f, 4, 3);
    f = plain;
    f.size[0] = 14;
    f.size[1] = 6;
    compare("size", plain, f, 8, 2);
    f = plain;
    f.stride[0] = 464;
    compare("stride", plain, f, 4, 3);
    f = plain;
    f.step[1] = 3;
    compare("step", plain, f, 4, 3);
    for (int rank = 1; rank <= 5; rank++) {
        f = plain;
        f.rank = rank;
        compare("rank", plain, f, 4, 1);
        compare("rank back", f, plain, 4, 1);
    }
    Form deep = plain;
    deep.rank = 4;
    f = deep;
    f.stride[1] = 12480;
    f.stride[2] = 1664;
    f.size[2] = 2;
    f.step[2] = 2;
    f.box[3] = 3;
    compare("outer dimensions", deep, f, 8, 5);
    for (int swizzle = 1; swizzle < 4; swizzle++) {
        f = plain;
        f.swizzle = swizzle;
        f.box[0] = 4 << swizzle;
        compare("swizzle", plain, f, 4, 3);
        compare("no swizzle", f, plain, 4, 3);
    }
    for (int type = 0; type < 13; type++) {
        f = plain;
        f.type = type;
        compare("type", plain, f, 16, 5);
        if (type < 11) // an H200 takes no other type for a map that the driver made of tf32
            compare("type back", f, plain, 16, 5);
    }
    for (int interleave = 1; interleave < 3; interleave++) {
        f = deep;
        f.interleave = interleave;
        compare("interleave", deep, f, 4, 3);
        compare("no interleave", f, deep, 4, 3);
    }
    Form real = plain;
    real.type = 7;
    f = real;
    f.fill = 1;
    compare("fill", real, f, 92, 55);
    compare("no fill", f, real, 92, 55);
    f = plain;
    f.offset = 64;
    f.size[0] = 90;
    f.size[1] = 50;
    f.stride[0] = 400;
    f.box[0] = 32;
    f.box[1] = 9;
    f.swizzle = 3;
    f.type = 11;
    f.fill = 1;
    compare("all at once", real, f, 80, 45);
}
