/* Touches (mem/touch.h): what an access leaves in the L2 without time is what the same access leaves there in time. */
#include "mem_bench.h"

static int touch(struct mem *m, enum mem_kind kind, uint64_t address, uint64_t stride)
{
    struct mem_access a = warp_access(kind, address, stride);
    return mem_touch(m, &a);
}

static void a_touched_line_is_found_in_the_l2(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.channels = 3;
    c.interleave_bytes = 256;
    struct mem *m = mem_create(&c, 1);
    for (uint64_t chunk = 0; chunk < 6; chunk++) /* two of each slice */
        assert_int_equal(touch(m, chunk % 2 ? MEM_STORE : MEM_LOAD, chunk * 256, 4), 1);
    assert_int_equal(counter(m, "l2.accesses"), 0);
    for (uint64_t chunk = 0; chunk < 6; chunk++)
        expect_load(m, 1000 + chunk * 200, chunk * 256, L2_HIT);
    expect_load(m, 3000, 128, ROW_CLOSED);
    mem_destroy(m);
}

static void lines_that_the_l2_holds_are_not_brought_again(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    struct mem *m = mem_create(&c, 1);
    warm_l2(m, 0, 0);
    assert_int_equal(touch(m, MEM_LOAD, 0, 4), 0);
    assert_int_equal(touch(m, MEM_LOAD, 64, 4), 1);        /* two lines, of which one is new */
    assert_int_equal(touch(m, MEM_ATOMIC, 1024, 128), 32); /* a line of each lane */
    mem_destroy(m);
}

/* Of a set of two ways, the line that was touched longer ago leaves; it is written back if a touch wrote it. */
static void touches_count_as_uses_and_writes(void **state)
{
    (void)state;
    for (int writes = 0; writes < 2; writes++) {
        struct mem_config c = plain_config();
        c.l2_ways = 2;
        c.l2_bytes = 2 * 128 * 16;
        struct mem *m = mem_create(&c, 1);
        const uint64_t apart = (uint64_t)c.l2_bytes / 2; /* lines of one set */
        touch(m, writes ? MEM_STORE : MEM_LOAD, 0, 4);
        touch(m, MEM_LOAD, apart, 4);
        warm_l2(m, 100, 2 * apart); /* in the place of line 0 */
        assert_int_equal(counter(m, "l2.writebacks"), writes);
        touch(m, MEM_LOAD, apart, 4);
        warm_l2(m, 500, 3 * apart);
        expect_load(m, 1000, apart, L2_HIT);
        mem_destroy(m);
    }
}

/* Half of a line's sectors are touched: the other half is not there. A read brings as much as DRAM gives at once. */
static void sectors_that_nobody_touched_are_not_there(void **state)
{
    (void)state;
    for (int whole = 0; whole < 2; whole++) {
        struct mem_config c = plain_config();
        c.sector_bytes = 32;
        c.l2_fetch_bytes = whole ? 128 : 0;
        struct mem *m = mem_create(&c, 1);
        struct mem_access half = warp_access(MEM_LOAD, 0, 4);
        half.count = 16;
        assert_int_equal(mem_touch(m, &half), 1);
        struct mem_access other = half;
        for (int i = 0; i < other.count; i++)
            other.address[i] += 64;
        issue(m, 1000, &half, 1);
        mem_advance(m, 1500);
        assert_int_equal(counter(m, "l2.misses"), 0);
        issue(m, 2000, &other, 1);
        mem_advance(m, 2500);
        assert_int_equal(counter(m, "l2.misses"), !whole);
        mem_destroy(m);
    }
}

static void an_l2_without_sets_holds_nothing(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.l2_bytes = 0;
    struct mem *m = mem_create(&c, 1);
    assert_int_equal(touch(m, MEM_STORE, 0, 4), 0);
    mem_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_touched_line_is_found_in_the_l2),
        cmocka_unit_test(lines_that_the_l2_holds_are_not_brought_again),
        cmocka_unit_test(touches_count_as_uses_and_writes),
        cmocka_unit_test(sectors_that_nobody_touched_are_not_there),
        cmocka_unit_test(an_l2_without_sets_holds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
