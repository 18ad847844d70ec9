/* Comparisons as text, JSON and CSV. */
#include "study/comparison.h"

#include "base/demangle.h"
#include "base/json.h"
#include "base/terminal.h"
#include "stat/stat.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t width(void)
{
    return (size_t)terminal_text_columns();
}

/* On a narrow terminal the place of a branch is worth more than the column of traffic and room between columns. */
static bool shows_traffic(void)
{
    return width() >= TERMINAL_TEXT_MOST;
}

/* A cell: a number, or a dash if there is none. */
static void print_cell(struct text *out, int width, const char *format, double value, const char *unit)
{
    char number[32] = "-";
    if (!isnan(value))
        snprintf(number, sizeof number, format, value);
    text_printf(out, " %*s%s", width, number, isnan(value) ? (*unit ? "  " : "") : unit);
}

/* Appends the name of a kernel in at most `room` characters, if these are a few: template arguments go first. */
static void print_kernel(struct text *out, const char *kernel, size_t room)
{
    char *name = demangle_short(kernel), *last = name + demangle_qualifier(name);
    size_t plain = strcspn(last, "<");
    if (strlen(last) <= room)
        text_printf(out, "%s", last);
    else if (last[plain] && plain + strlen("<...>") <= room)
        text_printf(out, "%.*s<...>", (int)plain, last);
    else
        text_printf(out, "%.*s...", (int)(room > 8 ? room - 3 : 5), last);
    free(name);
}

/* Ends a line with a branch. Its place is worth more than the arguments of its kernel. */
static void print_branch(struct text *out, const struct comparison_figures *f)
{
    if (!f->worst)
        return;
    const char *where = f->worst->where ? f->worst->where : "?";
    text_printf(out, "  %.0f %% ", 100 * f->worst_share);
    size_t used = out->length + strlen(", ") + strlen(where);
    print_kernel(out, f->worst->kernel, used < width() ? width() - used : 0);
    text_printf(out, ", %s", where);
}

/* Why the trial has no figures; owned by the caller. */
static char *why_not(const struct trial *t)
{
    return t->status == TRIAL_NOT_RUN ? strdup("stopped") : trial_complaint(t);
}

const char *comparison_mark(const struct comparison_row *row)
{
    const struct measurement *s = &row->trial.measurement;
    return !s->memory ? "  " : row->trial.status ? "! " : "~ ";
}

bool comparison_is_out_of_step(const struct comparison_row *row)
{
    return row->breaks_lockstep && comparison_relies_on_lockstep(row);
}

/* Stands in the column of the branch if the row is wrong. What a program says of its own result goes before a
 * verdict on its memory. */
static void print_doubt(struct text *out, const struct trial *t)
{
    char *why = trial_complaint(t);
    if (strncmp(why, "heddle: ", 8))
        text_printf(out, "  WRONG: %s", why);
    else
        text_printf(out, t->measurement.wrong ? "  WRONG RESULT, see below" : "  DOUBTFUL RESULT: a race, see below");
    free(why);
}

/* Whether two rows of one machine that the table shows have different schedulers. */
static bool differ_in_scheduler(const struct comparison_row *a, const struct comparison_row *b)
{
    const char *one = comparison_scheduler(a), *other = comparison_scheduler(b);
    return a->is_shown && b->is_shown && *one && *other && strcmp(one, other) && !strcmp(a->gpu, b->gpu);
}

/* The width of the column of schedulers, with a blank before it; 0: there is no such column. There is one if the
 * schedulers are those of papers, or if rows of one machine differ. Otherwise the machine's description, or a --set,
 * says it for all. */
static int scheduler_width(const struct comparison *c)
{
    int width = (int)sizeof "scheduler" - 1;
    bool is_needed = c->names_schedulers;
    for (int i = 0; i < c->count; i++) {
        int length = (int)strlen(comparison_scheduler(&c->rows[i]));
        width = length > width ? length : width;
        for (int k = 0; k < i && !is_needed; k++)
            is_needed = differ_in_scheduler(&c->rows[i], &c->rows[k]);
    }
    return is_needed ? 1 + width : 0;
}

/* Prints the cell of a scheduler, or the column's heading. */
static void print_scheduler(struct text *out, int width, const char *name)
{
    if (width)
        text_printf(out, " %-*s", width - 1, name);
}

/* The width of the column of mechanisms, of those that the table shows. */
static int mechanism_width(const struct comparison *c)
{
    int width = shows_traffic() ? 12 : (int)sizeof "mechanism" - 1;
    for (int i = 0; i < c->count; i++)
        if (c->rows[i].is_shown && (int)strlen(c->rows[i].mechanism) > width)
            width = (int)strlen(c->rows[i].mechanism);
    return width;
}

/* Prints a row, cut at the width of the page. `scheduler`: width of the column of schedulers, also below. */
static void print_row(const struct comparison *c, int row, int scheduler, struct text *out)
{
    const struct comparison_row *r = &c->rows[row];
    struct comparison_figures f = comparison_figures(c, row);
    struct text line = {0};
    text_printf(&line, "%c%c%-*s", *comparison_mark(r), comparison_is_out_of_step(r) ? '^' : ' ', mechanism_width(c),
                r->mechanism);
    print_scheduler(&line, scheduler, comparison_scheduler(r));
    if (!comparison_is_measured(r)) {
        char *why = why_not(&r->trial);
        text_printf(&line, "  %s", *why ? why : "failed without a word");
        free(why);
    } else {
        print_cell(&line, 11, "%.0f", f.cycles, "");
        print_cell(&line, 8, "%.3f", f.speedup, "");
        print_cell(&line, 6, "%.1f", 100 * f.simd_efficiency, " %");
        print_cell(&line, 6, "%.1f", 100 * f.of_bound, " %");
        if (shows_traffic())
            print_cell(&line, 8, "%.3f", f.traffic, "");
        if (f.is_right)
            print_branch(&line, &f);
        else
            print_doubt(&line, &r->trial);
    }
    text_append(out, line.data, line.length < width() ? line.length : width());
    text_append(out, "\n", 1);
    text_free(&line);
}

static bool starts_group(const struct comparison *c, int row)
{
    return row == 0 || !comparison_is_one_group(&c->rows[row], &c->rows[row - 1]);
}

/* How much of a line fits into so many columns: as many whole words, or as much of a single word. */
static size_t length_that_fits(const char *line, size_t length, size_t columns)
{
    if (length <= columns)
        return length;
    for (size_t at = columns; at > strspn(line, " "); at--)
        if (line[at] == ' ')
            return at;
    return columns;
}

/* Prints lines, each broken at the width of the page. What is broken off goes on, indented, in the next line. */
static void print_lines(struct text *out, const struct text *lines)
{
    static const char indent[] = "    ";
    for (size_t at = 0; at < lines->length;) {
        const char *line = lines->data + at;
        size_t length = strcspn(line, "\n"), done = length_that_fits(line, length, width());
        text_append(out, line, done);
        while (done < length) {
            done += strspn(line + done, " ");
            size_t more = length_that_fits(line + done, length - done, width() - strlen(indent));
            text_printf(out, "\n%s%.*s", indent, (int)more, line + done);
            done += more;
        }
        text_append(out, "\n", 1);
        at += length + 1;
    }
}

static bool has_note(const struct comparison_row *r)
{
    const struct measurement *s = &r->trial.measurement;
    return s->memory && (r->is_shown || r->trial.status);
}

/* Whether one note can serve both rows: they differ from the functional result at one place and for one reason. */
static bool is_same_note(const struct comparison_row *a, const struct comparison_row *b)
{
    const struct verification *x = a->trial.measurement.memory, *y = b->trial.measurement.memory;
    return has_note(a) && has_note(b) && !strcmp(comparison_mark(a), comparison_mark(b)) && x->verdict == y->verdict &&
           x->launch == y->launch && x->difference.address == y->difference.address &&
           x->difference.got == y->difference.got && x->difference.wanted == y->difference.wanted &&
           !strcmp(x->why ? x->why : "", y->why ? y->why : "");
}

/* Prints the mechanisms that share a note, "! pdom, tbc, mimd:", in as many lines as they need. */
static void print_names(const struct comparison *c, int row, int end, struct text *out)
{
    size_t column = 0;
    for (int i = row; i < end; i++) {
        if (!is_same_note(&c->rows[row], &c->rows[i]))
            continue;
        size_t length = strlen(c->rows[i].mechanism) + 2;
        bool is_new = i == row || column + length > width();
        column = is_new ? 2 + length : column + length;
        text_printf(out, "%s%s%s",
                    i == row ? ""
                    : is_new ? ",\n  "
                             : ", ",
                    i == row ? comparison_mark(&c->rows[row]) : "", c->rows[i].mechanism);
    }
    text_printf(out, ":\n");
}

/* Prints, below the table of a group, where the memory of its rows differs from the functional result, and why. A
 * bound that is not shown is named if it is wrong, because then nothing can be compared with it. */
static void print_notes(const struct comparison *c, int first, int end, struct text *out)
{
    for (int i = first; i < end; i++) {
        struct text note = {0};
        const struct measurement *s = &c->rows[i].trial.measurement;
        bool is_told = !has_note(&c->rows[i]);
        for (int k = first; k < i && !is_told; k++)
            is_told = is_same_note(&c->rows[k], &c->rows[i]);
        if (is_told)
            continue;
        text_printf(&note, "\n");
        print_names(c, i, end, &note);
        text_printf(&note, "  ");
        verification_print(s->memory, &note);
        if (s->compared > 1)
            text_printf(&note, "  %d of %d launches differ\n", s->wrong + s->racing + s->unordered, s->compared);
        if (!c->rows[i].trial.status && s->racing)
            text_printf(&note, "  the program has found its result right\n");
        print_lines(out, &note);
        text_free(&note);
    }
}

/* Prints, below the table of a group, which of its mechanisms do not keep the lock-step that the program relies on. */
static void print_out_of_step(const struct comparison *c, int first, int end, struct text *out)
{
    struct text note = {0};
    int count = 0;
    for (int i = first; i < end; i++)
        if (c->rows[i].is_shown && comparison_is_out_of_step(&c->rows[i]))
            text_printf(&note, "%s%s", count++ ? ", " : "\n^ ", c->rows[i].mechanism);
    if (count) {
        text_printf(&note,
                    ":\n  %s relies on warps in lock-step, which %s not keep; --check lockstep names the lines\n",
                    c->rows[first].target, count == 1 ? "this mechanism does" : "these mechanisms do");
        print_lines(out, &note);
    }
    text_free(&note);
}

/* Prints means over groups. That of speedups is harmonic: it weighs each program's time under the baseline alike. */
static void print_means(const struct comparison *c, int scheduler, struct text *out)
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
            if (strcmp(c->rows[i].mechanism, c->rows[m].mechanism) || isnan(f.speedup) || !f.is_right)
                continue;
            times += 1 / f.speedup;
            efficiency += f.simd_efficiency;
            count++;
        }
        if (!count)
            continue;
        text_printf(out, "  %-*s %*s %8.3f %6.1f %%", mechanism_width(c), c->rows[m].mechanism, 11 + scheduler, "",
                    count / times, 100 * efficiency / count);
        if (count < groups)
            text_printf(out, "  of %d", count);
        text_printf(out, "\n");
    }
}

/* Begins the table of a group. */
static void print_heading(const struct comparison *c, int row, int scheduler, struct text *out)
{
    text_printf(out, "%s%s on %s\n  %-*s", row ? "\n" : "", c->rows[row].target, c->rows[row].gpu, mechanism_width(c),
                "mechanism");
    print_scheduler(out, scheduler, "scheduler");
    text_printf(out, " %11s %8s %8s %8s", "cycles", "speedup", "SIMD", "of bound");
    text_printf(out, shows_traffic() ? " %8s  %s\n" : "%.0s  %s\n", "traffic", "loses most lanes");
}

void comparison_print_text(const struct comparison *c, struct text *out)
{
    int first = 0, scheduler = scheduler_width(c);
    for (int i = 0; i < c->count; i++) {
        first = starts_group(c, i) ? i : first;
        if (first == i)
            print_heading(c, i, scheduler, out);
        if (c->rows[i].is_shown)
            print_row(c, i, scheduler, out);
        if (i + 1 < c->count && !starts_group(c, i + 1))
            continue;
        print_notes(c, first, i + 1, out);
        print_out_of_step(c, first, i + 1, out);
    }
    if (c->count)
        text_printf(out, "\n");
    print_means(c, scheduler, out);
}

/* ---- for programs ---- */

static void json_string(struct text *out, const char *name, const char *value)
{
    text_printf(out, "\"%s\":", name);
    json_print_string(out, value);
}

static void json_number(struct text *out, const char *name, double value)
{
    if (isnan(value))
        text_printf(out, ",\"%s\":null", name);
    else
        text_printf(out, ",\"%s\":%.10g", name, value);
}

/* Appends the values of the knobs that vary; nothing if none does. */
static void json_point(const struct comparison *c, const struct comparison_row *r, struct text *out)
{
    for (int k = 0; k < c->variation->count; k++) {
        text_printf(out, "%s", k ? "," : ",\"vary\":{");
        json_string(out, c->variation->knobs[k].name, variation_value(c->variation, r->point, k));
        text_printf(out, "%s", k + 1 < c->variation->count ? "" : "}");
    }
}

/* Appends what the comparison of memory found; null if nothing was compared. */
static void json_memory(const struct measurement *s, struct text *out)
{
    text_printf(out, ",\"memory\":");
    if (!s->compared) {
        text_printf(out, "null");
        return;
    }
    text_printf(out, "{\"launches\":%d,\"unordered\":%d,\"racing\":%d,\"wrong\":%d", s->compared, s->unordered,
                s->racing, s->wrong);
    if (s->memory) {
        text_printf(out, ",\"launch\":%" PRIu64 ",\"kernel\":", s->memory->launch);
        json_print_string(out, s->memory->kernel);
        text_printf(out, ",\"difference\":");
        verification_json(s->memory, out);
    }
    text_printf(out, "}");
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
    struct text name = {0}, passes = {0};
    text_printf(&name, "%.*s", comparison_name_length(r->mechanism), r->mechanism);
    comparison_passes(r->mechanism, &passes);
    json_string(out, "mechanism", name.data);
    if (passes.length) {
        text_printf(out, ",");
        json_string(out, "rewrite", passes.data);
    }
    text_free(&name);
    text_free(&passes);
    text_printf(out, ",");
    json_string(out, "scheduler", comparison_scheduler(r));
    json_point(c, r, out);
    text_printf(out, ",\"right\":%s,\"status\":%d", f.is_right ? "true" : "false", r->trial.status);
    if (comparison_relies_on_lockstep(r))
        text_printf(out, ",\"in_step\":%s", r->breaks_lockstep ? "false" : "true");
    json_number(out, "cycles", f.cycles);
    json_number(out, "speedup", f.speedup);
    json_number(out, "simd_efficiency", f.simd_efficiency);
    json_number(out, "of_bound", f.of_bound);
    json_number(out, "traffic", f.traffic);
    json_memory(&r->trial.measurement, out);
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

/* Appends two fields: the verdict on memory, and where it differs. Both are empty if nothing was compared. */
static void csv_memory(const struct measurement *s, struct text *out)
{
    struct text place = {0};
    enum verify_verdict verdict = s->memory ? s->memory->verdict : VERIFY_SAME;
    if (s->memory) {
        text_printf(&place, "launch %" PRIu64 ", kernel %s", s->memory->launch, s->memory->kernel);
        if (verdict != VERIFY_UNKNOWN) {
            text_printf(&place, ", ");
            verification_print_place(s->memory, &place);
        }
    }
    text_printf(out, ",%s,", s->compared ? verify_names[verdict] : "");
    stat_csv_field(place.data ? place.data : "", out);
    text_free(&place);
}

void comparison_print_csv(const struct comparison *c, struct text *out)
{
    text_printf(
        out, "target,gpu,mechanism,scheduler,right,cycles,speedup,simd_efficiency,of_bound,traffic,worst_branch,memory,"
             "difference");
    for (int k = 0; k < c->variation->count; k++) {
        text_printf(out, ",");
        stat_csv_field(c->variation->knobs[k].name, out);
    }
    text_printf(out, "\n");
    for (int i = 0; i < c->count; i++) {
        const struct comparison_row *r = &c->rows[i];
        if (!r->is_shown)
            continue;
        struct comparison_figures f = comparison_figures(c, i);
        stat_csv_field(r->target, out);
        text_printf(out, ",");
        stat_csv_field(r->gpu, out);
        text_printf(out, ",");
        stat_csv_field(r->mechanism, out);
        text_printf(out, ",%s,%s", comparison_scheduler(r), f.is_right ? "yes" : "no");
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
        csv_memory(&r->trial.measurement, out);
        for (int k = 0; k < c->variation->count; k++) {
            text_printf(out, ",");
            stat_csv_field(variation_value(c->variation, r->point, k), out);
        }
        text_printf(out, "\n");
        text_free(&where);
    }
}
