/* Finding what the tables by branch and by line hold: see site_table.h. */
#include "report/site_table.h"

#include "base/arena.h"
#include "flow/region.h"

#include <stdlib.h>
#include <string.h>

/* Empty lanes of all issues of a PC. */
static uint64_t lost_at(const struct site_table *t, int32_t pc)
{
    const struct site *s = &t->in.sites[pc];
    uint64_t slots = s->issues * t->in.width;
    return t->in.is_ideal || slots < s->threads ? 0 : slots - s->threads;
}

/* Orders places of the source by file and line, and lines of the PTX text, which have no path, before them. */
static int compare_places(const struct ptx_place *x, const struct ptx_place *y)
{
    int order = x->path && y->path ? strcmp(x->path, y->path) : !!x->path - !!y->path;
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* ---- branches ---- */

static int by_loss(const void *a, const void *b)
{
    const struct site_branch *x = a, *y = b;
    if (x->lost_lanes != y->lost_lanes)
        return x->lost_lanes < y->lost_lanes ? 1 : -1;
    if (x->site.diverged != y->site.diverged)
        return x->site.diverged < y->site.diverged ? 1 : -1;
    return x->branch < y->branch ? -1 : x->branch > y->branch;
}

/* Charges the empty lanes of each PC to a branch that diverged, and lists the branches that executed. */
static void find_branches(struct site_table *t)
{
    const struct program *p = t->in.program;
    bool *counts = xcalloc((size_t)p->branch_count + 1, sizeof *counts);
    int32_t *branch_of = xcalloc((size_t)p->insn_count + 1, sizeof *branch_of);
    uint64_t *lost = xcalloc((size_t)p->branch_count + 1, sizeof *lost);
    for (int i = 0; i < p->branch_count; i++)
        counts[i] = t->in.sites[p->branches[i].pc].diverged > 0;
    region_charge(p, counts, branch_of);
    for (int32_t pc = 0; pc < p->insn_count; pc++) {
        t->issues += t->in.sites[pc].issues;
        t->lost_lanes += lost_at(t, pc);
        if (branch_of[pc] < 0)
            continue;
        lost[branch_of[pc]] += lost_at(t, pc);
        t->lost_by_branch += lost_at(t, pc);
    }
    t->branches = xcalloc((size_t)p->branch_count + 1, sizeof *t->branches);
    for (int i = 0; i < p->branch_count; i++) {
        const struct site *site = &t->in.sites[p->branches[i].pc];
        if (site->issues)
            t->branches[t->branch_count++] = (struct site_branch){i, 1, *site, lost[i]};
    }
    qsort(t->branches, (size_t)t->branch_count, sizeof *t->branches, by_loss);
    free(counts);
    free(branch_of);
    free(lost);
}

/* A branch of the table, and its place. */
struct copy {
    struct ptx_place place;
    int row;
};

/* Orders branches by their places in the source, and copies of one branch as the table has them. */
static int by_source(const void *a, const void *b)
{
    const struct copy *x = a, *y = b;
    int order = compare_places(&x->place, &y->place);
    if (!order)
        order = (x->place.column > y->place.column) - (x->place.column < y->place.column);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

/* Whether two branches stand at one place of the source. Without a line table each branch has a place of its own. */
static bool are_copies(const struct ptx_place *x, const struct ptx_place *y)
{
    return x->path && y->path && x->column == y->column && !compare_places(x, y);
}

static void join_copies(struct site_table *t)
{
    const struct program *p = t->in.program;
    struct copy *copies = xcalloc((size_t)t->branch_count + 1, sizeof *copies);
    for (int i = 0; i < t->branch_count; i++)
        copies[i] = (struct copy){program_place(p, p->branches[t->branches[i].branch].pc), i};
    qsort(copies, (size_t)t->branch_count, sizeof *copies, by_source);
    t->joined = xcalloc((size_t)t->branch_count + 1, sizeof *t->joined);
    for (int i = 0; i < t->branch_count; i++) {
        const struct site_branch *b = &t->branches[copies[i].row];
        if (!i || !are_copies(&copies[i].place, &copies[i - 1].place)) {
            t->joined[t->joined_count++] = *b;
            continue;
        }
        struct site_branch *row = &t->joined[t->joined_count - 1];
        row->copies++;
        row->site.issues += b->site.issues;
        row->site.threads += b->site.threads;
        row->site.diverged += b->site.diverged;
        row->site.taken += b->site.taken;
        row->lost_lanes += b->lost_lanes;
    }
    free(copies);
    qsort(t->joined, (size_t)t->joined_count, sizeof *t->joined, by_loss);
}

/* ---- lines ---- */

/* A PC that executed, and its place. */
struct spot {
    struct ptx_place place;
    int32_t pc;
};

static int by_place(const void *a, const void *b)
{
    const struct spot *x = a, *y = b;
    int order = compare_places(&x->place, &y->place);
    return order ? order : (x->pc > y->pc) - (x->pc < y->pc);
}

static int by_issues(const void *a, const void *b)
{
    const struct site_line *x = a, *y = b;
    if (x->issues != y->issues)
        return x->issues < y->issues ? 1 : -1;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

/* Adds up the PCs of each source line that executed. */
static void find_lines(struct site_table *t)
{
    const struct program *p = t->in.program;
    struct spot *spots = xcalloc((size_t)p->insn_count + 1, sizeof *spots);
    int count = 0;
    for (int32_t pc = 0; pc < p->insn_count; pc++)
        if (t->in.sites[pc].issues)
            spots[count++] = (struct spot){program_place(p, pc), pc};
    qsort(spots, (size_t)count, sizeof *spots, by_place);
    t->lines = xcalloc((size_t)count + 1, sizeof *t->lines);
    for (int i = 0; i < count; i++) {
        const struct site *site = &t->in.sites[spots[i].pc];
        if (!i || compare_places(&spots[i].place, &spots[i - 1].place))
            t->lines[t->line_count++].pc = spots[i].pc;
        struct site_line *line = &t->lines[t->line_count - 1];
        line->issues += site->issues;
        line->threads += site->threads;
        line->transactions += site->transactions;
        line->lost_lanes += lost_at(t, spots[i].pc);
    }
    qsort(t->lines, (size_t)t->line_count, sizeof *t->lines, by_issues);
    free(spots);
}

void site_table_open(struct site_table *t, const struct site_input *input)
{
    *t = (struct site_table){.in = *input};
    if (!t->in.sites)
        return;
    find_branches(t);
    join_copies(t);
    find_lines(t);
}

void site_table_close(struct site_table *t)
{
    free(t->branches);
    free(t->joined);
    free(t->lines);
    *t = (struct site_table){0};
}
