/*
 * Interval series: what a launch did in each stretch of N cycles. interval_note() gets all counters so far at each
 * multiple of N; the series keeps their differences.
 */
#ifndef HEDDLE_REPORT_INTERVAL_H
#define HEDDLE_REPORT_INTERVAL_H

#include "base/text.h"
#include "stat/stat.h"

#include <stdbool.h>

/* The counters that a series keeps; paths[] in interval.c names them. */
enum interval_counter {
    INTERVAL_WARPS,
    INTERVAL_THREADS,
    INTERVAL_SLOTS,
    INTERVAL_RESIDENT,
    INTERVAL_L1D_MISSES,
    INTERVAL_L2_MISSES,
    INTERVAL_DRAM_BYTES,
    INTERVAL_PCS,
    INTERVAL_COMMITS,
    INTERVAL_GANGS, /* slice warps in gangs of 1, 2, ... 8, under variable warp sizing */
    INTERVAL_COUNTERS = INTERVAL_GANGS + 8
};

struct interval {
    uint64_t end;                        /* the last cycle */
    uint64_t cycles;                     /* number of cycles */
    uint64_t counted[INTERVAL_COUNTERS]; /* what each counter grew by in the interval */
};

struct interval_series {
    struct interval *data; /* owned */
    int count, capacity;
    uint64_t cycles;                    /* of all intervals so far */
    uint64_t before[INTERVAL_COUNTERS]; /* the counters at the end of the last interval */
    bool has_gangs;                     /* the mechanism counts gangs, so the series has their sizes */
};

/* Ends an interval at `cycle`; `so_far` has all counters since the start of the launch. To be called once more when the
 * launch is over, for the last, shorter interval. A call at which no cycle has passed since the last adds nothing. */
void interval_note(struct interval_series *series, uint64_t cycle, const struct stat_result *so_far);
void interval_free(struct interval_series *series);

/* A table of at most 32 rows, with several intervals per row if there are more; or, if `is_utf8`, one line of bars per
 * figure. The sizes of gangs are in the bars, in JSON and in CSV, but not in the table, which must fit a terminal. */
void interval_text(const struct interval_series *series, bool is_utf8, struct text *out);
void interval_json(const struct interval_series *series, struct text *out); /* an array of objects */
void interval_csv(const struct interval_series *series, bool has_heading, struct text *out);

#endif
