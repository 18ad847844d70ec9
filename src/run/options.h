/*
 * Options of a run: what `heddle run` and, through HEDDLE_OPTS, every driver-API program can be told.
 */
#ifndef HEDDLE_RUN_OPTIONS_H
#define HEDDLE_RUN_OPTIONS_H

#include "base/text.h"
#include "device/launch.h"

#include <stdio.h>

enum executor { EXECUTOR_ENGINE, EXECUTOR_ORACLE };
enum check { CHECK_NOTHING, CHECK_RACES, CHECK_LOCKSTEP };
enum tolerate { TOLERATE_NOTHING, TOLERATE_READS };
enum verify { VERIFY_NEVER, VERIFY_FUNCTIONAL };
enum recon { RECON_PRAGMAS, RECON_AUTO, RECON_NONE };
enum recon_deconflict { RECON_DYNAMIC, RECON_STATIC };
enum lower { LOWER_NOTHING, LOWER_PTXAS };

struct run_options {
    enum executor executor;     /* --executor engine|oracle */
    enum check check;           /* --check races|lockstep: what to look for beside faults */
    enum tolerate tolerate;     /* --tolerate reads: reads of global memory that does not exist give 0 */
    enum verify verify;         /* --verify functional: compare the memory that each launch on a machine leaves */
    uint64_t instruction_limit; /* --limit N: warp instructions a launch may take; 0: no limit */
    uint32_t stack_bytes;       /* --stack N: local memory of a thread */
    uint64_t memory_bytes;      /* --memory N: device memory */
    uint32_t threads;           /* --threads N: host threads for one launch; 0: as many as host cores are idle */
    char *gpu;             /* --gpu NAME: a built-in machine or the path of a description; NULL or "none": functional */
    char *mechanism;       /* --mech NAME: the divergence mechanism of the machine; NULL: pdom */
    char *settings;        /* --set KNOB=VALUE: every --set, separated by newlines; NULL: none */
    bool paper_schedulers; /* --paper-schedulers: the scheduler of the mechanism's paper, where it names one */
    char *profile;         /* --profile FILE: results of earlier runs, for likely-convergence points; NULL: none */
    bool profile_running;  /* --profile-running: earlier launches of the run, for likely-convergence points */
    uint32_t rare_percent; /* --profile-rare N: paths that at most this share of a branch's threads took are ignored */
    enum recon recon;      /* --recon pragmas|auto|none: where predictions for convergence barriers come from */
    char *recon_threshold; /* --recon-threshold N|all|adaptive: of predictions that name none; NULL: see the help */
    enum recon_deconflict recon_deconflict; /* --recon-deconflict: of barriers that conflict with a prediction */
    enum lower lower;    /* --lower none|ptxas: what happens to branches before a run (lower/lower.h) */
    char *no_compaction; /* --no-compaction NAME[,NAME]: kernels whose threads stay in static warps; NULL: none */
    char *rewrite; /* --rewrite PASS[,PASS]: passes that change kernels before a run (rewrite/table.h); NULL: none */
    char *sort_threads; /* --sort-threads [KERNEL:]BLOCK: the branch by which threads are sorted (run/ordering.h) */
    char *evidence;     /* --evidence FILE: what heddle explain reads, one line per launch is appended; NULL: none */
    char *kernels;      /* --kernel NAME[,NAME]: which launches of a program are chosen (run/selection.h); NULL: all */
    char *launches;     /* --launch N[:M]: likewise, by number; NULL: all */
    char *record_path;  /* --record FILE: what threads decide, for heddle replay; NULL: not recorded */
    char *json_path;    /* --json FILE, "-" for stdout: one line per launch is appended; NULL: none */
    char *stats;        /* --stats WHAT[,WHAT]: groups of figures; NULL: not asked for */
    char *csv_path;     /* --csv FILE, "-" for stdout: the figures of --stats as tables; NULL: none */
    bool sample;        /* --sample: only a part of the program is timed, and the rest estimated */
    uint64_t interval_cycles; /* --interval N: keep a series of figures; 0: none */
    char *trace;              /* --trace[=lanes,stack,list]: views of the launch as text; NULL: none */
    char *trace_window;       /* --trace-window FIRST:LAST: cycles; NULL: the first TRACING_CYCLES */
    char *trace_sm;           /* --trace-sm N: multiprocessor; NULL: the first, and all of them in a timeline */
    char *trace_file;         /* --trace-file FILE: for the text; NULL: stdout */
    char *trace_perfetto;     /* --trace-perfetto FILE: a timeline; NULL: none */
    char *trace_svg;          /* --trace-svg FILE: a picture of lanes by time; NULL: none */
    char *trace_tikz;         /* --trace-tikz FILE: the same for LaTeX; NULL: none */
    char *report_data;        /* --report-data FILE: what a page shows of each launch is appended; NULL: none */
    bool is_quiet;            /* --quiet: no figures are printed; faults, races and mistakes still are */
};

void options_default(struct run_options *options);
void options_free(struct run_options *options);

/* Takes the option at argv[*index] and its value, `--name value` or `--name=value`, and moves *index behind them.
 * Returns 1 if the option is an option of a run, 0 if not, and -1 and an error text (freed by the caller) if the value
 * is wrong. */
int options_take(struct run_options *options, int argc, char **argv, int *index, char **error);
/* Takes the words of the environment variable HEDDLE_OPTS. False and an error text (freed by the caller). */
bool options_take_environment(struct run_options *options, char **error);
/* Takes the words of a text, separated by blanks; quotes keep a word with blanks together. False and an error text
 * (freed by the caller), which names the nearest valid option if an option is unknown. */
bool options_take_text(struct run_options *options, const char *words, char **error);
/* Whether the word is an option of a run that has no value behind it. */
bool options_take_no_value(const char *word);
/* The name of the valid option nearest to a word, without dashes, for "did you mean". */
const char *options_nearest(const char *word);
/* Appends the options that differ from their defaults as words that options_take_text() reads back. */
void options_print(const struct run_options *options, struct text *out);
/* Makes relative paths of files absolute, for a program that may change its folder before it reads the options. False
 * and an error text (freed by the caller) if the current folder was removed. */
bool options_make_absolute(struct run_options *options, char **error);
/* What help texts say of one option. */
struct options_about {
    char name[32];     /* with its dashes */
    const char *value; /* NULL: the option takes none */
    const char *meaning;
    char initial[32]; /* the default value; "": the option has none, or its meaning names it */
};
/* Describes the options one by one, from index 0 on; false: there are no more. */
bool options_describe(int index, struct options_about *about);
void options_json(const struct run_options *options, struct text *out); /* as an object */

#endif
