// Surfaces of one and three dimensions, layers and cube maps: written by kernels, read back by kernels and by copies;
// what happens outside; and a texture over a surface.
#include "common.cuh"

static const int N = 128;
static int *device_out, out[N];

static cudaArray_t make(cudaExtent extent, unsigned flags, cudaChannelFormatDesc format, cudaSurfaceObject_t *surface)
{
    cudaArray_t array;
    CHECK(cudaMalloc3DArray(&array, &format, extent, flags | cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    CHECK(cudaCreateSurfaceObject(surface, &resource));
    return array;
}

template <typename F> static void report(const char *name, F wanted)
{
    CHECK_KERNEL();
    CHECK(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
    int right = 0;
    for (int i = 0; i < N; i++)
        right += out[i] == wanted(i);
    printf("%s: %d of %d right\n", name, right, N);
}

__global__ void write_solid(cudaSurfaceObject_t s)
{
    int i = threadIdx.x;
    surf3Dwrite(i * i, s, i % 4 * 4, i / 4 % 4, i / 16);
}

__global__ void read_solid(cudaSurfaceObject_t s, int *out)
{
    int i = threadIdx.x;
    out[i] = surf3Dread<int>(s, i % 4 * 4, i / 4 % 4, i / 16);
}

__global__ void line(cudaSurfaceObject_t s, int *out)
{
    int i = threadIdx.x;
    surf1Dwrite(make_uchar4(i, i + 1, i + 2, i + 3), s, i * 4);
    uchar4 v = surf1Dread<uchar4>(s, i * 4);
    out[i] = v.x + v.w;
}

__global__ void layers(cudaSurfaceObject_t planes, cudaSurfaceObject_t faces, int *out)
{
    int i = threadIdx.x;
    surf2DLayeredwrite((short)(i - 64), planes, i % 8 * 2, i / 8 % 4, i / 32);
    surfCubemapwrite(make_int2(i, -i), faces, i % 4 * 8, i / 4 % 4, i / 16 % 6);
    __syncthreads();
    int2 v = surfCubemapread<int2>(faces, i % 4 * 8, i / 4 % 4, i / 16 % 6);
    out[i] = surf2DLayeredread<short>(planes, i % 8 * 2, i / 8 % 4, i / 32) * 1000 + v.x + v.y;
}

__global__ void outside(cudaSurfaceObject_t s, int *out)
{
    int i = threadIdx.x, x = i % 12 - 2;
    int zero = surf2Dread<int>(s, x * 4, 1, cudaBoundaryModeZero);
    int clamp = surf2Dread<int>(s, x * 4, i % 2 ? -5 : 50, cudaBoundaryModeClamp);
    surf2Dwrite(12345, s, -4, 0, cudaBoundaryModeZero);
    out[i] = zero + 1000 * clamp;
}

__global__ void fill(cudaSurfaceObject_t s)
{
    surf2Dwrite((int)(threadIdx.x + 10 * threadIdx.y), s, threadIdx.x * 4, threadIdx.y);
}

__global__ void sample(cudaTextureObject_t t, int *out)
{
    out[threadIdx.x] = tex2D<int>(t, threadIdx.x % 8 + 0.5f, threadIdx.x / 8 % 4 + 0.5f);
}

int main()
{
    CHECK(cudaMalloc(&device_out, sizeof out));
    cudaSurfaceObject_t s, faces;
    cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>();
    cudaArray_t solid = make(make_cudaExtent(4, 4, 8), 0, ints, &s);
    write_solid<<<1, N>>>(s);
    read_solid<<<1, N>>>(s, device_out);
    report("solid", [](int i) { return i * i; });
    int back[8][4][4];
    cudaMemcpy3DParms copy = {};
    copy.srcArray = solid;
    copy.dstPtr = make_cudaPitchedPtr(back, 16, 4, 4);
    copy.extent = make_cudaExtent(4, 4, 8);
    copy.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&copy));
    printf("copied back %d %d\n", back[0][0][3], back[7][3][3]);
    make(make_cudaExtent(N, 0, 0), 0, cudaCreateChannelDesc<uchar4>(), &s);
    line<<<1, N>>>(s, device_out);
    report("line", [](int i) { return i + (i + 3) % 256; });
    make(make_cudaExtent(8, 4, 4), cudaArrayLayered, cudaCreateChannelDesc<short>(), &s);
    make(make_cudaExtent(4, 4, 6), cudaArrayCubemap, cudaCreateChannelDesc<int2>(), &faces);
    layers<<<1, 96>>>(s, faces, device_out);
    report("layers", [](int i) { return i < 96 ? (i - 64) * 1000 : out[i]; });
    cudaArray_t flat = make(make_cudaExtent(8, 4, 0), 0, ints, &s);
    fill<<<1, dim3(8, 4)>>>(s);
    outside<<<1, N>>>(s, device_out);
    report("outside", [](int i) {
        int x = i % 12 - 2, near = x < 0 ? 0 : x > 7 ? 7 : x;
        return (x == near ? x + 10 : 0) + 1000 * (near + (i % 2 ? 0 : 30));
    });
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = flat;
    cudaTextureDesc reading = {};
    reading.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &reading, NULL));
    sample<<<1, N>>>(texture, device_out);
    report("as a texture", [](int i) { return i % 8 + 10 * (i / 8 % 4); });
    return 0;
}
