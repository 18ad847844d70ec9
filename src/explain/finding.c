/* Findings, their variants and gains: see finding.h. */
#include "explain/finding.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* A gain by sorting is worth this much of it. */
#define SORTING_WORTH 0.9

static double ratio(double over, double under)
{
    return under > 0 ? over / under : 0;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Sectors that the access moved beyond what its threads asked for. A warp whose threads all read one word needs a
 * sector, too. */
static uint64_t excess_of(const struct evidence_access *a)
{
    uint64_t needed = a->bytes / 32 > a->issues ? a->bytes / 32 : a->issues;
    return a->sectors > needed ? a->sectors - needed : 0;
}

/* Time of memory accesses in issue slots: as it is, or with another layout of the data, without sectors in excess. */
static double memory_time(const struct evidence_kernel *k, bool has_excess)
{
    double caches = 0;
    for (int i = 0; i < k->accesses.count; i++) {
        const struct evidence_access *a = &k->accesses.data[i];
        double sectors = (double)(has_excess ? a->sectors : a->sectors - excess_of(a));
        caches += sectors * (a->is_load ? FINDING_L1_ISSUES : FINDING_L2_ISSUES);
    }
    return larger(caches, FINDING_DRAM_ISSUES * (has_excess ? (double)k->distinct : (double)k->words / 8));
}

/* Time in issue slots, without the longest warp. */
static double time_of(const struct evidence_kernel *k)
{
    return larger((double)k->issues, memory_time(k, true));
}

/* Likewise, if memory and issue do not overlap. */
static double time_apart(const struct evidence_kernel *k)
{
    return (double)k->issues + memory_time(k, true);
}

/* ---- what costs most ---- */

static int by_cost(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;
    if (x->of_launch != y->of_launch)
        return x->of_launch < y->of_launch ? 1 : -1;
    return (x->branch ? x->branch->pc : x->access->pc) - (y->branch ? y->branch->pc : y->access->pc);
}

static void find_memory(struct findings *f, int index, double weight)
{
    const struct evidence_kernel *k = &f->evidence->kernels.data[index];
    struct finding_kernel *about = &f->kernels[index];
    const struct evidence_access *worst = NULL;
    uint64_t excess = 0;
    for (int i = 0; i < k->accesses.count; i++) {
        const struct evidence_access *a = &k->accesses.data[i];
        excess += excess_of(a);
        if (!worst || excess_of(a) > excess_of(worst))
            worst = a;
    }
    double least = memory_time(k, false);
    about->excess = ratio((double)k->sectors, (double)(k->sectors - excess));
    about->best = ratio(time_of(k), larger((double)k->threads / 32, least));
    double saved = 1 - ratio(larger((double)k->issues, least), time_of(k));
    if (about->excess >= FINDING_SECTOR_EXCESS && saved >= FINDING_LEAST_SHARE)
        vec_push(&f->list, ((struct finding){.kind = KIND_MEMORY,
                                             .kernel = index,
                                             .access = worst,
                                             .share = ratio((double)excess, (double)k->sectors),
                                             .of_launch = saved * weight}));
}

/* Marks branches that cannot gain much even if their lanes were full. The first of a kernel stands for it: many small
 * ones may be sorted together by one of them. */
static void mark_minor(struct findings *f)
{
    bool *has_first = xcalloc((size_t)f->evidence->kernels.count + 1, sizeof *has_first);
    for (int i = 0; i < f->list.count; i++) {
        struct finding *at = &f->list.data[i];
        at->is_minor = at->branch && has_first[at->kernel] && at->share < 1 - 1 / FINDING_LEAST_GAIN;
        has_first[at->kernel] |= at->branch != NULL;
    }
    free(has_first);
}

/* Whether the remedy is tried for the finding. */
static bool is_tried(const struct finding *at, const struct remedy *r)
{
    return at->branch && !at->is_minor && remedy_fits(r, at->kind, &at->branch->shape);
}

void findings_open(struct findings *f, const struct evidence *evidence, int most)
{
    double time = 0;
    *f = (struct findings){.evidence = evidence, .most = most};
    f->kernels = xcalloc((size_t)evidence->kernels.count + 1, sizeof *f->kernels);
    for (int i = 0; i < evidence->kernels.count; i++)
        time += time_of(&evidence->kernels.data[i]);
    for (int i = 0; i < evidence->kernels.count; i++) {
        const struct evidence_kernel *k = &evidence->kernels.data[i];
        double weight = ratio(time_of(k), time);
        f->kernels[i].loss = 1 - ratio((double)k->threads, (double)k->lanes);
        f->kernels[i].bound = ratio((double)k->lanes, (double)k->threads);
        find_memory(f, i, weight);
        /* Lanes matter as far as issues are what the kernel takes its time for. */
        double by_issues = ratio((double)k->issues, time_of(k));
        for (int b = 0; b < k->branches.count && f->kernels[i].loss >= FINDING_LEAST_LOSS; b++) {
            const struct evidence_branch *branch = &k->branches.data[b];
            double share = ratio((double)branch->lost, (double)k->lanes);
            if (share >= FINDING_LEAST_SHARE)
                vec_push(&f->list, ((struct finding){.kind = kind_of_branch(branch, share),
                                                     .kernel = i,
                                                     .branch = branch,
                                                     .share = share,
                                                     .of_launch = share * weight * by_issues}));
        }
    }
    if (f->list.count)
        qsort(f->list.data, (size_t)f->list.count, sizeof *f->list.data, by_cost);
    f->list.count = f->list.count < most ? f->list.count : most;
    mark_minor(f);
}

void findings_close(struct findings *f)
{
    for (int i = 0; i < f->variants.count; i++) {
        struct finding_variant *v = &f->variants.data[i];
        free(v->option);
        free(v->value);
        free(v->said);
        evidence_free(&v->result);
        evidence_free(&v->timed);
    }
    for (int i = 0; i < f->list.count; i++)
        for (int g = 0; g < f->list.data[i].gain_count; g++)
            free(f->list.data[i].gains[g].refusal);
    vec_free(&f->variants);
    vec_free(&f->list);
    free(f->kernels);
}

/* ---- variants ---- */

static void plan(struct findings *f, const struct remedy *remedy, const struct finding *sorted, const char *passes)
{
    struct text value = {0};
    if (sorted)
        text_printf(&value, "%s:%s", f->evidence->kernels.data[sorted->kernel].name, sorted->branch->block);
    else
        text_printf(&value, "%s", passes);
    for (int i = 0; i < f->variants.count; i++)
        if (!strcmp(f->variants.data[i].value, value.data)) {
            text_free(&value);
            return;
        }
    vec_push(&f->variants, ((struct finding_variant){.remedy = remedy,
                                                     .kernel = sorted ? sorted->kernel : -1,
                                                     .block = sorted ? sorted->branch->block : NULL,
                                                     .option = strdup(sorted ? "--sort-threads" : "--rewrite"),
                                                     .value = text_take(&value)}));
}

void findings_plan(struct findings *f)
{
    for (int i = 0; i < f->list.count; i++) {
        const struct finding *at = &f->list.data[i];
        for (const struct remedy *r = remedy_table; r->name; r++) {
            if (!is_tried(at, r))
                continue;
            if (r->is_sorting)
                plan(f, r, at, NULL);
            for (int v = 0; r->variants[v]; v++)
                plan(f, r, NULL, r->variants[v]);
        }
    }
}

/* ---- gains ---- */

/* The first reason in what a run printed for leaving the kernel alone; NULL: it printed none. Owned by the caller. */
static char *find_refusal(const char *said, const char *kernel)
{
    static const char mark[] = "left alone: ", sorting[] = "threads stay where they are: ";
    for (const char *at = said; at && *at; at += strcspn(at, "\n"), at += *at == '\n') {
        struct text line = {0};
        text_append(&line, at, strcspn(at, "\n"));
        const char *why = strstr(line.data, mark), *stay = strstr(line.data, sorting);
        char *found = NULL;
        if (why && strstr(line.data, kernel))
            found = strdup(why + strlen(mark));
        else if (stay)
            found = strdup(stay + strlen(sorting));
        text_free(&line);
        if (found)
            return found;
    }
    return NULL;
}

/* Blocks for which the longest warp is no longer what takes longest. */
static uint64_t blocks_for(const struct evidence_kernel *k)
{
    double blocks = (double)k->grid[0] * k->grid[1] * k->grid[2];
    double longest = (double)k->longest * FINDING_DEPENDENT_CYCLES * FINDING_SCHEDULERS;
    return (uint64_t)(blocks * ratio(longest, (double)k->issues)) + 1;
}

static struct finding_gain gain_of(const struct finding_variant *v, const struct evidence_kernel *before,
                                   const struct evidence_kernel *timed)
{
    const struct evidence_kernel *after = evidence_find(&v->result, before->name);
    struct finding_gain g = {.remedy = v->remedy, .variant = v};
    g.issues = ratio((double)before->issues, (double)after->issues);
    g.sectors = after->sectors ? ratio((double)before->sectors, (double)after->sectors) : 1;
    g.time = ratio(time_of(before), time_of(after));
    g.apart = ratio(time_apart(before), time_apart(after));
    g.least_blocks = blocks_for(after);
    const struct evidence_kernel *after_timed = v->has_run_timed ? evidence_find(&v->timed, before->name) : NULL;
    if (timed && after_timed)
        g.cycles = ratio((double)timed->cycles, (double)after_timed->cycles);
    g.is_promised = timed ? g.cycles >= FINDING_PROMISE : g.time >= FINDING_PROMISE && g.apart >= FINDING_PROMISE;
    return g;
}

/* What counts of a gain. Sorting takes time ahead of the launch, so another remedy that gains about as much is
 * better. */
static double worth(const struct finding_gain *g)
{
    double gain = !g->variant ? 0 : g->cycles > 0 ? g->cycles : g->time;
    return g->remedy->is_sorting ? SORTING_WORTH * gain : gain;
}

/* The best variant of the remedy for the finding. */
static struct finding_gain judge(const struct findings *f, const struct finding *at, const struct remedy *r,
                                 const struct evidence *timed)
{
    const struct evidence_kernel *before = &f->evidence->kernels.data[at->kernel];
    const struct evidence_kernel *before_timed = timed ? evidence_find(timed, before->name) : NULL;
    struct finding_gain best = {.remedy = r};
    for (int i = 0; i < f->variants.count; i++) {
        const struct finding_variant *v = &f->variants.data[i];
        if (v->remedy != r || (v->block && (v->kernel != at->kernel || strcmp(v->block, at->branch->block) != 0)))
            continue;
        const struct evidence_kernel *after = v->has_run ? evidence_find(&v->result, before->name) : NULL;
        char *why = after ? find_refusal(v->said, before->name) : NULL;
        bool is_changed = after && (v->block ? !why : strcmp(after->program, before->program) != 0);
        if (!is_changed && !best.variant && !best.refusal) {
            best.refusal = why ? why : strdup(v->has_run ? "no place of the kernel fits" : "the run failed");
            why = NULL;
        }
        free(why);
        if (!is_changed)
            continue;
        struct finding_gain g = gain_of(v, before, before_timed);
        if (best.variant && worth(&g) <= worth(&best))
            continue;
        free(best.refusal);
        best = g;
    }
    return best;
}

static int by_worth(const void *a, const void *b)
{
    double x = worth(a), y = worth(b);
    return x < y ? 1 : x > y ? -1 : 0;
}

void findings_judge(struct findings *f, const struct evidence *timed, const struct evidence *bound)
{
    for (int i = 0; i < f->evidence->kernels.count; i++) {
        const char *name = f->evidence->kernels.data[i].name;
        const struct evidence_kernel *t = timed ? evidence_find(timed, name) : NULL;
        const struct evidence_kernel *b = bound ? evidence_find(bound, name) : NULL;
        f->kernels[i].cycles = t ? (double)t->cycles : 0;
        f->kernels[i].bound_cycles = b ? (double)b->cycles : 0;
    }
    for (int i = 0; i < f->list.count; i++) {
        struct finding *at = &f->list.data[i];
        for (const struct remedy *r = remedy_table; r->name; r++)
            if (is_tried(at, r))
                at->gains[at->gain_count++] = judge(f, at, r, timed);
        qsort(at->gains, (size_t)at->gain_count, sizeof *at->gains, by_worth);
        for (int g = 0; g < at->gain_count; g++)
            f->kernels[at->kernel].has_promise |= at->gains[g].is_promised;
    }
}

bool findings_are_none(const struct findings *f, int kernel, const char **why)
{
    const struct finding_kernel *k = &f->kernels[kernel];
    bool has_memory = false, has_other = false;
    for (int i = 0; i < f->list.count; i++) {
        const struct finding *at = &f->list.data[i];
        has_memory |= at->kernel == kernel && !at->branch;
        has_other |= at->kernel == kernel && at->branch && at->kind != KIND_BOUNDARY;
    }
    if (has_memory || k->has_promise)
        return false;
    if (k->loss < FINDING_LEAST_LOSS)
        *why = "its lanes are full";
    else if (!has_other)
        *why = "only warps at an edge, or partly filled ones, have empty lanes";
    else if (k->best < FINDING_LEAST_GAIN)
        *why = "its memory accesses, which are not scattered, take as long with full warps";
    else if (k->bound_cycles > 0 && k->cycles < FINDING_LEAST_GAIN * k->bound_cycles)
        *why = "the machine takes nearly as long at the bound, where all warps are full";
    else
        return false;
    return true;
}
