/*
 * Dynamic warp subdivision on the contract, without a pipeline: the walk of the dual-path slides to the mask,
 * merging, a table that is full, barriers, loads, and random graphs.
 */
#include "div_walk.h"

/* The slides' graph: the block at the outer post-dominator, G, has three instructions, that at the inner one, F, has one. */
#define SLIDES                                                                                              \
    HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "@%p0 bra D;\nE:" WORK "bra F;\nB:" WORK "bra G;\nD:" WORK \
                "\nF:" WORK "\nG:" WORK WORK "ret;")

static void the_walk_of_the_slides_runs_f_twice(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dws",
        .knobs = "threshold=2",
        .text = SLIDES,
        .script = {{"A", "0111"}, {"C", "1011"}},
        .trace = "A1111 B1000 C0111 D0100 E0011 F0100 F0011 G1111 ",
        .watch = {{"B", "(G,1111,-) (C,0111,G) (B,1000,G)"},
                  {"C", "(G,1111,-) (C,0111,G)"},
                  {"D", "(G,1111,-) (split,D,0100,G) (split,E,0011,G)"},
                  {"E", "(G,1111,-) (split,F,0100,G) (split,E,0011,G)"},
                  {"G", "(G,1111,-)"}},
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "subdivisions"), 1);
    assert_int_equal(bench_counter(&b, "splits"), 2);
    assert_int_equal(bench_counter(&b, "ended_splits"), 2);
    assert_int_equal(bench_counter(&b, "merges"), 0);
    assert_int_equal(bench_counter(&b, "max_entries"), 2);
    assert_int_equal(bench_counter(&b, "max_paths"), 2);
    bench_close(&b);
}

/* At the threshold and one below, for both branches. */
static void the_threshold_is_the_length_of_the_post_dominators_block(void **state)
{
    (void)state;
    static const struct {
        const char *knobs, *trace;
    } cases[] = {{"threshold=1", "A1111 B1000 C0111 D0100 E0011 F0100 F0011 G1111 "},
                 {"threshold=3 merge=no", "A1111 B1000 C0111 G1000 D0100 E0011 F0100 G0100 F0011 G0011 "},
                 {"threshold=0 merge=no", "A1111 B1000 C0111 G1000 D0100 E0011 F0100 G0100 F0011 G0011 "},
                 {"threshold=2 entries=1", "A1111 B1000 C0111 D0100 E0011 F0111 G1111 "}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct walk walk = {.mechanism = "dws",
                            .knobs = cases[i].knobs,
                            .text = SLIDES,
                            .script = {{"A", "0111"}, {"C", "1011"}},
                            .trace = cases[i].trace};
        struct bench b;
        play(&b, &walk);
        assert_int_equal(bench_counter(&b, "table_full"), strstr(cases[i].knobs, "entries=1") ? 1 : 0);
        bench_close(&b);
    }
}

/* Both sides are equally long, so that one finds the other at J; then there is one split, which is a stack entry again. */
static void splits_that_meet_go_on_as_one(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dws",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "bra J;\nB:" WORK WORK "\nJ:" WORK "@%p0 bra L;\nK:" WORK
                            "\nL:" WORK "ret;"),
        .script = {{"A", "0011"}, {"J", "1111"}},
        .trace = "A1111 B1100 C0011 J1111 K1111 L1111 ",
        .watch = {{"J", "(J,1111,-)"}},
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "merges"), 1);
    assert_int_equal(bench_counter(&b, "subdivisions"), 1);
    bench_close(&b);
    struct walk apart = walk;
    apart.knobs = "merge=no";
    apart.trace = "A1111 B1100 C0011 J1100 J0011 K1100 K0011 L1100 L0011 ";
    apart.watch[0].label = NULL;
    play_only(&apart);
}

/* Two sides call one function from two places: they do not go on together in it, since they return to two places. */
static void splits_with_different_calls_behind_them_do_not_merge(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dws",
        .knobs = "threshold=0",
        .text = HEAD FUNC("f", "F:" WORK "@%p0 bra Z;\nY:" WORK "\nZ:" WORK "ret;")
            KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "call f;\nD:" WORK "bra J;\nB:" WORK "call f;\nE:" WORK "\nJ:" WORK
                   "ret;"),
        .script = {{"A", "0011"}, {"F", "1111"}},
        .trace = "A1111 B1100 C0011 F1100 F0011 Y1100 Y0011 Z1100 Z0011 E1100 D0011 J1100 J0011 ",
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "merges"), 0);
    bench_close(&b);
}

/* All call f and part in it. Thread 0 and 1 return, call f again from elsewhere, and come to Y about when the others, which
 * have not returned yet, do: after `work` instructions. `loads`: then some of them have their data, and the others not. */
static void play_two_calls(const char *knobs, int work, bool guarded_return, bool loads)
{
    struct text text = {0};
    text_printf(&text, "%s", HEAD ".func f()\n{\n" REGS START "F:" WORK "@%p0 bra Y;\nX:" WORK);
    if (guarded_return)
        text_printf(&text, "%s", "@%p0 ret;\nW:" WORK);
    for (int i = 0; i < work; i++)
        text_printf(&text, "%s", WORK);
    text_printf(&text, "%s",
                "\nY:" WORK WORK "ret;\n}\n" KERNEL("A:" WORK "call f;\nR:" WORK "call f;\nS:" WORK "ret;"));
    struct walk walk = {.mechanism = "dws",
                        .knobs = knobs,
                        .text = text.data,
                        .script = {{"F", guarded_return ? "1110" : "0011"}, {"F", "0000"}, {"X", "0011"}}};
    struct bench b;
    begin_walk(&b, &walk, 4);
    if (loads) {
        run_to(&b, 0, "R");
        struct strand *s = run_to(&b, 0, "F");
        b.ops->memory(b.div, s, &(struct threads){1, {{0, 1}}}, &(struct threads){1, {{0, 2}}});
        assert_int_equal(bench_counter(&b, "memory_splits"), 1);
    }
    bench_run(&b);
    bench_close(&b);
    text_free(&text);
}

static void splits_that_returned_do_not_meet_those_that_did_not(void **state)
{
    (void)state;
    for (int work = 0; work < 16; work++) {
        play_two_calls("threshold=0", work, false, false);
        play_two_calls("threshold=0", work, true, false);
        play_two_calls("threshold=0 memory=aggressive", work, false, true);
    }
}

/* The inner branch of a split meets at a block above the threshold, and its sides are splits all the same. */
static void a_split_parts_whatever_the_threshold(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dws",
        .knobs = "threshold=2 merge=no",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "@%p0 bra D;\nE:" WORK "bra F;\nD:" WORK
                            "\nF:" WORK WORK WORK "bra G;\nB:" WORK "\nG:" WORK "ret;"),
        .script = {{"A", "0111"}, {"C", "1011"}},
        .trace = "A1111 B1000 C0111 G1000 D0100 E0011 F0100 F0011 G0100 G0011 ",
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "splits"), 3);
    bench_close(&b);
}

/* The second warp comes to its branch when the first has taken the table's entries: its sides go onto its stack. */
static void warps_share_the_table(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dws",
        .knobs = "threshold=0 entries=3",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "bra J;\nB:" WORK "\nJ:" WORK "ret;"),
        .script = {{"A", "00110011"}},
    };
    struct bench b;
    begin_walk(&b, &walk, 8);
    run_to(&b, 4, "B");
    assert_int_equal(bench_counter(&b, "subdivisions"), 1);
    assert_int_equal(bench_counter(&b, "table_full"), 1);
    assert_int_equal(strand_count(&b), 2 + 1);
    bench_run(&b);
    bench_close(&b);
}

/* There is room for two splits. Where one of them parts its sides run one after the other, and meet where the branch
 * does; then it is whole, and takes P's place when it parts again. */
static void a_split_without_room_keeps_its_sides_on_a_stack(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dws",
        .knobs = "threshold=0 entries=2 merge=no",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra Q;\nP:" WORK WORK "bra J;\nQ:" WORK "@%p0 bra S;\nR:" WORK WORK WORK
                            "bra T;\nS:" WORK "\nT:" WORK "@%p0 bra V;\nU:" WORK "bra J;\nV:" WORK "\nJ:" WORK "ret;"),
        .script = {{"A", "1000"}, {"Q", "1101"}, {"T", "1110"}},
        .trace = "A1111 Q0111 P1000 S0010 R0101 J1000 T0111 V0001 U0110 J0001 J0110 ",
        .watch = {{"S", "(inner,T,0111) (inner,R,0101) (split,S,0010,-) (split,P,1000,-)"},
                  {"R", "(inner,T,0111) (split,R,0101,-) (split,J,1000,-)"},
                  {"T", "(split,T,0111,-)"},
                  {"V", "(split,V,0001,-) (split,U,0110,-)"}},
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "table_full"), 1);
    assert_int_equal(bench_counter(&b, "max_entries"), 2);
    bench_close(&b);
}

/* S waits at a barrier; R, below it on the split's stack, would keep it shut if it did not get to run. Barriers have a
 * count here, so that branches do not meet before them; the bench waits for all threads whatever the count. */
static void a_split_at_a_barrier_makes_room(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dws",
        .knobs = "threshold=0 entries=2 merge=no",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra Q;\nP:" WORK WORK WORK WORK WORK WORK "bra J;\nQ:" WORK
                            "@%p0 bra S;\nR:" WORK "bra T;\nS:" WORK "barrier.sync 0, 32;\nK:" WORK "\nT:" WORK
                            "\nJ:" WORK "ret;"),
        .script = {{"A", "1000"}, {"Q", "1101"}},
        .trace = "A1111 Q0111 P1000 S0010 R0101 T0101 J0101 J1000 K0010 T0010 J0010 ",
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "dissolved"), 1);
    bench_close(&b);
}

/* The barrier is in one side only, and the others wait for that on the stack: they come to it, or to their end. */
static void a_barrier_in_one_side_lets_the_others_run(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dws",
        .knobs = "threshold=1",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "bra J;\nB:" WORK "barrier.sync 0, 32;\nE:" WORK
                            "\nJ:" WORK WORK WORK "ret;"),
        .script = {{"A", "0011"}},
        .trace = "A1111 B1100 C0011 J0011 E1100 J1100 ",
    };
    play_only(&walk);
}

/* All threads that can keep it shut come in strands: none is dissolved. Behind it they go on as one. */
static void splits_that_wait_at_a_barrier_leave_it_as_one(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dws",
        .knobs = "threshold=0",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK WORK "bra K;\nB:" WORK "\nK: barrier.sync 0, 32;\nL:" WORK
                            "ret;"),
        .script = {{"A", "0011"}},
        .trace = "A1111 B1100 C0011 K1100 K0011 L1111 ",
        .watch = {{"L", "(L,1111,-)"}},
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "dissolved"), 0);
    assert_int_equal(bench_counter(&b, "merges"), 1);
    bench_close(&b);
    struct walk apart = walk;
    apart.knobs = "threshold=0 merge=no";
    apart.trace = "A1111 B1100 C0011 K1100 K0011 L1100 L0011 ";
    apart.watch[0].label = NULL;
    play_only(&apart);
}

/* B is dissolved at the barrier, since C waits on the stack. Both come from it to L; and if C ends instead, B is a stack
 * entry again. */
static void a_dissolved_strand_comes_back_to_the_others(void **state)
{
    (void)state;
    /* The second warp goes round X and is the last to come. */
    static const struct walk walk = {
        .mechanism = "dws",
        .knobs = "threshold=1",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "@%p0 bra J;\nX:" WORK WORK WORK
                            "@%p0 bra X;\nY: bra K;\nB:" WORK "@%p0 bra J;\nK: barrier.sync 0, 32;\nL:" WORK
                            "\nJ:" WORK WORK WORK "ret;"),
        .script = {{"A", "00111"},
                   {"B", "11111"},
                   {"C", "11111"},
                   {"X", "11110"},
                   {"X", "11110"},
                   {"X", "11110"},
                   {"X", "11111"}},
    };
    struct bench b;
    begin_walk(&b, &walk, 5);
    run_to(&b, 0, "L");
    expect_state(&b, "(L,1111,-)");
    assert_int_equal(bench_counter(&b, "dissolved"), 1);
    assert_int_equal(bench_counter(&b, "merges"), 1);
    bench_run(&b);
    bench_close(&b);
    struct walk alone = walk;
    alone.script[2].way = "11001";
    begin_walk(&b, &alone, 5);
    run_to(&b, 0, "L");
    expect_state(&b, "(L,1100,-)");
    bench_run(&b);
    bench_close(&b);
}

/* Thread 3 waits at the barrier. There is room for two: when it is let go it must wait, until the splits of 1 and 2 meet. */
static void splits_that_merge_make_room(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dws",
        .knobs = "threshold=1 entries=2",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "@%p0 bra D;\nE:" WORK WORK "bra M;\nD:" WORK WORK WORK
                            "\nM:" WORK WORK WORK "bra J;\nB:" WORK
                            "barrier.sync 0, 32;\nL:" WORK WORK WORK WORK WORK WORK "\nJ:" WORK WORK "ret;"),
        .script = {{"A", "11101"}, {"C", "10011"}},
    };
    struct bench b;
    begin_walk(&b, &walk, 5); /* the second warp keeps it shut */
    while (b.strand_of[3] >= 0)
        bench_issue(&b, strand_of(&b, 3));
    struct strand *others = strand_of(&b, 0);
    bench_issue(&b, others);
    bench_issue(&b, others);
    assert_int_equal(bench_counter(&b, "max_entries"), 2);
    b.thread[3].at_barrier = false;
    b.ops->released(b.div, b.thread[3].pc, 0, &(struct threads){1, {{0, 8}}});
    assert_int_equal(b.strand_of[3], -1);
    while (!bench_counter(&b, "merges")) {
        assert_int_equal(b.strand_of[3], -1);
        assert_true(bench_cycle(&b));
    }
    assert_true(b.strand_of[3] >= 0);
    bench_run(&b);
    bench_close(&b);
}

/* Thread 0 is let go while the others wait at the next barrier: as at a rendezvous with threads of another warp.
 * They keep the only entry of the table, so it must not wait for one. */
static void a_warp_that_waits_lets_its_other_threads_run(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dws",
        .knobs = "entries=1",
        .text = HEAD KERNEL("A: @%p0 barrier.sync 0;\nB:" WORK "bar.sync 0;\nC:" WORK "ret;"),
        .script = {{"A", "0111"}},
    };
    struct bench b;
    begin_walk(&b, &walk, 5); /* the second warp stays behind and keeps the barrier shut */
    for (int i = 0; i < 3; i++)
        bench_issue(&b, strand_of(&b, 1));
    assert_int_equal(b.strand_of[0], -1);
    struct strand *others = strand_of(&b, 1);
    bench_issue(&b, others);
    bench_issue(&b, others);
    assert_true(others->held);
    b.thread[0].at_barrier = false;
    b.ops->released(b.div, b.thread[0].pc, 0, &(struct threads){1, {{0, 1}}});
    b.ops->check(b.div);
    assert_true(b.strand_of[0] >= 0);
    bench_close(&b);
}

/* ---- loads ---- */

#define LOAD HEAD KERNEL("A:" WORK WORK "\nM:" WORK WORK "@%p0 bra J;\nB:" WORK "\nJ:" WORK "ret;")

static const struct threads hits = {1, {{0, 1}}}, misses = {1, {{0, 6}}};

static struct strand *open_load(struct bench *b, struct walk *walk, const char *settings)
{
    *walk = (struct walk){.mechanism = "dws", .knobs = settings, .text = LOAD, .script = {{"M", "11111111"}}};
    begin_walk(b, walk, 8);
    run_to(b, 4, "M");
    return run_to(b, 0, "M");
}

static void a_load_subdivides_until_the_block_ends(void **state)
{
    (void)state;
    struct walk walk;
    struct bench b;
    struct strand *s = open_load(&b, &walk, "memory=aggressive");
    b.ops->memory(b.div, s, &hits, &misses);
    b.ops->check(b.div);
    expect_state(&b, "(M+2,1111,-) (split,M,1001,M+2) (split,M,0110,M+2)");
    /* Of the late ones some come before the others: a split parts in the same way. */
    b.ops->memory(b.div, strand_of(&b, 1), &(struct threads){1, {{0, 2}}}, &(struct threads){1, {{0, 4}}});
    assert_int_equal(bench_counter(&b, "memory_splits"), 2);
    assert_int_equal(strand_count(&b), 3 + 1); /* and the second warp's */
    while (strand_count(&b) > 2)
        assert_true(bench_cycle(&b));
    assert_int_equal(threads_size(&strand_of(&b, 0)->threads), 4);
    bench_run(&b);
    bench_close(&b);
}

/* Lazy: in a cycle in which nothing issues, and not later. Revive: later too, if the strand still stands there. */
static void lazy_splits_wait_for_an_idle_cycle(void **state)
{
    (void)state;
    static const struct {
        const char *knobs;
        int at_once, later, gone; /* splits by loads */
    } cases[] = {{"memory=lazy", 1, 0, 0}, {"memory=revive", 1, 1, 0}};
    for (size_t i = 0; i < 2; i++)
        for (int when = 0; when < 3; when++) {
            struct walk walk;
            struct bench b;
            struct strand *s = open_load(&b, &walk, cases[i].knobs);
            b.ops->memory(b.div, s, &hits, &misses);
            assert_int_equal(bench_counter(&b, "memory_splits"), 0);
            b.host.now += when > 0;
            if (when == 2)
                bench_issue(&b, s);
            b.ops->idle(b.div);
            b.ops->check(b.div);
            assert_int_equal(bench_counter(&b, "memory_splits"), when == 0   ? cases[i].at_once
                                                                 : when == 1 ? cases[i].later
                                                                             : cases[i].gone);
            bench_run(&b);
            bench_close(&b);
        }
}

/* One is enough to have something to issue; the other warp may be subdivided in the next such cycle. */
static void an_idle_cycle_subdivides_one_warp(void **state)
{
    (void)state;
    struct walk walk;
    struct bench b;
    struct strand *s = open_load(&b, &walk, "memory=revive");
    static const struct threads other_hits = {1, {{0, 0x10}}}, other_misses = {1, {{0, 0x60}}};
    b.ops->memory(b.div, s, &hits, &misses);
    b.ops->memory(b.div, strand_of(&b, 4), &other_hits, &other_misses);
    b.ops->idle(b.div);
    assert_int_equal(bench_counter(&b, "memory_splits"), 1);
    b.ops->idle(b.div);
    assert_int_equal(bench_counter(&b, "memory_splits"), 2);
    b.ops->idle(b.div);
    assert_int_equal(bench_counter(&b, "memory_splits"), 2);
    b.ops->check(b.div);
    bench_run(&b);
    bench_close(&b);
}

/* Thread 1's data comes too before nothing issues: only thread 2 is left behind. */
static void an_idle_cycle_knows_the_last_answer(void **state)
{
    (void)state;
    struct walk walk;
    struct bench b;
    struct strand *s = open_load(&b, &walk, "memory=revive");
    b.ops->memory(b.div, s, &hits, &misses);
    b.ops->memory(b.div, s, &(struct threads){1, {{0, 2}}}, &(struct threads){1, {{0, 4}}});
    b.ops->idle(b.div);
    expect_state(&b, "(M+2,1111,-) (split,M,1101,M+2) (split,M,0010,M+2)");
    bench_run(&b);
    bench_close(&b);
}

/* A strand that took another's place, and its PC, has not loaded anything. */
static void an_idle_cycle_forgets_strands_that_are_gone(void **state)
{
    (void)state;
    struct walk walk;
    struct bench b;
    struct strand *s = open_load(&b, &walk, "memory=revive");
    b.ops->memory(b.div, s, &hits, &misses);
    s->generation++;
    b.ops->idle(b.div);
    assert_int_equal(bench_counter(&b, "memory_splits"), 0);
    bench_run(&b);
    bench_close(&b);
}

static void a_load_without_room_subdivides_nothing(void **state)
{
    (void)state;
    struct walk walk;
    struct bench b;
    struct strand *s = open_load(&b, &walk, "memory=aggressive entries=1");
    b.ops->memory(b.div, s, &hits, &misses);
    assert_int_equal(bench_counter(&b, "memory_splits"), 0);
    assert_int_equal(bench_counter(&b, "table_full"), 1);
    bench_run(&b);
    bench_close(&b);
}

#ifndef ROUNDS
#define ROUNDS 150
#endif

static void on_random_graphs_every_thread_walks_its_own_path(void **state)
{
    (void)state;
    walk_random_graphs("dws", ROUNDS, true);
}

static void printing_the_state_changes_nothing(void **state)
{
    (void)state;
    expect_that_dump_changes_nothing("dws");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_walk_of_the_slides_runs_f_twice),
        cmocka_unit_test(the_threshold_is_the_length_of_the_post_dominators_block),
        cmocka_unit_test(splits_that_meet_go_on_as_one),
        cmocka_unit_test(splits_with_different_calls_behind_them_do_not_merge),
        cmocka_unit_test(splits_that_returned_do_not_meet_those_that_did_not),
        cmocka_unit_test(a_split_parts_whatever_the_threshold),
        cmocka_unit_test(warps_share_the_table),
        cmocka_unit_test(a_split_without_room_keeps_its_sides_on_a_stack),
        cmocka_unit_test(a_split_at_a_barrier_makes_room),
        cmocka_unit_test(a_barrier_in_one_side_lets_the_others_run),
        cmocka_unit_test(splits_that_wait_at_a_barrier_leave_it_as_one),
        cmocka_unit_test(a_dissolved_strand_comes_back_to_the_others),
        cmocka_unit_test(splits_that_merge_make_room),
        cmocka_unit_test(a_warp_that_waits_lets_its_other_threads_run),
        cmocka_unit_test(a_load_subdivides_until_the_block_ends),
        cmocka_unit_test(lazy_splits_wait_for_an_idle_cycle),
        cmocka_unit_test(an_idle_cycle_subdivides_one_warp),
        cmocka_unit_test(an_idle_cycle_knows_the_last_answer),
        cmocka_unit_test(an_idle_cycle_forgets_strands_that_are_gone),
        cmocka_unit_test(a_load_without_room_subdivides_nothing),
        cmocka_unit_test(printing_the_state_changes_nothing),
        cmocka_unit_test(on_random_graphs_every_thread_walks_its_own_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
