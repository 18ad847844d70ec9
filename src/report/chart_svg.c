/*
 * Charts as SVG: the document, titles, legends and axes. The shapes of values are plot.c's.
 *
 * A document depends on the chart alone, so it is the same on every machine. No viewer is asked how wide a text is:
 * text widths are estimated for a wide sans-serif face, and what has no room is turned, or left out in equal steps.
 */
#include "report/plot.h"

#include "base/svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    FONT = 11,          /* pixels */
    HEAD_FONT = 13,     /* of the title */
    SMALL_FONT = 9,     /* of the names of bars in a stack */
    LINE = 16,          /* height of a line of text */
    MARGIN = 10,        /* around a chart */
    SWATCH = 11,        /* side of a square in the legend */
    ENTRY_GAP = 16,     /* between entries of the legend */
    LEAST_LEGEND = 420, /* width of the legend of a narrow plot */
    NAME_STEP = 13,     /* least pixels from a slanted name to the next */
};
static const double slant = 0.6108652; /* of names, in radians: 35 degrees */

/* Estimated width in pixels. */
static double text_width(const char *words, double font)
{
    double width = 0;
    for (; *words; words++)
        width += strchr("ijltfrI.,:;|!'()[]-/ ", *words) ? 0.42
                 : strchr("MWmw%@", *words)              ? 0.95
                 : *words >= 'A' && *words <= 'Z'        ? 0.72
                                                         : 0.62;
    return width * font;
}

static void print_text(struct text *out, const char *kind, double x, double y, const char *words)
{
    text_printf(out, "<text%s%s%s x=\"%.1f\" y=\"%.1f\">", *kind ? " class=\"" : "", kind, *kind ? "\"" : "", x, y);
    svg_escape(words, out);
    text_printf(out, "</text>\n");
}

/* A text that is turned about the point where it begins or ends. */
static void print_turned(struct text *out, const char *kind, double x, double y, double degrees, const char *words)
{
    text_printf(out, "<text class=\"%s\" transform=\"translate(%.1f,%.1f)rotate(%.0f)\">", kind, x, y, degrees);
    svg_escape(words, out);
    text_printf(out, "</text>\n");
}

/* ---- the legend ---- */

struct legend {
    struct text *out;
    double x, y, width;
};

/* Prints the name of an entry, on a new line if it has no room; returns where its sign goes. */
static double print_entry(struct legend *l, const char *name)
{
    double width = SWATCH + 5 + text_width(name, FONT);
    if (l->x > 0 && l->x + width > l->width) {
        l->x = 0;
        l->y += LINE;
    }
    double at = MARGIN + l->x;
    print_text(l->out, "", at + SWATCH + 5, l->y + 10, name);
    l->x += width + ENTRY_GAP;
    return at;
}

static void print_swatch(struct legend *l, const struct plot *p, int index, const char *name)
{
    char colour[8];
    double at = print_entry(l, name), y = l->y;
    chart_colour(p->chart, index, colour);
    if (p->chart->kind == CHART_LINES)
        text_printf(l->out, "<path class=\"line\" stroke=\"%s\" d=\"M%.1f %.1fh%d\"/>\n", colour, at, y + 6, SWATCH);
    if (p->chart->kind == CHART_LINES || p->chart->kind == CHART_POINTS)
        text_printf(l->out, "<circle class=\"point\" fill=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.2\"/>\n", colour,
                    at + SWATCH / 2.0, y + 6);
    else
        text_printf(l->out, "<rect class=\"bar\" fill=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\"/>\n",
                    colour, at, y + 0.5, SWATCH, SWATCH);
}

/* Prints the legend; returns its height. */
static double print_legend(const struct plot *p, double y, double width)
{
    const struct chart *c = p->chart;
    struct legend l = {.out = p->out, .y = y, .width = width};
    if (c->kind == CHART_LINES)
        for (int i = 0; i < c->group_count * c->part_count; i++) {
            struct text name = {0};
            chart_line_name(c, i / c->part_count, i % c->part_count, &name);
            print_swatch(&l, p, i, name.data);
            text_free(&name);
        }
    else if (c->kind == CHART_STACKED || c->kind == CHART_AREA)
        for (int i = 0; i < c->part_count; i++)
            print_swatch(&l, p, i, c->parts[i] ? c->parts[i] : "");
    else
        for (int i = 0; i < c->series_count; i++)
            print_swatch(&l, p, i, c->series[i]);
    for (int i = 0; i < c->rule_count; i++) {
        double at = print_entry(&l, c->rules[i].name);
        text_printf(p->out, "<path class=\"rule\" d=\"M%.1f %.1fh%d\"/>\n", at, l.y + 6, SWATCH);
    }
    if (c->mark_count) {
        double at = print_entry(&l, "published");
        plot_print_mark(at + SWATCH / 2.0, l.y + 6, "published value", p->out);
    }
    if (plot_has_missing(p)) {
        double at = print_entry(&l, "no right result");
        plot_print_cross(at + SWATCH / 2.0, l.y + 9, "no right result", p->out);
    }
    return l.y - y + (l.x > 0 ? LINE : 0);
}

/* ---- axes ---- */

static void name_tick(const struct plot *p, double value, char into[CHART_FORMAT_BYTES])
{
    if (fabs(value) >= 10000)
        chart_format(CHART_NUMBER, value, into);
    else
        snprintf(into, CHART_FORMAT_BYTES, "%.*f%s", chart_scale_digits(&p->scale), value,
                 p->chart->unit == CHART_PERCENT ? "%" : "");
}

static int tick_count(const struct plot *p)
{
    return 1 + (int)lround((p->scale.high - p->scale.low) / p->scale.step);
}

/* The room that the numbers and the label of the y axis need. */
static int y_axis_width(const struct plot *p)
{
    double most = 0;
    char words[CHART_FORMAT_BYTES];
    for (int i = 0; i < tick_count(p); i++) {
        name_tick(p, p->scale.low + i * p->scale.step, words);
        most = fmax(most, text_width(words, FONT));
    }
    return MARGIN + (int)most + 8 + (p->chart->y_label ? LINE : 0);
}

static void print_y_axis(const struct plot *p)
{
    char words[CHART_FORMAT_BYTES];
    for (int i = 0; i < tick_count(p); i++) {
        double value = p->scale.low + i * p->scale.step, y = plot_y(p, value);
        name_tick(p, value, words);
        text_printf(p->out, "<path class=\"grid\" d=\"M%d %.1fh%d\"/>\n", p->left, y, p->width);
        print_text(p->out, "end", p->left - 6, y + 4, words);
    }
    if (p->chart->y_label)
        print_turned(p->out, "mid", MARGIN + 10, p->top + p->height / 2.0, -90, p->chart->y_label);
}

/* Lines on top of the values' grid: the foot of the plot, 1 for ratios, and the rules of the chart. */
static void print_rules(const struct plot *p)
{
    const struct chart *c = p->chart;
    text_printf(p->out, "<path class=\"axis\" d=\"M%d %dh%d\"/>\n", p->left, p->top + p->height, p->width);
    if (c->unit == CHART_RATIO && p->scale.low < 1 && p->scale.high > 1)
        text_printf(p->out, "<path class=\"axis\" d=\"M%d %.1fh%d\"/>\n", p->left, plot_y(p, 1), p->width);
    for (int i = 0; i < c->rule_count; i++) {
        text_printf(p->out, "<path class=\"rule\" d=\"M%d %.1fh%d\"><title>", p->left, plot_y(p, c->rules[i].value),
                    p->width);
        svg_escape(c->rules[i].name, p->out);
        text_printf(p->out, "</title></path>\n");
    }
}

static double widest_name(const struct plot *p)
{
    double most = 0;
    for (int i = 0; i < plot_name_count(p); i++)
        most = fmax(most, text_width(plot_name(p, i), FONT));
    return most;
}

/* The least distance from a name to the next. */
static double name_distance(const struct plot *p)
{
    double least = p->width;
    for (int i = 1; i < plot_name_count(p); i++)
        least = fmin(least, plot_name_x(p, i) - plot_name_x(p, i - 1));
    return least;
}

/* Prints the names of the bars of each stack, which stand upright; returns their height. */
static double print_bar_names(const struct plot *p, double y)
{
    const struct chart *c = p->chart;
    double most = 0;
    if (c->kind != CHART_STACKED || c->series_count < 2)
        return 0;
    for (int s = 0; s < c->series_count; s++)
        most = fmax(most, text_width(c->series[s], SMALL_FONT));
    for (int g = 0; g < c->group_count; g++)
        for (int s = 0; s < c->series_count; s++)
            print_turned(p->out, "small", plot_x(p, g, s) + 3, y + 4, -90, c->series[s]);
    return most + 4;
}

/* Prints the names of groups or x positions: level if they have room, slanted otherwise, and of many only some. Returns
 * their height. */
static double print_names(const struct plot *p, double y)
{
    double most = widest_name(p), distance = name_distance(p);
    bool is_slanted = most + 6 > distance;
    int step = is_slanted && distance < NAME_STEP ? (int)ceil(NAME_STEP / distance) : 1;
    for (int i = 0; i < plot_name_count(p); i += step) {
        bool is_mean = p->chart->kind != CHART_LINES && p->chart->groups[i].is_mean;
        if (is_slanted)
            print_turned(p->out, is_mean ? "end bold" : "end", plot_name_x(p, i) + 4, y + 12, -slant * 180 / M_PI,
                         plot_name(p, i));
        else
            print_text(p->out, is_mean ? "mid bold" : "mid", plot_name_x(p, i), y + 14, plot_name(p, i));
    }
    return is_slanted ? most * sin(slant) + 16 : LINE + 4;
}

static double print_moments(const struct plot *p, double y)
{
    char words[CHART_FORMAT_BYTES];
    double last = plot_last_moment(p), step = pow(10, floor(log10(fmax(last, 1) / 4)));
    while (last / step > 8)
        step *= last / step > 16 ? 5 : 2;
    for (double at = 0; at <= last; at += step) {
        chart_format(CHART_NUMBER, at, words);
        print_text(p->out, "mid", plot_time_x(p, at), y + 14, words);
        text_printf(p->out, "<path class=\"axis\" d=\"M%.1f %.1fv4\"/>\n", plot_time_x(p, at), y);
    }
    return LINE + 4;
}

/* How far the first slanted name reaches to the left of the plot's edge. */
static double overhang(const struct plot *p)
{
    double most = 0;
    if (!plot_name_count(p) || widest_name(p) + 6 <= name_distance(p))
        return 0;
    for (int i = 0; i < plot_name_count(p); i++)
        most = fmax(most, text_width(plot_name(p, i), FONT) * cos(slant) - (plot_name_x(p, i) - p->left));
    return most;
}

/* ---- documents ---- */

static void print_style(struct text *out)
{
    text_printf(out,
                "<style>text{font:%dpx sans-serif;fill:#24292f}.head{font-size:%dpx;font-weight:bold}"
                ".note{fill:#57606a}.mid{text-anchor:middle}.end,.small,.cut{text-anchor:end}.bold{font-weight:bold}"
                ".small{font-size:%dpx}.cut{font-size:%dpx;fill:#fff;font-weight:bold}.page{fill:#fff}"
                ".grid{stroke:#d8dee4}.axis{stroke:#57606a}.rule{stroke:#24292f;stroke-dasharray:5 3}"
                ".line{fill:none;stroke-width:2}.bar{stroke:#fff;stroke-width:.5}.point{stroke:#fff;stroke-width:.5}"
                ".mark{fill:#24292f;stroke:#fff}.none{stroke:#cf222e;stroke-width:1.3;fill:none}"
                "@media (prefers-color-scheme:dark){text{fill:#e6edf3}.note{fill:#9198a1}.cut{fill:#fff}.page{fill:"
                "#0d1117}.grid{stroke:#30363d}.axis{stroke:#9198a1}.rule{stroke:#e6edf3}.bar,.point{stroke:#0d1117}"
                ".mark{fill:#e6edf3;stroke:#0d1117}.none{stroke:#ff7b72}}</style>\n",
                FONT, HEAD_FONT, SMALL_FONT, SMALL_FONT);
}

/* Prints title and note; returns their height. */
static double print_heading(const struct chart *c, struct text *out)
{
    struct text title = {0};
    text_printf(&title, "Fig. %s: %s", c->id, c->title);
    print_text(out, "head", MARGIN, MARGIN + HEAD_FONT, title.data);
    text_free(&title);
    if (c->note)
        print_text(out, "note", MARGIN, MARGIN + HEAD_FONT + LINE, c->note);
    return HEAD_FONT + 8 + (c->note ? LINE : 0);
}

static double heading_width(const struct chart *c)
{
    struct text title = {0};
    text_printf(&title, "Fig. %s: %s", c->id, c->title);
    double width = 1.08 * text_width(title.data, HEAD_FONT); /* a bold face is wider */
    text_free(&title);
    return fmax(width, c->note ? text_width(c->note, FONT) : 0);
}

/* Prints one chart at the origin; sets its size. */
static void print_chart(const struct chart *c, double *width, double *height, struct text *out)
{
    struct plot p = {.chart = c, .out = out};
    plot_measure(&p);
    if (c->y_label && text_width(c->y_label, FONT) > p.height)
        p.height = (int)text_width(c->y_label, FONT);
    p.left = y_axis_width(&p);
    double reach = overhang(&p) + MARGIN;
    p.left = reach > p.left ? (int)reach : p.left;
    *width = fmax(p.left + p.width, MARGIN + heading_width(c));
    double legend_width = fmax(*width - MARGIN, LEAST_LEGEND);
    double y = MARGIN + print_heading(c, out);
    p.top = (int)(y + print_legend(&p, y, legend_width) + 10);
    *width = fmax(*width, legend_width) + MARGIN;
    print_y_axis(&p);
    plot_print(&p);
    print_rules(&p);
    y = p.top + p.height;
    y += print_bar_names(&p, y);
    y += c->kind == CHART_AREA ? print_moments(&p, y) : print_names(&p, y);
    if (c->x_label) {
        print_text(out, "mid", p.left + p.width / 2.0, y + 12, c->x_label);
        y += LINE;
    }
    *height = y + MARGIN;
}

/* What the picture shows, in words, for readers who do not see it. */
static void describe(struct chart *const *charts, int count, struct text *out)
{
    for (int i = 0; i < count; i++)
        text_printf(out, "%sFigure %s, %s: %s%s%s.", i ? " " : "", charts[i]->id, chart_kind_names[charts[i]->kind],
                    charts[i]->title, charts[i]->y_label ? "; y axis: " : "",
                    charts[i]->y_label ? charts[i]->y_label : "");
}

void chart_print_svg(struct chart *const *charts, int count, struct text *out)
{
    struct text body = {0}, words = {0};
    double width = 0, height = 0;
    for (int i = 0; i < count; i++) {
        double own_width, own_height;
        text_printf(&body, "<g transform=\"translate(0,%.0f)\">\n", height);
        print_chart(charts[i], &own_width, &own_height, &body);
        text_printf(&body, "</g>\n");
        width = fmax(width, own_width);
        height += ceil(own_height);
    }
    describe(charts, count, &words);
    text_printf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
                "role=\"img\" aria-labelledby=\"title desc\">\n<title id=\"title\">",
                width, height, width, height);
    svg_escape(count ? charts[0]->title : "", out);
    text_printf(out, "</title>\n<desc id=\"desc\">");
    svg_escape(words.data ? words.data : "", out);
    text_printf(out, "</desc>\n");
    print_style(out);
    text_printf(out, "<rect class=\"page\" width=\"100%%\" height=\"100%%\"/>\n%s</svg>\n", body.data ? body.data : "");
    text_free(&words);
    text_free(&body);
}
