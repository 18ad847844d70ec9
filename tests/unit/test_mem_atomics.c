/* Atomics in the memory system to the cycle: operations on a word, on a line, and on more lines than there are places. See mem_bench.h. */
#include "mem_bench.h"

/* 32 lanes on one word: 31 more operations of 4 cycles than a load; a word each: none. */
static void test_atomics_serialise(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.atomic_interval = 4;
    struct mem *m = mem_create(&c, 1);
    warm_l2(m, 0, 0);
    struct mem_access a = warp_access(MEM_ATOMIC, 0, 0);
    issue(m, 1000, &a, 1);
    expect_reply(m, 1000 + 6 + 20 + 31 * 4 + 5); /* 12 bytes there and back: one cycle on the link */
    a = warp_access(MEM_ATOMIC, 0, 4);
    issue(m, 2000, &a, 1);
    expect_reply(m, 2000 + 6 + 4 + 20 + 4 + 5);
    assert_int_equal(counter(m, "l1d.atomics"), 2);
    mem_destroy(m);
}

/* Two atomics on a line: the second waits for the first's interval; on different lines it does not. */
static void test_atomics_wait_for_a_line(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.atomic_interval = 100;
    struct mem *m = mem_create(&c, 1);
    warm_l2(m, 0, 0);
    warm_l2(m, 300, 128);
    struct mem_access a = warp_access(MEM_ATOMIC, 0, 0), b = warp_access(MEM_ATOMIC, 4, 0);
    a.count = b.count = 1;
    issue(m, 1000, &a, 1);
    issue(m, 1001, &b, 1);
    expect_reply(m, 1000 + 6 + 20 + 5);
    expect_reply(m, 1000 + 6 + 100 + 20 + 5);
    b.address[0] = 128;
    issue(m, 2000, &a, 1);
    issue(m, 2001, &b, 1);
    expect_reply(m, 2000 + 6 + 20 + 5);
    expect_reply(m, 2001 + 6 + 20 + 5);
    mem_destroy(m);
}

/* An atomic that waits for its line keeps its place at the head of the L2's queue: what came behind it waits, too. */
static void test_atomics_hold_up_those_behind(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.atomic_interval = 100;
    struct mem *m = mem_create(&c, 1);
    warm_l2(m, 0, 0);
    warm_l2(m, 300, 128);
    struct mem_access a = warp_access(MEM_ATOMIC, 0, 0), behind = warp_access(MEM_LOAD, 128, 4);
    a.count = 1;
    behind.bypasses_l1 = true;
    issue(m, 1000, &a, 1);
    issue(m, 1001, &a, 1);
    issue(m, 1002, &behind, 1);
    expect_reply(m, 1000 + 6 + 20 + 5);
    expect_reply(m, 1006 + 100 + 20 + 5);         /* looked up again when the first is done */
    expect_reply(m, 1006 + 100 + 1 + 20 + 4 + 5); /* the cycle after; its reply takes 5 cycles of the link */
    assert_int_equal(counter(m, "l2.atomic_stall_cycles"), 1106 - 1007);
    mem_destroy(m);
}

/* So many lines have atomics in progress at a time; one more line waits for the first of them that is done. */
static void test_atomics_wait_for_a_place(void **state)
{
    (void)state;
    enum { LINES = 16, START = 10000 };
    struct mem_config c = plain_config();
    c.atomic_interval = 100;
    struct mem *m = mem_create(&c, 1);
    for (uint64_t i = 0; i <= LINES; i++)
        warm_l2(m, 300 * i, 128 * i);
    struct mem_access a = warp_access(MEM_ATOMIC, 0, 0);
    a.count = 1;
    for (uint64_t i = 0; i <= LINES; i++) {
        a.address[0] = 128 * i;
        issue(m, START + i, &a, 1);
    }
    for (uint64_t i = 0; i < LINES; i++)
        expect_reply(m, START + i + 6 + 20 + 5);
    expect_reply(m, START + 6 + 100 + 20 + 5);
    mem_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_atomics_serialise),
        cmocka_unit_test(test_atomics_wait_for_a_line),
        cmocka_unit_test(test_atomics_hold_up_those_behind),
        cmocka_unit_test(test_atomics_wait_for_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
