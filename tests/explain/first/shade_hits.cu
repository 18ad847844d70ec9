// kind: condition
// line: 102
// gain: yes
// why: hits come in ray order with four materials mixed within a warp; the switch runs four different shaders one after the other
// Shades ray hits: the material of each hit picks wood, marble, metal or skin.
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

struct Hit { float x, y, z, nx, ny, nz; int material; };

__host__ __device__ inline float hash3(int x, int y, int z) {
    unsigned h = x * 374761393u + y * 668265263u + z * 2147483647u;
    h = (h ^ (h >> 13)) * 1274126177u;
    return ((h ^ (h >> 16)) & 0xffff) * (1.0f / 65536.0f);
}
__host__ __device__ inline float wood(const Hit &h) {
    float acc = 0.0f;
    for (int ring = 1; ring <= 10; ++ring) {
        float r = sqrtf(h.x * h.x + h.z * h.z) * ring + 0.3f * sinf(h.y * ring);
        acc += (r - floorf(r)) / ring;
    }
    return acc * (0.4f + 0.6f * fabsf(h.ny));
}
__host__ __device__ inline float marble(const Hit &h) {
    float s = 0.0f, a = 1.0f, f = 1.0f;
    for (int o = 0; o < 7; ++o) {
        s += a * fabsf(hash3((int)(h.x * f), (int)(h.y * f), (int)(h.z * f)) - 0.5f);
        a *= 0.5f; f *= 2.0f;
    }
    return 0.5f + 0.5f * cosf(h.x + 5.0f * s);
}
__host__ __device__ inline float metal(const Hit &h) {
    float sum = 0.0f;
    for (int l = 0; l < 12; ++l) {
        float lx = cosf(0.5f * l), lz = sinf(0.5f * l);
        float nh = fmaxf(0.0f, (h.nx * lx + h.nz * lz + h.ny) * 0.7f);
        float d = nh * nh * (0.04f - 1.0f) + 1.0f;
        sum += 0.04f / (3.14159f * d * d + 1e-3f);
    }
    return sum / (1.0f + sum);
}
__host__ __device__ inline float skin(const Hit &h) {
    float acc = 0.0f;
    for (int k = 1; k <= 9; ++k) {
        float d = 0.1f * k, w = expf(-d * d * 3.0f);
        acc += w * (0.5f + 0.5f * tanhf(h.ny * 3.0f - d)) * expf(-d * fabsf(h.z));
    }
    return acc * 0.3f;
}

__global__ void shade(const Hit *hits, float *color, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Hit h = hits[i];
    float c = 0.0f;
    switch (h.material) {
    case 0: c = wood(h); break;
    case 1: c = marble(h); break;
    case 2: c = metal(h); break;
    case 3: c = skin(h); break;
    }
    color[i] = c * (0.8f + 0.2f * h.ny);
}

int main(int argc, char **argv) {
    int scale = read_scale(argc, argv, 2048), n = 16384 * scale;
    std::vector<Hit> hits(n);
    for (auto &h : hits) h = {rndf() * 8, rndf() * 8, rndf() * 8, rndf() - 0.5f, rndf() - 0.5f, rndf() - 0.5f, (int)(rnd() >> 7) & 3};
    Hit *dh = upload(hits);
    float *dc = device_zeros<float>(n);
    run_timed([&] { shade<<<(n + 255) / 256, 256>>>(dh, dc, n); });
    auto c = download(dc, n);
    int rc = 0;
    if (!is_big) {
        std::vector<float> w(n);
        for (int i = 0; i < n; i++) {
            const Hit &h = hits[i];
            w[i] = (h.material == 0 ? wood(h) : h.material == 1 ? marble(h) : h.material == 2 ? metal(h) : skin(h)) * (0.8f + 0.2f * h.ny);
        }
        rc = verdict(c, w, 1e-2, 0.01);
    }
    checksum(c);
    return rc;
}
