/*
 * Programs whose launches vary in other ways than those of many_launches.cu: varied_launches NAME. They check that intervals
 * hold where rules that were made with those programs in mind could fail (docs/sampling.md).
 *
 *   waves     a grid that grows and shrinks again and again
 *   mixture   three kernels in an order without a period
 *   drift     threads loop longer from launch to launch, and unevenly
 *   strides   one kernel with a stride that changes at the same instructions: an argument tells the launches apart
 *   shuffle   a gather through a table that is shuffled more and more: nothing but the data tells the launches apart
 *   swap      buffers that take turns, one in the L2 and one far larger: nothing but the addresses tells the launches apart
 *   cycles    V-cycles of a multigrid solver: grids of many sizes, three kernels
 *   radix     sorting by digits: count, scan and scatter, with keys that are ever more in order
 */
#include "common.cuh"

enum { THREADS = 256 };

__global__ void scale(float *to, const float *from, int count, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        to[i] = from[i] * by + 1;
}

__global__ void blend(float *to, const float *from, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 12; k++)
        sum = sum * 0.5f + from[(i + k * 32) % count];
    to[i] = sum;
}

__global__ void polish(float *data, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i];
    for (int k = 0; k < rounds; k++)
        x = x * 0.7f + 0.5f;
    data[i] = x;
}

/* Loops as often as a mixed number of the thread says, around a length that the host raises. */
__global__ void wander(unsigned *data, const int *length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = data[i], rounds = *length + mixed(x) % (*length / 2 + 1);
    for (unsigned k = 0; k < rounds; k++)
        x = x * 1664525u + 1013904223u + (x >> 16 & 3);
    data[i] = x;
}

__global__ void walk(unsigned *to, const unsigned *from, unsigned stride, unsigned mask)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (unsigned k = 0; k < 8; k++)
        sum += from[(i * stride + k * 4096) & mask];
    to[i] = sum;
}

__global__ void gather(unsigned *to, const unsigned *from, const unsigned *table, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (unsigned k = 0; k < 4; k++)
        sum += from[table[(i + k * (count / 4)) % count]];
    to[i] = sum;
}

__global__ void smooth(float *to, const float *from, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * width + x;
    if (x < 1 || y < 1 || x >= width - 1 || y >= width - 1)
        return;
    to[i] = 0.25f * (from[i - 1] + from[i + 1] + from[i - width] + from[i + width]);
}

__global__ void coarsen(float *to, const float *from, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const float *f = from + 2 * y * 2 * width + 2 * x;
    to[y * width + x] = 0.25f * (f[0] + f[1] + f[2 * width] + f[2 * width + 1]);
}

__global__ void refine(float *to, const float *from, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    to[y * width + x] += 0.5f * from[y / 2 * (width / 2) + x / 2];
}

__global__ void count_digits(unsigned *counts, const unsigned *keys, int shift)
{
    __shared__ unsigned own[16];
    if (threadIdx.x < 16)
        own[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&own[keys[blockIdx.x * THREADS + threadIdx.x] >> shift & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        counts[threadIdx.x * gridDim.x + blockIdx.x] = own[threadIdx.x];
}

/* Sums before each element, by one block, each thread over a piece. */
__global__ void scan(unsigned *counts, int count)
{
    __shared__ unsigned sums[THREADS];
    int piece = count / THREADS, first = threadIdx.x * piece;
    unsigned sum = 0;
    for (int i = first; i < first + piece; i++)
        sum += counts[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int d = 1; d < THREADS; d *= 2) {
        unsigned before = threadIdx.x >= d ? sums[threadIdx.x - d] : 0;
        __syncthreads();
        sums[threadIdx.x] += before;
        __syncthreads();
    }
    unsigned before = sums[threadIdx.x] - sum;
    for (int i = first; i < first + piece; i++) {
        unsigned own = counts[i];
        counts[i] = before;
        before += own;
    }
}

__global__ void scatter(unsigned *to, const unsigned *keys, const unsigned *starts, int shift)
{
    __shared__ unsigned digits[THREADS];
    unsigned key = keys[blockIdx.x * THREADS + threadIdx.x], digit = key >> shift & 15, rank = 0;
    digits[threadIdx.x] = digit;
    __syncthreads();
    for (unsigned i = 0; i < threadIdx.x; i++)
        rank += digits[i] == digit;
    to[starts[digit * gridDim.x + blockIdx.x] + rank] = key;
}

static std::vector<float> floats(size_t count)
{
    std::vector<float> v(count);
    for (size_t i = 0; i < count; i++)
        v[i] = mixed(i) % 1000 / 1000.0f;
    return v;
}

static std::vector<unsigned> numbers(size_t count)
{
    std::vector<unsigned> v(count);
    for (size_t i = 0; i < count; i++)
        v[i] = mixed(i);
    return v;
}

static void run_waves(int rounds)
{
    const int most = 1 << 17;
    float *a = device(floats(most)), *b = device(floats(most));
    for (int i = 0; i < rounds; i++) {
        int size = i % 40, count = (size < 20 ? size + 1 : 41 - size) * (most / 21);
        scale<<<(count + THREADS - 1) / THREADS, THREADS>>>(a, b, count, 0.5f);
        std::swap(a, b);
    }
    print("waves", a, most);
}

static void run_mixture(int rounds)
{
    const int count = 1 << 16;
    float *a = device(floats(count)), *b = device(floats(count));
    for (int i = 0; i < rounds; i++)
        switch (mixed(i) % 5) {
        case 0: blend<<<count / THREADS, THREADS>>>(b, a, count); break;
        case 1: polish<<<count / THREADS, THREADS>>>(b, 8 + mixed(i + 7) % 24); break;
        default: scale<<<count / THREADS, THREADS>>>(a, b, count, 0.25f); break;
        }
    print("mixture", a, count);
}

static void run_drift(int rounds)
{
    const int count = 1 << 14;
    unsigned *data = device(numbers(count));
    int *length = device(std::vector<int>(1));
    for (int i = 0; i < rounds; i++) {
        int now = 10 + i / 8 + (i / 60 % 3) * 15;
        cudaMemcpy(length, &now, sizeof now, cudaMemcpyHostToDevice);
        wander<<<count / THREADS, THREADS>>>(data, length);
    }
    print("drift", data, count);
}

static void run_strides(int rounds)
{
    const int count = 1 << 16;
    unsigned *from = device(numbers(1 << 20)), *to = device(numbers(count));
    for (int i = 0; i < rounds; i++)
        walk<<<count / THREADS, THREADS>>>(to, from, 1u << i % 6, (1 << 20) - 1);
    print("strides", to, count);
}

static void run_shuffle(int rounds)
{
    const unsigned count = 1 << 16;
    std::vector<unsigned> table(count);
    for (unsigned i = 0; i < count; i++)
        table[i] = i;
    unsigned *from = device(numbers(count)), *to = device(numbers(count)), *places = device(table);
    for (int i = 0; i < rounds; i++) {
        for (unsigned k = 0; k < 200; k++)
            std::swap(table[mixed(i * 400 + 2 * k) % count], table[mixed(i * 400 + 2 * k + 1) % count]);
        cudaMemcpy(places, table.data(), count * sizeof(unsigned), cudaMemcpyHostToDevice);
        gather<<<count / THREADS, THREADS>>>(to, from, places, count);
    }
    print("shuffle", to, count);
}

static void run_swap(int rounds)
{
    const int count = 1 << 16;
    unsigned *near = device(numbers(count)), *far = device(numbers(1 << 20)), *to = device(numbers(count));
    for (int i = 0; i < rounds; i++)
        walk<<<count / THREADS, THREADS>>>(to, i % 2 ? far + (i % 16) * count : near, 3, count - 1);
    print("swap", to, count);
}

static void run_cycles(int rounds)
{
    float *a[6], *b[6];
    for (int l = 0; l < 6; l++) {
        a[l] = device(floats((512 >> l) * (512 >> l)));
        b[l] = device(floats((512 >> l) * (512 >> l)));
    }
    const dim3 block(16, 16);
    for (int i = 0; i < rounds; i++) {
        for (int l = 0; l < 6; l++) {
            int width = 512 >> l;
            dim3 grid(width / 16, width / 16);
            smooth<<<grid, block>>>(b[l], a[l], width);
            smooth<<<grid, block>>>(a[l], b[l], width);
            if (l < 5)
                coarsen<<<dim3(width / 32, width / 32), block>>>(a[l + 1], a[l], width / 2);
        }
        for (int l = 4; l >= 0; l--)
            refine<<<dim3((512 >> l) / 16, (512 >> l) / 16), block>>>(a[l], a[l + 1], 512 >> l);
    }
    print("cycles", a[0], 512 * 512);
}

static void run_radix(int arrays)
{
    const int count = 1 << 15, blocks = count / THREADS;
    unsigned *a = device(numbers(count)), *b = device(numbers(count)), *counts = device(std::vector<unsigned>(16 * blocks));
    for (int k = 0; k < arrays; k++) {
        std::vector<unsigned> keys(count);
        for (int i = 0; i < count; i++)
            keys[i] = mixed(k * count + i) >> k % 20;
        cudaMemcpy(a, keys.data(), count * sizeof(unsigned), cudaMemcpyHostToDevice);
        for (int shift = 0; shift < 32; shift += 4) {
            count_digits<<<blocks, THREADS>>>(counts, a, shift);
            scan<<<1, THREADS>>>(counts, 16 * blocks);
            scatter<<<blocks, THREADS>>>(b, a, counts, shift);
            std::swap(a, b);
        }
    }
    print("radix", a, count / 2);
}

int main(int count, char **words)
{
    const struct {
        const char *name;
        void (*run)(int);
        int rounds;
    } programs[] = {{"waves", run_waves, 600},     {"mixture", run_mixture, 500}, {"drift", run_drift, 400},
                    {"strides", run_strides, 300}, {"shuffle", run_shuffle, 400}, {"swap", run_swap, 400},
                    {"cycles", run_cycles, 30},    {"radix", run_radix, 12}};
    for (const auto &p : programs)
        if (count > 1 && !strcmp(words[1], p.name)) {
            p.run(p.rounds);
            return 0;
        }
    return fprintf(stderr, "usage: varied_launches waves|mixture|drift|strides|shuffle|swap|cycles|radix\n"), 2;
}
