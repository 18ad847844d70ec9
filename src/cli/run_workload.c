/*
 * heddle run WORKLOAD: the program of a built-in workload, run with the options of the run, and the figures of all its
 * launches together.
 */
#define _GNU_SOURCE
#include "cli/run_workload.h"

#include "base/text.h"
#include "cli/cli.h"
#include "study/sample.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The words as HEDDLE_OPTS would have them, behind what is there already. */
static void add_to_environment(const struct workload_request *r, const char *results)
{
    struct text all = {0};
    const char *before = getenv("HEDDLE_OPTS");
    text_printf(&all, "%s", before ? before : "");
    for (int i = 0; i < r->word_count; i++) {
        char quote = strchr(r->words[i], '"') ? '\'' : '"';
        text_printf(&all, " %c%s%c", quote, r->words[i], quote);
    }
    if (results)
        text_printf(&all, " --json \"%s\"", results);
    setenv("HEDDLE_OPTS", all.data, 1);
    text_free(&all);
}

/* Gives the exit status of the program. Ctrl-C is the program's: it ends, and this one sees it end. */
static int run_program(const struct workload_request *r, const char *program, const char *results)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        add_to_environment(r, results);
        execl(program, r->workload->name, "--size", r->size ? r->size : "small", (char *)NULL);
        _exit(cli_fail("cannot run %s: %s", program, strerror(errno)));
    }
    int how = 0;
    signal(SIGINT, SIG_IGN);
    if (pid < 0 || waitpid(pid, &how, 0) < 0)
        return cli_fail("cannot run %s: %s", program, strerror(errno));
    if (WIFSIGNALED(how))
        return WTERMSIG(how) == SIGINT ? STATUS_STOPPED
                                       : (cli_fail("%s: %s", r->workload->name, strsignal(WTERMSIG(how))), STATUS_FAULT);
    return WEXITSTATUS(how);
}

static void print_figures(const struct workload_request *r, const struct sample *s)
{
    double cycles = sample_sum(s, "cycles"), warps = sample_sum(s, "warp_instructions");
    double threads = sample_sum(s, "thread_instructions"), seconds = sample_sum(s, "host_seconds");
    double slots = sample_sum(s, "sm.issue_slots");
    fprintf(stderr, "%s: %d launch%s\n", r->workload->name, s->launches, s->launches == 1 ? "" : "es");
    if (cycles > 0)
        fprintf(stderr, "  cycles               %.0f\n", cycles);
    fprintf(stderr, "  warp instructions    %.0f\n  thread instructions  %.0f\n", warps, threads);
    if (warps > 0)
        fprintf(stderr, "  SIMD efficiency      %.1f %%\n", 100 * threads / (slots > 0 ? slots : 32 * warps));
    if (cycles > 0)
        fprintf(stderr, "  thread IPC           %.2f\n  DRAM bytes           %.0f\n", threads / cycles,
                sample_sum(s, "dram.bytes"));
    const struct sample_branch *worst = sample_worst_branch(s);
    if (worst)
        fprintf(stderr, "  loses most           %s, %s: %.1f %% of all lanes\n", worst->kernel,
                worst->where ? worst->where : "?", 100 * worst->lost_cycles / warps);
    fprintf(stderr, "  host seconds         %.3f (%.1f million warp instructions a second)\n", seconds,
            seconds > 0 ? warps / seconds * 1e-6 : 0);
}

static int run_and_sum_up(const struct workload_request *r, const char *program)
{
    char results[] = "/tmp/heddle.XXXXXX", *error = NULL;
    int file = mkstemp(results);
    if (file < 0)
        return cli_fail("cannot make %s: %s", results, strerror(errno));
    close(file);
    struct sample sample = {0};
    int status = run_program(r, program, results);
    if (!sample_add_file(&sample, results, &error))
        status = status ? status : cli_fail("%s", error);
    else if (sample.launches)
        print_figures(r, &sample);
    free(error);
    sample_free(&sample);
    unlink(results);
    return status;
}

int run_workload(const struct workload_request *r)
{
    char *error = NULL, *program = workload_program(r->workload, &error);
    int status = STATUS_INPUT;
    if (!program)
        cli_fail("%s", error);
    else
        status = r->wants_figures ? run_and_sum_up(r, program) : run_program(r, program, NULL);
    free(error);
    free(program);
    return status;
}
