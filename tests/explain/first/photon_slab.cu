// kind: condition in a loop
// line: 62
// gain: yes
// why: each step a photon scatters, is absorbed or refracts at random; the sides have long trigonometry and run one after the other
// Monte Carlo transport of photon packets through a layered slab; a packet is followed for a fixed number of events.
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

struct Photon { float z, ux, uz, w; unsigned seed; };

__host__ __device__ inline unsigned next(unsigned &s) { s = s * 747796405u + 2891336453u; unsigned r = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u; return (r >> 22) ^ r; }
__host__ __device__ inline float unit(unsigned &s) { return ((next(s) >> 9) + 0.5f) * (1.0f / 8388608.0f); }

__host__ __device__ inline void event(Photon &p, float &deposit) {
    unsigned choice = next(p.seed) & 1023u;
    if (choice < 460u) {
        // Henyey-Greenstein scattering, g = 0.8
        float t = (1.0f - 0.64f) / (1.0f - 0.8f + 1.6f * unit(p.seed));
        float ct = (1.0f + 0.64f - t * t) / 1.6f;
        float st = sqrtf(fmaxf(0.0f, 1.0f - ct * ct));
        float phi = 6.2831853f * unit(p.seed);
        float uz = p.uz * ct - sqrtf(fmaxf(0.0f, 1.0f - p.uz * p.uz)) * st * cosf(phi);
        float ux = p.ux * ct + st * sinf(phi);
        float l = rsqrtf(ux * ux + uz * uz + 1e-6f);
        p.ux = ux * l; p.uz = uz * l;
        p.z += p.uz * -logf(unit(p.seed)) * 0.1f;
    } else if (choice < 760u) {
        // absorption along a free path, attenuated by a depth-dependent coefficient
        float mu = 0.3f + 0.2f * sinf(3.0f * p.z) + 0.05f * cosf(11.0f * p.z);
        float lost = p.w * (1.0f - expf(-mu * -logf(unit(p.seed))));
        deposit += lost * (1.0f + 0.1f * tanhf(p.z));
        p.w -= lost;
        if (p.w < 0.01f) p.w = 1.0f;
    } else {
        // Fresnel reflection or refraction at the next interface
        float c1 = fabsf(p.uz), n = 1.37f;
        float s2 = n * sqrtf(fmaxf(0.0f, 1.0f - c1 * c1));
        float c2 = sqrtf(fmaxf(0.0f, 1.0f - fminf(1.0f, s2 * s2)));
        float rs = (n * c1 - c2) / (n * c1 + c2 + 1e-4f), rp = (n * c2 - c1) / (n * c2 + c1 + 1e-4f);
        float r = 0.5f * (rs * rs + rp * rp);
        p.uz = -p.uz;
        deposit += (1.0f - r) * p.w * powf(0.5f + 0.4f * c1, 1.5f) * 0.01f;
        p.w *= 0.5f + 0.5f * r;
    }
}

__global__ void transport(const unsigned *seeds, int n, int events, float *deposited) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Photon p = {0.0f, 0.0f, 1.0f, 1.0f, seeds[i]};
    float d = 0.0f;
    for (int e = 0; e < events; ++e) event(p, d);
    deposited[i] = d;
}

int main(int argc, char **argv) {
    int scale = read_scale(argc, argv, 256), n = 16384 * scale, events = 24;
    std::vector<unsigned> seeds(n);
    for (auto &s : seeds) s = rnd() * 256u + rnd() % 256u;
    unsigned *dsd = upload(seeds);
    float *dd = device_zeros<float>(n);
    run_timed([&] { transport<<<(n + 255) / 256, 256>>>(dsd, n, events, dd); });
    auto d = download(dd, n);
    int rc = 0;
    if (!is_big) {
        std::vector<float> w(n, 0.0f);
        for (int i = 0; i < n; i++) { Photon p = {0.0f, 0.0f, 1.0f, 1.0f, seeds[i]}; for (int e = 0; e < events; e++) event(p, w[i]); }
        rc = verdict(d, w, 2e-3, 0.005);
    }
    checksum(d);
    return rc;
}
