/* capri on a pipeline to the cycle: whom a meeting keeps waiting, and for what. */
#include "timing_bench.h"

/*
 * Two warps take turns from cycle 1 on, and their first instructions wait for no other: the first warp loads at cycle 5, when
 * its address is there, compares at cycle 7, and issues its branch at cycle 11, which is done at cycle 15; the second warp is a
 * cycle behind.
 */
enum { LOADS = 5, FIRST_COMES = 15, SECOND_COMES = 16 };
#define SIDES(condition)                                                                       \
    "ld.global.u32 %r1, [%base];\n" condition "\n@%p0 bra ELSE;\nmov.u32 %r2, 1;\nbra JOIN;\n" \
    "ELSE: mov.u32 %r2, 2; // else\nJOIN: mov.u32 %r3, 1;\n"

/* The cycle of the first issue at ELSE. */
static uint64_t else_issues(const char *body, const char *mechanism, const char *knobs)
{
    struct timing t;
    const struct timing_case c = {.body = body, .mechanism = mechanism, .knobs = knobs, .threads = 64};
    timing_open(&t, &c, " ");
    uint64_t cycle = issued_nth(&t, "else", ANY_STRAND, 0);
    timing_close(&t);
    return cycle;
}

/* Only the first warp parts. It waits until the second has come to the branch, and then goes on by itself: there is nobody
 * to be compacted with, so its load need not be back. */
static void a_warp_that_parts_alone_does_not_drain(void **state)
{
    (void)state;
    static const char one_parts[] = SIDES("setp.lt.u32 %p0, %t, 8;");
    assert_int_equal(else_issues(one_parts, "pdom", NULL), FIRST_COMES);
    assert_int_equal(else_issues(one_parts, "capri", NULL), SECOND_COMES);
    assert_int_equal(else_issues(one_parts, "capri", "drain=no"), SECOND_COMES);
}

/* Both part. They are compacted, a warp each cycle from the next one on: when both loads, of one line, are back, or at once. The
 * comparison comes 4 cycles later here. */
static void warps_that_are_compacted_drain_before(void **state)
{
    (void)state;
    static const char both_part[] = SIDES("and.b32 %r4, %t, 31;\nsetp.lt.u32 %p0, %r4, 8;");
    assert_int_equal(else_issues(both_part, "capri", NULL), LOADS + ROW_CLOSED + 1);
    assert_int_equal(else_issues(both_part, "capri", "drain=no"), SECOND_COMES + 4 + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_warp_that_parts_alone_does_not_drain),
        cmocka_unit_test(warps_that_are_compacted_drain_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
