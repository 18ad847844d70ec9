// Module variables: constant and global, initialised with values, strings and addresses of each other.
#include "corpus.h"

struct node {
    int value;
    const node *next;
};

__constant__ int weights[8] = {3, -1, 4, 1, -5, 9, 2, -6};
__constant__ double scale = 0.0625;
__constant__ struct {
    u8 small;
    float wide[2];
} mixed = {7, {1.5f, -2.25f}};

__device__ int first = 11;
__device__ int table[5] = {10, 20, 30, 40};
__device__ int *places[4] = {table, table + 3, &first, &table[1]};
__device__ const char *const names[3] = {"warp", "weft", "heddle"};
__device__ const node third = {300, nullptr};
__device__ const node second = {200, &third};
__device__ const node chain[2] = {{1, &second}, {50, &third}};
__device__ int scratch[128];
__device__ u64 big = 0x8000000000000001ull;
__device__ bool yes = true;

static __device__ int square_root_table(int i)
{
    static const u8 roots[16] = {0, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3};
    return roots[i & 15];
}

extern "C" __global__ void globals(int *out, double *scaled)
{
    int i = threadIdx.x;
    int sum = weights[i & 7] + square_root_table(i);
    sum += *places[i & 3];
    const char *name = names[i % 3];
    for (int k = 0; name[k]; k++)
        sum += name[k] * (k + 1);
    for (const node *p = &chain[i & 1]; p; p = p->next)
        sum += p->value;
    scratch[i] = sum;
    __syncthreads();
    out[i] = scratch[i ^ 1] + table[4] + (yes ? (int)(big >> 60) : -1) + mixed.small;
    scaled[i] = scale * (double)sum + (double)mixed.wide[i & 1];
}
