// kind: early end
// line: 77
// gain: yes
// why: three quarters of the pool are dead particles whose threads return at once, scattered among live ones that integrate 40 substeps
// Spray simulation with a particle pool: dead slots stay in place, live ones are integrated with drag, gravity and wind.
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

struct Pool { const float4 *pos, *vel; const int *life; float4 *out; };

__host__ __device__ inline float4 integrate(float4 p, float4 v, float dt, int sub) {
    for (int s = 0; s < sub; ++s) {
        float wx = sinf(0.3f * p.y) * 2.0f, wz = cosf(0.2f * p.x);
        float rx = v.x - wx, rz = v.z - wz;
        float speed = sqrtf(rx * rx + v.y * v.y + rz * rz);
        float drag = 0.1f * speed / (1.0f + p.w);
        v.x -= dt * drag * rx;
        v.y -= dt * (drag * v.y + 9.81f);
        v.z -= dt * drag * rz;
        p.x += dt * v.x; p.y += dt * v.y; p.z += dt * v.z;
        float below = fminf(p.y, 0.0f);
        p.y -= 2.0f * below;
        v.y = below < 0.0f ? -0.5f * v.y : v.y;
    }
    return p;
}

__global__ void step_pool(Pool pool, int n, float dt, int sub) {
    int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i >= n) return;
    if (pool.life[i] <= 0) return;
    float4 p = pool.pos[i], v = pool.vel[i];
    pool.out[i] = integrate(p, v, dt, sub);
}

int main(int argc, char **argv) {
    int scale = read_scale(argc, argv, 512), n = 32768 * scale;
    std::vector<float4> pos(n), vel(n);
    std::vector<int> life(n);
    for (int i = 0; i < n; i++) {
        pos[i] = make_float4(rndf() * 10, rndf() * 5, rndf() * 10, rndf());
        vel[i] = make_float4(rndf() - 0.5f, rndf() * 4, rndf() - 0.5f, 0);
        life[i] = rnd() % 100 < 25 ? 1 + (int)(rnd() % 50) : 0;
    }
    Pool pool = {upload(pos), upload(vel), upload(life), device_zeros<float4>(n)};
    run_timed([&] { step_pool<<<(n + 255) / 256, 256>>>(pool, n, 0.01f, 40); });
    auto o = download(pool.out, n);
    std::vector<float> got(n), w(n, 0.0f);
    for (int i = 0; i < n; i++) got[i] = o[i].x + o[i].y + o[i].z;
    int rc = 0;
    if (!is_big) {
        for (int i = 0; i < n; i++) if (life[i] > 0) { float4 q = integrate(pos[i], vel[i], 0.01f, 40); w[i] = q.x + q.y + q.z; }
        rc = verdict(got, w, 1e-2, 0.005);
    }
    checksum(got);
    return rc;
}
