/*
 * Dual-path execution on the contract, without a pipeline: the walk of the paper's slides to the mask, AvgPath, the
 * options, and random graphs.
 */
#include "div/paths.h"
#include "div_walk.h"

/* The slides' graph. B has not ended when C parts, so that it waits below D and E, and goes on beside F; Z is its
 * end. E is longer than D, so that it is alone for a while; Y is its end. */
#define SLIDES                                                                                               \
    HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "@%p0 bra D;\nE:" WORK WORK "\nY:" WORK WORK WORK "bra F;\nD:" WORK WORK \
                "\nF:" WORK "bra G;\nB:" WORK WORK WORK WORK "\nZ:" WORK "\nG:" WORK "ret;")

static void the_walk_of_the_slides(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dpe",
        .text = SLIDES,
        .script = {{"A", "0111"}, {"C", "1011"}},
        .trace = "A1111 B1000 C0111 D0100 E0011 Y0011 F0111 Z1000 G1111 ",
        .watch = {{"A", "(A,1111,-,-,-)"},
                  {"B", "(G,1111,-,-,-) (B,1000,C,0111,G)"},
                  {"C", "(G,1111,-,-,-) (B,1000,C,0111,G)"},
                  {"D", "(G,1111,-,-,-) (B,1000,F,0111,G) (D,0100,E,0011,F)"},
                  {"E", "(G,1111,-,-,-) (B,1000,F,0111,G) (D,0100,E,0011,F)"},
                  {"Y", "(G,1111,-,-,-) (B,1000,F,0111,G) (-,-,Y,0011,F)"},
                  {"F", "(G,1111,-,-,-) (B,1000,F,0111,G)"},
                  {"Z", "(G,1111,-,-,-) (Z,1000,-,-,G)"},
                  {"G", "(G,1111,-,-,-)"}},
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "max_depth"), 3); /* pdom: 4 */
    assert_int_equal(bench_counter(&b, "divergent_branches"), 2);
    assert_int_equal(bench_counter(&b, "reused_slots"), 0);
    assert_int_equal(bench_counter(&b, "pushes"), 3);
    assert_int_equal(bench_counter(&b, "pops"), 3);
    assert_int_equal(bench_counter(&b, "reconvergences"), 4);
    assert_int_equal(bench_counter(&b, "max_paths"), 2);
    bench_close(&b);
}

/* Seven blocks of three instructions. The explicit pop keeps a path in its place while the other issues its last
 * instruction, so that paths take turns as in the slides' table: A, B and C, D and E, F, G. */
static void avg_path_of_the_slides(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dpe",
        .knobs = "stack=software pop_cycles=1",
        .text = HEAD KERNEL("A: @%p0 bra B;\nC:" WORK WORK "@%p0 bra D;\nE:" WORK WORK "bra F;\nD:" WORK WORK WORK
                            "\nF:" WORK WORK "bra G;\nB:" WORK WORK WORK "\nG:" WORK WORK "ret;"),
        .script = {{"A", "0111"}, {"C", "1011"}},
        .trace = "A1111 B1000 C0111 D0100 E0011 F0111 G1111 ",
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(b.issues, 7 * 3);
    assert_int_equal(bench_counter(&b, "issues"), 7 * 3);
    assert_int_equal(bench_counter(&b, "rounds"), 5 * 3);       /* 7 / 5 */
    assert_int_equal(bench_counter(&b, "path_issues"), 11 * 3); /* 11 / 7 */
    assert_int_equal(bench_counter(&b, "explicit_pops"), 4);
    bench_close(&b);
}

static void rounds_are_made_of_turns(void **state)
{
    (void)state;
    struct paths p = {0};
    paths_add(&p, 1, 1);
    paths_add(&p, 2, 1);
    paths_add(&p, 3, 5);
    paths_add(&p, 2, 1);
    paths_add(&p, 3, 1);
    assert_int_equal(p.counters.issues, 9);
    assert_int_equal(p.counters.path_issues, 1 + 4 + 18);
    assert_int_equal(p.counters.rounds, 1 + 1 + 2);
    paths_close(&p);
}

static void an_if_without_else_is_one_path(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dpe",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra J;\nB:" WORK "\nJ:" WORK "ret;"),
        .script = {{"A", "0111"}},
        .trace = "A1111 B0111 J1111 ",
        .watch = {{"B", "(J,1111,-,-,-) (B,0111,-,-,J)"}},
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "path_issues"), b.issues);
    assert_int_equal(bench_counter(&b, "rounds"), b.issues);
    bench_close(&b);
}

static void a_loop_does_not_grow_the_stack(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dpe",
        .text = HEAD KERNEL("L:" WORK "@%p0 bra L;\nM:" WORK "ret;"),
        .script = {{"L", "0001"}, {"L", "0001"}, {"L", "0011"}, {"L", "0111"}, {"L", "1111"}},
        .trace = "L1111 L1110 L1110 L1100 L1000 M1111 ",
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "max_depth"), 2);
    bench_close(&b);
}

/* The sides of the loop's inner branch meet behind the loop: in the second round the one that parts again finds its
 * sibling's place free, or not. */
static void sides_that_end_with_their_entry_take_its_places(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dpe",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra F;\nB:" WORK "@%p0 bra D;\nC:" WORK "bra F;\nD:" WORK "@%p0 bra A;\nF:" WORK
                            "ret;"),
        .script = {{"A", "1111"}, {"A", "1101"}, {"B", "0101"}, {"B", "1001"}, {"D", "1110"}, {"D", "1111"}},
        .trace = "A1111 B1111 C0101 D1010 A0010 F1111 ",
    };
    struct walk parted = walk;
    parted.script[1].way = "1111";
    parted.script[4].way = "0000";
    parted.trace = "A1111 B1111 D1010 C0101 A1010 B1010 D0010 C1000 F1111 ";
    struct bench b;
    play(&b, &parted);
    assert_int_equal(bench_counter(&b, "max_depth"), 2);
    bench_close(&b);
}

static void an_indexed_branch_pushes_two_targets_an_entry(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dpe",
        .text = HEAD KERNEL("T: .branchtargets P, Q, S, P;\nA:" WORK "brx.idx %r0, T;\nS:" WORK
                            "bra J;\nQ:" WORK "bra J;\nP:" WORK "\nJ:" WORK "ret;"),
        .script = {{"A", "0213"}},
        .trace = "A1111 P1001 Q0010 S0100 J1111 ",
        .watch = {{"P", "(J,1111,-,-,-) (S,0100,-,-,J) (P,1001,Q,0010,J)"}, {"S", "(J,1111,-,-,-) (S,0100,-,-,J)"}},
    };
    play_only(&walk);
}

static void threads_that_exit_leave_every_entry(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dpe",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "@%p0 exit;\nE:" WORK "bra G;\nB:" WORK WORK WORK WORK
                            "\nG:" WORK "ret;"),
        .script = {{"A", "0111"}, {"C", "1011"}},
        .trace = "A1111 B1000 C0111 E0101 G1101 ",
        .watch = {{"E", "(G,1101,-,-,-) (B,1000,C,0101,G)"}},
    };
    struct walk all = walk;
    all.script[1].way = "1000";
    all.trace = "A1111 B1000 C0111 G1000 ";
    all.watch[0].label = "G";
    all.watch[0].state = "(G,1000,-,-,-)";
    play_only(&all);
}

static void recursion_meets_level_by_level(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dpe",
        .text = HEAD ".func f();\n" FUNC("f", "F:" WORK "@%p0 bra Z;\nX: call f;\nZ:" WORK "ret;")
            KERNEL("A:" WORK "call f;\nR:" WORK "ret;"),
        .script = {{"F", "0111"}, {"F", "0011"}, {"F", "0001"}, {"F", "0000"}},
        .trace = "A1111 F1111 X0111 F0111 X0011 F0011 X0001 F0001 Z0001 Z0011 Z0111 Z1111 R1111 ",
    };
    play_only(&walk);
}

static void sides_that_return_each_meet_behind_the_call(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dpe",
        .text = HEAD FUNC("f", "F:" WORK "@%p0 bra X;\nM:" WORK "ret;\nX:" WORK WORK "ret;") KERNEL("A: call f;\nR:" WORK "ret;"),
        .script = {{"F", "0101"}},
        .trace = "A1111 F1111 X1010 M0101 R1111 ",
        .watch = {{"M", "(ret@1,1111,-,-,-) (X@1,1010,M@1,0101,ret@1)"}},
    };
    play_only(&walk);
}

/* With the slides' masks B goes on beside E when D has ended. */
static void a_path_is_forwarded_to_the_free_place(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dpe",
        .knobs = "forwarding=yes",
        .text = SLIDES,
        .script = {{"A", "0111"}, {"C", "1011"}},
        .trace = "A1111 B1000 C0111 D0100 E0011 Y0011 Z1000 F0111 G1111 ",
        .watch = {{"Z", "(G,1111,-,-,-) (Z,1000,F,0111,G) (-,-,Y,0011,F)"}},
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "forwarded"), 1);
    bench_close(&b);
}

/* Paths take turns at loads, and when one ends. */
static void constrained_paths_take_turns(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dpe",
        .knobs = "constrained=yes",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "ld.global.u32 %r2, [%d0];\nD:" WORK "bra J;\nB:" WORK
                            "ld.global.u32 %r2, [%d0];\nE:" WORK WORK WORK "\nJ:" WORK "ret;"),
        .script = {{"A", "0111"}},
        .trace = "A1111 B1000 C0111 E1000 D0111 J1111 ",
    };
    struct walk shared = walk;
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "switches"), 2);
    assert_int_equal(bench_counter(&b, "max_paths"), 2);
    bench_close(&b);
    /* An access to shared memory is not long. */
    shared.text = HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "ld.shared.u32 %r2, [%d0];\nD:" WORK "bra J;\nB:" WORK
                              "ld.shared.u32 %r2, [%d0];\nE:" WORK WORK WORK "\nJ:" WORK "ret;");
    shared.trace = "A1111 B1000 E1000 C0111 D0111 J1111 ";
    play_only(&shared);
}

/* The other warp is not at the barrier yet. */
static void a_constrained_path_at_a_barrier_lets_the_other_run(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dpe",
        .knobs = "constrained=yes",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK WORK WORK "bra J;\nB:" WORK "barrier.sync 1;\nE:" WORK
                            "\nJ:" WORK "ret;"),
        .script = {{"A", "01111111"}},
    };
    struct knob_words knobs;
    struct bench b;
    set_knobs(&knobs, div_find("dpe")->knobs, walk.knobs);
    bench_open(&b, walk.text, scripted, &walk);
    b.knobs = &knobs;
    bench_begin(&b, "dpe", 4);
    bench_launch(&b, 0, 8);
    run_to(&b, 1, "C");
    assert_true(strand_of(&b, 1)->parked);
    while (!strand_of(&b, 0)->held)
        assert_true(bench_cycle(&b));
    assert_false(strand_of(&b, 1)->parked);
    bench_close(&b);
}

/* Threads whose data came first run ahead as the left path, up to the branch. */
static void a_load_parts_threads_until_the_block_ends(void **state)
{
    (void)state;
    static const struct walk walk = {.script = {{"M", "1111"}}};
    struct knob_words knobs;
    struct bench b;
    set_knobs(&knobs, div_find("dpe")->knobs, "memory_divergence=yes");
    bench_open(&b, HEAD KERNEL("A:" WORK WORK "\nM:" WORK WORK "@%p0 bra J;\nB:" WORK "\nJ:" WORK "ret;"), scripted, &walk);
    b.knobs = &knobs;
    bench_begin(&b, "dpe", 4);
    bench_launch(&b, 0, 4);
    struct strand *s = run_to(&b, 0, "M");
    struct threads hit = {1, {{0, 1}}}, miss = {1, {{0, 4}}};
    b.ops->memory(b.div, s, &hit, &miss);
    b.ops->check(b.div);
    char *held = state_of(&b);
    assert_string_equal(held, "(M+2,1111,-,-,-) (M,1101,M,0010,M+2)");
    free(held);
    /* Another load inside finds no place free. */
    b.ops->memory(b.div, s, &hit, &(struct threads){1, {{0, 2}}});
    assert_int_equal(bench_counter(&b, "memory_splits"), 1);
    while (strand_count(&b) > 1)
        assert_true(bench_cycle(&b));
    assert_int_equal(threads_size(&strand_of(&b, 0)->threads), 4);
    bench_run(&b);
    bench_close(&b);
}

#ifndef ROUNDS
#define ROUNDS 150
#endif

static void on_random_graphs_every_thread_walks_its_own_path(void **state)
{
    (void)state;
    walk_random_graphs("dpe", ROUNDS, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_walk_of_the_slides),
        cmocka_unit_test(avg_path_of_the_slides),
        cmocka_unit_test(rounds_are_made_of_turns),
        cmocka_unit_test(an_if_without_else_is_one_path),
        cmocka_unit_test(a_loop_does_not_grow_the_stack),
        cmocka_unit_test(sides_that_end_with_their_entry_take_its_places),
        cmocka_unit_test(an_indexed_branch_pushes_two_targets_an_entry),
        cmocka_unit_test(threads_that_exit_leave_every_entry),
        cmocka_unit_test(recursion_meets_level_by_level),
        cmocka_unit_test(sides_that_return_each_meet_behind_the_call),
        cmocka_unit_test(a_path_is_forwarded_to_the_free_place),
        cmocka_unit_test(constrained_paths_take_turns),
        cmocka_unit_test(a_constrained_path_at_a_barrier_lets_the_other_run),
        cmocka_unit_test(a_load_parts_threads_until_the_block_ends),
        cmocka_unit_test(on_random_graphs_every_thread_walks_its_own_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
