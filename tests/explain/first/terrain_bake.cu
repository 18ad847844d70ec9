// kind: common call or tail
// line: 87
// gain: yes
// why: rock and soil points both evaluate the same fractal noise (inlined twice) with other frequencies; one evaluation after selecting them would do
// Bakes terrain heights at scattered points of a mesh: rock and soil use the same noise with other parameters.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>
#include <cstdint>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
static unsigned lcg_state = 12345u;
inline unsigned rnd() { lcg_state = lcg_state * 1664525u + 1013904223u; return lcg_state >> 8; }  // 24 bits
inline float rndf() { return rnd() * (1.0f / 16777216.0f); }
static bool is_big = false;
static int read_scale(int argc, char **argv, int big_scale) {
    is_big = argc > 1 && !strcmp(argv[1], "big");
    return is_big ? big_scale : argc > 1 ? std::max(1, atoi(argv[1])) : 1;
}
template <class T> T *upload(const std::vector<T> &v) {
    T *d; CK(cudaMalloc(&d, v.size() * sizeof(T)));
    CK(cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return d;
}
template <class T> T *device_zeros(size_t n) { T *d; CK(cudaMalloc(&d, n * sizeof(T))); CK(cudaMemset(d, 0, n * sizeof(T))); return d; }
template <class T> std::vector<T> download(const T *d, size_t n) {
    std::vector<T> v(n); CK(cudaMemcpy(v.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost)); return v;
}
template <class F> void run_timed(F launch) {
    launch(); CK(cudaGetLastError()); CK(cudaDeviceSynchronize());
    if (!is_big) return;
    cudaEvent_t a, b; CK(cudaEventCreate(&a)); CK(cudaEventCreate(&b));
    std::vector<float> t(11);
    for (float &x : t) { CK(cudaEventRecord(a)); launch(); CK(cudaEventRecord(b)); CK(cudaEventSynchronize(b)); CK(cudaEventElapsedTime(&x, a, b)); }
    std::sort(t.begin(), t.end()); printf("ms %.4f\n", t[5]);
}
// integers: exact; floats: relative tolerance, and a fraction of elements that may differ
template <class T> int verdict(const std::vector<T> &got, const std::vector<T> &want, double tol = 0, double may_differ = 0) {
    size_t bad = 0;
    for (size_t i = 0; i < want.size(); i++) if (!(std::fabs((double)got[i] - (double)want[i]) <= tol * (1 + std::fabs((double)want[i])))) bad++;
    bool ok = bad <= may_differ * want.size();
    printf("check %s (%zu of %zu differ)\n", ok ? "OK" : "WRONG", bad, want.size());
    return ok ? 0 : 1;
}
inline void checksum(const std::vector<float> &v) { double s = 0; for (float x : v) s += x; printf("checksum %.5e\n", s); }
template <class T> void checksum(const std::vector<T> &v) {
    uint64_t s = 0; for (size_t i = 0; i < v.size(); i++) s += ((uint64_t)v[i] + 0x9e3779b97f4a7c15ull) * (2 * (uint64_t)i + 1);
    printf("checksum %016llx\n", (unsigned long long)s);
}

struct Vertex { float x, y; int rock; };

__host__ __device__ inline float lattice(int x, int y) {
    unsigned h = (unsigned)x * 73856093u ^ (unsigned)y * 19349663u;
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13;
    return (h & 0xffffu) * (1.0f / 65535.0f);
}
__host__ __device__ inline float noise2(float x, float y) {
    float fx = floorf(x), fy = floorf(y);
    int ix = (int)fx, iy = (int)fy;
    float u = x - fx, v = y - fy;
    u = u * u * (3.0f - 2.0f * u);
    v = v * v * (3.0f - 2.0f * v);
    float a = lattice(ix, iy), b = lattice(ix + 1, iy), c = lattice(ix, iy + 1), d = lattice(ix + 1, iy + 1);
    return (a + u * (b - a)) * (1.0f - v) + (c + u * (d - c)) * v;
}
__host__ __device__ inline float fractal(float x, float y, float gain, int octaves) {
    float s = 0.0f, amp = 1.0f;
#pragma unroll 1
    for (int o = 0; o < octaves; ++o) {
        s += amp * noise2(x, y);
        amp *= gain;
        x *= 2.03f; y *= 1.97f;
    }
    return s;
}

__global__ void bake(const Vertex *__restrict__ v, int n, float *__restrict__ height) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Vertex p = v[i];
    float h;
    if (p.rock) {
        h = 1.0f - fabsf(fractal(p.x * 3.0f, p.y * 3.0f, 0.6f, 12) - 1.0f);
        h = h * h * 2.0f;
    } else {
        h = 0.2f * fractal(p.x * 0.7f + 11.0f, p.y * 0.7f, 0.45f, 12);
    }
    height[i] = h;
}

int main(int argc, char **argv) {
    int scale = read_scale(argc, argv, 2048), n = 16384 * scale;
    std::vector<Vertex> v(n);
    for (auto &p : v) p = {rndf() * 64, rndf() * 64, (int)(rnd() >> 11 & 1)};
    Vertex *dv = upload(v);
    float *dh = device_zeros<float>(n);
    run_timed([&] { bake<<<(n + 127) / 128, 128>>>(dv, n, dh); });
    auto h = download(dh, n);
    int rc = 0;
    if (!is_big) {
        std::vector<float> w(n);
        for (int i = 0; i < n; i++) {
            float q;
            if (v[i].rock) { q = 1.0f - fabsf(fractal(v[i].x * 3.0f, v[i].y * 3.0f, 0.6f, 12) - 1.0f); q = q * q * 2.0f; }
            else q = 0.2f * fractal(v[i].x * 0.7f + 11.0f, v[i].y * 0.7f, 0.45f, 12);
            w[i] = q;
        }
        rc = verdict(h, w, 5e-2, 0.02);
    }
    checksum(h);
    return rc;
}
