/* Thread block compaction on a pipeline: the paper's first example as a kernel, draining, and the time of compaction. */
#include "timing_bench.h"

/* Example 1 of the paper; its threads are counted from 1. Blocks are three instructions long. */
static const struct timing_case figure_7 = {
    .body = "mov.u32 %r0, 0x61;\nshr.u32 %r0, %r0, %t;\nand.b32 %r0, %r0, 1;\nsetp.ne.u32 %p0, %r0, 0;\n"
            "@%p0 bra C; // A\n"
            "add.u32 %r1, %t, 1; // B\n"
            "bra D; // B2\n"
            "C: add.u32 %r1, %t, 2; // C\n"
            "D: add.u32 %r2, %r1, 1; // D\n",
    .machine = "tiny",
    .mechanism = "tbc",
    .threads = 8,
};

/* Home slots of the n-th issue of an instruction, as bits. */
static uint64_t slots_at(const struct timing *t, const char *name, int n)
{
    const struct trace_issue *issue = find_issue(t, name, ANY_STRAND, n);
    return issue ? issue->slots : 0;
}

static int times_issued(const struct timing *t, const char *name)
{
    int n = 0;
    while (find_issue(t, name, ANY_STRAND, n))
        n++;
    return n;
}

static void figure_7_as_a_kernel(void **state)
{
    (void)state;
    struct timing t;
    timing_open(&t, &figure_7, "%s", "");
    assert_int_equal(times_issued(&t, "A"), 2);
    assert_int_equal(times_issued(&t, "C"), 1);
    assert_int_equal(times_issued(&t, "B"), 2);
    assert_int_equal(times_issued(&t, "D"), 2);
    assert_int_equal(slots_at(&t, "C", 0), 0x7); /* threads 1, 6, 7 */
    assert_int_equal(slots_at(&t, "B", 0), 0xf); /* 5, 2, 3, 4 */
    assert_int_equal(slots_at(&t, "B", 1), 0x8); /* 8 */
    assert_int_equal(slots_at(&t, "D", 0), 0xf);
    assert_int_equal(slots_at(&t, "D", 1), 0xf);
    assert_int_equal(count_of(&t, "tbc.useful"), 1);
    timing_close(&t);
    struct timing_case baseline = figure_7;
    baseline.mechanism = "pdom";
    timing_open(&t, &baseline, "%s", "");
    assert_int_equal(times_issued(&t, "A") + times_issued(&t, "B") + times_issued(&t, "C") + times_issued(&t, "D"), 8);
    timing_close(&t);
}

/* The last warp's branch resolves a cycle after it issued; C is made in the cycle after that, and issues in the next. */
static void compaction_takes_its_cycles(void **state)
{
    (void)state;
    struct timing t;
    timing_open(&t, &figure_7, "sm.int_latency=1 sm.branch_latency=1");
    uint64_t resolved = issued_nth(&t, "A", ANY_STRAND, 1) + 1;
    assert_int_equal(issued(&t, "C"), resolved + 2);
    /* C has come to D when its instruction is done; B's two warps are made in the two cycles behind. */
    uint64_t met = issued(&t, "C") + 1;
    assert_int_equal(issued_nth(&t, "B", ANY_STRAND, 0), met + 2);
    assert_int_equal(issued_nth(&t, "B", ANY_STRAND, 1), met + 3);
    timing_close(&t);
}

/* A warp that left a load behind waits for it before it dissolves, unless it need not. */
static void a_warp_drains_before_it_dissolves(void **state)
{
    (void)state;
    static const struct timing_case c = {
        .body = "and.b32 %r0, %t, 1;\nsetp.ne.u32 %p0, %r0, 0;\nmul.wide.u32 %a0, %t, 4;\nadd.u64 %a0, %a0, %base;\n"
                "ld.global.u32 %r3, [%a0]; // load\n"
                "@%p0 bra C; // A\n"
                "add.u32 %r1, %t, 1; // B\n"
                "C: add.u32 %r2, %t, 2; // C\n"
                "add.u32 %r2, %r2, %r3; // use\n",
        .machine = "tiny",
        .mechanism = "tbc",
        .threads = 4,
    };
    struct timing drained, free;
    timing_open(&drained, &c, "%s", "");
    struct timing_case plain = c;
    plain.mechanism = "pdom";
    timing_open(&free, &plain, "%s", "");
    assert_true(between(&drained, "load", "B") >= between(&free, "load", "use"));
    assert_true(between(&free, "load", "B") < between(&free, "load", "use"));
    timing_close(&drained);
    timing_close(&free);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_7_as_a_kernel),
        cmocka_unit_test(compaction_takes_its_cycles),
        cmocka_unit_test(a_warp_drains_before_it_dissolves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
