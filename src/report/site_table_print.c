/* Figures by branch and by source line: issues, threads, and the lanes lost to each branch. See report.h. */
#include "report/report.h"

#include "base/arena.h"
#include "base/json.h"
#include "flow/region.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHERE = 20, RECONVERGES = 17, WHERE_BUFFER = 256 }; /* widths of columns; bytes of a buffer for where() */

/* Empty lanes of all issues of a PC. */
static uint64_t lost_at(const struct report *r, int32_t pc)
{
    const struct sm_site *s = &r->result->sites[pc];
    uint64_t slots = s->issues * r->run->machine->sm.warp_width;
    return r->run->mechanism->flags & DIV_IDEAL_LANES || slots < s->threads ? 0 : slots - s->threads;
}

/* Lanes as issues of a whole warp. */
static double in_issues(const struct report *r, uint64_t lanes)
{
    return (double)lanes / r->run->machine->sm.warp_width;
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100 * (double)part / (double)whole : 0;
}

static int by_loss(const void *a, const void *b)
{
    const struct report_branch *x = a, *y = b;
    if (x->lost_lanes != y->lost_lanes)
        return x->lost_lanes < y->lost_lanes ? 1 : -1;
    if (x->site.diverged != y->site.diverged)
        return x->site.diverged < y->site.diverged ? 1 : -1;
    return x->branch < y->branch ? -1 : x->branch > y->branch;
}

/* Charges the empty lanes of each PC to a branch that diverged, and lists the branches that executed. */
static void find_branches(struct report *r)
{
    const struct program *p = r->program;
    bool *counts = xcalloc((size_t)p->branch_count + 1, sizeof *counts);
    int32_t *branch_of = xcalloc((size_t)p->insn_count + 1, sizeof *branch_of);
    uint64_t *lost = xcalloc((size_t)p->branch_count + 1, sizeof *lost);
    for (int i = 0; i < p->branch_count; i++)
        counts[i] = r->result->sites[p->branches[i].pc].diverged > 0;
    region_charge(p, counts, branch_of);
    for (int32_t pc = 0; pc < p->insn_count; pc++) {
        r->lost_lanes += lost_at(r, pc);
        if (branch_of[pc] < 0)
            continue;
        lost[branch_of[pc]] += lost_at(r, pc);
        r->lost_by_branch += lost_at(r, pc);
    }
    r->branches = xcalloc((size_t)p->branch_count + 1, sizeof *r->branches);
    for (int i = 0; i < p->branch_count; i++) {
        const struct sm_site *site = &r->result->sites[p->branches[i].pc];
        if (site->issues)
            r->branches[r->branch_count++] = (struct report_branch){i, *site, lost[i]};
    }
    qsort(r->branches, (size_t)r->branch_count, sizeof *r->branches, by_loss);
    free(counts);
    free(branch_of);
    free(lost);
}

/* ---- lines ---- */

/* Source file and line of a PC; without line information, file -1 and the line of the PTX. */
struct place {
    int file, line;
    int32_t pc;
};

static struct place place_of(const struct program *p, int32_t pc)
{
    const struct ptx_module *m = p->kernel->module;
    const struct insn *insn = &p->insns[pc];
    if (insn->location >= 0 && insn->location < m->location_count)
        return (struct place){m->locations[insn->location].file, m->locations[insn->location].line, pc};
    return (struct place){-1, insn->line, pc};
}

static int by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static int by_issues(const void *a, const void *b)
{
    const struct report_line *x = a, *y = b;
    if (x->issues != y->issues)
        return x->issues < y->issues ? 1 : -1;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

/* Adds up the PCs of each source line that executed. */
static void find_lines(struct report *r)
{
    const struct program *p = r->program;
    struct place *places = xcalloc((size_t)p->insn_count + 1, sizeof *places);
    int count = 0;
    for (int32_t pc = 0; pc < p->insn_count; pc++)
        if (r->result->sites[pc].issues)
            places[count++] = place_of(p, pc);
    qsort(places, (size_t)count, sizeof *places, by_place);
    r->lines = xcalloc((size_t)count + 1, sizeof *r->lines);
    for (int i = 0; i < count; i++) {
        const struct sm_site *site = &r->result->sites[places[i].pc];
        if (!i || places[i].file != places[i - 1].file || places[i].line != places[i - 1].line)
            r->lines[r->line_count++].pc = places[i].pc;
        struct report_line *line = &r->lines[r->line_count - 1];
        line->issues += site->issues;
        line->threads += site->threads;
        line->transactions += site->transactions;
        line->lost_lanes += lost_at(r, places[i].pc);
    }
    qsort(r->lines, (size_t)r->line_count, sizeof *r->lines, by_issues);
    free(places);
}

void report_find_sites(struct report *r)
{
    if (!r->result->sites || r->result->site_count != r->program->insn_count)
        return;
    find_branches(r);
    find_lines(r);
}

/* ---- printing ---- */

/* "saxpy.cu:12" or "PTX line 40"; of a longer text the last `width` characters. */
static const char *where(const struct report *r, int32_t pc, size_t width, char *buffer)
{
    program_where(r->program, pc, buffer, WHERE_BUFFER);
    size_t length = strlen(buffer);
    return length > width ? buffer + (length - width) : buffer;
}

/* where() of the branch's reconvergence point; "end" if its threads reconverge nowhere before they end. */
static const char *reconvergence(const struct report *r, const struct branch *b, size_t width, char *buffer)
{
    return b->ipdom == PC_NONE ? "end" : where(r, b->ipdom, width, buffer);
}

static void print_left_out(int shown, int count, const char *what, struct text *out)
{
    if (shown < count)
        text_printf(out, "  and %d more: see --stats %s, --csv or --json\n", count - shown, what);
}

void report_branches_text(const struct report *r, int most, struct text *out)
{
    char here[WHERE_BUFFER], there[WHERE_BUFFER];
    uint64_t issues = r->result->sm.warp_instructions;
    int shown = r->branch_count < most ? r->branch_count : most;
    text_printf(out, "  %-*s %10s %10s %6s %6s %12s %6s  %s\n", WHERE, "branch", "executed", "diverged", "", "taken",
                "issues lost", "", "reconverges at");
    for (int i = 0; i < shown; i++) {
        const struct report_branch *b = &r->branches[i];
        const struct branch *branch = &r->program->branches[b->branch];
        text_printf(out, "  %-*s %10" PRIu64 " %10" PRIu64 " %5.1f%% %5.1f%% %12.1f %5.1f%%  %s\n", WHERE,
                    where(r, branch->pc, WHERE, here), b->site.issues, b->site.diverged,
                    percent(b->site.diverged, b->site.issues), percent(b->site.taken, b->site.threads),
                    in_issues(r, b->lost_lanes), percent(b->lost_lanes, issues * r->peak.warp_width),
                    reconvergence(r, branch, RECONVERGES, there));
    }
    print_left_out(shown, r->branch_count, "branches", out);
    uint64_t other = r->lost_lanes - r->lost_by_branch;
    text_printf(out, "  %-*s%36s %12.1f %5.1f%%\n", WHERE, "not by a branch", "", in_issues(r, other),
                percent(other, issues * r->peak.warp_width));
}

void report_lines_text(const struct report *r, int most, struct text *out)
{
    char here[WHERE_BUFFER];
    int shown = r->line_count < most ? r->line_count : most;
    text_printf(out, "  %-*s %12s %6s %14s %12s %12s %12s\n", WHERE, "line", "issues", "", "threads", "SIMD eff.",
                "transactions", "issues lost");
    for (int i = 0; i < shown; i++) {
        const struct report_line *l = &r->lines[i];
        text_printf(out, "  %-*s %12" PRIu64 " %5.1f%% %14" PRIu64 " %11.1f%% %12" PRIu64 " %12.1f\n", WHERE,
                    where(r, l->pc, WHERE, here), l->issues, percent(l->issues, r->result->sm.warp_instructions),
                    l->threads, percent(l->threads, l->issues * r->peak.warp_width), l->transactions,
                    in_issues(r, l->lost_lanes));
    }
    print_left_out(shown, r->line_count, "lines", out);
}

void report_branches_json(const struct report *r, struct text *out)
{
    char here[WHERE_BUFFER];
    text_printf(out, "[");
    for (int i = 0; i < r->branch_count; i++) {
        const struct report_branch *b = &r->branches[i];
        const struct branch *branch = &r->program->branches[b->branch];
        text_printf(out, "%s{\"pc\":%" PRId32 ",\"where\":", i ? "," : "", branch->pc);
        json_print_string(out, where(r, branch->pc, WHERE_BUFFER, here));
        text_printf(out, ",\"ptx_line\":%" PRId32 ",\"ipdom\":", r->program->insns[branch->pc].line);
        if (branch->ipdom == PC_NONE)
            text_printf(out, "null");
        else
            text_printf(out, "%" PRId32, branch->ipdom);
        text_printf(out,
                    ",\"uniform\":%s,\"loop_depth\":%d,\"executed\":%" PRIu64 ",\"diverged\":%" PRIu64
                    ",\"threads\":%" PRIu64 ",\"taken\":%" PRIu64 ",\"lost_lanes\":%" PRIu64 ",\"lost_issues\":%.10g}",
                    branch->uniform ? "true" : "false", branch->loop_depth, b->site.issues, b->site.diverged,
                    b->site.threads, b->site.taken, b->lost_lanes, in_issues(r, b->lost_lanes));
    }
    text_printf(out, "]");
}

void report_lines_json(const struct report *r, struct text *out)
{
    char here[WHERE_BUFFER];
    text_printf(out, "[");
    for (int i = 0; i < r->line_count; i++) {
        const struct report_line *l = &r->lines[i];
        text_printf(out, "%s{\"where\":", i ? "," : "");
        json_print_string(out, where(r, l->pc, WHERE_BUFFER, here));
        text_printf(out,
                    ",\"issues\":%" PRIu64 ",\"threads\":%" PRIu64 ",\"transactions\":%" PRIu64
                    ",\"lost_lanes\":%" PRIu64 ",\"lost_issues\":%.10g}",
                    l->issues, l->threads, l->transactions, l->lost_lanes, in_issues(r, l->lost_lanes));
    }
    text_printf(out, "]");
}

void report_branches_csv(const struct report *r, bool has_heading, struct text *out)
{
    char here[WHERE_BUFFER], there[WHERE_BUFFER];
    if (has_heading)
        text_printf(out, "branch,pc,meets,executed,diverged,threads,taken,lost_lanes,lost_issues\n");
    for (int i = 0; i < r->branch_count; i++) {
        const struct report_branch *b = &r->branches[i];
        const struct branch *branch = &r->program->branches[b->branch];
        stat_csv_field(where(r, branch->pc, WHERE_BUFFER, here), out);
        text_printf(out, ",%" PRId32 ",", branch->pc);
        stat_csv_field(reconvergence(r, branch, WHERE_BUFFER, there), out);
        text_printf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.10g\n", b->site.issues,
                    b->site.diverged, b->site.threads, b->site.taken, b->lost_lanes, in_issues(r, b->lost_lanes));
    }
}

void report_lines_csv(const struct report *r, bool has_heading, struct text *out)
{
    char here[WHERE_BUFFER];
    if (has_heading)
        text_printf(out, "line,issues,threads,transactions,lost_lanes,lost_issues\n");
    for (int i = 0; i < r->line_count; i++) {
        const struct report_line *l = &r->lines[i];
        stat_csv_field(where(r, l->pc, WHERE_BUFFER, here), out);
        text_printf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.10g\n", l->issues, l->threads,
                    l->transactions, l->lost_lanes, in_issues(r, l->lost_lanes));
    }
}
