/* The warp buffer: slots are taken in the order in which they became free, and the warps that compaction makes are
 * spread over the schedulers of a multiprocessor under every mechanism that makes any. */
#include "div/parts/warp_buffer.h"
#include "timing_bench.h"

/* ---- the queue ---- */

static void the_slot_that_is_free_for_longest_is_taken(void **state)
{
    (void)state;
    struct warp_buffer b = {0};
    warp_buffer_open(&b, 8, 3);
    assert_int_equal(warp_buffer_take(&b), 8);
    assert_int_equal(warp_buffer_take(&b), 9);
    warp_buffer_give(&b, 9);
    assert_int_equal(warp_buffer_take(&b), 10);
    warp_buffer_give(&b, 8);
    assert_int_equal(warp_buffer_take(&b), 9);
    assert_int_equal(warp_buffer_take(&b), 8);
    warp_buffer_open(&b, 40, 2); /* another block */
    assert_int_equal(warp_buffer_take(&b), 40);
    warp_buffer_close(&b);
}

/* More warps than slots share them in turn; a slot is free when its last warp is gone. */
static void slots_are_shared_in_turn(void **state)
{
    (void)state;
    struct warp_buffer b = {0};
    warp_buffer_open(&b, 0, 2);
    assert_int_equal(warp_buffer_take(&b), 0);
    assert_int_equal(warp_buffer_take(&b), 1);
    assert_int_equal(warp_buffer_take(&b), 1);
    assert_int_equal(warp_buffer_take(&b), 0);
    warp_buffer_give(&b, 1);
    assert_int_equal(warp_buffer_take(&b), 1); /* none is free: both are in use */
    warp_buffer_give(&b, 0);
    warp_buffer_give(&b, 0);
    assert_int_equal(warp_buffer_take(&b), 0);
    for (int i = 0; i < 2; i++)
        warp_buffer_give(&b, 1);
    warp_buffer_give(&b, 0);
    assert_int_equal(warp_buffer_take(&b), 1); /* each slot is free once, however many warps shared it */
    assert_int_equal(warp_buffer_take(&b), 0);
    assert_int_equal(b.free, 0);
    warp_buffer_close(&b);
}

/* ---- on a machine with two schedulers ---- */

/* Two warps of four threads; each side of the branch packs into one full warp. */
static const char sides[] =
    "mov.u32 %r0, 0xa5;\nshr.u32 %r0, %r0, %t;\nand.b32 %r0, %r0, 1;\nsetp.ne.u32 %p0, %r0, 0;\n"
    "@%p0 bra C; // A\n"
    "add.u32 %r1, %t, 1; // B\n"
    "bra D;\n"
    "C: add.u32 %r1, %t, 2; // C\n"
    "D: add.u32 %r2, %r1, 1; // D\n";

static int port_of(const struct timing *t, const char *name, int n)
{
    const struct trace_issue *issue = find_issue(t, name, ANY_STRAND, n);
    assert_non_null(issue);
    return issue->port;
}

static void lone_warps_use_both_schedulers(void **state)
{
    (void)state;
    static const char *const mechanisms[] = {"tbc", "tbc-lcp", "tbc-dpe", "lwm", "capri", "tstbc"};
    for (size_t i = 0; i < COUNTOF(mechanisms); i++) {
        struct timing t;
        timing_open(&t,
                    &(struct timing_case){.body = sides, .machine = "tiny", .mechanism = mechanisms[i], .threads = 8},
                    "sm.schedulers=2");
        if (find_issue(&t, "B", ANY_STRAND, 1) || find_issue(&t, "C", ANY_STRAND, 1))
            fail_msg("%s does not pack a side into one warp", mechanisms[i]);
        if (port_of(&t, "B", 0) == port_of(&t, "C", 0))
            fail_msg("%s gives both sides to scheduler %d", mechanisms[i], port_of(&t, "B", 0));
        timing_close(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slot_that_is_free_for_longest_is_taken),
        cmocka_unit_test(slots_are_shared_in_turn),
        cmocka_unit_test(lone_warps_use_both_schedulers),
    };
    return cmocka_run_group_tests_name("warp buffer", tests, NULL, NULL);
}
