/*
 * reed: on the contract, which splits of a warp run side by side, where they wait and when one stops waiting; the rule
 * for passes and units; and on a pipeline, for how long an instruction holds its unit.
 */
#include "div_walk.h"
#include "timing_bench.h"

/* ---- on the contract ---- */

/* Thread 0 goes to B, which is long. The others go to C, of which thread 1 goes straight on to E and two come by D.
 * B is before E in the order of blocks, but on no path from C's branch to E. */
#define INNER_JOIN                                                                                                    \
    HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK WORK WORK WORK WORK WORK WORK WORK "bra J;\nC:" WORK "@%p0 bra E;\n" \
                "D:" WORK WORK "\nE:" WORK "\nJ:" WORK "ret;")

static void a_split_waits_for_threads_on_the_paths_to_its_point(void **state)
{
    (void)state;
    struct walk walk = {
        .mechanism = "reed",
        .text = INNER_JOIN,
        .script = {{"A", "1000"}, {"C", "0011"}},
        .trace = "A1111 B1000 C0111 D0011 E0111 J1111 ",
        .watch = {{"D", "(B,1000,runs) (D,0011,runs) (E,0100,waits)"}},
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "waits"), 2); /* at E, and at J */
    assert_int_equal(bench_counter(&b, "max_splits"), 3);
    int cycles = (int)b.host.now;
    bench_close(&b);
    walk.knobs = "sync=order"; /* those of E wait for B, too */
    play(&b, &walk);
    assert_true((int)b.host.now > cycles);
    bench_close(&b);
}

/* Threads that left a loop wait behind it for those that go back to its start, which is above the branch. */
static void a_loop_is_on_the_paths_to_its_end(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "reed",
        .text = HEAD KERNEL("A:" WORK "\nB:" WORK "bra C;\nC:" WORK "@%p0 bra B;\nX:" WORK "ret;"),
        .script = {{"C", "1000"}, {"C", "1111"}},
        .trace = "A1111 B1111 C1111 B0111 C0111 X1111 ",
    };
    play_only(&walk);
    const struct walk loop = walk_of_a_loop("reed"), recursion = walk_of_recursion("reed");
    play_only(&loop);
    play_only(&recursion);
}

/* Sides of a break meet at E inside the loop, as under thread frontiers. */
static void threads_merge_before_the_reconvergence_point(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "reed",
        .text = BREAK_LOOP,
        .script = {{"A", "1000"}, {"C", "0011"}, {"E", "1111"}},
        .trace = "A1111 B1000 C0111 E1100 D0011 F1111 ",
    };
    play_only(&walk);
}

/* Three ways to J. E is last in the order. */
#define THREE_WAYS                                                                                            \
    HEAD KERNEL("A:" WORK "@%p0 bra E;\nB:" WORK "@%p0 bra D;\nC:" WORK WORK WORK "bra J;\nD:" WORK WORK WORK \
                "bra J;\nE:" WORK WORK WORK WORK WORK WORK "\nF:" WORK "\nJ:" WORK "ret;")

static void as_many_splits_run_as_there_are_contexts(void **state)
{
    (void)state;
    struct walk walk = {.mechanism = "reed",
                        .text = THREE_WAYS,
                        .script = {{"A", "1100"}, {"B", "1000"}},
                        .trace = "A1111 B1100 E0011 C1000 D0100 F0011 J1111 ",
                        .watch = {{"D", "(E,0011,runs) (C,1000,runs) (D,0100,runs)"}}};
    play_only(&walk);
    walk.knobs = "splits=2";
    walk.watch[0].state = "(F,0011,runs) (D,0100,runs) (J,1000,waits)";
    play_only(&walk);
    walk.knobs = "splits=1";
    walk.watch[0].state = "(D,0100,runs) (E,0011) (J,1000,waits)";
    walk.trace = "A1111 B1100 C1000 D0100 E0011 F0011 J1111 ";
    play_only(&walk);
}

/* Those of B wait at J while thread 0 is in C and D. */
#define LONG_SIDE                                                                                                    \
    HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "bra J;\nC:" WORK WORK WORK "bra D;\nD:" WORK WORK WORK "\nJ:" WORK \
                "\nK:" WORK "ret;")

#define VOLATILE_SIDE                                                                                                \
    HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "bra J;\nC:" WORK WORK WORK "bra D;\nD:" WORK WORK WORK "\nJ:" WORK \
                "\nK:" WORK "ret;\nld.volatile.global.u32 %r0, [0];")

static int none_is_ready(struct div_host *host)
{
    (void)host;
    return 0;
}

static int one_is_ready(struct div_host *host)
{
    (void)host;
    return 1;
}

#define BARRIER_SIDE                                                                                                 \
    HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "bra J;\nC:" WORK WORK WORK "bra D;\nD:" WORK WORK WORK "\nJ:" WORK \
                "\nK:" WORK "ret;\nld.volatile.global.u32 %r0, [0];\nbar.warp.sync -1;")

#define APART    "A1111 B0111 C1000 D1000 J0111 K0111 J1000 K1000 "
#define TOGETHER "A1111 B0111 C1000 D1000 J1111 K1111 "

/* Starts the walk and stops when thread 0 has come to D. */
static void come_to_d(struct bench *b, const struct walk *walk, int lanes)
{
    begin_walk(b, walk, 4);
    assert_false(b->wants.never_idle);
    b->host.facts.simd_width = lanes;
    while (!b->trace.data || !strstr(b->trace.data, "D"))
        assert_true(bench_cycle(b));
}

/* Tells the mechanism of a cycle without an issue when thread 0 has come to D. */
static void expect_after_idling(const char *text, const char *knobs, int (*ready)(struct div_host *), const char *trace)
{
    const struct walk walk = {.mechanism = "reed", .knobs = knobs, .text = text, .script = {{"A", "0111"}}};
    struct bench b;
    come_to_d(&b, &walk, 4);
    b.host.calls.ready = ready;
    b.ops->idle(b.div);
    b.ops->idle(b.div); /* nobody is left who waits */
    b.ops->check(b.div);
    bench_run(&b);
    assert_string_equal(b.trace.data, trace);
    assert_int_equal(bench_counter(&b, "hurried"), !strcmp(trace, APART));
    bench_close(&b);
}

/* An interval of 100 cycles in which nothing issues at first, though a strand is ready, for `blocked` cycles, and the
 * lanes take so many passes. Returns how many splits go ahead in the cycle after the interval. */
static uint64_t ahead_after_issues(int lanes, int blocked, int issues, uint64_t threads)
{
    static const struct walk walk = {
        .mechanism = "reed", .knobs = "ahead=always interval=100", .text = LONG_SIDE, .script = {{"A", "0111"}}};
    struct bench b;
    come_to_d(&b, &walk, lanes);
    b.host.now = 1000;
    b.host.calls.ready = one_is_ready;
    b.ops->idle(b.div); /* ends the interval before, and a span begins */
    b.host.now += (uint64_t)blocked;
    b.ops->resume(b.div);
    for (int i = 0; i < issues; i++)
        b.ops->issue_cost(b.div, threads, CLASS_INT);
    b.host.now = 1100;
    b.host.calls.ready = none_is_ready;
    b.ops->idle(b.div);
    uint64_t count = bench_counter(&b, "hurried");
    bench_close(&b);
    return count;
}

static uint64_t ahead_after(int lanes, int blocked, int passes)
{
    return ahead_after_issues(lanes, blocked, passes, 1);
}

/* Three threads and one take two passes of four lanes, and one together; of one lane, four passes in any case. */
static void going_ahead_costs_passes_only_while_lanes_are_spare(void **state)
{
    (void)state;
    assert_int_equal(ahead_after(4, 0, 24), 1);
    assert_int_equal(ahead_after(4, 0, 25), 0);
    assert_int_equal(ahead_after(1, 0, 25), 1);
    assert_int_equal(ahead_after(1, 0, 74), 1);
    assert_int_equal(ahead_after(1, 0, 75), 0);
}

static void nobody_goes_ahead_while_ready_strands_do_not_issue(void **state)
{
    (void)state;
    assert_int_equal(ahead_after(1, 12, 0), 1);
    assert_int_equal(ahead_after(1, 13, 0), 0);
    assert_int_equal(ahead_after_issues(1, 42, 10, 0xf), 1); /* 30 cycles are further passes of the ten issues */
    assert_int_equal(ahead_after_issues(1, 43, 10, 0xf), 0);
}

/* As ahead_after(), for a load that has brought the data of the first three threads of a warp: whether it cuts them off
 * the fourth. */
static uint64_t cut_after(const char *knobs, int blocked, int passes)
{
    struct bench b;
    const struct walk walk = {.mechanism = "reed", .knobs = knobs, .text = LONG_SIDE, .script = {{"A", "1111"}}};
    begin_walk(&b, &walk, 4);
    int id = 0;
    while (!b.used[id])
        id++;
    struct strand *s = &b.strand[id];
    b.host.now = 1000;
    b.host.calls.ready = one_is_ready;
    b.ops->idle(b.div);
    b.host.now += (uint64_t)blocked;
    b.ops->resume(b.div);
    for (int i = 0; i < passes; i++)
        b.ops->issue_cost(b.div, 1, CLASS_INT);
    b.host.now = 1100;
    int32_t row = s->threads.part[0].row;
    assert_int_equal(s->threads.part[0].mask, 0xf);
    struct threads hit = {1, {{row, 0x7}}}, miss = {1, {{row, 0x8}}};
    b.ops->memory(b.div, s, &hit, &miss);
    b.ops->check(b.div);
    uint64_t count = bench_counter(&b, "subdivided");
    assert_int_equal(s->threads.part[0].mask, count ? 0x7 : 0xf);
    bench_close(&b);
    return count;
}

static void a_load_cuts_a_split_only_while_memory_is_blocked(void **state)
{
    (void)state;
    assert_int_equal(cut_after("ahead=always interval=100", 51, 0), 1);
    assert_int_equal(cut_after("ahead=always interval=100", 50, 0), 0);
    assert_int_equal(cut_after("ahead=always interval=100", 90, 12), 1);
    assert_int_equal(cut_after("ahead=always interval=100", 90, 13), 0);
    assert_int_equal(cut_after("ahead=always interval=100 splits=1", 90, 0), 0); /* no context for the second part */
}

static void a_split_goes_ahead_only_if_nothing_is_ready(void **state)
{
    (void)state;
    expect_after_idling(LONG_SIDE, "ahead=unless-volatile interval=1", none_is_ready, APART);
    expect_after_idling(LONG_SIDE, "ahead=unless-volatile interval=1", one_is_ready,
                        TOGETHER); /* a strand that waits for its unit */
    const struct walk walk = {
        .mechanism = "reed", .knobs = "ahead=never", .text = LONG_SIDE, .script = {{"A", "0111"}}, .trace = TOGETHER};
    struct bench b;
    play(&b, &walk);
    assert_true(b.wants.never_idle);
    bench_close(&b);
}

/* A kernel that may rely on warps in step. */
static void a_volatile_access_keeps_splits_waiting(void **state)
{
    (void)state;
    expect_after_idling(VOLATILE_SIDE, "ahead=unless-volatile interval=1", none_is_ready, TOGETHER);
    expect_after_idling(VOLATILE_SIDE, "ahead=always interval=1", none_is_ready, APART);
    expect_after_idling(BARRIER_SIDE, "ahead=unless-volatile interval=1", none_is_ready, APART);
}

static void splits_are_made_by_branches(struct bench *b, int steps)
{
    (void)steps;
    assert_true(bench_counter(b, "made") >= bench_counter(b, "divergent_branches"));
    assert_true(bench_counter(b, "max_splits") <= (uint64_t)b->host.facts.width);
}

static void on_random_graphs_every_thread_walks_its_own_path(void **state)
{
    (void)state;
    graphs_walk_any("reed", 60, true, splits_are_made_by_branches, false);
}

/* ---- the rule for passes and units ---- */

struct rule {
    struct div_host host;
    struct div_wants wants;
    struct knob_words knobs;
    const struct div_ops *ops;
    struct div *div;
};

static void rule_open(struct rule *r, int lanes, const char *knobs)
{
    memset(r, 0, sizeof *r);
    r->host.facts.width = 32;
    r->host.facts.simd_width = lanes;
    r->ops = div_find("reed");
    set_knobs(&r->knobs, r->ops->knobs, knobs);
    r->div = r->ops->create(&r->host, &r->knobs, &r->wants);
}

static unsigned passes(struct rule *r, uint64_t threads, enum op_class class)
{
    return r->ops->issue_cost(r->div, threads, class);
}

static uint64_t counted(struct rule *r, const char *name)
{
    const struct stat_value part = {r->ops->stats, r->ops->counters(r->div)};
    char path[64];
    bool found = false;
    snprintf(path, sizeof path, "reed.%s", name);
    uint64_t value = stat_get(&(struct stat_result){&part, 1}, path, &found);
    assert_true(found);
    return value;
}

static uint64_t first_threads(int count)
{
    return (UINT64_C(1) << count) - 1;
}

static void an_instruction_takes_the_passes_that_its_threads_fill(void **state)
{
    (void)state;
    struct rule r;
    rule_open(&r, 8, NULL);
    assert_int_equal(passes(&r, 0x01010101, CLASS_INT), 1); /* wherever they are */
    assert_int_equal(passes(&r, first_threads(8), CLASS_INT), 1);
    assert_int_equal(passes(&r, first_threads(9), CLASS_INT), 2);
    assert_int_equal(passes(&r, first_threads(32), CLASS_INT), 4);
    assert_int_equal(passes(&r, 0, CLASS_INT), 1);
    assert_int_equal(passes(&r, 1, CLASS_LOAD), 1);
    assert_int_equal(counted(&r, "compacted"), 5);
    assert_int_equal(counted(&r, "saved_cycles"), 3 + 3 + 2 + 3 + 3);
    r.ops->destroy(r.div);
    rule_open(&r, 8, "memory=no"); /* the machine's own rule */
    static const enum op_class memory[] = {CLASS_LOAD, CLASS_STORE, CLASS_ATOMIC, CLASS_TEX, CLASS_FENCE};
    for (size_t i = 0; i < COUNTOF(memory); i++)
        assert_int_equal(passes(&r, 1, memory[i]), 0);
    assert_int_equal(passes(&r, 1, CLASS_BRANCH), 1);
    r.ops->destroy(r.div);
}

static void a_slow_unit_is_one_of_fewer_lanes(void **state)
{
    (void)state;
    struct rule r;
    rule_open(&r, 16, NULL);
    static const struct {
        int threads;
        unsigned interval, cycles;
    } cases[] = {{4, 4, 1}, {5, 4, 2}, {32, 4, 8}, {16, 1, 1}, {17, 1, 2}, {1, 130, 9}, {32, 130, 260}, {0, 4, 1}};
    for (size_t i = 0; i < COUNTOF(cases); i++)
        assert_int_equal(r.ops->unit_cost(r.div, first_threads(cases[i].threads), cases[i].interval), cases[i].cycles);
    assert_int_equal(counted(&r, "saved_unit_cycles"), (4 - 1) + (4 - 2) + (130 - 9) + (4 - 1));
    r.ops->destroy(r.div);
    rule_open(&r, 16, "units=no");
    assert_int_equal(r.ops->unit_cost(r.div, 1, 4), 0);
    r.ops->destroy(r.div);
}

/* ---- on a pipeline: 32 threads on 16 lanes, special functions at a quarter of the rate ---- */

static uint64_t spacing(const char *mechanism, const char *knobs, int threads)
{
    char body[512];
    struct timing t;
    snprintf(body, sizeof body,
             "setp.ge.u32 %%p1, %%t, %d;\n@%%p1 bra JOIN;\nsin.approx.f32 %%f1, %%f0; // a\n"
             "sin.approx.f32 %%f2, %%f0; // b\nJOIN: mov.u32 %%r5, 4;\n",
             threads);
    timing_open(&t, &(struct timing_case){.body = body, .mechanism = mechanism, .knobs = knobs},
                "sm.simd_width=16 sm.sfu_interval=4");
    uint64_t cycles = between(&t, "a", "b");
    timing_close(&t);
    return cycles;
}

static void an_instruction_holds_its_unit_for_its_threads(void **state)
{
    (void)state;
    assert_int_equal(spacing("pdom", NULL, 4), 8);
    assert_int_equal(spacing("scc", NULL, 4), 4);
    assert_int_equal(spacing("reed", "units=no", 4), 4);
    assert_int_equal(spacing("reed", NULL, 4), 1);
    assert_int_equal(spacing("reed", NULL, 7), 2);
    assert_int_equal(spacing("reed", NULL, 32), 8);
}

/* Threads 1 to 31 wait at JOIN while thread 0 issues sines, which hold the one unit for 4 cycles each. */
static uint64_t hurried(const char *second, const char *third)
{
    char body[512];
    struct timing t;
    snprintf(body, sizeof body,
             "setp.ge.u32 %%p1, %%t, 1;\n@%%p1 bra JOIN;\nsin.approx.f32 %%f1, %%f0;\nsin.approx.f32 %%f2, %s;\n"
             "sin.approx.f32 %%f3, %s;\nJOIN: mov.u32 %%r5, 4;\n",
             second, third);
    timing_open(&t, &(struct timing_case){.body = body, .mechanism = "reed", .knobs = "ahead=always interval=1"},
                "sm.simd_width=16 sm.sfu_interval=64 sm.sfu_latency=40 sm.branch_latency=1");
    uint64_t value = count_of(&t, "reed.hurried");
    timing_close(&t);
    return value;
}

/* Sines that only lack the unit are ready, and nobody goes ahead; one that needs the result of another is not. */
static void a_busy_unit_lets_nobody_go_ahead(void **state)
{
    (void)state;
    assert_int_equal(hurried("%f0", "%f0"), 0);
    assert_int_equal(hurried("%f1", "%f2"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_split_waits_for_threads_on_the_paths_to_its_point),
        cmocka_unit_test(a_loop_is_on_the_paths_to_its_end),
        cmocka_unit_test(threads_merge_before_the_reconvergence_point),
        cmocka_unit_test(as_many_splits_run_as_there_are_contexts),
        cmocka_unit_test(a_split_goes_ahead_only_if_nothing_is_ready),
        cmocka_unit_test(going_ahead_costs_passes_only_while_lanes_are_spare),
        cmocka_unit_test(nobody_goes_ahead_while_ready_strands_do_not_issue),
        cmocka_unit_test(a_load_cuts_a_split_only_while_memory_is_blocked),
        cmocka_unit_test(a_volatile_access_keeps_splits_waiting),
        cmocka_unit_test(on_random_graphs_every_thread_walks_its_own_path),
        cmocka_unit_test(an_instruction_takes_the_passes_that_its_threads_fill),
        cmocka_unit_test(a_slow_unit_is_one_of_fewer_lanes),
        cmocka_unit_test(an_instruction_holds_its_unit_for_its_threads),
        cmocka_unit_test(a_busy_unit_lets_nobody_go_ahead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
