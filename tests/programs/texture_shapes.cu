// Textures of three dimensions, layers, cube maps and mipmaps, with linear filtering: texels are numbers along the axes,
// and positions are multiples of 1/256 texel, so that every result is exact.
#include "common.cuh"
#include <cmath>
#include <vector>

static cudaTextureDesc sampling(cudaTextureFilterMode filter, bool normalized, cudaTextureAddressMode mode)
{
    cudaTextureDesc s = {};
    s.addressMode[0] = s.addressMode[1] = s.addressMode[2] = mode;
    s.filterMode = filter;
    s.readMode = cudaReadModeElementType;
    s.normalizedCoords = normalized;
    return s;
}

// An array of floats, filled with the values that `value` gives by x, y and z.
template <typename F> static cudaArray_t make(cudaExtent extent, unsigned flags, F value)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    size_t h = extent.height ? extent.height : 1, d = extent.depth ? extent.depth : 1;
    std::vector<float> texels;
    for (size_t z = 0; z < d; z++)
        for (size_t y = 0; y < h; y++)
            for (size_t x = 0; x < extent.width; x++)
                texels.push_back(value((float)x, (float)y, (float)z));
    cudaArray_t array;
    CHECK(cudaMalloc3DArray(&array, &format, extent, flags));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(texels.data(), extent.width * sizeof(float), extent.width, h);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(extent.width, h, d);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    return array;
}

static cudaTextureObject_t texture_of(cudaArray_t array, const cudaTextureDesc &s)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &s, NULL));
    return texture;
}

static const int N = 256;
static float *device_out;
static float out[N];

static void fetch()
{
    CHECK_KERNEL();
    CHECK(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
}

template <typename F> static void report(const char *name, F wanted)
{
    int right = 0;
    for (int i = 0; i < N; i++)
        right += out[i] == wanted(i);
    printf("%s: %d of %d right\n", name, right, N);
}

__global__ void solid(cudaTextureObject_t t, float *out)
{
    int i = threadIdx.x;
    out[i] = tex3D<float>(t, 0.5f + i / 64.0f, 1.5f + i / 256.0f, 2.5f);
}

__global__ void solid_between(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex3D<float>(t, 1, 1, 0.5f + threadIdx.x / 128.0f);
}

__global__ void layers(cudaTextureObject_t lines, cudaTextureObject_t planes, float *out)
{
    int i = threadIdx.x;
    out[i] = tex1DLayered<float>(lines, 0.5f + i / 256.0f, i % 5) + 1000 * tex2DLayered<float>(planes, 1.5f, 0.5f + i / 256.0f, i % 3);
}

__global__ void cube(cudaTextureObject_t t, cudaTextureObject_t several, float *out)
{
    int i = threadIdx.x, face = i % 6;
    float major = face % 2 ? -2.0f : 2.0f, a = 0.25f, b = -0.5f;
    float x = face / 2 == 0 ? major : a, y = face / 2 == 1 ? major : b, z = face / 2 == 2 ? major : face / 2 == 1 ? b : a;
    out[i] = texCubemap<float>(t, x, y, z) + 100 * texCubemapLayered<float>(several, x, y, z, i % 2);
}

__global__ void levels(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex2DLod<float>(t, 0.5f, 0.5f, threadIdx.x / 64.0f);
}

__global__ void slopes(cudaTextureObject_t t, float *out)
{
    float step = (float)(1 << threadIdx.x % 5) / 32;
    out[threadIdx.x] = tex2DGrad<float>(t, 0.25f, 0.25f, make_float2(step, 0), make_float2(0, step / 2));
}

__global__ void gather(cudaTextureObject_t t, float *out)
{
    int i = threadIdx.x;
    float4 four = tex2Dgather<float4>(t, 1.0f + i % 4, 2.0f + i / 4 % 4, 0);
    out[i] = four.x + 32 * four.y + 1024 * four.z + 32768 * four.w;
}

__global__ void many(const cudaTextureObject_t *textures, float *out)
{
    out[threadIdx.x] = tex2D<float>(textures[threadIdx.x % 4], 0.5f + threadIdx.x % 8, 3.5f);
}

static void mipmaps()
{
    const unsigned count = 5;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t array;
    CHECK(cudaMallocMipmappedArray(&array, &format, make_cudaExtent(32, 32, 0), count));
    for (unsigned level = 0; level < count; level++) {
        std::vector<float> texels((32 >> level) * (32 >> level), (float)(level * level));
        cudaArray_t one;
        CHECK(cudaGetMipmappedArrayLevel(&one, array, level));
        CHECK(cudaMemcpy2DToArray(one, 0, 0, texels.data(), (32 >> level) * 4, (32 >> level) * 4, 32 >> level, cudaMemcpyHostToDevice));
    }
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = array;
    cudaTextureDesc s = sampling(cudaFilterModeLinear, true, cudaAddressModeWrap);
    s.mipmapFilterMode = cudaFilterModeLinear;
    s.maxMipmapLevelClamp = count - 1;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &s, NULL));
    levels<<<1, N>>>(texture, device_out);
    fetch();
    report("levels", [](int i) {
        float at = fminf(i / 64.0f, 4), low = floorf(at);
        return low * low + (at - low) * (2 * low + 1);
    });
    slopes<<<1, N>>>(texture, device_out);
    fetch();
    report("slopes", [](int i) { return (float)(i % 5 * (i % 5)); });
    cudaResourceViewDesc view = {};
    view.format = cudaResViewFormatFloat1;
    view.width = view.height = 32;
    view.firstMipmapLevel = 1;
    view.lastMipmapLevel = 2;
    cudaTextureObject_t narrow;
    CHECK(cudaCreateTextureObject(&narrow, &resource, &s, &view));
    levels<<<1, N>>>(narrow, device_out);
    fetch();
    report("a view of levels", [](int i) { return 1 + 3 * fminf(i / 64.0f, 1); });
    CHECK(cudaDestroyTextureObject(narrow));
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeMipmappedArray(array));
}

static void bindless()
{
    cudaTextureObject_t textures[4], *device;
    for (int k = 0; k < 4; k++)
        textures[k] = texture_of(make(make_cudaExtent(8, 8, 0), 0, [k](float x, float y, float) { return x + 10 * y + 100 * k; }), sampling(cudaFilterModePoint, false, cudaAddressModeClamp));
    CHECK(cudaMalloc(&device, sizeof textures));
    CHECK(cudaMemcpy(device, textures, sizeof textures, cudaMemcpyHostToDevice));
    many<<<1, N>>>(device, device_out);
    fetch();
    report("textures in memory", [](int i) { return i % 8 + 30 + 100.0f * (i % 4); });
}

int main()
{
    CHECK(cudaMalloc(&device_out, sizeof out));
    auto along = [](float x, float y, float z) { return x + 16 * y + 256 * z; };
    cudaTextureDesc clamped = sampling(cudaFilterModeLinear, false, cudaAddressModeClamp);
    cudaTextureObject_t t = texture_of(make(make_cudaExtent(8, 4, 4), 0, along), clamped);
    solid<<<1, N>>>(t, device_out);
    fetch();
    report("solid", [](int i) { return i / 64.0f + 16 * (1 + i / 256.0f) + 512; });
    solid_between<<<1, N>>>(t, device_out);
    fetch();
    report("between slices", [](int i) { return 0.5f + 8 + i * 2.0f; });
    layers<<<1, N>>>(texture_of(make(make_cudaExtent(8, 0, 5), cudaArrayLayered, along), clamped),
                     texture_of(make(make_cudaExtent(8, 4, 3), cudaArrayLayered, along), clamped), device_out);
    fetch();
    report("layers", [](int i) { return i / 256.0f + 256.0f * (i % 5) + 1000 * (1 + 16 * (i / 256.0f) + 256.0f * (i % 3)); });
    auto face = [](float, float, float z) { return z; };
    cube<<<1, N>>>(texture_of(make(make_cudaExtent(4, 4, 6), cudaArrayCubemap, face), sampling(cudaFilterModeLinear, true, cudaAddressModeClamp)),
                   texture_of(make(make_cudaExtent(4, 4, 12), cudaArrayCubemap | cudaArrayLayered, face), sampling(cudaFilterModeLinear, true, cudaAddressModeClamp)), device_out);
    fetch();
    report("faces", [](int i) { return i % 6 + 100.0f * (i % 6 + 6 * (i % 2)); });
    gather<<<1, N>>>(texture_of(make(make_cudaExtent(8, 8, 0), cudaArrayTextureGather, [](float x, float y, float) { return (float)((int)(x + 3 * y) % 32); }), sampling(cudaFilterModePoint, false, cudaAddressModeClamp)), device_out);
    fetch();
    report("gather", [](int i) {
        int x = i % 4, y = 1 + i / 4 % 4;
        auto at = [](int c, int r) { return (float)((c + 3 * r) % 32); };
        return at(x, y + 1) + 32 * at(x + 1, y + 1) + 1024 * at(x + 1, y) + 32768 * at(x, y);
    });
    mipmaps();
    bindless();
    return 0;
}
