/* Launches that --kernel and --launch choose (run/selection.h). */
#include "run/selection.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool takes(const char *kernels, const char *launches, const char *kernel, uint64_t launch)
{
    char *error = NULL;
    struct selection *s = selection_create(kernels, launches, &error);
    assert_non_null(s);
    bool first = selection_takes(s, kernel, launch), again = selection_takes(s, kernel, launch);
    assert_int_equal(first, again); /* the second answer is remembered */
    selection_destroy(s);
    return first;
}

static void test_launches(void **state)
{
    (void)state;
    assert_true(takes(NULL, "3", "k", 3));
    assert_false(takes(NULL, "3", "k", 2));
    assert_false(takes(NULL, "3", "k", 4));
    assert_true(takes(NULL, "2:4,9", "k", 2));
    assert_true(takes(NULL, "2:4,9", "k", 4));
    assert_false(takes(NULL, "2:4,9", "k", 5));
    assert_true(takes(NULL, "2:4,9", "k", 9));
    assert_true(takes(NULL, "5:", "k", UINT64_MAX));
    assert_false(takes(NULL, "5:", "k", 4));
    assert_true(selection_takes(NULL, "k", 1));
}

static void test_kernels(void **state)
{
    (void)state;
    assert_true(takes("a,k", NULL, "k", 1));
    assert_false(takes("a,k", NULL, "kk", 1));
    assert_true(takes("k*", NULL, "kk", 1));
    assert_true(takes("?k", NULL, "kk", 1));
    assert_true(takes("[ij,k]k", NULL, "kk", 1)); /* a comma in brackets separates nothing */
    assert_false(takes("k", "2", "k", 1));
    assert_true(takes("k", "1", "k", 1));
}

static void test_wrong(void **state)
{
    (void)state;
    static const char *const launches[] = {"0",   "",   ",",  "1,",  "a",     "1:a",
                                           "5:4", "-1", ":3", "1-2", "1:2:3", "99999999999999999999"};
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        char *error = NULL;
        assert_null(selection_create(NULL, launches[i], &error));
        assert_non_null(strstr(error, "--launch takes numbers"));
        free(error);
    }
    static const char *const kernels[] = {"", ",", "a,", ",a", " "};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        char *error = NULL;
        assert_null(selection_create(kernels[i], NULL, &error));
        free(error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_launches), cmocka_unit_test(test_kernels),
                                       cmocka_unit_test(test_wrong)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
