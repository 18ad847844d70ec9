// kind: condition
// line: 99
// gain: yes
// why: a book in order of arrival mixes three contract types within each warp, and each type has a long pricing code of its own
// Values a book of option contracts: European (closed form summed over dividend scenarios), American (binomial tree) and Asian (quadrature).
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

struct Contract { int type; float spot, strike, vol, years; };

__host__ __device__ inline float cnd(float x) { return 0.5f * erfcf(-x * 0.70710678f); }

__host__ __device__ inline float european(const Contract &c, float r) {
    float v = 0.0f, st = c.vol * sqrtf(c.years);
    for (int s = 0; s < 12; ++s) {
        float spot = c.spot * expf(-0.004f * s * c.years);
        float d1 = (logf(spot / c.strike) + (r + 0.5f * c.vol * c.vol) * c.years) / st;
        v += spot * cnd(d1) - c.strike * expf(-r * c.years) * cnd(d1 - st);
    }
    return v / 12.0f;
}
__host__ __device__ inline float american(const Contract &c, float r) {
    const int N = 24;
    float dt = c.years / N, u = expf(c.vol * sqrtf(dt)), d = 1.0f / u, p = (expf(r * dt) - d) / (u - d), disc = expf(-r * dt);
    float v[N + 1];
    float s = c.spot;
    for (int i = 0; i < N; ++i) s *= d;
    float u2 = u * u, low = s;
    for (int i = 0; i <= N; ++i, s *= u2) v[i] = fmaxf(c.strike - s, 0.0f);
    for (int t = N - 1; t >= 0; --t) {
        low *= u;
        s = low;
        for (int i = 0; i <= t; ++i, s *= u2) v[i] = fmaxf(disc * (p * v[i + 1] + (1.0f - p) * v[i]), c.strike - s);
    }
    return v[0];
}
__host__ __device__ inline float asian(const Contract &c, float r) {
    float sum = 0.0f, norm = 0.0f, sg = c.vol * sqrtf(c.years / 3.0f);
    for (int k = -60; k <= 60; ++k) {
        float z = k * 0.08f, w = expf(-0.5f * z * z);
        float a = c.spot * expf((0.5f * r - c.vol * c.vol / 12.0f) * c.years + sg * z);
        sum += w * fmaxf(a - c.strike, 0.0f);
        norm += w;
    }
    return expf(-r * c.years) * sum / norm;
}

__global__ void value_book(const Contract *__restrict__ book, int n, float r, float *__restrict__ value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Contract c = book[i];
    float v;
    if (c.type == 0)
        v = european(c, r);
    else if (c.type == 1)
        v = american(c, r);
    else
        v = asian(c, r);
    value[i] = v;
}

int main(int argc, char **argv) {
    int scale = read_scale(argc, argv, 512), n = 8192 * scale;
    std::vector<Contract> book(n);
    for (auto &c : book) c = {(int)(rnd() % 3), 80 + 40 * rndf(), 80 + 40 * rndf(), 0.15f + 0.3f * rndf(), 0.25f + 2 * rndf()};
    Contract *db = upload(book);
    float *dv = device_zeros<float>(n);
    run_timed([&] { value_book<<<(n + 127) / 128, 128>>>(db, n, 0.03f, dv); });
    auto v = download(dv, n);
    int rc = 0;
    if (!is_big) {
        std::vector<float> w(n);
        for (int i = 0; i < n; i++) w[i] = book[i].type == 0 ? european(book[i], 0.03f) : book[i].type == 1 ? american(book[i], 0.03f) : asian(book[i], 0.03f);
        rc = verdict(v, w, 1e-2, 0.002);
    }
    checksum(v);
    return rc;
}
