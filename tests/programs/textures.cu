// Texture objects with point filtering: linear memory, pitched memory and arrays; address modes and normalised reads.
#include "common.cuh"

__global__ void read_linear(cudaTextureObject_t texture, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tex1Dfetch<int>(texture, n - 1 - i);
}

__global__ void read_plane(cudaTextureObject_t texture, float *out, int width, int height)
{
    int x = threadIdx.x, y = threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = tex2D<float>(texture, x - 1 + 0.5f, y - 1 + 0.5f);
}

__global__ void read_pixels(cudaTextureObject_t texture, float4 *out)
{
    out[threadIdx.x] = tex2D<float4>(texture, threadIdx.x + 0.5f, 0.5f);
}

static void linear()
{
    const int n = 300;
    int in[n], out[n], *memory, *result;
    for (int i = 0; i < n; i++)
        in[i] = i * 3;
    CHECK(cudaMalloc(&memory, sizeof in));
    CHECK(cudaMalloc(&result, sizeof out));
    CHECK(cudaMemcpy(memory, in, sizeof in, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = sizeof in;
    cudaTextureDesc reading = {};
    reading.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &reading, NULL));
    read_linear<<<3, 128>>>(texture, result, n);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(out, result, sizeof out, cudaMemcpyDeviceToHost));
    int right = 0;
    for (int i = 0; i < n; i++)
        right += out[i] == in[n - 1 - i];
    printf("linear right %d of %d\n", right, n);
    cudaResourceDesc told = {};
    CHECK(cudaGetTextureObjectResourceDesc(&told, texture));
    printf("resource told back %d\n", told.resType == cudaResourceTypeLinear && told.res.linear.devPtr == memory);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(memory));
    CHECK(cudaFree(result));
}

static void plane(const char *name, const cudaResourceDesc &resource, cudaTextureAddressMode mode)
{
    const int width = 6, height = 5;
    cudaTextureDesc reading = {};
    reading.addressMode[0] = reading.addressMode[1] = mode;
    reading.filterMode = cudaFilterModePoint;
    reading.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &reading, NULL));
    float *result, out[height][width];
    CHECK(cudaMalloc(&result, sizeof out));
    read_plane<<<1, dim3(8, 8)>>>(texture, result, width, height);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(out, result, sizeof out, cudaMemcpyDeviceToHost));
    printf("%s\n", name);
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++)
            printf(" %g", out[y][x]);
        printf("\n");
    }
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(result));
}

static void pixels()
{
    uchar4 in[4] = {{0, 51, 102, 255}, {255, 0, 0, 0}, {1, 2, 3, 4}, {10, 20, 30, 40}};
    float4 out[4], *result;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, 4, 1));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, in, sizeof in, sizeof in, 1, cudaMemcpyHostToDevice));
    CHECK(cudaMalloc(&result, sizeof out));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc reading = {};
    reading.readMode = cudaReadModeNormalizedFloat;
    reading.addressMode[0] = reading.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &reading, NULL));
    read_pixels<<<1, 4>>>(texture, result);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(out, result, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; i++)
        printf("pixel %d %.4f %.4f %.4f %.4f\n", i, out[i].x, out[i].y, out[i].z, out[i].w);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(result));
}

int main()
{
    linear();
    const int width = 4, height = 3;
    float in[height][width];
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            in[y][x] = 10 * (y + 1) + x;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, width, height));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, in, sizeof in[0], sizeof in[0], height, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    plane("array clamp", resource, cudaAddressModeClamp);
    plane("array border", resource, cudaAddressModeBorder);

    void *memory;
    size_t pitch;
    CHECK(cudaMallocPitch(&memory, &pitch, sizeof in[0], height));
    CHECK(cudaMemcpy2D(memory, pitch, in, sizeof in[0], sizeof in[0], height, cudaMemcpyHostToDevice));
    cudaResourceDesc pitched = {};
    pitched.resType = cudaResourceTypePitch2D;
    pitched.res.pitch2D.devPtr = memory;
    pitched.res.pitch2D.desc = format;
    pitched.res.pitch2D.width = width;
    pitched.res.pitch2D.height = height;
    pitched.res.pitch2D.pitchInBytes = pitch;
    plane("pitch clamp", pitched, cudaAddressModeClamp);
    pixels();
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(memory));
    return 0;
}
