/* The rules by which claims are judged. paper.h says what each rule means, verdict.h what verdicts mean. */
#include "study/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const verdict_names[] = {[VERDICT_HOLDS] = "holds",
                                     [VERDICT_DIRECTION] = "direction",
                                     [VERDICT_FAILS] = "fails",
                                     [VERDICT_UNKNOWN] = "unknown"};

/* A claim's values: for each of its programs and runs the metric, or the ratio of the metrics of two runs. */
struct claim_values {
    const struct evidence *evidence;
    const struct claim *claim;
    int programs[PAPER_MAX_PROGRAMS]; /* those that the claim names, as indices into the paper's */
    int program_count;                /* how many the claim names */
    double value[PAPER_MAX_PROGRAMS][CLAIM_MAX_RUNS];
    bool is_complete; /* every run came to its end with the right result */
};

static bool is_ratio(const struct claim *c)
{
    return c->runs[0].under >= 0;
}

/* What the claim measures of a program: the metric of a run, or the ratio of the metrics of two runs. */
static double value_of(const struct evidence *e, const struct claim *c, int program, int run)
{
    double over = metric_of(e, c->metric, program, c->runs[run].over);
    if (c->runs[run].under < 0)
        return over;
    double under = metric_of(e, c->metric, program, c->runs[run].under);
    return under > 0 ? over / under : over == 0 ? 1 : NAN; /* 0 divided by 0 is no change */
}

/* Computes the values of all programs that the claim names. */
static void fill(struct claim_values *t, const struct evidence *e, const struct claim *c)
{
    *t = (struct claim_values){.evidence = e, .claim = c, .is_complete = true};
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

static const char *label_of(const struct claim_values *t, int row)
{
    return t->evidence->paper->programs[t->programs[row]].label;
}

/* The mean over programs that have a value: harmonic for speeds, which are inverse times; arithmetic for the rest. */
static double mean(const struct claim_values *t, int run)
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

static void print_value(const struct claim_values *t, double v, struct text *out)
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

static void print_details(const struct claim_values *t, struct text *out)
{
    for (int i = 0; i < t->program_count; i++) {
        text_printf(out, "%s%s", i ? ", " : "", label_of(t, i));
        for (int r = 0; r < t->claim->run_count; r++) {
            text_printf(out, " ");
            print_value(t, t->value[i][r], out);
        }
    }
}

/* Appends how many programs are good, "4 of 6"; of a single program, its values. */
static void print_count(const struct claim_values *t, int good, struct text *out)
{
    if (t->program_count > 1)
        text_printf(out, "%d of %d", good, t->program_count);
    for (int r = 0; t->program_count == 1 && r < t->claim->run_count; r++) {
        text_printf(out, "%s", r ? " " : "");
        print_value(t, t->value[0][r], out);
    }
}

/* ---- rules ---- */

/* What stands behind the rule's name: " 12.5", " + -"; "" if nothing does. */
static const char *arguments(const struct claim *c)
{
    return c->rule + strcspn(c->rule, " ");
}

static int sign_of(double v)
{
    return v > 0 ? 1 : v < 0 ? -1 : 0;
}

/* A program without a value (its run failed) is left out of the mean, as papers do. */
static enum verdict judge_gain(const struct claim_values *t, struct judgement *j)
{
    double published = strtod(arguments(t->claim), NULL), gain = 100 * (mean(t, 0) - 1);
    if (isnan(gain))
        return VERDICT_UNKNOWN;
    print_value(t, mean(t, 0), &j->measured);
    bool is_near =
        fabs(published) >= 5 ? gain / published >= 0.5 && gain / published <= 2 : fabs(gain - published) <= 2;
    return is_near ? VERDICT_HOLDS : sign_of(gain) == sign_of(published) ? VERDICT_DIRECTION : VERDICT_FAILS;
}

/* The claim holds if every program is good. */
static enum verdict judge_each(const struct claim_values *t, struct judgement *j,
                               bool (*is_good)(const struct claim_values *t, int row))
{
    int good = 0;
    if (!t->is_complete)
        return VERDICT_UNKNOWN;
    for (int i = 0; i < t->program_count; i++)
        good += is_good(t, i);
    print_count(t, good, &j->measured);
    return good == t->program_count ? VERDICT_HOLDS : VERDICT_FAILS;
}

static bool is_below(const struct claim_values *t, int row)
{
    return t->value[row][0] < strtod(arguments(t->claim), NULL);
}

static bool is_from(const struct claim_values *t, int row)
{
    return t->value[row][0] >= strtod(arguments(t->claim), NULL);
}

static bool is_within(const struct claim_values *t, int row)
{
    return 100 * fabs(t->value[row][0] - 1) <= strtod(arguments(t->claim), NULL);
}

static bool is_near(const struct claim_values *t, int row)
{
    char *rest;
    double wanted = strtod(arguments(t->claim), &rest), off = strtod(rest, NULL);
    return fabs(t->value[row][0] - wanted) <= off;
}

/* The sign that the rule demands of the run: 1, -1, or 0 if it has none. */
static int wanted_sign(const struct claim *c, int run)
{
    const char *at = arguments(c);
    for (at += strspn(at, " "); run > 0 && *at; run--)
        at += 1 + strspn(at + 1, " ");
    return *at == '+' ? 1 : *at == '-' ? -1 : 0;
}

static bool has_signs(const struct claim_values *t, int row)
{
    for (int r = 0; r < t->claim->run_count; r++)
        if (sign_of(t->value[row][r] - 1) != wanted_sign(t->claim, r))
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

static enum verdict judge_mean_signs(const struct claim_values *t, struct judgement *j)
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

static enum verdict judge_first(const struct claim_values *t, struct judgement *j)
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

/* Compares the least ratio of the claim's programs with the greatest of all other programs of the set. */
static enum verdict judge_top(const struct claim_values *t, struct judgement *j)
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

static enum verdict judge_is(const struct claim_values *t, struct judgement *j)
{
    const struct evidence *e = t->evidence;
    const struct claim *c = t->claim;
    const char *at = arguments(c);
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

/* ---- the table of rules ---- */

/* What stands behind a rule's name. */
enum rule_words { TAKES_NOTHING, TAKES_NUMBER, TAKES_TWO_NUMBERS, TAKES_SIGNS, TAKES_SET, TAKES_RESULTS };
/* The runs that a rule judges. */
enum rule_runs { JUDGES_ONE, JUDGES_ALL, JUDGES_SEVERAL };

static const struct claim_rule {
    const char *name;
    enum rule_words words;
    enum rule_runs runs;
    bool needs_ratio;                                                         /* of each run to another */
    bool (*is_good)(const struct claim_values *t, int row);                   /* of one program; or else ... */
    enum verdict (*judge)(const struct claim_values *t, struct judgement *j); /* ... of all programs together */
} rule_table[] = {
    {"gain", TAKES_NUMBER, JUDGES_ONE, true, NULL, judge_gain},
    {"below", TAKES_NUMBER, JUDGES_ONE, false, is_below, NULL},
    {"from", TAKES_NUMBER, JUDGES_ONE, false, is_from, NULL},
    {"within", TAKES_NUMBER, JUDGES_ONE, true, is_within, NULL},
    {"near", TAKES_TWO_NUMBERS, JUDGES_ONE, false, is_near, NULL},
    {"signs", TAKES_SIGNS, JUDGES_ALL, true, has_signs, NULL},
    {"mean-signs", TAKES_SIGNS, JUDGES_ALL, true, NULL, judge_mean_signs},
    {"first", TAKES_NOTHING, JUDGES_SEVERAL, false, NULL, judge_first},
    {"not-first", TAKES_NOTHING, JUDGES_SEVERAL, false, is_not_first, NULL},
    {"top", TAKES_SET, JUDGES_ONE, false, NULL, judge_top},
    {"is", TAKES_RESULTS, JUDGES_ALL, false, NULL, judge_is},
};

static const struct claim_rule *find_rule(const struct claim *c)
{
    size_t length = strcspn(c->rule, " ");
    for (size_t i = 0; i < sizeof rule_table / sizeof *rule_table; i++)
        if (strlen(rule_table[i].name) == length && !memcmp(c->rule, rule_table[i].name, length))
            return &rule_table[i];
    return NULL;
}

/* ---- checks ---- */

static bool is_set(const struct paper *p, const char *name, size_t length)
{
    for (int i = 0; i < p->program_count; i++)
        if (strlen(p->programs[i].set) == length && !memcmp(p->programs[i].set, name, length))
            return true;
    return false;
}

static bool is_number(const char *word, size_t length)
{
    char *end;
    strtod(word, &end);
    return length && end == word + length;
}

static bool fits_rule(const struct paper *p, enum rule_words words, const char *word, size_t length)
{
    switch (words) {
    case TAKES_NUMBER:
    case TAKES_TWO_NUMBERS:
        return is_number(word, length);
    case TAKES_SIGNS:
        return length == 1 && (*word == '+' || *word == '-');
    case TAKES_SET:
        return is_set(p, word, length);
    case TAKES_RESULTS:
        return length == 5 && (!memcmp(word, "right", 5) || !memcmp(word, "wrong", 5));
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
    return words == TAKES_NOTHING       ? 0
           : words == TAKES_TWO_NUMBERS ? 2
           : words == TAKES_SIGNS       ? c->run_count
           : words == TAKES_RESULTS     ? c->run_count * programs
                                        : 1;
}

static bool check_words(const struct paper *p, const struct claim *c, const struct claim_rule *rule, struct text *why)
{
    static const char *const kinds[] = {
        [TAKES_NOTHING] = "nothing",         [TAKES_NUMBER] = "a number",
        [TAKES_TWO_NUMBERS] = "two numbers", [TAKES_SIGNS] = "one + or - per run",
        [TAKES_SET] = "a set of programs",   [TAKES_RESULTS] = "right or wrong per run"};
    int count = 0;
    bool ok = true;
    for (const char *at = arguments(c); *(at += strspn(at, " ")); at += strcspn(at, " "), count++)
        ok &= fits_rule(p, rule->words, at, strcspn(at, " "));
    if (ok && count == words_wanted(p, c, rule->words))
        return true;
    text_printf(why, "the rule '%s' takes %s, not '%s'", rule->name, kinds[rule->words], arguments(c));
    return false;
}

bool claim_check(const struct paper *p, const struct claim *c, struct text *why)
{
    const struct claim_rule *rule = find_rule(c);
    if (!rule) {
        text_printf(why, "there is no rule '%s'; there are", c->rule);
        for (size_t i = 0; i < sizeof rule_table / sizeof *rule_table; i++)
            text_printf(why, "%s %s", i ? "," : "", rule_table[i].name);
        return false;
    }
    bool is_verdict = !strcmp(c->metric, "verdict") && rule->words == TAKES_RESULTS;
    if (!is_verdict && !metric_check(c->metric, why))
        return false;
    for (int i = 0; i < c->run_count; i++)
        if (rule->words == TAKES_RESULTS ? c->runs[i].under >= 0 : rule->needs_ratio && c->runs[i].under < 0) {
            text_printf(why, "the rule '%s' takes %s", rule->name,
                        rule->needs_ratio ? "ratios of runs: new/base" : "runs, no ratios");
            return false;
        }
    if ((rule->runs == JUDGES_ONE && c->run_count > 1) || (rule->runs == JUDGES_SEVERAL && c->run_count < 2)) {
        text_printf(why, "the rule '%s' takes %s", rule->name, rule->runs == JUDGES_ONE ? "one run" : "several runs");
        return false;
    }
    return check_words(p, c, rule, why);
}

void judge(const struct evidence *e, const struct claim *c, struct judgement *into)
{
    struct claim_values t;
    const struct claim_rule *rule = find_rule(c);
    *into = (struct judgement){0};
    fill(&t, e, c);
    into->verdict = rule->judge ? rule->judge(&t, into) : judge_each(&t, into, rule->is_good);
    if (rule->words != TAKES_RESULTS)
        print_details(&t, &into->details);
}

void judgement_free(struct judgement *j)
{
    text_free(&j->measured);
    text_free(&j->details);
}
