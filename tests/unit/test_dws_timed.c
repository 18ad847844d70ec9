/*
 * Dynamic warp subdivision on a pipeline: what it gains where latency can be hidden, the lanes it loses in nested
 * divergence, and loads that subdivide.
 */
#include "timing_bench.h"

/* Both sides load and part again; behind the inner meetings each side computes, and so does the warp behind the
 * outer one. Sides of inner branches have different lengths. */
#define NESTED                                                                                                       \
    "setp.lt.u32 %p0, %t, 16;\nand.b32 %r3, %t, 1;\nsetp.eq.u32 %p1, %r3, 0;\nmul.wide.u32 %a0, %t, 4;\n"            \
    "add.u64 %a0, %a0, %base;\n@%p0 bra X;\n"                                                                        \
    "ld.global.u32 %r0, [%a0];\nadd.u32 %r1, %r0, 1;\n@%p1 bra Y;\nadd.u32 %r1, %r1, 1;\nadd.u32 %r1, %r1, 1;\n"     \
    "Y: add.u32 %r1, %r1, 1; // y\nadd.u32 %r1, %r1, 1;\nadd.u32 %r1, %r1, 1;\nadd.u32 %r1, %r1, 1;\nbra J;\n"       \
    "X: ld.global.u32 %r0, [%a0+4096];\nadd.u32 %r1, %r0, 3;\n@%p1 bra Z;\nadd.u32 %r1, %r1, 1;\nadd.u32 %r1, %r1, " \
    "1;\n"                                                                                                           \
    "Z: add.u32 %r1, %r1, 1; // z\nadd.u32 %r1, %r1, 1;\nadd.u32 %r1, %r1, 1;\nadd.u32 %r1, %r1, 1;\n"               \
    "J: add.u32 %r2, %r1, 1; // j\n"

struct figures {
    uint64_t cycles, issues, threads;
};

static struct figures run_under(const char *body, const char *mechanism, const char *knobs)
{
    struct timing t;
    struct timing_case c = {.body = body, .mechanism = mechanism, .knobs = knobs};
    timing_open(&t, &c, "%s", "");
    struct figures f = {t.result.cycles, count_of(&t, "sm.warp_instructions"), count_of(&t, "sm.thread_instructions")};
    timing_close(&t);
    return f;
}

/* Splits made inside X and behind it do not meet at Y and Z, where the stack's and the dual paths' threads do: what
 * follows is issued once a split. Threads do the same work, so more issues are fewer lanes. */
static void nested_divergence_costs_lanes(void **state)
{
    (void)state;
    struct figures pdom = run_under(NESTED, "pdom", NULL), dpe = run_under(NESTED, "dpe", NULL);
    struct figures dws = run_under(NESTED, "dws", "threshold=0");
    assert_int_equal(dpe.issues, pdom.issues);
    assert_int_equal(dpe.threads, pdom.threads);
    assert_int_equal(dws.threads, pdom.threads);
    assert_true(dws.issues * 10 >= pdom.issues * 12);
    /* Both hide one of the two latencies. */
    assert_true(dpe.cycles + ROW_HIT <= pdom.cycles);
    assert_true(dws.cycles + ROW_HIT / 2 <= pdom.cycles);
}

/* With a threshold below every block nothing is subdivided, and dws is pdom. */
static void without_subdivision_it_is_pdom(void **state)
{
    (void)state;
    struct figures pdom = run_under(NESTED, "pdom", NULL), dws = run_under(NESTED, "dws", "entries=0");
    assert_int_equal(dws.cycles, pdom.cycles);
    assert_int_equal(dws.issues, pdom.issues);
}

/* An if without else gives the threads that skip it a split of their own, which gains nothing that pdom lacks if
 * there is no latency to hide, and costs issues. */
static void an_if_without_else_costs_lanes_too(void **state)
{
    (void)state;
    static const char body[] =
        "setp.lt.u32 %p0, %t, 16;\n@%p0 bra J;\nadd.u32 %r1, %t, 1;\nadd.u32 %r2, %t, 1;\n"
        "J: add.u32 %r3, %t, 1;\nadd.u32 %r4, %t, 1;\nadd.u32 %r5, %t, 1;\nadd.u32 %r6, %t, 1;\n";
    struct figures pdom = run_under(body, "pdom", NULL), dpe = run_under(body, "dpe", NULL);
    struct figures dws = run_under(body, "dws", "threshold=0");
    assert_int_equal(dpe.issues, pdom.issues);
    assert_true(dws.issues > pdom.issues);
    assert_int_equal(dws.threads, pdom.threads);
}

/* Thread 0's line is another one, and comes first. Alone on the machine nothing else issues, so lazy splits too. */
static void loads_subdivide(void **state)
{
    (void)state;
    static const char body[] = "mul.wide.u32 %a0, %t, 4;\nadd.u64 %a0, %a0, %base;\nsetp.eq.u32 %p0, %t, 0;\n"
                               "@%p0 add.u64 %a0, %a0, 65536;\nld.global.u32 %r0, [%a0]; // load\n"
                               "add.u32 %r1, %r0, 1; // use\nadd.u32 %r1, %r1, 1;\nadd.u32 %r1, %r1, 1;\n";
    static const char *const modes[] = {"memory=off", "memory=aggressive", "memory=lazy", "memory=revive"};
    for (int i = 0; i < 4; i++) {
        struct timing t;
        struct timing_case c = {.body = body, .mechanism = "dws", .knobs = modes[i]};
        timing_open(&t, &c, "%s", "");
        assert_int_equal(count_of(&t, "dws.memory_splits"), i > 0);
        assert_int_equal(find_issue(&t, "use", ANY_STRAND, 0)->threads, i ? 1 : 32);
        assert_int_equal(find_issue(&t, "ret", ANY_STRAND, 0)->threads, 32); /* they met at the block's end */
        timing_close(&t);
    }
}

/*
 * The line of thread 0 is in the L1, the others' are in DRAM: between their answers lie 34 cycles. The second warp
 * has instructions to issue in every cycle until some time after the first answer, and none when the second comes.
 * Lazy has one chance, at the first answer, and does not need it; revive finds another when the second warp is done.
 */
static void lazy_and_revive_wait_for_cycles_without_issue(void **state)
{
    (void)state;
#define EIGHT                                                                              \
    "add.u32 %r2, %t, 1;\nadd.u32 %r3, %t, 1;\nadd.u32 %r4, %t, 1;\nadd.u32 %r5, %t, 1;\n" \
    "add.u32 %r6, %t, 1;\nadd.u32 %r7, %t, 1;\nadd.u32 %r8, %t, 1;\nadd.u32 %r9, %t, 1;\n"
    static const struct timing_case c = {
        .body =
            "mul.wide.u32 %a0, %t, 4;\nadd.u64 %a0, %a0, %base;\nsetp.eq.u32 %p0, %t, 0;\nsetp.ge.u32 %p1, %t, 32;\n"
            "@%p1 bra L;\n"
            "ld.global.u32 %r1, [%a0]; // warm\nadd.u32 %r1, %r1, 1;\n"
            "@!%p0 add.u64 %a0, %a0, 65536;\nld.global.u32 %r0, [%a0]; // load\n"
            "add.u32 %r1, %r0, 1; // use\nadd.u32 %r1, %r1, 1;\nbra J;\n"
            "L:" EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT "J: add.u32 %r2, %t, 1; // j\n",
        .mechanism = "dws",
        .threads = 64,
    };
    static const char *const modes[] = {"memory=aggressive", "memory=lazy", "memory=revive"};
    static const uint64_t expected[] = {1, 0, 1};
    for (int i = 0; i < 3; i++) {
        struct timing t;
        struct timing_case mode = c;
        mode.knobs = modes[i];
        timing_open(&t, &mode, "%s", "");
        uint64_t first_answer = issued(&t, "load") + L1_HIT, second_answer = issued(&t, "load") + ROW_CLOSED;
        uint64_t busy_until = issued_nth(&t, "j", ANY_STRAND, 0);
        assert_in_range(busy_until, first_answer + 1, second_answer - 1);
        assert_int_equal(count_of(&t, "dws.memory_splits"), expected[i]);
        timing_close(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_divergence_costs_lanes),
        cmocka_unit_test(without_subdivision_it_is_pdom),
        cmocka_unit_test(an_if_without_else_costs_lanes_too),
        cmocka_unit_test(loads_subdivide),
        cmocka_unit_test(lazy_and_revive_wait_for_cycles_without_issue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
