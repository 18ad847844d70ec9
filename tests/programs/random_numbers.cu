// The generators of curand_kernel.h: integers exactly, uniform numbers rounded, normals as counts; and pi by chance.
#include "common.cuh"
#include <curand_kernel.h>

template <typename State> __global__ void integers(unsigned *out)
{
    State state;
    curand_init(1234, threadIdx.x, 10 * threadIdx.x, &state);
    unsigned x = 0;
    for (int i = 0; i < 50; i++)
        x = x * 31 + curand(&state);
    out[threadIdx.x] = x;
}

__global__ void kinds(unsigned *counts)
{
    curandStatePhilox4_32_10_t state;
    curand_init(99, threadIdx.x, 0, &state);
    for (int i = 0; i < 100; i++) {
        float uniform = curand_uniform(&state);
        atomicAdd(&counts[(int)(uniform * 7.999f)], 1);
        double fine = curand_uniform_double(&state);
        atomicAdd(&counts[8 + (fine > 0.25)], 1);
        uint4 four = curand4(&state);
        atomicXor(&counts[10], four.x ^ four.y ^ four.z ^ four.w);
        float normal = curand_normal(&state);
        atomicAdd(&counts[11], normal > 0);
        atomicAdd(&counts[12], fabsf(normal) < 1);
    }
}

__global__ void pi(unsigned long long *inside, int tries)
{
    curandState state;
    curand_init(7, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
    int mine = 0;
    for (int i = 0; i < tries; i++) {
        unsigned long long x = curand(&state) >> 8, y = curand(&state) >> 8;
        mine += x * x + y * y < 1ull << 48;
    }
    atomicAdd(inside, (unsigned long long)mine);
}

int main()
{
    unsigned *out, host[64];
    CHECK(cudaMalloc(&out, sizeof host));
    integers<curandStateXORWOW_t><<<1, 64>>>(out);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("xorwow %u %u\n", host[0], host[63]);
    integers<curandStatePhilox4_32_10_t><<<1, 64>>>(out);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("philox %u %u\n", host[0], host[63]);
    integers<curandStateMRG32k3a_t><<<1, 8>>>(out);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("mrg32k3a %u %u\n", host[0], host[7]);
    CHECK(cudaMemset(out, 0, sizeof host));
    kinds<<<1, 32>>>(out);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++)
        printf("%u ", host[i]);
    printf("/ %u %u / %08x\n", host[8], host[9], host[10]);
    fact("half of the normals are positive", host[11] > 1450 && host[11] < 1750);
    fact("two thirds are within one deviation", host[12] > 2050 && host[12] < 2320);
    unsigned long long *inside, hits = 0;
    CHECK(cudaMalloc(&inside, sizeof *inside));
    CHECK(cudaMemset(inside, 0, sizeof *inside));
    pi<<<8, 64>>>(inside, 100);
    CHECK(cudaMemcpy(&hits, inside, sizeof hits, cudaMemcpyDeviceToHost));
    printf("hits %llu of 51200: %.2f\n", hits, 4.0 * hits / 51200);
    return 0;
}
