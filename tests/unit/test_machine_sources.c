/*
 * The built-in machines to the cycle, where a machine's value was counted in the source of a simulator. What is
 * counted, and in which function, stands in docs/sources/machines.md. Each test runs a few instructions on the machine
 * as it is.
 */
#include "timing_bench.h"

/* ---- fx5800: GPGPU-Sim 2.1.1b ---- */

/* Execute, one stage before memory, memory, writeback: four cycles of 325 MHz, each four of 1300 MHz. */
enum { FX5800_ISSUE_TO_ISSUE = 4 * 4 };

/* One instruction of a warp is in flight, and every instruction passes the same stages, a load that hits included. */
static void test_fx5800_issues_again_after_the_pipeline(void **state)
{
    (void)state;
    const struct timing_case c = {.machine = "fx5800",
                                  .body = "ld.global.u32 %r1, [%base];\n"
                                          "add.u32 %r2, %t, 1; // int\n"
                                          "mul.lo.u32 %r3, %t, 3; // imul\n"
                                          "div.rn.f32 %f1, %f2, %f3; // fdiv\n"
                                          "ld.global.u32 %r4, [%base]; // l1\n"
                                          "st.global.u32 [%base], %r4; // store\n"
                                          "bra.uni NEXT; // branch\n"
                                          "NEXT: st.shared.u32 [sh], %r4; // shared\n"
                                          "mov.u32 %r5, 1; // end\n"};
    static const char *const names[] = {"int", "imul", "fdiv", "l1", "store", "branch", "shared", "end"};
    struct timing t;
    timing_open(&t, &c, " ");
    for (size_t i = 0; i + 1 < COUNTOF(names); i++)
        assert_int_equal(between(&t, names[i], names[i + 1]), FX5800_ISSUE_TO_ISSUE);
    timing_close(&t);
}

/* ---- fermi: GPGPU-Sim 3 ---- */

enum { FERMI_CYCLE = 2 }; /* a cycle of 700 MHz */

/* The branch flushes the buffer one cycle after its issue, and its target is fetched in that cycle, decoded in the next
 * and issued in the one after. */
static void test_fermi_resolves_branches_at_issue(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "bra L; // branch\nmov.u32 %r2, 1;\nL: mov.u32 %r1, 1; // next\n",
        "setp.eq.u32 %p1, %t, %t;\n@%p1 bra L; // branch\nmov.u32 %r2, 1;\nL: mov.u32 %r1, 1; // next\n",
    };
    for (size_t i = 0; i < COUNTOF(bodies); i++) {
        struct timing t;
        timing_open(&t, &(struct timing_case){.machine = "fermi", .body = bodies[i]}, " ");
        assert_int_equal(between(&t, "branch", "next"), 3 * FERMI_CYCLE);
        timing_close(&t);
    }
}

/* The last warp's arrival opens the barrier at its issue, and it may go on in the next cycle. */
static void test_fermi_opens_barriers_at_issue(void **state)
{
    (void)state;
    const struct timing_case c = {.machine = "fermi", .body = "bar.sync 0; // barrier\nmov.u32 %r1, 1; // next\n"};
    struct timing t;
    timing_open(&t, &c, " ");
    assert_int_equal(between(&t, "barrier", "next"), FERMI_CYCLE);
    timing_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fx5800_issues_again_after_the_pipeline),
        cmocka_unit_test(test_fermi_resolves_branches_at_issue),
        cmocka_unit_test(test_fermi_opens_barriers_at_issue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
