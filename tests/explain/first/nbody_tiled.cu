// kind: none
// line: 0
// gain: no
// why: all lanes run the same full loops over a shared tile; nothing diverges and loads are coalesced or broadcast
// All-pairs gravity with tiles in shared memory; a window of interaction partners keeps the default run short.
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

const int TILE = 128;

__device__ inline float3 pull(float3 acc, float4 a, float4 b) {
    float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
    float d2 = dx * dx + dy * dy + dz * dz + 0.01f;
    float inv = rsqrtf(d2);
    float s = b.w * inv * inv * inv;
    acc.x += dx * s; acc.y += dy * s; acc.z += dz * s;
    return acc;
}

__global__ void gravity(const float4 *__restrict__ body, int n, int tiles, float4 *__restrict__ acc) {
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float4 me = body[i];
    float3 a = make_float3(0, 0, 0);
    for (int t = 0; t < tiles; ++t) {
        int src = ((blockIdx.x + t * 7) * TILE) % n;
        tile[threadIdx.x] = body[src + threadIdx.x];
        __syncthreads();
        #pragma unroll 8
        for (int k = 0; k < TILE; ++k) a = pull(a, me, tile[k]);
        __syncthreads();
    }
    float e = a.x * a.x + a.y * a.y + a.z * a.z;
    if (e > 1e12f) e = 0.0f;
    acc[i] = make_float4(a.x, a.y, a.z, e);
}

int main(int argc, char **argv) {
    int scale = read_scale(argc, argv, 64), n = 8192 * scale, tiles = is_big ? 256 : 2;
    std::vector<float4> b(n);
    for (auto &p : b) p = make_float4(rndf() * 4, rndf() * 4, rndf() * 4, 0.1f + rndf());
    float4 *db = upload(b), *da = device_zeros<float4>(n);
    run_timed([&] { gravity<<<n / TILE, TILE>>>(db, n, tiles, da); });
    auto a = download(da, n);
    std::vector<float> got(n), w(n);
    for (int i = 0; i < n; i++) got[i] = a[i].x + 2 * a[i].y + 3 * a[i].z;
    int rc = 0;
    if (!is_big) {
        for (int i = 0; i < n; i++) {
            double x = 0, y = 0, z = 0;
            for (int t = 0; t < tiles; t++) {
                int src = ((i / TILE + t * 7) * TILE) % n;
                for (int k = 0; k < TILE; k++) {
                    float4 q = b[src + k]; double dx = q.x - b[i].x, dy = q.y - b[i].y, dz = q.z - b[i].z, d2 = dx * dx + dy * dy + dz * dz + 0.01, s = q.w / (d2 * sqrt(d2));
                    x += dx * s; y += dy * s; z += dz * s;
                }
            }
            w[i] = (float)(x + 2 * y + 3 * z);
        }
        rc = verdict(got, w, 1e-2);
    }
    checksum(got);
    return rc;
}
