/* Random graphs under knobs drawn at random, on which every thread must walk its own path. */
#ifndef HEDDLE_TESTS_DIV_GRAPHS_H
#define HEDDLE_TESTS_DIV_GRAPHS_H

#include "div/table.h"
#include "div_random.h"
#include "div_script.h"

enum { GRAPH_WALKERS = 64 + 75 }; /* two blocks: 40 threads in two rows, and 75 */

/* What a walk of both blocks must have counted, or NULL; `steps` are those of all threads together. */
typedef void graph_counts(struct bench *b, int steps);

static inline void graph_walk(struct bench *b, const struct div_ops *ops, int width, const uint64_t *path,
                              const int *steps, graph_counts *expect)
{
    int total = 0;
    bench_begin_with(b, ops, width);
    bench_launch(b, 0, 40);
    bench_launch(b, 1, 75);
    bench_run(b);
    compare_paths(b, path, steps, 0, 40);
    compare_paths(b, path, steps, 64, GRAPH_WALKERS);
    for (int i = 0; i < GRAPH_WALKERS; i++)
        total += i < 40 || i >= 64 ? steps[i] : 0;
    assert_in_range(b->issues, (total + width - 1) / width, total);
    if (expect)
        expect(b, total);
    bench_end(b);
}

/* Barriers in divergent code only if the mechanism has an answer to them. With `same_calls`, threads of a strand must
 * have the same callers. */
static inline void graphs_walk_any(const char *mechanism, uint64_t rounds, bool barriers, graph_counts *expect,
                                   bool same_calls)
{
    static const int widths[] = {1, 2, 4, 32, 64};
    static struct bench b;
    const struct div_ops *ops = div_find(mechanism);
    uint64_t path[GRAPH_WALKERS];
    int steps[GRAPH_WALKERS];
    for (uint64_t seed = 1; seed <= rounds; seed++) {
        struct random r = {seed};
        struct knob_words knobs;
        char *text = random_module(&r, barriers && seed & 4);
        bench_open(&b, text, random_choice, &seed);
        walk_alone(&b, path, steps, GRAPH_WALKERS);
        b.knobs = &knobs;
        b.same_calls = same_calls;
        for (int w = 0; w < 5; w++) {
            if (w)
                draw_knobs(&r, ops->knobs, &knobs);
            else
                set_knobs(&knobs, ops->knobs, NULL);
            b.latency = w & 1 ? 5 : 0;
            b.loads = w & 2;
            graph_walk(&b, ops, widths[w], path, steps, expect);
        }
        bench_close(&b);
        free(text);
    }
}

static inline void graphs_walk(const char *mechanism, uint64_t rounds, bool barriers, graph_counts *expect)
{
    graphs_walk_any(mechanism, rounds, barriers, expect, true);
}

static inline void what_is_pushed_is_popped(struct bench *b, int steps)
{
    (void)steps;
    assert_int_equal(bench_counter(b, "pushes"), bench_counter(b, "pops"));
}

#endif
