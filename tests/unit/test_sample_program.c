/*
 * Sampling among the launches of programs of several kernels, arguments and sizes (sample/program.h), whose cycles are
 * a formula: the truth is within the interval, the interval is narrow, and little is timed.
 */
#include "base/random.h"
#include "device/memory.h"
#include "gpu/gpu.h"
#include "sample/family.h"
#include "sample/program.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct signature at(double x)
{
    struct signature s = {{x}};
    return s;
}

struct scripted {
    uint64_t program; /* number of the kernel, and ten times its waves of blocks */
    uint64_t arguments;
    double work, cycles, kind;
    double cold; /* cycles of the launch, if it is cold, over `cycles` */
};
typedef struct scripted script(int launch);

static double wobble(int i, double share)
{
    struct random random = {(uint64_t)i * 77};
    return 1 + share * ((double)(random_u64(&random) >> 11) * 0x1p-53 - 0.5);
}

/* One kernel with an argument that comes back every seventh launch, on which the rate depends. */
static struct scripted by_argument(int i)
{
    static const double rate[] = {2, 2.1, 3, 5, 8, 8.2, 4};
    return (struct scripted){1, (uint64_t)(i % 7), 1000, 1000 * rate[i % 7] * wobble(i, 0.01), 0, 1.1};
}

/* A transform: six steps of a kernel with a distance, and a step of another one; behind every second transform there is
 * a third kernel. */
static struct scripted transforms(int i)
{
    int at = i % 15;
    if (at == 14)
        return (struct scripted){3, 0, 2000, 6000 * wobble(i, 0.01), 2, 1.06};
    if (at % 7 == 6)
        return (struct scripted){2, 0, 5000, 6500 * wobble(i, 0.01), 1, 1.06};
    return (struct scripted){1, (uint64_t)(at % 7), 1000, (at % 7 < 2 ? 2500 : 3600) * wobble(i, 0.01), 0, 1.06};
}

/* Launches that become shorter, and whose cycles go down more slowly: each has a start and a tail. */
static struct scripted shorter(int i)
{
    double left = 1 - i / 1000.0, work = 1e6 * left * left + 100;
    return (struct scripted){1, (uint64_t)i, work, (300 + 50 * sqrt(work)) * wobble(i, 0.04), 0.1 * log2(work), 1.03};
}

/* The same instructions and arguments, and ever more cycles. */
static struct scripted slower(int i)
{
    return (struct scripted){1, 0, 1000, 2000 + 30000 * (1 - exp(-i / 300.0)), 0, 1.02};
}

/* Two kinds of memory in turn that nothing tells apart before. */
static struct scripted in_turn(int i)
{
    return (struct scripted){1, 0, 1000, i % 2 ? 3000 : 4000, 0, 1.02};
}

/* It does not matter to the first launches whether caches are cold, and ever more to later ones. */
static struct scripted cold_later(int i)
{
    return (struct scripted){1, 0, 1000, (3000 + i) * wobble(i, 0.002), 0, i < 60 ? 1.001 : 1.2};
}

/* A kernel that stands between launches of another one at irregular distances, with arguments that never come back:
 * nobody can know when to warm it. */
static struct scripted irregular(int i)
{
    bool is_rare = i % 13 == i / 13 * 5 % 13;
    double work = is_rare ? 5000 : 1000;
    return (struct scripted){is_rare ? 2 : 1, (uint64_t)i, work, 3 * work * wobble(i, 0.02), is_rare, 1.02};
}

/* Grids of five sizes, again and again, of which the smaller ones take more cycles per instruction. */
static struct scripted levels(int i)
{
    int level = i % 10 < 5 ? i % 10 : 9 - i % 10;
    double work = 64000 >> 2 * level;
    return (struct scripted){1, (uint64_t)level, work, (500 + work / 8) * wobble(i, 0.01), 0.2 * level, 1.05};
}

/* Steps of a sort: a kernel with arguments that never come back, which takes longer behind each launch of another one,
 * at the same instructions. */
static struct scripted behind_another(int i)
{
    int at = i % 9;
    if (at == 8)
        return (struct scripted){2, 0, 1000, 5000 * wobble(i, 0.01), 1, 1.1};
    return (struct scripted){1, (uint64_t)i, 1000, (at ? 3000 : 4200) * wobble(i, 0.01), 0, 1.1};
}

/* The same, with a kernel before at random that makes no difference. */
static struct scripted behind_any(int i)
{
    bool is_other = wobble(3 * i, 2) > 1.4;
    return (struct scripted){1 + is_other, (uint64_t)i, 1000, 3000 * wobble(i, 0.3), is_other, 1.1};
}

/* A kernel with arguments that never come back, which takes longer behind each of two others than behind itself. */
static struct scripted behind_two(int i)
{
    int at = i % 7;
    if (at == 6)
        return (struct scripted){2, 0, 1000, 5000 * wobble(i, 0.01), 1, 1.1};
    if (at == 3)
        return (struct scripted){3, 0, 700, 1500 * wobble(i, 0.01), 1, 1.1};
    double cycles = at == 0 ? 4200 : at == 4 ? 3600 : 3000;
    return (struct scripted){1, (uint64_t)i, 1000, cycles * wobble(i, 0.02), 0, 1.1};
}

/* Behind two kernels in turn, and each twentieth time behind a third one, which makes launches thrice as long. */
static struct scripted behind_a_rare_one(int i)
{
    int step = i / 2 % 20, before = step == 19 ? 4 : 2 + step % 2;
    if (i % 2 == 0)
        return (struct scripted){(uint64_t)before, 0, 100, 300 * wobble(i, 0.01), 3, 1.1};
    double cycles = before == 4 ? 9000 : before == 3 ? 4000 : 3000;
    return (struct scripted){1, (uint64_t)i, 1000, cycles * wobble(i, 0.02), 0, 1.1};
}

/* A kernel that takes half as long again behind a rare one. The usual one before it has one to four waves of blocks, so
 * that it is of four families. */
static struct scripted behind_waves(int i)
{
    int step = i / 2;
    bool is_rare = wobble(11 * step, 2) > 1.33;
    uint64_t waves = 1 + (uint64_t)step % 4;
    if (i % 2 == 0)
        return (struct scripted){is_rare ? 3 : 2 + 10 * waves, 0, 100, 300 * wobble(i, 0.01), 3, 1.1};
    return (struct scripted){1, (uint64_t)i, 1000, (is_rare ? 4500 : 3000) * wobble(i, 0.02), 0, 1.1};
}

/* A kernel whose launches execute other code in turn, with arguments that never come back. */
static struct scripted other_code_in_turn(int i)
{
    int step = i / 2;
    if (i % 2 == 0)
        return (struct scripted){2, 0, 50, 100 * wobble(i, 0.01), 3, 1.1};
    return (struct scripted){1, (uint64_t)i, 1000, (step % 2 ? 3000 : 3300) * wobble(i, 0.02), step % 2, 1.1};
}

/* Ever more cycles, which noise hides from one launch to the next. */
static struct scripted grows_in_noise(int i)
{
    return (struct scripted){1, 0, 1000, 3000 * exp(i % 1000 / 500.0) * wobble(i, 0.25), 0, 1.02};
}

/* From some launch on, half as many cycles again. */
static struct scripted changes_at_once(int i)
{
    bool has_changed = i % 1000 > 300 + 400 * (wobble(i / 1000, 2) / 2);
    return (struct scripted){1, 0, 1000, (has_changed ? 4500 : 3000) * wobble(i, 0.005), 0, 1.02};
}

/* Runs 1000 launches, from the first one on. A launch is cold unless those in a row before it that left their lines in
 * the L2 filled it, or the one before it and the one of its kernel before it left theirs. Returns the true number of
 * cycles. */
static double run_launches(int first, script *next, double brought, struct sample_estimate *sum)
{
    struct sample_program *p = sample_program_create();
    bool was_in_l2 = true, kernel_was_in_l2[5] = {true, true, true, true, true};
    double truth = 0, filled = 0;
    for (int i = 0; i < 1000; i++) {
        struct scripted s = next(first + i);
        struct sample_key key;
        memset(&key, 0, sizeof key);
        key.program = s.program % 10;
        key.arguments = s.arguments;
        key.waves = (uint32_t)s.program / 10;
        enum sample_choice choice = sample_program_choose(p, &key);
        bool is_in_l2 = choice != SAMPLE_COMPUTE, is_cold = filled < 1 && !(was_in_l2 && kernel_was_in_l2[key.program]);
        double found = is_cold ? s.cold * s.cycles : s.cycles;
        struct gpu_result result = {.cycles = (uint64_t)found};
        struct sample_estimate e = {.cycles = found, .timed_cycles = found, .timed_work = s.work, .work = s.work};
        struct sample_launch l = {.signature = at(s.kind), .work = s.work, .is_in_l2 = is_in_l2, .estimate = &e};
        l.brought = is_in_l2 ? brought : 0;
        l.result = choice == SAMPLE_TIME ? &result : NULL;
        sample_program_add(p, &key, &l);
        was_in_l2 = kernel_was_in_l2[key.program] = is_in_l2;
        filled = is_in_l2 ? filled + brought : 0;
        truth += s.cycles;
    }
    sample_program_sum(p, 0, sum);
    sample_program_destroy(p);
    return truth;
}

/* Returns the share of the work that was timed. */
static double run_script_from(int first, script *next, double brought)
{
    struct sample_estimate sum;
    double truth = run_launches(first, next, brought, &sum);
    if (fabs(sum.cycles - truth) > sum.half_cycles)
        fail_msg("from launch %d on %g cycles +- %g, and the truth is %g", first, sum.cycles, sum.half_cycles, truth);
    if (sample_relative_half(&sum) > sample_target)
        fail_msg("the interval is %g wide", sample_relative_half(&sum));
    return sample_timed_share(&sum);
}

static double run_script(script *next, double brought)
{
    return run_script_from(0, next, brought);
}

static void check_script(script *next, double brought, double most_timed)
{
    double timed = run_script(next, brought);
    if (timed > most_timed)
        fail_msg("%g of the work was timed", timed);
}

/* The same from eight launches on, at which the script is at the same place of its period: with other noise. */
static void check_often(script *next, double brought, double most_timed)
{
    for (int first = 0; first < 8 * 2800; first += 2800) {
        double timed = run_script_from(first, next, brought);
        if (timed > most_timed)
            fail_msg("from launch %d on %g of the work was timed", first, timed);
    }
}

/* Of 40 runs with other noise, how many have the truth outside their interval. */
static int misses_of(script *next)
{
    int misses = 0;
    for (int run = 0; run < 40; run++) {
        struct sample_estimate sum;
        double truth = run_launches(1000 * run, next, 0, &sum);
        misses += fabs(sum.cycles - truth) > sum.half_cycles;
    }
    return misses;
}

static void arguments_tell_launches_apart(void **state)
{
    (void)state;
    check_script(by_argument, 0, 0.05);
    check_script(levels, 0, 0.09);
}

static void kernels_that_follow_each_other_in_turn_are_warm(void **state)
{
    (void)state;
    check_script(transforms, 0, 0.09);
}

static void the_kernel_before_tells_launches_apart(void **state)
{
    (void)state;
    check_script(behind_another, 1.5, 0.05);
}

static void a_kernel_before_that_makes_no_difference_costs_nothing(void **state)
{
    (void)state;
    check_script(behind_any, 1.5, 0.08);
}

static void launches_behind_each_kernel_are_measured(void **state)
{
    (void)state;
    check_often(behind_two, 1.5, 0.05);
    check_often(behind_a_rare_one, 1.5, 0.06);
}

static void the_kernel_before_is_one_whatever_its_waves(void **state)
{
    (void)state;
    check_often(behind_waves, 1.5, 0.05);
}

static void launches_of_a_new_kind_are_not_measured_in_step(void **state)
{
    (void)state;
    check_often(other_code_in_turn, 1.5, 0.04);
}

static void launches_that_are_never_warm_are_not_all_timed(void **state)
{
    (void)state;
    check_script(irregular, 0, 0.1);
}

static void launches_of_many_sizes_are_within_their_interval(void **state)
{
    (void)state;
    check_script(shorter, 0, 0.12);
}

static void what_nothing_tells_apart_is_within_its_interval(void **state)
{
    (void)state;
    check_script(slower, 0, 0.09);
    check_script(in_turn, 0, 0.3);
    check_script(cold_later, 0, 0.06);
}

/* Nobody sees a change between two launches that were measured, nor the growth behind the last one. */
static void intervals_have_room_for_changes_that_nobody_saw(void **state)
{
    (void)state;
    int grown = misses_of(grows_in_noise), changed = misses_of(changes_at_once);
    if (grown > 8 || changed > 13)
        fail_msg("%d and %d of 40 are outside their intervals", grown, changed);
}

static void a_launch_that_fills_the_l2_warms_the_next(void **state)
{
    (void)state;
    double without = run_script(transforms, 0), with = run_script(transforms, 1.5);
    assert_true(with < 0.9 * without);
}

/* The square of half the interval of a family of which six launches of one kind were measured, and ten of others were
 * not. */
static double half_squared_of(int kinds)
{
    struct family f = {0};
    for (int i = 0; i < 16; i++) {
        struct member m = {.signature = at(0), .kind = i < 6 ? 0 : 1 + i % kinds, .launch = {.work = 100}};
        m.launch.is_timed = m.launch.is_measured = i < 6;
        m.launch.cycles = i < 6 ? 1000 + i % 2 * 100 : 0;
        family_add(&f, &m);
    }
    double half_squared = f.part.half_squared;
    family_close(&f);
    return half_squared;
}

static void launches_of_one_kind_stray_together(void **state)
{
    (void)state;
    assert_true(half_squared_of(1) > 1.5 * half_squared_of(10));
}

/* Of the arguments, numbers count and addresses do not. */
static void a_key_has_the_arguments_that_are_no_addresses(void **state)
{
    (void)state;
    struct memory *memory = memory_create(1 << 20);
    struct image image = {.memory = memory};
    uint64_t a = memory_alloc(memory, 256, "a"), b = memory_alloc(memory, 256, "b");
    struct {
        uint64_t to, from;
        uint32_t distance, length;
        float by;
    } first = {a, b + 16, 3, 4, 0.5f}, swapped = {b, a, 3, 4, 0.5f}, other = {a, b, 3, 8, 0.5f},
      scaled = {a, b, 3, 4, 1};
    struct program program = {.hash = 5};
    struct launch launch = {.image = &image, .grid = {2, 1, 1}, .block = {64, 1, 1}, .parameter_bytes = 28};
    launch.parameters = &first;
    struct sample_key key = sample_key_of(&launch, &program, 4);
    assert_int_equal(key.program, 5);
    assert_int_equal(key.block[0], 64);
    launch.parameters = &swapped;
    assert_int_equal(sample_key_of(&launch, &program, 4).arguments, key.arguments);
    launch.parameters = &other;
    assert_int_not_equal(sample_key_of(&launch, &program, 4).arguments, key.arguments);
    launch.parameters = &scaled;
    assert_int_not_equal(sample_key_of(&launch, &program, 4).arguments, key.arguments);
    launch.parameters = &first;
    launch.grid[0] = 3;
    assert_int_not_equal(sample_key_of(&launch, &program, 4).arguments, key.arguments);
    static const uint32_t waves[][2] = {{4, 1}, {5, 2}, {16, 4}, {17, 0}}; /* {blocks, waves that are told} */
    for (size_t i = 0; i < sizeof waves / sizeof *waves; i++) {
        launch.grid[0] = waves[i][0];
        assert_int_equal(sample_key_of(&launch, &program, 4).waves, waves[i][1]);
    }
    assert_int_equal(sample_key_of(&launch, &program, 0).waves, 0);
    memory_destroy(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_tell_launches_apart),
        cmocka_unit_test(kernels_that_follow_each_other_in_turn_are_warm),
        cmocka_unit_test(the_kernel_before_tells_launches_apart),
        cmocka_unit_test(a_kernel_before_that_makes_no_difference_costs_nothing),
        cmocka_unit_test(launches_behind_each_kernel_are_measured),
        cmocka_unit_test(the_kernel_before_is_one_whatever_its_waves),
        cmocka_unit_test(launches_of_a_new_kind_are_not_measured_in_step),
        cmocka_unit_test(launches_that_are_never_warm_are_not_all_timed),
        cmocka_unit_test(launches_of_many_sizes_are_within_their_interval),
        cmocka_unit_test(what_nothing_tells_apart_is_within_its_interval),
        cmocka_unit_test(intervals_have_room_for_changes_that_nobody_saw),
        cmocka_unit_test(a_launch_that_fills_the_l2_warms_the_next),
        cmocka_unit_test(launches_of_one_kind_stray_together),
        cmocka_unit_test(a_key_has_the_arguments_that_are_no_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
