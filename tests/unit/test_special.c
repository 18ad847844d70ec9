/*
 * Rows of the special function unit (lanes/special.c): hosts with AVX2 compute eight lanes at a time, and each lane gets
 * the bits that a lane by itself gets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "lanes/special.h"

typedef void function(const uint32_t *numbers, uint32_t *results);

function special_rcp_single, special_rsqrt_single, special_sqrt_single, special_ex2_single, special_lg2_single,
    special_sin_single, special_cos_single;

static const struct {
    const char *name;
    function *row, *single;
} functions[] = {{"rcp", special_rcp, special_rcp_single},    {"rsqrt", special_rsqrt, special_rsqrt_single},
                 {"sqrt", special_sqrt, special_sqrt_single}, {"ex2", special_ex2, special_ex2_single},
                 {"lg2", special_lg2, special_lg2_single},    {"sin", special_sin, special_sin_single},
                 {"cos", special_cos, special_cos_single}};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

static void check_row(const uint32_t *numbers)
{
    uint32_t row[ROW_LANES], alone;
    for (int f = 0; f < FUNCTIONS; f++) {
        functions[f].row(numbers, row);
        for (int i = 0; i < ROW_LANES; i++) {
            functions[f].single(&numbers[i], &alone);
            if (row[i] != alone)
                fail_msg("%s of 0x%08x in lane %d: 0x%08x, by itself 0x%08x", functions[f].name, (unsigned)numbers[i],
                         i, (unsigned)row[i], (unsigned)alone);
        }
    }
}

/* Every fifth fraction, of one binade with an even and one with an odd exponent, so that every segment of every table
 * is met at places all over it. */
static void test_fractions(void **state)
{
    (void)state;
    for (uint32_t exponent = 126; exponent < 128; exponent++)
        for (uint32_t fraction = exponent; fraction < 1u << 23; fraction += 5 * ROW_LANES) {
            uint32_t numbers[ROW_LANES];
            for (uint32_t i = 0; i < ROW_LANES; i++)
                numbers[i] = exponent << 23 | ((fraction + 5 * i) & SPECIAL_FRACTION);
            check_row(numbers);
        }
}

/* Any bits: every exponent and sign, infinities and NaNs among them. */
static void test_any_numbers(void **state)
{
    (void)state;
    struct random r = {.state = 11};
    for (int n = 0; n < 20000; n++) {
        uint32_t numbers[ROW_LANES];
        for (int i = 0; i < ROW_LANES; i++)
            numbers[i] = (uint32_t)random_u64(&r);
        check_row(numbers);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fractions), cmocka_unit_test(test_any_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
