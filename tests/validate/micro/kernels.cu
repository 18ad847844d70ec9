/*
 * Micro-benchmarks: kernels that measure one property of a GPU each, with the cycle counter of their SM.
 *
 * Every kernel runs its measured part several times and leaves the time of each repetition; the host takes the least,
 * in which the code is in the instruction caches. kernels.ptx is what nvcc makes of this file (see build.sh); ptxas
 * compiles it for the GPU, and heddle runs it as it is.
 */
typedef unsigned u32;
typedef unsigned long long u64;

enum { REPETITIONS = 4 };

#define FOUR(...)  __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__
#define R16(...)   FOUR(__VA_ARGS__) FOUR(__VA_ARGS__) FOUR(__VA_ARGS__) FOUR(__VA_ARGS__)
#define R64(...)   R16(__VA_ARGS__) R16(__VA_ARGS__) R16(__VA_ARGS__) R16(__VA_ARGS__)

static __device__ __forceinline__ u64 cycle(void)
{
    u64 t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
    return t;
}

static __device__ __forceinline__ void note(u64 *times, int repetition, u64 begin, u64 end)
{
    if (threadIdx.x % 32 == 0) {
        u64 *t = times + 2 * (repetition * 32 + threadIdx.x / 32);
        t[0] = begin;
        t[1] = end;
    }
}

/* in[32] and in[33] hold the unknown values, the rest where chains start, in each lane anew: of what is the same in
 * all lanes the compiler knows too much. One warp, each instruction waits for the one before it; and up to 32 warps, each with four chains. */
#define MICRO(name, type, constraint, steps, instructions, ptx)                                                      \
    extern "C" __global__ void name##_latency(const type *in, u64 *times, type *sink)                                \
    {                                                                                                                \
        type x = in[threadIdx.x % 32], b = in[32], c = in[33];                                                       \
        for (int i = 0; i < REPETITIONS; i++) {                                                                      \
            u64 begin = cycle();                                                                                     \
            R##steps(asm volatile(ptx : "+" constraint(x) : constraint(b), constraint(c));) u64 end = cycle();       \
            note(times, i, begin, end);                                                                              \
        }                                                                                                            \
        sink[threadIdx.x] = x;                                                                                       \
    }                                                                                                                \
    extern "C" __global__ void name##_interval(const type *in, u64 *times, type *sink)                               \
    {                                                                                                                \
        const type *own = in + threadIdx.x % 32;                                                                     \
        type x = own[0], y = own[64], z = own[96], w = own[128], b = in[32], c = in[33];                             \
        for (int i = 0; i < REPETITIONS; i++) {                                                                      \
            __syncthreads();                                                                                         \
            u64 begin = cycle();                                                                                     \
            R##steps(asm volatile(ptx : "+" constraint(x) : constraint(b), constraint(c));                           \
                     asm volatile(ptx : "+" constraint(y) : constraint(b), constraint(c));                           \
                     asm volatile(ptx : "+" constraint(z) : constraint(b), constraint(c));                           \
                     asm volatile(ptx : "+" constraint(w) : constraint(b), constraint(c));) u64 end = cycle();       \
            note(times, i, begin, end);                                                                              \
        }                                                                                                            \
        sink[threadIdx.x] = x;                                                                                       \
        sink[threadIdx.x + 1024] = y;                                                                                \
        sink[threadIdx.x + 2048] = z;                                                                                \
        sink[threadIdx.x + 3072] = w;                                                                                \
    }
#include "ops.h"

/* Two kinds of instructions by turns, 64 of each, on chains of their own: do they share a pipeline? */
#define MIX(name, first, second)                                                                                     \
    extern "C" __global__ void name##_interval(const u32 *in, u64 *times, u32 *sink)                                 \
    {                                                                                                                \
        u32 x = in[threadIdx.x % 32], y = in[64 + threadIdx.x % 32], b = in[32], c = in[33];                         \
        float p = x, q = y, d = b, e = c;                                                                            \
        for (int i = 0; i < REPETITIONS; i++) {                                                                      \
            __syncthreads();                                                                                         \
            u64 begin = cycle();                                                                                     \
            R64(first(x) second(y, p) first(y) second(x, q)) u64 end = cycle();                                      \
            note(times, i, begin, end);                                                                              \
        }                                                                                                            \
        sink[threadIdx.x] = x ^ y;                                                                                   \
        sink[threadIdx.x + 1024] = (u32)(p + q + d + e) + b + c;                                                     \
    }
#define SHIFT(x)   asm volatile("shf.l.wrap.b32 %0, %0, %1, %0;" : "+r"(x) : "r"(b));
#define FMA(i, f)  asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(f) : "f"(d), "f"(e));
#define MAD(x)     asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(b), "r"(c));
#define TURN(i, f) asm volatile("shf.l.wrap.b32 %0, %0, %1, %0;" : "+r"(i) : "r"(c));
MIX(mix_int_fp32, SHIFT, FMA)
MIX(mix_imul_fp32, MAD, FMA)
MIX(mix_imul_int, MAD, TURN)

/* A chain of loads, each from the address that the one before it brought. */
#define CHASE(name, constraint, type, ptx)                                                                           \
    extern "C" __global__ void name(u64 start, u32 steps, u64 *times, u64 *sink)                                     \
    {                                                                                                                \
        type p = (type)start;                                                                                        \
        for (int i = 0; i < REPETITIONS; i++) {                                                                      \
            p = (type)start;                                                                                         \
            u64 begin = cycle();                                                                                     \
            for (u32 k = 0; k < steps; k += 16) {                                                                    \
                R16(asm volatile(ptx : "+" constraint(p)::"memory");)                                                \
            }                                                                                                        \
            asm volatile("" ::constraint(p));                                                                        \
            sink[0] = p;                                                                                             \
            u64 end = cycle();                                                                                       \
            note(times, i, begin, end);                                                                              \
        }                                                                                                            \
    }
CHASE(chase_l1, "l", u64, "ld.global.ca.u64 %0, [%0];")
CHASE(chase_l2, "l", u64, "ld.global.cg.u64 %0, [%0];")

extern "C" __global__ void chase_shared(u32 steps, u64 *times, u64 *sink)
{
    __shared__ u32 next[1024];
    u32 base = (u32)__cvta_generic_to_shared(next);
    for (int i = 0; i < 1024; i++)
        next[i] = base + 4 * ((i + 33) % 1024);
    __syncthreads();
    u32 p = base;
    for (int i = 0; i < REPETITIONS; i++) {
        u64 begin = cycle();
        for (u32 k = 0; k < steps; k += 16) {
            R16(asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p)::"memory");)
        }
        sink[0] = p;
        u64 end = cycle();
        note(times, i, begin, end);
    }
}

/* 64 KB; entries are byte offsets of other entries, which the host lays out as a chain. */
__constant__ u32 table[16384];
extern "C" __global__ void chase_constant(u32 steps, u64 *times, u64 *sink)
{
    u32 p = 0;
    for (int i = 0; i < REPETITIONS; i++) {
        p = 0;
        u64 begin = cycle();
        for (u32 k = 0; k < steps; k += 16) {
            R16(p = *(const volatile u32 *)((const char *)table + p);)
        }
        sink[0] = p;
        u64 end = cycle();
        note(times, i, begin, end);
    }
}

/* Constant words that differ from lane to lane, `words` of them side by side. All are 0, and each load's address depends
 * on the one before it. */
extern "C" __global__ void constant_words(u32 words, u64 *times, u32 *sink)
{
    u32 x = 0;
    for (int i = 0; i < REPETITIONS; i++) {
        u32 at = threadIdx.x % 32 % words * 4;
        __syncthreads();
        u64 begin = cycle();
        R64(x = *(const volatile u32 *)((const char *)table + at + x);) u64 end = cycle();
        note(times, i, begin, end);
    }
    sink[threadIdx.x] = x;
}

/* All of the 64 KB, each warp every 32nd of its pieces of 64 bytes: in the first repetition no SM has any of them. */
extern "C" __global__ void constant_cold(u64 *times, u32 *sink)
{
    u32 x = 0, warp = threadIdx.x / 32;
    for (int i = 0; i < REPETITIONS; i++) {
        __syncthreads();
        u64 begin = cycle();
#pragma unroll 8
        for (u32 k = 0; k < 32; k++)
            x += *(const volatile u32 *)((const char *)table + 64 * (32 * k + warp));
        if (x == 12345)
            sink[1] = x;
        u64 end = cycle();
        note(times, i, begin, end);
    }
    sink[threadIdx.x] = x;
}

/* A word is stored and then loaded, by a chain: what the load takes if the line was not in the L1 before. */
extern "C" __global__ void store_then_load(u64 *line, u32 steps, u64 *times, u64 *sink)
{
    u64 x = 1;
    for (int i = 0; i < REPETITIONS; i++) {
        u64 begin = cycle();
        for (u32 k = 0; k < steps; k++) {
            u64 *at = line + 16 * (u64)(i * steps + k) + (x & 0);
            asm volatile("st.global.v2.u64 [%1], {%0, %0}; st.global.v2.u64 [%1 + 16], {%0, %0}; "
                         "ld.global.ca.u64 %0, [%1];"
                         : "+l"(x)
                         : "l"(at)
                         : "memory");
        }
        sink[0] = x;
        u64 end = cycle();
        note(times, i, begin, end);
    }
}

extern "C" __global__ void chase_texture(u64 texture, u32 steps, u64 *times, u64 *sink)
{
    int p = 0;
    for (int i = 0; i < REPETITIONS; i++) {
        u64 begin = cycle();
        for (u32 k = 0; k < steps; k += 16) {
            R16(asm volatile("{ .reg .s32 y, z, w; tex.1d.v4.s32.s32 {%0, y, z, w}, [%1, {%0}]; }"
                             : "+r"(p)
                             : "l"(texture));)
        }
        sink[0] = p;
        u64 end = cycle();
        note(times, i, begin, end);
    }
}

/* Atomics by one thread, each with the result of the one before it. */
extern "C" __global__ void chase_atomic_global(u32 *cell, u32 steps, u64 *times, u64 *sink)
{
    u32 x = 1;
    cell += threadIdx.x * steps; /* so that the compiler does not know the address to be the warp's */
    for (int i = 0; i < REPETITIONS; i++) {
        u64 begin = cycle();
        for (u32 k = 0; k < steps; k += 16) {
            R16(asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(x) : "l"(cell) : "memory");)
        }
        sink[0] = x;
        u64 end = cycle();
        note(times, i, begin, end);
    }
}

extern "C" __global__ void chase_atomic_shared(u32 steps, u64 *times, u64 *sink)
{
    __shared__ u32 cell[32];
    u32 x = 1, at = (u32)__cvta_generic_to_shared(cell) + 4 * threadIdx.x;
    cell[threadIdx.x] = 0;
    for (int i = 0; i < REPETITIONS; i++) {
        u64 begin = cycle();
        for (u32 k = 0; k < steps; k += 16) {
            R16(asm volatile("atom.shared.add.u32 %0, [%1], %0;" : "+r"(x) : "r"(at) : "memory");)
        }
        sink[0] = x;
        u64 end = cycle();
        note(times, i, begin, end);
    }
}

/* Accesses that nothing waits for, 64 per warp; lane n's are at base + n * stride, and 128 bytes further each time. */
#define STREAM(name, ptx, ...)                                                                                       \
    extern "C" __global__ void name(u64 base, u32 stride, u64 *times, u32 *sink)                                     \
    {                                                                                                                \
        __shared__ u32 space[12 * 1024];                                                                             \
        u32 x = 0, lane = threadIdx.x % 32;                                                                          \
        for (u32 i = threadIdx.x; i < 12 * 1024; i += blockDim.x)                                                    \
            space[i] = i;                                                                                            \
        for (int i = 0; i < REPETITIONS; i++) {                                                                      \
            u64 global = base + lane * stride;                                                                       \
            u32 shared = (u32)__cvta_generic_to_shared(space) + lane * stride;                                       \
            __syncthreads();                                                                                         \
            u64 begin = cycle();                                                                                     \
            R64(asm volatile(ptx __VA_ARGS__ : "memory");) u64 end = cycle();                                        \
            note(times, i, begin, end);                                                                              \
            x += (u32)global + shared;                                                                               \
        }                                                                                                            \
        sink[threadIdx.x] = x + space[threadIdx.x];                                                                  \
    }
STREAM(stream_shared_load, "{ .reg .u32 t; ld.shared.u32 t, [%1]; xor.b32 %0, %0, t; add.u32 %1, %1, 128; }",
       : "+r"(x), "+r"(shared) :)
STREAM(stream_shared_load_16,
       "{ .reg .u32 t<4>; ld.shared.v4.u32 {t0, t1, t2, t3}, [%1]; xor.b32 %0, %0, t0; xor.b32 %0, %0, t1; "
       "xor.b32 %0, %0, t2; xor.b32 %0, %0, t3; add.u32 %1, %1, 128; }",
       : "+r"(x), "+r"(shared) :)
STREAM(stream_shared_store, "st.shared.u32 [%0], %1; add.u32 %0, %0, 128;", : "+r"(shared) : "r"(lane))
STREAM(stream_shared_atomic, "red.shared.add.u32 [%0], %1; add.u32 %0, %0, 128;", : "+r"(shared) : "r"(lane))
STREAM(stream_l1_load, "{ .reg .u32 t; ld.global.ca.u32 t, [%1]; xor.b32 %0, %0, t; add.u64 %1, %1, 128; }",
       : "+r"(x), "+l"(global) :)
STREAM(stream_l1_load_16,
       "{ .reg .u32 t<4>; ld.global.ca.v4.u32 {t0, t1, t2, t3}, [%1]; xor.b32 %0, %0, t0; xor.b32 %0, %0, t1; "
       "xor.b32 %0, %0, t2; xor.b32 %0, %0, t3; add.u64 %1, %1, 128; }",
       : "+r"(x), "+l"(global) :)
STREAM(stream_l2_load, "{ .reg .u32 t; ld.global.cg.u32 t, [%1]; xor.b32 %0, %0, t; add.u64 %1, %1, 128; }",
       : "+r"(x), "+l"(global) :)
STREAM(stream_store, "st.global.u32 [%0], %1; add.u64 %0, %0, 128;", : "+l"(global) : "r"(lane))
STREAM(stream_atomic, "red.global.add.u32 [%0], %1; add.u64 %0, %0, 128;", : "+l"(global) : "r"(lane))

/* Reads `count` pieces of 16 bytes, `rounds` times, by all blocks together; past the L1 or not. */
#define SWEEP(name, load)                                                                                            \
    extern "C" __global__ void name(const uint4 *from, u64 count, u32 rounds, u64 *times, u32 *sink)                 \
    {                                                                                                                \
        u64 step = (u64)gridDim.x * blockDim.x, first = (u64)blockIdx.x * blockDim.x + threadIdx.x;                  \
        uint4 sum = make_uint4(0, 0, 0, 0);                                                                          \
        u64 begin = cycle();                                                                                         \
        for (u32 round = 0; round < rounds; round++)                                                                 \
            for (u64 i = first; i < count; i += 4 * step) {                                                          \
                uint4 v[4];                                                                                          \
                _Pragma("unroll") for (int k = 0; k < 4; k++) if (i + k * step < count) v[k] = load(from + i + k * step); \
                else v[k] = sum;                                                                                     \
                _Pragma("unroll") for (int k = 0; k < 4; k++) sum.x ^= v[k].x + v[k].y + v[k].z + v[k].w;           \
            }                                                                                                        \
        u64 end = cycle();                                                                                           \
        if (blockIdx.x == 0)                                                                                         \
            note(times, 0, begin, end);                                                                              \
        if (sum.x == 12345)                                                                                          \
            sink[0] = sum.x;                                                                                         \
    }
/* Reads one word of each line, by all blocks together. */
extern "C" __global__ void sweep_sectors(const u32 *from, u64 lines, u32 rounds, u64 *times, u32 *sink)
{
    u64 step = (u64)gridDim.x * blockDim.x, first = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    u32 sum = 0;
    for (u32 round = 0; round < rounds; round++)
        for (u64 i = first; i < lines; i += 4 * step) {
            u32 v[4];
#pragma unroll
            for (int k = 0; k < 4; k++)
                v[k] = i + k * step < lines ? __ldcg(from + 32 * (i + k * step)) : 0;
            sum ^= v[0] + v[1] + v[2] + v[3];
        }
    if (sum == 12345)
        sink[0] = sum + (u32)times[0];
}
SWEEP(sweep_l1, __ldca)
SWEEP(sweep_l2, __ldcg)

extern "C" __global__ void sweep_store(uint4 *to, u64 count)
{
    u64 step = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
        to[i] = make_uint4(1, 2, 3, (u32)i);
}

/* Words stored `stride` bytes apart, round and round through a buffer whose size is a power of two. */
extern "C" __global__ void sweep_store_words(char *to, u64 bytes, u32 stride, u32 rounds)
{
    u64 step = (u64)gridDim.x * blockDim.x * stride;
    u64 at = ((u64)blockIdx.x * blockDim.x + threadIdx.x) * stride;
    for (u32 i = 0; i < rounds; i++, at += step)
        *(volatile u32 *)(to + (at & (bytes - 1))) = i;
}

/* Every thread of the grid adds to one word, or to one of its own. */
extern "C" __global__ void sweep_atomic(u32 *cells, u32 spread, u32 rounds)
{
    u64 thread = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    u32 *cell = cells + thread * spread;
    for (u32 i = 0; i < rounds; i++)
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(cell), "r"(threadIdx.x) : "memory");
}

/* Barriers in a row; the block has 1 to 32 warps. */
extern "C" __global__ void barrier_interval(u64 *times)
{
    for (int i = 0; i < REPETITIONS; i++) {
        u64 begin = cycle();
        R64(asm volatile("bar.sync 0;" ::: "memory");) u64 end = cycle();
        note(times, i, begin, end);
    }
}

extern "C" __global__ void warp_barrier_interval(u64 *times)
{
    for (int i = 0; i < REPETITIONS; i++) {
        u64 begin = cycle();
        R64(asm volatile("bar.warp.sync -1;" ::: "memory");) u64 end = cycle();
        note(times, i, begin, end);
    }
}

extern "C" __global__ void fence_interval(u64 *times, u32 *cell)
{
    for (int i = 0; i < REPETITIONS; i++) {
        u64 begin = cycle();
        R16(asm volatile("st.global.u32 [%0], 1; membar.gl;" ::"l"(cell) : "memory");) u64 end = cycle();
        note(times, i, begin, end);
    }
}

/* A loop of one multiply-add, a compare and a branch, whose number of rounds is the warp's; and one whose two halves of the warp go different ways, 16
 * dependent multiply-adds on each. */
extern "C" __global__ void loop_uniform(u32 rounds, u64 *times, u32 *sink)
{
    u32 x = rounds;
    for (int i = 0; i < REPETITIONS; i++) {
        u64 begin = cycle();
#pragma unroll 1
        for (u32 k = 0; k < rounds; k++)
            asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(rounds));
        u64 end = cycle();
        note(times, i, begin, end);
    }
    sink[threadIdx.x] = x;
}

/* The number of rounds is each thread's own, so that counter and predicate are not the warp's but the threads'. */
extern "C" __global__ void loop_by_thread(const u32 *own_rounds, u64 *times, u32 *sink)
{
    u32 rounds = own_rounds[threadIdx.x], x = rounds;
    for (int i = 0; i < REPETITIONS; i++) {
        u64 begin = cycle();
#pragma unroll 1
        for (u32 k = 0; k < rounds; k++)
            asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(rounds));
        u64 end = cycle();
        note(times, i, begin, end);
    }
    sink[threadIdx.x] = x;
}

extern "C" __global__ void loop_divergent(u32 rounds, u32 mask, u64 *times, u32 *sink)
{
    u32 x = rounds;
    bool side = threadIdx.x & mask;
    for (int i = 0; i < REPETITIONS; i++) {
        u64 begin = cycle();
#pragma unroll 1
        for (u32 k = 0; k < rounds; k++) {
            if (side) {
                R16(asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(rounds));)
            } else {
                R16(asm volatile("mad.hi.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(rounds));)
            }
        }
        u64 end = cycle();
        note(times, i, begin, end);
    }
    sink[threadIdx.x] = x;
}

/* Straight code of 1024 instructions, 16 KB: the first repetition fetches it, later ones find it in the caches. */
extern "C" __global__ void straight_code(u32 factor, u64 *times, u32 *sink)
{
    u32 x = threadIdx.x, y = x + 1, z = x + 2, w = x + 3;
    for (int i = 0; i < REPETITIONS; i++) {
        u64 begin = cycle();
        R64(FOUR(asm volatile("mad.lo.u32 %0, %0, %4, %4; mad.lo.u32 %1, %1, %4, %4; mad.lo.u32 %2, %2, %4, %4; "
                              "mad.lo.u32 %3, %3, %4, %4;"
                              : "+r"(x), "+r"(y), "+r"(z), "+r"(w)
                              : "r"(factor));))
        u64 end = cycle();
        note(times, i, begin, end);
    }
    sink[threadIdx.x] = x + y + z + w;
}

/* Where and when each block ran: SM, first cycle, last cycle. */
extern "C" __global__ void block_turns(u64 *turns, u32 rounds)
{
    extern __shared__ u32 room[];
    u64 begin = cycle();
    u32 x = rounds, sm;
    for (u32 k = 0; k < rounds; k++)
        asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(rounds));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (x == 1)
        room[threadIdx.x] = x;
    if (threadIdx.x == 0) {
        u64 *t = turns + 3 * (u64)blockIdx.x;
        t[0] = sm;
        t[1] = begin;
        t[2] = cycle();
    }
}

extern "C" __global__ void empty(void)
{
}

/* Counts cycles while a given number of nanoseconds passes: the clock of the SM. */
extern "C" __global__ void clock_rate(u64 *counted, u64 nanoseconds)
{
    u64 from, to, begin = cycle();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(from)::"memory");
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(to)::"memory");
    } while (to - from < nanoseconds);
    counted[0] = cycle() - begin;
    counted[1] = to - from;
}
