/*
 * Sweeps: the product of programs, machines, mechanisms and values of knobs, one run for each.
 *
 * A sweep is described by a study file or by a command line. A study file has these sections; only [programs] must be
 * there:
 *
 *     [programs]                  one program per line
 *     bfs2 =                      a workload, perhaps with options of heddle run behind the =
 *     trips = @trips.ptx --grid 4 a file, with options of heddle run
 *     app = -- ./app input.txt    a CUDA program with its arguments
 *     [sweep]                     lists, with commas; the defaults are fermi, pdom, small, nvcc and no
 *     gpu = fermi, fx5800
 *     mech = pdom, tbc, pdom+merge-loops
 *     size = test, small          of workloads, like the next two
 *     ptx = nvcc, plain
 *     hints = no, yes
 *     options = --limit 50M       of heddle run, for every run
 *     time-limit = 10m            for each run
 *     memory-limit = 4G
 *     [knobs]
 *     sm.scheduler = lrr, gto     one line per knob
 *     tbc.compaction = yes, no    a knob of one mechanism multiplies the runs of that mechanism only
 *
 * Everything is checked before the first run; a mistake is an error with file and line.
 */
#ifndef HEDDLE_STUDY_SWEEP_H
#define HEDDLE_STUDY_SWEEP_H

#include "base/text.h"
#include "base/vec.h"
#include "study/trial.h"

#include <stdio.h>

enum sweep_axis { SWEEP_GPU, SWEEP_MECH, SWEEP_SIZE, SWEEP_PTX, SWEEP_HINTS, SWEEP_AXES };
extern const char *const sweep_axis_names[SWEEP_AXES]; /* "gpu", ... */

struct sweep_list {
    struct vec_of(char *) values; /* owned */
    int line;                     /* of the study file; 0: the command line, or the default */
};

struct sweep_knob {
    char *name; /* "sm.scheduler"; owned */
    struct sweep_list list;
};

struct sweep_program {
    char *target;                  /* a workload, or the path of a file; NULL: a program of the user. Owned */
    struct vec_of(char *) words;   /* options of heddle run or heddle exec; owned */
    struct vec_of(char *) program; /* of the user, with its arguments and a NULL at the end; empty: none. Owned */
    bool is_workload;
    int line;
};

struct sweep {
    char *path; /* of the study file, for messages; NULL: there is only a command line. Owned */
    struct vec_of(struct sweep_program) programs;
    struct sweep_list axes[SWEEP_AXES];
    struct vec_of(struct sweep_knob) knobs;
    struct vec_of(char *) words; /* options of heddle run, for every run; owned */
    int words_line;
    double time_limit_seconds; /* 0: none */
    uint64_t memory_limit_bytes;
};

/* One run of a sweep. */
struct sweep_run {
    const struct sweep_program *program;
    const char *values[SWEEP_AXES]; /* sizes, ptx and hints are NULL unless the program is a workload */
    char *settings;                 /* values of knobs: "sm.scheduler=gto mem.l2_bytes=1M"; owned */
};

/* Reads a study file, whose path is for messages, into a sweep that is zero. Paths in the study are looked for from the
 * current folder. False and an error text with file and line. */
bool sweep_read(struct sweep *s, FILE *file, const char *path, char **error);
void sweep_free(struct sweep *s);

/* What the lines of a study file and the options of a command line have in common; `line` is 0 for the latter, and then
 * a list replaces that of the file. False and an error text, without file and line. */
bool sweep_set_axis(struct sweep *s, enum sweep_axis axis, const char *list, int line, char **error);
bool sweep_add_knob(struct sweep *s, const char *name, const char *list, int line, char **error);
bool sweep_add_program(struct sweep *s, const char *words, int line,
                       char **error);                                         /* "bfs2 OPTIONS", "a.ptx OPTIONS" */
bool sweep_set_time_limit(struct sweep *s, const char *word, char **error);   /* seconds, or with s, m or h */
bool sweep_set_memory_limit(struct sweep *s, const char *word, char **error); /* bytes, or with K, M or G */

/* Fills in defaults, and checks every name, value and combination of values as heddle run would. False and an error
 * text with file and line. */
bool sweep_check(struct sweep *s, char **error);

/* Plans the runs of a sweep that was checked: trials with their words, and what each is. The caller frees both with
 * sweep_free_plan(). */
void sweep_plan(const struct sweep *s, struct trial **trials, struct sweep_run **runs, int *count);
void sweep_free_plan(struct trial *trials, struct sweep_run *runs, int count);

#endif
