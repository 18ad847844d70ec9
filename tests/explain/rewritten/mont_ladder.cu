// rewritten: hoist (operands are chosen first, then one product and one square for all)
// Modular exponentiation with secret exponents by the Montgomery ladder, 128-bit numbers in four limbs.
#include "../program.h"

struct Big { uint32_t v[4]; };

// Montgomery product modulo m (odd, below 2^126)
__host__ __device__ __noinline__ void mont(Big *out, const Big *a, const Big *b, const Big *m, uint32_t m0) {
    uint32_t t[5] = {0, 0, 0, 0, 0};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        uint64_t c = 0;
#pragma unroll
        for (int j = 0; j < 4; ++j) { c += uint64_t(a->v[i]) * b->v[j] + t[j]; t[j] = uint32_t(c); c >>= 32; }
        uint32_t top = t[4] + uint32_t(c), q = t[0] * m0;
        c = (uint64_t(q) * m->v[0] + t[0]) >> 32;
#pragma unroll
        for (int j = 1; j < 4; ++j) { c += uint64_t(q) * m->v[j] + t[j]; t[j - 1] = uint32_t(c); c >>= 32; }
        c += top;
        t[3] = uint32_t(c);
        t[4] = uint32_t(c >> 32);
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) out->v[j] = t[j];
}

__host__ __device__ inline uint32_t ladder(const Big &base, uint32_t e, const Big &m, uint32_t m0) {
    Big r0 = {{1, 0, 0, 0}}, r1 = base;
    for (int bit = 23; bit >= 0; --bit) {
        const bool one = e >> bit & 1u;
        Big product, square;
#pragma unroll
        for (int j = 0; j < 4; ++j) square.v[j] = one ? r1.v[j] : r0.v[j];
        mont(&product, &r0, &r1, &m, m0);
        mont(&square, &square, &square, &m, m0);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            r0.v[j] = one ? product.v[j] : square.v[j];
            r1.v[j] = one ? square.v[j] : product.v[j];
        }
    }
    return r0.v[0] ^ r0.v[1] * 3u ^ r0.v[2] * 5u ^ r0.v[3] * 7u;
}

__global__ void power(const Big *base, const uint32_t *e, Big m, uint32_t m0, int n, uint32_t *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Big b = base[i];
    out[i] = ladder(b, e[i], m, m0);
}

int main(int argc, char **argv) {
    Options opt(argc, argv, 512);
    Lcg g(41);
    const int n = 8192 * opt.scale;
    Big m = {{0x89abcdefu, 0x01234567u, 0xfedcba98u, 0x2fffffffu}};
    uint32_t inv = m.v[0];
    for (int k = 0; k < 5; ++k) inv *= 2u - m.v[0] * inv;
    const uint32_t m0 = 0u - inv;
    std::vector<Big> base(n);
    std::vector<uint32_t> e(n), want;
    for (auto &b : base) for (int k = 0; k < 4; ++k) b.v[k] = k == 3 ? g() >> 3 : g();
    for (auto &x : e) x = g() >> 8;
    Dev<Big> db(base);
    Dev<uint32_t> de(e), out(n);
    opt.bench([&] { power<<<(n + 127) / 128, 128>>>(db.p, de.p, m, m0, n, out.p); });
    if (!opt.big) for (int i = 0; i < n; ++i) want.push_back(ladder(base[i], e[i], m, m0));
    return report(out.host(), want);
}
