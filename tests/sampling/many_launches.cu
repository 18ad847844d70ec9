/*
 * Programs of many launches, for the table of docs/sampling.md: many_launches NAME.
 *
 *   heat    a stencil of five points, one launch per step
 *   bfs     breadth-first search of a mesh with holes, two launches per level, as Rodinia's: levels differ
 *   kmeans  points are assigned to centres, and centres move; two launches per round
 *   gauss   elimination of columns, two launches per column, with a grid that shrinks
 *   sort    bitonic sorts of several arrays, with steps in global and in shared memory
 *   walsh   convolutions of a signal with several filters by fast Walsh transforms, which have two kernels, too
 *
 * Each program prints a sum over its result, which must not change with --sample.
 */
#include "common.cuh"

__global__ void heat(float *to, const float *from, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * width + x;
    float c = from[i], w = x ? from[i - 1] : c, e = x < width - 1 ? from[i + 1] : c;
    float n = y ? from[i - width] : c, s = y < width - 1 ? from[i + width] : c;
    to[i] = c + 0.2f * (w + e + n + s - 4 * c);
}

__global__ void expand(const unsigned char *open, unsigned char *frontier, unsigned char *next, const int *cost,
                       int *new_cost, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (!frontier[i])
        return;
    frontier[i] = 0;
    const int steps[4] = {-width, -1, 1, width};
    for (int k = 0; k < 4; k++) {
        int j = i + steps[k];
        if (open[j] && cost[j] < 0) {
            new_cost[j] = cost[i] + 1;
            next[j] = 1;
        }
    }
}

__global__ void advance(unsigned char *frontier, unsigned char *next, int *cost, const int *new_cost, int *goes_on)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (!next[i])
        return;
    next[i] = 0;
    frontier[i] = 1;
    cost[i] = new_cost[i];
    *goes_on = 1;
}

enum { CENTRES = 16, COORDINATES = 4 };

__global__ void assign(const float *points, const float *centres, float *sums, int *counts, int count)
{
    __shared__ float own[CENTRES * (COORDINATES + 1)];
    int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
    for (int k = threadIdx.x; k < CENTRES * (COORDINATES + 1); k += blockDim.x)
        own[k] = 0;
    __syncthreads();
    float least = 1e30f;
    for (int c = 0; c < CENTRES; c++) {
        float distance = 0;
        for (int d = 0; d < COORDINATES; d++) {
            float t = points[d * count + i] - centres[c * COORDINATES + d];
            distance += t * t;
        }
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    for (int d = 0; d < COORDINATES; d++)
        atomicAdd(&own[best * COORDINATES + d], floorf(points[d * count + i] * 64));
    atomicAdd(&own[CENTRES * COORDINATES + best], 1.0f);
    __syncthreads();
    if (threadIdx.x < CENTRES * COORDINATES)
        atomicAdd(&sums[threadIdx.x], own[threadIdx.x]);
    if (threadIdx.x < CENTRES)
        atomicAdd(&counts[threadIdx.x], (int)own[CENTRES * COORDINATES + threadIdx.x]);
}

__global__ void move(float *centres, float *sums, int *counts)
{
    int c = threadIdx.x / COORDINATES, members = counts[c];
    if (members)
        centres[threadIdx.x] = sums[threadIdx.x] / 64 / members;
    sums[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x < CENTRES)
        counts[threadIdx.x] = 0;
}

__global__ void factors(const float *m, float *factor, int n, int column)
{
    int row = column + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n)
        factor[row] = m[row * n + column] / m[column * n + column];
}

__global__ void eliminate(float *m, const float *factor, int n, int column)
{
    int x = column + blockIdx.x * blockDim.x + threadIdx.x, y = column + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n)
        m[y * n + x] -= factor[y] * m[column * n + x];
}

enum { HALF = 256 }; /* pairs of a block */

/* Orders the pairs at a distance, in runs of `length` keys that go up and down in turn. */
__global__ void order(unsigned *keys, unsigned distance, unsigned length)
{
    unsigned pair = blockIdx.x * blockDim.x + threadIdx.x, i = 2 * pair - (pair & (distance - 1));
    unsigned a = keys[i], b = keys[i + distance];
    bool goes_down = i & length;
    if ((a > b) != goes_down) {
        keys[i] = b;
        keys[i + distance] = a;
    }
}

/* All steps from a distance that fits into a block. */
__global__ void order_near(unsigned *keys, unsigned distance, unsigned length)
{
    __shared__ unsigned own[2 * HALF];
    unsigned *from = keys + blockIdx.x * 2 * HALF;
    own[threadIdx.x] = from[threadIdx.x];
    own[threadIdx.x + HALF] = from[threadIdx.x + HALF];
    for (; distance; distance /= 2) {
        __syncthreads();
        unsigned i = 2 * threadIdx.x - (threadIdx.x & (distance - 1)), a = own[i], b = own[i + distance];
        bool goes_down = (blockIdx.x * 2 * HALF + i) & length;
        if ((a > b) != goes_down) {
            own[i] = b;
            own[i + distance] = a;
        }
    }
    __syncthreads();
    from[threadIdx.x] = own[threadIdx.x];
    from[threadIdx.x + HALF] = own[threadIdx.x + HALF];
}

/* One step of a Walsh transform. */
__global__ void mix(float *data, unsigned distance)
{
    unsigned pair = blockIdx.x * blockDim.x + threadIdx.x, i = 2 * pair - (pair & (distance - 1));
    float a = data[i], b = data[i + distance];
    data[i] = a + b;
    data[i + distance] = a - b;
}

__global__ void mix_near(float *data)
{
    __shared__ float own[2 * HALF];
    float *from = data + blockIdx.x * 2 * HALF;
    own[threadIdx.x] = from[threadIdx.x];
    own[threadIdx.x + HALF] = from[threadIdx.x + HALF];
    for (unsigned distance = HALF; distance; distance /= 2) {
        __syncthreads();
        unsigned i = 2 * threadIdx.x - (threadIdx.x & (distance - 1));
        float a = own[i], b = own[i + distance];
        own[i] = a + b;
        own[i + distance] = a - b;
    }
    __syncthreads();
    from[threadIdx.x] = own[threadIdx.x];
    from[threadIdx.x + HALF] = own[threadIdx.x + HALF];
}

__global__ void multiply(float *data, const float *by, float scale)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] *= by[i] * scale;
}

static std::vector<float> random_floats(size_t count)
{
    std::vector<float> v(count);
    for (size_t i = 0; i < count; i++)
        v[i] = mixed(i) % 10000 / 10000.0f;
    return v;
}

static void run_heat(int width, int steps)
{
    float *a = device(random_floats((size_t)width * width)), *b = device(std::vector<float>((size_t)width * width));
    for (int i = 0; i < steps; i++) {
        heat<<<dim3(width / 32, width / 8), dim3(32, 8)>>>(b, a, width);
        std::swap(a, b);
    }
    print("heat", a, (size_t)width * width);
}

static void run_bfs(int width)
{
    int n = width * width, start = n / 2 + width / 2, goes_on = 1, *flag;
    std::vector<unsigned char> open(n), frontier(n);
    for (int i = 0; i < n; i++) {
        int x = i % width, y = i / width;
        bool is_inside = x && y && x < width - 1 && y < width - 1;
        open[i] = is_inside && (mixed(i) % 100 >= 35 || i == start);
    }
    std::vector<int> cost(n, -1);
    frontier[start] = 1;
    cost[start] = 0;
    unsigned char *o = device(open), *f = device(frontier), *next = device(std::vector<unsigned char>(n));
    int *c = device(cost), *new_cost = device(cost);
    cudaMalloc(&flag, sizeof *flag);
    while (goes_on) {
        cudaMemset(flag, 0, sizeof *flag);
        expand<<<n / 256, 256>>>(o, f, next, c, new_cost, width);
        advance<<<n / 256, 256>>>(f, next, c, new_cost, flag);
        cudaMemcpy(&goes_on, flag, sizeof goes_on, cudaMemcpyDeviceToHost);
    }
    print("bfs", c, n);
}

static void run_kmeans(int count, int rounds)
{
    float *points = device(random_floats((size_t)count * COORDINATES));
    float *centres = device(random_floats(CENTRES * COORDINATES)), *sums = device(std::vector<float>(CENTRES * COORDINATES));
    int *counts = device(std::vector<int>(CENTRES));
    for (int i = 0; i < rounds; i++) {
        assign<<<count / 256, 256>>>(points, centres, sums, counts, count);
        move<<<1, CENTRES * COORDINATES>>>(centres, sums, counts);
    }
    print("kmeans", centres, CENTRES * COORDINATES);
}

static void run_gauss(int n)
{
    std::vector<float> matrix = random_floats((size_t)n * n);
    for (int i = 0; i < n; i++)
        matrix[(size_t)i * n + i] += n;
    float *m = device(matrix), *factor = device(std::vector<float>(n));
    for (int column = 0; column < n - 1; column++) {
        int left = n - column;
        factors<<<(left + 255) / 256, 256>>>(m, factor, n, column);
        eliminate<<<dim3((left + 31) / 32, (left + 7) / 8), dim3(32, 8)>>>(m, factor, n, column);
    }
    print("gauss", m, (size_t)n * n);
}

static void run_sort(unsigned n, int arrays)
{
    std::vector<unsigned> host(n);
    unsigned *keys = device(host);
    for (int k = 0; k < arrays; k++) {
        for (unsigned i = 0; i < n; i++)
            host[i] = mixed(k * n + i);
        cudaMemcpy(keys, host.data(), n * sizeof *keys, cudaMemcpyHostToDevice);
        for (unsigned length = 2; length <= n; length *= 2) {
            unsigned distance = length / 2;
            for (; distance > HALF; distance /= 2)
                order<<<n / 2 / HALF, HALF>>>(keys, distance, length);
            order_near<<<n / 2 / HALF, HALF>>>(keys, distance, length);
        }
    }
    print("sort", keys, n / 2);
}

static void transform(float *data, unsigned n)
{
    for (unsigned distance = n / 2; distance > HALF; distance /= 2)
        mix<<<n / 2 / HALF, HALF>>>(data, distance);
    mix_near<<<n / 2 / HALF, HALF>>>(data);
}

static void run_walsh(unsigned n, int filters)
{
    float *signal = device(random_floats(n)), *filter = device(std::vector<float>(n));
    transform(signal, n);
    for (int k = 0; k < filters; k++) {
        std::vector<float> taps = random_floats(256);
        cudaMemset(filter, 0, n * sizeof *filter);
        cudaMemcpy(filter, taps.data(), taps.size() * sizeof *filter, cudaMemcpyHostToDevice);
        transform(filter, n);
        multiply<<<n / 256, 256>>>(filter, signal, 1.0f / n);
        transform(filter, n);
    }
    print("walsh", filter, n);
}

int main(int count, char **words)
{
    const char *name = count > 1 ? words[1] : "";
    if (!strcmp(name, "heat"))
        run_heat(512, 400);
    else if (!strcmp(name, "bfs"))
        run_bfs(512);
    else if (!strcmp(name, "kmeans"))
        run_kmeans(1 << 16, 300);
    else if (!strcmp(name, "gauss"))
        run_gauss(768);
    else if (!strcmp(name, "sort"))
        run_sort(1 << 18, 8);
    else if (!strcmp(name, "walsh"))
        run_walsh(1 << 18, 40);
    else
        return fprintf(stderr, "usage: many_launches heat|bfs|kmeans|gauss|sort|walsh\n"), 2;
    return 0;
}
