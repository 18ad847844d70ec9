/*
 * Programs of one long launch, for the table of docs/sampling.md: one_launch NAME.
 *
 *   mandelbrot  threads loop until their point escapes: blocks differ by a factor of a hundred
 *   spmv        one thread per row of a sparse matrix; rows have 1 to 63 entries, which gather from a vector
 *   matmul      a product of matrices by tiles in shared memory: all blocks are alike
 *   histogram   bins in shared memory, added up by global atomics
 *
 * Each program prints a sum over its result, which must not change with --sample.
 */
#include "common.cuh"

__global__ void mandelbrot(unsigned *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float a = -2.2f + 3.0f * x / width, b = -1.2f + 2.4f * y / height, p = 0, q = 0;
    int n = 0;
    for (; n < 192 && p * p + q * q < 4; n++) {
        float r = p * p - q * q + a;
        q = 2 * p * q + b;
        p = r;
    }
    out[y * width + x] = n;
}

/* Long rows stand together, as meshes with refined regions have them. */
__global__ void spmv(float *out, const float *vector, unsigned mask, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    unsigned seed = mixed(row), entries = 1 + (seed & 31) + (mixed(row >> 14) & 31);
    float sum = 0;
    for (unsigned i = 0; i < entries; i++) {
        seed = seed * 1664525u + 1013904223u;
        unsigned column = i & 1 ? seed >> 8 : (unsigned)row + (seed >> 26);
        sum += (float)(seed >> 20) * vector[column & mask];
    }
    out[row] = sum;
}

__global__ void matmul(float *out, const float *a, const float *b, int inner, int width)
{
    __shared__ float left[16][16], right[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < inner; t += 16) {
        left[threadIdx.y][threadIdx.x] = a[row * inner + t + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * width + column];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += left[threadIdx.y][k] * right[k][threadIdx.x];
        __syncthreads();
    }
    out[row * width + column] = sum;
}

__global__ void histogram(unsigned *bins, const unsigned *in)
{
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    const unsigned *from = in + blockIdx.x * 1024u + threadIdx.x;
    for (int i = 0; i < 4; i++) {
        unsigned value = from[i * 256];
        for (int k = 0; k < 4; k++)
            atomicAdd(&own[value >> 8 * k & 255], 1);
    }
    __syncthreads();
    if (own[threadIdx.x])
        atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

template <class T> static T *device(size_t count, bool is_random)
{
    std::vector<T> host(count);
    for (size_t i = 0; is_random && i < count; i++)
        host[i] = (T)(sizeof(T) == 4 && (T)0.5f != (T)0 ? mixed(i) % 1000 / 1000.0f : mixed(i));
    return device(host);
}

int main(int count, char **words)
{
    const char *name = count > 1 ? words[1] : "";
    if (!strcmp(name, "mandelbrot")) {
        unsigned *out = device<unsigned>(4096 * 3072, false);
        mandelbrot<<<dim3(4096 / 16, 3072 / 8), dim3(16, 8)>>>(out, 4096, 3072);
        print(name, out, 4096 * 3072);
    } else if (!strcmp(name, "spmv")) {
        const int rows = 6 << 20;
        float *out = device<float>(rows, false), *vector = device<float>(1 << 20, true);
        spmv<<<rows / 128, 128>>>(out, vector, (1 << 20) - 1, rows);
        print(name, out, rows);
    } else if (!strcmp(name, "matmul")) {
        float *a = device<float>(3200 * 128, true), *b = device<float>(128 * 3200, true);
        float *out = device<float>(3200 * 3200, false);
        matmul<<<dim3(200, 200), dim3(16, 16)>>>(out, a, b, 128, 3200);
        print(name, out, 3200 * 3200);
    } else if (!strcmp(name, "histogram")) {
        unsigned *in = device<unsigned>(96 << 20, true), *bins = device<unsigned>(256, false);
        histogram<<<(96 << 20) / 1024, 256>>>(bins, in);
        print(name, bins, 256);
    } else {
        fprintf(stderr, "usage: one_launch mandelbrot|spmv|matmul|histogram\n");
        return 2;
    }
    return 0;
}
