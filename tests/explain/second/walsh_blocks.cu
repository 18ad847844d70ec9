// kind: none
// line: 0
// gain: no
// why: each thread does a butterfly in every stage, so all lanes are busy; the stages' index arithmetic has no divergent branch
// Walsh-Hadamard transform of blocks of 512 values in shared memory, thresholding and inverse transform (denoising).
#include "../program.h"

template <int LOG>
__device__ inline void walsh(float *s, int t) {
    for (int b = 0; b < LOG; ++b) {
        int step = 1 << b;
        int i = ((t >> b) << (b + 1)) | (t & (step - 1));
        float p = s[i], q = s[i + step];
        __syncthreads();
        s[i] = p + q;
        s[i + step] = p - q;
        __syncthreads();
    }
}

template <int LOG>
__global__ void denoise(const float *__restrict__ in, float *__restrict__ out, float limit) {
    constexpr int N = 1 << LOG;
    __shared__ float s[N];
    const int t = threadIdx.x;
    const size_t base = size_t(blockIdx.x) * N;
    s[t] = in[base + t];
    s[t + N / 2] = in[base + t + N / 2];
    __syncthreads();
    walsh<LOG>(s, t);
    for (int k = t; k < N; k += N / 2) {
        float v = s[k];
        float m = fabsf(v) - limit;
        s[k] = m > 0.0f ? copysignf(m, v) : 0.0f;
    }
    __syncthreads();
    walsh<LOG>(s, t);
    out[base + t] = s[t] * (1.0f / N);
    out[base + t + N / 2] = s[t + N / 2] * (1.0f / N);
}

static void walsh_host(float *s, int n) {
    for (int step = 1; step < n; step *= 2)
        for (int i = 0; i < n; i += 2 * step)
            for (int j = i; j < i + step; ++j) { float p = s[j], q = s[j + step]; s[j] = p + q; s[j + step] = p - q; }
}

int main(int argc, char **argv) {
    Options opt(argc, argv, 8192);
    Lcg g(88);
    const int blocks = 128 * opt.scale, N = 512;
    std::vector<float> in(size_t(blocks) * N), want;
    for (auto &v : in) v = g.uni() + (g.below(4) ? 0.0f : 1.0f);
    Dev<float> di(in), dout(in.size());
    opt.bench([&] { denoise<9><<<blocks, N / 2>>>(di.p, dout.p, 6.0f); });
    if (!opt.big) {
        want = in;
        for (int b = 0; b < blocks; ++b) {
            float *s = &want[size_t(b) * N];
            walsh_host(s, N);
            for (int k = 0; k < N; ++k) { float m = std::fabs(s[k]) - 6.0f; s[k] = m > 0 ? std::copysign(m, s[k]) : 0; }
            walsh_host(s, N);
            for (int k = 0; k < N; ++k) s[k] /= N;
        }
    }
    return report(dout.host(), want, 1e-4);
}
