/* Quicksort; verified against the C library's sort. */
#include "work.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 64 };

/* As in kernels.cu. */
struct part {
    uint32_t begin, end, pivot, is_last;
};
struct sequence {
    uint32_t begin, end, is_in_keys;
};
struct totals {
    uint32_t less, greater, least, most;
};

/* A sequence that many blocks partition together. While they do, the sides grow from both its ends, to `left_end` and
 * `right_begin`. */
struct open {
    struct sequence at;
    uint32_t pivot, left_end, right_begin, least, most;
    bool is_split;
};

struct problem {
    uint32_t key_count;
    uint32_t enough; /* sequences with which the first phase ends; also, the blocks that it divides the keys among */
    unsigned key_bits;
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.key_count = 1600, .enough = 4, .key_bits = 10},
    [WORK_SMALL] = {.key_count = 16384, .enough = 256, .key_bits = 32},
    [WORK_PAPER] = {.key_count = 32768, .enough = 256, .key_bits = 32},
};

/* What the first phase works with. */
struct phase {
    struct open *open; /* all sequences, those that are short enough among them */
    uint32_t open_count;
    struct part *parts;
    uint32_t *open_of; /* of each part: its sequence */
    struct totals *sums;
    uint32_t part_count;
    CUdeviceptr keys, spare, device_parts, left_ranks, right_ranks, device_sums;
    bool is_in_keys;
};

/* Long sequences get more blocks. Returns false if all sequences are short. */
static bool assign_blocks(struct phase *p, uint32_t keys_a_block, uint32_t short_length)
{
    p->part_count = 0;
    for (uint32_t i = 0; i < p->open_count; i++) {
        struct open *o = &p->open[i];
        uint32_t length = o->at.end - o->at.begin, blocks = length / keys_a_block;
        o->is_split = length >= short_length && length;
        if (!o->is_split)
            continue;
        blocks = blocks ? blocks : 1;
        for (uint32_t b = 0; b < blocks; b++) {
            uint32_t begin = o->at.begin + b * keys_a_block, end = b + 1 < blocks ? begin + keys_a_block : o->at.end;
            p->open_of[p->part_count] = i;
            p->parts[p->part_count++] =
                (struct part){.begin = begin, .end = end, .pivot = o->pivot, .is_last = b + 1 == blocks};
        }
        o->left_end = o->at.begin;
        o->right_begin = o->at.end;
        o->least = UINT32_MAX;
        o->most = 0;
    }
    return p->part_count;
}

/* Turns the counts of blocks into the places where their keys go. */
static void place_blocks(struct phase *p)
{
    for (uint32_t i = 0; i < p->part_count; i++) {
        struct open *o = &p->open[p->open_of[i]];
        struct totals sums = p->sums[i];
        p->sums[i].less = o->left_end;
        p->sums[i].greater = o->right_begin;
        o->left_end += sums.less;
        o->right_begin -= sums.greater;
        o->least = sums.least < o->least ? sums.least : o->least;
        o->most = sums.most > o->most ? sums.most : o->most;
    }
}

/* A pivot between the least and the greatest key, so that every partition takes a key away or makes both sides
 * shorter. */
static uint32_t between(uint32_t least, uint32_t most)
{
    return least < most ? least + (most - least) / 2 : least;
}

/* The middle of the least and the greatest of three keys: the first, the middle one and the last. */
static uint32_t find_first_pivot(const uint32_t *keys, uint32_t count)
{
    uint32_t some[] = {keys[0], keys[count / 2], keys[count - 1]}, least = some[0], most = some[0];
    for (int i = 1; i < 3; i++) {
        least = some[i] < least ? some[i] : least;
        most = some[i] > most ? some[i] : most;
    }
    return between(least, most);
}

/* Replaces each sequence that was partitioned by its two sides. */
static void open_sides(struct phase *p)
{
    for (uint32_t i = 0, count = p->open_count; i < count; i++) {
        struct open *o = &p->open[i];
        if (!o->is_split)
            continue;
        p->open[p->open_count++] = (struct open){
            .at = {.begin = o->at.begin, .end = o->left_end, .is_in_keys = p->is_in_keys},
            .pivot = between(o->least, o->pivot),
        };
        *o = (struct open){
            .at = {.begin = o->right_begin, .end = o->at.end, .is_in_keys = p->is_in_keys},
            .pivot = between(o->pivot, o->most),
        };
    }
}

/* Keys in sequences that are still long. */
static uint32_t count_long(const struct phase *p, uint32_t short_length)
{
    uint32_t keys = 0;
    for (uint32_t i = 0; i < p->open_count; i++) {
        uint32_t length = p->open[i].at.end - p->open[i].at.begin;
        keys += length >= short_length ? length : 0;
    }
    return keys;
}

static void split_together(struct work *w, const struct problem *problem, struct phase *p)
{
    uint32_t short_length = problem->key_count / problem->enough / 4, keys_left = problem->key_count;
    struct work_shape block = {.x = THREADS};
    while (p->open_count < problem->enough) {
        uint32_t keys_a_block = keys_left / problem->enough;
        if (!assign_blocks(p, keys_a_block ? keys_a_block : 1, short_length))
            break;
        struct work_shape grid = {.x = p->part_count};
        CUdeviceptr from = p->is_in_keys ? p->keys : p->spare, to = p->is_in_keys ? p->spare : p->keys;
        size_t sum_bytes = p->part_count * sizeof *p->sums;
        work_write(w, p->device_parts, p->parts, p->part_count * sizeof *p->parts);
        work_launch(w, "count_sides", grid, block, 0,
                    (void *[]){&from, &p->device_parts, &p->left_ranks, &p->right_ranks, &p->device_sums});
        work_read(w, p->sums, p->device_sums, sum_bytes);
        place_blocks(p);
        work_write(w, p->device_sums, p->sums, sum_bytes);
        work_launch(w, "move_sides", grid, block, 0,
                    (void *[]){&from, &to, &p->device_parts, &p->left_ranks, &p->right_ranks, &p->device_sums});
        work_launch(w, "write_pivots", grid, block, 0,
                    (void *[]){&p->keys, &p->device_parts, &p->left_ranks, &p->right_ranks, &p->device_sums});
        p->is_in_keys = !p->is_in_keys;
        open_sides(p);
        keys_left = count_long(p, short_length);
    }
}

static int by_length(const void *a, const void *b)
{
    const struct open *s = a, *t = b;
    uint32_t s_length = s->at.end - s->at.begin, t_length = t->at.end - t->at.begin;
    if (s_length != t_length)
        return s_length < t_length ? 1 : -1;
    return s->at.begin < t->at.begin ? -1 : s->at.begin > t->at.begin;
}

/* One block per sequence, the longest first. */
static void sort_apart(struct work *w, struct phase *p)
{
    struct sequence *sequences = work_buffer(w, p->open_count, sizeof *sequences);
    qsort(p->open, p->open_count, sizeof *p->open, by_length);
    for (uint32_t i = 0; i < p->open_count; i++)
        sequences[i] = p->open[i].at;
    CUdeviceptr list = work_upload(w, sequences, p->open_count * sizeof *sequences);
    work_launch(w, "sort_sequences", (struct work_shape){.x = p->open_count}, (struct work_shape){.x = THREADS}, 0,
                (void *[]){&p->keys, &p->spare, &list});
}

static uint32_t sort_by_blocks(struct work *w, const struct problem *problem, uint32_t *keys)
{
    size_t bytes = problem->key_count * sizeof *keys, most = 4 * (size_t)problem->enough;
    struct phase p = {
        .open = work_buffer(w, most, sizeof *p.open),
        .open_count = 1,
        .parts = work_buffer(w, most, sizeof *p.parts),
        .open_of = work_buffer(w, most, sizeof *p.open_of),
        .sums = work_buffer(w, most, sizeof *p.sums),
        .keys = work_upload(w, keys, bytes),
        .spare = work_alloc(w, bytes),
        .device_parts = work_alloc(w, most * sizeof *p.parts),
        .left_ranks = work_alloc(w, most * THREADS * sizeof(uint32_t)),
        .right_ranks = work_alloc(w, most * THREADS * sizeof(uint32_t)),
        .device_sums = work_alloc(w, most * sizeof *p.sums),
        .is_in_keys = true,
    };
    p.open[0] = (struct open){.at = {.end = problem->key_count, .is_in_keys = true},
                              .pivot = find_first_pivot(keys, problem->key_count)};
    split_together(w, problem, &p);
    sort_apart(w, &p);
    work_read(w, keys, p.keys, bytes);
    return p.open_count;
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    uint32_t *got = work_buffer(w, p->key_count, sizeof *got), *want = work_buffer(w, p->key_count, sizeof *want);
    for (uint32_t i = 0; i < p->key_count; i++)
        got[i] = work_random(w) >> (32 - p->key_bits);
    memcpy(want, got, p->key_count * sizeof *want);
    uint32_t sequences = sort_by_blocks(w, p, got);
    qsort(want, p->key_count, sizeof *want, by_value);
    work_compare_u32(w, "keys", got, want, p->key_count);
    work_say(w, "%u keys, %u sequences sorted by one block each", p->key_count, sequences);
}

const struct workload workload = {.name = "qsort", .run = run};
