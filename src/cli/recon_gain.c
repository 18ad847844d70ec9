/* What predictions gain; see recon_gain.h. Programs travel as PTX files, so that each run can be repeated by hand. */
#define _GNU_SOURCE
#include "cli/recon_gain.h"

#include "base/text.h"
#include "cli/cli.h"
#include "study/sample.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Files of one run. */
struct files {
    char ptx[64], results[64];
};

struct outcome {
    double cycles, warps, threads, slots;
};

static bool make_file(char *name, size_t size, const char *text, size_t length)
{
    const char *folder = getenv("TMPDIR");
    snprintf(name, size, "%s/heddle.XXXXXX", folder && strlen(folder) < 40 ? folder : "/tmp");
    int file = mkstemp(name);
    bool ok = file >= 0 && write(file, text, length) == (ssize_t)length;
    if (file >= 0)
        close(file);
    return ok;
}

/* The program with these predictions, as text. */
static void print_program(const struct recon_gain *g, const struct predictions *predictions, struct text *out)
{
    predict_write(predictions, g->program, g->module);
    ptx_print(g->module, out);
}

/* In the child, which does not outlive its parent, however that ends. */
static _Noreturn void become(pid_t parent, char **words)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() == parent)
        execv("/proc/self/exe", words);
    _exit(STATUS_INPUT);
}

/* Gives what waitpid() gives. Who asks this program to stop may have asked it alone; then it asks the child. */
static pid_t wait_for(pid_t pid, const volatile sig_atomic_t *stop, int *how)
{
    static const struct timespec a_while = {.tv_nsec = 5000000};
    pid_t ended;
    for (bool is_asked = false; !(ended = waitpid(pid, how, WNOHANG)); nanosleep(&a_while, NULL))
        if (*stop && !is_asked) {
            kill(pid, SIGTERM);
            is_asked = true;
        }
    return ended;
}

static int run_command_line(const struct recon_gain *g, const struct files *f)
{
    struct vec_of(char *) words = {0};
    const char *const own[] = {"heddle", "run", f->ptx, "--kernel", g->program->kernel->name};
    const char *const last[] = {"--mech", "volta", "--json", f->results, "--quiet", NULL};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        vec_push(&words, (char *)own[i]);
    for (int i = 0; i < g->word_count; i++)
        vec_push(&words, g->words[i]);
    for (size_t i = 0; i < sizeof last / sizeof *last; i++)
        vec_push(&words, (char *)last[i]);
    fflush(NULL);
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        become(parent, words.data);
    int how = 0;
    vec_free(&words);
    if (pid < 0 || wait_for(pid, g->stop, &how) < 0)
        return cli_fail("cannot run the kernel: %s", strerror(errno));
    if (*g->stop)
        return STATUS_STOPPED;
    return WIFEXITED(how) ? WEXITSTATUS(how) : STATUS_FAULT;
}

static int read_outcome(const struct files *f, struct outcome *o)
{
    struct sample s = {0};
    char *error = NULL;
    if (!sample_add_file(&s, f->results, &error)) {
        cli_fail("%s", error);
        free(error);
        return STATUS_INPUT;
    }
    *o = (struct outcome){.cycles = sample_sum(&s, "cycles"),
                          .warps = sample_sum(&s, "warp_instructions"),
                          .threads = sample_sum(&s, "thread_instructions"),
                          .slots = sample_sum(&s, "sm.issue_slots")};
    sample_free(&s);
    return STATUS_OK;
}

static int run_once(const struct recon_gain *g, const struct predictions *predictions, struct outcome *o)
{
    struct files f = {{0}, {0}};
    struct text text = {0};
    print_program(g, predictions, &text);
    bool ok = make_file(f.ptx, sizeof f.ptx, text.data, text.length) && make_file(f.results, sizeof f.results, "", 0);
    int status = ok ? run_command_line(g, &f) : cli_fail("cannot write to a temporary file: %s", strerror(errno));
    if (!status)
        status = read_outcome(&f, o);
    unlink(f.ptx);
    unlink(f.results);
    text_free(&text);
    return status;
}

static void print_heading(FILE *out)
{
    fprintf(out, "%-26s %12s %11s %18s %9s %13s\n", "simulated under volta", "cycles", "efficiency", "warp instructions", "speed",
           "as efficient");
}

static void print_outcome(FILE *out, const char *name, const struct outcome *o, const struct outcome *base)
{
    fprintf(out, "  %-24s %12.0f %9.1f %% %18.0f", name, o->cycles, o->slots > 0 ? 100 * o->threads / o->slots : 0, o->warps);
    if (o != base && o->slots > 0 && base->slots > 0 && base->threads > 0)
        fprintf(out, " %9.2f %13.2f", base->cycles / o->cycles, o->threads / o->slots / (base->threads / base->slots));
    fprintf(out, "\n");
}

static void set_threshold(struct predictions *p, int threshold)
{
    for (int i = 0; i < p->list.count; i++)
        p->list.data[i].threshold = threshold;
}

/* Runs with several thresholds, and keeps the best. */
static int search_threshold(const struct recon_gain *g, const struct outcome *base)
{
    static const int tried[] = {0, 2, 4, 8, 12, 16, 20, 24, 28, BARRIER_ADAPTIVE};
    double best = 0;
    int at = 0, status = STATUS_OK;
    for (size_t i = 0; i < sizeof tried / sizeof *tried && !status; i++) {
        struct outcome o;
        char name[32];
        set_threshold(g->predictions, tried[i]);
        status = run_once(g, g->predictions, &o);
        if (status)
            break;
        snprintf(name, sizeof name, !tried[i] ? "predicted" : tried[i] == BARRIER_ADAPTIVE ? "predicted, adaptive"
                                                                                   : "predicted, threshold %d", tried[i]);
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
    struct outcome before, after;
    int status = run_once(gain, &none, &before);
    if (status)
        return status;
    print_heading(gain->out);
    print_outcome(gain->out, "post-dominators", &before, &before);
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
