/* Metrics of runs, each from the counters that it needs, and claims on hardware, which need no run. */
#include "study/verdict.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char ini[] = "[paper]\ntitle = A paper\ngpu = fermi\n[programs]\nLPS = DIVG\n[runs]\nbase = --mech pdom\n";

static struct paper *paper_of(const char *claims)
{
    struct text csv = {0};
    char *error = NULL;
    text_printf(&csv, "id,kind,source,programs,claim,published,metric,runs,rule,why\n%s", claims);
    struct paper *p = paper_read(&(struct paper_text){"test", NULL, NULL, ini, csv.data}, &error);
    if (!p)
        fail_msg("%s", error);
    text_free(&csv);
    return p;
}

/* The metric of a run of two launches that wrote these lines; NAN: it has none. */
static void expect(const char *metric, const char *first, const char *second, double wanted)
{
    struct paper *p = paper_of("");
    struct trial trial = {0};
    char *error = NULL;
    trial_add_word(&trial, "x");
    assert_true(measurement_add_line(&trial.measurement, first, &error));
    assert_true(measurement_add_line(&trial.measurement, second, &error));
    double value = metric_of(&(struct evidence){p, &trial}, metric, 0, 0);
    if (isnan(wanted) ? !isnan(value) : !(fabs(value - wanted) < 1e-9))
        fail_msg("%s of %s and %s is %g, not %g", metric, first, second, value, wanted);
    trial_free(&trial);
    paper_free(p);
}

/* Issues over rounds of all launches together. A warp of pdom has one path. */
static void test_average_path(void **state)
{
    (void)state;
    expect("avg-path", "{\"dpe\":{\"issues\":7,\"rounds\":5}}", "{\"dpe\":{\"issues\":8,\"rounds\":5}}", 1.5);
    expect("avg-path", "{\"dws\":{\"issues\":9,\"rounds\":2}}", "{\"dws\":{\"issues\":1,\"rounds\":1}}", 10.0 / 3);
    expect("avg-path", "{\"pdom\":{\"max_depth\":3}}", "{\"pdom\":{\"max_depth\":1}}", 1);
    expect("avg-path", "{\"dwf\":{\"merges\":3}}", "{\"dwf\":{\"merges\":1}}", NAN);
}

static void test_counts(void **state)
{
    (void)state;
    expect("idle-cycles", "{\"sm\":{\"W0_Mem\":3,\"W0_Idle\":4}}", "{\"sm\":{\"W0_Mem\":1,\"W0_Idle\":0}}", 8);
    expect("idle-cycles", "{\"sm\":{\"W0_Mem\":3}}", "{\"sm\":{\"W0_Mem\":3}}", NAN);
    expect("l1-misses", "{\"l1d\":{\"misses\":3}}", "{\"l1d\":{\"misses\":4}}", 7);
    expect("l2-misses", "{\"l2\":{\"misses\":3},\"l1d\":{\"misses\":9}}", "{\"l2\":{\"misses\":5}}", 8);
    expect("l2-misses", "{\"l1d\":{\"misses\":3}}", "{\"l1d\":{\"misses\":4}}", NAN);
}

static void expect_figures(const char *metric, const char *rule, enum verdict wanted, const char *measured)
{
    struct text claim = {0};
    struct judgement j;
    text_printf(&claim, "X,construction,s,-,t,p,%s,-,%s\n", metric, rule);
    struct paper *p = paper_of(claim.data);
    judge(&(struct evidence){p, NULL}, &p->claims[0], &j);
    if (j.verdict != wanted || strcmp(j.measured.data, measured))
        fail_msg("%s %s: %s, %s", metric, rule, verdict_names[j.verdict], j.measured.data);
    judgement_free(&j);
    paper_free(p);
    text_free(&claim);
}

/* A figure is as published if it has the published digits: 7.14 is 7 and 7.1, not 7.2 or 7.10. */
static void test_hardware(void **state)
{
    (void)state;
    expect_figures("storage:dpe.dual-path-entry", "value 160", VERDICT_HOLDS, "160");
    expect_figures("storage:dpe.dual-path-entry", "value 161", VERDICT_FAILS, "160");
    expect_figures("storage:dpe.dual-path-entry storage:dpe.shadow-bits-least", "value 160 7", VERDICT_HOLDS,
                   "160 7.143");
    expect_figures("storage:dpe.dual-path-entry storage:dpe.shadow-bits-least", "value 160 7.1", VERDICT_HOLDS,
                   "160 7.143");
    expect_figures("storage:dpe.dual-path-entry storage:dpe.shadow-bits-least", "value 160 7.2", VERDICT_FAILS,
                   "160 7.143");
    expect_figures("storage:dpe.shadow-bits-least", "value 7.10", VERDICT_FAILS, "7.143");
    expect_figures("storage:pdom.bits storage:pdom.added storage:dpe.scoreboards/pdom.scoreboards", "value 162432 0 2",
                   VERDICT_HOLDS, "162432 0 2");
    expect_figures("storage:pdom.bits storage:pdom.added storage:dpe.scoreboards/pdom.scoreboards", "value 162432 0 3",
                   VERDICT_FAILS, "162432 0 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_average_path),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_hardware),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
