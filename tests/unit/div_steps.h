/*
 * Steps of tests on the bench: which strand has a thread, letting all run until it is at a label, and ways that threads
 * take by a script.
 */
#ifndef HEDDLE_TESTS_DIV_STEPS_H
#define HEDDLE_TESTS_DIV_STEPS_H

#include "div_bench.h"

static inline struct strand *strand_of(struct bench *b, int thread)
{
    assert_in_range(b->strand_of[thread], 0, BENCH_STRANDS - 1);
    return &b->strand[b->strand_of[thread]];
}

static inline int strand_count(const struct bench *b)
{
    int count = 0;
    for (int i = 0; i < BENCH_STRANDS; i++)
        count += b->used[i];
    return count;
}

static inline bool is_at(struct bench *b, const struct strand *s, const char *label)
{
    const char *here = bench_label(b, s->pc, false);
    return here && !strcmp(here, label);
}

/* Issues until the thread's strand is about to execute what stands behind `label`. */
static inline struct strand *run_to(struct bench *b, int thread, const char *label)
{
    while (b->strand_of[thread] < 0 || !is_at(b, strand_of(b, thread), label)) {
        assert_true(bench_cycle(b));
        assert_in_range(b->host.now, 0, 1000);
    }
    return strand_of(b, thread);
}

static inline int never(struct bench *b, int thread, int32_t pc, int ways)
{
    (void)b;
    (void)thread;
    (void)pc;
    return ways - 1;
}

/* Thread t of a row goes the way that is the t-th digit of the script. */
static inline int by_lane(struct bench *b, int thread, int32_t pc, int ways)
{
    (void)pc;
    const char *way = b->script;
    assert_in_range(way[thread % 32] - '0', 0, ways - 1);
    return way[thread % 32] - '0';
}

#endif
