// kind: none
// line: 0
// gain: no
// why: the branches depend on the job of the block or on the warp, so they are uniform in each warp although blocks differ a lot
// Batched signal jobs: each block does one job (smooth, differentiate, resample or spectrum), with different lengths.
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

struct Job { int op, repeat; float p; };
const int CHUNK = 256;

__device__ __forceinline__ float smooth(const float *s, int i) {
    float a = 0.0f;
    #pragma unroll
    for (int k = -3; k <= 3; ++k) a += s[(i + k) & (CHUNK - 1)];
    return a * (1.0f / 7.0f);
}

__global__ void run_jobs(const Job *__restrict__ jobs, const float *__restrict__ in, float *__restrict__ out) {
    __shared__ float s[CHUNK];
    const Job job = jobs[blockIdx.x];
    const int i = threadIdx.x;
    const size_t base = (size_t)blockIdx.x * CHUNK;
    float v = in[base + i];
    for (int r = 0; r < job.repeat; ++r) {
        s[i] = v;
        __syncthreads();
        switch (job.op) {
        case 0: v = smooth(s, i); break;
        case 1: v = 0.5f * (s[(i + 1) & (CHUNK - 1)] - s[(i - 1) & (CHUNK - 1)]) + 0.1f * v; break;
        case 2: {
            float at = i * job.p, f = floorf(at);
            int k = (int)f & (CHUNK - 1);
            v = s[k] + (at - f) * (s[(k + 1) & (CHUNK - 1)] - s[k]);
            break;
        }
        default: {
            float a = 0.0f;
            for (int k = 0; k < 32; ++k) a += s[k * 8] * (((i * k) & 7) < 4 ? 1.0f : -1.0f);
            v = 0.03f * a + 0.5f * v;
        }
        }
        if (threadIdx.x / 32 == (unsigned)(r & 7)) v *= 0.99f;      // one warp at a time
        __syncthreads();
    }
    out[base + i] = v;
}

int main(int argc, char **argv) {
    int scale = read_scale(argc, argv, 2048), blocks = 96 * scale;
    std::vector<Job> jobs(blocks);
    std::vector<float> in((size_t)blocks * CHUNK);
    for (auto &j : jobs) j = {(int)(rnd() >> 6 & 3), 8 + (int)(rnd() % 24), 0.5f + rndf()};
    for (auto &v : in) v = rndf() - 0.5f;
    Job *dj = upload(jobs);
    float *di = upload(in), *dout = device_zeros<float>(in.size());
    run_timed([&] { run_jobs<<<blocks, CHUNK>>>(dj, di, dout); });
    auto o = download(dout, in.size());
    int rc = 0;
    if (!is_big) {
        std::vector<float> w(in);
        const int M = CHUNK - 1;
        for (int b = 0; b < blocks; b++) for (int r = 0; r < jobs[b].repeat; r++) {
            std::vector<float> s(w.begin() + b * CHUNK, w.begin() + (b + 1) * CHUNK);
            for (int i = 0; i < CHUNK; i++) {
                float v = s[i];
                if (jobs[b].op == 0) { float a = 0; for (int k = -3; k <= 3; k++) a += s[(i + k) & M]; v = a / 7; }
                else if (jobs[b].op == 1) v = 0.5f * (s[(i + 1) & M] - s[(i - 1) & M]) + 0.1f * v;
                else if (jobs[b].op == 2) { float at = i * jobs[b].p, f = std::floor(at); int k = (int)f & M; v = s[k] + (at - f) * (s[(k + 1) & M] - s[k]); }
                else { float a = 0; for (int k = 0; k < 32; k++) a += s[k * 8] * (((i * k) & 7) < 4 ? 1.0f : -1.0f); v = 0.03f * a + 0.5f * v; }
                if (i / 32 == (r & 7)) v *= 0.99f;
                w[(size_t)b * CHUNK + i] = v;
            }
        }
        rc = verdict(o, w, 1e-3);
    }
    checksum(o);
    return rc;
}
