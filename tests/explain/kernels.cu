// Kernels for heddle explain, of several domains, each with what it should say: the kind of its first finding, whether
// a gain is promised (gain), or whether there is nothing to gain (none). `run` has the options of heddle run.
// tests/explain/compile.sh makes the PTX.

// spmv: loop trips
// run: --grid 64 --block 128 --arg 'buf:u32[8192]=random(3,0,48)' --arg 'buf:f32[65536]=random(1)' --arg 'buf:f32[8192]' --arg 8192
extern "C" __global__ void spmv(const unsigned *length, const float *value, float *out, unsigned n)
{
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    unsigned count = length[row] * length[row] / 24;
    float sum = 0;
#pragma unroll 1
    for (unsigned j = 0; j < count; j++)
        sum += value[(row + j * 8192) & 65535] * sqrtf(sum + j);
    out[row] = sum;
}

// mandelbrot: loop trips, gain
// run: --grid 4,32 --block 32,4 --arg 'buf:u32[16384]' --arg 128
extern "C" __global__ void mandelbrot(unsigned *out, unsigned width)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float cx = 3.0f * x / width - 2.0f, cy = 2.4f * y / width - 1.2f, zx = 0, zy = 0;
    unsigned k = 0;
    while (k < 300 && zx * zx + zy * zy < 4) {
        float next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
        k++;
    }
    out[y * width + x] = k;
}

// alive: early end, gain
// run: --grid 64 --block 128 --arg 'buf:u32[8192]=random(5,0,3)' --arg 'buf:f32[8192]=random(2)'
extern "C" __global__ void alive(const unsigned *is_dead, float *speed)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (is_dead[i])
        return;
    float v = speed[i];
#pragma unroll 1
    for (int step = 0; step < 60; step++)
        v = v * 0.99f + sqrtf(v + step);
    speed[i] = v;
}

// rare: condition in a loop, gain
// run: --grid 64 --block 128 --arg 'buf:u32[8192]=random(6)' --arg 'buf:f32[8192]'
extern "C" __global__ void rare(const unsigned *seed, float *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, s = seed[i];
    float sum = 1;
#pragma unroll 1
    for (int step = 0; step < 96; step++) {
        s = s * 1664525u + 1013904223u;
        if ((s >> 24) < 32) {
            float a = sum;
#pragma unroll
            for (int k = 0; k < 12; k++)
                a = sqrtf(a * 1.5f + k) + sinf(a) * 0.25f;
            sum += a;
        }
        sum *= 0.999f;
    }
    out[i] = sum;
}

__device__ __noinline__ float shade(float x, float y)
{
    float a = x;
#pragma unroll
    for (int k = 0; k < 10; k++)
        a = sqrtf(a * y + k) + x * 0.125f;
    return a;
}

// shading: common call or tail, gain
// run: --grid 64 --block 128 --arg 'buf:u32[8192]=random(7)' --arg 'buf:f32[8192]=random(8)'
extern "C" __global__ void shading(const unsigned *material, float *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = out[i];
    if (material[i] & 1)
        v = shade(v + 1, 0.5f) * 2;
    else
        v = shade(v * 3, 0.75f) + 1;
    out[i] = v;
}

// saxpy: none
// run: --grid 64 --block 128 --arg 2.0 --arg 'buf:f32[8192]=random(1)' --arg 'buf:f32[8192]=random(2)' --arg 8100
extern "C" __global__ void saxpy(float a, const float *x, float *y, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

// stencil: none
// run: --grid 4,128 --block 32,1 --arg 'buf:f32[16384]=random(1)' --arg 'buf:f32[16384]' --arg 128 --arg 128
extern "C" __global__ void stencil(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
        const float *at = in + y * width + x;
        out[y * width + x] = 0.2f * (at[0] + at[-1] + at[1] + at[-width] + at[width]);
    } else {
        out[y * width + x] = in[y * width + x];
    }
}

struct particle {
    float x, y, z, vx, vy, vz, mass, charge, spin, age, pad[6];
};

// particles: memory
// run: --grid 64 --block 128 --arg 'buf:f32[131072]=random(1)' --arg 0.1
extern "C" __global__ void particles(particle *p, float step)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i].x += p[i].vx * step;
    p[i].y += p[i].vy * step;
}

// tasks: loop trips
// run: --grid 32 --block 128 --arg 'buf:u32[4096]=random(9)' --arg 'buf:f32[4096]'
extern "C" __global__ void tasks(const unsigned *seed, float *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, s = seed[i];
    float sum = 1;
#pragma unroll 1
    for (int task = 0; task < 24; task++) {
        s = s * 1664525u + 1013904223u;
        unsigned trips = 1u << (s >> 29);
#pragma unroll 1
        for (unsigned k = 0; k < trips; k++)
            sum = sqrtf(sum * 1.5f + k) + sum * 0.125f + sqrtf(sum + 2);
    }
    out[i] = sum;
}

// models: condition, gain
// run: --grid 64 --block 128 --arg 'buf:u32[8192]=random(11)' --arg 'buf:f32[8192]=random(8)'
extern "C" __global__ void models(const unsigned *type, float *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = out[i];
    if (type[i] & 1) {
#pragma unroll
        for (int k = 0; k < 10; k++)
            v = sqrtf(v * 1.5f + k);
    } else {
        unsigned bits = __float_as_uint(v);
#pragma unroll
        for (int k = 0; k < 14; k++)
            bits = (bits << 5 | bits >> 27) ^ (bits * 2654435761u);
        v = __uint2float_rn(bits);
    }
    out[i] = v;
}

// bisection: memory
// run: --grid 64 --block 128 --arg 'buf:f32[8192]=iota' --arg 'buf:f32[8192]=random(4,0,8192)' --arg 'buf:u32[8192]'
extern "C" __global__ void bisection(const float *table, const float *key, unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, low = 0;
#pragma unroll 1
    for (unsigned step = 4096; step; step >>= 1)
        low = table[low + step] <= key[i] && low + step < 8191 ? low + step : low;
    out[i] = low;
}

// march: early end, gain
// run: --grid 64 --block 128 --arg 'buf:f32[8192]=random(12)' --arg 'buf:u32[8192]' --arg 'buf:f32[8192]'
extern "C" __global__ void march(const float *start, unsigned *hit, float *miss)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float at = start[i] * 20, density = 0;
#pragma unroll 1
    for (int step = 0; step < 128; step++) {
        at += 0.1f + 0.05f * sinf(at);
        density += expf(-at * 0.125f);
        if (density > 3.0f) {
            hit[i] = step;
            return;
        }
    }
    miss[i] = density * 0.5f + at;
}
