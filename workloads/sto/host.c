/* SHA-1 hashes of all windows of a buffer; verified against hashes of padded messages, as the standard writes them. */
#include "work.h"

#include <string.h>

enum { THREADS = 128, WINDOW_BYTES = 52, OFFSET = 4, MOST_WINDOW_BYTES = 1024 };

struct problem {
    int window_bytes, windows, missing; /* the last window is shorter by what is missing */
};

static const struct problem problem_of[] = {
    /* Two passes, threads without a window, and a last window that is shorter. */
    [WORK_TEST] = {.window_bytes = 64 + 40, .windows = 5 * THREADS - 20, .missing = 8},
    [WORK_SMALL] = {.window_bytes = WINDOW_BYTES, .windows = 96 * THREADS, .missing = 0},
    [WORK_PAPER] = {.window_bytes = WINDOW_BYTES, .windows = 732 * THREADS, .missing = 0},
};

static uint32_t rotate(uint32_t x, int by)
{
    return x << by | x >> (32 - by);
}

/* FIPS 180: all 80 words of the schedule first, then one loop over the rounds. */
static void hash_block(const unsigned char block[64], uint32_t state[5])
{
    uint32_t schedule[80], v[5];
    for (int t = 0; t < 80; t++)
        schedule[t] = t < 16 ? (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
                                   (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3]
                             : rotate(schedule[t - 3] ^ schedule[t - 8] ^ schedule[t - 14] ^ schedule[t - 16], 1);
    memcpy(v, state, sizeof v);
    for (int t = 0; t < 80; t++) {
        uint32_t mixed = t < 20   ? ((v[1] & v[2]) | (~v[1] & v[3])) + 0x5a827999
                         : t < 40 ? (v[1] ^ v[2] ^ v[3]) + 0x6ed9eba1
                         : t < 60 ? ((v[1] & v[2]) ^ (v[1] & v[3]) ^ (v[2] & v[3])) + 0x8f1bbcdc
                                  : (v[1] ^ v[2] ^ v[3]) + 0xca62c1d6;
        uint32_t first = rotate(v[0], 5) + mixed + v[4] + schedule[t];
        memmove(v + 1, v, 4 * sizeof *v);
        v[0] = first;
        v[2] = rotate(v[2], 30);
    }
    for (int i = 0; i < 5; i++)
        state[i] += v[i];
}

/* The first four bytes of the hash, as they stand in memory. */
static uint32_t hash_message(const unsigned char *message, size_t bytes)
{
    unsigned char padded[MOST_WINDOW_BYTES + 128] = {0};
    size_t padded_bytes = (bytes + 9 + 63) / 64 * 64;
    memcpy(padded, message, bytes);
    padded[bytes] = 0x80;
    for (int i = 0; i < 8; i++)
        padded[padded_bytes - 1 - (size_t)i] = (unsigned char)((uint64_t)bytes * 8 >> 8 * i);
    uint32_t state[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}, first = 0;
    for (size_t at = 0; at < padded_bytes; at += 64)
        hash_block(padded + at, state);
    for (int i = 0; i < 4; i++)
        ((unsigned char *)&first)[i] = (unsigned char)(state[0] >> (24 - 8 * i));
    return first;
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    int window_bytes = p->window_bytes, offset = OFFSET, windows = p->windows, missing = p->missing;
    size_t bytes = (size_t)((windows - 1) * offset + window_bytes);
    unsigned char *buffer = work_buffer(w, bytes, 1);
    uint32_t *got = work_buffer(w, (size_t)windows, sizeof *got), *want = work_buffer(w, (size_t)windows, sizeof *want);
    for (size_t i = 0; i < bytes; i++)
        buffer[i] = (unsigned char)work_random_below(w, 256);

    CUdeviceptr input = work_upload(w, buffer, bytes), hashes = work_alloc(w, (size_t)windows * sizeof *got);
    work_launch(w, "hash_windows", (struct work_shape){.x = (unsigned)(windows + THREADS - 1) / THREADS},
                (struct work_shape){.x = THREADS}, 0,
                (void *[]){&input, &window_bytes, &offset, &windows, &missing, &hashes});
    work_read(w, got, hashes, (size_t)windows * sizeof *got);

    for (int i = 0; i < windows; i++)
        want[i] = hash_message(buffer + i * offset, (size_t)(window_bytes - (i == windows - 1 ? missing : 0)));
    const unsigned char a9993e36[] = {0xa9, 0x99, 0x3e, 0x36};
    uint32_t abc = hash_message((const unsigned char *)"abc", 3);
    work_check(w, !memcmp(&abc, a9993e36, sizeof abc), "the reference does not hash the standard's example right");
    work_compare_u32(w, "hashes", got, want, (size_t)windows);
    work_say(w, "%d windows of %d bytes", windows, window_bytes);
}

const struct workload workload = {.name = "sto", .run = run};
