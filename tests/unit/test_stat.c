/* Statistics: sums and differences, lookup by path, and the three printers. */
#include "stat/stat.h"

#include "base/random.h"
#include "stat/format.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct core {
    uint64_t cycles, depth;
    uint32_t not_a_counter;
};

static const struct stat_counter core_counters[] = {
    {"cycles", "cycles", "core cycles, idle ones \"included\"", offsetof(struct core, cycles), STAT_SUM},
    {"max_depth", "entries", "deepest stack of any warp on any multiprocessor since the kernel began to run",
     offsetof(struct core, depth), STAT_MAX},
};
static const struct stat_owner core_owner = {"sm", core_counters, 2, sizeof(struct core)};
static const struct stat_owner other_owner = {"sm0", core_counters, 1, sizeof(struct core)};

static double per_depth(const struct stat_result *result)
{
    bool found;
    return (double)stat_get(result, "sm.cycles", &found) / (double)stat_get(result, "sm.max_depth", &found);
}

static double total(const struct stat_result *result)
{
    return (double)stat_get(result, "sm.cycles", NULL);
}

static double none(const struct stat_result *result)
{
    (void)result;
    return 0.0 / (double)stat_get(result, "sm.absent", NULL);
}

static const struct stat_formula formulas[] = {
    {"gpu_tot_sim_cycle", "cycles", "", total},
    {"smsp__thread_inst_executed_per_inst_executed.ratio", "threads", "a long name", per_depth},
    {"undefined", "", "no value", none},
};

static void test_add(void **state)
{
    (void)state;
    struct core a = {10, 3, 7}, b = {5, 9, 8};
    stat_add(&core_owner, &a, &b);
    assert_int_equal(a.cycles, 15);
    assert_int_equal(a.depth, 9);
    assert_int_equal(a.not_a_counter, 7);
    stat_add(&core_owner, &b, &a);
    assert_int_equal(b.depth, 9);
}

static void test_difference(void **state)
{
    (void)state;
    struct core before = {10, 3, 0}, now = {25, 4, 0}, phase = {0};
    stat_difference(&core_owner, &phase, &now, &before);
    assert_int_equal(phase.cycles, 15);
    assert_int_equal(phase.depth, 4);
}

static void test_get(void **state)
{
    (void)state;
    struct core first = {1, 2, 0}, second = {3, 4, 0};
    struct stat_value parts[] = {{&other_owner, &first}, {&core_owner, &second}};
    struct stat_result result = {parts, 2};
    bool found = false;
    assert_int_equal(stat_get(&result, "sm.cycles", &found), 3);
    assert_true(found);
    assert_int_equal(stat_get(&result, "sm0.cycles", &found), 1);
    assert_true(found);
    assert_int_equal(stat_get(&result, "*.cycles", &found), 1); /* of the first that has it */
    assert_true(found);
    assert_int_equal(stat_get(&result, "*.max_depth", &found), 4);
    assert_true(found);
    static const char *const absent[] = {"*.depth", "*", "sm0.max_depth", "sm.cycle", "sm", "cycles", "sm.", ""};
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++) {
        found = true;
        assert_int_equal(stat_get(&result, absent[i], &found), 0);
        assert_false(found);
    }
}

static struct stat_value part;
static struct stat_result one_result(const struct core *core)
{
    part = (struct stat_value){&core_owner, core};
    return (struct stat_result){&part, 1};
}

/* No line is wider than 100 columns or ends in a blank. */
static void check_lines(const char *text)
{
    int column = 0;
    for (const char *p = text; *p; p++) {
        if (*p == '\n' && p > text)
            assert_int_not_equal(p[-1], ' ');
        column = *p == '\n' ? 0 : column + 1;
        assert_true(column <= 100);
    }
}

static void test_text(void **state)
{
    (void)state;
    struct core core = {12345678901, 2, 0};
    struct stat_result result = one_result(&core);
    struct text out = {0};
    stat_print_text(&result, formulas, 3, &out);
    check_lines(out.data);
    /* The long name of one formula leaves no room beside it: all meanings of this table stand below. */
    static const char expected[] =
        "gpu_tot_sim_cycle                                    12345678901 cycles\n"
        "smsp__thread_inst_executed_per_inst_executed.ratio 6172839450.50 threads\n"
        "    a long name\n"
        "undefined                                                      -\n"
        "    no value\n"
        "\n"
        "sm.cycles    12345678901 cycles   core cycles, idle ones \"included\"\n"
        "sm.max_depth           2 entries  deepest stack of any warp on any multiprocessor since the kernel\n"
        "                                  began to run\n";
    assert_string_equal(out.data, expected);
    text_free(&out);
}

/* What is longer than its column pushes its own line aside, and no other. */
static void test_text_of_long_words(void **state)
{
    (void)state;
    static const struct stat_formula rows[] = {
        {"a", "in a unit that nobody would write", "of one", total},
        {"a_name_that_is_so_long_that_it_does_not_fit_into_any_column", "b", "of another", total},
        {"c", "b", "of a third", total},
    };
    struct core core = {7, 2, 0};
    struct stat_result result = one_result(&core);
    struct text out = {0};
    stat_text_formulas(&result, rows, 1, &out);
    assert_string_equal(out.data, "a 7 in a unit that nobody would write\n"
                                  "                          of one\n");
    text_free(&out);
    stat_text_formulas(&result, rows, 3, &out);
    check_lines(out.data);
    assert_non_null(strstr(out.data, "_into_any_column 7 b\n    of another\n"));
    assert_non_null(strstr(out.data, "\nc                                                    7 b\n"));
    text_free(&out);
}

static void test_text_leaves_zeros_out(void **state)
{
    (void)state;
    struct core zeros = {0, 0, 5}, core = {3, 0, 0};
    struct stat_value parts[] = {{&other_owner, &core}, {&core_owner, &zeros}, {&other_owner, &core}};
    struct stat_result result = {parts, 3};
    struct text out = {0};
    stat_print_text(&result, NULL, 0, &out);
    assert_string_equal(out.data, "sm0.cycles 3 cycles  core cycles, idle ones \"included\"\n\n"
                                  "sm0.cycles 3 cycles  core cycles, idle ones \"included\"\n");
    text_free(&out);
    parts[0] = (struct stat_value){&core_owner, &core};
    result.count = 1;
    stat_print_text(&result, NULL, 0, &out);
    assert_non_null(strstr(out.data, "\nsm.max_depth 0 ")); /* a zero beside others is said */
    text_free(&out);
}

/* A word that would end in column 101 begins the next line. */
static void test_text_wraps(void **state)
{
    (void)state;
    char meaning[100] = "";
    memset(meaning, 'w', 91);
    strcpy(meaning + 91, " yy");
    struct stat_formula row = {"a", "b", meaning, total};
    struct core core = {7, 2, 0};
    struct stat_result result = one_result(&core);
    struct text out = {0};
    stat_text_formulas(&result, &row, 1, &out);
    check_lines(out.data);
    assert_non_null(strstr(out.data, "w\n       yy\n"));
    strcpy(meaning + 91, " y"); /* in column 100 */
    text_free(&out);
    stat_text_formulas(&result, &row, 1, &out);
    assert_non_null(strstr(out.data, "w y\n"));
    text_free(&out);
}

static void test_json(void **state)
{
    (void)state;
    struct core core = {7, 2, 0}, zeros = {0};
    struct stat_value parts[] = {{&core_owner, &core}, {&other_owner, &zeros}};
    struct stat_result result = {parts, 2};
    struct text out = {0};
    stat_print_json(&result, &out);
    assert_string_equal(out.data, "\"sm\":{\"cycles\":7,\"max_depth\":2},\"sm0\":{\"cycles\":0}");
    text_free(&out);
    stat_json_formulas("derived", &result, formulas, 3, &out);
    assert_string_equal(out.data, "\"derived\":{\"gpu_tot_sim_cycle\":7,"
                                  "\"smsp__thread_inst_executed_per_inst_executed.ratio\":3.5,"
                                  "\"undefined\":null}");
    text_free(&out);
}

static void test_csv(void **state)
{
    (void)state;
    struct core core = {1, 3, 0};
    struct stat_result result = one_result(&core);
    struct text out = {0};
    stat_csv_heading(&out);
    stat_csv_formulas(&result, formulas, 3, &out);
    stat_csv_counters(&result, &out);
    assert_string_equal(out.data,
                        "name,value,unit,meaning\n"
                        "gpu_tot_sim_cycle,1,cycles,\n"
                        "smsp__thread_inst_executed_per_inst_executed.ratio,0.3333333333333333,threads,a long name\n"
                        "undefined,,,no value\n"
                        "sm.cycles,1,cycles,\"core cycles, idle ones \"\"included\"\"\"\n"
                        "sm.max_depth,3,entries,deepest stack of any warp on any multiprocessor since the kernel "
                        "began to run\n");
    text_free(&out);
}

/* RFC 4180: commas, quotes and both characters that end lines are quoted; what is written is read back. */
static void test_csv_fields(void **state)
{
    (void)state;
    static const struct {
        const char *field, *written;
    } cases[] = {{"plain", "plain"},
                 {"", ""},
                 {" blanks ", " blanks "},
                 {"a,b", "\"a,b\""},
                 {"\"a\"", "\"\"\"a\"\"\""},
                 {"two\nlines", "\"two\nlines\""},
                 {"two\r\nlines", "\"two\r\nlines\""},
                 {"cr\r", "\"cr\r\""}};
    enum { CASES = sizeof cases / sizeof *cases };
    struct text record = {0};
    for (int i = 0; i < CASES; i++) {
        struct text out = {0};
        stat_csv_field(cases[i].field, &out);
        assert_string_equal(out.data ? out.data : "", cases[i].written);
        text_printf(&record, "%s%s", i ? "," : "", cases[i].written);
        text_free(&out);
    }
    size_t length = record.length;
    text_printf(&record, "\nnext,record\n");
    assert_int_equal(stat_csv_record_bytes(record.data), length + 1);
    record.data[length] = '\0';
    char *rest = record.data;
    for (int i = 0; i < CASES; i++)
        assert_string_equal(stat_csv_take_field(&rest), cases[i].field);
    assert_null(stat_csv_take_field(&rest));
    text_free(&record);
}

/* The rule of stat_format_exact(), number of digits by number of digits. */
static void format_in_turn(double value, char *into)
{
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(into, STAT_NUMBER_LENGTH, "%.*g", digits, value);
        if (strtod(into, NULL) == value)
            return;
    }
}

static void expect_least_digits(double value)
{
    char text[STAT_NUMBER_LENGTH], expected[STAT_NUMBER_LENGTH];
    stat_format_exact(value, text);
    format_in_turn(value, expected);
    assert_string_equal(text, expected);
}

/* Ratios, whole numbers, powers of two and of ten and their neighbours, decimal fractions, and any bits. */
static void figures_have_the_least_digits(void **state)
{
    (void)state;
    static const double few[] = {0,     -0.0,    1,       -1,     999999,  1000000,          1000001, 1200000,
                                 0.5,   1.0 / 3, 2.0 / 3, 0.1,    1e15,    123456789.125,    1e100,   5e-324,
                                 1e-10, 1e22,    1e23,    -42.75, 1234567, 9007199254740993, 0.3,     1e6 - 0.5};
    struct random random = {7};
    for (size_t i = 0; i < sizeof few / sizeof *few; i++)
        expect_least_digits(few[i]);
    for (int i = -1074; i < 1024; i++) {
        expect_least_digits(ldexp(1, i));
        expect_least_digits(nextafter(ldexp(1, i), 0));
        expect_least_digits(nextafter(ldexp(1, i), INFINITY));
    }
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = random_u64(&random);
        double any;
        memcpy(&any, &bits, sizeof any);
        if (isfinite(any))
            expect_least_digits(any);
        expect_least_digits((double)(bits >> 40) / (double)((bits & 0xffffff) + 1));
        expect_least_digits((double)(bits >> 44) / 1e6);
        expect_least_digits((double)(bits >> (bits & 63)));
    }
    char text[STAT_NUMBER_LENGTH];
    stat_format_exact(NAN, text);
    assert_string_equal(text, "");
}

static void numbers_are_printed_in_decimal(void **state)
{
    (void)state;
    static const uint64_t numbers[] = {0, 9, 10, 4294967296, UINT64_MAX};
    struct text text = {0};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        text_append_word(&text, i ? " " : "");
        text_append_number(&text, numbers[i]);
    }
    assert_string_equal(text.data, "0 9 10 4294967296 18446744073709551615");
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_have_the_least_digits),
        cmocka_unit_test(numbers_are_printed_in_decimal),
        cmocka_unit_test(test_add),
        cmocka_unit_test(test_difference),
        cmocka_unit_test(test_get),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_text_of_long_words),
        cmocka_unit_test(test_text_leaves_zeros_out),
        cmocka_unit_test(test_text_wraps),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_csv_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
