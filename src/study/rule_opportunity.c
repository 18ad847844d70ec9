/*
 * The rule on opportunity: in how many divergent programs a compiler finds something, and how often that pays.
 *
 * After Damani et al. (Speculative Reconvergence, CGO 2020, section 5.4): of 75 programs with a SIMT efficiency below
 * about 80 %, detection found opportunity in 16, and 5 of these improved significantly in efficiency and in time. The
 * paper does not say what is significant; the least improvement that it calls one is 10 % (abstract).
 */
#include "study/rule.h"

#include <math.h>

static const double divergent_below = 80;   /* SIMT efficiency of the ratio's second run, in percent */
static const double significant_from = 1.1; /* ratio of efficiencies and of speeds */

struct opportunity {
    int known, divergent, found, gaining; /* programs; each number is among those of the one before it */
};

/* Sorts one program in, of which the ratio of a run with detection to one without is known. */
static void add(struct opportunity *o, const struct claim_values *t, int row)
{
    const struct claim_run *run = &t->claim->runs[0];
    int program = t->programs[row];
    double before = metric_of(t->evidence, "efficiency", program, run->under);
    double after = metric_of(t->evidence, "efficiency", program, run->over);
    double predictions = metric_of(t->evidence, "predictions", program, run->over);
    if (isnan(t->value[row][0]) || isnan(before) || isnan(after) || isnan(predictions))
        return;
    bool is_divergent = before < divergent_below, is_found = is_divergent && predictions > 0;
    o->known++;
    o->divergent += is_divergent;
    o->found += is_found;
    o->gaining += is_found && t->value[row][0] >= significant_from && after >= significant_from * before;
}

/* Each of the two shares is judged as a published number. The direction: detection finds something in a minority of the
 * divergent programs, and a minority of these gains. */
static enum verdict judge_opportunity(const struct claim_values *t, struct judgement *j)
{
    struct opportunity o = {0};
    for (int i = 0; i < t->program_count; i++)
        add(&o, t, i);
    if (!o.divergent || !o.found)
        return o.divergent && o.known == t->program_count ? VERDICT_FAILS : VERDICT_UNKNOWN;
    double found = 100.0 * o.found / o.divergent, gaining = 100.0 * o.gaining / o.found;
    text_printf(&j->measured, "%d of %d; %d of %d", o.found, o.divergent, o.gaining, o.found);
    if (is_as_published(found, rule_number(t->claim, 0)) && is_as_published(gaining, rule_number(t->claim, 1)))
        return VERDICT_HOLDS;
    return found < 50 && gaining < 50 && o.gaining ? VERDICT_DIRECTION : VERDICT_FAILS;
}

const struct claim_rule rules_of_opportunity[] = {
    {"opportunity", TAKES_TWO_NUMBERS, JUDGES_ONE, TAKES_RATIOS, false, NULL, judge_opportunity},
    {0},
};
