/*
 * robust: narrow warps that go their own ways, split at branches and merge behind barriers; which width trials choose;
 * and random graphs on which every thread must walk its own path.
 */
#include "div_walk.h"
#include "timing_bench.h"

/* ---- on the contract ---- */

/* Two warps of two threads: the first does not diverge, and the second does not wait for it. */
static void narrow_warps_diverge_by_themselves(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "robust",
        .knobs = "width=narrow least=2",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "bra D;\nC:" WORK "\nD:" WORK "ret;"),
        .script = {{"A", "1101"}}, /* thread 2 takes the branch */
        .trace = "A1100 A0011 B1100 C0010 B0001 D1100 D0011 ",
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "divergent_branches"), 1);
    bench_close(&b);
    struct walk wide = walk;
    wide.knobs = "width=wide least=2";
    wide.trace = "A1111 C0010 B1101 D1111 ";
    play_only(&wide);
}

static void on_random_graphs_every_thread_walks_its_own_path(void **state)
{
    (void)state;
    graphs_walk("robust", 30, true, NULL);
}

/* ---- on a pipeline ---- */

static uint64_t counter_of(const struct timing *t, const char *name)
{
    const struct stat_owner *stats = div_find("robust")->stats;
    for (int i = 0; i < stats->count; i++)
        if (!strcmp(stats->counters[i].name, name))
            return *(const uint64_t *)((const char *)t->result.mechanism + stats->counters[i].offset);
    fail_msg("no counter %s", name);
    return 0;
}

/* 64 rounds of independent instructions, all lanes busy, and a barrier per round. */
#define BUSY(barrier)                                                                                          \
    "mov.u32 %r0, 0;\nL: add.u32 %r1, %t, 1;\nadd.u32 %r2, %t, 1;\nadd.u32 %r3, %t, 1;\nadd.u32 %r4, %t, 1;\n" \
    "add.u32 %r5, %t, 1;\nadd.u32 %r6, %t, 1;\nadd.u32 %r7, %t, 1;\nadd.u32 %r8, %t, 1; // work\n" barrier     \
    "add.u32 %r0, %r0, 1;\nsetp.lt.u32 %p0, %r0, 64;\n@%p0 bra L;\nmov.u32 %r9, 1; // end\n"

/* Narrow warps would leave lanes empty: each trial of them costs time, and the width stays. Behind the barrier of the
 * next round the warps are whole again. */
static void busy_lanes_keep_the_width(void **state)
{
    (void)state;
    struct timing t;
    const struct timing_case c = {
        .body = BUSY("bar.sync 0;\n"), .mechanism = "robust", .knobs = "interval=128 hold=2", .threads = 256};
    timing_open(&t, &c, "%s", "");
    assert_true(counter_of(&t, "trials") >= 6);
    assert_int_equal(counter_of(&t, "narrowings"), 0);
    assert_true(counter_of(&t, "splits") > 0);
    assert_true(counter_of(&t, "merges") >= counter_of(&t, "splits") - 8); /* the last trial may not have ended */
    assert_int_equal(find_issue(&t, "work", ANY_STRAND, 0)->threads, 32);
    timing_close(&t);
}

/* One warp whose threads each need a line of their own in every round: narrow warps go on with the lines that have
 * come. */
#define LINES                                                                                              \
    "mul.lo.u32 %r1, %t, 4096;\ncvt.u64.u32 %a1, %r1;\nadd.u64 %a1, %base, %a1;\nmov.u32 %r0, 0;\n"        \
    "L: ld.global.u32 %r2, [%a1];\nxor.b32 %r3, %r3, %r2;\nadd.u64 %a1, %a1, 128;\nadd.u32 %r0, %r0, 1;\n" \
    "setp.lt.u32 %p0, %r0, 32;\n@%p0 bra L;\n"

static void warps_that_wait_for_memory_become_narrow(void **state)
{
    (void)state;
    struct timing t;
    const struct timing_case c = {.body = LINES, .mechanism = "robust", .knobs = "interval=1000 hold=2", .threads = 32};
    timing_open(&t, &c, "%s", "");
    assert_true(counter_of(&t, "narrowings") > 0);
    assert_true(counter_of(&t, "narrow_cycles") > 0);
    timing_close(&t);
}

/* The whole warp's branches are further apart than an interval, those of its halves are not: there is nothing that the
 * halves can be compared with, in the first trials either. */
static void a_width_that_was_not_measured_is_kept(void **state)
{
    (void)state;
    struct timing t;
    const struct timing_case c = {
        .body = LINES, .mechanism = "robust", .knobs = "interval=256 hold=10000", .threads = 32};
    timing_open(&t, &c, "%s", "");
    assert_int_equal(counter_of(&t, "trials"), 2);
    assert_int_equal(counter_of(&t, "narrowings"), 0);
    timing_close(&t);
}

/* Branches that are further apart than an interval leave no time to count: such trials choose no width, least of all
 * one that the machine does not have. */
static void trials_without_a_measure_choose_nothing(void **state)
{
    (void)state;
    struct timing t;
    const struct timing_case c = {
        .body = BUSY(""), .mechanism = "robust", .knobs = "interval=16 hold=1 least=16", .threads = 4};
    timing_open(&t, &c, "sm.warp_width=4 sm.simd_width=4");
    assert_true(counter_of(&t, "trials") > 0);
    assert_int_equal(counter_of(&t, "narrowings") + counter_of(&t, "widenings"), 0);
    timing_close(&t);
}

/* The fixed widths. */
static void the_width_can_be_fixed(void **state)
{
    (void)state;
    struct timing t;
    struct timing_case c = {.body = BUSY(""), .mechanism = "robust", .knobs = "width=narrow least=8", .threads = 32};
    timing_open(&t, &c, "%s", "");
    assert_int_equal(find_issue(&t, "work", ANY_STRAND, 0)->threads, 8);
    assert_int_equal(find_issue(&t, "end", ANY_STRAND, 0)->threads, 8);
    assert_int_equal(counter_of(&t, "trials"), 0);
    assert_int_equal(counter_of(&t, "narrow_cycles"), t.result.cycles);
    timing_close(&t);
    c.knobs = "width=wide";
    timing_open(&t, &c, "%s", "");
    assert_int_equal(counter_of(&t, "narrow_cycles"), 0);
    assert_int_equal(find_issue(&t, "end", ANY_STRAND, 0)->threads, 32);
    timing_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_warps_diverge_by_themselves),
        cmocka_unit_test(on_random_graphs_every_thread_walks_its_own_path),
        cmocka_unit_test(busy_lanes_keep_the_width),
        cmocka_unit_test(warps_that_wait_for_memory_become_narrow),
        cmocka_unit_test(a_width_that_was_not_measured_is_kept),
        cmocka_unit_test(trials_without_a_measure_choose_nothing),
        cmocka_unit_test(the_width_can_be_fixed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
