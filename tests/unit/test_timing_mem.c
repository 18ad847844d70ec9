/*
 * Accesses to the cycle, from the issue of a load to the issue of what needs it: shared memory by conflicts,
 * global memory from the L1 to DRAM, the port, stores, constants, atomics. Cycles of the memory system are
 * those of mem_bench.h and test_mem.c: a reply that comes at cycle n lets its user issue at n.
 */
#include "timing_bench.h"

/* ---- shared memory ---- */

/* 32 lanes at the addresses in %r1: the result `latency` later and a cycle more for each pass over the banks
 * but one; the next access starts when the passes are over. */
static void expect_shared_passes(const char *addresses, unsigned passes, const char *settings, unsigned held)
{
    char body[512];
    struct timing t;
    snprintf(body, sizeof body,
             "%s"
             "ld.shared.u32 %%r5, [%%r1]; // load\n"
             "ld.shared.u32 %%r6, [sh]; // like\n"
             "mov.u32 %%r7, %%r5; // needs\n",
             addresses);
    for (unsigned latency = 70; latency <= 71; latency++) {
        timing_open(&t, &(struct timing_case){.body = body}, "sm.shared_latency=%u %s", latency, settings);
        assert_int_equal(between(&t, "load", "needs"), latency + passes - 1);
        assert_int_equal(between(&t, "load", "like"), held);
        assert_int_equal(count_of(&t, "sm.shared_passes"), passes + 1);
        timing_close(&t);
    }
}

/* Lanes in groups of n: those of a group are in one bank, in different words. */
static const char *grouped(unsigned n, char *body, size_t size)
{
    snprintf(body, size,
             "rem.u32 %%r2, %%t, %u;\ndiv.u32 %%r3, %%t, %u;\n"
             "shl.b32 %%r2, %%r2, 7;\nshl.b32 %%r3, %%r3, 2;\nadd.u32 %%r1, %%r2, %%r3;\n",
             n, n);
    return body;
}

static void test_shared_conflicts(void **state)
{
    (void)state;
    char body[256];
    for (unsigned degree = 1; degree <= 32; degree++)
        expect_shared_passes(grouped(degree, body, sizeof body), degree, "", degree);
}

/* A stride of s words puts gcd(s, 32) lanes into one bank; one word for all is a broadcast. */
static void test_shared_strides(void **state)
{
    (void)state;
    char body[256];
    expect_shared_passes("mov.u32 %r1, sh;\n", 1, "", 1);
    for (unsigned stride = 1; stride <= 64; stride++) {
        unsigned passes = stride & -stride; /* the largest power of two in it */
        snprintf(body, sizeof body, "mul.lo.u32 %%r1, %%t, %u;\n", 4 * stride);
        expect_shared_passes(body, passes > 32 ? 32 : passes, "", passes > 32 ? 32 : passes);
    }
}

/* Passes over a narrow datapath and over the banks happen together: the longer ones hold the unit. */
static void test_shared_width(void **state)
{
    (void)state;
    char body[256];
    for (unsigned degree = 1; degree <= 8; degree++) {
        expect_shared_passes(grouped(degree, body, sizeof body), degree, "sm.simd_width=8", degree > 4 ? degree : 4);
        expect_shared_passes(grouped(degree, body, sizeof body), degree, "sm.simd_width=16", degree > 2 ? degree : 2);
    }
    expect_shared_passes(grouped(1, body, sizeof body), 1, "sm.simd_width=8 sm.load_interval=3", 4 * 3);
}

/* Four lanes, four banks. */
static void test_shared_conflicts_of_four_lanes(void **state)
{
    (void)state;
    for (unsigned stride = 1; stride <= 4; stride++) {
        unsigned passes = stride == 3 ? 1 : stride;
        char body[256];
        struct timing t;
        snprintf(body, sizeof body,
                 "mul.lo.u32 %%r1, %%t, %u;\nld.shared.u32 %%r5, [%%r1]; // load\nmov.u32 %%r7, %%r5; // needs\n",
                 4 * stride);
        timing_open(&t, &(struct timing_case){.body = body, .machine = "tiny", .threads = 4}, " ");
        assert_int_equal(between(&t, "load", "needs"), 1 + passes - 1);
        timing_close(&t);
    }
}

/* A store with conflicts holds the unit, and nothing waits for it. */
static void test_shared_store(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "shl.b32 %r1, %t, 5;\n" /* 8 words: 8 lanes a bank */
                                          "st.shared.u32 [%r1], %t; // store\n"
                                          "mov.u32 %r2, 1; // next\n"
                                          "ld.shared.u32 %r3, [sh]; // load\n"};
    struct timing t;
    timing_open(&t, &c, " ");
    assert_int_equal(between(&t, "store", "next"), 1);
    assert_int_equal(between(&t, "store", "load"), 8);
    timing_close(&t);
}

/* ---- global memory ---- */

/* One line after the other: the row must be opened; in the L1; in the row, by the L2 alone; in the L2; in the
 * row; in another row of the bank. */
static const char lines[] = "ld.global.u32 %r1, [%base]; // cold\n"
                            "mov.u32 %r2, %r1; // after_cold\n"
                            "ld.global.u32 %r3, [%base+4]; // l1\n"
                            "mov.u32 %r4, %r3; // after_l1\n"
                            "ld.global.cg.u32 %r5, [%base+256]; // cg\n"
                            "mov.u32 %r6, %r5; // after_cg\n"
                            "ld.global.u32 %r7, [%base+256]; // l2\n"
                            "mov.u32 %r8, %r7; // after_l2\n"
                            "ld.global.u32 %r9, [%base+128]; // row\n"
                            "mov.u32 %r10, %r9; // after_row\n"
                            "ld.global.u32 %r11, [%base+32768]; // conflict\n"
                            "mov.u32 %r12, %r11; // after_conflict\n";

/* How much later each comes with the knob than without. */
struct change {
    const char *setting;
    int cold, l1, l2, row, conflict;
};

static void expect_lines(const struct change *x)
{
    struct timing t;
    timing_open(&t, &(struct timing_case){.body = lines}, "%s", x->setting);
    assert_int_equal(between(&t, "cold", "after_cold"), ROW_CLOSED + x->cold);
    assert_int_equal(between(&t, "l1", "after_l1"), L1_HIT + x->l1);
    assert_int_equal(between(&t, "cg", "after_cg"), ROW_HIT + x->row);
    assert_int_equal(between(&t, "l2", "after_l2"), L2_HIT + x->l2);
    assert_int_equal(between(&t, "row", "after_row"), ROW_HIT + x->row);
    assert_int_equal(between(&t, "conflict", "after_conflict"), ROW_CONFLICT + x->conflict);
    timing_close(&t);
}

static void test_global_loads(void **state)
{
    (void)state;
    static const struct change changes[] = {
        {" ", 0, 0, 0, 0, 0},
        {"mem.l1d_latency=11", 0, 1, 0, 0, 0},
        {"mem.l1d_latency=9", 0, -1, 0, 0, 0},
        {"mem.crossbar_latency=6", 2, 0, 2, 2, 2}, /* there and back */
        {"mem.crossbar_latency=4", -2, 0, -2, -2, -2},
        {"mem.crossbar_bytes=136", -4, 0, -4, -4, -4}, /* a reply of 136 bytes in one cycle instead of five */
        {"mem.crossbar_bytes=4", 30, 0, 30, 30, 30},   /* 34 instead of 5, and the request's 8 bytes in two */
        {"mem.packet_bytes=40", 1, 0, 1, 1, 1},        /* a request of 40 bytes in two cycles */
        {"mem.reply_bytes=40", 1, 0, 1, 1, 1},         /* a reply of 168 bytes in six cycles instead of five */
        {"mem.reply_bytes=0", -1, 0, -1, -1, -1},      /* 128 in four */
        {"mem.l2_latency=21", 0, 0, 1, 0, 0},          /* a line from DRAM goes on as it comes */
        {"mem.l2_latency=19", 0, 0, -1, 0, 0},
        {"mem.l2_fill_latency=21", 20, 0, 0, 20, 20}, /* and not what is in the L2 */
        {"mem.tCL=11", 1, 0, 0, 1, 1},
        {"mem.tCL=9", -1, 0, 0, -1, -1},
        {"mem.tRCD=14", 1, 0, 0, 0, 1},
        {"mem.tRCD=12", -1, 0, 0, 0, -1},
        {"mem.tRP=12", 0, 0, 0, 0, 1},
        {"mem.tRP=10", 0, 0, 0, 0, -1},
        {"mem.dram_latency=1", 1, 0, 0, 1, 1},
        {"mem.dram_latency=60", 60, 0, 0, 60, 60},
        {"mem.dram_bytes=16", 4, 0, 0, 4, 4}, /* 8 cycles a line instead of 4 */
        {"mem.dram_bytes=64", -2, 0, 0, -2, -2},
        {"sm.simd_width=8", 0, 0, 0, 0, 0},    /* answered from the issue on */
        {"sm.load_latency=99", 0, 0, 0, 0, 0}, /* mem/ answers, not the class */
    };
    for (size_t i = 0; i < COUNTOF(changes); i++)
        expect_lines(&changes[i]);
}

/* A load that bypasses the L1 finds nothing there, and leaves nothing. */
static void test_volatile_loads(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "ld.volatile.global.u32 %r1, [%base]; // first\n"
                                          "mov.u32 %r2, %r1; // after_first\n"
                                          "ld.volatile.global.u32 %r3, [%base]; // second\n"
                                          "mov.u32 %r4, %r3; // after_second\n"};
    struct timing t;
    timing_open(&t, &c, " ");
    assert_int_equal(between(&t, "first", "after_first"), ROW_CLOSED);
    assert_int_equal(between(&t, "second", "after_second"), L2_HIT);
    timing_close(&t);
}

/* 32 lines, one a lane. L1: one lookup a cycle. Beyond it replies of 136 bytes take 5 cycles of the link
 * each, longer than anything else on their way, so the last is 31 * 5 cycles behind the first. */
static void test_scattered_loads(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "mad.wide.u32 %a1, %t, 128, %base;\n"
                                          "ld.global.u32 %r1, [%a1]; // cold\n"
                                          "mov.u32 %r2, %r1; // after_cold\n"
                                          "ld.global.u32 %r3, [%a1]; // l1\n"
                                          "mov.u32 %r4, %r3; // after_l1\n"
                                          "ld.global.cg.u32 %r5, [%a1+4096]; // row\n"
                                          "mov.u32 %r6, %r5; // after_row\n"
                                          "ld.global.u32 %r7, [%a1+4096]; // l2\n"
                                          "mov.u32 %r8, %r7; // after_l2\n"};
    struct timing t;
    timing_open(&t, &c, "mem.dram_row=8192");
    assert_int_equal(between(&t, "cold", "after_cold"), ROW_CLOSED + 31 * 5);
    assert_int_equal(between(&t, "l1", "after_l1"), L1_HIT + 31);
    assert_int_equal(between(&t, "row", "after_row"), ROW_HIT + 31 * 5);
    assert_int_equal(between(&t, "l2", "after_l2"), L2_HIT + 31 * 5);
    assert_int_equal(count_of(&t, "sm.transactions"), 4 * 32);
    timing_close(&t);
}

/*
 * The tiny machine, four lanes, lines of 32 bytes, issued at c. L1: c+1, and a cycle for each line more.
 * L2: leaves c+1, there c+2, +2, one cycle on the link, +1: c+5.
 * DRAM: there c+2, activate c+3, column c+5, data from c+7 to c+8, leaves c+9, there c+10. Lines of a row
 * follow each other at a cycle's distance.
 */
static void test_loads_of_four_lanes(void **state)
{
    (void)state;
    for (unsigned more = 0; more < 4; more++) {
        char body[512];
        struct timing t;
        snprintf(body, sizeof body,
                 "min.u32 %%r0, %%t, %u;\n"
                 "mad.wide.u32 %%a1, %%r0, 32, %%base;\n"
                 "ld.global.cg.u32 %%r1, [%%a1]; // cold\n"
                 "mov.u32 %%r2, %%r1; // after_cold\n"
                 "ld.global.u32 %%r3, [%%a1]; // l2\n"
                 "mov.u32 %%r4, %%r3; // after_l2\n"
                 "ld.global.u32 %%r5, [%%a1]; // l1\n"
                 "mov.u32 %%r6, %%r5; // after_l1\n",
                 more);
        timing_open(&t, &(struct timing_case){.body = body, .machine = "tiny", .threads = 4}, " ");
        assert_int_equal(between(&t, "cold", "after_cold"), 10 + more);
        assert_int_equal(between(&t, "l2", "after_l2"), 5 + more);
        assert_int_equal(between(&t, "l1", "after_l1"), 1 + more);
        timing_close(&t);
    }
}

/* 16 bytes a lane are 4 lines of 128: 3 lookups more. */
static void test_vector_loads(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "mad.wide.u32 %a1, %t, 16, %base;\n"
                                          "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%a1]; // cold\n"
                                          "mov.u32 %r5, %r4; // after_cold\n"
                                          "ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%a1]; // hit\n"
                                          "ld.global.u32 %r10, [%a1]; // second\n"
                                          "mov.u32 %r11, %r9; // after_hit\n"};
    struct timing t;
    timing_open(&t, &c, " ");
    assert_int_equal(between(&t, "cold", "after_cold"), ROW_CLOSED + 3 * 5);
    assert_int_equal(between(&t, "hit", "second"), 4);
    assert_int_equal(between(&t, "hit", "after_hit"), L1_HIT + 3);
    timing_close(&t);
}

/* Words of a row's lanes lie side by side in local memory: one line a word. */
static void test_local_memory(void **state)
{
    (void)state;
    const struct timing_case c = {.body = ".local .align 4 .b8 own[64];\n"
                                          "ld.local.u32 %r1, [own]; // cold\n"
                                          "mov.u32 %r2, %r1; // after_cold\n"
                                          "ld.local.u32 %r3, [own]; // hit\n"
                                          "mov.u32 %r4, %r3; // after_hit\n"
                                          "ld.local.u32 %r5, [own+4]; // row\n"
                                          "mov.u32 %r6, %r5; // after_row\n"};
    struct timing t;
    timing_open(&t, &c, " ");
    assert_int_equal(between(&t, "cold", "after_cold"), ROW_CLOSED);
    assert_int_equal(between(&t, "hit", "after_hit"), L1_HIT);
    assert_int_equal(between(&t, "row", "after_row"), ROW_HIT);
    assert_int_equal(count_of(&t, "sm.transactions"), 3);
    timing_close(&t);
}

/* Half of the lanes go to shared memory, half to a line in the L1: the result is there when both are. */
static void test_generic_load_of_two_memories(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "cvta.shared.u64 %a1, sh;\n"
                                          "setp.lt.u32 %p1, %t, 16;\n"
                                          "selp.b64 %a2, %a1, %base, %p1;\n"
                                          "ld.global.u32 %r1, [%base]; // warm\n"
                                          "mov.u32 %r2, %r1; // after_warm\n"
                                          "ld.u32 %r3, [%a2]; // load\n"
                                          "mov.u32 %r4, %r3; // needs\n"};
    for (unsigned shared = 5; shared <= 30; shared += 25) {
        struct timing t;
        timing_open(&t, &c, "sm.shared_latency=%u", shared);
        assert_int_equal(between(&t, "load", "needs"), shared > L1_HIT ? shared : L1_HIT);
        timing_close(&t);
    }
}

/* Warps of 64: 64 words are two lines, and two passes over 32 banks. */
static void test_accesses_of_wide_warps(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "mad.wide.u32 %a1, %t, 4, %base;\n"
                                          "shl.b32 %r0, %t, 2;\n"
                                          "ld.global.u32 %r1, [%a1]; // cold\n"
                                          "mov.u32 %r2, %r1; // after_cold\n"
                                          "ld.global.u32 %r3, [%a1]; // hit\n"
                                          "mov.u32 %r4, %r3; // after_hit\n"
                                          "ld.shared.u32 %r5, [%r0]; // shared\n"
                                          "mov.u32 %r6, %r5; // after_shared\n",
                                  .threads = 64};
    struct timing t;
    timing_open(&t, &c, "sm.warp_width=64");
    assert_int_equal(between(&t, "cold", "after_cold"), ROW_CLOSED + 5);
    assert_int_equal(between(&t, "hit", "after_hit"), L1_HIT + 1);
    assert_int_equal(between(&t, "shared", "after_shared"), 20 + 1);
    timing_close(&t);
}

/* ---- clocks ---- */

static uint64_t up(uint64_t cycle, uint64_t to, uint64_t from)
{
    return (cycle * to + from - 1) / from;
}

/*
 * Fermi: core 1400, crossbar 700, memory 924 MHz (33/25 of the crossbar's). A load issued at core cycle c
 * leaves at c+1 and is at the L2 at crossbar cycle k = up((c+1)/2) + 8. Hit: k + 120, 5 cycles on the link, 8
 * of latency: k + 132. Row to be opened: memory cycle n = down(k * 33/25) sees it last, so activate n+1,
 * column n+13, data n+25 to n+29, 132 of latency: n+161; taken by the L2 at crossbar cycle f = up((n+161) *
 * 25/33), leaves f+120, there f+132. For c = 23: k = 20, n = 26, f = 142 (141.67), f+132 = 274 is core cycle 548:
 * 525 cycles. A hit: 152, 304: 281 cycles.
 */
static void test_fermi_clocks(void **state)
{
    (void)state;
    for (int shift = 0; shift < 6; shift++) {
        struct text body = {0};
        struct timing t;
        text_printf(&body, "mov.u64 %%a1, %%base;\n");
        for (int i = 0; i < shift; i++)
            text_printf(&body, "mov.u64 %%a1, %%a1;\n"); /* 22 cycles each */
        for (int i = 0; i < shift; i++)
            text_printf(&body, "mov.u32 %%r%d, %d;\n", i, i);
        text_printf(&body, "ld.global.u32 %%r10, [%%a1]; // cold\nmov.u32 %%r11, %%r10; // after_cold\n"
                           "ld.global.cg.u32 %%r12, [%%a1]; // hit\nmov.u32 %%r13, %%r12; // after_hit\n");
        timing_open(&t, &(struct timing_case){.body = body.data, .machine = "fermi"}, " ");
        uint64_t k = up(issued(&t, "cold") + 1, 1, 2) + 8, n = k * 33 / 25, f = up(n + 161, 25, 33);
        assert_int_equal(issued(&t, "after_cold"), 2 * (f + 132));
        k = up(issued(&t, "hit") + 1, 1, 2) + 8;
        assert_int_equal(issued(&t, "after_hit"), 2 * (k + 132));
        text_free(&body);
        timing_close(&t);
    }
    struct timing t;
    const struct timing_case c = {.body = "ld.global.u32 %r1, [%base]; // load\nmov.u32 %r2, %r1; // needs\n",
                                  .machine = "fermi"};
    timing_open(&t, &c, " ");
    assert_int_equal(issued(&t, "load"), 23); /* 1, and 22 for the address */
    assert_int_equal(issued(&t, "needs"), 548);
    timing_close(&t);
}

/* ---- miss registers and the port ---- */

/* Two warps, one line: the second waits for the same reply, and nothing is asked for twice. A third load,
 * when the line is there, finds it. */
static void test_merged_loads(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "ld.global.u32 %r1, [%base]; // load\n"
                                          "mov.u32 %r2, %r1; // needs\n"
                                          "ld.global.u32 %r3, [%base]; // again\n"
                                          "mov.u32 %r4, %r3; // after_again\n",
                                  .threads = 64};
    struct timing t;
    timing_open(&t, &c, "sm.schedulers=2 sm.alu_units=2");
    uint64_t first = issued_by(&t, "load", 0);
    assert_int_equal(issued_by(&t, "load", 1), first + 1);
    assert_int_equal(issued_by(&t, "needs", 0), first + ROW_CLOSED);
    assert_int_equal(issued_by(&t, "needs", 1), first + ROW_CLOSED);
    for (int warp = 0; warp < 2; warp++)
        assert_int_equal(issued_by(&t, "after_again", warp) - issued_by(&t, "again", warp), L1_HIT);
    assert_int_equal(count_of(&t, "l1d.merges"), 1);
    assert_int_equal(count_of(&t, "crossbar.requests"), 1);
    assert_int_equal(count_of(&t, "l2.accesses"), 1);
    timing_close(&t);
}

/* 32 lines keep the port for 32 cycles: another access issues then. Shared memory and arithmetic go on. */
static void test_port_is_busy(void **state)
{
    (void)state;
    static const char *const kinds[] = {"ld.global.u32 %r1, [%a1]", "st.global.u32 [%a1], %r0",
                                        "red.global.add.u32 [%a1], %r0"};
    for (size_t i = 0; i < COUNTOF(kinds); i++)
        for (unsigned lanes = 1; lanes <= 32; lanes += lanes < 31 ? 10 : 1) {
            char body[512];
            struct timing t;
            snprintf(body, sizeof body,
                     "min.u32 %%r2, %%t, %u;\n"
                     "mad.wide.u32 %%a1, %%r2, 128, %%base;\n"
                     "%s; // first\n"
                     "ld.shared.u32 %%r3, [sh]; // shared\n"
                     "mov.u32 %%r4, 1; // mov\n"
                     "ld.global.u32 %%r5, [%%base+16384]; // second\n"
                     "mov.u32 %%r6, 1; // next\n",
                     lanes - 1, kinds[i]);
            timing_open(&t, &(struct timing_case){.body = body}, " ");
            assert_int_equal(between(&t, "first", "shared"), 1);
            assert_int_equal(between(&t, "first", "mov"), 2);
            assert_int_equal(between(&t, "first", "second"), lanes > 3 ? lanes : 3);
            assert_int_equal(between(&t, "second", "next"), 1);
            timing_close(&t);
        }
}

/* The same from two warps. */
static void test_port_is_busy_for_other_warps(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "mad.wide.u32 %a1, %t, 128, %base; // address\n"
                                          "ld.global.u32 %r1, [%a1]; // load\n"
                                          "mov.u32 %r2, 1; // next\n",
                                  .threads = 64};
    struct timing t;
    timing_open(&t, &c, " ");
    assert_int_equal(issued_by(&t, "load", 1) - issued_by(&t, "load", 0), 32);
    assert_int_equal(issued_by(&t, "next", 0) - issued_by(&t, "load", 0), 1);
    timing_close(&t);
}

/* The port that refuses one warp's load is no reason for another warp's access elsewhere to wait: shared
 * memory and constants have ways of their own, and the unit is free. */
static void test_busy_port_holds_up_its_own(void **state)
{
    (void)state;
    static const char *const others[] = {"ld.shared.u32 %r5, [sh]", "ld.param.u64 %a2, [p]"};
    for (size_t i = 0; i < COUNTOF(others); i++) {
        char body[512];
        struct timing t;
        snprintf(body, sizeof body,
                 "mad.wide.u32 %%a1, %%t, 128, %%base;\n"
                 "setp.ge.u32 %%p1, %%t, 32;\n"
                 "@%%p1 bra OTHER; // branch\n"
                 "ld.global.u32 %%r1, [%%a1]; // first\n"
                 "ld.global.u32 %%r2, [%%base+16384]; // second\n"
                 "bra END;\n"
                 "OTHER: mov.u32 %%r4, 1; // mov\n"
                 "%s; // other\n"
                 "END:\n",
                 others[i]);
        timing_open(&t, &(struct timing_case){.body = body, .threads = 64},
                    "sm.schedulers=2 sm.alu_units=2 sm.branch_units=2");
        assert_int_equal(issued_by(&t, "branch", 0), issued_by(&t, "branch", 1));
        assert_int_equal(issued(&t, "mov"), issued(&t, "first"));
        assert_int_equal(between(&t, "first", "second"), 32);
        assert_int_equal(between(&t, "first", "other"), 1);
        timing_close(&t);
    }
}

/* One miss register: the second load is taken and stays at the port until the line of the first is there; the
 * third issues in the cycle after that. */
static void test_no_miss_register(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "ld.global.u32 %r1, [%base]; // first\n"
                                          "ld.global.u32 %r2, [%base+128]; // second\n"
                                          "ld.global.u32 %r3, [%base]; // third\n"
                                          "mov.u32 %r4, %r1; // after_first\n"
                                          "mov.u32 %r5, %r3; // after_third\n"
                                          "mov.u32 %r6, %r2; // after_second\n"};
    struct timing t;
    timing_open(&t, &c, "mem.l1d_mshrs=1");
    assert_int_equal(between(&t, "first", "second"), 1);
    assert_int_equal(between(&t, "first", "third"), ROW_CLOSED + 1);
    assert_int_equal(between(&t, "first", "after_first"), ROW_CLOSED + 2); /* one a cycle, in order */
    assert_int_equal(between(&t, "first", "after_third"), ROW_CLOSED + 1 + L1_HIT);
    assert_int_equal(between(&t, "first", "after_second"), ROW_CLOSED + ROW_HIT);
    timing_close(&t);
}

/* Where accesses are a stage of the one pipeline, nothing issues while lines of one are looked up ... */
static void test_inline_stage_holds_all(void **state)
{
    (void)state;
    static const char *const kinds[] = {"ld.global.u32 %r1, [%a1]", "st.global.u32 [%a1], %r0",
                                        "red.global.add.u32 [%a1], %r0"};
    for (size_t i = 0; i < COUNTOF(kinds); i++)
        for (unsigned lanes = 1; lanes <= 32; lanes += lanes < 31 ? 10 : 1) {
            char body[512];
            struct timing t;
            snprintf(body, sizeof body,
                     "min.u32 %%r2, %%t, %u;\n"
                     "mad.wide.u32 %%a1, %%r2, 128, %%base;\n"
                     "%s; // first\n"
                     "mov.u32 %%r4, 1; // mov\n"
                     "ld.shared.u32 %%r3, [sh]; // shared\n"
                     "ld.global.u32 %%r5, [%%base+16384]; // second\n",
                     lanes - 1, kinds[i]);
            timing_open(&t, &(struct timing_case){.body = body}, "sm.memory_stage=inline");
            assert_int_equal(between(&t, "first", "mov"), lanes);
            assert_int_equal(between(&t, "first", "shared"), lanes + 1);
            assert_int_equal(between(&t, "first", "second"), lanes + 2);
            timing_close(&t);
        }
}

/* ... of any warp, or while one lacks a miss register. */
static void test_inline_stage_waits_for_miss_registers(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "ld.global.u32 %r1, [%base]; // first\n"
                                          "ld.global.u32 %r2, [%base+128]; // second\n"
                                          "mov.u32 %r3, 1; // mov\n"};
    const struct timing_case warps = {.body = "mad.wide.u32 %a1, %t, 128, %base;\n"
                                              "ld.global.u32 %r1, [%a1]; // load\n"
                                              "mov.u32 %r2, 1; // next\n",
                                      .threads = 64};
    struct timing t;
    timing_open(&t, &c, "mem.l1d_mshrs=1 sm.memory_stage=inline");
    assert_int_equal(between(&t, "first", "second"), 1);
    assert_int_equal(between(&t, "first", "mov"), ROW_CLOSED + 1);
    timing_close(&t);
    timing_open(&t, &warps, "mem.l1d_mshrs=64 sm.memory_stage=inline");
    assert_int_equal(issued_by(&t, "load", 1) - issued_by(&t, "load", 0), 32);
    assert_int_equal(issued_by(&t, "next", 0) - issued_by(&t, "load", 0), 64);
    timing_close(&t);
}

/* ---- stores ---- */

/* Nothing waits for a store: not the next instruction, not another store. */
static void test_store_does_not_block(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "st.global.u32 [%base], %r0; // store\n"
                                          "mov.u32 %r1, 1; // next\n"
                                          "st.global.u32 [%base+128], %r0; // second\n"
                                          "st.global.u32 [%base+256], %r0; // third\n"};
    struct timing t;
    timing_open(&t, &c, "sm.store_latency=99");
    assert_int_equal(between(&t, "store", "next"), 1);
    assert_int_equal(between(&t, "store", "second"), 2);
    assert_int_equal(between(&t, "store", "third"), 3);
    timing_close(&t);
}

/*
 * A load behind a store of a whole line, issued at s and s+1. The store's 136 bytes are on the link from s+1
 * to s+5, so the load leaves at s+6 instead of s+2. The store is at the slice's port from s+10 on, which it
 * keeps 5 cycles; the load is there at s+11 and gets in at s+15 instead of s+7. So it takes 8 cycles more.
 */
static void test_load_behind_store(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "mad.wide.u32 %a1, %t, 4, %base;\n"
                                          "st.global.u32 [%a1], %r0; // store\n"
                                          "ld.global.u32 %r1, [%a1+32768]; // load\n"
                                          "mov.u32 %r2, %r1; // needs\n"};
    struct timing t;
    timing_open(&t, &c, " ");
    assert_int_equal(between(&t, "store", "load"), 1);
    assert_int_equal(between(&t, "load", "needs"), ROW_CLOSED + 8);
    timing_close(&t);
}

/*
 * A queue of one write. The first store, issued at s, leaves at s+1 and keeps the link until s+5. The second,
 * at s+1, waits in the queue until s+6; the third, at s+2, at the port until there is room, at s+6. The port
 * is free again at s+7: the load issues then.
 */
static void test_write_queue_is_full(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "mad.wide.u32 %a1, %t, 4, %base;\n"
                                          "st.global.u32 [%a1], %r0; // first\n"
                                          "st.global.u32 [%a1+128], %r0; // second\n"
                                          "st.global.u32 [%a1+256], %r0; // third\n"
                                          "ld.global.u32 %r1, [%a1+32768]; // load\n"};
    struct timing t;
    timing_open(&t, &c, "mem.write_queue=1");
    assert_int_equal(between(&t, "first", "second"), 1);
    assert_int_equal(between(&t, "first", "third"), 2);
    assert_int_equal(between(&t, "first", "load"), 7);
    timing_close(&t);
}

/* What a store writes must be there when it issues; a load's destination must be free. */
static void test_operands_of_accesses(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "ld.global.u32 %r1, [%base]; // load\n"
                                          "st.global.u32 [%base+256], %r1; // store\n"
                                          "ld.global.u32 %r2, [%base]; // hit\n"
                                          "mov.u32 %r2, 1; // over\n"};
    struct timing t;
    timing_open(&t, &c, " ");
    assert_int_equal(between(&t, "load", "store"), ROW_CLOSED);
    assert_int_equal(between(&t, "hit", "over"), L1_HIT);
    timing_close(&t);
}

/* A load that no thread passes asks nobody: its destination is free again after the class's latency. */
static void test_guarded_off_load(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "@%p1 ld.global.u32 %r1, [%base]; // load\nmov.u32 %r2, %r1; // needs\n"};
    struct timing t;
    timing_open(&t, &c, "sm.load_latency=6");
    assert_int_equal(between(&t, "load", "needs"), 6);
    assert_int_equal(count_of(&t, "l1d.issued"), 0);
    assert_int_equal(count_of(&t, "crossbar.requests"), 0);
    timing_close(&t);
}

/* ---- constants and atomics ---- */

/*
 * Parameters come through the constant cache. Lines of 64 bytes: as a load from DRAM, but a reply of 72 bytes
 * is on the link for 3 cycles instead of 5. A hit takes the cache's own latency.
 */
static void test_parameters(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "ld.param.u64 %a1, [p]; // cold\n"
                                          "mov.u64 %a2, %a1; // after_cold\n"
                                          "ld.param.u64 %a3, [p]; // hit\n"
                                          "mov.u64 %a4, %a3; // after_hit\n"};
    struct timing t;
    timing_open(&t, &c, "mem.constant_latency=7");
    assert_int_equal(between(&t, "cold", "after_cold"), ROW_CLOSED - 2);
    assert_int_equal(between(&t, "hit", "after_hit"), 7);
    timing_close(&t);
}

/* 32 lanes on one word: at the L2 after 6 cycles, the last of 32 operations 31 * 4 later, 20 for the L2, 5
 * back. On words of their own: 136 bytes each way, 4 cycles more on both links, and one operation. */
static void test_atomics(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "mad.wide.u32 %a1, %t, 4, %base;\n"
                                          "ld.global.cg.u32 %r1, [%base]; // warm\n"
                                          "mov.u32 %r2, %r1; // after_warm\n"
                                          "atom.global.add.u32 %r3, [%base], 1; // one\n"
                                          "mov.u32 %r4, %r3; // after_one\n"
                                          "atom.global.add.u32 %r5, [%a1], 1; // each\n"
                                          "mov.u32 %r6, %r5; // after_each\n"
                                          "red.global.add.u32 [%base], 1; // red\n"
                                          "mov.u32 %r7, 1; // after_red\n"};
    struct timing t;
    timing_open(&t, &c, " ");
    assert_int_equal(between(&t, "one", "after_one"), 6 + 31 * 4 + 20 + 5);
    assert_int_equal(between(&t, "each", "after_each"), 6 + 4 + 20 + 4 + 5);
    assert_int_equal(between(&t, "red", "after_red"), 1);
    timing_close(&t);
}

/* ---- the end of a launch ---- */

static void expect_end(const char *last, unsigned after_issue)
{
    char body[512];
    struct timing t;
    snprintf(body, sizeof body,
             "mad.wide.u32 %%a1, %%t, 4, %%base;\n"
             "ld.global.cg.u32 %%r1, [%%base];\n"
             "mov.u32 %%r2, %%r1; // after_warm\n"
             "%s // last\n",
             last);
    timing_open(&t, &(struct timing_case){.body = body}, " ");
    assert_int_equal(t.result.cycles, issued(&t, "last") + after_issue);
    assert_int_equal(t.result.drain_cycles, t.result.cycles - (issued(&t, "ret") + 4));
    assert_int_equal(count_of(&t, "sm.cycles"), t.result.cycles);
    timing_close(&t);
}

/* With the last write, done in the L2: a reduction of 32 lanes on one word as in test_atomics(), a store of
 * 136 bytes after 5 cycles on the link. A load that nobody waits for is not waited for: the threads end when
 * the ret has resolved, after 4 cycles. */
static void test_end_of_launch(void **state)
{
    (void)state;
    expect_end("red.global.add.u32 [%base], 1;", 6 + 32 * 4);
    expect_end("st.global.u32 [%a1], %t;", 6 + 4);
    expect_end("ld.global.cg.u32 %r3, [%base+65536];", 1 + 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_end_of_launch),
        cmocka_unit_test(test_shared_conflicts),
        cmocka_unit_test(test_shared_strides),
        cmocka_unit_test(test_shared_width),
        cmocka_unit_test(test_shared_conflicts_of_four_lanes),
        cmocka_unit_test(test_shared_store),
        cmocka_unit_test(test_global_loads),
        cmocka_unit_test(test_volatile_loads),
        cmocka_unit_test(test_scattered_loads),
        cmocka_unit_test(test_loads_of_four_lanes),
        cmocka_unit_test(test_vector_loads),
        cmocka_unit_test(test_local_memory),
        cmocka_unit_test(test_generic_load_of_two_memories),
        cmocka_unit_test(test_accesses_of_wide_warps),
        cmocka_unit_test(test_fermi_clocks),
        cmocka_unit_test(test_merged_loads),
        cmocka_unit_test(test_port_is_busy),
        cmocka_unit_test(test_port_is_busy_for_other_warps),
        cmocka_unit_test(test_busy_port_holds_up_its_own),
        cmocka_unit_test(test_no_miss_register),
        cmocka_unit_test(test_inline_stage_holds_all),
        cmocka_unit_test(test_inline_stage_waits_for_miss_registers),
        cmocka_unit_test(test_store_does_not_block),
        cmocka_unit_test(test_load_behind_store),
        cmocka_unit_test(test_write_queue_is_full),
        cmocka_unit_test(test_operands_of_accesses),
        cmocka_unit_test(test_guarded_off_load),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_atomics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
