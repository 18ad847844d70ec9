/*
 * Rules by which claims are judged: paper.h says what each means, verdict.h what verdicts mean.
 *
 * A rule either says of one program whether it is good, and the claim holds if all are; or it judges all programs
 * together.
 */
#ifndef HEDDLE_STUDY_RULE_H
#define HEDDLE_STUDY_RULE_H

#include "study/claim_values.h"

/* What stands behind a rule's name. */
enum rule_words {
    TAKES_NOTHING,
    TAKES_NUMBER,
    TAKES_TWO_NUMBERS,
    TAKES_NUMBERS, /* one per run */
    TAKES_SIGN,
    TAKES_SIGNS,             /* one per run */
    TAKES_SIGNS_OF_PROGRAMS, /* one per program, in the order of the .ini */
    TAKES_SET,
    TAKES_RESULTS, /* right or wrong, one per program and run */
    TAKES_ENTRIES, /* a tolerance, then LABEL=NUMBER for each program */
    TAKES_FIGURES  /* one number per figure of hardware that the metric names */
};
/* The runs that a rule judges. */
enum rule_runs { JUDGES_ONE, JUDGES_TWO, JUDGES_SEVERAL, JUDGES_ALL, JUDGES_NONE };
/* What a rule demands of runs. */
enum rule_demand { TAKES_ANY_RUNS, TAKES_RATIOS, TAKES_PLAIN_RUNS };

struct claim_rule {
    const char *name;
    enum rule_words words;
    enum rule_runs runs;
    enum rule_demand demand;
    bool has_two_metrics;
    bool (*is_good)(const struct claim_values *t, int row);                   /* of one program; or else ... */
    enum verdict (*judge)(const struct claim_values *t, struct judgement *j); /* ... of all programs together */
};

/* Ended by a rule without a name. */
extern const struct claim_rule rules_of_each[], rules_of_means[], rules_of_order[], rules_of_hardware[],
    rules_of_opportunity[];

/* Of a claim on hardware: how many figures the metric names, and whether there are such figures; if not, `why` says
 * which one is unknown. */
int rule_figures(const struct claim *c);
bool rule_check_figures(const struct claim *c, struct text *why);

/* What stands behind the rule's name: " 12.5", " + -"; "" if nothing does. */
const char *rule_arguments(const struct claim *c);
/* The number at a place behind the rule's name, counted from 0; NAN if there is none. */
double rule_number(const struct claim *c, int place);
/* The sign that the rule demands of the run: 1, -1, or 0 if it has none. */
int rule_sign(const struct claim *c, int run);
int sign_of(double v);

/* Whether a measured number is as published: 5 or more within a factor of two, a smaller one within 2. */
bool is_as_published(double measured, double published);
/* The same as a verdict: with the sign alone it is the direction. */
enum verdict grade(double measured, double published);

/* The claim holds if every program is good. */
enum verdict judge_each(const struct claim_values *t, struct judgement *j,
                        bool (*is_good)(const struct claim_values *t, int row));

#endif
