/* What the tests of mechanisms on compaction frames share: knobs on the bench, masks in words, random graphs.
 */
#ifndef HEDDLE_TESTS_DIV_FRAMES_H
#define HEDDLE_TESTS_DIV_FRAMES_H

#include "div/table.h"
#include "div_bench.h"
#include "div_random.h"

enum { FRAME_WALKERS = 96 + 40, FRAME_KNOB_WORDS = 16 }; /* two blocks: 75 threads in three rows, and 40 */

static uint64_t frames_knobs[FRAME_KNOB_WORDS];

/* Readies a run of four-thread or wider warps under a mechanism with knobs as "n=2 threshold=2". */
static void frames_begin(struct bench *b, const char *mechanism, const char *settings, int width)
{
    const struct div_ops *ops = div_find(mechanism);
    char copy[256], *error = NULL;
    assert_non_null(ops);
    knob_defaults(ops->knobs, frames_knobs);
    snprintf(copy, sizeof copy, "%s", settings);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');
        *value++ = 0;
        assert_true(knob_set(ops->knobs, frames_knobs, word, value, &error));
    }
    b->knobs = frames_knobs;
    bench_begin_with(b, ops, width);
}

#define FRAMES_IF_ELSE HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "bra D;\nC:" WORK "\nD:" WORK "ret;")

/* All four static warps at a label. */
#define STATIC(label)                                                                                  \
    label " 1111.0000.0000.0000, " label " 0000.1111.0000.0000, " label " 0000.0000.1111.0000, " label \
          " 0000.0000.0000.1111"

/* Thread t of the first 16 takes the branch if the t-th mark, blanks left out, is 1. */
static inline int frames_by_mask(struct bench *b, int thread, int32_t pc, int ways)
{
    (void)pc;
    const char *mark = b->script;
    for (int left = thread % 16; *mark == ' ' || left; mark++)
        left -= *mark != ' ';
    return *mark == '1' ? 0 : ways - 1;
}

/* Each issue at a label with its threads, of 16, as four warps of four: "C 1100.0010.0000.0000". */
static struct text frames_seen;

static inline void frames_watch(struct bench *b, const char *label, struct strand *s)
{
    (void)b;
    text_printf(&frames_seen, "%s%s ", frames_seen.length ? ", " : "", label);
    for (int i = 0; i < 16; i++)
        text_printf(&frames_seen, "%s%d", i && i % 4 == 0 ? "." : "", (int)(threads_of_row(&s->threads, 0) >> i & 1));
}

/* Four warps of four threads run an if-else; the bench stays open, for its counters. */
static inline void frames_play(struct bench *b, const char *mechanism, const char *settings, const char *taken,
                               const char *expected)
{
    bench_open(b, FRAMES_IF_ELSE, frames_by_mask, taken);
    b->watch = frames_watch;
    frames_begin(b, mechanism, settings, 4);
    text_free(&frames_seen);
    bench_launch(b, 0, 16);
    bench_run(b);
    assert_string_equal(frames_seen.data, expected);
    text_free(&frames_seen);
}

static void frames_walk(struct bench *b, int width, const uint64_t *path, const int *steps)
{
    bench_launch(b, 0, 75);
    bench_launch(b, 1, 40);
    bench_run(b);
    compare_paths(b, path, steps, 0, 75);
    compare_paths(b, path, steps, 96, FRAME_WALKERS);
    int total = 0;
    for (int i = 0; i < FRAME_WALKERS; i++)
        total += i < 75 || i >= 96 ? steps[i] : 0;
    assert_in_range(b->issues, (total + width - 1) / width, total);
    bench_end(b);
}

static void frames_on_random_graphs(const char *mechanism, const char *settings, int rounds)
{
    static const int widths[] = {1, 4, 32, 64, 8};
    static struct bench b;
    uint64_t path[FRAME_WALKERS];
    int steps[FRAME_WALKERS];
    for (uint64_t seed = 1; seed <= (uint64_t)rounds; seed++) {
        struct random r = {seed};
        char *text = random_module(&r, seed % 2);
        bench_open(&b, text, random_choice, &seed);
        walk_alone(&b, path, steps, FRAME_WALKERS);
        b.latency = seed % 4 ? 6 : 0;
        frames_begin(&b, mechanism, settings, widths[seed % 5]);
        frames_walk(&b, widths[seed % 5], path, steps);
        bench_close(&b);
        free(text);
    }
}

#endif
