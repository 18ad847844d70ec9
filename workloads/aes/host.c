/* AES-128 of many blocks under one key (ECB); verified against FIPS-197 byte by byte, and against its test vector. */
#include "work.h"

#include <string.h>

enum { THREADS = 256, ROUNDS = 10, BLOCK_BYTES = 16, BLOCK_WORDS = 4, BLOCKS_A_GRID_BLOCK = THREADS / BLOCK_WORDS };
enum { KEY_BYTES = BLOCK_BYTES * (ROUNDS + 1) };

static const unsigned grid_of[] = {[WORK_TEST] = 2, [WORK_SMALL] = 180, [WORK_PAPER] = 257};

/* FIPS-197, appendix C.1: the key, which is used for all blocks, and the first block with its cipher. */
static const uint8_t key[BLOCK_BYTES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const uint8_t known_plain[BLOCK_BYTES] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                                 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
static const uint8_t known_cipher[BLOCK_BYTES] = {0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30,
                                                  0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a};

/* ---- FIPS-197, sections 4 and 5 ---- */

static uint8_t times_x(uint8_t a)
{
    return (uint8_t)(a << 1 ^ (a & 0x80 ? 0x1b : 0));
}

static uint8_t times(uint8_t a, uint8_t b)
{
    uint8_t product = 0;
    for (; b; b >>= 1, a = times_x(a))
        if (b & 1)
            product ^= a;
    return product;
}

/* The S-box: the inverse in GF(2^8), which is the 254th power, then an affine map. */
static uint8_t substitute(uint8_t a)
{
    uint8_t inverse = 1, mapped = 0x63;
    for (int i = 0; i < 254; i++)
        inverse = times(inverse, a);
    for (int turn = 0; turn < 5; turn++)
        mapped ^= (uint8_t)(inverse << turn | inverse >> (8 - turn));
    return mapped;
}

static void expand_key(const uint8_t sbox[256], uint8_t round_key[KEY_BYTES])
{
    uint8_t constant = 1;
    memcpy(round_key, key, sizeof key);
    for (int i = BLOCK_BYTES; i < KEY_BYTES; i += 4) {
        uint8_t word[4];
        memcpy(word, round_key + i - 4, 4);
        if (i % BLOCK_BYTES == 0) {
            uint8_t first = word[0];
            for (int k = 0; k < 3; k++)
                word[k] = sbox[word[k + 1]];
            word[3] = sbox[first];
            word[0] ^= constant;
            constant = times_x(constant);
        }
        for (int k = 0; k < 4; k++)
            round_key[i + k] = round_key[i - BLOCK_BYTES + k] ^ word[k];
    }
}

/* Byte r + 4c of a state is row r of column c. */
static void shift_rows(uint8_t state[BLOCK_BYTES])
{
    uint8_t old[BLOCK_BYTES];
    memcpy(old, state, sizeof old);
    for (int i = 0; i < BLOCK_BYTES; i++)
        state[i] = old[(i + 4 * (i % 4)) % BLOCK_BYTES];
}

static void mix_columns(uint8_t state[BLOCK_BYTES])
{
    for (uint8_t *c = state; c < state + BLOCK_BYTES; c += 4) {
        uint8_t old[4];
        memcpy(old, c, sizeof old);
        for (int r = 0; r < 4; r++)
            c[r] = (uint8_t)(times_x(old[r]) ^ times(old[(r + 1) % 4], 3) ^ old[(r + 2) % 4] ^ old[(r + 3) % 4]);
    }
}

static void encrypt_by_bytes(const uint8_t sbox[256], const uint8_t round_key[KEY_BYTES], uint8_t state[BLOCK_BYTES])
{
    for (int round = 0; round <= ROUNDS; round++) {
        if (round > 0) {
            for (int i = 0; i < BLOCK_BYTES; i++)
                state[i] = sbox[state[i]];
            shift_rows(state);
            if (round < ROUNDS)
                mix_columns(state);
        }
        for (int i = 0; i < BLOCK_BYTES; i++)
            state[i] ^= round_key[round * BLOCK_BYTES + i];
    }
}

/* ---- the run ---- */

/* What a byte in row r adds to its column after SubBytes and MixColumns; the column's first byte is the lowest. */
static void make_tables(const uint8_t sbox[256], uint32_t table[4][256])
{
    for (int i = 0; i < 256; i++) {
        uint32_t s = sbox[i], column = times_x(sbox[i]) | s << 8 | s << 16 | (s ^ times_x(sbox[i])) << 24;
        for (int r = 0; r < 4; r++) {
            table[r][i] = column;
            column = column << 8 | column >> 24;
        }
    }
}

static void encrypt_on_device(struct work *w, unsigned grid, const uint8_t sbox[256],
                              const uint8_t round_key[KEY_BYTES], const uint8_t *plain, uint32_t *cipher, size_t bytes)
{
    uint32_t table[4][256];
    make_tables(sbox, table);
    work_write(w, work_symbol(w, "tables", sizeof table), table, sizeof table);
    CUdeviceptr keys = work_upload(w, round_key, KEY_BYTES), from = work_upload(w, plain, bytes),
                to = work_alloc(w, bytes);
    work_launch(w, "encrypt", (struct work_shape){.x = grid}, (struct work_shape){.x = THREADS}, 0,
                (void *[]){&keys, &from, &to});
    work_read(w, cipher, to, bytes);
}

static void run(struct work *w, enum work_size size)
{
    size_t blocks = (size_t)grid_of[size] * BLOCKS_A_GRID_BLOCK, bytes = blocks * BLOCK_BYTES;
    uint8_t sbox[256], round_key[KEY_BYTES], *plain = work_buffer(w, bytes, 1);
    uint32_t *got = work_buffer(w, bytes, 1), *want = work_buffer(w, bytes, 1);
    for (int i = 0; i < 256; i++)
        sbox[i] = substitute((uint8_t)i);
    expand_key(sbox, round_key);
    for (size_t i = 0; i < bytes; i++)
        plain[i] = i < sizeof known_plain ? known_plain[i] : (uint8_t)work_random(w);

    encrypt_on_device(w, grid_of[size], sbox, round_key, plain, got, bytes);
    memcpy(want, plain, bytes);
    for (size_t b = 0; b < blocks; b++)
        encrypt_by_bytes(sbox, round_key, (uint8_t *)want + b * BLOCK_BYTES);
    work_check(w, !memcmp(want, known_cipher, sizeof known_cipher), "the reference fails the test vector of FIPS-197");
    work_check(w, !memcmp(got, known_cipher, sizeof known_cipher), "the kernel fails the test vector of FIPS-197");
    work_compare_u32(w, "columns", got, want, bytes / sizeof *got);
    work_say(w, "%zu blocks of 16 bytes", blocks);
}

const struct workload workload = {.name = "aes", .run = run};
