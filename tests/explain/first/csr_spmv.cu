// kind: loop trips
// line: 62
// gain: yes
// why: one thread per row, row lengths follow a power law, so a warp runs as long as its longest row
// y = A x for a sparse matrix in CSR format with a heavy-tailed row length, followed by a damped Jacobi-like update.
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

template <typename T>
__global__ void spmv_scalar(int rows, const int *__restrict__ row_ptr, const int *__restrict__ col, const T *__restrict__ val,
                            const T *__restrict__ x, const T *__restrict__ b, T *__restrict__ y, T omega) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    T sum = T(0), diag = T(1);
    int end = row_ptr[row + 1];
    for (int k = row_ptr[row]; k < end; ++k) {
        int c = col[k];
        T v = val[k];
        if (c == row) diag += v;
        sum += v * x[c];
    }
    T r = b[row] - sum;
    y[row] = x[row] + omega * r / diag;
}

int main(int argc, char **argv) {
    int scale = read_scale(argc, argv, 384);
    int rows = 16384 * scale;
    std::vector<int> ptr(rows + 1), col;
    std::vector<float> val, x(rows), b(rows);
    for (int i = 0; i < rows; i++) {
        ptr[i] = (int)col.size();
        int len = std::min(500, (int)(6.0f / (0.004f + rndf())));
        for (int k = 0; k < len; k++) {
            int c = i + (int)(rnd() % 4096) - 2048;
            col.push_back(c < 0 ? c + rows : c >= rows ? c - rows : c);
            val.push_back(0.1f + 0.2f * rndf());
        }
        x[i] = rndf(); b[i] = rndf();
    }
    ptr[rows] = (int)col.size();
    int *dptr = upload(ptr), *dcol = upload(col);
    float *dval = upload(val), *dx = upload(x), *db = upload(b), *dy = device_zeros<float>(rows);
    run_timed([&] { spmv_scalar<float><<<(rows + 255) / 256, 256>>>(rows, dptr, dcol, dval, dx, db, dy, 0.7f); });
    auto y = download(dy, rows);
    int rc = 0;
    if (!is_big) {
        std::vector<float> w(rows);
        for (int i = 0; i < rows; i++) {
            double s = 0, d = 1;
            for (int k = ptr[i]; k < ptr[i + 1]; k++) { s += val[k] * x[col[k]]; if (col[k] == i) d += val[k]; }
            w[i] = (float)(x[i] + 0.7 * (b[i] - s) / d);
        }
        rc = verdict(y, w, 1e-3);
    }
    checksum(y);
    return rc;
}
