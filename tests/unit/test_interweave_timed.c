/* sbi and swi on a pipeline: two instructions per cycle on disjoint lanes, and what keeps them apart. */
#include "timing_bench.h"

/* Ten independent instructions on each side of a branch that threads 16 to 31 take. */
#define TEN(name)                                                                                               \
    "add.u32 %r1, %t, 1; // " name "\nadd.u32 %r2, %t, 1;\nadd.u32 %r3, %t, 1;\nadd.u32 %r4, %t, 1;\n"          \
    "add.u32 %r5, %t, 1;\nadd.u32 %r6, %t, 1;\nadd.u32 %r7, %t, 1;\nadd.u32 %r8, %t, 1;\nadd.u32 %r9, %t, 1;\n" \
    "add.u32 %r10, %t, 1; // " name " last\n"
#define SIDES(condition) condition "@%p0 bra X;\n" TEN("y") "bra J;\nX:" TEN("x") "J: mov.u32 %r0, 1; // j\n"
#define HALVES           SIDES("setp.ge.u32 %p0, %t, 16;\n")

/* The threads of the second half of each warp, and those of the first half in odd warps: mirrored halves fit. */
#define FIRST_HALF_RUNS \
    "and.b32 %r0, %t, 31;\nsetp.ge.u32 %p0, %r0, 16;\n@%p0 bra J;\n" TEN("y") "J: mov.u32 %r0, 1; // j\n"

static uint64_t counter_of(const struct timing *t, const char *mechanism, const char *name)
{
    const struct stat_owner *stats = div_find(mechanism)->stats;
    for (int i = 0; i < stats->count; i++)
        if (!strcmp(stats->counters[i].name, name))
            return *(const uint64_t *)((const char *)t->result.mechanism + stats->counters[i].offset);
    fail_msg("no counter %s", name);
    return 0;
}

/* Both sides of the branch issue in the same cycles. */
static void two_splits_of_a_warp_issue_together(void **state)
{
    (void)state;
    struct timing stack, sbi, single;
    const struct timing_case c = {.body = HALVES, .mechanism = "sbi"}, one = {.body = HALVES, .mechanism = "pdom"};
    timing_open(&sbi, &c, "%s", "");
    /* The second side's strand is made when the branch resolves, and issues from the next cycle on. */
    assert_int_equal(issued(&sbi, "x"), issued(&sbi, "y") + 1);
    assert_int_equal(issued(&sbi, "x last"), issued(&sbi, "y last") + 1);
    assert_int_equal(find_issue(&sbi, "j", ANY_STRAND, 0)->threads, 32);
    assert_true(counter_of(&sbi, "sbi", "paired_same_warp") >= 9);
    assert_int_equal(counter_of(&sbi, "sbi", "paired_other_warp"), 0);
    timing_open(&stack, &one, "%s", "");
    assert_in_range(stack.result.cycles - sbi.result.cycles, 10, 20);
    assert_int_equal(stack.result.sm.warp_instructions, sbi.result.sm.warp_instructions);
    /* swi runs one split of a warp at a time, and there is no other warp. */
    const struct timing_case lone = {.body = HALVES, .mechanism = "swi"};
    timing_open(&single, &lone, "%s", "");
    assert_int_equal(counter_of(&single, "swi", "paired_other_warp"), 0);
    assert_true(single.result.cycles > sbi.result.cycles);
    timing_close(&stack);
    timing_close(&sbi);
    timing_close(&single);
}

/* At most two strands issue: four warps of which each leaves three quarters of its lanes free issue in pairs. */
static void no_third_instruction_issues(void **state)
{
    (void)state;
    struct timing t;
    const struct timing_case c = {.body = "and.b32 %r0, %t, 31;\nshr.u32 %r11, %t, 5;\nshr.u32 %r12, %r0, 3;\n"
                                          "setp.ne.u32 %p0, %r11, %r12;\n@%p0 bra J;\n" TEN("y") "J: mov.u32 %r0, 1;\n",
                                  .mechanism = "swi",
                                  .threads = 128};
    timing_open(&t, &c, "%s", "");
    for (uint64_t cycle = 1; cycle < t.result.cycles; cycle++) {
        int issues = 0;
        for (int i = 0; i < t.trace->events.count; i++)
            issues += t.trace->events.data[i].kind == TRACE_ISSUE && t.trace->events.data[i].cycle == cycle;
        assert_in_range(issues, 0, 2);
    }
    assert_true(counter_of(&t, "swi", "paired_other_warp") >= 18);
    timing_close(&t);
}

/* Warps whose active threads lie in the same lanes never fit. Mirrored in odd warps, they fill the row. */
static void shuffled_lanes_let_warps_fit(void **state)
{
    (void)state;
    static const struct {
        const char *knobs;
        bool fits;
    } cases[] = {{"shuffle=none", false}, {"shuffle=mirror-odd", true},   {"shuffle=mirror-half", true},
                 {"shuffle=xor", false},  {"shuffle=xor-reversed", true}, {"shuffle=mirror-odd sets=2", false}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        struct timing t;
        const struct timing_case c = {
            .body = FIRST_HALF_RUNS, .mechanism = "swi", .knobs = cases[i].knobs, .threads = 64};
        timing_open(&t, &c, "sm.max_blocks=1"); /* the second warp is in the second half */
        assert_int_equal(counter_of(&t, "swi", "paired_other_warp") >= 9, cases[i].fits);
        timing_close(&t);
    }
}

/* Warps 0 and 2 are those of the first of two ports. They fit together, unless they are in different sets. */
static void sets_divide_the_warps_of_a_port(void **state)
{
    (void)state;
    static const char *const knobs[] = {"shuffle=mirror-half sets=1", "shuffle=mirror-half sets=2"};
    for (int i = 0; i < 2; i++) {
        struct timing t;
        const struct timing_case c = {.body = FIRST_HALF_RUNS, .mechanism = "swi", .knobs = knobs[i], .threads = 128};
        timing_open(&t, &c, "sm.max_blocks=1 sm.schedulers=2 sm.alu_units=2");
        assert_int_equal(counter_of(&t, "swi", "paired_other_warp") >= 9, i == 0);
        timing_close(&t);
    }
}

/* The knob swi of sbi: whole warps leave no lane free, half-empty ones do. */
static void sbi_may_take_another_warp(void **state)
{
    (void)state;
    struct timing t;
    const struct timing_case c = {
        .body = FIRST_HALF_RUNS, .mechanism = "sbi", .knobs = "swi=yes shuffle=mirror-odd", .threads = 64};
    timing_open(&t, &c, "%s", "");
    assert_true(counter_of(&t, "sbi", "paired_other_warp") >= 9);
    timing_close(&t);
    const struct timing_case own = {
        .body = FIRST_HALF_RUNS, .mechanism = "sbi", .knobs = "shuffle=mirror-odd", .threads = 64};
    timing_open(&t, &own, "%s", "");
    assert_int_equal(counter_of(&t, "sbi", "paired_other_warp"), 0);
    timing_close(&t);
}

/* Cycles in which strands of so many threads issued together. */
static int cycles_together(const struct timing *t, uint32_t threads, uint32_t others)
{
    int cycles = 0;
    for (int i = 0; i < t->trace->events.count; i++)
        for (int k = 0; k < t->trace->events.count; k++) {
            const struct trace_event *a = &t->trace->events.data[i], *b = &t->trace->events.data[k];
            cycles += a->kind == TRACE_ISSUE && b->kind == TRACE_ISSUE && a->cycle == b->cycle &&
                      a->issue.threads == threads && b->issue.threads == others;
        }
    return cycles;
}

/* Threads of a warp from lane %r12 up to lane %r13 run on, the others jump to J. */
#define LANES_RUN                                                                                       \
    "bar.sync 0;\nsetp.lt.u32 %p1, %r0, %r12;\nsetp.ge.or.u32 %p0, %r0, %r13, %p1;\n@%p0 bra J;\n" TEN( \
        "y") "J: mov.u32 %r0, 1; // j\n"

/* Warp 0 has 8 threads in lanes 0 to 7, warps 1 and 2 have 4 and 16 from lane 8 on: of the two that fit beside warp 0
 * the one with more threads issues, though the other is older. */
static void the_largest_strand_that_fits_comes_second(void **state)
{
    (void)state;
    struct timing t;
    const struct timing_case c = {
        .body = "and.b32 %r0, %t, 31;\nshr.u32 %r11, %t, 5;\nsetp.eq.u32 %p1, %r11, 0;\nselp.b32 %r12, 0, 8, %p1;\n"
                "selp.b32 %r13, 8, 12, %p1;\nsetp.eq.u32 %p1, %r11, 2;\nselp.b32 %r13, 24, %r13, %p1;\n" LANES_RUN,
        .mechanism = "swi",
        .threads = 96};
    timing_open(&t, &c, "sm.scheduler=gto");
    assert_true(cycles_together(&t, 8, 16) >= 9);
    assert_in_range(cycles_together(&t, 8, 4), 0, 1); /* where the largest has no instruction ready */
    timing_close(&t);
}

/* Warp 0 splits into lanes 0 to 7 and 8 to 11, and lanes 8 to 23 of warp 1 run: beside the first split of warp 0 its
 * second one issues, though the other warp has more threads. */
static void the_own_warp_comes_second_before_another(void **state)
{
    (void)state;
    struct timing t;
    const struct timing_case c = {
        .body = "and.b32 %r0, %t, 31;\nshr.u32 %r11, %t, 5;\nsetp.eq.u32 %p1, %r11, 0;\nselp.b32 %r12, 0, 8, %p1;\n"
                "selp.b32 %r13, 12, 24, %p1;\nsetp.lt.u32 %p2, %r0, 8;\nbar.sync 0;\nsetp.lt.u32 %p1, %r0, %r12;\n"
                "setp.ge.or.u32 %p0, %r0, %r13, %p1;\n@%p0 bra J;\n@%p2 bra X;\n" TEN("y") "bra J;\nX:" TEN(
                    "x") "J: mov.u32 %r0, 1; // j\n",
        .mechanism = "sbi",
        .knobs = "swi=yes",
        .threads = 64};
    timing_open(&t, &c, "sm.scheduler=gto");
    assert_true(cycles_together(&t, 8, 4) >= 8);
    timing_close(&t);
}

/* A warp of 64 threads, as the paper has it. */
static void a_doubled_warp_fills_its_row(void **state)
{
    (void)state;
    struct timing t;
    const struct timing_case c = {.body = SIDES("setp.ge.u32 %p0, %t, 40;\n"), .mechanism = "sbi", .threads = 64};
    timing_open(&t, &c, "sm.warp_width=64 sm.simd_width=64");
    assert_int_equal(issued(&t, "x"), issued(&t, "y") + 1);
    assert_int_equal(find_issue(&t, "x", ANY_STRAND, 0)->threads, 24);
    assert_int_equal(find_issue(&t, "y", ANY_STRAND, 0)->threads, 40);
    assert_int_equal(find_issue(&t, "j", ANY_STRAND, 0)->threads, 64);
    timing_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_splits_of_a_warp_issue_together),
        cmocka_unit_test(no_third_instruction_issues),
        cmocka_unit_test(shuffled_lanes_let_warps_fit),
        cmocka_unit_test(sets_divide_the_warps_of_a_port),
        cmocka_unit_test(sbi_may_take_another_warp),
        cmocka_unit_test(the_largest_strand_that_fits_comes_second),
        cmocka_unit_test(the_own_warp_comes_second_before_another),
        cmocka_unit_test(a_doubled_warp_fills_its_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
