/* What the paper on speculative reconvergence needs of studies: programs that are files, signs by program, and the rule
 * on opportunity. Files are those of the repository's root, where tests run. */
#include "study/experiment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char heading[] = "id,kind,source,programs,claim,published,metric,runs,rule,why\n";

static struct paper *read_paper(const char *programs, const char *runs, const char *claim, char **error)
{
    struct text ini = {0}, csv = {0};
    text_printf(&ini, "[paper]\ntitle = A\ngpu = volta\nptx = nvcc\n[programs]\n%s[runs]\n%s", programs, runs);
    text_printf(&csv, "%s%s\n", heading, claim);
    struct paper *p = paper_read(&(struct paper_text){"test", NULL, NULL, ini.data, csv.data}, error);
    text_free(&ini);
    text_free(&csv);
    return p;
}

/* ---- files ---- */

static void expect_refusal(const char *program, const char *runs, const char *message)
{
    char *error = NULL;
    struct paper *p = read_paper(program, runs, "", &error);
    if (p && paper_check_runs(p, &error))
        fail_msg("accepted: %s", program);
    if (!strstr(error, message))
        fail_msg("'%s' is not in '%s'", message, error);
    free(error);
    paper_free(p);
}

static char *words_of(const struct trial *t)
{
    struct text words = {0};
    for (int i = 0; i < t->words.count; i++)
        text_printf(&words, "%s%s", i ? " " : "", t->words.data[i]);
    return text_take(&words);
}

/* A kernel of a file gets its own arguments, and no option that is for workloads alone. */
static void test_files(void **state)
{
    (void)state;
    char *error = NULL;
    struct paper *p = read_paper("aes = set\nfork = set @examples/fork.ptx --grid 4 --arg 8\n",
                                 "a = --hints --mech volta --size test\n", "X,k,s,set,t,p,speedup,a,first", &error);
    assert_null(p); /* first takes several runs */
    free(error);
    p = read_paper("aes = set\nfork = set @examples/fork.ptx --grid 4 --arg 8\n",
                   "a = --hints --mech volta --size test\n", "X,k,s,set,t,p,efficiency,a,below 9", &error);
    if (!p || !paper_check_runs(p, &error))
        fail_msg("%s", error);
    struct experiment e;
    experiment_plan(&e, p, NULL, &(struct experiment_scope){.size = "small"});
    char *workload = words_of(&e.trials[0]), *file = words_of(&e.trials[1]);
    assert_non_null(strstr(workload, "--hints"));
    assert_true(e.trials[0].verifies_itself);
    const char *rest = strstr(file, "examples/fork.ptx");
    assert_non_null(rest);
    assert_null(strstr(file, "@"));
    assert_null(strstr(file, "--hints"));
    assert_null(strstr(file, "--size"));
    assert_null(strstr(file, "--ptx"));
    assert_non_null(strstr(file, "--mech volta"));
    assert_non_null(strstr(file, "--grid 4 --arg 8"));
    assert_non_null(strstr(file, "--verify functional"));
    assert_false(e.trials[1].verifies_itself);
    free(workload);
    free(file);
    experiment_free(&e);
    paper_free(p);
}

static void test_refused_files(void **state)
{
    (void)state;
    expect_refusal("x = set @examples/nosuch.ptx\n", "a = --mech pdom\n",
                   "test.ini:6: cannot read examples/nosuch.ptx: No such file");
    expect_refusal("x = set @nosuch.ptx\n", "a = --mech pdom\n", "test.ini:6: cannot read nosuch.ptx: No such file");
    expect_refusal("x = set @examples/fork.ptx --grdi 4\n", "a = --mech pdom\n", "the run a of x: unknown option");
    expect_refusal("aes = set --grid 4\n", "a = --mech pdom\n", "the run a of aes: unknown option '--grid'");
    expect_refusal("aes = set\n", "a = --size big\n", "'big' is no value of --size");
}

/* ---- rules ---- */

/* A program's runs: efficiency and cycles before, the same after, and predictions; efficiency 0: the run failed. */
struct outcome {
    int before, cycles_before, after, cycles_after, predictions;
};

static void add_run(struct trial *t, int efficiency, int cycles, int predictions)
{
    char line[200], *error = NULL;
    trial_add_word(t, "x");
    t->status = efficiency ? 0 : 3;
    snprintf(line, sizeof line,
             "{\"cycles\":%d,\"sm\":{\"thread_instructions\":%d,\"issue_slots\":100},\"volta\":{\"predictions\":%d}}",
             cycles, efficiency, predictions);
    assert_true(measurement_add_line(&t->measurement, line, &error));
}

static void expect_verdict(const struct outcome outcomes[4], const char *rule, enum verdict wanted,
                           const char *measured)
{
    char *error = NULL;
    struct text claim = {0};
    struct trial trials[8] = {0};
    struct judgement j;
    text_printf(&claim, "X,k,s,set,t,p,speedup,auto/pdom,%s,", rule);
    struct paper *p = read_paper("aes = set\nlps = set\nray = set\nmum = set\n",
                                 "pdom = --recon none\nauto = --recon auto\n", claim.data, &error);
    if (!p)
        fail_msg("%s", error);
    for (int i = 0; i < 4; i++) {
        add_run(&trials[2 * i], outcomes[i].before, outcomes[i].cycles_before, 0);
        add_run(&trials[2 * i + 1], outcomes[i].after, outcomes[i].cycles_after, outcomes[i].predictions);
    }
    judge(&(struct evidence){p, trials}, &p->claims[0], &j);
    if (j.verdict != wanted || strcmp(j.measured.data ? j.measured.data : "", measured))
        fail_msg("%s: %s, %s", rule, verdict_names[j.verdict], j.measured.data ? j.measured.data : "");
    judgement_free(&j);
    for (int i = 0; i < 8; i++)
        trial_free(&trials[i]);
    paper_free(p);
    text_free(&claim);
}

static void test_opportunity(void **state)
{
    (void)state;
    /* Three divergent programs. Two have predictions, one of which gains; the even one does not count. */
    static const struct outcome some[4] = {
        {90, 10, 99, 5, 1}, {50, 11, 55, 10, 1}, {79, 10, 79, 10, 1}, {20, 10, 20, 10, 0}};
    expect_verdict(some, "opportunity 66 50", VERDICT_HOLDS, "2 of 3; 1 of 2");
    expect_verdict(some, "opportunity 30 50", VERDICT_FAILS, "2 of 3; 1 of 2"); /* no minority */
    expect_verdict(some, "opportunity 66 20", VERDICT_FAILS, "2 of 3; 1 of 2");
    /* Faster alone, or more efficient alone, is no gain. */
    static const struct outcome half[4] = {
        {50, 11, 54, 10, 1}, {50, 10, 60, 10, 2}, {50, 10, 50, 10, 0}, {50, 10, 50, 10, 0}};
    expect_verdict(half, "opportunity 50 30", VERDICT_FAILS, "2 of 4; 0 of 2");
    /* One in four has predictions and all of these gain; published one in eight, and a third. */
    static const struct outcome one[4] = {
        {50, 20, 60, 10, 1}, {50, 10, 50, 10, 0}, {50, 10, 50, 10, 0}, {50, 10, 50, 10, 0}};
    expect_verdict(one, "opportunity 25 100", VERDICT_HOLDS, "1 of 4; 1 of 1");
    expect_verdict(one, "opportunity 25 40", VERDICT_FAILS, "1 of 4; 1 of 1");
    /* A run that failed counts nowhere. */
    static const struct outcome failed[4] = {
        {50, 20, 60, 10, 1}, {0, 10, 50, 10, 1}, {50, 10, 50, 10, 0}, {90, 9, 0, 9, 0}};
    expect_verdict(failed, "opportunity 50 100", VERDICT_HOLDS, "1 of 2; 1 of 1");
    static const struct outcome none[4] = {{90, 9, 90, 9, 1}, {90, 9, 90, 9, 1}, {90, 9, 90, 9, 0}, {90, 9, 90, 9, 0}};
    expect_verdict(none, "opportunity 50 50", VERDICT_UNKNOWN, "");
}

static void test_minority(void **state)
{
    (void)state;
    /* The direction: a minority of the divergent programs, and a minority of these. Here 1 of 4 and 0 of 1. */
    static const struct outcome lost[4] = {
        {50, 10, 50, 12, 1}, {50, 10, 50, 10, 0}, {50, 10, 50, 10, 0}, {50, 10, 50, 10, 0}};
    expect_verdict(lost, "opportunity 25 30", VERDICT_FAILS, "1 of 4; 0 of 1");
    static const struct outcome nothing[4] = {
        {50, 10, 50, 10, 0}, {50, 10, 50, 10, 0}, {50, 10, 50, 10, 0}, {50, 10, 50, 10, 0}};
    expect_verdict(nothing, "opportunity 25 30", VERDICT_FAILS, "");
}

static void test_signs_by_program(void **state)
{
    (void)state;
    static const struct outcome mixed[4] = {
        {50, 12, 50, 10, 0}, {50, 10, 50, 12, 0}, {50, 12, 50, 10, 0}, {50, 10, 50, 12, 0}};
    expect_verdict(mixed, "by-program + - + -", VERDICT_HOLDS, "4 of 4");
    expect_verdict(mixed, "by-program + + + -", VERDICT_FAILS, "3 of 4");
    char *error = NULL;
    assert_null(
        read_paper("aes = set\nlps = set\n", "a = \nb = \n", "X,k,s,set,t,p,speedup,a/b,by-program +,", &error));
    assert_non_null(strstr(error, "the rule 'by-program' takes one + or - per program, not ' +'"));
    free(error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),    cmocka_unit_test(test_refused_files),    cmocka_unit_test(test_opportunity),
        cmocka_unit_test(test_minority), cmocka_unit_test(test_signs_by_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
