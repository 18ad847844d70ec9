/*
 * The rule on hardware: figures of what mechanisms cost (study/area.h) against published ones. It needs no run, since
 * the figures follow from the construction of the mechanism. See rule.h and paper.h.
 */
#include "study/area.h"
#include "study/rule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "storage:";

/* The figure at a place of the claim's metric, "storage:dpe.bits storage:pdom.bits"; NULL if there are fewer. Owned by
 * the caller. */
static char *figure_at(const struct claim *c, int place)
{
    struct text figure = {0};
    const char *at = place ? c->second_metric : c->metric;
    for (; at && place > 1; place--) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    if (!at || !*at)
        return NULL;
    text_append(&figure, at, strcspn(at, " "));
    return text_take(&figure);
}

int rule_figures(const struct claim *c)
{
    int count = 0;
    for (char *figure; (figure = figure_at(c, count)); count++)
        free(figure);
    return count;
}

static double value_of(const char *figure, struct text *why)
{
    if (!strncmp(figure, prefix, sizeof prefix - 1))
        return area_figure(figure + sizeof prefix - 1, why);
    text_printf(why, "the rule 'value' takes figures of hardware, storage:MECHANISM.FIGURE, not '%s'", figure);
    return NAN;
}

bool rule_check_figures(const struct claim *c, struct text *why)
{
    bool ok = true;
    char *figure;
    for (int i = 0; ok && (figure = figure_at(c, i)); i++) {
        ok = !isnan(value_of(figure, why));
        free(figure);
    }
    return ok;
}

/* Whether a value has the published digits: as many behind the point as were published. */
static bool has_digits(double value, const char *published)
{
    char word[64];
    size_t length = strcspn(published, " "), point = strcspn(published, ". ");
    int decimals = point < length ? (int)(length - point - 1) : 0;
    snprintf(word, sizeof word, "%.*f", decimals, value);
    return strlen(word) == length && !memcmp(word, published, length);
}

static enum verdict judge_value(const struct claim_values *t, struct judgement *j)
{
    const char *published = rule_arguments(t->claim);
    bool is_good = true;
    char *figure;
    for (int i = 0; (figure = figure_at(t->claim, i)); i++) {
        struct text why = {0};
        double value = value_of(figure, &why);
        published += strspn(published, " ");
        is_good &= has_digits(value, published);
        published += strcspn(published, " ");
        text_printf(&j->measured, value < 1000 ? "%s%.4g" : "%s%.0f", i ? " " : "", value);
        text_free(&why);
        free(figure);
    }
    return is_good ? VERDICT_HOLDS : VERDICT_FAILS;
}

const struct claim_rule rules_of_hardware[] = {
    {"value", TAKES_FIGURES, JUDGES_NONE, TAKES_ANY_RUNS, false, NULL, judge_value},
    {0},
};
