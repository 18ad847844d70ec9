/*
 * Dynamic warp subdivision on the contract, without a pipeline: the walk of the dual-path slides to the mask,
 * merging, a table that is full, barriers, loads, and random graphs.
 */
#include "div_walk.h"

/* The slides' graph: the block at the outer post-dominator, G, has three instructions, that at the inner one, F, has one. */
#define SLIDES                                                                                               \
    HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "@%p0 bra D;\nE:" WORK "bra F;\nB:" WORK "bra G;\nD:" WORK  \
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
            KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "call f;\nD:" WORK "bra J;\nB:" WORK "call f;\nE:" WORK "\nJ:" WORK "ret;"),
        .script = {{"A", "0011"}, {"F", "1111"}},
        .trace = "A1111 B1100 C0011 F1100 F0011 Y1100 Y0011 Z1100 Z0011 E1100 D0011 J1100 J0011 ",
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "merges"), 0);
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
        .text = HEAD KERNEL("A:" WORK "@%p0 bra Q;\nP:" WORK WORK "bra J;\nQ:" WORK "@%p0 bra S;\nR:" WORK WORK WORK "bra T;\nS:" WORK
                            "\nT:" WORK "@%p0 bra V;\nU:" WORK "bra J;\nV:" WORK "\nJ:" WORK "ret;"),
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

/* S waits at a barrier; R, below it on the split's stack, would keep it shut if it did not get to run. */
static void a_split_at_a_barrier_makes_room(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dws",
        .knobs = "threshold=0 entries=2 merge=no",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra Q;\nP:" WORK WORK WORK WORK WORK WORK "bra J;\nQ:" WORK "@%p0 bra S;\nR:" WORK
                            "bra T;\nS:" WORK "barrier.sync 0;\nK:" WORK "\nT:" WORK "\nJ:" WORK "ret;"),
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
        .text = HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "bra J;\nB:" WORK "barrier.sync 0;\nE:" WORK "\nJ:" WORK WORK WORK
                            "ret;"),
        .script = {{"A", "0011"}},
        .trace = "A1111 B1100 C0011 J0011 E1100 J1100 ",
    };
    play_only(&walk);
}

/* Thread 0 is let go while the others wait at the next barrier: as at a rendezvous with threads of another warp.
 * They keep the only entry of the table, so it must not wait for one. */
static void a_warp_that_waits_lets_its_other_threads_run(void **state)
{
    (void)state;
    static const struct walk walk = {.script = {{"A", "0111"}}};
    struct knob_words knobs;
    struct bench b;
    set_knobs(&knobs, div_find("dws")->knobs, "entries=1");
    bench_open(&b, HEAD KERNEL("A: @%p0 barrier.sync 0;\nB:" WORK "bar.sync 0;\nC:" WORK "ret;"), scripted, &walk);
    b.knobs = &knobs;
    bench_begin(&b, "dws", 4);
    bench_launch(&b, 0, 5); /* the second warp stays behind and keeps the barrier shut */
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

static const struct walk straight_on = {.script = {{"M", "1111"}}};
static const struct threads hits = {1, {{0, 1}}}, misses = {1, {{0, 6}}};

static struct strand *open_load(struct bench *b, struct knob_words *knobs, const char *settings)
{
    set_knobs(knobs, div_find("dws")->knobs, settings);
    bench_open(b, LOAD, scripted, &straight_on);
    b->knobs = knobs;
    bench_begin(b, "dws", 4);
    bench_launch(b, 0, 4);
    return run_to(b, 0, "M");
}

static void a_load_subdivides_until_the_block_ends(void **state)
{
    (void)state;
    struct knob_words knobs;
    struct bench b;
    struct strand *s = open_load(&b, &knobs, "memory=aggressive");
    b.ops->memory(b.div, s, &hits, &misses);
    b.ops->check(b.div);
    char *held = state_of(&b);
    assert_string_equal(held, "(M+2,1111,-) (split,M,1001,M+2) (split,M,0110,M+2)");
    free(held);
    /* Of the late ones some come before the others: a split parts in the same way. */
    b.ops->memory(b.div, strand_of(&b, 1), &(struct threads){1, {{0, 2}}}, &(struct threads){1, {{0, 4}}});
    assert_int_equal(bench_counter(&b, "memory_splits"), 2);
    assert_int_equal(strand_count(&b), 3);
    while (strand_count(&b) > 1)
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
    } cases[] = {{"memory=off", 0, 0, 0}, {"memory=lazy", 1, 0, 0}, {"memory=revive", 1, 1, 0}};
    for (size_t i = 1; i < 3; i++)
        for (int when = 0; when < 3; when++) {
            struct knob_words knobs;
            struct bench b;
            struct strand *s = open_load(&b, &knobs, cases[i].knobs);
            b.ops->memory(b.div, s, &hits, &misses);
            assert_int_equal(bench_counter(&b, "memory_splits"), 0);
            b.host.now += when > 0;
            if (when == 2)
                bench_issue(&b, s);
            b.ops->idle(b.div);
            b.ops->check(b.div);
            assert_int_equal(bench_counter(&b, "memory_splits"),
                             when == 0 ? cases[i].at_once : when == 1 ? cases[i].later : cases[i].gone);
            bench_run(&b);
            bench_close(&b);
        }
}

static void a_load_without_room_subdivides_nothing(void **state)
{
    (void)state;
    struct knob_words knobs;
    struct bench b;
    struct strand *s = open_load(&b, &knobs, "memory=aggressive entries=1");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_walk_of_the_slides_runs_f_twice),
        cmocka_unit_test(the_threshold_is_the_length_of_the_post_dominators_block),
        cmocka_unit_test(splits_that_meet_go_on_as_one),
        cmocka_unit_test(splits_with_different_calls_behind_them_do_not_merge),
        cmocka_unit_test(a_split_without_room_keeps_its_sides_on_a_stack),
        cmocka_unit_test(a_split_at_a_barrier_makes_room),
        cmocka_unit_test(a_barrier_in_one_side_lets_the_others_run),
        cmocka_unit_test(a_warp_that_waits_lets_its_other_threads_run),
        cmocka_unit_test(a_load_subdivides_until_the_block_ends),
        cmocka_unit_test(lazy_splits_wait_for_an_idle_cycle),
        cmocka_unit_test(a_load_without_room_subdivides_nothing),
        cmocka_unit_test(on_random_graphs_every_thread_walks_its_own_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
