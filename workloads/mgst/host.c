/* Hybrid sort of random floats; verified against qsort() and against counts made on the CPU. */
#include "work.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024, BINS = 1024 };
enum { HISTOGRAM_THREADS = 96, BUCKET_THREADS = 32, SUM_THREADS = 128, VECTOR_THREADS = 256, MERGE_THREADS = 208 };
enum { ELEMENTS_A_THREAD = 128 }; /* in the kernels with BUCKET_THREADS */
enum { LEAST_MERGE_BLOCKS = 8 };

struct problem {
    int elements;
    unsigned histogram_blocks;
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.elements = 12000, .histogram_blocks = 4},
    [WORK_SMALL] = {.elements = 1 << 18, .histogram_blocks = 64},
    [WORK_PAPER] = {.elements = 5400000, .histogram_blocks = 64},
};

/* A sort under way. */
struct sort {
    int elements;
    float least, most;
    float *list;
    uint32_t histogram[BINS];
    float pivot[BUCKETS]; /* bucket i has the elements from pivot i - 1 on that are below pivot i */
    uint32_t count[BUCKETS];
    /* As in kernels.cu. */
    int32_t first_four[BUCKETS + 1], first_sorted[BUCKETS + 1], padding[BUCKETS];
    CUdeviceptr device_list, buckets; /* each with room for the padding of all buckets */
};

static size_t bytes_of_padded(const struct sort *s)
{
    return ((size_t)s->elements + 4 * BUCKETS) * sizeof(float);
}

static void make_list(struct work *w, struct sort *s)
{
    s->list = work_buffer(w, (size_t)s->elements, sizeof *s->list);
    s->least = 1;
    for (int i = 0; i < s->elements; i++) {
        s->list[i] = work_random_unit(w);
        s->least = s->list[i] < s->least ? s->list[i] : s->least;
        s->most = s->list[i] > s->most ? s->list[i] : s->most;
    }
    s->device_list = work_alloc(w, bytes_of_padded(s));
    work_write(w, s->device_list, s->list, (size_t)s->elements * sizeof *s->list);
    s->buckets = work_alloc(w, bytes_of_padded(s));
}

static void make_histogram(struct work *w, const struct problem *p, struct sort *s)
{
    CUdeviceptr histogram = work_alloc(w, sizeof s->histogram);
    work_launch(w, "histogram", (struct work_shape){.x = p->histogram_blocks},
                (struct work_shape){.x = HISTOGRAM_THREADS}, 0,
                (void *[]){&histogram, &s->device_list, &s->least, &s->most, &s->elements});
    work_read(w, s->histogram, histogram, sizeof s->histogram);
}

/* Pivots that give each bucket the same share of the elements, if elements lie evenly within a bin. */
static void choose_pivots(struct sort *s)
{
    double below = 0, width = ((double)s->most - s->least) / BINS;
    int bin = 0;
    for (int i = 0; i < BUCKETS; i++) {
        double share = (double)s->elements * (i + 1) / BUCKETS;
        while (bin < BINS - 1 && below + s->histogram[bin] < share)
            below += s->histogram[bin++];
        s->pivot[i] = (float)(s->least + (bin + (share - below) / s->histogram[bin]) * width);
    }
}

static void lay_out_buckets(struct sort *s)
{
    for (int i = 0; i < BUCKETS; i++) {
        s->padding[i] = (int32_t)(-s->count[i] & 3);
        s->first_four[i + 1] = s->first_four[i] + (int32_t)(s->count[i] + 3) / 4;
        s->first_sorted[i + 1] = s->first_sorted[i] + (int32_t)s->count[i];
    }
}

static void sort_into_buckets(struct work *w, struct sort *s)
{
    struct work_shape threads = {.x = BUCKET_THREADS};
    int blocks = (s->elements - 1) / (BUCKET_THREADS * ELEMENTS_A_THREAD) + 1;
    CUdeviceptr pivots = work_upload(w, s->pivot, sizeof s->pivot),
                place = work_alloc(w, (size_t)s->elements * sizeof(uint32_t)),
                counts = work_alloc(w, (size_t)blocks * sizeof s->count), total = work_alloc(w, sizeof s->count);
    CUtexObject pivot_texture = work_texture(w, pivots, sizeof s->pivot, CU_AD_FORMAT_FLOAT, 1);
    work_launch(w, "count_buckets", (struct work_shape){.x = (unsigned)blocks}, threads, 0,
                (void *[]){&s->device_list, &place, &counts, &s->elements, &pivot_texture});
    work_launch(w, "sum_counts", (struct work_shape){.x = BUCKETS / SUM_THREADS}, (struct work_shape){.x = SUM_THREADS},
                0, (void *[]){&counts, &total, &blocks});
    work_read(w, s->count, total, sizeof s->count);
    lay_out_buckets(s);
    uint32_t first[BUCKETS];
    for (int i = 0; i < BUCKETS; i++)
        first[i] = 4 * (uint32_t)s->first_four[i];
    CUdeviceptr device_first = work_upload(w, first, sizeof first);
    work_launch(w, "fill_buckets", (struct work_shape){.x = (unsigned)blocks}, threads, 0,
                (void *[]){&s->device_list, &place, &s->buckets, &s->elements, &counts, &device_first});
}

static unsigned divide_up(unsigned a, unsigned b)
{
    return (a + b - 1) / b;
}

/* Merges until the longest bucket is one list; returns how many passes that took. From pass to pass a thread has twice
 * as much to merge. A pass with few threads has blocks small enough for LEAST_MERGE_BLOCKS of them. */
static unsigned sort_buckets(struct work *w, struct sort *s, float *sorted)
{
    unsigned passes = 0, largest = 0, threads_a_bucket;
    for (int i = 0; i < BUCKETS; i++)
        largest = 4 * divide_up(s->count[i], 4) > largest ? 4 * divide_up(s->count[i], 4) : largest;
    work_write(w, work_symbol(w, "first_four", sizeof s->first_four), s->first_four, sizeof s->first_four);
    work_write(w, work_symbol(w, "first_sorted", sizeof s->first_sorted), s->first_sorted, sizeof s->first_sorted);
    work_write(w, work_symbol(w, "padding", sizeof s->padding), s->padding, sizeof s->padding);

    int fours = s->first_four[BUCKETS];
    size_t bytes = (size_t)fours * 4 * sizeof(float);
    CUdeviceptr from = s->buckets, to = s->device_list;
    CUtexObject from_texture = work_texture(w, from, bytes, CU_AD_FORMAT_FLOAT, 4),
                to_texture = work_texture(w, to, bytes, CU_AD_FORMAT_FLOAT, 4);
    work_launch(w, "sort_fours", (struct work_shape){.x = divide_up((unsigned)fours, VECTOR_THREADS)},
                (struct work_shape){.x = VECTOR_THREADS}, 0, (void *[]){&to, &fours, &from_texture});
    int span = 2;
    do {
        CUdeviceptr swap = from;
        from = to;
        to = swap;
        CUtexObject swap_texture = from_texture;
        from_texture = to_texture;
        to_texture = swap_texture;
        threads_a_bucket = divide_up(largest, 4 * (unsigned)span);
        struct work_shape threads = {.x = MERGE_THREADS},
                          blocks = {.x = divide_up(threads_a_bucket * BUCKETS, MERGE_THREADS)};
        if (blocks.x < LEAST_MERGE_BLOCKS) {
            blocks.x = LEAST_MERGE_BLOCKS;
            threads.x = divide_up(threads_a_bucket * BUCKETS, LEAST_MERGE_BLOCKS);
        }
        work_launch(w, "merge_lists", blocks, threads, 0, (void *[]){&to, &span, &threads_a_bucket, &from_texture});
        span *= 2;
        passes++;
    } while (threads_a_bucket > 1);
    /* Smaller blocks where the largest bucket needs no more. */
    unsigned threads = largest < VECTOR_THREADS ? 32 * divide_up(largest, 32) : VECTOR_THREADS;
    work_launch(w, "pack", (struct work_shape){.x = divide_up(largest, threads), .y = BUCKETS},
                (struct work_shape){.x = threads}, 0, (void *[]){&to, &from});
    work_read(w, sorted, from, (size_t)s->elements * sizeof *sorted);
    return passes;
}

/* What the kernels counted. The bin of an element takes a subtraction, a division and a multiplication by a power of
 * two; all round as on the GPU. */
static void check_counts(struct work *w, const struct sort *s)
{
    uint32_t bins[BINS] = {0}, counts[BUCKETS] = {0};
    for (int i = 0; i < s->elements; i++) {
        float share = (s->list[i] - s->least) / (s->most - s->least);
        int bin = (int)(share * BINS), bucket = 0;
        bins[bin < BINS ? bin : BINS - 1]++;
        for (int jump = BUCKETS / 2; jump; jump /= 2) /* the number of pivots that are not above the element */
            if (bucket + jump < BUCKETS && s->pivot[bucket + jump - 1] <= s->list[i])
                bucket += jump;
        counts[bucket]++;
    }
    work_compare_u32(w, "bins of the histogram", s->histogram, bins, BINS);
    work_compare_u32(w, "sizes of buckets", s->count, counts, BUCKETS);
}

static int compare_bits(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    struct sort *s = work_buffer(w, 1, sizeof *s);
    s->elements = p->elements;
    make_list(w, s);
    make_histogram(w, p, s);
    choose_pivots(s);
    sort_into_buckets(w, s);
    size_t count = (size_t)s->elements;
    float *sorted = work_buffer(w, count, sizeof *sorted);
    unsigned passes = sort_buckets(w, s, sorted);
    check_counts(w, s);
    /* Floats that are not negative have the order of their bits. */
    uint32_t *got = work_buffer(w, count, sizeof *got), *want = work_buffer(w, count, sizeof *want);
    memcpy(got, sorted, count * sizeof *got);
    memcpy(want, s->list, count * sizeof *want);
    qsort(want, count, sizeof *want, compare_bits);
    work_compare_u32(w, "sorted elements", got, want, count);
    work_say(w, "%d elements in %d buckets, %u passes", s->elements, BUCKETS, passes);
}

const struct workload workload = {.name = "mgst", .run = run};
