/* Thread frontiers on a pipeline: what conditions with || cost, and code that has nothing to gain. */
#include "timing_bench.h"

/* if ((t & 3) == 0 || t < 16) x else y: x is ten instructions long, and both branches jump to it. */
#define SHORT_CIRCUIT                                                                              \
    "and.b32 %r0, %t, 3;\nsetp.eq.u32 %p0, %r0, 0;\nsetp.lt.u32 %p1, %t, 16;\n"                    \
    "@%p0 bra X;\n@%p1 bra X;\n"                                                                   \
    "add.u32 %r1, %t, 1; // y\nbra J;\n"                                                           \
    "X: add.u32 %r1, %t, 2; // x\nadd.u32 %r2, %t, 2;\nadd.u32 %r3, %t, 2;\nadd.u32 %r4, %t, 2;\n" \
    "add.u32 %r5, %t, 2;\nadd.u32 %r6, %t, 2;\nadd.u32 %r7, %t, 2;\nadd.u32 %r8, %t, 2;\n"         \
    "add.u32 %r9, %t, 2;\nadd.u32 %r10, %t, 2;\n"                                                  \
    "J: add.u32 %r2, %r1, 1; // j\n"

/* The same with one condition: nested, as post-dominators want it. */
#define PLAIN                                         \
    "and.b32 %r0, %t, 3;\nsetp.eq.u32 %p0, %r0, 0;\n" \
    "@%p0 bra X;\n"                                   \
    "add.u32 %r1, %t, 1;\nbra J;\n"                   \
    "X: add.u32 %r1, %t, 2;\nadd.u32 %r2, %t, 2;\n"   \
    "J: add.u32 %r2, %r1, 1;\n"

static void run(struct timing *t, const char *body, const char *mechanism)
{
    struct timing_case c = {.body = body, .mechanism = mechanism};
    timing_open(t, &c, "%s", "");
}

/* pdom's stack knows J alone as a meeting place, so threads of the two branches run x one after the other. Frontiers
 * run it once: ten issues less, one for each of its instructions, and faster. */
static void what_two_conditions_share_runs_once(void **state)
{
    (void)state;
    struct timing stack, frontiers;
    run(&stack, SHORT_CIRCUIT, "pdom");
    run(&frontiers, SHORT_CIRCUIT, "frontiers");
    assert_int_equal(frontiers.result.sm.warp_instructions + 10, stack.result.sm.warp_instructions);
    assert_true(frontiers.result.cycles < stack.result.cycles);
    assert_int_equal(find_issue(&frontiers, "x", ANY_STRAND, 0)->threads, 20); /* 16, and 16, 20, 24, 28 */
    assert_int_equal(find_issue(&frontiers, "y", ANY_STRAND, 0)->threads, 12);
    assert_int_equal(find_issue(&frontiers, "j", ANY_STRAND, 0)->threads, 32);
    timing_close(&stack);
    timing_close(&frontiers);
}

static void nested_code_has_nothing_to_gain(void **state)
{
    (void)state;
    struct timing stack, frontiers;
    run(&stack, PLAIN, "pdom");
    run(&frontiers, PLAIN, "frontiers");
    assert_int_equal(frontiers.result.sm.warp_instructions, stack.result.sm.warp_instructions);
    timing_close(&stack);
    timing_close(&frontiers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_two_conditions_share_runs_once),
        cmocka_unit_test(nested_code_has_nothing_to_gain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
