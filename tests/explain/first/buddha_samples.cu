// kind: loop trips
// line: 62
// gain: yes
// why: random points of the plane escape after very different numbers of iterations; refilling lanes would keep warps full
// Random samples of the Mandelbrot set (the first pass of a Buddhabrot): escape time and orbit statistics of each sample.
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

struct Orbit { int steps; int wide; };

__host__ __device__ inline Orbit escape(float cr, float ci, int max_iter) {
    Orbit o = {0, 0};
    float zr = 0.0f, zi = 0.0f;
    while (o.steps < max_iter) {
        float r2 = zr * zr, i2 = zi * zi;
        if (r2 + i2 > 4.0f) break;
        zi = 2.0f * zr * zi + ci;
        zr = r2 - i2 + cr;
        o.wide += zr > 0.25f ? 1 : 0;
        ++o.steps;
    }
    return o;
}

__global__ void sample_orbits(const float2 *__restrict__ c, int n, int max_iter, int *__restrict__ steps, int *__restrict__ score) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 p = c[i];
    Orbit o = escape(p.x, p.y, max_iter);
    steps[i] = o.steps;
    score[i] = o.steps == max_iter ? -1 : o.wide * 16 / (1 + o.steps);
}

int main(int argc, char **argv) {
    int scale = read_scale(argc, argv, 512), n = 16384 * scale, max_iter = 600;
    std::vector<float2> c(n);
    for (auto &p : c) { p.x = -2.0f + 2.6f * rndf(); p.y = -1.2f + 2.4f * rndf(); }
    float2 *dc = upload(c);
    int *ds = device_zeros<int>(n), *dq = device_zeros<int>(n);
    run_timed([&] { sample_orbits<<<(n + 127) / 128, 128>>>(dc, n, max_iter, ds, dq); });
    auto s = download(ds, n), q = download(dq, n);
    int rc = 0;
    if (!is_big) {
        std::vector<int> w(n);
        for (int i = 0; i < n; i++) w[i] = escape(c[i].x, c[i].y, max_iter).steps;
        rc = verdict(s, w, 0, 0.03);   // chaotic orbits: contraction to FMA moves a few
    }
    for (int i = 0; i < n; i++) s[i] = s[i] * 64 + q[i];
    checksum(s);
    return rc;
}
