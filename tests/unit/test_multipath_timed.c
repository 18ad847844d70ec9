/* Multi-path execution on a pipeline: what more than two paths gain, and what limits do to it. */
#include "timing_bench.h"

/* Four sides, each with a load of its own and a use of it. The lines are in four banks of the DRAM. */
#define FOUR_SIDES                                                              \
    "and.b32 %r0, %t, 3;\nmul.wide.u32 %a0, %t, 4;\nadd.u64 %a0, %a0, %base;\n" \
    "T: .branchtargets P, Q, R, S;\nbrx.idx %r0, T;\n"                          \
    "P: ld.global.u32 %r1, [%a0];\nadd.u32 %r2, %r1, 1;\nbra J;\n"              \
    "Q: ld.global.u32 %r1, [%a0+2048];\nadd.u32 %r2, %r1, 2;\nbra J;\n"         \
    "R: ld.global.u32 %r1, [%a0+4096];\nadd.u32 %r2, %r1, 3;\nbra J;\n"         \
    "S: ld.global.u32 %r1, [%a0+6144];\nadd.u32 %r2, %r1, 4;\nbra J;\n"         \
    "J: add.u32 %r3, %r2, 1; // j\n"

static uint64_t cycles_of(const char *mechanism, const char *knobs, const char *settings, uint64_t *issues)
{
    struct timing t;
    struct timing_case c = {.body = FOUR_SIDES, .mechanism = mechanism, .knobs = knobs};
    timing_open(&t, &c, "%s", settings);
    uint64_t cycles = t.result.cycles;
    *issues = count_of(&t, "sm.warp_instructions");
    assert_int_equal(find_issue(&t, "j", ANY_STRAND, 0)->threads, 32); /* all meet at J */
    timing_close(&t);
    return cycles;
}

/* pdom pays the latency four times, dual paths twice, all paths together once; the lanes are the same. */
static void each_path_more_hides_a_latency(void **state)
{
    (void)state;
    uint64_t issues[4];
    uint64_t pdom = cycles_of("pdom", NULL, "", &issues[0]), dpe = cycles_of("dpe", NULL, "", &issues[1]);
    uint64_t all = cycles_of("multipath", NULL, "", &issues[2]),
             two = cycles_of("multipath", "splits=2", "", &issues[3]);
    assert_true(dpe + 2 * ROW_HIT <= pdom);
    assert_true(all + ROW_HIT <= dpe);
    /* With places for two the next path starts when one ends, not when both have. */
    assert_true(two > all && two <= dpe);
    for (int i = 1; i < 4; i++)
        assert_int_equal(issues[i], issues[0]);
}

/* All four sides load %r1. A scoreboard that knows lanes sees that they are different registers; one that knows the warp
 * alone does not let a side load it before the one before has it: three latencies more. */
static void sides_that_name_one_register_need_not_wait_for_each_other(void **state)
{
    (void)state;
    uint64_t issues;
    uint64_t by_lane = cycles_of("multipath", NULL, "sm.scoreboard=exact", &issues);
    uint64_t by_warp = cycles_of("multipath", NULL, "sm.scoreboard=warp", &issues);
    assert_true(by_lane + 3 * ROW_HIT <= by_warp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_path_more_hides_a_latency),
        cmocka_unit_test(sides_that_name_one_register_need_not_wait_for_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
