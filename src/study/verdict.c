/* Rules by which claims are judged: see verdict.h and, on the rules, paper.h. */
#include "study/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const verdict_names[] = {[VERDICT_HOLDS] = "holds",
                                     [VERDICT_DIRECTION] = "direction",
                                     [VERDICT_FAILS] = "fails",
                                     [VERDICT_UNKNOWN] = "unknown"};

/* A claim's values: for each of its programs and runs the metric, or the ratio of two. */
struct table {
    const struct evidence *evidence;
    const struct claim *claim;
    int programs[PAPER_MAX_PROGRAMS];
    int program_count;
    double value[PAPER_MAX_PROGRAMS][CLAIM_MAX_RUNS];
    bool is_complete; /* no value is missing */
};

static bool is_ratio(const struct claim *c)
{
    return c->runs[0].under >= 0;
}

static double value_of(const struct evidence *e, const struct claim *c, int program, int run)
{
    double over = metric_of(e, c->metric, program, c->runs[run].over);
    if (c->runs[run].under < 0)
        return over;
    double under = metric_of(e, c->metric, program, c->runs[run].under);
    return under > 0 ? over / under : over == 0 ? 1 : NAN; /* nothing by nothing is no change */
}

static void fill(struct table *t, const struct evidence *e, const struct claim *c)
{
    *t = (struct table){.evidence = e, .claim = c, .is_complete = true};
    for (int p = 0; p < e->paper->program_count; p++) {
        if (!claim_names(c, &e->paper->programs[p]))
            continue;
        for (int r = 0; r < c->run_count; r++) {
            double value = value_of(e, c, p, r);
            t->value[t->program_count][r] = value;
            t->is_complete &= !isnan(value);
        }
        t->programs[t->program_count++] = p;
    }
}

static const char *label_of(const struct table *t, int row)
{
    return t->evidence->paper->programs[t->programs[row]].label;
}

/* Over programs that have a value: harmonic for speed, which is time's inverse, arithmetic for all else. */
static double mean(const struct table *t, int run)
{
    bool is_speed = !strcmp(t->claim->metric, "speedup");
    double sum = 0;
    int count = 0;
    for (int i = 0; i < t->program_count; i++) {
        double v = t->value[i][run];
        if (isnan(v))
            continue;
        sum += is_speed ? 1 / v : v;
        count++;
    }
    return !count ? NAN : is_speed ? count / sum : sum / count;
}

/* ---- words ---- */

static void print_value(const struct table *t, double v, struct text *out)
{
    if (isnan(v))
        text_printf(out, "?");
    else if (is_ratio(t->claim) && v < 2)
        text_printf(out, "%+.1f%%", 100 * (v - 1));
    else if (is_ratio(t->claim))
        text_printf(out, "%.2fx", v);
    else if (!strcmp(t->claim->metric, "depth"))
        text_printf(out, "%.0f", v);
    else
        text_printf(out, "%.1f%%", v);
}

static void print_details(const struct table *t, struct text *out)
{
    for (int i = 0; i < t->program_count; i++) {
        text_printf(out, "%s%s", i ? ", " : "", label_of(t, i));
        for (int r = 0; r < t->claim->run_count; r++) {
            text_printf(out, " ");
            print_value(t, t->value[i][r], out);
        }
    }
}

/* "4 of 6", or the one value there is. */
static void print_count(const struct table *t, int good, struct text *out)
{
    if (t->program_count > 1)
        text_printf(out, "%d of %d", good, t->program_count);
    for (int r = 0; t->program_count == 1 && r < t->claim->run_count; r++) {
        text_printf(out, "%s", r ? " " : "");
        print_value(t, t->value[0][r], out);
    }
}

/* ---- rules ---- */

static const char *arguments(const struct claim *c)
{
    return c->rule + strcspn(c->rule, " ");
}

static int sign_of(double v)
{
    return v > 0 ? 1 : v < 0 ? -1 : 0;
}

/* Means are over what there is: a program that cannot be run under one of the runs is left out, as the paper does. */
static enum verdict judge_gain(const struct table *t, struct judgement *j)
{
    double published = strtod(arguments(t->claim), NULL), gain = 100 * (mean(t, 0) - 1);
    if (isnan(gain))
        return VERDICT_UNKNOWN;
    print_value(t, mean(t, 0), &j->measured);
    bool is_near =
        fabs(published) >= 5 ? gain / published >= 0.5 && gain / published <= 2 : fabs(gain - published) <= 2;
    return is_near ? VERDICT_HOLDS : sign_of(gain) == sign_of(published) ? VERDICT_DIRECTION : VERDICT_FAILS;
}

static enum verdict judge_each(const struct table *t, struct judgement *j,
                               bool (*is_good)(const struct table *t, int row))
{
    int good = 0;
    if (!t->is_complete)
        return VERDICT_UNKNOWN;
    for (int i = 0; i < t->program_count; i++)
        good += is_good(t, i);
    print_count(t, good, &j->measured);
    return good == t->program_count ? VERDICT_HOLDS : VERDICT_FAILS;
}

static bool is_below(const struct table *t, int row)
{
    return t->value[row][0] < strtod(arguments(t->claim), NULL);
}

static bool is_from(const struct table *t, int row)
{
    return t->value[row][0] >= strtod(arguments(t->claim), NULL);
}

static bool is_within(const struct table *t, int row)
{
    return 100 * fabs(t->value[row][0] - 1) <= strtod(arguments(t->claim), NULL);
}

static bool is_near(const struct table *t, int row)
{
    char *rest;
    double wanted = strtod(arguments(t->claim), &rest), off = strtod(rest, NULL);
    return fabs(t->value[row][0] - wanted) <= off;
}

/* The sign that the rule has for the run. */
static int wanted_sign(const struct claim *c, int run)
{
    const char *at = arguments(c);
    for (at += strspn(at, " "); run > 0 && *at; run--)
        at += 1 + strspn(at + 1, " ");
    return *at == '+' ? 1 : *at == '-' ? -1 : 0;
}

static bool has_signs(const struct table *t, int row)
{
    for (int r = 0; r < t->claim->run_count; r++)
        if (sign_of(t->value[row][r] - 1) != wanted_sign(t->claim, r))
            return false;
    return true;
}

static bool is_not_first(const struct table *t, int row)
{
    for (int r = 1; r < t->claim->run_count; r++)
        if (t->value[row][r] > t->value[row][0])
            return true;
    return false;
}

static enum verdict judge_mean_signs(const struct table *t, struct judgement *j)
{
    bool is_good = true;
    for (int r = 0; r < t->claim->run_count; r++) {
        double m = mean(t, r);
        text_printf(&j->measured, "%s", r ? " " : "");
        print_value(t, m, &j->measured);
        is_good &= sign_of(m - 1) == wanted_sign(t->claim, r);
        if (isnan(m))
            return VERDICT_UNKNOWN;
    }
    return is_good ? VERDICT_HOLDS : VERDICT_FAILS;
}

static enum verdict judge_first(const struct table *t, struct judgement *j)
{
    int best = 0;
    for (int r = 0; r < t->claim->run_count; r++) {
        if (isnan(mean(t, r)))
            return VERDICT_UNKNOWN;
        best = mean(t, r) > mean(t, best) ? r : best;
    }
    text_printf(&j->measured, "%s", t->evidence->paper->runs[t->claim->runs[best].over].name);
    return best == 0 ? VERDICT_HOLDS : VERDICT_FAILS;
}

/* The least of the claim's programs against the most of the set's others. */
static enum verdict judge_top(const struct table *t, struct judgement *j)
{
    const struct paper *p = t->evidence->paper;
    const char *set = arguments(t->claim) + 1;
    double least = INFINITY, most = -INFINITY;
    if (!t->is_complete)
        return VERDICT_UNKNOWN;
    for (int i = 0; i < t->program_count; i++)
        least = fmin(least, t->value[i][0]);
    for (int i = 0; i < p->program_count; i++) {
        if (strcmp(p->programs[i].set, set) || claim_names(t->claim, &p->programs[i]))
            continue;
        double v = value_of(t->evidence, t->claim, i, 0);
        most = isnan(v) ? most : fmax(most, v);
    }
    text_printf(&j->measured, "least ");
    print_value(t, least, &j->measured);
    text_printf(&j->measured, ", others ");
    print_value(t, most, &j->measured);
    return least > most ? VERDICT_HOLDS : VERDICT_FAILS;
}

static enum verdict judge_is(const struct evidence *e, const struct claim *c, struct judgement *j)
{
    const char *at = arguments(c);
    bool is_good = true;
    for (int p = 0; p < e->paper->program_count; p++)
        for (int r = 0; claim_names(c, &e->paper->programs[p]) && r < c->run_count; r++) {
            bool is_right = evidence_is_right(e, p, c->runs[r].over);
            at += strspn(at, " ");
            is_good &= is_right == !strncmp(at, "right", 5);
            at += strcspn(at, " ");
            text_printf(&j->measured, "%s%s", r ? " " : "", is_right ? "right" : "wrong");
        }
    return is_good ? VERDICT_HOLDS : VERDICT_FAILS;
}

static bool is_rule(const struct claim *c, const char *name)
{
    size_t length = strcspn(c->rule, " ");
    return strlen(name) == length && !memcmp(c->rule, name, length);
}

static enum verdict apply(const struct table *t, struct judgement *j)
{
    static const struct {
        const char *name;
        bool (*is_good)(const struct table *t, int row);
    } of_each[] = {{"below", is_below},  {"from", is_from}, {"within", is_within},
                   {"signs", has_signs}, {"near", is_near}, {"not-first", is_not_first}};
    const struct claim *c = t->claim;
    for (size_t i = 0; i < sizeof of_each / sizeof *of_each; i++)
        if (is_rule(c, of_each[i].name))
            return judge_each(t, j, of_each[i].is_good);
    if (is_rule(c, "gain"))
        return judge_gain(t, j);
    if (is_rule(c, "mean-signs"))
        return judge_mean_signs(t, j);
    if (is_rule(c, "first"))
        return judge_first(t, j);
    if (is_rule(c, "top"))
        return judge_top(t, j);
    text_printf(&j->measured, "no rule '%s'", c->rule);
    return VERDICT_UNKNOWN;
}

void judge(const struct evidence *e, const struct claim *c, struct judgement *into)
{
    struct table t;
    *into = (struct judgement){0};
    if (is_rule(c, "is")) {
        into->verdict = judge_is(e, c, into);
        return;
    }
    fill(&t, e, c);
    into->verdict = apply(&t, into);
    print_details(&t, &into->details);
}

void judgement_free(struct judgement *j)
{
    text_free(&j->measured);
    text_free(&j->details);
}
