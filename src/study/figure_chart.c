/* Figures of papers: from what was measured to a chart. See figure.h. */
#include "study/figure.h"

#include "study/claim_values.h"

#include <math.h>
#include <stdlib.h>

static int part_count(const struct figure *f)
{
    return f->part_count ? f->part_count : 1;
}

struct claim figure_claim(const struct figure *f, int group, int series, int part)
{
    const struct figure_series *s = &f->series[series];
    const char *of_part = f->part_count ? f->parts[part].metric : NULL;
    return (struct claim){.id = f->id,
                          .programs = f->groups[group].programs,
                          .metric = s->metric ? s->metric
                                    : of_part ? of_part
                                              : f->metric,
                          .rule = "",
                          .runs = {s->run},
                          .run_count = 1};
}

/* Ratios if any series is one; shares if all metrics are; else plain numbers. */
static enum chart_unit unit_of(const struct figure *f)
{
    bool is_share = true;
    if (f->base == FIGURE_OWN_BASE)
        return CHART_PERCENT;
    for (int s = 0; s < f->series_count; s++) {
        if (f->series[s].run.under >= 0 || f->base >= 0)
            return CHART_RATIO;
        for (int p = 0; p < part_count(f); p++)
            is_share &= metric_unit(figure_claim(f, 0, s, p).metric) == METRIC_SHARE;
    }
    return is_share ? CHART_PERCENT : CHART_NUMBER;
}

/* The part of one program's bar: the metric divided by the total of the base. */
static double part_of_base(const struct figure *f, const struct evidence *e, int program, int series, int part)
{
    double total = 0;
    int base = f->base == FIGURE_OWN_BASE ? series : f->base;
    for (int p = 0; p < f->part_count; p++) {
        struct claim c = figure_claim(f, 0, base, p);
        total += claim_value_of(e, &c, program, 0);
    }
    struct claim c = figure_claim(f, 0, series, part);
    double value = claim_value_of(e, &c, program, 0);
    return !(total > 0) ? NAN : f->base == FIGURE_OWN_BASE ? 100 * value / total : value / total;
}

static double value_of(const struct figure *f, const struct evidence *e, int group, int series, int part)
{
    struct claim c = figure_claim(f, group, series, part);
    struct claim_values t;
    if (f->base == FIGURE_NO_BASE) {
        claim_values_fill(&t, e, &c);
        return claim_values_mean(&t, 0);
    }
    double sum = 0;
    int count = 0;
    for (int i = 0; i < e->paper->program_count; i++) {
        if (!claim_names(&c, &e->paper->programs[i]))
            continue;
        double value = part_of_base(f, e, i, series, part);
        sum += isnan(value) ? 0 : value;
        count += !isnan(value);
    }
    return count ? sum / count : NAN;
}

/* ---- areas ---- */

/* A field of the n-th interval of the figure's one run; NAN: there is none. */
static double interval_field(const struct figure *f, const struct evidence *e, int n, const char *field)
{
    struct claim c = figure_claim(f, 0, 0, 0);
    struct text path = {0};
    double value = NAN;
    text_printf(&path, "intervals.%d.%s", n, field);
    for (int i = 0; i < e->paper->program_count; i++) {
        if (!claim_names(&c, &e->paper->programs[i]) || !evidence_is_right(e, i, c.runs[0].over))
            continue;
        const struct measurement *m = &e->trials[i * e->paper->run_count + c.runs[0].over].measurement;
        value = measurement_has(m, path.data) ? measurement_sum(m, path.data) : NAN;
    }
    text_free(&path);
    return value;
}

enum { AREA_STEPS = 200 }; /* more do not show in a picture */

/* Intervals of all launches, one launch behind the other. Of more than AREA_STEPS, neighbours are drawn as one, with
 * the mean over their cycles. */
static struct chart *area_of(const struct figure *f, const struct evidence *e)
{
    int count = 0;
    double at = 0;
    while (!isnan(interval_field(f, e, count, "cycles")))
        count++;
    int together = (count + AREA_STEPS - 1) / AREA_STEPS;
    struct chart *c = chart_create(count ? (count + together - 1) / together : 0, 1, f->part_count);
    for (int g = 0; g < c->group_count; g++) {
        int first = g * together, end = first + together < count ? first + together : count;
        double before = at;
        for (int i = first; i < end; i++)
            at += interval_field(f, e, i, "cycles");
        c->groups[g] = (struct chart_group){.name = f->groups[0].name, .at = at};
        for (int p = 0; p < f->part_count; p++) {
            double sum = 0;
            for (int i = first; i < end; i++)
                sum += interval_field(f, e, i, f->parts[p].metric) * interval_field(f, e, i, "cycles");
            *chart_value(c, g, 0, p) = sum / (at - before);
        }
    }
    return c;
}

/* ---- the whole ---- */

struct sorting {
    int group;
    double value;
};

static int by_value(const void *a, const void *b)
{
    const struct sorting *x = a, *y = b;
    return x->value < y->value ? -1 : x->value > y->value ? 1 : x->group - y->group;
}

/* The groups in the order in which the chart has them. */
static void order_groups(const struct figure *f, const struct evidence *e, int order[])
{
    struct sorting *sorting = xcalloc((size_t)f->group_count, sizeof *sorting);
    for (int g = 0; g < f->group_count; g++) {
        double value = f->sort >= 0 ? value_of(f, e, g, f->sort, 0) : 0;
        sorting[g] = (struct sorting){g, isnan(value) ? INFINITY : value};
    }
    qsort(sorting, (size_t)f->group_count, sizeof *sorting, by_value);
    for (int g = 0; g < f->group_count; g++)
        order[g] = sorting[g].group;
    free(sorting);
}

static struct chart *values_of(const struct figure *f, const struct evidence *e, int order[])
{
    struct chart *c = chart_create(f->group_count, f->series_count, part_count(f));
    order_groups(f, e, order);
    for (int g = 0; g < f->group_count; g++) {
        const struct figure_group *group = &f->groups[order[g]];
        c->groups[g] = (struct chart_group){.name = group->name, .is_mean = group->is_mean};
        for (int s = 0; s < f->series_count; s++)
            for (int p = 0; p < part_count(f); p++)
                *chart_value(c, g, s, p) = value_of(f, e, order[g], s, p);
    }
    return c;
}

static void copy_marks(const struct figure *f, const int order[], struct chart *c)
{
    c->marks = arena_array(&c->arena, struct chart_mark, FIGURE_MAX_MARKS);
    c->rules = arena_array(&c->arena, struct chart_rule, FIGURE_MAX_MARKS);
    c->mark_count = f->mark_count;
    c->rule_count = f->rule_count;
    for (int i = 0; i < f->rule_count; i++)
        c->rules[i] = f->rules[i];
    for (int i = 0; i < f->mark_count; i++) {
        c->marks[i] = f->marks[i];
        for (int g = 0; g < f->group_count; g++)
            if (order[g] == f->marks[i].group)
                c->marks[i].group = g;
    }
}

struct chart *figure_chart(const struct figure *f, const struct evidence *e, const char *note)
{
    int order[FIGURE_MAX_GROUPS] = {0};
    struct chart *c = f->kind == CHART_AREA ? area_of(f, e) : values_of(f, e, order);
    c->kind = f->kind;
    c->unit = f->kind == CHART_AREA ? CHART_NUMBER : unit_of(f);
    c->id = f->id;
    c->title = f->title;
    c->note = note;
    c->x_label = f->x;
    c->y_label = f->y;
    c->shade_count = f->shade_count;
    c->limit = f->limit;
    for (int s = 0; s < f->series_count; s++)
        c->series[s] = f->series[s].name;
    for (int p = 0; p < f->part_count; p++)
        c->parts[p] = f->parts[p].name;
    copy_marks(f, order, c);
    return c;
}
