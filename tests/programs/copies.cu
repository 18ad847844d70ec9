// Copies of planes and boxes: pitched rows, parts of them, all directions, and the fills of the same shapes.
#include "common.cuh"
#include <cstring>

__global__ void number_plane(unsigned char *plane, size_t pitch, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        ((int *)(plane + y * pitch))[x] = 1000 * y + x;
}

__global__ void number_box(cudaPitchedPtr box, int width, int height, int depth)
{
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    if (x < width && y < height && z < depth) {
        char *slice = (char *)box.ptr + z * box.pitch * height;
        ((int *)(slice + y * box.pitch))[x] = 10000 * z + 100 * y + x;
    }
}

static void planes()
{
    const int width = 37, height = 11;
    size_t pitch = 0;
    unsigned char *plane;
    CHECK(cudaMallocPitch(&plane, &pitch, width * sizeof(int), height));
    fact("pitch holds a row", pitch >= width * sizeof(int));
    CHECK(cudaMemset2D(plane, pitch, 0xab, pitch, height));
    number_plane<<<dim3(2, 2), dim3(32, 8)>>>(plane, pitch, width, height);
    CHECK_KERNEL();
    int host[height][width];
    CHECK(cudaMemcpy2D(host, sizeof host[0], plane, pitch, sizeof host[0], height, cudaMemcpyDeviceToHost));
    long long sum = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            sum += host[y][x];
    printf("plane sum %lld corners %d %d\n", sum, host[0][width - 1], host[height - 1][0]);

    // A window of 5 by 3 numbers, from host to the middle of the plane, then to a second plane, and back.
    int window[3][8];
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 8; x++)
            window[y][x] = -(10 * y + x);
    CHECK(cudaMemcpy2D(plane + 4 * pitch + 6 * sizeof(int), pitch, window, sizeof window[0], 5 * sizeof(int), 3,
                       cudaMemcpyHostToDevice));
    unsigned char *second;
    size_t second_pitch;
    CHECK(cudaMallocPitch((void **)&second, &second_pitch, 500, 20));
    CHECK(cudaMemset2DAsync(second, second_pitch, 0, 500, 20, 0));
    CHECK(cudaMemcpy2DAsync(second + second_pitch, second_pitch, plane, pitch, width * sizeof(int), height,
                            cudaMemcpyDeviceToDevice, 0));
    memset(host, 0, sizeof host);
    CHECK(cudaMemcpy2D(host, sizeof host[0], second + second_pitch, second_pitch, sizeof host[0], height,
                       cudaMemcpyDefault));
    for (int y = 3; y < 8; y++) {
        for (int x = 4; x < 13; x++)
            printf("%6d", host[y][x]);
        printf("\n");
    }
    TELL(cudaMemcpy2D(host, 4, plane, pitch, 8, 2, cudaMemcpyDeviceToHost));
    TELL(cudaMemcpy2D(host, sizeof host[0], plane, pitch, 0, 2, cudaMemcpyDeviceToHost));
    cudaGetLastError();
    CHECK(cudaFree(plane));
    CHECK(cudaFree(second));
}

static void boxes()
{
    const int width = 9, height = 5, depth = 4;
    cudaExtent extent = make_cudaExtent(width * sizeof(int), height, depth);
    cudaPitchedPtr box;
    CHECK(cudaMalloc3D(&box, extent));
    fact("box has pitch and size", box.pitch >= width * sizeof(int) && box.ysize == (size_t)height);
    CHECK(cudaMemset3D(box, 0x11, extent));
    number_box<<<depth, dim3(width, height)>>>(box, width, height, depth);
    CHECK_KERNEL();
    int host[depth][height][width];
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = box;
    copy.dstPtr = make_cudaPitchedPtr(host, sizeof host[0][0], width, height);
    copy.extent = extent;
    copy.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&copy));
    printf("box fingerprint %08x last %d\n", fingerprint(host, sizeof host), host[depth - 1][height - 1][width - 1]);

    // A part with an offset in all three directions.
    int part[2][2][3] = {};
    cudaMemcpy3DParms cut = {};
    cut.srcPtr = box;
    cut.srcPos = make_cudaPos(2 * sizeof(int), 1, 2);
    cut.dstPtr = make_cudaPitchedPtr(part, sizeof part[0][0], 3, 2);
    cut.extent = make_cudaExtent(3 * sizeof(int), 2, 2);
    cut.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3DAsync(&cut, 0));
    CHECK(cudaDeviceSynchronize());
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 2; y++)
            printf("part %d %d: %d %d %d\n", z, y, part[z][y][0], part[z][y][1], part[z][y][2]);
    CHECK(cudaFree(box.ptr));
}

int main()
{
    planes();
    boxes();
    // Overlapping allocations of a line: a copy within the device by an odd number of bytes.
    char *line, text[27] = "abcdefghijklmnopqrstuvwxyz";
    CHECK(cudaMalloc(&line, 64));
    CHECK(cudaMemcpy(line + 3, text, 26, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(line + 33, line + 4, 13, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemset(line + 36, '-', 5));
    CHECK(cudaMemcpy(text, line + 33, 13, cudaMemcpyDeviceToHost));
    printf("%.13s\n", text);
    char from[4] = "xyz", to[4] = "";
    CHECK(cudaMemcpy(to, from, 4, cudaMemcpyHostToHost));
    printf("%s\n", to);
    CHECK(cudaFree(line));
    return 0;
}
