// kind: none
// line: 0
// gain: no
// why: a warp takes a row and its lanes share the row's entries: row lengths differ a lot between warps, but the lanes of a warp leave the loop together; only the two stores of lane 0 are narrow
// Sparse rows (multiples of 32 padded entries, lengths very uneven) times a vector, one warp a row, with a shuffle reduction.
#include "../program.h"

struct Ell { const int *start; const int *col; const float *val; };

__device__ inline float warp_sum(float v) {
#pragma unroll
    for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

__global__ void rows_times(Ell m, int rows, const float *__restrict__ x, float *__restrict__ y, float *__restrict__ norm) {
    const int lane = threadIdx.x & 31;
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (row >= rows) return;
    float dot = 0.0f, sq = 0.0f;
    const int end = m.start[row + 1];
    for (int k = m.start[row] + lane; k < end; k += 32) {
        float v = m.val[k];
        dot += v * __ldg(x + m.col[k]);
        sq += v * v;
    }
    dot = warp_sum(dot);
    sq = warp_sum(sq);
    if (lane == 0) {
        y[row] = dot;
        norm[row] = sqrtf(sq);
    }
}

int main(int argc, char **argv) {
    Options opt(argc, argv, 1024);
    Lcg g(6);
    const int rows = 2048 * opt.scale;
    std::vector<int> start(rows + 1, 0), col;
    std::vector<float> val, x(rows), want;
    for (int r = 0; r < rows; ++r) {
        int len = 32 * std::min(40, 1 + int(2.0f / (0.03f + g.uni())));
        for (int k = 0; k < len; ++k) { col.push_back(int((int64_t(r) + k * 3 + g.below(3)) % rows)); val.push_back(g.uni() - 0.5f); }
        start[r + 1] = int(col.size());
    }
    for (auto &v : x) v = g.uni();
    Dev<int> ds(start), dc(col);
    Dev<float> dv(val), dx(x), dy(rows), dn(rows);
    Ell m{ds.p, dc.p, dv.p};
    opt.bench([&] { rows_times<<<(rows + 3) / 4, 128>>>(m, rows, dx.p, dy.p, dn.p); });
    auto y = dy.host(), nm = dn.host();
    for (int r = 0; r < rows; ++r) y[r] += nm[r];
    if (!opt.big)
        for (int r = 0; r < rows; ++r) {
            double d = 0, q = 0;
            for (int k = start[r]; k < start[r + 1]; ++k) { d += double(val[k]) * x[col[k]]; q += double(val[k]) * val[k]; }
            want.push_back(float(d + std::sqrt(q)));
        }
    return report(y, want, 1e-4);
}
