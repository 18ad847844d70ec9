/* Whether host threads are faster together (gpu/pace.h). */
#include "gpu/pace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Lets threads run windows of a trial until it is over. `together`: what a window takes if they run it together. */
static double run_trials(struct pace *p, struct pace_window together, struct pace_window alone)
{
    double now = 0;
    while (pace_is_trial(p)) {
        const struct pace_window *w = pace_is_together(p) ? &together : &alone;
        now += w->seconds;
        pace_note(p, w, now);
    }
    return now;
}

static void the_faster_way_is_kept(void **state)
{
    (void)state;
    struct pace p = {0};
    run_trials(&p, (struct pace_window){15, 10e-6, 20e-6}, (struct pace_window){15, 15e-6, 0});
    assert_true(pace_is_together(&p));
    p = (struct pace){0};
    run_trials(&p, (struct pace_window){15, 20e-6, 20e-6}, (struct pace_window){15, 15e-6, 0});
    assert_false(pace_is_together(&p));
    /* time per turn counts, since windows differ in their turns */
    p = (struct pace){0};
    run_trials(&p, (struct pace_window){15, 20e-6, 20e-6}, (struct pace_window){5, 15e-6, 0});
    assert_true(pace_is_together(&p));
}

static void long_windows_of_work_are_not_tried_alone(void **state)
{
    (void)state;
    struct pace p = {0};
    const struct pace_window w = {15, 400e-6, 4e-3};
    pace_note(&p, &w, 1); /* the first window says nothing */
    assert_true(pace_is_trial(&p));
    pace_note(&p, &w, 1);
    assert_false(pace_is_trial(&p));
    assert_true(pace_is_together(&p));
}

/* On a host with fewer cores than threads, a window takes milliseconds that is done alone in microseconds. */
static void long_windows_of_waiting_are(void **state)
{
    (void)state;
    struct pace p = {0};
    double now = run_trials(&p, (struct pace_window){15, 4e-3, 20e-6}, (struct pace_window){15, 16e-6, 0});
    assert_false(pace_is_together(&p));
    assert_true(now < 0.03); /* a few such windows are enough */
}

static void both_ways_are_tried_again(void **state)
{
    (void)state;
    struct pace p = {0};
    double now = run_trials(&p, (struct pace_window){15, 20e-6, 20e-6}, (struct pace_window){15, 15e-6, 0});
    int windows = 0;
    while (!pace_count(&p, 0)) /* the host's time is not asked for behind every window */
        windows++;
    assert_true(windows > 10);
    assert_true(pace_count(&p, 1000000)); /* but behind long ones */
    pace_look(&p, now + 0.01);
    assert_false(pace_is_trial(&p));
    pace_look(&p, now + 1);
    assert_true(pace_is_trial(&p));
    assert_true(pace_is_together(&p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_faster_way_is_kept),
        cmocka_unit_test(long_windows_of_work_are_not_tried_alone),
        cmocka_unit_test(long_windows_of_waiting_are),
        cmocka_unit_test(both_ways_are_tried_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
