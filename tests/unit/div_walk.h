/*
 * Walks of one warp of four threads under a mechanism that keeps a structure a warp: what each label issues, and what
 * the mechanism holds then; walks that several of them do alike; and random graphs under knobs drawn at random.
 */
#ifndef HEDDLE_TESTS_DIV_WALK_H
#define HEDDLE_TESTS_DIV_WALK_H

#include "div/table.h"
#include "div_graphs.h"
#include "div_steps.h"

struct walk {
    const char *mechanism, *knobs; /* "name=value ..."; NULL: defaults */
    const char *text;
    struct line script[8];
    const char *trace; /* expected */
    struct {
        const char *label, *state; /* expected whenever `label` issues */
    } watch[10];
};

static inline int scripted(struct bench *b, int thread, int32_t pc, int ways)
{
    return script_way(b, ((const struct walk *)b->script)->script, thread, pc, ways);
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

static inline void expect_state(struct bench *b, const char *expected)
{
    char *state = state_of(b);
    assert_string_equal(state, expected);
    free(state);
}

static inline void watch_walk(struct bench *b, const char *label, struct strand *s)
{
    (void)s;
    const struct walk *walk = b->script;
    for (int i = 0; i < 10 && walk->watch[i].label; i++)
        if (!strcmp(walk->watch[i].label, label))
            expect_state(b, walk->watch[i].state);
}

/* Up to where the block's first warps stand at their first instruction, for tests that go on by steps. */
static inline void begin_walk(struct bench *b, const struct walk *walk, int threads)
{
    struct knob_words knobs;
    const struct div_ops *ops = div_find(walk->mechanism);
    assert_non_null(ops);
    set_knobs(&knobs, ops->knobs, walk->knobs);
    bench_open(b, walk->text, scripted, walk);
    b->knobs = &knobs;
    b->same_calls = true;
    bench_begin_with(b, ops, 4);
    b->knobs = NULL;
    b->watch = watch_walk;
    bench_launch(b, 0, threads);
}

/* The bench stays open, for its counters. */
static inline void play(struct bench *b, const struct walk *walk)
{
    begin_walk(b, walk, 4);
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

/* ---- walks that mechanisms do alike ---- */

static inline struct walk walk_of_recursion(const char *mechanism)
{
    return (struct walk){
        .mechanism = mechanism,
        .text = HEAD ".func f();\n" FUNC("f", "F:" WORK "@%p0 bra Z;\nX: call f;\nZ:" WORK "ret;")
            KERNEL("A:" WORK "call f;\nR:" WORK "ret;"),
        .script = {{"F", "0111"}, {"F", "0011"}, {"F", "0001"}, {"F", "0000"}},
        .trace = "A1111 F1111 X0111 F0111 X0011 F0011 X0001 F0001 Z0001 Z0011 Z0111 Z1111 R1111 ",
    };
}

/* Threads leave it one by one, and wait behind it. */
static inline struct walk walk_of_a_loop(const char *mechanism)
{
    return (struct walk){
        .mechanism = mechanism,
        .text = HEAD KERNEL("L:" WORK "@%p0 bra L;\nM:" WORK "ret;"),
        .script = {{"L", "0001"}, {"L", "0001"}, {"L", "0011"}, {"L", "0111"}, {"L", "1111"}},
        .trace = "L1111 L1110 L1110 L1100 L1000 M1111 ",
    };
}

static inline struct walk walk_of_an_indexed_branch(const char *mechanism)
{
    return (struct walk){
        .mechanism = mechanism,
        .text = HEAD KERNEL("T: .branchtargets P, Q, S, P;\nA:" WORK "brx.idx %r0, T;\nS:" WORK "bra J;\nQ:" WORK
                            "bra J;\nP:" WORK "\nJ:" WORK "ret;"),
        .script = {{"A", "0213"}},
        .trace = "A1111 P1001 Q0010 S0100 J1111 ",
    };
}

/* Both sides of the function's branch return, one later than the other. */
static inline struct walk walk_of_two_returns(const char *mechanism)
{
    return (struct walk){
        .mechanism = mechanism,
        .text = HEAD FUNC("f", "F:" WORK "@%p0 bra X;\nM:" WORK "ret;\nX:" WORK WORK "ret;")
            KERNEL("A: call f;\nR:" WORK "ret;"),
        .script = {{"F", "0101"}},
        .trace = "A1111 F1111 X1010 M0101 R1111 ",
    };
}

/* The loop of Example 2 in the thread block compaction paper: the sides of A's branch meet at E, unless they leave. */
#define BREAK_LOOP                                                                                   \
    HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "bra E;\nC:" WORK "@%p0 bra E;\nD:" WORK "bra F;\n" \
                "E:" WORK "@%p0 bra A;\nF:" WORK "ret;")

/* A warp has gone on from A into L in a straight line, of which the mechanism was not told: its state is printed as being in L,
 * and what the mechanism keeps of A is left as it was. */
static inline void expect_that_dump_changes_nothing(const char *mechanism)
{
    const struct walk walk = {.mechanism = mechanism,
                              .text = HEAD KERNEL("A:" WORK "\nL:" WORK "@%p0 bra L;\nM:" WORK "ret;"),
                              .script = {{"L", "0000"}}};
    struct bench b;
    begin_walk(&b, &walk, 4);
    while (!b.trace.data || !strstr(b.trace.data, "L"))
        assert_true(bench_cycle(&b));
    int32_t before = b.ops->where(b.div, 0, 0);
    char *state = state_of(&b);
    assert_non_null(strstr(state, "L"));
    free(state);
    assert_int_equal(b.ops->where(b.div, 0, 0), before);
    bench_close(&b);
}

/* ---- random graphs ---- */

static inline void expect_paths(struct bench *b, int steps)
{
    (void)steps;
    assert_int_equal(bench_counter(b, "issues"), b->issues);
    assert_in_range(bench_counter(b, "rounds"), 1, b->issues);
    assert_true(bench_counter(b, "path_issues") >= (uint64_t)b->issues);
    if (!strcmp(b->ops->name, "multipath"))
        assert_int_equal(bench_counter(b, "meetings"), bench_counter(b, "met"));
    else
        assert_int_equal(bench_counter(b, "pushes"), bench_counter(b, "pops"));
}

static inline void walk_random_graphs(const char *mechanism, uint64_t rounds, bool barriers)
{
    graphs_walk(mechanism, rounds, barriers, expect_paths);
}

#endif
