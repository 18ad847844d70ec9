/* Groups of one warp's threads by themselves: where a thread is, and what the check of their structures finds. */
#include "div/parts/groups.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* ---- where threads are ---- */

/* Threads 0 and 1 go to 5 and run there, thread 2 goes to 9 and thread 3 to 7. */
static void a_thread_that_runs_or_is_elsewhere_has_no_place(void **state)
{
    (void)state;
    struct groups g = {0};
    struct group_rules rules = {.order = GROUP_STACK, .timeout_cycles = 1000, .patience_cycles = 1000};
    const struct warp_group to[] = {
        {.at = {.pc = 5}, .mask = 0x3}, {.at = {.pc = 9}, .mask = 0x4}, {.at = {.pc = 7}, .mask = 0x8}};
    groups_start(&g, 0xf, (struct spot){.pc = 3});
    groups_branch(&g, &rules, 0, to, 3);
    assert_int_equal(g.running.mask, 0x3);
    assert_int_equal(groups_where(&g, 0x1), PC_NONE);
    assert_int_equal(groups_where(&g, 0x4), 9);
    assert_int_equal(groups_where(&g, 0x8), 7);
    groups_leave(&g); /* to a block barrier */
    groups_run(&g, &rules);
    assert_int_equal(g.running.mask, 0x4);
    assert_int_equal(groups_where(&g, 0x1), PC_NONE);
    assert_int_equal(groups_where(&g, 0x4), PC_NONE);
    assert_int_equal(groups_where(&g, 0x8), 7);
    groups_free(&g);
}

/* ---- the check ---- */

/* Threads 0 and 1 run, 2 to 4 are ready in two groups, 5 waits for 4 at B0, and 6 is at a block barrier. */
struct sample {
    struct warp_group ready[2], waiting[1];
    struct group_slot slots[2];
    struct groups g;
};

static struct sample *make(struct sample *s)
{
    *s = (struct sample){
        .ready = {{.mask = 0x0c}, {.mask = 0x10}},
        .waiting = {{.mask = 0x20, .slot = 0}},
        .slots = {{.reg = 0, .joined = 0x30, .waiting = 0x20}, {.reg = 1, .joined = 0x03}},
        .g = {.running = {.mask = 0x03}, .elsewhere = 0x40},
    };
    s->g.ready.data = s->ready;
    s->g.waiting.data = s->waiting;
    s->g.slots.data = s->slots;
    s->g.ready.count = s->g.slots.count = 2;
    s->g.waiting.count = 1;
    return s;
}

static void a_thread_is_in_one_place(void **state)
{
    (void)state;
    struct sample s;
    assert_true(groups_are_sound(&make(&s)->g));
    make(&s)->g.elsewhere = 0x41;
    assert_false(groups_are_sound(&s.g));
    make(&s)->ready[0].mask = 0x0d; /* thread 0 runs, too */
    assert_false(groups_are_sound(&s.g));
    make(&s)->ready[1].mask = 0x50; /* thread 6 is elsewhere, too */
    assert_false(groups_are_sound(&s.g));
    make(&s)->ready[1].mask = 0x18; /* thread 3 is in both */
    assert_false(groups_are_sound(&s.g));
    make(&s)->ready[0].mask = 0x2c; /* thread 5 waits, too */
    assert_false(groups_are_sound(&s.g));
}

static void a_ready_group_has_threads(void **state)
{
    (void)state;
    struct sample s;
    make(&s)->ready[0].mask = 0;
    assert_false(groups_are_sound(&s.g));
}

static void those_that_wait_are_those_of_their_register(void **state)
{
    (void)state;
    struct sample s;
    make(&s)->waiting[0].slot = 2; /* of two registers */
    assert_false(groups_are_sound(&s.g));
    make(&s)->waiting[0].slot = 1; /* nobody waits there */
    assert_false(groups_are_sound(&s.g));
    make(&s)->slots[1].waiting = 0x20; /* and takes no part */
    assert_false(groups_are_sound(&s.g));
    make(&s)->slots[1] = (struct group_slot){.reg = 1, .joined = 0x30, .waiting = 0x20}; /* at two at once */
    assert_false(groups_are_sound(&s.g));
}

static void a_register_in_use_misses_a_thread_of_the_warp(void **state)
{
    (void)state;
    struct sample s;
    make(&s)->slots[0].joined = 0x20; /* all are there: it should be open */
    assert_false(groups_are_sound(&s.g));
    make(&s)->slots[1].joined = 0;
    assert_false(groups_are_sound(&s.g));
    make(&s)->slots[1].joined = 0x80; /* no thread of this warp */
    assert_false(groups_are_sound(&s.g));
    make(&s)->slots[1].reg = 0; /* two of one name */
    assert_false(groups_are_sound(&s.g));
    s.slots[1].depth = 1; /* in another call */
    assert_true(groups_are_sound(&s.g));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_that_runs_or_is_elsewhere_has_no_place),
        cmocka_unit_test(a_thread_is_in_one_place),
        cmocka_unit_test(a_ready_group_has_threads),
        cmocka_unit_test(those_that_wait_are_those_of_their_register),
        cmocka_unit_test(a_register_in_use_misses_a_thread_of_the_warp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
