/*
 * What nvcc's other passes do to predictions (Damani et al., CGO 2020, section 6): one kernel per case. compiled.ptx is
 * made of it by
 *     nvcc -ptx -arch=sm_75 -O3 -lineinfo -Iinclude tests/recon/compiled.cu -o tests/recon/compiled.ptx
 * and the path in its `.file` shortened to the name.
 * nvcc neither interchanges nor fuses loops. The kernels interchanged and fused are written as a pass would leave them:
 * pragmas stay with the statements that they stood at.
 */
#include "heddle_hints.h"

#define GID          (blockIdx.x * blockDim.x + threadIdx.x)
#define KERNEL(name) extern "C" __global__ void name(float *out, unsigned n)

static __device__ __forceinline__ unsigned next(unsigned random)
{
    return random * 1664525u + 1013904223u;
}

static __device__ __forceinline__ bool is_rare(unsigned random)
{
    return (random >> 16 & 7) == 0;
}

static __device__ __forceinline__ unsigned steps_of(unsigned random)
{
    return 2u << (random >> 16 & 7);
}

static __device__ __forceinline__ float work(float value, unsigned step)
{
    return value * 0.999f + sqrtf(value + (float)step);
}

/* ---- iteration delay ---- */

static __device__ __forceinline__ float rare_work(float value)
{
#pragma unroll 1
    for (unsigned k = 0; k < 40; k++)
        value = work(value, k);
    return value;
}

KERNEL(delay_kept)
{
    unsigned random = next(GID);
    float sum = 1;
    HEDDLE_PREDICT(rare);
#pragma unroll 1
    for (unsigned round = 0; round < n; round++) {
        random = next(random);
        if (is_rare(random)) {
            HEDDLE_LABEL(rare);
            sum = rare_work(sum);
        }
    }
    out[GID] = sum;
}

/* No loop is left: four copies of the label. */
KERNEL(delay_unrolled_wholly)
{
    unsigned random = next(GID);
    float sum = 1;
    HEDDLE_PREDICT(rare);
#pragma unroll
    for (unsigned round = 0; round < 4; round++) {
        random = next(random);
        if (is_rare(random)) {
            HEDDLE_LABEL(rare);
            sum = rare_work(sum);
        }
    }
    out[GID] = sum;
}

/* Two copies of the label in the loop, and one for the round that is left over. */
KERNEL(delay_unrolled_partly)
{
    unsigned random = next(GID);
    float sum = 1;
    HEDDLE_PREDICT(rare);
#pragma unroll 2
    for (unsigned round = 0; round < n; round++) {
        random = next(random);
        if (is_rare(random)) {
            HEDDLE_LABEL(rare);
            sum = rare_work(sum);
        }
    }
    out[GID] = sum;
}

/* ---- loop merge ---- */

/* The inner loop is gone, and the outer loop has six copies of the label, to which all threads come together. */
KERNEL(merge_unrolled_wholly)
{
    unsigned random = next(GID);
    float sum = 1;
    HEDDLE_PREDICT(merge);
#pragma unroll 1
    for (unsigned task = 0; task < n; task++) {
        random = next(random);
#pragma unroll
        for (unsigned step = 0; step < 6; step++) {
            HEDDLE_LABEL(merge);
            sum = work(sum, random ^ step);
        }
    }
    out[GID] = sum;
}

/* Four copies in the inner loop, one in the loop of what is left over. */
KERNEL(merge_unrolled_partly)
{
    unsigned random = next(GID);
    float sum = 1;
    HEDDLE_PREDICT(merge);
#pragma unroll 1
    for (unsigned task = 0; task < n; task++) {
        random = next(random);
        unsigned steps = steps_of(random);
#pragma unroll 4
        for (unsigned step = 0; step < steps; step++) {
            HEDDLE_LABEL(merge);
            sum = work(sum, random ^ step);
        }
    }
    out[GID] = sum;
}

/* The loop over tasks, which was the outer loop, is now the inner one. All threads leave it together. */
KERNEL(interchanged)
{
    unsigned steps = steps_of(next(GID));
    float sum = 1;
    HEDDLE_PREDICT(merge);
#pragma unroll 1
    for (unsigned step = 0; step < steps; step++)
#pragma unroll 1
        for (unsigned task = 0; task < n; task++) {
            HEDDLE_LABEL(merge);
            sum = work(sum, task ^ step);
        }
    out[GID] = sum;
}

/* Two loops, the label in both. */
KERNEL(not_fused)
{
    unsigned random = next(GID);
    float sum = 1, other = 1;
    HEDDLE_PREDICT(merge);
#pragma unroll 1
    for (unsigned task = 0; task < n; task++) {
        random = next(random);
        unsigned steps = steps_of(random);
#pragma unroll 1
        for (unsigned step = 0; step < steps; step++) {
            HEDDLE_LABEL(merge);
            sum = work(sum, random ^ step);
        }
#pragma unroll 1
        for (unsigned step = 0; step < steps; step++) {
            HEDDLE_LABEL(merge);
            other = work(other, random + step);
        }
    }
    out[GID] = sum + other;
}

/* The two loops as one. */
KERNEL(fused)
{
    unsigned random = next(GID);
    float sum = 1, other = 1;
    HEDDLE_PREDICT(merge);
#pragma unroll 1
    for (unsigned task = 0; task < n; task++) {
        random = next(random);
        unsigned steps = steps_of(random);
#pragma unroll 1
        for (unsigned step = 0; step < steps; step++) {
            HEDDLE_LABEL(merge);
            sum = work(sum, random ^ step);
            HEDDLE_LABEL(merge);
            other = work(other, random + step);
        }
    }
    out[GID] = sum + other;
}

/* ---- common call ---- */

extern "C" __device__ float inlined(float value)
{
    return rare_work(value);
}

extern "C" __device__ __noinline__ float kept(float value)
{
    return rare_work(value);
}

/* The function is gone from both sides. */
KERNEL(call_inlined)
{
    unsigned random = next(GID);
    float sum = 1;
#pragma unroll 1
    for (unsigned round = 0; round < n; round++) {
        random = next(random);
        float x = (float)(random >> 16);
        HEDDLE_PREDICT(inlined);
        if (random >> 16 & 1)
            sum = inlined(sum);
        else
            sum = inlined(sum + x) - x;
    }
    out[GID] = sum;
}

/* The loop is unrolled twice: four calls, two beginnings of the region. */
KERNEL(call_kept)
{
    unsigned random = next(GID);
    float sum = 1;
#pragma unroll 2
    for (unsigned round = 0; round < n; round++) {
        random = next(random);
        float x = (float)(random >> 16);
        HEDDLE_PREDICT(kept);
        if (random >> 16 & 1)
            sum = kept(sum);
        else
            sum = kept(sum + x) - x;
    }
    out[GID] = sum;
}

static __device__ __forceinline__ float marked(float value)
{
    HEDDLE_LABEL(side);
    return rare_work(value);
}

/* A label in a function that was inlined on both sides, outside of loops. */
KERNEL(label_inlined)
{
    float sum = 1, x = (float)GID;
    HEDDLE_PREDICT(side);
    if (next(GID) >> 16 & 1)
        sum = marked(sum);
    else
        sum = marked(sum + x) - x;
    out[GID] = sum;
}

/* The same in a loop: either copy is a point for threads of other rounds. */
KERNEL(label_inlined_in_loop)
{
    unsigned random = next(GID);
    float sum = 1;
    HEDDLE_PREDICT(side);
#pragma unroll 1
    for (unsigned round = 0; round < n; round++) {
        random = next(random);
        float x = (float)(random >> 16);
        if (random >> 16 & 1)
            sum = marked(sum);
        else
            sum = marked(sum + x) - x;
    }
    out[GID] = sum;
}

/* ---- dead code ---- */

KERNEL(label_dead)
{
    unsigned random = next(GID);
    float sum = 1;
    HEDDLE_PREDICT(never);
#pragma unroll 1
    for (unsigned round = 0; round < n; round++) {
        random = next(random);
        if (n > 10 && n < 5) {
            HEDDLE_LABEL(never);
            sum = work(sum, round);
        }
        sum = work(sum, random);
    }
    out[GID] = sum;
}

KERNEL(prediction_dead)
{
    unsigned random = next(GID);
    float sum = 1;
    if (n > 10 && n < 5)
        HEDDLE_PREDICT(nobody);
#pragma unroll 1
    for (unsigned round = 0; round < n; round++) {
        random = next(random);
        if (is_rare(random)) {
            HEDDLE_LABEL(nobody);
            sum = rare_work(sum);
        }
    }
    out[GID] = sum;
}
