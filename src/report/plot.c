/* The plot of a chart in SVG: see plot.h. */
#include "report/plot.h"

#include "base/svg.h"

#include <math.h>
#include <stdio.h>

enum {
    HEIGHT = 250,      /* of the values */
    BARS_WIDTH = 860,  /* of bars, if their number allows it */
    LEAST_BAR = 4,     /* width of a bar's place */
    MOST_BAR = 30,     /* the same */
    LEAST_POINT = 3,   /* width of a point's place */
    LEAST_STEP = 36,   /* between x positions of lines */
    MOST_STEP = 90,    /* the same */
    LINES_WIDTH = 560, /* of lines, if their number of positions allows it */
    AREA_WIDTH = 620,
    LEAST_WIDTH = 180,
};

static double clamp(double value, double least, double most)
{
    return value < least ? least : value > most ? most : value;
}

void plot_measure(struct plot *p)
{
    const struct chart *c = p->chart;
    p->scale = chart_scale(c);
    p->height = HEIGHT;
    if (c->kind == CHART_AREA) {
        p->width = AREA_WIDTH;
        return;
    }
    if (c->kind == CHART_LINES) {
        p->pixels = clamp((double)LINES_WIDTH / c->series_count, LEAST_STEP, MOST_STEP);
        p->width = (int)(p->pixels * c->series_count);
    } else {
        double least = c->kind == CHART_POINTS                           ? LEAST_POINT
                       : c->kind == CHART_STACKED && c->series_count > 1 ? PLOT_LEAST_BAR
                                                                         : LEAST_BAR;
        p->pixels = clamp(BARS_WIDTH / chart_length(c), least, MOST_BAR);
        p->width = (int)(p->pixels * chart_length(c));
    }
    if (p->width < LEAST_WIDTH) {
        p->pixels *= (double)LEAST_WIDTH / p->width;
        p->width = LEAST_WIDTH;
    }
}

double plot_y(const struct plot *p, double value)
{
    double part = (value - p->scale.low) / (p->scale.high - p->scale.low);
    return p->top + p->height * (1 - clamp(part, 0, 1));
}

double plot_x(const struct plot *p, int group, int series)
{
    if (p->chart->kind == CHART_LINES)
        return p->left + p->pixels * (series + 0.5);
    return p->left + p->pixels * chart_bar_place(p->chart, group, series);
}

double plot_name_x(const struct plot *p, int name)
{
    return p->chart->kind == CHART_LINES ? plot_x(p, 0, name) : p->left + p->pixels * chart_group_place(p->chart, name);
}

int plot_name_count(const struct plot *p)
{
    return p->chart->kind == CHART_LINES  ? p->chart->series_count
           : p->chart->kind == CHART_AREA ? 0
                                          : p->chart->group_count;
}

const char *plot_name(const struct plot *p, int name)
{
    return p->chart->kind == CHART_LINES ? p->chart->series[name] : p->chart->groups[name].name;
}

double plot_last_moment(const struct plot *p)
{
    return p->chart->group_count ? p->chart->groups[p->chart->group_count - 1].at : 0;
}

double plot_time_x(const struct plot *p, double moment)
{
    double last = plot_last_moment(p);
    return p->left + (last > 0 ? p->width * moment / last : 0);
}

/* ---- shapes ---- */

static void print_title(const char *title, struct text *out)
{
    text_printf(out, "<title>");
    svg_escape(title, out);
    text_printf(out, "</title>");
}

void plot_print_mark(double x, double y, const char *title, struct text *out)
{
    text_printf(out, "<path class=\"mark\" d=\"M%.1f %.1fl4.5 4.5l-4.5 4.5l-4.5 -4.5z\">", x, y - 4.5);
    print_title(title, out);
    text_printf(out, "</path>\n");
}

void plot_print_cross(double x, double y, const char *title, struct text *out)
{
    text_printf(out, "<path class=\"none\" d=\"M%.1f %.1fl5 5m0 -5l-5 5\">", x - 2.5, y - 6);
    print_title(title, out);
    text_printf(out, "</path>\n");
}

/* "MUM, TBC: 1.046": what a shape tells a reader who points at it. */
static void name_value(const struct chart *c, int group, int series, int part, double value, struct text *out)
{
    char words[CHART_FORMAT_BYTES];
    chart_format(c->unit, value, words);
    text_printf(out, "%s, %s", c->groups[group].name, c->series[series]);
    if (part >= 0 && c->parts[part])
        text_printf(out, ", %s", c->parts[part]);
    text_printf(out, ": %s", words);
}

static void print_rectangle(const struct plot *p, double x, double low, double high, const char *colour,
                            const char *title)
{
    double y = plot_y(p, high), bottom = plot_y(p, low), width = 0.86 * p->pixels;
    text_printf(p->out, "<rect class=\"bar\" fill=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">", colour,
                x - width / 2, y, width, bottom - y);
    print_title(title, p->out);
    text_printf(p->out, "</rect>\n");
}

/* A bar that the axis cuts off carries its value. */
static void print_cut(const struct plot *p, double x, double value)
{
    char words[CHART_FORMAT_BYTES];
    if (value <= p->scale.high * (1 + 1e-9))
        return;
    chart_format(p->chart->unit, value, words);
    text_printf(p->out, "<text class=\"cut\" transform=\"translate(%.1f,%d)rotate(-90)\">%s</text>\n", x + 3,
                p->top + 3, words);
}

/* One bar with its parts, the first at the bottom. */
static void print_bar(const struct plot *p, int group, int series)
{
    const struct chart *c = p->chart;
    double x = plot_x(p, group, series), below = 0;
    char colour[8];
    if (isnan(chart_total(c, group, series))) {
        struct text title = {0};
        text_printf(&title, "%s, %s: no right result", c->groups[group].name, c->series[series]);
        plot_print_cross(x, p->top + p->height, title.data, p->out);
        text_free(&title);
        return;
    }
    for (int part = 0; part < c->part_count; part++) {
        double value = *chart_value(c, group, series, part);
        struct text title = {0};
        name_value(c, group, series, part, value, &title);
        if (value > 0 || c->part_count == 1)
            print_rectangle(p, x, below, below + value,
                            chart_colour(c, c->kind == CHART_STACKED ? part : series, colour), title.data);
        below += value;
        text_free(&title);
    }
    print_cut(p, x, below);
}

/* A circle with its value; hollow for the second part, so that lines of one group can be told apart. */
static void print_point(const struct plot *p, int group, int series, int part, const char *colour)
{
    double value = *chart_value(p->chart, group, series, part);
    struct text title = {0};
    if (isnan(value))
        return;
    name_value(p->chart, group, series, part, value, &title);
    text_printf(p->out, "<circle class=\"point\" fill=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\">", colour,
                plot_x(p, group, series), plot_y(p, value), p->chart->kind == CHART_POINTS ? 2.6 : 3.2);
    print_title(title.data, p->out);
    text_printf(p->out, "</circle>\n");
    text_free(&title);
}

/* A line has a gap where a value is missing. */
static void print_line(const struct plot *p, int group, int part, const char *colour)
{
    bool is_drawing = false;
    text_printf(p->out, "<path class=\"line\" stroke=\"%s\" d=\"", colour);
    for (int s = 0; s < p->chart->series_count; s++) {
        double value = *chart_value(p->chart, group, s, part);
        if (!isnan(value))
            text_printf(p->out, "%c%.1f %.1f", is_drawing ? 'L' : 'M', plot_x(p, group, s), plot_y(p, value));
        is_drawing = !isnan(value);
    }
    text_printf(p->out, "\"/>\n");
    for (int s = 0; s < p->chart->series_count; s++)
        print_point(p, group, s, part, colour);
}

/* The values of an interval hold from the end of the interval before to its own end, so that an area has steps. */
static void print_area(const struct plot *p, int part)
{
    const struct chart *c = p->chart;
    char colour[8];
    text_printf(p->out, "<path class=\"bar\" fill=\"%s\" d=\"", chart_colour(c, part, colour));
    for (int half = 0; half < 2; half++) /* along the top, and back along the bottom */
        for (int i = 0; i < c->group_count; i++) {
            int g = half ? c->group_count - 1 - i : i;
            double below = 0, before = g ? c->groups[g - 1].at : 0;
            for (int k = 0; k < part + !half; k++)
                below += *chart_value(c, g, 0, k);
            double from = half ? c->groups[g].at : before, to = half ? before : c->groups[g].at, y = plot_y(p, below);
            text_printf(p->out, "%c%.1f %.1fH%.1f", half || i ? 'L' : 'M', plot_time_x(p, from), y, plot_time_x(p, to));
        }
    text_printf(p->out, "z\">");
    print_title(c->parts[part] ? c->parts[part] : "", p->out);
    text_printf(p->out, "</path>\n");
}

static void print_marks(const struct plot *p)
{
    const struct chart *c = p->chart;
    for (int i = 0; i < c->mark_count; i++) {
        struct text title = {0};
        text_printf(&title, "published: ");
        name_value(c, c->marks[i].group, c->marks[i].series, -1, c->marks[i].value, &title);
        plot_print_mark(plot_x(p, c->marks[i].group, c->marks[i].series), plot_y(p, c->marks[i].value), title.data,
                        p->out);
        text_free(&title);
    }
}

void plot_print(const struct plot *p)
{
    const struct chart *c = p->chart;
    char colour[8];
    for (int part = 0; c->kind == CHART_AREA && part < c->part_count; part++)
        print_area(p, part);
    for (int g = 0; c->kind == CHART_LINES && g < c->group_count; g++)
        for (int part = 0; part < c->part_count; part++)
            print_line(p, g, part, chart_colour(c, g * c->part_count + part, colour));
    for (int g = 0; c->kind != CHART_AREA && c->kind != CHART_LINES && g < c->group_count; g++)
        for (int s = 0; s < c->series_count; s++) {
            if (c->kind == CHART_POINTS)
                print_point(p, g, s, 0, chart_colour(c, s, colour));
            else
                print_bar(p, g, s);
        }
    print_marks(p);
}

bool plot_has_missing(const struct plot *p)
{
    const struct chart *c = p->chart;
    if (c->kind != CHART_BARS && c->kind != CHART_STACKED)
        return false;
    for (int g = 0; g < c->group_count; g++)
        for (int s = 0; s < c->series_count; s++)
            if (isnan(chart_total(c, g, s)))
                return true;
    return false;
}
