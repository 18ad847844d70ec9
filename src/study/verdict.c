/*
 * Verdicts: whether a claim can be judged, and what the verdict is. The rules are in rule_each.c, rule_mean.c,
 * rule_order.c and rule_hardware.c.
 *
 * A rule of several clauses, "mean-signs - and any -", is judged as several claims: clause k judges run k, and the
 * worst verdict counts.
 */
#include "study/rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const verdict_names[] = {[VERDICT_HOLDS] = "holds",
                                     [VERDICT_DIRECTION] = "direction",
                                     [VERDICT_FAILS] = "fails",
                                     [VERDICT_UNKNOWN] = "unknown"};

static const struct claim_rule *const rule_tables[] = {rules_of_means, rules_of_each, rules_of_order, rules_of_hardware,
                                                       rules_of_opportunity};
enum { TABLES = sizeof rule_tables / sizeof *rule_tables };

static const struct claim_rule *find_rule(const struct claim *c)
{
    size_t length = strcspn(c->rule, " ");
    for (int i = 0; i < TABLES; i++)
        for (const struct claim_rule *rule = rule_tables[i]; rule->name; rule++)
            if (strlen(rule->name) == length && !memcmp(c->rule, rule->name, length))
                return rule;
    return NULL;
}

/* ---- what stands behind a rule's name ---- */

const char *rule_arguments(const struct claim *c)
{
    return c->rule + strcspn(c->rule, " ");
}

/* The word at a place behind the rule's name; "" if there are fewer. */
static const char *argument(const struct claim *c, int place)
{
    const char *at = rule_arguments(c);
    for (at += strspn(at, " "); place > 0 && *at; place--) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    return at;
}

double rule_number(const struct claim *c, int place)
{
    const char *word = argument(c, place);
    return *word ? strtod(word, NULL) : NAN;
}

int rule_sign(const struct claim *c, int run)
{
    const char *word = argument(c, run);
    return *word == '+' ? 1 : *word == '-' ? -1 : 0;
}

int sign_of(double v)
{
    return v > 0 ? 1 : v < 0 ? -1 : 0;
}

/* ---- numbers ---- */

bool is_as_published(double measured, double published)
{
    if (fabs(published) < 5)
        return fabs(measured - published) <= 2;
    return measured / published >= 0.5 && measured / published <= 2;
}

enum verdict grade(double measured, double published)
{
    return is_as_published(measured, published)      ? VERDICT_HOLDS
           : sign_of(measured) == sign_of(published) ? VERDICT_DIRECTION
                                                     : VERDICT_FAILS;
}

/* ---- clauses ---- */

static const char clause_end[] = " and ";

static int clause_count(const struct claim *c)
{
    int count = 1;
    for (const char *at = c->rule; (at = strstr(at, clause_end)); at += sizeof clause_end - 1)
        count++;
    return count;
}

/* The claim of one clause, whose rule lives in `rule`. A rule of one clause is the claim itself. */
static struct claim clause_of(const struct claim *c, int clause, struct text *rule)
{
    struct claim one = *c;
    const char *at = c->rule;
    if (clause_count(c) == 1)
        return one;
    for (int i = 0; i < clause; i++)
        at = strstr(at, clause_end) + sizeof clause_end - 1;
    const char *end = strstr(at, clause_end);
    text_append(rule, at, end ? (size_t)(end - at) : strlen(at));
    one.rule = rule->data;
    one.runs[0] = c->runs[clause];
    one.run_count = 1;
    return one;
}

/* ---- checks ---- */

static bool is_set(const struct paper *p, const char *name, size_t length)
{
    for (int i = 0; i < p->program_count; i++)
        if (paper_program_is(&p->programs[i], name, length))
            return true;
    return false;
}

static bool is_number(const char *word, size_t length)
{
    char *end;
    strtod(word, &end);
    return length && end == word + length;
}

/* "LABEL=NUMBER" of a program of the claim. */
static bool is_entry(const struct paper *p, const struct claim *c, const char *word, size_t length)
{
    const char *equals = memchr(word, '=', length);
    if (!equals || !is_number(equals + 1, length - (size_t)(equals + 1 - word)))
        return false;
    for (int i = 0; i < p->program_count; i++)
        if (claim_names(c, &p->programs[i]) && strlen(p->programs[i].label) == (size_t)(equals - word) &&
            !memcmp(p->programs[i].label, word, (size_t)(equals - word)))
            return true;
    return false;
}

static bool fits_rule(const struct paper *p, const struct claim *c, enum rule_words words, int place)
{
    const char *word = argument(c, place);
    size_t length = strcspn(word, " ");
    switch (words) {
    case TAKES_NUMBER:
    case TAKES_TWO_NUMBERS:
    case TAKES_NUMBERS:
    case TAKES_FIGURES:
        return is_number(word, length);
    case TAKES_SIGN:
    case TAKES_SIGNS:
    case TAKES_SIGNS_OF_PROGRAMS:
        return length == 1 && (*word == '+' || *word == '-');
    case TAKES_SET:
        return is_set(p, word, length);
    case TAKES_RESULTS:
        return length == 5 && (!memcmp(word, "right", 5) || !memcmp(word, "wrong", 5));
    case TAKES_ENTRIES:
        return place ? is_entry(p, c, word, length) : is_number(word, length);
    case TAKES_NOTHING:
        break;
    }
    return false;
}

static int words_wanted(const struct paper *p, const struct claim *c, enum rule_words words)
{
    int programs = 0;
    for (int i = 0; i < p->program_count; i++)
        programs += claim_names(c, &p->programs[i]);
    switch (words) {
    case TAKES_NOTHING:
        return 0;
    case TAKES_TWO_NUMBERS:
        return 2;
    case TAKES_NUMBERS:
    case TAKES_SIGNS:
        return c->run_count;
    case TAKES_SIGNS_OF_PROGRAMS:
        return programs;
    case TAKES_RESULTS:
        return c->run_count * programs;
    case TAKES_ENTRIES:
        return 1 + programs;
    case TAKES_FIGURES:
        return rule_figures(c);
    case TAKES_NUMBER:
    case TAKES_SIGN:
    case TAKES_SET:
        break;
    }
    return 1;
}

static bool check_words(const struct paper *p, const struct claim *c, const struct claim_rule *rule, struct text *why)
{
    static const char *const kinds[] = {
        [TAKES_NOTHING] = "nothing",
        [TAKES_NUMBER] = "a number",
        [TAKES_TWO_NUMBERS] = "two numbers",
        [TAKES_NUMBERS] = "one number per run",
        [TAKES_SIGN] = "+ or -",
        [TAKES_SIGNS] = "one + or - per run",
        [TAKES_SIGNS_OF_PROGRAMS] = "one + or - per program",
        [TAKES_SET] = "a set of programs",
        [TAKES_RESULTS] = "right or wrong per run",
        [TAKES_ENTRIES] = "a tolerance and LABEL=NUMBER for each program",
        [TAKES_FIGURES] = "one number per figure of the metric",
    };
    int count = 0;
    bool ok = true;
    for (; *argument(c, count); count++)
        ok &= fits_rule(p, c, rule->words, count);
    if (ok && count == words_wanted(p, c, rule->words))
        return true;
    text_printf(why, "the rule '%s' takes %s, not '%s'", rule->name, kinds[rule->words], rule_arguments(c));
    return false;
}

static bool check_runs(const struct claim *c, const struct claim_rule *rule, struct text *why)
{
    static const char *const counts[] = {[JUDGES_ONE] = "one run",
                                         [JUDGES_TWO] = "two runs",
                                         [JUDGES_SEVERAL] = "several runs",
                                         [JUDGES_ALL] = "at least one run",
                                         [JUDGES_NONE] = "no run: '-'"};
    for (int i = 0; i < c->run_count; i++)
        if (rule->demand != TAKES_ANY_RUNS && (rule->demand == TAKES_RATIOS) != (c->runs[i].under >= 0)) {
            text_printf(why, "the rule '%s' takes %s", rule->name,
                        rule->demand == TAKES_RATIOS ? "ratios of runs: new/base" : "runs, no ratios");
            return false;
        }
    if ((rule->runs == JUDGES_NONE) == (c->run_count > 0) || (rule->runs == JUDGES_ONE && c->run_count > 1) ||
        (rule->runs == JUDGES_TWO && c->run_count != 2) || (rule->runs == JUDGES_SEVERAL && c->run_count < 2)) {
        text_printf(why, "the rule '%s' takes %s", rule->name, counts[rule->runs]);
        return false;
    }
    return true;
}

static bool check_metrics(const struct claim *c, const struct claim_rule *rule, struct text *why)
{
    if (!strcmp(c->metric, "verdict") && rule->words == TAKES_RESULTS)
        return true;
    if (rule->words == TAKES_FIGURES)
        return rule_check_figures(c, why);
    if (!metric_check(c->metric, why))
        return false;
    if (rule->has_two_metrics && !c->second_metric) {
        text_printf(why, "the rule '%s' takes two metrics", rule->name);
        return false;
    }
    return !c->second_metric || metric_check(c->second_metric, why);
}

static bool check_clause(const struct paper *p, const struct claim *c, struct text *why)
{
    const struct claim_rule *rule = find_rule(c);
    if (rule)
        return check_metrics(c, rule, why) && check_runs(c, rule, why) && check_words(p, c, rule, why);
    text_printf(why, "there is no rule '%s'; there are", c->rule);
    for (int i = 0; i < TABLES; i++)
        for (rule = rule_tables[i]; rule->name; rule++)
            text_printf(why, "%s %s", i || rule > rule_tables[i] ? "," : "", rule->name);
    return false;
}

bool claim_check(const struct paper *p, const struct claim *c, struct text *why)
{
    int count = clause_count(c);
    bool ok = count == 1 || count == c->run_count;
    if (!ok)
        text_printf(why, "the rule has %d clauses, and there are %d runs", count, c->run_count);
    for (int i = 0; ok && i < count; i++) {
        struct text rule = {0};
        struct claim clause = clause_of(c, i, &rule);
        ok = check_clause(p, &clause, why);
        text_free(&rule);
    }
    return ok;
}

/* ---- verdicts ---- */

/* Appends what was measured of one clause or metric, and frees it. */
static void add_measured(struct judgement *into, struct judgement *one)
{
    if (one->measured.length)
        text_printf(&into->measured, "%s%s", into->measured.length ? "; " : "", one->measured.data);
    text_free(&one->measured);
}

static enum verdict judge_clause(const struct evidence *e, const struct claim *c, struct judgement *into)
{
    struct claim_values t;
    const struct claim_rule *rule = find_rule(c);
    claim_values_fill(&t, e, c);
    enum verdict verdict = rule->judge ? rule->judge(&t, into) : judge_each(&t, into, rule->is_good);
    if (!c->second_metric || rule->has_two_metrics || rule->words == TAKES_FIGURES)
        return verdict;
    struct claim other = *c;
    struct judgement one = {0};
    other.metric = c->second_metric;
    other.second_metric = NULL;
    enum verdict second = judge_clause(e, &other, &one);
    add_measured(into, &one);
    return second > verdict ? second : verdict;
}

void judge(const struct evidence *e, const struct claim *c, struct judgement *into)
{
    *into = (struct judgement){.values = xcalloc(1, sizeof *into->values)};
    for (int i = 0; i < clause_count(c); i++) {
        struct text rule = {0};
        struct claim clause = clause_of(c, i, &rule);
        struct judgement one = {0};
        enum verdict verdict = judge_clause(e, &clause, &one);
        into->verdict = verdict > into->verdict ? verdict : into->verdict;
        add_measured(into, &one);
        text_free(&rule);
    }
    claim_values_fill(into->values, e, c);
    if (strcmp(c->metric, "verdict"))
        claim_values_print_all(into->values, &into->details);
}

void judgement_free(struct judgement *j)
{
    text_free(&j->measured);
    text_free(&j->details);
    free(j->values);
}
