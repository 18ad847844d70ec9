// The Mandelbrot set in fixed-point numbers, so that every device draws the same picture; strong divergence.
#include "common.cuh"

__global__ void draw(unsigned char *image, int width, int height, int limit)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    // 20 binary digits behind the point
    long long cr = -(2ll << 20) + x * (3ll << 20) / width, ci = -(1ll << 20) + y * (2ll << 20) / height;
    long long zr = 0, zi = 0;
    int n = 0;
    while (n < limit && zr * zr + zi * zi < 4ll << 40) {
        long long next = ((zr * zr - zi * zi) >> 20) + cr;
        zi = ((2 * zr * zi) >> 20) + ci;
        zr = next;
        n++;
    }
    image[y * width + x] = n;
}

int main()
{
    const int width = 96, height = 48;
    static unsigned char host[height][width];
    unsigned char *image;
    CHECK(cudaMalloc(&image, sizeof host));
    draw<<<dim3((width + 15) / 16, (height + 7) / 8), dim3(16, 8)>>>(image, width, height, 200);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, image, sizeof host, cudaMemcpyDeviceToHost));
    int inside = 0;
    long long sum = 0;
    for (auto &row : host)
        for (unsigned char n : row) {
            inside += n == 200;
            sum += n;
        }
    printf("inside %d sum %lld fingerprint %08x\n", inside, sum, fingerprint(host, sizeof host));
    for (int y = 0; y < height; y += 4) {
        for (int x = 0; x < width; x += 2)
            putchar(" .:-=+*#%@"[host[y][x] >= 200 ? 9 : host[y][x] % 9]);
        putchar('\n');
    }
    return 0;
}
