/* Sums over launches that are taken for alike: see tally.h. */
#include "sample/tally.h"

#include "sample/estimate.h"

#include <math.h>

enum {
    LEVEL_LAUNCHES = 4, /* measured launches whose mean counts for those behind the last */
    LEAST_BENDS = 4 /* differences between rates and their neighbours, below which they say nothing of the variance */
};

/* Square of half the interval, over the square of the work of a gap times the change of the rate over it. The change
 * may have come at once, and anywhere in the gap: then the error of the mean of both rates is spread evenly, up to half
 * the change either way. */
static const double change_half_squared = 0.95 * 0.95 / 4;
/* A change of a rate counts as far as its square is more than so many times what noise makes of it on average. */
static const double seen_over_noise = 2;

double tally_work(const struct tally_launch *l, enum tally_unit unit)
{
    double root = sqrt(sqrt(l->work)), work = 1;
    if (unit == TALLY_INSTRUCTIONS)
        return l->work;
    for (int u = unit; u < TALLY_LAUNCHES; u++)
        work *= root;
    return work;
}

/* The square of the difference between the last rate and the line through the rates before and behind it, relative to
 * the rate and divided by the variance that it would have if each rate had a variance of 1. `share`: where between the
 * two the last rate stands, from 0 to 1. */
static double bend_squared(const struct tally_rates *r, double rate, double share)
{
    double bend = (r->last - (1 - share) * r->before - share * rate) / r->last;
    return bend * bend / (1 + share * share + (1 - share) * (1 - share));
}

/* The part of a change of the rate over so much work that the step before does not foresee: a drift that goes on is no
 * change at once. A step before that is much shorter foresees nothing. */
static double unforeseen(const struct tally_rates *r, double change, double distance)
{
    if (4 * r->distance < distance || r->step * change <= 0)
        return change;
    double foreseen = r->step / r->distance * distance;
    return fabs(foreseen) >= fabs(change) ? 0 : change - foreseen;
}

/* Notes by how much the rate changed from one measured launch to the next, of this work and rate. */
static void note_change(struct tally_rates *r, double work, double rate)
{
    const double step = rate - r->last, distance = r->open_work + work;
    const double change = unforeseen(r, step, distance);
    if (r->open_work * fabs(change) > r->change_work * fabs(r->change)) {
        r->change_work = r->open_work;
        r->change = change;
    }
    r->distance = distance;
    r->step = step;
}

/* Closes the gap before a launch that was measured: the gap takes the mean of the rates at its two ends. */
static void close_gap(struct tally_rates *r, double work, double rate, const struct tally *t)
{
    if (!t->measured) {
        r->closed_cycles = r->open_work * rate;
        r->left = r->open_work;
    } else {
        double weight = r->left + r->open_work / 2, step = 2 * (rate - r->last) / (rate + r->last);
        double follow = t->measured < LEVEL_LAUNCHES ? 1.0 / t->measured : 1.0 / LEVEL_LAUNCHES;
        r->closed_cycles += r->open_work * (r->last + rate) / 2;
        r->weights_squared += weight * weight;
        note_change(r, work, rate);
        r->steps_squared += step * step;
        r->trend += follow * (step - r->trend);
        r->noise += follow * (step * step - r->noise);
        r->left = r->open_work / 2;
    }
    if (t->measured > 1)
        r->bends_squared += bend_squared(r, rate, (double)(t->last_at - t->before_at) / (t->launches - t->before_at));
    r->open_work = 0;
    r->before = r->last;
    r->last = rate;
}

/* Adds a rate to the means of rates. A single rate would mislead: launches that happened to be fast would seem to need
 * fewer samples, and count for more launches. */
static void follow(struct tally_rates *r, double rate, int measured)
{
    double weight = measured < LEVEL_LAUNCHES ? 1.0 / measured : 1.0 / LEVEL_LAUNCHES;
    r->level += weight * (rate - r->level);
    r->sum += rate;
}

void tally_add(struct tally *t, const struct tally_launch *l, const struct tally *alike)
{
    t->launches++;
    t->work += l->work;
    for (int u = 0; u < TALLY_UNITS && !l->is_timed; u++) {
        double work = tally_work(l, u), before = alike ? alike->by[u].open_work : 0;
        t->by[u].open_work += work;
        t->by[u].each_work_squared += work * (work + 2 * before);
    }
    if (!l->is_timed)
        return;
    t->timed_cycles += l->cycles;
    t->timed_work += l->work;
    t->timed_half_squared += l->sampling_half * l->sampling_half;
    t->timed_allowance += l->half - l->sampling_half;
    if (!l->is_measured || l->work <= 0 || l->cycles <= 0)
        return;
    double relative = l->sampling_half / l->cycles;
    for (int u = 0; u < TALLY_UNITS; u++) {
        double work = tally_work(l, u), rate = l->cycles / work;
        close_gap(&t->by[u], work, rate, t);
        follow(&t->by[u], rate, t->measured + 1);
    }
    t->measured++;
    t->before_at = t->last_at;
    t->last_at = t->launches;
    t->relative_squared += relative * relative;
}

void tally_spread_add(struct tally_spread *s, const struct tally *t)
{
    for (int u = 0; u < TALLY_UNITS; u++) {
        s->steps_squared[u] += t->by[u].steps_squared;
        s->bends_squared[u] += t->by[u].bends_squared;
    }
    s->steps += t->measured > 1 ? t->measured - 1 : 0;
    s->bends += t->measured > 2 ? t->measured - 2 : 0;
}

double tally_ahead_squared(const struct tally_spread *s, enum tally_unit unit)
{
    double student = sample_student(s->steps);
    return s->steps > 0 ? student * student * s->steps_squared[unit] / (2 * s->steps) : 0;
}

double tally_between_squared(const struct tally_spread *s, enum tally_unit unit)
{
    if (s->bends < LEAST_BENDS)
        return tally_ahead_squared(s, unit);
    double student = sample_student(s->bends / 2); /* neighbouring bends have rates in common, and say half as much */
    return student * student * s->bends_squared[unit] / s->bends;
}

double tally_rate_ahead(const struct tally *t, enum tally_unit unit)
{
    const struct tally_rates *r = &t->by[unit];
    bool drifts = t->measured > LEVEL_LAUNCHES && 4 * r->trend * r->trend > r->noise;
    return drifts ? r->last : r->level;
}

/* The variance of a rate, relative to its square, from what drifts do not add to, if enough is known of that. */
static double noise_squared(const struct tally_spread *s, enum tally_unit unit)
{
    if (s->bends >= LEAST_BENDS)
        return s->bends_squared[unit] / s->bends;
    return s->steps ? s->steps_squared[unit] / (2 * s->steps) : 0;
}

/* The square of the largest change of the rate over a gap times the work of the gap, less what noise of this variance
 * makes of it: the difference of two rates has twice their variance. */
static double seen_change(const struct tally_rates *r, double variance)
{
    return r->change_work * r->change_work * fmax(r->change * r->change - seen_over_noise * 2 * variance, 0);
}

/* The square of how far the mean of the last four rates lags behind the last one, less what noise of this variance
 * makes of it: three quarters of the variance. */
static double seen_lag(const struct tally_rates *r, double variance)
{
    double lag = r->last - r->level;
    return fmax(lag * lag - seen_over_noise * 0.75 * variance, 0);
}

struct tally_sum tally_open(const struct tally *t, const struct tally *others, const struct tally_spread *s,
                            enum tally_unit unit)
{
    const struct tally_rates *r = &t->by[unit];
    const struct tally *known = t->measured ? t : others;
    double n = known->measured, mean = n > 0 ? known->by[unit].sum / n : 0;
    struct tally_sum sum = {.cycles = r->closed_cycles + r->open_work * tally_rate_ahead(known, unit)};
    double noise = noise_squared(s, unit);
    double between = tally_between_squared(s, unit), ahead = fmax(between, tally_ahead_squared(s, unit));
    double work_squared = between * (r->weights_squared + r->left * r->left + r->each_work_squared);
    work_squared += ahead * r->open_work * (r->open_work + 2 * r->left);
    sum.half_squared = mean * mean * work_squared + change_half_squared * seen_change(r, mean * mean * noise);
    sum.half_squared += r->open_work * r->open_work * seen_lag(&known->by[unit], mean * mean * noise);
    if (n > 0)
        sum.half_squared += known->relative_squared / (n * n) * sum.cycles * sum.cycles;
    return sum;
}

enum tally_unit tally_unit_of(const struct tally *t, const struct tally *others, const struct tally_spread *s)
{
    enum tally_unit best = TALLY_INSTRUCTIONS;
    struct tally_sum least = tally_open(t, others, s, best);
    for (int u = best + 1; u < TALLY_UNITS; u++) {
        struct tally_sum sum = tally_open(t, others, s, u);
        if (sum.half_squared * least.cycles * least.cycles < least.half_squared * sum.cycles * sum.cycles) {
            best = u;
            least = sum;
        }
    }
    return best;
}
