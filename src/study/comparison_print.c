/* Comparisons as text, JSON and CSV. */
#include "study/comparison.h"

#include "gpu/result.h"
#include "stat/stat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 100 };

/* A cell: a number, or a dash if there is none. */
static void print_cell(struct text *out, int width, const char *format, double value, const char *unit)
{
    char number[32] = "-";
    if (!isnan(value))
        snprintf(number, sizeof number, format, value);
    text_printf(out, " %*s%s", width, number, isnan(value) ? (*unit ? "  " : "") : unit);
}

static void print_branch(struct text *out, const struct comparison_figures *f)
{
    if (f->worst)
        text_printf(out, "  %.0f %% %s, %s", 100 * f->worst_share, f->worst->kernel,
                    f->worst->where ? f->worst->where : "?");
}

/* Why it has no figures. */
static char *why_not(const struct trial *t)
{
    return t->status == TRIAL_NOT_RUN ? strdup("stopped") : trial_complaint(t);
}

/* A line of the table, cut at the width of the page. */
static void print_row(const struct comparison *c, int row, struct text *out)
{
    const struct comparison_row *r = &c->rows[row];
    struct comparison_figures f = comparison_figures(c, row);
    struct text line = {0};
    text_printf(&line, "  %-12s", r->mechanism);
    if (!f.is_right) {
        char *why = why_not(&r->trial);
        text_printf(&line, "  %s", *why ? why : "failed without a word");
        free(why);
    } else {
        print_cell(&line, 11, "%.0f", f.cycles, "");
        print_cell(&line, 8, "%.3f", f.speedup, "");
        print_cell(&line, 6, "%.1f", 100 * f.simd_efficiency, " %");
        print_cell(&line, 6, "%.1f", 100 * f.of_bound, " %");
        print_cell(&line, 8, "%.3f", f.traffic, "");
        print_branch(&line, &f);
    }
    text_append(out, line.data, line.length < WIDTH ? line.length : WIDTH);
    text_append(out, "\n", 1);
    text_free(&line);
}

static bool starts_group(const struct comparison *c, int row)
{
    return row == 0 || strcmp(c->rows[row].target, c->rows[row - 1].target) ||
           strcmp(c->rows[row].gpu, c->rows[row - 1].gpu);
}

/* The harmonic mean of speedups: that of the sum of times, each program's taken as one. */
static void print_means(const struct comparison *c, struct text *out)
{
    int groups = 0, first = c->count;
    for (int i = 0; i < c->count; i++) {
        groups += starts_group(c, i);
        first = groups == 1 ? i + 1 : first;
    }
    if (groups < 2)
        return;
    text_printf(out, "all %d: harmonic mean of speedups, mean of SIMD efficiencies\n", groups);
    for (int m = 0; m < first; m++) {
        double times = 0, efficiency = 0;
        int count = 0;
        for (int i = 0; i < c->count && c->rows[m].is_shown; i++) {
            struct comparison_figures f = comparison_figures(c, i);
            if (strcmp(c->rows[i].mechanism, c->rows[m].mechanism) || isnan(f.speedup))
                continue;
            times += 1 / f.speedup;
            efficiency += f.simd_efficiency;
            count++;
        }
        if (!count)
            continue;
        text_printf(out, "  %-12s %11s %8.3f %6.1f %%", c->rows[m].mechanism, "", count / times, 100 * efficiency / count);
        if (count < groups)
            text_printf(out, "  of %d", count);
        text_printf(out, "\n");
    }
}

void comparison_print_text(const struct comparison *c, struct text *out)
{
    for (int i = 0; i < c->count; i++) {
        if (starts_group(c, i))
            text_printf(out, "%s%s on %s\n  %-12s %11s %8s %8s %8s %8s  %s\n", i ? "\n" : "", c->rows[i].target,
                        c->rows[i].gpu, "mechanism", "cycles", "speedup", "SIMD", "of mimd", "traffic",
                        "loses most lanes");
        if (c->rows[i].is_shown)
            print_row(c, i, out);
    }
    if (c->count)
        text_printf(out, "\n");
    print_means(c, out);
}

/* ---- for programs ---- */

static void json_string(struct text *out, const char *name, const char *value)
{
    text_printf(out, "\"%s\":", name);
    result_json_string(out, value);
}

static void json_number(struct text *out, const char *name, double value)
{
    if (isnan(value))
        text_printf(out, ",\"%s\":null", name);
    else
        text_printf(out, ",\"%s\":%.10g", name, value);
}

static void json_row(const struct comparison *c, int row, struct text *out)
{
    const struct comparison_row *r = &c->rows[row];
    struct comparison_figures f = comparison_figures(c, row);
    text_printf(out, "{");
    json_string(out, "target", r->target);
    text_printf(out, ",");
    json_string(out, "gpu", r->gpu);
    text_printf(out, ",");
    json_string(out, "mechanism", r->mechanism);
    text_printf(out, ",\"right\":%s,\"status\":%d", f.is_right ? "true" : "false", r->trial.status);
    json_number(out, "cycles", f.cycles);
    json_number(out, "speedup", f.speedup);
    json_number(out, "simd_efficiency", f.simd_efficiency);
    json_number(out, "of_mimd", f.of_bound);
    json_number(out, "traffic", f.traffic);
    text_printf(out, ",\"worst_branch\":");
    if (f.worst) {
        text_printf(out, "{");
        json_string(out, "kernel", f.worst->kernel);
        text_printf(out, ",");
        json_string(out, "where", f.worst->where ? f.worst->where : "");
        json_number(out, "lost_share", f.worst_share);
        text_printf(out, "}");
    } else {
        text_printf(out, "null");
    }
    if (!f.is_right) {
        char *why = why_not(&r->trial);
        text_printf(out, ",");
        json_string(out, "message", why);
        free(why);
    }
    text_printf(out, ",\"host_seconds\":%.3f}\n", r->trial.seconds);
}

void comparison_print_json(const struct comparison *c, struct text *out)
{
    for (int i = 0; i < c->count; i++)
        if (c->rows[i].is_shown)
            json_row(c, i, out);
}

static void csv_number(struct text *out, double value)
{
    if (isnan(value))
        text_printf(out, ",");
    else
        text_printf(out, ",%.10g", value);
}

void comparison_print_csv(const struct comparison *c, struct text *out)
{
    text_printf(out, "target,gpu,mechanism,right,cycles,speedup,simd_efficiency,of_mimd,traffic,worst_branch\n");
    for (int i = 0; i < c->count; i++) {
        const struct comparison_row *r = &c->rows[i];
        if (!r->is_shown)
            continue;
        struct comparison_figures f = comparison_figures(c, i);
        stat_csv_field(r->target, out);
        text_printf(out, ",");
        stat_csv_field(r->gpu, out);
        text_printf(out, ",%s,%s", r->mechanism, f.is_right ? "yes" : "no");
        csv_number(out, f.cycles);
        csv_number(out, f.speedup);
        csv_number(out, f.simd_efficiency);
        csv_number(out, f.of_bound);
        csv_number(out, f.traffic);
        struct text where = {0};
        if (f.worst)
            text_printf(&where, "%s, %s", f.worst->kernel, f.worst->where ? f.worst->where : "?");
        text_printf(out, ",");
        stat_csv_field(where.data ? where.data : "", out);
        text_printf(out, "\n");
        text_free(&where);
    }
}
