/* Random points by Philox4x32-10; verified against counts with another form of the generator and of the circle. */
#include "work.h"

enum { THREADS = 256 };

struct problem {
    uint32_t blocks, draws;
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.blocks = 8, .draws = 5},
    [WORK_SMALL] = {.blocks = 240, .draws = 6},
    [WORK_PAPER] = {.blocks = 480, .draws = 16},
};

struct words {
    uint32_t of[4];
};

struct key {
    uint32_t x, y; /* as uint2 */
};

/* The high word of a product, of products of half words. */
static uint32_t multiply_high(uint32_t a, uint32_t b)
{
    uint32_t a0 = a & 0xffff, a1 = a >> 16, b0 = b & 0xffff, b1 = b >> 16;
    uint32_t middle = a1 * b0 + (a0 * b0 >> 16); /* below 2^32: (2^16 - 1)^2 + 2^16 - 1 */
    uint32_t low = (middle & 0xffff) + a0 * b1;
    return a1 * b1 + (middle >> 16) + (low >> 16);
}

/* The definition of Salmon et al., section 3.4: the words as two pairs (left, right), each pair by itself; then the
 * words are swapped between the pairs. */
static struct words philox(struct words counter, struct key key)
{
    static const uint32_t multiplier[2] = {0xd2511f53, 0xcd9e8d57}, weyl[2] = {0x9e3779b9, 0xbb67ae85};
    uint32_t *v = counter.of;
    for (uint32_t round = 0; round < 10; round++) {
        uint32_t next[4];
        for (int pair = 0; pair < 2; pair++) {
            uint32_t from = v[2 * pair];
            uint32_t round_key = (pair ? key.x : key.y) + round * weyl[!pair];
            next[2 * !pair] = multiply_high(multiplier[pair], from) ^ v[2 * !pair + 1] ^ round_key;
            next[2 * !pair + 1] = multiplier[pair] * from;
        }
        for (int i = 0; i < 4; i++)
            v[i] = next[i];
    }
    return counter;
}

/* The known answers that its authors publish for counters and keys of zeros and of ones. */
static bool knows_answers(void)
{
    static const struct words zeros = {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
                              ones = {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}};
    struct words a = philox((struct words){{0, 0, 0, 0}}, (struct key){0, 0}),
                 b = philox((struct words){{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}},
                            (struct key){UINT32_MAX, UINT32_MAX});
    bool is_right = true;
    for (int i = 0; i < 4; i++)
        is_right = is_right && a.of[i] == zeros.of[i] && b.of[i] == ones.of[i];
    return is_right;
}

static uint32_t is_inside(uint32_t x, uint32_t y)
{
    __extension__ typedef unsigned __int128 wide;
    wide a = x & ~1u, b = y & ~1u;
    return a * a + b * b < (wide)1 << 64;
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    uint32_t threads = p->blocks * THREADS, draws = p->draws;
    work_check(w, knows_answers(), "the reference does not compute Philox4x32-10");
    struct key key = {work_random(w), work_random(w)};
    uint32_t *got = work_buffer(w, threads, sizeof *got), *want = work_buffer(w, threads, sizeof *want);
    CUdeviceptr hits = work_alloc(w, threads * sizeof *got);
    work_launch(w, "count", (struct work_shape){.x = p->blocks}, (struct work_shape){.x = THREADS}, 0,
                (void *[]){&hits, &key, &draws});
    work_read(w, got, hits, threads * sizeof *got);
    uint64_t inside = 0;
    for (uint32_t i = 0; i < threads; i++) {
        for (uint32_t draw = 0; draw < draws; draw++) {
            struct words r = philox((struct words){{draw, i, 0, 0}}, key);
            want[i] += is_inside(r.of[0], r.of[1]) + is_inside(r.of[2], r.of[3]);
        }
        inside += want[i];
    }
    work_compare_u32(w, "counts", got, want, threads);
    double points = 2.0 * threads * draws;
    work_say(w, "%.0f points, pi is about %.4f", points, 4 * (double)inside / points);
}

const struct workload workload = {.name = "philox", .run = run};
