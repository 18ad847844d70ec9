/* Charts as tables: text for a terminal, CSV and JSON for programs. See chart.h. */
#include "report/chart.h"

#include "base/json.h"
#include "stat/stat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- text ---- */

enum { LEAST_COLUMN = 9, NAME_GAP = 2 };

/* A table: rows are groups (or, of stacks and areas, bars), columns are series (or parts). */
struct chart_table {
    const struct chart *chart;
    int columns_wide; /* of the page */
    int name_width;
};

static bool has_part_columns(const struct chart *c)
{
    return c->kind == CHART_STACKED || c->kind == CHART_AREA || c->part_count > 1;
}

static int row_count(const struct chart *c)
{
    return has_part_columns(c) ? c->group_count * c->series_count : c->group_count;
}

static int column_count(const struct chart *c)
{
    return has_part_columns(c) ? c->part_count : c->series_count;
}

static void name_row(const struct chart *c, int row, struct text *out)
{
    if (!has_part_columns(c))
        text_printf(out, "%s", c->groups[row].name);
    else if (c->kind == CHART_AREA)
        text_printf(out, "%.0f", c->groups[row].at);
    else
        text_printf(out, "%s, %s", c->groups[row / c->series_count].name, c->series[row % c->series_count]);
}

static const char *name_column(const struct chart *c, int column)
{
    const char *name = has_part_columns(c) ? c->parts[column] : c->series[column];
    return name ? name : "value";
}

static double cell(const struct chart *c, int row, int column)
{
    return has_part_columns(c) ? *chart_value(c, row / c->series_count, row % c->series_count, column)
                               : *chart_value(c, row, column, 0);
}

static int column_width(const struct chart *c, int column)
{
    int width = (int)strlen(name_column(c, column)) + NAME_GAP;
    return width > LEAST_COLUMN ? width : LEAST_COLUMN;
}

/* A line with the published values of a row, if there are any; of stacks there are none, since a mark is of a bar. */
static void print_published(const struct chart_table *t, int row, int first, int end, struct text *out)
{
    const struct chart *c = t->chart;
    bool has_any = false;
    for (int i = first; i < end; i++)
        has_any |= !has_part_columns(c) && !isnan(chart_published(c, row, i));
    if (!has_any)
        return;
    text_printf(out, "%-*s", t->name_width, "  published");
    for (int i = first; i < end; i++) {
        char words[CHART_FORMAT_BYTES] = "";
        double value = chart_published(c, row, i);
        if (!isnan(value))
            chart_format(c->unit, value, words);
        text_printf(out, "%*s", column_width(c, i), words);
    }
    text_printf(out, "\n");
}

static void print_columns(const struct chart_table *t, int first, int end, struct text *out)
{
    const struct chart *c = t->chart;
    text_printf(out, "%-*s", t->name_width, "");
    for (int i = first; i < end; i++)
        text_printf(out, "%*s", column_width(c, i), name_column(c, i));
    text_printf(out, "\n");
    for (int row = 0; row < row_count(c); row++) {
        struct text name = {0};
        name_row(c, row, &name);
        text_printf(out, "%-*s", t->name_width, name.data);
        text_free(&name);
        for (int i = first; i < end; i++) {
            char words[CHART_FORMAT_BYTES];
            chart_format(c->unit, cell(c, row, i), words);
            text_printf(out, "%*s", column_width(c, i), words);
        }
        text_printf(out, "\n");
        print_published(t, row, first, end, out);
    }
}

static void print_table(const struct chart *c, int columns_wide, struct text *out)
{
    struct chart_table t = {.chart = c, .columns_wide = columns_wide, .name_width = (int)strlen("  published")};
    for (int row = 0; row < row_count(c); row++) {
        struct text name = {0};
        name_row(c, row, &name);
        t.name_width = (int)name.length > t.name_width ? (int)name.length : t.name_width;
        text_free(&name);
    }
    text_printf(out, "Fig. %s: %s\n", c->id, c->title);
    if (c->note)
        text_printf(out, "%s\n", c->note);
    if (c->y_label)
        text_printf(out, "%s\n", c->y_label);
    for (int first = 0, end; first < column_count(c); first = end) {
        int width = t.name_width + column_width(c, first);
        for (end = first + 1; end < column_count(c) && width + column_width(c, end) <= columns_wide; end++)
            width += column_width(c, end);
        text_printf(out, "\n");
        print_columns(&t, first, end, out);
    }
    for (int i = 0; i < c->rule_count; i++) {
        char words[CHART_FORMAT_BYTES];
        chart_format(c->unit, c->rules[i].value, words);
        text_printf(out, "%s%s: %s\n", i ? "" : "\n", c->rules[i].name, words);
    }
}

void chart_print_text(struct chart *const *charts, int count, int columns, struct text *out)
{
    for (int i = 0; i < count; i++) {
        text_printf(out, "%s", i ? "\n" : "");
        print_table(charts[i], columns, out);
    }
}

/* ---- records: one per value ---- */

struct chart_record {
    const struct chart *chart;
    int group, series, part;
    double value, published;
};

/* Calls back for each value, in the order of the chart. A published value of a stack stands beside its first part. */
static void visit(const struct chart *c, void (*print)(const struct chart_record *r, struct text *out),
                  struct text *out)
{
    for (int g = 0; g < c->group_count; g++)
        for (int s = 0; s < c->series_count; s++)
            for (int p = 0; p < c->part_count; p++) {
                struct chart_record r = {c, g, s, p, *chart_value(c, g, s, p), p ? NAN : chart_published(c, g, s)};
                print(&r, out);
            }
}

static void print_csv_record(const struct chart_record *r, struct text *out)
{
    const struct chart *c = r->chart;
    const char *names[] = {c->id, c->groups[r->group].name, c->series[r->series], c->parts[r->part]};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        stat_csv_field(names[i] ? names[i] : "", out);
        text_printf(out, ",");
    }
    if (c->kind == CHART_AREA)
        text_printf(out, "%.10g", c->groups[r->group].at);
    text_printf(out, ",");
    if (!isnan(r->value))
        text_printf(out, "%.10g", r->value);
    text_printf(out, ",");
    if (!isnan(r->published))
        text_printf(out, "%.10g", r->published);
    text_printf(out, "\n");
}

void chart_print_csv(struct chart *const *charts, int count, struct text *out)
{
    text_printf(out, "figure,group,series,part,at,value,published\n");
    for (int i = 0; i < count; i++)
        visit(charts[i], print_csv_record, out);
}

static void print_json_number(const char *name, double value, struct text *out)
{
    if (isnan(value))
        text_printf(out, ",\"%s\":null", name);
    else
        text_printf(out, ",\"%s\":%.10g", name, value);
}

static void print_json_record(const struct chart_record *r, struct text *out)
{
    const struct chart *c = r->chart;
    const struct {
        const char *name, *value;
    } names[] = {{"figure", c->id},
                 {"group", c->groups[r->group].name},
                 {"series", c->series[r->series]},
                 {"part", c->parts[r->part]}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        text_printf(out, "%s\"%s\":", i ? "," : "{", names[i].name);
        if (names[i].value)
            json_print_string(out, names[i].value);
        else
            text_printf(out, "null");
    }
    text_printf(out, ",\"mean\":%s", c->groups[r->group].is_mean ? "true" : "false");
    print_json_number("at", c->kind == CHART_AREA ? c->groups[r->group].at : NAN, out);
    print_json_number("value", r->value, out);
    print_json_number("published", r->published, out);
    text_printf(out, "}\n");
}

void chart_print_json(struct chart *const *charts, int count, struct text *out)
{
    for (int i = 0; i < count; i++)
        visit(charts[i], print_json_record, out);
}
