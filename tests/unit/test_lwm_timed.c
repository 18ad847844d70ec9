/* Large warps on a pipeline: what packing gains over static warps, and what lockstep costs. */
#include "timing_bench.h"

enum { WARPS = 8 };

/* Warp w sends the lanes to X whose number has the parity of w, so that in every column half of the threads go there:
 * the eight half-empty warps of each side are four full sub-warps. X is eight instructions long, the other side one.
 * */
#define PARITY                                                                                     \
    "shr.u32 %r0, %t, 5;\nadd.u32 %r0, %r0, %t;\nand.b32 %r0, %r0, 1;\nsetp.eq.u32 %p0, %r0, 0;\n" \
    "@%p0 bra X;\n"                                                                                \
    "add.u32 %r1, %t, 1; // y\nbra J;\n"                                                           \
    "X: add.u32 %r1, %t, 2; // x\nadd.u32 %r2, %t, 2;\nadd.u32 %r3, %t, 2;\nadd.u32 %r4, %t, 2;\n" \
    "add.u32 %r5, %t, 2;\nadd.u32 %r6, %t, 2;\nadd.u32 %r7, %t, 2;\nadd.u32 %r8, %t, 2;\n"         \
    "J: add.u32 %r2, %r1, 1; // j\n"

/* Each warp waits for a load of its own and then computes; nobody parts. */
#define LOADS                                              \
    "mul.wide.u32 %a0, %t, 4;\nadd.u64 %a0, %a0, %base;\n" \
    "ld.global.u32 %r0, [%a0];\nadd.u32 %r1, %r0, 1; // first\nadd.u32 %r1, %r1, 1; // second\n"

static void run(struct timing *t, const char *body, const char *mechanism, const char *knobs)
{
    struct timing_case c = {.body = body, .mechanism = mechanism, .knobs = knobs, .threads = 32 * WARPS};
    timing_open(t, &c, "%s", "");
}

/* Half the issues of both sides: of x and the seven behind it, and of y and its jump, 4 instead of 8 each. */
static void packing_halves_what_half_the_lanes_do(void **state)
{
    (void)state;
    struct timing stack, large;
    run(&stack, PARITY, "pdom", NULL);
    run(&large, PARITY, "lwm", NULL);
    for (int i = 0; i < WARPS / 2; i++)
        assert_int_equal(find_issue(&large, "x", ANY_STRAND, i)->threads, 32);
    assert_null(find_issue(&large, "x", ANY_STRAND, WARPS / 2));
    assert_int_equal(large.result.sm.warp_instructions + (8 + 2) * WARPS / 2, stack.result.sm.warp_instructions);
    assert_true(large.result.cycles < stack.result.cycles);
    timing_close(&stack);
    timing_close(&large);
}

/* Large warps of one static warp issue what static warps do. */
static void a_large_warp_of_one_is_a_warp(void **state)
{
    (void)state;
    struct timing stack, large;
    run(&stack, PARITY, "pdom", NULL);
    run(&large, PARITY, "lwm", "warps=1");
    assert_int_equal(large.result.sm.warp_instructions, stack.result.sm.warp_instructions);
    timing_close(&stack);
    timing_close(&large);
}

/* Data comes warp by warp. Those whose data is there go on by themselves, or in lockstep wait for the last one's. */
static void lockstep_only_costs_where_nobody_parts(void **state)
{
    (void)state;
    struct timing together, alone;
    run(&together, LOADS, "lwm", NULL);
    run(&alone, LOADS, "lwm", "lockstep=no");
    assert_int_equal(together.result.sm.warp_instructions, alone.result.sm.warp_instructions);
    assert_true(issued_nth(&together, "second", ANY_STRAND, 0) > issued_nth(&together, "first", ANY_STRAND, WARPS - 1));
    assert_true(issued_nth(&alone, "second", ANY_STRAND, 0) < issued_nth(&alone, "first", ANY_STRAND, WARPS - 1));
    assert_int_equal(count_of(&alone, "lwm.lockstep_wait"), 0);
    assert_true(count_of(&together, "lwm.lockstep_wait") > 0);
    assert_true(alone.result.cycles < together.result.cycles);
    timing_close(&together);
    timing_close(&alone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packing_halves_what_half_the_lanes_do),
        cmocka_unit_test(a_large_warp_of_one_is_a_warp),
        cmocka_unit_test(lockstep_only_costs_where_nobody_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
