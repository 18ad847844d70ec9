/* What was found, as text: see print.h. */
#include "explain/print.h"

#include "base/demangle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 14 };

/* Appends words, broken into lines; the first goes on at `column`. */
static void wrap(struct text *out, int column, const char *words)
{
    for (const char *at = words; *at;) {
        int length = (int)strcspn(at, " ");
        if (column + 1 + length > PRINT_COLUMNS && column > INDENT) {
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

/* A line with a title, whose words are wrapped. */
__attribute__((format(printf, 3, 4))) static void entry(struct text *out, const char *title, const char *format, ...)
{
    struct text words = {0};
    va_list args;
    va_start(args, format);
    text_vprintf(&words, format, args);
    va_end(args);
    text_printf(out, "   %-10s ", title);
    wrap(out, INDENT, words.data ? words.data : "");
    text_free(&words);
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
        if (speed > *gain) {
            *gain = speed;
            best = &e->mechanisms[i];
        }
    }
    return best;
}

static void print_shape_of(const uint32_t n[3], struct text *out)
{
    text_printf(out, "%" PRIu32, n[0]);
    if (n[1] > 1 || n[2] > 1)
        text_printf(out, ",%" PRIu32, n[1]);
    if (n[2] > 1)
        text_printf(out, ",%" PRIu32, n[2]);
}

static void print_kernel(const struct explanation *e, int index, struct text *out)
{
    const struct evidence_kernel *k = &e->findings->evidence->kernels.data[index];
    const struct finding_kernel *about = &e->findings->kernels[index];
    const char *why = NULL;
    char *name = demangle(k->name);
    text_printf(out, "kernel %s: %d launch%s, ", name ? name : k->name, k->launches, k->launches == 1 ? "" : "es");
    free(name);
    text_printf(out, k->launches == 1 ? "grid " : "grid up to ");
    print_shape_of(k->grid, out);
    text_printf(out, ", block ");
    print_shape_of(k->block, out);
    text_printf(out, "\n  issues     %" PRIu64 " warp instructions, %.1f %% of their lanes used; at the bound %.0f\n",
                k->issues, 100 * (1 - about->loss), (double)k->threads / 32);
    if (k->sectors)
        text_printf(out, "  memory     %" PRIu64 " sectors of 32 bytes, %.1f times what threads asked for\n",
                    k->sectors, about->excess);
    if (about->cycles > 0) {
        double gain;
        const struct explain_mechanism *best = explanation_best(e, index, &gain);
        text_printf(out, "  cycles     %.0f on %s", about->cycles, e->gpu);
        if (about->bound_cycles > 0)
            text_printf(out, "; at the bound %.0f, %.2f times as fast", about->bound_cycles,
                        about->cycles / about->bound_cycles);
        text_printf(out, "\n");
        if (best)
            text_printf(out, "  mechanism  %s is %.2f times as fast, without a change of the program\n", best->name,
                        gain);
        else if (e->mechanism_count)
            text_printf(out, "  mechanism  none of those tried is faster\n");
    }
    if (findings_are_none(e->findings, index, &why))
        text_printf(out, "  nothing to gain: %s\n", why);
    text_printf(out, "\n");
}

/* The pattern, with the text of the branch's line for %s. */
static void print_pattern(const char *pattern, const char *line, struct text *out)
{
    for (const char *at = pattern; *at;) {
        size_t length = strcspn(at, "\n");
        const char *mark = strstr(at, "%s");
        text_printf(out, "        ");
        if (mark && mark < at + length) {
            text_append(out, at, (size_t)(mark - at));
            text_printf(out, "%.56s", line ? line : "...");
            text_append(out, mark + 2, length - (size_t)(mark + 2 - at));
        } else {
            text_append(out, at, length);
        }
        text_printf(out, "\n");
        at += length + (at[length] == '\n');
    }
}

static void print_gain(const struct finding_gain *g, bool is_first, const char *gpu, struct text *out)
{
    struct text words = {0};
    text_printf(&words, "%s. ", g->remedy->what);
    if (!g->variant) {
        text_printf(&words, "Not simulated: %s.", g->refusal ? g->refusal : "no place fits");
    } else {
        text_printf(&words, "Simulated (%s %s): %.2f times %s warp instructions", g->variant->option, g->variant->value,
                    g->issues < 1 ? 1 / g->issues : g->issues, g->issues < 1 ? "more" : "fewer");
        if (g->sectors < 0.995 || g->sectors > 1.005)
            text_printf(&words, ", %.2f times %s sectors of memory", g->sectors < 1 ? 1 / g->sectors : g->sectors,
                        g->sectors < 1 ? "more" : "fewer");
        if (g->cycles > 0)
            text_printf(&words, ", %.2f times as fast on %s", g->cycles, gpu);
        text_printf(&words, ".");
        if (g->is_promised && g->cycles > 0)
            text_printf(&words, " GAIN: %.2f.", g->cycles);
        else if (g->is_promised)
            text_printf(&words, " GAIN: %.2f, if the launch has some %" PRIu64 " blocks or more on an H200.", g->time,
                        g->least_blocks);
        else
            text_printf(&words, " No gain is promised.");
    }
    entry(out, is_first ? "what to do" : "or", "%s", words.data);
    text_free(&words);
}

static void print_trips(const struct evidence_branch *b, struct text *out)
{
    const struct shape *s = &b->shape;
    uint64_t left = b->threads - b->taken < b->taken ? b->threads - b->taken : b->taken;
    if (!s->leaves_loop || !left || b->copies > 1)
        return;
    double mean = (double)s->header_threads / (double)left;
    double longest = 32 * (double)s->header_issues / (double)left;
    if (longest > mean)
        entry(out, "", "Threads stay %.1f iterations in the mean; for every 32 of them the loop runs %.1f.", mean,
              longest);
}

static void print_branch(const struct explanation *e, const struct finding *at, struct text *out)
{
    const struct evidence_branch *b = at->branch;
    const struct evidence_kernel *k = &e->findings->evidence->kernels.data[at->kernel];
    entry(out, "kind", "%s. %s", kind_names[at->kind], kind_meaning(at->kind));
    print_trips(b, out);
    entry(out, "costs",
          "%.0f of %" PRIu64 " issues (%.1f %%) in lanes that stay empty; at the bound none. It diverged in %" PRIu64
          " of %" PRIu64 " executions.",
          (double)b->lost / 32, k->issues, 100 * at->share, b->diverged, b->executed);
    if (at->kind == KIND_BOUNDARY)
        entry(out, "what to do", "Nothing: nothing to gain at an edge.");
    bool has_pattern = false;
    for (int g = 0; g < at->gain_count; g++) {
        print_gain(&at->gains[g], !g, e->gpu, out);
        if (!has_pattern && (at->gains[g].is_promised || (!g && at->gains[g].variant))) {
            print_pattern(at->gains[g].remedy->pattern, b->text, out);
            has_pattern = true;
        }
    }
    if (b->estimate.pattern)
        entry(out, "recon", "estimates for a %s: %.2f times as fast%s%s", b->estimate.pattern, b->estimate.gain,
              b->estimate.refusal ? "; left alone: " : "", b->estimate.refusal ? b->estimate.refusal : "");
    else
        entry(out, "recon", "has no candidate here: no inner loop, no costly side in a loop, no common call.");
}

static void print_memory(const struct finding *at, struct text *out)
{
    const struct evidence_access *a = at->access;
    double needed = a->bytes / 32 > a->issues ? (double)a->bytes / 32 : (double)a->issues;
    entry(out, "kind", "%s. %s", kind_names[KIND_MEMORY], kind_meaning(KIND_MEMORY));
    entry(out, "costs",
          "%" PRIu64 " sectors here, %.1f in each access of a warp; %.0f would do. %.0f %% of the kernel's sectors are "
          "in excess.",
          a->sectors, (double)a->sectors / (double)a->issues, needed, 100 * at->share);
    entry(out, "what to do",
          "Lay the data out so that neighbouring threads access neighbouring words: structures of arrays for arrays "
          "of structures, the fastest index for threadIdx.x, or a tile in shared memory that is loaded row by row. "
          "Counted, not simulated.");
    text_printf(out, "        // before:  v = points[i].x;             32 threads touch up to 32 sectors\n"
                     "        v = x_of_points[i];                      // 32 threads touch 4 sectors\n");
}

void explanation_print(const struct explanation *e, struct text *out)
{
    const struct findings *f = e->findings;
    for (int i = 0; i < f->evidence->kernels.count; i++)
        print_kernel(e, i, out);
    for (int i = 0; i < f->list.count; i++) {
        const struct finding *at = &f->list.data[i];
        const char *where = at->branch ? at->branch->where : at->access->where;
        const char *text = at->branch ? at->branch->text : at->access->text;
        text_printf(out, "%d. %s in %s", i + 1, where, f->evidence->kernels.data[at->kernel].name);
        if (at->branch && at->branch->copies > 1)
            text_printf(out, " (%d branches)", at->branch->copies);
        text_printf(out, "\n      %.88s\n", text ? text : "(the source is not here; see HEDDLE_SOURCE)");
        if (at->branch)
            print_branch(e, at, out);
        else
            print_memory(at, out);
        entry(out, "mechanism", "%s", kind_mechanism(at->kind));
        text_printf(out, "\n");
    }
}
