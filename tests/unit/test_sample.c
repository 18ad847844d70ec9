/*
 * Sampling: the plan of a launch's samples and its estimate (sample/waves.h), on a machine that is a formula; groups of
 * launches (sample/groups.h); and the choice of launches and the sum of a program (sample/program.h).
 */
#include "base/random.h"
#include "gpu/gpu.h"
#include "sample/groups.h"
#include "sample/program.h"
#include "sample/scale.h"
#include "sample/waves.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- one launch ---- */

enum { WAVE = 20, WORK = 100 }; /* blocks of a wave; warp instructions of a block */
/* Threads of an instruction: 32 in most waves, few in every fourth. */
#define THREADS(block) ((block) / WAVE % 4 == 1 ? 5u : 32u)

/* Cycles that a block of the formula takes. */
typedef double cost_of(uint64_t block);

static double alike(uint64_t block)
{
    (void)block;
    return 7;
}

static double drifting(uint64_t block)
{
    return 7 + (double)block * 0.0003;
}

static double uneven(uint64_t block)
{
    return 7 + (double)(block * 2654435761u % 1024) / 512;
}

static double wild(uint64_t block)
{
    return block / WAVE % 7 < 2 ? 10 : 16;
}

/* Gives blocks to a machine that takes them one after the other, as the plan allows. */
static void play(struct waves *w, int wanted, uint64_t blocks, cost_of *cost, struct sample_estimate *e, double *truth)
{
    struct gpu_skipper skipper;
    struct gpu_result result = {0};
    struct launch_result all = {0};
    struct gpu_moment m = {.block_count = blocks, .wave_blocks = WAVE, .cluster_size = 1};
    uint64_t ask = WAVE;
    double cycle = 0;
    *truth = 0;
    waves_begin(w, wanted, false, 1, &skipper);
    for (uint64_t b = 0; b < blocks; b++)
        *truth += cost(b);
    for (uint64_t next = 0; next < blocks;) {
        m.next_block = next;
        m.cycle = (uint64_t)(cycle + 0.5);
        uint64_t count = next >= ask ? skipper.choose(skipper.context, &m, &ask) : 0;
        if (count) {
            assert_int_equal(count % WAVE, 0);
            assert_true(next + count < blocks);
            result.skipped.blocks += count;
            all.warp_instructions += count * WORK;
            for (uint64_t b = next; b < next + count; b++)
                all.thread_instructions += WORK * THREADS(b);
            skipper.skipped(skipper.context, &all);
            next += count;
            continue;
        }
        cycle += cost(next++);
        m.warp_instructions += WORK;
        m.thread_instructions += WORK * THREADS(next - 1);
    }
    result.cycles = (uint64_t)(cycle + 0.5);
    result.sm.thread_instructions = m.thread_instructions;
    result.skipped.thread_instructions = all.thread_instructions;
    waves_estimate(w, &result, blocks, e);
}

static void blocks_that_are_alike_have_no_variance(void **state)
{
    (void)state;
    struct waves w;
    struct sample_estimate e;
    double truth;
    play(&w, 8, 200 * WAVE + 7, alike, &e, &truth);
    assert_int_equal(e.samples, 8);
    assert_true(fabs(e.cycles - truth) < 1);
    assert_true(e.sampling_half < 1e-6 * e.cycles);
    assert_true(e.half_cycles > 0.005 * (e.cycles - e.timed_cycles));
    assert_true(fabs(e.half_cycles - sample_allowance * (e.cycles - e.timed_cycles)) < 1);
    /* Two waves at the start, eight samples of one, seven of warm-up, one at the end, and what is left of a wave. */
    assert_int_equal(e.timed_blocks, (2 + 8 + 7 + 1) * WAVE + 7);
    assert_true(fabs(sample_timed_share(&e) - (double)e.timed_blocks / (double)e.blocks) < 0.02);
}

/* Alike up to two thirds of the launch. */
static double wild_later(uint64_t block)
{
    return block < 600 * WAVE ? 7 : wild(block);
}

static void samples_that_say_nothing_new_are_left_out(void **state)
{
    (void)state;
    struct waves w;
    struct sample_estimate e;
    double truth;
    /* Of sixteen, the first four, and then every second one, up to the last. */
    play(&w, 16, 900 * WAVE + 7, alike, &e, &truth);
    assert_int_equal(e.samples, 10);
    assert_int_equal(e.timed_blocks, (2 + 10 + 9 + 1) * WAVE + 7);
    assert_true(fabs(e.cycles - truth) < 1);
    assert_true(w.by[WAVES_WARPS].gap_work[6] > 1.5 * w.by[WAVES_WARPS].gap_work[1]);
    /* So it is where rates vary a little. */
    play(&w, 16, 900 * WAVE, uneven, &e, &truth);
    assert_int_equal(e.samples, 10);
    assert_true(e.sampling_half > 0 && fabs(e.cycles - truth) <= e.half_cycles);
    /* Eight remain. */
    play(&w, 9, 900 * WAVE, alike, &e, &truth);
    assert_int_equal(e.samples, 8);
    play(&w, 10, 900 * WAVE, alike, &e, &truth);
    assert_int_equal(e.samples, 8);
    /* None is left out where rates vary, and where the launch runs again since they do. */
    play(&w, 16, 900 * WAVE, wild, &e, &truth);
    assert_int_equal(e.samples, 16);
    play(&w, 17, 900 * WAVE, alike, &e, &truth);
    assert_int_equal(e.samples, 17);
    /* From there on samples are as close as planned. */
    play(&w, 16, 900 * WAVE, wild_later, &e, &truth);
    assert_true(e.samples > 10 && e.samples < 16);
    assert_true(fabs(e.cycles - truth) <= e.half_cycles);
}

/* Cycles by the threads of a block. */
static double by_threads(uint64_t block)
{
    return THREADS(block) / 4.0;
}

static void work_is_measured_in_what_varies_less(void **state)
{
    (void)state;
    struct waves w;
    struct sample_estimate e;
    double truth;
    play(&w, 20, 400 * WAVE, by_threads, &e, &truth);
    assert_true(fabs(e.cycles - truth) < 1e-3 * truth);
    assert_true(e.sampling_half < 1e-3 * e.cycles);
    play(&w, 20, 400 * WAVE, alike, &e, &truth);
    assert_true(fabs(e.cycles - truth) < 1e-3 * truth);
}

static void the_truth_is_in_the_interval(void **state)
{
    (void)state;
    cost_of *costs[] = {drifting, uneven};
    for (int i = 0; i < 2; i++) {
        struct waves w;
        struct sample_estimate e;
        double truth;
        play(&w, 8, 300 * WAVE, costs[i], &e, &truth);
        assert_true(e.sampling_half > 0);
        assert_true(costs[i] != drifting || fabs(e.cycles - truth) < 0.003 * truth);
        assert_true(fabs(e.cycles - truth) <= e.half_cycles);
        assert_true(sample_relative_half(&e) < sample_target);
    }
}

static void a_wide_interval_asks_for_more_samples(void **state)
{
    (void)state;
    struct waves w;
    struct sample_estimate e;
    double truth;
    play(&w, 8, 4000 * WAVE, wild, &e, &truth);
    assert_true(sample_relative_half(&e) > sample_target);
    int more = waves_next_samples(&w, &e, 4000);
    assert_true(more > 8);
    play(&w, more, 4000 * WAVE, wild, &e, &truth);
    assert_true(fabs(e.cycles - truth) <= e.half_cycles);
    assert_int_equal(waves_next_samples(&w, &e, 60), 0); /* a launch that has no room for them */
}

static void short_launches_are_timed_whole(void **state)
{
    (void)state;
    struct waves w;
    struct sample_estimate e;
    double truth;
    assert_int_equal(waves_first_samples(10), 0);
    assert_true(waves_first_samples(100) >= 8);
    assert_true(waves_first_samples(100000) <= 16);
    play(&w, 8, 10 * WAVE, uneven, &e, &truth);
    assert_int_equal(e.samples, 0);
    assert_true(fabs(e.cycles - truth) < 1);
    assert_true(e.half_cycles == 0 && sample_timed_share(&e) == 1);
}

static void quantiles_are_students(void **state)
{
    (void)state;
    assert_true(fabs(sample_student(1) - 12.706) < 1e-3);
    assert_true(fabs(sample_student(10) - 2.228) < 1e-3);
    assert_true(fabs(sample_student(30) - 2.042) < 5e-3);
    assert_true(fabs(sample_student(1000) - 1.962) < 5e-3);
}

/* ---- launches ---- */

static struct signature at(double x)
{
    struct signature s = {{x}};
    return s;
}

static void groups_are_as_many_as_there_are_kinds(void **state)
{
    (void)state;
    struct signature points[30];
    struct groups g;
    for (int i = 0; i < 30; i++)
        points[i] = at(0.5);
    groups_find(&g, points, 30);
    assert_int_equal(g.count, 1);
    for (int i = 0; i < 30; i++)
        points[i] = at(i % 3 + 0.001 * (i % 5));
    groups_find(&g, points, 30);
    assert_int_equal(g.count, 3);
    struct signature near = at(1.002), far = at(1.5);
    int group = groups_nearest(&g, &points[1]);
    assert_int_equal(groups_nearest(&g, &near), group);
    assert_false(groups_is_outside(&g, group, &near));
    assert_true(groups_is_outside(&g, groups_nearest(&g, &far), &far));
}

/* Cycles per instruction of a launch, and its kind. */
typedef double rate_of(int launch, double *kind);

static double steady(int launch, double *kind)
{
    *kind = launch % 2;
    return launch % 2 ? 3 : 5;
}

static double noisy(int launch, double *kind)
{
    *kind = 0;
    struct random random = {(uint64_t)launch};
    return 4 + ((double)(random_u64(&random) >> 11) * 0x1p-53 - 0.5);
}

static double late(int launch, double *kind)
{
    *kind = launch >= 700;
    return launch >= 700 ? 9 : 2;
}

static double aged(int launch, double *kind) /* the same code, and another rate from some launch on */
{
    *kind = 0;
    return launch >= 100 ? 3 : 2;
}

static double latency(int launch, double *kind) /* the same cycles, whatever the instructions */
{
    (void)launch;
    *kind = 0;
    return 5;
}

static double drift(int launch, double *kind)
{
    *kind = 0;
    return 3 + launch * 0.01;
}

static double shrinking(int launch, double *kind) /* each launch a little unlike the one before */
{
    *kind = launch * 0.002;
    return noisy(launch, &(double){0}) / 40 + 3 + launch * 0.002;
}

/* Runs launches of one kernel. Returns how many were timed. */
static int run_launches(struct sample_program *p, int count, rate_of *rate, double *truth)
{
    struct sample_key key;
    memset(&key, 0, sizeof key);
    key.program = 1;
    int timed = 0;
    bool was_in_l2 = true;
    *truth = 0;
    for (int i = 0; i < count; i++) {
        double kind, work = rate == latency ? 1000 + i * 37 % 1000 : 1000, cycles = 1000 * rate(i, &kind);
        enum sample_choice choice = sample_program_choose(p, &key);
        bool is_timed = choice == SAMPLE_TIME;
        /* Behind a launch that left nothing in the L2, caches are cold. */
        double found = was_in_l2 ? cycles : 1.2 * cycles;
        struct gpu_result result = {.cycles = (uint64_t)found};
        struct sample_estimate e = {.cycles = found, .timed_cycles = found, .timed_work = work, .work = work};
        struct sample_launch launch = {.signature = at(kind), .work = work, .result = is_timed ? &result : NULL};
        launch.estimate = &e;
        launch.is_in_l2 = was_in_l2 = choice != SAMPLE_COMPUTE;
        sample_program_add(p, &key, &launch);
        timed += is_timed;
        *truth += cycles;
    }
    return timed;
}

static void check_program(rate_of *rate, int most_timed)
{
    struct sample_program *p = sample_program_create();
    struct sample_estimate e;
    double truth;
    int timed = run_launches(p, 1000, rate, &truth);
    sample_program_sum(p, 0, &e);
    if (timed > most_timed)
        fail_msg("%d launches were timed", timed);
    if (fabs(e.cycles - truth) > e.half_cycles)
        fail_msg("%g cycles +- %g, and the truth is %g; %d were timed", e.cycles, e.half_cycles, truth, timed);
    assert_true(sample_relative_half(&e) <= sample_target);
    sample_program_destroy(p);
}

static void programs_are_within_their_intervals(void **state)
{
    (void)state;
    check_program(steady, 30);
    check_program(noisy, 130);
    check_program(late, 30);
    check_program(aged, 120);
    check_program(latency, 30);
    check_program(drift, 70);
    check_program(shrinking, 60);
}

/* Two kernels in turn, a long one and a short one, each of which finds in caches what its launch before brought: without
 * it, a launch takes `cold` times as long. Returns how many launches of the long kernel were timed. */
static int run_in_turn(int rounds, double cold, int *short_timed)
{
    struct sample_program *p = sample_program_create();
    struct sample_key key[2];
    struct sample_estimate sum;
    bool was_in_l2[2] = {true, true};
    int timed[2] = {0, 0};
    double truth = 0;
    memset(key, 0, sizeof key);
    for (int i = 0; i < 2 * rounds; i++) {
        int k = i % 2;
        key[k].program = (uint64_t)k + 1;
        double work = k ? 1000 : 20000, cycles = work * (3 + 0.5 * sin(i * 0.02) + 0.002 * (i * 37 % 11 - 5));
        enum sample_choice choice = sample_program_choose(p, &key[k]);
        bool is_timed = choice == SAMPLE_TIME;
        double found = was_in_l2[k] ? cycles : cold * cycles;
        struct gpu_result result = {.cycles = (uint64_t)found};
        struct sample_estimate e = {.cycles = found, .timed_cycles = found, .timed_work = work, .work = work};
        struct sample_launch l = {
            .signature = at(0), .work = work, .result = is_timed ? &result : NULL, .estimate = &e};
        l.is_in_l2 = was_in_l2[k] = choice != SAMPLE_COMPUTE;
        sample_program_add(p, &key[k], &l);
        timed[k] += is_timed;
        truth += cycles;
    }
    sample_program_sum(p, 0, &sum);
    if (fabs(sum.cycles - truth) > sum.half_cycles)
        fail_msg("%g cycles +- %g, and the truth is %g; %d were timed", sum.cycles, sum.half_cycles, truth, timed[0]);
    assert_true(sample_relative_half(&sum) <= sample_target);
    sample_program_destroy(p);
    *short_timed = timed[1];
    return timed[0];
}

static void short_launches_come_along_with_long_ones(void **state)
{
    (void)state;
    int short_timed, long_timed = run_in_turn(600, 1.2, &short_timed);
    assert_true(long_timed < 48);
    assert_true(short_timed >= long_timed);
}

static void a_program_that_is_timed_whole_is_exact(void **state)
{
    (void)state;
    struct sample_program *p = sample_program_create();
    struct sample_estimate e;
    struct sample_change program, kernel;
    double truth;
    assert_int_equal(run_launches(p, 2, steady, &truth), 2);
    sample_program_sum(p, 1, &e);
    assert_true(e.cycles == truth && e.half_cycles == 0);
    sample_program_changes(p, &program, &kernel);
    assert_true(program.cycles == truth && kernel.cycles == truth && program.half_cycles == 0);
    sample_program_sum(p, 2, &e); /* another kernel */
    assert_true(e.cycles == 0);
    sample_program_destroy(p);
}

static void changes_add_up_to_the_sum(void **state)
{
    (void)state;
    struct sample_program *p = sample_program_create();
    struct sample_estimate e;
    struct sample_change program, kernel;
    double truth, cycles = 0, half = 0;
    for (int i = 0; i < 50; i++) {
        run_launches(p, 1, noisy, &truth);
        sample_program_changes(p, &program, &kernel);
        cycles += program.cycles;
        half += program.half_cycles;
    }
    sample_program_sum(p, 0, &e);
    assert_true(fabs(cycles - e.cycles) < 1e-6 * e.cycles);
    assert_true(fabs(half - e.half_cycles) < 1e-6 * e.cycles);
    sample_program_destroy(p);
}

static void counters_are_scaled_by_what_they_count(void **state)
{
    (void)state;
    struct gpu_result r = {.part_count = 1, .site_count = 1}, copy;
    r.parts[0] = (struct stat_value){&sm_stat_owner, &r.sm};
    r.sites = calloc(2, sizeof *r.sites);
    r.sites[0].issues = 10;
    r.sm.stall_cycles = 100;
    r.sm.transactions = 100;
    r.sm.scalar_registers = 7;
    scale_copy(&copy, &r);
    scale_counters(&copy, 2, 3);
    assert_int_equal(copy.sm.stall_cycles, 200);
    assert_int_equal(copy.sm.transactions, 300);
    assert_int_equal(copy.sm.scalar_registers, 7);
    assert_int_equal(copy.sites[0].issues, 30);
    scale_set_exact(&copy, &(struct launch_result){.warp_instructions = 11, .thread_instructions = 22}, 5, true);
    assert_int_equal(copy.sm.warp_instructions, 11);
    assert_int_equal(copy.launch.thread_instructions, 22);
    assert_int_equal(copy.sm.blocks, 5);
    assert_int_equal(r.sm.stall_cycles, 100);
    assert_int_equal(r.sites[0].issues, 10);
    gpu_result_free(&copy);
    gpu_result_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_that_are_alike_have_no_variance),
        cmocka_unit_test(work_is_measured_in_what_varies_less),
        cmocka_unit_test(the_truth_is_in_the_interval),
        cmocka_unit_test(a_wide_interval_asks_for_more_samples),
        cmocka_unit_test(samples_that_say_nothing_new_are_left_out),
        cmocka_unit_test(short_launches_are_timed_whole),
        cmocka_unit_test(quantiles_are_students),
        cmocka_unit_test(groups_are_as_many_as_there_are_kinds),
        cmocka_unit_test(programs_are_within_their_intervals),
        cmocka_unit_test(short_launches_come_along_with_long_ones),
        cmocka_unit_test(a_program_that_is_timed_whole_is_exact),
        cmocka_unit_test(changes_add_up_to_the_sum),
        cmocka_unit_test(counters_are_scaled_by_what_they_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
