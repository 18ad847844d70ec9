/*
 * A comparison over a variation, as text: one table per program and machine, with one row per point.
 *
 * The first mechanism has a column of cycles, each other one a column of cycles and one of its speedup over the first
 * at the same point. Mechanisms that do not fit beside each other on a page go into further tables below.
 */
#include "study/comparison.h"

#include "base/terminal.h"

#include <math.h>
#include <string.h>

enum { CYCLES_WIDTH = 13, SPEEDUP_WIDTH = 9 }; /* of the page, and of columns with the blanks before them */

/* How many mechanisms are compared: rows up to the second point. */
static int mechanisms_of(const struct comparison *c)
{
    int count = 0;
    while (count < c->count && comparison_is_one_group(&c->rows[0], &c->rows[count]))
        count++;
    return count;
}

/* The width of the column of a knob, with two blanks before it. The first has room for the word scheduler. */
static int knob_width(const struct variation *v, int knob)
{
    size_t width = strlen(v->knobs[knob].name), least = knob ? 0 : strlen("scheduler");
    width = width > least ? width : least;
    for (int i = 0; i < v->knobs[knob].values.count; i++) {
        size_t length = strlen(v->knobs[knob].values.data[i]);
        width = length > width ? length : width;
    }
    return (int)width + 2;
}

static void print_knobs(const struct comparison *c, int point, struct text *out)
{
    const struct variation *v = c->variation;
    for (int k = 0; k < v->count; k++)
        text_printf(out, "  %-*s", knob_width(v, k) - 2, point < 0 ? v->knobs[k].name : variation_value(v, point, k));
}

static int width_of(int mechanism)
{
    return mechanism ? CYCLES_WIDTH + SPEEDUP_WIDTH : CYCLES_WIDTH;
}

/* The mechanism behind the last that fits on the page beside `first`. */
static int end_of_page(const struct comparison *c, int first)
{
    int width = 0, count = mechanisms_of(c), at = first;
    for (int k = 0; k < c->variation->count; k++)
        width += knob_width(c->variation, k);
    for (; at < count && (at == first || width + width_of(at) <= terminal_text_columns()); at++)
        width += width_of(at);
    return at;
}

static void print_heading(const struct comparison *c, int first, int end, struct text *out)
{
    int knobs = 0;
    for (int k = 0; k < c->variation->count; k++)
        knobs += knob_width(c->variation, k);
    text_printf(out, "%*s", knobs, "");
    for (int m = first; m < end; m++)
        text_printf(out, " %*s", width_of(m) - 1, c->rows[m].mechanism);
    text_printf(out, "\n");
    if (c->names_schedulers) {
        text_printf(out, "  %-*s", knobs - 2, "scheduler");
        for (int m = first; m < end; m++)
            text_printf(out, "%*s", width_of(m), comparison_scheduler(&c->rows[m]));
        text_printf(out, "\n");
    }
    print_knobs(c, -1, out);
    for (int m = first; m < end; m++)
        text_printf(out, "%*s%*s", CYCLES_WIDTH, "cycles", m ? SPEEDUP_WIDTH : 0, m ? "speedup" : "");
    text_printf(out, "\n");
}

/* The figures of a row: its marks, its cycles and its speedup, or why it has none. */
static void print_row_figures(const struct comparison *c, int row, bool is_first, struct text *out)
{
    const struct comparison_row *r = &c->rows[row];
    struct comparison_figures f = comparison_figures(c, row);
    struct text cycles = {0};
    if (comparison_is_measured(r))
        text_printf(&cycles, "%.1s%s%.0f", comparison_mark(r), comparison_is_out_of_step(r) ? "^" : "", f.cycles);
    else
        text_printf(&cycles, "%s", r->trial.status == TRIAL_NOT_RUN ? "stopped" : "failed");
    text_printf(out, "%*s", CYCLES_WIDTH, cycles.data);
    if (!is_first && isnan(f.speedup))
        text_printf(out, "%*s", SPEEDUP_WIDTH, "-");
    else if (!is_first)
        text_printf(out, "%*.3f", SPEEDUP_WIDTH, f.speedup);
    text_free(&cycles);
}

/* Prints the table of the program and machine whose rows begin at `from`. */
static void print_table(const struct comparison *c, int from, struct text *out)
{
    int count = mechanisms_of(c);
    text_printf(out, "%s%s on %s\n", from ? "\n" : "", c->rows[from].target, c->rows[from].gpu);
    for (int first = 0, end; first < count; first = end) {
        end = end_of_page(c, first);
        print_heading(c, first, end, out);
        for (int point = 0; point < variation_points(c->variation); point++) {
            print_knobs(c, point, out);
            for (int m = first; m < end; m++)
                print_row_figures(c, from + point * count + m, m == 0, out);
            text_printf(out, "\n");
        }
    }
}

/* The harmonic mean over programs and machines of a mechanism's speedups at a point; NAN: no row has one. */
static double mean_speedup(const struct comparison *c, int mechanism, int point, int *programs)
{
    int count = mechanisms_of(c), step = count * variation_points(c->variation);
    double times = 0;
    *programs = 0;
    for (int row = point * count + mechanism; row < c->count; row += step) {
        struct comparison_figures f = comparison_figures(c, row);
        if (isnan(f.speedup) || !f.is_right)
            continue;
        times += 1 / f.speedup;
        ++*programs;
    }
    return *programs ? *programs / times : NAN;
}

/* Prints means over programs. A mean of fewer programs than there are says of how many. */
static void print_means(const struct comparison *c, int programs, struct text *out)
{
    int count = mechanisms_of(c);
    text_printf(out, "\nall %d: harmonic mean of speedups\n", programs);
    for (int first = 1, end; first < count; first = end) {
        end = end_of_page(c, first);
        print_knobs(c, -1, out);
        for (int m = first; m < end; m++)
            text_printf(out, " %*s", width_of(m) - 1, c->rows[m].mechanism);
        text_printf(out, "\n");
        for (int point = 0; point < variation_points(c->variation); point++) {
            print_knobs(c, point, out);
            for (int m = first; m < end; m++) {
                struct text cell = {0};
                int of;
                double mean = mean_speedup(c, m, point, &of);
                if (of && of < programs)
                    text_printf(&cell, "(of %d) ", of);
                if (of)
                    text_printf(&cell, "%.3f", mean);
                text_printf(out, "%*s", width_of(m), of ? cell.data : "-");
                text_free(&cell);
            }
            text_printf(out, "\n");
        }
    }
}

void comparison_print_variation(const struct comparison *c, struct text *out)
{
    int step = mechanisms_of(c) * variation_points(c->variation), programs = 0;
    bool has_lawful = false, has_wrong = false, is_out_of_step = false;
    for (int row = 0; row < c->count; row += step, programs++)
        print_table(c, row, out);
    if (programs > 1 && mechanisms_of(c) > 1)
        print_means(c, programs, out);
    for (int row = 0; row < c->count; row++) {
        has_lawful |= *comparison_mark(&c->rows[row]) == '~';
        has_wrong |= *comparison_mark(&c->rows[row]) == '!';
        is_out_of_step |= comparison_is_out_of_step(&c->rows[row]);
    }
    if (has_lawful || has_wrong || is_out_of_step)
        text_printf(out, "\n");
    if (has_lawful)
        text_printf(out, "~ memory may differ from the functional result, and does\n");
    if (has_wrong)
        text_printf(out, "! memory is wrong, or threads race: the row counts in no mean\n");
    if (is_out_of_step)
        text_printf(out, "^ the program relies on warps in lock-step, which the mechanism does not keep\n");
}
