// Fast Walsh-Hadamard transforms and the convolution that they make a product of. Long transforms take two binary
// stages a launch from global memory until what is left of each fits in shared memory.

#include "device.h"

// Two stages at once for four numbers that are `stride` apart.
static __device__ __forceinline__ void butterfly(float *at, int stride)
{
    float a = at[0], b = at[stride], c = at[2 * stride], d = at[3 * stride];
    float a_c = a + c, b_d = b + d, a_less_c = a - c, b_less_d = b - d;
    at[0] = a_c + b_d;
    at[stride] = a_c - b_d;
    at[2 * stride] = a_less_c + b_less_d;
    at[3 * stride] = a_less_c - b_less_d;
}

// A block transforms 2^log2_length numbers by a quarter as many threads.
extern "C" __global__ void transform_in_shared(float *out, const float *in, int log2_length)
{
    extern __shared__ float tile[];
    const int length = 1 << log2_length, first = blockIdx.x << log2_length, me = threadIdx.x;
    out += first;
    in += first;
    for (int i = me; i < length; i += blockDim.x)
        tile[i] = in[i];

    for (int stride = length >> 2; stride > 0; stride >>= 2) {
        int low = me & (stride - 1);
        __syncthreads();
        butterfly(tile + ((me - low) << 2) + low, stride);
    }
    // An odd number of stages leaves one of two numbers.
    if (log2_length & 1) {
        __syncthreads();
        for (int i = me; i < length / 2; i += blockDim.x) {
            float a = tile[2 * i], b = tile[2 * i + 1];
            tile[2 * i] = a + b;
            tile[2 * i + 1] = a - b;
        }
    }

    __syncthreads();
    for (int i = me; i < length; i += blockDim.x)
        out[i] = tile[i];
}

// Two stages of transforms of gridDim.y signals, each as long as four times the threads of a row of blocks.
extern "C" __global__ void transform_in_global(float *out, const float *in, int stride)
{
    const int me = blockIdx.x * blockDim.x + threadIdx.x, length = blockDim.x * gridDim.x * 4;
    int low = me & (stride - 1), at = blockIdx.y * length + ((me - low) << 2) + low;
    float a = in[at], b = in[at + stride], c = in[at + 2 * stride], d = in[at + 3 * stride];
    float a_c = a + c, b_d = b + d, a_less_c = a - c, b_less_d = b - d;
    out[at] = a_c + b_d;
    out[at + stride] = a_c - b_d;
    out[at + 2 * stride] = a_less_c + b_less_d;
    out[at + 3 * stride] = a_less_c - b_less_d;
}

// The product of two spectra, divided by their length.
extern "C" __global__ void modulate(float *spectrum, const float *by, int length)
{
    const int me = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    const float scale = 1.0f / (float)length;
    for (int i = me; i < length; i += threads)
        spectrum[i] *= by[i] * scale;
}
