/* Radix sort, four bits per pass; verified against the C library's sort. */
#include "work.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 256, TILE = 4 * THREADS, HALF_TILE = TILE / 2, DIGIT_BITS = 4, DIGITS = 16 };

struct problem {
    uint32_t tiles;
    unsigned key_bits;
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.tiles = 5, .key_bits = 8},
    [WORK_SMALL] = {.tiles = 160, .key_bits = 8},
    [WORK_PAPER] = {.tiles = 160, .key_bits = 32},
};

static struct work_shape grid_for(uint32_t items, uint32_t items_a_block)
{
    return (struct work_shape){.x = (items + items_a_block - 1) / items_a_block};
}

/* Exclusive prefix sums of `count` numbers, a multiple of four. Sums of blocks are scanned by the same kernels. */
static void scan(struct work *w, CUdeviceptr numbers, uint32_t count)
{
    uint32_t quads = count / 4;
    struct work_shape grid = grid_for(quads, THREADS), block = {.x = THREADS};
    CUdeviceptr sums = work_alloc(w, (size_t)(grid.x + 3) / 4 * 4 * sizeof(uint32_t));
    work_launch(w, "scan_counts", grid, block, 0, (void *[]){&numbers, &sums, &quads});
    if (grid.x == 1)
        return;
    scan(w, sums, (grid.x + 3) / 4 * 4);
    work_launch(w, "add_sums", grid, block, 0, (void *[]){&numbers, &sums, &quads});
}

static void sort_by_digits(struct work *w, const struct problem *p, uint32_t *keys)
{
    uint32_t key_count = p->tiles * TILE, half_tiles = 2 * p->tiles;
    size_t bytes = key_count * sizeof *keys, digit_bytes = (size_t)half_tiles * DIGITS * sizeof(uint32_t);
    CUdeviceptr device = work_upload(w, keys, bytes), tiled = work_alloc(w, bytes), counts = work_alloc(w, digit_bytes),
                begins = work_alloc(w, digit_bytes);
    struct work_shape block = {.x = THREADS};
    for (uint32_t bit = 0; bit < p->key_bits; bit += DIGIT_BITS) {
        work_launch(w, "sort_tiles", grid_for(key_count, TILE), block, 0, (void *[]){&device, &tiled, &bit});
        work_launch(w, "find_digits", grid_for(key_count, HALF_TILE), block, 0,
                    (void *[]){&tiled, &counts, &begins, &bit, &half_tiles});
        scan(w, counts, half_tiles * DIGITS);
        work_launch(w, "scatter", grid_for(key_count, HALF_TILE), block, 0,
                    (void *[]){&tiled, &device, &counts, &begins, &bit, &key_count, &half_tiles});
    }
    work_read(w, keys, device, bytes);
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    uint32_t key_count = p->tiles * TILE;
    uint32_t *got = work_buffer(w, key_count, sizeof *got), *want = work_buffer(w, key_count, sizeof *want);
    for (uint32_t i = 0; i < key_count; i++)
        got[i] = work_random(w) >> (32 - p->key_bits);
    memcpy(want, got, key_count * sizeof *want);
    sort_by_digits(w, p, got);
    qsort(want, key_count, sizeof *want, by_value);
    work_compare_u32(w, "keys", got, want, key_count);
    work_say(w, "%u keys of %u bits", key_count, p->key_bits);
}

const struct workload workload = {.name = "radixsort", .run = run};
