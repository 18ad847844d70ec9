/*
 * Walks of one warp of four threads under a mechanism that runs several of its paths: what each label issues, and
 * what the mechanism holds then; and random graphs under knobs drawn at random.
 */
#ifndef HEDDLE_TESTS_DIV_WALK_H
#define HEDDLE_TESTS_DIV_WALK_H

#include "div_bench.h"
#include "div_random.h"
#include "div_steps.h"

/* The n-th time that a thread is at the branch behind `label`, it takes the way that the label's n-th line
 * gives it; the last line goes on for ever. */
struct line {
    const char *label, *way;
};

struct walk {
    const char *mechanism, *knobs; /* "name=value ..."; NULL: defaults */
    const char *text;
    struct line script[8];
    const char *trace; /* expected */
    struct {
        const char *label, *state; /* expected whenever `label` issues */
    } watch[10];
};

struct knob_words {
    uint64_t word[64];
};

static inline void set_knobs(struct knob_words *values, const struct knob_table *table, const char *settings)
{
    char words[512], *rest = words, *error = NULL;
    knob_defaults(table, values);
    snprintf(words, sizeof words, "%s", settings ? settings : "");
    for (char *word; (word = strtok_r(rest, " ", &rest));) {
        char *equals = strchr(word, '=');
        assert_non_null(equals);
        *equals = '\0';
        if (!knob_set(table, values, word, equals + 1, &error))
            fail_msg("%s", error);
    }
}

static inline int scripted(struct bench *b, int thread, int32_t pc, int ways)
{
    const struct walk *walk = b->script;
    const char *label = bench_label(b, pc, true), *way = NULL;
    int visit = b->thread[thread].visits[b->program->insns[pc].branch];
    for (const struct line *l = walk->script; l->label; l++)
        if (!strcmp(l->label, label) && (!way || visit-- > 0))
            way = l->way;
    if (!way)
        fail_msg("nothing says where threads go from %s", label);
    assert_in_range(way[thread] - '0', 0, ways - 1);
    return way[thread] - '0';
}

/* What the mechanism holds for the only warp, in one line: "(G,1111,-) (F,0111,G)". */
static inline char *state_of(struct bench *b)
{
    struct text plain = {0}, out = {0};
    b->ops->dump(b->div, &plain);
    const char *line = strstr(plain.data, "\n  "); /* below "warp 0" */
    while (line && *++line == ' ') {
        const char *end = strchr(line, '\n');
        text_printf(&out, out.length ? " (" : "(");
        for (line += 2; line < end; line++)
            text_append(&out, *line == ' ' ? "," : line, 1);
        text_printf(&out, ")");
    }
    text_free(&plain);
    return text_take(&out);
}

static inline void watch_walk(struct bench *b, const char *label, struct strand *s)
{
    (void)s;
    const struct walk *walk = b->script;
    for (int i = 0; i < 10 && walk->watch[i].label; i++)
        if (!strcmp(walk->watch[i].label, label)) {
            char *state = state_of(b);
            assert_string_equal(state, walk->watch[i].state);
            free(state);
        }
}

/* The bench stays open, for its counters. */
static inline void play(struct bench *b, const struct walk *walk)
{
    struct knob_words knobs;
    const struct div_ops *ops = div_find(walk->mechanism);
    assert_non_null(ops);
    set_knobs(&knobs, ops->knobs, walk->knobs);
    bench_open(b, walk->text, scripted, walk);
    b->knobs = &knobs;
    b->watch = watch_walk;
    bench_begin_with(b, ops, 4);
    bench_launch(b, 0, 4);
    bench_run(b);
    assert_string_equal(b->trace.data, walk->trace);
    for (int i = 0; i < 10 && walk->watch[i].label; i++)
        assert_non_null(strstr(walk->trace, walk->watch[i].label));
}

static inline void play_only(const struct walk *walk)
{
    struct bench b;
    play(&b, walk);
    bench_close(&b);
}

static inline void draw_knobs(struct random *r, const struct knob_table *table, struct knob_words *values)
{
    knob_defaults(table, values);
    for (int i = 0; i < table->count; i++) {
        const struct knob *k = &table->knobs[i];
        char value[32], *error = NULL;
        double most = k->high < 20 ? k->high : 20;
        int drawn = (int)k->low + (int)(random_u64(r) % (uint64_t)(most - k->low + 1));
        if (k->kind == KNOB_CHOICE)
            snprintf(value, sizeof value, "%s", k->choices[drawn]);
        else if (k->kind == KNOB_BOOL)
            snprintf(value, sizeof value, "%s", drawn ? "yes" : "no");
        else
            snprintf(value, sizeof value, "%d", drawn);
        if (!knob_set(table, values, k->name, value, &error))
            fail_msg("%s", error);
    }
}

static inline void walk_together(struct bench *b, const struct div_ops *ops, int width, const uint64_t *path,
                                 const int *steps)
{
    int total = 0;
    bench_begin_with(b, ops, width);
    bench_launch(b, 0, 40);
    bench_launch(b, 1, 75);
    bench_run(b);
    compare_paths(b, path, steps, 0, 40);
    compare_paths(b, path, steps, 64, 64 + 75);
    for (int i = 0; i < 64 + 75; i++)
        total += i < 40 || i >= 64 ? steps[i] : 0;
    assert_in_range(b->issues, (total + width - 1) / width, total);
    assert_int_equal(bench_counter(b, "issues"), b->issues);
    assert_in_range(bench_counter(b, "rounds"), 1, b->issues);
    assert_true(bench_counter(b, "path_issues") >= (uint64_t)b->issues);
    if (!strcmp(ops->name, "multipath"))
        assert_int_equal(bench_counter(b, "meetings"), bench_counter(b, "met"));
    else
        assert_int_equal(bench_counter(b, "pushes"), bench_counter(b, "pops"));
    bench_end(b);
}

/* Barriers in divergent code only if the mechanism has an answer to them. */
static inline void walk_random_graphs(const char *mechanism, uint64_t rounds, bool barriers)
{
    static const int widths[] = {1, 2, 4, 32, 64};
    static struct bench b;
    const struct div_ops *ops = div_find(mechanism);
    uint64_t path[64 + 75];
    int steps[64 + 75];
    for (uint64_t seed = 1; seed <= rounds; seed++) {
        struct random r = {seed};
        struct knob_words knobs;
        char *text = random_module(&r, barriers && seed & 4);
        bench_open(&b, text, random_choice, &seed);
        walk_alone(&b, path, steps, 64 + 75);
        b.knobs = &knobs;
        for (int w = 0; w < 5; w++) {
            if (w)
                draw_knobs(&r, ops->knobs, &knobs);
            else
                knob_defaults(ops->knobs, &knobs);
            b.latency = w & 1 ? 5 : 0;
            b.loads = w & 2;
            walk_together(&b, ops, widths[w], path, steps);
        }
        bench_close(&b);
        free(text);
    }
}

#endif
