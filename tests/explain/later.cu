// Kernels for heddle explain that were written after its rules: see kernels.cu.

// probe: loop trips, gain
// run: --grid 64 --block 128 --arg 'buf:u32[8192]=random(21,0,40)' --arg 'buf:u32[8192]=random(22)' --arg 'buf:u32[8192]'
extern "C" __global__ void probe(const unsigned *distance, const unsigned *key, unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, slot = key[i], left = distance[i];
    unsigned hops = 0;
    do {
        slot = slot * 2654435761u ^ (slot >> 15);
        slot ^= slot << 7;
        slot += hops * 0x9e3779b9u;
        hops++;
    } while (hops <= left);
    out[i] = slot;
}

// match: loop trips
// run: --grid 64 --block 128 --arg 'buf:u8[16384]=random(23,0,1)' --arg 'buf:u32[8192]' --arg 64
extern "C" __global__ void match(const unsigned char *text, unsigned *out, unsigned longest)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, length = 0;
    unsigned hash = 1;
    for (unsigned k = 0; k < longest; k++) {
        hash = hash * 31 + k;
        if (text[i] != text[i + k] && (text[i + k] ^ text[i + k + 1]) != 0)
            break;
        length = length + (hash & 3);
    }
    out[i] = length;
}

// histogram: none
// run: --grid 64 --block 128 --arg 'buf:u32[8192]=random(24)' --arg 'buf:u32[256]'
extern "C" __global__ void histogram(const unsigned *in, unsigned *bins)
{
    __shared__ unsigned own[256];
    for (unsigned b = threadIdx.x; b < 256; b += blockDim.x)
        own[b] = 0;
    __syncthreads();
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&own[in[i] & 255], 1);
    __syncthreads();
    for (unsigned b = threadIdx.x; b < 256; b += blockDim.x)
        atomicAdd(&bins[b], own[b]);
}

// collide: condition in a loop, gain
// run: --grid 32 --block 128 --arg 'buf:f32[4096]=random(25)' --arg 'buf:f32[4096]'
extern "C" __global__ void collide(const float *place, float *force)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = place[i], sum = 0;
    for (int j = 0; j < 128; j++) {
        float d = x - place[(i + j * 37) & 4095];
        if (d * d < 0.01f) {
            float r = rsqrtf(d * d + 0.001f), s = r * r * r;
            s = s * s - s + expf(-r) * cosf(r);
            s += logf(r + 1) * sinf(d) + powf(r, 1.5f);
            sum += s;
        }
    }
    force[i] = sum;
}

// compare_exchange: none
// run: --grid 64 --block 128 --arg 'buf:u32[16384]=random(26)' --arg 64
extern "C" __global__ void compare_exchange(unsigned *a, unsigned distance)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned i = t / distance * 2 * distance + t % distance, j = i + distance;
    unsigned x = a[i], y = a[j];
    if (x > y) {
        a[i] = y;
        a[j] = x;
    }
}

// transpose: memory
// run: --grid 8,64 --block 32,4 --arg 'buf:f32[65536]=random(27)' --arg 'buf:f32[65536]' --arg 256
extern "C" __global__ void transpose(const float *in, float *out, unsigned width)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[x * width + y] = in[y * width + x];
}

// options: common call or tail, gain
// run: --grid 64 --block 128 --arg 'buf:f32[8192]=random(28,50,150)' --arg 'buf:f32[8192]'
__device__ __forceinline__ float normal(float x)
{
    float k = 1 / (1 + 0.2316419f * fabsf(x));
    float sum = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    return 1 - rsqrtf(6.2831853f) * expf(-x * x / 2) * sum;
}
extern "C" __global__ void options(const float *price, float *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = price[i], d = logf(s / 100) + 0.06f, v;
    if (s > 100)
        v = s * normal(d) - 97 * normal(d - 0.2f);
    else
        v = 97 * normal(0.2f - d) - s * normal(-d);
    out[i] = v;
}

// frontier: early end, gain
// run: --grid 64 --block 128 --arg 'buf:u32[8192]=random(29,0,4)' --arg 'buf:u32[8192]=random(30)' --arg 'buf:u32[8192]'
extern "C" __global__ void frontier(const unsigned *level, const unsigned *edge, unsigned *cost)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (level[i] != 2)
        return;
    unsigned best = ~0u;
    for (unsigned k = 0; k < 40; k++) {
        unsigned e = edge[(i * 16 + k) & 8191];
        e = (e ^ e >> 13) * 0x85ebca6bu;
        e ^= e >> 16;
        best = e < best ? e : best;
    }
    cost[i] = best;
}
