// kind: loop trips
// line: 34
// gain: yes
// why: the reads have lengths from 20 to 400 in random order, so a warp runs to the end of its longest read; sorting by length would fill it
// Edit distance of DNA reads to 64-base probes by Myers' bit-parallel algorithm, one pair a thread.
#include "../program.h"

using u64 = unsigned long long;

struct Reads {
    const uint32_t *bases;   // 2 bits each, 16 a word
    const int *first;        // first word of each read
    const int *length;
};

__host__ __device__ inline u64 probe_bits(uint32_t seed, u64 *eq) {
    eq[0] = eq[1] = eq[2] = eq[3] = 0;
    uint32_t s = seed;
    for (int j = 0; j < 64; ++j) {
        s = s * 1103515245u + 12345u;
        uint32_t c = s >> 30;
        eq[0] |= u64(c == 0) << j; eq[1] |= u64(c == 1) << j; eq[2] |= u64(c == 2) << j; eq[3] |= u64(c == 3) << j;
    }
    return eq[0];
}

__host__ __device__ inline int myers(const Reads &r, int i, uint32_t seed) {
    u64 eq[4];
    probe_bits(seed, eq);
    u64 pv = ~0ull, mv = 0;
    int score = 64, best = 64;
    const uint32_t *w = r.bases + r.first[i];
    const int len = r.length[i];
    for (int t = 0; t < len; ++t) {
        uint32_t c = w[t >> 4] >> (2 * (t & 15)) & 3u;
        u64 x = c == 0 ? eq[0] : c == 1 ? eq[1] : c == 2 ? eq[2] : eq[3];
        u64 xv = x | mv;
        u64 xh = (((x & pv) + pv) ^ pv) | x;
        u64 ph = mv | ~(xh | pv), mh = pv & xh;
        score += int(ph >> 63) - int(mh >> 63);
        ph = ph << 1;
        mh = mh << 1;
        pv = mh | ~(xv | ph);
        mv = ph & xv;
        best = score < best ? score : best;
    }
    return best * 1024 + score;
}

__global__ void distances(Reads r, const uint32_t *probe, int n, int *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = myers(r, i, probe[i]);
}

int main(int argc, char **argv) {
    Options opt(argc, argv, 512);
    Lcg g(11);
    const int n = 8192 * opt.scale;
    std::vector<int> first(n), length(n);
    std::vector<uint32_t> probe(n), bases;
    for (int i = 0; i < n; ++i) {
        first[i] = int(bases.size());
        length[i] = 20 + int(380 * std::pow(g.uni(), 4.0f));
        for (int k = 0; k < length[i]; k += 16) bases.push_back(g());
        probe[i] = g();
    }
    Dev<int> df(first), dl(length), out(n);
    Dev<uint32_t> db(bases), dp(probe);
    Reads dr{db.p, df.p, dl.p};
    opt.bench([&] { distances<<<(n + 127) / 128, 128>>>(dr, dp.p, n, out.p); });
    std::vector<int> want;
    if (!opt.big) for (int i = 0; i < n; ++i) want.push_back(myers(Reads{bases.data(), first.data(), length.data()}, i, probe[i]));
    return report(out.host(), want);
}
