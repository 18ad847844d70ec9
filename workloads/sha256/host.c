/* Search for a proof of work by double SHA-256; verified against hashes of whole headers, byte by byte. */
#include "work.h"

#include <math.h>
#include <string.h>

enum { THREADS = 128, HEADER_BYTES = 80, NONCE_AT = 76 };

static const unsigned nonces_of[] = {
    [WORK_TEST] = 3 * THREADS, [WORK_SMALL] = 210 * THREADS, [WORK_PAPER] = 400 * THREADS};

/* The constants of SHA-256: fractions of the roots of primes. */
struct tables {
    uint32_t first_state[8], round[64];
};

struct search {
    uint32_t midstate[8], tail[3], first_nonce, most; /* as in kernels.cu */
};

/* The first 32 bits of the fraction. A long double has 64 bits, of which a root below 7 leaves 61 to it. */
static uint32_t fraction(long double root)
{
    return (uint32_t)ldexpl(root - floorl(root), 32);
}

static struct tables make_tables(void)
{
    struct tables t;
    int found = 0;
    for (unsigned n = 2; found < 64; n++) {
        bool is_prime = true;
        for (unsigned divisor = 2; divisor * divisor <= n; divisor++)
            is_prime &= n % divisor != 0;
        if (!is_prime)
            continue;
        if (found < 8)
            t.first_state[found] = fraction(sqrtl(n));
        t.round[found++] = fraction(cbrtl(n));
    }
    return t;
}

static uint32_t rotate(uint32_t a, int bits)
{
    return a >> bits | a << (32 - bits);
}

static uint32_t read_big_endian(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* One chunk of 64 bytes, with all 64 words of the schedule at once. v[0] to v[7] are a to h of the standard. */
static void hash_chunk(const struct tables *t, uint32_t state[8], const uint8_t chunk[64])
{
    uint32_t word[64], v[8];
    for (int i = 0; i < 16; i++)
        word[i] = read_big_endian(chunk + 4 * i);
    for (int i = 16; i < 64; i++) {
        uint32_t x = word[i - 15], y = word[i - 2];
        word[i] = word[i - 16] + word[i - 7] + (rotate(x, 7) ^ rotate(x, 18) ^ x >> 3) +
                  (rotate(y, 17) ^ rotate(y, 19) ^ y >> 10);
    }
    memcpy(v, state, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t choice = v[6] ^ (v[4] & (v[5] ^ v[6])), majority = (v[0] & (v[1] | v[2])) | (v[1] & v[2]);
        uint32_t sum = v[7] + (rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)) + choice + t->round[i] + word[i];
        uint32_t first = sum + (rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)) + majority;
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += sum;
        v[0] = first;
    }
    for (int i = 0; i < 8; i++)
        state[i] += v[i];
}

/* The hash of up to 119 bytes. */
static void hash_message(const struct tables *t, const uint8_t *message, size_t bytes, uint8_t hash[32])
{
    uint8_t padded[128] = {0};
    uint32_t state[8];
    size_t padded_bytes = bytes < 56 ? 64 : 128;
    memcpy(padded, message, bytes);
    padded[bytes] = 0x80;
    padded[padded_bytes - 2] = (uint8_t)(bytes * 8 >> 8);
    padded[padded_bytes - 1] = (uint8_t)(bytes * 8);
    memcpy(state, t->first_state, sizeof state);
    for (size_t at = 0; at < padded_bytes; at += 64)
        hash_chunk(t, state, padded + at);
    for (int i = 0; i < 32; i++)
        hash[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}

/* The example of the standard, FIPS 180: our reference is SHA-256. */
static bool knows_abc(const struct tables *t)
{
    static const uint8_t want[8] = {0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea};
    uint8_t hash[32];
    hash_message(t, (const uint8_t *)"abc", 3, hash);
    return !memcmp(hash, want, sizeof want);
}

static uint32_t hash_twice(const struct tables *t, uint8_t header[HEADER_BYTES], uint32_t nonce)
{
    uint8_t hash[32];
    for (int i = 0; i < 4; i++)
        header[NONCE_AT + i] = (uint8_t)(nonce >> (24 - 8 * i));
    hash_message(t, header, HEADER_BYTES, hash);
    hash_message(t, hash, sizeof hash, hash);
    return (uint32_t)hash[31] << 24 | (uint32_t)hash[30] << 16 | (uint32_t)hash[29] << 8 | hash[28];
}

static void mine(struct work *w, const struct tables *t, const struct search *s, unsigned nonces, uint32_t *tops,
                 uint32_t *best)
{
    struct search argument = *s;
    *best = UINT32_MAX;
    work_write(w, work_symbol(w, "round_constants", sizeof t->round), t->round, sizeof t->round);
    work_write(w, work_symbol(w, "first_state", sizeof t->first_state), t->first_state, sizeof t->first_state);
    CUdeviceptr out = work_alloc(w, nonces * sizeof *tops), out_best = work_upload(w, best, sizeof *best);
    work_launch(w, "mine", (struct work_shape){.x = nonces / THREADS}, (struct work_shape){.x = THREADS}, 0,
                (void *[]){&argument, &out, &out_best});
    work_read(w, tops, out, nonces * sizeof *tops);
    work_read(w, best, out_best, sizeof *best);
}

static void run(struct work *w, enum work_size size)
{
    unsigned nonces = nonces_of[size];
    struct tables t = make_tables();
    work_check(w, knows_abc(&t), "the reference does not compute SHA-256");
    uint8_t header[HEADER_BYTES];
    for (int i = 0; i < HEADER_BYTES; i++)
        header[i] = (uint8_t)work_random(w);
    /* One nonce in 256 is good: a real search wants one in 2^32 and more. */
    struct search s = {.first_nonce = work_random(w), .most = UINT32_MAX >> 8};
    memcpy(s.midstate, t.first_state, sizeof s.midstate);
    hash_chunk(&t, s.midstate, header);
    for (int i = 0; i < 3; i++)
        s.tail[i] = read_big_endian(header + 64 + 4 * i);

    uint32_t *got = work_buffer(w, nonces, sizeof *got), *want = work_buffer(w, nonces, sizeof *want), best,
             want_best = UINT32_MAX;
    mine(w, &t, &s, nonces, got, &best);
    for (unsigned i = nonces; i-- > 0;) {
        want[i] = hash_twice(&t, header, s.first_nonce + i);
        if (want[i] <= s.most)
            want_best = i;
    }
    work_compare_u32(w, "hashes", got, want, nonces);
    work_compare_u32(w, "best nonces", &best, &want_best, 1);
    work_say(w, "%u nonces, number %u is good", nonces, best);
}

const struct workload workload = {.name = "sha256", .run = run};
