/* What predictions gain: see recon_gain.h. Each run reads its program from a PTX file, as a user's run would. */
#define _GNU_SOURCE
#include "cli/recon_gain.h"

#include "base/child.h"
#include "base/temporary.h"
#include "base/text.h"
#include "cli/cli.h"
#include "study/measurement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Paths of the files of one run. */
struct recon_files {
    char *ptx, *results;
};

/* What one run counted. */
struct recon_outcome {
    double cycles;
    double warps;   /* warp instructions */
    double threads; /* thread instructions */
    double slots;   /* lanes of all issues */
};

/* Appends the PTX of the program with these predictions. */
static void print_program(const struct recon_gain *g, const struct predictions *predictions, struct text *out)
{
    predict_write(predictions, g->program, g->module);
    ptx_print(g->module, out);
}

/* The words of one run, and those among them that were made for it. */
struct recon_words {
    struct vec_of(char *) list;
    struct arena arena;
};

/* Adds the options of heddle run. A coarsened kernel gets fewer blocks in x, and their number before as one more
 * argument. */
static void add_options(const struct recon_gain *g, struct recon_words *w, uint32_t coarsened)
{
    unsigned long long blocks = 1, fewer = 1;
    for (int i = 0; i < g->word_count; i++) {
        char *word = g->words[i], *value = NULL, *rest;
        if (coarsened && !strncmp(word, "--grid=", 7))
            value = word + 7;
        else if (coarsened && i > 0 && !strcmp(g->words[i - 1], "--grid"))
            value = word;
        if (value) {
            blocks = strtoull(value, &rest, 10);
            fewer = (blocks + coarsened - 1) / coarsened;
            word = arena_printf(&w->arena, "%.*s%llu%s", (int)(value - word), word, fewer, rest);
        }
        vec_push(&w->list, word);
    }
    if (coarsened) {
        vec_push(&w->list, "--arg");
        vec_push(&w->list, arena_printf(&w->arena, "%llu", blocks));
    }
}

static int run_command_line(const struct recon_gain *g, const struct recon_files *f, uint32_t coarsened)
{
    struct recon_words words = {0};
    const char *const own[] = {"heddle", "run", f->ptx, "--kernel", g->program->kernel->name};
    const char *const last[] = {"--mech", "volta", "--json", f->results, "--quiet", NULL};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        vec_push(&words.list, (char *)own[i]);
    add_options(g, &words, coarsened);
    for (size_t i = 0; i < sizeof last / sizeof *last; i++)
        vec_push(&words.list, (char *)last[i]);
    struct child child;
    bool ok = child_start(&child, &(struct child_program){.path = child_self, .words = words.list.data, .output = -1});
    int status = ok ? child_wait(&child, g->stop) : cli_fail("cannot run the kernel: %s", strerror(errno));
    vec_free(&words.list);
    arena_free(&words.arena);
    if (*g->stop)
        return STATUS_SIGNAL + *g->stop;
    return status > STATUS_SIGNAL ? STATUS_FAULT : status;
}

static int read_outcome(const struct recon_files *f, struct recon_outcome *o)
{
    struct measurement s = {0};
    char *error = NULL;
    if (!measurement_add_file(&s, f->results, &error)) {
        cli_fail("%s", error);
        free(error);
        return STATUS_INPUT;
    }
    *o = (struct recon_outcome){.cycles = measurement_sum(&s, "cycles"),
                                .warps = measurement_sum(&s, "warp_instructions"),
                                .threads = measurement_sum(&s, "thread_instructions"),
                                .slots = measurement_sum(&s, "sm.issue_slots")};
    measurement_free(&s);
    return STATUS_OK;
}

/* Runs the PTX, in which the kernel is coarsened or not (0). */
static int run_text(const struct recon_gain *g, const struct text *text, uint32_t coarsened, struct recon_outcome *o)
{
    struct recon_files f = {0};
    char *error = NULL;
    f.ptx = temporary_file(text->data, text->length, &error);
    f.results = f.ptx ? temporary_file("", 0, &error) : NULL;
    int status = f.results ? run_command_line(g, &f, coarsened) : cli_fail("%s", error);
    if (!status)
        status = read_outcome(&f, o);
    temporary_remove(f.ptx);
    temporary_remove(f.results);
    free(error);
    return status;
}

static int run_once(const struct recon_gain *g, const struct predictions *predictions, struct recon_outcome *o)
{
    struct text text = {0};
    print_program(g, predictions, &text);
    int status = run_text(g, &text, g->program->kernel->coarsened, o);
    text_free(&text);
    return status;
}

static void print_heading(FILE *out)
{
    fprintf(out, "%-26s %12s %11s %18s %9s %13s\n", "simulated under volta", "cycles", "efficiency",
            "warp instructions", "speed", "as efficient");
}

static void print_outcome(FILE *out, const char *name, const struct recon_outcome *o, const struct recon_outcome *base)
{
    fprintf(out, "  %-24s %12.0f %9.1f %% %18.0f", name, o->cycles, o->slots > 0 ? 100 * o->threads / o->slots : 0,
            o->warps);
    if (o != base && o->slots > 0 && base->slots > 0 && base->threads > 0)
        fprintf(out, " %9.2f %13.2f", base->cycles / o->cycles, o->threads / o->slots / (base->threads / base->slots));
    fprintf(out, "\n");
}

static void set_threshold(struct predictions *p, int threshold)
{
    for (int i = 0; i < p->list.count; i++)
        p->list.data[i].threshold = threshold;
}

/* Runs the program with several thresholds, and keeps the one with the fewest cycles. */
static int search_threshold(const struct recon_gain *g, const struct recon_outcome *base)
{
    static const int tried[] = {0, 2, 4, 8, 12, 16, 20, 24, 28, BARRIER_ADAPTIVE};
    double best = 0;
    int at = 0, status = STATUS_OK;
    for (size_t i = 0; i < sizeof tried / sizeof *tried && !status; i++) {
        struct recon_outcome o;
        char name[32];
        set_threshold(g->predictions, tried[i]);
        status = run_once(g, g->predictions, &o);
        if (status)
            break;
        snprintf(name, sizeof name,
                 !tried[i]                      ? "predicted"
                 : tried[i] == BARRIER_ADAPTIVE ? "predicted, adaptive"
                                                : "predicted, threshold %d",
                 tried[i]);
        print_outcome(g->out, name, &o, base);
        if (!i || o.cycles < best) {
            best = o.cycles;
            at = tried[i];
        }
    }
    set_threshold(g->predictions, at);
    if (!status && at == BARRIER_ADAPTIVE)
        fprintf(g->out, "  best with an adaptive threshold\n");
    else if (!status && at)
        fprintf(g->out, "  best with a threshold of %d threads\n", at);
    else if (!status)
        fprintf(g->out, "  best if all threads wait\n");
    return status;
}

int recon_measure(struct recon_gain *gain)
{
    struct predictions none = {0};
    struct recon_outcome before, after;
    int status = gain->original ? run_text(gain, gain->original, 0, &before) : run_once(gain, &none, &before);
    if (status)
        return status;
    print_heading(gain->out);
    print_outcome(gain->out, gain->original ? "as the file has it" : "post-dominators", &before, &before);
    if (gain->original) {
        status = run_once(gain, &none, &after);
        if (status)
            return status;
        print_outcome(gain->out, "rewritten", &after, &before);
    }
    if (!gain->predictions->list.count) {
        fprintf(gain->out, "  no predictions\n");
        return STATUS_OK;
    }
    if (gain->searches_threshold)
        return search_threshold(gain, &before);
    status = run_once(gain, gain->predictions, &after);
    if (!status)
        print_outcome(gain->out, "predicted", &after, &before);
    return status;
}
