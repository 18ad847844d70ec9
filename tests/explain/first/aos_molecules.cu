// kind: memory
// line: 65
// gain: yes
// why: an array of 96-byte structures of which each thread reads and writes a few fields: every access of a warp touches 32 sectors
// Velocity-Verlet half step over molecules kept as an array of structures.
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

struct Molecule {
    float pos[3], vel[3], force[3], mass;
    float charge, radius, dipole[3], quat[4], torque[3];
    int type, id;
};

__global__ void half_step(Molecule *mol, float *kinetic, int n, float dt) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        Molecule &m = mol[i];
        float inv = 1.0f / m.mass, e = 0.0f;
        #pragma unroll
        for (int d = 0; d < 3; ++d) {
            float v = m.vel[d] + 0.5f * dt * m.force[d] * inv;
            m.pos[d] = m.pos[d] * 0.999f + dt * v;
            e += v * v;
        }
        kinetic[i] = 0.5f * m.mass * e;
    }
}

int main(int argc, char **argv) {
    int scale = read_scale(argc, argv, 2048), n = 32768 * scale;
    std::vector<Molecule> mol(n);
    memset((void *)mol.data(), 0, n * sizeof(Molecule));
    for (int i = 0; i < n; i++) {
        Molecule &m = mol[i];
        for (int d = 0; d < 3; d++) { m.pos[d] = rndf(); m.vel[d] = rndf() - 0.5f; m.force[d] = rndf() - 0.5f; }
        m.mass = 1 + rndf(); m.id = i; m.type = rnd() % 4;
    }
    Molecule *dm = upload(mol);
    float *dk = device_zeros<float>(n);
    int blocks = std::min((n + 127) / 128, 132 * 64);
    run_timed([&] { half_step<<<blocks, 128>>>(dm, dk, n, 0.01f); });
    auto k = download(dk, n);
    int rc = 0;
    if (!is_big) {
        std::vector<float> w(n);
        for (int i = 0; i < n; i++) {
            float e = 0;
            for (int d = 0; d < 3; d++) { float v = mol[i].vel[d] + 0.005f * mol[i].force[d] / mol[i].mass; e += v * v; }
            w[i] = 0.5f * mol[i].mass * e;
        }
        rc = verdict(k, w, 1e-4);
    }
    checksum(k);
    return rc;
}
