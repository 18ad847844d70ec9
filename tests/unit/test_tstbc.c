/* tstbc and tstbc-auto: worked examples to the mask, its knobs, and random graphs. */
#include "div/parts/frame.h"
#include "div_frames.h"

#ifndef ROUNDS
#define ROUNDS 200
#endif

/* ---- worked examples ---- */

/* As in Figure 4: two warps have come; B has 1101 and 1010, C has 0010 and 0101. */
static void the_fullest_lane_of_two_warps(void **state)
{
    (void)state;
    struct meeting_side sides[] = {{0, 0, {1, 0}, 0xb}, {0, 1, {2, 0}, 0x4}, {1, 0, {1, 0}, 0x5}, {1, 1, {2, 0}, 0xa}};
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

/* All warps have a thread in lane 3. */
static void the_fullest_lane_of_many_warps(void **state)
{
    (void)state;
    enum { WARPS = 40 };
    struct meeting_side sides[WARPS];
    struct meeting m = {0};
    int before;
    m.sides.data = sides;
    for (int i = 0; i < WARPS; i++) {
        sides[i] = (struct meeting_side){i, 0, {1, 0}, 0x8 | UINT64_C(1) << i % 32};
        m.sides.count = i + 1;
        assert_int_equal(meeting_lanemax(&m, 0, 0, &before), i + 1);
        assert_int_equal(before, i + 1);
    }
}

/* What all paths together save is what each path saves, and the first n warps collide if one lane is full. */
static void the_paths_of_a_meeting_together(void **state)
{
    (void)state;
    enum { WARPS = 20, PATHS = 3 };
    struct meeting_side sides[WARPS * (PATHS + 1)];
    struct meeting_arrival arrivals[WARPS];
    uint64_t random = 1;
    for (int paths = 1; paths <= PATHS; paths++) {
        struct meeting m = {0};
        m.sides.data = sides;
        m.arrivals.data = arrivals;
        m.paths.count = paths;
        for (int i = 0; i < WARPS; i++) {
            arrivals[m.arrivals.count++] =
                (struct meeting_arrival){.first_side = m.sides.count, .side_count = paths + 1};
            for (int path = -1; path < paths; path++) {
                random = random * 6364136223846793005u + 1442695040888963407u;
                sides[m.sides.count++] =
                    (struct meeting_side){i, path, {path + 1, 0}, random >> 60 | UINT64_C(1) << i % 2};
            }
            assert_int_equal(meeting_collides(&m, i + 1), meeting_lanemax(&m, 0, 0, NULL) == i + 1);
            for (int first = 0; first <= i + 1; first++) {
                int saved = 0;
                for (int path = 0; path < paths; path++) {
                    int before, after = meeting_lanemax(&m, path, first, &before);
                    saved += before - after;
                }
                assert_int_equal(meeting_saved(&m, first), saved);
            }
        }
    }
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
    frames_play(&b, "tstbc", "n=2 threshold=2 second_path=late", "1100 1010 1100 0011",
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
    frames_play(&b, "tstbc", "n=4 threshold=1 sense=saved", "1100 1010 1001 0110",
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

/* An if-else in one side of another; both end at D. The first two threads of a warp and the last two of the next go to
 * C. Compacted warps run it: of threads 0, 1, 6 and 7, of 8, 9, 14 and 15, and so on. The first two part there. */
#define NESTED_SIDES                                        \
    HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "bra D;\n" \
                "C:" WORK "@%p0 bra E;\nF:" WORK "bra D;\nE:" WORK "\nD:" WORK "ret;")

static int by_nested_side(struct bench *b, int thread, int32_t pc, int ways)
{
    bool is_first = b->program->insns[pc].branch == 0;
    bool takes = is_first ? thread / 2 % 4 == 0 || thread / 2 % 4 == 3 : thread < 2 || thread / 2 == 7;
    return takes ? 0 : ways - 1;
}

/* All that run in the frame part anew, and have nothing to do before its end: both their paths go on in it. */
static void two_paths_of_all_in_a_frame_share_it(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, NESTED_SIDES, by_nested_side, NULL);
    b.watch = frames_watch;
    frames_begin(&b, "tstbc", "n=4 sense=saved threshold=1", 4);
    text_free(&frames_seen);
    bench_launch(&b, 0, 16);
    bench_run(&b);
    assert_string_equal(frames_seen.data, STATIC("A") ", C 1100.0011.0000.0000, C 0000.0000.1100.0011, "
                                                      "E 1100.0000.0000.0011, F 0000.0011.1100.0000, "
                                                      "B 0011.1100.0000.0000, B 0000.0000.0011.1100, " STATIC("D"));
    text_free(&frames_seen);
    assert_int_equal(bench_counter(&b, "frames"), 1);
    assert_int_equal(bench_counter(&b, "reused_frames"), 1);
    assert_int_equal(bench_counter(&b, "max_level"), 1);
    bench_close(&b);
}

/* The third compacted warp goes to F as one and runs on in the frame: those that part need a frame of their own. */
static void two_paths_of_some_in_a_frame_get_their_own(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, NESTED_SIDES, by_nested_side, NULL);
    frames_begin(&b, "tstbc", "n=4 sense=saved threshold=1", 4);
    bench_launch(&b, 0, 24);
    bench_run(&b);
    assert_int_equal(bench_counter(&b, "frames"), 2);
    assert_int_equal(bench_counter(&b, "reused_frames"), 0);
    assert_int_equal(bench_counter(&b, "max_level"), 2);
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
    bench_open(&b, HEAD KERNEL("A:" WORK "@%p0 bra C;\nB: barrier.sync 0;\nbra D;\nC: barrier.sync 0;\nD:" WORK "ret;"),
               frames_by_mask, "1100 0011 1100 0011");
    frames_begin(&b, "tstbc", "n=4 sense=saved threshold=1", 4);
    bench_launch(&b, 0, 16);
    bench_run(&b);
    assert_int_equal(bench_counter(&b, "forced_paths"), 1);
    assert_int_equal(bench_counter(&b, "forced_splits"), 0);
    bench_close(&b);
}

/* The second path starts beside the first: a warp of the first then has one entry fewer in the frame around it. At its
 * next branch, which leaves its own stack as high as it is, an entry comes back from memory: two of the eight moves. */
static void a_path_that_starts_makes_room_on_the_stack(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b,
               HEAD KERNEL("A:" WORK "@%p0 bra C;\nB: barrier.sync 0;\nbra D;\nC: barrier.sync 0;\n@%p0 bra L;\n"
                           "K:" WORK "\nL:" WORK WORK "\nD:" WORK "ret;"),
               frames_by_mask, "1100 0011 1100 0011");
    frames_begin(&b, "tstbc", "n=4 sense=saved threshold=1 stack_entries=1", 4);
    bench_launch(&b, 0, 16);
    bench_run(&b);
    assert_int_equal(bench_counter(&b, "forced_paths"), 1);
    assert_int_equal(bench_counter(&b, "spills"), 8);
    bench_close(&b);
}

/* Threads of one path end: the others meet without them. */
static void threads_that_end_in_a_frame_are_not_waited_for(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "exit;\nC:" WORK "\nD:" WORK "ret;"), frames_by_mask,
               "1100 0011 1100 0011");
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

/* Branches are tried all the time, while meetings and frames of others are open. */
static void on_random_graphs_settings_may_change(void **state)
{
    frames_on_random_graphs("tstbc-auto", *state, ROUNDS);
}

/* ---- tstbc-auto ---- */

#define WORK8 WORK WORK WORK WORK WORK WORK WORK WORK

/* 12 rounds of two branches: at the first each warp has another thread to send to C, at the second all have
 * the same to send to G. */
#define TWO_BRANCHES                                                                                     \
    HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK8 "bra D;\nC:" WORK8 "\nD:" WORK "@%p0 bra G;\nF:" WORK8 \
                "bra H;\nG:" WORK8 "\nH:" WORK "@%p0 bra A;\nE:" WORK "ret;")

static int by_branch(struct bench *b, int thread, int32_t pc, int ways)
{
    int32_t branch = b->program->insns[pc].branch;
    int lane = thread % 4, warp = thread / 4;
    if (branch == 2)
        return b->thread[thread].visits[branch] < 12 ? 0 : ways - 1;
    return lane == (branch == 0 ? warp % 4 : 0) ? 0 : ways - 1;
}

/* What is in the table when the first warp leaves the loop. */
static struct text auto_table;

static void note_table(struct bench *b, const char *label, struct strand *s)
{
    (void)s;
    struct text all = {0};
    if (*label != 'E' || auto_table.length)
        return;
    b->ops->dump(b->div, &all);
    text_printf(&auto_table, "%s", strstr(all.data, "branch at"));
    text_free(&all);
}

static void play_auto(struct bench *b, const char *settings)
{
    bench_open(b, TWO_BRANCHES, by_branch, NULL);
    b->watch = note_table;
    text_free(&auto_table);
    frames_begin(b, "tstbc-auto", settings, 4);
    bench_launch(b, 0, 16);
    bench_run(b);
}

static bool table_says(const struct bench *b, int branch, const char *what)
{
    char line[80];
    snprintf(line, sizeof line, "branch at %d: %s\n", (int)b->program->branches[branch].pc, what);
    return strstr(auto_table.data, line) != NULL;
}

/* At the first branch four warps pack into one on one side and into three on the other; at the second they
 * pack nowhere. */
static void each_branch_gets_its_own_setting(void **state)
{
    (void)state;
    struct bench b;
    play_auto(&b, "pause=2 trial=2 window=16");
    assert_true(table_says(&b, 0, "n = all") || table_says(&b, 0, "n = 2") || table_says(&b, 0, "n = 4"));
    assert_true(table_says(&b, 1, "nobody waits"));
    assert_true(bench_counter(&b, "stall_stall") > 4);
    assert_int_equal(bench_counter(&b, "stall_bypass"), 0);
    assert_true(bench_counter(&b, "slots_saved") > 4 * 4 * 8);
    bench_close(&b);
}

/* A loop of one branch: of each warp another thread goes to C, of 8 instructions, and the others go to B, of 9. */
static int by_warp(struct bench *b, int thread, int32_t pc, int ways)
{
    int32_t branch = b->program->insns[pc].branch;
    if (branch == 1)
        return b->thread[thread].visits[branch] < 12 ? 0 : ways - 1;
    return thread % 4 == thread / 4 % 4 ? 0 : ways - 1;
}

static void play_one_branch(struct bench *b)
{
    bench_open(b, HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK8 "bra D;\nC:" WORK8 "\nD:" WORK "@%p0 bra A;\nE: ret;"),
               by_warp, NULL);
    frames_begin(b, "tstbc-auto", "pause=2 trial=2 window=16", 4);
    bench_launch(b, 0, 16);
    bench_run(b);
}

/* By themselves four warps issue 8 + 9 instructions each. In a frame one warp goes through C, three through B. */
static void a_frame_saves_what_its_members_would_have_issued(void **state)
{
    (void)state;
    struct bench b;
    play_one_branch(&b);
    uint64_t frames = bench_counter(&b, "frames");
    assert_int_equal(b.program->branches[0].ipdom - b.program->branches[0].target[0], 8); /* C is 8 instructions long */
    assert_in_range(frames, 1, 13);
    assert_int_equal(bench_counter(&b, "warps_saved"), frames * (3 + 1));
    assert_int_equal(bench_counter(&b, "slots_saved"), frames * (4 * (8 + 9) - (8 + 3 * 9)));
    bench_close(&b);
}

/* All four warps meet in each of 13 rounds. Nobody waits in the two rounds of the pause, all do in the two of the
 * trial, and nobody in the one after it, even though the trial's frames are through by then. */
static void nobody_waits_at_the_first_meeting_after_a_trial(void **state)
{
    (void)state;
    struct bench b;
    play_one_branch(&b);
    assert_int_equal(bench_counter(&b, "table_hits") + bench_counter(&b, "table_misses"), 13);
    assert_int_equal(bench_counter(&b, "picked_none"), 2 + 1);
    assert_int_equal(bench_counter(&b, "frames"), 2 + 8);
    bench_close(&b);
}

/* A branch that the table has just lost to another is new each time. */
static void a_table_of_one_learns_nothing_of_two_branches(void **state)
{
    (void)state;
    struct bench b;
    play_auto(&b, "pause=2 trial=2 window=16 size=1");
    assert_int_equal(bench_counter(&b, "frames"), 0);
    assert_true(bench_counter(&b, "table_evictions") > 12);
    bench_close(&b);
}

/* All threads wait for each other at the barrier: thread 1 of each warp at F, thread 0 at E, the others at B. So a warp
 * whose thread 1 waits is split. Its stack loses the entry of thread 0 and is then as low as when the visit to the
 * branch of C began. That visit ends at the warp's next branch, of F, although the warp runs on to K as one. */
#define SPLIT_AT_BARRIER                                                                                       \
    HEAD KERNEL("A:" WORK "@%p0 bra C;\nB: barrier.sync 0;\nbra D;\nC:" WORK "@%p0 bra F;\n"                   \
                "E: barrier.sync 0;\nbra J;\nF: barrier.sync 0;\n@%p0 bra L;\nK:" WORK "\nL:" WORK "\nJ:" WORK \
                "\nD:" WORK "ret;")

static int to_nested_barriers(struct bench *b, int thread, int32_t pc, int ways)
{
    const int32_t branch = b->program->insns[pc].branch;
    const bool takes = (branch == 0 && thread % 4 < 2) || (branch == 1 && thread % 4 == 1);
    return takes ? 0 : ways - 1;
}

static int warps_at_k;

static void expect_one_visit_at_k(struct bench *b, const char *label, struct strand *s)
{
    if (*label != 'K')
        return;
    assert_int_equal(frames_of(b->div)->of_strand.data[s->id]->visits.count, 1); /* to the branch of A */
    warps_at_k++;
}

static void a_split_ends_a_visit_at_the_next_branch(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, SPLIT_AT_BARRIER, to_nested_barriers, NULL);
    b.watch = expect_one_visit_at_k;
    frames_begin(&b, "tstbc-auto", "", 4);
    warps_at_k = 0;
    bench_launch(&b, 0, 8);
    bench_run(&b);
    assert_int_equal(warps_at_k, 2);
    assert_in_range(bench_counter(&b, "forced_splits"), 2, 4);
    bench_close(&b);
}

/* Until every warp could have come through once, whatever there is to gain. */
static void at_first_nobody_waits(void **state)
{
    (void)state;
    struct bench b;
    play_auto(&b, "pause=13 trial=2 window=16");
    assert_int_equal(bench_counter(&b, "waits"), 0);
    assert_int_equal(bench_counter(&b, "picked_none"), bench_counter(&b, "table_hits") + 2);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fullest_lane_of_two_warps),
        cmocka_unit_test(the_fullest_lane_of_many_warps),
        cmocka_unit_test(the_paths_of_a_meeting_together),
        cmocka_unit_test(the_first_two_are_released_and_the_last_two_compacted),
        cmocka_unit_test(only_late_warps_are_there_for_the_second_path),
        cmocka_unit_test(the_second_path_finds_all_warps),
        cmocka_unit_test(a_fullest_lane_of_three_is_not_below_two),
        cmocka_unit_test(a_fullest_lane_of_three_saves_one_warp),
        cmocka_unit_test(few_warps_are_judged_by_their_number),
        cmocka_unit_test(loops_do_not_nest_frames),
        cmocka_unit_test(two_paths_of_all_in_a_frame_share_it),
        cmocka_unit_test(two_paths_of_some_in_a_frame_get_their_own),
        cmocka_unit_test(warps_from_two_callers_are_compacted_together),
        cmocka_unit_test(a_barrier_within_a_path_opens_in_the_end),
        cmocka_unit_test(a_path_that_starts_makes_room_on_the_stack),
        cmocka_unit_test(threads_that_end_in_a_frame_are_not_waited_for),
        cmocka_unit_test(each_branch_gets_its_own_setting),
        cmocka_unit_test(a_frame_saves_what_its_members_would_have_issued),
        cmocka_unit_test(nobody_waits_at_the_first_meeting_after_a_trial),
        cmocka_unit_test(a_table_of_one_learns_nothing_of_two_branches),
        cmocka_unit_test(at_first_nobody_waits),
        cmocka_unit_test(a_split_ends_a_visit_at_the_next_branch),
        cmocka_unit_test_prestate(on_random_graphs_settings_may_change, "pause=1 trial=3 window=1 look=2 patient=no"),
        cmocka_unit_test_prestate(on_random_graphs_settings_may_change,
                                  "pause=1 trial=1 window=1 size=2 ways=1 patient=no drain=no"),
        cmocka_unit_test_prestate(on_random_graphs_every_thread_walks_its_own_path, ""),
        cmocka_unit_test_prestate(on_random_graphs_every_thread_walks_its_own_path, "n=1"),
        cmocka_unit_test_prestate(on_random_graphs_every_thread_walks_its_own_path, "n=2 sense=saved threshold=1"),
        cmocka_unit_test_prestate(on_random_graphs_every_thread_walks_its_own_path, "n=64 filter=no threshold=64"),
        cmocka_unit_test_prestate(on_random_graphs_every_thread_walks_its_own_path,
                                  "n=2 second_path=late threshold=64"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
