// kind: none
// line: 0
// gain: no
// why: every lane runs the same 32 rounds on its own counter block; the only branch is uniform, and loads and stores are coalesced
// XTEA in counter mode: encrypts a buffer, four blocks a thread, with a final short-block option that no lane takes alone.
#include "../program.h"

struct Key { uint32_t k[4]; };

__host__ __device__ inline uint2 xtea(uint2 v, const Key &key) {
    uint32_t sum = 0;
#pragma unroll 8
    for (int r = 0; r < 32; ++r) {
        v.x += (((v.y << 4) ^ (v.y >> 5)) + v.y) ^ (sum + key.k[sum & 3]);
        sum += 0x9e3779b9u;
        v.y += (((v.x << 4) ^ (v.x >> 5)) + v.x) ^ (sum + key.k[(sum >> 11) & 3]);
    }
    return v;
}

__global__ void ctr(const uint2 *__restrict__ in, uint2 *__restrict__ out, size_t blocks, Key key, uint32_t nonce) {
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int q = 0; q < 4; ++q, i += stride) {
        if (i >= blocks) break;
        uint2 pad = xtea(make_uint2(uint32_t(i), nonce ^ uint32_t(i >> 32)), key);
        uint2 v = in[i];
        out[i] = make_uint2(v.x ^ pad.x, v.y ^ pad.y);
    }
}

int main(int argc, char **argv) {
    Options opt(argc, argv, 1024);
    Lcg g(404);
    const size_t blocks = size_t(4) * 16384 * opt.scale;
    Key key{{g(), g(), g(), g()}};
    std::vector<uint2> text(blocks);
    for (auto &v : text) v = make_uint2(g(), g());
    Dev<uint2> di(text), dout(blocks);
    opt.bench([&] { ctr<<<unsigned(blocks / 4 / 256), 256>>>(di.p, dout.p, blocks, key, 0xabcdu); });
    auto o = dout.host();
    std::vector<uint32_t> got(blocks), want;
    for (size_t i = 0; i < blocks; ++i) got[i] = o[i].x * 3u + o[i].y;
    if (!opt.big)
        for (size_t i = 0; i < blocks; ++i) { uint2 p = xtea(make_uint2(uint32_t(i), 0xabcdu ^ uint32_t(uint64_t(i) >> 32)), key); want.push_back((text[i].x ^ p.x) * 3u + (text[i].y ^ p.y)); }
    return report(got, want);
}
