/*
 * Kernels that `heddle recon --auto` should leave alone: nothing is gained if threads wait for each other elsewhere, or it
 * is forbidden. alone.ptx is made of it by
 *     nvcc -ptx -arch=compute_80 -O3 alone.cu
 * All take some random words, a place for results, and how much to do.
 */
#define GID (blockIdx.x * blockDim.x + threadIdx.x)
#define KERNEL(name) extern "C" __global__ void name(const unsigned *in, float *out, int n)

static __device__ __forceinline__ float dear(float v)
{
    for (int k = 0; k < 6; k++)
        v = v * 0.9f + sqrtf(v * v + k) / (1 + v * v);
    return v;
}

/* ---- the same threads in every round ---- */

/* The border of a grid. */
KERNEL(guard)
{
    float sum = 0;
    for (int i = 0; i < n; i++) {
        int at = GID + i * 512;
        if (at < 512 * n - 20)
            sum += dear(in[at & 4095] * 1e-9f);
    }
    out[GID] = sum;
}

/* One lane of a warp keeps the books. */
KERNEL(leader)
{
    float v = GID;
    for (int i = 0; i < n; i++) {
        v = v * 0.99f + i;
        if ((threadIdx.x & 31) == 0)
            out[512 + GID / 32] = dear(v);
    }
    out[GID] = v;
}

/* A triangle: later threads have more rounds. */
KERNEL(triangle)
{
    float sum = 0;
    for (int r = 0; r < n / 8; r++) {
        float t = 0;
        for (int j = 0; j < (GID & 127); j++)
            t += in[(r * 64 + j) & 4095] * 1e-9f + t * t * 0.001f;
        sum += t;
    }
    out[GID] = sum;
}

/* What was read before the loop decides. */
KERNEL(chosen)
{
    unsigned mine = in[GID & 4095];
    float sum = 1;
    for (int i = 0; i < n; i++) {
        sum = sum * 0.5f + i;
        if (mine & 8)
            sum += dear(sum);
    }
    out[GID] = sum;
}

/* ---- nothing dear ---- */

KERNEL(cheap)
{
    unsigned s = GID * 3u + 1;
    int sum = 0, odd = 0;
    for (int i = 0; i < 4 * n; i++) {
        s = s * 1664525u + 1013904223u;
        if (s & 4096)
            sum += s >> 8, odd ^= sum, sum -= sum > 1000000 ? 999983 : 0;
        else
            sum -= 3;
    }
    out[GID] = sum + odd;
}

/* Both ways are alike. */
KERNEL(halves)
{
    unsigned s = GID * 23u + 4;
    float a = 1;
    for (int i = 0; i < 2 * n; i++) {
        s = s * 1664525u + 1013904223u;
        if (s & 65536)
            a = sqrtf(a * a + 1) + 1 / (1 + a * a);
        else
            a = sqrtf(a * a + 2) - 1 / (2 + a * a);
    }
    out[GID] = a;
}

/* A short uneven loop in a dear round. */
KERNEL(epilog)
{
    float sum = 0;
    for (int i = 0; i < n / 2; i++) {
        unsigned v = in[(GID + i * 512) & 4095];
        int k = 0;
        while (v & 1)
            v >>= 1, k++;
        sum += dear(dear(dear(k)));
        out[(GID + i * 512) & 4095] = sum;
    }
}

/* Accesses that threads make together now. */
KERNEL(stream)
{
    for (int i = GID; i < 4096; i += gridDim.x * blockDim.x) {
        float v = in[i] * 2e-10f;
        if (v > 0.5f)
            out[i] = sqrtf(v) * 3 + n;
    }
}

/* All threads stay for as long. */
KERNEL(polynomial)
{
    float x = GID * 0.001f, sum = 0;
    for (int i = 0; i < n; i++) {
        float p = 0;
        for (int j = 0; j < n; j++)
            p = p * x + in[j & 63] * 1e-9f;
        sum += p / (1 + i);
        x += 0.01f;
    }
    out[GID] = sum;
}

/* ---- forbidden ---- */

KERNEL(tiled)
{
    __shared__ float tile[128];
    float sum = 0;
    for (int t = 0; t < n; t++) {
        tile[threadIdx.x] = in[(t * 128 + threadIdx.x) & 4095] * 1e-9f;
        __syncthreads();
        if (tile[threadIdx.x] > 3)
            sum += dear(tile[(threadIdx.x + 1) & 127]);
        __syncthreads();
    }
    out[GID] = sum;
}

KERNEL(shuffled)
{
    float sum = 0;
    for (int i = 0; i < n; i++) {
        float v = in[(GID + i * 512) & 4095] * 1e-9f;
        if (v > 3)
            v = dear(v);
        sum += __shfl_xor_sync(0xffffffffu, v, 1);
    }
    out[GID] = sum;
}

/* Threads wait for each other at a lock; in[] is not used. */
KERNEL(locked)
{
    unsigned s = GID * 5u + 1, *lock = (unsigned *)out + 4095;
    for (int i = 0; i < n / 8; i++) {
        s = s * 1664525u + 1013904223u;
        for (bool done = (s >> 16 & 7) != 0; !done;)
            if (atomicCAS(lock, 0, 1) == 0) {
                volatile float *sum = out;
                *sum = *sum + 1;
                __threadfence();
                atomicExch(lock, 0);
                done = true;
            }
    }
}
