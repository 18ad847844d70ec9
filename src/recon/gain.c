/*
 * Gain: how much faster a prediction makes a warp, as a closed formula of costs and probabilities. gain.h says what is
 * assumed and guessed. "Now" is with barriers at post-dominators, "then" is with the prediction. Nothing here knows the
 * program.
 */
#include "recon/gain.h"

#include <math.h>
#include <stddef.h>

/* Thresholds that are tried, in threads; 0: a hard barrier, at which all threads wait. */
static const int thresholds[] = {0, 4, 8, 12, 16, 20, 24, 28};

enum { THRESHOLDS = sizeof thresholds / sizeof *thresholds, MOST_GUESSES = 4 };

static const double SOFT_BONUS = 1.05; /* factor by which a soft barrier must be better than a hard one */

/* Probability that some of the threads do what each does with probability p. */
static double any_of(double threads, double p)
{
    return 1 - pow(1 - p, threads);
}

/* Expected iterations until `threads` threads did what each does with probability p per iteration: the longest of that
 * many geometric waits. */
static double rounds_until_all(double threads, double p)
{
    const double euler = 0.5772;
    if (p >= 1)
        return 1;
    double mean = 1 / p, longest = 0.5 + (log(threads) + euler) / -log1p(-p);
    return threads <= 1 || longest < mean ? mean : longest;
}

/* ---- iteration delay ---- */

/* Time now: the warp runs the common code in each iteration in which any thread does. */
static double delay_now(double width, const struct gain_delay *d)
{
    return (d->rest + any_of(width, d->often) * d->common) / d->often;
}

/* Time with the prediction: threads iterate until all, or `threshold`, of them wait; then these run the common code
 * once. */
static double delay_then(double width, const struct gain_delay *d, int threshold)
{
    if (!threshold)
        return d->common + GAIN_WAIT_COST + rounds_until_all(width, d->often) * d->rest_diverged;
    double rounds = d->often < 1 ? fmax(1, ceil(log1p(-threshold / width) / log1p(-d->often))) : 1;
    double there = 1 - pow(1 - d->often, rounds);
    return (rounds * d->rest_diverged + d->common + GAIN_SOFT_COST) / there;
}

/* ---- loop merge ---- */

/* Time of a stay in the inner loop now: the warp stays as long as its longest thread. */
static double stay_now(double width, const struct gain_merge *m)
{
    double there = fmax(1, width * m->entered);
    double longest = m->spread > 0 ? m->spread * m->rounds : rounds_until_all(there, 1 / m->rounds);
    return (m->rest + any_of(width, m->entered) * longest * m->body) / m->entered;
}

/* Time of a stay if all threads wait: whenever some leave the loop, the others wait until these are back. */
static double stay_merged(double width, const struct gain_merge *m)
{
    double leaving = any_of(width, 1 / m->rounds), leavers = fmax(1, width / m->rounds / leaving);
    return m->rounds * (m->body + GAIN_WAIT_COST) +
           m->rounds * leaving * rounds_until_all(leavers, m->entered) * m->rest_diverged;
}

/* Time of a stay with a soft barrier: threads continue until fewer than `threshold` are left; then all others come back
 * together. */
static double stay_softly(double width, const struct gain_merge *m, int threshold)
{
    double turn = m->rounds * log(width / threshold), leavers = width - threshold;
    return (turn * (m->body + GAIN_SOFT_COST) + rounds_until_all(leavers, m->entered) * m->rest) * width / leavers;
}

/* Time of a stay if all threads enter and leave together, and none ever waits. */
static double stay_together(const struct gain_merge *m, int threshold)
{
    return (m->rest + m->rounds * (m->body + (threshold ? GAIN_SOFT_COST : GAIN_WAIT_COST))) / m->entered;
}

static double stay_then(double width, const struct gain_merge *m, int threshold)
{
    if (m->spread == 1)
        return stay_together(m, threshold);
    return threshold ? stay_softly(width, m, threshold) : stay_merged(width, m);
}

/* ---- guesses ---- */

/* The gain by guess and by threshold. */
struct gain_table {
    double gain[MOST_GUESSES][THRESHOLDS];
    int guesses;
    double width;
};

/* The gain with the i-th threshold. */
static struct gain gain_with(const struct gain_table *t, int i)
{
    double sum = 0;
    struct gain gain = {.least = t->gain[0][i], .threshold = thresholds[i]};
    for (int g = 0; g < t->guesses; g++) {
        sum += log(t->gain[g][i]) / t->guesses;
        gain.least = fmin(gain.least, t->gain[g][i]);
    }
    gain.mean = exp(sum);
    return gain;
}

/* The threshold with the best mean gain among those that no guess puts below GAIN_LEAST, if there are such. */
static struct gain choose(const struct gain_table *t)
{
    struct gain best = gain_with(t, 0);
    for (int i = 1; i < THRESHOLDS && thresholds[i] < t->width; i++) {
        struct gain g = gain_with(t, i);
        bool is_safe = g.least >= GAIN_LEAST, best_is_safe = best.least >= GAIN_LEAST;
        double bonus = best.threshold ? 1 : SOFT_BONUS;
        if (is_safe != best_is_safe ? is_safe : g.mean > best.mean * bonus)
            best = g;
    }
    return best;
}

struct gain gain_of_delay(double width, const struct gain_delay *delay, bool is_known)
{
    struct gain_delay guess[] = {*delay, *delay, *delay};
    struct gain_table t = {.guesses = is_known ? 1 : 3, .width = width};
    guess[1].often = delay->often / 4;
    guess[2].often = (1 + delay->often) / 2;
    for (int g = 0; g < t.guesses; g++)
        for (int i = 0; i < THRESHOLDS && thresholds[i] < width; i++)
            t.gain[g][i] = delay_now(width, &guess[g]) / delay_then(width, &guess[g], thresholds[i]);
    return choose(&t);
}

struct gain gain_of_merge(double width, const struct gain_merge *merge, bool is_known)
{
    struct gain_merge guess[] = {*merge, *merge, *merge, *merge};
    struct gain_table t = {.guesses = is_known ? 1 : MOST_GUESSES, .width = width};
    guess[1].rounds = fmax(fmin(merge->rounds, 1.5), merge->rounds / 2);
    guess[1].entered = merge->entered < 1 ? merge->entered / 2 : 1;
    guess[2].spread = 2;
    guess[3].spread = 1;
    for (int g = 0; g < t.guesses; g++)
        for (int i = 0; i < THRESHOLDS && thresholds[i] < width; i++)
            t.gain[g][i] = stay_now(width, &guess[g]) / stay_then(width, &guess[g], thresholds[i]);
    return choose(&t);
}
