/*
 * What kernels include. nvcc brings the language of CUDA with it, and this file adds only hints. clang does not: its
 * headers go with old toolkits alone, so the words that the kernels use are defined here, each by a builtin of clang,
 * one PTX instruction, or the function of libdevice that nvcc calls for it.
 *
 * Hints (heddle_hints.h) are in the PTX only if WORK_HINTS is defined: a program with hints is compiled with and
 * without them.
 */
#ifndef HEDDLE_WORKLOADS_DEVICE_H
#define HEDDLE_WORKLOADS_DEVICE_H

#ifdef WORK_HINTS
#include "heddle_hints.h"
#else
#define HEDDLE_PREDICT(name)
#define HEDDLE_LABEL(name)
#define HEDDLE_SOFT_LABEL(name, count)
#define HEDDLE_ADAPTIVE_LABEL(name)
#endif

#ifdef __clang__

/* ---- the language ---- */

#define __global__             __attribute__((global))
#define __device__             __attribute__((device))
#define __shared__             __attribute__((shared))
#define __constant__           __attribute__((constant))
#define __forceinline__        inline __attribute__((always_inline))
#define __noinline__           __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n)           __attribute__((aligned(n)))

#include <__clang_cuda_builtin_vars.h>

typedef __SIZE_TYPE__ size_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __INT8_TYPE__ int8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __INT16_TYPE__ int16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __INT32_TYPE__ int32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INT64_TYPE__ int64_t;

#define DEVICE static __device__ __forceinline__

/* ---- vectors: name, element, alignments of CUDA ---- */

#define VECTORS(name, element)                                                \
    struct __align__(2 * sizeof(element)) name##2                             \
    {                                                                         \
        element x, y;                                                         \
    };                                                                        \
    struct name##3                                                            \
    {                                                                         \
        element x, y, z;                                                      \
    };                                                                        \
    struct __align__(sizeof(element) < 8 ? 4 * sizeof(element) : 16) name##4  \
    {                                                                         \
        element x, y, z, w;                                                   \
    };                                                                        \
    DEVICE name##2 make_##name##2(element x, element y)                       \
    {                                                                         \
        return {x, y};                                                        \
    }                                                                         \
    DEVICE name##3 make_##name##3(element x, element y, element z)            \
    {                                                                         \
        return {x, y, z};                                                     \
    }                                                                         \
    DEVICE name##4 make_##name##4(element x, element y, element z, element w) \
    {                                                                         \
        return {x, y, z, w};                                                  \
    }

VECTORS(char, signed char)
VECTORS(uchar, unsigned char)
VECTORS(short, short)
VECTORS(ushort, unsigned short)
VECTORS(int, int)
VECTORS(uint, unsigned)
VECTORS(float, float)
VECTORS(double, double)

/* ---- synchronisation; clang knows __syncthreads() ---- */

DEVICE void __syncwarp(unsigned mask = 0xffffffff)
{
    __nvvm_bar_warp_sync(mask);
}

DEVICE void __threadfence()
{
    __nvvm_membar_gl();
}

DEVICE void __threadfence_block()
{
    __nvvm_membar_cta();
}

DEVICE int __syncthreads_or(int predicate)
{
    return __nvvm_bar0_or(predicate);
}

DEVICE int __syncthreads_and(int predicate)
{
    return __nvvm_bar0_and(predicate);
}

DEVICE int __syncthreads_count(int predicate)
{
    return __nvvm_bar0_popc(predicate);
}

/* ---- atomic operations ---- */

#define ATOMIC(function, type, operation)      \
    DEVICE type function(type *at, type value) \
    {                                          \
        return operation(at, value);           \
    }

ATOMIC(atomicAdd, int, __nvvm_atom_add_gen_i)
ATOMIC(atomicAdd, float, __nvvm_atom_add_gen_f)
ATOMIC(atomicMin, int, __nvvm_atom_min_gen_i)
ATOMIC(atomicMax, int, __nvvm_atom_max_gen_i)
ATOMIC(atomicExch, int, __nvvm_atom_xchg_gen_i)
ATOMIC(atomicOr, int, __nvvm_atom_or_gen_i)
ATOMIC(atomicAnd, int, __nvvm_atom_and_gen_i)
ATOMIC(atomicXor, int, __nvvm_atom_xor_gen_i)

DEVICE unsigned atomicAdd(unsigned *at, unsigned value)
{
    return (unsigned)__nvvm_atom_add_gen_i((int *)at, (int)value);
}

DEVICE unsigned long long atomicAdd(unsigned long long *at, unsigned long long value)
{
    return (unsigned long long)__nvvm_atom_add_gen_ll((long long *)at, (long long)value);
}

DEVICE double atomicAdd(double *at, double value)
{
    return __nvvm_atom_add_gen_d(at, value);
}

DEVICE unsigned atomicMin(unsigned *at, unsigned value)
{
    return __nvvm_atom_min_gen_ui(at, value);
}

DEVICE unsigned atomicMax(unsigned *at, unsigned value)
{
    return __nvvm_atom_max_gen_ui(at, value);
}

DEVICE unsigned atomicExch(unsigned *at, unsigned value)
{
    return (unsigned)__nvvm_atom_xchg_gen_i((int *)at, (int)value);
}

DEVICE unsigned atomicOr(unsigned *at, unsigned value)
{
    return (unsigned)__nvvm_atom_or_gen_i((int *)at, (int)value);
}

DEVICE unsigned atomicAnd(unsigned *at, unsigned value)
{
    return (unsigned)__nvvm_atom_and_gen_i((int *)at, (int)value);
}

DEVICE int atomicCAS(int *at, int expected, int value)
{
    return __nvvm_atom_cas_gen_i(at, expected, value);
}

DEVICE unsigned atomicCAS(unsigned *at, unsigned expected, unsigned value)
{
    return (unsigned)__nvvm_atom_cas_gen_i((int *)at, (int)expected, (int)value);
}

/* ---- integers ---- */

#define MIN_MAX(type)               \
    DEVICE type min(type a, type b) \
    {                               \
        return b < a ? b : a;       \
    }                               \
    DEVICE type max(type a, type b) \
    {                               \
        return a < b ? b : a;       \
    }

MIN_MAX(int)
MIN_MAX(unsigned)
MIN_MAX(long long)
MIN_MAX(unsigned long long)

DEVICE int abs(int a)
{
    return a < 0 ? -a : a;
}

DEVICE int __popc(unsigned a)
{
    return __builtin_popcount(a);
}

DEVICE int __clz(int a)
{
    return a ? __builtin_clz((unsigned)a) : 32;
}

DEVICE int __ffs(int a)
{
    return __builtin_ffs(a);
}

DEVICE unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((unsigned long long)a * b >> 32);
}

DEVICE int __mul24(int a, int b)
{
    return __nvvm_mul24_i(a, b);
}

DEVICE unsigned __umul24(unsigned a, unsigned b)
{
    return __nvvm_mul24_ui(a, b);
}

/* ---- the bits of numbers ---- */

DEVICE int __float_as_int(float a)
{
    return __nvvm_bitcast_f2i(a);
}

DEVICE unsigned __float_as_uint(float a)
{
    return (unsigned)__nvvm_bitcast_f2i(a);
}

DEVICE float __int_as_float(int a)
{
    return __nvvm_bitcast_i2f(a);
}

DEVICE float __uint_as_float(unsigned a)
{
    return __nvvm_bitcast_i2f((int)a);
}

/* ---- mathematics: NAME(arguments) is __nv_NAME(arguments) of libdevice ---- */

#define LIBDEVICE1(type, name, function)       \
    extern "C" __device__ type function(type); \
    DEVICE type name(type a)                   \
    {                                          \
        return function(a);                    \
    }
#define LIBDEVICE2(type, name, function)             \
    extern "C" __device__ type function(type, type); \
    DEVICE type name(type a, type b)                 \
    {                                                \
        return function(a, b);                       \
    }

/* __nv_sqrtf is approximate with clang 14, which does not tell libdevice that square roots are to be rounded right. */
LIBDEVICE1(float, sqrtf, __nv_fsqrt_rn)
LIBDEVICE1(float, rsqrtf, __nv_rsqrtf)
LIBDEVICE1(float, cbrtf, __nv_cbrtf)
LIBDEVICE1(float, expf, __nv_expf)
LIBDEVICE1(float, exp2f, __nv_exp2f)
LIBDEVICE1(float, logf, __nv_logf)
LIBDEVICE1(float, log2f, __nv_log2f)
LIBDEVICE1(float, log10f, __nv_log10f)
LIBDEVICE1(float, sinf, __nv_sinf)
LIBDEVICE1(float, cosf, __nv_cosf)
LIBDEVICE1(float, tanf, __nv_tanf)
LIBDEVICE1(float, asinf, __nv_asinf)
LIBDEVICE1(float, acosf, __nv_acosf)
LIBDEVICE1(float, atanf, __nv_atanf)
LIBDEVICE1(float, tanhf, __nv_tanhf)
LIBDEVICE1(float, erff, __nv_erff)
LIBDEVICE1(float, erfcf, __nv_erfcf)
LIBDEVICE1(float, fabsf, __nv_fabsf)
LIBDEVICE1(float, floorf, __nv_floorf)
LIBDEVICE1(float, ceilf, __nv_ceilf)
LIBDEVICE1(float, truncf, __nv_truncf)
LIBDEVICE1(float, rintf, __nv_rintf)
LIBDEVICE1(float, roundf, __nv_roundf)
LIBDEVICE1(float, __expf, __nv_fast_expf)
LIBDEVICE1(float, __logf, __nv_fast_logf)
LIBDEVICE1(float, __log2f, __nv_fast_log2f)
LIBDEVICE1(float, __sinf, __nv_fast_sinf)
LIBDEVICE1(float, __cosf, __nv_fast_cosf)
LIBDEVICE1(float, __saturatef, __nv_saturatef)
LIBDEVICE1(float, __frcp_rn, __nv_frcp_rn)
DEVICE float __fsqrt_rn(float a)
{
    return sqrtf(a);
}
LIBDEVICE2(float, fminf, __nv_fminf)
LIBDEVICE2(float, fmaxf, __nv_fmaxf)
LIBDEVICE2(float, fmodf, __nv_fmodf)
LIBDEVICE2(float, powf, __nv_powf)
LIBDEVICE2(float, atan2f, __nv_atan2f)
LIBDEVICE2(float, copysignf, __nv_copysignf)
LIBDEVICE2(float, __powf, __nv_fast_powf)
LIBDEVICE2(float, __fdividef, __nv_fast_fdividef)
LIBDEVICE2(float, __fmul_rn, __nv_fmul_rn)
LIBDEVICE2(float, __fadd_rn, __nv_fadd_rn)
LIBDEVICE2(float, __fsub_rn, __nv_fsub_rn)
LIBDEVICE2(float, __fdiv_rn, __nv_fdiv_rn)
LIBDEVICE1(double, sqrt, __nv_sqrt)
LIBDEVICE1(double, exp, __nv_exp)
LIBDEVICE1(double, log, __nv_log)
LIBDEVICE1(double, sin, __nv_sin)
LIBDEVICE1(double, cos, __nv_cos)
LIBDEVICE1(double, atan, __nv_atan)
LIBDEVICE1(double, fabs, __nv_fabs)
LIBDEVICE1(double, floor, __nv_floor)
LIBDEVICE2(double, fmin, __nv_fmin)
LIBDEVICE2(double, fmax, __nv_fmax)
LIBDEVICE2(double, pow, __nv_pow)
LIBDEVICE2(double, __dmul_rn, __nv_dmul_rn)
LIBDEVICE2(double, __dadd_rn, __nv_dadd_rn)

extern "C" __device__ float __nv_fmaf(float, float, float);
extern "C" __device__ double __nv_fma(double, double, double);

DEVICE float fmaf(float a, float b, float c)
{
    return __nv_fmaf(a, b, c);
}

DEVICE double fma(double a, double b, double c)
{
    return __nv_fma(a, b, c);
}

DEVICE void sincosf(float a, float *sine, float *cosine)
{
    *sine = sinf(a);
    *cosine = cosf(a);
}

/* ---- textures ---- */

typedef unsigned long long cudaTextureObject_t;

template <class T> struct texel;
#define TEXEL(type, letter, constraint)                                                                        \
    template <> struct texel<type##4> {                                                                        \
        DEVICE_MEMBER type##4 at(cudaTextureObject_t texture, float x, float y)                                \
        {                                                                                                      \
            type##4 t;                                                                                         \
            asm volatile("tex.2d.v4." letter "32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"                        \
                         : constraint(t.x), constraint(t.y), constraint(t.z), constraint(t.w)                  \
                         : "l"(texture), "f"(x), "f"(y));                                                      \
            return t;                                                                                          \
        }                                                                                                      \
        DEVICE_MEMBER type##4 at(cudaTextureObject_t texture, int x)                                           \
        {                                                                                                      \
            type##4 t;                                                                                         \
            asm volatile("tex.1d.v4." letter "32.s32 {%0, %1, %2, %3}, [%4, {%5}];"                            \
                         : constraint(t.x), constraint(t.y), constraint(t.z), constraint(t.w)                  \
                         : "l"(texture), "r"(x));                                                              \
            return t;                                                                                          \
        }                                                                                                      \
    };                                                                                                         \
    template <> struct texel<type> {                                                                           \
        DEVICE_MEMBER type at(cudaTextureObject_t texture, float x, float y)                                   \
        {                                                                                                      \
            return texel<type##4>::at(texture, x, y).x;                                                        \
        }                                                                                                      \
        DEVICE_MEMBER type at(cudaTextureObject_t texture, int x) { return texel<type##4>::at(texture, x).x; } \
    };
#define DEVICE_MEMBER static __device__ __forceinline__
typedef unsigned uint;
TEXEL(float, "f", "=f")
TEXEL(int, "s", "=r")
TEXEL(uint, "u", "=r")

template <> struct texel<char> {
    DEVICE_MEMBER char at(cudaTextureObject_t texture, int x) { return (char)texel<int4>::at(texture, x).x; }
};

template <class T> DEVICE T tex2D(cudaTextureObject_t texture, float x, float y)
{
    return texel<T>::at(texture, x, y);
}

template <class T> DEVICE T tex1Dfetch(cudaTextureObject_t texture, int x)
{
    return texel<T>::at(texture, x);
}

#endif

#endif
