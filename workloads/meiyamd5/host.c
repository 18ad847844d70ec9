/*
 * Reversal of MD5 hashes: words with one or two unknown characters in front, each drawn from one of three alphabets.
 *
 * What the kernel has to find is known before: the host draws the characters and computes the hashes, by MD5 as RFC
 * 1321 tells it: a loop over 64 steps, with constants from the sine. A fourth of the targets have characters that the
 * alphabet lacks; of these all candidates must have been tried.
 */
#include "work.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 64, ALPHABETS = 3, MOST_LETTERS = 26, SHORTEST_WORD = 4, LONGEST_WORD = 11, NOT_FOUND = -1 };

static const char *const alphabet[ALPHABETS] = {"0123456789", "0123456789abcdef", "abcdefghijklmnopqrstuvwxyz"};

/* As the kernel has it. */
struct target {
    uint32_t hash[4], message[4], bits;
    int32_t unknown, alphabet;
};

struct problem {
    unsigned blocks, targets_per_thread, kinds; /* kinds: how many of kind_of[] */
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.blocks = 2, .targets_per_thread = 3, .kinds = 4},
    [WORK_SMALL] = {.blocks = 300, .targets_per_thread = 2, .kinds = 3},
    [WORK_PAPER] = {.blocks = 120, .targets_per_thread = 4, .kinds = 4},
};

static const struct {
    int32_t unknown, alphabet;
} kind_of[] = {{1, 0}, {1, 1}, {1, 2}, {2, 0}}; /* 10, 16, 26 and 100 candidates */

/* ---- MD5 of a message of at most 55 bytes ---- */

static uint32_t little_endian(const unsigned char *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void hash(const char *message, size_t bytes, uint32_t state[4])
{
    static const unsigned rotation[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    static const uint32_t first[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    unsigned char block[64] = {0};
    memcpy(block, message, bytes);
    block[bytes] = 0x80;
    block[56] = (unsigned char)(8 * bytes);
    block[57] = (unsigned char)(8 * bytes >> 8);
    memcpy(state, first, sizeof first);
    for (unsigned i = 0; i < 64; i++) {
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3], mixed;
        unsigned word, turn = rotation[i / 16][i % 4];
        switch (i / 16) {
        case 0:
            mixed = (b & c) | (~b & d), word = i;
            break;
        case 1:
            mixed = (d & b) | (~d & c), word = (5 * i + 1) % 16;
            break;
        case 2:
            mixed = b ^ c ^ d, word = (3 * i + 5) % 16;
            break;
        default:
            mixed = c ^ (b | ~d), word = 7 * i % 16;
        }
        a += mixed + little_endian(block + 4 * word) + (uint32_t)floor(fabs(sin(i + 1)) * 0x1p32);
        state[0] = d;
        state[1] = b + (a << turn | a >> (32 - turn));
        state[2] = b;
        state[3] = c;
    }
    for (int k = 0; k < 4; k++)
        state[k] += first[k];
}

/* ---- the targets ---- */

/* Draws a target; *found and *tried become what the kernel has to answer. */
static struct target draw_target(struct work *w, uint32_t kinds, uint32_t *found, uint32_t *tried)
{
    uint32_t kind = work_random_below(w, kinds);
    struct target t = {.unknown = kind_of[kind].unknown, .alphabet = kind_of[kind].alphabet};
    char text[16] = {0};
    uint32_t letters = (uint32_t)strlen(alphabet[t.alphabet]), low, high, unknown = (uint32_t)t.unknown;
    uint32_t word = SHORTEST_WORD + work_random_below(w, LONGEST_WORD - SHORTEST_WORD + 1), bytes = unknown + word;
    for (uint32_t i = unknown; i < bytes; i++)
        text[i] = (char)('a' + work_random_below(w, 26));
    memcpy(t.message, text, sizeof text);
    ((unsigned char *)t.message)[bytes] = 0x80;
    t.bits = 8 * bytes;
    low = work_random_below(w, letters);
    high = unknown == 2 ? work_random_below(w, letters) : 0;
    text[0] = alphabet[t.alphabet][low];
    if (unknown == 2)
        text[1] = alphabet[t.alphabet][high];
    *found = high * letters + low;
    *tried = *found + 1;
    if (work_random_below(w, 4) == 0) {
        text[0] = '?';
        *found = (uint32_t)NOT_FOUND;
        *tried = unknown == 2 ? letters * letters : letters;
    }
    hash(text, bytes, t.hash);
    return t;
}

static void write_alphabets(struct work *w)
{
    unsigned char letter[ALPHABETS][MOST_LETTERS] = {{0}};
    int32_t letters[ALPHABETS];
    for (int i = 0; i < ALPHABETS; i++) {
        letters[i] = (int32_t)strlen(alphabet[i]);
        memcpy(letter[i], alphabet[i], (size_t)letters[i]);
    }
    work_write(w, work_symbol(w, "md5_alphabet", sizeof letter), letter, sizeof letter);
    work_write(w, work_symbol(w, "md5_letters", sizeof letters), letters, sizeof letters);
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    int32_t count = (int32_t)(p->blocks * BLOCK * p->targets_per_thread) - 5; /* some threads have one less */
    size_t bytes = (size_t)count * sizeof(uint32_t);
    struct target *target = work_buffer(w, (size_t)count, sizeof *target);
    uint32_t *want_found = work_buffer(w, 1, bytes), *want_tried = work_buffer(w, 1, bytes),
             *got_found = work_buffer(w, 1, bytes), *got_tried = work_buffer(w, 1, bytes);
    uint32_t abc[4];
    hash("abc", 3, abc);
    work_check(w, abc[0] == 0x98500190 && abc[3] == 0x727fe128, "the reference computes another hash than MD5");
    uint64_t candidates = 0;
    for (int32_t i = 0; i < count; i++) {
        target[i] = draw_target(w, p->kinds, &want_found[i], &want_tried[i]);
        candidates += want_tried[i];
    }
    write_alphabets(w);
    CUdeviceptr targets = work_upload(w, target, (size_t)count * sizeof *target), found = work_alloc(w, bytes),
                tried = work_alloc(w, bytes);
    work_launch(w, "meiyamd5", (struct work_shape){.x = p->blocks}, (struct work_shape){.x = BLOCK}, 0,
                (void *[]){&targets, &count, &found, &tried});
    work_read(w, got_found, found, bytes);
    work_read(w, got_tried, tried, bytes);
    work_compare_u32(w, "found", got_found, want_found, (size_t)count);
    work_compare_u32(w, "tried", got_tried, want_tried, (size_t)count);
    work_say(w, "%d targets, %llu candidates", count, (unsigned long long)candidates);
}

const struct workload workload = {.name = "meiyamd5", .run = run};
