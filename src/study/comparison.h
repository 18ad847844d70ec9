/*
 * Comparisons: programs under several mechanisms, side by side with a baseline and with the bound.
 *
 * There is one row per program, machine and mechanism, perhaps with passes that rewrite the program's kernels first, so
 * that hardware and software stand in one table. The baseline is the first mechanism; the bound is the mechanism
 * `bound`, which is run even if nobody asked for it.
 *
 * A comparison over a variation (study/variation.h) has these rows once per point. Each row has the baseline of its own
 * point, and there is no bound unless it is asked for. Rows whose runs are the same share one run.
 *
 * The memory that each launch of each row leaves is compared with what the functional engine leaves (run/verify.h). A
 * row whose memory differs without a lawful reason is wrong: the row keeps its figures, marked, but is neither baseline
 * nor bound, and counts in no mean.
 */
#ifndef HEDDLE_STUDY_COMPARISON_H
#define HEDDLE_STUDY_COMPARISON_H

#include "base/text.h"
#include "study/trial.h"
#include "study/variation.h"

#include <string.h>

struct comparison_row {
    const char *target, *gpu;
    const char *mechanism; /* perhaps with passes that rewrite kernels first behind it: "pdom+merge-loops" */
    int point;             /* of the variation */
    int group; /* number of the row's target, machine and point; a target that is named twice has two groups */
    struct trial trial;
    bool is_shown;        /* false for a bound that nobody asked for */
    bool breaks_lockstep; /* the mechanism does not keep warps in lock-step; set by the caller of comparison_plan() */
    int same_as; /* an earlier row whose run is this row's; -1: the row has a run of its own, and owns its trial */
};

struct comparison {
    struct comparison_row *rows;       /* rows of one target, machine and point stand together, the baseline first */
    const struct variation *variation; /* not owned */
    int count, capacity;
    bool has_run;          /* rows that share a run have its results, which the row of that run owns */
    bool names_schedulers; /* --paper-schedulers: the table names the scheduler of each row */
};

/* What is asked: names, and options of heddle run for every run ("--size small", "--set", ...). A setting of a knob
 * of a mechanism that is compared holds for the runs under that mechanism only. */
struct comparison_request {
    const char *const *targets, *const *gpus, *const *mechanisms;
    int target_count, gpu_count, mechanism_count;
    char **words;
    int word_count;
    char *const
        *program; /* a program of the user and its arguments, the one target; NULL: targets are files or workloads */
    const struct variation *variation; /* outlives the comparison; NULL: nothing varies */
};

/* How many characters of a row's mechanism are the mechanism's own name; the passes stand behind, each behind a +. */
static inline int comparison_name_length(const char *mechanism)
{
    return (int)strcspn(mechanism, "+");
}

/* Appends the passes of a row's mechanism as --rewrite takes them, "coarsen=4,merge-loops"; nothing if there are
 * none. */
void comparison_passes(const char *mechanism, struct text *out);

void comparison_plan(struct comparison *c, const struct comparison_request *request);
/* Whether two rows are compared with each other: they have one target, machine and point. */
bool comparison_is_one_group(const struct comparison_row *a, const struct comparison_row *b);
/* Runs all rows, `at_once` at a time; the result is that of trials_run(). */
bool comparison_run(struct comparison *c, int at_once, const struct trial_watch *watch, char **error);
void comparison_free(struct comparison *c);

/* Figures of a row; NAN where the row, the baseline or the bound has none. */
struct comparison_figures {
    double cycles;
    double speedup;                         /* cycles of the baseline, divided by the row's */
    double simd_efficiency;                 /* from 0 to 1 */
    double of_bound;                        /* cycles of the bound, divided by the row's */
    double traffic;                         /* bytes through the crossbar, divided by the baseline's */
    const struct measurement_branch *worst; /* the branch with the most issues lost; NULL: none lost any */
    double worst_share;                     /* issues lost at that branch, divided by the row's issues */
    bool is_right;
};
/* The scheduler with which the row ran; "": the run wrote no figures. */
const char *comparison_scheduler(const struct comparison_row *row);
/* Whether the row has figures: its run came to its end, with a right memory or a wrong one. */
bool comparison_is_measured(const struct comparison_row *row);
struct comparison_figures comparison_figures(const struct comparison *c, int index);

/* The mark of a row: "! " if its memory is wrong or doubtful, "~ " if it differs lawfully, else two blanks. */
const char *comparison_mark(const struct comparison_row *row);

int comparison_failures(const struct comparison *c); /* how many rows failed or are wrong */
void comparison_print_text(const struct comparison *c, struct text *out);
/* The table of a comparison over a variation: one row per point, with cycles and speedup of each mechanism. */
void comparison_print_variation(const struct comparison *c, struct text *out);
void comparison_print_json(const struct comparison *c, struct text *out); /* one object per line */
void comparison_print_csv(const struct comparison *c, struct text *out);

/* Whether the row's program relies on lock-step: a workload that is known to, or what --check lockstep found. */
bool comparison_relies_on_lockstep(const struct comparison_row *row);
/* Whether the row's program relies on the lock-step that its mechanism does not keep: tables mark the row with ^. */
bool comparison_is_out_of_step(const struct comparison_row *row);

#endif
