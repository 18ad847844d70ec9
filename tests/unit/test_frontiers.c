/*
 * Thread frontiers: the order of blocks, worked examples to the mask, and random graphs on which every thread must
 * walk its own path.
 */
#include "div/parts/block_order.h"
#include "div_walk.h"

/* ---- the order of blocks ---- */

/* Names of the blocks with labels, in order. */
static void expect_order(const char *text, const char *expected)
{
    struct bench b;
    struct text order = {0};
    bench_open(&b, text, never, NULL);
    int32_t *rank = block_order(b.program);
    for (int32_t i = 0; i < b.program->block_count; i++)
        for (int32_t k = 0; k < b.program->block_count; k++)
            if (rank[k] == i && bench_label(&b, b.program->blocks[k].first, false))
                text_printf(&order, "%s", bench_label(&b, b.program->blocks[k].first, false));
    assert_string_equal(order.data, expected);
    free(rank);
    text_free(&order);
    bench_close(&b);
}

/* The exit of a loop stands in the middle of its text, and is reached from its first block. */
#define SCATTERED_LOOP                                                                                            \
    HEAD KERNEL("bra A;\nA:" WORK "@%p0 bra X;\nbra C;\nB:" WORK "@%p0 bra A;\nbra X;\nX:" WORK "bra Y;\nC:" WORK \
                "@%p0 bra D;\nbra B;\nD:" WORK "bra B;\nY: ret;")

static void blocks_come_behind_their_predecessors_and_loops_together(void **state)
{
    (void)state;
    expect_order(HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "bra D;\nC:" WORK "\nD:" WORK "ret;"), "ABCD");
    expect_order(SCATTERED_LOOP, "ACDBXY");
    /* A loop in a loop, and a way out of both. */
    expect_order(
        HEAD KERNEL("A:" WORK "\nB:" WORK "@%p0 bra X;\nC:" WORK "@%p0 bra B;\nD:" WORK "@%p0 bra A;\nX: ret;"),
        "ABCDX");
}

/* ---- worked examples ---- */

/* if (a || b) X else Y. X is behind two branches that both meet at J only. */
#define SHORT_CIRCUIT \
    HEAD KERNEL("A:" WORK "@%p0 bra X;\nB:" WORK "@%p0 bra X;\nY:" WORK "bra J;\nX:" WORK "\nJ:" WORK "ret;")

static void what_two_branches_share_runs_once(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "frontiers",
        .text = SHORT_CIRCUIT,
        .script = {{"A", "0111"}, {"B", "1011"}},
        .trace = "A1111 B0111 Y0011 X1100 J1111 ",
        .watch = {{"B", "(B,0111,runs) (X,1000)"}, {"Y", "(Y,0011,runs) (X,1100)"}, {"X", "(X,1100,runs) (J,0011)"}},
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "divergent_branches"), 2);
    assert_int_equal(bench_counter(&b, "merges"), 2); /* at X, and at J */
    assert_int_equal(bench_counter(&b, "max_groups"), 1);
    assert_int_equal(bench_counter(&b, "switches"), 1); /* those of Y come to J, and X is before that */
    bench_close(&b);
    struct walk stack = {.mechanism = "pdom", .text = SHORT_CIRCUIT, .script = {{"A", "0111"}, {"B", "1011"}}};
    stack.trace = "A1111 X1000 B0111 X0100 Y0011 J1111 ";
    play_only(&stack);
}

/* Figure 10 of TBC, a loop that is left by a break: E runs once without anybody having said that it is likely. */
static void those_that_break_and_those_that_go_on_share_the_latch(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "frontiers",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "bra E;\nC:" WORK "@%p0 bra E;\nD:" WORK "bra F;\n"
                            "E:" WORK "@%p0 bra A;\nF:" WORK "ret;"),
        .script = {{"A", "1000"}, {"C", "0011"}, {"E", "1111"}},
        .trace = "A1111 B1000 C0111 E1100 D0011 F1111 ",
    };
    play_only(&walk);
}

/* Threads that have left the loop wait for all that are in it. In the order of the text X comes before C and D, and
 * runs as often as threads leave. */
static void the_order_decides_who_meets(void **state)
{
    (void)state;
    struct walk walk = {
        .mechanism = "frontiers",
        .text = SCATTERED_LOOP,
        .script = {{"A", "0111"}, {"A", "0000"}, {"C", "1011"}, {"B", "0000"}},
        .trace = "A1111 C0111 D0100 B0111 A0111 X1111 Y1111 ",
    };
    play_only(&walk);
    walk.knobs = "order=layout";
    walk.trace = "A1111 X1000 C0111 B0011 A0011 X0011 D0100 B0100 A0100 X0100 Y1111 ";
    play_only(&walk);
}

/* Functions first: those that do not call wait for those that do. */
static void those_deeper_in_calls_go_first(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "frontiers",
        .text = HEAD FUNC("f", "X:" WORK "@%p0 ret;\nY:" WORK "ret;") KERNEL("A:" WORK "@%p0 call f;\nB:" WORK "ret;"),
        .script = {{"A", "0001"}, {"X", "0111"}},
        .trace = "A1111 X1110 Y0110 B1111 ",
    };
    play_only(&walk);
}

/* Some come to the barrier by themselves: the others are let by, to theirs. */
static void a_group_at_a_barrier_gives_way(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "frontiers",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra C;\nB: bar.sync 0;\nE:" WORK "bra D;\nC: bar.sync 0;\nF:" WORK
                            "\nD:" WORK "ret;"),
        .script = {{"A", "0111"}},
        .trace = "A1111 B0111 C1000 E0111 F1000 D1111 ",
    };
    play_only(&walk);
}

static void threads_that_end_leave_the_others(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "frontiers",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "exit;\nC:" WORK "ret;"),
        .script = {{"A", "0110"}},
        .trace = "A1111 B0110 C1001 ",
    };
    play_only(&walk);
}

/* Thread 0 ends, and the others run on as the same strand. When threads 1 and 2 wait and the guard lets thread 3 by,
 * the ended one is not among those that wait: nobody would ever let it go. */
static void threads_that_ended_do_not_wait(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "frontiers",
        .text = HEAD KERNEL("A:" WORK "@%p0 exit;\nB: @%p0 bar.sync 0;\nC: @%p0 bra E;\n"
                            "D:" WORK "ret;\nE:" WORK "ret;"),
        .script = {{"A", "0111"}, {"B", "1001"}, {"C", "1110"}},
        .trace = "A1111 B0111 C0001 E0001 C0110 D0110 ",
        .watch = {{"E", "(E,0001,runs) (C,0110,waits)"}, {"D", "(D,0110,runs)"}},
    };
    play_only(&walk);
}

/* ---- random graphs ---- */

#ifndef ROUNDS
#define ROUNDS 40
#endif

static void groups_are_made_by_branches(struct bench *b, int steps)
{
    (void)steps;
    assert_true(bench_counter(b, "groups") >= bench_counter(b, "divergent_branches"));
    assert_true(bench_counter(b, "max_groups") < (uint64_t)b->host.facts.width);
}

static void on_random_graphs_every_thread_walks_its_own_path(void **state)
{
    (void)state;
    graphs_walk("frontiers", ROUNDS, true, groups_are_made_by_branches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_come_behind_their_predecessors_and_loops_together),
        cmocka_unit_test(what_two_branches_share_runs_once),
        cmocka_unit_test(those_that_break_and_those_that_go_on_share_the_latch),
        cmocka_unit_test(the_order_decides_who_meets),
        cmocka_unit_test(those_deeper_in_calls_go_first),
        cmocka_unit_test(a_group_at_a_barrier_gives_way),
        cmocka_unit_test(threads_that_end_leave_the_others),
        cmocka_unit_test(threads_that_ended_do_not_wait),
        cmocka_unit_test(on_random_graphs_every_thread_walks_its_own_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
