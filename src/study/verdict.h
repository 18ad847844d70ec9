/*
 * Verdicts: a paper's claims beside what was measured.
 *
 *     holds      same sign and order; a number of 5 points or more within a factor of two, a smaller one within 2 points
 *     direction  same sign and order only
 *     fails      otherwise
 *     unknown    a run that it needs is missing or wrong
 */
#ifndef HEDDLE_STUDY_VERDICT_H
#define HEDDLE_STUDY_VERDICT_H

#include "base/text.h"
#include "study/paper.h"
#include "study/trial.h"

enum verdict { VERDICT_HOLDS, VERDICT_DIRECTION, VERDICT_FAILS, VERDICT_UNKNOWN };
extern const char *const verdict_names[];

/* What was run: a trial for each program and run, [program * run_count + run]; words empty: not needed, not run. */
struct evidence {
    const struct paper *paper;
    struct trial *trials;
};

struct judgement {
    enum verdict verdict;
    struct text measured; /* in the words of the published value */
    struct text details;  /* program by program */
};

/* Whether the trial ran to its end with the right result. */
bool evidence_is_right(const struct evidence *e, int program, int run);

/* The metric of a program's run; NAN if there is none. Percentages are in percent. */
double metric_of(const struct evidence *e, const char *metric, int program, int run);

void judge(const struct evidence *e, const struct claim *claim, struct judgement *into);
void judgement_free(struct judgement *j);

#endif
