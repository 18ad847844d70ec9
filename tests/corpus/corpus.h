/*
 * One CUDA dialect for nvcc and for a clang that has no CUDA toolkit.
 *
 * nvcc brings its own headers. For clang (-nocudainc -nocudalib) this file declares the part of CUDA that
 * the corpus uses, under CUDA's own names, over clang's NVPTX builtins and, where there is none, inline
 * PTX. Kernels only: there is no host side, no launch syntax and no math library. A source that needs one
 * of those says "// compilers: nvcc" near its top.
 */
#ifndef HEDDLE_CORPUS_H
#define HEDDLE_CORPUS_H

typedef unsigned char u8;
typedef signed char s8;
typedef unsigned short u16;
typedef short s16;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;

#define FULL_WARP 0xffffffffu

#if defined(__clang__) && !defined(__CUDACC_VER_MAJOR__)
// One line a function reads better here than the formatter's four.
// clang-format off

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __noinline__ __attribute__((noinline))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __grid_constant__
#define FN static __inline__ __attribute__((device, always_inline, unused))

typedef __SIZE_TYPE__ size_t;

#define INDEX(NAME, SREG)                                                                                    \
    struct NAME##_register {                                                                                 \
        __declspec(property(get = read_x)) unsigned x;                                                       \
        __declspec(property(get = read_y)) unsigned y;                                                       \
        __declspec(property(get = read_z)) unsigned z;                                                       \
        static __inline__ __device__ unsigned read_x() { return __nvvm_read_ptx_sreg_##SREG##_x(); }         \
        static __inline__ __device__ unsigned read_y() { return __nvvm_read_ptx_sreg_##SREG##_y(); }         \
        static __inline__ __device__ unsigned read_z() { return __nvvm_read_ptx_sreg_##SREG##_z(); }         \
    };                                                                                                       \
    extern const __device__ __attribute__((weak)) NAME##_register NAME;
INDEX(threadIdx, tid)
INDEX(blockIdx, ctaid)
INDEX(blockDim, ntid)
INDEX(gridDim, nctaid)
#undef INDEX
#define warpSize 32

/* Vector types: clang's own vectors load and store as one access, as nvcc's do. */
#define VECTOR2(T, NAME)                                                                                     \
    typedef T NAME __attribute__((ext_vector_type(2)));                                                      \
    FN NAME make_##NAME(T x, T y) { return (NAME){x, y}; }
#define VECTOR4(T, NAME)                                                                                     \
    typedef T NAME __attribute__((ext_vector_type(4)));                                                      \
    FN NAME make_##NAME(T x, T y, T z, T w) { return (NAME){x, y, z, w}; }
VECTOR2(int, int2)
VECTOR4(int, int4)
VECTOR2(unsigned, uint2)
VECTOR4(unsigned, uint4)
VECTOR2(float, float2)
VECTOR4(float, float4)
VECTOR2(double, double2)
VECTOR2(short, short2)
VECTOR4(short, short4)
VECTOR4(unsigned char, uchar4)
VECTOR2(long long, longlong2)
#undef VECTOR2
#undef VECTOR4

/* Bits. */
FN int __popc(unsigned x) { return __builtin_popcount(x); }
FN int __popcll(u64 x) { return __builtin_popcountll(x); }
FN int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
FN int __clzll(s64 x) { return x ? __builtin_clzll((u64)x) : 64; }
FN int __ffs(int x) { return __builtin_ffs(x); }
FN int __ffsll(s64 x) { return __builtin_ffsll(x); }
FN unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
FN u64 __brevll(u64 x) { return __builtin_bitreverse64(x); }
FN unsigned __byte_perm(unsigned a, unsigned b, unsigned selector)
{
    unsigned d;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(selector));
    return d;
}
FN unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    unsigned d;
    asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(low), "r"(high), "r"(shift));
    return d;
}
FN unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift)
{
    unsigned d;
    asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(low), "r"(high), "r"(shift));
    return d;
}

/* Integers. */
FN int __mulhi(int a, int b) { return __nvvm_mulhi_i(a, b); }
FN unsigned __umulhi(unsigned a, unsigned b) { return __nvvm_mulhi_ui(a, b); }
FN s64 __mul64hi(s64 a, s64 b) { return __nvvm_mulhi_ll(a, b); }
FN u64 __umul64hi(u64 a, u64 b) { return __nvvm_mulhi_ull(a, b); }
FN int __mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
FN unsigned __umul24(unsigned a, unsigned b) { return __nvvm_mul24_ui(a, b); }
FN unsigned __sad(int a, int b, unsigned c) { return (unsigned)__nvvm_sad_i(a, b, (int)c); }
FN unsigned __usad(unsigned a, unsigned b, unsigned c) { return __nvvm_sad_ui(a, b, c); }
FN int __dp4a(int a, int b, int c)
{
    int d;
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}
FN unsigned __dp4a(unsigned a, unsigned b, unsigned c)
{
    unsigned d;
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}
template <typename T> FN T min(T a, T b) { return a < b ? a : b; }
template <typename T> FN T max(T a, T b) { return a > b ? a : b; }
FN int abs(int x) { return x < 0 ? -x : x; }
FN s64 llabs(s64 x) { return x < 0 ? -x : x; }

/* Floating point: IEEE operations only, each with its rounding. */
FN float fmaf(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
FN double fma(double a, double b, double c) { return __nvvm_fma_rn_d(a, b, c); }
FN float sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
FN double sqrt(double x) { return __nvvm_sqrt_rn_d(x); }
FN float fabsf(float x) { return __builtin_fabsf(x); }
FN double fabs(double x) { return __builtin_fabs(x); }
FN float fminf(float a, float b) { return __nvvm_fmin_f(a, b); }
FN float fmaxf(float a, float b) { return __nvvm_fmax_f(a, b); }
FN double fmin(double a, double b) { return __nvvm_fmin_d(a, b); }
FN double fmax(double a, double b) { return __nvvm_fmax_d(a, b); }
FN float floorf(float x) { return __nvvm_floor_f(x); }
FN float ceilf(float x) { return __nvvm_ceil_f(x); }
FN float truncf(float x) { return __nvvm_trunc_f(x); }
FN double floor(double x) { return __nvvm_floor_d(x); }
FN double ceil(double x) { return __nvvm_ceil_d(x); }
FN double trunc(double x) { return __nvvm_trunc_d(x); }
FN float rintf(float x)
{
    float d;
    asm("cvt.rni.f32.f32 %0, %1;" : "=f"(d) : "f"(x));
    return d;
}
FN float copysignf(float x, float sign) { return __builtin_copysignf(x, sign); }
FN float __fadd_rn(float a, float b) { return __nvvm_add_rn_f(a, b); }
FN float __fadd_rz(float a, float b) { return __nvvm_add_rz_f(a, b); }
FN float __fadd_ru(float a, float b) { return __nvvm_add_rp_f(a, b); }
FN float __fadd_rd(float a, float b) { return __nvvm_add_rm_f(a, b); }
FN float __fmul_rz(float a, float b) { return __nvvm_mul_rz_f(a, b); }
FN float __fmul_ru(float a, float b) { return __nvvm_mul_rp_f(a, b); }
FN float __fmul_rd(float a, float b) { return __nvvm_mul_rm_f(a, b); }
FN float __frcp_rn(float x) { return __nvvm_rcp_rn_f(x); }
FN double __dadd_rz(double a, double b) { return __nvvm_add_rz_d(a, b); }
FN double __dadd_ru(double a, double b) { return __nvvm_add_rp_d(a, b); }
FN double __dadd_rd(double a, double b) { return __nvvm_add_rm_d(a, b); }
FN double __dmul_rz(double a, double b) { return __nvvm_mul_rz_d(a, b); }
FN double __dmul_ru(double a, double b) { return __nvvm_mul_rp_d(a, b); }
FN double __dmul_rd(double a, double b) { return __nvvm_mul_rm_d(a, b); }
FN double __ddiv_rz(double a, double b) { return __nvvm_div_rz_d(a, b); }
FN double __dsqrt_rd(double x) { return __nvvm_sqrt_rm_d(x); }
FN double __fma_ru(double a, double b, double c) { return __nvvm_fma_rp_d(a, b, c); }

/* Conversions. */
FN int __float2int_rn(float x) { return __nvvm_f2i_rn(x); }
FN int __float2int_rz(float x) { return __nvvm_f2i_rz(x); }
FN int __float2int_ru(float x) { return __nvvm_f2i_rp(x); }
FN int __float2int_rd(float x) { return __nvvm_f2i_rm(x); }
FN unsigned __float2uint_rn(float x) { return __nvvm_f2ui_rn(x); }
FN unsigned __float2uint_rz(float x) { return __nvvm_f2ui_rz(x); }
FN s64 __float2ll_rn(float x) { return __nvvm_f2ll_rn(x); }
FN s64 __double2ll_rd(double x) { return __nvvm_d2ll_rm(x); }
FN int __double2int_rn(double x) { return __nvvm_d2i_rn(x); }
FN int __double2int_ru(double x) { return __nvvm_d2i_rp(x); }
FN float __double2float_rd(double x) { return __nvvm_d2f_rm(x); }
FN float __double2float_rz(double x) { return __nvvm_d2f_rz(x); }
FN float __int2float_rz(int x)
{
    // Both clangs fold their builtin into the conversion that rounds to nearest.
    float d;
    asm("cvt.rz.f32.s32 %0, %1;" : "=f"(d) : "r"(x));
    return d;
}
FN float __int2float_ru(int x) { return __nvvm_i2f_rp(x); }
FN float __uint2float_rd(unsigned x) { return __nvvm_ui2f_rm(x); }
FN float __ll2float_rn(s64 x) { return __nvvm_ll2f_rn(x); }
FN double __ull2double_rn(u64 x) { return __nvvm_ull2d_rn(x); }
FN int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
FN unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
FN float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
FN float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
FN s64 __double_as_longlong(double x) { return __builtin_bit_cast(s64, x); }
FN double __longlong_as_double(s64 x) { return __builtin_bit_cast(double, x); }
FN int __double2hiint(double x) { return __nvvm_d2i_hi(x); }
FN int __double2loint(double x) { return __nvvm_d2i_lo(x); }
FN double __hiloint2double(int high, int low) { return __nvvm_lohi_i2d(low, high); }

/* Block barriers and fences; __syncthreads is a builtin already. */
FN int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
FN int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
FN int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
FN void __syncwarp(unsigned mask = FULL_WARP) { __nvvm_bar_warp_sync(mask); }
FN void __threadfence_block() { __nvvm_membar_cta(); }
FN void __threadfence() { __nvvm_membar_gl(); }
FN void __threadfence_system() { __nvvm_membar_sys(); }

/* Warp-level operations. */
FN int __any_sync(unsigned mask, int p) { return __nvvm_vote_any_sync(mask, p); }
FN int __all_sync(unsigned mask, int p) { return __nvvm_vote_all_sync(mask, p); }
FN unsigned __ballot_sync(unsigned mask, int p) { return __nvvm_vote_ballot_sync(mask, p); }
FN unsigned __match_any_sync(unsigned mask, unsigned value) { return __nvvm_match_any_sync_i32(mask, value); }
FN unsigned __match_any_sync(unsigned mask, u64 value)
{
    // clang 14's builtin writes a 64-bit result, which is not PTX.
    unsigned d;
    asm volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(d) : "l"(value), "r"(mask));
    return d;
}
FN unsigned __match_all_sync(unsigned mask, unsigned value, int *p)
{
    return __nvvm_match_all_sync_i32p(mask, value, p);
}

#define SHUFFLE(NAME, MODE, CLAMP)                                                                           \
    FN int NAME(unsigned mask, int value, int by, int width = 32)                                            \
    {                                                                                                        \
        return __nvvm_shfl_sync_##MODE##_i32(mask, value, by, ((32 - width) << 8) | CLAMP);                  \
    }                                                                                                        \
    FN unsigned NAME(unsigned mask, unsigned value, int by, int width = 32)                                  \
    {                                                                                                        \
        return (unsigned)NAME(mask, (int)value, by, width);                                                  \
    }                                                                                                        \
    FN float NAME(unsigned mask, float value, int by, int width = 32)                                        \
    {                                                                                                        \
        return __nvvm_shfl_sync_##MODE##_f32(mask, value, by, ((32 - width) << 8) | CLAMP);                  \
    }                                                                                                        \
    FN s64 NAME(unsigned mask, s64 value, int by, int width = 32)                                            \
    {                                                                                                        \
        unsigned low = NAME(mask, (unsigned)value, by, width);                                               \
        unsigned high = NAME(mask, (unsigned)((u64)value >> 32), by, width);                                 \
        return (s64)((u64)high << 32 | low);                                                                 \
    }                                                                                                        \
    FN double NAME(unsigned mask, double value, int by, int width = 32)                                      \
    {                                                                                                        \
        return __builtin_bit_cast(double, NAME(mask, __builtin_bit_cast(s64, value), by, width));            \
    }
SHUFFLE(__shfl_sync, idx, 0x1f)
SHUFFLE(__shfl_up_sync, up, 0)
SHUFFLE(__shfl_down_sync, down, 0x1f)
SHUFFLE(__shfl_xor_sync, bfly, 0x1f)
#undef SHUFFLE

#if __CUDA_ARCH__ >= 800
#define REDUCE(NAME, OP, TYPE)                                                                               \
    FN TYPE NAME(unsigned mask, TYPE value)                                                                  \
    {                                                                                                        \
        TYPE d;                                                                                              \
        asm volatile("redux.sync." OP " %0, %1, %2;" : "=r"(d) : "r"(value), "r"(mask));                     \
        return d;                                                                                            \
    }
REDUCE(__reduce_add_sync, "add.s32", int)
REDUCE(__reduce_add_sync, "add.u32", unsigned)
REDUCE(__reduce_min_sync, "min.s32", int)
REDUCE(__reduce_min_sync, "min.u32", unsigned)
REDUCE(__reduce_max_sync, "max.s32", int)
REDUCE(__reduce_max_sync, "max.u32", unsigned)
REDUCE(__reduce_and_sync, "and.b32", unsigned)
REDUCE(__reduce_or_sync, "or.b32", unsigned)
REDUCE(__reduce_xor_sync, "xor.b32", unsigned)
#undef REDUCE
#endif

/* Atomics. */
FN int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
FN unsigned atomicAdd(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_add_gen_i((int *)p, (int)v); }
FN u64 atomicAdd(u64 *p, u64 v) { return (u64)__nvvm_atom_add_gen_ll((s64 *)p, (s64)v); }
FN unsigned atomicSub(unsigned *p, unsigned v) { return atomicAdd(p, 0u - v); }
FN int atomicMin(int *p, int v) { return __nvvm_atom_min_gen_i(p, v); }
FN int atomicMax(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }
FN unsigned atomicMin(unsigned *p, unsigned v) { return __nvvm_atom_min_gen_ui(p, v); }
FN unsigned atomicMax(unsigned *p, unsigned v) { return __nvvm_atom_max_gen_ui(p, v); }
FN s64 atomicMin(s64 *p, s64 v) { return __nvvm_atom_min_gen_ll(p, v); }
FN u64 atomicMax(u64 *p, u64 v) { return __nvvm_atom_max_gen_ull(p, v); }
FN unsigned atomicAnd(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_and_gen_i((int *)p, (int)v); }
FN unsigned atomicOr(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_or_gen_i((int *)p, (int)v); }
FN unsigned atomicXor(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_xor_gen_i((int *)p, (int)v); }
FN u64 atomicAnd(u64 *p, u64 v) { return (u64)__nvvm_atom_and_gen_ll((s64 *)p, (s64)v); }
FN u64 atomicXor(u64 *p, u64 v) { return (u64)__nvvm_atom_xor_gen_ll((s64 *)p, (s64)v); }
FN unsigned atomicInc(unsigned *p, unsigned limit) { return __nvvm_atom_inc_gen_ui(p, limit); }
FN unsigned atomicDec(unsigned *p, unsigned limit) { return __nvvm_atom_dec_gen_ui(p, limit); }
FN unsigned atomicExch(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_xchg_gen_i((int *)p, (int)v); }
FN unsigned atomicCAS(unsigned *p, unsigned compare, unsigned v)
{
    return (unsigned)__nvvm_atom_cas_gen_i((int *)p, (int)compare, (int)v);
}
FN u64 atomicCAS(u64 *p, u64 compare, u64 v)
{
    return (u64)__nvvm_atom_cas_gen_ll((s64 *)p, (s64)compare, (s64)v);
}

/* Loads and stores with a cache hint. */
FN int __ldg(const int *p) { return __nvvm_ldg_i(p); }
FN unsigned __ldg(const unsigned *p) { return __nvvm_ldg_ui(p); }
FN float __ldg(const float *p) { return __nvvm_ldg_f(p); }
FN double __ldg(const double *p) { return __nvvm_ldg_d(p); }
FN float4 __ldg(const float4 *p) { return __nvvm_ldg_f4(p); }
FN int __ldcg(const int *p)
{
    int d;
    asm volatile("{ .reg .b64 g; cvta.to.global.u64 g, %1; ld.global.cg.s32 %0, [g]; }" : "=r"(d) : "l"(p));
    return d;
}
FN int __ldcs(const int *p)
{
    int d;
    asm volatile("{ .reg .b64 g; cvta.to.global.u64 g, %1; ld.global.cs.s32 %0, [g]; }" : "=r"(d) : "l"(p));
    return d;
}
FN void __stcs(int *p, int v)
{
    asm volatile("{ .reg .b64 g; cvta.to.global.u64 g, %0; st.global.cs.s32 [g], %1; }" ::"l"(p), "r"(v)
                 : "memory");
}

/* What the driver provides to every module. */
extern "C" __device__ int printf(const char *format, ...);
extern "C" __device__ void __assertfail(const char *message, const char *file, unsigned line,
                                        const char *function, size_t char_size);
#define assert(e) ((e) ? (void)0 : __assertfail(#e, __FILE__, __LINE__, __PRETTY_FUNCTION__, sizeof(char)))

#undef FN

#else

#include <assert.h>
#include <stdio.h>

#endif
#endif
