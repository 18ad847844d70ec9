/* Where lowered programs have convergence barriers, and which threads cancel them. */
#include "lower/lower.h"
#include "ptx/parse.h"
#include "recon/place_barriers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD                                          \
    ".version 8.0\n.target sm_90\n.address_size 64\n" \
    ".visible .entry k(.param .u64 a)\n{\n.reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 %rd<9>;\n"
#define ADD  "mad.lo.s32 %r1, %r1, %r2, %r3;\n"
#define ADD4 ADD ADD ADD ADD

/* Operations of a kind in the plan of a lowered program. */
static int operations(const char *body, enum barrier_kind kind)
{
    struct text all = {0};
    struct diag diag = {0};
    text_printf(&all, "%s%sst.shared.u32 [%%r4+8], %%r1;\nret;\n}\n", HEAD, body);
    struct ptx_module *m = ptx_parse("test.ptx", all.data, all.length, &diag);
    assert_non_null(m);
    diag_free(&diag);
    text_free(&all);
    lower_module(m);
    char *error = NULL;
    struct program *p = program_create(m->functions[0], &error);
    if (!p)
        fail_msg("%s", error);
    struct barrier_plan *plan = barriers_place(p);
    int count = 0;
    for (int i = 0; i < plan->entries.count; i++)
        count += plan->entries.data[i].op.kind == kind;
    barrier_plan_destroy(plan);
    program_destroy(p);
    ptx_destroy(m);
    return count;
}

#define DIFFER "mov.u32 %r1,%tid.x; setp.gt.s32 %p1,%r1,3;\n"
#define NEXT   "mad.lo.s32 %r1,%r1,%r1,%r1; setp.gt.s32 %p2,%r1,7;\n"

static void test_no_barrier_before_the_end(void **state)
{
    (void)state;
    assert_int_equal(operations(DIFFER "@%p1 bra L;\n" ADD4 ADD4 ADD "L:\n", BARRIER_WAIT), 1);
    assert_int_equal(operations(DIFFER "@%p1 bra L;\n" ADD4 ADD4 ADD "L:\nret;\n", BARRIER_WAIT), 0);
    assert_int_equal(operations(DIFFER "P:\n" NEXT "@%p2 bra P;\nret;\n", BARRIER_WAIT), 0);
}

static void test_threads_that_leave_two_loops_cancel(void **state)
{
    (void)state;
    static const char body[] = DIFFER "P:\n" ADD "Q:\n" NEXT "@%p2 bra D;\nsetp.lt.s32 %p3,%r1,5;\n@%p3 bra Q;\n"
                                      "setp.lt.s32 %p4,%r1,9;\n@%p4 bra P;\nD:\n";
    assert_int_equal(operations(body, BARRIER_WAIT), 2); /* behind the inner loop, and behind the outer */
    assert_int_equal(operations(body, BARRIER_CANCEL), 1);
}

static void test_threads_that_break_cancel(void **state)
{
    (void)state;
    static const char body[] =
        DIFFER "P:\n" NEXT "@%p2 bra L;\n" ADD4 ADD4 ADD "setp.eq.s32 %p3,%r1,5;\n@%p3 bra D;\n" ADD4 ADD4 ADD
               "L:\nsetp.lt.s32 %p4,%r1,9;\n@%p4 bra P;\nD:\n";
    assert_int_equal(operations(body, BARRIER_WAIT), 2); /* at L, and behind the loop */
    assert_int_equal(operations(body, BARRIER_CANCEL), 1);
}

/* A function that threads may leave in the middle of a loop by a guarded `ret`, without an edge to cancel on: its
 * barriers stay at post-dominators, and the plan is sound. */
static void test_guarded_return_in_a_loop(void **state)
{
    (void)state;
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n.func f()\n{\n.reg .pred %p<5>; .reg .b32 %r<5>;\n"
        "mov.u32 %r1,%tid.x;\nP:\nadd.u32 %r1,%r1,1; setp.gt.u32 %p1,%r1,9;\n@%p1 bra L;\nbar.warp.sync -1;\nL:\n"
        "setp.eq.u32 %p2,%r1,5;\n@%p2 ret;\nsetp.lt.u32 %p3,%r1,99;\n@%p3 bra P;\nret;\n}\n"
        ".visible .entry k()\n{\ncall f;\nret;\n}\n";
    struct diag diag = {0};
    struct ptx_module *m = ptx_parse("test.ptx", text, strlen(text), &diag);
    assert_non_null(m);
    lower_module(m);
    char *error = NULL;
    struct program *p = program_create(ptx_find_function(m, "k"), &error);
    assert_non_null(p);
    struct barrier_plan *plan = barriers_place(p); /* panics if the plan is not sound */
    if (!barrier_check(plan, &error))
        fail_msg("%s", error);
    barrier_plan_destroy(plan);
    program_destroy(p);
    ptx_destroy(m);
    diag_free(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_barrier_before_the_end),
        cmocka_unit_test(test_threads_that_leave_two_loops_cancel),
        cmocka_unit_test(test_threads_that_break_cancel),
        cmocka_unit_test(test_guarded_return_in_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
