/* Both sides of a block-wide branch side by side, on a pipeline: which branches gain over tbc, and which do not. */
#include "timing_bench.h"

/* Warps take one side each, as where a program has its warps do different work: no warp parts, but the block does.
 * Each side waits for a load of its own. */
#define BY_WARP                                                                                            \
    "and.b32 %r2, %t, 32;\nsetp.ne.u32 %p0, %r2, 0;\nmul.wide.u32 %a0, %t, 4;\nadd.u64 %a0, %a0, %base;\n" \
    "@%p0 bra X;\n"                                                                                        \
    "ld.global.u32 %r0, [%a0];\nadd.u32 %r1, %r0, 1;\nadd.u32 %r1, %r1, 1;\nbra J;\n"                      \
    "X: ld.global.u32 %r0, [%a0+4096];\nadd.u32 %r1, %r0, 3;\nadd.u32 %r1, %r1, 1;\nbra J;\n"              \
    "J: add.u32 %r2, %r1, 1;\n"

/* The threads of every warp part, half and half, so that two warps become one for each side. */
#define BY_THREAD                                                                                      \
    "shr.u32 %r3, %t, 5;\nadd.u32 %r2, %t, %r3;\nand.b32 %r2, %r2, 1;\nsetp.ne.u32 %p0, %r2, 0;\n"     \
    "mul.wide.u32 %a0, %t, 4;\nadd.u64 %a0, %a0, %base;\n"                                             \
    "@%p0 bra X;\n"                                                                                    \
    "ld.global.u32 %r0, [%a0]; // left\nadd.u32 %r1, %r0, 1;\nadd.u32 %r1, %r1, 1;\nbra J;\n"          \
    "X: ld.global.u32 %r0, [%a0+4096]; // right\nadd.u32 %r1, %r0, 3;\nadd.u32 %r1, %r1, 1;\nbra J;\n" \
    "J: add.u32 %r2, %r1, 1;\n"

/* No else: those that do not load wait at the meeting. */
#define IF_ALONE                                                                                           \
    "and.b32 %r2, %t, 32;\nsetp.ne.u32 %p0, %r2, 0;\nmul.wide.u32 %a0, %t, 4;\nadd.u64 %a0, %a0, %base;\n" \
    "@%p0 bra J;\n"                                                                                        \
    "ld.global.u32 %r0, [%a0];\nadd.u32 %r1, %r0, 1;\nadd.u32 %r1, %r1, 1;\n"                              \
    "J: add.u32 %r2, %r1, 1;\n"

static uint64_t cycles_of(const char *body, const char *mechanism, const char *knobs)
{
    struct timing t;
    struct timing_case c = {.body = body, .mechanism = mechanism, .knobs = knobs, .threads = 64};
    timing_open(&t, &c, "%s", "");
    uint64_t cycles = t.result.cycles;
    timing_close(&t);
    return cycles;
}

/* tbc runs one side behind the other and pays the latency twice; pdom's warps overlap by themselves. */
static void warps_that_do_different_work_overlap_again(void **state)
{
    (void)state;
    uint64_t tbc = cycles_of(BY_WARP, "tbc", NULL), pdom = cycles_of(BY_WARP, "pdom", NULL);
    assert_true(pdom + ROW_HIT <= tbc);
    assert_true(cycles_of(BY_WARP, "tbc-dpe", NULL) + ROW_HIT <= tbc);
    assert_true(cycles_of(BY_WARP, "tbc-dpe", NULL) < pdom + ROW_HIT / 2);
    assert_int_equal(cycles_of(BY_WARP, "tbc-dpe", "interleave=no"), tbc);
}

/* Compaction halves the warps, and overlap hides one of the two latencies: neither tbc nor dpe does both. */
static void compaction_and_overlap_add_up(void **state)
{
    (void)state;
    struct timing t;
    struct timing_case c = {.body = BY_THREAD, .mechanism = "tbc-dpe", .threads = 64};
    timing_open(&t, &c, "%s", "");
    assert_int_equal(find_issue(&t, "left", ANY_STRAND, 0)->threads, 32);
    assert_null(find_issue(&t, "left", ANY_STRAND, 1));
    assert_int_equal(find_issue(&t, "right", ANY_STRAND, 0)->threads, 32);
    assert_true(issued(&t, "left") < issued(&t, "right") + ROW_HIT / 2);
    assert_int_equal(count_of(&t, "tbc-dpe.paired"), 1);
    assert_int_equal(count_of(&t, "tbc-dpe.useful"), 2);
    assert_true(t.result.cycles + ROW_HIT <= cycles_of(BY_THREAD, "tbc", NULL));
    uint64_t issues = t.result.sm.warp_instructions;
    timing_close(&t);
    c.mechanism = "dpe";
    timing_open(&t, &c, "%s", "");
    assert_true(issues < t.result.sm.warp_instructions);
    timing_close(&t);
}

/* One side waits for what the other writes. tbc runs it first and never comes to the other. */
static void a_side_may_wait_for_the_other(void **state)
{
    (void)state;
    struct timing t;
    struct timing_case c = {.body = "setp.ne.u32 %p0, %t, 0;\n@%p0 bra L;\n"
                                    "mov.u32 %r1, 7;\nst.volatile.shared.u32 [sh], %r1;\nbra J;\n"
                                    "L: ld.volatile.shared.u32 %r0, [sh];\nsetp.ne.u32 %p1, %r0, 7;\n@%p1 bra L;\n"
                                    "add.u32 %r2, %r0, 1;\nJ: add.u32 %r2, %r2, 1; // j\n",
                            .mechanism = "tbc-dpe",
                            .threads = 64};
    timing_open(&t, &c, "%s", "");
    assert_int_equal(find_issue(&t, "j", ANY_STRAND, 0)->threads, 32);
    timing_close(&t);
}

static void without_an_else_there_is_nothing_to_overlap(void **state)
{
    (void)state;
    assert_int_equal(cycles_of(IF_ALONE, "tbc-dpe", NULL), cycles_of(IF_ALONE, "tbc", NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warps_that_do_different_work_overlap_again),
        cmocka_unit_test(compaction_and_overlap_add_up),
        cmocka_unit_test(a_side_may_wait_for_the_other),
        cmocka_unit_test(without_an_else_there_is_nothing_to_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
