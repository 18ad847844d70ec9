/*
 * Published speedups of a page: what papers say of the programs, machines and mechanisms that its runs have.
 *
 * A paper gives a speedup of one program, or the mean of several, in two places: as a mark of a figure
 * (study/figure.h), and as a claim about the metric speedup with the rule gain or gains (study/paper.h). A value that
 * both have is taken once. A page holds it only if each of its programs has runs there. Whether these runs have the
 * settings that the value was published for is decided by web/src/published.js, since filters change which runs are
 * shown.
 */
#include "page/internal.h"

#include "study/figure.h"

#include <stdlib.h>
#include <string.h>

/* One published value. */
struct value {
    const struct paper *paper;
    const struct claim *of; /* its programs */
    struct claim_run run;
    double speedup;
    const char *where; /* figure or claim, for a reader */
    const char *group; /* what a chart calls the mean */
};

/* The values of a paper that the page has so far, to see which one repeats another. */
struct known {
    struct vec_of(struct text) values;
};

/* The page's name for a program of the paper; NULL: no run of the page has the program. */
static const char *name_of(const struct page *p, const struct paper_program *program, enum page_names names)
{
    for (int i = 0; i < p->runs.count; i++) {
        const char *name = p->runs.texts[PAGE_TEXT_NAME].data[i];
        if (!name)
            continue;
        if (names == PAGE_NAMES_OF_PAPER ? !strcmp(name, program->label)
                                         : program->workload && workload_find(name) == program->workload)
            return name;
    }
    return NULL;
}

/* The names of the value's programs as a JSON array. False: a program has no run. */
static bool print_programs(const struct page *p, const struct value *v, enum page_names names, struct text *out)
{
    int count = 0;
    text_printf(out, "[");
    for (int i = 0; i < v->paper->program_count; i++) {
        const struct paper_program *program = &v->paper->programs[i];
        if (!claim_names(v->of, program))
            continue;
        const char *name = name_of(p, program, names);
        if (!name)
            return false;
        text_printf(out, "%s", count++ ? "," : "");
        json_print_string(out, name);
    }
    text_printf(out, "]");
    return count > 0;
}

/* The value of an option in the words of a run, whose length is *length; NULL: it is not there. `from` is moved on. */
static const char *next_option(const char **from, const char *option, size_t *length)
{
    size_t name = strlen(option);
    for (const char *at = *from; *(at += strspn(at, " ")); at += strcspn(at, " ")) {
        if (strncmp(at, option, name) || !strchr(" =", at[name]))
            continue;
        at += name;
        at += strspn(at, " =");
        *length = strcspn(at, " ");
        *from = at + *length;
        return at;
    }
    return NULL;
}

static void print_settings(const char *words, struct text *out)
{
    size_t length;
    const char *setting;
    text_printf(out, "[");
    for (int i = 0; (setting = next_option(&words, "--set", &length)); i++) {
        struct text word = {0};
        text_printf(&word, "%.*s", (int)length, setting);
        text_printf(out, "%s", i ? "," : "");
        json_print_string(out, word.data);
        text_free(&word);
    }
    text_printf(out, "]");
}

/* {"gpu":,"mechanism":,"settings":[]} as the columns of the page's runs have them. The page of a paper calls a run by
 * the paper's name for it, which says all: its settings are null. */
static void print_run(const struct paper *paper, int run, enum page_names names, struct text *out)
{
    const struct paper_run *r = &paper->runs[run];
    struct text word = {0};
    size_t length = 0;
    const char *at = r->words, *gpu = next_option(&at, "--gpu", &length);
    text_printf(&word, "%.*s", (int)(gpu ? length : strlen(paper->gpu)), gpu ? gpu : paper->gpu);
    text_printf(out, "{\"gpu\":");
    json_print_string(out, names == PAGE_NAMES_OF_PAPER ? paper->gpu : word.data);
    text_free(&word);
    at = r->words;
    const char *mechanism = next_option(&at, "--mech", &length);
    text_printf(&word, "%.*s", (int)(mechanism ? length : strlen("pdom")), mechanism ? mechanism : "pdom");
    text_printf(out, ",\"mechanism\":");
    json_print_string(out, names == PAGE_NAMES_OF_PAPER ? r->name : word.data);
    text_free(&word);
    text_printf(out, ",\"settings\":");
    if (names == PAGE_NAMES_OF_PAPER)
        text_printf(out, "null");
    else
        print_settings(r->words, out);
    text_printf(out, "}");
}

/* Whether this is the first value of the paper with the text, which has all of a value but where it stands. */
static bool is_new(struct known *known, const struct text *value)
{
    for (int i = 0; i < known->values.count; i++)
        if (!strcmp(known->values.data[i].data, value->data))
            return false;
    struct text copy = {0};
    text_append(&copy, value->data, value->length);
    vec_push(&known->values, copy);
    return true;
}

static void add_value(struct page *p, struct known *known, const struct value *v, enum page_names names)
{
    struct text value = {0}, source = {0};
    text_printf(&value, "\"value\":%.6g,\"programs\":", v->speedup);
    if (v->run.under >= 0 && print_programs(p, v, names, &value)) {
        text_printf(&value, ",\"run\":");
        print_run(v->paper, v->run.over, names, &value);
        text_printf(&value, ",\"baseline\":");
        print_run(v->paper, v->run.under, names, &value);
        text_printf(&source, "%s, %s: %s over %s", v->paper->title, v->where, v->paper->runs[v->run.over].name,
                    v->paper->runs[v->run.under].name);
        if (is_new(known, &value)) {
            text_printf(&p->published, "%s{%s,\"group\":", p->published.length ? "," : "", value.data);
            json_print_string(&p->published, v->group);
            text_printf(&p->published, ",\"source\":");
            json_print_string(&p->published, source.data);
            text_printf(&p->published, "}");
        }
    }
    text_free(&value);
    text_free(&source);
}

static void add_marks(struct page *p, struct known *known, const struct paper *paper, const struct figure *f,
                      enum page_names names)
{
    struct text where = {0};
    text_printf(&where, "figure %s", f->id);
    for (int i = 0; i < f->mark_count; i++) {
        struct claim of = figure_claim(f, f->marks[i].group, f->marks[i].series, 0);
        if (!strcmp(of.metric, "speedup"))
            add_value(p, known,
                      &(struct value){paper, &of, of.runs[0], f->marks[i].value, where.data,
                                      f->groups[f->marks[i].group].name},
                      names);
    }
    text_free(&where);
}

/* The numbers of gain and gains, one per run, in percent. */
static void add_gains(struct page *p, struct known *known, const struct paper *paper, const struct claim *c,
                      enum page_names names)
{
    struct text where = {0}, group = {0};
    const char *at = c->rule + strcspn(c->rule, " ");
    size_t name = (size_t)(at - c->rule);
    bool is_gain = (name == 4 || name == 5) && !strncmp(c->rule, "gains", name) && !strstr(c->rule, " and ");
    text_printf(&where, "claim %s (%s)", c->id, c->source);
    text_printf(&group, "%s mean", c->programs);
    for (int i = 0; is_gain && i < c->run_count && !strcmp(c->metric, "speedup"); i++) {
        char *end;
        double gain = strtod(at, &end);
        if (end == at)
            break;
        at = end;
        add_value(p, known, &(struct value){paper, c, c->runs[i], 1 + gain / 100, where.data, group.data}, names);
    }
    text_free(&where);
    text_free(&group);
}

bool page_add_published(struct page *p, const struct paper *paper, enum page_names names, char **error)
{
    struct figures figures;
    struct known known = {0};
    if (!figures_read(&figures, paper, error))
        return false;
    for (int i = 0; i < figures.count; i++)
        add_marks(p, &known, paper, &figures.data[i], names);
    for (int i = 0; i < paper->claim_count; i++)
        add_gains(p, &known, paper, &paper->claims[i], names);
    for (int i = 0; i < known.values.count; i++)
        text_free(&known.values.data[i]);
    vec_free(&known.values);
    figures_free(&figures);
    return true;
}

bool page_add_all_published(struct page *p, char **error)
{
    struct paper_text text;
    bool ok = true;
    for (int i = 0; ok && paper_built_in(i, &text); i++) {
        struct paper *paper = paper_load(text.name, error);
        ok = paper && page_add_published(p, paper, PAGE_NAMES_OF_WORKLOADS, error);
        paper_free(paper);
    }
    return ok;
}
