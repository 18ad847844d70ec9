/* Banks and ports of the L1 data cache (mem/banked.h), to the cycle: see mem_bench.h for the plain machine. */
#include "mem_bench.h"

#include "mem/ideal.h"
#include "mem/meter.h"

#include <stdio.h>

enum { LINE = 128, START = 1000 };

static struct mem *banked_memory(uint32_t banks, uint32_t ports, uint32_t mshrs)
{
    struct mem_config c = plain_config();
    c.l1d_banks = banks;
    c.l1d_ports = ports;
    c.port[PORT_DATA].mshrs = mshrs;
    c.port[PORT_DATA].bytes = 64 * 1024;
    return mem_create(&c, 1);
}

/* An access with one lane for each of these lines. */
static struct mem_access lines_access(enum mem_kind kind, int count, const int *lines)
{
    struct mem_access a = {.kind = kind, .wants_reply = kind != MEM_STORE, .count = count, .bytes = 4};
    for (int i = 0; i < count; i++)
        a.address[i] = (uint64_t)lines[i] * LINE;
    return a;
}

/* Brings lines 0 to count - 1 into the L1, and waits until nothing is under way. */
static void warm(struct mem *m, int count)
{
    struct mem_reply r;
    uint64_t now = 0;
    for (int i = 0; i < count; i++, now += 100) {
        issue_load(m, now, (uint64_t)i * LINE, 0);
        mem_advance(m, now + 99);
        assert_true(mem_take_reply(m, 0, now + 99, &r));
    }
    assert_true(now <= START);
}

/* The port takes its next access so many cycles after the last. */
static void expect_busy(struct mem *m, uint64_t now, uint64_t cycles)
{
    for (uint64_t i = 1; i <= cycles; i++) {
        mem_advance(m, now + i);
        assert_int_equal(mem_can_take(m, 0, MEM_LOAD, now + i), i == cycles);
        /* It is never worth trying later than the port is free. */
        assert_true(mem_port_free(m, 0, now + i) <= now + (i < cycles ? cycles : i));
    }
}

/* Hits of different banks go in one cycle, as many of one bank as it has ports. */
static void test_hits(void **state)
{
    (void)state;
    static const struct {
        uint32_t banks, ports;
        int lines[4];
        uint64_t cycles;
    } cases[] = {
        {1, 1, {0, 1, 2, 3}, 4}, {4, 1, {0, 1, 2, 3}, 1}, {2, 1, {0, 1, 2, 3}, 2}, {1, 2, {0, 1, 2, 3}, 2},
        {2, 2, {0, 1, 2, 3}, 1}, {1, 4, {0, 1, 2, 3}, 1}, {4, 1, {0, 4, 1, 5}, 2}, {4, 1, {0, 4, 1, 2}, 2},
        {2, 1, {0, 2, 4, 6}, 4}, {2, 2, {0, 2, 4, 6}, 2}, {4, 1, {1, 5, 0, 4}, 2}, {8, 1, {0, 4, 1, 5}, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mem *m = banked_memory(cases[i].banks, cases[i].ports, 32);
        warm(m, 8);
        struct mem_access a = lines_access(MEM_LOAD, 4, cases[i].lines);
        a.ticket = 9;
        issue(m, START, &a, 4);
        expect_busy(m, START, cases[i].cycles);
        expect_ticket(m, START + L1_HIT + cases[i].cycles - 1, 9);
        assert_int_equal(counter(m, "l1d.bank_stall_cycles"), cases[i].cycles - 1);
        assert_int_equal(counter(m, "l1d.send_stall_cycles"), 0);
        assert_int_equal(counter(m, "l1d.joint_lookups"), 4 - cases[i].cycles);
        assert_int_equal(counter(m, "l1d.busy_cycles"), 8 + cases[i].cycles);
        mem_destroy(m);
    }
}

/* A line whose bank is taken lets lines of other banks pass it. */
static void test_order(void **state)
{
    (void)state;
    struct mem *m = banked_memory(4, 1, 32);
    warm(m, 8);
    struct mem_access a = lines_access(MEM_LOAD, 4, (const int[]){0, 4, 1, 2});
    a.wants_parts = true;
    issue(m, START, &a, 4);
    uint64_t first = 0;
    for (int i = 0; i < 3; i++) {
        struct mem_reply r;
        mem_advance(m, START + L1_HIT);
        assert_true(mem_take_reply(m, 0, START + L1_HIT, &r));
        first |= r.lanes;
    }
    assert_int_equal(first, 0xd); /* all but lane 1 */
    assert_int_equal(expect_reply(m, START + L1_HIT + 1).lanes, 2);
    mem_destroy(m);
}

/* One line per cycle leaves the cache: misses, stores and atomics take a cycle each, and hits go beside them. */
static void test_one_way_out(void **state)
{
    (void)state;
    static const int cold[] = {8, 9, 10, 11}, mixed[] = {8, 0, 1, 9, 2, 3}, hits[] = {0, 1, 2, 3};
    static const struct {
        enum mem_kind kind;
        int count;
        const int *lines;
        uint64_t cycles, sends;
    } cases[] = {
        {MEM_LOAD, 4, cold, 4, 3},   {MEM_STORE, 4, cold, 4, 3}, {MEM_STORE, 4, hits, 4, 3},
        {MEM_ATOMIC, 4, hits, 4, 3}, {MEM_LOAD, 6, mixed, 2, 1}, {MEM_LOAD, 4, hits, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mem *m = banked_memory(16, 1, 32);
        warm(m, 8);
        struct mem_access a = lines_access(cases[i].kind, cases[i].count, cases[i].lines);
        issue(m, START, &a, cases[i].count);
        expect_busy(m, START, cases[i].cycles);
        assert_int_equal(counter(m, "l1d.send_stall_cycles"), cases[i].sends);
        assert_int_equal(counter(m, "l1d.bank_stall_cycles"), cases[i].cycles - 1 - cases[i].sends);
        mem_destroy(m);
    }
}

/* Banks do not hide what an access lacks, and every cycle at the port still has one cause. */
static void test_stalls(void **state)
{
    (void)state;
    static const int lines[] = {0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13};
    static const char *const causes[] = {"bank", "send", "mshr", "merge", "miss_queue", "write_queue"};
    for (uint32_t banks = 1; banks <= 16; banks *= 2)
        for (uint32_t mshrs = 1; mshrs <= 8; mshrs *= 2) {
            struct mem *m = banked_memory(banks, banks == 8 ? 2 : 1, mshrs);
            warm(m, 8);
            struct mem_access a = lines_access(MEM_LOAD, 12, lines);
            uint64_t free = START + 1, sum = 0;
            issue(m, START, &a, 12);
            for (; !mem_can_take(m, 0, MEM_LOAD, free); free++)
                mem_advance(m, free);
            for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
                char path[64];
                snprintf(path, sizeof path, "l1d.%s_stall_cycles", causes[i]);
                sum += counter(m, path);
            }
            assert_int_equal(sum, free - START - 1);
            assert_int_equal(counter(m, "l1d.mshr_stall_cycles") > 0, mshrs < 8);
            mem_destroy(m);
        }
}

static void test_config(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    char *error = NULL;
    c.l1d_banks = 3;
    assert_false(mem_config_check(&c, &error));
    assert_string_equal(error, "l1d_banks = 3 is not a power of two");
    free(error);
}

/* The bound lets all banks and ports be busy in every cycle. */
static void test_bound(void **state)
{
    (void)state;
    static const uint32_t cases[][3] = {{1, 1, 1024 - 128}, {4, 1, 256 - 128}, {2, 2, 256 - 128}, {16, 1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mem_config c = plain_config();
        c.l1d_banks = cases[i][0];
        c.l1d_ports = cases[i][1];
        struct ideal_memory *m = ideal_memory_create(&c, 1);
        ideal_memory_start(m, 32);
        for (uint64_t k = 0; k < 32; k++) {
            struct mem_access a = warp_access(MEM_LOAD, k * 32 * LINE, LINE);
            uint64_t time = ideal_memory_access(m, 0, &a, false).lookup_time;
            assert_int_equal(time, 32 * METER_CYCLE / (cases[i][0] * cases[i][1]));
        }
        assert_int_equal(ideal_memory_answered(m, 0), cases[i][2]);
        ideal_memory_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hits),   cmocka_unit_test(test_order),  cmocka_unit_test(test_one_way_out),
        cmocka_unit_test(test_stalls), cmocka_unit_test(test_config), cmocka_unit_test(test_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
