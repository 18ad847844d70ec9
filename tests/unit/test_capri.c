/* capri: worked examples to the mask, its history table, and random graphs. */
#include "div/parts/predictor.h"
#include "div_frames.h"
#include "div_steps.h"

#ifndef ROUNDS
#define ROUNDS 200
#endif

/* ---- worked examples ---- */

/* As in Figure 3: three warps before and three after, on both paths. The fourth does not part, and is not
 * waited for. An unseen branch is taken to be worth it; the next block knows better, and its warps run as
 * under pdom. */
static void three_warps_that_stay_three_are_not_compacted_again(void **state)
{
    (void)state;
    struct bench b;
    const char *taken = "1000 1000 1000 0000";
    frames_play(&b, "capri", "", taken,
                STATIC("A") ", "
                            "C 1000.0000.0000.0000, B 0000.0000.0000.1111, "
                            "C 0000.1000.0000.0000, C 0000.0000.1000.0000, D 0000.0000.0000.1111, "
                            "B 0111.0000.0000.0000, B 0000.0111.0000.0000, B 0000.0000.0111.0000, "
                            "D 1111.0000.0000.0000, D 0000.1111.0000.0000, D 0000.0000.1111.0000");
    assert_int_equal(bench_counter(&b, "stall_bypass"), 1);
    bench_launch(&b, 1, 16);
    bench_run(&b);
    assert_int_equal(bench_counter(&b, "stall_bypass"), 1);
    assert_int_equal(bench_counter(&b, "bypass_bypass"), 1);
    assert_int_equal(bench_counter(&b, "useless_compactions"), 2);
    assert_int_equal(bench_counter(&b, "frames"), 1);
    assert_int_equal(bench_counter(&b, "table_misses"), 1);
    assert_int_equal(bench_counter(&b, "table_hits"), 1);
    bench_close(&b);
}

/* As in Figure 5: four warps whose fullest lane has three threads save one. */
static void a_fullest_lane_of_three_in_four_warps_is_adequate(void **state)
{
    (void)state;
    struct bench b;
    frames_play(&b, "capri", "", "1100 1010 1001 0110",
                STATIC("A") ", "
                            "C 1100.0010.0001.0000, C 0000.1000.0000.0110, C 0000.0000.1000.0000, "
                            "B 0011.0100.0000.1000, B 0000.0001.0110.0000, B 0000.0000.0000.0001, " STATIC("D"));
    assert_int_equal(bench_counter(&b, "stall_stall"), 1);
    assert_int_equal(bench_counter(&b, "useful_compactions"), 2);
    assert_int_equal(bench_counter(&b, "warps_saved"), 2);
    bench_close(&b);
}

/* ---- what is counted ---- */

/* The first warp comes to the branch alone, and waits until the other three, which come together. */
static void warps_wait_for_the_last_one(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, FRAMES_IF_ELSE, frames_by_mask, "1100 0011 1100 0011");
    frames_begin(&b, "capri", "", 4);
    bench_launch(&b, 0, 16);
    struct strand *first = strand_of(&b, 0);
    while (!first->parked) {
        b.host.now++;
        bench_issue(&b, first);
    }
    uint64_t since = b.host.now;
    assert_int_equal(bench_counter(&b, "waits"), 0);
    assert_true(b.ops->comes(b.div, 0, 0, since)); /* it decided something in that cycle */
    assert_false(b.ops->comes(b.div, 0, 0, since + 1));
    b.host.now += 20;
    while (!bench_counter(&b, "frames"))
        assert_true(bench_cycle(&b));
    assert_int_equal(bench_counter(&b, "waits"), 4);
    assert_int_equal(bench_counter(&b, "wait_cycles"), b.host.now - since);
    bench_run(&b);
    assert_int_equal(bench_counter(&b, "nested_frames"), 0);
    assert_int_equal(bench_counter(&b, "max_depth"), 2); /* of warps that a frame made: their path, and its end */
    assert_int_equal(bench_counter(&b, "uniform_meetings"), 0);
    bench_close(&b);
}

/* Warps that the compactor is about to give run by themselves. */
static void warps_come_out_of_the_compactor(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, FRAMES_IF_ELSE, frames_by_mask, "1100 1010 1001 0110");
    frames_begin(&b, "capri", "", 4);
    bench_launch(&b, 0, 16);
    while (!bench_counter(&b, "frames"))
        assert_true(bench_cycle(&b));
    uint64_t later = b.host.now + 1;
    assert_true(b.ops->comes(b.div, 0, 4, later)); /* the second of three warps */
    bench_run(&b);
    assert_false(b.ops->comes(b.div, 0, 4, later));
    bench_close(&b);
}

static void a_meeting_at_which_nobody_parts(void **state)
{
    (void)state;
    struct bench b;
    frames_play(&b, "capri", "", "1111 0000 1111 0000",
                STATIC("A") ", C 1111.0000.0000.0000, B 0000.1111.0000.0000, C 0000.0000.1111.0000, "
                            "B 0000.0000.0000.1111, D 1111.0000.0000.0000, D 0000.0000.1111.0000, "
                            "D 0000.1111.0000.0000, D 0000.0000.0000.1111");
    assert_int_equal(bench_counter(&b, "uniform_meetings"), 1);
    assert_int_equal(bench_counter(&b, "stall_stall") + bench_counter(&b, "bypass_bypass"), 0);
    assert_int_equal(bench_counter(&b, "stall_bypass") + bench_counter(&b, "bypass_stall"), 0);
    assert_int_equal(bench_counter(&b, "waits"), 0);
    bench_close(&b);
}

/* Threads part by bits of their number at the first branch, and again at the second, on the way that both halves took. */
static int by_halves(struct bench *b, int thread, int32_t pc, int ways)
{
    (void)ways;
    return thread >> (b->program->insns[pc].branch ? 1 : 0) & 1;
}

static void frames_within_a_frame(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b,
               HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "@%p0 bra X;\nY:" WORK "bra Z;\nX:" WORK "\nZ:" WORK
                           "bra D;\nC:" WORK "\nD:" WORK "ret;"),
               by_halves, NULL);
    frames_begin(&b, "capri", "", 4);
    bench_launch(&b, 0, 16);
    bench_run(&b);
    assert_int_equal(bench_counter(&b, "frames"), 2);
    assert_int_equal(bench_counter(&b, "nested_frames"), 1);
    assert_int_equal(bench_counter(&b, "max_level"), 2);
    bench_close(&b);
}

/* ---- the table ---- */

static void one_bit_remembers_the_last_time(void **state)
{
    (void)state;
    struct predictor p;
    predictor_init(&p, 4, 2, 1, true);
    assert_true(predictor_ask(&p, 8));
    predictor_tell(&p, 8, false);
    assert_false(predictor_ask(&p, 8));
    predictor_tell(&p, 8, true);
    assert_true(predictor_ask(&p, 8));
    assert_int_equal(p.misses, 1);
    assert_int_equal(p.hits, 2);
    predictor_free(&p);
}

static void two_bits_need_to_be_told_twice(void **state)
{
    (void)state;
    struct predictor p;
    predictor_init(&p, 4, 2, 2, true);
    predictor_tell(&p, 8, true);
    predictor_tell(&p, 8, false);
    assert_true(predictor_ask(&p, 8));
    predictor_tell(&p, 8, false);
    assert_false(predictor_ask(&p, 8));
    predictor_free(&p);
}

static void the_least_recently_used_branch_is_lost(void **state)
{
    (void)state;
    struct predictor p;
    predictor_init(&p, 4, 2, 1, true); /* two sets: even and odd keys */
    predictor_tell(&p, 2, false);
    predictor_tell(&p, 4, false);
    assert_false(predictor_ask(&p, 2));
    predictor_tell(&p, 6, false);
    assert_int_equal(p.evictions, 1);
    assert_false(predictor_ask(&p, 2));
    assert_true(predictor_ask(&p, 4));
    predictor_tell(&p, 1, false);
    assert_int_equal(p.evictions, 1);
    predictor_free(&p);
}

/* ---- random graphs ---- */

static void on_random_graphs_every_thread_walks_its_own_path(void **state)
{
    frames_on_random_graphs("capri", *state, ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_warps_that_stay_three_are_not_compacted_again),
        cmocka_unit_test(a_fullest_lane_of_three_in_four_warps_is_adequate),
        cmocka_unit_test(warps_wait_for_the_last_one),
        cmocka_unit_test(warps_come_out_of_the_compactor),
        cmocka_unit_test(a_meeting_at_which_nobody_parts),
        cmocka_unit_test(frames_within_a_frame),
        cmocka_unit_test(one_bit_remembers_the_last_time),
        cmocka_unit_test(two_bits_need_to_be_told_twice),
        cmocka_unit_test(the_least_recently_used_branch_is_lost),
        cmocka_unit_test_prestate(on_random_graphs_every_thread_walks_its_own_path, ""),
        cmocka_unit_test_prestate(on_random_graphs_every_thread_walks_its_own_path, "first=no bits=2"),
        cmocka_unit_test_prestate(on_random_graphs_every_thread_walks_its_own_path, "size=1 bits=8 index=pc+block"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
