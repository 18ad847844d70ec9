/* Places: where an instruction comes from, and how that is written. */
#include "ptx/place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEADER ".version 7.0\n.target sm_75\n.address_size 64\n"
#define FILES  ".file 1 \"/home/me/a.cu\"\n.file 2 \"/usr/local/cuda-13.0/targets/x86_64-linux/include/math.hpp\"\n"

static struct ptx_module *parse(const char *text)
{
    struct diag diag = {0};
    struct ptx_module *module = ptx_parse("test", text, strlen(text), &diag);
    if (!module)
        diag_print(&diag, stderr);
    diag_free(&diag);
    assert_non_null(module);
    return module;
}

static void expect(const struct ptx_module *m, int instruction, const char *where, const char *both)
{
    char buffer[200];
    const struct ptx_instruction *i = &ptx_find_function(m, "k")->instructions[instruction];
    struct ptx_place place = ptx_place(m, i->location, i->line);
    assert_string_equal(ptx_place_print(&place, buffer, sizeof buffer), where);
    assert_string_equal(ptx_place_print_both(&place, buffer, sizeof buffer), both);
}

static void test_without_a_line_table(void **state)
{
    (void)state;
    struct ptx_module *m = parse(HEADER ".entry k() {\nexit; }\n");
    expect(m, 0, "PTX line 5", "PTX line 5");
    ptx_destroy(m);
}

static void test_line_of_the_source(void **state)
{
    (void)state;
    struct ptx_module *m = parse(HEADER FILES ".entry k() {\n.loc 1 28 3\nexit; }\n");
    expect(m, 0, "a.cu:28", "a.cu:28 (PTX line 8)");
    ptx_destroy(m);
}

/* Line 0 is no line of the source: the instruction counts to the line before it, or has none. */
static void test_line_zero(void **state)
{
    (void)state;
    struct ptx_module *m = parse(HEADER FILES ".entry k() {\n.loc 1 0 0\nexit;\n.loc 1 28 3\nexit;\n.loc 1 0 5\n"
                                              "exit;\n.loc 2 7 1, inlined_at 1 0 0\nexit; }\n");
    expect(m, 0, "PTX line 8", "PTX line 8");
    expect(m, 1, "a.cu:28", "a.cu:28 (PTX line 10)");
    expect(m, 2, "a.cu:28", "a.cu:28 (PTX line 12)");
    expect(m, 3, "math.hpp:7", "math.hpp:7 (PTX line 14)");
    ptx_destroy(m);
}

/* Code inlined from the toolkit's headers stands at the user's call; code inlined from the user's own, at its line. */
static void test_inlined_code(void **state)
{
    (void)state;
    struct ptx_module *m = parse(HEADER FILES ".file 3 \"own.cuh\"\n.entry k() {\n.loc 1 28 3\nexit;\n"
                                              ".loc 2 7 1, inlined_at 1 28 3\nexit;\n.loc 2 9 1\nexit;\n"
                                              ".loc 3 4 1, inlined_at 1 28 3\nexit; }\n");
    expect(m, 1, "a.cu:28", "a.cu:28 (PTX line 11)");
    expect(m, 2, "math.hpp:9", "math.hpp:9 (PTX line 13)");
    expect(m, 3, "own.cuh:4", "own.cuh:4 (PTX line 15)");
    ptx_destroy(m);
}

/* clang writes the folder of a file as a string of its own. */
static void test_folder_apart(void **state)
{
    (void)state;
    struct ptx_module *m = parse(HEADER ".file 1 \"/home/me\" \"src/a.cu\"\n.entry k() { .loc 1 3 1\nexit; }\n");
    assert_string_equal(m->files[0].path, "/home/me/src/a.cu");
    expect(m, 0, "a.cu:3", "a.cu:3 (PTX line 6)");
    ptx_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_a_line_table),
        cmocka_unit_test(test_line_of_the_source),
        cmocka_unit_test(test_line_zero),
        cmocka_unit_test(test_inlined_code),
        cmocka_unit_test(test_folder_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
