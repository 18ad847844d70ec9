/*
 * Verdicts: a paper's claims beside what was measured.
 *
 *     holds      sign and order are as published, and so is the size: a published number of 5 percentage points or
 *                more is met within a factor of two, a smaller number within 2 points
 *     direction  only sign and order are as published
 *     fails      sign or order differ
 *     unknown    a run that the claim needs is missing or wrong
 */
#ifndef HEDDLE_STUDY_VERDICT_H
#define HEDDLE_STUDY_VERDICT_H

#include "base/text.h"
#include "study/paper.h"
#include "study/trial.h"

enum verdict { VERDICT_HOLDS, VERDICT_DIRECTION, VERDICT_FAILS, VERDICT_UNKNOWN };
extern const char *const verdict_names[];

/* What was run for a paper. */
struct evidence {
    const struct paper *paper;
    struct trial *trials; /* [program * run_count + run]; a trial without words was not needed, and not run */
};

struct claim_values; /* claim_values.h */

struct judgement {
    enum verdict verdict;
    struct text measured;        /* in the form of the published value: "+12.5%" */
    struct text details;         /* the values of each program, as words */
    struct claim_values *values; /* the same as numbers; owned */
};

/* Whether the trial ran to its end with the right result. */
bool evidence_is_right(const struct evidence *e, int program, int run);

enum metric_unit {
    METRIC_SHARE, /* in percent */
    METRIC_NUMBER /* a count or a rate */
};

/* Whether there is such a metric; if not, `why` names those that there are. */
bool metric_check(const char *metric, struct text *why);
/* The metric of a program's run; NAN if the run failed or did not count what the metric needs. Shares are in
 * percent. */
double metric_of(const struct evidence *e, const char *name, int program, int run);
/* METRIC_NUMBER for an unknown one. */
enum metric_unit metric_unit(const char *name);

/* Whether metric, rule and runs of the claim can be judged; if not, `why` says why. */
bool claim_check(const struct paper *p, const struct claim *c, struct text *why);
/* Judges a claim that claim_check() has found right, as paper_read() does for all. */
void judge(const struct evidence *e, const struct claim *claim, struct judgement *into);
void judgement_free(struct judgement *j);

#endif
