/*
 * The probes on the contract, without a pipeline: a worked example each, to the mask, and random graphs with
 * barriers on which every thread must walk its own path, whatever the latencies.
 */
#include "div_bench.h"
#include "div_random.h"
#include "div_steps.h"
#include "tests/probes/probes.h"

#ifndef ROUNDS
#define ROUNDS 200
#endif

enum { WALKERS = 96 + 40 }; /* two blocks: 75 threads in three rows, and 40 */

/* ---- regroup ---- */

#define STRAIGHT HEAD KERNEL("A:" WORK "\nB:" WORK "ret;")

/* Threads 0-3 of one block and 4-7 of another are half a warp each. */
static void two_half_full_warps_of_two_blocks_become_one_strand(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, STRAIGHT, never, NULL);
    bench_begin_with(&b, &probe_regroup, 8);
    bench_launch(&b, 0, 4);
    b.first_row[1] = b.rows;
    b.row_count[1] = 1;
    b.live[b.rows] = 0xf0;
    b.rows++;
    b.ops->launch(b.div, 1);
    assert_int_equal(strand_count(&b), 1);
    struct strand *s = run_to(&b, 0, "B");
    assert_int_equal(s->threads.count, 2);
    assert_int_equal(threads_of_row(&s->threads, 0), 0x0f);
    assert_int_equal(threads_of_row(&s->threads, 1), 0xf0);
    assert_true(bench_counter(&b, "mixed") >= 1);
    bench_run(&b);
    assert_int_equal(b.issues, b.thread[0].steps);
    bench_close(&b);
}

/* Lanes 0-3 of both warps want the slots 0-3: nothing can move. */
static void threads_do_not_leave_their_slots(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, STRAIGHT, never, NULL);
    bench_begin_with(&b, &probe_regroup, 8);
    bench_launch(&b, 0, 4);
    bench_launch(&b, 1, 4);
    assert_int_equal(strand_count(&b), 2);
    run_to(&b, 0, "B");
    assert_int_equal(strand_count(&b), 2);
    assert_int_equal(bench_counter(&b, "joined"), 0);
    assert_true(bench_counter(&b, "conflicts") > 0);
    bench_close(&b);
}

/* Warps 0 and 1 of four threads each part ways crosswise: X gets lanes 0,1 of the one and 2,3 of the other.
 */
static void sides_of_two_warps_meet_at_their_pc(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, HEAD KERNEL("A:" WORK "@%p0 bra X;\nY:" WORK "bra J;\nX:" WORK "\nJ:" WORK "ret;"), by_lane,
               "00111100000000000000000000000000");
    bench_begin_with(&b, &probe_regroup, 4);
    bench_launch(&b, 0, 8);
    struct strand *x = run_to(&b, 0, "X"), *y = strand_of(&b, 2);
    assert_int_equal(threads_of_row(&x->threads, 0), 0xc3);
    assert_true(is_at(&b, y, "Y"));
    assert_int_equal(threads_of_row(&y->threads, 0), 0x3c);
    assert_int_equal(strand_count(&b), 2);
    bench_run(&b);
    bench_close(&b);
}

/* A strand of two blocks comes to a barrier: one block is complete and passes, the other's threads wait for
 * the rest. */
static void a_barrier_opens_for_one_block_of_a_strand(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, HEAD KERNEL("A:" WORK "\nB: barrier.sync 0;\nC:" WORK "ret;"), never, NULL);
    bench_begin_with(&b, &probe_regroup, 8);
    bench_launch(&b, 0, 4);
    b.first_row[1] = b.rows;
    b.row_count[1] = 2;
    b.live[b.rows] = 0xf0;
    b.live[b.rows + 1] = 0x0f;
    b.rows += 2;
    b.ops->launch(b.div, 1);
    struct strand *s = run_to(&b, 0, "B");
    assert_int_equal(threads_of_row(&s->threads, 1), 0xf0);
    struct strand *late = strand_of(&b, 64);
    assert_true(late != s);
    bench_issue(&b, s);
    assert_true(is_at(&b, strand_of(&b, 0), "C"));
    assert_int_equal(b.strand_of[36], -1);
    bench_issue(&b, late);
    assert_true(is_at(&b, strand_of(&b, 36), "C"));
    assert_true(is_at(&b, strand_of(&b, 64), "C"));
    bench_run(&b);
    bench_close(&b);
}

/* ---- gangs ---- */

#define FOUR_WAYS                                                                                          \
    HEAD KERNEL("T: .branchtargets X, Y, Z, Q;\nA:" WORK "brx.idx %r0, T;\nX:" WORK "bra J;\nY:" WORK WORK \
                "bra J;\nZ:" WORK WORK WORK "bra J;\nQ:" WORK WORK WORK WORK "\nJ:" WORK "ret;")

static void slices_are_ganged_by_their_next_pc(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, FOUR_WAYS, by_lane, "00000000000000001111111122223333");
    bench_begin_with(&b, &probe_gangs, 32);
    bench_launch(&b, 0, 32);
    assert_int_equal(strand_count(&b), 1);
    struct strand *x = run_to(&b, 0, "X"), *y = strand_of(&b, 16), *z = strand_of(&b, 24), *q = strand_of(&b, 28);
    assert_int_equal(strand_count(&b), 4);
    assert_int_equal(threads_of_row(&x->threads, 0), 0x0000ffff);
    assert_int_equal(threads_of_row(&y->threads, 0), 0x00ff0000);
    assert_int_equal(threads_of_row(&z->threads, 0), 0x0f000000);
    assert_int_equal(threads_of_row(&q->threads, 0), 0xf0000000);
    assert_true(is_at(&b, y, "Y") && is_at(&b, z, "Z") && is_at(&b, q, "Q"));
    assert_int_equal(bench_counter(&b, "splits"), 3);
    bench_run(&b);
    bench_close(&b);
}

/* Half of a slice goes each way: the slice has a stack, and runs X before Y with half its threads. */
static void a_slice_that_parts_runs_one_side_after_the_other(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, FOUR_WAYS, by_lane, "00110000000000000000000000000000");
    bench_begin_with(&b, &probe_gangs, 32);
    bench_launch(&b, 0, 32);
    struct strand *x = run_to(&b, 0, "X");
    assert_int_equal(threads_of_row(&x->threads, 0), 0xfffffff3);
    struct strand *y = run_to(&b, 2, "Y");
    assert_int_equal(threads_of_row(&y->threads, 0), 0xc);
    bench_run(&b);
    bench_close(&b);
}

/* Both sides take as long. Behind them the gangs are at one PC, and soon one gang. */
static void gangs_at_one_pc_merge(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b,
               HEAD KERNEL("A:" WORK "@%p0 bra X;\nY:" WORK "bra L;\nX:" WORK WORK "\nL:" WORK WORK WORK WORK WORK
                           "\nM:" WORK "ret;"),
               by_lane, "00000000000000001111111111111111");
    bench_begin_with(&b, &probe_gangs, 32);
    bench_launch(&b, 0, 32);
    struct strand *x = run_to(&b, 0, "X");
    assert_int_equal(threads_of_row(&x->threads, 0), 0xffff);
    struct strand *m = run_to(&b, 0, "M");
    assert_int_equal(threads_of_row(&m->threads, 0), 0xffffffff);
    assert_int_equal(strand_count(&b), 1);
    assert_int_equal(bench_counter(&b, "merges"), 1);
    bench_run(&b);
    bench_close(&b);
}

/* ---- barriers ---- */

#define IF_ELSE HEAD KERNEL("A:" WORK "@%p0 bra X;\nY:" WORK "bra J;\nX:" WORK WORK "\nJ:" WORK "ret;")

static void sides_run_at_once_and_meet_once(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, IF_ELSE, by_lane, "01010101");
    bench_begin_with(&b, &probe_barriers, 8);
    bench_launch(&b, 0, 8);
    struct strand *x = run_to(&b, 0, "X"), *y = strand_of(&b, 1);
    assert_int_equal(threads_of_row(&x->threads, 0), 0x55);
    assert_int_equal(threads_of_row(&y->threads, 0), 0xaa);
    assert_true(is_at(&b, y, "Y"));
    struct strand *j = run_to(&b, 0, "J");
    assert_int_equal(threads_of_row(&j->threads, 0), 0xff);
    assert_int_equal(strand_count(&b), 1);
    assert_int_equal(bench_counter(&b, "joined"), 1);
    assert_int_equal(bench_counter(&b, "opened"), 1);
    bench_run(&b);
    assert_int_equal(bench_counter(&b, "joined"), 1);
    bench_close(&b);
}

/* The last side comes by a branch, which the mechanism must test itself. */
static void a_branch_to_the_barrier_opens_it(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, HEAD KERNEL("A:" WORK "@%p0 bra X;\nY:" WORK WORK WORK "bra J;\nX:" WORK "\nJ:" WORK "ret;"),
               by_lane, "01010101");
    bench_begin_with(&b, &probe_barriers, 8);
    bench_launch(&b, 0, 8);
    struct strand *j = run_to(&b, 0, "J");
    assert_int_equal(threads_of_row(&j->threads, 0), 0xff);
    assert_int_equal(bench_counter(&b, "opened"), 1);
    assert_int_equal(bench_counter(&b, "broken"), 0);
    bench_close(&b);
}

/* Threads leave the loop one a round: they all wait at one barrier. */
static int one_a_round(struct bench *b, int thread, int32_t pc, int ways)
{
    (void)ways;
    return b->thread[thread].visits[b->program->insns[pc].branch] >= thread;
}

static void a_loop_needs_one_barrier(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, HEAD KERNEL("L:" WORK "@%p0 bra L;\nM:" WORK "ret;"), one_a_round, NULL);
    bench_begin_with(&b, &probe_barriers, 8);
    bench_launch(&b, 0, 8);
    struct strand *m = run_to(&b, 0, "M");
    assert_int_equal(threads_of_row(&m->threads, 0), 0xff);
    assert_int_equal(bench_counter(&b, "joined"), 1);
    bench_close(&b);
}

static void threads_that_end_are_not_waited_for(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, HEAD KERNEL("A:" WORK "@%p0 bra X;\nbra J;\nX:" WORK WORK "exit;\nJ:" WORK "ret;"), by_lane,
               "01010101");
    bench_begin_with(&b, &probe_barriers, 8);
    bench_launch(&b, 0, 8);
    run_to(&b, 0, "X");
    struct strand *j = run_to(&b, 1, "J");
    assert_int_equal(threads_of_row(&j->threads, 0), 0xaa);
    assert_int_equal(bench_counter(&b, "opened"), 1);
    assert_int_equal(bench_counter(&b, "broken"), 0);
    bench_run(&b);
    bench_close(&b);
}

/* The sides return from the function by themselves, and meet behind the call. */
static void threads_that_return_apart_meet_behind_the_call(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b,
               HEAD FUNC("f", "F:" WORK "@%p0 bra X;\nY:" WORK "ret;\nX:" WORK WORK "ret;")
                   KERNEL("A: call f;\nR:" WORK "ret;"),
               by_lane, "01010101");
    bench_begin_with(&b, &probe_barriers, 8);
    bench_launch(&b, 0, 8);
    struct strand *r = run_to(&b, 0, "R");
    assert_int_equal(threads_of_row(&r->threads, 0), 0xff);
    bench_run(&b);
    bench_close(&b);
}

/* Lanes 0-3 have their data first. They run ahead to J and no further. */
static void threads_with_data_run_ahead_to_the_barrier(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, IF_ELSE, by_lane, "00000001");
    bench_begin_with(&b, &probe_barriers, 8);
    bench_launch(&b, 0, 8);
    struct strand *x = run_to(&b, 0, "X");
    struct threads hit = {1, {{0, 0x0f}}}, miss = {1, {{0, 0x70}}};
    b.ops->memory(b.div, x, &hit, &miss);
    assert_int_equal(threads_of_row(&strand_of(&b, 0)->threads, 0), 0x0f);
    assert_int_equal(threads_of_row(&strand_of(&b, 4)->threads, 0), 0x70);
    assert_int_equal(bench_counter(&b, "ran_ahead"), 1);
    struct strand *j = run_to(&b, 0, "J");
    assert_int_equal(threads_of_row(&j->threads, 0), 0xff);
    bench_run(&b);
    bench_close(&b);
}

/* Lanes 0-3 wait at a block barrier for lanes 4-7, which wait at J for lanes 0-3. */
static void a_barrier_that_can_never_open_is_broken(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b,
               HEAD KERNEL("A:" WORK "@%p0 bra X;\nbra J;\nX: barrier.sync 0;\nJ:" WORK "@%p0 bra E;\n"
                           "K: barrier.sync 0;\nE:" WORK "ret;"),
               by_lane, "00001111");
    bench_begin_with(&b, &probe_barriers, 8);
    bench_launch(&b, 0, 8);
    bench_run(&b);
    assert_int_equal(bench_counter(&b, "broken"), 1);
    bench_close(&b);
}

/* Lanes 0-3 pass the first barrier, and meet the others at the second: only if they are not held with them.
 */
static void threads_that_a_guard_lets_pass_go_on(void **state)
{
    struct bench b;
    bench_open(&b, HEAD KERNEL("A: @%p0 barrier.sync 0;\nB:" WORK "@%p1 bra E;\nC: barrier.sync 0;\nE:" WORK "ret;"),
               by_lane, "11110000");
    bench_begin_with(&b, probe_find(*state), 8);
    bench_launch(&b, 0, 8);
    bench_run(&b);
    bench_close(&b);
}

/* ---- random graphs ---- */

/* Of the first block's three rows the last is half a warp of 64 threads; the row behind it is the other
 * block's. */
static void walk_together(struct bench *b, const struct div_ops *ops, int width, const uint64_t *path, const int *steps)
{
    bench_begin_with(b, ops, width);
    bench_launch(b, 0, 75);
    bench_launch(b, 1, 40);
    bench_run(b);
    compare_paths(b, path, steps, 0, 75);
    compare_paths(b, path, steps, 96, WALKERS);
    int total = 0;
    for (int i = 0; i < WALKERS; i++)
        total += i < 75 || i >= 96 ? steps[i] : 0;
    assert_in_range(b->issues, (total + width - 1) / width, total);
    bench_end(b);
}

static void on_random_graphs_every_thread_walks_its_own_path(void **state)
{
    const struct div_ops *ops = probe_find(*state);
    static const int widths[] = {1, 4, 32, 64};
    static struct bench b;
    uint64_t path[WALKERS];
    int steps[WALKERS];
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        struct random r = {seed};
        char *text = random_module(&r, true);
        bench_open(&b, text, random_choice, &seed);
        walk_alone(&b, path, steps, WALKERS);
        b.latency = seed % 4 ? 6 : 0;
        b.loads = seed % 3;
        walk_together(&b, ops, widths[seed % 4], path, steps);
        bench_close(&b);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_half_full_warps_of_two_blocks_become_one_strand),
        cmocka_unit_test(threads_do_not_leave_their_slots),
        cmocka_unit_test(sides_of_two_warps_meet_at_their_pc),
        cmocka_unit_test(a_barrier_opens_for_one_block_of_a_strand),
        cmocka_unit_test(slices_are_ganged_by_their_next_pc),
        cmocka_unit_test(a_slice_that_parts_runs_one_side_after_the_other),
        cmocka_unit_test(gangs_at_one_pc_merge),
        cmocka_unit_test(sides_run_at_once_and_meet_once),
        cmocka_unit_test(a_branch_to_the_barrier_opens_it),
        cmocka_unit_test(a_loop_needs_one_barrier),
        cmocka_unit_test(threads_that_end_are_not_waited_for),
        cmocka_unit_test(threads_that_return_apart_meet_behind_the_call),
        cmocka_unit_test(threads_with_data_run_ahead_to_the_barrier),
        cmocka_unit_test(a_barrier_that_can_never_open_is_broken),
        cmocka_unit_test_prestate(threads_that_a_guard_lets_pass_go_on, "probe-regroup"),
        cmocka_unit_test_prestate(threads_that_a_guard_lets_pass_go_on, "probe-gangs"),
        cmocka_unit_test_prestate(threads_that_a_guard_lets_pass_go_on, "probe-barriers"),
        cmocka_unit_test_prestate(on_random_graphs_every_thread_walks_its_own_path, "probe-regroup"),
        cmocka_unit_test_prestate(on_random_graphs_every_thread_walks_its_own_path, "probe-gangs"),
        cmocka_unit_test_prestate(on_random_graphs_every_thread_walks_its_own_path, "probe-barriers"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
