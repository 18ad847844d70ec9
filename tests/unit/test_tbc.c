/*
 * Thread block compaction: the paper's worked examples to the mask and the cycle, the corners of exits, calls, loops and
 * barriers, and random graphs on which every thread must walk its own path.
 */
#include "div/table.h"
#include "div_graphs.h"
#include "div_scene.h"

/* Issues the strand of a thread, and no other, until it dissolves. */
static void run_alone(struct bench *b, int thread)
{
    struct strand *s = &b->strand[b->strand_of[thread]];
    while (b->strand_of[thread] == s->id) {
        b->host.now++;
        bench_issue(b, s);
    }
}

/* ---- the paper's examples ---- */

#define HAMMOCK HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "bra D;\nC:" WORK "\nD:" WORK "ret;")

/* Figure 7: threads 1, 6 and 7 go to C. */
static const struct scene figure_7 = {
    .mechanism = "tbc",
    .text = HAMMOCK,
    .threads = 8,
    .script = {{"A", "01111001"}},
    .trace = "A:1234 A:5678 C:167 B:5234 B:8 D:1234 D:5678 ",
};

static void figure_7_runs_seven_warp_blocks(void **state)
{
    (void)state;
    struct bench b;
    scene_play(&b, &figure_7);
    assert_int_equal(bench_counter(&b, "synchronised"), 2);
    assert_int_equal(bench_counter(&b, "divergent_branches"), 1);
    assert_int_equal(bench_counter(&b, "useful"), 1); /* C: of two static warps, one */
    assert_int_equal(bench_counter(&b, "useless"), 2);
    assert_int_equal(bench_counter(&b, "warps_before"), 6);
    assert_int_equal(bench_counter(&b, "warps_after"), 5);
    assert_int_equal(bench_counter(&b, "max_depth"), 3);
    assert_int_equal(bench_counter(&b, "reconvergences"), 3);
    bench_close(&b);
    struct scene baseline = figure_7; /* warps with stacks of their own run eight */
    baseline.mechanism = "pdom";
    baseline.trace = "A:1234 A:5678 C:1 C:67 B:234 B:58 D:1234 D:5678 ";
    scene_play_only(&baseline);
}

/* Figure 9: W2 comes first, then W3, then W1. Bits go by lane: thread 5 is the second of the first group. */
static void figure_9_fills_the_targets_warp_by_warp(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc",
        .text = HAMMOCK,
        .threads = 12,
        .script = {{"A", "101101011110"}}, /* 2, 5, 7 and 12 go to C */
    };
    struct bench b;
    scene_begin(&b, &scene);
    scene_expect_state(&b, "block 0\n  E 111.111.111.111 - x3\n");
    run_alone(&b, 4);
    scene_expect_state(&b, "block 0\n  E 111.111.111.111 - x2\n  B 000.010.000.010 D +\n  C 010.000.010.000 D +\n");
    run_alone(&b, 8);
    scene_expect_state(&b, "block 0\n  E 111.111.111.111 - x1\n  B 001.011.001.010 D +\n  C 010.000.010.001 D +\n");
    run_alone(&b, 0);
    scene_expect_state(&b, "block 0\n  D 111.111.111.111 -\n  B 101.011.101.110 D\n  C 010.100.010.001 D x1\n");
    assert_int_equal(b.ops->where(b.div, 0, 0), b.program->branches[0].target[1]); /* thread 1 waits at B */
    text_free(&scene_seen);
    bench_run(&b);
    assert_string_equal(scene_seen.data, "C:527c B:1634 B:9ab8 D:1234 D:5678 D:9abc ");
    scene_end(&b);
}

/* A compacted warp comes every cycle, from the cycle after the last arrival on, and issues in the cycle after that. */
static void the_compactor_makes_a_warp_a_cycle(void **state)
{
    (void)state;
    struct bench b;
    scene_begin(&b, &figure_7);
    uint64_t now = 0, born[BENCH_THREADS] = {0};
    while (b.strand_of[0] >= 0) /* both warps come to the branch in the same cycle */
        bench_cycle(&b);
    uint64_t last = b.host.now;
    assert_int_equal(b.strand_of[4], -1);
    while (b.thread[1].pc != b.program->branches[0].ipdom) {
        bench_cycle(&b);
        now = b.host.now;
        for (int t = 0; t < 8; t++)
            if (b.strand_of[t] >= 0 && !born[t])
                born[t] = now;
    }
    assert_int_equal(born[0], last + 1); /* C, and issues its only instruction at last + 2, */
    assert_int_equal(born[5], last + 1);
    assert_int_equal(born[1], last + 3); /* where it meets D, so that B is made from last + 3 on */
    assert_int_equal(born[4], last + 3);
    assert_int_equal(born[7], last + 4);
    scene_end(&b);
}

/* Figure 10: E runs once. */
#define BREAK_LOOP                                                                                   \
    HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "bra E;\nC:" WORK "@%p0 bra E;\nD:" WORK "bra F;\n" \
                "E:" WORK "@%p0 bra A;\nF:" WORK "ret;")

static void figure_10_runs_e_once(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc-lcp",
        .text = BREAK_LOOP,
        .threads = 4,
        .script = {{"A", "1000"}, {"C", "0011"}, {"E", "1111"}},
        .trace = "A:1234 C:234 D:34 B:1 E:12 F:1234 ",
    };
    struct bench b;
    scene_play(&b, &scene);
    assert_int_equal(bench_counter(&b, "lcp_pushed"), 1);
    assert_int_equal(bench_counter(&b, "lcp_merged"), 2);
    assert_int_equal(bench_counter(&b, "lcp_unused"), 0);
    bench_close(&b);
    struct scene without = scene;
    without.mechanism = "tbc";
    without.trace = "A:1234 C:234 E:2 D:34 B:1 E:1 F:1234 ";
    scene_play_only(&without);
}

/* Two warps: those of both that come to E run it together, compacted. */
static void likely_points_gather_threads_of_all_warps(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc-lcp",
        .text = BREAK_LOOP,
        .threads = 8,
        .script = {{"A", "10000001"}, {"C", "00110110"}, {"E", "11111111"}},
        .trace = "A:1234 A:5678 C:5234 C:67 D:634 D:7 B:18 E:128 E:5 F:1234 F:5678 ",
    };
    scene_play_only(&scene);
}

/* Figure 1(a): threads at C are slow. Those at B wait for them at D, in every round, and run in full warps. */
static int by_round(struct bench *b, int thread, int32_t pc, int ways)
{
    (void)ways;
    int visit = b->thread[thread].visits[b->program->insns[pc].branch];
    if (!strcmp(bench_label(b, pc, true), "A"))
        return (thread * 5 + visit) / 2 % 2;
    return visit >= 20;
}

static void expect_full_warp(struct bench *b, const char *label, struct strand *s)
{
    (void)b;
    if (!strcmp(label, "D"))
        assert_int_equal(threads_size(&s->threads), 4);
}

static void nobody_falls_behind(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b,
               HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "bra D;\nC:" WORK WORK WORK WORK "\nD:" WORK
                           "@%p0 bra A;\nE: ret;"),
               by_round, NULL);
    set_knobs(&scene_knobs, div_find("tbc")->knobs, NULL);
    b.knobs = &scene_knobs;
    b.latency = 6;
    b.watch = expect_full_warp;
    bench_begin(&b, "tbc", 4);
    bench_launch(&b, 0, 16);
    bench_run(&b);
    assert_int_equal(bench_counter(&b, "divergent_branches"), 21);
    assert_int_equal(bench_counter(&b, "max_depth"), 4);
    bench_close(&b);
}

/* ---- what is counted ---- */

/* The second warp comes to the branch ten cycles after the first, and more. */
static void warps_wait_for_the_last_one(void **state)
{
    (void)state;
    struct bench b;
    scene_begin(&b, &figure_7);
    run_alone(&b, 0);
    uint64_t first = b.host.now;
    b.host.now += 10;
    run_alone(&b, 4);
    assert_int_equal(bench_counter(&b, "sync_wait"), b.host.now - first);
    assert_true(b.ops->comes(b.div, 0, 0, 0)); /* the compactor is about to make the warp of threads 1, 6 and 7 */
    bench_cycle(&b);
    assert_false(b.ops->comes(b.div, 0, 0, 0));
    bench_run(&b);
    assert_int_equal(bench_counter(&b, "compactor_wait"), 0);
    scene_end(&b);
}

/* Two blocks do the same. The second one's warp of C is made in the cycle after the first one's; it comes to B a cycle
 * later, and finds the second of the first one's warps being made; it comes to D two cycles later, when both are. */
static void blocks_wait_for_the_compactor(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, HAMMOCK, by_lane, "01111001");
    set_knobs(&scene_knobs, div_find("tbc")->knobs, NULL);
    b.knobs = &scene_knobs;
    bench_begin(&b, "tbc", 4);
    bench_launch(&b, 0, 8);
    bench_launch(&b, 1, 8);
    bench_run(&b);
    assert_int_equal(bench_counter(&b, "compactor_wait"), 1 + 1 + 0);
    bench_close(&b);
}

/* ---- exits ---- */

/* Without thread 1 the slots of D fill up differently, unless static warps are asked for. */
static void ends_break_up_static_warps(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc",
        .text =
            HEAD KERNEL("X:" WORK "@%p0 exit;\nA:" WORK "@%p0 bra C;\nB:" WORK "bra D;\nC:" WORK "\nD:" WORK "ret;"),
        .threads = 8,
        .script = {{"X", "01111111"}, {"A", "01111001"}},
        .trace = "X:1234 X:5678 A:234 A:5678 C:67 B:5234 B:8 D:5234 D:678 ",
    };
    scene_play_only(&scene);
    struct scene kept = scene;
    kept.knobs = "static_toplevel=yes";
    kept.trace = "X:1234 X:5678 A:234 A:5678 C:67 B:5234 B:8 D:234 D:5678 ";
    scene_play_only(&kept);
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
    bench_close(&b);
}

static void threads_that_exit_leave_every_entry(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc",
        .text = HEAD FUNC("f", "F:" WORK "@%p0 exit;\nH:" WORK "ret;")
            KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "bra G;\nB:" WORK "call f;\nD:" WORK "\nG:" WORK "ret;"),
        .threads = 8,
        .script = {{"A", "00010001"}, {"F", "01110110"}},
        .trace = "A:1234 A:5678 B:123 B:567 F:123 F:567 H:23 H:67 D:23 D:67 C:4 C:8 G:234 G:678 ",
    };
    scene_play_only(&scene);
}

/* The last warp of an entry that ends lets the others go on. */
static void a_warp_that_ends_counts_as_gone(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc",
        .text =
            HEAD KERNEL("X:" WORK "@%p0 exit;\nA:" WORK "@%p0 bra C;\nB:" WORK "bra D;\nC:" WORK "\nD:" WORK "ret;"),
        .threads = 8,
        .script = {{"X", "11110000"}, {"A", "0101"}},
        .trace = "X:1234 X:5678 A:1234 C:13 B:24 D:1234 ",
    };
    scene_play_only(&scene);
}

/* ---- what needs no waiting ---- */

#define UNIFORM_LOOP                                                                                     \
    HEAD KERNEL("mov.u32 %r2, 0;\nA:" WORK "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 3; @%p1 bra A;\n" \
                "B:" WORK "@%p0 bra D;\nC:" WORK "\nD:" WORK "ret;")

static int three_rounds(struct bench *b, int thread, int32_t pc, int ways)
{
    (void)ways;
    if (!strcmp(bench_label(b, pc, true), "A"))
        return b->thread[thread].visits[b->program->insns[pc].branch] >= 2;
    return thread & 1;
}

static void branches_that_are_proved_uniform_are_passed(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, UNIFORM_LOOP, three_rounds, NULL);
    set_knobs(&scene_knobs, div_find("tbc")->knobs, NULL);
    b.knobs = &scene_knobs;
    bench_begin(&b, "tbc", 4);
    bench_launch(&b, 0, 8);
    run_alone(&b, 0); /* to B, through three rounds */
    assert_int_equal(bench_counter(&b, "skipped"), 3);
    assert_int_equal(bench_counter(&b, "synchronised"), 1);
    bench_run(&b);
    assert_int_equal(bench_counter(&b, "skipped"), 6);
    assert_int_equal(bench_counter(&b, "synchronised"), 2);
    assert_int_equal(bench_counter(&b, "max_depth"), 2); /* the taken side is where both meet */
    bench_close(&b);
}

#define MARKED_LOOP                                                                                          \
    HEAD KERNEL("mov.u32 %r2, 0;\nA:" WORK "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 3; @%p1 bra.uni A;\n" \
                "B:" WORK "@%p0 bra D;\nC:" WORK "\nD:" WORK "ret;")

/* The paper skips branches that the text marks .uni; a proof counts only by default. Two warps come to A three times
 * and to B once. */
static void a_knob_has_warps_wait_where_the_text_has_no_mark(void **state)
{
    (void)state;
    static const struct {
        const char *text, *mechanism, *knobs;
        unsigned skipped;
    } cases[] = {
        {UNIFORM_LOOP, "tbc", "uniform=proved", 6},     {UNIFORM_LOOP, "tbc", "uniform=marked", 0},
        {MARKED_LOOP, "tbc", "uniform=marked", 6},      {UNIFORM_LOOP, "tbc-lcp", "uniform=marked", 0},
        {UNIFORM_LOOP, "tbc-dpe", "uniform=proved", 6}, {UNIFORM_LOOP, "tbc-dpe", "uniform=marked", 0},
        {MARKED_LOOP, "tbc-dpe", "uniform=marked", 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench b;
        bench_open(&b, cases[i].text, three_rounds, NULL);
        set_knobs(&scene_knobs, div_find(cases[i].mechanism)->knobs, cases[i].knobs);
        b.knobs = &scene_knobs;
        bench_begin(&b, cases[i].mechanism, 4);
        bench_launch(&b, 0, 8);
        bench_run(&b);
        assert_int_equal(bench_counter(&b, "skipped"), cases[i].skipped);
        assert_int_equal(bench_counter(&b, "synchronised"), 8 - cases[i].skipped);
        bench_close(&b);
    }
}

/* The text promises it for warps, and each of the two goes its own way; they come to different branches, and into one
 * function from different calls. */
static void warps_that_go_their_own_ways_are_kept_apart(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc",
        .text = HEAD FUNC("f", "F:" WORK "@%p0 bra H;\nG:" WORK "\nH:" WORK "ret;")
            KERNEL("A:" WORK "@%p0 bra.uni X;\nY:" WORK "call f;\nU:" WORK "bra D;\nX:" WORK "call f;\nV:" WORK
                   "\nD:" WORK "@%p0 bra Z;\nE:" WORK "\nZ:" WORK "ret;"),
        .threads = 8,
        .script = {{"A", "00001111"}, {"F", "01010101"}, {"D", "01100110"}},
        .trace = "A:1234 A:5678 X:1234 Y:5678 F:1234 F:5678 G:68 H:5678 U:5678 D:5678 E:67 Z:5678 "
                 "G:24 H:1234 V:1234 D:1234 E:23 Z:1234 ",
    };
    scene_play_only(&scene);
}

/* A compacted warp has threads of several static ones, which the promise does not bind. */
static void a_broken_promise_parts_threads_all_the_same(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "bra D;\nC:" WORK "@%p0 bra.uni D;\nE:" WORK "\nD:" WORK
                            "ret;"),
        .threads = 8,
        .script = {{"A", "01111001"}, {"C", "10000000"}},
        .trace = "A:1234 A:5678 C:167 E:1 B:5234 B:8 D:1234 D:5678 ",
    };
    scene_play_only(&scene);
}

/* ---- branches of other kinds ---- */

static void an_indexed_branch_has_an_entry_a_target(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc",
        .text = HEAD KERNEL("T: .branchtargets P, Q, S, P;\nA:" WORK "brx.idx %r0, T;\nS:" WORK "bra J;\nQ:" WORK
                            "bra J;\nP:" WORK "\nJ:" WORK "ret;"),
        .threads = 8,
        .script = {{"A", "02130330"}},
        .trace = "A:1234 A:5678 P:1674 P:58 Q:3 S:2 J:1234 J:5678 ",
    };
    struct bench b;
    scene_play(&b, &scene);
    assert_int_equal(bench_counter(&b, "max_depth"), 4);
    bench_close(&b);
}

static void a_divergent_return_holds_threads_until_all_can(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc",
        .text = HEAD FUNC("f", "F:" WORK "@%p0 ret;\nM:" WORK "@%p0 ret;\nN:" WORK "ret;")
            KERNEL("A:" WORK "call f;\nR:" WORK "ret;"),
        .threads = 8,
        .script = {{"F", "01110001"}, {"M", "10110111"}},
        .trace = "A:1234 A:5678 F:1234 F:5678 M:234 M:8 N:34 N:8 R:1234 R:5678 ",
    };
    struct bench b;
    scene_play(&b, &scene);
    assert_int_equal(bench_counter(&b, "max_depth"), 3); /* at M the old side stays until its last warp has come */
    bench_close(&b);
}

static void recursion_meets_level_by_level(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc",
        .text = HEAD ".func f();\n" FUNC("f", "F:" WORK "@%p0 bra Z;\nX: call f;\nZ:" WORK "ret;")
            KERNEL("A:" WORK "call f;\nR:" WORK "ret;"),
        .threads = 6,
        .script = {{"F", "011101"}, {"F", "001101"}, {"F", "000100"}, {"F", "000000"}},
        .trace = "A:1234 A:56 F:1234 F:56 X:234 X:6 F:234 F:6 X:634 F:634 X:4 F:4 Z:4 Z:634 Z:234 Z:6 "
                 "Z:1234 Z:56 R:1234 R:56 ",
    };
    scene_play_only(&scene);
}

static void a_loop_does_not_grow_the_stack(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc",
        .text = HEAD KERNEL("L:" WORK "@%p0 bra L;\nM:" WORK "ret;"),
        .threads = 8,
        .script = {{"L", "00010001"}, {"L", "00110110"}, {"L", "01110111"}, {"L", "11111111"}},
        .trace = "L:1234 L:5678 L:123 L:567 L:12 L:5 L:1 L:5 M:1234 M:5678 ",
    };
    struct bench b;
    scene_play(&b, &scene);
    assert_int_equal(bench_counter(&b, "max_depth"), 3); /* the old round stays until its last warp has come */
    bench_close(&b);
}

static void the_side_that_runs_first_is_a_knob(void **state)
{
    (void)state;
    struct scene scene = figure_7;
    scene.knobs = "order=not-taken-first";
    scene.trace = "A:1234 A:5678 B:5234 B:8 C:167 D:1234 D:5678 ";
    scene_play_only(&scene);
}

/* ---- barriers ---- */

static void a_barrier_waits_for_compacted_warps(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc",
        .text = HEAD KERNEL("X:" WORK "@%p0 exit;\nA:" WORK "@%p0 bra C;\nB:" WORK "\nC:" WORK "bar.sync 0;\nD:" WORK
                            "ret;"),
        .threads = 8,
        .script = {{"X", "01111111"}, {"A", "01111001"}},
        .trace = "X:1234 X:5678 A:234 A:5678 B:5234 B:8 C:5234 C:678 D:5234 D:678 ",
    };
    struct bench b;
    scene_play(&b, &scene);
    assert_int_equal(bench_counter(&b, "partial_barriers"), 0);
    bench_close(&b);
}

/* Threads 1 and 2 are done but for the end; it stands behind the barrier at which the others wait for them. The barrier has
 * a count, so branches do not meet before it; on the bench all threads are counted. */
static void threads_held_back_come_to_their_end_before_a_barrier(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra D;\nB:" WORK "bar.sync 0, 32;\nC:" WORK "\nD:" WORK "ret;"),
        .threads = 8,
        .script = {{"A", "00111111"}},
        .trace = "A:1234 A:5678 B:5634 B:78 D:12 C:5634 C:78 D:5634 D:78 ",
    };
    struct bench b;
    scene_play(&b, &scene);
    assert_int_equal(bench_counter(&b, "partial_barriers"), 2);
    assert_int_equal(bench_counter(&b, "ran_ahead"), 1);
    bench_close(&b);
}

/* Threads 1 and 5 have returned, and wait at the function's end for the others, which are at a barrier in it. So 1 and
 * 5 run ahead to the barrier behind the call, and open it; the others come there when 1 and 5 have ended. */
static void threads_held_at_a_function_s_end_come_to_a_barrier_behind_the_call(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc",
        .text = HEAD FUNC("f", "F:" WORK "@%p0 ret;\nM:" WORK "bar.sync 0, 32;\nN:" WORK "ret;")
            KERNEL("A:" WORK "call f;\nR:" WORK "bar.sync 0, 32;\nZ:" WORK "ret;"),
        .threads = 8,
        .script = {{"F", "01110111"}},
        .trace = "A:1234 A:5678 F:1234 F:5678 M:234 M:678 R:1 R:5 Z:5 Z:1 N:234 N:678 R:234 R:678 Z:234 Z:678 ",
    };
    scene_play_only(&scene);
}

/* Without a count, threads that end without coming to the barrier do so before the others go on. */
static void threads_that_end_do_so_before_a_barrier(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra D;\nB:" WORK "bar.sync 0;\nC:" WORK "\nD:" WORK "ret;"),
        .threads = 8,
        .script = {{"A", "00111111"}},
        .trace = "A:1234 A:5678 D:12 B:5634 B:78 C:5634 C:78 D:5634 D:78 ",
    };
    struct bench b;
    scene_play(&b, &scene);
    assert_int_equal(bench_counter(&b, "partial_barriers"), 0);
    bench_close(&b);
}

/* Both sides have a barrier of their own, which are the same to the block. */
static void sides_meet_at_barriers_of_their_own(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "bar.sync 0;\nE:" WORK "bra D;\nC:" WORK
                            "bar.sync 0;\nF:" WORK "\nD:" WORK "ret;"),
        .threads = 8,
        .script = {{"A", "01111001"}},
        .trace = "A:1234 A:5678 C:167 B:5234 B:8 E:8 E:5234 F:167 D:1234 D:5678 ",
    };
    scene_play_only(&scene);
}

/* A guard lets odd threads by, to the next barrier: to each other's. */
static void a_guard_lets_threads_by_to_the_next_barrier(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc",
        .text = HEAD KERNEL("A:" WORK "@%p0 barrier.sync 0;\nB:" WORK "@%p0 bra E;\nC:" WORK "barrier.sync 0;\nE:" WORK
                            "ret;"),
        .threads = 8,
        .script = {{"A", "01010101"}, {"B", "01010101"}},
    };
    struct bench b;
    scene_begin(&b, &scene);
    bench_run(&b);
    scene_end(&b);
}

/* The first warp dissolves at the first barrier, which the second one opens and passes. At the next one the second must
 * let go of the entry, or the first never runs again. */
static void a_warp_that_is_ahead_lets_the_others_come(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc",
        .text = HEAD KERNEL("A:" WORK "@%p0 barrier.sync 0;\nB:" WORK "bar.sync 0;\nC:" WORK "ret;"),
        .threads = 8,
        .script = {{"A", "00000000"}},
        .trace = "A:1234 A:5678 B:5678 B:1234 C:1234 C:5678 ",
    };
    scene_play_only(&scene);
}

/* A's branch is promised to part no warp, and each of the two goes its own way. The first comes to a barrier, and there
 * lets go of the entry: the second one parts at Y, and its threads run on only when the entry is done. */
static void a_warp_that_went_its_own_way_lets_go_at_a_barrier(void **state)
{
    (void)state;
    static const struct scene scene = {
        .mechanism = "tbc",
        .threads = 8,
        .text = HEAD KERNEL("A: @%p0 bra.uni X;\nY: @%p0 bra E;\nG:" WORK "\nE: bar.sync 0, 32;\nexit;\n"
                            "X: bar.sync 0, 32;\nD: ret;"),
        .script = {{"A", "00001111"}, {"Y", "00000101"}},
        .trace = "A:1234 A:5678 X:1234 Y:5678 G:68 E:5678 D:1234 ",
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
    graphs_walk("tbc", ROUNDS, true, what_is_pushed_is_popped);
    graphs_walk("tbc-lcp", ROUNDS, true, what_is_pushed_is_popped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warps_wait_for_the_last_one),
        cmocka_unit_test(blocks_wait_for_the_compactor),
        cmocka_unit_test(figure_7_runs_seven_warp_blocks),
        cmocka_unit_test(figure_9_fills_the_targets_warp_by_warp),
        cmocka_unit_test(the_compactor_makes_a_warp_a_cycle),
        cmocka_unit_test(figure_10_runs_e_once),
        cmocka_unit_test(likely_points_gather_threads_of_all_warps),
        cmocka_unit_test(nobody_falls_behind),
        cmocka_unit_test(ends_break_up_static_warps),
        cmocka_unit_test(without_compaction_warps_stay_static),
        cmocka_unit_test(threads_that_exit_leave_every_entry),
        cmocka_unit_test(a_warp_that_ends_counts_as_gone),
        cmocka_unit_test(branches_that_are_proved_uniform_are_passed),
        cmocka_unit_test(a_knob_has_warps_wait_where_the_text_has_no_mark),
        cmocka_unit_test(warps_that_go_their_own_ways_are_kept_apart),
        cmocka_unit_test(a_broken_promise_parts_threads_all_the_same),
        cmocka_unit_test(an_indexed_branch_has_an_entry_a_target),
        cmocka_unit_test(a_divergent_return_holds_threads_until_all_can),
        cmocka_unit_test(recursion_meets_level_by_level),
        cmocka_unit_test(a_loop_does_not_grow_the_stack),
        cmocka_unit_test(the_side_that_runs_first_is_a_knob),
        cmocka_unit_test(a_barrier_waits_for_compacted_warps),
        cmocka_unit_test(threads_held_back_come_to_their_end_before_a_barrier),
        cmocka_unit_test(threads_held_at_a_function_s_end_come_to_a_barrier_behind_the_call),
        cmocka_unit_test(threads_that_end_do_so_before_a_barrier),
        cmocka_unit_test(sides_meet_at_barriers_of_their_own),
        cmocka_unit_test(a_guard_lets_threads_by_to_the_next_barrier),
        cmocka_unit_test(a_warp_that_is_ahead_lets_the_others_come),
        cmocka_unit_test(a_warp_that_went_its_own_way_lets_go_at_a_barrier),
        cmocka_unit_test(on_random_graphs_every_thread_walks_its_own_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
