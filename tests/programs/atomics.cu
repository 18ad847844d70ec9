// Atomic operations on every type and scope, locks, and a last block that finishes the work.
#include "common.cuh"
#include <cstring>

struct cells {
    int add, sub, least, most, both, either, odd, inc, dec, exchanged;
    unsigned unsigned_most;
    unsigned long long wide_add, wide_most, wide_bits;
    float real;
    double big_real;
    int by_cas, in_block, in_system;
};

__global__ void all_kinds(cells *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&c->add, i);
    atomicSub(&c->sub, 2);
    atomicMin(&c->least, -(i * 7 % 1000));
    atomicMax(&c->most, i * 13 % 997);
    atomicAnd(&c->both, ~(1 << i % 20));
    atomicOr(&c->either, 1 << i % 23);
    atomicXor(&c->odd, i);
    atomicInc((unsigned *)&c->inc, 99);
    atomicDec((unsigned *)&c->dec, 49);
    atomicMax(&c->unsigned_most, 4000000000u + i);
    atomicAdd(&c->wide_add, 1ull << 30);
    atomicMax(&c->wide_most, (unsigned long long)i << 35);
    atomicOr(&c->wide_bits, 1ull << i % 61);
    atomicAdd(&c->real, 0.25f);
    atomicAdd(&c->big_real, 0.125);
    int seen = c->by_cas, expected;
    do {
        expected = seen;
        seen = atomicCAS(&c->by_cas, expected, expected + 3);
    } while (seen != expected);
    atomicAdd_block(&c->in_block, blockIdx.x == 0);
    atomicAdd_system(&c->in_system, 1);
    if (i == 77)
        atomicExch(&c->exchanged, 12345);
}

__device__ int lock;
__device__ volatile int guarded;

__global__ void locked()
{
    // One thread per block takes the lock.
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1) != 0)
            ;
        __threadfence();
        guarded = guarded + 1;
        __threadfence();
        atomicExch(&lock, 0);
    }
}

__device__ unsigned arrived;
__global__ void last_block(int *partial, int *result)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = blockIdx.x * blockIdx.x;
        __threadfence();
        last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (unsigned b = 0; b < gridDim.x; b++)
            sum += partial[b];
        *result = sum;
    }
}

int main()
{
    cells *c;
    CHECK(cudaMallocManaged(&c, sizeof *c));
    memset(c, 0, sizeof *c);
    c->both = -1;
    all_kinds<<<8, 64>>>(c);
    CHECK_KERNEL();
    printf("add %d sub %d least %d most %d both %x either %x odd %d\n", c->add, c->sub, c->least, c->most, c->both,
           c->either, c->odd);
    printf("inc %d dec %d unsigned %u wide %llu %llu %llx\n", c->inc, c->dec, c->unsigned_most, c->wide_add,
           c->wide_most, c->wide_bits);
    printf("real %g big real %g\n", c->real, c->big_real);
    printf("cas %d block %d system %d exchanged %d\n", c->by_cas, c->in_block, c->in_system, c->exchanged);
    locked<<<50, 32>>>();
    CHECK_KERNEL();
    int value = 0;
    CHECK(cudaMemcpyFromSymbol(&value, guarded, sizeof value));
    printf("locked %d\n", value);
    int *partial, *result;
    CHECK(cudaMalloc(&partial, 30 * sizeof(int)));
    CHECK(cudaMalloc(&result, sizeof(int)));
    for (int round = 0; round < 2; round++) {
        last_block<<<30, 32>>>(partial, result);
        CHECK(cudaMemcpy(&value, result, sizeof value, cudaMemcpyDeviceToHost));
        printf("last block %d\n", value);
    }
    return 0;
}
