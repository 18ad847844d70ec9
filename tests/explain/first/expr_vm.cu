// kind: condition in a loop
// line: 63
// gain: yes
// why: neighbouring threads interpret different programs, so the switch of the interpreter runs one side per opcode; sorting by program would make it uniform
// Symbolic regression: a stack machine evaluates one of many candidate expressions per thread.
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

enum Op : int { PUSH_X, PUSH_C, ADD, MUL, DIV, SIN, EXPN, SQRT, LOGA, TANH, POWA, NOPS };
const int PLEN = 20, NPROG = 96;

__host__ __device__ inline float interpret(const int *code, const float *con, float x) {
    float st[8];
    int sp = 0;
    float top = x;
    for (int pc = 0; pc < PLEN; ++pc) {
        switch (code[pc]) {
        case PUSH_X: st[sp++ & 7] = top; top = x; break;
        case PUSH_C: st[sp++ & 7] = top; top = con[pc]; break;
        case ADD:  top = st[--sp & 7] + top; break;
        case MUL:  top = st[--sp & 7] * top; break;
        case DIV:  { float d = top; top = st[--sp & 7]; top = top / (1.0f + fabsf(d)); break; }
        case SIN:  top = sinf(top); break;
        case EXPN: top = expf(-fabsf(top)); break;
        case SQRT: top = sqrtf(fabsf(top) + 0.01f); break;
        case LOGA: top = logf(1.0f + fabsf(top)); break;
        case TANH: top = tanhf(top); break;
        case POWA: top = powf(1.0f + fabsf(top), 0.3f); break;
        }
        top = fminf(fmaxf(top, -50.0f), 50.0f);
    }
    return top;
}

__global__ void fitness(const int *__restrict__ code, const float *__restrict__ con, const int *__restrict__ which,
                        const float *__restrict__ xs, int points, int n, float *__restrict__ err) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int p = which[i];
    float e = 0.0f;
    for (int k = 0; k < points; ++k) {
        float x = xs[(i + k * 37) & 1023];
        float y = interpret(code + p * PLEN, con + p * PLEN, x);
        float want = x * x * 0.5f - 0.3f;
        e += fminf((y - want) * (y - want), 100.0f);
    }
    err[i] = e / points;
}

int main(int argc, char **argv) {
    int scale = read_scale(argc, argv, 256), n = 8192 * scale, points = 6;
    std::vector<int> code(NPROG * PLEN), which(n);
    std::vector<float> con(NPROG * PLEN), xs(1024);
    for (int p = 0; p < NPROG; p++) {
        int depth = 0;
        for (int k = 0; k < PLEN; k++) {
            int op = depth < 2 ? (int)(rnd() % 2) : (int)(rnd() % NOPS);
            if (depth > 5 && op <= PUSH_C) op = ADD;
            if (op <= PUSH_C) depth++; else if (op <= DIV) depth--;
            code[p * PLEN + k] = op; con[p * PLEN + k] = rndf() * 4 - 2;
        }
    }
    for (auto &w : which) w = rnd() % NPROG;
    for (auto &x : xs) x = rndf() * 6 - 3;
    int *dc = upload(code), *dw = upload(which);
    float *dk = upload(con), *dx = upload(xs), *de = device_zeros<float>(n);
    run_timed([&] { fitness<<<(n + 127) / 128, 128>>>(dc, dk, dw, dx, points, n, de); });
    auto e = download(de, n);
    int rc = 0;
    if (!is_big) {
        std::vector<float> w(n);
        for (int i = 0; i < n; i++) {
            float s = 0;
            for (int k = 0; k < points; k++) {
                float x = xs[(i + k * 37) & 1023], y = interpret(&code[which[i] * PLEN], &con[which[i] * PLEN], x), t = x * x * 0.5f - 0.3f;
                s += fminf((y - t) * (y - t), 100.0f);
            }
            w[i] = s / points;
        }
        rc = verdict(e, w, 1e-2, 0.01);
    }
    checksum(e);
    return rc;
}
