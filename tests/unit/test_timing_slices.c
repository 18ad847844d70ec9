/*
 * Slices that a mechanism issues by themselves (ws, vws), to the cycle: shares of units, accesses that go as one, fetch.
 */
#include "timing_bench.h"

/* Two slice warps of four threads; the second takes the branch, and is ahead by the first's `mov`. */
#define APART "setp.ge.u32 %p1, %t, 4;\n@%p1 bra L;\nmov.u32 %r1, 1; // only the first\nL:\n"

/* A slice's share of a unit is busy for itself alone. */
static void slices_have_shares_of_units(void **state)
{
    (void)state;
    const struct timing_case c = {.body = APART "sqrt.approx.f32 %f1, %f0; // a\nsqrt.approx.f32 %f2, %f0; // b\n",
                                  .mechanism = "ws",
                                  .threads = 8};
    for (unsigned units = 1; units <= 2; units++) {
        struct timing t;
        timing_open(&t, &c, "sm.sfu_interval=9 sm.sfu_units=%u", units);
        assert_int_equal(issued_by(&t, "a", 0) - issued_by(&t, "a", 1), 1);
        for (int slice = 0; slice < 2; slice++)
            assert_int_equal(issued_by(&t, "b", slice) - issued_by(&t, "a", slice), units == 1 ? 9 : 1);
        timing_close(&t);
    }
}

/* There is one memory unit: what a slice does in shared memory keeps all. Four threads in one bank: four passes. */
static void slices_share_the_memory_unit(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "mul.lo.u32 %r2, %t, 128;\n" APART "ld.shared.u32 %r3, [%r2]; // a\n",
                                  .mechanism = "ws",
                                  .threads = 8};
    struct timing t;
    timing_open(&t, &c, " ");
    assert_int_equal(issued_by(&t, "a", 0) - issued_by(&t, "a", 1), 4);
    timing_close(&t);
}

/* Both slices load a line that is there; then the first does it again and the second, in the same cycle, one that is not.
 * That is one access, and the first goes on when its own line is answered. */
#define TOGETHER                                                                                             \
    "and.b32 %r3, %t, 4; mul.wide.u32 %a1, %r3, 16384; add.u64 %a1, %a1, %base;\n"                           \
    "ld.global.u32 %r1, [%base]; // warm\nmov.u32 %r2, %r1; // warmed\n"                                     \
    "ld.global.u32 %r4, [%a1]; // load\nmov.u32 %r5, %r4; // needs\n"

static void strands_of_one_access_do_not_wait_for_each_other(void **state)
{
    (void)state;
    static const char *const boards[] = {"exact", "warp"};
    const struct timing_case c = {.body = TOGETHER, .mechanism = "ws", .threads = 8};
    for (int i = 0; i < 2; i++) {
        struct timing t;
        timing_open(&t, &c, "sm.scoreboard=%s", boards[i]);
        uint64_t load = issued_by(&t, "load", 0), hit = issued_by(&t, "needs", 0) - load;
        assert_int_equal(issued_by(&t, "load", 1), load);
        assert_int_equal(count_of(&t, "l1d.issued"), 2);
        assert_int_equal(hit, L1_HIT);
        assert_true(issued_by(&t, "needs", 1) - load >= ROW_HIT);
        timing_close(&t);
    }
}

/* The first loads into the same register anew before the rest of that access is back, which must not count for it. */
static void the_rest_of_an_access_is_not_taken_for_a_later_load(void **state)
{
    (void)state;
    static const char *const boards[] = {"exact", "warp"};
    const struct timing_case c = {.body = TOGETHER "ld.global.u32 %r4, [%base+262144]; // again\nmov.u32 %r6, %r4; // last\n",
                                  .mechanism = "ws",
                                  .threads = 8};
    for (int i = 0; i < 2; i++) {
        struct timing t;
        timing_open(&t, &c, "sm.scoreboard=%s", boards[i]);
        assert_true(issued_by(&t, "again", 0) < issued_by(&t, "needs", 1));
        assert_true(issued_by(&t, "last", 0) - issued_by(&t, "again", 0) >= ROW_HIT);
        assert_true(issued_by(&t, "last", 0) > issued_by(&t, "needs", 1));
        timing_close(&t);
    }
}

/* A register that one slice waits for keeps no other from reading its own, whatever the scoreboard. */
static void slices_have_scoreboards(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "ld.global.u32 %r1, [%base]; // warm\nmov.u32 %r2, %r1; // warmed\n" APART
                                          "mov.u32 %r1, 1; // a\nmov.u32 %r2, %r1; // b\n",
                                  .mechanism = "ws",
                                  .threads = 8};
    struct timing t;
    timing_open(&t, &c, "sm.scoreboard=warp sm.int_latency=20 sm.branch_latency=20");
    for (int slice = 0; slice < 2; slice++)
        assert_int_equal(issued_by(&t, "b", slice) - issued_by(&t, "a", slice), 20);
    timing_close(&t);
}

/* Eight slice warps of a warp with a front end each fetch at once; with one port, one after the other, in turn. */
static void slices_fetch_side_by_side(void **state)
{
    (void)state;
    for (unsigned ports = 1; ports <= 8; ports *= 2) {
        char knobs[64];
        snprintf(knobs, sizeof knobs, "mode=slice fetch_ports=%u", ports);
        const struct timing_case c = {.body = "bra L; // branch\nmov.u32 %r1, 1;\nL: mov.u32 %r2, 1; // next\n",
                                      .mechanism = "vws",
                                      .knobs = knobs};
        struct timing t;
        timing_open(&t, &c, "sm.fetch=icache sm.ibuffer=8 sm.decode_width=8");
        uint64_t first = UINT64_MAX, last = 0;
        for (int slice = 0; slice < 8; slice++) {
            uint64_t at = issued_by(&t, "next", slice);
            first = at < first ? at : first;
            last = at > last ? at : last;
        }
        uint64_t apart = last - first;
        assert_true(ports == 8 ? apart == 0 : apart >= 8 / ports - 1);
        timing_close(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_have_shares_of_units),
        cmocka_unit_test(slices_share_the_memory_unit),
        cmocka_unit_test(strands_of_one_access_do_not_wait_for_each_other),
        cmocka_unit_test(the_rest_of_an_access_is_not_taken_for_a_later_load),
        cmocka_unit_test(slices_have_scoreboards),
        cmocka_unit_test(slices_fetch_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
