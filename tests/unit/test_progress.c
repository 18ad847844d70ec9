/* The line of progress: figures a person can read, and a guess of the time left where there is one. */
#include "run/progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

static void expect(struct gpu_progress so_far, double seconds, const char *line)
{
    struct text out = {0};
    progress_line(&so_far, seconds, &out);
    assert_string_equal(out.data, line);
    text_free(&out);
}

static void test_line(void **state)
{
    (void)state;
    expect((struct gpu_progress){.cycle = 999, .warp_instructions = 1000, .blocks = 8}, 2,
           "999 cycles, 1.00K warp instructions (500 per second), 0 of 8 blocks, 2 s");
    expect((struct gpu_progress){.cycle = 12345678, .warp_instructions = 999600000, .blocks_done = 2, .blocks = 8}, 100,
           "12.3M cycles, 1.00G warp instructions (10.0M per second), 2 of 8 blocks, 2 min, about 5 min left");
    expect((struct gpu_progress){.cycle = 1, .warp_instructions = 1, .blocks_done = 8, .blocks = 8}, 7200,
           "1 cycles, 1 warp instructions (0 per second), 8 of 8 blocks, 2.0 h");
}

static void test_stop(void **state)
{
    (void)state;
    struct progress p;
    struct gpu_progress so_far = {.blocks = 1};
    volatile sig_atomic_t stop = 0;
    progress_start(&p, false, NULL);
    assert_true(progress_report(&p, &so_far));
    progress_start(&p, false, &stop);
    assert_true(progress_report(&p, &so_far));
    stop = 1;
    assert_false(progress_report(&p, &so_far));
    progress_end(&p);
}

/* Seconds of the host's clock. The line is first due a second after the start: 0.2 s after it counts as shown. */
static void test_clock(void **state)
{
    (void)state;
    struct progress p;
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    progress_start(&p, false, NULL);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert_true(p.start_seconds >= (double)before.tv_sec);
    assert_true(p.start_seconds < (double)after.tv_sec + 1);
    /* In a variable, since cmocka's macro would turn the first term alone into a float, which has no milliseconds left
     * on a machine that has been up for hours. */
    double patience = p.shown_seconds - p.start_seconds;
    assert_float_equal(patience, 0.8, 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_line), cmocka_unit_test(test_stop),
                                       cmocka_unit_test(test_clock)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
