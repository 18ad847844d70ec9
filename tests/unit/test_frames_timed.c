/* Compaction frames on a pipeline: wide warps whose blocks have an odd number of rows, and what capri and tstbc count. */
#include "div/table.h"
#include "timed_bench.h"

/* Coins from the thread's number decide which way it goes, four times. */
#define COINS                                                                                                    \
    "mov.u32 %r1, %r0; mov.u32 %r4, 0;\nL: mad.lo.u32 %r1, %r1, 1664525, 1013904223; shr.u32 %r2, %r1, 27;\n"    \
    "and.b32 %r2, %r2, 1; setp.eq.u32 %p0, %r2, 0;\n@%p0 bra X;\nmul.lo.u32 %r1, %r1, 5; add.u32 %r1, %r1, 3;\n" \
    "bra J;\nX: xor.b32 %r1, %r1, 0x55;\nJ: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 4;\n@%p1 bra L;"

/* The second block of a multiprocessor begins with the third row, which is not where a warp of 64 would begin if rows were
 * counted through. */
static void a_wide_warp_begins_with_its_block(void **state)
{
    static const char *const swizzles[] = {"sm.warp_width=64 sm.lane_swizzle=no",
                                           "sm.warp_width=64 sm.lane_swizzle=yes"};
    for (size_t i = 0; i < COUNTOF(swizzles); i++) {
        struct timed_case c = {"fermi", swizzles[i], div_find(*state), NULL, 20, 96};
        assert_int_equal(timed_value(KERNEL(COINS), &c, "sm.blocks"), 20);
    }
}

/* ---- home lines ---- */

/* As in the first example of the paper: threads 0, 5 and 6 of two warps of four go to C, together; thread 7 comes to B
 * alone, behind the others. Each warp's words are in a line of its own, and each thread loads its word once a round. */
#define FIGURE_7(rounds)                                                                                           \
    "shr.u32 %r2, %t, 2; shl.b32 %r2, %r2, 7; and.b32 %r3, %t, 3; shl.b32 %r3, %r3, 2; add.u32 %r2, %r2, %r3;\n"   \
    "cvt.u64.u32 %a2, %r2; add.u64 %a2, %a2, %a0; mov.u32 %r4, 0x61; shr.u32 %r4, %r4, %t; and.b32 %r4, %r4, 1;\n" \
    "setp.ne.u32 %p0, %r4, 0; mov.u32 %r1, 0; mov.u32 %r5, 0;\nL: @%p0 bra C;\n"                                   \
    "ld.global.u32 %r6, [%a2+1024]; add.u32 %r1, %r1, 1; bra D;\n"                                                 \
    "C: ld.global.u32 %r6, [%a2+1024]; add.u32 %r1, %r1, 2;\n"                                                     \
    "D: add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, " rounds "; @%p1 bra L;\n"

static uint64_t lines_of(const char *text, const char *mechanism, const char *knobs, uint32_t threads, const char *path)
{
    struct timed_case c = {"tiny", NULL, div_find(mechanism), knobs, 1, threads};
    return timed_value(text, &c, path);
}

static void a_line_counts_once_for_a_static_warp(void **state)
{
    (void)state;
    static const char once[] = KERNEL(FIGURE_7("1")), thrice[] = KERNEL(FIGURE_7("3"));
    uint64_t pdom = lines_of(once, "pdom", NULL, 8, "sm.transactions");
    assert_int_equal(lines_of(once, "pdom", NULL, 8, "sm.home_transactions"), 0); /* warps do not come apart */
    assert_int_equal(lines_of(once, "tbc", NULL, 8, "sm.home_transactions"), pdom);
    assert_int_equal(lines_of(once, "tbc", NULL, 8, "sm.transactions"), pdom + 1); /* thread 7, by itself */
    assert_int_equal(lines_of(once, "tbc", "compaction=no", 8, "sm.transactions"), pdom);
    /* In another round it is another access. */
    pdom = lines_of(thrice, "pdom", NULL, 8, "sm.transactions");
    assert_int_equal(lines_of(thrice, "tbc", NULL, 8, "sm.home_transactions"), pdom);
    assert_int_equal(lines_of(thrice, "tbc", NULL, 8, "sm.transactions"), pdom + 3);
    assert_int_equal(lines_of(thrice, "dwf", NULL, 8, "sm.home_transactions"), pdom);
}

/* Threads of one warp make one or two rounds of an inner loop in each of the outer one. Under a stack they are together in
 * each first and second one. */
#define NESTED                                                                      \
    "and.b32 %r2, %t, 1; mov.u32 %r1, 0; mov.u32 %r4, 0;\nL: mov.u32 %r5, 0;\n"     \
    "M: ld.global.u32 %r6, [%a0+1024]; add.u32 %r1, %r1, 1; add.u32 %r5, %r5, 1;\n" \
    "setp.le.u32 %p0, %r5, %r2; @%p0 bra M;\nadd.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 3; @%p1 bra L;\n"

static void loops_inside_begin_anew_in_each_round(void **state)
{
    (void)state;
    uint64_t pdom = lines_of(KERNEL(NESTED), "pdom", NULL, 4, "sm.transactions");
    assert_int_equal(lines_of(KERNEL(NESTED), "tbc", NULL, 4, "sm.transactions"), pdom);
    assert_int_equal(lines_of(KERNEL(NESTED), "tbc", NULL, 4, "sm.home_transactions"), pdom);
}

/* A block in the place of one that has ended is another, and begins at its loops' first rounds. */
static void blocks_have_lines_of_their_own(void **state)
{
    (void)state;
    static const char *const texts[] = {KERNEL(FIGURE_7("2")), KERNEL(NESTED)};
    for (size_t i = 0; i < COUNTOF(texts); i++) {
        struct timed_case c = {"tiny", "gpu.sm_count=1", div_find("tbc"), NULL, 40, 8}, plain = c;
        plain.mechanism = div_find("pdom");
        assert_int_equal(timed_value(texts[i], &c, "sm.home_transactions"),
                         timed_value(texts[i], &plain, "sm.transactions"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(a_wide_warp_begins_with_its_block, "capri"),
        cmocka_unit_test_prestate(a_wide_warp_begins_with_its_block, "tstbc"),
        cmocka_unit_test_prestate(a_wide_warp_begins_with_its_block, "tbc"),
        cmocka_unit_test_prestate(a_wide_warp_begins_with_its_block, "dwf"),
        cmocka_unit_test_prestate(a_wide_warp_begins_with_its_block, "dwf-wb"),
        cmocka_unit_test(a_line_counts_once_for_a_static_warp),
        cmocka_unit_test(loops_inside_begin_anew_in_each_round),
        cmocka_unit_test(blocks_have_lines_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
