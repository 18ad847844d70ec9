/*
 * Lowering: which branches become guards, and what the guards are.
 * tests/validate/ptxas holds the rule against ptxas itself, and replays hold that lowered programs leave the same memory.
 */
#include "base/text.h"
#include "lower/lower.h"
#include "ptx/parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD                                                                         \
    ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 4 .b8 sh[256];\n" \
    ".visible .entry k(.param .u64 a)\n{\n.reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 %rd<9>;\n"
#define ADD  "mad.lo.s32 %r1, %r1, %r2, %r3;\n"
#define ADD4 ADD ADD ADD ADD
#define ST   "st.shared.u32 [%r4], %r1;\n"

static struct ptx_module *parse(const char *body)
{
    struct text all = {0};
    struct diag diag = {0};
    text_printf(&all, "%s%sst.shared.u32 [%%r4+8], %%r1;\nret;\n}\n", HEAD, body);
    struct ptx_module *m = ptx_parse("test.ptx", all.data, all.length, &diag);
    if (!m)
        diag_print(&diag, stderr);
    diag_free(&diag);
    text_free(&all);
    assert_non_null(m);
    return m;
}

static struct ptx_module *lower(const char *body)
{
    struct ptx_module *m = parse(body);
    lower_module(m);
    assert_true(m->is_lowered);
    return m;
}

/* Compares the lowered body, without the store and the return behind it, to a text of instructions. */
static void becomes(const char *body, const char *expected)
{
    struct ptx_module *m = lower(body);
    const struct ptx_function *f = m->functions[0];
    struct text out = {0};
    for (int i = 0; i < f->instruction_count - 2; i++) {
        ptx_print_instruction(f, &f->instructions[i], &out);
        text_printf(&out, ";\n");
    }
    assert_string_equal(out.data ? out.data : "", expected);
    text_free(&out);
    /* What is printed is PTX, and says the same. */
    struct diag diag = {0};
    struct text printed = {0}, difference = {0};
    ptx_print(m, &printed);
    struct ptx_module *again = ptx_parse("printed.ptx", printed.data, printed.length, &diag);
    assert_non_null(again);
    if (!ptx_equal(m, again, &difference))
        fail_msg("%s", difference.data);
    ptx_destroy(again);
    diag_free(&diag);
    text_free(&printed);
    text_free(&difference);
    ptx_destroy(m);
}

/* Guarded branches that are left. */
static int branches_of(const char *body)
{
    struct ptx_module *m = lower(body);
    int count = 0;
    for (int i = 0; i < m->functions[0]->instruction_count; i++) {
        const struct ptx_instruction *insn = &m->functions[0]->instructions[i];
        count += insn->op == OP_BRA && insn->guard >= 0;
    }
    ptx_destroy(m);
    return count;
}

static void test_short_block_gets_guards(void **state)
{
    (void)state;
    becomes("@%p1 bra L;\n" ST "L:\n", "@!%p1 st.shared.u32 [%r4], %r1;\n");
    becomes("@!%p1 bra L;\n" ST "L:\n", "@%p1 st.shared.u32 [%r4], %r1;\n");
    becomes("@%p1 bra L;\nL:\n", "");
}

static void test_eight_instructions_and_no_more(void **state)
{
    (void)state;
    assert_int_equal(branches_of("@%p1 bra L;\n" ADD4 ADD4 "L:\n"), 0);
    assert_int_equal(branches_of("@%p1 bra L;\n" ADD4 ADD4 ADD "L:\n"), 1);
    assert_int_equal(branches_of("@%p1 bra.uni L;\n" ADD4 ADD ADD "L:\n"), 0);
    assert_int_equal(branches_of("@%p1 bra.uni L;\n" ADD4 ADD ADD ADD "L:\n"), 1);
}

static void test_weights(void **state)
{
    (void)state;
    /* One instruction: a product and its sum; two sums; an offset costs nothing. */
    assert_int_equal(branches_of("@%p1 bra L;\nshl.b32 %r5,%r2,2; add.s32 %r1,%r5,%r3;\n" ADD4 ADD ADD ADD "L:\n"), 0);
    assert_int_equal(branches_of("@%p1 bra L;\nadd.s32 %r5,%r2,%r1; add.s32 %r1,%r5,%r3;\n" ADD4 ADD ADD ADD "L:\n"),
                     0);
    assert_int_equal(branches_of("@%p1 bra L;\nadd.s32 %r5,%r4,4; st.shared.u32 [%r5],%r1;\n" ADD4 ADD ADD ADD "L:\n"),
                     0);
    /* Widening an unsigned integer costs nothing. */
    assert_int_equal(branches_of("@%p1 bra L;\ncvt.u64.u32 %rd1,%r2;\n" ADD4 ADD4 "L:\n"), 0);
    /* A sum of 64 bits takes two. */
    assert_int_equal(branches_of("@%p1 bra L;\nadd.s64 %rd1,%rd2,%rd3;\n" ADD4 ADD ADD "L:\n"), 0);
    assert_int_equal(branches_of("@%p1 bra L;\nadd.s64 %rd1,%rd2,%rd3;\n" ADD4 ADD ADD ADD "L:\n"), 1);
}

static void test_forbidden(void **state)
{
    (void)state;
    static const char *const instructions[] = {"red.shared.add.u32 [%r4],1;",
                                               "membar.gl;",
                                               "bar.sync 0;",
                                               "bar.warp.sync -1;",
                                               "shfl.sync.bfly.b32 %r1,%r1,1,31,-1;",
                                               "div.u32 %r1,%r1,%r2;",
                                               "clz.b32 %r1,%r1;",
                                               "mov.u32 %r1,%clock;",
                                               "nanosleep.u32 %r1;"};
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++) {
        struct text body = {0};
        text_printf(&body, "@%%p1 bra L;\n%s\nL:\n", instructions[i]);
        assert_int_equal(branches_of(body.data), 1);
        text_free(&body);
    }
}

static void test_if_else(void **state)
{
    (void)state;
    becomes("@%p1 bra L;\n" ST "bra.uni M;\nL:\n" ADD "M:\n",
            "@!%p1 st.shared.u32 [%r4], %r1;\n@%p1 mad.lo.s32 %r1, %r1, %r2, %r3;\n");
    /* The second side is too long: the first side's branch keeps its guard, and is no longer promised uniform. */
    becomes("@%p1 bra L;\n" ST "bra.uni M;\nL:\n" ADD4 ADD4 ADD "M:\n",
            "@!%p1 st.shared.u32 [%r4], %r1;\n@!%p1 bra M;\n"
            "mad.lo.s32 %r1, %r1, %r2, %r3;\nmad.lo.s32 %r1, %r1, %r2, %r3;\nmad.lo.s32 %r1, %r1, %r2, %r3;\n"
            "mad.lo.s32 %r1, %r1, %r2, %r3;\nmad.lo.s32 %r1, %r1, %r2, %r3;\nmad.lo.s32 %r1, %r1, %r2, %r3;\n"
            "mad.lo.s32 %r1, %r1, %r2, %r3;\nmad.lo.s32 %r1, %r1, %r2, %r3;\nmad.lo.s32 %r1, %r1, %r2, %r3;\n");
}

static void test_guard_that_the_block_writes(void **state)
{
    (void)state;
    assert_int_equal(branches_of("@%p1 bra L;\nsetp.eq.s32 %p1,%r1,0;\n" ST "L:\n"), 1);
}

static void test_one_level(void **state)
{
    (void)state;
    becomes("@%p1 bra L;\n" ADD "@%p2 bra M;\n" ST "M:\n" ADD "L:\n",
            "@%p1 bra L;\nmad.lo.s32 %r1, %r1, %r2, %r3;\n@!%p2 st.shared.u32 [%r4], %r1;\n"
            "mad.lo.s32 %r1, %r1, %r2, %r3;\n");
}

static void test_two_tests(void **state)
{
    (void)state;
    becomes("@%p1 bra L;\n@%p2 bra L;\n" ST "L:\n",
            "or.pred %lowered1, %p1, %p2;\n@!%lowered1 st.shared.u32 [%r4], %r1;\n");
    becomes("@!%p1 bra L;\n@!%p2 bra L;\n" ST "L:\n",
            "and.pred %lowered1, %p1, %p2;\n@%lowered1 st.shared.u32 [%r4], %r1;\n");
    becomes("@!%p1 bra L;\n@%p2 bra L;\n" ST "L:\n", "not.pred %lowered1, %p1;\nor.pred %lowered2, %lowered1, %p2;\n"
                                                     "@!%lowered2 st.shared.u32 [%r4], %r1;\n");
    becomes("@%p1 bra L;\nsetp.eq.s32 %p2,%r1,0;\n@%p2 bra L;\n" ST "L:\n",
            "@!%p1 setp.eq.s32 %p2, %r1, 0;\nor.pred %lowered1, %p1, %p2;\n@!%lowered1 st.shared.u32 [%r4], %r1;\n");
    /* One branch is left where the block is too long. */
    becomes("@%p1 bra L;\nsetp.eq.s32 %p2,%r1,0;\n@%p2 bra L;\nbar.sync 0;\nL:\n",
            "@!%p1 setp.eq.s32 %p2, %r1, 0;\nor.pred %lowered1, %p1, %p2;\n@%lowered1 bra L;\nbar.sync 0;\n");
    /* What is computed between the tests is needed later. */
    assert_int_equal(branches_of("@%p1 bra L;\n" ADD "setp.eq.s32 %p2,%r1,0;\n@%p2 bra L;\n" ST "L:\n"), 1);
}

static void test_loads_must_be_hidden(void **state)
{
    (void)state;
    /* All that follows needs the load. */
    assert_int_equal(branches_of("@%p1 bra L;\nld.global.u32 %r5,[%rd1]; add.s32 %r1,%r1,%r5;\nL:\n"), 1);
    /* The sum behind the block does not; and then more than eight instructions may be predicated. */
    assert_int_equal(branches_of("@%p1 bra L;\nld.global.u32 %r5,[%rd1]; add.s32 %r1,%r1,%r5;\n" ADD4 ADD4 ADD4
                                 "L:\nadd.s32 %r6,%r2,%r3;\n"),
                     0);
    /* Nor does a load ahead of the branch. */
    assert_int_equal(branches_of("ld.global.u32 %r7,[%rd2];\n@%p1 bra L;\nld.global.u32 %r5,[%rd1];\n"
                                 "add.s32 %r1,%r1,%r5;\nL:\nadd.s32 %r1,%r1,%r7;\n"),
                     0);
    /* The guard waits for that load. */
    assert_int_equal(branches_of("ld.global.u32 %r7,[%rd2];\nsetp.eq.s32 %p1,%r7,0;\n@%p1 bra L;\n"
                                 "ld.global.u32 %r5,[%rd1];\nadd.s32 %r1,%r1,%r5;\nL:\n"),
                     1);
}

static void test_loops(void **state)
{
    (void)state;
    /* A block that leaves its loop stays behind a branch. */
    assert_int_equal(
        branches_of("P:\n" ADD "@%p1 bra L;\n" ST "bra O;\nL:\nsetp.lt.s32 %p2,%r1,%r2;\n@%p2 bra P;\nO:\n"), 2);
    /* A backward branch is none over a block. */
    assert_int_equal(branches_of("P:\n" ADD "@%p1 bra P;\n"), 1);
}

static void test_returns(void **state)
{
    (void)state;
    becomes("@%p1 bra L;\n" ST "bra E;\nL:\n" ADD4 ADD4 ADD "ret;\nE:\nret;\n",
            "@!%p1 st.shared.u32 [%r4], %r1;\n@!%p1 ret;\n"
            "mad.lo.s32 %r1, %r1, %r2, %r3;\nmad.lo.s32 %r1, %r1, %r2, %r3;\nmad.lo.s32 %r1, %r1, %r2, %r3;\n"
            "mad.lo.s32 %r1, %r1, %r2, %r3;\nmad.lo.s32 %r1, %r1, %r2, %r3;\nmad.lo.s32 %r1, %r1, %r2, %r3;\n"
            "mad.lo.s32 %r1, %r1, %r2, %r3;\nmad.lo.s32 %r1, %r1, %r2, %r3;\nmad.lo.s32 %r1, %r1, %r2, %r3;\n"
            "ret;\nret;\n");
}

static void test_layout(void **state)
{
    (void)state;
    /* The second side comes first, so that its branch to Z jumps over the first side, too. */
    becomes("@%p1 bra X;\nbra Y;\nX:\nbar.sync 1;\nbra Z;\nY:\n@%p2 bra Z;\n" ST "Z:\n",
            "@%p1 bra X;\n@%p2 bra Z;\nst.shared.u32 [%r4], %r1;\nbra Z;\nbar.sync 1;\n");
    /* Both sides of the inner choice are predicated, though its join lies behind the outer choice's first side. */
    becomes("@%p1 bra X;\nbra Y;\nX:\nbar.sync 1;\nbra Z;\nY:\n@%p2 bra W;\n" ST "bra Z;\nW:\n" ADD "Z:\n",
            "@%p1 bra X;\n@!%p2 st.shared.u32 [%r4], %r1;\n@%p2 mad.lo.s32 %r1, %r1, %r2, %r3;\nbra Z;\nbar.sync 1;\n");
}

static void test_lines_stay(void **state)
{
    (void)state;
    struct ptx_module *plain = parse("@%p1 bra L;\n" ST "L:\n" ADD), *m = lower("@%p1 bra L;\n" ST "L:\n" ADD);
    for (int i = 0; i < m->functions[0]->instruction_count; i++)
        assert_int_equal(m->functions[0]->instructions[i].line, plain->functions[0]->instructions[i + 1].line);
    ptx_destroy(plain);
    ptx_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_block_gets_guards),
        cmocka_unit_test(test_eight_instructions_and_no_more),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_forbidden),
        cmocka_unit_test(test_if_else),
        cmocka_unit_test(test_guard_that_the_block_writes),
        cmocka_unit_test(test_one_level),
        cmocka_unit_test(test_two_tests),
        cmocka_unit_test(test_loads_must_be_hidden),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_returns),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_lines_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
