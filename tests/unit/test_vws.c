/*
 * Variable warp sizing without a pipeline: gangs split as the paper says, to the mask; the gang table, reformation, waits
 * at sync points, splits on memory; and random graphs with barriers on which every thread must walk its own path.
 */
#include "div/vws/area.h"
#include "div/vws/vws.h"
#include "div_bench.h"
#include "div_random.h"
#include "div_steps.h"

#include <math.h>

#ifndef ROUNDS
#define ROUNDS 150
#endif

static struct vws_knobs usual(void)
{
    struct vws_knobs k = {0};
    knob_defaults(&vws_knob_table, &k);
    return k;
}

static void begin(struct bench *b, const struct vws_knobs *knobs, int width)
{
    b->knobs = knobs;
    bench_begin(b, "vws", width);
}

/* by_lane for the first warp; all other threads take way 0. */
static int of_the_first_warp(struct bench *b, int thread, int32_t pc, int ways)
{
    return thread < 32 ? by_lane(b, thread, pc, ways) : 0;
}

static uint32_t mask_at(struct bench *b, int thread)
{
    return threads_of_row(&strand_of(b, thread)->threads, 0);
}

/* ---- splitting ---- */

#define FOUR_WAYS                                                                                        \
    HEAD KERNEL("T: .branchtargets X, Y, Z, Q;\nA:" WORK "brx.idx %r0, T;\nX:" WORK WORK WORK            \
                "bra J;\nY:" WORK WORK WORK "bra J;\nZ:" WORK WORK WORK "bra J;\nQ:" WORK WORK WORK WORK \
                "\nJ:" WORK WORK WORK WORK WORK WORK "\nK:" WORK "ret;")

/* PCs X,X,X,X,Y,Y,Z,Q in slices 0 to 7: gangs of slices 0-3 and 4,5, singletons 6 and 7. */
static void a_gang_splits_by_the_next_pcs(void **state)
{
    (void)state;
    struct bench b;
    struct vws_knobs knobs = usual();
    bench_open(&b, FOUR_WAYS, by_lane, "00000000000000001111111122223333");
    begin(&b, &knobs, 32);
    bench_launch(&b, 0, 32);
    assert_int_equal(strand_count(&b), 1);
    assert_int_equal(mask_at(&b, 0), 0xffffffff);
    run_to(&b, 0, "X");
    assert_int_equal(strand_count(&b), 4);
    assert_int_equal(mask_at(&b, 0), 0x0000ffff);
    assert_int_equal(mask_at(&b, 16), 0x00ff0000);
    assert_int_equal(mask_at(&b, 24), 0x0f000000);
    assert_int_equal(mask_at(&b, 28), 0xf0000000);
    assert_true(is_at(&b, strand_of(&b, 16), "Y") && is_at(&b, strand_of(&b, 24), "Z") &&
                is_at(&b, strand_of(&b, 28), "Q"));
    assert_int_equal(bench_counter(&b, "splits"), 3);
    assert_int_equal(vws_of(b.div)->table[0], 2); /* of the gang table; singletons have no entry */
    bench_run(&b);
    assert_int_equal(bench_counter(&b, "merges"), 0); /* I-VWS: never, though X and Y are as long */
    assert_int_equal(vws_of(b.div)->table[0], 0);
    bench_close(&b);
}

/* The pipeline is told what the mechanism needs of it. */
static void slices_are_asked_for(void **state)
{
    (void)state;
    static const struct {
        int width, mode, w, slice, gangs;
    } cases[] = {{2, VWS_BOTH, 32, 4, 2},       {3, VWS_BOTH, 32, 8, 2}, {2, VWS_GANG_ONLY, 32, 32, 2},
                 {2, VWS_BOTH, 4, 4, 2},        {0, VWS_BOTH, 32, 1, 2}, {1, VWS_BOTH, 32, 2, 2},
                 {2, VWS_SLICE_ONLY, 32, 4, 2}, {5, VWS_BOTH, 16, 16, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench b;
        struct vws_knobs knobs = usual();
        knobs.width = (uint32_t)cases[i].width;
        knobs.mode = (uint32_t)cases[i].mode;
        bench_open(&b, FOUR_WAYS, never, NULL);
        begin(&b, &knobs, cases[i].w);
        assert_int_equal(b.wants.slice_lanes, cases[i].slice);
        assert_int_equal(b.wants.gangs, cases[i].gangs);
        bench_launch(&b, 0, 32);
        assert_int_equal(strand_count(&b), cases[i].mode == VWS_SLICE_ONLY ? 8 : 32 / cases[i].w);
        assert_int_equal(bench_counter(&b, "table_full"), 0);
        bench_close(&b);
    }
}

/* Half of slice 0 goes each way: the slice has a stack, and runs X before Y with half its threads. */
static void a_slice_that_parts_runs_one_side_after_the_other(void **state)
{
    (void)state;
    struct bench b;
    struct vws_knobs knobs = usual();
    bench_open(&b, FOUR_WAYS, by_lane, "00110000000000000000000000000000");
    begin(&b, &knobs, 32);
    bench_launch(&b, 0, 32);
    run_to(&b, 0, "X");
    assert_int_equal(mask_at(&b, 0), 0xfffffff3);
    run_to(&b, 2, "Y");
    assert_int_equal(mask_at(&b, 2), 0xc);
    assert_int_equal(mask_at(&b, 4), 0xfffffff0); /* the others are past it */
    bench_run(&b);
    bench_close(&b);
}

/* Each slice has a thread that goes to Y and three that go to X. */
static void the_side_of_a_slice_that_runs_first_is_a_knob(void **state)
{
    (void)state;
    static const struct {
        const char *mechanism;
        uint32_t order, first; /* threads of slice 0 */
    } cases[] = {{"vws", ORDER_TAKEN_FIRST, 0x7},
                 {"vws", ORDER_NOT_TAKEN_FIRST, 0x8},
                 {"ws", ORDER_TAKEN_FIRST, 0x7},
                 {"ws", ORDER_NOT_TAKEN_FIRST, 0x8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench b;
        struct vws_knobs gangs = usual();
        struct ws_knobs narrow = {.width = gangs.width, .order = cases[i].order};
        gangs.order = cases[i].order;
        bench_open(&b, HEAD KERNEL("A:" WORK "@%p0 bra X;\nY:" WORK "bra J;\nX:" WORK "\nJ:" WORK "ret;"), by_lane,
                   "00010001000100010001000100010001");
        b.knobs = strcmp(cases[i].mechanism, "ws") ? (const void *)&gangs : &narrow;
        bench_begin(&b, cases[i].mechanism, 32);
        bench_launch(&b, 0, 32);
        run_to(&b, cases[i].first == 0x7 ? 0 : 3, cases[i].first == 0x7 ? "X" : "Y");
        assert_int_equal(mask_at(&b, cases[i].first == 0x7 ? 0 : 3) & 0xf, cases[i].first);
        assert_int_equal(b.thread[cases[i].first == 0x7 ? 3 : 0].steps, b.thread[cases[i].first == 0x7 ? 0 : 3].steps);
        bench_run(&b);
        bench_close(&b);
    }
}

/* Half of each warp ends: what is left is a gang of four, as in the paper's GamePhysics. */
static void one_half_ends_and_the_other_stays_a_gang(void **state)
{
    (void)state;
    struct bench b;
    struct vws_knobs knobs = usual();
    bench_open(&b, HEAD KERNEL("A:" WORK "@%p0 exit;\nX:" WORK WORK "ret;"), by_lane,
               "11111111111111110000000000000000");
    begin(&b, &knobs, 32);
    bench_launch(&b, 0, 32);
    run_to(&b, 0, "X");
    assert_int_equal(strand_count(&b), 1);
    assert_int_equal(mask_at(&b, 0), 0x0000ffff);
    assert_int_equal(vws_of(b.div)->warps.data[0].members, 0x0f);
    uint64_t cycles_of_8 = bench_counter(&b, "in_8"), now = b.host.now;
    assert_int_equal(bench_counter(&b, "in_4"), 0);
    assert_int_equal(cycles_of_8, 8 * (now - 1)); /* from cycle 1 on, and not in this one */
    bench_run(&b);
    assert_int_equal(bench_counter(&b, "in_8"), cycles_of_8);
    assert_int_equal(bench_counter(&b, "in_4"), 4 * 3); /* three instructions, each in the next cycle */
    bench_close(&b);
}

/* ---- the gang table ---- */

static void gangs_that_do_not_fit_the_table_are_singletons(void **state)
{
    (void)state;
    struct bench b;
    struct vws_knobs knobs = usual();
    knobs.table_ways = 1;
    bench_open(&b, FOUR_WAYS, by_lane, "00000000000000001111111122223333");
    begin(&b, &knobs, 32);
    bench_launch(&b, 0, 32);
    run_to(&b, 0, "X");
    assert_int_equal(strand_count(&b), 5);
    assert_int_equal(mask_at(&b, 0), 0x0000ffff);
    assert_int_equal(mask_at(&b, 16), 0x000f0000);
    assert_int_equal(mask_at(&b, 20), 0x00f00000);
    assert_int_equal(bench_counter(&b, "table_full"), 1);
    bench_run(&b);
    bench_close(&b);
}

/* Two warps whose numbers are alike modulo the sets share a set. */
static void originals_share_sets(void **state)
{
    (void)state;
    for (uint32_t sets = 1; sets <= 2; sets++) {
        struct bench b;
        struct vws_knobs knobs = usual();
        knobs.table_ways = 1;
        knobs.table_sets = sets;
        bench_open(&b, FOUR_WAYS, never, NULL);
        begin(&b, &knobs, 32);
        bench_launch(&b, 0, 64);
        assert_int_equal(strand_count(&b), sets == 1 ? 1 + 8 : 2);
        assert_int_equal(bench_counter(&b, "table_full"), sets == 1);
        bench_close(&b);
    }
}

/* ---- reformation ---- */

/* Both sides take as long. Behind them the gangs are at one PC, and soon one gang. */
static void gangs_at_one_pc_merge_if_they_may(void **state)
{
    (void)state;
    for (int reform = 0; reform <= 1; reform++) {
        struct bench b;
        struct vws_knobs knobs = usual();
        knobs.reform = reform;
        bench_open(&b, FOUR_WAYS, by_lane, "00000000000000001111111111111111");
        begin(&b, &knobs, 32);
        bench_launch(&b, 0, 32);
        run_to(&b, 0, "X");
        assert_int_equal(mask_at(&b, 0), 0xffff);
        run_to(&b, 0, "K");
        assert_int_equal(mask_at(&b, 0), reform ? 0xffffffff : 0xffff);
        assert_int_equal(bench_counter(&b, "merges"), reform);
        assert_int_equal(strand_count(&b), 2 - reform);
        bench_run(&b);
        bench_close(&b);
    }
}

/* Three gangs and a singleton at one PC: one merge a cycle. */
static void one_merge_a_cycle(void **state)
{
    (void)state;
    struct bench b;
    struct vws_knobs knobs = usual();
    knobs.reform = true;
    bench_open(&b, FOUR_WAYS, by_lane, "00000000000011111111222222223333");
    begin(&b, &knobs, 32);
    bench_launch(&b, 0, 64);
    run_to(&b, 0, "X");
    assert_int_equal(strand_count(&b), 8);
    uint64_t merges = 0;
    while (strand_count(&b) > 2) {
        assert_true(bench_cycle(&b));
        assert_in_range(bench_counter(&b, "merges"), merges, merges + 1);
        merges = bench_counter(&b, "merges");
    }
    assert_int_equal(merges, 6);
    bench_run(&b);
    bench_close(&b);
}

/* Threads of the first of `warps` warps go four ways, which are about as long; the others stay whole. One warp is visited
 * per cycle, in turn, split or not: the parts of the first merge at most once in as many cycles as there are warps, and
 * always at the same place of the round. */
static void a_warp_is_visited_in_its_turn(void **state)
{
    (void)state;
    for (int warps = 1; warps <= 3; warps++) {
        struct bench b;
        struct vws_knobs knobs = usual();
        knobs.reform = true;
        bench_open(&b, FOUR_WAYS, of_the_first_warp, "00000000000011111111222222223333");
        begin(&b, &knobs, 32);
        bench_launch(&b, 0, 32 * warps);
        run_to(&b, 0, "X");
        assert_int_equal(strand_count(&b), 4 + warps - 1);
        uint64_t merges = 0, last = 0;
        while (merges < 3) {
            assert_true(bench_cycle(&b));
            if (bench_counter(&b, "merges") == merges)
                continue;
            merges++;
            assert_int_equal(bench_counter(&b, "merges"), merges);
            if (last)
                assert_int_equal((b.host.now - last) % (uint64_t)warps, 0);
            last = b.host.now;
        }
        bench_run(&b);
        bench_close(&b);
    }
}

/* Y's way is longer by two; both gangs are in J, two instructions apart, and the mechanism has stopped to look. */
#define LAGGING                                                                   \
    HEAD KERNEL("A:" WORK "@%p0 bra X;\nY:" WORK WORK WORK "bra J;\nX:" WORK WORK \
                "\nJ:" WORK WORK WORK WORK WORK WORK WORK "ret;")

static void begin_lagging(struct bench *b, const struct vws_knobs *knobs)
{
    bench_open(b, LAGGING, by_lane, "00000000000000001111111111111111");
    begin(b, knobs, 32);
    bench_launch(b, 0, 32);
    run_to(b, 16, "J");
    assert_int_equal(strand_of(b, 0)->pc - strand_of(b, 16)->pc, 2);
    b->ops->idle(b->div);
    for (int i = 0; i < 20; i++)
        bench_advance(b);
    assert_int_equal(b->tick_cycle, 0);
}

/* Straight-line issues call the mechanism only once, when they begin again: from then on every cycle visits. */
static void gangs_that_come_together_in_a_straight_line_are_found(void **state)
{
    (void)state;
    struct bench b;
    struct vws_knobs knobs = usual();
    knobs.reform = true;
    begin_lagging(&b, &knobs);
    bench_issue(&b, strand_of(&b, 16));
    b.ops->resume(b.div);
    bench_advance(&b);
    assert_int_equal(strand_count(&b), 2);
    bench_issue(&b, strand_of(&b, 16));
    assert_int_equal(strand_of(&b, 0)->pc, strand_of(&b, 16)->pc);
    bench_advance(&b);
    assert_int_equal(strand_count(&b), 1);
    assert_int_equal(bench_counter(&b, "merges"), 1);
    bench_run(&b);
    bench_close(&b);
}

/* After a time in which nobody moved, a gang comes straight on to a post-dominator at which another stands. */
static void a_gang_that_comes_to_another_is_found_at_once(void **state)
{
    (void)state;
    struct bench b;
    struct vws_knobs knobs = usual();
    knobs.reform = true;
    bench_open(&b, LAGGING, by_lane, "00000000000000001111111111111111");
    begin(&b, &knobs, 32);
    bench_launch(&b, 0, 32);
    run_to(&b, 0, "X");
    while (!is_at(&b, strand_of(&b, 16), "J"))
        bench_issue(&b, strand_of(&b, 16));
    b.ops->idle(b.div);
    for (int i = 0; i < 20; i++)
        bench_advance(&b);
    assert_int_equal(b.tick_cycle, 0);
    while (!is_at(&b, strand_of(&b, 0), "J"))
        bench_issue(&b, strand_of(&b, 0));
    assert_int_equal(strand_count(&b), 2);
    bench_advance(&b);
    assert_int_equal(strand_count(&b), 1);
    bench_run(&b);
    bench_close(&b);
}

/* Slices 0 to 3 have their data and go ahead as a new gang. The two do not become one again where they parted, but where the
 * other has followed; and the old one, which is older, stays. */
static void gangs_that_a_load_parted_merge_further_on(void **state)
{
    (void)state;
    struct bench b;
    struct vws_knobs knobs = usual();
    knobs.reform = true;
    knobs.split = VWS_SPLIT_GROUP;
    bench_open(&b, FOUR_WAYS, never, NULL);
    begin(&b, &knobs, 32);
    bench_launch(&b, 0, 32);
    struct strand *s = run_to(&b, 0, "A");
    struct threads hit = {1, {{0, 0xffff}}}, miss = {1, {{0, 0xffff0000}}};
    b.ops->memory(b.div, s, &hit, &miss);
    assert_ptr_not_equal(strand_of(&b, 0), s);
    for (int i = 0; i < 5; i++)
        bench_advance(&b);
    assert_int_equal(strand_count(&b), 2);
    bench_issue(&b, strand_of(&b, 0));
    bench_advance(&b);
    assert_int_equal(strand_count(&b), 2);
    bench_issue(&b, s);
    b.ops->idle(b.div);
    bench_advance(&b);
    assert_int_equal(strand_count(&b), 1);
    assert_ptr_equal(strand_of(&b, 0), s);
    bench_run(&b);
    bench_close(&b);
}

#define ENDLESS HEAD KERNEL("A:" WORK "bra A;")

/* A loop brings them back to where they parted: there they merge. */
static void gangs_that_a_load_parted_merge_in_the_next_round(void **state)
{
    (void)state;
    struct bench b;
    struct vws_knobs knobs = usual();
    knobs.reform = true;
    knobs.split = VWS_SPLIT_GROUP;
    bench_open(&b, ENDLESS, never, NULL);
    begin(&b, &knobs, 32);
    bench_launch(&b, 0, 32);
    struct strand *s = run_to(&b, 0, "A");
    struct threads hit = {1, {{0, 0xffff}}}, miss = {1, {{0, 0xffff0000}}};
    b.ops->memory(b.div, s, &hit, &miss);
    for (int i = 0; i < 2; i++)
        bench_issue(&b, strand_of(&b, 0)); /* a round, to where the other still is */
    assert_true(is_at(&b, strand_of(&b, 0), "A") && is_at(&b, s, "A"));
    assert_int_equal(strand_count(&b), 2);
    bench_advance(&b);
    assert_int_equal(strand_count(&b), 1);
    bench_close(&b);
}

/* Singletons cannot become a gang where the table has no room; the mechanism does not try for ever. */
static void a_merge_needs_an_entry(void **state)
{
    (void)state;
    struct bench b;
    struct vws_knobs knobs = usual();
    knobs.reform = true;
    knobs.table_ways = 1;
    knobs.table_sets = 1;
    bench_open(&b, FOUR_WAYS, never, NULL);
    begin(&b, &knobs, 32);
    bench_launch(&b, 0, 64); /* the second warp starts as singletons */
    assert_int_equal(strand_count(&b), 9);
    run_to(&b, 0, "K");
    assert_int_equal(bench_counter(&b, "merges"), 0);
    bench_run(&b);
    bench_close(&b);
}

/* The way over Y is longer by seven: X's gang waits for Y's at J, and they go on as one; but not for longer than it may. */
static void parts_wait_at_sync_points(void **state)
{
    (void)state;
    static const struct {
        bool reform;
        uint32_t cycles;
        uint64_t waits, timeouts; /* the second gang does not wait if the first has ended */
        uint32_t mask;
    } cases[] = {
        {true, 10, 2, 0, 0xffffffff}, {true, 1, 1, 1, 0xffff}, {true, 0, 0, 0, 0xffff}, {false, 10, 0, 0, 0xffff}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench b;
        struct vws_knobs knobs = usual();
        knobs.reform = cases[i].reform;
        knobs.sync_cycles = cases[i].cycles;
        bench_open(&b,
                   HEAD KERNEL("A:" WORK "@%p0 bra X;\nY:" WORK WORK WORK WORK WORK WORK WORK "bra J;\nX:" WORK
                               "\nJ:" WORK "ret;"),
                   by_lane, "00000000000000001111111111111111");
        begin(&b, &knobs, 32);
        bench_launch(&b, 0, 32);
        run_to(&b, 0, "J");
        assert_int_equal(strand_of(&b, 0)->parked, cases[i].waits > 0);
        assert_int_equal(mask_at(&b, 0), 0xffff);
        while (b.strand_of[0] >= 0 && (strand_of(&b, 0)->parked || is_at(&b, strand_of(&b, 0), "J"))) {
            if (!strand_of(&b, 0)->parked)
                assert_int_equal(mask_at(&b, 0), cases[i].mask);
            assert_true(bench_cycle(&b));
        }
        bench_run(&b);
        assert_int_equal(bench_counter(&b, "waits"), cases[i].waits);
        assert_int_equal(bench_counter(&b, "timeouts"), cases[i].timeouts);
        assert_int_equal(bench_counter(&b, "merges"), cases[i].mask == 0xffffffff);
        bench_close(&b);
    }
}

/* ---- splits on memory ---- */

/* Data for slices 1 and 2, and for a part of slice 3, is there. */
static void gangs_split_on_memory(void **state)
{
    (void)state;
    static const struct {
        uint32_t split;
        int strands;
        uint32_t came, waits;
    } cases[] = {
        {VWS_SPLIT_CONTROL, 1, 0xffffffff, 0xffffffff},
        {VWS_SPLIT_IMPATIENT, 8, 0x000000f0, 0x0000f000},
        {VWS_SPLIT_GROUP, 2, 0x00000ff0, 0xfffff00f},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench b;
        struct vws_knobs knobs = usual();
        knobs.split = cases[i].split;
        bench_open(&b, FOUR_WAYS, never, NULL);
        begin(&b, &knobs, 32);
        bench_launch(&b, 0, 32);
        struct strand *s = run_to(&b, 0, "A");
        struct threads hit = {1, {{0, 0x3ff0}}}, miss = {1, {{0, 0xffffc00f}}};
        b.ops->memory(b.div, s, &hit, &miss);
        b.ops->check(b.div);
        assert_int_equal(strand_count(&b), cases[i].strands);
        assert_int_equal(mask_at(&b, 4), cases[i].came);
        assert_int_equal(mask_at(&b, 12), cases[i].waits);
        assert_true(is_at(&b, strand_of(&b, 4), "A") && is_at(&b, strand_of(&b, 12), "A"));
        if (cases[i].split == VWS_SPLIT_GROUP)
            assert_ptr_equal(strand_of(&b, 12), s); /* the rest of its data is told of this strand */
        assert_int_equal(bench_counter(&b, "memory_splits"), cases[i].split != VWS_SPLIT_CONTROL);
        bench_run(&b);
        bench_close(&b);
    }
}

/* No slice has all its data: nothing to gain. */
static void a_gang_of_slices_that_all_wait_does_not_split(void **state)
{
    (void)state;
    struct bench b;
    struct vws_knobs knobs = usual();
    knobs.split = VWS_SPLIT_IMPATIENT;
    bench_open(&b, FOUR_WAYS, never, NULL);
    begin(&b, &knobs, 32);
    bench_launch(&b, 0, 32);
    struct strand *s = run_to(&b, 0, "A");
    struct threads hit = {1, {{0, 0x77777777}}}, miss = {1, {{0, 0x88888888}}};
    b.ops->memory(b.div, s, &hit, &miss);
    assert_int_equal(strand_count(&b), 1);
    bench_close(&b);
}

/* A gang that waits at a sync point for others of its warp is not taken apart while it does. */
static void a_gang_that_waits_does_not_split(void **state)
{
    (void)state;
    struct bench b;
    struct vws_knobs knobs = usual();
    knobs.reform = true;
    knobs.sync_cycles = 100;
    knobs.split = VWS_SPLIT_IMPATIENT;
    bench_open(&b, LAGGING, by_lane, "00000000000000001111111111111111");
    begin(&b, &knobs, 32);
    bench_launch(&b, 0, 32);
    struct strand *s = run_to(&b, 0, "J");
    struct threads hit = {1, {{0, 0x00ff}}}, miss = {1, {{0, 0xff00}}};
    assert_true(s->parked);
    b.ops->memory(b.div, s, &hit, &miss);
    assert_int_equal(strand_count(&b), 2);
    assert_int_equal(bench_counter(&b, "memory_splits"), 0);
    bench_run(&b);
    bench_close(&b);
}

/* ---- barriers ---- */

/* Lanes 0-15 pass the first barrier, and meet the others at the second: only if they are not held with them. Those that were
 * let go together are a gang again. */
static void slices_that_a_guard_lets_pass_go_on(void **state)
{
    (void)state;
    struct bench b;
    struct vws_knobs knobs = usual();
    bench_open(&b, HEAD KERNEL("A: @%p0 barrier.sync 0;\nB:" WORK "@%p1 bra E;\nC: barrier.sync 0;\nE:" WORK "ret;"),
               by_lane, "11111111111111110000000000000000");
    begin(&b, &knobs, 32);
    bench_launch(&b, 0, 32);
    run_to(&b, 0, "B");
    assert_int_equal(mask_at(&b, 0), 0xffff);
    assert_int_equal(b.strand_of[16], -1);
    run_to(&b, 16, "B");
    assert_int_equal(mask_at(&b, 16), 0xffff0000);
    bench_run(&b);
    bench_close(&b);
}

/* ---- words ---- */

static void the_dump_says_who_runs_what(void **state)
{
    (void)state;
    struct bench b;
    struct text said = {0};
    struct vws_knobs knobs = usual();
    bench_open(&b, FOUR_WAYS, by_lane, "00000000000000001111111122223303");
    begin(&b, &knobs, 32);
    bench_launch(&b, 0, 32);
    run_to(&b, 0, "X");
    b.ops->dump(b.div, &said);
    assert_string_equal(said.data, "warp 0\n"
                                   " gang 11110001 X\n"
                                   " gang 00001100 Y\n"
                                   " gang 00000010 Z\n"
                                   " slice at lane 28\n"
                                   "  J 1111 -\n"
                                   "  Q 1101 J\n"
                                   "  X 0010 J\n");
    assert_string_equal(bench_label(&b, b.ops->where(b.div, 0, 28), false), "Q");
    assert_string_equal(bench_label(&b, b.ops->where(b.div, 0, 30), false), "X");
    text_free(&said);
    bench_close(&b);
}

/* ---- area ---- */

/* The paper's Table 2, to the digits that it prints. */
static void the_area_is_the_papers(void **state)
{
    (void)state;
    static const struct {
        uint32_t lanes;
        double l0, buffers, scoreboards, control, sm, percent, gpu, gpu_percent;
    } columns[] = {{4, 0.052, 0.103, 0.154, 1.280, 1.7, 11, 25.8, 5},
                   {8, 0.026, 0.052, 0.077, 0.640, 0.93, 6, 13.9, 2.5}};
    for (int i = 0; i < 2; i++) {
        struct vws_area a = vws_area(&(struct vws_area_of){32, columns[i].lanes, 32, 64 << 10, 2, 256, 128, 15});
        assert_float_equal(a.l1i, 0.108, 0.0015);
        assert_float_equal(a.l0, columns[i].l0, 0.001);
        assert_float_equal(a.buffers, columns[i].buffers, 0.001);
        assert_float_equal(a.table, 0.026, 0.001);
        assert_float_equal(a.scoreboards, columns[i].scoreboards, 0.002);
        assert_float_equal(a.control, columns[i].control, 0.001);
        assert_float_equal(a.sm, columns[i].sm, 0.05);
        assert_float_equal(a.sm_percent, columns[i].percent, 0.5);
        assert_float_equal(a.gpu, columns[i].gpu, 0.1);
        assert_float_equal(a.gpu_percent, columns[i].gpu_percent, 0.2);
        assert_float_equal(vws_area(&(struct vws_area_of){32, columns[i].lanes, 32, 64 << 10, 1, 0, 0, 1}).l1i, 0,
                           1e-9);
    }
}

/* Each part of the formula follows its own knobs and no other's: twice the knob, twice the part. */
static void the_area_follows_the_knobs(void **state)
{
    (void)state;
    const struct vws_area_of paper = {32, 4, 32, 64 << 10, 2, 256, 128, 15};
    struct vws_area one = vws_area(&paper), two;
    struct vws_area_of of = paper;
    of.lanes = 64;
    two = vws_area(&of);
    assert_float_equal(two.sm - two.table - (one.sm - one.table), one.l0 + one.buffers + one.scoreboards + one.control,
                       1e-5);
    of = paper;
    of.warps = 64;
    two = vws_area(&of);
    assert_float_equal(two.sm - one.sm, one.buffers + one.scoreboards, 1e-5);
    of = paper;
    of.l1i_bytes *= 2;
    two = vws_area(&of);
    assert_float_equal(two.sm - one.sm, one.l1i, 1e-5);
    of = paper;
    of.l0_bytes *= 2;
    two = vws_area(&of);
    assert_float_equal(two.sm - one.sm, one.l0, 1e-5);
    of = paper;
    of.gangs *= 2;
    two = vws_area(&of);
    assert_float_equal(two.sm - one.sm, one.table, 1e-5);
    of = paper;
    of.sm_count *= 2;
    two = vws_area(&of);
    assert_float_equal(two.gpu, 2 * one.gpu, 1e-5);
    /* A port adds as much to a cell's side as the second one does: with s the side at two, (3s - 2)^2 - 1 at four. */
    of = paper;
    of.l1i_ports = 4;
    double side = sqrt(0.194 / 0.087);
    assert_float_equal(vws_area(&of).l1i, 0.087 * ((3 * side - 2) * (3 * side - 2) - 1), 1e-5);
}

/* Narrower slices than the paper's: twice the slices have twice the caches, buffers, scoreboards and control, and a gang
 * table of twice the entries with 8 more bits in each of an entry's two masks. Section 6.7: the area rises notably. */
static void the_area_of_slices_narrower_than_four(void **state)
{
    (void)state;
    static const struct {
        uint32_t lanes;
        double times, entry_bits, percent;
    } cases[] = {{4, 1, 64, 10.8}, {2, 2, 80, 20.9}, {1, 4, 112, 41.6}};
    const struct vws_area four = vws_area(&(struct vws_area_of){32, 4, 32, 64 << 10, 2, 256, 128, 15});
    for (int i = 0; i < 3; i++) {
        struct vws_area a = vws_area(&(struct vws_area_of){32, cases[i].lanes, 32, 64 << 10, 2, 256, 128, 15});
        assert_float_equal(a.l1i, four.l1i, 1e-5);
        assert_float_equal(a.l0, cases[i].times * four.l0, 1e-5);
        assert_float_equal(a.buffers, cases[i].times * four.buffers, 1e-5);
        assert_float_equal(a.scoreboards, cases[i].times * four.scoreboards, 1e-5);
        assert_float_equal(a.control, cases[i].times * four.control, 1e-5);
        assert_float_equal(a.table, four.table * cases[i].times * cases[i].entry_bits / 64, 1e-5);
        assert_float_equal(a.sm_percent, cases[i].percent, 0.1);
    }
}

/* 64 threads in slices of one: the gang has a member of every number, and splits into members by themselves. */
static void a_warp_has_up_to_64_slices(void **state)
{
    (void)state;
    struct bench b;
    struct vws_knobs knobs = usual();
    knobs.width = 0;
    knobs.table_ways = 32;
    bench_open(&b, HEAD KERNEL("A:" WORK "@%p0 bra X;\nY:" WORK "bra J;\nX:" WORK "\nJ:" WORK "ret;"), by_lane,
               "00000000000000000000000000000001");
    begin(&b, &knobs, 64);
    bench_launch(&b, 0, 64);
    assert_int_equal(strand_count(&b), 1);
    assert_int_equal(b.wants.slice_lanes, 1);
    assert_true(vws_of(b.div)->warps.data[0].members == UINT64_MAX);
    run_to(&b, 63, "Y");
    assert_int_equal(strand_count(&b), 2);
    assert_int_equal(threads_of_row(&strand_of(&b, 63)->threads, 1), 0x80000000);
    assert_int_equal(threads_of_row(&strand_of(&b, 62)->threads, 1), 0x7fffffff);
    bench_run(&b);
    bench_close(&b);
}

/* ---- random graphs ---- */

enum { WALKERS = 96 + 40 }; /* two blocks: 75 threads in three rows, and 40 */

static void draw(struct random *r, struct vws_knobs *k)
{
    *k = usual();
    k->width = random_u64(r) % 6;
    k->order = random_u64(r) % 5;
    k->mode = random_u64(r) % 8 ? VWS_BOTH : 1 + random_u64(r) % 2;
    k->split = random_u64(r) % 3;
    k->reform = random_u64(r) & 1;
    k->sync_cycles = random_u64(r) & 1 ? random_u64(r) % 20 : 0;
    k->table_sets = 1 + random_u64(r) % 4;
    k->table_ways = 1 + random_u64(r) % 4;
}

static void walk_together(struct bench *b, const char *mechanism, int width, const uint64_t *path, const int *steps)
{
    bench_begin(b, mechanism, width);
    bench_launch(b, 0, 75);
    bench_launch(b, 1, 40);
    bench_run(b);
    compare_paths(b, path, steps, 0, 75);
    compare_paths(b, path, steps, 96, WALKERS);
    assert_int_equal(bench_counter(b, "pushes"), bench_counter(b, "pops"));
    bench_end(b);
}

static void on_random_graphs_every_thread_walks_its_own_path(void **state)
{
    (void)state;
    static const int widths[] = {1, 4, 32, 64, 32};
    static struct bench b;
    uint64_t path[WALKERS];
    int steps[WALKERS];
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        struct random r = {seed};
        struct vws_knobs knobs;
        struct ws_knobs narrow = {.width = seed % 6};
        char *text = random_module(&r, true);
        bench_open(&b, text, random_choice, &seed);
        walk_alone(&b, path, steps, WALKERS);
        b.latency = seed % 4 ? 6 : 0;
        b.stack_syncs = (enum div_stack_syncs)(seed / 4 % 3);
        b.loads = seed % 3;
        draw(&r, &knobs);
        b.knobs = &knobs;
        walk_together(&b, "vws", widths[seed % 5], path, steps);
        b.knobs = &narrow;
        walk_together(&b, "ws", widths[seed % 5], path, steps);
        bench_close(&b);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gang_splits_by_the_next_pcs),
        cmocka_unit_test(slices_are_asked_for),
        cmocka_unit_test(a_slice_that_parts_runs_one_side_after_the_other),
        cmocka_unit_test(the_side_of_a_slice_that_runs_first_is_a_knob),
        cmocka_unit_test(one_half_ends_and_the_other_stays_a_gang),
        cmocka_unit_test(gangs_that_do_not_fit_the_table_are_singletons),
        cmocka_unit_test(originals_share_sets),
        cmocka_unit_test(gangs_at_one_pc_merge_if_they_may),
        cmocka_unit_test(one_merge_a_cycle),
        cmocka_unit_test(a_warp_is_visited_in_its_turn),
        cmocka_unit_test(gangs_that_come_together_in_a_straight_line_are_found),
        cmocka_unit_test(a_gang_that_comes_to_another_is_found_at_once),
        cmocka_unit_test(gangs_that_a_load_parted_merge_further_on),
        cmocka_unit_test(gangs_that_a_load_parted_merge_in_the_next_round),
        cmocka_unit_test(a_merge_needs_an_entry),
        cmocka_unit_test(parts_wait_at_sync_points),
        cmocka_unit_test(gangs_split_on_memory),
        cmocka_unit_test(a_gang_that_waits_does_not_split),
        cmocka_unit_test(a_gang_of_slices_that_all_wait_does_not_split),
        cmocka_unit_test(slices_that_a_guard_lets_pass_go_on),
        cmocka_unit_test(the_dump_says_who_runs_what),
        cmocka_unit_test(the_area_is_the_papers),
        cmocka_unit_test(the_area_follows_the_knobs),
        cmocka_unit_test(the_area_of_slices_narrower_than_four),
        cmocka_unit_test(a_warp_has_up_to_64_slices),
        cmocka_unit_test(on_random_graphs_every_thread_walks_its_own_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
