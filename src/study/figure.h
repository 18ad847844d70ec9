/*
 * Figures of papers: what a figure shows, as data, and the chart that it becomes.
 *
 * NAME.ini has a section [figure N] per figure or part of one (N is "12" or "13a"), with these entries:
 *     title = WORDS
 *     kind = bars|stacked|lines|points|area   what is drawn (report/chart.h); bars without this entry
 *     metric = M                              of all series that name none (study/metric.c)
 *     y = WORDS, x = WORDS                    what the axes show
 *     groups = G ...                          programs, sets (all their programs), and means: "mean:DIVG", or with a
 *                                             name and several sets, "all=mean:DIVG+COHE"; -LABEL takes a program out
 *     series NAME = RUN[/RUN] [METRIC]        one per bar of a group, or per x position of lines
 *     part NAME = METRIC                      one per part of a stacked bar, or per line of a group
 *     base = SERIES|own                       divides stacks by the total of that series, or by their own, in percent
 *     shades = N                              the first N parts are steps of one quantity: shades of one colour
 *     mark = GROUP SERIES VALUE               a published value: "+22%" and "2.7x" of a ratio, "76%", "3"
 *     rule = VALUE WORDS                      a horizontal line
 *     limit = VALUE                           where the y axis ends; longer bars carry their value
 *     sort = SERIES                           puts programs in the order of that series
 * An area shows one group and one series over time: its parts are fields of the intervals that the run writes
 * ("in_gangs_of_8"), so the run needs --interval.
 *
 * A name with blanks stands in groups, marks and rules with _ for each blank. All that a figure names is checked when
 * it is read.
 */
#ifndef HEDDLE_STUDY_FIGURE_H
#define HEDDLE_STUDY_FIGURE_H

#include "report/chart.h"
#include "study/verdict.h"

enum {
    FIGURE_MAX_GROUPS = 2 * PAPER_MAX_PROGRAMS,
    FIGURE_MAX_SERIES = 16,
    FIGURE_MAX_PARTS = 16,
    FIGURE_MAX_MARKS = 48
};

struct figure_group {
    const char *name;
    const char *programs; /* labels and sets, as a claim names them */
    bool is_mean;
};

struct figure_series {
    const char *name;
    const char *metric; /* NULL: the parts' */
    struct claim_run run;
};

struct figure_part {
    const char *name, *metric;
};

struct figure {
    const char *id, *title, *x, *y, *metric;
    enum chart_kind kind;
    struct figure_group groups[FIGURE_MAX_GROUPS];
    struct figure_series series[FIGURE_MAX_SERIES];
    struct figure_part parts[FIGURE_MAX_PARTS];
    struct chart_mark marks[FIGURE_MAX_MARKS];
    struct chart_rule rules[FIGURE_MAX_MARKS];
    int group_count, series_count, part_count, mark_count, rule_count;
    int base; /* a series, FIGURE_NO_BASE or FIGURE_OWN_BASE */
    int sort; /* a series; -1: groups stay in their order */
    int shade_count;
    double limit;
    int line; /* of the .ini */
};

enum { FIGURE_NO_BASE = -1, FIGURE_OWN_BASE = -2 };

struct figures {
    struct arena arena;
    struct figure *data;
    int count;
};

/* Reads the figures of a paper. False and an error text, with file and line. */
bool figures_read(struct figures *f, const struct paper *paper, char **error);
void figures_free(struct figures *f);

/* Whether a list with commas asks for the figure: by its own name, by its number without the letter ("13" is 13a and
 * 13b), or by "all". */
bool figure_is_listed(const char *list, const struct figure *f);

/* What a bar or point measures, as a claim: metric, programs and run. It lives as long as the figure. */
struct claim figure_claim(const struct figure *f, int group, int series, int part);

/* The chart of what was measured; `note` says where and how. The caller frees the chart. */
struct chart *figure_chart(const struct figure *f, const struct evidence *e, const char *note);

#endif
