/* The STREAM benchmark; verified against what its rounds amount to: a round makes a 15 times as large. */
#include "work.h"

enum { THREADS = 256, ELEMENTS_A_THREAD = 8 };

struct problem {
    uint32_t count;
    int rounds;
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.count = 10007, .rounds = 2},
    [WORK_SMALL] = {.count = 1 << 19, .rounds = 1},
    [WORK_PAPER] = {.count = 1 << 21, .rounds = 2},
};

/* Elements are integers below 2^8. After two rounds they are below 2^16, so no sum and no product is rounded. */
enum { ELEMENTS_BELOW = 256 };
static const float factor = 3;

static void run_rounds(struct work *w, const struct problem *p, float *a, float *b, float *c)
{
    size_t bytes = p->count * sizeof *a;
    uint32_t count = p->count, elements_a_block = THREADS * ELEMENTS_A_THREAD;
    float times = factor;
    CUdeviceptr at_a = work_upload(w, a, bytes), at_b = work_alloc(w, bytes), at_c = work_alloc(w, bytes);
    struct work_shape grid = {.x = (count + elements_a_block - 1) / elements_a_block}, block = {.x = THREADS};
    for (int round = 0; round < p->rounds; round++) {
        work_launch(w, "copy", grid, block, 0, (void *[]){&at_a, &at_c, &count});
        work_launch(w, "scale", grid, block, 0, (void *[]){&at_b, &at_c, &times, &count});
        work_launch(w, "add", grid, block, 0, (void *[]){&at_a, &at_b, &at_c, &count});
        work_launch(w, "triad", grid, block, 0, (void *[]){&at_a, &at_b, &at_c, &times, &count});
    }
    work_read(w, a, at_a, bytes);
    work_read(w, b, at_b, bytes);
    work_read(w, c, at_c, bytes);
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    float *a = work_buffer(w, p->count, sizeof *a), *b = work_buffer(w, p->count, sizeof *b),
          *c = work_buffer(w, p->count, sizeof *c), *want_a = work_buffer(w, p->count, sizeof *want_a),
          *want_b = work_buffer(w, p->count, sizeof *want_b), *want_c = work_buffer(w, p->count, sizeof *want_c);
    uint32_t power = 1; /* what a is multiplied by before the last round */
    for (int round = 1; round < p->rounds; round++)
        power *= 15;
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t element = work_random_below(w, ELEMENTS_BELOW);
        a[i] = (float)element;
        want_a[i] = (float)(element * power * 15);
        want_b[i] = (float)(element * power * 3);
        want_c[i] = (float)(element * power * 4);
    }
    run_rounds(w, p, a, b, c);
    work_compare_f32(w, "elements of a", a, want_a, p->count, 0, 0);
    work_compare_f32(w, "elements of b", b, want_b, p->count, 0, 0);
    work_compare_f32(w, "elements of c", c, want_c, p->count, 0, 0);
    work_say(w, "%u elements, %d rounds", p->count, p->rounds);
}

const struct workload workload = {.name = "stream", .run = run};
