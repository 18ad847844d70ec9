/* Rules that compare programs with other programs, or metrics with each other, and the rule on results. See rule.h and
 * paper.h. */
#include "study/rule.h"

#include <math.h>
#include <string.h>

/* Compares the least ratio of the claim's programs with the greatest of all other programs of the set. */
static enum verdict judge_top(const struct claim_values *t, struct judgement *j)
{
    const struct paper *p = t->evidence->paper;
    const char *set = rule_arguments(t->claim) + 1;
    double least = INFINITY, most = -INFINITY;
    if (!t->is_complete)
        return VERDICT_UNKNOWN;
    for (int i = 0; i < t->program_count; i++)
        least = fmin(least, t->value[i][0]);
    for (int i = 0; i < p->program_count; i++) {
        if (!paper_program_is(&p->programs[i], set, strlen(set)) || claim_names(t->claim, &p->programs[i]))
            continue;
        double v = claim_value_of(t->evidence, t->claim, i, 0);
        most = isnan(v) ? most : fmax(most, v);
    }
    text_printf(&j->measured, "least ");
    claim_values_print(t, least, &j->measured);
    text_printf(&j->measured, ", others ");
    claim_values_print(t, most, &j->measured);
    return least > most ? VERDICT_HOLDS : VERDICT_FAILS;
}

/* How many programs of the set have a greater value, and how many have any. */
static int rank_in_set(const struct claim_values *t, double value, const char *set, int *count)
{
    const struct paper *p = t->evidence->paper;
    int above = 0;
    *count = 0;
    for (int i = 0; i < p->program_count; i++) {
        double v = claim_value_of(t->evidence, t->claim, i, 0);
        if (!paper_program_is(&p->programs[i], set, strlen(set)) || isnan(v))
            continue;
        above += v > value;
        ++*count;
    }
    return above;
}

static bool is_in_top_half(const struct claim_values *t, int row)
{
    int count, above = rank_in_set(t, t->value[row][0], rule_arguments(t->claim) + 1, &count);
    return 2 * above < count;
}

/* On how many programs the first metric's ratio is at least the second's. */
static enum verdict judge_bounds(const struct claim_values *t, struct judgement *j)
{
    struct claim second = *t->claim;
    int good = 0;
    second.metric = t->claim->second_metric;
    for (int i = 0; i < t->program_count; i++) {
        double other = claim_value_of(t->evidence, &second, t->programs[i], 0);
        if (isnan(other) || isnan(t->value[i][0]))
            return VERDICT_UNKNOWN;
        good += t->value[i][0] >= other;
    }
    text_printf(&j->measured, "%d of %d", good, t->program_count);
    return 2 * good > t->program_count ? VERDICT_HOLDS : VERDICT_FAILS;
}

static enum verdict judge_is(const struct claim_values *t, struct judgement *j)
{
    const struct evidence *e = t->evidence;
    const struct claim *c = t->claim;
    const char *at = rule_arguments(c);
    bool is_good = true;
    for (int i = 0; i < t->program_count; i++)
        for (int r = 0; r < c->run_count; r++) {
            bool is_right = evidence_is_right(e, t->programs[i], c->runs[r].over);
            at += strspn(at, " ");
            is_good &= is_right == !strncmp(at, "right", 5);
            at += strcspn(at, " ");
            text_printf(&j->measured, "%s%s", r ? " " : "", is_right ? "right" : "wrong");
        }
    return is_good ? VERDICT_HOLDS : VERDICT_FAILS;
}

const struct claim_rule rules_of_order[] = {
    {"top", TAKES_SET, JUDGES_ONE, TAKES_ANY_RUNS, false, NULL, judge_top},
    {"top-half", TAKES_SET, JUDGES_ONE, TAKES_ANY_RUNS, false, is_in_top_half, NULL},
    {"bounds", TAKES_NOTHING, JUDGES_ONE, TAKES_RATIOS, true, NULL, judge_bounds},
    {"is", TAKES_RESULTS, JUDGES_ALL, TAKES_PLAIN_RUNS, false, NULL, judge_is},
    {0},
};
