/* The plot of a chart in SVG: where things are in pixels, and the shapes that stand for values. Titles, legends and
 * axes around the plot are chart_svg.c's. */
#ifndef HEDDLE_REPORT_PLOT_H
#define HEDDLE_REPORT_PLOT_H

#include "report/chart.h"

struct plot {
    const struct chart *chart;
    struct text *out;
    struct chart_scale scale;
    int left, top, width, height; /* of the rectangle with the values */
    double pixels;                /* width of a bar's place, or of the step between x positions of lines */
};

enum { PLOT_LEAST_BAR = 11 }; /* pixels of a bar in a stack, below which the name of its series has no room */

/* Chooses width and height for the values. */
void plot_measure(struct plot *p);
/* The y of a value. Values beyond the axis are at its end. */
double plot_y(const struct plot *p, double value);
/* The x of a bar or point, of the middle of a group's name, and of a moment of an area. */
double plot_x(const struct plot *p, int group, int series);
double plot_name_x(const struct plot *p, int name);
double plot_time_x(const struct plot *p, double moment);
/* Names along the x axis: groups, or the series of lines. */
int plot_name_count(const struct plot *p);
const char *plot_name(const struct plot *p, int name);
/* The last moment of an area. */
double plot_last_moment(const struct plot *p);

/* Prints bars, stacks, lines, points or areas, then marks. */
void plot_print(const struct plot *p);
/* The shape of a published value, and the cross for a missing one, also for legends. */
void plot_print_mark(double x, double y, const char *title, struct text *out);
void plot_print_cross(double x, double y, const char *title, struct text *out);
/* Whether a value is missing, so that the plot has a cross. */
bool plot_has_missing(const struct plot *p);

#endif
