/*
 * The papers' scoreboards where a static warp has several strands, to the cycle: one that is ready waits for what another
 * begins to write, from that cycle on.
 */
#include "timing_bench.h"

/*
 * Both sides, `a` and `b`, need %a1, so that they are ready in the same cycle, long after they parted: the division
 * issues behind the comparison, which waits 20 cycles for %t, and takes 60.
 */
enum { LATENCY = 20, READY = FIRST_ISSUE + 1 + LATENCY + 1 + 60 };
#define PARTING     "setp.lt.u32 %p1, %t, 8;\ndiv.u64 %a1, %base, 1;\n@%p1 bra ELSE;\n"
#define SIDES(a, b) PARTING a " // a\nbra JOIN;\nELSE: " b " // b\nJOIN: mov.u32 %r3, 1;\n"

struct mechanism_case {
    const char *name, *knobs;
};
static const struct mechanism_case side_by_side[] = {{"dpe", NULL}, {"multipath", NULL}, {"dws", "threshold=0"}};

static void open_sides(struct timing *t, const char *body, const struct mechanism_case *m, const char *scoreboard,
                       unsigned slice_lanes)
{
    const struct timing_case c = {.body = body, .mechanism = m->name, .knobs = m->knobs};
    timing_open(t, &c, "sm.scoreboard=%s sm.slice_lanes=%u sm.int_latency=%d sm.idiv_latency=60", scoreboard,
                slice_lanes, LATENCY);
}

/* Cycles that `b` issues behind `a`, which issues as soon as it can. With slices of eight lanes, both could at once. */
static uint64_t delay(const char *body, const struct mechanism_case *m, const char *scoreboard, unsigned slice_lanes)
{
    struct timing t;
    open_sides(&t, body, m, scoreboard, slice_lanes);
    uint64_t cycles = issued(&t, "b") - issued(&t, "a");
    assert_int_equal(issued(&t, "a"), READY);
    timing_close(&t);
    return cycles;
}

static void expect_delay(const char *body, uint64_t by_warp)
{
    for (size_t i = 0; i < COUNTOF(side_by_side); i++) {
        const struct mechanism_case *m = &side_by_side[i];
        assert_int_equal(delay(body, m, "exact", 32), 1);
        assert_int_equal(delay(body, m, "exact", 8), 0);
        assert_int_equal(delay(body, m, "warp", 32), by_warp ? by_warp : 1);
        assert_int_equal(delay(body, m, "warp", 8), by_warp);
    }
}

static const char both_write[] = SIDES("add.u64 %a2, %a1, 1;", "add.u64 %a2, %a1, 2;");

static void a_ready_strand_waits_for_what_another_writes(void **state)
{
    (void)state;
    expect_delay(both_write, LATENCY);
    expect_delay(SIDES("add.u64 %a2, %a1, 1;", "add.u64 %a3, %a1, %a2;"), LATENCY);
}

static void a_ready_strand_waits_for_what_another_loads(void **state)
{
    (void)state;
    expect_delay(SIDES("ld.global.u32 %r1, [%a1];", "ld.global.u32 %r1, [%a1+4];"), ROW_CLOSED);
    expect_delay(SIDES("ld.global.u64 %a2, [%a1];", "add.u64 %a3, %a1, %a2;"), ROW_CLOSED);
}

static void a_ready_strand_does_not_wait_for_other_registers(void **state)
{
    (void)state;
    expect_delay(SIDES("add.u64 %a2, %a1, 1;", "add.u64 %a3, %a1, 1;"), 0);
    expect_delay(SIDES("ld.global.u64 %a2, [%a1];", "add.u64 %a3, %a1, 1;"), 0);
}

/*
 * Two writes of %a2 are under way for one warp: the first side's division for 60 cycles, the second side's addition for 20.
 * Two more writes on each side leave them to the row's list, where lanes tell them apart.
 */
static void writes_of_one_register_are_waited_for_by_lane(void **state)
{
    (void)state;
    static const char body[] =
        PARTING "div.u64 %a2, %a1, 3; // long\nmov.u32 %r4, 1;\nmov.u32 %r5, 1;\nadd.u32 %r8, %r5, 1;\n"
                "add.u64 %a4, %a2, 1; // waits\nbra JOIN;\n"
                "ELSE: add.u64 %a2, %a1, 2; // short\nmov.u32 %r6, 1;\nmov.u32 %r7, 1; // last\n"
                "add.u64 %a3, %a2, 1; // own\nJOIN: mov.u32 %r3, 1;\n";
    for (size_t i = 0; i < COUNTOF(side_by_side); i++) {
        struct timing t;
        const struct timing_case c = {.body = body, .mechanism = side_by_side[i].name, .knobs = side_by_side[i].knobs};
        timing_open(&t, &c, "sm.int_latency=%d sm.idiv_latency=60 sm.idiv_interval=1", LATENCY);
        assert_int_equal(issued(&t, "long"), READY);
        assert_int_equal(issued(&t, "short"), READY + 1);
        assert_int_equal(issued(&t, "last"), READY + 5); /* in turns with the first side */
        assert_int_equal(issued(&t, "own"), READY + 1 + LATENCY);
        assert_int_equal(issued(&t, "waits"), READY + 60);
        timing_close(&t);
    }
}

/* The dual scoreboard knows two sides: dpe's strands, but all strands of a mechanism that names no sides are of one. */
static void sides_of_a_dual_scoreboard_do_not_wait_but_strands_of_one_do(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTOF(side_by_side); i++) {
        const struct mechanism_case *m = &side_by_side[i];
        bool has_sides = !strcmp(m->name, "dpe");
        assert_int_equal(delay(both_write, m, "dual", 32), has_sides ? 1 : LATENCY);
        assert_int_equal(delay(both_write, m, "dual", 8), has_sides ? 0 : LATENCY);
    }
}

/* The first path ends with its write, whose shadow bit the other sees from then on: in the same cycle too. */
static void a_path_that_ends_keeps_the_other_in_the_same_cycle(void **state)
{
    (void)state;
    static const char ends[] =
        PARTING "add.u64 %a2, %a1, 1; // a\nJOIN: mov.u32 %r3, 1;\nret;\nELSE: add.u64 %a2, %a1, 2; // b\nbra JOIN;\n";
    assert_int_equal(delay(ends, &side_by_side[0], "dual", 32), LATENCY);
    assert_int_equal(delay(ends, &side_by_side[0], "dual", 8), LATENCY);
}

/* Four strands ready at once: each waits for the one before. */
static void strands_that_write_one_register_go_one_by_one(void **state)
{
    (void)state;
    static const char four[] =
        "and.b32 %r0, %t, 3;\ndiv.u32 %r1, %t, 3;\nT: .branchtargets P, Q, R, S;\nbrx.idx %r0, T;\n"
        "P: add.u32 %r2, %r1, 1; // p\nbra J;\nQ: add.u32 %r2, %r1, 2; // q\nbra J;\n"
        "R: add.u32 %r2, %r1, 3; // r\nbra J;\nS: add.u32 %r2, %r1, 4; // s\nJ: mov.u32 %r3, %r2;\n";
    static const struct mechanism_case multipath = {"multipath", NULL};
    static const char *const names[] = {"p", "q", "r", "s"};
    struct timing t;
    uint64_t at[COUNTOF(names)];
    open_sides(&t, four, &multipath, "warp", 32);
    for (size_t i = 0; i < COUNTOF(names); i++)
        at[i] = issued(&t, names[i]);
    for (size_t i = 0; i < COUNTOF(names); i++) {
        size_t before = 0;
        for (size_t k = 0; k < COUNTOF(names); k++)
            before += at[k] < at[i];
        assert_int_equal(at[i], READY + before * LATENCY);
    }
    timing_close(&t);
}

/* Threads of the bound are in no warp. */
static void ideal_lanes_have_no_scoreboard_of_warps(void **state)
{
    (void)state;
    static const char *const scoreboards[] = {"exact", "warp", "dual"};
    static const struct mechanism_case mimd = {"mimd", NULL};
    for (size_t i = 0; i < COUNTOF(scoreboards); i++) {
        struct timing t;
        open_sides(&t, both_write, &mimd, scoreboards[i], 32);
        assert_int_equal(issued_nth(&t, "a", ANY_STRAND, 23), READY);
        assert_int_equal(issued_nth(&t, "b", ANY_STRAND, 7), READY);
        timing_close(&t);
    }
}

/* A plan's registers are bits, and these share theirs by twos and threes: no two that follow each other are the same, so
 * one issues each cycle. */
static void registers_that_share_a_bit_are_told_apart(void **state)
{
    (void)state;
    enum { REGISTERS = 192, APART = 64 };
    struct text body = {0};
    struct timing t;
    text_printf(&body, "{\n.reg .b32 %%q<%d>;\n", REGISTERS);
    for (int i = 0; i < REGISTERS; i++)
        text_printf(&body, "mov.u32 %%q%d, %%t;\n", i);
    for (int i = 0; i + APART < REGISTERS; i++)
        text_printf(&body, "add.u32 %%q%d, %%q%d, 1; // low%d\nadd.u32 %%q%d, %%q%d, 1; // high%d\n", i, i, i,
                    i + APART, i + APART, i);
    for (int i = 0; i < REGISTERS; i++)
        text_printf(&body, "xor.b32 %%r0, %%r0, %%q%d;\n", i);
    text_printf(&body, "}\n");
    const struct timing_case c = {.body = body.data};
    timing_open(&t, &c, "sm.int_latency=%d", LATENCY);
    assert_int_equal(issued(&t, "high127") - issued(&t, "low0"), 2 * (REGISTERS - APART) - 1);
    timing_close(&t);
    text_free(&body);
}

/* There are more registers than bits, so a bit alone does not say which register is pending: an instruction that reads the
 * last result waits for it, and one that reads another does not. */
static void a_register_that_shares_its_bit_is_waited_for(void **state)
{
    (void)state;
    enum { REGISTERS = 80 };
    struct text body = {0};
    struct timing t;
    text_printf(&body, "{\n.reg .b32 %%q<%d>;\n", REGISTERS);
    for (int i = 0; i < REGISTERS; i++)
        text_printf(&body, "mov.u32 %%q%d, %%t;\n", i);
    text_printf(
        &body, "add.u32 %%q0, %%q40, 1; // makes\nadd.u32 %%q1, %%q41, 1; // other\nadd.u32 %%q2, %%q0, 1; // waits\n");
    for (int i = 0; i < REGISTERS; i++)
        text_printf(&body, "xor.b32 %%r0, %%r0, %%q%d;\n", i);
    text_printf(&body, "}\n");
    const struct timing_case c = {.body = body.data};
    timing_open(&t, &c, "sm.int_latency=%d", LATENCY);
    assert_int_equal(between(&t, "makes", "other"), 1);
    assert_int_equal(between(&t, "makes", "waits"), LATENCY);
    timing_close(&t);
    text_free(&body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ready_strand_waits_for_what_another_writes),
        cmocka_unit_test(a_ready_strand_waits_for_what_another_loads),
        cmocka_unit_test(a_ready_strand_does_not_wait_for_other_registers),
        cmocka_unit_test(writes_of_one_register_are_waited_for_by_lane),
        cmocka_unit_test(sides_of_a_dual_scoreboard_do_not_wait_but_strands_of_one_do),
        cmocka_unit_test(a_path_that_ends_keeps_the_other_in_the_same_cycle),
        cmocka_unit_test(strands_that_write_one_register_go_one_by_one),
        cmocka_unit_test(ideal_lanes_have_no_scoreboard_of_warps),
        cmocka_unit_test(registers_that_share_a_bit_are_told_apart),
        cmocka_unit_test(a_register_that_shares_its_bit_is_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
