// kind: memory
// line: 63
// gain: yes
// why: each thread walks a row of its own, so the lanes of a warp read addresses a whole row apart; a warp per row or a tile in shared memory would be coalesced
// Log-sum-exp of the rows of a row-major matrix, one thread per row.
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

const int COLS = 200;

__global__ void row_lse(const float *__restrict__ m, int rows, float *__restrict__ out) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const float *row = m + (size_t)r * COLS;
    float top = -1e30f, sum = 0.0f;
    for (int c = 0; c < COLS; ++c) {
        float v = row[c];
        float t = fmaxf(top, v);
        sum = sum * __expf(top - t) + __expf(v - t);
        top = t;
    }
    out[r] = top + __logf(sum);
}

int main(int argc, char **argv) {
    int scale = read_scale(argc, argv, 640), rows = 8192 * scale;
    std::vector<float> m((size_t)rows * COLS);
    for (auto &v : m) v = rndf() * 10 - 5;
    float *dm = upload(m), *dout = device_zeros<float>(rows);
    run_timed([&] { row_lse<<<(rows + 127) / 128, 128>>>(dm, rows, dout); });
    auto o = download(dout, rows);
    int rc = 0;
    if (!is_big) {
        std::vector<float> w(rows);
        for (int r = 0; r < rows; r++) { double s = 0; for (int c = 0; c < COLS; c++) s += exp((double)m[(size_t)r * COLS + c]); w[r] = (float)log(s); }
        rc = verdict(o, w, 1e-4);
    }
    checksum(o);
    return rc;
}
