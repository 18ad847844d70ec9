/*
 * Kernels in which threads of a warp do the same at different times, written as they come about: what `heddle recon --auto`
 * should find, or would, could it know more (at the end). patterns.ptx is made of it by
 *     nvcc -ptx -arch=compute_80 -O3 patterns.cu
 * All take some random words, a place for results, and how much to do.
 */
#define GID (blockIdx.x * blockDim.x + threadIdx.x)
#define KERNEL(name) extern "C" __global__ void name(const unsigned *in, float *out, int n)

static __device__ __forceinline__ float random01(unsigned &s)
{
    s = s * 1664525u + 1013904223u;
    return (s >> 8) * (1.0f / 16777216.0f);
}

/* ---- iteration delay ---- */

/* Particles fly; now and then one hits something. Of a loop unrolled twice threads could only wait at either copy. */
KERNEL(collide)
{
    unsigned s = GID * 9781u + 7;
    float x = 0, u = 1, w = 1;
#pragma unroll 1
    for (int i = 0; i < 4 * n; i++) {
        x += u * (0.01f + random01(s) * 0.02f);
        if (random01(s) < 0.1f) {
            float g = 0.9f, t = (1 - g * g) / (1 - g + 2 * g * random01(s)), c = (1 + g * g - t * t) / (2 * g);
            float k = sqrtf(fmaxf(0.0f, 1 - c * c)), r = __expf(-t) / (1 + k) + __cosf(6.28f * random01(s)) * k;
            u = (u * c + r) / sqrtf(1 + r * r);
            w *= __expf(-0.03f * t) / (1 + 0.01f * c * c);
        }
    }
    out[GID] = w + x;
}

/* Rays step through a lattice of spheres; those that hit one are shaded and reflected. */
static __device__ float distance_at(float x, float y, float z)
{
    x -= rintf(x), y -= rintf(y), z -= rintf(z);
    return sqrtf(x * x + y * y + z * z) - 0.3f;
}

KERNEL(march)
{
    unsigned s = GID * 77u + 5;
    float ox = random01(s), oy = random01(s), oz = 0.5f, dx = random01(s) - 0.5f, dy = random01(s) - 0.5f, dz = 1;
    float colour = 0, t = 0, e = 1e-3f;
    for (int i = 0; i < 4 * n; i++) {
        float x = ox + t * dx, y = oy + t * dy, z = oz + t * dz, d = distance_at(x, y, z);
        t += fmaxf(d, 0.02f);
        if (d < 0.01f) {
            float nx = distance_at(x + e, y, z) - distance_at(x - e, y, z);
            float ny = distance_at(x, y + e, z) - distance_at(x, y - e, z);
            float nz = distance_at(x, y, z + e) - distance_at(x, y, z - e);
            float k = rsqrtf(nx * nx + ny * ny + nz * nz + 1e-12f);
            nx *= k, ny *= k, nz *= k;
            colour += fmaxf(0.0f, nx * 0.3f + ny * 0.5f + nz * 0.8f);
            ox = x + nx * 0.05f, oy = y + ny * 0.05f, oz = z + nz * 0.05f, t = 0;
            k = 2 * (dx * nx + dy * ny + dz * nz);
            dx -= k * nx, dy -= k * ny, dz -= k * nz;
        }
    }
    out[GID] = colour;
}

/* Events of three kinds; the rare one needs a solver and a `continue`. */
KERNEL(events)
{
    unsigned s = GID * 3571u + 17;
    float a = 10, b = 5;
    for (int i = 0; i < 4 * n; i++) {
        float r = random01(s) * (a + b + 1);
        if (r < 0.5f) {
            float x = a;
#pragma unroll 1
            for (int k = 0; k < 12; k++)
                x = 0.5f * (x + b / (x + 0.1f)) + 0.001f * sqrtf(x + k);
            a += 0.01f * x;
            continue;
        }
        a += r < a ? -0.1f : 0.05f;
        b += r < a ? 0.1f : -0.05f;
    }
    out[GID] = a + b;
}

/* An automaton reads text; one of its states scores. */
KERNEL(automaton)
{
    unsigned state = 0;
    float sum = 0;
    for (int i = 0; i < 4 * n; i++) {
        state = in[(state & 15) * 16 + (in[(GID * 8 + i) & 4095] & 15)];
        if ((state & 15) == 7) {
            float w = i;
#pragma unroll 1
            for (int k = 0; k < 16; k++)
                w = w * 0.9f + 1.0f / (1.0f + w * w + k);
            sum += w;
        }
    }
    out[GID] = sum;
}

/* A walk of a tree, depth first, with work at its leaves. */
KERNEL(tree)
{
    int stack[24], depth = 0;
    unsigned s = GID * 31u + 3;
    float key = random01(s), sum = 0;
    stack[depth++] = 1;
    while (depth > 0) {
        int node = stack[--depth];
        if (node >> 6) {
            for (int k = 0; k < 6; k++) {
                float a = (in[(node * 6 + k) & 2047] >> 8) * (1.0f / 16777216.0f) - key;
                sum += a * a / (0.1f + sqrtf(fabsf(a)));
            }
        } else {
            float c = (in[node & 2047] >> 8) * (1.0f / 16777216.0f);
            if (key < c + 0.25f)
                stack[depth++] = node * 2;
            if (key > c - 0.25f)
                stack[depth++] = node * 2 + 1;
        }
    }
    out[GID] = sum * n;
}

/* ---- loop merge ---- */

/* Random points of a Julia set, several a thread. */
KERNEL(julia)
{
    unsigned s = GID + 1, total = 0;
    for (int p = 0; p < n; p++) {
        float x = random01(s) * 3 - 1.5f, y = random01(s) * 2 - 1;
        for (int i = 0; i < 200; i++) {
            float t = x * x - y * y - 0.4f;
            y = 2 * x * y + 0.6f, x = t, total++;
            if (x * x + y * y > 4)
                break;
        }
    }
    out[GID] = total;
}

/* How long text and pattern are alike, for several starts: most of a round comes ahead of its first test. */
KERNEL(alike)
{
    int longest = 0;
    for (int start = GID * 8; start < GID * 8 + n / 2; start++) {
        int k = 0;
        while (k < 4 * n && (in[(start + k) & 4095] & 7) >= (in[k] & 1))
            k++;
        longest = max(longest, k);
    }
    out[GID] = longest;
}

/* Samples drawn until one is accepted: compilers make one loop of the two, with two ways back. */
KERNEL(reject)
{
    unsigned s = GID * 2654435761u + 1;
    float sum = 0;
    for (int i = 0; i < n; i++) {
        float x, u;
        do {
            x = random01(s) * 10, u = random01(s);
        } while (u > __expf(-0.5f * (x - 3) * (x - 3)) * (0.6f + 0.4f * __sinf(3 * x)));
        sum += x;
    }
    out[GID] = sum / n;
}

/* Look-ups in a hash table with linear probing. */
KERNEL(probe)
{
    unsigned sum = 0;
    for (int i = 0; i < n; i++) {
        unsigned key = GID * 1009u + i, slot;
        key ^= key >> 16, key *= 0x85ebca6bu, key ^= key >> 13, key *= 0xc2b2ae35u, key ^= key >> 16;
        slot = key & 4095;
        while ((in[slot] & 0xe0) != 0 && in[slot] != key)
            slot = (slot + 1) & 4095;
        sum += slot;
    }
    out[GID] = sum;
}

/* Woodcock tracking: most collisions are none, and photons live for long or not. */
KERNEL(woodcock)
{
    unsigned s = GID * 911u + 1;
    float sum = 0;
    for (int p = 0; p < n / 2; p++) {
        float x = random01(s), u = random01(s) * 2 - 1, w = 1;
        for (;;) {
            x += u * -__logf(random01(s) + 1e-7f) * 0.05f;
            if (x < 0 || x > 1)
                break;
            if (random01(s) < (in[(int)(x * 255)] & 255) / 256.0f) {
                w *= 0.8f, u = 2 * random01(s) - 1;
                if (w < 0.1f)
                    break;
            }
        }
        sum += w;
    }
    out[GID] = sum;
}

/* ---- common call ---- */

extern "C" __device__ __noinline__ float solve(float a, float b)
{
    float x = a;
#pragma unroll 1
    for (int i = 0; i < 16; i++)
        x = x - (x * x * x - b) / (3 * x * x + 0.1f);
    return x;
}

/* Two of three sides call the solver. */
KERNEL(sides)
{
    float r = 0;
    for (int i = 0; i < n; i++) {
        unsigned k = in[(GID * 37 + i) & 4095] & 7;
        if (k < 3)
            r += solve(1 + r * 0.01f, k);
        else if (k < 6)
            r -= 0.3f * solve(2 + k * 0.5f, r);
        else
            r *= 0.5f;
    }
    out[GID] = r;
}

/* Three of four cases do. */
KERNEL(cases)
{
    float r = 0;
    for (int i = 0; i < n; i++) {
        float u = 1 + i;
        switch (in[(GID * 7 + i * 13) & 4095] & 3) {
        case 0: r += solve(u, 0.3f); break;
        case 1: r += solve(u * u, 0.7f) * 0.5f; break;
        case 2: r *= 0.9f + 0.1f * solve(sqrtf(u), 0.1f); break;
        default: r -= 0.5f * u; break;
        }
    }
    out[GID] = r;
}

/* ---- where a guess is wrong ---- */

/* Roots by Newton's method: the loop is left whenever it has converged, but that takes about as long for all. */
KERNEL(newton)
{
    unsigned s = GID * 101u + 9;
    double sum = 0;
    for (int i = 0; i < n / 2; i++) {
        double a = 0.1 + random01(s), x = 1e4 * (s >> 28) + 1, d;
        do {
            d = (x * x * x - a) / (3 * x * x);
            x -= d;
        } while (fabs(d) > 1e-9);
        sum += x;
    }
    out[GID] = sum;
}

/* Pixels of the Mandelbrot set, of one column in each thread: some threads always have more to do. */
KERNEL(mandelbrot)
{
    unsigned total = 0;
    for (int p = GID; p < 4096; p += gridDim.x * blockDim.x) {
        float cx = (p % 64) * 3.0f / 64 - 2, cy = (p / 64) * 2.0f / 64 - 1, x = 0, y = 0;
        int i = 0;
        while (i < 8 * n && x * x + y * y < 4) {
            float t = x * x - y * y + cx;
            y = 2 * x * y + cy, x = t, i++;
        }
        total += i;
    }
    out[GID] = total;
}
