/*
 * Large warps: worked examples to the mask, lockstep to the cycle, and random graphs on which every thread must walk
 * its own path.
 */
#include "div_bench.h"
#include "div_random.h"
#include "div_steps.h"

/* As in div/lwm.c. */
struct knob_values {
    uint32_t warps, order;
    bool packing, lockstep;
};

struct scene {
    const char *text, *way; /* of thread t at the branch behind A */
    int threads;            /* of the block; W = 4 */
    struct knob_values knobs;
    const char *trace; /* expected: "C:167 " for each issue at a label, with its threads, from 1 or a on */
};

static struct text seen;

/* Threads in the order of their home slots. */
static void note_issue(struct bench *b, const char *label, struct strand *s)
{
    text_printf(&seen, "%s:", label);
    for (int slot = 0; slot < b->host.width; slot++)
        for (int t = slot; t < 32; t += b->host.width)
            if (threads_of_row(&s->threads, 0) >> t & 1)
                text_printf(&seen, "%c", t < 9 ? '1' + t : 'a' + t - 9);
    text_printf(&seen, " ");
}

static void begin(struct bench *b, const struct scene *scene)
{
    bench_open(b, scene->text, by_lane, scene->way);
    b->knobs = &scene->knobs;
    b->watch = note_issue;
    text_free(&seen);
    bench_begin(b, "lwm", 4);
    bench_launch(b, 0, scene->threads);
}

/* The bench stays open, for its counters. */
static void play(struct bench *b, const struct scene *scene)
{
    begin(b, scene);
    bench_run(b);
    assert_string_equal(seen.data, scene->trace);
    assert_int_equal(bench_counter(b, "pushes"), bench_counter(b, "pops"));
    text_free(&seen);
}

static void play_only(const struct scene *scene)
{
    struct bench b;
    play(&b, scene);
    bench_close(&b);
}

static void expect_state(struct bench *b, const char *expected)
{
    struct text state = {0};
    b->ops->dump(b->div, &state);
    assert_string_equal(state.data, expected);
    text_free(&state);
}

/* ---- worked examples ---- */

#define HAMMOCK HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "bra D;\nC:" WORK "\nD:" WORK "ret;")

/* Four static warps. At C the columns have 2, 1, 2 and 1 threads, so there are two sub-warps where static warps would
 * be four; at B 2, 3, 2 and 3. */
static const struct scene columns = {
    .text = HAMMOCK,
    .way = "0111" "1010" "1101" "0101",
    .threads = 16,
    .knobs = {4, 0, true, true},
    .trace = "A:1234 A:5678 A:9abc A:defg C:16b8 C:df B:5234 B:9a7c B:eg D:1234 D:5678 D:9abc D:defg ",
};

static void sub_warps_take_one_thread_of_each_column(void **state)
{
    (void)state;
    struct bench b;
    play(&b, &columns);
    assert_int_equal(bench_counter(&b, "formed"), 4);
    assert_int_equal(bench_counter(&b, "useful"), 2);
    assert_int_equal(bench_counter(&b, "warps_before"), 4 + 4 + 4 + 4);
    assert_int_equal(bench_counter(&b, "warps_after"), 4 + 2 + 3 + 4);
    assert_int_equal(bench_counter(&b, "divergent_branches"), 1);
    bench_close(&b);
    struct scene apart = columns; /* with static warps for sub-warps */
    apart.knobs.packing = false;
    apart.trace = "A:1234 A:5678 A:9abc A:defg C:1 C:68 C:b C:df B:234 B:57 B:9ac B:eg D:1234 D:5678 D:9abc D:defg ";
    play_only(&apart);
}

/* Large warps of two: what one does is no business of the other's. */
static void a_large_warp_is_as_large_as_asked_for(void **state)
{
    (void)state;
    struct bench b;
    struct scene halves = columns;
    halves.knobs.warps = 2;
    begin(&b, &halves);
    expect_state(&b, "large warp 0\n  E 11.11.11.11 - x2\nlarge warp 2\n  E 0011.0011.0011.0011 - x2\n");
    bench_run(&b);
    assert_int_equal(bench_counter(&b, "warps_after"), 4 + 1 + 2 + 2 + 2 + 4);
    text_free(&seen);
    bench_close(&b);
}

/* ---- lockstep ---- */

#define STRAIGHT HEAD KERNEL("A:" WORK "\nB:" WORK "\nC:" WORK "ret;")

/* Issues the strand of a thread, if it may. */
static bool issue(struct bench *b, int thread)
{
    struct strand *s = &b->strand[b->strand_of[thread]];
    b->host.now++;
    if (s->parked)
        return false;
    bench_issue(b, s);
    return true;
}

static void an_instruction_waits_for_the_last_sub_warp(void **state)
{
    (void)state;
    static const struct scene scene = {.text = STRAIGHT, .way = "", .threads = 8, .knobs = {8, 0, true, true}};
    struct bench b;
    begin(&b, &scene);
    assert_true(issue(&b, 0));
    assert_false(issue(&b, 0));
    assert_false(issue(&b, 0));
    assert_true(issue(&b, 4));
    assert_int_equal(bench_counter(&b, "lockstep_wait"), 3);
    assert_true(issue(&b, 4));
    assert_false(issue(&b, 4));
    assert_true(issue(&b, 0));
    assert_int_equal(bench_counter(&b, "lockstep_wait"), 3 + 2);
    bench_run(&b);
    text_free(&seen);
    bench_close(&b);
    struct scene free_scene = scene;
    free_scene.knobs.lockstep = false;
    begin(&b, &free_scene);
    assert_true(issue(&b, 0));
    assert_true(issue(&b, 0));
    assert_true(issue(&b, 0));
    bench_run(&b);
    assert_int_equal(bench_counter(&b, "lockstep_wait"), 0);
    text_free(&seen);
    bench_close(&b);
}

/* ---- corners ---- */

/* Sub-warps of ended threads are not waited for. */
static void a_sub_warp_that_ends_does_not_hold_the_others(void **state)
{
    (void)state;
    static const struct scene scene = {
        .text = HEAD KERNEL("A:" WORK "@%p0 exit;\nB:" WORK "\nC:" WORK "ret;"),
        .way = "00000111",
        .threads = 8,
        .knobs = {8, 0, true, true},
        .trace = "A:1234 A:5678 B:678 C:678 ",
    };
    play_only(&scene);
}

/* Both sides have a barrier of their own, which are the same to the block. The last opens it, and goes straight on.
 * */
static void sides_meet_at_barriers_of_their_own(void **state)
{
    (void)state;
    static const struct scene scene = {
        .text = HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "bar.sync 0;\nE:" WORK "bra D;\nC:" WORK
                            "bar.sync 0;\nF:" WORK "\nD:" WORK "ret;"),
        .way = "01111001",
        .threads = 8,
        .knobs = {8, 0, true, true},
        .trace = "A:1234 A:5678 C:167 B:5234 B:8 E:8 E:5234 F:167 D:1234 D:5678 ",
    };
    struct bench b;
    play(&b, &scene);
    assert_int_equal(bench_counter(&b, "partial_barriers"), 2);
    bench_close(&b);
}

/* Two large warps come to a barrier each in its own time. */
static void large_warps_of_a_block_meet_at_barriers(void **state)
{
    (void)state;
    static const struct scene scene = {
        .text = HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK WORK "\nC: bar.sync 0;\nD:" WORK "ret;"),
        .way = "01110000",
        .threads = 8,
        .knobs = {1, 0, true, true},
        .trace = "A:1234 A:5678 B:234 C:5678 C:1234 D:5678 D:1234 ",
    };
    play_only(&scene);
}

/* ---- random graphs ---- */

#ifndef ROUNDS
#define ROUNDS 40
#endif

static void on_random_graphs_every_thread_walks_its_own_path(void **state)
{
    (void)state;
    static const int widths[] = {1, 2, 4, 32, 64};
    static struct bench b;
    uint64_t path[64 + 75];
    int steps[64 + 75];
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        struct random r = {seed};
        struct knob_values knobs = {1 + seed % 9, seed & 1, seed % 4 > 0, seed % 3 > 0};
        char *text = random_module(&r, seed & 4);
        bench_open(&b, text, random_choice, &seed);
        walk_alone(&b, path, steps, 64 + 75);
        b.knobs = &knobs;
        for (int w = 0; w < 5; w++) {
            b.latency = w & 1 ? 5 : 0;
            bench_begin(&b, "lwm", widths[w]);
            bench_launch(&b, 0, 40);
            bench_launch(&b, 1, 75);
            bench_run(&b);
            compare_paths(&b, path, steps, 0, 40);
            compare_paths(&b, path, steps, 64, 64 + 75);
            assert_int_equal(bench_counter(&b, "pushes"), bench_counter(&b, "pops"));
            bench_end(&b);
        }
        bench_close(&b);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sub_warps_take_one_thread_of_each_column),
        cmocka_unit_test(a_large_warp_is_as_large_as_asked_for),
        cmocka_unit_test(an_instruction_waits_for_the_last_sub_warp),
        cmocka_unit_test(a_sub_warp_that_ends_does_not_hold_the_others),
        cmocka_unit_test(sides_meet_at_barriers_of_their_own),
        cmocka_unit_test(large_warps_of_a_block_meet_at_barriers),
        cmocka_unit_test(on_random_graphs_every_thread_walks_its_own_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
