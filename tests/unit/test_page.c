/* Pages: how large they become, which sources they have, and that no text ends the element that it stands in. */
#include "page/page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* 2,000 runs with 150 counters each, which vary from run to run. */
static void large(void **state)
{
    (void)state;
    struct page *p = page_create("many", "heddle report many.db");
    uint32_t random = 1;
    for (int i = 0; i < 2000; i++) {
        struct result result = {0};
        char name[32], command[160];
        snprintf(name, sizeof name, "program-%d", i % 50);
        snprintf(command, sizeof command, "heddle run %s --size test --gpu fermi --mech tbc --set mem.l2_bytes=%dK",
                 name, i);
        for (int k = 0; k < 150; k++) {
            char path[32];
            snprintf(path, sizeof path, "sm.counter_%d", k);
            random = random * 1664525 + 1013904223;
            vec_push(&result.values, (struct result_value){strdup(path), random >> 8, 0});
        }
        int run = page_add_run(
            p, &(struct page_run){.name = name, .gpu = "fermi", .mechanism = "tbc", .command = command}, &result);
        assert_int_equal(run, i);
        result_free(&result);
    }
    struct text out = {0};
    page_print(p, &out);
    assert_true(out.length < 5000000);
    assert_true(out.length > 1000000); /* random numbers cannot be packed away: they are there */
    text_free(&out);
    page_destroy(p);
}

static int count(const char *text, const char *part)
{
    int n = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        n++;
    return n;
}

static void hostile(void **state)
{
    (void)state;
    struct text plain = {0}, out = {0};
    struct result result = {0};
    struct page *p = page_create("a", "b");
    page_print(p, &plain);
    page_destroy(p);
    p = page_create("</title><script>alert(1)</script>", "</script><!--");
    page_add_run(p, &(struct page_run){.name = "</script>", .mechanism = "<b>", .command = "x '</script>'"}, &result);
    page_print(p, &out);
    assert_int_equal(count(out.data, "</script>"), count(plain.data, "</script>"));
    assert_int_equal(count(out.data, "<!--"), count(plain.data, "<!--"));
    assert_int_equal(count(out.data, "</title>"), 1);
    text_free(&plain);
    text_free(&out);
    page_destroy(p);
}

static void commands(void **state)
{
    (void)state;
    char *words[] = {"heddle", "run", "a b", "it's", "--arg", "buf:u32[4]", ""};
    struct text out = {0};
    page_print_words(words, 7, &out);
    assert_string_equal(out.data, "heddle run 'a b' 'it'\\''s' --arg 'buf:u32[4]' ''");
    text_free(&out);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* A page has the text of a source that was built in a folder which is gone, as tables have its lines: by the name of
 * the file, in a folder of HEDDLE_SOURCE. It leaves out texts that are too long to read. */
static void sources(void **state)
{
    (void)state;
    char folder[] = "/tmp/heddle-page-XXXXXX", near[80], large_one[80], data[80], *error = NULL;
    assert_non_null(mkdtemp(folder));
    snprintf(near, sizeof near, "%s/near.cu", folder);
    snprintf(large_one, sizeof large_one, "%s/large.cu", folder);
    snprintf(data, sizeof data, "%s/data", folder);
    write_file(near, "int i;\n");
    write_file(large_one, "");
    assert_int_equal(truncate(large_one, 2 << 20), 0);
    write_file(data, "{\"detail\":1,\"kernel\":\"k\",\"hash\":\"1\",\"program\":{},\"places\":{\"files\":{\"1\":"
                     "\"/gone/near.cu\",\"2\":\"/gone/far.cu\",\"3\":\"large.cu\"},\"file\":[1,2,3]}}\n");
    setenv("HEDDLE_SOURCE", folder, 1);
    struct text out = {0};
    struct page *p = page_create("a", "b");
    assert_true(page_add_details(p, 0, data, &error));
    page_print(p, &out);
    assert_int_equal(count(out.data, "\"sources\":{\"/gone/near.cu\":{\"n\":7,\"kind\":\"text\""), 1);
    assert_int_equal(count(out.data, "far.cu\":{\"n\""), 0);
    assert_int_equal(count(out.data, "large.cu\":{\"n\""), 0);
    text_free(&out);
    page_destroy(p);
    unsetenv("HEDDLE_SOURCE");
    unlink(near);
    unlink(large_one);
    unlink(data);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large),
        cmocka_unit_test(hostile),
        cmocka_unit_test(commands),
        cmocka_unit_test(sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
