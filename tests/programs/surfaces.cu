// Surface objects: a kernel writes an array, another reads it back and changes it.
#include "common.cuh"

__global__ void draw(cudaSurfaceObject_t surface, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        surf2Dwrite<int>(x * y, surface, x * sizeof(int), y);
}

__global__ void raise(cudaSurfaceObject_t surface, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int value = surf2Dread<int>(surface, x * sizeof(int), y);
        surf2Dwrite<int>(value + 1, surface, x * sizeof(int), y);
    }
}

int main()
{
    const int width = 40, height = 20;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    dim3 blocks(2, 2), threads(32, 16);
    draw<<<blocks, threads>>>(surface, width, height);
    raise<<<blocks, threads>>>(surface, width, height);
    CHECK_KERNEL();
    static int out[height][width];
    CHECK(cudaMemcpy2DFromArray(out, sizeof out[0], array, 0, 0, sizeof out[0], height, cudaMemcpyDeviceToHost));
    long long sum = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            sum += out[y][x];
    printf("sum %lld corner %d\n", sum, out[height - 1][width - 1]);
    CHECK(cudaDestroySurfaceObject(surface));
    CHECK(cudaFreeArray(array));
    return 0;
}
