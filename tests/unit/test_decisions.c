/* Metrics of decisions to compact warps or not, which claims of papers name (study/metric.c). */
#include "study/verdict.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* Two launches under tstbc: 2 and 4 meetings were compacted rightly, 20 and 22 rightly not (half of them without a
 * divergent warp), 3 in vain, and 9 should have been. */
static const char *const two_launches[] = {
    "{\"sm\":{\"branches\":30,\"divergent_branches\":3},\"l1d\":{\"accesses\":10,\"misses\":4},"
    "\"tstbc\":{\"stall_stall\":2,\"bypass_bypass\":10,\"uniform_meetings\":10,\"stall_bypass\":1,\"bypass_stall\":4,"
    "\"waits\":6,\"wait_cycles\":30}}",
    "{\"sm\":{\"branches\":10,\"divergent_branches\":5},\"l1d\":{\"accesses\":10,\"misses\":1},"
    "\"tstbc\":{\"stall_stall\":4,\"bypass_bypass\":11,\"uniform_meetings\":11,\"stall_bypass\":2,\"bypass_stall\":5,"
    "\"waits\":2,\"wait_cycles\":50}}"};

/* A launch in which no warp met another, read nothing through the data cache, and came to no branch. */
static const char *const no_meeting[] = {
    "{\"sm\":{\"branches\":0,\"divergent_branches\":0},\"l1d\":{\"accesses\":0,\"misses\":0},"
    "\"tstbc\":{\"stall_stall\":0,\"bypass_bypass\":0,\"uniform_meetings\":0,\"stall_bypass\":0,\"bypass_stall\":0,"
    "\"waits\":0,\"wait_cycles\":0}}",
    NULL};

/* scc compacts at every branch: it has no counter of branches that it bypasses wrongly. */
static const char *const every_branch[] = {
    "{\"scc\":{\"stall_stall\":3,\"bypass_bypass\":0,\"stall_bypass\":9},\"sm\":{\"branches\":12}}", NULL};

static const char *const without_decisions[] = {"{\"cycles\":5,\"pdom\":{\"max_depth\":2}}", NULL};

static double measure(const char *const lines[2], const char *metric)
{
    static const char ini[] =
        "[paper]\ntitle = A paper\ngpu = fermi\n[programs]\nLPS = ALL\n[runs]\nrun = --mech tstbc\n";
    char *error = NULL;
    struct paper *p = paper_read(
        &(struct paper_text){"test", NULL, NULL, ini, "id,kind,source,programs,claim,published,metric,runs,rule,why\n"},
        &error);
    if (!p)
        fail_msg("%s", error);
    struct trial trial = {0};
    trial_add_word(&trial, "x");
    for (int i = 0; i < 2 && lines[i]; i++)
        assert_true(measurement_add_line(&trial.measurement, lines[i], &error));
    double value = metric_of(&(struct evidence){p, &trial}, metric, 0, 0);
    trial_free(&trial);
    paper_free(p);
    return value;
}

static void shares_are_over_all_launches(void **state)
{
    (void)state;
    assert_float_equal(measure(two_launches, "accuracy"), 100 * 48.0 / 60, 1e-9);
    assert_float_equal(measure(two_launches, "accuracy-above-bypass"), 100 * (48.0 - 45) / 60, 1e-9);
    assert_float_equal(measure(two_launches, "bypass-share"), 100 * 51.0 / 60, 1e-9);
    assert_float_equal(measure(two_launches, "bypass-accuracy"), 100 * 42.0 / 45, 1e-9);
    assert_float_equal(measure(two_launches, "needless-compactions"), 3, 0);
    assert_float_equal(measure(two_launches, "needless-share"), 100 * 3.0 / 9, 1e-9);
    assert_float_equal(measure(two_launches, "meeting-wait"), 10, 1e-9);
    assert_float_equal(measure(two_launches, "divergence"), 20, 1e-9);
    assert_float_equal(measure(two_launches, "l1d-miss-rate"), 25, 1e-9);
}

static void without_a_meeting_no_decision_is_wrong(void **state)
{
    (void)state;
    assert_float_equal(measure(no_meeting, "accuracy"), 100, 0);
    assert_float_equal(measure(no_meeting, "accuracy-above-bypass"), 0, 0);
    assert_float_equal(measure(no_meeting, "bypass-share"), 100, 0);
    assert_float_equal(measure(no_meeting, "bypass-accuracy"), 100, 0);
    assert_float_equal(measure(no_meeting, "needless-compactions"), 0, 0);
    assert_true(isnan(measure(no_meeting, "needless-share")));
    assert_true(isnan(measure(no_meeting, "meeting-wait")));
    assert_float_equal(measure(no_meeting, "divergence"), 0, 0);
    assert_float_equal(measure(no_meeting, "l1d-miss-rate"), 0, 0);
}

static void a_mechanism_that_always_compacts_is_right_where_it_pays(void **state)
{
    (void)state;
    assert_float_equal(measure(every_branch, "accuracy"), 25, 1e-9);
    assert_float_equal(measure(every_branch, "needless-share"), 75, 1e-9);
    assert_float_equal(measure(every_branch, "bypass-share"), 0, 0);
}

static void a_run_without_the_counters_has_no_value(void **state)
{
    (void)state;
    static const char *const names[] = {
        "accuracy",       "accuracy-above-bypass", "bypass-share", "bypass-accuracy", "needless-compactions",
        "needless-share", "meeting-wait",          "divergence",   "l1d-miss-rate"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!isnan(measure(without_decisions, names[i])))
            fail_msg("%s has a value", names[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_over_all_launches),
        cmocka_unit_test(without_a_meeting_no_decision_is_wrong),
        cmocka_unit_test(a_mechanism_that_always_compacts_is_right_where_it_pays),
        cmocka_unit_test(a_run_without_the_counters_has_no_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
