/* Knobs: what a value may look like, what a mistake is told, and that prints read back. */
#include "base/knob.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct box {
    uint32_t lanes;
    double clock;
    bool swizzle;
    uint32_t policy;
};

static const char *const policies[] = {"lrr", "gto", NULL};
static const struct knob knobs[] = {
    {"lanes", "lanes", "Lanes per issue port.", KNOB_COUNT, offsetof(struct box, lanes), 8, 1, 1 << 20, NULL},
    {"clock", "MHz", "Core clock, in MHz.", KNOB_REAL, offsetof(struct box, clock), 1300, 0.5, 5000, NULL},
    {"swizzle", "", "Whether lanes are rotated.", KNOB_BOOL, offsetof(struct box, swizzle), 1, 0, 1, NULL},
    {"policy", "", "Policy of a scheduler.", KNOB_CHOICE, offsetof(struct box, policy), 1, 0, 1, policies},
};
static const struct knob_table table = {"box", knobs, 4};

static void accept(struct box *box, const char *name, const char *value)
{
    char *error = NULL;
    if (!knob_set(&table, box, name, value, &error))
        fail_msg("%s", error);
}

static void refuse(const char *name, const char *value, const char *expected)
{
    struct box box, before;
    memset(&box, 0, sizeof box);
    knob_defaults(&table, &box);
    before = box;
    char *error = NULL;
    assert_false(knob_set(&table, &box, name, value, &error));
    if (!strstr(error, expected))
        fail_msg("%s=%s gives '%s', which does not say '%s'", name, value, error, expected);
    free(error);
    assert_memory_equal(&box, &before, sizeof box);
}

static void test_defaults(void **state)
{
    (void)state;
    struct box box = {0};
    knob_defaults(&table, &box);
    assert_int_equal(box.lanes, 8);
    assert_true(box.clock == 1300);
    assert_true(box.swizzle);
    assert_int_equal(box.policy, 1);
}

static void test_values(void **state)
{
    (void)state;
    struct box box = {0};
    accept(&box, "lanes", "16");
    assert_int_equal(box.lanes, 16);
    accept(&box, "lanes", "3K");
    assert_int_equal(box.lanes, 3072);
    accept(&box, "lanes", "1M");
    assert_int_equal(box.lanes, 1 << 20);
    accept(&box, "clock", "0.5");
    assert_true(box.clock == 0.5);
    accept(&box, "policy", "gto");
    assert_int_equal(box.policy, 1);
    static const char *const yes[] = {"yes", "true", "on", "1"}, *const no[] = {"no", "false", "off", "0"};
    for (int i = 0; i < 4; i++) {
        accept(&box, "swizzle", yes[i]);
        assert_true(box.swizzle);
        accept(&box, "swizzle", no[i]);
        assert_false(box.swizzle);
    }
}

static void test_mistakes(void **state)
{
    (void)state;
    refuse("lane", "4", "did you mean lanes?");
    refuse("lanes", "0", "1 to 1048576");
    refuse("lanes", "2M", "1 to 1048576");
    refuse("lanes", "1G", "1 to 1048576");
    refuse("lanes", "-1", "whole number");
    refuse("lanes", "4x", "whole number");
    refuse("lanes", "1.5", "whole number");
    refuse("lanes", "", "whole number");
    refuse("lanes", "99999999999999999999999", "whole number");
    refuse("clock", "5000.5", "0.5 to 5000");
    refuse("clock", "nan", "0.5 to 5000");
    refuse("clock", "fast", "0.5 to 5000");
    refuse("swizzle", "maybe", "yes or no");
    refuse("policy", "fifo", "one of lrr, gto");
}

static void test_print(void **state)
{
    (void)state;
    struct box box = {0};
    knob_defaults(&table, &box);
    box.clock = 1.0 / 3 + 1;
    struct text out = {0};
    knob_print_json(&table, &box, &out);
    assert_string_equal(out.data, "\"lanes\":8,\"clock\":1.3333333333333333,\"swizzle\":true,\"policy\":\"gto\"");
    struct box again = {0};
    accept(&again, "clock", "1.3333333333333333");
    assert_true(again.clock == box.clock);
    text_free(&out);
}

/* The value of a box, or the default; and the range. */
static void expect_knob(const char *name, const struct box *box, const char *expected_value, const char *expected_range)
{
    const struct knob *knob = knob_find(&table, name);
    struct text value = {0}, range = {0};
    assert_non_null(knob);
    knob_print_value(knob, box, &value);
    knob_print_range(knob, &range);
    assert_string_equal(value.data, expected_value);
    assert_string_equal(range.data, expected_range);
    text_free(&value);
    text_free(&range);
}

static void test_print_one(void **state)
{
    (void)state;
    struct box box = {.lanes = 16, .clock = 1.0 / 3 + 1};
    expect_knob("lanes", NULL, "8", "a whole number from 1 to 1048576 (lanes)");
    expect_knob("lanes", &box, "16", "a whole number from 1 to 1048576 (lanes)");
    expect_knob("clock", &box, "1.3333333333333333", "a number from 0.5 to 5000 (MHz)");
    expect_knob("swizzle", NULL, "yes", "yes or no");
    expect_knob("swizzle", &box, "no", "yes or no");
    expect_knob("policy", NULL, "gto", "one of lrr, gto");
    expect_knob("policy", &box, "lrr", "one of lrr, gto");
}

static void expect_meaning(const char *name, const char *expected)
{
    struct text out = {0};
    knob_print_meaning(knob_find(&table, name), &out);
    assert_string_equal(out.data, expected);
    text_free(&out);
}

/* The sentence comes first; the values follow in brackets. */
static void test_print_meaning(void **state)
{
    (void)state;
    expect_meaning("lanes", "Lanes per issue port. [1 to 1048576 lanes]");
    expect_meaning("clock", "Core clock, in MHz. [0.5 to 5000 MHz]");
    expect_meaning("swizzle", "Whether lanes are rotated. [yes, no]");
    expect_meaning("policy", "Policy of a scheduler. [lrr, gto]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults), cmocka_unit_test(test_values),    cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_print),    cmocka_unit_test(test_print_one), cmocka_unit_test(test_print_meaning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
