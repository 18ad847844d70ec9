/* The options of a run: words, ranges, the environment, and the line of JSON that a launch leaves. */
#include "exec/code.h"
#include "report/report.h"
#include "report/result.h"
#include "run/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void test_defaults(void **state)
{
    (void)state;
    struct run_options o;
    options_default(&o);
    assert_int_equal(o.executor, EXECUTOR_ENGINE);
    assert_int_equal(o.check, CHECK_NOTHING);
    assert_int_equal(o.instruction_limit, 10000000000);
    assert_int_equal(o.stack_bytes, LAUNCH_DEFAULT_STACK_BYTES);
    assert_null(o.json_path);
    options_free(&o);
}

static void test_words(void **state)
{
    (void)state;
    struct run_options o;
    char *error = NULL;
    char *argv[] = {"--limit", "3K", "--executor=oracle", "--check=races", "--json", "a b.json", "--grid", "4"};
    int index = 0;
    options_default(&o);
    assert_int_equal(options_take(&o, 8, argv, &index, &error), 1);
    assert_int_equal(index, 2);
    assert_int_equal(o.instruction_limit, 3000); /* of bytes it would be 3072 */
    assert_int_equal(options_take(&o, 8, argv, &index, &error), 1);
    assert_int_equal(o.executor, EXECUTOR_ORACLE);
    assert_int_equal(options_take(&o, 8, argv, &index, &error), 1);
    assert_int_equal(o.check, CHECK_RACES);
    assert_int_equal(options_take(&o, 8, argv, &index, &error), 1);
    assert_string_equal(o.json_path, "a b.json");
    assert_int_equal(options_take(&o, 8, argv, &index, &error), 0); /* not ours: left where it is */
    assert_int_equal(index, 6);
    options_free(&o);
}

/* What options_print() writes, options_take_text() reads back: the same options, whatever their words hold. */
static void test_print(void **state)
{
    (void)state;
    static const char words[] =
        "--limit 5 --executor oracle --json \"it's 'a' file.json\" --gpu 'a \"b\"/c.ini' "
        "--set a.b=1 --set 'c.d=x y' --paper-schedulers --trace list --stack 128 --quiet --csv=-";
    struct run_options before, after;
    struct text printed = {0}, a = {0}, b = {0};
    char *error = NULL;
    options_default(&before);
    options_default(&after);
    options_print(&before, &printed);
    assert_int_equal(printed.length, 0); /* defaults need no word */
    assert_true(options_take_text(&before, words, &error));
    options_print(&before, &printed);
    assert_true(options_take_text(&after, printed.data, &error));
    options_json(&before, &a);
    options_json(&after, &b);
    assert_string_equal(a.data, b.data);
    assert_string_equal(after.json_path, "it's 'a' file.json");
    assert_string_equal(after.settings, "a.b=1\nc.d=x y\n");
    assert_true(after.is_quiet);
    assert_true(after.paper_schedulers);
    text_free(&printed);
    text_free(&a);
    text_free(&b);
    options_free(&before);
    options_free(&after);
}

static void test_absolute(void **state)
{
    (void)state;
    struct run_options o;
    char *error = NULL, *here = realpath(".", NULL), wanted[4096];
    options_default(&o);
    assert_true(options_take_text(&o, "--json a.json --csv - --trace-file /b --gpu fermi", &error));
    assert_true(options_make_absolute(&o, &error));
    snprintf(wanted, sizeof wanted, "%s/a.json", here);
    assert_string_equal(o.json_path, wanted);
    assert_string_equal(o.csv_path, "-");
    assert_string_equal(o.trace_file, "/b");
    assert_string_equal(o.gpu, "fermi");
    options_free(&o);
    free(here);
}

static void refuse(const char *words, const char *expected)
{
    struct run_options o;
    char *error = NULL;
    options_default(&o);
    assert_false(options_take_text(&o, words, &error));
    assert_non_null(error);
    if (!strstr(error, expected))
        fail_msg("'%s' gives '%s', which does not say '%s'", words, error, expected);
    free(error);
    options_free(&o);
}

static void test_wrong_words(void **state)
{
    (void)state;
    refuse("--limit", "needs a value");
    refuse("--limit x", "not 'x'");
    refuse("--limit -1", "not '-1'");
    refuse("--limit 99999999999999999999", "not '99999999999999999999'");
    refuse("--limit 18446744073709551615G", "must be a number");
    refuse("--stack 1", "from 64");
    refuse("--stack 1G", "524288");
    refuse("--memory 1", "1048576");
    refuse("--executor enigne", "engine|oracle");
    refuse("--memroy 1G", "--memory");
    refuse("--jsn x", "--json");
    refuse("--json=", "needs a name");
    refuse("limit 3", "did you mean --limit?");
    refuse("--json 'open", "quote");
}

/* What request_settle() finds wrong. */
static void refuse_together(const char *words, const char *expected)
{
    struct run_request o;
    char *error = NULL;
    request_open(&o);
    assert_true(options_take_text(&o.options, words, &error));
    assert_false(request_settle(&o, &error));
    if (!strstr(error, expected))
        fail_msg("'%s' gives '%s', which does not say '%s'", words, error, expected);
    free(error);
    request_close(&o);
}

static unsigned groups_of(const char *words)
{
    struct run_request o;
    char *error = NULL;
    request_open(&o);
    assert_true(options_take_text(&o.options, words, &error));
    assert_true(request_settle(&o, &error));
    unsigned groups = o.report_groups;
    request_close(&o);
    return groups;
}

static void test_figures(void **state)
{
    (void)state;
    assert_int_equal(groups_of(""), REPORT_SUMMARY);
    assert_int_equal(groups_of("--stats none"), 0);
    assert_int_equal(groups_of("--gpu tiny --stats cycles,lines"), REPORT_CYCLES | REPORT_LINES);
    assert_int_equal(groups_of("--gpu tiny --interval 10"), REPORT_SUMMARY | REPORT_INTERVALS);
    assert_int_equal(groups_of("--gpu tiny --interval 10 --stats lines"), REPORT_LINES);
    refuse_together("--stats cycle", "there are no statistics 'cycle'");
    refuse_together("--stats cycles", "--stats needs a machine");
    refuse_together("--csv x.csv", "--csv needs a machine");
    refuse_together("--interval 5", "--interval needs a machine");
    refuse_together("--gpu tiny --stats summary,intervals", "--interval N");
}

static void test_environment(void **state)
{
    (void)state;
    struct run_request o;
    char *error = NULL;
    request_open(&o);
    setenv("HEDDLE_OPTS", "  --json 'x y'\"z\"  --stack=4096\t", 1);
    assert_true(options_take_environment(&o.options, &error));
    assert_string_equal(o.options.json_path, "x yz");
    assert_int_equal(o.options.stack_bytes, 4096);
    request_close(&o);
    setenv("HEDDLE_OPTS", "", 1);
    assert_true(options_take_environment(&o.options, &error));
    unsetenv("HEDDLE_OPTS");
    assert_true(options_take_environment(&o.options, &error));
}

/* A kernel that is ready to be launched. */
struct ready {
    struct ptx_module *module;
    struct memory *memory;
    struct image *image;
    struct code *code;
    struct launch launch;
    struct launch_result result;
};

static void make_ready(struct ready *r, const char *body)
{
    struct diag diag = {0};
    struct text ptx = {0};
    char *error = NULL;
    text_printf(&ptx, ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() { %s ret; }\n", body);
    *r = (struct ready){0};
    r->module = ptx_parse("test", ptx.data, ptx.length, &diag);
    assert_non_null(r->module);
    r->memory = memory_create(1 << 20);
    r->image = image_load(r->module, r->memory, &error);
    r->code = code_create(r->module->functions[0], r->image, &error);
    assert_non_null(r->code);
    r->launch =
        (struct launch){.kernel = r->module->functions[0], .image = r->image, .grid = {1, 1, 1}, .block = {16, 1, 1}};
    text_free(&ptx);
    diag_free(&diag);
}

static void end_ready(struct ready *r)
{
    code_destroy(r->code);
    image_unload(r->image);
    memory_destroy(r->memory);
    ptx_destroy(r->module);
}

static void expect_line(const char *path, const char *const *parts)
{
    char line[32768] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    assert_int_equal(line[strlen(line) - 1], '\n');
    for (; *parts; parts++)
        if (!strstr(line, *parts))
            fail_msg("no %s in %s", *parts, line);
}

static void test_json_line(void **state)
{
    (void)state;
    struct ready r;
    struct run_request o;
    char path[] = P_tmpdir "/heddle-options-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    request_open(&o);
    o.options.json_path = strdup(path);
    make_ready(&r, "");
    assert_true(run_launch_aloud(&o, &r.launch, r.code, &r.result));
    expect_line(path, (const char *const[]){
                          "{\"kernel\":\"k\",\"mechanism\":\"functional\",\"gpu\":null,\"cycles\":null,\"warp_"
                          "instructions\":1,"
                          "\"thread_instructions\":16,\"simd_efficiency\":0.500000,\"host_seconds\":0.",
                          "\"launch\":{\"grid\":[1,1,1],\"block\":[16,1,1],\"shared\":0", "\"program\":{\"hash\":\"",
                          "\"fault\":null", "\"options\":{\"executor\":\"engine\"",
                          "\"version\":\"" HEDDLE_VERSION "\"}\n", NULL});
    o.options.executor = EXECUTOR_ORACLE;
    assert_int_equal(truncate(path, 0), 0);
    assert_true(run_launch_aloud(&o, &r.launch, r.code, &r.result));
    expect_line(path, (const char *const[]){"\"mechanism\":\"oracle\"", "\"warp_instructions\":null",
                                            "\"simd_efficiency\":null", "\"thread_instructions\":16", NULL});
    end_ready(&r);
    unlink(path);
    request_close(&o);
}

/* On a machine: JSON carries everything, CSV the figures of --stats, one heading for all launches. */
static void test_machine_results(void **state)
{
    (void)state;
    struct ready r;
    struct run_request o;
    char *error = NULL, json[] = P_tmpdir "/heddle-options-XXXXXX", csv[] = P_tmpdir "/heddle-options-XXXXXX";
    char words[256], table[256] = "";
    close(mkstemp(json));
    close(mkstemp(csv));
    snprintf(words, sizeof words, "--gpu tiny --stats lines --interval 1000 --json %s --csv %s", json, csv);
    request_open(&o);
    assert_true(options_take_text(&o.options, words, &error));
    assert_true(request_settle(&o, &error));
    make_ready(&r, "");
    struct run_outcome outcome;
    struct text report = {0};
    for (int i = 0; i < 2; i++) {
        r.launch.grid_id = (uint64_t)i;
        assert_true(run_launch(&o, &r.launch, r.code, &outcome, &report));
        run_outcome_free(&outcome);
    }
    assert_non_null(strstr(report.data, "\nlines, by issues\n"));
    text_free(&report);
    expect_line(json, (const char *const[]){
                          "\"mechanism\":\"pdom\",\"gpu\":\"tiny\",\"cycles\":", "\"simd_efficiency\":1.000000",
                          "\"derived\":{", "\"branches\":[]", "\"lines\":[{\"where\":\"PTX line 4\",\"issues\":4,",
                          "\"intervals\":[{\"end\":", "\"occupancy\":{", "\"machine\":{\"name\":\"tiny\"", NULL});
    FILE *file = fopen(csv, "r");
    assert_non_null(file);
    assert_true(fread(table, 1, sizeof table - 1, file) > 0);
    fclose(file);
    assert_string_equal(table, "launch,kernel,line,issues,threads,transactions,lost_lanes,lost_issues\n"
                               "0,k,PTX line 4,4,16,0,0,0\n1,k,PTX line 4,4,16,0,0,0\n");
    end_ready(&r);
    unlink(json);
    unlink(csv);
    request_close(&o);
}

static void test_json_fault(void **state)
{
    (void)state;
    struct ready r;
    struct run_request o;
    char path[] = P_tmpdir "/heddle-options-XXXXXX";
    close(mkstemp(path));
    request_open(&o);
    o.options.json_path = strdup(path);
    o.options.instruction_limit = 100;
    make_ready(&r, "L: bra L;");
    assert_true(run_launch_aloud(&o, &r.launch, r.code, &r.result));
    assert_int_equal(r.result.fault.kind, FAULT_LIMIT);
    expect_line(path,
                (const char *const[]){"\"fault\":{\"kind\":\"limit of instructions reached\"", "\"limit\":100", NULL});
    end_ready(&r);
    unlink(path);
    request_close(&o);
}

static void test_json_unwritable(void **state)
{
    (void)state;
    struct ready r;
    struct run_request o;
    request_open(&o);
    make_ready(&r, "");
    o.options.json_path = strdup("/dev/full");
    assert_false(run_launch_aloud(&o, &r.launch, r.code, &r.result));
    assert_int_equal(r.result.fault.kind, FAULT_NONE); /* the launch itself was fine */
    free(o.options.json_path);
    o.options.json_path = strdup("/no/such/folder/x.json");
    assert_false(run_launch_aloud(&o, &r.launch, r.code, &r.result));
    end_ready(&r);
    request_close(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),        cmocka_unit_test(test_words),
        cmocka_unit_test(test_print),           cmocka_unit_test(test_absolute),
        cmocka_unit_test(test_wrong_words),     cmocka_unit_test(test_environment),
        cmocka_unit_test(test_json_line),       cmocka_unit_test(test_json_fault),
        cmocka_unit_test(test_json_unwritable), cmocka_unit_test(test_figures),
        cmocka_unit_test(test_machine_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
