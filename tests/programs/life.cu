// The game of life on a torus, and a picture at the end.
#include "common.cuh"

const int WIDTH = 64, HEIGHT = 32;

__global__ void generation(const unsigned char *from, unsigned char *to)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, around = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                around += from[(y + dy + HEIGHT) % HEIGHT * WIDTH + (x + dx + WIDTH) % WIDTH];
    to[y * WIDTH + x] = around == 3 || (around == 2 && from[y * WIDTH + x]);
}

int main()
{
    static unsigned char world[HEIGHT][WIDTH];
    const char *glider[3] = {" #", "  #", "###"};
    for (int y = 0; y < 3; y++)
        for (int x = 0; glider[y][x]; x++)
            world[y + 3][x + 5] = glider[y][x] == '#';
    for (int x = 0; x < 10; x++)
        world[20][30 + x] = 1;
    unsigned char *a, *b;
    CHECK(cudaMalloc(&a, sizeof world));
    CHECK(cudaMalloc(&b, sizeof world));
    CHECK(cudaMemcpy(a, world, sizeof world, cudaMemcpyHostToDevice));
    dim3 block(16, 8), grid(WIDTH / 16, HEIGHT / 8);
    for (int g = 0; g < 60; g++) {
        generation<<<grid, block>>>(a, b);
        unsigned char *swap = a;
        a = b;
        b = swap;
    }
    CHECK_KERNEL();
    CHECK(cudaMemcpy(world, a, sizeof world, cudaMemcpyDeviceToHost));
    int alive = 0;
    for (auto &row : world) {
        for (unsigned char cell : row) {
            alive += cell;
            putchar(cell ? '#' : '.');
        }
        putchar('\n');
    }
    printf("alive %d\n", alive);
    return 0;
}
