/*
 * The pipeline to the cycle: latency, units and intervals, width of the datapath, branches, scoreboards,
 * schedulers. What the numbers mean stands at the head of sm/config.h; see timing_bench.h for the machine.
 */
#include "timing_bench.h"

/* ---- latency ---- */

/* A block given at cycle 0 issues from cycle 1 on. Adds that need each other issue L, 2L, 3L after %t did. */
static void test_alu_chain(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "add.u32 %r1, %t, 1; // a\n"
                                          "add.u32 %r2, %r1, 1; // b\n"
                                          "add.u32 %r3, %r2, 1; // c\n"};
    for (unsigned latency = 1; latency <= 7; latency++) {
        struct timing t;
        timing_open(&t, &c, "sm.int_latency=%u", latency);
        assert_int_equal(issued(&t, "base"), FIRST_ISSUE);
        assert_int_equal(issued(&t, "t"), 2);
        assert_int_equal(issued(&t, "a"), 2 + latency);
        assert_int_equal(issued(&t, "b"), 2 + 2 * latency);
        assert_int_equal(issued(&t, "c"), 2 + 3 * latency);
        timing_close(&t);
    }
}

/* Nothing to wait for: one a cycle, whatever the latency. */
static void test_independent_instructions(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "mov.u32 %r1, 1; // a\n"
                                          "mov.u32 %r2, 2; // b\n"
                                          "mov.u32 %r3, 3; // c\n"};
    struct timing t;
    timing_open(&t, &c, "sm.int_latency=9");
    assert_int_equal(issued(&t, "a"), BODY_START);
    assert_int_equal(issued(&t, "b"), BODY_START + 1);
    assert_int_equal(issued(&t, "c"), BODY_START + 2);
    timing_close(&t);
}

/* Of each class: an instruction, one like it that does not need it, and one that does. */
static const struct {
    const char *class, *unit, *first, *like, *needs;
} classes[] = {
    {"int", "alu", "add.u32 %r2, %r1, 1", "add.u32 %r3, %r1, 1", "mov.u32 %r4, %r2"},
    {"int", "alu", "setp.eq.u32 %p1, %r1, 1", "setp.eq.u32 %p2, %r1, 2", "selp.u32 %r4, 1, 2, %p1"},
    {"imul", "alu", "mul.lo.u32 %r2, %r1, 3", "mul.lo.u32 %r3, %r1, 3", "mov.u32 %r4, %r2"},
    {"idiv", "alu", "div.u32 %r2, %r1, 3", "div.u32 %r3, %r1, 3", "mov.u32 %r4, %r2"},
    {"fp32", "alu", "add.f32 %f2, %f1, %f1", "add.f32 %f3, %f1, %f1", "mov.f32 %f4, %f2"},
    {"fdiv", "sfu", "div.rn.f32 %f2, %f1, %f1", "div.rn.f32 %f3, %f1, %f1", "mov.f32 %f4, %f2"},
    {"fp64", "fp64", "add.f64 %d2, %d1, %d1", "add.f64 %d3, %d1, %d1", "mov.f64 %d4, %d2"},
    {"ddiv", "fp64", "div.rn.f64 %d2, %d1, %d1", "div.rn.f64 %d3, %d1, %d1", "mov.f64 %d4, %d2"},
    {"sfu", "sfu", "ex2.approx.f32 %f2, %f1", "ex2.approx.f32 %f3, %f1", "mov.f32 %f4, %f2"},
    {"cvt", "alu", "cvt.rn.f32.u32 %f2, %r1", "cvt.rn.f32.u32 %f3, %r1", "mov.f32 %f4, %f2"},
    {"icvt", "alu", "cvt.u64.u32 %a2, %r1", "cvt.u64.u32 %a3, %r1", "mov.b64 %a4, %a2"},
    {"video", "alu", "vadd.u32.u32.u32 %r2, %r1.b0, %r1", "vadd.u32.u32.u32 %r3, %r1.b0, %r1", "mov.u32 %r4, %r2"},
    {"warp", "alu", "activemask.b32 %r2", "activemask.b32 %r3", "mov.u32 %r4, %r2"},
};

/* The result may be used `latency` cycles after the issue: not one less, and moved by one with the knob. */
static void test_latency_of_each_class(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTOF(classes); i++)
        for (unsigned latency = 8; latency <= 9; latency++) {
            char body[256];
            struct timing t;
            snprintf(body, sizeof body, "%s; // a\n%s; // b\n", classes[i].first, classes[i].needs);
            timing_open(&t, &(struct timing_case){.body = body}, "sm.%s_interval=1 sm.%s_latency=%u", classes[i].class,
                        classes[i].class, latency);
            assert_int_equal(issued(&t, "a"), BODY_START);
            assert_int_equal(issued(&t, "b"), BODY_START + latency);
            timing_close(&t);
        }
}

/* A parameter at a fixed address: through the constant cache, or an operand with the latency and unit of an integer
 * instruction. One whose address is computed stays a load. */
static void test_parameters(void **state)
{
    (void)state;
    const struct timing_case fixed = {.body = "ld.param.u64 %a1, [p]; // load\nadd.u64 %a2, %a1, 1; // needs\n"};
    const struct timing_case computed = {.body = "mov.u64 %a3, p;\nld.param.u64 %a1, [%a3]; // load\n"
                                                 "add.u64 %a2, %a1, 1; // needs\n"};
    struct timing t;
    timing_open(&t, &fixed, "sm.int_latency=5");
    assert_true(between(&t, "load", "needs") > 5);
    assert_int_equal(t.result.sm.memory_instructions, 1);
    timing_close(&t);
    timing_open(&t, &fixed, "sm.int_latency=5 sm.parameters=operand");
    assert_int_equal(between(&t, "load", "needs"), 5);
    assert_int_equal(t.result.sm.memory_instructions, 0);
    timing_close(&t);
    timing_open(&t, &computed, "sm.int_latency=5 sm.parameters=operand");
    assert_true(between(&t, "load", "needs") > 5);
    timing_close(&t);
}

/* ---- units ---- */

/* The unit takes the next of the class after the interval; a second copy takes it at once. */
static void test_interval_of_each_class(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTOF(classes); i++)
        for (unsigned interval = 1; interval <= 6; interval += interval < 5 ? 4 : 1)
            for (unsigned units = 1; units <= 2; units++) {
                char body[256];
                struct timing t;
                snprintf(body, sizeof body, "%s; // a\n%s; // b\n", classes[i].first, classes[i].like);
                timing_open(&t, &(struct timing_case){.body = body}, "sm.%s_units=%u sm.%s_interval=%u",
                            classes[i].unit, units, classes[i].class, interval);
                assert_int_equal(between(&t, "a", "b"), units == 2 ? 1 : interval);
                timing_close(&t);
            }
}

/* Two copies held for 4 cycles each: two multiplications every 4 cycles. One: every 4 cycles one. */
static void test_copies_of_a_unit(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "mul.lo.u32 %r1, %r0, 3; // a\n"
                                          "mul.lo.u32 %r2, %r0, 3; // b\n"
                                          "mul.lo.u32 %r3, %r0, 3; // c\n"
                                          "mul.lo.u32 %r4, %r0, 3; // d\n"
                                          "mul.lo.u32 %r5, %r0, 3; // e\n"};
    static const unsigned expected[][5] = {{0, 4, 8, 12, 16}, {0, 1, 4, 5, 8}, {0, 1, 2, 4, 5}, {0, 1, 2, 3, 4}};
    for (unsigned units = 1; units <= 4; units++) {
        struct timing t;
        timing_open(&t, &c, "sm.imul_interval=4 sm.alu_units=%u", units);
        const unsigned *at = expected[units - 1];
        for (int i = 0; i < 5; i++)
            assert_int_equal(issued(&t, (const char[]){(char)('a' + i), 0}), BODY_START + at[i]);
        timing_close(&t);
    }
}

/* A busy unit holds up who needs it, and nobody else. */
static void test_units_are_apart(void **state)
{
    (void)state;
    const struct timing_case same = {.body = "mul.lo.u32 %r1, %r0, 3; // mul\nmov.u32 %r2, 1; // next\n"};
    const struct timing_case other = {.body = "mul.lo.u32 %r1, %r0, 3; // mul\nadd.f64 %d1, %d0, %d0; // next\n"};
    struct timing t;
    timing_open(&t, &same, "sm.imul_interval=7");
    assert_int_equal(between(&t, "mul", "next"), 7);
    timing_close(&t);
    timing_open(&t, &other, "sm.imul_interval=7");
    assert_int_equal(between(&t, "mul", "next"), 1);
    timing_close(&t);
    timing_open(&t, &same, "sm.imul_interval=7 sm.imul_unit=sfu");
    assert_int_equal(between(&t, "mul", "next"), 1);
    timing_close(&t);
    timing_open(&t, &same, "sm.imul_interval=7 sm.imul_unit=fma");
    assert_int_equal(between(&t, "mul", "next"), 1);
    timing_close(&t);
    timing_open(&t, &same, "sm.imul_interval=7 sm.imul_unit=fma sm.int_unit=fma");
    assert_int_equal(between(&t, "mul", "next"), 7);
    timing_close(&t);
    timing_open(&t, &same, "sm.imul_interval=7 sm.imul_unit=fma sm.int_unit=fma sm.fma_units=2");
    assert_int_equal(between(&t, "mul", "next"), 1);
    timing_close(&t);
    timing_open(&t, &other, "sm.imul_interval=7 sm.imul_unit=fp64");
    assert_int_equal(between(&t, "mul", "next"), 7);
    timing_close(&t);
}

/* ---- issue ports ---- */

/* Warps belong to schedulers in turn: with two, warps 0 and 1 issue in one cycle if there are two ALUs, then
 * 2 and 3. */
static void test_two_schedulers(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "mov.u32 %r1, 1; // a\n", .threads = 128};
    struct timing t;
    timing_open(&t, &c, "sm.schedulers=2 sm.alu_units=2");
    for (int warp = 0; warp < 4; warp++) {
        assert_int_equal(issued_by(&t, "base", warp), 1 + warp / 2);
        assert_int_equal(issued_by(&t, "t", warp), 3 + warp / 2);
        assert_int_equal(issued_by(&t, "a", warp), 5 + warp / 2);
        assert_int_equal(find_issue(&t, "a", warp, 0)->port, warp % 2);
    }
    timing_close(&t);
}

/* One ALU for two schedulers: one instruction a cycle. */
static void test_two_schedulers_share_a_unit(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "mov.u32 %r1, 1; // a\n", .threads = 64};
    struct timing t;
    timing_open(&t, &c, "sm.schedulers=2");
    uint64_t sum = 0;
    for (int warp = 0; warp < 2; warp++)
        sum += issued_by(&t, "base", warp) + issued_by(&t, "t", warp) + issued_by(&t, "a", warp);
    assert_int_equal(sum, 1 + 2 + 3 + 4 + 5 + 6);
    timing_close(&t);
}

/* mimd, the bound: any W ready threads a cycle, each a strand of its own, and every pass takes its cycle. 8
 * threads on four lanes are two groups, in turn; on two lanes each takes two cycles. Units do not count. */
static void test_ideal_lanes(void **state)
{
    (void)state;
    static const char *const names[] = {"base", "t", "a", "b"};
    const struct timing_case c = {
        .body = "mov.u32 %r1, 1; // a\nmov.u32 %r2, %r1; // b\n", .machine = "tiny", .mechanism = "mimd", .threads = 8};
    for (unsigned passes = 1; passes <= 2; passes++) {
        struct timing t;
        timing_open(&t, &c, "sm.simd_width=%u", 4 / passes);
        for (unsigned thread = 0; thread < 8; thread++)
            for (unsigned i = 0; i < 4; i++)
                assert_int_equal(issued_by(&t, names[i], (int)thread), 1 + passes * (2 * i + thread / 4));
        timing_close(&t);
    }
}

/* ---- width of the datapath ---- */

/* W / width passes: the unit is held for each, and what needs the result waits one cycle more for each but
 * one. */
static void expect_passes(const struct timing_case *shape, unsigned warp_width, unsigned simd_width)
{
    unsigned passes = warp_width / simd_width;
    struct timing_case c = *shape;
    struct timing t;
    c.body = "mov.u32 %r1, 1; // a\n"
             "mov.u32 %r2, 1; // like\n"
             "mov.u32 %r3, %r2; // needs\n"
             "ex2.approx.f32 %f1, %f0; // other\n"
             "bra L; // branch\n"
             "L: mov.u32 %r4, 4; // target\n";
    for (unsigned interval = 1; interval <= 2; interval++) {
        timing_open(&t, &c,
                    "sm.warp_width=%u sm.simd_width=%u sm.int_interval=%u sm.int_latency=70 sm.branch_latency=80",
                    warp_width, simd_width, interval);
        assert_int_equal(between(&t, "a", "like"), passes * interval);
        assert_int_equal(between(&t, "like", "needs"), 70 + passes - 1);
        assert_int_equal(between(&t, "needs", "other"), 1);
        assert_int_equal(between(&t, "other", "branch"), 1);
        assert_int_equal(between(&t, "branch", "target"), 80 + passes - 1);
        timing_close(&t);
    }
}

static void test_simd_width(void **state)
{
    (void)state;
    const struct timing_case plain = {.threads = 32}, tiny = {.machine = "tiny", .threads = 4}, wide = {.threads = 64};
    for (unsigned width = 32; width; width /= 2)
        expect_passes(&plain, 32, width);
    for (unsigned width = 4; width; width /= 2)
        expect_passes(&tiny, 4, width);
    for (unsigned width = 64; width >= 8; width /= 2)
        expect_passes(&wide, 64, width);
}

/* A warp that is not full takes as long as a full one: lanes are passed over, not skipped. */
static void test_partial_warp_takes_all_passes(void **state)
{
    (void)state;
    const struct timing_case c = {.threads = 5};
    expect_passes(&c, 32, 8);
}

/* ---- branches ---- */

/* Nothing issues before a branch is resolved, whichever way it goes. */
static void test_branch_latency(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "bra L; // branch\nL: mov.u32 %r1, 1; // next\n",
        "@!%p1 bra L; // branch\nmov.u32 %r2, 1;\nL: mov.u32 %r1, 1; // next\n", /* taken: %p1 is false */
        "@%p1 bra L; // branch\nmov.u32 %r1, 1; // next\nL: mov.u32 %r2, 1;\n",
    };
    for (size_t i = 0; i < COUNTOF(bodies); i++)
        for (unsigned latency = 1; latency <= 12; latency += latency < 11 ? 5 : 1) {
            struct timing t;
            timing_open(&t, &(struct timing_case){.body = bodies[i]}, "sm.branch_latency=%u", latency);
            assert_int_equal(issued(&t, "branch"), BODY_START);
            assert_int_equal(issued(&t, "next"), BODY_START + latency);
            timing_close(&t);
        }
}

/* setp is an instruction like others; the branch waits for its predicate. */
static void test_predicate_to_branch(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "setp.eq.u32 %p1, %r0, 1; // setp\n"
                                          "@%p1 bra L; // branch\n"
                                          "mov.u32 %r1, 1; // next\n"
                                          "L:\n"};
    for (unsigned latency = 1; latency <= 9; latency += 4) {
        struct timing t;
        timing_open(&t, &c, "sm.int_latency=%u sm.branch_latency=3", latency);
        assert_int_equal(between(&t, "setp", "branch"), latency);
        assert_int_equal(between(&t, "branch", "next"), 3);
        timing_close(&t);
    }
}

/* A round of the loop: add, setp 4 later, branch 4 later, resolved 4 later: 12 cycles. */
static void test_loop(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "mov.u32 %r1, 0; // start\n"
                                          "L: add.u32 %r1, %r1, 1; // add\n"
                                          "setp.lt.u32 %p1, %r1, 3; // setp\n"
                                          "@%p1 bra L; // branch\n"};
    struct timing t;
    timing_open(&t, &c, " ");
    for (int round = 0; round < 3; round++)
        assert_int_equal(issued_nth(&t, "add", 0, round), issued(&t, "start") + 4 + 12 * (unsigned)round);
    assert_int_equal(issued(&t, "ret"), issued(&t, "start") + 4 + 12 * 3);
    timing_close(&t);
}

static const char if_else[] = "setp.lt.u32 %p1, %t, 8;\n"
                              "@%p1 bra ELSE; // branch\n"
                              "add.u32 %r1, %r0, 1; // then\n"
                              "bra JOIN; // over\n"
                              "ELSE: add.u32 %r2, %r0, 2; // else\n"
                              "JOIN: mov.u32 %r3, 3; // join\n";

/* The taken side goes first. Coming to the meeting place by itself costs nothing: the other side goes on in
 * the next cycle. Its branch to the meeting place resolves as any. */
static void test_divergence(void **state)
{
    (void)state;
    struct timing t;
    timing_open(&t, &(struct timing_case){.body = if_else}, "sm.branch_latency=5");
    assert_int_equal(between(&t, "branch", "else"), 5);
    assert_int_equal(between(&t, "else", "then"), 1);
    assert_int_equal(between(&t, "then", "over"), 1);
    assert_int_equal(between(&t, "over", "join"), 5);
    assert_int_equal(find_issue(&t, "else", 0, 0)->threads, 8);
    assert_int_equal(find_issue(&t, "then", 0, 0)->threads, 24);
    assert_int_equal(find_issue(&t, "join", 0, 0)->threads, 32);
    timing_close(&t);
}

/* Threads that end leave when the return is resolved; the others go on then. */
static void test_guarded_return(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "setp.lt.u32 %p1, %t, 8;\n"
                                          "@%p1 ret; // some\n"
                                          "mov.u32 %r1, 1; // next\n"};
    struct timing t;
    timing_open(&t, &c, "sm.branch_latency=7");
    assert_int_equal(between(&t, "some", "next"), 7);
    assert_int_equal(find_issue(&t, "next", 0, 0)->threads, 24);
    timing_close(&t);
}

/* Calls and returns are branches. */
static void test_call(void **state)
{
    (void)state;
    const struct timing_case c = {.before = ".func f()\n{\n.reg .b32 %x<4>;\n"
                                            "mov.u32 %x1, 1; // inside\n"
                                            "ret; // back\n}\n",
                                  .body = "call f; // call\nmov.u32 %r1, 1; // next\n"};
    struct timing t;
    timing_open(&t, &c, "sm.branch_latency=7");
    assert_int_equal(between(&t, "call", "inside"), 7);
    assert_int_equal(between(&t, "inside", "back"), 1);
    assert_int_equal(between(&t, "back", "next"), 7);
    timing_close(&t);
}

/* ---- guards ---- */

/* An instruction that no thread passes issues, holds its unit, and is waited for like any. */
static void test_guarded_off(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "@%p1 mul.lo.u32 %r1, %r0, 3; // off\n"
                                          "mul.lo.u32 %r2, %r0, 3; // like\n"
                                          "mov.u32 %r3, %r1; // needs\n"};
    struct timing t;
    timing_open(&t, &c, "sm.imul_latency=20 sm.imul_interval=6");
    assert_int_equal(issued(&t, "off"), BODY_START);
    assert_int_equal(between(&t, "off", "like"), 6);
    assert_int_equal(between(&t, "off", "needs"), 20);
    timing_close(&t);
}

/* The guard is an operand. */
static void test_guard_is_waited_for(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "setp.eq.u32 %p1, %r0, 1; // setp\n@%p1 mov.u32 %r1, 1; // guarded\n"};
    struct timing t;
    timing_open(&t, &c, "sm.int_latency=11");
    assert_int_equal(between(&t, "setp", "guarded"), 11);
    timing_close(&t);
}

/* ---- scoreboards ---- */

/* A write waits for an older write of the register, though it would be faster; a read does not hold up a
 * write. */
static void test_write_after_write(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "div.u32 %r1, %r0, 3; // slow\n"
                                          "mov.u32 %r1, 1; // again\n"
                                          "add.u32 %r3, %r2, 1; // reads\n"
                                          "mov.u32 %r2, 1; // writes\n"};
    for (unsigned latency = 30; latency <= 31; latency++) {
        struct timing t;
        timing_open(&t, &c, "sm.idiv_latency=%u sm.idiv_interval=1", latency);
        assert_int_equal(between(&t, "slow", "again"), latency);
        assert_int_equal(between(&t, "reads", "writes"), 1);
        timing_close(&t);
    }
}

/* single: each instruction waits until the one before is done, though it needs nothing of it. */
static void test_single_scoreboard(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "mov.u32 %r1, 1; // int\n"
                                          "mul.lo.u32 %r2, %r0, 3; // imul\n"
                                          "ex2.approx.f32 %f1, %f0; // sfu\n"
                                          "st.global.u32 [%base], %r0; // store\n"
                                          "membar.gl; // fence\n"
                                          "bra L; // branch\n"
                                          "L: ld.shared.u32 %r3, [sh]; // shared\n"
                                          "ld.global.u32 %r4, [%base+1024]; // load\n"
                                          "mov.u32 %r5, 1; // last\n"};
    struct timing t;
    timing_open(&t, &c,
                "sm.scoreboard=single sm.int_latency=5 sm.imul_latency=6 sm.sfu_latency=7 sm.store_latency=8 "
                "sm.fence_latency=9 sm.branch_latency=10 sm.shared_latency=11 mem.l2_write_miss=validate");
    assert_int_equal(issued(&t, "t"), FIRST_ISSUE + 5);
    assert_int_equal(between(&t, "t", "int"), 5);
    assert_int_equal(between(&t, "int", "imul"), 5);
    assert_int_equal(between(&t, "imul", "sfu"), 6);
    assert_int_equal(between(&t, "sfu", "store"), 7);
    assert_int_equal(between(&t, "store", "fence"), 8);
    assert_int_equal(between(&t, "fence", "branch"), 9);
    assert_int_equal(between(&t, "branch", "shared"), 10);
    assert_int_equal(between(&t, "shared", "load"), 11);
    assert_int_equal(between(&t, "load", "last"), ROW_CLOSED);
    timing_close(&t);
}

/* With further passes an instruction is done as much later. Other warps do not wait: they issue in turn. */
static void test_single_scoreboard_and_width(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "mov.u32 %r1, 1; // a\nmov.u32 %r2, 2; // b\n", .threads = 64};
    struct timing t;
    timing_open(&t, &c, "sm.scoreboard=single sm.int_latency=10 sm.simd_width=8");
    for (int warp = 0; warp < 2; warp++) { /* the second starts when the unit is free */
        assert_int_equal(issued_by(&t, "base", warp), 1 + 4 * warp);
        assert_int_equal(issued_by(&t, "a", warp), 1 + 4 * warp + 2 * 13);
        assert_int_equal(issued_by(&t, "b", warp), 1 + 4 * warp + 3 * 13);
    }
    timing_close(&t);
}

static const char two_sides[] = "setp.lt.u32 %p1, %t, 8;\n"
                                "@%p1 bra ELSE; // branch\n"
                                "add.u32 %r1, %r0, 1; // then\n"
                                "bra JOIN; // over\n"
                                "ELSE: ld.global.u32 %r1, [%base]; // load\n"
                                "JOIN: mov.u32 %r3, %r1; // join\n";

/* The side that loads %r1 goes first; the other writes its own %r1. By thread, it need not wait for the load,
 * by warp it must. All meet at a read of %r1, which waits for both. */
static void test_scoreboard_of_two_sides(void **state)
{
    (void)state;
    struct timing t;
    timing_open(&t, &(struct timing_case){.body = two_sides}, "sm.scoreboard=exact");
    assert_int_equal(between(&t, "load", "then"), 1);
    assert_int_equal(between(&t, "load", "over"), 2);
    assert_int_equal(between(&t, "load", "join"), ROW_CLOSED);
    timing_close(&t);
    timing_open(&t, &(struct timing_case){.body = two_sides}, "sm.scoreboard=warp");
    assert_int_equal(between(&t, "load", "then"), ROW_CLOSED);
    assert_int_equal(between(&t, "then", "over"), 1);
    assert_int_equal(between(&t, "over", "join"), 4);
    timing_close(&t);
}

/* The same with arithmetic: the slow write of one side is not forgotten for the quick one of the other. Then
 * threads of the quick side alone read it, while the slow one is still under way. */
static void test_slow_and_quick_side(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "setp.lt.u32 %p1, %t, 8;\n"
                                          "@%p1 bra ELSE; // branch\n"
                                          "add.u32 %r1, %r0, 1; // quick\n"
                                          "mov.u32 %r2, %r1; // reads\n"
                                          "bra JOIN; // over\n"
                                          "ELSE: div.u32 %r1, %r0, 3; // slow\n"
                                          "JOIN: mov.u32 %r3, %r1; // join\n"};
    for (unsigned latency = 40; latency <= 41; latency++) {
        struct timing t;
        timing_open(&t, &c, "sm.idiv_latency=%u sm.idiv_interval=1", latency);
        assert_int_equal(between(&t, "slow", "quick"), 1);
        assert_int_equal(between(&t, "quick", "reads"), 4);
        assert_int_equal(between(&t, "slow", "join"), latency);
        timing_close(&t);
        timing_open(&t, &c, "sm.idiv_latency=%u sm.idiv_interval=1 sm.scoreboard=warp", latency);
        assert_int_equal(between(&t, "slow", "quick"), latency);
        assert_int_equal(between(&t, "quick", "reads"), 4);
        assert_int_equal(between(&t, "over", "join"), 4);
        timing_close(&t);
    }
}

/* Registers that differ are nobody's concern, whichever scoreboard; other warps' registers are others. */
static void test_warp_scoreboard_waits_for_no_more(void **state)
{
    (void)state;
    struct timing t;
    timing_open(&t, &(struct timing_case){.body = if_else}, "sm.scoreboard=warp");
    assert_int_equal(between(&t, "else", "then"), 1);
    timing_close(&t);
    const struct timing_case c = {.body = "div.u32 %r1, %r0, 3; // slow\nmov.u32 %r1, 1; // again\n", .threads = 64};
    timing_open(&t, &c, "sm.scoreboard=warp sm.idiv_latency=30 sm.idiv_interval=1");
    for (int warp = 0; warp < 2; warp++)
        assert_int_equal(issued_by(&t, "again", warp) - issued_by(&t, "slow", warp), 30);
    assert_int_equal(issued_by(&t, "slow", 1) - issued_by(&t, "slow", 0), 1);
    timing_close(&t);
}

/* ---- schedulers ---- */

/* Six instructions of three warps, nothing to wait for: lrr takes warps in turn, gto one to its end before
 * the next. */
static void test_order_of_warps(void **state)
{
    (void)state;
    static const char *const names[] = {"base", "t", "a", "b", "c", "ret"};
    const struct timing_case c = {.body = "mov.u32 %r1, 1; // a\n"
                                          "mov.u32 %r2, 1; // b\n"
                                          "mov.u32 %r3, 1; // c\n",
                                  .threads = 96};
    struct timing t;
    timing_open(&t, &c, "sm.scheduler=lrr");
    for (int warp = 0; warp < 3; warp++)
        for (int i = 0; i < 6; i++)
            assert_int_equal(issued_by(&t, names[i], warp), 1 + 3 * i + warp);
    timing_close(&t);
    timing_open(&t, &c, "sm.scheduler=gto");
    for (int warp = 0; warp < 3; warp++)
        for (int i = 0; i < 6; i++)
            assert_int_equal(issued_by(&t, names[i], warp), 1 + 6 * warp + i);
    timing_close(&t);
}

/*
 * The last but one needs the result before it, 4 cycles later.
 * lrr: warps w at 1+w, 4+w, 7+w; from 7+4 on again at 11+w, 14+w.
 * gto: warp 0 at 1, 2, 3, warp 1 at 4, 5, 6; at 7 warp 0 can go on and is older than warp 2: 7, 8; warp 1
 * cannot before 6+4, so warp 2 starts at 9 and stays, since it is the last that issued: 9, 10, 11; warp 1 at
 * 12, 13; warp 2 at 11+4.
 */
static void test_order_of_warps_that_wait(void **state)
{
    (void)state;
    static const char *const names[] = {"base", "t", "a", "b", "ret"};
    static const int gto[3][5] = {{1, 2, 3, 7, 8}, {4, 5, 6, 12, 13}, {9, 10, 11, 15, 16}};
    static const int lrr[5] = {1, 4, 7, 11, 14};
    const struct timing_case c = {.body = "mov.u32 %r1, 1; // a\nmov.u32 %r2, %r1; // b\n", .threads = 96};
    struct timing t;
    timing_open(&t, &c, "sm.scheduler=lrr");
    for (int warp = 0; warp < 3; warp++)
        for (int i = 0; i < 5; i++)
            assert_int_equal(issued_by(&t, names[i], warp), lrr[i] + warp);
    timing_close(&t);
    timing_open(&t, &c, "sm.scheduler=gto");
    for (int warp = 0; warp < 3; warp++)
        for (int i = 0; i < 5; i++)
            assert_int_equal(issued_by(&t, names[i], warp), gto[warp][i]);
    timing_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alu_chain),
        cmocka_unit_test(test_independent_instructions),
        cmocka_unit_test(test_latency_of_each_class),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_interval_of_each_class),
        cmocka_unit_test(test_copies_of_a_unit),
        cmocka_unit_test(test_units_are_apart),
        cmocka_unit_test(test_two_schedulers),
        cmocka_unit_test(test_two_schedulers_share_a_unit),
        cmocka_unit_test(test_ideal_lanes),
        cmocka_unit_test(test_simd_width),
        cmocka_unit_test(test_partial_warp_takes_all_passes),
        cmocka_unit_test(test_branch_latency),
        cmocka_unit_test(test_predicate_to_branch),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_divergence),
        cmocka_unit_test(test_guarded_return),
        cmocka_unit_test(test_call),
        cmocka_unit_test(test_guarded_off),
        cmocka_unit_test(test_guard_is_waited_for),
        cmocka_unit_test(test_write_after_write),
        cmocka_unit_test(test_single_scoreboard),
        cmocka_unit_test(test_single_scoreboard_and_width),
        cmocka_unit_test(test_scoreboard_of_two_sides),
        cmocka_unit_test(test_slow_and_quick_side),
        cmocka_unit_test(test_warp_scoreboard_waits_for_no_more),
        cmocka_unit_test(test_order_of_warps),
        cmocka_unit_test(test_order_of_warps_that_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
