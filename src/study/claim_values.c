/* The values of a claim: see claim_values.h. */
#include "study/claim_values.h"

#include <math.h>
#include <string.h>

bool claim_is_ratio(const struct claim *c)
{
    return c->run_count && c->runs[0].under >= 0;
}

/* The claim's first metric: a claim with two compares them with each other, and judges each by a claim of its own. */
double claim_value_of(const struct evidence *e, const struct claim *c, int program, int run)
{
    double over = metric_of(e, c->metric, program, c->runs[run].over);
    if (c->runs[run].under < 0)
        return over;
    double under = metric_of(e, c->metric, program, c->runs[run].under);
    return under > 0 ? over / under : over == 0 ? 1 : NAN; /* 0 divided by 0 is no change */
}

void claim_values_fill(struct claim_values *t, const struct evidence *e, const struct claim *c)
{
    *t = (struct claim_values){.evidence = e, .claim = c, .is_complete = true};
    for (int p = 0; p < e->paper->program_count; p++) {
        if (!claim_names(c, &e->paper->programs[p]))
            continue;
        for (int r = 0; r < c->run_count; r++) {
            double value = claim_value_of(e, c, p, r);
            t->value[t->program_count][r] = value;
            t->is_complete &= !isnan(value);
        }
        t->programs[t->program_count++] = p;
    }
}

const char *claim_values_label(const struct claim_values *t, int row)
{
    return t->evidence->paper->programs[t->programs[row]].label;
}

double claim_values_mean_of_set(const struct claim_values *t, int run, const char *set, size_t length)
{
    bool is_speed = !strcmp(t->claim->metric, "speedup");
    double sum = 0;
    int count = 0;
    for (int i = 0; i < t->program_count; i++) {
        double v = t->value[i][run];
        if (isnan(v) || (set && !paper_program_is(&t->evidence->paper->programs[t->programs[i]], set, length)))
            continue;
        sum += is_speed ? 1 / v : v;
        count++;
    }
    return !count ? NAN : is_speed ? count / sum : sum / count;
}

double claim_values_mean(const struct claim_values *t, int run)
{
    return claim_values_mean_of_set(t, run, NULL, 0);
}

double claim_values_percent(const struct claim_values *t, double mean)
{
    return claim_is_ratio(t->claim) ? 100 * (mean - 1) : mean;
}

void claim_values_print(const struct claim_values *t, double v, struct text *out)
{
    if (isnan(v))
        text_printf(out, "?");
    else if (claim_is_ratio(t->claim) && v < 2)
        text_printf(out, "%+.1f%%", 100 * (v - 1));
    else if (claim_is_ratio(t->claim))
        text_printf(out, "%.2fx", v);
    else if (metric_unit(t->claim->metric) == METRIC_SHARE)
        text_printf(out, "%.1f%%", v);
    else
        text_printf(out, v == floor(v) ? "%.0f" : "%.3g", v);
}

void claim_values_print_all(const struct claim_values *t, struct text *out)
{
    for (int i = 0; i < t->program_count; i++) {
        text_printf(out, "%s%s", i ? ", " : "", claim_values_label(t, i));
        for (int r = 0; r < t->claim->run_count; r++) {
            text_printf(out, " ");
            claim_values_print(t, t->value[i][r], out);
        }
    }
}

void claim_values_print_count(const struct claim_values *t, int good, struct text *out)
{
    if (t->program_count > 1)
        text_printf(out, "%d of %d", good, t->program_count);
    for (int r = 0; t->program_count == 1 && r < t->claim->run_count; r++) {
        text_printf(out, "%s", r ? " " : "");
        claim_values_print(t, t->value[0][r], out);
    }
}
