/* Merge sort of keys with values, stable; verified against a sort by digits. */
#include "work.h"

#include <string.h>

enum { TILE = 1024, SAMPLE = 128, TILE_THREADS = 512, RANK_THREADS = 256 };
/* Keys are below this, so many are equal, and a merge that is not stable mixes up their values. */
enum { KEY_BOUND = 65536 };

static const uint32_t count_of[] = {[WORK_TEST] = 5 * TILE, [WORK_SMALL] = 128 * TILE, [WORK_PAPER] = 832 * TILE};

struct pairs {
    CUdeviceptr keys, values;
};

struct samples {
    CUdeviceptr places_a, places_b, limits_a, limits_b;
};

/* A run that has no partner goes on as it is. */
static void copy_rest(struct work *w, struct pairs to, struct pairs from, uint32_t first, uint32_t count)
{
    size_t at = first * sizeof(uint32_t), bytes = count * sizeof(uint32_t);
    uint32_t *rest = work_buffer(w, count, sizeof *rest);
    work_read(w, rest, from.keys + at, bytes);
    work_write(w, to.keys + at, rest, bytes);
    work_read(w, rest, from.values + at, bytes);
    work_write(w, to.values + at, rest, bytes);
}

static void merge_runs(struct work *w, struct pairs to, struct pairs from, const struct samples *s, uint32_t run,
                       uint32_t count)
{
    /* The last pair of runs may be shorter: then its second run is, or there is none. */
    uint32_t last = count % (2 * run), paired = last > run ? count : count - last;
    uint32_t thread_count = (last > run ? count + 2 * run - last : count - last) / (2 * SAMPLE);
    struct work_shape grid = {.x = (thread_count + RANK_THREADS - 1) / RANK_THREADS}, block = {.x = RANK_THREADS};
    CUdeviceptr places_a = s->places_a, places_b = s->places_b, limits_a = s->limits_a, limits_b = s->limits_b;
    work_launch(w, "rank_samples", grid, block, 0,
                (void *[]){&places_a, &places_b, &from.keys, &run, &count, &thread_count});
    work_launch(w, "merge_places", grid, block, 0, (void *[]){&limits_a, &places_a, &run, &count, &thread_count});
    work_launch(w, "merge_places", grid, block, 0, (void *[]){&limits_b, &places_b, &run, &count, &thread_count});
    work_launch(w, "merge_intervals", (struct work_shape){.x = paired / SAMPLE}, (struct work_shape){.x = SAMPLE}, 0,
                (void *[]){&to.keys, &to.values, &from.keys, &from.values, &limits_a, &limits_b, &run, &count});
    if (paired < count)
        copy_rest(w, to, from, paired, count - paired);
}

static void sort_by_merges(struct work *w, uint32_t *keys, uint32_t *values, uint32_t count)
{
    size_t bytes = count * sizeof(uint32_t), sample_bytes = count / SAMPLE * sizeof(uint32_t);
    struct pairs from = {work_upload(w, keys, bytes), work_upload(w, values, bytes)},
                 to = {work_alloc(w, bytes), work_alloc(w, bytes)};
    struct samples s = {work_alloc(w, sample_bytes), work_alloc(w, sample_bytes), work_alloc(w, sample_bytes),
                        work_alloc(w, sample_bytes)};
    uint32_t tile = TILE;
    work_launch(w, "sort_tiles", (struct work_shape){.x = count / TILE}, (struct work_shape){.x = TILE_THREADS}, 0,
                (void *[]){&to.keys, &to.values, &from.keys, &from.values, &tile});
    for (uint32_t run = TILE; run < count; run *= 2) {
        struct pairs swap = from;
        from = to;
        to = swap;
        merge_runs(w, to, from, &s, run, count);
    }
    work_read(w, keys, to.keys, bytes);
    work_read(w, values, to.values, bytes);
}

/* Keys have 16 bits: two passes of counting, each stable. */
static void sort_by_digits(struct work *w, uint32_t *keys, uint32_t *values, uint32_t count)
{
    uint32_t *other_keys = work_buffer(w, count, sizeof *other_keys),
             *other_values = work_buffer(w, count, sizeof *other_values);
    for (int shift = 0; shift < 16; shift += 8) {
        uint32_t first[257] = {0};
        for (uint32_t i = 0; i < count; i++)
            first[(keys[i] >> shift & 255) + 1]++;
        for (int digit = 0; digit < 256; digit++)
            first[digit + 1] += first[digit];
        for (uint32_t i = 0; i < count; i++) {
            uint32_t to = first[keys[i] >> shift & 255]++;
            other_keys[to] = keys[i];
            other_values[to] = values[i];
        }
        memcpy(keys, other_keys, count * sizeof *keys);
        memcpy(values, other_values, count * sizeof *values);
    }
}

static void run(struct work *w, enum work_size size)
{
    uint32_t count = count_of[size];
    uint32_t *keys = work_buffer(w, count, sizeof *keys), *values = work_buffer(w, count, sizeof *values),
             *want_keys = work_buffer(w, count, sizeof *want_keys),
             *want_values = work_buffer(w, count, sizeof *want_values);
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = want_keys[i] = work_random_below(w, KEY_BOUND);
        values[i] = want_values[i] = i;
    }
    sort_by_merges(w, keys, values, count);
    sort_by_digits(w, want_keys, want_values, count);
    work_compare_u32(w, "keys", keys, want_keys, count);
    work_compare_u32(w, "values", values, want_values, count);
    work_say(w, "%u keys with values", count);
}

const struct workload workload = {.name = "ms", .run = run};
