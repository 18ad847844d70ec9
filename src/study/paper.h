/*
 * Papers: what a paper published, as data.
 *
 * NAME.ini has the paper's programs and the runs that its figures compare, NAME.csv beside it has its claims. Papers of
 * the folder papers/ are part of the binary; others are read by path. Everything that a claim names is checked when the
 * paper is read: a mistake is an error with file and line, and never a claim that silently measures nothing.
 *
 * A program is a workload, or the kernel of a PTX file: "LABEL = SET @examples/FILE.ptx --grid 4 --arg 8". A file of
 * examples/ is looked for among those that come with heddle first. Options of runs that are for workloads alone, such
 * as --hints, do not hold for files.
 *
 * A sweep has variants of all runs: options that go behind those of each run. A sweep is for a value that no source
 * settles; the claims are judged once per variant. A setting of a mechanism's own knob holds for runs under that
 * mechanism only.
 *
 * A claim is measured as a metric (study/metric.c) of runs, or of one run divided by another ("tbc/pdom"), over
 * programs, and judged by a rule. Of means over programs:
 *     gain G, gains G ...  the mean ratio less one, in percent, against the published G; gains has one per run
 *     share V              the mean, in percent, against V; of a V above 50 the rest to 100 is judged as well
 *     points P             the mean of the first run less that of the second, in points of percent, against P
 *     margin P             the mean of a metric that is a difference, in points of percent, against P
 *     mean-below V, mean-from V, mean-within V   the mean (of a ratio less one, in percent) is below V, at least V, or
 *                          from -V to V; of all runs
 *     largest V ...        the largest value of any program, per run, is within a factor of two of V, in V's order
 *     spread V             the means of the runs differ by at most V points
 *     of-gain P            the first run's mean gain is at least P percent of the second's, and has its sign
 *     rising, falling      the means of the runs rise or fall in their order; of ratios, the first from 1
 *     mean-signs S ...     the mean of each ratio is above (+) or below (-) 1; one sign per run
 *     set-signs S ...      the same of each set that the claim names
 *     first, best N        the best mean is that of the first run, or of one of the first N
 * Of each program:
 *     below V, from V      the metric is below V, or at least V
 *     within V             each ratio differs from 1 by at most V percent
 *     near V D             the metric differs from V by at most D
 *     entries D L=V ...    the metric of program L differs from its V by at most D
 *     signs S ...          each ratio is above (+) or below (-) 1; one sign per run
 *     by-program S ...     the ratio is above (+) or below (-) 1; one sign per program, in the order of the .ini
 *     any S, most S        the same of at least one program, or of more than half of them
 *     between A B          the ratio less one, in percent, is from A to B
 *     not-first            another run is better than the first
 * Of programs or metrics among each other, and of results:
 *     top SET, top-half SET  each ratio is above those of all other programs of the set, or in the set's upper half
 *     bounds               of two metrics, "M N": M's ratio is at least N's on more than half of the programs
 *     opportunity A B      of the programs below 80 % efficiency in the ratio's second run, A percent have predictions
 *                          in the first, and B percent of these gain 10 % or more in efficiency and in the metric
 *     is W ...             each run's result is right or wrong; one word per run
 * Of hardware, without runs or programs ("-"):
 *     value V ...          each figure of the metric, "storage:dpe.bits storage:dpe.added" (study/area.h), is V to V's
 *                          last digit
 * "RULE and RULE ..." has one clause for each run. Under any rule but bounds two metrics, "M N", are judged one after
 * the other, and the worse verdict counts.
 */
#ifndef HEDDLE_STUDY_PAPER_H
#define HEDDLE_STUDY_PAPER_H

#include "base/arena.h"
#include "base/text.h"
#include "study/workload.h"

#include <stdbool.h>

enum { PAPER_MAX_PROGRAMS = 64, PAPER_MAX_RUNS = 64, PAPER_MAX_CLAIMS = 128, CLAIM_MAX_RUNS = 16 };
enum { PAPER_MAX_SWEEPS = 16, SWEEP_MAX_VARIANTS = 6 };

struct paper_program {
    const char *label;               /* the paper's name for the program */
    const char *sets;                /* the paper's names for groups of programs, with commas: "divergent,large" */
    const char *words;               /* options of heddle run, for all runs of the program */
    const struct workload *workload; /* NULL: the program is a file */
    const char *file;                /* path of a PTX file; NULL: the program is a workload */
    int line;                        /* of the .ini */
};

struct paper_run {
    const char *name;
    const char *words; /* options of heddle run */
    int line;          /* of the .ini */
};

struct paper_variant {
    const char *name;
    const char *words; /* options of heddle run, behind those of the run and the program */
    int line;          /* of the .ini */
};

struct paper_sweep {
    const char *name;
    const char *about; /* what varies, and why */
    struct paper_variant variants[SWEEP_MAX_VARIANTS];
    int variant_count;
    int line; /* of the .ini */
};

/* A run, or the ratio of one run to another; both as indices into the paper's runs. */
struct claim_run {
    int over;
    int under; /* -1: not a ratio */
};

struct claim {
    const char *id, *kind, *source, *programs, *text, *published, *metric, *rule; /* fields of the .csv */
    const char *second_metric;                                                    /* NULL: the claim has one */
    const char *why; /* why the measured value is not the published one, in a line; "": nothing to explain */
    struct claim_run runs[CLAIM_MAX_RUNS]; /* the runs or ratios that are measured */
    int run_count;
    int line; /* of the .csv */
};

struct paper {
    struct arena arena;
    const char *name, *ini_path, *csv_path; /* paths: for messages */
    const char *ini;                        /* the text of the .ini, whose figures figure.c reads */
    const char *title, *gpu;
    const char *ptx; /* whose code of the programs decides: nvcc or plain */
    struct paper_program programs[PAPER_MAX_PROGRAMS];
    struct paper_run runs[PAPER_MAX_RUNS];
    struct claim claims[PAPER_MAX_CLAIMS];
    struct paper_sweep sweeps[PAPER_MAX_SWEEPS];
    int program_count, run_count, claim_count, sweep_count;
};

/* The texts of a paper, and where they come from. */
struct paper_text {
    const char *name, *ini_path, *csv_path;
    const char *ini, *csv;
};

/* The built-in papers, one by one from index 0 on; false: there are no more. The texts live as long as the program; the
 * paths are NULL, for papers/NAME.ini and papers/NAME.csv. */
bool paper_built_in(int index, struct paper_text *text);

/* Reads a built-in paper by name, or any other by the path of its .ini. NULL and an error text. */
struct paper *paper_load(const char *name_or_path, char **error);
struct paper *paper_read(const struct paper_text *text, char **error);
void paper_free(struct paper *p);

/* The sweep of this name; NULL: there is none. */
const struct paper_sweep *paper_find_sweep(const struct paper *p, const char *name);
/* Appends the options of a run on a program, in the order in which heddle run gets them. `variant` may be NULL. */
void paper_print_words(const struct paper_run *run, const struct paper_program *program,
                       const struct paper_variant *variant, struct text *out);

/* Whether heddle run takes the options of every run on every program, in every variant of every sweep: false and an
 * error text, with file and line. */
bool paper_check_runs(const struct paper *p, char **error);

/* Whether a name is the program's label or one of its sets. */
bool paper_program_is(const struct paper_program *program, const char *name, size_t length);
/* Whether the claim speaks of the program: its list has the program's label or a set of it, and no -LABEL. */
bool claim_names(const struct claim *c, const struct paper_program *program);
/* Whether the claim needs runs of the program: the claim speaks of the program, or compares its own programs with all
 * others of a set of the program (rules top and top-half). */
bool claim_needs(const struct claim *c, const struct paper_program *program);

#endif
