/* What was found, as text: see print.h. */
#include "explain/print.h"

#include "base/demangle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A mechanism that is less faster than this is as fast. */
#define LEAST_FASTER 1.01

enum {
    INDENT = 14,        /* of sentences */
    PATTERN_INDENT = 6, /* of CUDA code */
};

/* Appends words, broken into lines; the first line begins at column INDENT. */
static void wrap(struct text *out, int columns, const char *words)
{
    int column = INDENT;
    for (const char *at = words; *at;) {
        int length = (int)strcspn(at, " ");
        if (column + 1 + length > columns && column > INDENT) {
            text_printf(out, "\n%*s", INDENT, "");
            column = INDENT;
        } else if (at != words) {
            text_printf(out, " ");
            column++;
        }
        text_append(out, at, (size_t)length);
        column += length;
        at += length;
        at += strspn(at, " ");
    }
    text_printf(out, "\n");
}

/* Lines with a title, whose words are wrapped. */
__attribute__((format(printf, 4, 5))) static void entry(const struct explanation *e, struct text *out,
                                                        const char *title, const char *format, ...)
{
    struct text words = {0};
    va_list args;
    va_start(args, format);
    text_vprintf(&words, format, args);
    va_end(args);
    text_printf(out, "   %-10s ", title);
    wrap(out, e->columns, words.data ? words.data : "");
    text_free(&words);
}

/* A line of the source, cut to the width. */
static void print_source(const struct explanation *e, const char *line, struct text *out)
{
    int room = e->columns - PATTERN_INDENT;
    text_printf(out, "%*s", PATTERN_INDENT, "");
    if ((int)strlen(line) > room)
        text_printf(out, "%.*s...\n", room - 3, line);
    else
        text_printf(out, "%s\n", line);
}

const struct explain_mechanism *explanation_best(const struct explanation *e, int kernel, double *gain)
{
    const struct findings *f = e->findings;
    const struct explain_mechanism *best = NULL;
    *gain = 1;
    for (int i = 0; i < e->mechanism_count; i++) {
        const struct evidence_kernel *k =
            evidence_find(&e->mechanisms[i].result, f->evidence->kernels.data[kernel].name);
        double speed = k && k->cycles ? f->kernels[kernel].cycles / (double)k->cycles : 0;
        if (speed > *gain && speed >= LEAST_FASTER) {
            *gain = speed;
            best = &e->mechanisms[i];
        }
    }
    return best;
}

/* ---- kernels ---- */

static void print_shape_of(const uint32_t n[3], struct text *out)
{
    text_printf(out, "%" PRIu32, n[0]);
    if (n[1] > 1 || n[2] > 1)
        text_printf(out, ",%" PRIu32, n[1]);
    if (n[2] > 1)
        text_printf(out, ",%" PRIu32, n[2]);
}

static void print_cycles(const struct explanation *e, int index, struct text *out)
{
    const struct finding_kernel *about = &e->findings->kernels[index];
    double gain;
    const struct explain_mechanism *best = explanation_best(e, index, &gain);
    if (about->bound_cycles > 0)
        entry(e, out, "cycles", "%.0f on %s; at the bound %.0f, %.2f times as fast", about->cycles, e->gpu,
              about->bound_cycles, about->cycles / about->bound_cycles);
    else
        entry(e, out, "cycles", "%.0f on %s", about->cycles, e->gpu);
    if (best)
        entry(e, out, "mechanism", "%s is %.2f times as fast, without a change of the program", best->name, gain);
    else if (e->mechanism_count)
        entry(e, out, "mechanism", "none of those tried is faster");
}

/* Says that there is nothing to gain, or that no gain is promised; otherwise findings say more. */
static void print_verdict(const struct explanation *e, int index, struct text *out)
{
    const struct findings *f = e->findings;
    const char *why = NULL;
    bool is_listed = false, has_memory = false;
    for (int i = 0; i < f->list.count; i++) {
        is_listed |= f->list.data[i].kernel == index;
        has_memory |= f->list.data[i].kernel == index && !f->list.data[i].branch;
    }
    if (findings_are_none(f, index, &why))
        entry(e, out, "verdict", "nothing to gain: %s", why);
    else if (f->kernels[index].has_promise)
        entry(e, out, "verdict", "a gain is promised: see GAIN below");
    else if (has_memory)
        entry(e, out, "verdict", "its memory accesses take longest; see below");
    else if (is_listed)
        entry(e, out, "verdict", "lanes are empty, but no change that heddle can make to the kernel is sure to gain");
    else
        entry(e, out, "verdict", "other branches cost more; see --most");
}

static void print_kernel(const struct explanation *e, int index, struct text *out)
{
    const struct evidence_kernel *k = &e->findings->evidence->kernels.data[index];
    const struct finding_kernel *about = &e->findings->kernels[index];
    text_printf(out, "kernel ");
    demangle_print(k->name, out);
    text_printf(out, ": %d launch%s, grid %s", k->launches, k->launches == 1 ? "" : "es",
                k->launches == 1 ? "" : "up to ");
    print_shape_of(k->grid, out);
    text_printf(out, ", block ");
    print_shape_of(k->block, out);
    text_printf(out, "\n");
    entry(e, out, "issues", "%" PRIu64 " warp instructions, %.1f %% of their lanes used; at the bound %.0f", k->issues,
          100 * (1 - about->loss), (double)k->threads / 32);
    if (k->sectors)
        entry(e, out, "memory", "%" PRIu64 " sectors of 32 bytes, %.1f times what threads asked for", k->sectors,
              about->excess);
    if (about->cycles > 0)
        print_cycles(e, index, out);
    print_verdict(e, index, out);
    text_printf(out, "\n");
}

/* ---- findings ---- */

/* "2.00 times fewer sectors", or "1.50 times as many". */
static void print_ratio(double before_over_after, const char *what, struct text *out)
{
    if (before_over_after >= 1.005)
        text_printf(out, "%.2f times fewer %s", before_over_after, what);
    else if (before_over_after <= 0.995)
        text_printf(out, "%.2f times as many %s", 1 / before_over_after, what);
    else
        text_printf(out, "as many %s as before", what);
}

static void print_gain(const struct explanation *e, const struct finding_gain *g, bool is_first, struct text *out)
{
    struct text words = {0};
    text_printf(&words, "%s. ", g->remedy->what);
    if (!g->variant) {
        text_printf(&words, "Not simulated: %s.", g->refusal ? g->refusal : "no place of the kernel fits");
    } else {
        text_printf(&words, "Simulated (%s %s): ", g->variant->option, g->variant->value);
        print_ratio(g->issues, "warp instructions", &words);
        if (g->sectors < 0.995 || g->sectors > 1.005) {
            text_printf(&words, ", ");
            print_ratio(g->sectors, "sectors of memory", &words);
        }
        if (g->cycles > 0)
            text_printf(&words, ", %.2f times as fast on %s", g->cycles, e->gpu);
        if (g->is_promised && g->cycles > 0)
            text_printf(&words, ". GAIN: %.2f.", g->cycles);
        else if (g->is_promised)
            text_printf(&words, ". GAIN: %.2f, if the launch has some %" PRIu64 " blocks or more on an H200.", g->time,
                        g->least_blocks);
        else if (g->issues >= FINDING_PROMISE && !e->gpu)
            text_printf(&words, ". No gain is promised: memory accesses take longest then.");
        else
            text_printf(&words, ". No gain is promised.");
    }
    entry(e, out, is_first ? "what to do" : "or", "%s", words.data);
    text_free(&words);
}

static void print_trips(const struct explanation *e, const struct evidence_branch *b, struct text *out)
{
    const struct shape *s = &b->shape;
    uint64_t left = b->threads - b->taken < b->taken ? b->threads - b->taken : b->taken;
    if (!s->leaves_loop || !left || b->copies > 1)
        return;
    double mean = (double)s->header_threads / (double)left;
    double longest = 32 * (double)s->header_issues / (double)left;
    if (longest > mean)
        entry(e, out, "", "Threads stay %.1f iterations in the mean; for every 32 of them the loop runs %.1f.", mean,
              longest);
}

/* What can be done, best first, with the pattern of the best that is promised; `shown` has the number of the finding
 * that showed a remedy's pattern, by remedy. */
static void print_gains(const struct explanation *e, int index, int *shown, struct text *out)
{
    const struct finding *at = &e->findings->list.data[index];
    bool has_promise = false;
    for (int g = 0; g < at->gain_count; g++) {
        const struct finding_gain *gain = &at->gains[g];
        int *known = &shown[gain->remedy - remedy_table];
        print_gain(e, gain, !g, out);
        if (!gain->is_promised || has_promise)
            continue;
        has_promise = true;
        if (*known) {
            text_printf(out, "%*sThe pattern stands at %d.\n", INDENT, "", *known);
        } else {
            remedy_print_pattern(gain->remedy, at->branch->text, e->columns, PATTERN_INDENT, out);
            *known = index + 1;
        }
    }
    if (at->kind == KIND_BOUNDARY)
        entry(e, out, "what to do", "Nothing: there is nothing to gain at an edge.");
    else if (at->is_minor)
        entry(e, out, "what to do", "Nothing: without it the kernel would be %.2f times as fast at most.",
              1 / (1 - at->share));
    else if (!has_promise)
        entry(e, out, "or",
              "Make the divergent section smaller: move what does not depend on the branch ahead of it or behind it, "
              "and put __syncwarp() behind it, so that the warp goes on as a whole.");
}

static void print_branch(const struct explanation *e, int index, int *shown, struct text *out)
{
    const struct finding *at = &e->findings->list.data[index];
    const struct evidence_branch *b = at->branch;
    const struct evidence_kernel *k = &e->findings->evidence->kernels.data[at->kernel];
    entry(e, out, "kind", "%s. %s", kind_names[at->kind], kind_meaning(at->kind));
    print_trips(e, b, out);
    entry(e, out, "costs",
          "%.0f of %" PRIu64 " issues (%.1f %%) in lanes that stay empty; at the bound none. It diverged in %" PRIu64
          " of %" PRIu64 " executions.",
          (double)b->lost / 32, k->issues, 100 * at->share, b->diverged, b->executed);
    print_gains(e, index, shown, out);
    if (b->estimate.pattern)
        entry(e, out, "recon", "estimates for %s %s: %.2f times as fast%s%s",
              strchr("aeiou", *b->estimate.pattern) ? "an" : "a", b->estimate.pattern, b->estimate.gain,
              b->estimate.refusal ? "; left alone: " : "", b->estimate.refusal ? b->estimate.refusal : "");
    else
        entry(e, out, "recon",
              "has no candidate here: it looks for a loop within a loop, a costly side within a loop, and a function "
              "that both sides call.");
}

static void print_memory(const struct explanation *e, const struct finding *at, struct text *out)
{
    const struct evidence_access *a = at->access;
    double needed = a->bytes / 32 > a->issues ? (double)a->bytes / 32 : (double)a->issues;
    entry(e, out, "kind", "%s. %s", kind_names[KIND_MEMORY], kind_meaning(KIND_MEMORY));
    entry(e, out, "costs",
          "%" PRIu64 " sectors here, %.1f in each access of a warp; %.0f would do. %.0f %% of the kernel's sectors are "
          "in excess.",
          a->sectors, (double)a->sectors / (double)a->issues, needed, 100 * at->share);
    entry(e, out, "what to do",
          "Lay the data out so that neighbouring threads access neighbouring words: structures of arrays for arrays "
          "of structures, the fastest index for threadIdx.x, or a tile in shared memory that is loaded row by row. "
          "Counted, not simulated.");
    text_printf(out, "%*s// before: v = points[i].x;         // 32 threads touch up to 32 sectors\n", PATTERN_INDENT,
                "");
    text_printf(out, "%*sv = x_of_points[i];                // 32 threads touch 4 sectors\n", PATTERN_INDENT, "");
}

void explanation_print(const struct explanation *e, struct text *out)
{
    const struct findings *f = e->findings;
    int shown[REMEDY_COUNT] = {0};
    for (int i = 0; i < f->evidence->kernels.count; i++)
        print_kernel(e, i, out);
    for (int i = 0; i < f->list.count; i++) {
        const struct finding *at = &f->list.data[i];
        const char *line = at->branch ? at->branch->text : at->access->text;
        text_printf(out, "%d. %s in ", i + 1, at->branch ? at->branch->where : at->access->where);
        demangle_print(f->evidence->kernels.data[at->kernel].name, out);
        if (at->branch && at->branch->copies > 1)
            text_printf(out, " (%d branches)", at->branch->copies);
        text_printf(out, "\n");
        print_source(e, line ? line : "(the source is not here; see HEDDLE_SOURCE)", out);
        if (at->branch)
            print_branch(e, i, shown, out);
        else
            print_memory(e, at, out);
        entry(e, out, "mechanism", "%s.", kind_mechanism(at->kind));
        text_printf(out, "\n");
    }
}
