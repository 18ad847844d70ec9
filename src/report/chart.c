/* Charts: values, scales and places. See chart.h. */
#include "report/chart.h"

#include "base/svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const chart_kind_names[CHART_KINDS] = {[CHART_BARS] = "bars",
                                                   [CHART_STACKED] = "stacked",
                                                   [CHART_LINES] = "lines",
                                                   [CHART_POINTS] = "points",
                                                   [CHART_AREA] = "area"};

struct chart *chart_create(int group_count, int series_count, int part_count)
{
    struct chart *c = xcalloc(1, sizeof *c);
    size_t values = (size_t)group_count * (size_t)series_count * (size_t)part_count;
    c->group_count = group_count;
    c->series_count = series_count;
    c->part_count = part_count;
    c->groups = arena_array(&c->arena, struct chart_group, (size_t)group_count + 1);
    c->series = arena_array(&c->arena, const char *, (size_t)series_count + 1);
    c->parts = arena_array(&c->arena, const char *, (size_t)part_count + 1);
    c->values = arena_array(&c->arena, double, values + 1);
    for (size_t i = 0; i < values; i++)
        c->values[i] = NAN;
    return c;
}

void chart_free(struct chart *c)
{
    if (!c)
        return;
    arena_free(&c->arena);
    free(c);
}

double *chart_value(const struct chart *c, int group, int series, int part)
{
    size_t bar = (size_t)group * (size_t)c->series_count + (size_t)series;
    return &c->values[bar * (size_t)c->part_count + (size_t)part];
}

double chart_total(const struct chart *c, int group, int series)
{
    double sum = 0;
    for (int p = 0; p < c->part_count; p++)
        sum += *chart_value(c, group, series, p);
    return sum;
}

double chart_published(const struct chart *c, int group, int series)
{
    for (int i = 0; i < c->mark_count; i++)
        if (c->marks[i].group == group && c->marks[i].series == series)
            return c->marks[i].value;
    return NAN;
}

void chart_format(enum chart_unit unit, double value, char into[CHART_FORMAT_BYTES])
{
    static const char letters[] = "kMGT";
    int power = 0;
    if (isnan(value)) {
        snprintf(into, CHART_FORMAT_BYTES, "-");
    } else if (unit == CHART_PERCENT) {
        snprintf(into, CHART_FORMAT_BYTES, "%.1f%%", value);
    } else if (unit == CHART_RATIO) {
        snprintf(into, CHART_FORMAT_BYTES, "%.3f", value);
    } else if (fabs(value) < 10000) {
        snprintf(into, CHART_FORMAT_BYTES, "%.4g", value);
    } else {
        for (power = -1; fabs(value) >= 1000 && power < 3; power++)
            value /= 1000;
        snprintf(into, CHART_FORMAT_BYTES, "%.4g%c", value, letters[power]);
    }
}

/* ---- the y axis ---- */

/* The least and the greatest of what the chart shows: bars as a whole, lines point by point. */
static void extent(const struct chart *c, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    bool is_piled = c->kind == CHART_STACKED || c->kind == CHART_AREA;
    for (int g = 0; g < c->group_count; g++)
        for (int s = 0; s < c->series_count; s++)
            for (int p = 0; p < (is_piled ? 1 : c->part_count); p++) {
                double v = is_piled ? chart_total(c, g, s) : *chart_value(c, g, s, p);
                *low = isnan(v) ? *low : fmin(*low, v);
                *high = isnan(v) ? *high : fmax(*high, v);
            }
    for (int i = 0; i < c->mark_count; i++) {
        *low = fmin(*low, c->marks[i].value);
        *high = fmax(*high, c->marks[i].value);
    }
    for (int i = 0; i < c->rule_count; i++) {
        *low = fmin(*low, c->rules[i].value);
        *high = fmax(*high, c->rules[i].value);
    }
}

/* The round number (1, 2, 2.5 or 5 times a power of ten) that divides the length into about five to eight. */
static double round_step(double length)
{
    double power = pow(10, floor(log10(length / 5)));
    double wanted = length / 5 / power;
    return power * (wanted < 1.5 ? 1 : wanted < 2.2 ? 2 : wanted < 3.5 ? 2.5 : wanted < 7 ? 5 : 10);
}

struct chart_scale chart_scale(const struct chart *c)
{
    double low, high;
    extent(c, &low, &high);
    if (low > high) {
        low = 0;
        high = 1; /* a chart without values */
    }
    bool is_line = c->kind == CHART_LINES || c->kind == CHART_POINTS;
    if (!is_line || low < 0.5 * high)
        low = fmin(low, 0); /* a bar that does not begin at 0 misleads; lines may show a part of the axis */
    if (c->limit > 0)
        high = fmin(high, c->limit);
    if (high <= low)
        high = low + (low > 0 ? low : 1);
    struct chart_scale s = {.step = round_step(high - low)};
    s.low = s.step * floor(low / s.step + 1e-9);
    s.high = s.step * ceil(high / s.step - 1e-9);
    return s;
}

int chart_scale_digits(const struct chart_scale *s)
{
    int digits = 0;
    for (double step = s->step; digits < 6 && fabs(step - round(step)) > 1e-6 * step; step *= 10)
        digits++;
    return digits;
}

/* ---- the x axis ---- */

static const double group_gap = 1.1, mean_gap = 0.9; /* in widths of a bar */

static int bars_of_group(const struct chart *c)
{
    return c->kind == CHART_POINTS ? 1 : c->series_count;
}

/* Where a group begins; that of the group behind the last is the whole length. */
static double group_start(const struct chart *c, int group)
{
    double at = group_gap / 2;
    bool is_single = bars_of_group(c) == 1;
    for (int g = 0; g < group; g++) {
        bool is_edge = g + 1 < c->group_count && c->groups[g].is_mean != c->groups[g + 1].is_mean;
        at += bars_of_group(c) + (is_single ? group_gap / 2 : group_gap) + (is_edge ? mean_gap : 0);
    }
    return at;
}

double chart_bar_place(const struct chart *c, int group, int series)
{
    return group_start(c, group) + (c->kind == CHART_POINTS ? 0.5 : series + 0.5);
}

double chart_group_place(const struct chart *c, int group)
{
    return group_start(c, group) + 0.5 * bars_of_group(c);
}

double chart_length(const struct chart *c)
{
    return group_start(c, c->group_count);
}

/* ---- names and colours ---- */

const char *chart_colour(const struct chart *c, int index, char into[8])
{
    /* From pale to dark blue: the ends of a scale that still differ from white and from black. */
    static const int pale[3] = {0xd6, 0xe6, 0xf4}, dark[3] = {0x12, 0x3f, 0x72};
    if (index >= c->shade_count) {
        int colour = c->shade_count ? index - c->shade_count + 1 : index; /* the first colour is a blue as well */
        snprintf(into, 8, "%s", svg_colours[colour % SVG_COLOURS]);
        return into;
    }
    int rgb[3];
    for (int i = 0; i < 3; i++)
        rgb[i] = c->shade_count > 1 ? pale[i] + (dark[i] - pale[i]) * index / (c->shade_count - 1) : dark[i];
    snprintf(into, 8, "#%02x%02x%02x", (unsigned)rgb[0] & 0xff, (unsigned)rgb[1] & 0xff, (unsigned)rgb[2] & 0xff);
    return into;
}

void chart_line_name(const struct chart *c, int group, int part, struct text *out)
{
    const char *name = c->parts[part];
    if (!name || c->group_count > 1)
        text_printf(out, "%s", c->groups[group].name);
    if (name)
        text_printf(out, "%s%s", c->group_count > 1 ? ", " : "", name);
}
