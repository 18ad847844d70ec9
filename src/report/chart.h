/*
 * Charts: the figures of papers as numbers, and their printers: SVG, LaTeX, CSV, JSON, text.
 *
 * A chart has one value per group, series and part. What these are depends on the kind:
 *     bars     a cluster of bars per group (a program, or the mean of a set), one bar per series (a mechanism)
 *     stacked  as bars, and each bar consists of its parts, the first at the bottom
 *     lines    one line per group and part, over the series, which stand along the x axis in their order
 *     points   one point per group and series, the groups beside each other: for many programs
 *     area     the parts of the first series, piled up, over the groups, which are moments in time
 * A value may be missing (NAN): the run failed, or its result is wrong. Marks are published values of single bars or
 * points. Rules are horizontal lines.
 */
#ifndef HEDDLE_REPORT_CHART_H
#define HEDDLE_REPORT_CHART_H

#include "base/arena.h"
#include "base/text.h"

#include <stdbool.h>

enum chart_kind { CHART_BARS, CHART_STACKED, CHART_LINES, CHART_POINTS, CHART_AREA, CHART_KINDS };
extern const char *const chart_kind_names[CHART_KINDS];

enum chart_unit { CHART_NUMBER, CHART_PERCENT, CHART_RATIO };
enum { CHART_FORMAT_BYTES = 32 };

struct chart_group {
    const char *name;
    bool is_mean; /* the mean of several programs, which stands a little apart */
    double at;    /* of an area: the place on the x axis */
};

struct chart_mark {
    int group, series;
    double value;
};

struct chart_rule {
    double value;
    const char *name;
};

struct chart {
    struct arena arena; /* owns the arrays */
    enum chart_kind kind;
    enum chart_unit unit;
    const char *id;                /* of the figure: "12", "13a" */
    const char *title, *note;      /* note: where the values come from; may be NULL */
    const char *x_label, *y_label; /* may be NULL */
    struct chart_group *groups;
    const char **series, **parts; /* a chart without parts has one, without a name (NULL) */
    int group_count, series_count, part_count;
    double *values; /* [group][series][part] */
    struct chart_mark *marks;
    struct chart_rule *rules;
    int mark_count, rule_count;
    int shade_count; /* the first so many parts are steps of one quantity: shades of one colour, pale to dark */
    double limit;    /* the axis ends there, and longer bars carry their value; 0: there is room for all */
};

/* A chart of these sizes, without values. The caller fills in the rest; names outlive the chart. */
struct chart *chart_create(int group_count, int series_count, int part_count);
void chart_free(struct chart *c);

double *chart_value(const struct chart *c, int group, int series, int part);
/* The sum of all parts; NAN if a part is missing. */
double chart_total(const struct chart *c, int group, int series);
/* The published value of a bar or point; NAN: there is none. */
double chart_published(const struct chart *c, int group, int series);

/* A value as people read it: "1.22", "76.0%", "2.4M"; "-" if missing. */
void chart_format(enum chart_unit unit, double value, char into[CHART_FORMAT_BYTES]);

/* The y axis: from `low` to `high` in steps, all three round numbers, with room for all values, marks and rules. */
struct chart_scale {
    double low, high, step;
};
struct chart_scale chart_scale(const struct chart *c);
/* How many digits behind the point the numbers of the axis need. */
int chart_scale_digits(const struct chart_scale *s);

/* Places on the x axis of bars, stacks and points, in widths of a bar: the middle of a bar, the middle of a group, and
 * the whole length. */
double chart_bar_place(const struct chart *c, int group, int series);
double chart_group_place(const struct chart *c, int group);
double chart_length(const struct chart *c);

/* The colour of a series, line or part, "#4e79a7". */
const char *chart_colour(const struct chart *c, int index, char into[8]);
/* The name of a line: that of its group, of its part, or both. */
void chart_line_name(const struct chart *c, int group, int part, struct text *out);

/* Each prints all charts of an array, one below the other. */
void chart_print_svg(struct chart *const *charts, int count, struct text *out);
void chart_print_latex(struct chart *const *charts, int count, struct text *out);
void chart_print_csv(struct chart *const *charts, int count, struct text *out);
void chart_print_json(struct chart *const *charts, int count, struct text *out);
/* Tables that are at most `columns` wide, if names allow it. */
void chart_print_text(struct chart *const *charts, int count, int columns, struct text *out);

#endif
