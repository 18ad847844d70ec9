/*
 * The three patterns of speculative reconvergence (Damani et al., CGO 2020, Fig. 2), each as one would write it and
 * changed by hand so that the threads of a warp meet at the expensive part. Blocks have whole warps.
 *
 * nvcc -ptx -arch=sm_90 -fmad=false tests/validate/vote/kernels.cu -o tests/validate/vote/kernels.ptx
 */
#include "patterns.h"

#define WHOLE_WARP 0xffffffffu

static __device__ __forceinline__ unsigned thread_number(void)
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

/* ---- iteration delay: in each round one thread in eight has expensive work ---- */

extern "C" __global__ void iteration_delay(float *out, unsigned rounds)
{
    unsigned random = first_random(thread_number());
    float value = 1;
    for (unsigned round = 0; round < rounds; round++) {
        random = next_random(random);
        if (is_rare(random))
            value = rare_work(value, random);
    }
    out[thread_number()] = value;
}

/* Each thread goes on alone to its next round with work. The vote is where they meet. */
extern "C" __global__ void iteration_delay_vote(float *out, unsigned rounds)
{
    unsigned random = first_random(thread_number()), round = 0;
    float value = 1;
    for (;;) {
        bool has_work = false;
        while (!has_work && round < rounds) {
            random = next_random(random);
            has_work = is_rare(random);
            round++;
        }
        if (!__any_sync(WHOLE_WARP, has_work))
            break;
        if (has_work)
            value = rare_work(value, random);
    }
    out[thread_number()] = value;
}

/* ---- loop merge: the inner loop has 4 to 321 rounds ---- */

extern "C" __global__ void loop_merge(float *out, unsigned lookups)
{
    unsigned random = first_random(thread_number());
    float total = 0;
    for (unsigned lookup = 0; lookup < lookups; lookup++) {
        random = next_random(random);
        const unsigned nuclides = nuclides_of[material_of(random)];
        float sum = 0;
        for (unsigned nuclide = 0; nuclide < nuclides; nuclide++)
            sum += cross_section(nuclide, random);
        total += sum;
    }
    out[thread_number()] = total;
}

/* nvcc makes four rounds of the inner loop one, and a rest of up to three. Here it may not. */
extern "C" __global__ void loop_merge_rolled(float *out, unsigned lookups)
{
    unsigned random = first_random(thread_number());
    float total = 0;
    for (unsigned lookup = 0; lookup < lookups; lookup++) {
        random = next_random(random);
        const unsigned nuclides = nuclides_of[material_of(random)];
        float sum = 0;
#pragma unroll 1
        for (unsigned nuclide = 0; nuclide < nuclides; nuclide++)
            sum += cross_section(nuclide, random);
        total += sum;
    }
    out[thread_number()] = total;
}

/* One loop over the nuclides of all lookups: who is through with a lookup takes the next, and then all meet. */
extern "C" __global__ void loop_merge_vote(float *out, unsigned lookups)
{
    unsigned random = first_random(thread_number()), lookup = 0, nuclide = 0, nuclides = 0;
    float total = 0, sum = 0;
    for (;;) {
        if (nuclide == nuclides && lookup < lookups) {
            total += sum;
            random = next_random(random);
            nuclides = nuclides_of[material_of(random)];
            nuclide = 0;
            sum = 0;
            lookup++;
        }
        const bool has_work = nuclide < nuclides;
        if (!__any_sync(WHOLE_WARP, has_work))
            break;
        if (has_work)
            sum += cross_section(nuclide++, random);
    }
    out[thread_number()] = total + sum;
}

/* ---- common call: both sides of a branch call one function ---- */

extern "C" __device__ __noinline__ float common_function(float value)
{
    return common_work(value);
}

extern "C" __global__ void common_call(float *out, unsigned rounds)
{
    unsigned random = first_random(thread_number());
    float value = 1;
    for (unsigned round = 0; round < rounds; round++) {
        random = next_random(random);
        if (is_odd(random)) {
            const float offset = offset_of(random);
            value = common_function(value + offset) - offset;
        } else {
            value = common_function(value);
        }
    }
    out[thread_number()] = value;
}

/* Both sides only make the argument ready, and there is one call. */
extern "C" __global__ void common_call_vote(float *out, unsigned rounds)
{
    unsigned random = first_random(thread_number());
    float value = 1;
    for (unsigned round = 0; __any_sync(WHOLE_WARP, round < rounds); round++) {
        random = next_random(random);
        const bool odd = is_odd(random);
        const float offset = offset_of(random);
        if (odd)
            value += offset;
        __syncwarp();
        value = common_function(value);
        if (odd)
            value -= offset;
    }
    out[thread_number()] = value;
}
