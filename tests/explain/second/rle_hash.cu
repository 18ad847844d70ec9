// kind: loop trips
// line: 29
// gain: yes
// why: every segment expands to the same number of symbols, but its runs have different lengths, so the inner loop over a run diverges; merging both loops makes the lanes equal
// Hashes the expansion of run-length coded segments (symbol, run) without storing it; tokens are interleaved, so loads are coalesced.
#include "../program.h"

constexpr int SYMBOLS = 256;

__host__ __device__ inline uint32_t stir(uint32_t h, uint32_t symbol, uint32_t at) {
    h ^= symbol + at * 0x85ebca6bu;
    h *= 0xcc9e2d51u;
    h = (h << 15) | (h >> 17);
    h = h * 5u + 0xe6546b64u;
    h ^= h >> 11;
    return h;
}

__global__ void __launch_bounds__(256) expand_hash(const uint16_t *__restrict__ tokens, int segments, uint32_t *__restrict__ hash) {
    const int seg = blockIdx.x * blockDim.x + threadIdx.x;
    if (seg >= segments) return;
    uint32_t h = seg * 2654435761u, at = 0;
    const uint16_t *tok = tokens + seg;
    while (at < SYMBOLS) {
        uint32_t t = *tok;
        tok += segments;
        uint32_t symbol = t & 0xff, run = t >> 8;
#pragma unroll 1
        for (uint32_t k = 0; k < run; ++k) {
            h = stir(h, symbol, at);
            ++at;
        }
    }
    hash[seg] = h;
}

int main(int argc, char **argv) {
    Options opt(argc, argv, 128);
    Lcg g(77);
    const int n = 16384 * opt.scale;
    // a segment has at most SYMBOLS tokens; short runs are the most frequent
    const int max_tokens = 160;
    std::vector<uint16_t> tokens(size_t(n) * max_tokens, 0);
    for (int s = 0; s < n; ++s) {
        int at = 0, k = 0;
        while (at < SYMBOLS) {
            int left = max_tokens - 1 - k;
            int run = g.below(4) ? 1 + int(g.below(3)) : 1 + int(g.below(30));
            if (left == 0) run = 255;
            run = std::min(run, SYMBOLS - at);
            run = std::min(run, 255);
            tokens[size_t(k++) * n + s] = uint16_t(g.below(256) | run << 8);
            at += run;
        }
    }
    Dev<uint16_t> dt(tokens);
    Dev<uint32_t> out(n);
    opt.bench([&] { expand_hash<<<(n + 255) / 256, 256>>>(dt.p, n, out.p); });
    std::vector<uint32_t> want;
    if (!opt.big)
        for (int s = 0; s < n; ++s) {
            uint32_t h = s * 2654435761u, at = 0;
            for (size_t k = 0; at < SYMBOLS; ++k) { uint32_t t = tokens[k * n + s]; for (uint32_t r = t >> 8; r; --r) h = stir(h, t & 0xff, at++); }
            want.push_back(h);
        }
    return report(out.host(), want);
}
