/*
 * Multi-path execution on the contract, without a pipeline: the dual-path slides' graph under it, more than two
 * paths, the corners of loops, calls and ends, the knobs, and random graphs.
 */
#include "div_walk.h"

/* B goes on beside D, E and F; nobody waits but for those it parted from. Z is B's end. */
#define SLIDES                                                                                                  \
    HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "@%p0 bra D;\nE:" WORK WORK "bra F;\nD:" WORK WORK "\nF:" WORK \
                "bra G;\nB:" WORK WORK WORK WORK WORK WORK WORK WORK WORK "\nZ:" WORK "\nG:" WORK "ret;")

static void the_slides_graph_with_three_paths(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "multipath",
        .text = SLIDES,
        .script = {{"A", "0111"}, {"C", "1011"}},
        .trace = "A1111 B1000 C0111 D0100 E0011 F0111 Z1000 G1111 ",
        .watch = {{"A", "(A,1111,-)"},
                  {"C", "(meet,G,1111,1111,-) (B,1000,G) (C,0111,G)"},
                  {"D", "(meet,G,1111,1111,-) (meet,F,0111,0111,G) (B,1000,G) (D,0100,F) (E,0011,F)"},
                  {"F", "(meet,G,1111,1111,-) (B,1000,G) (F,0111,G)"},
                  {"Z", "(meet,G,1111,1000,-) (Z,1000,G)"},
                  {"G", "(G,1111,-)"}},
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "max_paths"), 3);
    assert_int_equal(bench_counter(&b, "max_meetings"), 2);
    assert_int_equal(bench_counter(&b, "meetings"), 2);
    assert_int_equal(bench_counter(&b, "met"), 2);
    assert_int_equal(bench_counter(&b, "divergent_branches"), 2);
    bench_close(&b);
}

static void all_targets_of_an_indexed_branch_run(void **state)
{
    (void)state;
    struct walk walk = walk_of_an_indexed_branch("multipath");
    walk.watch[0].label = "S";
    walk.watch[0].state = "(meet,J,1111,0110,-) (Q,0010,J) (S,0100,J)";
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "max_paths"), 3);
    bench_close(&b);
}

/* Sides of branches in the loop end where the loop does: one entry serves all rounds. */
static void a_loop_shares_its_entry(void **state)
{
    (void)state;
    struct walk walk = walk_of_a_loop("multipath");
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "meetings"), 1);
    bench_close(&b);
    static const struct walk two = {
        .mechanism = "multipath",
        .text = BREAK_LOOP,
        .script = {{"A", "1000"}, {"C", "0011"}, {"C", "0000"}, {"E", "0000"}, {"E", "1111"}},
        .trace = "A1111 C0111 B1000 E0100 E1000 D0011 A0100 A1000 C0100 B1000 E0100 E1000 F1111 ",
    };
    play(&b, &two);
    assert_int_equal(bench_counter(&b, "meetings"), 1);
    assert_true(bench_counter(&b, "shared_entries") > 0);
    bench_close(&b);
}

static void threads_that_exit_are_not_missed(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "multipath",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "@%p0 bra D;\nE:" WORK "exit;\nD:" WORK "\nF:" WORK
                            "bra G;\nB:" WORK "\nG:" WORK "ret;"),
        .script = {{"A", "0111"}, {"C", "1011"}},
        .trace = "A1111 B1000 C0111 E0011 D0100 F0100 G1100 ",
        .watch = {{"G", "(G,1100,-)"}},
    };
    play_only(&walk);
    struct walk all = walk;
    all.script[1].way = "1111";
    all.trace = "A1111 B1000 C0111 E0111 G1000 ";
    all.watch[0].state = "(G,1000,-)";
    play_only(&all);
}

static void recursion_meets_level_by_level(void **state)
{
    (void)state;
    struct walk walk = walk_of_recursion("multipath");
    play_only(&walk);
}

static void sides_that_return_each_meet_behind_the_call(void **state)
{
    (void)state;
    struct walk walk = walk_of_two_returns("multipath");
    walk.watch[0].label = "M";
    walk.watch[0].state = "(meet,ret@1,1111,1111,-) (X@1,1010,ret@1) (M@1,0101,ret@1)";
    play_only(&walk);
}

/* Of B, D and E two may issue: E waits until D is gone. */
static void splits_beyond_the_limit_wait(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "multipath",
        .knobs = "splits=2",
        .text = SLIDES,
        .script = {{"A", "0111"}, {"C", "1011"}},
        .trace = "A1111 B1000 C0111 D0100 E0011 F0111 Z1000 G1111 ",
        .watch = {{"E", "(meet,G,1111,1111,-) (meet,F,0111,0011,G) (B,1000,G) (E,0011,F)"}},
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "table_full"), 1);
    bench_close(&b);
}

/* In the order in which they came, not in that in which others left. */
static void splits_wait_in_line(void **state)
{
    (void)state;
    struct walk walk = walk_of_an_indexed_branch("multipath");
    struct bench b;
    walk.knobs = "splits=1";
    walk.watch[0].label = "S";
    walk.watch[0].state = "(meet,J,1111,0100,-) (S,0100,J)";
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "table_full"), 2);
    bench_close(&b);
}

/* The other warp is not at the barrier yet: C runs while B waits there, and waits again when B goes on. */
static void a_split_at_a_barrier_leaves_its_place(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "multipath",
        .knobs = "splits=1",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK WORK WORK WORK "@%p0 exit;\nD:" WORK WORK WORK
                            "bra J;\nB:" WORK "barrier.sync 0;\nE:" WORK WORK "\nJ:" WORK "ret;"),
        .script = {{"A", "01111111"}, {"C", "11110000"}},
    };
    struct bench b;
    begin_walk(&b, &walk, 8);
    while (b.strand_of[0] >= 0) {
        assert_true(bench_cycle(&b));
        assert_true(b.strand_of[0] < 0 || strand_of(&b, 1) == strand_of(&b, 0) || strand_of(&b, 1)->parked);
    }
    assert_false(strand_of(&b, 1)->parked);
    run_to(&b, 0, "E"); /* the barrier opens when all others have ended, which nobody keeps waiting at J */
    assert_int_equal(strand_count(&b), 1);
    bench_run(&b);
    bench_close(&b);
}

/* Both sides of the loop's branch come to E in the same cycle; without the knob they go round apart. */
static void splits_may_meet_early(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "multipath",
        .knobs = "merge=yes",
        .text = BREAK_LOOP,
        .script = {{"A", "1000"}, {"C", "0011"}, {"E", "1111"}},
        .trace = "A1111 C0111 B1000 E1100 D0011 F1111 ",
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "merges"), 1);
    bench_close(&b);
    struct walk apart = walk;
    apart.knobs = NULL;
    apart.trace = "A1111 C0111 B1000 E0100 E1000 D0011 F1111 ";
    play_only(&apart);
}

/* B waits at the barrier that C comes to: they meet behind it, not there. */
static void splits_at_a_barrier_do_not_take_others_in(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "multipath",
        .knobs = "merge=yes",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK WORK WORK "@%p0 bra J;\nX: bra K;\nB:" WORK
                            "@%p0 bra J;\nK: barrier.sync 0, 32;\nL:" WORK "\nJ:" WORK "ret;"),
        .script = {{"A", "00111111"}, {"B", "11111111"}, {"C", "11110000"}},
    };
    struct bench b;
    begin_walk(&b, &walk, 8);
    while (b.strand_of[0] >= 0)
        assert_true(bench_cycle(&b));
    run_to(&b, 2, "K");
    assert_true(b.strand_of[0] < 0);
    assert_int_equal(bench_counter(&b, "merges"), 0);
    bench_run(&b);
    bench_close(&b);
}

#ifndef ROUNDS
#define ROUNDS 150
#endif

static void on_random_graphs_every_thread_walks_its_own_path(void **state)
{
    (void)state;
    walk_random_graphs("multipath", ROUNDS, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slides_graph_with_three_paths),
        cmocka_unit_test(all_targets_of_an_indexed_branch_run),
        cmocka_unit_test(a_loop_shares_its_entry),
        cmocka_unit_test(threads_that_exit_are_not_missed),
        cmocka_unit_test(recursion_meets_level_by_level),
        cmocka_unit_test(sides_that_return_each_meet_behind_the_call),
        cmocka_unit_test(splits_beyond_the_limit_wait),
        cmocka_unit_test(splits_wait_in_line),
        cmocka_unit_test(a_split_at_a_barrier_leaves_its_place),
        cmocka_unit_test(splits_may_meet_early),
        cmocka_unit_test(splits_at_a_barrier_do_not_take_others_in),
        cmocka_unit_test(on_random_graphs_every_thread_walks_its_own_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
