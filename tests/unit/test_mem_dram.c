/* DRAM to the cycle: each timing parameter, the order of service, bandwidth, the fixed model. See
 * mem_bench.h. */
#include "mem_bench.h"

enum { OTHER_ROW = ROW_BYTES * BANKS, OTHER_BANK = ROW_BYTES };

/* A load at cycle 0 of an idle channel, then perhaps one at `later`; the last one takes so many cycles. */
static void expect_second(const struct mem_config *c, uint64_t address, uint64_t later, uint64_t cycles)
{
    struct mem *m = mem_create(c, 1);
    struct mem_reply r;
    issue_load(m, 0, 0, 1);
    issue_load(m, later, address, 2);
    uint64_t at = later + cycles;
    mem_advance(m, at - 1);
    while (mem_take_reply(m, 0, at - 1, &r))
        assert_int_equal(r.ticket, 1);
    expect_ticket(m, at, 2);
    mem_destroy(m);
}

static void test_tcl_and_trcd(void **state)
{
    (void)state;
    for (uint32_t extra = 0; extra < 20; extra += 9) {
        struct mem_config c = plain_config();
        c.t_cl += extra;
        struct mem *m = mem_create(&c, 1);
        expect_load(m, 0, 0, ROW_CLOSED + extra);
        expect_load(m, 200, 128, ROW_HIT + extra);
        mem_destroy(m);
        c = plain_config();
        c.t_rcd += extra;
        m = mem_create(&c, 1);
        expect_load(m, 0, 0, ROW_CLOSED + extra);
        expect_load(m, 200, 128, ROW_HIT);
        mem_destroy(m);
    }
}

static void test_trp(void **state)
{
    (void)state;
    for (uint32_t extra = 0; extra < 20; extra += 9) {
        struct mem_config c = plain_config();
        c.t_rp += extra;
        expect_second(&c, OTHER_ROW, 200, ROW_CONFLICT + extra);
    }
}

/* The first activates at 7. The second, issued at 20, may precharge from 27 on, but not before 7 + tRAS. */
static void test_tras(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.t_rc = 1;
    c.t_ras = 20;
    expect_second(&c, OTHER_ROW, 20, ROW_CONFLICT);
    c.t_ras = 21;
    expect_second(&c, OTHER_ROW, 20, ROW_CONFLICT + 1);
    c.t_ras = 45;
    expect_second(&c, OTHER_ROW, 20, ROW_CONFLICT + 25);
}

/* As before: precharge at 37 (tRAS 30), activate from 48 on, but not before 7 + tRC. */
static void test_trc(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.t_rc = 41;
    expect_second(&c, OTHER_ROW, 20, ROW_CONFLICT + 10);
    c.t_rc = 42;
    expect_second(&c, OTHER_ROW, 20, ROW_CONFLICT + 11);
    c.t_rc = 60;
    expect_second(&c, OTHER_ROW, 20, ROW_CONFLICT + 29);
}

/* Activate at 7; in another bank from 13 on (issued at 6), but not before 7 + tRRD. Another channel does not
 * wait. */
static void test_trrd(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.t_rrd = 6;
    expect_second(&c, OTHER_BANK, 6, ROW_CLOSED);
    c.t_rrd = 7;
    expect_second(&c, OTHER_BANK, 6, ROW_CLOSED + 1);
    c.t_rrd = 40;
    expect_second(&c, OTHER_BANK, 6, ROW_CLOSED + 34);
    c.channels = 2;
    c.interleave_bytes = ROW_BYTES;
    expect_second(&c, OTHER_BANK, 6, ROW_CLOSED);
}

/* The request for the open row overtakes the older one for another. */
static void test_row_hits_first(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    struct mem *m = mem_create(&c, 1);
    issue_load(m, 0, 0, 1);
    issue_load(m, 1, OTHER_ROW, 2);
    issue_load(m, 2, 128, 3);
    expect_ticket(m, ROW_CLOSED, 1);
    expect_ticket(m, ROW_CLOSED + 5, 3);                   /* the bus after 4, the link after 5 cycles */
    expect_ticket(m, 7 + 50 + 13 + 10 + 4 + 1 + 4 + 5, 2); /* activated tRC after the first */
    assert_int_equal(counter(m, "dram.row_hits"), 1);
    mem_destroy(m);
}

/* Of two banks' commands in one cycle the column command goes first; the activate follows in the next cycle.
 */
static void test_one_command_a_cycle(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.t_rrd = 13; /* the second bank may activate when the first may send its column command */
    struct mem *m = mem_create(&c, 1);
    issue_load(m, 0, 0, 1);
    issue_load(m, 1, OTHER_BANK, 2);
    expect_ticket(m, ROW_CLOSED, 1);
    expect_ticket(m, 21 + 13 + 10 + 4 + 1 + 4 + 5, 2);
    mem_destroy(m);
}

static void test_bus_bandwidth(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.dram_bytes_per_cycle = 8; /* 16 cycles a line */
    struct mem *m = mem_create(&c, 1);
    for (uint32_t i = 0; i < 4; i++)
        issue_load(m, i, i * 128, i);
    for (uint32_t i = 0; i < 4; i++)
        expect_ticket(m, ROW_CLOSED + 12 + i * 16, i);
    assert_int_equal(counter(m, "dram.bus_cycles"), 64);
    mem_destroy(m);
}

/* The queue holds one: the second request gets in when the first's column command is out, and is seen a cycle
 * later. */
static void test_queue_is_finite(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.dram_queue = 1;
    struct mem *m = mem_create(&c, 1);
    issue_load(m, 0, 0, 1);
    issue_load(m, 1, OTHER_BANK, 2);
    expect_ticket(m, ROW_CLOSED, 1);
    expect_ticket(m, 21 + 13 + 10 + 4 + 1 + 4 + 5, 2); /* column at 20, in at 20, activate at 21 */
    assert_int_equal(counter(m, "l2.dram_stall_cycles"), 20 - 7);
    assert_int_equal(counter(m, "dram.deepest_queue"), 1);
    mem_destroy(m);
}

/* 48 bytes a cycle: lines of 128 end at 2.67, 5.33, 8: cycles 3, 6, 8 after the first starts at 7. */
static void test_fixed_bandwidth(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.dram_model = DRAM_FIXED;
    c.dram_bytes_per_cycle = 48;
    c.dram_latency = 100;
    c.crossbar_bytes = 136;
    struct mem *m = mem_create(&c, 1);
    for (uint32_t i = 0; i < 3; i++)
        issue_load(m, i, i * (uint64_t)OTHER_ROW, i);
    expect_ticket(m, 7 + 3 + 100 + 1 + 5, 0);
    expect_ticket(m, 7 + 6 + 100 + 1 + 5, 1);
    expect_ticket(m, 7 + 8 + 100 + 1 + 5, 2);
    mem_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tcl_and_trcd),
        cmocka_unit_test(test_trp),
        cmocka_unit_test(test_tras),
        cmocka_unit_test(test_trc),
        cmocka_unit_test(test_trrd),
        cmocka_unit_test(test_row_hits_first),
        cmocka_unit_test(test_one_command_a_cycle),
        cmocka_unit_test(test_bus_bandwidth),
        cmocka_unit_test(test_queue_is_finite),
        cmocka_unit_test(test_fixed_bandwidth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
