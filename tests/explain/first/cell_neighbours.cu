// kind: loop trips
// line: 77
// gain: yes
// why: particles in memory order lie in cells of very different density, so the inner loop over a cell's particles has different trips per lane
// Short-range repulsion of clustered particles with a cell list; particles are in the order in which they were created.
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

struct Grid { int nx, ny; float cell, inv; };

__host__ __device__ inline int cell_of(const Grid &g, float x, float y) {
    int cx = (int)(x * g.inv), cy = (int)(y * g.inv);
    cx = cx < 0 ? 0 : cx >= g.nx ? g.nx - 1 : cx;
    cy = cy < 0 ? 0 : cy >= g.ny ? g.ny - 1 : cy;
    return cy * g.nx + cx;
}

__global__ void forces(Grid g, int n, const float2 *__restrict__ pos, const int *__restrict__ start, const float2 *__restrict__ sorted,
                       float2 *__restrict__ force, float *__restrict__ energy) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 p = pos[i];
    int c = cell_of(g, p.x, p.y), cx = c % g.nx, cy = c / g.nx;
    float fx = 0, fy = 0, e = 0;
    const float rc2 = g.cell * g.cell;
    for (int dy = -1; dy <= 1; dy++) {
        int yy = (cy + dy + g.ny) % g.ny;
        for (int dx = -1; dx <= 1; dx++) {
            int xx = (cx + dx + g.nx) % g.nx;
            int k = start[yy * g.nx + xx], last = start[yy * g.nx + xx + 1];
            while (k < last) {
                float2 q = sorted[k++];
                float ax = p.x - q.x, ay = p.y - q.y;
                float r2 = ax * ax + ay * ay;
                float w = fmaxf(0.0f, 1.0f - r2 / rc2);
                float inv = rsqrtf(r2 + 1e-4f);
                fx += w * w * ax * inv;
                fy += w * w * ay * inv;
                e += w * w * w;
            }
        }
    }
    force[i] = make_float2(fx, fy);
    energy[i] = e;
}

int main(int argc, char **argv) {
    int scale = read_scale(argc, argv, 128), n = 16384 * scale;
    Grid g; g.nx = 64; g.ny = 64 * scale; g.cell = 1.0f; g.inv = 1.0f;
    std::vector<float2> pos(n), sorted(n);
    for (auto &p : pos) {   // two thirds in clusters, the rest spread evenly
        if (rnd() % 3) {
            unsigned cl = rnd() % (32u * scale);
            float r = 2.0f * rndf() * rndf(), a = 6.2831853f * rndf();
            p.x = (cl * 7919u % 61u) + 1.5f + r * std::cos(a); p.y = (cl * 2.0f) + 1.0f + r * std::sin(a);
        } else { p.x = 64.0f * rndf(); p.y = 64.0f * scale * rndf(); }
        p.x = std::min(std::max(p.x, 0.0f), 63.99f); p.y = std::min(std::max(p.y, 0.0f), 64.0f * scale - 0.01f);
    }
    std::vector<int> start(g.nx * g.ny + 1, 0), at;
    for (auto &p : pos) start[cell_of(g, p.x, p.y) + 1]++;
    for (size_t i = 1; i < start.size(); i++) start[i] += start[i - 1];
    at = start;
    for (auto &p : pos) sorted[at[cell_of(g, p.x, p.y)]++] = p;
    float2 *dp = upload(pos), *ds = upload(sorted), *df = device_zeros<float2>(n);
    int *dst = upload(start);
    float *de = device_zeros<float>(n);
    run_timed([&] { forces<<<(n + 127) / 128, 128>>>(g, n, dp, dst, ds, df, de); });
    auto e = download(de, n);
    int rc = 0;
    if (!is_big) {
        std::vector<float> w(n);
        for (int i = 0; i < n; i++) {
            int c = cell_of(g, pos[i].x, pos[i].y), cx = c % g.nx, cy = c / g.nx; double s = 0;
            for (int d = 0; d < 9; d++) {
                int q = ((cy + d / 3 - 1 + g.ny) % g.ny) * g.nx + (cx + d % 3 - 1 + g.nx) % g.nx;
                for (int k = start[q]; k < start[q + 1]; k++) {
                    float ax = pos[i].x - sorted[k].x, ay = pos[i].y - sorted[k].y, ww = std::max(0.0f, 1.0f - (ax * ax + ay * ay));
                    s += ww * ww * ww;
                }
            }
            w[i] = (float)s;
        }
        rc = verdict(e, w, 1e-3);
    }
    checksum(e);
    return rc;
}
