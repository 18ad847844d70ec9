/* Device printf: conversions, arguments laid out as kernels pass them, and hostile formats. */
#include "device/print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Guest memory: the format at 0x1000, a string at 0x2000, arguments at 0x3000. */
struct guest {
    const char *format;
    const char *string;
    uint8_t arguments[64];
    uint32_t argument_bytes;
};

static bool read_guest(void *context, uint64_t address, void *into, uint32_t bytes)
{
    const struct guest *g = context;
    const void *base = address >= 0x3000 ? (const void *)g->arguments : address >= 0x2000 ? g->string : g->format;
    uint64_t offset = address & 0xfff;
    size_t size = address >= 0x3000   ? g->argument_bytes
                  : address >= 0x2000 ? strlen(g->string) + 1
                                      : strlen(g->format) + 1;
    if (address < 0x1000 || offset + bytes > size)
        return false;
    memcpy(into, (const char *)base + offset, bytes);
    return true;
}

static void push(struct guest *g, const void *value, uint32_t bytes)
{
    g->argument_bytes = (g->argument_bytes + bytes - 1) & ~(bytes - 1);
    memcpy(g->arguments + g->argument_bytes, value, bytes);
    g->argument_bytes += bytes;
}

static void push_int(struct guest *g, int value)
{
    push(g, &value, 4);
}

static void push_long(struct guest *g, uint64_t value)
{
    push(g, &value, 8);
}

static void push_double(struct guest *g, double value)
{
    push(g, &value, 8);
}

static void expect(struct guest *g, const char *text, int count)
{
    struct text out = {0};
    assert_int_equal(print_format(0x1000, 0x3000, read_guest, g, &out), count);
    assert_string_equal(out.data ? out.data : "", text);
    text_free(&out);
}

static void test_plain(void **state)
{
    (void)state;
    struct guest g = {.format = "100%% plain\n"};
    expect(&g, "100% plain\n", 0);
    g.format = "";
    expect(&g, "", 0);
}

static void test_integers(void **state)
{
    (void)state;
    struct guest g = {.format = "%d|%5u|%-4i|%04x|%#X|%o|%+d"};
    push_int(&g, -3);
    push_int(&g, 42);
    push_int(&g, 7);
    push_int(&g, 0xab);
    push_int(&g, 0xcd);
    push_int(&g, 8);
    push_int(&g, 9);
    expect(&g, "-3|   42|7   |00ab|0XCD|10|+9", 7);
}

static void test_lengths(void **state)
{
    (void)state;
    struct guest g = {.format = "%hhd %hd %hu %ld %llu %zx"};
    push_int(&g, 0x1ff);
    push_int(&g, 0x18000);
    push_int(&g, 0x18000);
    push_long(&g, (uint64_t)-5);
    push_long(&g, UINT64_MAX);
    push_long(&g, 0x123456789a);
    expect(&g, "-1 -32768 32768 -5 18446744073709551615 123456789a", 6);
}

static void test_alignment_of_arguments(void **state)
{
    (void)state;
    struct guest g = {.format = "%d %f %d %p"};
    push_int(&g, 1);
    push_double(&g, 2.5);
    push_int(&g, 3);
    push_long(&g, 0x7000);
    assert_int_equal(g.argument_bytes, 32);
    expect(&g, "1 2.500000 3 0x7000", 4);
}

static void test_floats(void **state)
{
    (void)state;
    struct guest g = {.format = "%.2f %8.3e %g %a %F"};
    push_double(&g, 3.14159);
    push_double(&g, 12345.678);
    push_double(&g, 1e-10);
    push_double(&g, 1);
    push_double(&g, -0.0);
    expect(&g, "3.14 1.235e+04 1e-10 0x1p+0 -0.000000", 5);
}

static void test_text(void **state)
{
    (void)state;
    struct guest g = {.format = "[%c%s|%6s|%.2s|%s]", .string = "abc"};
    push_int(&g, 'x');
    push_long(&g, 0x2000);
    push_long(&g, 0x2000);
    push_long(&g, 0x2000);
    push_long(&g, 0);
    expect(&g, "[xabc|   abc|ab|(null)]", 5);
}

static void test_star(void **state)
{
    (void)state;
    struct guest g = {.format = "[%*d][%*d][%.*f]"};
    push_int(&g, 4);
    push_int(&g, 1);
    push_int(&g, -4);
    push_int(&g, 2);
    push_int(&g, 1);
    push_double(&g, 0.25);
    expect(&g, "[   1][2   ][0.2]", 6);
}

static void test_unknown_conversions(void **state)
{
    (void)state;
    struct guest g = {.format = "%y %"};
    expect(&g, "%y %", 0);
    g.format = "a%nb";
    push_long(&g, 0x3000);
    expect(&g, "ab", 1);
}

static void test_missing_arguments(void **state)
{
    (void)state;
    struct guest g = {.format = "%d then %d end"};
    push_int(&g, 1);
    expect(&g, "1 then ", 1);
}

static void test_unreadable_format(void **state)
{
    (void)state;
    struct guest g = {.format = "x"};
    struct text out = {0};
    assert_int_equal(print_format(0x10, 0x3000, read_guest, &g, &out), -1);
    assert_int_equal(out.length, 0);
    text_free(&out);
}

static void test_hostile_widths(void **state)
{
    (void)state;
    struct guest g = {.format = "%999999999999d%.99999999f%*d"};
    struct text out = {0};
    push_int(&g, 1);
    push_double(&g, 1);
    push_int(&g, INT32_MIN);
    push_int(&g, 1);
    assert_int_equal(print_format(0x1000, 0x3000, read_guest, &g, &out), 4);
    assert_true(out.length > 4096 && out.length < 4 * 4096);
    text_free(&out);
}

static bool read_endless(void *context, uint64_t address, void *into, uint32_t bytes)
{
    (void)context;
    memset(into, address >= 0x3000 ? 0 : address & 1 ? 's' : '%', bytes);
    return true;
}

/* A format without an end, whose every conversion prints a string without an end. */
static void test_endless_strings(void **state)
{
    (void)state;
    struct text out = {0};
    print_format(0x1000, 0x3000, read_endless, NULL, &out);
    assert_true(out.length < 2 * 1024 * 1024);
    text_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_alignment_of_arguments),
        cmocka_unit_test(test_floats),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_star),
        cmocka_unit_test(test_unknown_conversions),
        cmocka_unit_test(test_missing_arguments),
        cmocka_unit_test(test_unreadable_format),
        cmocka_unit_test(test_hostile_widths),
        cmocka_unit_test(test_endless_strings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
