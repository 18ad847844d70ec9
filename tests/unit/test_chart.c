/* Charts: round scales, where bars and published values stand in SVG, well-formed XML, escapes, LaTeX, CSV, JSON, text. */
#include "report/chart.h"

#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PLOT_HEIGHT = 250 };

/* Two programs and a mean under two mechanisms; one value is missing, one is published. */
static struct chart *example(enum chart_kind kind)
{
    static struct chart_mark mark = {2, 0, 1.5};
    static struct chart_rule rule = {0.5, "a <rule>"};
    static const double values[3][2] = {{2, 1}, {1, NAN}, {1.25, 1}};
    struct chart *c = chart_create(3, 2, 1);
    c->kind = kind;
    c->unit = CHART_RATIO;
    c->id = "7";
    c->title = "A & B";
    c->y_label = "Speedup";
    c->groups[0] = (struct chart_group){.name = "P1"};
    c->groups[1] = (struct chart_group){.name = "P2, \"x\""};
    c->groups[2] = (struct chart_group){.name = "mean", .is_mean = true};
    c->series[0] = "M_1";
    c->series[1] = "M2";
    for (int g = 0; g < 3; g++)
        for (int s = 0; s < 2; s++)
            *chart_value(c, g, s, 0) = values[g][s];
    c->marks = &mark;
    c->mark_count = 1;
    c->rules = &rule;
    c->rule_count = 1;
    return c;
}

/* Three parts per bar; the middle part of the second bar is 0. */
static struct chart *stack(enum chart_kind kind, int series)
{
    struct chart *c = chart_create(2, series, 3);
    c->kind = kind;
    c->id = "8a";
    c->title = "Parts";
    c->parts[0] = "low";
    c->parts[1] = "middle";
    c->parts[2] = "high";
    for (int g = 0; g < 2; g++) {
        c->groups[g] = (struct chart_group){.name = g ? "Q" : "P", .at = 100 * (g + 1)};
        for (int s = 0; s < series; s++)
            for (int p = 0; p < 3; p++)
                *chart_value(c, g, s, p) = g && p == 1 ? 0 : p + 1;
    }
    c->series[0] = "S";
    if (series > 1)
        c->series[1] = "T";
    return c;
}

static char *draw(struct chart *c, void (*print)(struct chart *const *, int, struct text *))
{
    struct text out = {0};
    print(&c, 1, &out);
    return text_take(&out);
}

/* Whether tags are closed in their order and < stands nowhere else. */
static bool is_well_formed(const char *xml)
{
    char open[16][16];
    int depth = 0;
    for (const char *at = xml; (at = strchr(at, '<')); at++) {
        const char *end = strpbrk(at + 1, "<>");
        if (!end || *end == '<')
            return false;
        size_t name = strcspn(at + 1 + (at[1] == '/'), " />");
        if (at[1] == '/') {
            if (!depth-- || strncmp(open[depth], at + 2, name) != 0 || open[depth][name])
                return false;
        } else if (end[-1] != '/') {
            if (depth == 16 || name > 15)
                return false;
            snprintf(open[depth++], 16, "%.*s", (int)name, at + 1);
        }
    }
    return depth == 0;
}

static int count(const char *text, const char *word)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, word)); at++)
        n++;
    return n;
}

static void test_scale(void **state)
{
    (void)state;
    static const struct {
        double most, limit, high, step;
        int digits;
    } rows[] = {{1.9, 0, 2, 0.5, 1},        {0.93, 0, 1, 0.2, 1}, {76, 0, 80, 20, 0},         {1.5, 0, 1.5, 0.25, 2},
                {12345, 0, 12500, 2500, 0}, {30, 4, 4, 1, 0},     {0.031, 0, 0.035, 0.005, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct chart *c = chart_create(1, 1, 1);
        *chart_value(c, 0, 0, 0) = rows[i].most;
        c->limit = rows[i].limit;
        struct chart_scale s = chart_scale(c);
        assert_true(s.low == 0);
        assert_true(fabs(s.high - rows[i].high) < 1e-9);
        assert_true(fabs(s.step - rows[i].step) < 1e-9);
        assert_int_equal(chart_scale_digits(&s), rows[i].digits);
        chart_free(c);
    }
}

/* A chart of lines may leave 0 out, one of bars may not; without values there is an axis all the same. */
static void test_scale_of_lines(void **state)
{
    (void)state;
    struct chart *c = chart_create(1, 2, 1);
    c->kind = CHART_LINES;
    assert_true(chart_scale(c).high > chart_scale(c).low);
    *chart_value(c, 0, 0, 0) = 0.95;
    *chart_value(c, 0, 1, 0) = 1.05;
    assert_true(chart_scale(c).low > 0.9 && chart_scale(c).high < 1.1);
    c->kind = CHART_BARS;
    assert_true(chart_scale(c).low == 0);
    chart_free(c);
}

/* The number behind the first `key` after the last of several words. */
static double number_after(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    assert_non_null(at);
    return strtod(at + strlen(key), NULL);
}

/* The axis is from 0 to 2, so that the height of a value is its half. */
static void test_heights(void **state)
{
    (void)state;
    struct chart *c = example(CHART_BARS);
    char *svg = draw(c, chart_print_svg);
    assert_true(chart_scale(c).high == 2);
    const char *bar = strstr(svg, "<rect class=\"bar\" fill=\"#4e79a7\" x=");
    for (int legend = 0; legend < 1; legend++) /* the first is the legend's */
        bar = strstr(bar + 1, "<rect class=\"bar\" fill=\"#4e79a7\" x=");
    assert_true(fabs(number_after(bar, "height=\"") - PLOT_HEIGHT) < 0.2);
    double top = number_after(bar, " y=\"");
    bar = strstr(bar, "mean, M_1: 1.250") - 200; /* the bar whose title this is */
    bar = strstr(bar, "height=\"");
    assert_true(fabs(number_after(bar, "height=\"") - PLOT_HEIGHT * 1.25 / 2) < 0.2);
    /* The diamond's uppermost corner is 4.5 pixels above the value. */
    const char *mark = strstr(svg, "published: mean, M_1: 1.500");
    assert_non_null(mark);
    while (strncmp(mark, "<path class=\"mark\"", 18) != 0)
        mark--;
    double x = number_after(mark, " d=\"M"), y = number_after(strchr(strstr(mark, " d=\"M") + 5, ' '), " ");
    assert_true(fabs(y + 4.5 - (top + PLOT_HEIGHT * 0.5 / 2)) < 0.2);
    const char *named = strstr(svg, "mean, M_1: 1.250");
    while (strncmp(named, "<rect", 5) != 0)
        named--;
    assert_true(fabs(number_after(named, " x=\"") + number_after(named, "width=\"") / 2 - x) < 0.2);
    free(svg);
    chart_free(c);
}

static void test_documents(void **state)
{
    (void)state;
    for (int kind = CHART_BARS; kind < CHART_KINDS; kind++) {
        bool has_parts = kind == CHART_STACKED || kind == CHART_AREA;
        struct chart *c =
            has_parts ? stack((enum chart_kind)kind, kind == CHART_STACKED ? 2 : 1) : example((enum chart_kind)kind);
        char *svg = draw(c, chart_print_svg), *latex = draw(c, chart_print_latex);
        assert_true(is_well_formed(svg));
        assert_null(strstr(svg, "nan"));
        assert_null(strstr(latex, "nan"));
        assert_int_equal(count(latex, "\\begin{"), count(latex, "\\end{"));
        assert_true(has_parts || strstr(svg, "A &#38; B"));
        assert_true(has_parts || strstr(svg, "a &#60;rule&#62;"));
        assert_true(has_parts || strstr(latex, "A \\& B"));
        assert_true(has_parts || kind == CHART_LINES || strstr(latex, "M\\_1"));
        free(svg);
        free(latex);
        chart_free(c);
    }
}

static void test_missing(void **state)
{
    (void)state;
    struct chart *c = example(CHART_BARS);
    char *svg = draw(c, chart_print_svg);
    assert_int_equal(count(svg, "class=\"none\""), 2); /* the bar's and the legend's */
    assert_int_equal(count(svg, "class=\"mark\""), 2);
    assert_int_equal(count(svg, "<rect class=\"bar\""), 5 + 2);
    free(svg);
    chart_free(c);
}

/* Parts stand on each other; a part of nothing has no rectangle; two areas share their edge. */
static void test_stacks(void **state)
{
    (void)state;
    struct chart *c = stack(CHART_STACKED, 1);
    char *svg = draw(c, chart_print_svg);
    assert_int_equal(count(svg, "<rect class=\"bar\""), 3 + 2 + 3); /* and the legend's three */
    assert_true(chart_total(c, 0, 0) == 6 && chart_total(c, 1, 0) == 4);
    char *latex = draw(c, chart_print_latex);
    const char *middle = strstr(latex, "fill=c1"); /* as high as low and middle together */
    assert_non_null(middle);
    assert_true(strstr(middle, ",3)") && strstr(middle, ",3)") < strstr(middle, "};"));
    free(latex);
    free(svg);
    chart_free(c);
}

/* A bar beyond the axis ends with it, and says its value. */
static void test_limit(void **state)
{
    (void)state;
    struct chart *c = example(CHART_BARS);
    c->limit = 1.5;
    char *svg = draw(c, chart_print_svg);
    assert_true(chart_scale(c).high == 1.5);
    assert_int_equal(count(svg, "class=\"cut\""), 1);
    assert_non_null(strstr(svg, ">2.000</text>"));
    free(svg);
    chart_free(c);
}

static void test_records(void **state)
{
    (void)state;
    struct chart *c = example(CHART_BARS);
    char *csv = draw(c, chart_print_csv), *json = draw(c, chart_print_json);
    assert_string_equal(csv, "figure,group,series,part,at,value,published\n"
                             "7,P1,M_1,,,2,\n7,P1,M2,,,1,\n"
                             "7,\"P2, \"\"x\"\"\",M_1,,,1,\n7,\"P2, \"\"x\"\"\",M2,,,,\n"
                             "7,mean,M_1,,,1.25,1.5\n7,mean,M2,,,1,\n");
    assert_non_null(strstr(json, "{\"figure\":\"7\",\"group\":\"mean\",\"series\":\"M_1\",\"part\":null,\"mean\":true,"
                                 "\"at\":null,\"value\":1.25,\"published\":1.5}\n"));
    assert_non_null(strstr(json, "\"series\":\"M2\",\"part\":null,\"mean\":false,\"at\":null,\"value\":null"));
    free(csv);
    free(json);
    chart_free(c);
}

/* Columns that do not fit go below the others, with the names of the rows again. */
static void test_text(void **state)
{
    (void)state;
    struct chart *c = example(CHART_BARS);
    struct text out = {0};
    chart_print_text(&c, 1, 100, &out);
    assert_non_null(strstr(out.data, "mean           1.250    1.000\n  published    1.500         \n"));
    assert_non_null(strstr(out.data, "P2, \"x\"        1.000        -\n"));
    text_free(&out);
    chart_print_text(&c, 1, 21, &out);
    assert_int_equal(count(out.data, "P1 "), 2);
    text_free(&out);
    chart_free(c);
}

static void test_formats(void **state)
{
    (void)state;
    static const struct {
        enum chart_unit unit;
        double value;
        const char *words;
    } rows[] = {{CHART_RATIO, 1.2345, "1.234"}, {CHART_PERCENT, 76, "76.0%"},    {CHART_NUMBER, 3, "3"},
                {CHART_NUMBER, 9999, "9999"},   {CHART_NUMBER, 12345, "12.35k"}, {CHART_NUMBER, 2.5e7, "25M"},
                {CHART_NUMBER, 3e13, "30T"},    {CHART_RATIO, NAN, "-"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char words[CHART_FORMAT_BYTES];
        chart_format(rows[i].unit, rows[i].value, words);
        assert_string_equal(words, rows[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scale),     cmocka_unit_test(test_scale_of_lines), cmocka_unit_test(test_heights),
        cmocka_unit_test(test_documents), cmocka_unit_test(test_missing),        cmocka_unit_test(test_stacks),
        cmocka_unit_test(test_limit),     cmocka_unit_test(test_records),        cmocka_unit_test(test_text),
        cmocka_unit_test(test_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
