// kind: common call or tail
// line: 74
// gain: yes
// why: both sides call the same key-stretching function with other arguments; choosing the arguments first and calling once would halve the time
// Stretches keys of old (version 1) and new (version 2) accounts of a password store; the versions are mixed.
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

struct Digest { unsigned a, b, c, d; };

__host__ __device__ __noinline__ Digest stretch(unsigned key, unsigned salt, unsigned pepper) {
    Digest h = {0x67452301u ^ key, 0xefcdab89u ^ salt, 0x98badcfeu ^ pepper, 0x10325476u};
    for (int round = 0; round < 48; ++round) {
        unsigned f = (h.b & h.c) | (~h.b & h.d);
        unsigned t = h.a + f + key * (2 * round + 1) + 0x5a827999u;
        t = (t << 7) | (t >> 25);
        h.a = h.d; h.d = h.c; h.c = h.b; h.b += t;
        h.a ^= (h.b >> 3) + salt;
        h.c += (h.d << 5) ^ pepper;
    }
    return h;
}

__global__ void check_accounts(const unsigned *keys, const unsigned *salts, const unsigned char *version, int n, unsigned *token) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned k = keys[i], s = salts[i], t;
    if (version[i] == 1) {
        Digest d = stretch(k, s, 0u);
        t = d.a ^ d.b;
    } else {
        unsigned mixed = k ^ (s << 16 | s >> 16);
        Digest d = stretch(mixed, s * 31u + 7u, 0xa5a5a5a5u);
        t = d.a + d.c * 3u;
    }
    token[i] = t;
}

int main(int argc, char **argv) {
    int scale = read_scale(argc, argv, 2048), n = 16384 * scale;
    std::vector<unsigned> k(n), s(n);
    std::vector<unsigned char> v(n);
    for (int i = 0; i < n; i++) { k[i] = rnd() * 256u + rnd() % 256u; s[i] = rnd(); v[i] = 1 + (rnd() >> 9 & 1); }
    unsigned *dk = upload(k), *ds = upload(s), *dt = device_zeros<unsigned>(n);
    unsigned char *dv = upload(v);
    run_timed([&] { check_accounts<<<(n + 255) / 256, 256>>>(dk, ds, dv, n, dt); });
    auto t = download(dt, n);
    int rc = 0;
    if (!is_big) {
        std::vector<unsigned> w(n);
        for (int i = 0; i < n; i++) {
            if (v[i] == 1) { Digest d = stretch(k[i], s[i], 0); w[i] = d.a ^ d.b; }
            else { Digest d = stretch(k[i] ^ (s[i] << 16 | s[i] >> 16), s[i] * 31u + 7u, 0xa5a5a5a5u); w[i] = d.a + d.c * 3u; }
        }
        rc = verdict(t, w);
    }
    checksum(t);
    return rc;
}
