// What kernels in the style of HIP need when clang compiles them as CUDA for the device alone, without the headers of a toolkit.
#pragma once
#define __global__             __attribute__((global))
#define __device__             __attribute__((device))
#define __shared__             __attribute__((shared))
#define __constant__           __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define HIP_INDEX(name, sreg)                                                                  \
    struct name##_type {                                                                       \
        struct X {                                                                             \
            __device__ operator unsigned() const { return __nvvm_read_ptx_sreg_##sreg##_x(); } \
        } x;                                                                                   \
        struct Y {                                                                             \
            __device__ operator unsigned() const { return __nvvm_read_ptx_sreg_##sreg##_y(); } \
        } y;                                                                                   \
        struct Z {                                                                             \
            __device__ operator unsigned() const { return __nvvm_read_ptx_sreg_##sreg##_z(); } \
        } z;                                                                                   \
    };                                                                                         \
    static __device__ const name##_type name = {};
HIP_INDEX(threadIdx, tid)
HIP_INDEX(blockIdx, ctaid)
HIP_INDEX(blockDim, ntid)
HIP_INDEX(gridDim, nctaid)
#define hipThreadIdx_x threadIdx.x
#define hipBlockIdx_x  blockIdx.x
#define hipBlockDim_x  blockDim.x
#define hipGridDim_x   gridDim.x
static __device__ inline int atomicAdd(int *p, int v)
{
    return __nvvm_atom_add_gen_i(p, v);
}
static __device__ inline unsigned long long __ballot(int p)
{
    return __nvvm_vote_ballot_sync(0xffffffff, p);
}
static __device__ inline int __shfl_down(int v, unsigned by)
{
    return __nvvm_shfl_sync_down_i32(0xffffffff, v, by, 31);
}
