// Products of matrices on tensor cores: wmma of half and of 8-bit integers through mma.h, and ldmatrix with mma as
// libraries write them. All sums are exact, so every order of additions gives the same.
// compilers: nvcc
#include "corpus.h"

#include <mma.h>

using namespace nvcuda;

enum { ROWS = 32, COLUMNS = 32, DEPTH = 64 };

// c = a * b + c, one warp for 16 by 16 elements; a by rows, b by columns.
extern "C" __global__ void tensor_wmma_half(const s8 *a, const s8 *b, float *c)
{
    __shared__ __align__(32) half left[16 * DEPTH], right[DEPTH * 16];
    int row = blockIdx.y * 16, column = blockIdx.x * 16;
    for (int i = threadIdx.x; i < 16 * DEPTH; i += 32) {
        left[i] = __int2half_rn(a[row * DEPTH + i]);
        right[i] = __int2half_rn(b[column * DEPTH + i]);
    }
    __syncwarp();
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::load_matrix_sync(sum, c + row * COLUMNS + column, COLUMNS, wmma::mem_row_major);
    for (int k = 0; k < DEPTH; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
        wmma::load_matrix_sync(x, left + k, DEPTH);
        wmma::load_matrix_sync(y, right + k, DEPTH);
        wmma::mma_sync(sum, x, y, sum);
    }
    for (int i = 0; i < sum.num_elements; i++)
        sum.x[i] += 1;
    wmma::store_matrix_sync(c + row * COLUMNS + column, sum, COLUMNS, wmma::mem_row_major);
}

// c = a * b, one warp for 32 by 8 elements, straight from global memory.
extern "C" __global__ void tensor_wmma_int8(const s8 *a, const s8 *b, int *c)
{
    int row = blockIdx.y * 32, column = blockIdx.x * 8;
    wmma::fragment<wmma::accumulator, 32, 8, 16, int> sum;
    wmma::fill_fragment(sum, 0);
    for (int k = 0; k < DEPTH; k += 16) {
        wmma::fragment<wmma::matrix_a, 32, 8, 16, s8, wmma::row_major> x;
        wmma::fragment<wmma::matrix_b, 32, 8, 16, s8, wmma::col_major> y;
        wmma::load_matrix_sync(x, a + row * DEPTH + k, DEPTH);
        wmma::load_matrix_sync(y, b + column * DEPTH + k, DEPTH);
        wmma::mma_sync(sum, x, y, sum);
    }
    wmma::store_matrix_sync(c + row * COLUMNS + column, sum, COLUMNS, wmma::mem_row_major);
}

// c = a * b with four warps, each 16 by 16 elements: tiles of both matrices in shared memory, b by rows, so that
// ldmatrix transposes it.
extern "C" __global__ void tensor_mma(const s8 *a, const s8 *b, float *c)
{
    __shared__ __align__(16) half left[ROWS][DEPTH + 8], right[DEPTH][COLUMNS + 8];
    for (int i = threadIdx.x; i < ROWS * DEPTH; i += blockDim.x) {
        left[i / DEPTH][i % DEPTH] = __int2half_rn(a[i]);
        right[i % DEPTH][i / DEPTH] = __int2half_rn(b[i]);
    }
    __syncthreads();
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = warp / 2 * 16, column = warp % 2 * 16;
    float sum[2][4] = {};
    for (int k = 0; k < DEPTH; k += 8) {
        u32 x[2], y[2];
        u32 from = (u32)__cvta_generic_to_shared(&left[row + lane % 16][k]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(x[0]), "=r"(x[1]) : "r"(from));
        from = (u32)__cvta_generic_to_shared(&right[k + lane % 8][column + lane / 8 % 2 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                     : "=r"(y[0]), "=r"(y[1])
                     : "r"(from));
        for (int i = 0; i < 2; i++)
            asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
                         "{%0, %1, %2, %3};"
                         : "+f"(sum[i][0]), "+f"(sum[i][1]), "+f"(sum[i][2]), "+f"(sum[i][3])
                         : "r"(x[0]), "r"(x[1]), "r"(y[i]));
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            c[(row + lane / 4 + j / 2 * 8) * COLUMNS + column + i * 8 + lane % 4 * 2 + j % 2] = sum[i][j];
}
