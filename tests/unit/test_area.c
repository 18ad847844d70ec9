/* Figures of hardware by name, by which claims of papers on storage are judged. */
#include "study/area.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *name, double value, double tolerance)
{
    struct text why = {0};
    double figure = area_figure(name, &why);
    if (!(fabs(figure - value) <= tolerance))
        fail_msg("%s is %g, not %g; %s", name, figure, value, why.data ? why.data : "");
    assert_null(why.data);
}

static void expect_none(const char *name, const char *message)
{
    struct text why = {0};
    assert_true(isnan(area_figure(name, &why)));
    if (!why.data || !strstr(why.data, message))
        fail_msg("%s: '%s' is not in '%s'", name, message, why.data ? why.data : "");
    text_free(&why);
}

/* Storage counts in bits, logic in units, figures of the paper in their own unit. */
static void test_terms(void **state)
{
    (void)state;
    expect("dpe.dual-path-entry", 160, 0);
    expect("dpe.single-path-entry", 96, 0);
    expect("dpe.shadow-bits-most", 100.0 / 7, 1e-9);
    expect("dpe.shadow-bits-least", 100.0 / 14, 1e-9);
    expect("dpe.shadow-bits", 768, 0);
    expect("tstbc.wcnt-per-multiprocessor", 128, 0);
    expect("tstbc.lane-counter", 32, 0);
}

static void test_sums(void **state)
{
    (void)state;
    expect("pdom.bits", 162432, 0);
    expect("pdom.added", 0, 0);
    expect("dpe.bits", 192000, 0);
    expect("dpe.added", 29568, 0);
    expect("dpe.bits/pdom.bits", 192000.0 / 162432, 1e-9);
    expect("dpe.scoreboards/pdom.scoreboards", 2, 0);
}

/* vws is estimated on the machine of its paper. */
static void test_slices(void **state)
{
    (void)state;
    expect("vws.sm_percent.4", 10.77, 0.005);
    expect("vws.sm_percent.8", 5.80, 0.005);
    expect("vws.gpu_percent.4", 4.886, 0.0005);
    expect_none("vws.sm_percent.3", "no figure 'sm_percent.3'");
    expect_none("dpe.sm_percent.4", "no figure");
}

static void test_mistakes(void **state)
{
    (void)state;
    expect_none("nothing.bits", "'nothing.bits' is not MECHANISM.FIGURE");
    expect_none("dpe", "'dpe' is not MECHANISM.FIGURE");
    expect_none("dpe.", "'dpe.' is not MECHANISM.FIGURE");
    expect_none("dpe.nothing", "the hardware of dpe has no figure 'nothing'; see heddle list area --mech dpe");
    expect_none("dpe.bits/pdom.nothing", "the hardware of pdom has no figure 'nothing'");
    expect_none("dpe.bits/pdom", "'pdom' is not MECHANISM.FIGURE");
    expect_none("mimd.bits", "the hardware of mimd has no figure 'bits'"); /* mimd is ideal and has no cost */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terms),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
