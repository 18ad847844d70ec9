// kind: early end
// line: 91
// gain: yes
// why: most candidates have a small factor and their threads return, while a fifth of the lanes of each warp runs the long Miller-Rabin test
// Primality of random odd 32-bit numbers: trial division by small primes, then Miller-Rabin with three bases for the survivors.
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

__constant__ u32 d_small[15] = {3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
static const u32 h_small[15] = {3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};

__host__ __device__ inline u32 mul_mont(u32 a, u32 b, u32 n, u32 ni) {
    u64 t = (u64)a * b;
    u64 r = (t >> 32) + (((u64)((u32)t * ni) * n) >> 32) + ((u32)t != 0);
    return (u32)(r >= n ? r - n : r);
}
// always all 32 bits of the exponent: the same work for every survivor
__host__ __device__ inline int strong_test(u32 n, u32 base) {
    u32 inv = n;
    for (int i = 0; i < 4; i++) inv *= 2 - n * inv;
    u32 ni = 0u - inv, one = (u32)((1ull << 32) % n), minus = n - one;
    u32 b = (u32)(((u64)base << 32) % n), e = n - 1, acc = one;
    int good = 0;
    for (int bit = 31; bit >= 0; --bit) {
        u32 low = e & ((2u << bit) - 1);
        good |= (bit < 31 && acc == minus && low == 0);
        acc = mul_mont(acc, acc, n, ni);
        u32 m = mul_mont(acc, b, n, ni);
        acc = (e >> bit & 1) ? m : acc;
        good |= acc == minus && (e & ((1u << bit) - 1)) == 0 && bit > 0;
        good |= acc == one && (e & ((1u << bit) - 1)) == 0 && (e >> bit & 1);
    }
    return good;
}

__global__ void classify(const u32 *__restrict__ cand, int n, unsigned char *__restrict__ prime) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const u32 c = cand[i];
    bool composite = false;
    for (int k = 0; k < 15; ++k) composite |= c % d_small[k] == 0;
    if (composite) {
        prime[i] = 0;
        return;
    }
    int ok = strong_test(c, 2) & strong_test(c, 7) & strong_test(c, 61);
    prime[i] = (unsigned char)ok;
}

int main(int argc, char **argv) {
    int scale = read_scale(argc, argv, 512), n = 16384 * scale;
    std::vector<u32> cand(n);
    for (auto &c : cand) c = (0x80000000u | rnd() << 7 | rnd() % 128) | 1u;
    u32 *dc = upload(cand);
    unsigned char *dp = device_zeros<unsigned char>(n);
    run_timed([&] { classify<<<(n + 255) / 256, 256>>>(dc, n, dp); });
    auto p = download(dp, n);
    int rc = 0;
    if (!is_big) {
        std::vector<unsigned char> w(n);
        long primes = 0, wrong = 0;
        for (int i = 0; i < n; i++) {
            bool comp = false;
            for (u32 q : h_small) comp |= cand[i] % q == 0;
            w[i] = !comp && (strong_test(cand[i], 2) & strong_test(cand[i], 7) & strong_test(cand[i], 61));
            primes += w[i];
            if (i < 500) { bool real = true; for (u64 q = 3; q * q <= cand[i]; q += 2) if (cand[i] % q == 0) { real = false; break; } wrong += real != (bool)w[i]; }
        }
        rc = verdict(p, w) | (wrong != 0);
        printf("primes %ld, wrong %ld\n", primes, wrong);
    }
    checksum(p);
    return rc;
}
