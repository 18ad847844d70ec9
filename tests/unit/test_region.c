/* Regions of branches: whom the lanes that are empty at a PC are charged to, in graphs drawn by hand. */
#include "flow/region.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"
#define REGS ".reg .pred %p<4>;\n.reg .b32 %r<4>;\n"
#define NOP  "add.u32 %r1, %r1, 1;\n"

enum { MOST_PCS = 64 };

/* "x" for a PC that nobody is charged with, "0", "1", ... for one that the n-th branch is; all branches count but those
 * whose digit is in `never`. */
static void charges_are(const char *expected, const char *text, const char *never)
{
    struct diag diag = {0};
    char *error = NULL, got[MOST_PCS + 1] = "";
    struct ptx_module *module = ptx_parse("test.ptx", text, strlen(text), &diag);
    if (!module)
        diag_print(&diag, stderr);
    assert_non_null(module);
    struct program *p = program_create(ptx_find_function(module, "k"), &error);
    assert_non_null(p);
    assert_true(p->insn_count <= MOST_PCS);
    bool counts[10];
    int32_t branch_of[MOST_PCS];
    assert_true(p->branch_count <= 10);
    for (int i = 0; i < p->branch_count; i++)
        counts[i] = !strchr(never, '0' + i);
    region_charge(p, counts, branch_of);
    for (int pc = 0; pc < p->insn_count; pc++)
        got[pc] = branch_of[pc] < 0 ? 'x' : (char)('0' + branch_of[pc]);
    assert_string_equal(got, expected);
    program_destroy(p);
    ptx_destroy(module);
    diag_free(&diag);
}

static void test_if(void **state)
{
    (void)state;
    charges_are("xx00xx", HEAD ".entry k() {" REGS NOP "@%p0 bra L;\n" NOP NOP "L:\n" NOP "ret;}", "");
    /* both sides, and the branch between them */
    charges_are("x0000xx", HEAD ".entry k() {" REGS "@%p0 bra A;\n" NOP NOP "bra B;\nA:\n" NOP "B:\n" NOP "ret;}", "");
}

static void test_nested(void **state)
{
    (void)state;
    static const char text[] = HEAD ".entry k() {" REGS "@%p0 bra L;\n" NOP "@%p1 bra M;\n" NOP "M:\n" NOP "L:\nret;}";
    charges_are("x0010x", text, "");
    charges_are("x0000x", text, "1"); /* the inner one did not diverge: it is the outer one's loss */
    charges_are("xxx1xx", text, "0");
    charges_are("xxxxxx", text, "01");
}

static void test_loop(void **state)
{
    (void)state;
    /* The loop's own branch is in its region: threads that left are missing there. */
    charges_are("x000x", HEAD ".entry k() {" REGS NOP "L:\n" NOP NOP "@%p0 bra L;\nret;}", "");
    /* An if in a loop. */
    charges_are("1110111x",
                HEAD ".entry k() {" REGS "L:\n" NOP NOP "@%p0 bra M;\n" NOP "M:\n" NOP NOP "@%p1 bra L;\nret;}", "");
}

static void test_break(void **state)
{
    (void)state;
    /* Equal regions: behind the break it is charged, before it the loop's last branch. */
    charges_are("11000x", HEAD ".entry k() {" REGS "L:\n" NOP "@%p0 bra OUT;\n" NOP NOP "@%p1 bra L;\nOUT:\nret;}", "");
}

static void test_no_meeting(void **state)
{
    (void)state;
    /* Threads that end do not come back: those that live on meet where their ways do, and that ends the region. */
    charges_are("x00x", HEAD ".entry k() {" REGS "@%p0 bra L;\n" NOP "ret;\nL:\nret;}", "");
}

#define FUNCTION ".func f() {" REGS NOP "ret;}\n"

static void test_calls(void **state)
{
    (void)state;
    /* Called only within the region: charged as the call is. The kernel's PCs come first. */
    charges_are("x0x00", HEAD FUNCTION ".entry k() {" REGS "@%p0 bra L;\ncall f;\nL:\nret;}", "");
    /* Called outside too: nobody's. */
    charges_are("x0xxxx", HEAD FUNCTION ".entry k() {" REGS "@%p0 bra L;\ncall f;\nL:\ncall f;\nret;}", "");
    /* Called from two regions: nobody's, since what was lost there is not known apart. */
    charges_are("x0x1xxx",
                HEAD FUNCTION ".entry k() {" REGS "@%p0 bra L;\ncall f;\nL:\n@%p1 bra M;\ncall f;\nM:\nret;}", "");
    /* A guarded call is a branch, and the function its region. */
    charges_are("xx00", HEAD FUNCTION ".entry k() {" REGS "@%p0 call f;\nret;}", "");
    /* Two calls deep, and a function's own region within it. */
    charges_are("x0x0000010",
                HEAD ".func g() {" REGS NOP "@%p0 bra M;\n" NOP "M:\nret;}\n"
                     ".func f() {" REGS NOP "call g;\nret;}\n"
                     ".entry k() {" REGS "@%p0 bra L;\ncall f;\nL:\nret;}",
                "");
}

static void test_recursion(void **state)
{
    (void)state;
    charges_are("x0x00",
                HEAD ".func f();\n.func f() {" REGS "call f;\nret;}\n"
                     ".entry k() {" REGS "@%p0 bra L;\ncall f;\nL:\nret;}",
                "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_if),        cmocka_unit_test(test_nested),     cmocka_unit_test(test_loop),
        cmocka_unit_test(test_break),     cmocka_unit_test(test_no_meeting), cmocka_unit_test(test_calls),
        cmocka_unit_test(test_recursion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
