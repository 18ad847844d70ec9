/* Studies: measurements over launches, papers' data, and the rules by which claims are judged. */
#include "study/comparison.h"
#include "study/verdict.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- measurements ---- */

static void test_measurement(void **state)
{
    (void)state;
    struct measurement s = {0};
    char *error = NULL;
    assert_true(measurement_add_line(&s,
                                     "{\"kernel\":\"k\",\"cycles\":100,\"tbc\":{\"max_depth\":3},\"branches\":["
                                     "{\"pc\":7,\"where\":\"a.cu:1\",\"lost_issues\":10},"
                                     "{\"pc\":9,\"where\":\"a.cu:2\",\"lost_issues\":15}]}",
                                     &error));
    assert_true(measurement_add_line(&s,
                                     "{\"kernel\":\"k\",\"cycles\":50,\"tbc\":{\"max_depth\":2},\"branches\":["
                                     "{\"pc\":7,\"where\":\"a.cu:1\",\"lost_issues\":10}]}",
                                     &error));
    assert_true(measurement_add_line(
        &s, "{\"kernel\":\"j\",\"branches\":[{\"pc\":9,\"where\":\"b.cu:1\",\"lost_issues\":19}]}", &error));
    assert_int_equal(s.launches, 3);
    assert_float_equal(measurement_sum(&s, "cycles"), 150, 0);
    assert_float_equal(measurement_max(&s, "tbc.max_depth"), 3, 0);
    assert_float_equal(measurement_sum(&s, "tbc.max_depth"), 5, 0);
    assert_float_equal(measurement_sum(&s, "nothing"), 0, 0);
    assert_int_equal(s.branch_count, 3); /* pc 9 of another kernel is another branch */
    assert_int_equal(measurement_worst_branch(&s)->pc, 7);
    assert_float_equal(measurement_worst_branch(&s)->lost_issues, 20, 0);
    assert_string_equal(measurement_worst_branch(&s)->where, "a.cu:1");
    assert_false(measurement_add_line(&s, "{", &error));
    free(error);
    measurement_free(&s);
}

/* ---- papers ---- */

static const char ini[] = "[paper]\ntitle = A paper\ngpu = fermi\n[programs]\nBFS2 = DIVG,LARGE\n"
                          "LPS = DIVG --set a=1 --limit 2\nAES = COHE\n"
                          "[runs]\nbase = --mech pdom\nnew = --mech tbc\nother = --mech dwf\n";
static const char heading[] = "id,kind,source,programs,claim,published,metric,runs,rule\n";

static struct paper *paper_of(const char *claims)
{
    struct text csv = {0};
    char *error = NULL;
    text_printf(&csv, "%s%s", heading, claims);
    struct paper *p = paper_read(&(struct paper_text){"test", NULL, NULL, ini, csv.data}, &error);
    if (!p)
        fail_msg("%s", error);
    text_free(&csv);
    return p;
}

static void expect_bad_paper(const char *ini_text, const char *claims, const char *message)
{
    struct text csv = {0};
    char *error = NULL;
    text_printf(&csv, "%s%s", heading, claims);
    assert_null(paper_read(&(struct paper_text){"test", NULL, NULL, ini_text, csv.data}, &error));
    if (!strstr(error, message))
        fail_msg("'%s' is not in '%s'", message, error);
    free(error);
    text_free(&csv);
}

static void test_paper_data(void **state)
{
    (void)state;
    struct paper *p = paper_of("X1,number,Fig. 1,DIVG,\"words, quoted\",+1%,speedup,new/base other,first\n");
    assert_string_equal(p->claims[0].text, "words, quoted");
    assert_int_equal(p->program_count, 3);
    assert_int_equal(p->run_count, 3);
    assert_int_equal(p->claim_count, 1);
    assert_int_equal(p->claims[0].run_count, 2);
    assert_int_equal(p->claims[0].runs[0].over, 1);
    assert_int_equal(p->claims[0].runs[0].under, 0);
    assert_int_equal(p->claims[0].runs[1].over, 2);
    assert_int_equal(p->claims[0].runs[1].under, -1);
    assert_true(claim_names(&p->claims[0], &p->programs[0]));
    assert_true(claim_names(&p->claims[0], &p->programs[1])); /* words are no part of the set */
    assert_string_equal(p->programs[0].words, "");
    assert_string_equal(p->programs[1].words, " --set a=1 --limit 2");
    assert_false(claim_names(&p->claims[0], &p->programs[2]));
    paper_free(p);
}

static void test_bad_papers(void **state)
{
    (void)state;
    expect_bad_paper("[paper]\ntitle = A\n", "", "papers/test.ini: [paper] needs title and gpu");
    expect_bad_paper("[paper]\ngpu = a\ntitle = b\n[programs]\nNOBODY = X\n", "",
                     "papers/test.ini:5: there is no workload NOBODY");
    expect_bad_paper("[paper]\ngpu = a\ntitle = b\n[programs]\nLPS =\n", "", ":5: the program LPS has no set");
    expect_bad_paper("[paper]\ngpu = a\ntitle = b\n[runs]\na = x\na = y\n", "", ":6: the run a is named twice");
    expect_bad_paper("[paper]\n\n  colour = red\n", "", "papers/test.ini:3: [paper] has no entry 'colour'");
    expect_bad_paper("[paper]\nnonsense\n", "", "papers/test.ini:2: neither a [section] nor");
}

/* Whatever a claim names must exist: the mistake is found before anything runs, with file and line. */
static void test_bad_claims(void **state)
{
    (void)state;
    static const struct {
        const char *claim, *message;
    } cases[] = {
        {"X1,number,Fig. 1", "papers/test.csv:2: the record has fewer than 9 fields"},
        {"a,b,c,d,e,f,g,base,i,j,k", "papers/test.csv:2: a has more than 10 fields"},
        {"X1,n,F,DIVG,w,p,speedup,nobody/base,gain 1",
         "test.csv:2: X1: there is no run nobody/base in papers/test.ini"},
        {"X1,n,F,DIVG,w,p,speedup,base/nobody,gain 1", ":2: X1: there is no run base/nobody"},
        {"X1,n,F,DIVG,w,p,speedup,,gain 1", ":2: X1 names no run"},
        {"X1,n,F,-,w,p,speedup,-,gain 1", "the rule 'gain' takes one run"},
        {"X1,n,F,DIVG,w,p,efficiency,-,mean-below 1", "the rule 'mean-below' takes at least one run"},
        {"X1,n,F,DIVG,w,p,storage:dpe.bits,base,value 1", "the rule 'value' takes no run: '-'"},
        {"X1,n,F,-,w,p,speedup,-,value 1", "the rule 'value' takes figures of hardware"},
        {"X1,n,F,-,w,p,storage:dpe.bits storage:dpe.nothing,-,value 1 2",
         "the hardware of dpe has no figure 'nothing'"},
        {"X1,n,F,-,w,p,storage:dpe.bits storage:dpe.added,-,value 1", "takes one number per figure of the metric"},
        {"X1,n,F,-,w,p,storage:dpe.bits,-,value 1 2", "takes one number per figure of the metric"},
        {"X1,n,F,DIVG,w,p,storage:dpe.bits,new/base,gain 1", "there is no metric 'storage:dpe.bits'"},
        {"X1,n,F,DIVG NOBODY,w,p,speedup,new/base,gain 1", ":2: X1: there is no program and no set NOBODY"},
        {"X1,n,F,,w,p,speedup,new/base,gain 1", ":2: X1 names no program"},
        {"X1,n,F,DIVG,w,p,sped,new/base,gain 1", ":2: X1: there is no metric 'sped'; there are speedup,"},
        {"X1,n,F,DIVG,w,p,verdict,new/base,gain 1", ":2: X1: there is no metric 'verdict'"},
        {"X1,n,F,DIVG,w,p,speedup,new/base,nonsense", ":2: X1: there is no rule 'nonsense'; there are gain,"},
        {"X1,n,F,DIVG,w,p,speedup,new/base,gain", "the rule 'gain' takes a number, not ''"},
        {"X1,n,F,DIVG,w,p,speedup,new/base,gain x", "the rule 'gain' takes a number"},
        {"X1,n,F,DIVG,w,p,speedup,new/base,gain 1 2", "the rule 'gain' takes a number"},
        {"X1,n,F,DIVG,w,p,speedup,new,gain 1", "the rule 'gain' takes ratios of runs"},
        {"X1,n,F,DIVG,w,p,speedup,new/base other/base,gain 1", "the rule 'gain' takes one run"},
        {"X1,n,F,DIVG,w,p,depth,new,near 3", "the rule 'near' takes two numbers"},
        {"X1,n,F,DIVG,w,p,speedup,new/base other/base,signs +", "the rule 'signs' takes one + or - per run"},
        {"X1,n,F,DIVG,w,p,speedup,new/base,first", "the rule 'first' takes several runs"},
        {"X1,n,F,BFS2,w,p,speedup,new/base,top NOBODY", "the rule 'top' takes a set of programs"},
        {"X1,n,F,DIVG -NOBODY,w,p,speedup,new/base,gain 1", "there is no program and no set NOBODY"},
        {"X1,n,F,DIVG,w,p,speedup,new/base other/base,gains 1", "the rule 'gains' takes one number per run"},
        {"X1,n,F,DIVG,w,p,efficiency,new/base,share 1", "the rule 'share' takes runs, no ratios"},
        {"X1,n,F,DIVG,w,p,efficiency,new,points 1", "the rule 'points' takes two runs"},
        {"X1,n,F,DIVG,w,p,speedup,new/base,any 1", "the rule 'any' takes + or -"},
        {"X1,n,F,DIVG,w,p,depth,new,entries 2 BFS2=3", "takes a tolerance and LABEL=NUMBER for each program"},
        {"X1,n,F,BFS2,w,p,depth,new,entries 2 LPS=3", "takes a tolerance and LABEL=NUMBER for each program"},
        {"X1,n,F,DIVG,w,p,speedup,new/base,bounds", "the rule 'bounds' takes two metrics"},
        {"X1,n,F,DIVG,w,p,speedup sped,new/base,gain 1", "there is no metric 'sped'"},
        {"X1,n,F,DIVG,w,p,speedup sped,new/base,bounds", "there is no metric 'sped'"},
        {"X1,n,F,DIVG,w,p,speedup,new/base,signs + and any +", "the rule has 2 clauses, and there are 1 runs"},
        {"X1,n,F,DIVG,w,p,speedup,new/base other/base,signs + and no -", "there is no rule 'no -'"},
        {"X1,n,F,BFS2,w,p,verdict,new other,is right", "the rule 'is' takes right or wrong per run"},
        {"X1,n,F,BFS2,w,p,verdict,new/base,is right", "the rule 'is' takes runs, no ratios"},
        {"X1,n,F,DIVG,\"two\nlines\",p,speedup,new/base,gain 1\nX1,n,F,DIVG,w,p,speedup,new/base,gain 1",
         "papers/test.csv:4: the claim X1 is named twice"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_bad_paper(ini, cases[i].claim, cases[i].message);
    char *error = NULL;
    assert_null(paper_read(&(struct paper_text){"test", NULL, NULL, ini, "id,kind,where\n"}, &error));
    assert_non_null(strstr(error, "papers/test.csv:1: "));
    free(error);
}

/* Options of runs are checked, too: the line of the run is blamed, or that of the program. */
static void expect_bad_run(const char *programs, const char *runs, const char *message)
{
    struct text text = {0};
    char *error = NULL;
    text_printf(&text, "[paper]\ntitle = A\ngpu = fermi\n[programs]\n%s\n[runs]\n%s\n", programs, runs);
    struct paper *p = paper_read(&(struct paper_text){"test", NULL, NULL, text.data, ""}, &error);
    assert_non_null(p);
    if (paper_check_runs(p, &error) != !message)
        fail_msg("%s, %s: %s", programs, runs, error ? error : "accepted");
    if (message && !strstr(error, message))
        fail_msg("'%s' is not in '%s'", message, error);
    free(error);
    paper_free(p);
    text_free(&text);
}

static void test_bad_runs(void **state)
{
    (void)state;
    expect_bad_run("LPS = DIVG --limit 5", "a = --mech pdom", NULL);
    expect_bad_run("LPS = DIVG", "a = --mech pdom\nb = --mech nobody",
                   "papers/test.ini:8: the run b of LPS: there is no mechanism 'nobody'");
    expect_bad_run("AES = DIVG\nLPS = DIVG --set sm.nosuch=1", "a = --mech pdom",
                   "papers/test.ini:6: the run a of LPS:");
    expect_bad_run("LPS = DIVG", "a = --mach pdom", "test.ini:7: the run a of LPS: unknown option '--mach'");
}

/* All that are built in can be read, and every claim's rule and metric are known. */
static void test_built_in_papers(void **state)
{
    (void)state;
    struct paper_text text;
    assert_true(paper_built_in(0, &text)); /* there are some */
    for (int i = 0; paper_built_in(i, &text); i++) {
        char *error = NULL;
        struct paper *p = paper_load(text.name, &error);
        if (!p || !paper_check_runs(p, &error))
            fail_msg("%s", error);
        struct evidence e = {p, calloc((size_t)(p->program_count * p->run_count), sizeof(struct trial))};
        for (int k = 0; k < p->program_count * p->run_count; k++) {
            trial_add_word(&e.trials[k], "x");
            assert_true(measurement_add_line(
                &e.trials[k].measurement,
                "{\"cycles\":5,\"sm\":{\"thread_instructions\":1,\"issue_slots\":2,\"W0_Mem\":1,"
                "\"W0_Idle\":1,\"branches\":4,\"divergent_branches\":1,\"fetches\":3,\"cycles\":5,"
                "\"warp_instructions\":2},\"energy\":{\"decode\":7},\"vws\":{\"in_1\":3},"
                "\"l1d\":{\"accesses\":4,\"hits\":2,\"misses\":2,\"merges\":1},\"l2\":{\"misses\":1},"
                "\"dpe\":{\"issues\":3,\"rounds\":2},\"volta\":{\"predictions\":1},\"warp_instructions\":7,"
                "\"tstbc\":{\"stall_stall\":3,\"stall_bypass\":2,\"waits\":2,\"wait_cycles\":9},"
                "\"peak\":{\"sm_cycles\":10,\"warp_width\":32},\"crossbar\":{\"request_bytes\":1,\"reply_bytes\":4},"
                "\"derived\":{\"memory_stalls\":3},\"tbc-lcp\":{\"max_depth\":2}}",
                &error));
        }
        for (int c = 0; c < p->claim_count; c++) {
            struct judgement j;
            judge(&e, &p->claims[c], &j);
            if (j.verdict == VERDICT_UNKNOWN)
                fail_msg("%s %s: %s", p->name, p->claims[c].id, j.measured.data ? j.measured.data : "?");
            judgement_free(&j);
        }
        for (int k = 0; k < p->program_count * p->run_count; k++)
            trial_free(&e.trials[k]);
        free(e.trials);
        paper_free(p);
    }
}

/* ---- verdicts ---- */

/* Cycles of base, new and other, of each of the three programs; 0: the run failed. */
static void expect_verdict(const int cycles[3][3], const char *programs, const char *runs, const char *rule,
                           enum verdict wanted, const char *measured)
{
    struct text claim = {0};
    text_printf(&claim, "X,k,s,%s,t,p,speedup,%s,%s\n", programs, runs, rule);
    struct paper *p = paper_of(claim.data);
    struct trial trials[9] = {0};
    char *error = NULL;
    for (int i = 0; i < 9; i++) {
        char line[64];
        snprintf(line, sizeof line, "{\"cycles\":%d}", cycles[i / 3][i % 3]);
        trial_add_word(&trials[i], "x");
        trials[i].status = cycles[i / 3][i % 3] ? 0 : 3;
        assert_true(measurement_add_line(&trials[i].measurement, line, &error));
    }
    struct judgement j;
    judge(&(struct evidence){p, trials}, &p->claims[0], &j);
    if (j.verdict != wanted || strcmp(j.measured.data ? j.measured.data : "", measured))
        fail_msg("%s %s %s: %s, %s", programs, runs, rule, verdict_names[j.verdict],
                 j.measured.data ? j.measured.data : "");
    judgement_free(&j);
    for (int i = 0; i < 9; i++)
        trial_free(&trials[i]);
    paper_free(p);
    text_free(&claim);
}

static void test_gains(void **state)
{
    (void)state;
    /* new: 1.25 and 1.00 of the base, harmonic mean 1/(0.9) = 1.111; other: 0.5 */
    static const int c[3][3] = {{1000, 800, 2000}, {1000, 1000, 2000}, {1000, 990, 1000}};
    expect_verdict(c, "DIVG", "new/base", "gain 11", VERDICT_HOLDS, "+11.1%");
    expect_verdict(c, "DIVG", "new/base", "gain 22", VERDICT_HOLDS, "+11.1%");
    expect_verdict(c, "DIVG", "new/base", "gain 23", VERDICT_DIRECTION, "+11.1%");
    expect_verdict(c, "DIVG", "new/base", "gain 5.6", VERDICT_HOLDS, "+11.1%");
    expect_verdict(c, "DIVG", "new/base", "gain 5.5", VERDICT_DIRECTION, "+11.1%");
    expect_verdict(c, "DIVG", "new/base", "gain -10", VERDICT_FAILS, "+11.1%");
    expect_verdict(c, "AES", "new/base", "gain 0", VERDICT_HOLDS, "+1.0%");
    expect_verdict(c, "AES", "new/base", "gain 3", VERDICT_HOLDS, "+1.0%");
    expect_verdict(c, "AES", "new/base", "gain 4", VERDICT_DIRECTION, "+1.0%");
    expect_verdict(c, "AES", "new/base", "gain -2", VERDICT_FAILS, "+1.0%");
    expect_verdict(c, "BFS2", "other/base", "gain -50", VERDICT_HOLDS, "-50.0%");
    expect_verdict(c, "BFS2", "new/other", "gain 150", VERDICT_HOLDS, "2.50x");
}

static void test_orders(void **state)
{
    (void)state;
    static const int c[3][3] = {{1000, 800, 2000}, {1000, 1010, 2000}, {1000, 990, 1000}};
    expect_verdict(c, "DIVG", "new/base", "signs +", VERDICT_FAILS, "1 of 2");
    expect_verdict(c, "DIVG", "other/base", "signs -", VERDICT_HOLDS, "2 of 2");
    expect_verdict(c, "BFS2", "other/base new/base", "signs - +", VERDICT_HOLDS, "-50.0% +25.0%");
    expect_verdict(c, "BFS2", "other/base new/base", "signs + +", VERDICT_FAILS, "-50.0% +25.0%");
    expect_verdict(c, "DIVG", "new/base other/base", "mean-signs + -", VERDICT_HOLDS, "+10.5% -50.0%");
    expect_verdict(c, "DIVG", "new/base other/base", "mean-signs - -", VERDICT_FAILS, "+10.5% -50.0%");
    expect_verdict(c, "DIVG", "new/base other/base", "first", VERDICT_HOLDS, "new");
    expect_verdict(c, "DIVG", "other/base new/base", "first", VERDICT_FAILS, "new");
    expect_verdict(c, "DIVG", "other/base new/base", "not-first", VERDICT_HOLDS, "2 of 2");
    expect_verdict(c, "DIVG", "new/base other/base", "not-first", VERDICT_FAILS, "0 of 2");
    expect_verdict(c, "DIVG COHE", "new/base", "within 2", VERDICT_FAILS, "2 of 3");
    expect_verdict(c, "DIVG COHE", "new/base", "within 26", VERDICT_HOLDS, "3 of 3");
    expect_verdict(c, "BFS2", "new/base", "top DIVG", VERDICT_HOLDS, "least +25.0%, others -1.0%");
    expect_verdict(c, "LPS", "new/base", "top DIVG", VERDICT_FAILS, "least -1.0%, others +25.0%");
}

/* Rules of means: harmonic, of new 1.25 and 0.80 of the base, so 0.976; of other 2.5 and 2. */
static void test_means(void **state)
{
    (void)state;
    static const int c[3][3] = {{1000, 800, 400}, {1000, 1250, 500}, {1000, 990, 1000}};
    expect_verdict(c, "DIVG", "new/base other/base", "gains -2 122", VERDICT_HOLDS, "-2.4% 2.22x");
    expect_verdict(c, "DIVG", "new/base other/base", "gains -2 300", VERDICT_DIRECTION, "-2.4% 2.22x");
    expect_verdict(c, "DIVG", "new/base other/base", "gains 2 122", VERDICT_FAILS, "-2.4% 2.22x");
    expect_verdict(c, "BFS2", "new/base other/base", "points -125", VERDICT_HOLDS, "-125.0 points");
    expect_verdict(c, "BFS2", "new/base other/base", "points -20", VERDICT_DIRECTION, "-125.0 points");
    expect_verdict(c, "BFS2", "new/base other/base", "points 20", VERDICT_FAILS, "-125.0 points");
    expect_verdict(c, "DIVG", "new/base", "mean-below -2", VERDICT_HOLDS, "-2.4%");
    expect_verdict(c, "DIVG", "new/base", "mean-below -3", VERDICT_FAILS, "-2.4%");
    expect_verdict(c, "DIVG", "new/base", "mean-from -3", VERDICT_HOLDS, "-2.4%");
    expect_verdict(c, "DIVG", "new/base", "mean-from -2", VERDICT_FAILS, "-2.4%");
    expect_verdict(c, "DIVG", "new/base", "mean-within 3", VERDICT_HOLDS, "-2.4%");
    expect_verdict(c, "DIVG", "new/base other/base", "mean-within 3", VERDICT_FAILS, "-2.4% 2.22x");
    expect_verdict(c, "BFS2", "new/base other/base", "of-gain 16", VERDICT_HOLDS, "+25.0% 2.50x");
    expect_verdict(c, "BFS2", "new/base other/base", "of-gain 17", VERDICT_FAILS, "+25.0% 2.50x");
    expect_verdict(c, "DIVG", "new/base other/base", "of-gain 1", VERDICT_FAILS, "-2.4% 2.22x");
    expect_verdict(c, "DIVG", "base/other base/new", "of-gain 100", VERDICT_HOLDS, "-55.6% -2.4%");
    expect_verdict(c, "DIVG", "new/base other/base", "spread 125", VERDICT_HOLDS, "-2.4% 2.22x");
    expect_verdict(c, "DIVG", "new/base other/base", "spread 124", VERDICT_FAILS, "-2.4% 2.22x");
    expect_verdict(c, "BFS2", "new/base other/base", "spread 125", VERDICT_HOLDS, "+25.0% 2.50x");
    expect_verdict(c, "BFS2", "new/base other/base", "rising", VERDICT_HOLDS, "+25.0% 2.50x");
    expect_verdict(c, "DIVG", "new/base other/base", "rising", VERDICT_FAILS, "-2.4% 2.22x");
    expect_verdict(c, "AES", "base/new base/other", "falling", VERDICT_FAILS, "-1.0% +0.0%");
    expect_verdict(c, "DIVG", "base/other base/new", "falling", VERDICT_FAILS, "-55.6% -2.4%");
    expect_verdict(c, "DIVG", "new/base other/base", "best 2", VERDICT_HOLDS, "other");
    expect_verdict(c, "DIVG", "new/base other/base", "best 1", VERDICT_FAILS, "other");
    expect_verdict(c, "LARGE COHE", "new/base", "set-signs +", VERDICT_HOLDS, "LARGE +25.0%, COHE +1.0%");
    expect_verdict(c, "LARGE DIVG", "new/base", "set-signs +", VERDICT_FAILS, "LARGE +25.0%, DIVG -2.4%");
    expect_verdict(c, "DIVG -BFS2", "new/base", "gain -20", VERDICT_HOLDS, "-20.0%");
}

static void test_rules_of_each(void **state)
{
    (void)state;
    static const int c[3][3] = {{1000, 800, 400}, {1000, 1250, 500}, {1000, 990, 1000}};
    expect_verdict(c, "DIVG", "new/base", "any -", VERDICT_HOLDS, "1 of 2");
    expect_verdict(c, "DIVG", "other/base", "any -", VERDICT_FAILS, "0 of 2");
    expect_verdict(c, "DIVG", "new/base", "most +", VERDICT_FAILS, "1 of 2");
    expect_verdict(c, "DIVG COHE", "new/base", "most +", VERDICT_HOLDS, "2 of 3");
    expect_verdict(c, "DIVG", "other/base", "between 100 150", VERDICT_HOLDS, "2 of 2");
    expect_verdict(c, "DIVG", "other/base", "between 101 150", VERDICT_DIRECTION, "1 of 2");
    expect_verdict(c, "DIVG", "new/base", "between 1 30", VERDICT_FAILS, "1 of 2");
    expect_verdict(c, "BFS2 AES", "new/base other/base", "within 2", VERDICT_FAILS, "1 of 2");
    expect_verdict(c, "BFS2", "new/base", "top-half DIVG", VERDICT_HOLDS, "+25.0%");
    expect_verdict(c, "LPS", "new/base", "top-half DIVG", VERDICT_FAILS, "-20.0%");
    expect_verdict(c, "DIVG", "new/base other/base", "mean-signs - and any +", VERDICT_HOLDS, "-2.4%; 2 of 2");
    expect_verdict(c, "DIVG", "new/base other/base", "mean-signs - and any -", VERDICT_FAILS, "-2.4%; 0 of 2");
    expect_verdict(c, "DIVG", "new/base other/base", "gain -9 and any +", VERDICT_DIRECTION, "-2.4%; 2 of 2");
}

/* Rules of metrics other than speed: efficiency 90 and 94 %, 40 and 20 %; depths 3 and 9, 7 and 5. */
static void expect_metric_verdict(const char *metric, const char *runs, const char *rule, enum verdict wanted,
                                  const char *measured)
{
    static const char *const lines[4] = {"{\"cycles\":10,\"warp_instructions\":10,\"sm\":{\"thread_instructions\":90,"
                                         "\"issue_slots\":100},\"pdom\":{\"max_depth\":3}}",
                                         "{\"cycles\":5,\"warp_instructions\":20,\"sm\":{\"thread_instructions\":40,"
                                         "\"issue_slots\":100},\"tbc\":{\"max_depth\":7}}",
                                         "{\"cycles\":10,\"warp_instructions\":10,\"sm\":{\"thread_instructions\":94,"
                                         "\"issue_slots\":100},\"pdom\":{\"max_depth\":9}}",
                                         "{\"cycles\":40,\"warp_instructions\":10,\"sm\":{\"thread_instructions\":20,"
                                         "\"issue_slots\":100},\"tbc\":{\"max_depth\":5}}"};
    struct text claim = {0};
    text_printf(&claim, "X,k,s,DIVG,t,p,%s,%s,%s\n", metric, runs, rule);
    struct paper *p = paper_of(claim.data);
    struct trial trials[9] = {0};
    struct judgement j;
    char *error = NULL;
    for (int i = 0; i < 4; i++) {
        struct trial *t = &trials[i / 2 * 3 + i % 2];
        trial_add_word(t, "x");
        assert_true(measurement_add_line(&t->measurement, lines[i], &error));
    }
    judge(&(struct evidence){p, trials}, &p->claims[0], &j);
    if (j.verdict != wanted || strcmp(j.measured.data ? j.measured.data : "", measured))
        fail_msg("%s %s %s: %s, %s", metric, runs, rule, verdict_names[j.verdict],
                 j.measured.data ? j.measured.data : "");
    judgement_free(&j);
    for (int i = 0; i < 9; i++)
        trial_free(&trials[i]);
    paper_free(p);
    text_free(&claim);
}

static void test_metrics(void **state)
{
    (void)state;
    expect_metric_verdict("efficiency", "base", "share 92", VERDICT_HOLDS, "92.0%");
    expect_metric_verdict("efficiency", "base", "share 80", VERDICT_FAILS, "92.0%"); /* 8 of 20 are missing */
    expect_metric_verdict("efficiency", "base", "share 99", VERDICT_FAILS, "92.0%");
    expect_metric_verdict("efficiency", "new", "share 50", VERDICT_HOLDS, "30.0%");
    expect_metric_verdict("efficiency", "new", "share 14", VERDICT_FAILS, "30.0%");
    expect_metric_verdict("efficiency", "base new", "points 40", VERDICT_HOLDS, "+62.0 points");
    expect_metric_verdict("efficiency", "base", "margin 50", VERDICT_HOLDS, "+92.0 points");
    expect_metric_verdict("efficiency", "base", "margin 40", VERDICT_DIRECTION, "+92.0 points");
    expect_metric_verdict("efficiency", "base", "margin -92", VERDICT_FAILS, "+92.0 points");
    expect_metric_verdict("depth", "base new", "largest 11 7", VERDICT_HOLDS, "9 7");
    expect_metric_verdict("depth", "base new", "largest 7 8", VERDICT_FAILS, "9 7"); /* the order differs */
    expect_metric_verdict("depth", "base new", "largest 19 7", VERDICT_FAILS, "9 7");
    expect_metric_verdict("depth", "base", "entries 2 BFS2=5 LPS=10", VERDICT_HOLDS, "2 of 2");
    expect_metric_verdict("depth", "base", "entries 2 BFS2=6 LPS=10", VERDICT_FAILS, "1 of 2");
    expect_metric_verdict("speedup efficiency", "base/new", "bounds", VERDICT_FAILS, "0 of 2");
    expect_metric_verdict("efficiency speedup", "base/new", "bounds", VERDICT_HOLDS, "2 of 2");
    /* half of the programs are not most; on BFS2 the two are equal */
    expect_metric_verdict("instructions speedup", "base/new", "bounds", VERDICT_FAILS, "1 of 2");
    expect_metric_verdict("efficiency speedup", "base/new", "mean-from -12", VERDICT_HOLDS, "3.48x; -11.1%");
    expect_metric_verdict("efficiency speedup", "base/new", "mean-from -11", VERDICT_FAILS, "3.48x; -11.1%");
    expect_metric_verdict("speedup efficiency", "base/new", "mean-from -11", VERDICT_FAILS, "-11.1%; 3.48x");
}

/* A failed run: means go on without it, what is said of each program cannot be judged. */
static void test_failed_runs(void **state)
{
    (void)state;
    static const int c[3][3] = {{1000, 800, 0}, {1000, 1000, 500}, {1000, 990, 0}};
    expect_verdict(c, "DIVG", "other/base", "gain 100", VERDICT_HOLDS, "2.00x");
    expect_verdict(c, "DIVG", "other/base", "signs +", VERDICT_UNKNOWN, "");
    expect_verdict(c, "AES", "other/base", "gain 1", VERDICT_UNKNOWN, "");
    expect_verdict(c, "BFS2", "other new", "is wrong right", VERDICT_HOLDS, "wrong right");
    expect_verdict(c, "LPS", "other new", "is wrong right", VERDICT_FAILS, "right right");
}

/* ---- complaints ---- */

static void expect_complaint(char *output, const char *wanted)
{
    char *got = trial_complaint(&(struct trial){.output = output});
    assert_string_equal(got, wanted);
    free(got);
}

static void test_complaints(void **state)
{
    (void)state;
    expect_complaint(NULL, "");
    expect_complaint("Killed\n", "Killed");
    expect_complaint("heddle run: unknown option '--x'\nTry 'heddle run --help'.\n",
                     "heddle run: unknown option '--x'");
    expect_complaint("block 0, 192 threads left:\n  PTX line 3: ld.u32\nk: ran for ever\n", "k: ran for ever");
}

/* ---- comparisons ---- */

static void test_comparison(void **state)
{
    (void)state;
    static const char *const targets[] = {"a"}, *const gpus[] = {"g"}, *const mechanisms[] = {"pdom", "tbc"};
    struct comparison c = {0};
    char *error = NULL;
    comparison_plan(&c, &(struct comparison_request){targets, gpus, mechanisms, 1, 1, 2, NULL, 0, NULL, NULL});
    assert_int_equal(c.count, 3); /* and the bound, which is not shown */
    assert_string_equal(c.rows[2].mechanism, "bound");
    assert_false(c.rows[2].is_shown);
    static const char *const lines[] = {
        "{\"cycles\":300,\"sm\":{\"thread_instructions\":40,\"issue_slots\":100,\"warp_instructions\":10},"
        "\"crossbar\":{\"request_bytes\":10,\"reply_bytes\":30},"
        "\"branches\":[{\"pc\":1,\"where\":\"w\",\"lost_issues\":4}]}",
        "{\"cycles\":200,\"sm\":{\"thread_instructions\":40,\"issue_slots\":50},\"crossbar\":{\"reply_bytes\":60}}",
        "{\"cycles\":150}"};
    for (int i = 0; i < 3; i++)
        assert_true(measurement_add_line(&c.rows[i].trial.measurement, lines[i], &error));
    struct comparison_figures base = comparison_figures(&c, 0), tbc = comparison_figures(&c, 1);
    assert_float_equal(base.speedup, 1, 0);
    assert_float_equal(base.worst_share, 0.4, 1e-9);
    assert_float_equal(tbc.speedup, 1.5, 1e-9);
    assert_float_equal(tbc.simd_efficiency, 0.8, 1e-9);
    assert_float_equal(tbc.of_bound, 0.75, 1e-9);
    assert_float_equal(tbc.traffic, 1.5, 1e-9);
    assert_null(tbc.worst);
    assert_int_equal(comparison_failures(&c), 0);
    c.rows[1].trial.status = 3;
    assert_int_equal(comparison_failures(&c), 1);
    assert_true(isnan(comparison_figures(&c, 1).speedup));
    comparison_free(&c);
}

static const char wrong_line[] =
    "{\"kernel\":\"k\",\"cycles\":200,\"launch\":{\"grid_id\":2},\"memory\":{\"verdict\":\"%s\",\"argument\":1,"
    "\"parameter\":\"out\",\"allocation\":3,\"label\":\"buf\",\"word\":37,\"byte\":148,\"address\":\"0x700000000094\","
    "\"value\":\"0x00000002\",\"functional\":\"0xffffffff\",\"words\":9,\"unmatched\":false,\"why\":\"this\"},"
    "\"fault\":%s}";
static const char same_line[] =
    "{\"kernel\":\"k\",\"cycles\":100,\"launch\":{\"grid_id\":1},\"memory\":{\"verdict\":\"same\"}}";

static void add_verdict(struct measurement *s, const char *verdict, const char *fault)
{
    char line[512], *error = NULL;
    snprintf(line, sizeof line, wrong_line, verdict, fault);
    if (!measurement_add_line(s, line, &error))
        fail_msg("%s", error);
}

/* The first of the worst launches is kept, with all that was said of it. */
static void test_memory_of_measurements(void **state)
{
    (void)state;
    struct measurement s = {0};
    struct text t = {0};
    char *error = NULL;
    assert_true(measurement_add_line(&s, same_line, &error));
    assert_null(s.memory);
    add_verdict(&s, "unordered", "null");
    assert_int_equal(s.memory->verdict, VERIFY_UNORDERED);
    add_verdict(&s, "race", "null");
    add_verdict(&s, "wrong", "null");
    free(s.memory->why); /* nothing explains what is wrong */
    s.memory->why = NULL;
    add_verdict(&s, "unordered", "null");
    assert_int_equal(s.compared, 5);
    assert_int_equal(s.unordered, 2);
    assert_int_equal(s.racing, 1);
    assert_int_equal(s.wrong, 1);
    assert_int_equal(s.faults, 0);
    assert_int_equal(s.memory->verdict, VERIFY_WRONG);
    verification_print(s.memory, &t);
    assert_string_equal(t.data, "launch 2, kernel k: memory differs from the functional result\n"
                                "  argument 1 (out), word 37 (byte 148): 0x00000002, functionally 0xffffffff\n"
                                "  at 0x700000000094 in buf; 9 words differ in all\n"
                                "  no known cause explains the difference: the result is wrong\n");
    text_free(&t);
    verification_json(s.memory, &t);
    assert_non_null(
        strstr(t.data, "\"parameter\":\"out\",\"allocation\":3,\"label\":\"buf\",\"word\":37,\"byte\":148"));
    text_free(&t);
    measurement_free(&s);
}

/* pdom right, tbc as the parameters say: what the table and the files for programs say of it. */
static void expect_marks(const char *verdict, int status, const char *text, const char *json, const char *csv)
{
    static const char *const targets[] = {"a"}, *const gpus[] = {"g"}, *const mechanisms[] = {"pdom", "tbc"};
    struct comparison c = {0};
    struct text t = {0};
    char *error = NULL;
    comparison_plan(&c, &(struct comparison_request){targets, gpus, mechanisms, 1, 1, 2, NULL, 0, NULL, NULL});
    assert_true(measurement_add_line(&c.rows[0].trial.measurement, same_line, &error));
    add_verdict(&c.rows[1].trial.measurement, verdict, "null");
    c.rows[1].trial.status = status;
    c.rows[1].trial.output = strdup("heddle: memory differs: here\n");
    comparison_print_text(&c, &t);
    comparison_print_json(&c, &t);
    comparison_print_csv(&c, &t);
    if (!strstr(t.data, text) || !strstr(t.data, json) || !strstr(t.data, csv))
        fail_msg("'%s', '%s' and '%s' are not all in:\n%s", text, json, csv, t.data);
    assert_int_equal(comparison_failures(&c), status != 0);
    text_free(&t);
    comparison_free(&c);
}

static void test_marks(void **state)
{
    (void)state;
    static const char csv_place[] =
        ",,%s,\"launch 2, kernel k, argument 1 (out), word 37 (byte 148): 0x00000002, functionally 0xffffffff\"\n";
    char csv[200];
    snprintf(csv, sizeof csv, csv_place, "wrong");
    expect_marks("wrong", 3,
                 "\n! tbc                  200    0.500      -        -          -  WRONG RESULT, see below\n",
                 "\"right\":false,\"status\":3,\"cycles\":200", csv);
    snprintf(csv, sizeof csv, csv_place, "race");
    expect_marks("race", 3, "DOUBTFUL RESULT: a race", "\"racing\":1,\"wrong\":0,\"launch\":2,\"kernel\":\"k\"", csv);
    expect_marks("race", 0, "\n~ tbc   ", "\"right\":true", "the program has found its result right");
    snprintf(csv, sizeof csv, csv_place, "unordered");
    expect_marks("unordered", 0, "\n~ tbc:\n  launch 2, kernel k: memory differs",
                 "\"difference\":{\"verdict\":\"unordered\"", csv);
}

/* A row that is wrong is no baseline; one that a fault has ended has no figures. */
static void test_wrong_baseline(void **state)
{
    (void)state;
    static const char *const targets[] = {"a"}, *const gpus[] = {"g"}, *const mechanisms[] = {"pdom", "tbc"};
    struct comparison c = {0};
    char *error = NULL;
    comparison_plan(&c, &(struct comparison_request){targets, gpus, mechanisms, 1, 1, 2, NULL, 0, NULL, NULL});
    add_verdict(&c.rows[0].trial.measurement, "wrong", "null");
    assert_true(measurement_add_line(&c.rows[1].trial.measurement, same_line, &error));
    c.rows[0].trial.status = TRIAL_WRONG;
    assert_float_equal(comparison_figures(&c, 0).cycles, 200, 0);
    assert_true(isnan(comparison_figures(&c, 1).speedup));
    add_verdict(&c.rows[0].trial.measurement, "wrong", "{\"kind\":\"deadlock\"}");
    assert_true(isnan(comparison_figures(&c, 0).cycles));
    comparison_free(&c);
}

static void expect_words(const struct comparison_row *row, const char *wanted)
{
    struct text got = {0};
    for (int i = 0; i < row->trial.words.count; i++)
        text_printf(&got, "%s%s", i ? " " : "", row->trial.words.data[i]);
    assert_string_equal(got.data, wanted);
    text_free(&got);
}

/* Settings of a mechanism reach its own runs; those of one that is not compared reach all, and are refused there. */
static void test_settings(void **state)
{
    (void)state;
    static const char *const targets[] = {"a"}, *const gpus[] = {"g"}, *const mechanisms[] = {"pdom", "tbc"};
    char *words[] = {"--set", "tbc.x=1",     "--set=tbc.y=2", "--set", "sm.z=3",
                     "--set", "tbc-lcp.x=4", "--limit",       "tbc.x"};
    struct comparison c = {0};
    comparison_plan(&c, &(struct comparison_request){targets, gpus, mechanisms, 1, 1, 2, words, 9, NULL, NULL});
    expect_words(&c.rows[0], "a --verify functional --set sm.z=3 --set tbc-lcp.x=4 --limit tbc.x --gpu g --mech pdom");
    expect_words(&c.rows[1], "a --verify functional --set tbc.x=1 --set=tbc.y=2 --set sm.z=3 --set tbc-lcp.x=4 --limit "
                             "tbc.x --gpu g --mech tbc");
    expect_words(&c.rows[2], "a --verify functional --set sm.z=3 --set tbc-lcp.x=4 --limit tbc.x --gpu g --mech bound");
    comparison_free(&c);
}

/* ---- variations ---- */

static void test_variation(void **state)
{
    (void)state;
    static const char *const targets[] = {"a"}, *const gpus[] = {"g"}, *const mechanisms[] = {"pdom", "tbc"};
    struct variation v = {0};
    char *error = NULL;
    assert_int_equal(variation_points(&v), 1);
    assert_true(variation_add(&v, "sm.x=1,2", &error));
    assert_true(variation_add(&v, "tbc.y=a,b,c", &error));
    assert_int_equal(variation_points(&v), 6);
    assert_string_equal(variation_value(&v, 4, 0), "2"); /* the second knob goes fastest */
    assert_string_equal(variation_value(&v, 4, 1), "b");
    struct comparison c = {0};
    comparison_plan(&c, &(struct comparison_request){targets, gpus, mechanisms, 1, 1, 2, NULL, 0, NULL, &v});
    assert_int_equal(c.count, 12); /* no bound that nobody asked for */
    expect_words(&c.rows[8], "a --verify functional --set sm.x=2 --gpu g --mech pdom");
    expect_words(&c.rows[9], "a --verify functional --set sm.x=2 --set tbc.y=b --gpu g --mech tbc");
    assert_int_equal(c.rows[8].same_as, 6); /* tbc's knob does not change pdom: one run at each value of the other */
    assert_int_equal(c.rows[9].same_as, -1);
    for (int i = 0; i < 12; i++) {
        char line[32];
        snprintf(line, sizeof line, "{\"cycles\":%d}", 100 + i);
        assert_true(measurement_add_line(&c.rows[i].trial.measurement, line, &error));
    }
    assert_float_equal(comparison_figures(&c, 9).speedup, 108.0 / 109, 1e-9); /* over the baseline of its own point */
    comparison_free(&c);
    variation_free(&v);
}

/* A program that is named twice has two tables, and the next program a third, with one column per mechanism. */
static void test_variation_of_a_program_twice(void **state)
{
    (void)state;
    static const char *const targets[] = {"a", "a", "b"}, *const gpus[] = {"g"}, *const mechanisms[] = {"pdom", "tbc"};
    struct variation v = {0};
    char *error = NULL;
    assert_true(variation_add(&v, "sm.x=1", &error));
    struct comparison c = {0};
    comparison_plan(&c, &(struct comparison_request){targets, gpus, mechanisms, 3, 1, 2, NULL, 0, NULL, &v});
    assert_int_equal(c.count, 6);
    assert_int_equal(c.rows[3].same_as, 1);
    struct text t = {0};
    comparison_print_variation(&c, &t);
    const char *first = strstr(t.data, "a on g\n"), *second = first ? strstr(first + 1, "\na on g\n") : NULL;
    assert_non_null(second);
    assert_non_null(strstr(second, "\nb on g\n"));
    assert_non_null(strstr(t.data, "all 3: harmonic mean"));
    text_free(&t);
    comparison_free(&c);
    variation_free(&v);
}

/* A bound that nobody asked for is not shown, so its scheduler is no reason for a column. Shown rows that differ
 * are. */
static void test_column_of_schedulers(void **state)
{
    (void)state;
    static const char *const targets[] = {"a", "b"}, *const gpus[] = {"g"}, *const mechanisms[] = {"pdom", "tbc"};
    static const char *const schedulers[][6] = {{"gto", "gto", "lrr", "gto", "gto", "lrr"},
                                                {"gto", "age", "gto", "gto", "age", "gto"}};
    for (int has_column = 0; has_column < 2; has_column++) {
        struct comparison c = {0};
        struct text t = {0};
        comparison_plan(&c, &(struct comparison_request){targets, gpus, mechanisms, 2, 1, 2, NULL, 0, NULL, NULL});
        assert_int_equal(c.count, 6);
        for (int i = 0; i < 6; i++)
            c.rows[i].trial.measurement.scheduler = strdup(schedulers[has_column][i]);
        comparison_print_text(&c, &t);
        assert_int_equal(strstr(t.data, "scheduler") != NULL, has_column);
        text_free(&t);
        comparison_free(&c);
    }
}

static void test_bad_variations(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "=1", "sm.x", "sm.x=", "sm.x=1,", "sm.x=,1", "sm.x=1,1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct variation v = {0};
        char *error = NULL;
        assert_false(variation_add(&v, bad[i], &error));
        assert_non_null(error);
        free(error);
        variation_free(&v);
    }
    struct variation v = {0};
    char *error = NULL;
    assert_true(variation_add(&v, "a.b=1", &error));
    assert_false(variation_add(&v, "a.b=2", &error)); /* the knob again */
    free(error);
    assert_false(variation_add(&v, "a.c=2", &error)); /* a third */
    free(error);
    variation_free(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measurement),
        cmocka_unit_test(test_paper_data),
        cmocka_unit_test(test_bad_papers),
        cmocka_unit_test(test_bad_claims),
        cmocka_unit_test(test_bad_runs),
        cmocka_unit_test(test_built_in_papers),
        cmocka_unit_test(test_gains),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_means),
        cmocka_unit_test(test_rules_of_each),
        cmocka_unit_test(test_metrics),
        cmocka_unit_test(test_failed_runs),
        cmocka_unit_test(test_comparison),
        cmocka_unit_test(test_complaints),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_variation),
        cmocka_unit_test(test_variation_of_a_program_twice),
        cmocka_unit_test(test_column_of_schedulers),
        cmocka_unit_test(test_bad_variations),
        cmocka_unit_test(test_memory_of_measurements),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_wrong_baseline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
