/*
 * The scoreboard by itself, to the cycle: who waits for a register write, and until when. Its registers are planes of one row;
 * strands are masks of lanes of that row.
 */
#include "sm/scoreboard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { NOW = 10, PLANES = 8 };

/* A strand, and what the scoreboard keeps with it. */
struct holder {
    struct strand strand;
    struct scoreboard_strand pending;
};

static struct storage storage; /* of the scoreboard of the test at work */

static struct scoreboard open_kind(enum sm_scoreboard kind, unsigned warp_lanes, int planes)
{
    struct scoreboard b = {0};
    storage_restart(&storage);
    scoreboard_open(&b, &(struct scoreboard_setup){
                            .kind = kind, .rows = 1, .planes = planes, .warp_lanes = warp_lanes, .storage = &storage});
    return b;
}

static struct scoreboard open_exact(void)
{
    return open_kind(SM_SCOREBOARD_EXACT, 32, PLANES);
}

static struct holder take(struct scoreboard *b, uint32_t lanes)
{
    struct holder h = {0};
    h.strand.threads.count = 1;
    h.strand.threads.part[0] = (struct part){0, lanes};
    scoreboard_take_over(b, &h.pending, &h.strand);
    return h;
}

/* An instruction that writes one plane, or reads it. */
static struct plan touches(int16_t plane, bool writes)
{
    return (struct plan){.check_count = 1,
                         .dest_count = writes,
                         .checks = UINT64_C(1) << plane % PLAN_CHECK_BITS,
                         .plane = {plane, PLAN_NO_PLANE, PLAN_NO_PLANE, PLAN_NO_PLANE}};
}

static void write_plane(struct scoreboard *b, struct holder *h, int16_t plane, uint64_t due)
{
    struct plan p = touches(plane, true);
    if (b->cells)
        scoreboard_other_begin(b, &h->pending, &h->strand, &p, due, NOW);
    if (b->warp_cells)
        scoreboard_begin_warps(b, 0, scoreboard_warps(b, h->strand.threads.part[0].mask),
                               scoreboard_side(b, &h->strand), &p, due);
}

/* The cycle from which the strand may read the plane; NOW, if it may do so at once. */
static uint64_t reads(struct scoreboard *b, struct holder *h, int16_t plane)
{
    struct plan p = touches(plane, false);
    return sm_later(NOW, b->is_plain ? scoreboard_clears(b, &h->pending, &h->strand, &p, NOW)
                                     : scoreboard_other_clears(b, &h->pending, &h->strand, &p, NOW));
}

static uint64_t read_by_lanes(struct scoreboard *b, uint32_t lanes, int16_t plane)
{
    struct holder h = take(b, lanes);
    return reads(b, &h, plane);
}

static void a_strand_waits_for_its_own_writes(void **state)
{
    (void)state;
    struct scoreboard b = open_exact();
    struct holder h = take(&b, 0xf);
    write_plane(&b, &h, 1, 20);
    assert_int_equal(reads(&b, &h, 1), 20);
    assert_int_equal(reads(&b, &h, 2), NOW);
    scoreboard_close(&b);
}

/* The strand keeps two writes; rows keep the others. */
static void the_third_write_in_flight_forgets_none(void **state)
{
    (void)state;
    struct scoreboard b = open_exact();
    struct holder h = take(&b, 0xf);
    for (int16_t plane = 1; plane <= 5; plane++)
        write_plane(&b, &h, plane, 20 + (uint64_t)plane);
    for (int16_t plane = 1; plane <= 5; plane++)
        assert_int_equal(reads(&b, &h, plane), 20 + plane);
    scoreboard_close(&b);
}

static void threads_take_their_writes_to_another_strand(void **state)
{
    (void)state;
    struct scoreboard b = open_exact();
    struct holder h = take(&b, 0xf);
    write_plane(&b, &h, 1, 20);
    scoreboard_leave(&b, &h.pending, &h.strand, NOW);
    assert_int_equal(read_by_lanes(&b, 0x3, 1), 20);
    assert_int_equal(read_by_lanes(&b, 0x18, 1), 20);
    assert_int_equal(read_by_lanes(&b, 0xf0, 1), NOW);
    scoreboard_close(&b);
}

static void lanes_of_one_register_end_at_their_own_cycles(void **state)
{
    (void)state;
    struct scoreboard b = open_exact();
    struct holder early = take(&b, 0x3), late = take(&b, 0xc), latest = take(&b, 0x30);
    write_plane(&b, &early, 1, 20);
    write_plane(&b, &late, 1, 25);
    write_plane(&b, &latest, 1, 30);
    scoreboard_leave(&b, &late.pending, &late.strand, NOW);
    scoreboard_leave(&b, &early.pending, &early.strand, NOW);
    scoreboard_leave(&b, &latest.pending, &latest.strand, NOW);
    assert_int_equal(read_by_lanes(&b, 0x3, 1), 20);
    assert_int_equal(read_by_lanes(&b, 0xc, 1), 25);
    assert_int_equal(read_by_lanes(&b, 0xf, 1), 25);
    assert_int_equal(read_by_lanes(&b, 0x3f, 1), 30);
    scoreboard_close(&b);
}

/* A strand that asks its rows remembers only that they keep none of a register's writes. */
static void rows_are_asked_again_while_a_write_is_in_flight(void **state)
{
    (void)state;
    struct scoreboard b = open_exact();
    struct holder writer = take(&b, 0xff);
    write_plane(&b, &writer, 3, 30);
    scoreboard_leave(&b, &writer.pending, &writer.strand, NOW);
    struct holder reader = take(&b, 0xff);
    assert_int_equal(reads(&b, &reader, 3), 30);
    assert_int_equal(reads(&b, &reader, 3), 30);
    assert_int_equal(reads(&b, &reader, 4), NOW);
    assert_int_equal(reader.pending.rows_keep & touches(4, false).checks, 0);
    assert_int_equal(reads(&b, &reader, 3), 30);
    scoreboard_close(&b);
}

static void a_load_holds_the_lanes_whose_data_is_missing(void **state)
{
    (void)state;
    struct scoreboard b = open_exact();
    struct plan p = touches(1, true);
    struct scoreboard_load first = {.plan = &p, .mask = 0xf}, second = {.plan = &p, .mask = 0x3};
    scoreboard_begin_load(&b, &first);
    assert_int_equal(read_by_lanes(&b, 0x1, 1), SM_NEVER);
    assert_int_equal(read_by_lanes(&b, 0x10, 1), NOW);
    scoreboard_end_load(&b, &first, 0x3);
    assert_int_equal(read_by_lanes(&b, 0x3, 1), NOW);
    assert_int_equal(read_by_lanes(&b, 0x7, 1), SM_NEVER);
    scoreboard_begin_load(&b, &second);
    scoreboard_end_load(&b, &first, UINT32_MAX);
    assert_int_equal(read_by_lanes(&b, 0xc, 1), NOW);
    assert_int_equal(read_by_lanes(&b, 0x3, 1), SM_NEVER); /* for the second load, though the first has returned */
    scoreboard_end_load(&b, &second, UINT32_MAX);
    assert_int_equal(read_by_lanes(&b, 0xf, 1), NOW);
    assert_int_equal(b.loads, 0);
    scoreboard_close(&b);
}

/* Planes 1 and 65 share a bit of plan.checks. */
/* Two bundles of mimd become one, and one becomes two: whoever goes on waits for what was in flight for its threads. */
static void a_strand_that_takes_over_another_waits_for_the_writes_of_both(void **state)
{
    (void)state;
    struct scoreboard b = open_exact();
    struct holder low = take(&b, 0x000f), high = take(&b, 0x00f0);
    write_plane(&b, &low, 1, 30);
    write_plane(&b, &high, 2, 40);
    low.pending.done_at = 30;
    high.pending.done_at = 55;
    scoreboard_unite(&b, &low.pending, &low.strand, &high.pending, &high.strand, NOW);
    low.strand.threads.part[0].mask = 0x00ff;
    assert_int_equal(reads(&b, &low, 1), 30);
    assert_int_equal(reads(&b, &low, 2), 40);
    assert_int_equal(reads(&b, &low, 3), NOW);
    assert_int_equal(low.pending.done_at, 55); /* the block's place is kept until then */
    assert_false(low.pending.others_load);
    struct holder loading = take(&b, 0x0f00);
    loading.pending.loads = 1;
    scoreboard_unite(&b, &low.pending, &low.strand, &loading.pending, &loading.strand, NOW);
    assert_true(low.pending.others_load);
    assert_int_equal(low.pending.done_at, 55);
}

static void both_parts_of_a_divided_strand_wait_for_its_writes(void **state)
{
    (void)state;
    struct scoreboard b = open_exact();
    struct holder whole = take(&b, 0x00ff), rest = take(&b, 0x00f0);
    write_plane(&b, &whole, 1, 30);
    whole.pending.done_at = 33;
    whole.pending.loads = 1;
    scoreboard_divide(&whole.pending, &rest.pending);
    assert_true(rest.pending.others_load); /* the load is the other part's, which counts it */
    assert_int_equal(rest.pending.loads, 0);
    whole.strand.threads.part[0].mask = 0x000f;
    assert_int_equal(reads(&b, &whole, 1), 30);
    assert_int_equal(reads(&b, &rest, 1), 30);
    assert_int_equal(reads(&b, &rest, 2), NOW);
    assert_int_equal(rest.pending.done_at, 33);
}

static void registers_that_share_a_bit_are_told_apart(void **state)
{
    (void)state;
    struct scoreboard b = open_kind(SM_SCOREBOARD_EXACT, 32, 70);
    struct holder h = take(&b, 0xf);
    write_plane(&b, &h, 1, 20);
    assert_int_equal(reads(&b, &h, 65), NOW);
    assert_int_equal(reads(&b, &h, 1), 20);
    scoreboard_leave(&b, &h.pending, &h.strand, NOW);
    struct holder other = take(&b, 0xf);
    assert_int_equal(reads(&b, &other, 65), NOW);
    assert_int_equal(reads(&b, &other, 1), 20);
    scoreboard_close(&b);
}

/* One of an instruction's registers, at any place among them, is written last; the others share its bit, or none. */
static void every_register_of_many_is_waited_for(void **state)
{
    (void)state;
    enum { MOST = 6 };
    for (int count = 1; count <= MOST; count++)
        for (int at = 0; at < 2 * count; at++) {
            struct scoreboard b = open_kind(SM_SCOREBOARD_EXACT, 32, 512);
            struct holder h = take(&b, 0xf);
            struct plan p = {.check_count = (uint8_t)count};
            for (int k = 0; k < (count > PLAN_FIRST_CHECKS ? count : PLAN_FIRST_CHECKS); k++) {
                p.plane[k] = (int16_t)(k < count ? 3 + 64 * k : PLAN_NO_PLANE);
                p.checks |= k < count ? plan_check_bit(p.plane[k]) : 0;
            }
            const int16_t written = (int16_t)(3 + 64 * (at / 2)), other = 3 + 64 * MOST;
            write_plane(&b, &h, at % 2 ? other : written, at % 2 ? 30 : 20);
            write_plane(&b, &h, at % 2 ? written : other, at % 2 ? 20 : 30);
            assert_int_equal(scoreboard_clears(&b, &h.pending, &h.strand, &p, NOW), 20);
            scoreboard_close(&b);
        }
}

static void an_instruction_without_registers_waits_for_none(void **state)
{
    (void)state;
    const struct plan none = {.plane = {PLAN_NO_PLANE, PLAN_NO_PLANE, PLAN_NO_PLANE, PLAN_NO_PLANE}};
    for (int planes = 4; planes <= 512; planes *= 2) {
        struct scoreboard b = open_kind(SM_SCOREBOARD_EXACT, 32, planes);
        struct holder h = take(&b, 0xf);
        write_plane(&b, &h, 0, 20);
        assert_true(scoreboard_clears(&b, &h.pending, &h.strand, &none, NOW) <= NOW);
        scoreboard_close(&b);
    }
}

static void by_warp_a_write_of_one_lane_holds_the_warp(void **state)
{
    (void)state;
    struct scoreboard b = open_kind(SM_SCOREBOARD_WARP, 8, PLANES);
    struct holder writer = take(&b, 0x1), sibling = take(&b, 0x2), neighbour = take(&b, 0x100);
    write_plane(&b, &writer, 1, 20);
    assert_int_equal(reads(&b, &sibling, 1), 20);
    assert_int_equal(reads(&b, &sibling, 2), NOW);
    assert_int_equal(reads(&b, &neighbour, 1), NOW);
    scoreboard_close(&b);
}

static void by_side_a_path_waits_for_the_other_only_from_the_next_phase_on(void **state)
{
    (void)state;
    struct scoreboard b = open_kind(SM_SCOREBOARD_DUAL, 32, PLANES);
    struct holder left = take(&b, 0xf), right = take(&b, 0xf0);
    right.strand.side = 1;
    write_plane(&b, &left, 1, 20);
    assert_int_equal(reads(&b, &left, 1), 20);
    assert_int_equal(reads(&b, &right, 1), NOW);
    assert_true(scoreboard_begin_phase(&b, 0, 0xff));
    write_plane(&b, &left, 2, 30);
    assert_int_equal(reads(&b, &right, 1), 20);
    assert_int_equal(reads(&b, &right, 2), NOW);
    scoreboard_close(&b);
}

static void single_waits_for_all_instructions_of_the_strand(void **state)
{
    (void)state;
    struct scoreboard b = open_kind(SM_SCOREBOARD_SINGLE, 32, PLANES);
    struct holder h = take(&b, 0xf);
    h.pending.done_at = 40;
    assert_int_equal(reads(&b, &h, 1), 40);
    h.pending.loads = 1;
    assert_int_equal(reads(&b, &h, 1), SM_NEVER);
    scoreboard_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_strand_waits_for_its_own_writes),
        cmocka_unit_test(the_third_write_in_flight_forgets_none),
        cmocka_unit_test(threads_take_their_writes_to_another_strand),
        cmocka_unit_test(lanes_of_one_register_end_at_their_own_cycles),
        cmocka_unit_test(rows_are_asked_again_while_a_write_is_in_flight),
        cmocka_unit_test(a_load_holds_the_lanes_whose_data_is_missing),
        cmocka_unit_test(a_strand_that_takes_over_another_waits_for_the_writes_of_both),
        cmocka_unit_test(both_parts_of_a_divided_strand_wait_for_its_writes),
        cmocka_unit_test(registers_that_share_a_bit_are_told_apart),
        cmocka_unit_test(every_register_of_many_is_waited_for),
        cmocka_unit_test(an_instruction_without_registers_waits_for_none),
        cmocka_unit_test(by_warp_a_write_of_one_lane_holds_the_warp),
        cmocka_unit_test(by_side_a_path_waits_for_the_other_only_from_the_next_phase_on),
        cmocka_unit_test(single_waits_for_all_instructions_of_the_strand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
