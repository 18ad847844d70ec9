/* SHA-256: see sha256.h. The functions have the names of the standard, section 4.1.2. */
#include "base/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotr(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static void add_block(struct sha256 *s, const uint8_t *block)
{
    uint32_t w[64];
    for (int t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 | (uint32_t)block[4 * t + 2] << 8 |
               block[4 * t + 3];
    for (int t = 16; t < 64; t++) {
        uint32_t sigma0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t sigma1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = sigma1 + w[t - 7] + sigma0 + w[t - 16];
    }
    uint32_t a = s->state[0], b = s->state[1], c = s->state[2], d = s->state[3];
    uint32_t e = s->state[4], f = s->state[5], g = s->state[6], h = s->state[7];
    for (int t = 0; t < 64; t++) {
        uint32_t sum1 = rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25), ch = (e & f) ^ (~e & g);
        uint32_t sum0 = rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22), maj = (a & b) ^ (a & c) ^ (b & c);
        uint32_t t1 = h + sum1 + ch + k[t] + w[t];
        h = g, g = f, f = e, e = d + t1;
        d = c, c = b, b = a, a = t1 + sum0 + maj;
    }
    const uint32_t v[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; i++)
        s->state[i] += v[i];
}

void sha256_open(struct sha256 *s)
{
    *s = (struct sha256){
        .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(struct sha256 *s, const void *bytes, size_t length)
{
    const uint8_t *at = bytes;
    size_t filled = s->length % sizeof s->block;
    s->length += length;
    if (filled) {
        size_t part = sizeof s->block - filled < length ? sizeof s->block - filled : length;
        memcpy(s->block + filled, at, part);
        at += part;
        length -= part;
        if (filled + part < sizeof s->block)
            return;
        add_block(s, s->block);
    }
    for (; length >= sizeof s->block; at += sizeof s->block, length -= sizeof s->block)
        add_block(s, at);
    if (length)
        memcpy(s->block, at, length);
}

void sha256_add_text(struct sha256 *s, const char *text)
{
    static const char none[] = "\xff"; /* no text in UTF-8 has this byte */
    if (text)
        sha256_add(s, text, strlen(text) + 1);
    else
        sha256_add(s, none, sizeof none);
}

bool sha256_add_file(struct sha256 *s, const char *path)
{
    char bytes[1 << 16];
    ssize_t n = -1;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    while (file >= 0 && ((n = read(file, bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR)))
        sha256_add(s, bytes, n > 0 ? (size_t)n : 0);
    int reason = errno;
    if (file >= 0)
        close(file);
    errno = reason;
    return n == 0;
}

void sha256_hex(struct sha256 *s, char hex[SHA256_HEX])
{
    static const uint8_t padding[64] = {0x80};
    uint64_t bits = 8 * s->length;
    uint8_t tail[8];
    for (int i = 0; i < 8; i++)
        tail[i] = (uint8_t)(bits >> (56 - 8 * i));
    size_t filled = s->length % sizeof s->block;
    sha256_add(s, padding, filled < 56 ? 56 - filled : 120 - filled);
    sha256_add(s, tail, sizeof tail);
    for (int i = 0; i < 8; i++)
        snprintf(hex + 8 * i, 9, "%08x", s->state[i]);
}
