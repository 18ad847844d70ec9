/*
 * Charts as LaTeX: a document of its own that pgfplots draws, one picture per chart. See chart.h.
 *
 * Bars stand at numeric places, as in the SVG, so that clusters, means and published values line up whatever the size
 * of the picture. A stack is drawn as bars over bars: each part's bar reaches from the axis to the top of that part,
 * and the parts are drawn from the top one down.
 */
#include "report/chart.h"

#include "base/tex.h"

#include <math.h>
#include <string.h>

static void print_colours(const struct chart *c, struct text *out)
{
    int count = c->kind == CHART_LINES                              ? c->group_count * c->part_count
                : c->kind == CHART_STACKED || c->kind == CHART_AREA ? c->part_count
                                                                    : c->series_count;
    for (int i = 0; i < count; i++) {
        char colour[8];
        text_printf(out, "\\definecolor{c%d}{HTML}{%s}\n", i, chart_colour(c, i, colour) + 1);
    }
}

/* The last moment of an area, in units that keep TeX's numbers small. */
static double last_moment(const struct chart *c)
{
    return c->group_count ? c->groups[c->group_count - 1].at : 1;
}

static void print_names(const struct chart *c, struct text *out)
{
    bool is_line = c->kind == CHART_LINES;
    int count = is_line ? c->series_count : c->group_count;
    text_printf(out, "  xtick={");
    for (int i = 0; i < count; i++)
        text_printf(out, "%s%.3f", i ? "," : "", is_line ? i + 0.5 : chart_group_place(c, i));
    text_printf(out, "},\n  xticklabels={");
    for (int i = 0; i < count; i++) {
        text_printf(out, "%s{", i ? "," : "");
        tex_escape(is_line ? c->series[i] : c->groups[i].name, out);
        text_printf(out, "}");
    }
    text_printf(out, "},\n  xticklabel style={rotate=35,anchor=north east,inner sep=1pt},\n");
}

/* A value where TeX can place it: at most the end of the axis. */
static double cut(const struct chart_scale *s, double value)
{
    return fmax(s->low, fmin(value, s->high));
}

static void print_axis(const struct chart *c, const struct chart_scale *s, struct text *out)
{
    double length = c->kind == CHART_LINES ? c->series_count : c->kind == CHART_AREA ? last_moment(c) : chart_length(c);
    double width = c->kind == CHART_LINES ? 9 : c->kind == CHART_AREA ? 11 : fmax(6, fmin(17, 0.35 * length + 2));
    text_printf(out, "\\begin{tikzpicture}\n\\begin{axis}[\n  width=%.1fcm, height=6.5cm, scale only axis,\n", width);
    text_printf(out, "  title={Fig. %s: ", c->id);
    tex_escape(c->title, out);
    text_printf(out, "},\n");
    if (c->y_label) {
        text_printf(out, "  ylabel={");
        tex_escape(c->y_label, out);
        text_printf(out, "},\n");
    }
    if (c->x_label) {
        text_printf(out, "  xlabel={");
        tex_escape(c->x_label, out);
        text_printf(out, "},\n");
    }
    text_printf(out, "  xmin=0, xmax=%.6g, ymin=%.6g, ymax=%.6g,\n", length, s->low, s->high);
    if (c->unit == CHART_PERCENT)
        text_printf(out, "  yticklabel={\\pgfmathprintnumber{\\tick}\\,\\%%},\n");
    if (c->kind == CHART_AREA)
        text_printf(out, "  stack plots=y, area style, const plot, axis on top, enlarge x limits=false,\n");
    else
        print_names(c, out);
    text_printf(out, "  ymajorgrids, tick align=outside, tick pos=left, tick label style={font=\\small},\n"
                     "  legend style={at={(0.5,-0.30)},anchor=north,font=\\small,draw=none,legend columns=5,"
                     "/tikz/every even column/.append style={column sep=6pt}},\n]\n");
}

static void print_legend(const char *words, struct text *out)
{
    text_printf(out, "\\addlegendentry{");
    tex_escape(words, out);
    text_printf(out, "}\n");
}

/* The bars of one series; of a stack, those of one part of all series, as high as the parts up to it. */
static void print_bars(const struct chart *c, const struct chart_scale *s, int index, struct text *out)
{
    bool is_stacked = c->kind == CHART_STACKED;
    text_printf(out,
                "\\addplot[ybar,bar width=0.86,bar shift=0pt,fill=c%d,draw=white,line width=0.2pt%s] coordinates {",
                index, is_stacked ? ",forget plot" : ",area legend");
    for (int g = 0; g < c->group_count; g++)
        for (int k = is_stacked ? 0 : index; k < (is_stacked ? c->series_count : index + 1); k++) {
            double top = 0;
            for (int part = 0; part < (is_stacked ? index + 1 : c->part_count); part++)
                top += *chart_value(c, g, k, part);
            if (!isnan(top) && !isnan(chart_total(c, g, k)))
                text_printf(out, " (%.3f,%.6g)", chart_bar_place(c, g, k), cut(s, top));
        }
    text_printf(out, " };\n");
}

static void print_line(const struct chart *c, int line, struct text *out)
{
    struct text name = {0};
    text_printf(out, "\\addplot[c%d,thick,mark=*,mark size=1.6pt] coordinates {", line);
    for (int s = 0; s < c->series_count; s++) {
        double value = *chart_value(c, line / c->part_count, s, line % c->part_count);
        if (!isnan(value))
            text_printf(out, " (%.1f,%.6g)", s + 0.5, value);
    }
    text_printf(out, " };\n");
    chart_line_name(c, line / c->part_count, line % c->part_count, &name);
    print_legend(name.data, out);
    text_free(&name);
}

static void print_points(const struct chart *c, int series, struct text *out)
{
    text_printf(out, "\\addplot[c%d,only marks,mark=*,mark size=1.2pt] coordinates {", series);
    for (int g = 0; g < c->group_count; g++)
        if (!isnan(*chart_value(c, g, series, 0)))
            text_printf(out, " (%.3f,%.6g)", chart_bar_place(c, g, series), *chart_value(c, g, series, 0));
    text_printf(out, " };\n");
    print_legend(c->series[series], out);
}

/* The values of an interval hold from the end of the interval before. */
static void print_area(const struct chart *c, int part, struct text *out)
{
    text_printf(out, "\\addplot[fill=c%d,draw=none] coordinates {", part);
    for (int g = 0; g <= c->group_count && c->group_count; g++)
        text_printf(out, " (%.6g,%.6g)", g ? c->groups[g - 1].at : 0,
                    *chart_value(c, g < c->group_count ? g : g - 1, 0, part));
    text_printf(out, " } \\closedcycle;\n");
    print_legend(c->parts[part] ? c->parts[part] : "", out);
}

/* Published values, and lines across the axis. */
static void print_marks(const struct chart *c, const struct chart_scale *s, struct text *out)
{
    double length = c->kind == CHART_LINES ? c->series_count : chart_length(c);
    if (c->unit == CHART_RATIO && s->low < 1 && s->high > 1)
        text_printf(out, "\\addplot[black!60,forget plot] coordinates { (0,1) (%.6g,1) };\n", length);
    for (int i = 0; i < c->rule_count; i++) {
        text_printf(out, "\\addplot[black,dashed] coordinates { (0,%.6g) (%.6g,%.6g) };\n", c->rules[i].value, length,
                    c->rules[i].value);
        print_legend(c->rules[i].name, out);
    }
    if (!c->mark_count)
        return;
    text_printf(out, "\\addplot[only marks,mark=diamond*,mark size=2.4pt,black] coordinates {");
    for (int i = 0; i < c->mark_count; i++)
        text_printf(out, " (%.3f,%.6g)",
                    c->kind == CHART_LINES ? c->marks[i].series + 0.5
                                           : chart_bar_place(c, c->marks[i].group, c->marks[i].series),
                    cut(s, c->marks[i].value));
    text_printf(out, " };\n");
    print_legend("published", out);
}

static void print_values(const struct chart *c, const struct chart_scale *s, struct text *out)
{
    switch (c->kind) {
    case CHART_BARS:
        for (int i = 0; i < c->series_count; i++) {
            print_bars(c, s, i, out);
            print_legend(c->series[i], out);
        }
        break;
    case CHART_STACKED:
        for (int i = c->part_count - 1; i >= 0; i--)
            print_bars(c, s, i, out);
        for (int i = 0; i < c->part_count; i++) {
            text_printf(out, "\\addlegendimage{area legend,fill=c%d,draw=none}\n", i);
            print_legend(c->parts[i] ? c->parts[i] : "", out);
        }
        break;
    case CHART_LINES:
        for (int i = 0; i < c->group_count * c->part_count; i++)
            print_line(c, i, out);
        break;
    case CHART_POINTS:
        for (int i = 0; i < c->series_count; i++)
            print_points(c, i, out);
        break;
    case CHART_AREA:
        for (int i = 0; i < c->part_count; i++)
            print_area(c, i, out);
        break;
    case CHART_KINDS:
        break;
    }
    if (c->kind != CHART_AREA)
        print_marks(c, s, out);
}

void chart_print_latex(struct chart *const *charts, int count, struct text *out)
{
    text_printf(out, "\\documentclass[tikz,border=6pt]{standalone}\n"
                     "\\usepackage{pgfplots}\n\\pgfplotsset{compat=1.14}\n\\begin{document}\n");
    for (int i = 0; i < count; i++) {
        struct chart_scale s = chart_scale(charts[i]);
        if (charts[i]->note)
            text_printf(out, "%% %s\n", charts[i]->note);
        print_colours(charts[i], out);
        print_axis(charts[i], &s, out);
        print_values(charts[i], &s, out);
        text_printf(out, "\\end{axis}\n\\end{tikzpicture}\n");
    }
    text_printf(out, "\\end{document}\n");
}
