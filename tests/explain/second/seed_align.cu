// kind: early end
// line: 49
// gain: yes
// why: four of five candidate pairs fail the seed filter and return, and the survivors, spread over all warps, do the whole local alignment
// Read mapping: a cheap seed filter rejects most candidate positions, the others get a Smith-Waterman score of 24 x 24 bases.
#include "../program.h"

constexpr int M = 24;
using u64 = unsigned long long;

struct Pair { u64 read, ref; };   // 24 bases of 2 bits

__host__ __device__ inline int local_score(u64 a, u64 b) {
    int row[M + 1];
#pragma unroll
    for (int j = 0; j <= M; ++j) row[j] = 0;
    int best = 0;
#pragma unroll 1
    for (int i = 0; i < M; ++i) {
        int diag = 0, left = 0;
        u64 base = a >> (2 * i) & 3u;
#pragma unroll
        for (int j = 1; j <= M; ++j) {
            int s = diag + ((b >> (2 * (j - 1)) & 3u) == base ? 2 : -1);
            int up = row[j] - 2;
            left -= 2;
            s = s > up ? s : up;
            s = s > left ? s : left;
            s = s > 0 ? s : 0;
            diag = row[j];
            row[j] = s;
            left = s;
            best = s > best ? s : best;
        }
    }
    return best;
}

// at least one of three seeds of 8 bases must agree at the same place
__host__ __device__ inline bool seeded(u64 a, u64 b) {
    u64 x = a ^ b;
    return (x & 0xffffu) == 0 || (x >> 16 & 0xffffu) == 0 || (x >> 32 & 0xffffu) == 0;
}

__global__ void align(const Pair *__restrict__ pairs, int n, short *__restrict__ score) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Pair p = pairs[i];
    if (!seeded(p.read, p.ref)) { score[i] = -1; return; }
    int s = local_score(p.read, p.ref);
    score[i] = short(s);
}

int main(int argc, char **argv) {
    Options opt(argc, argv, 512);
    Lcg g(1234);
    const int n = 16384 * opt.scale;
    std::vector<Pair> pairs(n);
    for (auto &p : pairs) {
        p.read = (u64(g()) << 16 ^ g()) & 0xffffffffffffull;
        if (g.below(5) == 0) {
            p.ref = p.read;
            for (int k = g.below(4); k; --k) p.ref ^= u64(1 + g.below(3)) << 2 * g.below(16);
        } else p.ref = (u64(g()) << 16 ^ g()) & 0xffffffffffffull;
    }
    Dev<Pair> dp(pairs);
    Dev<short> out(n);
    opt.bench([&] { align<<<(n + 127) / 128, 128>>>(dp.p, n, out.p); });
    std::vector<short> want;
    if (!opt.big) for (auto &p : pairs) want.push_back(short(seeded(p.read, p.ref) ? local_score(p.read, p.ref) : -1));
    return report(out.host(), want);
}
