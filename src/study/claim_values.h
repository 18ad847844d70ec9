/*
 * The values of a claim: for each of its programs and runs the metric, or the ratio of the metrics of two runs.
 *
 * A program whose run failed has no value (NAN) and is left out of means, as papers do.
 */
#ifndef HEDDLE_STUDY_CLAIM_VALUES_H
#define HEDDLE_STUDY_CLAIM_VALUES_H

#include "study/verdict.h"

struct claim_values {
    const struct evidence *evidence;
    const struct claim *claim;
    int programs[PAPER_MAX_PROGRAMS]; /* those that the claim names, as indices into the paper's */
    int program_count;
    double value[PAPER_MAX_PROGRAMS][CLAIM_MAX_RUNS];
    bool is_complete; /* every run came to its end with the right result */
};

/* Computes the values of all programs that the claim names. */
void claim_values_fill(struct claim_values *t, const struct evidence *e, const struct claim *c);
/* What the claim measures of any program of the paper. */
double claim_value_of(const struct evidence *e, const struct claim *c, int program, int run);

/* Whether the claim measures ratios of runs. */
bool claim_is_ratio(const struct claim *c);
const char *claim_values_label(const struct claim_values *t, int row);

/* The mean of a run over programs that have a value: harmonic for speeds, which are inverse times; arithmetic for the
 * rest. */
double claim_values_mean(const struct claim_values *t, int run);
/* The same over those programs of the claim that belong to a set. */
double claim_values_mean_of_set(const struct claim_values *t, int run, const char *set, size_t length);
/* A mean in percent: of a ratio less one, of anything else as it is. */
double claim_values_percent(const struct claim_values *t, double mean);

/* Appends a value as tables have it: "+12.5%" of a ratio, "3.10x" of a large one, "45.0%" of a share, "7" of a
 * count. */
void claim_values_print(const struct claim_values *t, double value, struct text *out);
/* Appends the values of each program: "BFS2 +1.0%, LPS -0.3%". */
void claim_values_print_all(const struct claim_values *t, struct text *out);
/* Appends how many programs are good, "4 of 6"; of a single program, its values. */
void claim_values_print_count(const struct claim_values *t, int good, struct text *out);

#endif
