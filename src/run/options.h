/*
 * Options of a run: what `heddle run` and, through HEDDLE_OPTS, every driver-API program can be told.
 */
#ifndef HEDDLE_RUN_OPTIONS_H
#define HEDDLE_RUN_OPTIONS_H

#include "base/text.h"
#include "device/launch.h"

#include <signal.h>
#include <stdio.h>

struct gpu_run;
struct tracing;

enum executor { EXECUTOR_ENGINE, EXECUTOR_ORACLE };
enum check { CHECK_NOTHING, CHECK_RACES };
enum verify { VERIFY_NEVER, VERIFY_FUNCTIONAL };
enum recon { RECON_PRAGMAS, RECON_AUTO, RECON_NONE };

struct run_options {
    enum executor executor;     /* --executor engine|oracle */
    enum check check;           /* --check races: what to look for beside faults */
    enum verify verify;         /* --verify functional: compare the memory that each launch on a machine leaves */
    uint64_t instruction_limit; /* --limit N: warp instructions a launch may take; 0: no limit */
    uint32_t stack_bytes;       /* --stack N: local memory of a thread */
    uint64_t memory_bytes;      /* --memory N: device memory */
    char *gpu;             /* --gpu NAME: a built-in machine or the path of a description; NULL or "none": functional */
    char *mechanism;       /* --mech NAME: who decides which threads travel together, on a machine; NULL: pdom */
    char *settings;        /* --set KNOB=VALUE: all of them, separated by newlines; NULL: none */
    struct gpu_run *run;   /* what these name; NULL: functional. See options_finish() */
    char *profile;         /* --profile FILE: results of earlier runs, for likely-convergence points; NULL: none */
    uint32_t rare_percent; /* --profile-rare N: ways that at most so many of a branch's threads took do not count */
    enum recon recon; /* --recon pragmas|auto|none: predictions that barriers are made of, if the mechanism knows any */
    char *json_path;  /* --json FILE, "-" for stdout; NULL: no JSON. Results are appended, one a line; owned */
    char *stats;      /* --stats WHAT[,WHAT]: groups of figures; NULL: not asked for */
    char *csv_path;   /* --csv FILE, "-" for stdout: the same groups as tables; NULL: none */
    uint64_t interval_cycles; /* --interval N: keep a series of figures; 0: none */
    unsigned report_groups;   /* enum report_group: what --stats and --interval ask for, or the summary */
    char *trace;              /* --trace[=lanes,stack,list]: views of the launch as text; NULL: none */
    char *trace_window;       /* --trace-window FIRST:LAST: cycles; NULL: the first ones */
    char *trace_sm;           /* --trace-sm N: multiprocessor; NULL: the first, and all of them in a timeline */
    char *trace_file;         /* --trace-file FILE: for the text; NULL: stdout */
    char *trace_perfetto;     /* --trace-perfetto FILE: a timeline; NULL: none */
    struct tracing *tracing;  /* what these ask for; NULL: nothing. See options_finish() */
    bool is_quiet;            /* --quiet: no figures are printed; faults, races and mistakes still are */
    /* Not options, but who runs: only a program that is heddle itself draws on the terminal and takes signals. */
    bool shows_progress;
    const volatile sig_atomic_t *stop; /* not 0: a launch on a machine ends; NULL: nobody asks */
};

struct gpu_result;

void options_default(struct run_options *options);
void options_free(struct run_options *options);

/* Takes the option at argv[*index], and its value, and advances. Returns 1 if it was one of ours, 0 if not,
 * -1 and an error text (freed by the caller) if its value is wrong. Accepts `--name value` and
 * `--name=value`. */
int options_take(struct run_options *options, int argc, char **argv, int *index, char **error);
/* Takes the words of HEDDLE_OPTS. False and an error text naming the nearest valid option. */
bool options_take_environment(struct run_options *options, char **error);
/* Takes the words of a text, separated by blanks; quotes keep a word with blanks together. */
bool options_take_text(struct run_options *options, const char *words, char **error);
/* The valid option nearest to a word, for "did you mean". */
const char *options_nearest(const char *word);
void options_help(FILE *out);                                           /* one line an option, with its default */
void options_json(const struct run_options *options, struct text *out); /* as an object */

/* Tries to open what results will be appended to, so that a long run does not end in a surprise. False and an
 * error text. */
bool options_check_output(const struct run_options *options, char **error);

/* Limits the launch leaves open (0) are taken from the options. Runs it with the chosen executor and, if
 * asked, writes the JSON line and the CSV tables; false, having said why on stderr, if one could not be written.
 * Figures go to stderr if --stats was given. */
bool options_run(const struct run_options *options, struct launch *launch, const struct code *code,
                 struct launch_result *result);
/* The same; `timed` gets the machine's counters if there is a machine (free with gpu_result_free()), and is zeroed
 * otherwise. `report` gets the figures that --stats asks for as text; NULL: nobody reads it. */
bool options_run_timed(const struct run_options *options, struct launch *launch, const struct code *code,
                       struct gpu_result *timed, struct text *report);

/* Says on stderr where memory differs from the functional result, if --verify found that it does. */
void options_print_memory(const struct run_options *options, const struct gpu_result *timed);

/* Loads the machine and finds the mechanism that the options name, and applies every --set; to be called once after
 * the last option was taken. False and an error text. */
bool options_finish(struct run_options *options, char **error);

#endif
