/* Tallies (sample/tally.h): rates, gaps and variance of launches that are taken for alike. */
#include "sample/tally.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void measure(struct tally *t, double work, double cycles)
{
    tally_add(t, &(struct tally_launch){.work = work, .cycles = cycles, .is_timed = true, .is_measured = true}, NULL);
}

static void compute(struct tally *t, double work, const struct tally *alike)
{
    tally_add(t, &(struct tally_launch){.work = work}, alike);
}

static struct tally_sum sum_by(const struct tally *t, enum tally_unit unit)
{
    struct tally_spread s = {0};
    tally_spread_add(&s, t);
    return tally_open(t, t, &s, unit);
}

static void a_gap_takes_the_mean_of_its_ends(void **state)
{
    (void)state;
    struct tally t = {0};
    measure(&t, 100, 200);
    compute(&t, 100, NULL);
    compute(&t, 50, NULL);
    measure(&t, 100, 400);
    assert_true(fabs(sum_by(&t, TALLY_INSTRUCTIONS).cycles - 150 * 3) < 1e-9);
    assert_true(fabs(sum_by(&t, TALLY_LAUNCHES).cycles - 2 * 300) < 1e-9);
    compute(&t, 100, NULL); /* behind the last one the mean of the last four counts */
    assert_true(fabs(sum_by(&t, TALLY_INSTRUCTIONS).cycles - 150 * 3 - 300) < 1e-9);
}

/* Rates that grow steadily, as the first two launches in a row say: nothing is uncertain between them, and much behind
 * the last one. */
static void a_drift_is_uncertain_behind_the_last_rate_only(void **state)
{
    (void)state;
    struct tally t = {0};
    struct tally_spread s = {0};
    for (int i = 0; i < 12; i++) {
        for (int k = 0; i && k < (i - 1) % 3; k++)
            compute(&t, 100, NULL);
        measure(&t, 100, 1000 + 100 * t.launches);
    }
    tally_spread_add(&s, &t);
    assert_true(tally_between_squared(&s, TALLY_INSTRUCTIONS) < 1e-20);
    assert_true(tally_ahead_squared(&s, TALLY_INSTRUCTIONS) > 1e-3);
    double half = sum_by(&t, TALLY_INSTRUCTIONS).half_squared;
    assert_true(half < 1e-9);
    compute(&t, 100, NULL);
    assert_true(sum_by(&t, TALLY_INSTRUCTIONS).half_squared > 100);
    assert_true(tally_rate_ahead(&t, TALLY_INSTRUCTIONS) == t.by[TALLY_INSTRUCTIONS].last);
}

/* Rates that change without a trend: their mean counts for what follows, and both variances are theirs. */
static void noise_has_one_variance(void **state)
{
    (void)state;
    struct tally t = {0};
    struct tally_spread s = {0};
    static const double noise[] = {3, -5, 1, 4, -2, -4, 5, 0, -3, 2, 4, -5, 1, -1, 3, -3};
    for (int i = 0; i < 64; i++)
        measure(&t, 100, 1000 + noise[i * 7 % 16] * 10);
    tally_spread_add(&s, &t);
    double between = tally_between_squared(&s, TALLY_INSTRUCTIONS), ahead = tally_ahead_squared(&s, TALLY_INSTRUCTIONS);
    assert_true(between < 2 * ahead && ahead < 2 * between);
    assert_true(tally_rate_ahead(&t, TALLY_INSTRUCTIONS) == t.by[TALLY_INSTRUCTIONS].level);
    assert_true(t.by[TALLY_INSTRUCTIONS].level != t.by[TALLY_INSTRUCTIONS].last);
}

/* Cycles that go with the square root of the instructions. */
static void the_unit_is_the_one_whose_rates_vary_least(void **state)
{
    (void)state;
    struct tally t = {0};
    struct tally_spread s = {0};
    for (int i = 0; i < 10; i++) {
        double work = 1e6 / (1 + i * 3 % 10);
        measure(&t, work, 50 * sqrt(work));
        compute(&t, work / 2, NULL);
    }
    tally_spread_add(&s, &t);
    enum tally_unit unit = tally_unit_of(&t, &t, &s);
    struct tally_launch l = {.work = 256};
    assert_true(fabs(tally_work(&l, unit) - 16) < 1e-9);
    assert_true(tally_work(&l, TALLY_INSTRUCTIONS) == 256 && tally_work(&l, TALLY_LAUNCHES) == 1);
    assert_true(tally_open(&t, &t, &s, unit).half_squared < 1e-9);
}

/* Launches of which none was measured may stray from the rate together: their errors add up. */
static void launches_that_stray_together_are_less_certain(void **state)
{
    (void)state;
    struct tally apart = {0}, together = {0}, alike = {0};
    for (int i = 0; i < 6; i++) {
        measure(&apart, 100, 1000 + i % 2 * 100);
        measure(&together, 100, 1000 + i % 2 * 100);
    }
    for (int i = 0; i < 10; i++) {
        compute(&apart, 100, NULL);
        compute(&together, 100, &alike);
        compute(&alike, 100, NULL);
    }
    assert_true(fabs(apart.by[TALLY_INSTRUCTIONS].each_work_squared - 10 * 100 * 100) < 1e-6);
    assert_true(fabs(together.by[TALLY_INSTRUCTIONS].each_work_squared - 1000 * 1000) < 1e-6);
    assert_true(sum_by(&together, TALLY_INSTRUCTIONS).half_squared >
                1.5 * sum_by(&apart, TALLY_INSTRUCTIONS).half_squared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gap_takes_the_mean_of_its_ends),
        cmocka_unit_test(a_drift_is_uncertain_behind_the_last_rate_only),
        cmocka_unit_test(noise_has_one_variance),
        cmocka_unit_test(the_unit_is_the_one_whose_rates_vary_least),
        cmocka_unit_test(launches_that_stray_together_are_less_certain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
