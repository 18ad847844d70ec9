// kind: loop trips
// line: 71
// gain: yes
// why: Pollard's rho finds a factor after a random number of batches, which differs several-fold between neighbouring threads
// Factors many 32-bit semiprimes with Pollard's rho (Brent's variant, Montgomery multiplication, batched gcd).
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

typedef unsigned u32;
typedef unsigned long long u64;

__host__ __device__ inline u32 mont_inv(u32 n) { u32 x = n; for (int i = 0; i < 5; i++) x *= 2 - n * x; return 0u - x; }
__host__ __device__ inline u32 mont_mul(u32 a, u32 b, u32 n, u32 ni) {
    u64 t = (u64)a * b;
    u32 m = (u32)t * ni;
    u64 r = (t >> 32) + (((u64)m * n) >> 32) + ((u32)t != 0);
    return (u32)(r >= n ? r - n : r);
}
__host__ __device__ inline u32 gcd32(u32 a, u32 b) { while (b) { u32 t = a % b; a = b; b = t; } return a; }

__host__ __device__ inline u32 rho(u32 n, u32 c) {
    const u32 ni = mont_inv(n);
    u32 y = 2 % n, x = y, g = 1;
    int taken = 0, power = 16;
    for (int batch = 0; batch < 4096 && g == 1; ++batch) {
        u32 prod = 1 + c % 7, ys = y;
        for (int k = 0; k < 16; ++k) {
            u64 t = (u64)mont_mul(y, y, n, ni) + c;
            y = (u32)(t >= n ? t - n : t);
            u32 d = x > y ? x - y : y - x;
            prod = mont_mul(prod, d, n, ni);
        }
        g = gcd32(prod, n);
        if (g == n) {                      // overshot: go through the batch again, step by step
            g = 1;
            y = ys;
            for (int k = 0; k < 16 && g == 1; ++k) {
                u64 t = (u64)mont_mul(y, y, n, ni) + c;
                y = (u32)(t >= n ? t - n : t);
                g = gcd32(x > y ? x - y : y - x, n);
            }
            return g;
        }
        taken += 16;
        if (taken >= power) { x = y; power *= 2; taken = 0; }
    }
    return g;
}

__global__ void factor_kernel(const u32 *num, u32 *factor, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    u32 n = num[i];
    u32 f = rho(n, 1 + (n >> 3) % 5);
    factor[i] = f;
}

int main(int argc, char **argv) {
    int scale = read_scale(argc, argv, 256), n = 8192 * scale;
    std::vector<u32> primes;
    for (u32 p = 257; p < 65536; p += 2) { bool ok = true; for (u32 q = 3; q * q <= p; q += 2) if (p % q == 0) { ok = false; break; } if (ok) primes.push_back(p); }
    std::vector<u32> num(n);
    for (auto &v : num) {
        // small factors are frequent, large ones rare: p is log-uniform
        u32 a = (u32)(std::pow(rndf(), 3.0f) * (primes.size() - 1)), b = rnd() % primes.size();
        v = primes[a] * primes[b];
    }
    u32 *dn = upload(num), *df = device_zeros<u32>(n);
    run_timed([&] { factor_kernel<<<(n + 127) / 128, 128>>>(dn, df, n); });
    auto f = download(df, n);
    int rc = 0;
    if (!is_big) {
        std::vector<u32> w(n);
        for (int i = 0; i < n; i++) { u32 v = num[i]; w[i] = rho(v, 1 + (v >> 3) % 5); if (w[i] && v % w[i]) rc = 1; }
        rc |= verdict(f, w);
    }
    checksum(f);
    return rc;
}
