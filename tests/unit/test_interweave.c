/*
 * sbi and swi on the contract, without a pipeline: which splits of a warp run side by side, where they wait for each
 * other and merge, and random graphs on which every thread must walk its own path.
 */
#include "div_walk.h"

/* B and C run side by side; B has the shorter way to the join. */
#define UNEQUAL_SIDES \
    HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "bra J;\nC:" WORK WORK "\nD:" WORK "\nJ:" WORK "ret;")

static void two_splits_run_and_merge_at_the_join(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "sbi",
        .text = UNEQUAL_SIDES,
        .script = {{"A", "0111"}},
        .trace = "A1111 B0111 C1000 D1000 J1111 ",
        .watch = {{"C", "(B,0111,runs) (C,1000,runs)"}, {"D", "(D,1000,runs) (J,0111,waits)"}},
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "divergent_branches"), 1);
    assert_int_equal(bench_counter(&b, "merges"), 1);
    assert_int_equal(bench_counter(&b, "waits"), 1);
    assert_int_equal(bench_counter(&b, "max_splits"), 2);
    bench_close(&b);
}

/* Nobody waits: those of B pass the join before those of C come. */
static void without_sync_the_join_is_passed_twice(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "sbi",
        .knobs = "sync=none",
        .text = UNEQUAL_SIDES,
        .script = {{"A", "0111"}},
        .trace = "A1111 B0111 C1000 J0111 D1000 J1000 ",
    };
    play_only(&walk);
}

/* A loop of two blocks, left in different rounds. The branch that leaves it ends with the second block: with
 * `region`, those that have left wait only for those in that block. */
#define LONG_LOOP HEAD KERNEL("A:" WORK "\nB:" WORK "bra C;\nC:" WORK "@%p0 bra B;\nX:" WORK "ret;")

static void a_region_begins_at_the_branch(void **state)
{
    (void)state;
    struct walk walk = {
        .mechanism = "sbi",
        .knobs = "sync=order",
        .text = LONG_LOOP,
        .script = {{"C", "1000"}, {"C", "1111"}},
        .trace = "A1111 B1111 C1111 B0111 C0111 X1111 ",
    };
    play_only(&walk);
    walk.knobs = "sync=region";
    walk.trace = "A1111 B1111 C1111 B0111 X1000 C0111 X0111 ";
    play_only(&walk);
}

/* A loop of one block: those that have left wait for all others in it, whichever instruction before the branch they are
 * at. */
static void a_region_begins_with_the_block_of_the_branch(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "sbi",
        .knobs = "sync=region",
        .text = HEAD KERNEL("A:" WORK "\nC:" WORK WORK "@%p0 bra C;\nX:" WORK "ret;"),
        .script = {{"C", "1000"}, {"C", "1111"}},
        .trace = "A1111 C1111 C0111 X1111 ",
    };
    play_only(&walk);
}

/* The text has the join J before C, from which threads come there. Only in the topological order does J wait for C. */
static void the_order_is_topological_or_that_of_the_text(void **state)
{
    (void)state;
    struct walk walk = {
        .mechanism = "sbi",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra C;\nJ:" WORK "ret;\nC:" WORK "bra J;"),
        .script = {{"A", "0111"}},
        .trace = "A1111 C1000 J1111 ",
    };
    play_only(&walk);
    walk.knobs = "order=layout";
    walk.trace = "A1111 J0111 C1000 J1000 ";
    play_only(&walk);
}

/* Three targets: the first two in the order run, and the third when one of them waits at the join. */
#define THREE_WAYS                                                                                               \
    HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "@%p0 bra D;\nE:" WORK WORK "bra J;\nD:" WORK "bra J;\nC:" WORK \
                "\nJ:" WORK "ret;")

static void a_third_split_waits_for_its_turn(void **state)
{
    (void)state;
    struct walk walk = {
        .mechanism = "sbi",
        .text = THREE_WAYS,
        .script = {{"A", "1011"}, {"B", "1101"}},
        .trace = "A1111 B1011 C0100 E1001 D0010 J1111 ",
        .watch = {{"E", "(E,1001,runs) (D,0010,runs) (J,0100,waits)"}},
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "max_splits"), 3);
    bench_close(&b);
    struct walk one = {.mechanism = "swi", .text = THREE_WAYS, .script = {{"A", "1011"}, {"B", "1101"}}};
    one.trace = "A1111 B1011 E1001 D0010 C0100 J1111 ";
    play_only(&one);
}

/* Some come to the barrier by themselves: the others are let by, to theirs. */
static void a_split_at_a_barrier_makes_room(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "sbi",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra C;\nB: bar.sync 0;\nE:" WORK "bra D;\nC: bar.sync 0;\nF:" WORK
                            "\nD:" WORK "ret;"),
        .script = {{"A", "0111"}},
        .trace = "A1111 B0111 C1000 E0111 F1000 D1111 ",
    };
    play_only(&walk);
}

/* ---- random graphs ---- */

#ifndef ROUNDS
#define ROUNDS 40
#endif

static void splits_are_made_by_branches(struct bench *b, int steps)
{
    (void)steps;
    assert_true(bench_counter(b, "made") >= bench_counter(b, "divergent_branches"));
    assert_true(bench_counter(b, "max_splits") <= (uint64_t)b->host.facts.width);
}

static void on_random_graphs_every_thread_walks_its_own_path(void **state)
{
    (void)state;
    graphs_walk_any("sbi", ROUNDS, true, splits_are_made_by_branches, false);
    graphs_walk("swi", ROUNDS, true, splits_are_made_by_branches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_splits_run_and_merge_at_the_join),
        cmocka_unit_test(without_sync_the_join_is_passed_twice),
        cmocka_unit_test(a_region_begins_at_the_branch),
        cmocka_unit_test(a_region_begins_with_the_block_of_the_branch),
        cmocka_unit_test(the_order_is_topological_or_that_of_the_text),
        cmocka_unit_test(a_third_split_waits_for_its_turn),
        cmocka_unit_test(a_split_at_a_barrier_makes_room),
        cmocka_unit_test(on_random_graphs_every_thread_walks_its_own_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
