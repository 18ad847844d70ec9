/*
 * Comparisons: programs under several mechanisms, side by side with a baseline and with the bound.
 *
 * One row a program and mechanism. The baseline is the first mechanism; the bound is mimd, which is run in any case.
 *
 * The memory that each launch of each row leaves is compared with what the functional engine leaves (report/verification.h). A row
 * that differs without leave is wrong: it keeps its figures, marked, but is neither baseline nor bound, and counts in no mean.
 */
#ifndef HEDDLE_STUDY_COMPARISON_H
#define HEDDLE_STUDY_COMPARISON_H

#include "base/text.h"
#include "study/trial.h"

struct comparison_row {
    const char *target, *gpu, *mechanism;
    struct trial trial;
    bool is_shown; /* a bound that nobody asked for is not */
};

struct comparison {
    struct comparison_row *rows; /* of one target and machine together, the baseline first */
    int count, capacity;
};

/* What is asked: lists of names, and words for every run ("--size small", "--set", ...). A setting of a mechanism that is
 * compared is for its runs only. */
struct comparison_request {
    const char *const *targets, *const *gpus, *const *mechanisms;
    int target_count, gpu_count, mechanism_count;
    char **words;
    int word_count;
};

void comparison_plan(struct comparison *c, const struct comparison_request *request);
/* As trials_run(). */
bool comparison_run(struct comparison *c, int at_once, const struct trial_watch *watch, char **error);
void comparison_free(struct comparison *c);

/* Figures of a row, against the baseline and bound of its program; NAN where there are none. */
struct comparison_figures {
    double cycles, speedup, simd_efficiency, of_bound,
        traffic;                            /* traffic: bytes through the crossbar, by the baseline's */
    const struct measurement_branch *worst; /* NULL: none */
    double worst_share;                     /* of the row's lanes */
    bool is_right;
};
/* Whether the row has figures: it came to its end, rightly or with a wrong memory. */
bool comparison_is_measured(const struct comparison_row *row);
struct comparison_figures comparison_figures(const struct comparison *c, int index);

int comparison_failures(const struct comparison *c); /* rows whose run failed or was wrong */
void comparison_print_text(const struct comparison *c, struct text *out);
void comparison_print_json(const struct comparison *c, struct text *out); /* an object a line */
void comparison_print_csv(const struct comparison *c, struct text *out);

#endif
