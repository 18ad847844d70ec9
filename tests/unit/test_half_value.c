/*
 * Numbers of half precision: every f16 and bf16 survives the way to f32 and back, every number between two neighbours
 * is rounded to the nearer one, and fused multiply-add rounds once.
 */
#include "lanes/half_value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

static void test_f16_and_back(void **state)
{
    (void)state;
    for (unsigned u = 0; u <= 0xffff; u++) {
        uint16_t a = (uint16_t)u, want = f16_is_nan(a) ? NAN_F16 : a;
        assert_int_equal(f16_of_f32(f16_to_f32(a)), want);
        assert_int_equal(bf16_of_f32(bf16_to_f32(a)), bf16_is_nan(a) ? NAN_BF16 : a);
        assert_int_equal(bf16_of_f64(bf16_to_f32(a)), bf16_is_nan(a) ? NAN_BF16 : a);
    }
    assert_true(f16_to_f32(0x0001) == 0x1p-24f && f16_to_f32(0x8400) == -0x1p-14f && f16_to_f32(0x7bff) == 65504);
    assert_true(isinf(f16_to_f32(0xfc00)) && f16_to_f32(0xfc00) < 0 && isnan(f16_to_f32(0x7c01)));
}

/* Half way between neighbours the even one is taken; a little to either side, the nearer one. */
static void test_rounding(void **state)
{
    (void)state;
    for (unsigned u = 0; u < F16_INFINITY; u++) {
        float low = f16_to_f32((uint16_t)u), high = u + 1 == F16_INFINITY ? 65536.0f : f16_to_f32((uint16_t)(u + 1));
        float half = low + (high - low) / 2;
        for (unsigned sign = 0; sign <= HALF_SIGN; sign += HALF_SIGN) {
            float s = sign ? -1 : 1;
            assert_int_equal(f16_of_f32(s * half), (u + (u & 1)) | sign);
            assert_int_equal(f16_of_f32(s * nextafterf(half, 0)), u | sign);
            assert_int_equal(f16_of_f32(s * nextafterf(half, INFINITY)), (u + 1) | sign);
        }
    }
    for (unsigned u = 0; u < BF16_INFINITY; u++) {
        double low = bf16_to_f32((uint16_t)u), high = u + 1 == BF16_INFINITY ? 0x1p128 : bf16_to_f32((uint16_t)(u + 1));
        double half = low + (high - low) / 2;
        assert_int_equal(bf16_of_f64(half), u + (u & 1));
        assert_int_equal(bf16_of_f64(-nextafter(half, 0)), u | HALF_SIGN);
        assert_int_equal(bf16_of_f64(nextafter(half, INFINITY)), u + 1);
        assert_int_equal(bf16_of_f32((float)half), u + (u & 1));
    }
    assert_int_equal(f16_of_f32(-0x1p-40f), 0x8000);
    assert_int_equal(f16_of_f32(0x1p30f), F16_INFINITY);
    assert_int_equal(bf16_of_f64(-0x1p-200), 0x8000);
}

/* Under .ftz a number that 11 bits round up to 2^-14 stays; one that only the fewer bits of a subnormal would round up
 * is flushed. */
static void test_flushing(void **state)
{
    (void)state;
    assert_int_equal(f16_of_f32_flushed(0x1.ffep-15f), 0x0400);
    assert_int_equal(f16_of_f32_flushed(0x1.ffdp-15f), 0);
    assert_int_equal(f16_of_f32(0x1.ffdp-15f), 0x0400);
    assert_int_equal(f16_of_f32_flushed(-0x1p-15f), 0x8000);
    assert_int_equal(f16_flush(0x83ff), 0x8000);
    assert_int_equal(f16_flush(0x0400), 0x0400);
}

/* A product half way between two neighbours, and an addend far below the last bit of the product: the addend decides. A
 * sum that is rounded to f32 or f64 first loses it. */
static void test_fused_once(void **state)
{
    (void)state;
    const float half_way = 1 + 0x1p-5f, factor = 1 + 0x1p-6f; /* the product has 12 bits */
    const float product = half_way * factor;
    assert_true(f16_to_f32(f16_of_f32(product)) != product);
    uint16_t tie = f16_of_f32(product), up = (uint16_t)(f16_of_f32(product - 0x1p-14f) + 1);
    assert_int_equal(tie & 1, 0);
    assert_int_equal(f16_of_f32(f16_fma(half_way, factor, 0x1p-24f)), up);
    assert_int_equal(f16_of_f32(f16_fma(half_way, factor, -0x1p-24f)), up - 1);
    assert_int_equal(f16_of_f32(f16_fma(half_way, factor, 0)), tie);

    const float x = 1 + 0x1p-4f, y = 1 + 0x1p-4f; /* 1.12890625: 9 bits */
    const uint16_t least = bf16_of_f64((double)x * y - 0x1p-20);
    assert_true((double)bf16_to_f32(least) < (double)x * y);
    assert_int_equal(bf16_of_f64(bf16_fma(x, y, 0x1p-133f)), least + 1);
    assert_int_equal(bf16_of_f64(bf16_fma(x, y, -0x1p-133f)), least);
    assert_int_equal(bf16_of_f64(bf16_fma(0x1p127f, 0x1p127f, -INFINITY)), 0xff80);
    assert_int_equal(bf16_of_f64(bf16_fma(0x1p-133f, 0x1p-133f, -0.0f)), 0);
}

/* What the quick handlers do, where it may be used: as the functions for all numbers do. */
static void test_without_special_cases(void **state)
{
    (void)state;
    for (unsigned u = 0; u <= 0xffff; u++) {
        uint16_t a = (uint16_t)u;
        bool is_special = (a & 0x7fff) >= F16_INFINITY;
        assert_int_equal(f16_mark_special(a) >> 31, is_special);
        if (is_special)
            continue;
        float f = f16_to_f32(a), g = f * 1.00025f + 0x1p-26f;
        assert_int_equal(bits_of_f32(f16_to_f32_finite(a)), bits_of_f32(f));
        assert_int_equal(f16_of_f32_finite(f), a);
        assert_int_equal(f16_of_f32_finite(g), f16_of_f32(g));
        assert_int_equal(f16_of_f32_finite(65536 * f), f16_of_f32(65536 * f));
        assert_int_equal(bits_of_f32(half_fma_finite(f, g, 0x1p-24f)), bits_of_f32(f16_fma(f, g, 0x1p-24f)));
    }
    assert_int_equal(bf16_mark_special(1, 2, 2) >> 31, 0);
    assert_int_equal(bf16_mark_special(0, 0x1p-133f, 0) >> 31, 0);
    assert_int_equal(bf16_mark_special(0x1p-60f, 0x1p-60f, 1) >> 31, 1); /* the product is 2^-120 */
    assert_int_equal(bf16_mark_special(0x1p100f, 0x1p100f, INFINITY) >> 31, 1);
    assert_int_equal(bf16_mark_special(0, NAN, NAN) >> 31, 1);
}

static void test_order(void **state)
{
    (void)state;
    static const uint16_t rising[] = {0xfc00, 0xbc00, 0x8001, 0x8000, 0x0000, 0x0001, 0x3c00, 0x7c00};
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++) {
            assert_int_equal(half_min(rising[a], rising[b], false, false), rising[a < b ? a : b]);
            assert_int_equal(half_max(rising[a], rising[b], false, false), rising[a > b ? a : b]);
        }
    assert_int_equal(half_min(0x7e00, 0x3c00, true, false), 0x3c00);
    assert_int_equal(half_max(0x3c00, 0xfe00, false, true), 0x3c00);
    assert_int_equal(half_max(0xfe00, 0xfe01, true, true), NAN_F16);
    assert_int_equal(f16_saturate(NAN_F16), 0);
    assert_int_equal(f16_saturate(0x8000), 0);
    assert_int_equal(f16_saturate(0x4000), F16_ONE);
    assert_int_equal(half_relu(0x8000), 0);
    assert_int_equal(half_relu(NAN_F16), NAN_F16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_f16_and_back), cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_flushing),     cmocka_unit_test(test_fused_once),
        cmocka_unit_test(test_order),        cmocka_unit_test(test_without_special_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
