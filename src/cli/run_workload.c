/*
 * heddle run WORKLOAD: starts the program of a built-in workload, passes the options of the run to it through
 * HEDDLE_OPTS, and sums up the figures of all its launches, which come back as a file of JSON.
 */
#define _GNU_SOURCE
#include "cli/run_workload.h"

#include "base/child.h"
#include "base/diag.h"
#include "base/temporary.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "gpu/gpu.h"
#include "report/source.h"
#include "run/races.h"
#include "step/session.h"
#include "study/installed.h"
#include "study/measurement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Appends a word in quotes, as HEDDLE_OPTS takes words. A single quote inside the word stands in double quotes. */
static void append_word(struct text *all, const char *word)
{
    text_printf(all, " '");
    for (; *word; word++)
        text_printf(all, *word == '\'' ? "'\"'\"'" : "%c", *word);
    text_printf(all, "'");
}

/* The setting of HEDDLE_OPTS for the program: what it is already, then the options of this run. Owned by the caller. */
static char *environment_for(const struct workload_request *r, const char *results)
{
    struct text all = {0};
    const char *before = getenv("HEDDLE_OPTS");
    text_printf(&all, "HEDDLE_OPTS=%s", before ? before : "");
    for (int i = 0; i < r->word_count; i++)
        append_word(&all, r->words[i]);
    if (results) {
        append_word(&all, "--json");
        append_word(&all, results);
    }
    return text_take(&all);
}

/* Runs the program and returns an exit status. A signal that stops heddle stops the program as well. A signal that ends
 * the program alone is a fault of the program, but for SIGKILL, which comes from outside. */
static int run_program(const struct workload_request *r, const char *program, const char *results)
{
    const volatile sig_atomic_t *stop = interrupt_catch();
    const char *size = r->size ? r->size : "small";
    const char *ptx = r->ptx ? r->ptx : "nvcc";
    char *words[9] = {(char *)r->workload->name, "--size", (char *)size, "--ptx", (char *)ptx};
    int count = 5;
    if (r->wants_hints)
        words[count++] = "--hints";
    if (r->workload->number) {
        words[count++] = "--number";
        words[count] = (char *)r->workload->number;
    }
    char *environment[] = {environment_for(r, results), NULL};
    struct child child;
    bool ok = child_start(&child, &(struct child_program){program, words, environment, -1});
    if (getenv(step_variable)) /* Ctrl-C of the terminal is for the program's stepper */
        signal(SIGINT, SIG_IGN);
    int status = ok ? child_wait(&child, stop) : cli_fail("cannot run %s: %s", program, strerror(errno));
    free(environment[0]);
    if (status > STATUS_SIGNAL)
        cli_say_unrecorded(r->record_path);
    if (*stop && status > STATUS_SIGNAL) {
        cli_fail("%s: stopped before its end", r->workload->name);
        return STATUS_SIGNAL + *stop;
    }
    if (status <= STATUS_SIGNAL)
        return status;
    cli_fail("%s: %s", r->workload->name, strsignal(status - STATUS_SIGNAL));
    return status == STATUS_SIGNAL + SIGKILL ? status : STATUS_FAULT;
}

/* " ± 1.2 %" behind what is derived from cycles, if these are an estimate. */
struct error_text {
    char text[32];
};

static struct error_text error_of(const struct measurement *s, double cycles)
{
    struct error_text error = {""};
    if (measurement_has(s, "sampling.program.half_cycles") && cycles > 0)
        snprintf(error.text, sizeof error.text, " ± %.1f %%",
                 100 * measurement_sum(s, "sampling.program.half_cycles") / cycles);
    return error;
}

static void print_figures(const struct workload_request *r, const struct measurement *s)
{
    bool is_sampled = measurement_has(s, "sampling.program.cycles");
    double cycles = measurement_sum(s, is_sampled ? "sampling.program.cycles" : "cycles"),
           warps = measurement_sum(s, "warp_instructions");
    double threads = measurement_sum(s, "thread_instructions"), seconds = measurement_sum(s, "host_seconds");
    double slots = measurement_sum(s, "sm.issue_slots");
    fprintf(diag_stream(), "%s: %d launch%s\n", r->workload->name, s->launches, s->launches == 1 ? "" : "es");
    if (cycles > 0)
        fprintf(diag_stream(), "  cycles               %.0f%s\n", cycles, error_of(s, cycles).text);
    fprintf(diag_stream(), "  warp instructions    %.0f\n  thread instructions  %.0f\n", warps, threads);
    if (warps > 0)
        fprintf(diag_stream(), "  SIMD efficiency      %.1f %%\n", 100 * threads / (slots > 0 ? slots : 32 * warps));
    if (cycles > 0)
        fprintf(diag_stream(), "  thread IPC           %.2f%s\n  DRAM bytes           %.0f\n", threads / cycles,
                error_of(s, cycles).text, measurement_sum(s, "dram.bytes"));
    if (is_sampled)
        fprintf(diag_stream(),
                "  timed                %.1f %% of all thread instructions; other cycles are estimated\n",
                100 * measurement_sum(s, "sampling.timed_instructions") / threads);
    const struct measurement_branch *worst = measurement_worst_branch(s);
    if (worst)
        fprintf(diag_stream(), "  loses most           %s, %s: %.1f %% of all lanes\n", worst->kernel,
                worst->where ? worst->where : "?", 100 * worst->lost_issues / warps);
    fprintf(diag_stream(), "  host seconds         %.3f (%.1f million warp instructions per second)\n", seconds,
            seconds > 0 ? warps / seconds * 1e-6 : 0);
}

static int run_and_sum_up(const struct workload_request *r, const char *program)
{
    char *error = NULL, *results = temporary_file("", 0, &error);
    if (!results) {
        cli_fail("%s", error);
        free(error);
        return STATUS_INPUT;
    }
    struct measurement measurement = {0};
    int status = run_program(r, program, results);
    if (!measurement_add_file(&measurement, results, &error))
        status = status ? status : cli_fail("%s", error);
    else if (measurement.launches && r->wants_figures)
        print_figures(r, &measurement);
    if (!status && r->wants_check && measurement_sum(&measurement, "races") + measurement_sum(&measurement, "lockstep"))
        status = STATUS_FAULT;
    free(error);
    measurement_free(&measurement);
    temporary_remove(results);
    return status;
}

/* Says before the run that the program needs what the mechanism does not give. */
static void warn_of_lockstep(const struct workload_request *r)
{
    if (r->workload->synced && r->gpu && !races_keeps_lockstep(r->gpu))
        fprintf(diag_stream(),
                "heddle: %s relies on warps in lock-step, which %s does not keep: the result may be wrong; %s does not "
                "rely on it\n",
                r->workload->name, r->gpu->mechanism->name, r->workload->synced);
}

int run_workload(const struct workload_request *r)
{
    char *error = NULL, *program = workload_program(r->workload, &error);
    char *sources = installed_path("sources", NULL);
    int status = STATUS_INPUT;
    if (sources)
        sources_add_folder(sources);
    free(sources);
    if (program)
        warn_of_lockstep(r);
    if (!program)
        cli_fail("%s", error);
    else
        status = r->wants_figures || r->wants_check ? run_and_sum_up(r, program) : run_program(r, program, NULL);
    free(error);
    free(program);
    return status;
}
