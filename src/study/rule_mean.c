/* Rules that look at means over programs. See rule.h and paper.h. */
#include "study/rule.h"

#include <math.h>
#include <string.h>

/* Appends the mean of a run, behind those of the runs before; false: it has none. */
static bool print_mean(const struct claim_values *t, int run, struct judgement *j)
{
    double mean = claim_values_mean(t, run);
    text_printf(&j->measured, "%s", j->measured.length ? " " : "");
    claim_values_print(t, mean, &j->measured);
    return !isnan(mean);
}

/* One published number per run; the worst verdict counts. A claim of one run is the rule gain. */
static enum verdict judge_gains(const struct claim_values *t, struct judgement *j)
{
    enum verdict worst = VERDICT_HOLDS;
    for (int r = 0; r < t->claim->run_count; r++) {
        enum verdict verdict = VERDICT_UNKNOWN;
        if (print_mean(t, r, j))
            verdict = grade(100 * (claim_values_mean(t, r) - 1), rule_number(t->claim, r));
        worst = verdict > worst ? verdict : worst;
    }
    if (worst == VERDICT_UNKNOWN && t->claim->run_count == 1)
        text_free(&j->measured);
    return worst;
}

/* A share has no sign, so that it is as published or not. Of 98 % the missing 2 % are what counts. */
static enum verdict judge_share(const struct claim_values *t, struct judgement *j)
{
    double published = rule_number(t->claim, 0), mean = claim_values_mean(t, 0);
    if (!print_mean(t, 0, j))
        return VERDICT_UNKNOWN;
    bool is_good =
        is_as_published(mean, published) && (published <= 50 || is_as_published(100 - mean, 100 - published));
    return is_good ? VERDICT_HOLDS : VERDICT_FAILS;
}

static enum verdict judge_points(const struct claim_values *t, struct judgement *j)
{
    double points = claim_values_percent(t, claim_values_mean(t, 0)) - claim_values_percent(t, claim_values_mean(t, 1));
    if (isnan(points))
        return VERDICT_UNKNOWN;
    text_printf(&j->measured, "%+.1f points", points);
    return grade(points, rule_number(t->claim, 0));
}

/* The metric is itself a difference in points. */
static enum verdict judge_margin(const struct claim_values *t, struct judgement *j)
{
    double points = claim_values_mean(t, 0);
    if (isnan(points))
        return VERDICT_UNKNOWN;
    text_printf(&j->measured, "%+.1f points", points);
    return grade(points, rule_number(t->claim, 0));
}

static enum verdict judge_mean(const struct claim_values *t, struct judgement *j,
                               bool (*is_good)(double percent, double bound))
{
    bool all = true;
    for (int r = 0; r < t->claim->run_count; r++) {
        if (!print_mean(t, r, j))
            return VERDICT_UNKNOWN;
        all &= is_good(claim_values_percent(t, claim_values_mean(t, r)), rule_number(t->claim, 0));
    }
    return all ? VERDICT_HOLDS : VERDICT_FAILS;
}

static bool is_below(double percent, double bound)
{
    return percent < bound;
}

static bool is_from(double percent, double bound)
{
    return percent >= bound;
}

static bool is_within(double percent, double bound)
{
    return fabs(percent) <= bound;
}

static enum verdict judge_mean_below(const struct claim_values *t, struct judgement *j)
{
    return judge_mean(t, j, is_below);
}

static enum verdict judge_mean_from(const struct claim_values *t, struct judgement *j)
{
    return judge_mean(t, j, is_from);
}

static enum verdict judge_mean_within(const struct claim_values *t, struct judgement *j)
{
    return judge_mean(t, j, is_within);
}

/* Two gains or two losses, of which the first is at least a share of the second. */
static enum verdict judge_of_gain(const struct claim_values *t, struct judgement *j)
{
    double part = claim_values_mean(t, 0) - 1, whole = claim_values_mean(t, 1) - 1;
    if (!print_mean(t, 0, j) || !print_mean(t, 1, j))
        return VERDICT_UNKNOWN;
    return whole != 0 && 100 * part / whole >= rule_number(t->claim, 0) ? VERDICT_HOLDS : VERDICT_FAILS;
}

static double largest(const struct claim_values *t, int run)
{
    double most = NAN;
    for (int i = 0; i < t->program_count; i++)
        most = fmax(most, t->value[i][run]);
    return most;
}

/* Each largest value is within a factor of two of the published one, and the runs are in the published order. */
static enum verdict judge_largest(const struct claim_values *t, struct judgement *j)
{
    bool is_good = true;
    if (!t->is_complete)
        return VERDICT_UNKNOWN;
    for (int r = 0; r < t->claim->run_count; r++) {
        double most = largest(t, r), ratio = most / rule_number(t->claim, r);
        text_printf(&j->measured, "%s", r ? " " : "");
        claim_values_print(t, most, &j->measured);
        is_good &= ratio >= 0.5 && ratio <= 2;
        for (int k = 0; k < r; k++)
            is_good &= sign_of(most - largest(t, k)) == sign_of(rule_number(t->claim, r) - rule_number(t->claim, k));
    }
    return is_good ? VERDICT_HOLDS : VERDICT_FAILS;
}

static enum verdict judge_spread(const struct claim_values *t, struct judgement *j)
{
    double least = INFINITY, most = -INFINITY;
    for (int r = 0; r < t->claim->run_count; r++) {
        if (!print_mean(t, r, j))
            return VERDICT_UNKNOWN;
        double percent = claim_values_percent(t, claim_values_mean(t, r));
        least = fmin(least, percent);
        most = fmax(most, percent);
    }
    return most - least <= rule_number(t->claim, 0) ? VERDICT_HOLDS : VERDICT_FAILS;
}

/* Each mean is on the wanted side of the one before; of ratios the first one is so of no change. */
static enum verdict judge_trend(const struct claim_values *t, struct judgement *j, int direction)
{
    double before = 1;
    bool is_good = true;
    for (int r = 0; r < t->claim->run_count; r++) {
        double mean = claim_values_mean(t, r);
        if (!print_mean(t, r, j))
            return VERDICT_UNKNOWN;
        is_good &= (!r && !claim_is_ratio(t->claim)) || sign_of(mean - before) == direction;
        before = mean;
    }
    return is_good ? VERDICT_HOLDS : VERDICT_FAILS;
}

static enum verdict judge_rising(const struct claim_values *t, struct judgement *j)
{
    return judge_trend(t, j, 1);
}

static enum verdict judge_falling(const struct claim_values *t, struct judgement *j)
{
    return judge_trend(t, j, -1);
}

static enum verdict judge_mean_signs(const struct claim_values *t, struct judgement *j)
{
    bool is_good = true;
    for (int r = 0; r < t->claim->run_count; r++) {
        if (!print_mean(t, r, j))
            return VERDICT_UNKNOWN;
        is_good &= sign_of(claim_values_mean(t, r) - 1) == rule_sign(t->claim, r);
    }
    return is_good ? VERDICT_HOLDS : VERDICT_FAILS;
}

/* As mean-signs, for each set or program that the claim names. */
static enum verdict judge_set_signs(const struct claim_values *t, struct judgement *j)
{
    bool is_good = true;
    for (const char *at = t->claim->programs; *(at += strspn(at, " ")); at += strcspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (*at == '-')
            continue;
        text_printf(&j->measured, "%s%.*s", j->measured.length ? ", " : "", (int)length, at);
        for (int r = 0; r < t->claim->run_count; r++) {
            double mean = claim_values_mean_of_set(t, r, at, length);
            if (isnan(mean))
                return VERDICT_UNKNOWN;
            text_printf(&j->measured, " ");
            claim_values_print(t, mean, &j->measured);
            is_good &= sign_of(mean - 1) == rule_sign(t->claim, r);
        }
    }
    return is_good ? VERDICT_HOLDS : VERDICT_FAILS;
}

/* The index of the run with the best mean; -1: a run has none. */
static int best_run(const struct claim_values *t)
{
    int best = 0;
    for (int r = 0; r < t->claim->run_count; r++) {
        if (isnan(claim_values_mean(t, r)))
            return -1;
        best = claim_values_mean(t, r) > claim_values_mean(t, best) ? r : best;
    }
    return best;
}

static enum verdict judge_best_of(const struct claim_values *t, struct judgement *j, int count)
{
    int best = best_run(t);
    if (best < 0)
        return VERDICT_UNKNOWN;
    text_printf(&j->measured, "%s", t->evidence->paper->runs[t->claim->runs[best].over].name);
    return best < count ? VERDICT_HOLDS : VERDICT_FAILS;
}

static enum verdict judge_first(const struct claim_values *t, struct judgement *j)
{
    return judge_best_of(t, j, 1);
}

static enum verdict judge_best(const struct claim_values *t, struct judgement *j)
{
    return judge_best_of(t, j, (int)rule_number(t->claim, 0));
}

const struct claim_rule rules_of_means[] = {
    {"gain", TAKES_NUMBER, JUDGES_ONE, TAKES_RATIOS, false, NULL, judge_gains},
    {"gains", TAKES_NUMBERS, JUDGES_ALL, TAKES_RATIOS, false, NULL, judge_gains},
    {"share", TAKES_NUMBER, JUDGES_ONE, TAKES_PLAIN_RUNS, false, NULL, judge_share},
    {"points", TAKES_NUMBER, JUDGES_TWO, TAKES_ANY_RUNS, false, NULL, judge_points},
    {"margin", TAKES_NUMBER, JUDGES_ONE, TAKES_PLAIN_RUNS, false, NULL, judge_margin},
    {"mean-below", TAKES_NUMBER, JUDGES_ALL, TAKES_ANY_RUNS, false, NULL, judge_mean_below},
    {"mean-from", TAKES_NUMBER, JUDGES_ALL, TAKES_ANY_RUNS, false, NULL, judge_mean_from},
    {"mean-within", TAKES_NUMBER, JUDGES_ALL, TAKES_RATIOS, false, NULL, judge_mean_within},
    {"of-gain", TAKES_NUMBER, JUDGES_TWO, TAKES_RATIOS, false, NULL, judge_of_gain},
    {"largest", TAKES_NUMBERS, JUDGES_ALL, TAKES_PLAIN_RUNS, false, NULL, judge_largest},
    {"spread", TAKES_NUMBER, JUDGES_SEVERAL, TAKES_ANY_RUNS, false, NULL, judge_spread},
    {"rising", TAKES_NOTHING, JUDGES_ALL, TAKES_ANY_RUNS, false, NULL, judge_rising},
    {"falling", TAKES_NOTHING, JUDGES_ALL, TAKES_ANY_RUNS, false, NULL, judge_falling},
    {"mean-signs", TAKES_SIGNS, JUDGES_ALL, TAKES_RATIOS, false, NULL, judge_mean_signs},
    {"set-signs", TAKES_SIGNS, JUDGES_ALL, TAKES_RATIOS, false, NULL, judge_set_signs},
    {"first", TAKES_NOTHING, JUDGES_SEVERAL, TAKES_ANY_RUNS, false, NULL, judge_first},
    {"best", TAKES_NUMBER, JUDGES_SEVERAL, TAKES_ANY_RUNS, false, NULL, judge_best},
    {0},
};
