/* bcc and scc: what an issue costs for every mask, and what that does to a kernel on a datapath of half a warp. */
#include "div/table.h"
#include "report/formulas.h"
#include "timing_bench.h"

/* ---- the rule ---- */

struct rule {
    struct div_host host;
    struct div_wants wants;
    const struct div_ops *ops;
    struct div *div;
    uint64_t knobs[8];
};

static void rule_open(struct rule *r, const char *mechanism, int width, int lanes, const char *swizzle_cycles)
{
    memset(r, 0, sizeof *r);
    char *error = NULL;
    r->host.facts.width = width;
    r->host.facts.simd_width = lanes;
    r->ops = div_find(mechanism);
    assert_non_null(r->ops);
    knob_defaults(r->ops->knobs, r->knobs);
    if (swizzle_cycles)
        assert_true(knob_set(r->ops->knobs, r->knobs, "swizzle_cycles", swizzle_cycles, &error));
    r->div = r->ops->create(&r->host, r->knobs, &r->wants);
}

static void rule_close(struct rule *r)
{
    r->ops->destroy(r->div);
}

static unsigned cost(struct rule *r, uint64_t slots, enum op_class class)
{
    return r->ops->issue_cost(r->div, slots, class);
}

static uint64_t counted(struct rule *r, const char *name)
{
    const struct stat_value part = {r->ops->stats, r->ops->counters(r->div)};
    char path[64];
    _Bool found = 0;
    snprintf(path, sizeof path, "%s.%s", r->ops->stats->name, name);
    uint64_t value = stat_get(&(struct stat_result){&part, 1}, path, &found);
    assert_true(found);
    return value;
}

/* Passes of 8 threads on 4 lanes. The rows are the upper four slots as a number, the columns the lower four. */
static const char bcc_passes[16][17] = {
    ".111111111111111", /* nobody above: one group */
    "1222222222222222", "1222222222222222", "1222222222222222", "1222222222222222", "1222222222222222",
    "1222222222222222", "1222222222222222", "1222222222222222", "1222222222222222", "1222222222222222",
    "1222222222222222", "1222222222222222", "1222222222222222", "1222222222222222", "1222222222222222",
};
/* Five threads or more are two passes. Bits of 0..15: 0112 1223 1223 2334. */
static const char scc_passes[16][17] = {
    ".111111111111111", /* 0 above */
    "1111111111111112", /* 1: only all four below make five */
    "1111111111111112", /* 2: one thread again */
    "1111111211121222", /* 3: two; three below are too many */
    "1111111111111112", /* 4 */
    "1111111211121222", /* 5 */
    "1111111211121222", /* 6 */
    "1112122212222222", /* 7: three; two below are too many */
    "1111111111111112", /* 8 */
    "1111111211121222", /* 9 */
    "1111111211121222", /* 10 */
    "1112122212222222", /* 11 */
    "1111111211121222", /* 12 */
    "1112122212222222", /* 13 */
    "1112122212222222", /* 14 */
    "1222222222222222", /* 15: four; one below is too many */
};

static void expect_passes(const char *mechanism, const char passes[16][17])
{
    struct rule r;
    uint64_t compacted = 0;
    rule_open(&r, mechanism, 8, 4, NULL);
    for (unsigned mask = 1; mask < 256; mask++) {
        unsigned expected = (unsigned)(passes[mask >> 4][mask & 15] - '0');
        if (cost(&r, mask, CLASS_INT) != expected)
            fail_msg("%s: mask 0x%02x does not take %u passes", mechanism, mask, expected);
        compacted += expected == 1;
    }
    assert_int_equal(counted(&r, "compacted"), compacted);
    assert_int_equal(counted(&r, "saved_cycles"), compacted);
    rule_close(&r);
}

static void test_every_mask(void **state)
{
    (void)state;
    expect_passes("bcc", bcc_passes);
    expect_passes("scc", scc_passes);
}

static void test_wide_and_narrow(void **state)
{
    (void)state;
    struct rule r;
    rule_open(&r, "bcc", 64, 16, NULL);
    assert_int_equal(cost(&r, UINT64_C(0x8000000000000001), CLASS_INT), 2);
    assert_int_equal(cost(&r, UINT64_MAX, CLASS_INT), 4);
    assert_int_equal(counted(&r, "saved_cycles"), 2);
    rule_close(&r);
    rule_open(&r, "scc", 64, 1, NULL);
    assert_int_equal(cost(&r, UINT64_C(0x8000000000000001), CLASS_INT), 2);
    assert_int_equal(cost(&r, 0, CLASS_INT), 1); /* the guard turns every thread off: the issue still takes a pass */
    rule_close(&r);
    rule_open(&r, "scc", 32, 32, NULL); /* as wide as the warp: the machine's own rule */
    assert_int_equal(cost(&r, 1, CLASS_INT), 0);
    assert_int_equal(counted(&r, "compacted"), 0);
    rule_close(&r);
}

/* Memory takes its own time; everything else is compacted. */
static void test_classes(void **state)
{
    (void)state;
    static const enum op_class memory[] = {CLASS_LOAD, CLASS_STORE, CLASS_ATOMIC, CLASS_TEX, CLASS_FENCE};
    static const enum op_class other[] = {CLASS_INT, CLASS_FP32, CLASS_SFU, CLASS_BRANCH, CLASS_BARRIER, CLASS_WARP};
    for (int i = 0; i < 2; i++) {
        struct rule r;
        rule_open(&r, i ? "scc" : "bcc", 32, 16, NULL);
        for (size_t k = 0; k < COUNTOF(memory); k++)
            assert_int_equal(cost(&r, 0xff, memory[k]), 0);
        assert_int_equal(counted(&r, "compacted"), 0);
        for (size_t k = 0; k < COUNTOF(other); k++)
            assert_int_equal(cost(&r, 0xff, other[k]), 1);
        assert_int_equal(counted(&r, "compacted"), COUNTOF(other));
        rule_close(&r);
    }
}

/* Paid where threads move, and only there. */
static void test_swizzle_takes_time(void **state)
{
    (void)state;
    struct rule r;
    rule_open(&r, "scc", 32, 8, "3");
    assert_int_equal(cost(&r, 0x01010101, CLASS_INT), 1 + 3); /* one of each group */
    assert_int_equal(cost(&r, 0x0000000f, CLASS_INT), 1);     /* in one group already */
    assert_int_equal(cost(&r, 0x00ff00ff, CLASS_INT), 2);     /* two whole groups */
    assert_int_equal(counted(&r, "compacted"), 3);
    assert_int_equal(counted(&r, "saved_cycles"), 3 + 3 + 2);
    assert_int_equal(counted(&r, "swizzles"), 1);
    assert_int_equal(counted(&r, "swizzle_cycles"), 3);
    rule_close(&r);
}

/* ---- on a machine: 32 threads on 16 lanes ---- */

static const char region[] = "%s@%%p1 bra JOIN;\n"
                             "mov.u32 %%r2, 1; // a\n"
                             "mov.u32 %%r3, 2; // b\n"
                             "mov.u32 %%r4, 3; // c\n"
                             "JOIN: mov.u32 %%r5, 4; // d\n";

static uint64_t cycles_of(const char *mechanism, const char *condition, unsigned spacing)
{
    char body[512];
    struct timing t;
    snprintf(body, sizeof body, region, condition);
    timing_open(&t, &(struct timing_case){.body = body, .mechanism = mechanism}, "sm.simd_width=16");
    assert_int_equal(between(&t, "a", "b"), spacing);
    assert_int_equal(between(&t, "c", "d"), spacing);
    assert_int_equal(between(&t, "d", "ret"), 1); /* another unit */
    uint64_t cycles = t.result.cycles;
    timing_close(&t);
    return cycles;
}

/* Three instructions of half a warp: each takes one pass instead of two where the half can be had in one. */
static void test_cycles(void **state)
{
    (void)state;
    static const char half[] = "setp.ge.u32 %p1, %t, 16;\n";
    static const char odd[] = "and.b32 %r1, %t, 1;\nsetp.eq.u32 %p1, %r1, 0;\n";
    uint64_t plain = cycles_of("pdom", half, 2);
    assert_int_equal(cycles_of("bcc", half, 1), plain - 3);
    assert_int_equal(cycles_of("scc", half, 1), plain - 3);
    plain = cycles_of("pdom", odd, 2);
    assert_int_equal(cycles_of("bcc", odd, 2), plain);
    assert_int_equal(cycles_of("scc", odd, 1), plain - 3);
}

/* Threads that a guard turns off need no pass. The guard counts as it is before the instruction, which may overwrite
 * it. */
static void test_guards(void **state)
{
    (void)state;
    static const char body[] = "setp.ge.u32 %p1, %t, 0;\n"
                               "@%p1 setp.lt.u32 %p1, %t, 16; // whole\n"
                               "mov.u32 %r5, 4; // next\n"
                               "@%p1 mov.u32 %r2, 1; // a\n"
                               "@%p1 mov.u32 %r3, 2; // b\n"
                               "@!%p1 mov.u32 %r4, 3; // c\n"
                               "mov.u32 %r5, 4; // d\n"
                               "and.b32 %r6, %t, 1;\nsetp.eq.u32 %p2, %r6, 0;\n"
                               "@%p2 mov.u32 %r2, 1; // e\n"
                               "@%p2 mov.u32 %r3, 2; // f\n";
    static const struct {
        const char *mechanism;
        unsigned half, odd;
    } cases[] = {{"pdom", 2, 2}, {"bcc", 1, 2}, {"scc", 1, 1}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        struct timing t;
        timing_open(&t, &(struct timing_case){.body = body, .mechanism = cases[i].mechanism}, "sm.simd_width=16");
        assert_int_equal(between(&t, "whole", "next"), 2);
        assert_int_equal(between(&t, "a", "b"), cases[i].half);
        assert_int_equal(between(&t, "b", "c"), cases[i].half);
        assert_int_equal(between(&t, "c", "d"), cases[i].half);
        assert_int_equal(between(&t, "e", "f"), cases[i].odd);
        timing_close(&t);
    }
}

/* Shared memory through the same narrow datapath is not compacted. */
static void test_loads_take_what_they_did(void **state)
{
    (void)state;
    static const char body[] = "setp.ge.u32 %p1, %t, 16;\n@%p1 bra JOIN;\n"
                               "ld.shared.u32 %r2, [sh]; // a\n"
                               "ld.shared.u32 %r3, [sh]; // b\n"
                               "JOIN: mov.u32 %r5, 4; // d\n";
    for (int i = 0; i < 2; i++) {
        struct timing t;
        timing_open(&t, &(struct timing_case){.body = body, .mechanism = i ? "bcc" : "pdom"}, "sm.simd_width=16");
        assert_int_equal(between(&t, "a", "b"), 2);
        timing_close(&t);
    }
}

/* ---- Stall and Bypass at branches (Zhang et al., section 4.2.1) ---- */

static uint64_t counter_of(const struct timing *t, const char *mechanism, const char *name)
{
    char path[64];
    _Bool found = 0;
    snprintf(path, sizeof path, "%s.%s", mechanism, name);
    uint64_t value = stat_get(&(struct stat_result){t->result.parts, t->result.part_count}, path, &found);
    assert_true(found);
    return value;
}

static double figure(const struct timing *t, const char *name)
{
    struct stat_result r = {t->result.parts, t->result.part_count};
    for (int i = 0; i < gpu_formula_count; i++)
        if (!strcmp(gpu_formulas[i].name, name))
            return gpu_formulas[i].value(&r);
    fail_msg("no figure is named %s", name);
    return 0;
}

/* Eight branches of one warp of 32 threads on 16 lanes, that is of two passes: what each path takes under bcc, scc. */
static const char eight_branches[] =
    "and.b32 %r1, %t, 1;\nsetp.eq.u32 %p3, %r1, 0;\n"
    "setp.ge.u32 %p0, %t, 16;\n@%p0 bra J1;\nmov.u32 %r2, 1;\nJ1: mov.u32 %r2, 1;\n" /* 16 of a half: 1, 1 */
    "setp.ge.u32 %p0, %t, 24;\n@%p0 bra J2;\nmov.u32 %r2, 1;\nJ2: mov.u32 %r2, 1;\n" /* 24: 2, 2 */
    "@%p3 bra J3;\nmov.u32 %r2, 1;\nJ3: mov.u32 %r2, 1;\n"                           /* 16 odd ones: 2, 1 */
    "setp.ge.u32 %p0, %t, 32;\n@%p0 bra J4;\nmov.u32 %r2, 1;\nJ4: mov.u32 %r2, 1;\n" /* does not diverge */
    "setp.lt.u32 %p0, %t, 8;\n@%p0 bra L5;\nmov.u32 %r2, 1;\nbra.uni J5;\n"          /* 24 and 8: 2, 2 and 1, 1 */
    "L5: mov.u32 %r2, 1;\nJ5: mov.u32 %r2, 1;\n"
    "setp.ge.u32 %p0, %t, 4;\n@%p0 bra J6;\n"  /* 4: 1, 1 */
    "setp.ge.u32 %p1, %t, 32;\n@%p1 bra J6;\n" /* only these 4, which do not diverge */
    "mov.u32 %r2, 1;\nJ6: mov.u32 %r2, 1;\n"
    "@%p3 bra L8;\nmov.u32 %r2, 1;\nbra.uni J8;\n" /* 16 odd and 16 even ones: 2, 1 each */
    "L8: mov.u32 %r2, 1;\nJ8: mov.u32 %r2, 1;\n";

static void expect_validity(const char *mechanism, unsigned lanes, unsigned right, unsigned skipped, unsigned needless)
{
    struct timing t;
    timing_open(&t, &(struct timing_case){.body = eight_branches, .mechanism = mechanism}, "sm.simd_width=%u", lanes);
    assert_int_equal(counter_of(&t, mechanism, "stall_stall"), right);
    assert_int_equal(counter_of(&t, mechanism, "bypass_bypass"), skipped);
    assert_int_equal(counter_of(&t, mechanism, "stall_bypass"), needless);
    assert_int_equal(counter_of(&t, "sm", "branches"), right + skipped + needless);
    assert_true(figure(&t, "compaction_accuracy") == (right + skipped) / 8.);
    assert_true(figure(&t, "compaction_accuracy_all") == (right + skipped) / 8.);
    assert_true(figure(&t, "bypass_accuracy") == (needless + skipped) / 8.);
    timing_close(&t);
}

static void test_validity_of_compaction(void **state)
{
    (void)state;
    expect_validity("bcc", 16, 3, 0, 5);
    expect_validity("scc", 16, 5, 0, 3);
    expect_validity("scc", 32, 0, 8, 0);
}

/* Where no warp diverges, every compaction is useless (claim S12). */
static void test_validity_without_divergence(void **state)
{
    (void)state;
    static const char body[] = "setp.ge.u32 %p0, %t, 32;\n@%p0 bra J1;\nmov.u32 %r2, 1;\nJ1: mov.u32 %r2, 1;\n"
                               "setp.lt.u32 %p1, %t, 32;\n@%p1 bra J2;\nmov.u32 %r2, 1;\nJ2: mov.u32 %r2, 1;\n";
    struct timing t;
    timing_open(&t, &(struct timing_case){.body = body, .mechanism = "scc"}, "sm.simd_width=16");
    assert_int_equal(counter_of(&t, "scc", "stall_bypass"), 2);
    assert_true(figure(&t, "compaction_accuracy") == 0);
    timing_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_mask),
        cmocka_unit_test(test_wide_and_narrow),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_swizzle_takes_time),
        cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_guards),
        cmocka_unit_test(test_loads_take_what_they_did),
        cmocka_unit_test(test_validity_of_compaction),
        cmocka_unit_test(test_validity_without_divergence),
    };
    return cmocka_run_group_tests_name("bcc", tests, NULL, NULL);
}
