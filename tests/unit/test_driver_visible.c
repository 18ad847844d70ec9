/* Which values of CUDA_VISIBLE_DEVICES hide the device: cuInit fails then, and succeeds once the variable allows it. */
#include "cuda.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_lists_without_a_device_hide_it(void **state)
{
    (void)state;
    static const char *const none[] = {"", "-1", " ", "-1,0", "NoDevFiles", "GPU"};
    int count = 77;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_int_equal(setenv("CUDA_VISIBLE_DEVICES", none[i], 1), 0);
        assert_int_equal(cuInit(0), CUDA_ERROR_NO_DEVICE);
        assert_int_equal(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    }
    assert_int_equal(count, 77);
}

/* After the test before: a hidden device does no lasting harm. The first value that is allowed settles it. */
static void test_a_list_with_a_device_shows_it(void **state)
{
    const char *value = *state;
    int count = 0;
    assert_int_equal(setenv("CUDA_VISIBLE_DEVICES", value, 1), 0);
    assert_int_equal(cuInit(0), CUDA_SUCCESS);
    assert_int_equal(cuDeviceGetCount(&count), CUDA_SUCCESS);
    assert_int_equal(count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_without_a_device_hide_it),
        cmocka_unit_test_prestate(test_a_list_with_a_device_shows_it, (void *)"3,-1"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
