/*
 * The rules of sampling one by one, with numbers that a reader can check by hand: what a sum of launches adds to the
 * interval (sample/tally.h, sample/family.h), which launches are warm and which are timed again (sample/program.h), how
 * many samples a launch gets (sample/waves.h), and what tells launches apart (sample/signature.h, sample/groups.h).
 */
#include "gpu/gpu.h"
#include "sample/family.h"
#include "sample/program.h"
#include "sample/waves.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void assert_near(double found, double expected)
{
    if (fabs(found - expected) > 1e-9 * fabs(expected))
        fail_msg("%g instead of %g", found, expected);
}

/* ---- sums ---- */

static struct tally_launch measured(double work, double cycles)
{
    return (struct tally_launch){.work = work, .cycles = cycles, .is_timed = true, .is_measured = true};
}

static const struct tally_launch computed = {.work = 100};

static void launches_that_were_sampled_within_bring_their_errors(void **state)
{
    (void)state;
    struct tally t = {0};
    struct tally_spread none = {0};
    struct tally_launch l = measured(100, 1000);
    l.half = 70;
    l.sampling_half = 50;
    tally_add(&t, &l, NULL);
    assert_near(t.timed_half_squared, 2500);
    assert_near(t.timed_allowance, 20);
    tally_add(&t, &computed, NULL); /* it takes the same rate, with the same relative error */
    struct tally_sum sum = tally_open(&t, &t, &none, TALLY_INSTRUCTIONS);
    assert_near(sum.cycles, 1000);
    assert_near(sum.half_squared, 2500);
}

static void launches_before_the_first_measured_one_count_with_its_error(void **state)
{
    (void)state;
    struct tally t = {0};
    struct tally_spread s = {.steps = 20};
    s.steps_squared[TALLY_INSTRUCTIONS] = 40 * 0.0001; /* the variance of a rate is 0.01 squared */
    tally_add(&t, &computed, NULL);
    struct tally_launch l = measured(100, 1000);
    tally_add(&t, &l, NULL);
    double rate_squared = sample_student(20) * sample_student(20) * 0.0001;
    assert_near(tally_ahead_squared(&s, TALLY_INSTRUCTIONS), rate_squared);
    struct tally_sum sum = tally_open(&t, &t, &s, TALLY_INSTRUCTIONS);
    /* The rate is wrong, and the launch strays from it. */
    assert_near(sum.half_squared, 2 * rate_squared * 1000 * 1000);
}

static void neighbouring_bends_say_half_as_much(void **state)
{
    (void)state;
    struct tally_spread s = {.steps = 9, .bends = 8};
    s.bends_squared[TALLY_INSTRUCTIONS] = 8 * 0.01;
    assert_near(tally_between_squared(&s, TALLY_INSTRUCTIONS), sample_student(4) * sample_student(4) * 0.01);
}

static void the_rate_ahead_is_a_mean_unless_rates_drift(void **state)
{
    (void)state;
    struct tally noise = {0}, drift = {0};
    for (int i = 0; i < 8; i++) {
        struct tally_launch a = measured(100, i % 2 ? 1100 : 1000), b = measured(100, 1000 + 100 * i);
        tally_add(&noise, &a, NULL);
        tally_add(&drift, &b, NULL);
    }
    double rate = tally_rate_ahead(&noise, TALLY_INSTRUCTIONS);
    assert_true(rate > 10.3 && rate < 10.8);
    assert_near(tally_rate_ahead(&drift, TALLY_INSTRUCTIONS), 17);
}

/* Adds ten launches that were only computed, between one of rate 10 and one of rate 20. */
static struct tally_sum sum_of_a_change(struct tally t, const struct tally_spread *s)
{
    struct tally_launch before = measured(100, 1000), behind = measured(100, 2000);
    tally_add(&t, &before, NULL);
    for (int i = 0; i < 10; i++)
        tally_add(&t, &computed, NULL);
    tally_add(&t, &behind, NULL);
    return tally_open(&t, &t, s, TALLY_INSTRUCTIONS);
}

/* Between two measured launches the rate may have changed anywhere, so that the error of their mean is spread evenly. */
static void a_change_within_a_gap_widens_the_interval(void **state)
{
    (void)state;
    struct tally_sum sum = sum_of_a_change((struct tally){0}, &(struct tally_spread){0});
    assert_near(sum.cycles, 1000 * 15);
    assert_near(sum.half_squared, 0.475 * 0.475 * 1000 * 1000 * 10 * 10);
}

/* From one launch to the next the rate grew by 1; over eleven times that distance it grows by 10. */
static void a_short_step_foresees_no_change_over_a_long_gap(void **state)
{
    (void)state;
    struct tally t = {0};
    struct tally_launch first = measured(100, 900);
    tally_add(&t, &first, NULL);
    struct tally_sum sum = sum_of_a_change(t, &(struct tally_spread){0});
    assert_near(sum.half_squared, 0.475 * 0.475 * 1000 * 1000 * 10 * 10);
}

/* With a variance of a quarter of the mean rate's square, noise makes changes of 0.7 times the mean on average. */
static void a_change_that_noise_makes_does_not_count_twice(void **state)
{
    (void)state;
    struct tally_spread s = {.steps = 9, .bends = 8};
    s.bends_squared[TALLY_INSTRUCTIONS] = 8 * 0.25;
    double between = tally_between_squared(&s, TALLY_INSTRUCTIONS);
    assert_near(sum_of_a_change((struct tally){0}, &s).half_squared,
                15 * 15 * between * (2 * 500 * 500 + 10 * 100 * 100));
}

/* Behind the last measured launch the mean of four rates counts, which may lag behind. */
static void rates_that_lag_widen_the_interval(void **state)
{
    (void)state;
    struct tally t = {0};
    struct tally_spread none = {0};
    for (int i = 0; i < 4; i++) {
        struct tally_launch l = measured(100, i < 3 ? 1000 : 2000);
        tally_add(&t, &l, NULL);
    }
    tally_add(&t, &computed, NULL);
    struct tally_sum sum = tally_open(&t, &t, &none, TALLY_INSTRUCTIONS);
    assert_near(sum.cycles, 100 * 12.5);
    assert_near(sum.half_squared, 100 * 100 * 7.5 * 7.5);
}

/* ---- families ---- */

static struct signature at(double x)
{
    struct signature s = {{x}};
    return s;
}

static void add_member(struct family *f, double x, int kind, double cycles)
{
    struct member m = {.signature = at(x), .kind = kind, .launch = cycles > 0 ? measured(100, cycles) : computed};
    family_add(f, &m);
}

static void a_launch_has_the_error_of_its_rate_and_its_own(void **state)
{
    (void)state;
    struct family f = {0};
    struct sample_estimate e;
    add_member(&f, 0, 0, 1000);
    add_member(&f, 0, 0, 1100);
    add_member(&f, 0, 0, 1000);
    add_member(&f, 0, 0, 0);
    family_last(&f, &e);
    double step = 2.0 / 21, variance = 2 * step * step / 4;
    assert_near(e.cycles, 3100 / 3.0);
    assert_near(e.sampling_half, sqrt(2 * variance) * sample_student(2) * e.cycles);
    assert_near(e.half_cycles, e.sampling_half + 0.01 * e.cycles);
    family_close(&f);
}

/* Half the interval of a launch of kind 0, behind measured launches of kind 0 that were all alike and of kind 1 that
 * were not. */
static double half_behind(int of_kind_0, int of_kind_1)
{
    struct family f = {0};
    struct sample_estimate e;
    for (int i = 0; i < of_kind_0; i++)
        add_member(&f, 0, 0, 1000);
    for (int i = 0; i < of_kind_1; i++)
        add_member(&f, 0, 1, i % 2 ? 1200 : 900);
    add_member(&f, 0, 0, 0);
    family_last(&f, &e);
    family_close(&f);
    return e.sampling_half;
}

static void few_launches_of_a_kind_have_the_variance_of_all(void **state)
{
    (void)state;
    assert_true(half_behind(3, 4) > 100); /* of all kinds */
    assert_true(half_behind(2, 1) > 100); /* no kind has three: of all launches of the group */
    assert_true(half_behind(6, 4) < 1e-9);
}

/* Adds four measured launches behind a kernel. */
static void add_four_behind(struct family *f, int before, double cycles)
{
    for (int i = 0; i < 4; i++) {
        struct member m = {.signature = at(0), .before = before, .launch = measured(100, cycles + i % 2)};
        family_add(f, &m);
    }
}

static void the_kernel_before_counts_when_it_has_come_back(void **state)
{
    (void)state;
    struct family f = {0};
    add_four_behind(&f, 0, 1000);
    assert_false(f.is_doubtful);
    add_member(&f, 0, 0, 0);
    add_four_behind(&f, 1, 2000);
    assert_int_equal(f.chosen, PLAIN); /* it may be that launches take longer from now on */
    assert_true(f.is_doubtful);
    add_four_behind(&f, 0, 1000);
    assert_int_equal(f.chosen, BY_BEFORE);
    assert_false(f.is_doubtful);
    family_close(&f);
}

/* Then no sum has an interval, but the next launches need not be timed for one. */
static void the_kernel_before_counts_while_all_launches_are_timed(void **state)
{
    (void)state;
    struct family f = {0};
    add_four_behind(&f, 0, 1000);
    add_four_behind(&f, 1, 2000);
    assert_int_equal(f.chosen, PLAIN);
    assert_true(f.is_doubtful);
    assert_true(family_spread(&f) > 0.1);
    add_four_behind(&f, 0, 1000);
    assert_int_equal(f.chosen, BY_BEFORE);
    assert_true(family_spread(&f) < 0.0001);
    family_close(&f);
}

static void a_kernel_before_that_says_nothing_does_not_count_while_all_are_timed(void **state)
{
    (void)state;
    struct family f = {0};
    for (int i = 0; i < 4; i++)
        add_four_behind(&f, i % 2, 1000);
    assert_int_equal(f.chosen, PLAIN);
    assert_false(f.is_doubtful);
    family_close(&f);
}

/* Most families come behind one kernel only. */
static void launches_are_sorted_by_the_kernel_before_once_there_are_two(void **state)
{
    (void)state;
    struct family f = {0};
    add_four_behind(&f, 2, 1000);
    assert_null(f.sorted[BY_BEFORE].cells);
    struct member m = {.before = 1, .launch = computed};
    family_add(&f, &m);
    assert_int_equal(f.sorted[BY_BEFORE].rest[2].measured, 4);
    add_four_behind(&f, 1, 1000);
    add_four_behind(&f, 2, 1000);
    assert_int_equal(f.sorted[BY_BEFORE].count, 2);
    assert_int_equal(f.sorted[BY_BEFORE].rest[1].measured, 4);
    assert_int_equal(f.sorted[BY_BEFORE].rest[2].measured, 8);
    assert_int_equal(f.sorted[PLAIN].count, 1);
    family_close(&f);
}

static void kernels_before_that_do_not_come_back_do_not_count(void **state)
{
    (void)state;
    struct family f = {0};
    for (int i = 0; i < 3; i++) {
        add_four_behind(&f, i, 1000 * (i + 1));
        add_member(&f, 0, 0, 0);
    }
    assert_int_equal(f.chosen, PLAIN);
    assert_true(f.is_doubtful);
    family_close(&f);
}

/* Two groups in turn, behind one kernel and then behind another: each of them has changed once. */
static void changes_of_two_groups_are_no_return(void **state)
{
    (void)state;
    struct family f = {0};
    for (int before = 0; before < 2; before++)
        for (int i = 0; i < 10; i++) {
            bool is_measured = i < 8;
            struct member m = {.signature = at(i % 2 * 5), .before = before};
            m.launch = is_measured ? measured(100, 1000 * (before + 1) + i / 2 % 2) : computed;
            family_add(&f, &m);
        }
    assert_int_equal(f.groups.count, 2);
    assert_int_equal(f.chosen, PLAIN);
    assert_true(f.is_doubtful);
    family_close(&f);
}

/* How launches are told apart that take so much longer behind one kernel than behind another, and vary by a tenth. */
static enum sorting chosen_where_it_takes(double longer, bool are_all_timed)
{
    struct family f = {0};
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 4; k++) {
            struct member m = {.before = i % 2, .launch = measured(100, 1000 + i % 2 * longer + k % 2 * 100)};
            family_add(&f, &m);
        }
        struct member m = {.before = i % 2, .launch = computed};
        if (!are_all_timed)
            family_add(&f, &m);
    }
    enum sorting chosen = f.chosen;
    family_close(&f);
    return chosen;
}

static void the_kernel_before_counts_when_the_interval_is_a_tenth_narrower(void **state)
{
    (void)state;
    assert_int_equal(chosen_where_it_takes(340, false), PLAIN);     /* 0.93 of the interval */
    assert_int_equal(chosen_where_it_takes(380, false), BY_BEFORE); /* 0.88 */
    assert_int_equal(chosen_where_it_takes(120, true), PLAIN);      /* 0.91 of that of a launch */
    assert_int_equal(chosen_where_it_takes(130, true), BY_BEFORE);  /* 0.90 */
}

static void a_kernel_before_that_says_nothing_does_not_count(void **state)
{
    (void)state;
    struct family f = {0};
    add_member(&f, 0, 0, 0);
    for (int i = 0; i < 4; i++)
        add_four_behind(&f, i % 2, 1000);
    assert_int_equal(f.chosen, PLAIN);
    assert_false(f.is_doubtful);
    family_close(&f);
}

/* Half the interval, squared, of twelve launches of so many groups and kinds that are unlike all that were measured. */
static double half_squared_of_strangers(int groups, int kinds)
{
    struct family f = {0};
    for (int i = 0; i < 6; i++)
        add_member(&f, 0, 0, 1000 + i % 2 * 100);
    for (int i = 0; i < 12; i++)
        add_member(&f, 5 * (1 + i % groups), 1 + i % kinds, 0);
    double half_squared = f.part.half_squared;
    assert_int_equal(f.groups.count, 1 + groups);
    family_close(&f);
    return half_squared;
}

/* Its next launch may be of any group, and need not be of the last one's. */
static void a_new_kind_may_be_of_any_group(void **state)
{
    (void)state;
    struct family f = {0};
    for (int i = 0; i < 12; i++)
        add_member(&f, i % 2 * 5, i, i % 2 ? 1000 + i % 4 * 100 : 1000);
    for (int i = 0; i < 4; i++)
        add_member(&f, 0, 12 + i, 0);
    add_member(&f, 5, 16, 0);
    add_member(&f, 0, 17, 0);
    struct kind *kind = family_kind(&f, 123);
    kind->number = 18;
    assert_near(family_half_squared(&f, kind), f.part.half_squared);
    assert_near(family_half_squared(&f, NULL), f.part.half_squared);
    family_close(&f);
}

static void strangers_of_one_group_stray_together(void **state)
{
    (void)state;
    assert_true(half_squared_of_strangers(1, 1) > 1.3 * half_squared_of_strangers(3, 3));
    assert_near(half_squared_of_strangers(1, 12), half_squared_of_strangers(1, 1));
}

static void what_one_launch_of_a_group_took_is_not_known(void **state)
{
    (void)state;
    struct family f = {0};
    add_member(&f, 0, 0, 1000);
    add_member(&f, 0, 1, 0);
    assert_false(family_knows_last(&f)); /* of another kind, and one launch says nothing of its group */
    add_member(&f, 0, 0, 0);
    assert_true(family_knows_last(&f)); /* of the same kind */
    add_member(&f, 0, 0, 1000);
    add_member(&f, 0, 1, 0);
    assert_true(family_knows_last(&f));
    family_close(&f);
}

static void a_launch_unlike_all_groups_is_not_known(void **state)
{
    (void)state;
    struct family f = {0};
    for (int i = 0; i < 32; i++) /* groups were found anew with the last of these, and are not with the next two */
        add_member(&f, 0, 0, 1000);
    add_member(&f, 0, 1, 0);
    assert_true(family_knows_last(&f));
    add_member(&f, 5, 1, 0);
    assert_false(family_knows_last(&f));
    family_close(&f);
}

static void a_point_is_outside_at_three_times_the_radius(void **state)
{
    (void)state;
    const struct groups g = {.count = 1, .radius = {0.1}}, narrow = {.count = 1};
    const struct signature inside = at(0.29), outside = at(0.31), close = at(0.029), off = at(0.031);
    assert_false(groups_is_outside(&g, 0, &inside));
    assert_true(groups_is_outside(&g, 0, &outside));
    assert_false(groups_is_outside(&narrow, 0, &close));
    assert_true(groups_is_outside(&narrow, 0, &off));
}

static void signatures_tell_sizes_apart(void **state)
{
    (void)state;
    const struct program none = {0};
    struct signature s;
    signature_of(&none, NULL, 1024, 8, &s);
    assert_near(s.at[SIGNATURE_DIMENSIONS - 2], 1);
    assert_near(s.at[SIGNATURE_DIMENSIONS - 1], 0.3);
}

/* ---- programs ---- */

static struct sample_key key_of(uint64_t program)
{
    struct sample_key key;
    memset(&key, 0, sizeof key);
    key.program = program;
    return key;
}

/* A launch of the kernel, of so much work, which takes these cycles if it is timed, and brings so much of the L2 if it
 * leaves its lines there. Returns what became of it. */
static enum sample_choice choose_of_work(struct sample_program *p, uint64_t program, double work, double cycles,
                                         double brought)
{
    struct sample_key key = key_of(program);
    struct gpu_result result = {.cycles = (uint64_t)cycles};
    struct sample_estimate e = {.cycles = cycles, .timed_cycles = cycles, .timed_work = work, .work = work};
    enum sample_choice choice = sample_program_choose(p, &key);
    struct sample_launch l = {.signature = at(0), .work = work, .estimate = &e};
    l.is_in_l2 = choice != SAMPLE_COMPUTE;
    l.brought = l.is_in_l2 ? brought : 0;
    l.result = choice == SAMPLE_TIME ? &result : NULL;
    sample_program_add(p, &key, &l);
    return choice;
}

/* A launch whose work is its cycles. */
static enum sample_choice choose(struct sample_program *p, uint64_t program, double cycles, double brought)
{
    return choose_of_work(p, program, cycles, cycles, brought);
}

/* Whether the launch was timed. */
static bool launch(struct sample_program *p, uint64_t program, double cycles, double brought)
{
    return choose(p, program, cycles, brought) == SAMPLE_TIME;
}

/* Whether the first launch of another kernel is measured behind launches that bring so much each: then its second one
 * is the last that is timed. `gap`: a launch that is not timed comes between. */
static bool is_warm_behind(double brought, bool gap)
{
    struct sample_program *p = sample_program_create();
    struct sample_key other = key_of(2);
    int launches = gap ? 4 : 2; /* the first one is cold; three are timed */
    for (int i = 0; i < launches; i++)
        assert_int_equal(launch(p, 1, 1000, brought), i < 3);
    assert_true(launch(p, 2, 1000, 0));
    assert_true(launch(p, 2, 1000, 0));
    bool is_warm = sample_program_choose(p, &other) != SAMPLE_TIME;
    sample_program_destroy(p);
    return is_warm;
}

static void launches_in_a_row_fill_the_l2_together(void **state)
{
    (void)state;
    assert_true(is_warm_behind(0.6, false));
    assert_false(is_warm_behind(0.4, false));
    assert_false(is_warm_behind(0.6, true)); /* what was brought before a launch that was not timed is of long ago */
}

static void a_kernel_that_has_grown_fivefold_is_timed_again(void **state)
{
    (void)state;
    struct sample_program *p = sample_program_create();
    int timed = 0;
    for (int i = 0; i < 50; i++)
        launch(p, 1, 1000, 0);
    for (int i = 0; i < 3; i++)
        assert_true(launch(p, 2, 100, 0)); /* the first one is cold */
    for (int i = 0; i < 7; i++)
        assert_false(launch(p, 2, 100, 0));
    for (int i = 0; i < 90; i++) /* the kernel has less than half of the program to the end */
        timed += launch(p, 2, 100, 0);
    assert_true(timed >= 2 && timed <= 6);
    sample_program_destroy(p);
}

static void a_kernel_that_takes_next_to_nothing_is_not_timed_again(void **state)
{
    (void)state;
    struct sample_program *p = sample_program_create();
    for (int i = 0; i < 50; i++)
        launch(p, 1, 1000, 0);
    for (int i = 0; i < 100; i++)
        assert_int_equal(launch(p, 2, 2, 0), i < 3);
    sample_program_destroy(p);
}

/* Two kernels in turn, of which the second one has most of the cycles, so that it is timed again before the first one
 * is due: whenever it is, the first one leaves its lines in the L2 before it. */
static void the_launch_before_one_that_is_wanted_warms_it(void **state)
{
    (void)state;
    struct sample_program *p = sample_program_create();
    int timed = 0, warmed = 0;
    for (int i = 0; i < 300; i++) {
        enum sample_choice before = choose(p, 1, 600, 0);
        bool is_timed = launch(p, 2, 9400, 0);
        timed += i > 20 && is_timed;
        warmed += i > 20 && before == SAMPLE_WARM;
        if (i > 20 && is_timed && before == SAMPLE_COMPUTE)
            fail_msg("launch %d is timed, and the one before it left nothing in the L2", i);
    }
    assert_true(timed >= 2 && timed <= 12);
    assert_true(warmed >= 2 && warmed <= 24);
    sample_program_destroy(p);
}

/* The same, with launches of the first kernel that fill the L2: whenever one of the second is wanted, the one before it
 * has done so, and none of the second kernel has to warm the L2 for the next. */
static void a_launch_that_fills_the_l2_is_enough(void **state)
{
    (void)state;
    struct sample_program *p = sample_program_create();
    int timed = 0;
    for (int i = 0; i < 300; i++) {
        choose(p, 1, 600, 1);
        enum sample_choice choice = choose(p, 2, 9400, 0);
        timed += i > 20 && choice == SAMPLE_TIME;
        assert_int_not_equal(choice, SAMPLE_WARM);
    }
    assert_true(timed >= 2 && timed <= 12);
    sample_program_destroy(p);
}

/* Launches of a kernel until one is computed so that it warms the L2, and then until one is timed again. Returns how
 * many warm the L2, if each of them brings so much of it. */
static int launches_that_warm(double brought)
{
    struct sample_program *p = sample_program_create();
    enum sample_choice choice = SAMPLE_TIME;
    int warmed = 0;
    for (int i = 0; i < 3; i++) /* the first one is cold */
        assert_true(launch(p, 1, 1000, brought));
    for (int i = 0; choice != SAMPLE_WARM && i < 50; i++)
        choice = choose(p, 1, 1000, brought);
    for (; choice == SAMPLE_WARM; choice = choose(p, 1, 1000, brought))
        warmed++;
    assert_int_equal(choice, SAMPLE_TIME);
    sample_program_destroy(p);
    return warmed;
}

static void a_cold_launch_warms_the_l2_and_a_warm_one_is_timed(void **state)
{
    (void)state;
    assert_int_equal(launches_that_warm(0), 1);   /* the L2 had all that the launch needs */
    assert_int_equal(launches_that_warm(1), 1);   /* the launch filled the L2 */
    assert_int_equal(launches_that_warm(0.6), 2); /* two did */
    assert_int_equal(launches_that_warm(0.1), 4); /* enough of them in a row */
}

/* A kernel that comes after every sixth launch of another one is wanted: all launches warm the L2 until it comes
 * back. If it does not, they stop. */
static void launches_warm_the_l2_until_a_kernel_comes_back(void **state)
{
    (void)state;
    struct sample_program *p = sample_program_create();
    bool was_seen = false;
    for (int i = 0; i < 60 && !was_seen; i++) {
        for (int k = 0; k < 6; k++)
            choose(p, 1, 10, 0);
        was_seen = choose(p, 2, 1000, 0) == SAMPLE_WARM;
    }
    assert_true(was_seen);
    for (int k = 0; k < 6; k++)
        assert_int_equal(choose(p, 1, 10, 0), SAMPLE_WARM);
    int warmed = 6;
    while (warmed < 100 && choose(p, 1, 10, 0) != SAMPLE_COMPUTE)
        warmed++;
    assert_int_equal(warmed, 2 * 7 + 4);
    sample_program_destroy(p);
}

/* Nothing says what a kernel takes of which no launch was measured: it is timed, though the L2 is cold. A kernel that
 * never comes back keeps no other waiting for it. */
static void a_kernel_that_was_never_measured_is_timed(void **state)
{
    (void)state;
    struct sample_program *p = sample_program_create();
    enum sample_choice choice = SAMPLE_TIME;
    assert_true(launch(p, 2, 1000, 0));
    for (int i = 0; i < 40; i++)
        choice = choose(p, 1, 1000, 0);
    assert_int_equal(choice, SAMPLE_COMPUTE);
    assert_true(launch(p, 2, 1000, 0));
    sample_program_destroy(p);
}

/* Whether a launch of the kernel, which always has the same work and fills the L2, was timed. */
static bool step(struct sample_program *p, uint64_t program, double cycles)
{
    return choose_of_work(p, program, 1000, cycles, 1) == SAMPLE_TIME;
}

/* Launches of kernel 1 behind itself, until no more is timed. Those of kernel 9 before have nearly all cycles, so that
 * none is timed for a narrower interval. */
static struct sample_program *behind_itself(void)
{
    struct sample_program *p = sample_program_create();
    for (int i = 0; i < 10; i++)
        step(p, 9, 1e7);
    for (int i = 0; i < 10; i++)
        step(p, 1, i % 2 ? 1010 : 1000);
    assert_false(step(p, 1, 1000));
    return p;
}

static void one_launch_behind_each_kernel_is_timed(void **state)
{
    (void)state;
    struct sample_program *p = behind_itself();
    for (int i = 0; i < 3; i++) {
        step(p, 2, 1000);
        assert_int_equal(step(p, 1, 1000), i < 1);
        assert_false(step(p, 1, 1000));
    }
    sample_program_destroy(p);
}

static void a_cold_launch_says_nothing_of_its_kernel_before(void **state)
{
    (void)state;
    struct sample_program *p = behind_itself();
    choose_of_work(p, 2, 1000, 1000, 0);
    assert_int_equal(choose_of_work(p, 1, 1000, 1000, 0), SAMPLE_WARM);
    assert_false(step(p, 1, 1000));
    step(p, 2, 1000);
    assert_true(step(p, 1, 1000));
    sample_program_destroy(p);
}

static void two_launches_behind_each_kernel_are_timed_where_it_matters(void **state)
{
    (void)state;
    struct sample_program *p = behind_itself();
    for (int i = 0; i < 3; i++) {
        step(p, 2, 1000);
        assert_int_equal(step(p, 1, 2000), i < 2);
        assert_int_equal(step(p, 1, 1000),
                         i < 1); /* once, to show that launches behind themselves take what they did */
    }
    sample_program_destroy(p);
}

static void counters_are_those_of_the_launch_that_was_measured_last(void **state)
{
    (void)state;
    struct sample_program *p = sample_program_create();
    const struct gpu_result *like;
    struct sample_estimate e;
    launch(p, 1, 900, 0);
    launch(p, 1, 1000, 0);
    launch(p, 1, 1010, 0);
    assert_false(launch(p, 1, 1000, 0));
    sample_program_last(p, &e, &like);
    assert_int_equal(like->cycles, 1010);
    sample_program_destroy(p);
}

static void a_kernel_that_could_not_be_sampled_within_is_timed_whole(void **state)
{
    (void)state;
    struct sample_program *p = sample_program_create();
    struct sample_key key = key_of(1), other = key_of(2);
    struct gpu_result result = {.cycles = 1000};
    struct sample_estimate e = {.cycles = 1000, .why = "its blocks wait for each other"};
    struct sample_launch l = {.signature = at(0), .work = 100, .result = &result, .estimate = &e};
    assert_false(sample_program_times_whole(p, &key));
    sample_program_add(p, &key, &l);
    assert_true(sample_program_times_whole(p, &key));
    assert_false(sample_program_times_whole(p, &other));
    sample_program_destroy(p);
}

/* ---- one launch ---- */

static void samples_are_as_many_as_the_room_for_their_error_asks_for(void **state)
{
    (void)state;
    const struct waves w = {.done = 8};
    /* 10 of the 50 cycles that are allowed are no sampling error: the error has to shrink from 70 to 40. */
    struct sample_estimate e = {.cycles = 1000, .half_cycles = 80, .sampling_half = 70};
    double shrink = 70.0 / 40 * sample_student(24) / sample_student(7);
    assert_int_equal(waves_next_samples(&w, &e, 100000), (int)ceil(8 * 1.2 * shrink * shrink));
    e = (struct sample_estimate){.cycles = 1000, .half_cycles = 51, .sampling_half = 41};
    assert_int_equal(waves_next_samples(&w, &e, 100000), 9); /* one more, whatever the error */
}

static void warps_count_only_where_they_are_the_same(void **state)
{
    (void)state;
    struct gpu_result result = {.cycles = 50, .skipped.blocks = 1};
    struct waves w = {.done = 2};
    struct sample_estimate e;
    w.by[WAVES_THREADS] = (struct waves_rates){.rate = {1, 3}, .gap_work = {100}};
    w.by[WAVES_WARPS] = (struct waves_rates){.rate = {10, 10}, .gap_work = {100}};
    waves_estimate(&w, &result, 10, &e);
    assert_near(e.cycles, 1050);
    w.counts_threads = true;
    waves_estimate(&w, &result, 10, &e);
    assert_near(e.cycles, 250);
}

/* Behind one sample, of which no variance is known, and behind several: all figures are those of what was timed. */
static void a_launch_that_faults_counts_as_far_as_it_was_timed(void **state)
{
    (void)state;
    struct gpu_result result = {.cycles = 50, .launch.fault.kind = FAULT_OUT_OF_BOUNDS};
    result.sm.thread_instructions = 400;
    result.skipped.blocks = 3;
    result.skipped.thread_instructions = 100;
    for (int done = 1; done < 3; done++) {
        struct waves w = {.done = done};
        struct sample_estimate e;
        w.by[WAVES_THREADS] = (struct waves_rates){.rate = {1, 3}, .gap_work = {100}};
        w.by[WAVES_WARPS] = (struct waves_rates){.rate = {10, 11}, .gap_work = {100}};
        waves_estimate(&w, &result, 10, &e);
        assert_near(e.cycles, 50);
        assert_true(e.half_cycles == 0 && e.sampling_half == 0);
        assert_near(sample_timed_share(&e), 1);
        assert_int_equal(e.samples, 0);
        assert_int_equal(e.timed_blocks, 7);
        assert_non_null(e.why);
    }
}

static void waves_hold_whole_clusters(void **state)
{
    (void)state;
    struct waves w;
    struct gpu_skipper skipper;
    struct gpu_moment m = {.block_count = 4000, .wave_blocks = 22, .cluster_size = 4};
    uint64_t again;
    waves_begin(&w, 8, false, 1, &skipper);
    assert_int_equal(skipper.choose(skipper.context, &m, &again), 0);
    assert_int_equal(w.wave, 20);
    assert_int_equal(again, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_that_were_sampled_within_bring_their_errors),
        cmocka_unit_test(launches_before_the_first_measured_one_count_with_its_error),
        cmocka_unit_test(neighbouring_bends_say_half_as_much),
        cmocka_unit_test(the_rate_ahead_is_a_mean_unless_rates_drift),
        cmocka_unit_test(a_change_within_a_gap_widens_the_interval),
        cmocka_unit_test(a_short_step_foresees_no_change_over_a_long_gap),
        cmocka_unit_test(a_change_that_noise_makes_does_not_count_twice),
        cmocka_unit_test(rates_that_lag_widen_the_interval),
        cmocka_unit_test(a_launch_has_the_error_of_its_rate_and_its_own),
        cmocka_unit_test(few_launches_of_a_kind_have_the_variance_of_all),
        cmocka_unit_test(the_kernel_before_counts_when_it_has_come_back),
        cmocka_unit_test(the_kernel_before_counts_while_all_launches_are_timed),
        cmocka_unit_test(a_kernel_before_that_says_nothing_does_not_count_while_all_are_timed),
        cmocka_unit_test(launches_are_sorted_by_the_kernel_before_once_there_are_two),
        cmocka_unit_test(kernels_before_that_do_not_come_back_do_not_count),
        cmocka_unit_test(changes_of_two_groups_are_no_return),
        cmocka_unit_test(the_kernel_before_counts_when_the_interval_is_a_tenth_narrower),
        cmocka_unit_test(a_kernel_before_that_says_nothing_does_not_count),
        cmocka_unit_test(a_new_kind_may_be_of_any_group),
        cmocka_unit_test(strangers_of_one_group_stray_together),
        cmocka_unit_test(what_one_launch_of_a_group_took_is_not_known),
        cmocka_unit_test(a_launch_unlike_all_groups_is_not_known),
        cmocka_unit_test(a_point_is_outside_at_three_times_the_radius),
        cmocka_unit_test(signatures_tell_sizes_apart),
        cmocka_unit_test(launches_in_a_row_fill_the_l2_together),
        cmocka_unit_test(a_kernel_that_has_grown_fivefold_is_timed_again),
        cmocka_unit_test(a_kernel_that_takes_next_to_nothing_is_not_timed_again),
        cmocka_unit_test(the_launch_before_one_that_is_wanted_warms_it),
        cmocka_unit_test(a_launch_that_fills_the_l2_is_enough),
        cmocka_unit_test(a_cold_launch_warms_the_l2_and_a_warm_one_is_timed),
        cmocka_unit_test(launches_warm_the_l2_until_a_kernel_comes_back),
        cmocka_unit_test(a_kernel_that_was_never_measured_is_timed),
        cmocka_unit_test(one_launch_behind_each_kernel_is_timed),
        cmocka_unit_test(a_cold_launch_says_nothing_of_its_kernel_before),
        cmocka_unit_test(two_launches_behind_each_kernel_are_timed_where_it_matters),
        cmocka_unit_test(counters_are_those_of_the_launch_that_was_measured_last),
        cmocka_unit_test(a_kernel_that_could_not_be_sampled_within_is_timed_whole),
        cmocka_unit_test(samples_are_as_many_as_the_room_for_their_error_asks_for),
        cmocka_unit_test(warps_count_only_where_they_are_the_same),
        cmocka_unit_test(a_launch_that_faults_counts_as_far_as_it_was_timed),
        cmocka_unit_test(waves_hold_whole_clusters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
