// kind: none
// line: 0
// gain: no
// why: a tiled matrix product whose sizes divide the tiles: full warps, coalesced loads, no divergent branch
// C = alpha A B + beta C with 64x64 tiles, 16x16 threads, 4x4 results a thread, and a ReLU at the end.
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

template <int TS, int KS>
__global__ void __launch_bounds__(256) gemm(int m, int n, int k, const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, float alpha, float bias) {
    __shared__ float as[KS][TS + 4], bs[KS][TS];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const int row0 = blockIdx.y * TS, col0 = blockIdx.x * TS;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < k; k0 += KS) {
        for (int e = threadIdx.x; e < TS * KS; e += 256) {
            int r = e / KS, c = e % KS;
            as[c][r] = A[(size_t)(row0 + r) * k + k0 + c];
            int br = e / TS, bc = e % TS;
            bs[br][bc] = B[(size_t)(k0 + br) * n + col0 + bc];
        }
        __syncthreads();
        #pragma unroll
        for (int kk = 0; kk < KS; ++kk) {
            float a[4], b[4];
            #pragma unroll
            for (int q = 0; q < 4; ++q) { a[q] = as[kk][ty * 4 + q]; b[q] = bs[kk][tx + 16 * q]; }
            #pragma unroll
            for (int i = 0; i < 4; ++i)
                #pragma unroll
                for (int j = 0; j < 4; ++j) acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            float v = alpha * acc[i][j] + bias;
            C[(size_t)(row0 + ty * 4 + i) * n + col0 + tx + 16 * j] = v > 0.0f ? v : 0.0f;
        }
}

int main(int argc, char **argv) {
    int scale = read_scale(argc, argv, 8), m = 512 * scale, n = 512, k = 64;
    if (is_big) { n = 4096; k = 2048; }
    std::vector<float> a((size_t)m * k), b((size_t)k * n);
    for (auto &v : a) v = rndf() - 0.5f;
    for (auto &v : b) v = rndf() - 0.5f;
    float *da = upload(a), *db = upload(b), *dc = device_zeros<float>((size_t)m * n);
    run_timed([&] { gemm<64, 16><<<dim3(n / 64, m / 64), 256>>>(m, n, k, da, db, dc, 0.5f, 0.1f); });
    auto c = download(dc, (size_t)m * n);
    int rc = 0;
    if (!is_big) {
        std::vector<float> w((size_t)m * n);
        for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) {
            double s = 0; for (int q = 0; q < k; q++) s += (double)a[(size_t)i * k + q] * b[(size_t)q * n + j];
            w[(size_t)i * n + j] = std::max(0.0f, (float)(0.5 * s + 0.1));
        }
        rc = verdict(c, w, 1e-4);
    }
    checksum(c);
    return rc;
}
