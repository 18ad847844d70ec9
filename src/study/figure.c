/* Figures of papers: reading and checking their sections. See figure.h. */
#define _GNU_SOURCE
#include "study/figure.h"

#include "base/vec.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct figure_reading {
    const struct paper *paper;
    struct arena *arena;
    struct figure *figure; /* that is being read; NULL: another section is */
    const char *groups;    /* its entry groups, and the marks, which can be read only when all else is known */
    struct vec_of(const char *) marks;
    const char *base, *sort; /* names of series; NULL: none */
    int line;
    struct text why; /* the first mistake; empty: none */
};

static bool fail(struct figure_reading *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(struct figure_reading *r, const char *format, ...)
{
    va_list args;
    if (r->why.data)
        return false;
    text_printf(&r->why, "%s:%d: ", r->paper->ini_path, r->line);
    va_start(args, format);
    text_vprintf(&r->why, format, args);
    va_end(args);
    return false;
}

static bool is_word(const char *name, const char *word, size_t length)
{
    return strlen(name) == length && !memcmp(name, word, length);
}

/* As is_word(), but a blank of the name is _ in the word. */
static bool is_name(const char *name, const char *word, size_t length)
{
    bool same = strlen(name) == length;
    for (size_t i = 0; same && i < length; i++)
        same = name[i] == word[i] || (name[i] == ' ' && word[i] == '_');
    return same;
}

/* A word as a name: each _ becomes a blank. */
static char *make_name(struct figure_reading *r, const char *word, size_t length)
{
    char *name = arena_copy_string(r->arena, word, length);
    for (char *at = name; *at; at++)
        *at = *at == '_' ? ' ' : *at;
    return name;
}

/* ---- groups ---- */

static bool add_group(struct figure_reading *r, struct figure_group group)
{
    struct figure *f = r->figure;
    if (f->group_count == FIGURE_MAX_GROUPS)
        return fail(r, "figure %s has more than %d groups", f->id, FIGURE_MAX_GROUPS);
    f->groups[f->group_count++] = group;
    return true;
}

static bool is_known(const struct paper *p, const char *word, size_t length)
{
    for (int i = 0; i < p->program_count; i++)
        if (paper_program_is(&p->programs[i], word, length))
            return true;
    return false;
}

/* Whether the entry takes the program out: "-LABEL". */
static bool is_taken_out(const struct figure_reading *r, const char *label)
{
    for (const char *at = r->groups; *(at += strspn(at, " ")); at += strcspn(at, " "))
        if (*at == '-' && is_word(label, at + 1, strcspn(at, " ") - 1))
            return true;
    return false;
}

/* "mean:DIVG+COHE", perhaps with a name in front: "all=mean:DIVG+COHE". Means leave out what the entry takes out. */
static bool read_mean(struct figure_reading *r, const char *word, size_t length, const char *sets)
{
    struct text programs = {0};
    const char *name = make_name(r, word, (size_t)(sets - word) - strlen("mean:") - 1), *end = word + length;
    bool ok = true;
    for (const char *at = sets; ok && at < end; at++) {
        size_t part = strcspn(at, "+ ");
        if (!is_known(r->paper, at, part))
            ok = fail(r, "figure %s: there is no program and no set %.*s", r->figure->id, (int)part, at);
        text_printf(&programs, "%s%.*s", programs.length ? " " : "", (int)part, at);
        at += part;
    }
    for (int i = 0; i < r->paper->program_count; i++)
        if (is_taken_out(r, r->paper->programs[i].label))
            text_printf(&programs, " -%s", r->paper->programs[i].label);
    if (ok && !programs.length)
        ok = fail(r, "figure %s: a mean needs a set: mean:SET", r->figure->id);
    if (ok)
        ok = add_group(r,
                       (struct figure_group){name, arena_copy_string(r->arena, programs.data, programs.length), true});
    text_free(&programs);
    return ok;
}

/* A program, or all programs of a set. */
static bool read_programs(struct figure_reading *r, const char *word, size_t length)
{
    const struct paper *p = r->paper;
    if (!is_known(p, word, length))
        return fail(r, "figure %s: there is no program and no set %.*s", r->figure->id, (int)length, word);
    for (int i = 0; i < p->program_count; i++)
        if (paper_program_is(&p->programs[i], word, length) && !is_taken_out(r, p->programs[i].label) &&
            !add_group(r, (struct figure_group){p->programs[i].label, p->programs[i].label, false}))
            return false;
    return true;
}

static bool read_groups(struct figure_reading *r)
{
    static const char mean[] = "mean:";
    for (const char *at = r->groups; *(at += strspn(at, " ")); at += strcspn(at, " ")) {
        size_t length = strcspn(at, " ");
        const char *colon = memmem(at, length, mean, sizeof mean - 1);
        bool has_name = colon && colon > at && colon[-1] == '=', is_mean = colon && (colon == at || has_name);
        if (*at == '-' && length > 1) {
            if (!is_known(r->paper, at + 1, length - 1))
                return fail(r, "figure %s: there is no program %.*s", r->figure->id, (int)length - 1, at + 1);
        } else if (is_mean && !has_name) {
            struct text named = {0};
            text_printf(&named, "%.*s_mean=%.*s", (int)(length - (sizeof mean - 1)), colon + sizeof mean - 1,
                        (int)length, at);
            const char *copy = arena_copy_string(r->arena, named.data, named.length);
            text_free(&named);
            if (!read_mean(r, copy, strlen(copy), strstr(copy, "=mean:") + sizeof mean))
                return false;
        } else if (is_mean ? !read_mean(r, at, length, colon + sizeof mean - 1) : !read_programs(r, at, length)) {
            return false;
        }
    }
    return r->figure->group_count || fail(r, "figure %s has no groups", r->figure->id);
}

/* ---- entries ---- */

static int find_series(const struct figure *f, const char *word, size_t length)
{
    for (int i = 0; i < f->series_count; i++)
        if (is_name(f->series[i].name, word, length))
            return i;
    return -1;
}

static int find_group(const struct figure *f, const char *word, size_t length)
{
    for (int i = 0; i < f->group_count; i++)
        if (is_name(f->groups[i].name, word, length))
            return i;
    return -1;
}

static int find_run(const struct paper *p, const char *word, size_t length)
{
    for (int i = 0; i < p->run_count; i++)
        if (is_word(p->runs[i].name, word, length))
            return i;
    return -1;
}

static bool check_metric(struct figure_reading *r, const char *metric)
{
    struct text why = {0};
    bool ok = metric_check(metric, &why) || fail(r, "figure %s: %s", r->figure->id, why.data);
    text_free(&why);
    return ok;
}

/* "tbc/pdom" or "tbc/pdom efficiency". */
static bool take_series(struct figure_reading *r, const char *name, const char *value)
{
    struct figure *f = r->figure;
    size_t length = strcspn(value, " "), over = strcspn(value, " /");
    const char *metric = value + length + strspn(value + length, " ");
    if (f->series_count == FIGURE_MAX_SERIES)
        return fail(r, "figure %s has more than %d series", f->id, FIGURE_MAX_SERIES);
    if (find_series(f, name, strlen(name)) >= 0)
        return fail(r, "figure %s: the series %s is named twice", f->id, name);
    struct figure_series *s = &f->series[f->series_count++];
    *s = (struct figure_series){.name = name, .metric = *metric ? metric : NULL};
    s->run.over = find_run(r->paper, value, over);
    s->run.under = over < length ? find_run(r->paper, value + over + 1, length - over - 1) : -1;
    if (s->run.over < 0 || (over < length && s->run.under < 0))
        return fail(r, "figure %s: there is no run %.*s", f->id, (int)length, value);
    return !*metric || check_metric(r, metric);
}

static bool take_part(struct figure_reading *r, const char *name, const char *metric)
{
    struct figure *f = r->figure;
    if (f->part_count == FIGURE_MAX_PARTS)
        return fail(r, "figure %s has more than %d parts", f->id, FIGURE_MAX_PARTS);
    f->parts[f->part_count++] = (struct figure_part){name, metric};
    return true;
}

static bool take_kind(struct figure_reading *r, const char *value)
{
    for (int k = 0; k < CHART_KINDS; k++)
        if (!strcmp(chart_kind_names[k], value)) {
            r->figure->kind = (enum chart_kind)k;
            return true;
        }
    struct text names = {0};
    for (int k = 0; k < CHART_KINDS; k++)
        text_printf(&names, "%s%s", k ? ", " : "", chart_kind_names[k]);
    fail(r, "figure %s: there is no kind '%s'; there are %s", r->figure->id, value, names.data);
    text_free(&names);
    return false;
}

/* A published value as the axis has it: "+22%" and "2.7x" are ratios, "76%" and "3" are themselves. */
static bool read_value(struct figure_reading *r, const char *word, double *value)
{
    char *end;
    bool is_change = *word == '+' || *word == '-';
    *value = strtod(word, &end);
    size_t length = strcspn(word, " ");
    if (end == word || !isfinite(*value))
        return fail(r, "figure %s: '%.*s' is no value", r->figure->id, (int)length, word);
    if (*end == '%' && is_change)
        *value = 1 + *value / 100;
    end += *end == '%' || *end == 'x';
    return (!*end || *end == ' ') || fail(r, "figure %s: '%.*s' is no value", r->figure->id, (int)length, word);
}

static bool take_rule(struct figure_reading *r, const char *value)
{
    struct figure *f = r->figure;
    const char *words = value + strcspn(value, " ");
    words += strspn(words, " ");
    if (f->rule_count == FIGURE_MAX_MARKS)
        return fail(r, "figure %s has more than %d rules", f->id, FIGURE_MAX_MARKS);
    if (!*words)
        return fail(r, "figure %s: a rule has a value and a name: rule = 76%% WORDS", f->id);
    f->rules[f->rule_count].name = words;
    return read_value(r, value, &f->rules[f->rule_count++].value);
}

/* "GROUP SERIES VALUE". */
static bool read_mark(struct figure_reading *r, const char *mark)
{
    struct figure *f = r->figure;
    const char *words[3];
    size_t lengths[3];
    for (int i = 0; i < 3; i++) {
        words[i] = mark + strspn(mark, " ");
        lengths[i] = strcspn(words[i], " ");
        mark = words[i] + lengths[i];
    }
    if (!lengths[2] || mark[strspn(mark, " ")])
        return fail(r, "figure %s: a mark is a group, a series and a value, not '%s'", f->id, words[0]);
    if (f->mark_count == FIGURE_MAX_MARKS)
        return fail(r, "figure %s has more than %d marks", f->id, FIGURE_MAX_MARKS);
    struct chart_mark *m = &f->marks[f->mark_count++];
    m->group = find_group(f, words[0], lengths[0]);
    m->series = find_series(f, words[1], lengths[1]);
    if (m->group < 0)
        return fail(r, "figure %s: a mark names the group %.*s, which it does not have", f->id, (int)lengths[0],
                    words[0]);
    if (m->series < 0)
        return fail(r, "figure %s: a mark names the series %.*s, which it does not have", f->id, (int)lengths[1],
                    words[1]);
    return read_value(r, words[2], &m->value);
}

static bool take_entry(struct figure_reading *r, const char *name, const char *value)
{
    static const char series[] = "series ", part[] = "part ";
    struct figure *f = r->figure;
    const struct {
        const char *name;
        const char **into;
    } texts[] = {{"title", &f->title},   {"x", &f->x},       {"y", &f->y},      {"metric", &f->metric},
                 {"groups", &r->groups}, {"base", &r->base}, {"sort", &r->sort}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!strcmp(name, texts[i].name)) {
            *texts[i].into = value;
            return true;
        }
    if (!strcmp(name, "kind"))
        return take_kind(r, value);
    if (!strcmp(name, "rule"))
        return take_rule(r, value);
    if (!strcmp(name, "limit"))
        return read_value(r, value, &f->limit);
    if (!strncmp(name, series, sizeof series - 1))
        return take_series(r, name + sizeof series - 1, value);
    if (!strncmp(name, part, sizeof part - 1))
        return take_part(r, name + sizeof part - 1, value);
    if (!strcmp(name, "mark")) {
        vec_push(&r->marks, value);
        return true;
    }
    if (!strcmp(name, "shades")) {
        f->shade_count = atoi(value);
        return true;
    }
    return fail(
        r,
        "[figure %s] has no entry '%s'; it has title, kind, metric, x, y, groups, series NAME, part NAME, base, "
        "shades, mark, rule, limit and sort",
        f->id, name);
}

/* ---- whole figures ---- */

static bool check_base(struct figure_reading *r)
{
    struct figure *f = r->figure;
    f->base = !r->base                  ? FIGURE_NO_BASE
              : !strcmp(r->base, "own") ? FIGURE_OWN_BASE
                                        : find_series(f, r->base, strlen(r->base));
    f->sort = r->sort ? find_series(f, r->sort, strlen(r->sort)) : -1;
    if (r->base && f->base == -1)
        return fail(r, "figure %s: base names the series %s, which it does not have", f->id, r->base);
    if (r->sort && f->sort < 0)
        return fail(r, "figure %s: sort names the series %s, which it does not have", f->id, r->sort);
    return true;
}

/* Every bar has a metric, from its series, its part or the figure. */
static bool check_metrics(struct figure_reading *r)
{
    struct figure *f = r->figure;
    if (f->metric && !check_metric(r, f->metric))
        return false;
    for (int i = 0; f->kind != CHART_AREA && i < f->part_count; i++)
        if (!check_metric(r, f->parts[i].metric))
            return false;
    for (int i = 0; i < f->series_count; i++)
        if (!f->parts[0].metric && !f->series[i].metric && !f->metric)
            return fail(r, "figure %s: the series %s has no metric", f->id, f->series[i].name);
    return true;
}

static bool check_kind(struct figure_reading *r)
{
    const struct figure *f = r->figure;
    bool has_parts = f->part_count > 0, needs_parts = f->kind == CHART_STACKED || f->kind == CHART_AREA;
    if (needs_parts && !has_parts)
        return fail(r, "figure %s: its kind, %s, needs parts: part NAME = METRIC", f->id, chart_kind_names[f->kind]);
    if (has_parts && !needs_parts && f->kind != CHART_LINES)
        return fail(r, "figure %s: its kind, %s, has no parts", f->id, chart_kind_names[f->kind]);
    if (f->kind == CHART_AREA && (f->group_count != 1 || f->series_count != 1 || f->groups[0].is_mean))
        return fail(r, "figure %s: an area shows one program and one series", f->id);
    if (f->base != FIGURE_NO_BASE && f->kind != CHART_STACKED)
        return fail(r, "figure %s: only stacks have a base", f->id);
    if (f->shade_count < 0 || f->shade_count > f->part_count)
        return fail(r, "figure %s has %d parts, not %d for shades", f->id, f->part_count, f->shade_count);
    return true;
}

/* Reads what the end of the section makes known, and checks the whole. */
static bool end_figure(struct figure_reading *r)
{
    struct figure *f = r->figure;
    int last = r->line;
    bool ok = true;
    if (!f)
        return true;
    r->line = f->line;
    if (!f->title || !r->groups || !f->series_count)
        ok = fail(r, "figure %s needs title, groups and series", f->id);
    ok = ok && read_groups(r) && check_base(r) && check_metrics(r) && check_kind(r);
    for (int i = 0; ok && i < r->marks.count; i++)
        ok = read_mark(r, r->marks.data[i]);
    r->line = last;
    r->marks.count = 0;
    r->figure = NULL;
    r->groups = r->base = r->sort = NULL;
    return ok;
}

static bool begin_figure(struct figure_reading *r, struct figures *f, const char *id)
{
    for (int i = 0; i < f->count; i++)
        if (!strcmp(f->data[i].id, id))
            return fail(r, "the figure %s is named twice", id);
    if (!*id)
        return fail(r, "a figure needs a number: [figure N]");
    r->figure = &f->data[f->count++];
    *r->figure = (struct figure){.id = id, .line = r->line};
    return true;
}

/* ---- lines ---- */

/* Takes blanks off both ends, and a comment off the end. */
static char *trim(char *line)
{
    char *comment = line;
    line += strspn(line, " \t");
    while ((comment = strchr(comment, ';'))) {
        if (comment <= line || isspace((unsigned char)comment[-1])) {
            *comment = '\0';
            break;
        }
        comment++;
    }
    for (size_t n = strlen(line); n && isspace((unsigned char)line[n - 1]);)
        line[--n] = '\0';
    return line;
}

/* The name in "[figure NAME]"; NULL: the line begins another section. */
static const char *figure_name(char *line)
{
    static const char section[] = "[figure";
    char *close = strrchr(line, ']');
    if (strncmp(line, section, sizeof section - 1) || !strchr(" ]", line[sizeof section - 1]) || !close)
        return NULL;
    *close = '\0';
    return trim(line + sizeof section - 1);
}

static bool read_line(struct figure_reading *r, struct figures *f, char *line)
{
    line = trim(line);
    if (*line == '[') {
        const char *id = figure_name(line);
        return end_figure(r) && (!id || begin_figure(r, f, id));
    }
    char *equals = strchr(line, '=');
    if (!*line || !r->figure)
        return true;
    if (!equals)
        return fail(r, "neither a [section] nor 'name = value'");
    *equals = '\0';
    return take_entry(r, trim(line), trim(equals + 1));
}

static int count_sections(const char *text)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, "[figure")); at++)
        count++;
    return count;
}

bool figures_read(struct figures *f, const struct paper *paper, char **error)
{
    struct figure_reading r = {.paper = paper, .arena = &f->arena};
    *f = (struct figures){0};
    f->data = arena_array(&f->arena, struct figure, (size_t)count_sections(paper->ini) + 1);
    bool ok = true;
    for (const char *at = paper->ini; ok && *at;) {
        size_t length = strcspn(at, "\n");
        r.line++;
        ok = read_line(&r, f, arena_copy_string(&f->arena, at, length));
        at += length + (at[length] == '\n');
    }
    ok = ok && end_figure(&r);
    vec_free(&r.marks);
    if (ok)
        return true;
    *error = text_take(&r.why);
    figures_free(f);
    return false;
}

void figures_free(struct figures *f)
{
    arena_free(&f->arena);
    *f = (struct figures){0};
}

bool figure_is_listed(const char *list, const struct figure *f)
{
    size_t number = strspn(f->id, "0123456789");
    for (const char *at = list; at; at = strchr(at, ','), at += at != NULL) {
        size_t length = strcspn(at, ",");
        if (is_word(f->id, at, length) || is_word("all", at, length) ||
            (number && length == number && !memcmp(at, f->id, length)))
            return true;
    }
    return false;
}
