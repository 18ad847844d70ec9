// kind: condition in a loop
// line: 60
// gain: yes
// why: each tick an eighth or so of the agents replans (a long scan of threats) at its own time, while the other lanes wait for the scan
// Game AI: agents steer each tick, and replan when their patience has run out; threats are shared by all.
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

const int THREATS = 32;
struct Agent { float x, y, vx, vy; int patience; unsigned seed; };

__host__ __device__ inline void tick(Agent &a, const float *tx, const float *ty, int &plans) {
    a.seed = a.seed * 1664525u + 1013904223u;
    if (--a.patience < 0) {
        // replan: weigh all threats, turn away from them
        float sx = 0.0f, sy = 0.0f;
        for (int k = 0; k < THREATS; ++k) {
            float dx = a.x - tx[k], dy = a.y - ty[k];
            float inv = 1.0f / (dx * dx + dy * dy + 0.5f);
            sx += dx * inv;
            sy += dy * inv;
        }
        float l = sqrtf(sx * sx + sy * sy) + 1e-3f;
        a.vx = 0.7f * a.vx + 0.3f * sx / l;
        a.vy = 0.7f * a.vy + 0.3f * sy / l;
        a.patience = 2 + (int)((a.seed >> 20) & 15u);
        ++plans;
    }
    a.x += 0.05f * a.vx;
    a.y += 0.05f * a.vy;
    if (a.x < 0.0f || a.x > 20.0f) a.vx = -a.vx;
    if (a.y < 0.0f || a.y > 20.0f) a.vy = -a.vy;
}

__global__ void simulate(Agent *out, const Agent *in, const float *tx, const float *ty, int n, int ticks, int *plans) {
    __shared__ float sx[THREATS], sy[THREATS];
    if (threadIdx.x < THREATS) { sx[threadIdx.x] = tx[threadIdx.x]; sy[threadIdx.x] = ty[threadIdx.x]; }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Agent a = in[i];
    int p = 0;
    for (int t = 0; t < ticks; ++t) tick(a, sx, sy, p);
    out[i] = a;
    plans[i] = p;
}

int main(int argc, char **argv) {
    int scale = read_scale(argc, argv, 256), n = 8192 * scale, ticks = 64;
    std::vector<Agent> a(n);
    std::vector<float> tx(THREATS), ty(THREATS);
    for (auto &g : a) g = {rndf() * 20, rndf() * 20, rndf() - 0.5f, rndf() - 0.5f, (int)(rnd() % 16), rnd() * 256u + rnd() % 256u};
    for (int k = 0; k < THREATS; k++) { tx[k] = rndf() * 20; ty[k] = rndf() * 20; }
    Agent *di = upload(a), *dout = device_zeros<Agent>(n);
    float *dx = upload(tx), *dy = upload(ty);
    int *dp = device_zeros<int>(n);
    run_timed([&] { simulate<<<(n + 127) / 128, 128>>>(dout, di, dx, dy, n, ticks, dp); });
    auto g = download(dout, n);
    auto plans = download(dp, n);
    int rc = 0;
    if (!is_big) {
        std::vector<float> got(n), w(n);
        std::vector<int> wp(n, 0);
        for (int i = 0; i < n; i++) { Agent b = a[i]; for (int t = 0; t < ticks; t++) tick(b, tx.data(), ty.data(), wp[i]); w[i] = b.x + b.y; got[i] = g[i].x + g[i].y; }
        rc = verdict(got, w, 1e-2, 0.01) | verdict(plans, wp);
    }
    std::vector<float> s(n);
    for (int i = 0; i < n; i++) s[i] = g[i].x + 2 * g[i].y + plans[i];
    checksum(s);
    return rc;
}
