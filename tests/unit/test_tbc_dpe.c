/*
 * Thread block compaction with two paths an entry: worked examples to the mask, the corners of loops, calls, ends and
 * barriers, and random graphs on which every thread must walk its own path.
 */
#include "div_graphs.h"
#include "div_scene.h"

/* ---- worked examples ---- */

#define HAMMOCK HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK WORK "bra D;\nC:" WORK WORK WORK WORK "\nD:" WORK "ret;")

/* Figure 7 of TBC: threads 1, 6 and 7 go to C. */
static const struct scene figure_7 = {
    .mechanism = "tbc-dpe",
    .text = HAMMOCK,
    .threads = 8,
    .script = {{"A", "01111001"}},
    .trace = "A:1234 A:5678 C:167 B:5234 B:8 D:1234 D:5678 ",
};

static void both_sides_of_figure_7_are_there_at_once(void **state)
{
    (void)state;
    struct bench b;
    scene_play(&b, &figure_7);
    assert_int_equal(bench_counter(&b, "synchronised"), 2);
    assert_int_equal(bench_counter(&b, "divergent_branches"), 1);
    assert_int_equal(bench_counter(&b, "useful"), 1); /* C: of two static warps, one */
    assert_int_equal(bench_counter(&b, "warps_before"), 6);
    assert_int_equal(bench_counter(&b, "warps_after"), 5);
    assert_int_equal(bench_counter(&b, "paired"), 1);
    assert_int_equal(bench_counter(&b, "max_depth"), 2); /* tbc: 3 */
    assert_int_equal(bench_counter(&b, "reconvergences"), 3);
    bench_close(&b);
}

/* Strands of both sides are there while C is slow; or those of one at a time, if that is asked for. */
static void the_sides_issue_in_turns(void **state)
{
    (void)state;
    struct bench b;
    scene_begin(&b, &figure_7);
    scene_expect_state(&b, "block 0\n  E 11.11.11.11 x2 - - -\n");
    while (b.strand_of[7] < 0 || !is_at(&b, &b.strand[b.strand_of[7]], "B"))
        bench_cycle(&b);
    /* By home lane: threads 1 and 5 are the first pair. */
    scene_expect_state(&b, "block 0\n  D 11.11.11.11 - - -\n  C 10.01.01.00 x1 B 01.10.10.11 x2 D\n");
    assert_int_equal(strand_count(&b), 3);
    bench_run(&b);
    scene_end(&b);
    struct scene serial = figure_7;
    serial.knobs = "interleave=no";
    scene_begin(&b, &serial);
    while (b.strand_of[0] < 0 || !is_at(&b, &b.strand[b.strand_of[0]], "C"))
        bench_cycle(&b);
    assert_int_equal(b.ops->where(b.div, 0, 1), b.program->branches[0].target[1]); /* thread 2 waits at B */
    while (b.strand_of[7] < 0 || !is_at(&b, &b.strand[b.strand_of[7]], "B"))
        bench_cycle(&b);
    scene_expect_state(&b, "block 0\n  D 11.11.11.11 - - -\n  - - B 01.10.10.11 x2 D\n");
    assert_int_equal(strand_count(&b), 2);
    bench_run(&b);
    scene_end(&b);
}

static void the_side_that_is_compacted_first_is_a_knob(void **state)
{
    (void)state;
    struct scene scene = figure_7;
    scene.knobs = "order=not-taken-first";
    scene.trace = "A:1234 A:5678 B:5234 B:8 C:167 D:1234 D:5678 ";
    scene_play_only(&scene);
}

static void without_compaction_warps_stay_static(void **state)
{
    (void)state;
    struct scene scene = figure_7;
    struct bench b;
    scene.knobs = "compaction=no";
    scene.trace = "A:1234 A:5678 C:1 C:67 B:234 B:58 D:1234 D:5678 ";
    scene_play(&b, &scene);
    assert_int_equal(bench_counter(&b, "useful"), 0);
    scene_end(&b);
}

/* The example of DPE, with two warps: C parts while B is under way, and B is set aside until D and E have met at F.
 * */
#define NESTED                                                                                               \
    HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK WORK WORK WORK WORK "\nb:" WORK "bra G;\nC:" WORK WORK WORK \
                "@%p0 bra E;\nD:" WORK "bra F;\nE:" WORK "\nF:" WORK "\nG:" WORK "ret;")

static void a_side_that_parts_sets_the_other_aside(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc-dpe",
        .text = NESTED,
        .threads = 8,
        .script = {{"A", "10010001"}, {"C", "00011000"}}, /* 1, 4 and 8 to B; of the others 5 to D */
        .trace = "A:1234 A:5678 C:523 C:67 B:14 B:8 E:23 E:67 D:5 F:523 F:67 b:14 b:8 G:1234 G:5678 ",
    };
    struct bench b;
    scene_play(&b, &scene);
    assert_int_equal(bench_counter(&b, "set_aside"), 2);
    assert_int_equal(bench_counter(&b, "max_depth"), 3);
    assert_int_equal(bench_counter(&b, "paired"), 3); /* B beside C, D beside E, F beside B */
    bench_close(&b);
}

/* C has a branch that nobody parts at: no entry is made for it, and B goes on meanwhile. */
static void a_branch_that_parts_nobody_sets_nobody_aside(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc-dpe",
        .text = NESTED,
        .threads = 8,
        .script = {{"A", "10010001"}, {"C", "00000000"}},
        .trace = "A:1234 A:5678 C:523 C:67 B:14 B:8 E:523 F:523 E:67 b:14 F:67 b:8 G:1234 G:5678 ",
    };
    struct bench b;
    scene_play(&b, &scene);
    assert_int_equal(bench_counter(&b, "set_aside"), 0);
    assert_int_equal(bench_counter(&b, "divergent_branches"), 1);
    assert_int_equal(bench_counter(&b, "max_depth"), 2);
    bench_close(&b);
}

/* ---- corners ---- */

/* Threads leave the loop one by one; it needs one entry beside the kernel's. */
static void a_loop_does_not_grow_the_stack(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc-dpe",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra A;\nB:" WORK "ret;"),
        .threads = 8,
        .script = {{"A", "00000000"}, {"A", "01111000"}, {"A", "11111100"}, {"A", "11111111"}},
        .trace = "A:1234 A:5678 A:1234 A:5678 A:1678 A:78 B:1234 B:5678 ",
    };
    struct bench b;
    scene_play(&b, &scene);
    assert_int_equal(bench_counter(&b, "max_depth"), 2);
    bench_close(&b);
}

/* Five targets: three entries, of which the lowest has one path. */
static void an_indexed_branch_has_an_entry_for_two_targets(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc-dpe",
        .text = HEAD KERNEL("A:" WORK "T: .branchtargets B, C, D, E, F;\nbrx.idx %r0, T;\nB:" WORK "bra G;\nC:" WORK
                            "bra G;\nD:" WORK "bra G;\nE:" WORK "bra G;\nF:" WORK "\nG:" WORK "ret;"),
        .threads = 8,
        .script = {{"A", "01234321"}},
        .trace = "A:1234 A:5678 B:1 C:28 D:3 D:7 E:64 F:5 G:1234 G:5678 ",
    };
    struct bench b;
    scene_play(&b, &scene);
    assert_int_equal(bench_counter(&b, "max_depth"), 4);
    bench_close(&b);
}

/* Those that end do not come back, so C is where the branch meets. */
static void threads_that_exit_leave_every_entry(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc-dpe",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "exit;\nC:" WORK "\nD:" WORK "ret;"),
        .threads = 8,
        .script = {{"A", "01111001"}},
        .trace = "A:1234 A:5678 B:5234 B:8 C:167 D:167 ",
    };
    scene_play_only(&scene);
}

static void a_divergent_return_holds_threads_until_all_can(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc-dpe",
        .text = HEAD FUNC("f", "X:" WORK "@%p0 ret;\nY:" WORK "ret;") KERNEL("A:" WORK "call f;\nB:" WORK "ret;"),
        .threads = 8,
        .script = {{"X", "01010111"}},
        .trace = "A:1234 A:5678 X:1234 X:5678 Y:274 Y:68 B:1234 B:5678 ",
    };
    scene_play_only(&scene);
}

/* Both sides have a barrier of their own, which are the same to the block. The last warp opens it, and goes straight
 * on. */
static void sides_meet_at_barriers_of_their_own(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc-dpe",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "bar.sync 0;\nE:" WORK "bra D;\nC:" WORK
                            "bar.sync 0;\nF:" WORK "\nD:" WORK "ret;"),
        .threads = 8,
        .script = {{"A", "01111001"}},
        .trace = "A:1234 A:5678 C:167 B:5234 B:8 E:8 F:167 E:5234 D:1234 D:5678 ",
    };
    struct bench b;
    scene_play(&b, &scene);
    assert_int_equal(bench_counter(&b, "partial_barriers"), 2);
    assert_int_equal(bench_counter(&b, "ran_ahead"), 0);
    bench_close(&b);
}

/* The others wait at D for those at the barrier, which wait for them: they run ahead to their end. */
static void threads_held_back_come_to_their_end_before_a_barrier(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc-dpe",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra D;\nB:" WORK "bar.sync 0, 32;\nC:" WORK "\nD:" WORK "ret;"),
        .threads = 8,
        .script = {{"A", "01111001"}},
        .trace = "A:1234 A:5678 B:5234 B:8 D:167 C:5234 C:8 D:5234 D:8 ",
    };
    struct bench b;
    scene_play(&b, &scene);
    assert_int_equal(bench_counter(&b, "partial_barriers"), 2);
    assert_int_equal(bench_counter(&b, "ran_ahead"), 1);
    bench_close(&b);
}

/* C parts, and all of its threads come to a barrier; B, which was set aside, must come to it too. */
static void a_side_set_aside_runs_when_those_above_wait(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc-dpe",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK WORK WORK WORK WORK
                            "\nb: bar.sync 0;\nbra G;\nC:" WORK WORK WORK
                            "@%p0 bra E;\nD: bar.sync 0;\nbra F;\nE: bar.sync 0;\nF:" WORK "\nG:" WORK "ret;"),
        .threads = 8,
        .script = {{"A", "10010001"}, {"C", "00011000"}},
        .trace = "A:1234 A:5678 C:523 C:67 B:14 B:8 E:23 E:67 D:5 b:14 b:8 F:523 F:67 G:1234 G:5678 ",
    };
    scene_play_only(&scene);
}

/* ---- random graphs ---- */

#ifndef ROUNDS
#define ROUNDS 40
#endif

static void on_random_graphs_every_thread_walks_its_own_path(void **state)
{
    (void)state;
    graphs_walk("tbc-dpe", ROUNDS, true, what_is_pushed_is_popped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sides_of_figure_7_are_there_at_once),
        cmocka_unit_test(the_sides_issue_in_turns),
        cmocka_unit_test(the_side_that_is_compacted_first_is_a_knob),
        cmocka_unit_test(without_compaction_warps_stay_static),
        cmocka_unit_test(a_side_that_parts_sets_the_other_aside),
        cmocka_unit_test(a_branch_that_parts_nobody_sets_nobody_aside),
        cmocka_unit_test(a_loop_does_not_grow_the_stack),
        cmocka_unit_test(an_indexed_branch_has_an_entry_for_two_targets),
        cmocka_unit_test(threads_that_exit_leave_every_entry),
        cmocka_unit_test(a_divergent_return_holds_threads_until_all_can),
        cmocka_unit_test(sides_meet_at_barriers_of_their_own),
        cmocka_unit_test(threads_held_back_come_to_their_end_before_a_barrier),
        cmocka_unit_test(a_side_set_aside_runs_when_those_above_wait),
        cmocka_unit_test(on_random_graphs_every_thread_walks_its_own_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
