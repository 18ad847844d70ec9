/* The names that the runtime of CUDA 12 exports, so that no program of that version meets a loader's error. */
#define _GNU_SOURCE
#include "tests/runtime/names.h"

static void test_every_name_is_there(void **state)
{
    (void)state;
    names_check(12, "libcudart.so.12", 440);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_name_is_there)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
