// kind: memory
// line: 25
// gain: yes
// why: each thread reads its own chunk of 256 bytes from front to back, so the lanes of every load are 256 bytes apart; staging through shared memory would make loads coalesced
// Adler-like checksums of fixed-size chunks of a buffer, for finding changed chunks in a backup.
#include "../program.h"

constexpr int WORDS = 64;

__device__ __forceinline__ void feed(uint32_t &a, uint32_t &b, uint32_t word) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        a += word >> (8 * k) & 255u;
        b += a;
    }
}

__global__ void chunk_sums(const uint32_t *__restrict__ data, size_t chunks, uint32_t *__restrict__ sums) {
    size_t c = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (c >= chunks) return;
    const uint32_t *mine = data + c * WORDS;
    uint32_t a = 1, b = 0;
#pragma unroll 4
    for (int w = 0; w < WORDS; ++w) {
        uint32_t word = mine[w];
        feed(a, b, word);
    }
    a %= 65521u;
    b %= 65521u;
    sums[c] = b << 16 | a;
}

int main(int argc, char **argv) {
    Options opt(argc, argv, 1024);
    Lcg g(55);
    const size_t chunks = size_t(16384) * opt.scale;
    std::vector<uint32_t> data(chunks * WORDS), want;
    for (auto &d : data) d = g();
    Dev<uint32_t> dd(data), out(chunks);
    opt.bench([&] { chunk_sums<<<unsigned((chunks + 255) / 256), 256>>>(dd.p, chunks, out.p); });
    if (!opt.big)
        for (size_t c = 0; c < chunks; ++c) {
            uint32_t a = 1, b = 0;
            for (int k = 0; k < WORDS * 4; ++k) { a = (a + (data[c * WORDS + k / 4] >> (8 * (k % 4)) & 255u)) % 65521u; b = (b + a) % 65521u; }
            want.push_back(b << 16 | a);
        }
    return report(out.host(), want);
}
