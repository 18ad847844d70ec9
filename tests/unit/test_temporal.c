/*
 * Temporal SIMT: on the contract, which splits of a warp run and where they merge; on a pipeline, what an instruction
 * occupies.
 */
#include "div_walk.h"
#include "timing_bench.h"

/* ---- on the contract ---- */

/* All splits run at once, and wait for each other at the join. */
static void every_split_of_a_warp_runs(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "temporal",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "@%p0 bra D;\nE:" WORK WORK WORK "bra J;\nD:" WORK WORK
                            "bra J;\nC:" WORK WORK WORK WORK "\nX:" WORK "\nJ:" WORK "ret;"),
        .script = {{"A", "1011"}, {"B", "1101"}},
        .trace = "A1111 B1011 C0100 E1001 D0010 X0100 J1111 ",
        .watch = {{"D", "(C,0100,runs) (E,1001,runs) (D,0010,runs)"}},
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "max_splits"), 3);
    bench_close(&b);
}

static void on_random_graphs_every_thread_walks_its_own_path(void **state)
{
    (void)state;
    graphs_walk_any("temporal", 30, true, NULL, false);
}

/* ---- on a pipeline ---- */

#define THREE "add.u32 %r1, %t, 1; // a\nadd.u32 %r2, %t, 1; // b\nadd.u32 %r3, %r2, 1; // c\n"

/* The next instruction issues when the last thread has gone, and a dependent one need not wait longer: each of the 32
 * threads finds its own result written, since four cycles have passed. */
static void an_instruction_occupies_its_lane_for_each_thread(void **state)
{
    (void)state;
    struct timing t;
    for (uint32_t threads = 1; threads <= 32; threads += 31) {
        const struct timing_case c = {.body = THREE, .mechanism = "temporal", .threads = threads};
        timing_open(&t, &c, "%s", "");
        assert_int_equal(issued(&t, "b") - issued(&t, "a"), threads);
        assert_int_equal(issued(&t, "c") - issued(&t, "b"), threads == 1 ? 4 : threads);
        timing_close(&t);
    }
}

/* A lane of four takes four threads per cycle, and skips groups of four without a thread. */
static void a_wide_lane_takes_groups_of_threads(void **state)
{
    (void)state;
    struct timing t;
    const struct timing_case c = {.body = THREE, .mechanism = "temporal", .knobs = "lane_width=4", .threads = 32};
    timing_open(&t, &c, "%s", "");
    assert_int_equal(issued(&t, "b") - issued(&t, "a"), 8);
    timing_close(&t);
    const struct timing_case some = {.body = "and.b32 %r0, %t, 19;\nsetp.ne.u32 %p0, %r0, 0;\n@%p0 bra J;\n" THREE
                                             "J: mov.u32 %r0, 1; // j\n",
                                     .mechanism = "temporal",
                                     .knobs = "lane_width=4",
                                     .threads = 32};
    timing_open(&t, &some, "%s", ""); /* threads 0, 4, 8, 12 */
    assert_int_equal(find_issue(&t, "a", ANY_STRAND, 0)->threads, 4);
    assert_int_equal(issued(&t, "b") - issued(&t, "a"), 4);
    timing_close(&t);
}

/* Operands in one register bank are read one after the other: with a single bank the two operands of an addition take
 * each thread one more cycle, on a lane as wide as the datapath and on a lane of one thread alike. */
static void operands_in_one_bank_take_each_thread_longer(void **state)
{
    (void)state;
    struct timing t;
    const struct timing_case c = {.body = "add.u32 %r1, %t, %r4; // a\nadd.u32 %r2, %t, 1; // b\n",
                                  .mechanism = "temporal"};
    timing_open(&t, &c, "sm.bank_conflicts=yes sm.register_banks=1");
    assert_int_equal(issued(&t, "b") - issued(&t, "a"), 64);
    timing_close(&t);
}

/* Warps on different lanes do not wait for each other; a warp on the same lane does. The plain machine has 32 lanes. */
static void every_lane_issues_on_its_own(void **state)
{
    (void)state;
    struct timing t;
    const struct timing_case two = {.body = THREE, .mechanism = "temporal", .threads = 64};
    timing_open(&t, &two, "%s", "");
    assert_int_equal(issued_nth(&t, "a", ANY_STRAND, 0), issued_nth(&t, "a", ANY_STRAND, 1));
    timing_close(&t);
    timing_open(&t, &two, "sm.simd_width=1"); /* one lane, and 32 cycles per warp and instruction */
    assert_int_equal(issued_nth(&t, "a", ANY_STRAND, 1) - issued_nth(&t, "a", ANY_STRAND, 0), 32);
    timing_close(&t);
}

/* Every thread on a path of its own: as many cycles as threads, where a warp takes as many issues of the whole row. */
static void diverged_threads_cost_their_own_cycles(void **state)
{
    (void)state;
    struct timing lanes, stack;
    const char *body = "setp.ge.u32 %p0, %t, 1;\n@%p0 bra X;\n" THREE "bra J;\n"
                       "X: add.u32 %r1, %t, 2; // x\nadd.u32 %r2, %t, 2; // y\nJ: mov.u32 %r0, 1; // j\n";
    const struct timing_case c = {.body = body, .mechanism = "temporal"}, s = {.body = body, .mechanism = "pdom"};
    timing_open(&lanes, &c, "%s", "");
    timing_open(&stack, &s, "%s", "");
    assert_int_equal(lanes.result.sm.thread_instructions, stack.result.sm.thread_instructions);
    assert_int_equal(lanes.result.sm.issue_slots, lanes.result.sm.thread_instructions); /* no slot is wasted */
    assert_true(stack.result.sm.issue_slots > stack.result.sm.thread_instructions);
    assert_int_equal(find_issue(&lanes, "j", ANY_STRAND, 0)->threads, 32);
    timing_close(&lanes);
    timing_close(&stack);
}

/* A branch decides when its last thread has passed. */
static void a_branch_waits_for_its_last_thread(void **state)
{
    (void)state;
    struct timing t;
    const struct timing_case c = {.body = "setp.ge.u32 %p0, %t, 64;\n@%p0 bra J; // branch\nadd.u32 %r1, %t, 1; // a\n"
                                          "J: mov.u32 %r0, 1;\n",
                                  .mechanism = "temporal"};
    timing_open(&t, &c, "%s", "");
    assert_int_equal(issued(&t, "a") - issued(&t, "branch"), 4 + 31);
    timing_close(&t);
}

/* Loads that the ALU executes need a share of it and the memory port. A lane whose share is busy must not hide from the
 * lanes behind it that the port is taken. */
static void lanes_share_the_memory_port(void **state)
{
    (void)state;
    struct timing t;
    const struct timing_case c = {
        .body = "ld.param.u64 %a0, [p];\nmul.lo.u32 %r1, %t, 128;\ncvt.u64.u32 %a1, %r1;\nadd.u64 %a1, %a0, %a1;\n"
                "ld.global.u32 %r2, [%a1];\nadd.u32 %r8, %t, 1;\nld.global.u32 %r3, [%a1+4];\nadd.u32 %r9, %t, 1;\n"
                "ld.global.u32 %r4, [%a1+8];\nld.global.u32 %r5, [%a1+12];\nadd.u32 %r2, %r2, %r3; // sum\n"
                "add.u32 %r2, %r2, %r4;\nadd.u32 %r2, %r2, %r5;\nadd.u32 %r2, %r2, %r8;\nadd.u32 %r2, %r2, %r9;\n"
                "st.global.u32 [%a1], %r2;\n",
        .machine = "fermi",
        .mechanism = "temporal",
        .threads = 1024};
    timing_open(&t, &c, "sm.load_unit=alu sm.registers=65536");
    assert_int_equal(find_issue(&t, "sum", ANY_STRAND, 31)->threads, 32);
    timing_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_split_of_a_warp_runs),
        cmocka_unit_test(on_random_graphs_every_thread_walks_its_own_path),
        cmocka_unit_test(an_instruction_occupies_its_lane_for_each_thread),
        cmocka_unit_test(a_wide_lane_takes_groups_of_threads),
        cmocka_unit_test(operands_in_one_bank_take_each_thread_longer),
        cmocka_unit_test(every_lane_issues_on_its_own),
        cmocka_unit_test(diverged_threads_cost_their_own_cycles),
        cmocka_unit_test(a_branch_waits_for_its_last_thread),
        cmocka_unit_test(lanes_share_the_memory_port),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
