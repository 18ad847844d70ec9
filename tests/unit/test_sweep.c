/* Sweeps of papers: their sections of the .ini, the options of variants, and the runs that variants share. */
#include "study/experiment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BASE                                                                                          \
    "[paper]\ntitle = t\ngpu = fx5800\n[programs]\nLPS = ALL --limit 9\n[runs]\npdom = --mech pdom\n" \
    "dwf = --set sm.scheduler=majority --mech dwf\n"

static const char claims[] = "id,kind,source,programs,claim,published,metric,runs,rule\n"
                             "X1,n,F,LPS,c,+1%,speedup,dwf/pdom,gain 10\n"
                             "X2,n,F,LPS,c,any,efficiency,pdom,from 0\n";

static struct paper *read_paper(const char *ini, char **error)
{
    return paper_read(&(struct paper_text){"test", NULL, NULL, ini, claims}, error);
}

static void expect_bad(const char *ini, const char *message)
{
    char *error = NULL;
    struct paper *p = read_paper(ini, &error);
    bool ok = p && paper_check_runs(p, &error);
    if (ok || !strstr(error, message))
        fail_msg("wanted '%s', got '%s'", message, ok ? "no error" : error);
    free(error);
    paper_free(p);
}

static void test_bad_sweeps(void **state)
{
    (void)state;
    expect_bad(BASE "[sweep s]\na = \nb = \n", "test.ini:10: the sweep s does not say what it is about");
    expect_bad(BASE "[sweep s]\nabout = x\na = \n", "test.ini:10: the sweep s has fewer than two variants");
    expect_bad(BASE "[sweep s]\nabout = x\na = \na = \n", "test.ini:12: the variant a of the sweep s is named twice");
    expect_bad(BASE "[sweep s]\nabout = x\n1=\n2=\n3=\n4=\n5=\n6=\n7=\n", ":17: the sweep s has more than 6 variants");
    expect_bad(BASE "[sweep]\na = \n", "[sweep] has no entry 'a'");
    expect_bad(BASE "[sweep s]\nabout = x\na = \nb = --set sm.nosuch=1\n",
               "test.ini:12: the run pdom of LPS in the variant b of the sweep s: no knob 'nosuch'");
    expect_bad(BASE "[sweep s]\nabout = x\na = \nb = --set dwf.nosuch=1\n",
               "test.ini:12: the run dwf of LPS in the variant b of the sweep s: no knob 'nosuch'");
    expect_bad(BASE "[sweep s]\nabout = x\na = \nb = --set nobody.x=1\n", "no section 'nobody'");
    expect_bad(BASE "[sweep s]\nabout = x\na = \nb = --mech tbc --set tbc.nosuch=1\n",
               "test.ini:12: the run pdom of LPS in the variant b of the sweep s: no knob 'nosuch'");
}

static void expect_words(const struct trial *t, const char *expected)
{
    struct text words = {0};
    for (int i = 0; i < t->words.count; i++)
        text_printf(&words, "%s%s", i ? " " : "", t->words.data[i]);
    assert_string_equal(words.data, expected);
    text_free(&words);
}

/* The options of a variant go behind those of run and program, but for knobs of another mechanism than the run's; runs
 * that this leaves equal are one run. */
static void test_variants(void **state)
{
    (void)state;
    static const char ini[] = BASE "[sweep lanes]\nabout = x\nwarp = --set dwf.home=warp\nsimd = --set=dwf.home=simd "
                                   "--stack 128\n[sweep none]\nabout = y\nas = \nis = \n";
    char *error = NULL;
    struct paper *p = read_paper(ini, &error);
    assert_non_null(p);
    assert_true(paper_check_runs(p, &error));
    assert_int_equal(p->sweep_count, 3); /* and whose code the programs are */
    assert_null(paper_find_sweep(p, "nobody"));
    struct experiment e;
    experiment_plan(&e, p, paper_find_sweep(p, "lanes"), &(struct experiment_scope){.size = "test"});
    assert_int_equal(e.variant_count, 2);
    expect_words(&e.evidence[0].trials[0],
                 "lps --verify functional --gpu fx5800 --size test --ptx nvcc --mech pdom --limit 9");
    expect_words(&e.evidence[0].trials[1], "lps --verify functional --gpu fx5800 --size test --ptx nvcc "
                                           "--set sm.scheduler=majority --mech dwf --limit 9 --set dwf.home=warp");
    expect_words(&e.evidence[1].trials[0],
                 "lps --verify functional --gpu fx5800 --size test --ptx nvcc --mech pdom --limit 9 --stack 128");
    expect_words(&e.evidence[1].trials[1], "lps --verify functional --gpu fx5800 --size test --ptx nvcc "
                                           "--set sm.scheduler=majority --mech dwf --limit 9 --set=dwf.home=simd "
                                           "--stack 128");
    for (int i = 0; i < 4; i++)
        assert_int_equal(e.same_as[i], -1);
    experiment_free(&e);
    experiment_plan(&e, p, paper_find_sweep(p, "none"), &(struct experiment_scope){.claims = "X2", .size = "test"});
    assert_int_equal(e.same_as[2], 0);                        /* pdom is the same run in both variants */
    assert_int_equal(e.evidence[0].trials[1].words.count, 0); /* no claim of the list needs dwf */
    experiment_free(&e);
    experiment_plan(&e, p, NULL, &(struct experiment_scope){.size = "test", .ptx = "plain"});
    assert_int_equal(e.variant_count, 1);
    expect_words(&e.evidence[0].trials[0],
                 "lps --verify functional --gpu fx5800 --size test --ptx plain --mech pdom --limit 9");
    experiment_free(&e);
    paper_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_sweeps),
        cmocka_unit_test(test_variants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
