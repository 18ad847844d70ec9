/* Printing the tables by branch and by line: see site_table.h. */
#include "base/json.h"
#include "base/terminal.h"
#include "base/text.h"
#include "flow/print.h"
#include "report/site_table.h"
#include "report/source.h"
#include "stat/stat.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    WHERE = 20, /* columns of a place */
    RECONVERGES = 17,
    BRANCH_TEXT_ROOM = 10, /* columns that a source text below a branch leaves free */
    LINE_TEXT_ROOM = 77,   /* columns before a source text behind a line, and of the blanks between */
    LEAST_LINE_TEXT = 8,   /* where there is room for less, there is none */
    TRANSACTIONS = 13,     /* columns of transactions, with the blank before them */
    WHERE_BUFFER = 256
};

/* On a narrow terminal, numbers of branches and texts of lines are worth more than these columns: where a branch
 * reconverges, and transactions of a line. */
static bool is_narrow(void)
{
    return terminal_text_columns() < TERMINAL_TEXT_MOST;
}

/* Lanes as issues of a whole warp. */
static double in_issues(const struct site_table *t, uint64_t lanes)
{
    return (double)lanes / t->in.width;
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100 * (double)part / (double)whole : 0;
}

/* "saxpy.cu:12" or "PTX line 40"; of a longer text the last `width` characters. */
static const char *where(const struct site_table *t, int32_t pc, size_t width, char *buffer)
{
    program_where(t->in.program, pc, buffer, WHERE_BUFFER);
    size_t length = strlen(buffer);
    return length > width ? buffer + (length - width) : buffer;
}

/* where() of the branch's reconvergence point; "end" if its threads reconverge nowhere before they end. */
static const char *reconvergence(const struct site_table *t, const struct branch *b, size_t width, char *buffer)
{
    return b->ipdom == PC_NONE ? "end" : where(t, b->ipdom, width, buffer);
}

static void print_left_out(int shown, int count, const char *what, struct text *out)
{
    if (shown < count)
        text_printf(out, "  and %d more: see --stats %s, --csv or --json\n", count - shown, what);
}

/* The text of the source line of a PC, at most `width` columns of it; without a line table, the instruction. NULL: it
 * is not known. */
static const char *source_text(const struct site_table *t, int32_t pc, int width, char *buffer)
{
    struct ptx_place place = program_place(t->in.program, pc);
    struct text instruction = {0};
    const char *line = NULL;
    if (t->in.sources && place.path) {
        line = sources_line(t->in.sources, place.path, place.line);
    } else if (t->in.sources) {
        program_print_instruction(t->in.program, pc, &instruction);
        line = instruction.data;
    }
    bool is_known = line && *line, is_long = is_known && (int)strlen(line) > width;
    if (is_known)
        snprintf(buffer, WHERE_BUFFER, "%.*s%s", is_long ? width - 3 : width, line, is_long ? "..." : "");
    for (char *c = buffer; is_known && *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' '; /* tabs between words */
    text_free(&instruction);
    return is_known ? buffer : NULL;
}

void site_table_branches_text(const struct site_table *t, int most, struct text *out)
{
    char here[WHERE_BUFFER], there[WHERE_BUFFER];
    int shown = t->joined_count < most ? t->joined_count : most;
    int text_width = terminal_text_columns() - BRANCH_TEXT_ROOM;
    text_printf(out, "  %-*s %10s %10s %6s %6s %12s", WHERE, "branch", "executed", "diverged", "", "taken",
                "issues lost");
    text_printf(out, is_narrow() ? "\n" : " %6s  %s\n", "", "reconverges at");
    for (int i = 0; i < shown; i++) {
        const struct site_branch *b = &t->joined[i];
        const struct branch *branch = &t->in.program->branches[b->branch];
        text_printf(out, "  %-*s %10" PRIu64 " %10" PRIu64 " %5.1f%% %5.1f%% %12.1f %5.1f%%", WHERE,
                    where(t, branch->pc, WHERE, here), b->site.issues, b->site.diverged,
                    percent(b->site.diverged, b->site.issues), percent(b->site.taken, b->site.threads),
                    in_issues(t, b->lost_lanes), percent(b->lost_lanes, t->issues * t->in.width));
        text_printf(out, is_narrow() ? "\n" : "  %s\n", reconvergence(t, branch, RECONVERGES, there));
        const char *source = source_text(t, branch->pc, text_width - (b->copies > 1 ? 20 : 0), here);
        if (source && b->copies > 1)
            text_printf(out, "      %s  (%d branches)\n", source, b->copies);
        else if (source)
            text_printf(out, "      %s\n", source);
    }
    print_left_out(shown, t->joined_count, "branches", out);
    uint64_t other = t->lost_lanes - t->lost_by_branch;
    text_printf(out, "  %-*s%36s %12.1f %5.1f%%\n", WHERE, "not by a branch", "", in_issues(t, other),
                percent(other, t->issues * t->in.width));
}

void site_table_lines_text(const struct site_table *t, int most, struct text *out)
{
    char here[WHERE_BUFFER];
    int shown = t->line_count < most ? t->line_count : most;
    bool has_transactions = t->in.is_timed && !is_narrow();
    int width = terminal_text_columns() - LINE_TEXT_ROOM + (has_transactions ? 0 : TRANSACTIONS);
    text_printf(out, "  %-*s %10s %6s %9s", WHERE, "line", "issues", "", "SIMD eff.");
    text_printf(out, has_transactions ? " %12s %11s  %s\n" : "%.0s %11s  %s\n", "transactions", "issues lost",
                "source");
    for (int i = 0; i < shown; i++) {
        const struct site_line *l = &t->lines[i];
        text_printf(out, "  %-*s %10" PRIu64 " %5.1f%% %8.1f%%", WHERE, where(t, l->pc, WHERE, here), l->issues,
                    percent(l->issues, t->issues), percent(l->threads, l->issues * t->in.width));
        if (has_transactions)
            text_printf(out, " %12" PRIu64, l->transactions);
        text_printf(out, " %11.1f", in_issues(t, l->lost_lanes));
        const char *source = width < LEAST_LINE_TEXT ? NULL : source_text(t, l->pc, width, here);
        text_printf(out, source ? "  %s\n" : "\n", source);
    }
    print_left_out(shown, t->line_count, "lines", out);
}

void site_table_branches_json(const struct site_table *t, struct text *out)
{
    char here[WHERE_BUFFER];
    text_printf(out, "[");
    for (int i = 0; i < t->branch_count; i++) {
        const struct site_branch *b = &t->branches[i];
        const struct branch *branch = &t->in.program->branches[b->branch];
        text_printf(out, "%s{\"pc\":%" PRId32 ",\"where\":", i ? "," : "", branch->pc);
        json_print_string(out, where(t, branch->pc, WHERE_BUFFER, here));
        text_printf(out, ",\"ptx_line\":%" PRId32 ",\"ipdom\":", t->in.program->insns[branch->pc].line);
        if (branch->ipdom == PC_NONE)
            text_printf(out, "null");
        else
            text_printf(out, "%" PRId32, branch->ipdom);
        text_printf(out,
                    ",\"uniform\":%s,\"loop_depth\":%d,\"executed\":%" PRIu64 ",\"diverged\":%" PRIu64
                    ",\"threads\":%" PRIu64 ",\"taken\":%" PRIu64 ",\"lost_lanes\":%" PRIu64 ",\"lost_issues\":%.10g}",
                    branch->uniform ? "true" : "false", branch->loop_depth, b->site.issues, b->site.diverged,
                    b->site.threads, b->site.taken, b->lost_lanes, in_issues(t, b->lost_lanes));
    }
    text_printf(out, "]");
}

void site_table_lines_json(const struct site_table *t, struct text *out)
{
    char here[WHERE_BUFFER];
    text_printf(out, "[");
    for (int i = 0; i < t->line_count; i++) {
        const struct site_line *l = &t->lines[i];
        text_printf(out, "%s{\"where\":", i ? "," : "");
        json_print_string(out, where(t, l->pc, WHERE_BUFFER, here));
        text_printf(out,
                    ",\"issues\":%" PRIu64 ",\"threads\":%" PRIu64 ",\"transactions\":%" PRIu64
                    ",\"lost_lanes\":%" PRIu64 ",\"lost_issues\":%.10g}",
                    l->issues, l->threads, l->transactions, l->lost_lanes, in_issues(t, l->lost_lanes));
    }
    text_printf(out, "]");
}

void site_table_branches_csv(const struct site_table *t, bool has_heading, struct text *out)
{
    char here[WHERE_BUFFER], there[WHERE_BUFFER];
    if (has_heading)
        text_printf(out, "branch,pc,meets,executed,diverged,threads,taken,lost_lanes,lost_issues\n");
    for (int i = 0; i < t->joined_count; i++) {
        const struct site_branch *b = &t->joined[i];
        const struct branch *branch = &t->in.program->branches[b->branch];
        stat_csv_field(where(t, branch->pc, WHERE_BUFFER, here), out);
        text_printf(out, ",%" PRId32 ",", branch->pc);
        stat_csv_field(reconvergence(t, branch, WHERE_BUFFER, there), out);
        text_printf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.10g\n", b->site.issues,
                    b->site.diverged, b->site.threads, b->site.taken, b->lost_lanes, in_issues(t, b->lost_lanes));
    }
}

void site_table_lines_csv(const struct site_table *t, bool has_heading, struct text *out)
{
    char here[WHERE_BUFFER];
    if (has_heading)
        text_printf(out, "line,issues,threads,transactions,lost_lanes,lost_issues\n");
    for (int i = 0; i < t->line_count; i++) {
        const struct site_line *l = &t->lines[i];
        stat_csv_field(where(t, l->pc, WHERE_BUFFER, here), out);
        text_printf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.10g\n", l->issues, l->threads,
                    l->transactions, l->lost_lanes, in_issues(t, l->lost_lanes));
    }
}
