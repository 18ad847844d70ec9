// kind: memory
// line: 18
// gain: no
// why: every thread adds 16 rows of a large table at random indices: the accesses are scattered by nature, no branch diverges, and reordering outputs cannot bring the random rows together
// Bags of embeddings of width one (a linear model over hashed features): 16 random features a sample, weights per slot.
#include "../program.h"

constexpr int SLOTS = 16;
__constant__ float slot_weight[SLOTS];

template <typename Index>
__global__ void score_samples(const float *__restrict__ table, const Index *__restrict__ feature, int n, float bias, float *__restrict__ score) {
    const int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        float s = bias, q = 0.0f;
#pragma unroll
        for (int k = 0; k < SLOTS; ++k) {
            float e = table[feature[size_t(k) * n + i]];
            s += slot_weight[k] * e;
            q += e * e;
        }
        score[i] = s + 0.1f * (s * s - q);
    }
}

int main(int argc, char **argv) {
    Options opt(argc, argv, 512);
    Lcg g(101);
    const int n = 32768 * opt.scale;
    const size_t rows = opt.big ? size_t(1) << 28 : size_t(1) << 20;
    std::vector<float> table(rows), want;
    std::vector<uint32_t> feature(size_t(n) * SLOTS);
    for (auto &t : table) t = g.uni() - 0.5f;
    for (auto &f : feature) f = g.below(uint32_t(rows));
    float w[SLOTS];
    for (auto &x : w) x = 0.5f + g.uni();
    cu(cudaMemcpyToSymbol(slot_weight, w, sizeof w));
    Dev<float> dt(table), out(n);
    Dev<uint32_t> df(feature);
    opt.bench([&] { score_samples<uint32_t><<<(n + 255) / 256, 256>>>(dt.p, df.p, n, 0.25f, out.p); });
    if (!opt.big)
        for (int i = 0; i < n; ++i) {
            double s = 0.25, q = 0;
            for (int k = 0; k < SLOTS; ++k) { double e = table[feature[size_t(k) * n + i]]; s += w[k] * e; q += e * e; }
            want.push_back(float(s + 0.1 * (s * s - q)));
        }
    return report(out.host(), want, 1e-3);
}
