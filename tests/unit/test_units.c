/* Execution units and the event wheel of a multiprocessor by themselves, to the cycle. */
#include "sm/units.h"
#include "sm/wheel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { NOW = 10 };

/* Class 0 is of the ALU, class 1 of the load/store unit. */
static const uint32_t classes[SM_UNIT_COUNT] = {[SM_ALU] = 1, [SM_LSU] = 2};
static struct storage storage; /* of the units of the test at work */

static struct units open_units(uint32_t copies)
{
    storage_restart(&storage);
    struct units u = {0};
    struct sm_config c = {.warp_width = 32, .simd_width = 16};
    for (int i = 0; i < SM_UNIT_COUNT; i++)
        c.unit_count[i] = copies;
    units_open(&u, &c, &storage);
    u.classes_of = classes;
    return u;
}

static void a_unit_is_busy_when_all_its_copies_are(void **state)
{
    (void)state;
    struct units u = open_units(2);
    units_hold(&u, SM_ALU, 14, NOW, false);
    assert_in_range(u.next[SM_ALU], 0, NOW);
    units_hold(&u, SM_ALU, 12, NOW, false);
    assert_int_equal(u.next[SM_ALU], 12);
    assert_in_range(u.next[SM_SFU], 0, NOW);
}

/* A unit that takes an instruction in the next cycle is not among the busy ones. */
static void busy_classes_are_those_of_units_that_stay_busy(void **state)
{
    (void)state;
    struct units u = open_units(1);
    assert_int_equal(units_busy_classes(&u, NOW), 0);
    assert_int_equal(units_hold(&u, SM_ALU, NOW + 1, NOW, false), NOW + 1);
    assert_int_equal(units_busy_classes(&u, NOW + 1), 0);
    units_hold(&u, SM_ALU, NOW + 4, NOW + 1, false);
    units_hold(&u, SM_LSU, NOW + 6, NOW + 1, false);
    assert_int_equal(units_busy_classes(&u, NOW + 2), 3);
    assert_int_equal(units_busy_classes(&u, NOW + 3), 3);
    assert_int_equal(units_busy_classes(&u, NOW + 4), 2);
    units_hold(&u, SM_ALU, NOW + 9, NOW + 4, false);
    assert_int_equal(units_busy_classes(&u, NOW + 6), 1);
    assert_int_equal(units_busy_classes(&u, NOW + 9), 0);
}

static void strands_of_one_issue_group_share_a_copy(void **state)
{
    (void)state;
    struct units u = open_units(2);
    units_cut(&u, 8, 4, false, &storage);
    units_hold(&u, SM_ALU, 14, NOW, true);
    units_hold(&u, SM_ALU, 12, NOW, true);
    assert_in_range(u.next[SM_ALU], 0, NOW);
    units_end_group(&u);
    units_hold(&u, SM_ALU, 13, NOW, true);
    assert_int_equal(u.next[SM_ALU], 13);
}

static void a_slice_takes_whole_slices_of_lanes(void **state)
{
    (void)state;
    struct units u = open_units(1);
    units_cut(&u, 8, 4, false, &storage);
    assert_int_equal(units_slices_of(&u, 0), 0);
    assert_int_equal(units_slices_of(&u, 0x00000100), 0x0000ff00);
    assert_int_equal(units_slices_of(&u, 0x80000001), 0xff0000ff);
}

/* Slices have no shares of the load/store unit. */
static void slices_have_shares_of_all_units_but_those_of_memory(void **state)
{
    (void)state;
    struct units u = open_units(2);
    units_cut(&u, 8, 4, true, &storage);
    assert_true(units_has_shares(&u, SM_ALU));
    assert_false(units_has_shares(&u, SM_LSU));
    assert_false(units_has_shares(&u, SM_TEX));
    assert_null(units_find_busy_slots(&u, classes, NOW));
    units_hold_shares(&u, SM_ALU, 14, 0xff00);
    assert_null(units_find_busy_slots(&u, classes, NOW)); /* the slice has a share in the other copy */
    units_hold_shares(&u, SM_ALU, 12, 0xffff);
    const uint64_t *busy = units_find_busy_slots(&u, classes, NOW);
    assert_non_null(busy);
    assert_int_equal(busy[0], 0xff00);
    assert_int_equal(busy[1], 0);
    assert_non_null(units_find_busy_slots(&u, classes, 11));
    assert_null(units_find_busy_slots(&u, classes, 12));
}

/* Shares become free in the order of time, whichever copy was taken first. */
static void a_slice_waits_for_the_first_of_its_shares(void **state)
{
    (void)state;
    struct units u = open_units(3);
    u.of_class[0] = SM_ALU;
    u.of_class[1] = SM_LSU;
    units_cut(&u, 8, 4, true, &storage);
    units_hold_share(&u, SM_ALU, 1, 16);
    units_hold_share(&u, SM_ALU, 1, 12);
    assert_int_equal(units_busy_on_slice(&u, 1, 3, NOW), 0);
    units_hold_share(&u, SM_ALU, 1, 14);
    assert_int_equal(units_busy_on_slice(&u, 1, 3, 11), 1);
    assert_int_equal(units_busy_on_slice(&u, 1, 2, 11), 0); /* of the classes that are asked for */
    assert_int_equal(units_busy_on_slice(&u, 0, 3, 11), 0);
    assert_int_equal(units_busy_on_slice(&u, 2, 3, 11), 0);
    assert_int_equal(units_busy_on_slice(&u, 1, 3, 12), 0);
    units_hold_share(&u, SM_ALU, 1, 20);
    assert_int_equal(units_busy_on_slice(&u, 1, 3, 13), 1);
    assert_int_equal(units_busy_on_slice(&u, 1, 3, 14), 0);
}

static void ideal_lanes_are_busy_for_all_passes(void **state)
{
    (void)state;
    struct units u = open_units(1);
    assert_int_equal(u.passes, 2);
    units_hold_ideal(&u, NOW);
    assert_int_equal(u.ideal_free, NOW + 2);
}

/* ---- events ---- */

/* The next list has events of these strands, which are told apart by one digit each, in that order. */
static void expect_events(struct wheel *w, uint64_t cycle, int strands)
{
    int found = 0;
    assert_int_equal(wheel_next(w), cycle);
    for (int32_t at = wheel_take_list(w); at >= 0;) {
        struct wheel_event e = wheel_take_event(w, at);
        assert_int_equal(e.cycle, cycle);
        found = found * 10 + e.strand;
        at = e.next;
    }
    assert_int_equal(found, strands);
}

/* Events 1 and 3 are added while their cycle is beyond the wheel, event 4 when it is within. */
static void events_of_a_cycle_come_in_the_order_of_their_addition(void **state)
{
    (void)state;
    const uint64_t far = NOW + WHEEL_CYCLES + 5;
    struct wheel w;
    wheel_open(&w, NOW);
    assert_int_equal(wheel_next(&w), UINT64_MAX);
    wheel_add(&w, far, EVENT_WAKE, 1, 0);
    wheel_add(&w, NOW + 20, EVENT_WAKE, 2, 0);
    wheel_add(&w, far, EVENT_WAKE, 3, 0);
    expect_events(&w, NOW + 20, 2);
    wheel_add(&w, far, EVENT_WAKE, 4, 0);
    wheel_add(&w, far - 1, EVENT_WAKE, 5, 0);
    expect_events(&w, far - 1, 5);
    expect_events(&w, far, 134);
    assert_int_equal(wheel_next(&w), UINT64_MAX);
    wheel_close(&w);
}

/* A far event comes onto the wheel in the first cycle in which another event of its cycle would. */
static void far_events_come_as_soon_as_they_are_near(void **state)
{
    (void)state;
    const uint64_t far = NOW + WHEEL_CYCLES + 5;
    struct wheel w;
    wheel_open(&w, NOW);
    wheel_add(&w, far, EVENT_WAKE, 1, 0);
    wheel_add(&w, far + 1, EVENT_WAKE, 2, 0);
    wheel_add(&w, NOW + 6, EVENT_WAKE, 3, 0);
    wheel_add(&w, NOW + 7, EVENT_WAKE, 4, 0);
    expect_events(&w, NOW + 6, 3);
    wheel_add(&w, far, EVENT_WAKE, 5, 0);
    expect_events(&w, NOW + 7, 4);
    wheel_add(&w, far + 1, EVENT_WAKE, 6, 0);
    expect_events(&w, far, 15);
    expect_events(&w, far + 1, 26);
    wheel_close(&w);
}

/* After cycles without events the wheel begins where they end, and far events that are near enough then come first. */
static void cycles_without_events_are_passed(void **state)
{
    (void)state;
    const uint64_t later = NOW + 3 * WHEEL_CYCLES;
    struct wheel w;
    wheel_open(&w, NOW);
    wheel_add(&w, later + 9, EVENT_WAKE, 1, 0);
    assert_false(wheel_add_wake(&w, later + 1, 2));
    wheel_pass(&w, later);
    wheel_add(&w, later + 9, EVENT_WAKE, 3, 0);
    assert_true(wheel_add_wake(&w, later + 1, 2));
    wheel_pass(&w, later + 1); /* has an event, which is still to come */
    assert_int_equal(wheel_next(&w), later + 1);
    assert_int_equal(wheel_take_wakes(&w), 1 << 2);
    expect_events(&w, later + 9, 13);
    assert_int_equal(wheel_next(&w), UINT64_MAX);
    wheel_close(&w);
}

static void expect_wakes(struct wheel *w, uint64_t cycle, uint64_t ids)
{
    assert_int_equal(wheel_next(w), cycle);
    assert_true(wheel_has_wakes(w));
    assert_int_equal(wheel_take_wakes(w), ids);
}

/* Bits of a cycle come before its list, whichever was added first; ids and cycles without a bit are refused. */
static void wakes_as_bits_come_before_the_list_of_their_cycle(void **state)
{
    (void)state;
    struct wheel w;
    wheel_open(&w, NOW);
    assert_false(wheel_add_wake(&w, NOW + 1, WHEEL_WAKE_IDS));
    assert_false(wheel_add_wake(&w, NOW + WHEEL_CYCLES, 1));
    wheel_add(&w, NOW + 3, EVENT_RESOLVE, 7, 0);
    assert_true(wheel_add_wake(&w, NOW + 3, 63));
    assert_true(wheel_add_wake(&w, NOW + 3, 0));
    assert_true(wheel_add_wake(&w, NOW + WHEEL_CYCLES - 1, 2));
    assert_true(wheel_add_wake(&w, NOW + 2, 5));
    expect_wakes(&w, NOW + 2, 1 << 5);
    expect_wakes(&w, NOW + 3, UINT64_C(1) << 63 | 1);
    assert_false(wheel_has_wakes(&w));
    expect_events(&w, NOW + 3, 7);
    wheel_add(&w, NOW + 4, EVENT_RESOLVE, 8, 0);
    expect_events(&w, NOW + 4, 8);
    wheel_add(&w, NOW + 4, EVENT_RESOLVE, 9, 0); /* in the middle of its cycle */
    assert_true(wheel_add_wake(&w, NOW + 4, 1));
    expect_wakes(&w, NOW + 4, 2);
    expect_events(&w, NOW + 4, 9);
    expect_wakes(&w, NOW + WHEEL_CYCLES - 1, 1 << 2);
    assert_int_equal(wheel_next(&w), UINT64_MAX);
    wheel_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_unit_is_busy_when_all_its_copies_are),
        cmocka_unit_test(busy_classes_are_those_of_units_that_stay_busy),
        cmocka_unit_test(strands_of_one_issue_group_share_a_copy),
        cmocka_unit_test(a_slice_takes_whole_slices_of_lanes),
        cmocka_unit_test(slices_have_shares_of_all_units_but_those_of_memory),
        cmocka_unit_test(a_slice_waits_for_the_first_of_its_shares),
        cmocka_unit_test(ideal_lanes_are_busy_for_all_passes),
        cmocka_unit_test(events_of_a_cycle_come_in_the_order_of_their_addition),
        cmocka_unit_test(far_events_come_as_soon_as_they_are_near),
        cmocka_unit_test(cycles_without_events_are_passed),
        cmocka_unit_test(wakes_as_bits_come_before_the_list_of_their_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
