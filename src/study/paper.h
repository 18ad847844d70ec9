/*
 * Papers: what one published, as data. papers/NAME.ini has its programs and the runs that its figures compare,
 * papers/NAME.csv its claims; both are part of the binary.
 *
 * A claim is measured as a metric of runs (or of one run by another, "tbc/pdom") over programs, and judged by a rule:
 *     gain G          mean ratio less one, in percent, against the published G
 *     below V, from V the metric in percent, of each program
 *     within V        each ratio at most V percent off 1
 *     near V D        the metric at most D off V
 *     signs S ...     each ratio above (+) or below (-) 1, on each program
 *     mean-signs S .. the same, of means over programs
 *     first           the first run's mean is the best; not-first: on each program another is better
 *     top SET         each program's ratio above those of all others of the set
 *     is W ...        each run's verdict: right or wrong
 */
#ifndef HEDDLE_STUDY_PAPER_H
#define HEDDLE_STUDY_PAPER_H

#include "base/arena.h"
#include "study/workload.h"

#include <stdbool.h>

enum { PAPER_MAX_PROGRAMS = 64, PAPER_MAX_RUNS = 64, PAPER_MAX_CLAIMS = 128, CLAIM_MAX_RUNS = 4 };

struct paper_program {
    const char *label, *set, *words; /* words: options of heddle run for all its runs */
    const struct workload *workload;
};

struct paper_run {
    const char *name, *words; /* words: options of heddle run */
};

/* A run, or a run by another. */
struct claim_run {
    int over, under; /* indices of runs; under -1: none */
};

struct claim {
    const char *id, *kind, *source, *programs, *text, *published, *metric, *rule;
    struct claim_run runs[CLAIM_MAX_RUNS];
    int run_count;
};

struct paper {
    struct arena arena;
    const char *name, *title, *gpu;
    struct paper_program programs[PAPER_MAX_PROGRAMS];
    struct paper_run runs[PAPER_MAX_RUNS];
    struct claim claims[PAPER_MAX_CLAIMS];
    int program_count, run_count, claim_count;
};

/* The names of all; ends with NULL. */
extern const char *const paper_names[];

/* NULL and an error text; a mistake in the data of one that is built in names its line. */
struct paper *paper_load(const char *name, char **error);
/* The same, from texts. */
struct paper *paper_read(const char *name, const char *ini, const char *csv, char **error);
void paper_free(struct paper *p);

/* Whether the claim speaks of the program: its list has the program's label or set. */
bool claim_names(const struct claim *c, const struct paper_program *program);

#endif
