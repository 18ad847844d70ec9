/* Static classes of branches: one hand-made kernel per class, and kernels that come close to another class. */
#include "flow/interleave.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD         ".version 7.0\n.target sm_75\n.address_size 64\n"
#define REGS         ".reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n"
#define KERNEL(body) HEAD ".visible .entry k(.param .u64 k_a) {\n" REGS GUARDS body "\n}\n"
/* %p0 and %p1 differ between threads; %p2 is the same for all threads. */
#define GUARDS                                                                 \
    "mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 0; setp.lt.u32 %p1, %r0, 7;\n" \
    "mov.u32 %r1, %ctaid.x; setp.eq.u32 %p2, %r1, 0;\n"
#define WORK "add.u32 %r2, %r2, 1;\n"

/* Classes of the program's branches, in the order of the text. */
static void expect(const char *text, int count, const enum interleave *classes)
{
    struct diag diag = {0};
    char *error = NULL;
    int counts[INTERLEAVE_COUNT], interleavable = 0;
    struct ptx_module *module = ptx_parse("test.ptx", text, strlen(text), &diag);
    if (!module)
        diag_print(&diag, stderr);
    diag_free(&diag);
    assert_non_null(module);
    struct program *p = program_create(ptx_find_function(module, "k"), &error);
    if (!p)
        fail_msg("%s", error);
    assert_int_equal(p->branch_count, count);
    for (int i = 0; i < count; i++) {
        assert_string_equal(interleave_name(interleave_of(p, &p->branches[i])), interleave_name(classes[i]));
        interleavable += interleave_is(classes[i]);
    }
    assert_int_equal(interleave_count(p, counts), interleavable);
    program_destroy(p);
    ptx_destroy(module);
}

#define EXPECT(text, ...)                                        \
    do {                                                         \
        const enum interleave classes[] = {__VA_ARGS__};         \
        expect(text, sizeof classes / sizeof *classes, classes); \
    } while (0)

/* HPCA 2013, section 6.1: the branch of LUD, with code on both sides. */
static void an_if_with_an_else_is_interleavable(void **state)
{
    (void)state;
    EXPECT(KERNEL("@%p0 bra C;\n" WORK "bra D;\nC:" WORK "D:" WORK "ret;"), INTERLEAVE_IF_ELSE);
    assert_true(interleave_is(INTERLEAVE_IF_ELSE));
}

/* The same section: the branches of BFS, an if within an if, neither with an else. */
static void an_if_without_an_else_is_not(void **state)
{
    (void)state;
    EXPECT(KERNEL("@%p0 bra E;\n" WORK "@%p1 bra D;\n" WORK "D:" WORK "E:" WORK "ret;"), INTERLEAVE_IF, INTERLEAVE_IF);
    assert_false(interleave_is(INTERLEAVE_IF));
}

static void a_side_of_jumps_alone_has_no_code(void **state)
{
    (void)state;
    EXPECT(KERNEL("@%p0 bra C;\nbra X;\nC:" WORK "D:" WORK "ret;\nX: bra D;"), INTERLEAVE_IF);
    EXPECT(KERNEL("@%p0 bra C;\nbra X;\nC:" WORK "D:" WORK "ret;\nX:" WORK "bra D;"), INTERLEAVE_IF_ELSE);
    EXPECT(KERNEL("@%p0 bra X;\n" WORK "D:" WORK "ret;\nX: @%p1 bra D;\n" WORK "bra D;"), INTERLEAVE_IF_ELSE,
           INTERLEAVE_IF);
}

/* Threads that only jump in a circle never reconverge, and the search for their code ends. */
static void a_jump_in_a_circle_is_code(void **state)
{
    (void)state;
    EXPECT(KERNEL("@%p0 bra X;\n" WORK "@%p1 bra X;\n" WORK "ret;\nX: bra Y;\nY: bra X;"), INTERLEAVE_IF,
           INTERLEAVE_IF);
    EXPECT(KERNEL("@%p0 bra X;\nbra V;\nV: bra W;\nW: bra V;\nX: bra Y;\nY: bra X;"), INTERLEAVE_IF_ELSE);
}

static void a_loop_is_not_interleavable(void **state)
{
    (void)state;
    EXPECT(KERNEL("L:" WORK "setp.lt.u32 %p3, %r2, %r0;\n@%p3 bra L;\n" WORK "ret;"), INTERLEAVE_LOOP_EXIT);
    EXPECT(KERNEL("L: @%p0 bra E;\n" WORK "bra L;\nE:" WORK "ret;"), INTERLEAVE_LOOP_EXIT);
    /* a continue is an if: both sides stay in the loop */
    EXPECT(KERNEL("L: @%p0 bra N;\n" WORK "N: add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p3, %r3, %r0;\n@%p3 bra L;\n" WORK
                  "ret;"),
           INTERLEAVE_IF, INTERLEAVE_LOOP_EXIT);
}

/* Threads that break run their code while the others go round again. */
static void a_break_with_code_of_its_own_leaves_the_loop(void **state)
{
    (void)state;
    EXPECT(KERNEL("L: @%p0 bra B;\n" WORK "setp.lt.u32 %p3, %r2, %r0;\n@%p3 bra L;\n" WORK "bra E;\nB:" WORK "E:" WORK
                  "ret;"),
           INTERLEAVE_LEAVE, INTERLEAVE_LEAVE);
}

static void threads_that_end_at_once_are_no_path(void **state)
{
    (void)state;
    EXPECT(KERNEL("@%p0 ret;\n" WORK "ret;"), INTERLEAVE_END);
    EXPECT(KERNEL("@%p0 exit;\n" WORK "ret;"), INTERLEAVE_END);
    EXPECT(KERNEL("@%p0 bra X;\n" WORK "@%p1 bra D;\n" WORK "D:" WORK "ret;\nX: exit;"), INTERLEAVE_END, INTERLEAVE_IF);
}

static void a_branch_that_does_not_diverge_is_not_interleavable(void **state)
{
    (void)state;
    EXPECT(KERNEL("@%p2 bra C;\n" WORK "bra D;\nC:" WORK "D:" WORK "ret;"), INTERLEAVE_UNIFORM);
    EXPECT(KERNEL("@%p0 bra.uni C;\n" WORK "bra D;\nC:" WORK "D:" WORK "ret;"), INTERLEAVE_PROMISED);
}

#define TABLE "T: .branchtargets X, Y, D;\nand.b32 %r4, %r0, 3;\nmin.u32 %r4, %r4, 2;\nbrx.idx %r4, T;\n"
static void a_switch_is_interleavable_if_two_sides_have_code(void **state)
{
    (void)state;
    EXPECT(KERNEL(TABLE "X:" WORK "bra D;\nY:" WORK "D:" WORK "ret;"), INTERLEAVE_SWITCH);
    EXPECT(KERNEL(TABLE "X:" WORK "bra D;\nY: bra D;\nD:" WORK "ret;"), INTERLEAVE_IF);
}

#define FUNCTION(name, body) ".func " name "()\n{\n" REGS body "\n}\n"
#define CALLER(call)         ".visible .entry k(.param .u64 k_a) {\n" REGS GUARDS call WORK "ret;\n}\n"
static void a_call_is_interleavable_if_it_may_enter_two_functions(void **state)
{
    (void)state;
    EXPECT(HEAD FUNCTION("f", WORK "ret;") FUNCTION("g", WORK "ret;")
               CALLER("mov.u64 %rd0, f;\n@%p0 mov.u64 %rd0, g;\nP: .callprototype ()_ ();\ncall %rd0, (), P;\n"),
           INTERLEAVE_CALLS);
    EXPECT(HEAD FUNCTION("f", WORK "ret;") CALLER("@%p0 call f;\n"), INTERLEAVE_IF);
    /* a function that only returns has no code, and one of its sides that only returns reconverges with the other */
    EXPECT(HEAD FUNCTION("f", WORK "ret;") FUNCTION("g", "ret;")
               CALLER("mov.u64 %rd0, f;\n@%p0 mov.u64 %rd0, g;\nP: .callprototype ()_ ();\ncall %rd0, (), P;\n"),
           INTERLEAVE_IF);
    EXPECT(HEAD FUNCTION("f", "mov.u32 %r0, %tid.x;\nsetp.eq.u32 %p0, %r0, 0;\n@%p0 bra X;\n" WORK "X: ret;")
               CALLER("call f;\n"),
           INTERLEAVE_IF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_if_with_an_else_is_interleavable),
        cmocka_unit_test(an_if_without_an_else_is_not),
        cmocka_unit_test(a_side_of_jumps_alone_has_no_code),
        cmocka_unit_test(a_jump_in_a_circle_is_code),
        cmocka_unit_test(a_loop_is_not_interleavable),
        cmocka_unit_test(a_break_with_code_of_its_own_leaves_the_loop),
        cmocka_unit_test(threads_that_end_at_once_are_no_path),
        cmocka_unit_test(a_branch_that_does_not_diverge_is_not_interleavable),
        cmocka_unit_test(a_switch_is_interleavable_if_two_sides_have_code),
        cmocka_unit_test(a_call_is_interleavable_if_it_may_enter_two_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
