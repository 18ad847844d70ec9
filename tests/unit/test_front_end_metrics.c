/* Metrics of the front end and of the L1, from the counters of a run's launches. */
#include "study/verdict.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static const char ini[] = "[paper]\ntitle = A paper\ngpu = vws\n[programs]\nLPS = all\n[runs]\nbase = --mech vws\n";
static const char csv[] = "id,kind,source,programs,claim,published,metric,runs,rule,why\n";

/* The metric of a run whose two launches both wrote this line; NAN: it has none. */
static void expect(const char *metric, const char *line, double wanted)
{
    char *error = NULL;
    struct paper *p = paper_read(&(struct paper_text){"test", NULL, NULL, ini, csv}, &error);
    struct trial trial = {0};
    assert_non_null(p);
    trial_add_word(&trial, "x");
    for (int i = 0; i < 2; i++)
        assert_true(measurement_add_line(&trial.measurement, line, &error));
    double value = metric_of(&(struct evidence){p, &trial}, metric, 0, 0);
    if (isnan(wanted) ? !isnan(value) : !(fabs(value - wanted) < 1e-9))
        fail_msg("%s of %s is %g, not %g", metric, line, value, wanted);
    trial_free(&trial);
    paper_free(p);
}

static void test_rates(void **state)
{
    (void)state;
    expect("fetch-rate", "{\"sm\":{\"fetches\":30,\"cycles\":20}}", 1.5);
    expect("issues", "{\"sm\":{\"warp_instructions\":6,\"issue_slots\":128},\"peak\":{\"warp_width\":32}}", 1.5);
}

static void test_front_end_energy(void **state)
{
    (void)state;
    expect("front-end-energy",
           "{\"sm\":{\"thread_instructions\":4},\"energy\":{\"l0\":1,\"l1\":2,\"l2\":3,\"decode\":4,\"slices\":5,"
           "\"picks\":5,\"registers\":100,\"lanes\":100}}",
           5);
    /* fetch is ideal */
    expect("front-end-energy", "{\"sm\":{\"thread_instructions\":4},\"energy\":{\"decode\":0,\"lanes\":100}}", NAN);
    expect("front-end-energy", "{\"sm\":{\"thread_instructions\":4}}", NAN); /* another version of heddle */
}

static void test_l1(void **state)
{
    (void)state;
    static const char line[] = "{\"sm\":{\"thread_instructions\":2000},\"l1d\":{\"accesses\":100,\"hits\":60,"
                               "\"misses\":40,\"merges\":10}}";
    expect("l1-accesses-pki", line, 50);
    expect("l1-hits-pki", line, 30);
    expect("l1-misses-pki", line, 15);
    expect("l1-merges-pki", line, 5);
    expect("l1-merges-pki", "{\"sm\":{\"thread_instructions\":2000}}", NAN);
}

/* Slice warps of whole gangs, of eight, have not split. */
static void test_split_size(void **state)
{
    (void)state;
    expect("split-size", "{\"vws\":{\"in_1\":5,\"in_2\":4,\"in_4\":6,\"in_8\":100}}", 4);
    expect("split-size", "{\"vws\":{\"in_1\":7,\"in_4\":6,\"in_7\":6,\"in_8\":100}}", 1);
    expect("split-size", "{\"vws\":{\"in_1\":0,\"in_8\":100}}", NAN);
    expect("split-size", "{\"ws\":{\"in_1\":100}}", NAN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_front_end_energy),
        cmocka_unit_test(test_l1),
        cmocka_unit_test(test_split_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
