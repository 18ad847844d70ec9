/*
 * A request: everything that must be known before a launch runs.
 *
 * Options are words. A request holds them together with what they name: the machine, the mechanism and its knobs, the
 * trace, the groups of figures. request_settle() makes all of these once, before the first launch, so that a mistake
 * in an option is reported before anything runs. run_launch() (run/run.h) then carries out one launch after the other.
 */
#ifndef HEDDLE_RUN_REQUEST_H
#define HEDDLE_RUN_REQUEST_H

#include "base/vec.h"
#include "run/options.h"
#include "run/races.h"
#include "run/total.h"

#include <signal.h>

struct ahead_team;
struct gpu_run;
struct notes;
struct running_profile;
struct sample_program;
struct recording;
struct selection;
struct stepper;
struct sources;
struct tracing;
struct writers;

enum { REQUEST_KNOB_WORDS = 64 }; /* 64-bit words: room for the knobs of any mechanism */

struct run_request {
    struct run_options options;
    struct gpu_run *gpu;         /* the machine and the mechanism; NULL: launches run functionally. Owned */
    struct recording *recording; /* the file of --record; NULL: no launch was recorded so far. Owned */
    const char *replay;          /* JSON of the recording that is replayed; NULL: launches are executed */
    struct stepper *stepper;     /* stops launches at issues, if HEDDLE_STEP asks for it (step/); else NULL. Owned */
    struct tracing *tracing;     /* what the --trace options ask for; NULL: nothing. Owned */
    unsigned report_groups; /* enum report_group: the figures that --stats and --interval ask for, or the summary */
    struct selection *selection;      /* launches of a program that --kernel and --launch choose; NULL: all. Owned */
    struct selection *static_kernels; /* kernels that --no-compaction names (run/compaction.h); NULL: none. Owned */
    void *static_knobs; /* the mechanism's knobs for launches without compaction; NULL: it does not compact. Owned */
    struct running_profile *profile; /* of --profile-running; changes from launch to launch. Owned */
    struct total_file totals;        /* the file that HEDDLE_TOTALS names; no path: nobody sums up */
    /* Simulated time of the device of a program: what its launches and copies took so far (cuda/clock.h). */
    uint64_t simulated_picoseconds;
    struct ahead_team *team;          /* host threads of the functional engine (exec/ahead/ahead.h). Owned */
    struct writers *writers;          /* which block of a launch wrote what (exec/writers.h). Owned */
    struct notes *notes;              /* what is told at the end of a program, unless heddle exec tells it. Owned */
    int32_t notes_process;            /* id of the process whose notes these are */
    struct sample_program *sampled;   /* launches so far under --sample; NULL: none, or not sampled. Owned */
    struct known_races known;         /* races that --verify has found so far; changes from launch to launch */
    struct sources *sources;          /* texts of source lines (report/source.h). Owned */
    char *options_json;               /* the options as JSON; NULL before a launch needs them. Owned */
    char *machine_json;               /* the machine as JSON; NULL before a launch on it needs that. Owned */
    bool told_of_order;               /* the user was told why threads are not sorted (run/ordering.h) */
    bool told_of_lines;               /* the user was told how to compile with a line table */
    struct vec_of(uint64_t) reported; /* hashes of the programs that --report-data has described so far */
    bool lists_lines;                 /* JSON has the table of source lines, even if --stats does not ask for it */
    /* The two below are set by the command `heddle` alone: a driver-API program owns its terminal and its signals. */
    bool shows_progress;
    const volatile sig_atomic_t *stop; /* not 0: end the launch; NULL: nobody can ask for it */
};

void request_open(struct run_request *request); /* with default options */
void request_close(struct run_request *request);

/* Loads the machine, finds the mechanism, applies every --set and reads the --trace options. To be called once, after
 * the last option was taken. False and an error text (freed by the caller). */
bool request_settle(struct run_request *request, char **error);

#endif
