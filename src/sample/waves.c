/* Sampling within one launch: see waves.h. */
#include "sample/waves.h"

#include "base/random.h"

#include <math.h>
#include <string.h>

enum {
    LEAD = 2,            /* waves before the first sample: one in which the machine fills, one for warm-up */
    WARM_UP = 1,         /* waves between a gap and its next sample */
    LENGTH = 1,          /* waves of a sample: eight of one say more than five of two, and take no longer */
    TAIL = 1,            /* waves behind the last sample, at least */
    LEAST_SAMPLES = 8,   /* fewer say nothing of the variance */
    FIRST_SAMPLES = 16,  /* most samples of the first attempt */
    WAVES_A_SAMPLE = 60, /* waves of the launch for each sample of the first attempt */
    THINNED_FROM = 4     /* samples from which on every second one may be left out */
};

/* Samples are left out if the others are expected to give a sampling error of this share of the room for it. */
static const double thinned_room = 0.5;

/* Waves that are timed for so many samples. */
static uint64_t timed_waves(int samples)
{
    return LEAD + (uint64_t)samples * LENGTH + (uint64_t)(samples - 1) * WARM_UP + TAIL;
}

/* Whether sampling skips at least half of the launch: less is not worth the error. */
static bool is_worth_it(uint64_t waves, int samples)
{
    return samples <= WAVES_MAX_SAMPLES && waves >= 2 * timed_waves(samples);
}

int waves_first_samples(uint64_t waves)
{
    uint64_t samples = waves / WAVES_A_SAMPLE;
    samples = samples < LEAST_SAMPLES ? LEAST_SAMPLES : samples > FIRST_SAMPLES ? FIRST_SAMPLES : samples;
    return is_worth_it(waves, (int)samples) ? (int)samples : 0;
}

int waves_next_samples(const struct waves *w, const struct sample_estimate *e, uint64_t wave_count)
{
    double room = sample_target * e->cycles - (e->half_cycles - e->sampling_half);
    double more = room > 0 ? e->sampling_half / room : WAVES_MAX_SAMPLES;
    more *= sample_student(LEAST_SAMPLES * 3) / sample_student(w->done - 1); /* more samples know the variance better */
    double samples = ceil(1.2 * w->done * more * more); /* a fifth more, since the variance is an estimate too */
    if (samples < w->done + 1)
        samples = w->done + 1;
    return samples <= WAVES_MAX_SAMPLES && is_worth_it(wave_count, (int)samples) ? (int)samples : 0;
}

/* Places the samples: the gaps between them, in waves. */
static void plan(struct waves *w, uint64_t wave_count)
{
    struct random random = {w->seed};
    if (w->wanted < LEAST_SAMPLES || !is_worth_it(wave_count, w->wanted))
        return;
    w->samples = w->wanted;
    double skipped = (double)(wave_count - timed_waves(w->samples)), distance = skipped / (w->samples - 1);
    uint64_t before = 0; /* waves that are skipped before the sample */
    for (int i = 1; i < w->samples; i++) {
        double move = (double)(random_u64(&random) >> 11) * 0x1p-53 - 0.5; /* -0.5 to 0.5 of half the distance */
        bool is_last = i == w->samples - 1;
        uint64_t at = (uint64_t)(distance * (i + (is_last ? 0 : move / 2)));
        w->gap[i - 1] = at > before ? at - before : 0;
        before += w->gap[i - 1];
    }
}

/* The variance of the rates so far relative to their mean, by the unit that varies less. */
static double relative_variance(const struct waves *w)
{
    double least = INFINITY;
    const int units = w->counts_threads ? WAVES_THREADS + 1 : WAVES_UNITS; /* threads are the first unit */
    for (int u = 0; u < units; u++) {
        const double *rate = w->by[u].rate;
        double sum = rate[0], squares = 0;
        for (int i = 1; i < w->done; i++) {
            sum += rate[i];
            squares += (rate[i] - rate[i - 1]) * (rate[i] - rate[i - 1]);
        }
        double mean = sum / w->done, variance = squares / (2 * (w->done - 1)) / (mean * mean);
        least = variance < least ? variance : least;
    }
    return least;
}

/* Whether the next planned sample can be left out: its neighbours say enough. The last one never is. */
static bool leaves_out_next(const struct waves *w)
{
    int left = w->samples - w->slot; /* planned behind the one that has ended */
    int all = w->done + (left + 1) / 2;
    if (!w->thins || w->done < THINNED_FROM || left < 2 || all < LEAST_SAMPLES)
        return false;
    double half = sample_student(w->done - 1) * sqrt(relative_variance(w) / all);
    return half <= thinned_room * (sample_target - sample_allowance);
}

/* Where a sample begins. */
static void begin_sample(struct waves *w, double cycle, const double work[WAVES_UNITS])
{
    w->is_measuring = true;
    w->begin_cycle = cycle;
    for (int u = 0; u < WAVES_UNITS; u++)
        w->by[u].begin = work[u];
}

static void end_sample(struct waves *w, double cycle, const double work[WAVES_UNITS])
{
    w->is_measuring = false;
    for (int u = 0; u < WAVES_UNITS; u++) {
        struct waves_rates *by = &w->by[u];
        by->rate[w->done] = work[u] > by->begin ? (cycle - w->begin_cycle) / (work[u] - by->begin) : 0;
    }
    w->done++;
}

static uint64_t choose(void *context, const struct gpu_moment *m, uint64_t *again)
{
    struct waves *w = context;
    const double work[] = {
        [WAVES_THREADS] = (double)m->thread_instructions, [WAVES_WARPS] = (double)m->warp_instructions};
    *again = UINT64_MAX;
    if (!w->wave) { /* the machine is full */
        w->wave = m->wave_blocks - m->wave_blocks % (uint64_t)m->cluster_size;
        plan(w, m->block_count / w->wave);
        if (w->samples)
            *again = LEAD * w->wave;
        return 0;
    }
    if (!w->is_measuring) {
        begin_sample(w, (double)m->cycle, work);
        *again = m->next_block + LENGTH * w->wave;
        return 0;
    }
    end_sample(w, (double)m->cycle, work);
    w->slot++;
    uint64_t skipped_waves = w->gap[w->slot - 1];
    if (leaves_out_next(w))
        skipped_waves += WARM_UP + LENGTH + w->gap[w->slot++];
    if (w->slot < w->samples)
        *again = m->next_block + (skipped_waves + WARM_UP) * w->wave;
    return skipped_waves * w->wave;
}

static void skipped(void *context, const struct launch_result *all)
{
    struct waves *w = context;
    const double work[] = {
        [WAVES_THREADS] = (double)all->thread_instructions, [WAVES_WARPS] = (double)all->warp_instructions};
    for (int u = 0; u < WAVES_UNITS; u++) {
        w->by[u].gap_work[w->done - 1] = work[u] - w->by[u].skipped;
        w->by[u].skipped = work[u];
    }
}

void waves_begin(struct waves *w, int wanted, bool counts_threads, uint64_t seed, struct gpu_skipper *skipper)
{
    *w = (struct waves){
        .wanted = wanted, .thins = wanted <= FIRST_SAMPLES, .counts_threads = counts_threads, .seed = seed};
    *skipper = (struct gpu_skipper){w, choose, skipped};
}

/* Cycles of the gaps by one unit of work; *error gets the standard error of this sum. */
static double gap_cycles_by(const struct waves *w, enum waves_unit unit, double *error)
{
    const struct waves_rates *by = &w->by[unit];
    double cycles = 0, squares = 0, weights = 0;
    for (int i = 0; i < w->done; i++) {
        double left = i ? by->gap_work[i - 1] : 0, right = i + 1 < w->done ? by->gap_work[i] : 0;
        double weight = (left + right) / 2, step = i ? by->rate[i] - by->rate[i - 1] : 0;
        cycles += weight * by->rate[i];
        weights += weight * weight;
        squares += step * step;
    }
    *error = sqrt(weights * squares / (2 * (w->done - 1)));
    return cycles;
}

/* Cycles of the gaps by the unit whose rates vary less. */
static double gap_cycles(const struct waves *w, double *error)
{
    double warp_error, cycles = gap_cycles_by(w, WAVES_THREADS, error);
    double warp_cycles = gap_cycles_by(w, WAVES_WARPS, &warp_error);
    if (w->counts_threads || warp_error * cycles > *error * warp_cycles)
        return cycles;
    *error = warp_error;
    return warp_cycles;
}

void waves_estimate(const struct waves *w, const struct gpu_result *result, uint64_t blocks, struct sample_estimate *e)
{
    const struct gpu_skipped *s = &result->skipped;
    double cycles = (double)result->cycles, work = (double)result->sm.thread_instructions, error;
    *e = (struct sample_estimate){.cycles = cycles,
                                  .timed_cycles = cycles,
                                  .timed_work = work,
                                  .work = work,
                                  .timed_blocks = blocks - s->blocks,
                                  .blocks = blocks};
    if (!s->blocks)
        return;
    if (result->launch.fault.kind) {
        e->why = "it ended with a fault, and blocks that were skipped before it do not count";
        return;
    }
    double gaps = gap_cycles(w, &error);
    e->cycles += gaps;
    e->work += (double)s->thread_instructions;
    e->samples = w->done;
    e->sampling_half = sample_student(w->done - 1) * error;
    e->half_cycles = e->sampling_half + sample_allowance * gaps;
}
