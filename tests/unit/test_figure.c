/* Figures of papers: reading their sections, mistakes with file and line, values, means and marks of their charts. */
#include "study/experiment.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PAPER                                                              \
    "[paper]\ntitle = A paper\ngpu = tiny\n[programs]\nLPS = A\nAES = A\n" \
    "MUM = B\n[runs]\nbase = --mech pdom\nnew = --mech tbc\n"
/* Its first line is the 11th of the text. */
#define BARS                                                                                                     \
    "[figure 3a]\ntitle = Bars ; of a paper\nmetric = speedup\ngroups = A B mean:A both_of_them=mean:A+B -AES\n" \
    "series New way = new/base\nseries Stalls = new sm.Stall\nmark = both_of_them New_way +25%\n"

static struct paper *read_paper(const char *ini)
{
    char *error = NULL;
    struct paper *p = paper_read(
        &(struct paper_text){"x", "x.ini", "x.csv", ini, "id,kind,source,programs,claim,published,metric,runs,rule\n"},
        &error);
    assert_null(error);
    return p;
}

static void test_reading(void **state)
{
    (void)state;
    struct paper *p = read_paper(PAPER BARS);
    struct figures all;
    char *error = NULL;
    assert_true(figures_read(&all, p, &error));
    assert_int_equal(all.count, 1);
    const struct figure *f = &all.data[0];
    assert_string_equal(f->title, "Bars");
    assert_int_equal(f->group_count, 4);
    static const char *const names[] = {"LPS", "MUM", "A mean", "both of them"};
    static const char *const programs[] = {"LPS", "MUM", "A -AES", "A B -AES"};
    for (int g = 0; g < 4; g++) {
        assert_string_equal(f->groups[g].name, names[g]);
        assert_string_equal(f->groups[g].programs, programs[g]);
        assert_true(f->groups[g].is_mean == (g >= 2));
    }
    assert_string_equal(f->series[0].name, "New way");
    assert_string_equal(figure_claim(f, 0, 0, 0).metric, "speedup");
    assert_string_equal(figure_claim(f, 0, 1, 0).metric, "sm.Stall");
    assert_int_equal(f->series[1].run.under, -1);
    assert_int_equal(f->mark_count, 1);
    assert_int_equal(f->marks[0].group, 3);
    assert_true(fabs(f->marks[0].value - 1.25) < 1e-12);
    figures_free(&all);
    paper_free(p);
}

static void test_names(void **state)
{
    (void)state;
    struct figure f = {.id = "13a"};
    assert_true(figure_is_listed("13a", &f) && figure_is_listed("13", &f) && figure_is_listed("all", &f));
    assert_true(figure_is_listed("2,13", &f));
    assert_false(figure_is_listed("1", &f) || figure_is_listed("13b", &f) || figure_is_listed("3", &f));
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *section, *message;
    } rows[] = {
        {"[figure 1]\ntitle = T\ngroups = A\n", "x.ini:11: figure 1 needs title, groups and series"},
        {"[figure]\ntitle = T\n", "x.ini:11: a figure needs a number"},
        {"[figure 1]\ncolour = T\n", "x.ini:12: [figure 1] has no entry 'colour'"},
        {"[figure 1]\nkind = pie\n", "x.ini:12: figure 1: there is no kind 'pie'; there are bars"},
        {"[figure 1]\nseries N = nobody\n", "x.ini:12: figure 1: there is no run nobody"},
        {"[figure 1]\nseries N = new/nobody\n", "there is no run new/nobody"},
        {"[figure 1]\nseries N = new\nseries N = base\n", "x.ini:13: figure 1: the series N is named twice"},
        {"[figure 1]\nseries N = new no.such\n", "there is no metric 'no.such'"},
        {"[figure 1]\nseries N = new derived.thread_ipc\n", "there is no metric 'derived.thread_ipc'"},
        {"[figure 1]\ntitle = T\ngroups = A\nseries N = new\n", "the series N has no metric"},
        {"[figure 1]\ntitle = T\ngroups = C\nseries N = new speedup\n", "there is no program and no set C"},
        {"[figure 1]\ntitle = T\ngroups = mean:A+C\nseries N = new speedup\n", "there is no program and no set C"},
        {"[figure 1]\ntitle = T\ngroups = mean:\nseries N = new speedup\n", "a mean needs a set"},
        {"[figure 1]\ntitle = T\ngroups = A -C\nseries N = new speedup\n", "there is no program C"},
        {"[figure 1]\ntitle = T\nkind = stacked\ngroups = A\nseries N = new speedup\n", "needs parts"},
        {"[figure 1]\ntitle = T\ngroups = A\nseries N = new\npart P = sm.Stall\n", "its kind, bars, has no parts"},
        {"[figure 1]\ntitle = T\nkind = stacked\nbase = M\ngroups = A\nseries N = new\npart P = sm.Stall\n",
         "base names the series M"},
        {"[figure 1]\ntitle = T\nkind = area\ngroups = A\nseries N = new\npart P = x\n", "an area shows one program"},
        {"[figure 1]\ntitle = T\nshades = 2\nkind = stacked\ngroups = A\nseries N = new\npart P = sm.Stall\n",
         "has 1 parts, not 2 for shades"},
        {BARS "mark = LPS New_way\n", "x.ini:11: figure 3a: a mark is a group, a series and a value"},
        {BARS "mark = AES New_way 3\n", "names the group AES, which it does not have"},
        {BARS "mark = LPS Old 3\n", "names the series Old, which it does not have"},
        {BARS "mark = LPS New_way 3y\n", "'3y' is no value"},
        {BARS "rule = 3\n", "a rule has a value and a name"},
        {BARS "sort = Old\n", "sort names the series Old"},
        {BARS BARS, "x.ini:18: the figure 3a is named twice"},
        {BARS "nonsense\n", "x.ini:18: neither a [section] nor"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text ini = {0};
        struct figures all;
        char *error = NULL;
        text_printf(&ini, "%s%s", PAPER, rows[i].section);
        char *why = NULL;
        struct paper *p = paper_read(&(struct paper_text){"x", "x.ini", "x.csv", ini.data,
                                                          "id,kind,source,programs,claim,published,metric,runs,rule\n"},
                                     &why);
        assert_true(!p || !figures_read(&all, p, &error));
        const char *message = p ? error : why;
        if (!strstr(message, rows[i].message) && !(why && strstr(why, "neither a [section]")))
            fail_msg("'%s', not '%s'", message, rows[i].message);
        free(error);
        free(why);
        paper_free(p);
        text_free(&ini);
    }
}

/* A figure needs its own runs alone. */
static void test_plan(void **state)
{
    (void)state;
    struct paper *p = read_paper(PAPER BARS "[figure 4]\ntitle = T\ngroups = AES\nseries N = new speedup\n");
    struct figures all;
    struct experiment e;
    char *error = NULL;
    assert_true(figures_read(&all, p, &error));
    experiment_plan(&e, p, NULL, &(struct experiment_scope){.size = "test", .figures = &all, .listed = "4"});
    for (int i = 0; i < p->program_count * p->run_count; i++) {
        bool is_aes = !strcmp(p->programs[i / p->run_count].label, "AES"), is_new = i % p->run_count == 1;
        assert_true((e.trials[i].words.count > 0) == (is_aes && is_new));
    }
    experiment_free(&e);
    figures_free(&all);
    paper_free(p);
}

/* Puts what a run counted into its trial. */
static void count(struct experiment *e, int program, int run, const char *line)
{
    char *error = NULL;
    struct trial *t = &e->trials[program * e->paper->run_count + run];
    t->status = 0;
    assert_true(measurement_add_line(&t->measurement, line, &error));
}

static void test_chart(void **state)
{
    (void)state;
    struct paper *p =
        read_paper(PAPER BARS "[figure 5]\ntitle = Stack\nkind = stacked\ngroups = LPS mean:A\nbase = base\n"
                              "series base = base\nseries new = new\npart stalls = sm.Stall\npart rest = sm.W0_Mem\n"
                              "[figure 6]\ntitle = Area\nkind = area\ngroups = LPS\nseries new = new\n"
                              "part of 8 = in_gangs_of_8\n");
    struct figures all;
    struct experiment e;
    char *error = NULL;
    assert_true(figures_read(&all, p, &error));
    experiment_plan(&e, p, NULL, &(struct experiment_scope){.size = "test", .figures = &all, .listed = "all"});
    count(&e, 0, 0, "{\"cycles\":200,\"sm\":{\"Stall\":30,\"W0_Mem\":10}}");
    count(&e, 0, 1,
          "{\"cycles\":100,\"sm\":{\"Stall\":60,\"W0_Mem\":20},\"intervals\":[{\"end\":60,\"cycles\":60,"
          "\"in_gangs_of_8\":7},{\"end\":100,\"cycles\":40,\"in_gangs_of_8\":5}]}");
    count(&e, 1, 0, "{\"cycles\":100,\"sm\":{\"Stall\":10,\"W0_Mem\":0}}");
    count(&e, 1, 1, "{\"cycles\":100,\"sm\":{\"Stall\":10,\"W0_Mem\":0}}");
    count(&e, 2, 0, "{\"cycles\":100,\"sm\":{\"Stall\":1,\"W0_Mem\":1}}");
    e.trials[2 * p->run_count + 1].status = 3;
    struct chart *c = figure_chart(&all.data[0], &e.evidence[0], NULL);
    assert_true(*chart_value(c, 0, 0, 0) == 2);   /* LPS */
    assert_true(isnan(*chart_value(c, 1, 0, 0))); /* MUM, whose run failed */
    assert_true(*chart_value(c, 3, 0, 0) == 2);   /* the mean leaves out AES, as asked, and MUM */
    assert_true(*chart_value(c, 0, 1, 0) == 60);
    assert_true(chart_published(c, 3, 0) == 1.25);
    chart_free(c);
    c = figure_chart(&all.data[1], &e.evidence[0], NULL);
    assert_true(*chart_value(c, 0, 1, 0) == 1.5 && *chart_value(c, 0, 1, 1) == 0.5);
    assert_true(fabs(chart_total(c, 1, 1) - 1.5) < 1e-12); /* of LPS 2, of AES 1 */
    assert_true(fabs(chart_total(c, 1, 0) - 1) < 1e-12);
    chart_free(c);
    c = figure_chart(&all.data[2], &e.evidence[0], NULL);
    assert_int_equal(c->group_count, 2);
    assert_true(c->groups[1].at == 100 && *chart_value(c, 1, 0, 0) == 5);
    chart_free(c);
    experiment_free(&e);
    figures_free(&all);
    paper_free(p);
}

/* The figures of all built-in papers can be read. */
static void test_built_in(void **state)
{
    (void)state;
    struct paper_text text;
    for (int i = 0; paper_built_in(i, &text); i++) {
        char *error = NULL;
        struct figures all;
        struct paper *p = paper_read(&text, &error);
        assert_non_null(p);
        if (!figures_read(&all, p, &error))
            fail_msg("%s", error);
        assert_true(all.count > 0 || strcmp(text.name, "tbc") != 0);
        figures_free(&all);
        paper_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading), cmocka_unit_test(test_names), cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_plan),    cmocka_unit_test(test_chart), cmocka_unit_test(test_built_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
