/*
 * dwf and dwf-wb on the contract, without a pipeline: what the table of PCs finds and loses, who waits where, and
 * random graphs with barriers on which every thread must walk its own path, whatever the knobs.
 */
#include "div/parts/pool.h"
#include "div_bench.h"
#include "div_random.h"
#include "div_steps.h"

#ifndef ROUNDS
#define ROUNDS 100
#endif

enum { WALKERS = 96 + 40 }; /* two blocks: 75 threads in three rows, and 40 */

static const struct pool_knobs usual = {32, 2, 1, POOL_HOME_WARP}, unlimited = {0, 1, 0, POOL_HOME_WARP},
                               single = {1, 1, 0, POOL_HOME_WARP}, by_lanes = {32, 2, 0, POOL_HOME_SIMD};

/* The threads of row 0 that are with this one. */
static uint32_t with(struct bench *b, int thread)
{
    return threads_of_row(&strand_of(b, thread)->threads, 0);
}

/* Issues the thread's strand until it is about to execute what stands behind `label`; others stay where they are. */
static struct strand *lead(struct bench *b, int thread, const char *label)
{
    for (int i = 0; !is_at(b, strand_of(b, thread), label); i++) {
        assert_in_range(i, 0, 1000);
        b->host.now++;
        bench_issue(b, strand_of(b, thread));
    }
    return strand_of(b, thread);
}

static void start(struct bench *b, const char *mechanism, const struct pool_knobs *knobs, const char *text,
                  bench_choice *choose, const char *script)
{
    bench_open(b, text, choose, script);
    b->knobs = knobs;
    bench_begin(b, mechanism, 4);
}

static void finish(struct bench *b)
{
    bench_run(b);
    bench_close(b);
}

#define HAMMOCK \
    HEAD KERNEL("A: @%p0 bra X;\nY:" WORK WORK WORK WORK "bra J;\nX:" WORK WORK WORK WORK "\nJ:" WORK "ret;")

/* ---- the table ---- */

/* X gets lanes 0,1 of the first warp and 2,3 of the second. */
static void sides_of_two_warps_meet_at_their_pc(void **state)
{
    (void)state;
    struct bench b;
    start(&b, "dwf", &usual, HAMMOCK, by_lane, "00111100");
    bench_launch(&b, 0, 8);
    lead(&b, 0, "X");
    lead(&b, 7, "X");
    assert_int_equal(with(&b, 0), 0xc3);
    assert_int_equal(with(&b, 2), 0x3c);
    assert_int_equal(strand_count(&b), 2);
    assert_int_equal(bench_counter(&b, "joined"), 4);
    finish(&b);
}

/* How far threads are apart, whenever a strand is regrouped. */
static void distinct_pcs_are_counted(void **state)
{
    (void)state;
    struct bench b;
    start(&b, "dwf", &usual, HAMMOCK, by_lane, "00111100");
    bench_launch(&b, 0, 8);
    lead(&b, 0, "X"); /* three instructions: from where all are, and twice while the others are there */
    lead(&b, 7, "X"); /* the same three, while others are at X and Y */
    b.host.now++;
    bench_issue(&b, strand_of(&b, 0)); /* from X, where all are that are not at Y */
    assert_int_equal(bench_counter(&b, "commits"), 7);
    assert_int_equal(bench_counter(&b, "partial"), 0);
    assert_int_equal(bench_counter(&b, "pcs"), 1 + 2 + 2 + 3 + 3 + 3 + 2);
    assert_int_equal(bench_counter(&b, "pcs_max"), 3);
    assert_int_equal(bench_counter(&b, "pcs_1"), 1);
    assert_int_equal(bench_counter(&b, "pcs_2"), 3);
    assert_int_equal(bench_counter(&b, "pcs_4"), 3);
    assert_int_equal(bench_counter(&b, "strands_max"), 3); /* X, Y and A: the second warp's threads joined */
    finish(&b);
}

/* Threads 4 and 5 find their slots taken by 0 and 1: they are a strand, and thread 10 joins it, not the older one. */
static void threads_in_conflict_are_the_strand_that_is_found_next(void **state)
{
    (void)state;
    struct bench b;
    start(&b, "dwf", &usual, HAMMOCK, by_lane, "001100011101");
    bench_launch(&b, 0, 12);
    lead(&b, 0, "X");
    lead(&b, 4, "X");
    assert_int_equal(with(&b, 0), 0x043);
    assert_int_equal(with(&b, 4), 0x030);
    assert_int_equal(bench_counter(&b, "conflicts") >= 2, true);
    lead(&b, 10, "X");
    assert_int_equal(with(&b, 0), 0x043);
    assert_int_equal(with(&b, 4), 0x430);
    finish(&b);
}

static void a_strand_that_has_issued_is_not_joined(void **state)
{
    (void)state;
    struct bench b;
    start(&b, "dwf", &usual, HAMMOCK, by_lane, "00111100");
    bench_launch(&b, 0, 8);
    struct strand *x = lead(&b, 0, "X");
    b.latency = 4;
    bench_issue(&b, x);
    assert_true(x->busy);
    b.latency = 0;
    lead(&b, 7, "A");
    uint64_t stale = bench_counter(&b, "lut_stale"), hits = bench_counter(&b, "lut_hits");
    lead(&b, 7, "X");
    assert_int_equal(with(&b, 7), 0xc0);
    assert_int_equal(bench_counter(&b, "lut_stale"), stale + 1);
    assert_int_equal(bench_counter(&b, "lut_hits"), hits + 1); /* of Y */
    b.due[x->id] = b.host.now + 1;
    finish(&b);
}

/* A loop of one instruction: the strand comes back to the PC whose entry it had, and must not join itself. */
static int twice(struct bench *b, int thread, int32_t pc, int ways)
{
    (void)ways;
    return b->thread[thread].visits[b->program->insns[pc].branch] >= 2;
}

static void a_strand_may_come_back_to_its_pc(void **state)
{
    (void)state;
    struct bench b;
    start(&b, "dwf", &unlimited, HEAD KERNEL("L: @%p0 bra L;\nJ:" WORK "ret;"), twice, NULL);
    bench_launch(&b, 0, 4);
    lead(&b, 0, "L");
    bench_issue(&b, strand_of(&b, 0));
    assert_true(is_at(&b, strand_of(&b, 0), "L"));
    assert_int_equal(with(&b, 0), 0xf);
    assert_int_equal(bench_counter(&b, "conflicts"), 0);
    finish(&b);
}

/* One entry: Y takes it from X, or X from Y, and the second warp's threads find one of them only. */
static void a_pc_that_lost_its_entry_is_not_found(void **state)
{
    (void)state;
    struct bench b;
    start(&b, "dwf", &single, HAMMOCK, by_lane, "00111100");
    bench_launch(&b, 0, 8);
    lead(&b, 0, "X");
    lead(&b, 7, "X");
    assert_int_equal(bench_counter(&b, "lut_aliases"), 4); /* A's by X, X's by Y, and both again */
    assert_int_equal(bench_counter(&b, "lost_merges"), 2);
    assert_true(strand_count(&b) > 2);
    bench_run(&b);
    bench_end(&b);
    b.knobs = &unlimited;
    bench_begin(&b, "dwf", 4);
    bench_launch(&b, 0, 8);
    lead(&b, 0, "X");
    lead(&b, 7, "X");
    assert_int_equal(strand_count(&b), 2);
    assert_int_equal(bench_counter(&b, "lut_aliases"), 0);
    assert_int_equal(bench_counter(&b, "lost_merges"), 0);
    finish(&b);
}

/* Two entries, for X and Y; X is used again, so Z takes Y's. Each warp goes one way as a whole. */
static void the_entry_that_was_not_used_for_longest_gives_way(void **state)
{
    (void)state;
    static const struct pool_knobs two = {2, 2, 0, POOL_HOME_WARP};
    struct bench b;
    start(&b, "dwf", &two,
          HEAD KERNEL("T: .branchtargets X, Y, Z;\nA: brx.idx %r0, T;\nX:" WORK WORK "bra J;\nY:" WORK WORK "bra J;\n"
                      "Z:" WORK "\nJ: ret;"),
          by_lane, "00002222000011110000");
    bench_launch(&b, 0, 20);
    for (int warp = 0; warp < 5; warp++)
        lead(&b, warp * 4, "A");
    uint64_t aliases = bench_counter(&b, "lut_aliases");
    for (int warp = 4; warp >= 1; warp--)
        bench_issue(&b, strand_of(&b, warp * 4));
    assert_int_equal(bench_counter(&b, "lut_aliases"), aliases + 1);
    uint64_t hits = bench_counter(&b, "lut_hits");
    bench_issue(&b, strand_of(&b, 0));
    assert_true(is_at(&b, strand_of(&b, 0), "X"));
    assert_int_equal(bench_counter(&b, "lut_hits"), hits + 1);
    finish(&b);
}

/* Warps of 4 on 2 lanes: threads 0 and 4 share lane 0, which has two slots. */
static void threads_of_a_lane_may_take_each_others_slots(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, HAMMOCK, by_lane, "01110111");
    b.knobs = &by_lanes;
    b.simd_width = 2;
    bench_begin(&b, "dwf", 4);
    bench_launch(&b, 0, 8);
    lead(&b, 0, "X");
    lead(&b, 4, "X");
    assert_int_equal(with(&b, 0), 0x11);
    bench_run(&b);
    bench_end(&b);
    b.knobs = &usual;
    bench_begin(&b, "dwf", 4);
    bench_launch(&b, 0, 8);
    lead(&b, 0, "X");
    lead(&b, 4, "X");
    assert_int_equal(with(&b, 0), 0x01);
    finish(&b);
}

#define STRAIGHT HEAD KERNEL("A:" WORK "\nB:" WORK "ret;")

/* Three warps are done in one cycle; the second is regrouped in the next, and the third in the one after. */
static void one_strand_is_regrouped_a_cycle(void **state)
{
    (void)state;
    struct bench b;
    start(&b, "dwf", &usual, STRAIGHT, never, NULL);
    bench_launch(&b, 0, 12);
    b.host.now = 10;
    struct strand *first = strand_of(&b, 0), *second = strand_of(&b, 4), *third = strand_of(&b, 8);
    int32_t pc = first->pc;
    bench_issue(&b, first);
    bench_issue(&b, second);
    bench_issue(&b, third);
    assert_int_equal(first->pc, pc + 1);
    assert_true(second->parked);
    assert_int_equal(second->pc, pc);
    assert_int_equal(bench_counter(&b, "late_commits"), 2);
    bench_advance(&b);
    assert_int_equal(strand_of(&b, 4)->pc, pc + 1);
    assert_false(strand_of(&b, 4)->parked);
    assert_true(third->parked);
    assert_int_equal(bench_counter(&b, "late_cycles"), 1);
    bench_advance(&b);
    assert_int_equal(strand_of(&b, 8)->pc, pc + 1);
    assert_false(strand_of(&b, 8)->parked);
    assert_int_equal(bench_counter(&b, "late_cycles"), 1 + 2);
    finish(&b);
}

/* Figure 1(a) of the thread block compaction paper: B's threads run on to D before C's have come, and D, for which
 * two warps' worth of threads would do, takes three issues. */
static void threads_that_fall_behind_do_not_meet_again(void **state)
{
    (void)state;
    struct bench b;
    start(&b, "dwf", &unlimited, HAMMOCK, by_lane, "00010001");
    bench_launch(&b, 0, 8);
    lead(&b, 0, "X");
    lead(&b, 4, "X");
    lead(&b, 0, "J");
    assert_int_equal(with(&b, 0), 0x07);
    bench_issue(&b, strand_of(&b, 0)); /* D: three threads of four */
    lead(&b, 4, "J");
    bench_issue(&b, strand_of(&b, 4));
    lead(&b, 3, "Y");
    assert_int_equal(with(&b, 3), 0x08);
    lead(&b, 7, "J");
    lead(&b, 3, "J");
    assert_int_equal(with(&b, 3), 0x08); /* 3 and 7 share a slot: two issues of one thread each */
    assert_int_equal(with(&b, 7), 0x80);
    finish(&b);
}

/* ---- barriers ---- */

#define BARRIER HEAD KERNEL("A:" WORK "\nB: barrier.sync 0;\nC:" WORK WORK "ret;")

/* Threads 4-7 are another block's and share strands with the first's until the barrier. */
static void released_threads_are_strands_of_their_block_and_urgent(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, BARRIER, never, NULL);
    b.knobs = &unlimited;
    bench_begin(&b, "dwf", 8);
    bench_launch(&b, 0, 4);
    b.first_row[1] = b.rows;
    b.row_count[1] = 2;
    b.live[b.rows] = 0xf0;
    b.live[b.rows + 1] = 0x0f;
    b.rows += 2;
    b.ops->launch(b.div, 1);
    lead(&b, 0, "B");
    assert_int_equal(threads_of_row(&strand_of(&b, 0)->threads, 1), 0xf0);
    bench_issue(&b, strand_of(&b, 0));
    struct strand *s = strand_of(&b, 0);
    assert_true(is_at(&b, s, "C"));
    assert_int_equal(s->key, POOL_URGENT);
    assert_int_equal(b.strand_of[36], -1);
    assert_int_equal(b.ops->where(b.div, 1, 4), s->pc);
    lead(&b, 64, "B");
    bench_issue(&b, strand_of(&b, 64)); /* opens the other block's: nobody joins the first's strand at C */
    assert_int_equal(s->threads.count, 1);
    assert_true(strand_of(&b, 36) != s);
    assert_int_equal(strand_of(&b, 36)->key, POOL_URGENT);
    struct text dump = {0};
    b.ops->dump(b.div, &dump);
    assert_non_null(strstr(dump.data, "row 0 0xf"));
    text_free(&dump);
    bench_issue(&b, s);
    assert_true(strand_of(&b, 0)->key >= 0);
    finish(&b);
}

/* Lanes 0-3 pass the first barrier, and meet the others at the second: only if they are not held with them. */
static void threads_that_a_guard_lets_pass_go_on(void **state)
{
    struct bench b;
    bench_open(&b, HEAD KERNEL("A: @%p0 barrier.sync 0;\nB:" WORK "@%p1 bra E;\nC: barrier.sync 0;\nE:" WORK "ret;"),
               by_lane, "11110000");
    b.knobs = &usual;
    bench_begin(&b, *state, 8);
    bench_launch(&b, 0, 8);
    finish(&b);
}

/* ---- reconvergence points ---- */

/* Threads at J have passed one; those that join them there too. */
static void keys_count_reconvergence_points(void **state)
{
    (void)state;
    struct bench b;
    start(&b, "dwf", &usual, HAMMOCK, by_lane, "0011");
    bench_launch(&b, 0, 4);
    assert_int_equal(lead(&b, 0, "X")->key, 0);
    assert_int_equal(lead(&b, 0, "J")->key, 1);
    assert_int_equal(strand_of(&b, 2)->key, 0);
    finish(&b);
}

/* ---- warp barriers ---- */

static void warps_stay_apart_until_they_part(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, STRAIGHT, never, NULL);
    b.knobs = &unlimited;
    bench_begin(&b, "dwf-wb", 8);
    bench_launch(&b, 0, 4);
    b.first_row[1] = b.rows;
    b.row_count[1] = 1;
    b.live[b.rows] = 0xf0;
    b.rows++;
    b.ops->launch(b.div, 1);
    run_to(&b, 0, "B");
    assert_int_equal(strand_count(&b), 2);
    assert_int_equal(bench_counter(&b, "barriers"), 0);
    finish(&b);
}

static void threads_return_to_their_warp_where_it_parted(void **state)
{
    (void)state;
    struct bench b;
    start(&b, "dwf-wb", &unlimited, HAMMOCK, by_lane, "00111100");
    bench_launch(&b, 0, 8);
    run_to(&b, 0, "X");
    assert_int_equal(with(&b, 0), 0xc3);
    assert_int_equal(with(&b, 2), 0x3c);
    lead(&b, 0, "X");
    for (int i = 0; i < 4; i++)
        bench_issue(&b, strand_of(&b, 0));
    assert_int_equal(b.strand_of[0], -1); /* at the barriers of both warps */
    assert_int_equal(b.strand_of[7], -1);
    int32_t j = b.ops->where(b.div, 0, 0);
    assert_string_equal(bench_label(&b, j, false), "J");
    struct text dump = {0};
    b.ops->dump(b.div, &dump);
    assert_non_null(strstr(dump.data, "barrier at"));
    text_free(&dump);
    run_to(&b, 0, "J");
    assert_int_equal(with(&b, 0), 0x0f);
    assert_int_equal(with(&b, 4), 0xf0);
    assert_int_equal(bench_counter(&b, "barriers"), 2);
    assert_int_equal(bench_counter(&b, "opened"), 2);
    assert_int_equal(bench_counter(&b, "arrivals"), 8);
    finish(&b);
}

/* The second warp goes to X as one: it has no barrier, and passes the place where the first warp's threads wait. */
static void others_pass_a_warp_s_barrier(void **state)
{
    (void)state;
    struct bench b;
    start(&b, "dwf-wb", &unlimited, HAMMOCK, by_lane, "00110000");
    bench_launch(&b, 0, 8);
    lead(&b, 0, "X");
    lead(&b, 4, "J");
    assert_int_equal(with(&b, 4), 0xf0);
    assert_int_equal(with(&b, 0), 0x03);
    bench_issue(&b, strand_of(&b, 4));
    assert_int_equal(bench_counter(&b, "barriers"), 1);
    finish(&b);
}

#define NESTED                                                                                                    \
    HEAD KERNEL("A: @%p0 bra X;\nY:" WORK "@%p1 bra Y1;\nY0:" WORK "bra K;\nY1:" WORK WORK "\nK:" WORK "bra J;\n" \
                "X:" WORK "\nJ:" WORK "ret;")

static int by_script(struct bench *b, int thread, int32_t pc, int ways)
{
    const char *const *scripts = b->script;
    assert_int_equal(ways, 2);
    return scripts[b->program->insns[pc].branch][thread] - '0';
}

/* The inner branch is control dependent on the outer one: no barrier at K. */
static void inner_branches_make_no_barrier(void **state)
{
    (void)state;
    struct bench b;
    static const char *const scripts[] = {"0111", "0011"};
    bench_open(&b, NESTED, by_script, scripts);
    b.knobs = &unlimited;
    bench_begin(&b, "dwf-wb", 4);
    bench_launch(&b, 0, 4);
    lead(&b, 2, "K");
    assert_int_equal(with(&b, 2), 0xc);
    assert_int_equal(bench_counter(&b, "barriers"), 1);
    run_to(&b, 0, "J");
    assert_int_equal(with(&b, 0), 0xf);
    finish(&b);
}

static void threads_that_end_are_not_waited_for(void **state)
{
    (void)state;
    struct bench b;
    start(&b, "dwf-wb", &unlimited, HEAD KERNEL("A: @%p0 bra X;\nbra J;\nX:" WORK WORK "exit;\nJ:" WORK "ret;"),
          by_lane, "0101");
    bench_launch(&b, 0, 4);
    struct strand *j = run_to(&b, 1, "J");
    assert_int_equal(threads_of_row(&j->threads, 0), 0xa);
    assert_int_equal(bench_counter(&b, "opened"), 1);
    finish(&b);
}

static void threads_that_return_apart_meet_behind_the_call(void **state)
{
    (void)state;
    struct bench b;
    start(&b, "dwf-wb", &unlimited,
          HEAD FUNC("f", "F: @%p0 bra X;\nY:" WORK "ret;\nX:" WORK WORK "ret;") KERNEL("A: call f;\nR:" WORK "ret;"),
          by_lane, "0101");
    bench_launch(&b, 0, 4);
    run_to(&b, 0, "R");
    assert_int_equal(with(&b, 0), 0xf);
    assert_int_equal(bench_counter(&b, "opened"), 1);
    finish(&b);
}

/* Threads 0,1 wait at a block barrier for 2,3, which wait at J for them. */
static void a_barrier_that_can_never_open_is_given_up(void **state)
{
    (void)state;
    struct bench b;
    start(&b, "dwf-wb", &unlimited,
          HEAD KERNEL("A: @%p0 bra X;\nbra J;\nX: barrier.sync 0;\nJ:" WORK "@%p0 bra E;\n"
                      "K: barrier.sync 0;\nE:" WORK "ret;"),
          by_lane, "0011");
    bench_launch(&b, 0, 4);
    bench_run(&b);
    assert_int_equal(bench_counter(&b, "broken"), 1);
    bench_close(&b);
}

/* A block barrier that the whole warp comes to does not part it. */
static void a_warp_passes_a_block_barrier_whole(void **state)
{
    (void)state;
    struct bench b;
    start(&b, "dwf-wb", &unlimited, BARRIER, never, NULL);
    bench_launch(&b, 0, 8);
    run_to(&b, 0, "C");
    assert_int_equal(with(&b, 0), 0x0f);
    assert_int_equal(with(&b, 4), 0xf0);
    assert_int_equal(strand_of(&b, 0)->key, POOL_URGENT);
    assert_int_equal(bench_counter(&b, "barriers"), 0);
    finish(&b);
}

/* ---- random graphs ---- */

static void walk_together(struct bench *b, const char *mechanism, int width, const uint64_t *path, const int *steps)
{
    bench_begin(b, mechanism, width);
    bench_launch(b, 0, 75);
    bench_launch(b, 1, 40);
    bench_run(b);
    compare_paths(b, path, steps, 0, 75);
    compare_paths(b, path, steps, 96, WALKERS);
    int total = 0;
    for (int i = 0; i < WALKERS; i++)
        total += i < 75 || i >= 96 ? steps[i] : 0;
    assert_in_range(b->issues, (total + width - 1) / width, total);
    assert_int_equal(bench_counter(b, "commits") <= (uint64_t)b->issues, true);
    bench_end(b);
}

static void on_random_graphs_every_thread_walks_its_own_path(void **state)
{
    static const int widths[] = {4, 8, 32, 64};
    static const struct pool_knobs knobs[] = {
        {32, 2, 1, POOL_HOME_WARP}, {0, 2, 0, POOL_HOME_WARP}, {1, 1, 2, POOL_HOME_SIMD}, {6, 4, 0, POOL_HOME_SIMD}};
    static struct bench b;
    uint64_t path[WALKERS];
    int steps[WALKERS];
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        struct random r = {seed};
        char *text = random_module(&r, true);
        bench_open(&b, text, random_choice, &seed);
        walk_alone(&b, path, steps, WALKERS);
        b.latency = seed % 4 ? 6 : 0;
        b.knobs = &knobs[seed / 4 % 4];
        b.simd_width = seed & 1 ? 2 : 0;
        walk_together(&b, *state, widths[seed % 4], path, steps);
        bench_close(&b);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sides_of_two_warps_meet_at_their_pc),
        cmocka_unit_test(distinct_pcs_are_counted),
        cmocka_unit_test(threads_in_conflict_are_the_strand_that_is_found_next),
        cmocka_unit_test(a_strand_that_has_issued_is_not_joined),
        cmocka_unit_test(a_strand_may_come_back_to_its_pc),
        cmocka_unit_test(a_pc_that_lost_its_entry_is_not_found),
        cmocka_unit_test(the_entry_that_was_not_used_for_longest_gives_way),
        cmocka_unit_test(threads_of_a_lane_may_take_each_others_slots),
        cmocka_unit_test(one_strand_is_regrouped_a_cycle),
        cmocka_unit_test(threads_that_fall_behind_do_not_meet_again),
        cmocka_unit_test(released_threads_are_strands_of_their_block_and_urgent),
        cmocka_unit_test_prestate(threads_that_a_guard_lets_pass_go_on, "dwf"),
        cmocka_unit_test_prestate(threads_that_a_guard_lets_pass_go_on, "dwf-wb"),
        cmocka_unit_test(keys_count_reconvergence_points),
        cmocka_unit_test(warps_stay_apart_until_they_part),
        cmocka_unit_test(threads_return_to_their_warp_where_it_parted),
        cmocka_unit_test(others_pass_a_warp_s_barrier),
        cmocka_unit_test(inner_branches_make_no_barrier),
        cmocka_unit_test(threads_that_end_are_not_waited_for),
        cmocka_unit_test(threads_that_return_apart_meet_behind_the_call),
        cmocka_unit_test(a_barrier_that_can_never_open_is_given_up),
        cmocka_unit_test(a_warp_passes_a_block_barrier_whole),
        cmocka_unit_test_prestate(on_random_graphs_every_thread_walks_its_own_path, "dwf"),
        cmocka_unit_test_prestate(on_random_graphs_every_thread_walks_its_own_path, "dwf-wb"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
