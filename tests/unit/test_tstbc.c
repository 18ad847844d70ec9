/* tstbc and tstbc-auto: worked examples to the mask, its knobs, and random graphs. */
#include "div/frame.h"
#include "div_frames.h"

#ifndef ROUNDS
#define ROUNDS 200
#endif

/* ---- worked examples ---- */

/* As in Figure 4: two warps have come; B has 1101 and 1010, C has 0010 and 0101. */
static void the_fullest_lane_of_two_warps(void **state)
{
    (void)state;
    struct side sides[] = {
        {0, 0, {1, 0}, 0xb}, {0, 1, {2, 0}, 0x4}, {1, 0, {1, 0}, 0x5}, {1, 1, {2, 0}, 0xa}};
    struct meeting m = {0};
    int before;
    m.sides.data = sides;
    m.sides.count = 4;
    assert_int_equal(meeting_lanemax(&m, 0, 0, &before), 2);
    assert_int_equal(before, 2);
    assert_int_equal(meeting_lanemax(&m, 1, 0, &before), 1);
    assert_int_equal(meeting_lanemax(&m, 0, 1, &before), 1);
    assert_int_equal(before, 1);
}

/* As in Figure 6, with n = T = 2: of the first two the fullest lane has 2 threads, and they go on as they
 * are; of the last two it has 1, and they become one warp. The second path, over all four, has a lane of 3:
 * as they are. */
static void the_first_two_are_released_and_the_last_two_compacted(void **state)
{
    (void)state;
    struct bench b;
    frames_play(&b, "tstbc", "n=2 threshold=2", "1100 1010 1100 0011",
                STATIC("A") ", "
                            "C 1100.0000.0000.0000, C 0000.1010.0000.0000, C 0000.0000.1100.0011, "
                            "B 0011.0000.0000.0000, B 0000.0101.0000.0000, B 0000.0000.0011.0000, B "
                            "0000.0000.0000.1100, " STATIC("D"));
    assert_int_equal(bench_counter(&b, "stages_released"), 1);
    assert_int_equal(bench_counter(&b, "stall_stall"), 1);
    assert_int_equal(bench_counter(&b, "warps_saved"), 1);
    bench_close(&b);
}

/* The same warps, but those that were released are gone for good: the second path is judged over the last
 * two. */
static void only_late_warps_are_there_for_the_second_path(void **state)
{
    (void)state;
    struct bench b;
    frames_play(
        &b, "tstbc", "n=2 threshold=2 second_path=late", "1100 1010 1100 0011",
        STATIC("A") ", "
                    "C 1100.0000.0000.0000, C 0000.1010.0000.0000, C 0000.0000.1100.0011, "
                    "B 0011.0000.0000.0000, B 0000.0101.0000.0000, B 0000.0000.0011.1100, " STATIC("D"));
    assert_int_equal(bench_counter(&b, "warps_saved"), 2);
    bench_close(&b);
}

/* The first path packs nowhere; the second packs all four into one warp, since the released warps are there
 * again. */
static void the_second_path_finds_all_warps(void **state)
{
    (void)state;
    struct bench b;
    frames_play(&b, "tstbc", "n=2 threshold=2", "0111 1011 1101 1110",
                STATIC("A") ", "
                            "C 0111.0000.0000.0000, C 0000.1011.0000.0000, C 0000.0000.1101.0000, C "
                            "0000.0000.0000.1110, "
                            "B 1000.0100.0010.0001, " STATIC("D"));
    assert_int_equal(bench_counter(&b, "stages_released"), 1);
    assert_int_equal(bench_counter(&b, "warps_saved"), 3);
    assert_int_equal(bench_counter(&b, "stall_stall"), 1);
    bench_close(&b);
}

/* As in Figure 5: the fullest lane has 3 threads. That is below 4 warps, but not below T. */
static void a_fullest_lane_of_three_is_not_below_two(void **state)
{
    (void)state;
    struct bench b;
    frames_play(&b, "tstbc", "n=4 threshold=2", "1100 1010 1001 0110",
                STATIC("A") ", "
                            "C 1100.0000.0000.0000, C 0000.1010.0000.0000, C 0000.0000.1001.0000, C "
                            "0000.0000.0000.0110, "
                            "B 0011.0000.0000.0000, B 0000.0101.0000.0000, B 0000.0000.0110.0000, B "
                            "0000.0000.0000.1001, " STATIC("D"));
    assert_int_equal(bench_counter(&b, "stages_all"), 1);
    assert_int_equal(bench_counter(&b, "bypass_stall"), 1);
    bench_close(&b);
}

static void a_fullest_lane_of_three_saves_one_warp(void **state)
{
    (void)state;
    struct bench b;
    frames_play(
        &b, "tstbc", "n=4 threshold=1 sense=saved", "1100 1010 1001 0110",
        STATIC("A") ", "
                    "C 1100.0010.0001.0000, C 0000.1000.0000.0110, C 0000.0000.1000.0000, "
                    "B 0011.0100.0000.1000, B 0000.0001.0110.0000, B 0000.0000.0000.0001, " STATIC("D"));
    assert_int_equal(bench_counter(&b, "stall_stall"), 1);
    assert_int_equal(bench_counter(&b, "warps_saved"), 2);
    bench_close(&b);
}

/* Two warps part, fewer than n = 3: any saved warp is enough, whatever T. */
static void few_warps_are_judged_by_their_number(void **state)
{
    (void)state;
    struct bench b;
    frames_play(&b, "tstbc", "n=3 threshold=0", "1100 0000 0011 1111",
                STATIC("A") ", "
                            "C 1100.0000.0011.0000, B 0000.1111.0000.0000, C 0000.0000.0000.1111, "
                            "B 0011.0000.1100.0000, D 0000.0000.0000.1111, D 0000.1111.0000.0000, "
                            "D 1111.0000.0000.0000, D 0000.0000.1111.0000");
    assert_int_equal(bench_counter(&b, "stall_stall"), 1);
    bench_close(&b);
}

/* ---- frames ---- */

/* Threads leave the loop one a round, each time of another warp and lane. */
static int one_a_round(struct bench *b, int thread, int32_t pc, int ways)
{
    (void)ways;
    return b->thread[thread].visits[b->program->insns[pc].branch] >= thread * 7 % 16;
}

/* Warps that part at the loop's end have nothing left to do before it: they go on in the frame that they are
 * in. */
static void loops_do_not_nest_frames(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, HEAD KERNEL("L:" WORK "@%p0 bra L;\nM:" WORK "ret;"), one_a_round, NULL);
    frames_begin(&b, "tstbc", "n=64 filter=no", 4);
    bench_launch(&b, 0, 16);
    bench_run(&b);
    assert_int_equal(bench_counter(&b, "max_level"), 1);
    assert_int_equal(bench_counter(&b, "frames"), 1);
    assert_int_equal(bench_counter(&b, "reused_frames"), 1);
    assert_int_equal(bench_counter(&b, "warps_saved"), 2);
    bench_close(&b);
}

/* Two warps call f from different places. Threads of both are compacted within it, and each returns to its
 * own place: the bench holds them to it. */
static int by_caller(struct bench *b, int thread, int32_t pc, int ways)
{
    (void)ways;
    return b->program->insns[pc].function ? thread % 4 >= 2 : thread >= 4;
}

static void warps_from_two_callers_are_compacted_together(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b,
               HEAD FUNC("f", "F:" WORK "@%p0 bra X;\nY:" WORK "ret;\nX:" WORK "ret;")
                   KERNEL("A:" WORK "@%p0 bra C;\nB: call f;\nbra D;\nC: call f;\nD:" WORK "ret;"),
               by_caller, NULL);
    frames_begin(&b, "tstbc", "n=1 sense=saved threshold=1", 4);
    bench_launch(&b, 0, 8);
    bench_run(&b);
    assert_true(bench_counter(&b, "frames") > 0);
    bench_close(&b);
}

/* Half of each warp waits at a barrier for the other half, which waits for the first path to end. */
static void a_barrier_within_a_path_opens_in_the_end(void **state)
{
    (void)state;
    struct bench b;
    bench_open(
        &b,
        HEAD KERNEL("A:" WORK "@%p0 bra C;\nB: barrier.sync 0;\nbra D;\nC: barrier.sync 0;\nD:" WORK "ret;"),
        frames_by_mask, "1100 0011 1100 0011");
    frames_begin(&b, "tstbc", "n=4 sense=saved threshold=1", 4);
    bench_launch(&b, 0, 16);
    bench_run(&b);
    assert_int_equal(bench_counter(&b, "forced_paths"), 1);
    assert_int_equal(bench_counter(&b, "forced_splits"), 0);
    bench_close(&b);
}

/* Threads of one path end: the others meet without them. */
static void threads_that_end_in_a_frame_are_not_waited_for(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "exit;\nC:" WORK "\nD:" WORK "ret;"),
               frames_by_mask, "1100 0011 1100 0011");
    b.watch = frames_watch;
    frames_begin(&b, "tstbc", "n=4 sense=saved threshold=1", 4);
    text_free(&frames_seen);
    bench_launch(&b, 0, 16);
    bench_run(&b);
    assert_string_equal(frames_seen.data, STATIC("A") ", B 0011.1100.0000.0000, B 0000.0000.0011.1100, "
                                                      "C 1100.0000.0000.0000, C 0000.0011.0000.0000, C "
                                                      "0000.0000.1100.0000, C 0000.0000.0000.0011, "
                                                      "D 1100.0000.0000.0000, D 0000.0011.0000.0000, D "
                                                      "0000.0000.1100.0000, D 0000.0000.0000.0011");
    text_free(&frames_seen);
    bench_close(&b);
}

/* ---- random graphs ---- */

static void on_random_graphs_every_thread_walks_its_own_path(void **state)
{
    frames_on_random_graphs("tstbc", *state, ROUNDS);
}

/* Settings change all the time, while meetings of the one before are open. */
static void on_random_graphs_settings_may_change(void **state)
{
    frames_on_random_graphs("tstbc-auto", *state, ROUNDS);
}

/* Of the settings one after the other: all wait and compact, as tuned in the paper, nobody waits. The masks
 * pack into three warps, which is enough for the first alone. */
static void a_block_runs_under_the_setting_that_is_tried(void **state)
{
    (void)state;
    struct bench b;
    frames_play(
        &b, "tstbc-auto", "trial=5 keep=1000000", "1100 1010 1001 0110",
        STATIC("A") ", "
                    "C 1100.0010.0001.0000, C 0000.1000.0000.0110, C 0000.0000.1000.0000, "
                    "B 0011.0100.0000.1000, B 0000.0001.0110.0000, B 0000.0000.0000.0001, " STATIC("D"));
    assert_int_equal(bench_counter(&b, "stall_stall"), 1);
    bench_launch(&b, 1, 16);
    bench_run(&b);
    assert_int_equal(bench_counter(&b, "stall_stall"), 1);
    assert_int_equal(bench_counter(&b, "bypass_stall"), 1);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fullest_lane_of_two_warps),
        cmocka_unit_test(the_first_two_are_released_and_the_last_two_compacted),
        cmocka_unit_test(only_late_warps_are_there_for_the_second_path),
        cmocka_unit_test(the_second_path_finds_all_warps),
        cmocka_unit_test(a_fullest_lane_of_three_is_not_below_two),
        cmocka_unit_test(a_fullest_lane_of_three_saves_one_warp),
        cmocka_unit_test(few_warps_are_judged_by_their_number),
        cmocka_unit_test(loops_do_not_nest_frames),
        cmocka_unit_test(warps_from_two_callers_are_compacted_together),
        cmocka_unit_test(a_barrier_within_a_path_opens_in_the_end),
        cmocka_unit_test(threads_that_end_in_a_frame_are_not_waited_for),
        cmocka_unit_test(a_block_runs_under_the_setting_that_is_tried),
        cmocka_unit_test_prestate(on_random_graphs_settings_may_change, "trial=20 keep=20"),
        cmocka_unit_test_prestate(on_random_graphs_settings_may_change, "trial=1 keep=1 drain=no"),
        cmocka_unit_test_prestate(on_random_graphs_every_thread_walks_its_own_path, ""),
        cmocka_unit_test_prestate(on_random_graphs_every_thread_walks_its_own_path, "n=1"),
        cmocka_unit_test_prestate(on_random_graphs_every_thread_walks_its_own_path,
                                  "n=2 sense=saved threshold=1"),
        cmocka_unit_test_prestate(on_random_graphs_every_thread_walks_its_own_path,
                                  "n=64 filter=no threshold=64"),
        cmocka_unit_test_prestate(on_random_graphs_every_thread_walks_its_own_path,
                                  "n=2 second_path=late threshold=64"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
