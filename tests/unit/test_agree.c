/* What a run of a case left behind, after all that it was loaded into is gone. */
#include "tests/agree/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

/* The name of the kernel is the module's, which is freed; the case's outlives what is said about it. */
static void a_fault_can_be_described_after_its_module(void **state)
{
    (void)state;
    char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry wild()\n{\n.reg .b64 %a;\n"
                 "mov.u64 %a, 64;\nst.global.u32 [%a], 1;\nret;\n}\n";
    char name[] = "case", kernel[] = "wild", text[1024], *error = NULL;
    struct test_case c = {.name = name, .ptx = ptx, .kernel = kernel, .grid = {1, 1, 1}, .block = {1, 1, 1}};
    struct trace t = {0};
    assert_true(trace_run(&c, trace_on_engine, NULL, &t, &error));
    assert_int_not_equal(t.fault.kind, 0);
    assert_ptr_equal(t.fault.kernel, kernel);
    assert_non_null(strstr(fault_describe(&t.fault, text, sizeof text), "in kernel wild\n"));
    trace_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fault_can_be_described_after_its_module),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
