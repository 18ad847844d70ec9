/* JSON: what is read, what is refused and where, counts that a double cannot hold, and strings in quotes. */
#include "base/arena.h"
#include "base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void note(void *context, const struct json_scalar *v)
{
    static const char kinds[] = {'n', 's', 'b', '0'};
    struct text *out = context;
    text_printf(out, "%s=%c", v->path, kinds[v->kind]);
    if (v->string)
        text_printf(out, "%s", v->string);
    else if (v->kind != JSON_NULL)
        text_printf(out, "%g", v->number);
    text_printf(out, ";");
}

static void expect_walk(const char *json, const char *wanted)
{
    struct text out = {0};
    char *error = NULL;
    if (!json_walk(json, note, &out, &error))
        fail_msg("%s: %s", json, error);
    assert_string_equal(out.data ? out.data : "", wanted);
    text_free(&out);
}

static void test_walk(void **state)
{
    (void)state;
    expect_walk(" 12 ", "=n12;");
    expect_walk("{\"a\":{\"b\":-1.5e2,\"c\":true},\"d\":null}", "a.b=n-150;a.c=b1;d=0;");
    expect_walk("{\"l\":[{\"x\":1},{\"x\":2}],\"e\":[],\"o\":{}}", "l[].x=n1;l[].x=n2;");
    expect_walk("[\"\", \"a\\\"b\\\\\\n\", \"\\u00e9\\u20ac\\ud83d\\ude00\"]",
                "[]=s;[]=sa\"b\\\n;[]=s\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80;");
}

static void expect_refusal(const char *json, const char *wanted)
{
    struct text out = {0};
    char *error = NULL;
    if (json_walk(json, note, &out, &error))
        fail_msg("'%.40s' was read", json);
    assert_non_null(error);
    if (!strstr(error, wanted))
        fail_msg("'%s' is not in '%s'", wanted, error);
    assert_null(out.data); /* nothing of a broken text is visited */
    free(error);
}

static void test_broken_text_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",      "{",       "{\"a\"}", "{\"a\":}", "[1,]", "[1 2]",     "{a:1}",
                                      "\"abc", "\"\\x\"", "nul",     "1 2",      "-",    "\"\\u12\"", "]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect_refusal(bad[i], "not JSON");
    expect_refusal("{\"a\":1,\"b\":x}", "at byte 11: not JSON");
}

/* Brackets that close, `levels` deep. */
static char *nested(size_t levels)
{
    char *text = xmalloc(2 * levels + 1);
    memset(text, '[', levels);
    memset(text + levels, ']', levels);
    text[2 * levels] = '\0';
    return text;
}

static void test_deep_nesting_is_refused(void **state)
{
    (void)state;
    char *some = nested(100), *many = nested(10000000);
    expect_walk(some, "");
    expect_refusal(many, "nested more than 1000 levels deep");
    free(some);
    free(many);
}

static void count_scalars(void *context, const struct json_scalar *v)
{
    (void)v;
    ++*(int *)context;
}

/* A line of 20 MB; a reader that is quadratic in its length would take hours. */
static void test_long_line(void **state)
{
    (void)state;
    enum { ELEMENTS = 1000000 };
    struct text t = {0};
    char *error = NULL;
    int count = 0;
    text_printf(&t, "{\"list\":[0");
    for (int i = 1; i < ELEMENTS; i++)
        text_printf(&t, ",{\"number\":%8d}", i);
    text_printf(&t, "]}");
    assert_true(json_walk(t.data, count_scalars, &count, &error));
    assert_int_equal(count, ELEMENTS);
    text_free(&t);
}

static void test_counts(void **state)
{
    (void)state;
    static const char *const inexact[] = {"large", "negative", "half"};
    uint64_t count = 0;
    char *error = NULL;
    cJSON *v =
        json_read("{\"zero\":0,\"most\":9007199254740992,\"large\":9007199254740994,\"negative\":-1,\"half\":0.5,"
                  "\"text\":\"1\"}",
                  &error);
    assert_non_null(v);
    assert_true(json_get_count(v, "most", &count, &error));
    assert_int_equal(count, 9007199254740992);
    assert_true(json_get_count(v, "zero", &count, &error));
    assert_int_equal(count, 0);
    assert_false(json_get_count(v, "text", &count, &error));
    assert_false(json_get_count(v, "missing", &count, &error));
    assert_null(error);
    for (size_t i = 0; i < sizeof inexact / sizeof *inexact; i++) {
        error = NULL;
        assert_false(json_get_count(v, inexact[i], &count, &error));
        assert_non_null(error);
        assert_non_null(strstr(error, inexact[i]));
        free(error);
    }
    cJSON_Delete(v);
}

static void test_strings_are_quoted(void **state)
{
    (void)state;
    struct text t = {0};
    json_print_string(&t, "a\"b\\c\n\xff");
    assert_string_equal(t.data, "\"a\\\"b\\\\c\\u000a\\u00ff\"");
    text_free(&t);
    json_print_string(&t, NULL);
    assert_string_equal(t.data, "null");
    text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk),
        cmocka_unit_test(test_broken_text_is_refused),
        cmocka_unit_test(test_deep_nesting_is_refused),
        cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_strings_are_quoted),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
