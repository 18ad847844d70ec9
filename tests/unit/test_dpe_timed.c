/*
 * Dual-path execution on a pipeline: the paper's example of the scoreboard stall by stall, which branches gain and
 * which do not, and what the options do to them.
 */
#include "timing_bench.h"

/*
 * The example of section 4: A loads r0, C reads it; B loads r1, which D and E name; F loads r7, G reads it. Threads
 * 0-7 go to B, 8-15 to D, the others to E. All loads are in one DRAM row, which the first one opens. B computes for a
 * while, so that its load comes just ahead of C's branch.
 */
#define EXAMPLE(d, e)                                                                                        \
    "setp.lt.u32 %p0, %t, 8;\nsetp.lt.u32 %p1, %t, 16;\nmul.wide.u32 %a0, %t, 4;\nadd.u64 %a0, %a0, %base;\n" \
    "ld.global.u32 %r0, [%a0]; // load0\n"                                                                   \
    "@%p0 bra B; // brA\n"                                                                                   \
    "add.u32 %r5, %r0, %r2; // c\n"                                                                          \
    "@%p1 bra D; // brC\n" e " // e\n"                                                                       \
    "bra F; // e2\n"                                                                                         \
    "D: " d " // d\n"                                                                                        \
    "F: ld.global.u32 %r7, [%a0+512]; // load7\n"                                                            \
    "bra G;\n"                                                                                               \
    "B: add.u32 %r9, %r9, 1; // b\nadd.u32 %r9, %r9, 1;\nadd.u32 %r9, %r9, 1;\nadd.u32 %r9, %r9, 1;\n"       \
    "add.u32 %r9, %r9, 1;\nadd.u32 %r9, %r9, 1;\nadd.u32 %r9, %r9, 1;\nadd.u32 %r9, %r9, 1; // b8\n"         \
    "ld.global.u32 %r1, [%a0+1024]; // load1\n"                                                              \
    "G: add.u32 %r8, %r1, %r7; // g\n"

enum { BRANCH = 4 };

static const struct timing_case reads = {.body = EXAMPLE("add.u32 %r4, %r1, %r3;", "sub.u32 %r4, %r1, %r3;"),
                                         .mechanism = "dpe"};

/* True dependences hold under both scoreboards: r0 across the parting, r7 and r1 across the meeting. */
static void expect_true_stalls(const struct timing *t)
{
    assert_int_equal(issued(t, "c"), issued(t, "load0") + ROW_CLOSED);
    assert_int_equal(issued(t, "g"), issued(t, "load7") + ROW_HIT);
    /* B does not wait for A's load, though the left side has it pending: it names another register. */
    assert_int_equal(issued(t, "b"), issued(t, "brA") + BRANCH);
    /* B's load is under way when C parts, and B is over. */
    assert_true(issued(t, "load1") < issued(t, "brC"));
    assert_true(issued(t, "load1") + ROW_HIT > issued(t, "brC") + BRANCH + 1);
}

static void registers_pending_at_a_parting_block_both_sides(void **state)
{
    (void)state;
    struct timing t;
    timing_open(&t, &reads, "sm.scoreboard=dual");
    expect_true_stalls(&t);
    /* r1 is pending on the left when C parts: D waits for its own side's P, E for the other's S; both in vain. */
    assert_int_equal(issued(&t, "e"), issued(&t, "load1") + ROW_HIT);
    assert_int_equal(issued(&t, "d"), issued(&t, "load1") + ROW_HIT + 1);
    timing_close(&t);
}

static void the_exact_scoreboard_knows_better(void **state)
{
    (void)state;
    struct timing t;
    timing_open(&t, &reads, "sm.scoreboard=exact");
    expect_true_stalls(&t);
    assert_int_equal(issued(&t, "d"), issued(&t, "brC") + BRANCH);
    assert_int_equal(issued(&t, "e"), issued(&t, "brC") + BRANCH + 1); /* a new strand */
    timing_close(&t);
}

/* A write waits for the other side's pending one like a read: a false WAW dependence. */
static void a_register_pending_on_the_other_side_is_not_overwritten(void **state)
{
    (void)state;
    static const struct timing_case writes = {.body = EXAMPLE("mov.u32 %r4, %r3;", "mov.u32 %r1, %r3;"), .mechanism = "dpe"};
    struct timing t;
    timing_open(&t, &writes, "sm.scoreboard=dual");
    expect_true_stalls(&t);
    assert_int_equal(issued(&t, "d"), issued(&t, "brC") + BRANCH);
    assert_int_equal(issued(&t, "e"), issued(&t, "load1") + ROW_HIT);
    timing_close(&t);
    timing_open(&t, &writes, "sm.scoreboard=exact");
    assert_int_equal(issued(&t, "e"), issued(&t, "brC") + BRANCH + 1);
    timing_close(&t);
}

/* What a side began after the parting is its own: D's load of r6 does not keep E from reading its r6, as long as D's
 * path goes on. */
static void sides_do_not_see_what_the_other_began_after_the_parting(void **state)
{
    (void)state;
    static const struct timing_case own = {
        .body = EXAMPLE("ld.global.u32 %r6, [%a0+256]; // load6\nadd.u32 %r4, %r3, 1;\nadd.u32 %r4, %r4, 1;",
                        "add.u32 %r4, %r6, %r3;"),
        .mechanism = "dpe"};
    struct timing t;
    timing_open(&t, &own, "sm.scoreboard=dual");
    expect_true_stalls(&t);
    assert_int_equal(issued(&t, "load6"), issued(&t, "brC") + BRANCH);
    assert_int_equal(issued(&t, "e"), issued(&t, "brC") + BRANCH + 1);
    timing_close(&t);
}

/* A register pending on one side when that side's path ends is then seen by the other: E's add of r6 comes behind
 * D's end and waits, though its threads have no write under way. */
static void what_is_pending_when_a_path_ends_blocks_the_other(void **state)
{
    (void)state;
    static const struct timing_case c = {
        .body = "setp.lt.u32 %p0, %t, 8;\nmul.wide.u32 %a0, %t, 4;\nadd.u64 %a0, %a0, %base;\n"
                "@%p0 bra D; // br\n"
                "add.u32 %r4, %r9, 1;\nadd.u32 %r4, %r4, 1; // e1\n"
                "add.u32 %r4, %r4, %r6; // e\n"
                "bra F;\n"
                "D: ld.global.u32 %r6, [%a0]; // load\n"
                "F: add.u32 %r5, %r9, 1; // f\n",
        .mechanism = "dpe",
    };
    struct timing t;
    timing_open(&t, &c, "sm.scoreboard=dual");
    assert_int_equal(issued(&t, "e"), issued(&t, "load") + ROW_CLOSED);
    timing_close(&t);
    timing_open(&t, &c, "sm.scoreboard=exact");
    assert_int_equal(issued(&t, "e"), issued(&t, "e1") + 4);
    timing_close(&t);
}

/* The same for one that could have issued in the next cycle: the left path, which gto prefers, ends first. */
static void a_ready_path_waits_for_what_the_other_left_behind(void **state)
{
    (void)state;
    static const struct timing_case c = {
        .body = "setp.lt.u32 %p0, %t, 8;\nmul.wide.u32 %a0, %t, 4;\nadd.u64 %a0, %a0, %base;\n"
                "@%p0 bra D; // br\n"
                "add.u32 %r4, %r9, %r6; // e\n"
                "bra F;\n"
                "D: add.u32 %r5, %r9, 1; // d\n"
                "ld.global.u32 %r6, [%a0]; // load\n"
                "F: add.u32 %r5, %r9, 1; // f\n",
        .mechanism = "dpe",
    };
    struct timing t;
    timing_open(&t, &c, "sm.scoreboard=dual sm.scheduler=gto");
    assert_int_equal(issued(&t, "load"), issued(&t, "br") + BRANCH + 1);
    assert_int_equal(issued(&t, "e"), issued(&t, "load") + ROW_CLOSED);
    timing_close(&t);
    timing_open(&t, &c, "sm.scoreboard=exact sm.scheduler=gto");
    assert_int_equal(issued(&t, "e"), issued(&t, "load") + 1);
    timing_close(&t);
}

/* Both sides go on for long: nothing but the parting tells the right one of the left one's load. */
static void a_register_pending_at_the_parting_blocks_the_right_side(void **state)
{
    (void)state;
    static const struct timing_case c = {
        .body = "setp.lt.u32 %p0, %t, 8;\nmul.wide.u32 %a0, %t, 4;\nadd.u64 %a0, %a0, %base;\n"
                "ld.global.u32 %r0, [%a0]; // load\n"
                "@%p0 bra B;\n"
                "add.u32 %r3, %r9, 1; // c0\n"
                "add.u32 %r5, %r0, %r2; // c\n"
                "bra F;\n"
                "B: add.u32 %r4, %r9, 1;\nadd.u32 %r6, %r0, 1; // b\n"
                "F: add.u32 %r5, %r9, 1; // f\n",
        .mechanism = "dpe",
    };
    struct timing t;
    timing_open(&t, &c, "sm.scoreboard=dual");
    assert_true(issued(&t, "c0") < issued(&t, "load") + ROW_CLOSED);
    assert_int_equal(issued(&t, "c") + issued(&t, "b"), 2 * (issued(&t, "load") + ROW_CLOSED) + 1);
    timing_close(&t);
}

/* ---- which branches gain ---- */

/* Both sides wait for a load of their own: pdom pays the latency twice. */
#define IF_ELSE                                                                                              \
    "setp.lt.u32 %p0, %t, 16;\nmul.wide.u32 %a0, %t, 4;\nadd.u64 %a0, %a0, %base;\n"                         \
    "@%p0 bra X;\n"                                                                                          \
    "ld.global.u32 %r0, [%a0];\nadd.u32 %r1, %r0, 1;\nadd.u32 %r1, %r1, 1;\nbra J;\n"                        \
    "X: ld.global.u32 %r0, [%a0+4096];\nadd.u32 %r1, %r0, 3;\nadd.u32 %r1, %r1, 1;\nbra J;\n"                \
    "J: add.u32 %r2, %r1, 1;\n"

/* Those that do not load wait at the meeting, whatever they could do: there is one path at all times. */
#define IF_ALONE                                                                                             \
    "setp.lt.u32 %p0, %t, 16;\nmul.wide.u32 %a0, %t, 4;\nadd.u64 %a0, %a0, %base;\n"                         \
    "@%p0 bra J;\n"                                                                                          \
    "ld.global.u32 %r0, [%a0];\nadd.u32 %r1, %r0, 1;\nadd.u32 %r1, %r1, 1;\n"                                \
    "J: add.u32 %r2, %r1, 1;\n"

static uint64_t cycles_of(const char *body, const char *mechanism, const char *knobs, const char *scoreboard)
{
    struct timing t;
    struct timing_case c = {.body = body, .mechanism = mechanism, .knobs = knobs};
    timing_open(&t, &c, "sm.scoreboard=%s", scoreboard);
    uint64_t cycles = t.result.cycles;
    timing_close(&t);
    return cycles;
}

static void an_if_with_else_gains(void **state)
{
    (void)state;
    uint64_t pdom = cycles_of(IF_ELSE, "pdom", NULL, "exact");
    /* One of the two latencies is hidden, whichever scoreboard: the loads start behind the parting. */
    assert_true(cycles_of(IF_ELSE, "dpe", NULL, "exact") + ROW_HIT <= pdom);
    assert_int_equal(cycles_of(IF_ELSE, "dpe", NULL, "dual"), cycles_of(IF_ELSE, "dpe", NULL, "exact"));
    /* Turns at loads are enough here. */
    assert_true(cycles_of(IF_ELSE, "dpe", "constrained=yes", "exact") + ROW_HIT / 2 <= pdom);
    /* The pops are paid for once each: both paths end together. */
    assert_true(cycles_of(IF_ELSE, "dpe", "stack=software pop_cycles=8", "exact") >=
                cycles_of(IF_ELSE, "dpe", NULL, "exact") + 8);
}

static void an_if_without_else_does_not(void **state)
{
    (void)state;
    assert_int_equal(cycles_of(IF_ALONE, "dpe", NULL, "exact"), cycles_of(IF_ALONE, "pdom", NULL, "exact"));
    assert_int_equal(cycles_of(IF_ALONE, "dpe", NULL, "dual"), cycles_of(IF_ALONE, "pdom", NULL, "exact"));
}

/* Computing alone does not gain where the other side can only take issue slots that are free anyway: with one-cycle
 * arithmetic none are. */
static void without_latency_there_is_nothing_to_hide(void **state)
{
    (void)state;
    static const struct timing_case busy = {
        .body = "setp.lt.u32 %p0, %t, 16;\n@%p0 bra X; // br\n"
                "add.u32 %r1, %t, 1;\nadd.u32 %r2, %t, 1;\nadd.u32 %r3, %t, 1;\nadd.u32 %r4, %t, 1;\nadd.u32 %r5, %t, 1;\n"
                "add.u32 %r6, %t, 1;\nbra J;\n"
                "X: add.u32 %r1, %t, 2;\nadd.u32 %r2, %t, 2;\nadd.u32 %r3, %t, 2;\nadd.u32 %r4, %t, 2;\nadd.u32 %r5, %t, 2;\n"
                "add.u32 %r6, %t, 2;\nJ: add.u32 %r7, %r1, 1; // j\n",
        .mechanism = "dpe",
    };
    struct timing_case plain = busy;
    struct timing t;
    plain.mechanism = "pdom";
    timing_open(&t, &plain, "sm.branch_latency=1 sm.int_latency=1");
    uint64_t serial = between(&t, "br", "j");
    timing_close(&t);
    timing_open(&t, &busy, "sm.branch_latency=1 sm.int_latency=1");
    assert_int_equal(between(&t, "br", "j"), serial);
    timing_close(&t);
}

/* Thread 0's line comes later: the others run ahead to the end of the block. */
static void a_load_that_parts_threads_lets_some_run_ahead(void **state)
{
    (void)state;
    static const struct timing_case c = {
        .body = "mul.wide.u32 %a0, %t, 4;\nadd.u64 %a0, %a0, %base;\nsetp.eq.u32 %p0, %t, 0;\n"
                "@%p0 add.u64 %a0, %a0, 65536;\n"
                "ld.global.u32 %r0, [%a0]; // load\n"
                "add.u32 %r1, %r0, 1; // use\n"
                "add.u32 %r1, %r1, 1;\nadd.u32 %r1, %r1, 1;\n",
        .mechanism = "dpe",
        .knobs = "memory_divergence=yes",
    };
    struct timing t;
    timing_open(&t, &c, "sm.scoreboard=exact");
    assert_int_equal(count_of(&t, "dpe.memory_splits"), 1);
    assert_true(issued_nth(&t, "use", ANY_STRAND, 0) < issued_nth(&t, "use", ANY_STRAND, 1));
    assert_int_equal(find_issue(&t, "use", ANY_STRAND, 0)->threads + find_issue(&t, "use", ANY_STRAND, 1)->threads, 32);
    assert_int_equal(find_issue(&t, "ret", ANY_STRAND, 0)->threads, 32);
    timing_close(&t);
    /* Under shadow bits the register is pending for both. */
    timing_open(&t, &c, "sm.scoreboard=dual");
    assert_int_equal(issued_nth(&t, "use", ANY_STRAND, 1), issued_nth(&t, "use", ANY_STRAND, 0) + 1);
    timing_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_pending_at_a_parting_block_both_sides),
        cmocka_unit_test(the_exact_scoreboard_knows_better),
        cmocka_unit_test(a_register_pending_on_the_other_side_is_not_overwritten),
        cmocka_unit_test(sides_do_not_see_what_the_other_began_after_the_parting),
        cmocka_unit_test(what_is_pending_when_a_path_ends_blocks_the_other),
        cmocka_unit_test(a_ready_path_waits_for_what_the_other_left_behind),
        cmocka_unit_test(a_register_pending_at_the_parting_blocks_the_right_side),
        cmocka_unit_test(an_if_with_else_gains),
        cmocka_unit_test(an_if_without_else_does_not),
        cmocka_unit_test(without_latency_there_is_nothing_to_hide),
        cmocka_unit_test(a_load_that_parts_threads_lets_some_run_ahead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
