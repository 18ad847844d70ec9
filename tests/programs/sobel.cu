// Edges in a picture of bytes: a separable blur with a halo in shared memory, then Sobel's operator.
#include "common.cuh"

const int WIDTH = 100, HEIGHT = 60, TILE = 16;

__device__ int clamp_to(int x, int limit)
{
    return x < 0 ? 0 : x >= limit ? limit - 1 : x;
}

__global__ void blur(const unsigned char *in, unsigned char *out)
{
    __shared__ int tile[TILE + 2][TILE + 2];
    int x0 = blockIdx.x * TILE - 1, y0 = blockIdx.y * TILE - 1;
    for (int i = threadIdx.y * TILE + threadIdx.x; i < (TILE + 2) * (TILE + 2); i += TILE * TILE) {
        int tx = i % (TILE + 2), ty = i / (TILE + 2);
        tile[ty][tx] = in[clamp_to(y0 + ty, HEIGHT) * WIDTH + clamp_to(x0 + tx, WIDTH)];
    }
    __syncthreads();
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y, sum = 0;
    const int weights[3] = {1, 2, 1};
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            sum += weights[dy] * weights[dx] * tile[threadIdx.y + dy][threadIdx.x + dx];
    if (x < WIDTH && y < HEIGHT)
        out[y * WIDTH + x] = sum / 16;
}

__global__ void sobel(const unsigned char *in, unsigned char *out, int *strong)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    bool edge = false;
    if (x < WIDTH && y < HEIGHT) {
        int at[3][3];
        for (int dy = 0; dy < 3; dy++)
            for (int dx = 0; dx < 3; dx++)
                at[dy][dx] = in[clamp_to(y + dy - 1, HEIGHT) * WIDTH + clamp_to(x + dx - 1, WIDTH)];
        int gx = at[0][2] + 2 * at[1][2] + at[2][2] - at[0][0] - 2 * at[1][0] - at[2][0];
        int gy = at[2][0] + 2 * at[2][1] + at[2][2] - at[0][0] - 2 * at[0][1] - at[0][2];
        int size = abs(gx) + abs(gy);
        out[y * WIDTH + x] = size > 255 ? 255 : size;
        edge = size > 200;
    }
    int count = __syncthreads_count(edge);
    if (threadIdx.x == 0 && threadIdx.y == 0)
        atomicAdd(strong, count);
}

int main()
{
    static unsigned char picture[HEIGHT][WIDTH];
    numbers random(4);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            bool disc = (x - 40) * (x - 40) + (y - 30) * (y - 30)<400, bar = x> 70 && x < 80;
            picture[y][x] = (disc ? 180 : bar ? 240 : 20) + random.below(15);
        }
    unsigned char *a, *b;
    int *strong, count = 0;
    CHECK(cudaMalloc(&a, sizeof picture));
    CHECK(cudaMalloc(&b, sizeof picture));
    CHECK(cudaMalloc(&strong, sizeof count));
    CHECK(cudaMemset(strong, 0, sizeof count));
    CHECK(cudaMemcpy(a, picture, sizeof picture, cudaMemcpyHostToDevice));
    dim3 grid((WIDTH + TILE - 1) / TILE, (HEIGHT + TILE - 1) / TILE), block(TILE, TILE);
    blur<<<grid, block>>>(a, b);
    sobel<<<grid, block>>>(b, a, strong);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(picture, a, sizeof picture, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&count, strong, sizeof count, cudaMemcpyDeviceToHost));
    printf("strong edges %d fingerprint %08x\n", count, fingerprint(picture, sizeof picture));
    for (int y = 2; y < HEIGHT; y += 4) {
        for (int x = 0; x < WIDTH; x += 2)
            putchar(picture[y][x] > 200 ? '#' : picture[y][x] > 80 ? '+' : '.');
        putchar('\n');
    }
    return 0;
}
