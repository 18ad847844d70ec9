/* Rules that look at one program after the other. See rule.h and paper.h. */
#include "study/rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum verdict judge_each(const struct claim_values *t, struct judgement *j,
                        bool (*is_good)(const struct claim_values *t, int row))
{
    int good = 0;
    if (!t->is_complete)
        return VERDICT_UNKNOWN;
    for (int i = 0; i < t->program_count; i++)
        good += is_good(t, i);
    claim_values_print_count(t, good, &j->measured);
    return good == t->program_count ? VERDICT_HOLDS : VERDICT_FAILS;
}

static bool is_below(const struct claim_values *t, int row)
{
    return t->value[row][0] < rule_number(t->claim, 0);
}

static bool is_from(const struct claim_values *t, int row)
{
    return t->value[row][0] >= rule_number(t->claim, 0);
}

/* On every run. */
static bool is_within(const struct claim_values *t, int row)
{
    for (int r = 0; r < t->claim->run_count; r++)
        if (!(100 * fabs(t->value[row][r] - 1) <= rule_number(t->claim, 0)))
            return false;
    return true;
}

static bool is_near(const struct claim_values *t, int row)
{
    return fabs(t->value[row][0] - rule_number(t->claim, 0)) <= rule_number(t->claim, 1);
}

/* The number that the rule gives for a program, "LABEL=NUMBER"; NAN if it gives none. */
static double entry_of(const struct claim *c, const char *label)
{
    size_t length = strlen(label);
    for (const char *at = rule_arguments(c); *(at += strspn(at, " ")); at += strcspn(at, " "))
        if (!strncmp(at, label, length) && at[length] == '=')
            return strtod(at + length + 1, NULL);
    return NAN;
}

static bool is_near_entry(const struct claim_values *t, int row)
{
    return fabs(t->value[row][0] - entry_of(t->claim, claim_values_label(t, row))) <= rule_number(t->claim, 0);
}

/* The sign of the program's own place behind the rule's name. */
static bool has_own_sign(const struct claim_values *t, int row)
{
    return sign_of(t->value[row][0] - 1) == rule_sign(t->claim, row);
}

static bool has_signs(const struct claim_values *t, int row)
{
    for (int r = 0; r < t->claim->run_count; r++)
        if (sign_of(t->value[row][r] - 1) != rule_sign(t->claim, r))
            return false;
    return true;
}

static bool is_not_first(const struct claim_values *t, int row)
{
    for (int r = 1; r < t->claim->run_count; r++)
        if (t->value[row][r] > t->value[row][0])
            return true;
    return false;
}

/* How many programs have the sign. */
static int with_sign(const struct claim_values *t, int sign)
{
    int count = 0;
    for (int i = 0; i < t->program_count; i++)
        count += sign_of(t->value[i][0] - 1) == sign;
    return count;
}

static enum verdict judge_any(const struct claim_values *t, struct judgement *j)
{
    if (!t->is_complete)
        return VERDICT_UNKNOWN;
    claim_values_print_count(t, with_sign(t, rule_sign(t->claim, 0)), &j->measured);
    return with_sign(t, rule_sign(t->claim, 0)) ? VERDICT_HOLDS : VERDICT_FAILS;
}

static enum verdict judge_most(const struct claim_values *t, struct judgement *j)
{
    if (!t->is_complete)
        return VERDICT_UNKNOWN;
    claim_values_print_count(t, with_sign(t, rule_sign(t->claim, 0)), &j->measured);
    return 2 * with_sign(t, rule_sign(t->claim, 0)) > t->program_count ? VERDICT_HOLDS : VERDICT_FAILS;
}

static bool is_between(const struct claim_values *t, int row)
{
    double gain = 100 * (t->value[row][0] - 1);
    return gain >= rule_number(t->claim, 0) && gain <= rule_number(t->claim, 1);
}

/* If some programs are outside, but all are on the range's side of no change, the direction is as published. */
static enum verdict judge_between(const struct claim_values *t, struct judgement *j)
{
    enum verdict verdict = judge_each(t, j, is_between);
    int side = sign_of(rule_number(t->claim, 0));
    bool has_direction = verdict == VERDICT_FAILS && side && with_sign(t, side) == t->program_count;
    return has_direction ? VERDICT_DIRECTION : verdict;
}

const struct claim_rule rules_of_each[] = {
    {"below", TAKES_NUMBER, JUDGES_ONE, TAKES_ANY_RUNS, false, is_below, NULL},
    {"from", TAKES_NUMBER, JUDGES_ONE, TAKES_ANY_RUNS, false, is_from, NULL},
    {"within", TAKES_NUMBER, JUDGES_ALL, TAKES_RATIOS, false, is_within, NULL},
    {"near", TAKES_TWO_NUMBERS, JUDGES_ONE, TAKES_ANY_RUNS, false, is_near, NULL},
    {"entries", TAKES_ENTRIES, JUDGES_ONE, TAKES_PLAIN_RUNS, false, is_near_entry, NULL},
    {"signs", TAKES_SIGNS, JUDGES_ALL, TAKES_RATIOS, false, has_signs, NULL},
    {"by-program", TAKES_SIGNS_OF_PROGRAMS, JUDGES_ONE, TAKES_RATIOS, false, has_own_sign, NULL},
    {"not-first", TAKES_NOTHING, JUDGES_SEVERAL, TAKES_ANY_RUNS, false, is_not_first, NULL},
    {"any", TAKES_SIGN, JUDGES_ONE, TAKES_RATIOS, false, NULL, judge_any},
    {"most", TAKES_SIGN, JUDGES_ONE, TAKES_RATIOS, false, NULL, judge_most},
    {"between", TAKES_TWO_NUMBERS, JUDGES_ONE, TAKES_RATIOS, false, NULL, judge_between},
    {0},
};
