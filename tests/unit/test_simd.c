/* Vectors: values that lie evenly, and those of which one does not. */
#include "base/simd.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MOST = 64 };

static void values_a_step_apart_are_even(void **state)
{
    (void)state;
    static const uint64_t steps[] = {0, 1, 4, 4096, UINT64_C(1) << 40, UINT64_MAX};
    for (int count = 1; count <= MOST; count++)
        for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
            uint64_t values[MOST];
            for (int i = 0; i < count; i++)
                values[i] = 0x700000000000 + (uint64_t)i * steps[s];
            assert_true(simd_is_even(values, count, steps[s]));
            assert_int_equal(simd_is_even(values, count, steps[s] + 1), count == 1);
        }
}

static void one_elsewhere_is_seen_wherever_it_is(void **state)
{
    (void)state;
    for (int count = 2; count <= MOST; count++)
        for (int odd = 0; odd < count; odd++)
            for (int bit = 0; bit < 64; bit += 9) {
                uint64_t values[MOST];
                for (int i = 0; i < count; i++)
                    values[i] = (uint64_t)i * 8;
                values[odd] ^= UINT64_C(1) << bit;
                assert_false(simd_is_even(values, count, 8));
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_a_step_apart_are_even),
        cmocka_unit_test(one_elsewhere_is_seen_wherever_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
