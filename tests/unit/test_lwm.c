/*
 * Large warps: worked examples to the mask, lockstep to the cycle, and random graphs on which every thread must walk
 * its own path.
 */
#include "div/table.h"
#include "div_graphs.h"
#include "div_scene.h"

/* ---- worked examples ---- */

#define HAMMOCK HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "bra D;\nC:" WORK "\nD:" WORK "ret;")

/* Four static warps. At C the columns have 2, 1, 2 and 1 threads, so there are two sub-warps where static warps would
 * be four; at B 2, 3, 2 and 3. */
static const struct scene columns = {
    .mechanism = "lwm",
    .text = HAMMOCK,
    .script = {{"A", "0111"
                     "1010"
                     "1101"
                     "0101"}},
    .threads = 16,
    .knobs = "warps=4",
    .trace = "A:1234 A:5678 A:9abc A:defg C:16b8 C:df B:5234 B:9a7c B:eg D:1234 D:5678 D:9abc D:defg ",
};

static void sub_warps_take_one_thread_of_each_column(void **state)
{
    (void)state;
    struct bench b;
    scene_play(&b, &columns);
    assert_int_equal(bench_counter(&b, "formed"), 4);
    assert_int_equal(bench_counter(&b, "useful"), 2);
    assert_int_equal(bench_counter(&b, "warps_before"), 4 + 4 + 4 + 4);
    assert_int_equal(bench_counter(&b, "warps_after"), 4 + 2 + 3 + 4);
    assert_int_equal(bench_counter(&b, "divergent_branches"), 1);
    bench_close(&b);
    struct scene apart = columns; /* with static warps for sub-warps */
    apart.knobs = "warps=4 packing=no";
    apart.trace = "A:1234 A:5678 A:9abc A:defg C:1 C:68 C:b C:df B:234 B:57 B:9ac B:eg D:1234 D:5678 D:9abc D:defg ";
    scene_play_only(&apart);
}

static void the_side_that_runs_first_is_a_knob(void **state)
{
    (void)state;
    struct scene scene = columns;
    scene.knobs = "warps=4 order=not-taken-first";
    scene.trace = "A:1234 A:5678 A:9abc A:defg B:5234 B:9a7c B:eg C:16b8 C:df D:1234 D:5678 D:9abc D:defg ";
    scene_play_only(&scene);
}

/* Large warps of two: what one does is no business of the other's. */
static void a_large_warp_is_as_large_as_asked_for(void **state)
{
    (void)state;
    struct bench b;
    struct scene halves = columns;
    halves.knobs = "warps=2";
    scene_begin(&b, &halves);
    scene_expect_state(&b, "large warp 0\n  E 11.11.11.11 - x2\nlarge warp 2\n  E 0011.0011.0011.0011 - x2\n");
    bench_run(&b);
    assert_int_equal(bench_counter(&b, "warps_after"), 4 + 1 + 2 + 2 + 2 + 4);
    scene_end(&b);
}

/* ---- lockstep ---- */

#define STRAIGHT HEAD KERNEL("A:" WORK "\nB:" WORK "\nC:" WORK "ret;")

/* Issues the strand of a thread, if it may. */
static bool issue(struct bench *b, int thread)
{
    struct strand *s = &b->strand[b->strand_of[thread]];
    b->host.now++;
    if (s->parked)
        return false;
    bench_issue(b, s);
    return true;
}

static void an_instruction_waits_for_the_last_sub_warp(void **state)
{
    (void)state;
    static const struct scene scene = {.mechanism = "lwm", .text = STRAIGHT, .threads = 8};
    struct bench b;
    scene_begin(&b, &scene);
    assert_true(issue(&b, 0));
    assert_false(issue(&b, 0));
    assert_false(issue(&b, 0));
    assert_true(issue(&b, 4));
    assert_int_equal(bench_counter(&b, "lockstep_wait"), 3);
    assert_true(issue(&b, 4));
    assert_false(issue(&b, 4));
    assert_true(issue(&b, 0));
    assert_int_equal(bench_counter(&b, "lockstep_wait"), 3 + 2);
    bench_run(&b);
    scene_end(&b);
    struct scene free_scene = scene;
    free_scene.knobs = "lockstep=no";
    scene_begin(&b, &free_scene);
    assert_true(issue(&b, 0));
    assert_true(issue(&b, 0));
    assert_true(issue(&b, 0));
    bench_run(&b);
    assert_int_equal(bench_counter(&b, "lockstep_wait"), 0);
    scene_end(&b);
}

/* ---- corners ---- */

/* Sub-warps of ended threads are not waited for. */
static void a_sub_warp_that_ends_does_not_hold_the_others(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "lwm",
        .text = HEAD KERNEL("A:" WORK "@%p0 exit;\nB:" WORK "\nC:" WORK "ret;"),
        .script = {{"A", "00000111"}},
        .threads = 8,
        .trace = "A:1234 A:5678 B:678 C:678 ",
    };
    scene_play_only(&scene);
}

/* Both sides have a barrier of their own, which are the same to the block. The last opens it, and goes straight on.
 * */
static void sides_meet_at_barriers_of_their_own(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "lwm",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "bar.sync 0;\nE:" WORK "bra D;\nC:" WORK
                            "bar.sync 0;\nF:" WORK "\nD:" WORK "ret;"),
        .script = {{"A", "01111001"}},
        .threads = 8,
        .trace = "A:1234 A:5678 C:167 B:5234 B:8 E:8 E:5234 F:167 D:1234 D:5678 ",
    };
    struct bench b;
    scene_play(&b, &scene);
    assert_int_equal(bench_counter(&b, "partial_barriers"), 2);
    bench_close(&b);
}

/* Two large warps come to a barrier each in its own time. */
static void large_warps_of_a_block_meet_at_barriers(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "lwm",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK WORK "\nC: bar.sync 0;\nD:" WORK "ret;"),
        .script = {{"A", "01110000"}},
        .threads = 8,
        .knobs = "warps=1",
        .trace = "A:1234 A:5678 B:234 C:5678 C:1234 D:5678 D:1234 ",
    };
    scene_play_only(&scene);
}

/* Two blocks of two large warps of a row each. Lanes 0 and 1 of every row go to C, which runs first. */
static void every_large_warp_knows_where_its_threads_wait(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, HAMMOCK, by_lane, "00111111111111111111111111111111");
    set_knobs(&scene_knobs, div_find("lwm")->knobs, "warps=1");
    b.knobs = &scene_knobs;
    bench_begin(&b, "lwm", 32);
    bench_launch(&b, 0, 64);
    bench_launch(&b, 1, 64);
    int32_t side = b.program->branches[0].target[1], meeting = b.program->branches[0].ipdom;
    for (int row = 0; row < 4; row++)
        run_to(&b, row * 32, "C");
    for (int row = 0; row < 4; row++)
        assert_int_equal(b.ops->where(b.div, row, 2), side);
    bench_issue(&b, strand_of(&b, 3 * 32)); /* the last row's lanes 0 and 1 come to D, and wait for the others */
    assert_int_equal(b.ops->where(b.div, 3, 0), meeting);
    assert_int_equal(b.ops->where(b.div, 4, 0), PC_NONE); /* no block there */
    bench_run(&b);
    bench_close(&b);
}

/* ---- random graphs ---- */

#ifndef ROUNDS
#define ROUNDS 40
#endif

static void on_random_graphs_every_thread_walks_its_own_path(void **state)
{
    (void)state;
    graphs_walk("lwm", ROUNDS, true, what_is_pushed_is_popped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sub_warps_take_one_thread_of_each_column),
        cmocka_unit_test(the_side_that_runs_first_is_a_knob),
        cmocka_unit_test(a_large_warp_is_as_large_as_asked_for),
        cmocka_unit_test(an_instruction_waits_for_the_last_sub_warp),
        cmocka_unit_test(a_sub_warp_that_ends_does_not_hold_the_others),
        cmocka_unit_test(sides_meet_at_barriers_of_their_own),
        cmocka_unit_test(large_warps_of_a_block_meet_at_barriers),
        cmocka_unit_test(every_large_warp_knows_where_its_threads_wait),
        cmocka_unit_test(on_random_graphs_every_thread_walks_its_own_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
