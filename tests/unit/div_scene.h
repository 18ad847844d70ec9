/*
 * Scenes: a block of warps of four threads under a mechanism that packs threads of several warps into new
 * ones; which threads issue at each label, in order.
 */
#ifndef HEDDLE_TESTS_DIV_SCENE_H
#define HEDDLE_TESTS_DIV_SCENE_H

#include "div/table.h"
#include "div_script.h"
#include "div_steps.h"

struct scene {
    const char *mechanism, *knobs; /* "name=value ..."; NULL: defaults */
    const char *text;
    int threads; /* of the block; W = 4 */
    struct line script[8];
    const char *trace; /* expected: "C:167 " for each issue at a label, with its threads, from 1 or a on */
};

static struct text scene_seen;
static struct knob_words scene_knobs;

static inline int scene_way(struct bench *b, int thread, int32_t pc, int ways)
{
    return script_way(b, ((const struct scene *)b->script)->script, thread, pc, ways);
}

/* Threads in the order of their home slots, as Fung and Aamodt draw warps. */
static inline void scene_note(struct bench *b, const char *label, struct strand *s)
{
    text_printf(&scene_seen, "%s:", label);
    for (int slot = 0; slot < b->host.facts.width; slot++)
        for (int t = slot; t < 32; t += b->host.facts.width)
            if (threads_of_row(&s->threads, 0) >> t & 1)
                text_printf(&scene_seen, "%c", t < 9 ? '1' + t : 'a' + t - 9);
    text_printf(&scene_seen, " ");
}

static inline void scene_begin(struct bench *b, const struct scene *scene)
{
    const struct div_ops *ops = div_find(scene->mechanism);
    assert_non_null(ops);
    set_knobs(&scene_knobs, ops->knobs, scene->knobs);
    bench_open(b, scene->text, scene_way, scene);
    b->knobs = &scene_knobs;
    b->watch = scene_note;
    text_free(&scene_seen);
    bench_begin_with(b, ops, 4);
    bench_launch(b, 0, scene->threads);
}

static inline void scene_end(struct bench *b)
{
    text_free(&scene_seen);
    bench_close(b);
}

/* The bench stays open, for its counters. */
static inline void scene_play(struct bench *b, const struct scene *scene)
{
    scene_begin(b, scene);
    bench_run(b);
    assert_string_equal(scene_seen.data, scene->trace);
    assert_int_equal(bench_counter(b, "pushes"), bench_counter(b, "pops"));
    text_free(&scene_seen);
}

static inline void scene_play_only(const struct scene *scene)
{
    struct bench b;
    scene_play(&b, scene);
    scene_end(&b);
}

static inline void scene_expect_state(struct bench *b, const char *expected)
{
    struct text state = {0};
    b->ops->dump(b->div, &state);
    assert_string_equal(state.data, expected);
    text_free(&state);
}

#endif
