// kind: boundary
// line: 61
// gain: no
// why: only warps at the rim of the plate diverge (one lane in the first and last columns), the rest is a coalesced stencil
// Explicit heat conduction on a plate with a conductivity map and insulated or cooled rims.
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

template <int BX, int BY>
__global__ void heat_step(const float *__restrict__ t, const float *__restrict__ k, float *__restrict__ out, int w, int h, float dt) {
    int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
    if (x >= w || y >= h) return;
    size_t i = (size_t)y * w + x;
    float c = t[i], flux = 0.0f, kc = k[i];
    if (x == 0 || y == 0 || x == w - 1 || y == h - 1) {
        // rim: insulated left and right, cooled above and below
        if (x > 0) flux += 0.5f * (kc + k[i - 1]) * (t[i - 1] - c);
        if (x < w - 1) flux += 0.5f * (kc + k[i + 1]) * (t[i + 1] - c);
        if (y > 0) flux += 0.5f * (kc + k[i - w]) * (t[i - w] - c); else flux -= 2.0f * kc * (c - 20.0f);
        if (y < h - 1) flux += 0.5f * (kc + k[i + w]) * (t[i + w] - c); else flux -= 2.0f * kc * (c - 20.0f);
    } else {
        flux = 0.5f * ((kc + k[i - 1]) * (t[i - 1] - c) + (kc + k[i + 1]) * (t[i + 1] - c) +
                       (kc + k[i - w]) * (t[i - w] - c) + (kc + k[i + w]) * (t[i + w] - c));
    }
    out[i] = c + dt * flux;
}

static float at(const std::vector<float> &t, const std::vector<float> &k, int w, int h, int x, int y, int dx, int dy) {
    int a = x + dx, b = y + dy;
    float c = t[(size_t)y * w + x], kc = k[(size_t)y * w + x];
    if (a < 0 || a >= w) return 0;
    if (b < 0 || b >= h) return -2 * kc * (c - 20);
    return 0.5f * (kc + k[(size_t)b * w + a]) * (t[(size_t)b * w + a] - c);
}

int main(int argc, char **argv) {
    int scale = read_scale(argc, argv, 2048), w = 512, h = 256 * scale;
    if (is_big) { w = 32768; h = 16384; }
    std::vector<float> t((size_t)w * h), k((size_t)w * h);
    for (size_t i = 0; i < t.size(); i++) { t[i] = 20 + 80 * rndf(); k[i] = 0.5f + rndf(); }
    float *dt = upload(t), *dk = upload(k), *dout = device_zeros<float>(t.size());
    dim3 block(32, 8), grid((w + 31) / 32, (h + 7) / 8);
    run_timed([&] { heat_step<32, 8><<<grid, block>>>(dt, dk, dout, w, h, 0.1f); });
    auto o = download(dout, t.size());
    int rc = 0;
    if (!is_big) {
        std::vector<float> want(t.size());
        for (int y = 0; y < h; y++) for (int x = 0; x < w; x++)
            want[(size_t)y * w + x] = t[(size_t)y * w + x] + 0.1f * (at(t, k, w, h, x, y, -1, 0) + at(t, k, w, h, x, y, 1, 0) + at(t, k, w, h, x, y, 0, -1) + at(t, k, w, h, x, y, 0, 1));
        rc = verdict(o, want, 1e-4);
    }
    checksum(o);
    return rc;
}
