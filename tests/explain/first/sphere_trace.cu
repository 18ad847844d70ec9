// kind: loop trips
// line: 73
// gain: yes
// why: scattered secondary rays need from a few to 128 steps to hit or leave, so most lanes wait for the slowest ray
// Sphere tracing of secondary rays (random origins and directions) in a repeated field of spheres and rods over a floor.
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

struct Ray { float ox, oy, oz, dx, dy, dz; };

__host__ __device__ inline float wrap(float v, float period) { return v - period * floorf(v / period + 0.5f); }

__host__ __device__ inline float scene(float x, float y, float z) {
    float qx = wrap(x, 4.0f), qz = wrap(z, 4.0f), qy = y - 1.0f;
    float ball = sqrtf(qx * qx + qy * qy + qz * qz) - 0.9f;
    float rx = wrap(x + 2.0f, 4.0f), rz = wrap(z + 2.0f, 4.0f);
    float rod = sqrtf(rx * rx + rz * rz) - 0.12f;
    float floor_ = y + 0.2f * sinf(x * 0.7f) * sinf(z * 0.7f);
    return fminf(fminf(ball, rod), floor_);
}

__host__ __device__ inline float march(const Ray &r, float tmax, int *count) {
    float t = 0.01f;
    int i;
    for (i = 0; i < 128; ++i) {
        float d = scene(r.ox + t * r.dx, r.oy + t * r.dy, r.oz + t * r.dz);
        if (d < 0.002f * t || t > tmax) break;
        t += 0.8f * d;
    }
    *count = i;
    return t;
}

__global__ void __launch_bounds__(128) trace(const Ray *rays, int n, float *depth, int *steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Ray r = rays[i];
    int c;
    float t = march(r, 60.0f, &c);
    depth[i] = fminf(t, 60.0f);
    steps[i] = c;
}

int main(int argc, char **argv) {
    int scale = read_scale(argc, argv, 512), n = 8192 * scale;
    std::vector<Ray> rays(n);
    for (auto &r : rays) {
        float dx = rndf() - 0.5f, dy = (rndf() - 0.45f) * 0.6f, dz = rndf() - 0.5f;
        float l = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + 1e-6f);
        r = {rndf() * 40.0f, 2.0f + rndf(), rndf() * 40.0f, dx * l, dy * l, dz * l};
    }
    Ray *dr = upload(rays);
    float *dd = device_zeros<float>(n);
    int *ds = device_zeros<int>(n);
    run_timed([&] { trace<<<(n + 127) / 128, 128>>>(dr, n, dd, ds); });
    auto depth = download(dd, n);
    int rc = 0;
    if (!is_big) {
        std::vector<float> w(n);
        for (int i = 0; i < n; i++) { int c; w[i] = fminf(march(rays[i], 60.0f, &c), 60.0f); }
        rc = verdict(depth, w, 1e-2, 0.02);
    }
    checksum(depth);
    return rc;
}
