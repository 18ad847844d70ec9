/*
 * The front of the pipeline to the cycle: instructions that come through caches (sm/fetch.c), operands in one
 * bank of the register file, strands that issue side by side on slices of the lanes.
 */
#include "timing_bench.h"

/* ---- fetch ---- */

/* The bench's own first two, and 16 that need nothing: %r0 to %r15. */
static char *straight_line(int count)
{
    struct text t = {0};
    for (int i = 0; i < count; i++)
        text_printf(&t, "mov.u32 %%r%d, 1; // i%d\n", i, i + 2);
    return text_take(&t);
}

/* The cycle at which the instruction at a PC issued; 0 and 1 are the bench's own. */
static uint64_t issued_at_pc(const struct timing *t, int pc, int strand)
{
    char name[16];
    snprintf(name, sizeof name, "i%d", pc);
    return issued_by(t, pc == 0 ? "base" : pc == 1 ? "t" : name, strand);
}

enum { LINE = 16 }; /* instructions of 8 bytes in a line of 128 */

/* The first fetch, at cycle 1, finds nothing and brings the line as a load would: what it brings issues when
 * a load's user would. So does the first instruction of the next line, in the same row of DRAM, from the
 * cycle after the last of this line on. */
static void test_fetch_misses(void **state)
{
    (void)state;
    char *body = straight_line(14);
    struct timing t;
    timing_open(&t, &(struct timing_case){.body = body}, "sm.fetch=icache sm.ibuffer=16 sm.decode_width=16");
    assert_int_equal(issued(&t, "base"), 1 + ROW_CLOSED);
    assert_int_equal(between(&t, "i15", "ret"), 1 + ROW_HIT);
    timing_close(&t);
    timing_open(&t, &(struct timing_case){.body = body}, "sm.fetch=icache sm.launch_latency=10");
    assert_int_equal(issued(&t, "base"), 1 + 10 + ROW_CLOSED);
    timing_close(&t);
    free(body);
}

/*
 * A fetch fills a buffer of n: n instructions issue in n cycles, the next cycle fetches, and the cache's
 * latency later the first of the next n issues.
 */
static void expect_straight_line(unsigned entries, unsigned latency)
{
    char *body = straight_line(14);
    struct timing t;
    timing_open(&t, &(struct timing_case){.body = body},
                "sm.fetch=icache sm.ibuffer=%u sm.decode_width=16 mem.instruction_latency=%u", entries, latency);
    for (unsigned pc = 0; pc < LINE; pc++)
        assert_int_equal(issued_at_pc(&t, (int)pc, 0),
                         issued(&t, "base") + pc / entries * (entries + latency) + pc % entries);
    timing_close(&t);
    free(body);
}

static void test_fetch_of_a_straight_line(void **state)
{
    (void)state;
    for (unsigned entries = 1; entries <= 16; entries *= 2)
        for (unsigned latency = 1; latency <= 7; latency += 3)
            expect_straight_line(entries, latency);
}

/* Instructions of 16 bytes: 8 in a line, and the ninth comes from DRAM. */
static void test_size_of_instructions(void **state)
{
    (void)state;
    char *body = straight_line(14);
    struct timing t;
    timing_open(&t, &(struct timing_case){.body = body},
                "sm.fetch=icache sm.ibuffer=64 sm.decode_width=16 sm.instruction_bytes=16");
    assert_int_equal(between(&t, "base", "i7"), 7);
    assert_true(between(&t, "i7", "i8") >= 1 + ROW_HIT);
    assert_int_equal(between(&t, "i8", "i15"), 7);
    timing_close(&t);
    free(body);
}

/* Caches of instructions hold whole lines: a miss brings all 128 bytes of the line, also where data comes in sectors of
 * 32 bytes. */
static void test_lines_of_instructions_come_whole(void **state)
{
    (void)state;
    char *body = straight_line(8);
    for (unsigned sector = 0; sector <= 32; sector += 32) {
        struct timing t;
        timing_open(&t, &(struct timing_case){.body = body}, "sm.fetch=icache sm.ibuffer=2 mem.sector_bytes=%u",
                    sector);
        assert_int_equal(count_of(&t, "crossbar.requests"), 1);
        assert_int_equal(count_of(&t, "dram.bytes"), 128);
        timing_close(&t);
    }
    free(body);
}

/* What the buffer holds behind a branch is of use only if the branch falls through. Else the target is
 * fetched when the branch is resolved. */
static void test_fetch_behind_a_branch(void **state)
{
    (void)state;
    const struct timing_case taken = {.body = "@!%p1 bra L; // branch\n" /* %p1 is false */
                                              "mov.u32 %r1, 1;\n"
                                              "L: mov.u32 %r2, 1; // next\n"};
    const struct timing_case through = {.body = "@%p1 bra L; // branch\n"
                                                "mov.u32 %r1, 1; // next\n"
                                                "L: mov.u32 %r2, 1;\n"};
    for (unsigned latency = 1; latency <= 6; latency += 5) {
        struct timing t;
        timing_open(&t, &taken, "sm.fetch=icache sm.ibuffer=8 sm.decode_width=8 mem.instruction_latency=%u", latency);
        assert_int_equal(between(&t, "base", "branch"), 2);
        assert_int_equal(between(&t, "branch", "next"), 4 + latency);
        timing_close(&t);
        timing_open(&t, &through, "sm.fetch=icache sm.ibuffer=8 sm.decode_width=8 mem.instruction_latency=%u", latency);
        assert_int_equal(between(&t, "branch", "next"), 4);
        timing_close(&t);
    }
}

/* Two warps ask for the line in turn, and wait for one reply. Two instructions each: the decoder takes both
 * in a cycle, or one a cycle, and the second warp's come after the first's. */
static void test_fetch_of_two_warps(void **state)
{
    (void)state;
    for (unsigned width = 1; width <= 2; width++) {
        struct timing t;
        timing_open(&t, &(struct timing_case){.body = "mov.u32 %r1, 1; // i2\n", .threads = 64},
                    "sm.fetch=icache sm.decode_width=%u sm.schedulers=2 sm.alu_units=2", width);
        assert_int_equal(issued_by(&t, "base", 1) - issued_by(&t, "base", 0), 2 / width);
        assert_int_equal(count_of(&t, "instruction.misses"), 2);
        assert_int_equal(count_of(&t, "instruction.merges"), 1);
        assert_int_equal(count_of(&t, "crossbar.requests"), 1);
        timing_close(&t);
    }
}

/* Two warps whose buffers run empty in one cycle: with two ports and a decoder for both, they go on together;
 * with one port, the second a cycle later. */
static void test_fetch_ports(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "bar.sync 0; // barrier\n" /* at pc 2; aligns them */
                                          "mov.u32 %r1, 1; // i3\n"
                                          "bra L; // branch\n"
                                          "mov.u32 %r2, 1;\n"
                                          "L: mov.u32 %r3, 1; // next\n",
                                  .threads = 64};
    for (unsigned ports = 1; ports <= 2; ports++) {
        struct timing t;
        timing_open(&t, &c,
                    "sm.fetch=icache sm.ibuffer=5 sm.decode_width=16 sm.fetch_ports=%u sm.schedulers=2 "
                    "sm.alu_units=2 "
                    "sm.branch_units=2",
                    ports);
        assert_int_equal(issued_by(&t, "branch", 0), issued_by(&t, "branch", 1));
        uint64_t resolved = issued_by(&t, "branch", 0) + 4, first = issued_by(&t, "next", 0), second = first;
        if (issued_by(&t, "next", 1) < first)
            first = issued_by(&t, "next", 1);
        else
            second = issued_by(&t, "next", 1);
        assert_int_equal(first, resolved + 1);
        assert_int_equal(second, resolved + 1 + (ports == 1));
        timing_close(&t);
    }
}

/* Fetch fills an empty buffer while the instruction that goes into it waits for its registers: it adds no cycle to
 * their latency. */
static void test_fetch_while_registers_wait(void **state)
{
    (void)state;
    struct timing t;
    timing_open(&t, &(struct timing_case){.body = "sqrt.approx.f32 %f1, %f0; // a\nmov.f32 %f2, %f1; // needs\n"},
                "sm.fetch=icache sm.ibuffer=1 mem.instruction_latency=3 sm.sfu_latency=20");
    assert_int_equal(between(&t, "a", "needs"), 20);
    timing_close(&t);
}

/* Warp 1 comes to the barrier last, so its fetch was the last one before. Behind the barrier all three warps want a
 * fetch in one cycle. Loose round-robin goes on with the warp behind warp 1; first come, first served starts with warp
 * 0. */
static void test_fetch_order(void **state)
{
    (void)state;
    static const char *const orders[] = {"fifo", "lrr"};
    static const int turns[][3] = {{0, 2, 1}, {2, 0, 1}};
    const struct timing_case c = {.body =
                                      "shr.u32 %r0, %t, 5;\nsetp.ne.u32 %p0, %r0, 1;\n@%p0 bra B;\nmov.u32 %r1, 1;\n"
                                      "mov.u32 %r2, 1;\nmov.u32 %r3, 1;\nB: bar.sync 0; // barrier\n"
                                      "mov.u32 %r4, 1; // next\n",
                                  .threads = 96};
    for (int i = 0; i < 2; i++) {
        struct timing t;
        timing_open(&t, &c, "sm.fetch=icache sm.ibuffer=1 sm.release_latency=8 sm.fetch_order=%s", orders[i]);
        assert_true(issued_by(&t, "barrier", 1) > issued_by(&t, "barrier", 0));
        assert_true(issued_by(&t, "barrier", 1) > issued_by(&t, "barrier", 2));
        for (int k = 1; k < 3; k++)
            assert_true(issued_by(&t, "next", turns[i][k]) > issued_by(&t, "next", turns[i][k - 1]));
        timing_close(&t);
    }
}

/* An L0 gives its instructions in a cycle, to strands that lie in its slice; others go to the L1. */
static void test_l0(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        unsigned latency;
    } cases[] = {
        {"sm.l0_bytes=0", 6},
        {"sm.l0_bytes=256 sm.l0_slice=32", 1},
        {"sm.l0_bytes=256 sm.l0_slice=16", 6},
    };
    char *body = straight_line(14);
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        struct timing t;
        timing_open(&t, &(struct timing_case){.body = body},
                    "sm.fetch=icache sm.ibuffer=4 sm.decode_width=4 mem.instruction_latency=6 %s", cases[i].settings);
        for (int pc = 0; pc < LINE; pc++)
            assert_int_equal(issued_at_pc(&t, pc, 0),
                             issued(&t, "base") + (unsigned)pc / 4 * (4 + cases[i].latency) + (unsigned)pc % 4);
        assert_true(count_of(&t, "sm.decodes") >= LINE);
        assert_int_equal(count_of(&t, "sm.buffer_fills"), count_of(&t, "sm.decodes")); /* a warp has one buffer */
        timing_close(&t);
    }
    free(body);
}

/* ---- banks of the register file ---- */

/* With one bank all registers that are read conflict: n of them take n - 1 cycles more, for the unit and for
 * the result. One that is read twice is one; constants and guards are none. */
static void test_register_banks(void **state)
{
    (void)state;
    static const struct {
        const char *first, *like;
        unsigned more;
    } cases[] = {
        {"add.u32 %r3, %r1, %r2", "add.u32 %r4, %r1, %r2", 1},
        {"mad.lo.u32 %r3, %r0, %r1, %r2", "mad.lo.u32 %r4, %r0, %r1, %r2", 2},
        {"mad.lo.u32 %r3, %r0, %r1, %r0", "mad.lo.u32 %r4, %r0, %r1, %r0", 1},
        {"add.u32 %r3, %r1, %r1", "add.u32 %r4, %r1, %r1", 0},
        {"add.u32 %r3, %r1, 7", "add.u32 %r4, %r1, 7", 0},
        {"@!%p1 add.u32 %r3, %r1, 7", "@!%p1 add.u32 %r4, %r1, 7", 0},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++)
        for (unsigned conflicts = 0; conflicts <= 1; conflicts++) {
            char body[256];
            struct timing t;
            snprintf(body, sizeof body, "%s; // a\n%s; // like\nmov.u32 %%r5, %%r3; // needs\n", cases[i].first,
                     cases[i].like);
            timing_open(&t, &(struct timing_case){.body = body},
                        "sm.bank_conflicts=%s sm.register_banks=1 sm.int_latency=20 sm.imul_latency=20",
                        conflicts ? "yes" : "no");
            unsigned more = conflicts ? cases[i].more : 0;
            assert_int_equal(issued(&t, "a"), BODY_START);
            assert_int_equal(between(&t, "a", "like"), 1 + more);
            assert_int_equal(between(&t, "a", "needs"), 20 + more);
            timing_close(&t);
        }
}

/* Enough banks, and three registers of which no two meet in one: with 64 the bench's registers of one width
 * do not. */
static void test_register_banks_without_conflict(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "mad.lo.u32 %r3, %r0, %r1, %r2; // a\nmov.u32 %r5, %r3; // needs\n"};
    struct timing t;
    timing_open(&t, &c, "sm.bank_conflicts=yes sm.register_banks=64 sm.imul_latency=20");
    assert_int_equal(between(&t, "a", "needs"), 20);
    timing_close(&t);
}

/* ---- slices ---- */

/* Two warps, of which the threads from `low` to before `high` end; the others meet at a barrier. */
static void slice_body(char *body, size_t size, unsigned low, unsigned high)
{
    snprintf(body, size,
             "setp.ge.u32 %%p1, %%t, %u;\n"
             "setp.lt.u32 %%p2, %%t, %u;\n"
             "and.pred %%p3, %%p1, %%p2;\n"
             "@%%p3 ret;\n"
             "bar.sync 0; // barrier\n"
             "mov.u32 %%r1, 1; // a\n"
             "mov.u32 %%r2, 1; // b\n"
             "ld.global.u32 %%r3, [%%base]; // load\n"
             "mov.u32 %%r4, %%r3; // needs\n",
             low, high);
}

/* One scheduler. Strands that share no slice issue in one cycle, and their loads are one access; others take
 * turns, and the second load finds the first's miss register. */
static void test_slices(void **state)
{
    (void)state;
    static const struct {
        unsigned low, high, lanes;
        bool together;
    } cases[] = {
        {8, 48, 8, true},                                         /* lanes 0-7 and 16-31 */
        {8, 48, 16, true},  {8, 48, 32, false}, {8, 40, 8, true}, /* 0-7 and 8-31 */
        {8, 40, 16, false}, {9, 40, 8, false},                    /* 0-8 and 8-31 */
        {8, 39, 8, false},                                        /* 0-7 and 7-31 */
        {9, 41, 1, true},                                         /* 0-8 and 9-31 */
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        char body[512];
        struct timing t;
        slice_body(body, sizeof body, cases[i].low, cases[i].high);
        timing_open(&t, &(struct timing_case){.body = body, .threads = 64},
                    "sm.slice_lanes=%u sm.alu_units=2 sm.lsu_units=2 sm.release_latency=6", cases[i].lanes);
        uint64_t start = issued_by(&t, "barrier", 1) + 6; /* warps in turn before: full ones share all slices */
        unsigned later = !cases[i].together, step = cases[i].together ? 1 : 2;
        for (unsigned warp = 0; warp < 2; warp++) {
            assert_int_equal(issued_by(&t, "a", (int)warp), start + later * warp);
            assert_int_equal(issued_by(&t, "b", (int)warp), start + step + later * warp);
            assert_int_equal(issued_by(&t, "load", (int)warp), start + 2 * step + later * warp);
            assert_int_equal(find_issue(&t, "a", (int)warp, 0)->port, 0);
            /* both are answered when the line comes; then they issue as before */
            assert_int_equal(issued_by(&t, "needs", (int)warp), start + 2 * step + ROW_CLOSED + later * warp);
        }
        assert_int_equal(count_of(&t, "l1d.issued"), 1 + later);
        assert_int_equal(count_of(&t, "l1d.merges"), later);
        timing_close(&t);
    }
}

/* Thread 0 is at home in slot 0, thread 63 in slot 31: they issue together. Swizzled, warp 1 is turned by
 * one, and thread 63 is at home in slot 0 too. */
static void test_swizzled_slots(void **state)
{
    (void)state;
    char body[512];
    slice_body(body, sizeof body, 1, 63);
    for (unsigned swizzled = 0; swizzled <= 1; swizzled++) {
        struct timing t;
        timing_open(&t, &(struct timing_case){.body = body, .threads = 64},
                    "sm.slice_lanes=1 sm.alu_units=2 sm.lane_swizzle=%s", swizzled ? "yes" : "no");
        assert_int_equal(find_issue(&t, "a", 0, 0)->slots, 1);
        assert_int_equal(find_issue(&t, "a", 1, 0)->slots, swizzled ? 1 : UINT64_C(1) << 31);
        assert_int_equal(issued_by(&t, "a", 1) - issued_by(&t, "a", 0), swizzled);
        timing_close(&t);
    }
}

/* Under mimd four threads are four strands; what they load in one cycle is one access. */
static void test_ideal_lanes_coalesce(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "mad.wide.u32 %a1, %t, 4, %base;\n"
                                          "ld.global.u32 %r1, [%a1]; // load\n"
                                          "mov.u32 %r2, %r1; // needs\n",
                                  .machine = "tiny",
                                  .mechanism = "mimd",
                                  .threads = 4};
    struct timing t;
    timing_open(&t, &c, " ");
    for (int thread = 0; thread < 4; thread++) {
        assert_int_equal(issued_by(&t, "load", thread), issued_by(&t, "load", 0));
        assert_int_equal(issued_by(&t, "needs", thread), issued_by(&t, "load", 0) + 10); /* as four lanes of a warp */
    }
    assert_int_equal(count_of(&t, "sm.transactions"), 1);
    timing_close(&t);
}

/* Ideal lanes wait for the first fetch of a line of instructions, and for no other: all code is in one line, so the
 * whole run takes as much longer as that fetch takes. */
static void test_ideal_lanes_fetch_once(void **state)
{
    (void)state;
    const struct timing_case c = {
        .body = "setp.lt.u32 %p1, %t, 7;\n@%p1 bra L; // first\nadd.u32 %r1, %t, 1;\nL: add.u32 %r2, %t, 2; // last\n",
        .mechanism = "mimd"};
    struct timing ideal, cached;
    timing_open(&ideal, &c, "sm.fetch=ideal");
    timing_open(&cached, &c, "sm.fetch=icache");
    uint64_t waited = issued_by(&cached, "first", 0) - issued_by(&ideal, "first", 0);
    assert_true(waited > 0);
    assert_int_equal(issued_by(&cached, "last", 0), issued_by(&ideal, "last", 0) + waited);
    assert_int_equal(issued_by(&cached, "last", 7), issued_by(&ideal, "last", 7) + waited);
    timing_close(&ideal);
    timing_close(&cached);
}

/* Every thread is a strand under the bound, more strands than any mechanism has: the hardware of a scheduler that takes
 * time for each of them does not delay threads there. */
static void test_bound_waits_for_no_scheduler(void **state)
{
    (void)state;
    const struct timing_case c = {
        .body = "add.u32 %r1, %t, 1; // first\nadd.u32 %r2, %r1, 1; // last\n", .threads = 128, .mechanism = "bound"};
    struct timing plain, heap;
    timing_open(&plain, &c, "sm.scheduler=majority");
    timing_open(&heap, &c, "sm.scheduler=max-heap");
    for (int thread = 0; thread < 128; thread++)
        assert_int_equal(issued_by(&heap, "last", thread), issued_by(&plain, "last", thread));
    timing_close(&plain);
    timing_close(&heap);
}

/* With sync instructions in the code of some mechanisms the instruction behind 16 others may be in one line with the second
 * of them, though not with the first: the bound waits for it as if it had been asked for with the second. */
static void test_bound_knows_no_lines_of_code_with_syncs(void **state)
{
    (void)state;
    char *body = straight_line(14);
    const struct timing_case c = {.body = body, .mechanism = "bound"};
    struct timing none, syncs;
    timing_open(&none, &c, "sm.fetch=icache");
    timing_open(&syncs, &c, "sm.fetch=icache sm.stack_syncs=sync");
    assert_int_equal(issued_by(&syncs, "i15", 0), issued_by(&none, "i15", 0));
    uint64_t fetch = issued_by(&none, "ret", 0) - issued_by(&none, "i15", 0);
    assert_true(fetch > LINE);
    assert_int_equal(issued_by(&syncs, "ret", 0), issued_by(&syncs, "base", 0) + fetch);
    timing_close(&none);
    timing_close(&syncs);
    free(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fetch_misses),
        cmocka_unit_test(test_fetch_of_a_straight_line),
        cmocka_unit_test(test_size_of_instructions),
        cmocka_unit_test(test_lines_of_instructions_come_whole),
        cmocka_unit_test(test_fetch_behind_a_branch),
        cmocka_unit_test(test_fetch_of_two_warps),
        cmocka_unit_test(test_fetch_ports),
        cmocka_unit_test(test_fetch_while_registers_wait),
        cmocka_unit_test(test_fetch_order),
        cmocka_unit_test(test_l0),
        cmocka_unit_test(test_register_banks),
        cmocka_unit_test(test_register_banks_without_conflict),
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_swizzled_slots),
        cmocka_unit_test(test_ideal_lanes_coalesce),
        cmocka_unit_test(test_ideal_lanes_fetch_once),
        cmocka_unit_test(test_bound_waits_for_no_scheduler),
        cmocka_unit_test(test_bound_knows_no_lines_of_code_with_syncs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
