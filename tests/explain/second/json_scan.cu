// kind: condition in a loop
// line: 15
// gain: yes
// why: records differ, so the lanes of a warp stand at different kinds of characters and the sides of the switch (numbers, strings, punctuation) run one after the other
// Scans flat JSON-like records, one a thread (characters interleaved over records): counts tokens, adds numbers, hashes strings.
#include "../program.h"

enum Class : unsigned char { OTHER, DIGIT, LETTER, QUOTE, SPACE, OPEN, CLOSE, COMMA };
__constant__ unsigned char d_class[128];
static unsigned char h_class[128];

struct State { uint32_t hash, number, sum, tokens, crc, stack, bloom; int depth; bool text; };

__host__ __device__ inline void step(State &s, unsigned char c, unsigned char cls) {
    switch (cls) {
    case DIGIT:                                   // decimal, with a check digit modulo 97 and modulo 11
        s.number = (s.number * 10u + (c - '0')) % 1000003u;
        s.crc = (s.crc * 10u + (c - '0')) % 65521u;
        s.sum += (s.number % 97u) * 11u + s.number % 11u;
        break;
    case LETTER: {                                // FNV-1a of the lower-case letter, two bits of a small Bloom filter
        s.hash = (s.hash ^ (c | 32u)) * 16777619u;
        uint32_t g = s.hash;
#pragma unroll
        for (int k = 0; k < 3; ++k) { s.bloom |= 1u << (g & 31u); g = (g >> 5) ^ (g << 7); s.bloom = (s.bloom << 1) | (s.bloom >> 31); }
        break;
    }
    case QUOTE:                                   // end of a string: finaliser of its hash
        if (s.text) {
            uint32_t h = s.hash;
            h ^= h >> 16; h *= 0x85ebca6bu; h ^= h >> 13; h *= 0xc2b2ae35u; h ^= h >> 16;
            s.sum += h ^ (s.bloom * 0x9e3779b1u);
            s.hash = 2166136261u; s.bloom = 0; ++s.tokens;
        }
        s.text = !s.text;
        break;
    case OPEN:
    case CLOSE:                                   // stack of brackets as bits
        if (cls == OPEN) { s.stack = s.stack << 1 | (c == '{'); ++s.depth; }
        else { s.crc += (s.stack & 1u) == (c == '}') ? 1u : 1000u; s.stack >>= 1; --s.depth; }
        s.sum = (s.sum << 3 | s.sum >> 29) + s.depth * 0x01000193u;
        break;
    case COMMA:                                   // value complete
        s.sum += s.number / (1u + (s.tokens & 7u)) + (s.crc << 4);
        s.number = 0;
        s.crc = s.crc * 5u % 4093u;
        ++s.tokens;
        break;
    case SPACE: break;
    default: s.crc = s.crc * 33u + c;
    }
}

__global__ void scan_records(const unsigned char *__restrict__ text, int n, int length, uint32_t *__restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    State s{2166136261u, 0, 0, 0, 1, 0, 0, 0, false};
    for (int k = 0; k < length; ++k) {
        unsigned char c = text[size_t(k) * n + i] & 127;
        step(s, c, d_class[c]);
    }
    out[i] = s.sum + s.crc * 7u + s.tokens;
}

int main(int argc, char **argv) {
    Options opt(argc, argv, 256);
    Lcg g(8);
    const int n = 16384 * opt.scale, length = 96;
    for (int c = 0; c < 128; ++c)
        h_class[c] = c >= '0' && c <= '9' ? DIGIT : (c | 32) >= 'a' && (c | 32) <= 'z' ? LETTER : c == '"' ? QUOTE : c == ' ' ? SPACE : c == '{' || c == '[' ? OPEN : c == '}' || c == ']' ? CLOSE : c == ',' ? COMMA : OTHER;
    cu(cudaMemcpyToSymbol(d_class, h_class, 128));
    std::vector<unsigned char> text(size_t(n) * length, ' ');
    for (int i = 0; i < n; ++i) {
        int k = 0;
        auto put = [&](int c) { if (k < length) text[size_t(k++) * n + i] = (unsigned char)c; };
        put('{');
        while (k < length) {
            put('"'); for (int l = 2 + g.below(6); l; --l) put('a' + g.below(26)); put('"'); put(':');
            if (g.below(2)) put(' ');
            uint32_t kind = g.below(4);
            if (kind == 0) { put('['); for (int l = 1 + g.below(3); l; --l) { put('0' + g.below(10)); put(','); } put(']'); }
            else if (kind == 1) { put('"'); for (int l = 1 + g.below(8); l; --l) put('A' + g.below(26)); put('"'); }
            else for (int l = 1 + g.below(7); l; --l) put('0' + g.below(10));
            put(',');
        }
    }
    Dev<unsigned char> dt(text);
    Dev<uint32_t> out(n);
    opt.bench([&] { scan_records<<<(n + 127) / 128, 128>>>(dt.p, n, length, out.p); });
    std::vector<uint32_t> want;
    if (!opt.big)
        for (int i = 0; i < n; ++i) {
            State s{2166136261u, 0, 0, 0, 1, 0, 0, 0, false};
            for (int k = 0; k < length; ++k) { unsigned char c = text[size_t(k) * n + i]; step(s, c, h_class[c]); }
            want.push_back(s.sum + s.crc * 7u + s.tokens);
        }
    return report(out.host(), want);
}
