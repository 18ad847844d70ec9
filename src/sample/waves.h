/*
 * Waves: sampling within one launch.
 *
 * A wave is as many blocks as all multiprocessors hold together. The machine times the first two waves, in which it
 * fills, and then samples of one wave each, between which whole waves are executed without time (gpu/skip.h). After
 * such a gap one wave is timed for warm-up and not measured, so that all blocks that run during a sample started behind
 * the gap, and the caches hold what such blocks bring. The last waves are timed too, so that start and tail of the
 * launch are simulated and not extrapolated. Samples lie at even distances, each moved by up to a quarter of the
 * distance, at random from a fixed seed, so that they do not keep step with a period of the grid. Where the rates so
 * far vary so little that half as many samples would do, every second planned sample is left out.
 *
 * A sample gives two rates: cycles per warp instruction, and cycles per thread instruction. A gap takes its own number
 * of instructions, which the functional engine counts exactly, times the mean of the rates at its two ends. The rates
 * that vary less between samples are taken: where issue limits a kernel, warp instructions measure its work better;
 * where lanes that gather from memory limit it, thread instructions do. Under mechanisms that form other warps than the
 * functional engine, only thread instructions count. The variance between samples is half the mean square of the
 * differences of neighbours, so that a slow drift over the grid, which the means at both ends follow, does not count as
 * noise.
 */
#ifndef HEDDLE_SAMPLE_WAVES_H
#define HEDDLE_SAMPLE_WAVES_H

#include "gpu/gpu.h"
#include "sample/estimate.h"

enum { WAVES_MAX_SAMPLES = 1024 };

/* What work is measured in. */
enum waves_unit { WAVES_THREADS, WAVES_WARPS, WAVES_UNITS };

/* Samples and gaps by one unit of work. */
struct waves_rates {
    double begin;                       /* work of the machine when the sample began */
    double rate[WAVES_MAX_SAMPLES];     /* [sample] cycles per instruction */
    double gap_work[WAVES_MAX_SAMPLES]; /* [sample] instructions that were skipped behind it */
    double skipped;                     /* instructions of all gaps so far */
};

struct waves {
    int wanted;          /* samples that the plan is to have; set by the caller */
    bool counts_threads; /* work is thread instructions, not warp instructions; set by the caller */
    /* The rest is the launch's. */
    uint64_t seed;
    bool thins;                      /* planned samples may be left out */
    int samples;                     /* planned; 0: the launch is too short, and is timed whole */
    int slot;                        /* planned samples that have ended or were left out */
    int done;                        /* samples that have ended */
    uint64_t wave;                   /* blocks of a wave */
    uint64_t gap[WAVES_MAX_SAMPLES]; /* [sample] waves that are skipped behind the sample */
    bool is_measuring;               /* a sample has begun and not ended */
    double begin_cycle;              /* of the sample */
    struct waves_rates by[WAVES_UNITS];
};

/* Prepares the plan, and the skipper that carries it out, for one run of a launch. The skipper refers to `waves`. */
void waves_begin(struct waves *waves, int wanted, bool counts_threads, uint64_t seed, struct gpu_skipper *skipper);
/* How many samples a launch of so many waves gets at first; 0: it has too few waves to be sampled. */
int waves_first_samples(uint64_t waves);
/* How many samples would make the interval narrow enough; 0: the launch has too few waves for them. `waves`: as it
 * stands after a launch. */
int waves_next_samples(const struct waves *waves, const struct sample_estimate *estimate, uint64_t wave_count);
/* The estimate of a launch. One that ended with a fault counts with what was timed, since its last gap has no end. */
void waves_estimate(const struct waves *waves, const struct gpu_result *result, uint64_t blocks,
                    struct sample_estimate *estimate);

#endif
