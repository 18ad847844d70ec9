/* The memory system to the cycle: caches, miss registers, crossbar, stores, clocks. See mem_bench.h.
 */
#include "mem_bench.h"

#include "mem/clock.h"

#include <stdio.h>

static void test_l1_hit(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    struct mem *m = mem_create(&c, 1);
    expect_load(m, 0, 0, ROW_CLOSED);
    expect_load(m, 100, 0, L1_HIT);
    assert_int_equal(counter(m, "l1d.hits"), 1);
    assert_int_equal(counter(m, "l1d.misses"), 1);
    mem_destroy(m);
}

static void test_l2_hit(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    struct mem *m = mem_create(&c, 1);
    warm_l2(m, 0, 0);
    expect_load(m, 300, 0, L2_HIT);
    assert_int_equal(counter(m, "l2.hits"), 1);
    mem_destroy(m);
}

static void test_row_hit_and_conflict(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    struct mem *m = mem_create(&c, 1);
    expect_load(m, 0, 0, ROW_CLOSED);
    expect_load(m, 200, 128, ROW_HIT);
    expect_load(m, 400, (uint64_t)ROW_BYTES * BANKS, ROW_CONFLICT);
    assert_int_equal(counter(m, "dram.row_hits"), 1);
    assert_int_equal(counter(m, "dram.row_misses"), 2);
    assert_int_equal(counter(m, "dram.precharges"), 1);
    mem_destroy(m);
}

/* 32 lines: one lookup a cycle, so the last hit is 31 cycles after the first. */
static void test_scattered_l1_hits(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    struct mem *m = mem_create(&c, 1);
    struct mem_access a = warp_access(MEM_LOAD, 0, 128);
    struct mem_reply r;
    issue(m, 0, &a, 32);
    mem_advance(m, 1000);
    assert_true(mem_take_reply(m, 0, 1000, &r));
    issue(m, 1000, &a, 32);
    r = expect_reply(m, 1000 + 31 + L1_HIT);
    assert_true(r.is_last && r.is_hit && r.lanes == UINT32_MAX);
    mem_destroy(m);
}

/* Replies of 136 bytes take 5 cycles of the slice's link each: the last line leaves 31 * 5 cycles after the
 * first. */
static void test_scattered_l2_hits(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    struct mem *m = mem_create(&c, 1);
    for (uint64_t line = 0; line < 32; line++)
        warm_l2(m, line * 300, line * 128);
    struct mem_access a = warp_access(MEM_LOAD, 0, 128);
    issue(m, 10000, &a, 32);
    assert_int_equal(expect_reply(m, 10000 + L2_HIT + 31 * 5).lanes, UINT32_MAX);
    mem_destroy(m);
}

/* One row: the bus is free again after 4 cycles, the reply link after 5. */
static void test_scattered_row_hits(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.dram_row_bytes = 8192;
    struct mem *m = mem_create(&c, 1);
    expect_load(m, 0, 32 * 128, ROW_CLOSED);
    struct mem_access a = warp_access(MEM_LOAD, 0, 128);
    issue(m, 200, &a, 32);
    expect_reply(m, 200 + ROW_HIT + 31 * 5);
    mem_destroy(m);
}

static void test_parts_come_as_they_are_ready(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    struct mem *m = mem_create(&c, 1);
    expect_load(m, 0, 0, ROW_CLOSED);
    warm_l2(m, 200, 128);
    struct mem_access a = {.kind = MEM_LOAD, .wants_reply = true, .wants_parts = true, .count = 3, .bytes = 4};
    a.address[0] = 128;
    a.address[1] = 4;
    a.address[2] = 132;
    issue(m, 500, &a, 2);
    struct mem_reply r = expect_reply(m, 501 + L1_HIT);
    assert_true(r.lanes == 2 && !r.is_last && r.is_hit);
    r = expect_reply(m, 500 + L2_HIT);
    assert_true(r.lanes == 5 && r.is_last && !r.is_hit);
    mem_destroy(m);
}

/* Requests leave in the order of their lookups. Lines 0 and 1 of the load are looked up before the second constant,
 * which is issued when its port is free, lines 2 and 3 behind it: asking when that is must not look them up. Replies
 * leave the slice every 5 cycles: line 0, the first constant, line 1, the second constant, lines 2 and 3. */
static void test_wakeups_look_nothing_up_before_its_turn(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.port[PORT_CONSTANT].line_bytes = 128;
    struct mem *m = mem_create(&c, 1);
    for (uint64_t line = 0; line < 6; line++)
        warm_l2(m, line * 300, line * 128);
    struct mem_access load = warp_access(MEM_LOAD, 0, 128);
    struct mem_access first = warp_access(MEM_CONSTANT, 4 * 128, 0), second = warp_access(MEM_CONSTANT, 5 * 128, 0);
    load.count = 4;
    load.ticket = 1;
    first.ticket = 2;
    second.ticket = 3;
    issue(m, 10000, &load, 4);
    issue(m, 10000, &first, 1);
    assert_int_equal(mem_next_wakeup(m, 0, false, 1u << MEM_CONSTANT, 10000, 10050), 10001);
    issue(m, 10001, &second, 1);
    expect_ticket(m, 10000 + L2_HIT + 5, 2);
    expect_ticket(m, 10000 + L2_HIT + 3 * 5, 3);
    expect_ticket(m, 10000 + L2_HIT + 5 * 5, 1);
    mem_destroy(m);
}

static void test_mshr_merges(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    struct mem *m = mem_create(&c, 1);
    issue_load(m, 0, 0, 1);
    issue_load(m, 1, 0, 2);
    expect_ticket(m, ROW_CLOSED, 1);
    expect_ticket(m, ROW_CLOSED, 2);
    assert_int_equal(counter(m, "l1d.merges"), 1);
    assert_int_equal(counter(m, "crossbar.requests"), 1);
    mem_destroy(m);
}

static void test_merge_limit(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.port[PORT_DATA].merges = 1;
    struct mem *m = mem_create(&c, 1);
    issue_load(m, 0, 0, 1);
    issue_load(m, 1, 0, 2); /* taken, and stays at the port until the line is there */
    struct mem_access a = warp_access(MEM_LOAD, 128, 4);
    mem_advance(m, 2);
    assert_false(mem_issue(m, 2, &a, NULL));
    assert_int_equal(mem_port_state(m, 0, MEM_LOAD, 2), MEM_NO_MERGE);
    expect_ticket(m, ROW_CLOSED, 1);
    expect_ticket(m, ROW_CLOSED + L1_HIT, 2);
    assert_int_equal(counter(m, "l1d.merge_stall_cycles"), ROW_CLOSED - 1);
    mem_destroy(m);
}

static void test_no_mshr(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.port[PORT_DATA].mshrs = 1;
    struct mem *m = mem_create(&c, 1);
    issue_load(m, 0, 0, 1);
    issue_load(m, 1, 128, 2);
    struct mem_access a = warp_access(MEM_LOAD, 0, 4);
    mem_advance(m, ROW_CLOSED - 1);
    assert_false(mem_issue(m, ROW_CLOSED - 1, &a, NULL));
    assert_int_equal(mem_port_state(m, 0, MEM_LOAD, ROW_CLOSED - 1), MEM_NO_MSHR);
    expect_ticket(m, ROW_CLOSED, 1);
    assert_false(mem_issue(m, ROW_CLOSED, &a, NULL)); /* the other has its turn in this cycle */
    assert_int_equal(mem_port_free(m, 0, ROW_CLOSED), ROW_CLOSED + 1);
    assert_true(mem_issue(m, ROW_CLOSED + 1, &a, NULL));
    expect_reply(m, ROW_CLOSED + 1 + L1_HIT);
    expect_ticket(m, ROW_CLOSED + ROW_HIT, 2);
    assert_int_equal(counter(m, "l1d.mshr_stall_cycles"), ROW_CLOSED - 1);
    mem_destroy(m);
}

static void test_port_is_busy(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    struct mem *m = mem_create(&c, 1);
    struct mem_access a = warp_access(MEM_LOAD, 0, 128);
    issue(m, 5, &a, 32);
    assert_int_equal(mem_port_free(m, 0, 6), 5 + 32);
    assert_int_equal(mem_kind_free(m, 0, MEM_CONSTANT, 6), 6);
    mem_advance(m, 36);
    assert_false(mem_issue(m, 36, &a, NULL));
    assert_int_equal(mem_port_state(m, 0, MEM_STORE, 36), MEM_BUSY);
    mem_advance(m, 37);
    assert_true(mem_issue(m, 37, &a, NULL));
    mem_destroy(m);
}

/* One place: the second request can only leave when the slice has let the first in and word of it is back. */
static uint64_t stalls_of(const struct mem *m, const char *owner)
{
    static const char *const causes[] = {"bank", "send", "mshr", "merge", "miss_queue", "write_queue"};
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s.%s_stall_cycles", owner, causes[i]);
        sum += counter(m, path);
    }
    return sum;
}

/* Every cycle that an access keeps its port, but one, is a stall cycle with one cause: whatever the port lacks. */
static void test_stalls_add_up(void **state)
{
    (void)state;
    static const struct {
        enum mem_kind kind;
        const char *owner;
        uint32_t mshrs, merges, queue;
    } cases[] = {{MEM_LOAD, "l1d", 64, 8, 64},      {MEM_LOAD, "l1d", 4, 8, 64},
                 {MEM_LOAD, "l1d", 64, 8, 2},       {MEM_STORE, "l1d", 64, 8, 2},
                 {MEM_ATOMIC, "l1d", 4, 8, 2},      {MEM_CONSTANT, "constant", 4, 1, 64},
                 {MEM_TEXTURE, "texture", 4, 8, 2}, {MEM_CONSTANT, "constant", 64, 8, 64}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mem_config c = plain_config();
        for (int p = 0; p < PORT_COUNT; p++) {
            c.port[p].mshrs = cases[i].mshrs;
            c.port[p].merges = cases[i].merges;
        }
        c.miss_queue = c.write_queue = cases[i].queue;
        struct mem *m = mem_create(&c, 1);
        /* Constants 32 bytes apart share lines, so that they need targets too. */
        struct mem_access a = warp_access(cases[i].kind, 0, cases[i].kind == MEM_CONSTANT ? 32 : 128);
        uint64_t free = 101;
        issue(m, 100, &a, 32);
        for (; !mem_can_take(m, 0, cases[i].kind, free); free++)
            mem_advance(m, free);
        assert_int_equal(stalls_of(m, cases[i].owner), free - 100 - 1);
        assert_int_equal(counter(m, cases[i].kind == MEM_CONSTANT  ? "constant.bank_stall_cycles"
                                    : cases[i].kind == MEM_TEXTURE ? "texture.bank_stall_cycles"
                                                                   : "l1d.bank_stall_cycles"),
                         31);
        mem_destroy(m);
    }
}

static void test_crossbar_places(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.crossbar_queue = 1;
    struct mem *m = mem_create(&c, 1);
    warm_l2(m, 0, 0);
    warm_l2(m, 300, 128);
    issue_load(m, 1000, 0, 1);
    issue_load(m, 1001, 128, 2);
    expect_ticket(m, 1000 + L2_HIT, 1);
    expect_ticket(m, 1000 + 1 + 5 + 5 + 5 + 20 + 4 + 5, 2); /* leaves at 1011 */
    assert_int_equal(counter(m, "crossbar.queue_full"), 1);
    mem_destroy(m);
}

static void test_miss_queue(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.miss_queue = 1;
    c.crossbar_queue = 1;
    struct mem *m = mem_create(&c, 1);
    struct mem_access a = warp_access(MEM_LOAD, 0, 128);
    a.count = 3;
    issue(m, 0, &a, 3); /* leave at 1, 11 and 21: the third enters the queue when the second has left */
    mem_advance(m, 10);
    assert_int_equal(mem_port_state(m, 0, MEM_LOAD, 10), MEM_NO_MISS_QUEUE);
    mem_advance(m, 11);
    assert_int_equal(mem_port_state(m, 0, MEM_LOAD, 12), MEM_NO_STALL);
    assert_int_equal(counter(m, "l1d.miss_queue_stall_cycles"), 11 - 2);
    mem_destroy(m);
}

static void test_crossbar_bandwidth(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.crossbar_bytes = 136;
    struct mem *m = mem_create(&c, 1);
    warm_l2(m, 0, 0);
    warm_l2(m, 300, 128);
    issue_load(m, 1000, 0, 1);
    issue_load(m, 1001, 128, 2);
    expect_ticket(m, 1000 + L2_HIT - 4, 1);
    expect_ticket(m, 1001 + L2_HIT - 4, 2);
    mem_destroy(m);
    c.crossbar_bytes = 8; /* 17 cycles a reply */
    m = mem_create(&c, 1);
    warm_l2(m, 0, 0);
    warm_l2(m, 300, 128);
    issue_load(m, 1000, 0, 1);
    issue_load(m, 1001, 128, 2);
    expect_ticket(m, 1000 + L2_HIT - 5 + 17, 1);
    expect_ticket(m, 1000 + L2_HIT - 5 + 17 + 17, 2);
    mem_destroy(m);
}

/* Two multiprocessors at one slice: its port lets one request in a cycle, by turns; its link sends one reply
 * at a time. */
static void test_slice_is_shared(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    struct mem *m = mem_create(&c, 2);
    struct mem_reply r;
    warm_l2(m, 0, 0); /* by multiprocessor 0, so it is 1's turn */
    struct mem_access a = warp_access(MEM_LOAD, 0, 4);
    issue(m, 1000, &a, 1);
    a.sm = 1;
    issue(m, 1000, &a, 1);
    mem_advance(m, 1000 + L2_HIT - 1);
    assert_false(mem_take_reply(m, 1, 1000 + L2_HIT - 1, &r));
    mem_advance(m, 1000 + L2_HIT);
    assert_true(mem_take_reply(m, 1, 1000 + L2_HIT, &r));
    expect_reply(m, 1000 + L2_HIT + 5);
    mem_destroy(m);
}

/* Stores write through: 136 bytes are 5 cycles on the link; the acknowledgement is one. */
static void test_store(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    for (c.l1d_store = STORE_UPDATE; c.l1d_store <= STORE_EVICT; c.l1d_store++) {
        struct mem *m = mem_create(&c, 1);
        expect_load(m, 0, 0, ROW_CLOSED);
        struct mem_access a = warp_access(MEM_STORE, 0, 4);
        issue(m, 100, &a, 1);
        expect_reply(m, 100 + 1 + 4 + 5 + 20 + 5);
        assert_int_equal(counter(m, "l1d.store_hits"), 1);
        assert_int_equal(counter(m, "crossbar.request_bytes"), 8 + 136);
        expect_load(m, 200, 0, c.l1d_store == STORE_UPDATE ? L1_HIT : L2_HIT);
        mem_destroy(m);
    }
}

/* A store brings nothing into the L1; the L2 fetches a line of which a part is written, and not one written
 * whole. */
static void test_store_miss(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    struct mem *m = mem_create(&c, 1);
    struct mem_access a = warp_access(MEM_STORE, 0, 4);
    a.wants_reply = false;
    issue(m, 0, &a, 1);
    expect_load(m, 200, 0, L2_HIT);
    assert_int_equal(counter(m, "dram.reads"), 0);
    a.count = 1;
    a.address[0] = 256;
    issue(m, 400, &a, 1);
    mem_advance(m, 600);
    assert_int_equal(counter(m, "dram.reads"), 1);
    assert_int_equal(counter(m, "dram.writes"), 0);
    mem_destroy(m);
}

/* With `allocate`, a store leaves the sectors that it writes in the L1, and no others. */
static void test_store_allocates(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.sector_bytes = 32;
    c.l1d_store = STORE_ALLOCATE;
    struct mem *m = mem_create(&c, 1);
    struct mem_access a = warp_access(MEM_STORE, 0, 4);
    a.wants_reply = false;
    a.count = 8; /* sector 0 */
    issue(m, 0, &a, 1);
    a.kind = MEM_LOAD;
    a.wants_reply = true;
    a.count = 8;
    issue(m, 200, &a, 1);
    expect_reply(m, 200 + L1_HIT);
    a.address[0] = 32;
    a.count = 1;
    issue(m, 300, &a, 1);
    mem_advance(m, 300 + L1_HIT);
    struct mem_reply r;
    assert_false(mem_take_reply(m, 0, 300 + L1_HIT, &r));
    assert_int_equal(counter(m, "l1d.misses"), 1);
    mem_destroy(m);
}

/* A slice takes longer for a write of several sectors: the next request waits. Two stores of whole lines, the second 5
 * cycles behind the first on the link. */
static void test_l2_write_interval(void **state)
{
    (void)state;
    for (unsigned interval = 0; interval <= 3; interval++) {
        struct mem_config c = plain_config();
        c.sector_bytes = 32;
        c.l2_write_interval = interval;
        struct mem *m = mem_create(&c, 1);
        struct mem_access first = warp_access(MEM_STORE, 0, 4), second = warp_access(MEM_STORE, 128, 4);
        first.wants_reply = false;
        issue(m, 0, &first, 1);
        issue(m, 1, &second, 1);
        unsigned busy = 1 + 3 * interval;
        expect_reply(m, 1 + 4 + 5 + 5 + 20 + 5 + (busy > 5 ? busy - 5 : 0));
        mem_destroy(m);
    }
}

/* With l2_fetch a miss brings its whole piece of the line, so that the neighbour hits the L2; what the L2 has already is
 * not fetched again. */
static void test_l2_fetch(void **state)
{
    (void)state;
    static const struct {
        uint32_t fetch;
        uint64_t bytes[3]; /* what DRAM has read after each load */
    } cases[] = {{0, {32, 64, 96}}, {32, {32, 64, 96}}, {64, {64, 64, 128}}, {128, {128, 128, 128}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mem_config c = plain_config();
        c.sector_bytes = 32;
        c.l2_fetch_bytes = cases[i].fetch;
        struct mem *m = mem_create(&c, 1);
        struct mem_access a = warp_access(MEM_LOAD, 0, 4);
        static const uint64_t address[] = {32, 0, 96};
        a.count = 1;
        for (int k = 0; k < 3; k++) {
            a.address[0] = address[k];
            issue(m, 300 * (uint64_t)k, &a, 1);
            mem_advance(m, 300 * (uint64_t)k + 200);
            assert_int_equal(counter(m, "dram.bytes"), cases[i].bytes[k]);
        }
        mem_destroy(m);
    }
}

/* One set of one line: the next line throws the dirty one out. */
static void test_dirty_line_is_written_back(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.l2_bytes = 128;
    c.l2_ways = 1;
    struct mem *m = mem_create(&c, 1);
    struct mem_access a = warp_access(MEM_STORE, 0, 4);
    issue(m, 0, &a, 1);
    mem_advance(m, 200);
    assert_int_equal(counter(m, "dram.writes"), 0);
    struct mem_reply r;
    assert_true(mem_take_reply(m, 0, 200, &r));
    issue_load(m, 200, 128, 1);
    mem_advance(m, 400);
    assert_int_equal(counter(m, "l2.writebacks"), 1);
    assert_int_equal(counter(m, "dram.writes"), 1);
    mem_destroy(m);
}

static void test_sectors(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.sector_bytes = 32;
    struct mem *m = mem_create(&c, 1);
    struct mem_access a = warp_access(MEM_LOAD, 0, 4);
    a.count = 8; /* one sector: 1 cycle of DRAM's bus, 40 bytes back in 2 cycles */
    issue(m, 0, &a, 1);
    expect_reply(m, 7 + 13 + 10 + 1 + 1 + 1 + 5);
    assert_int_equal(counter(m, "dram.bytes"), 32);
    issue(m, 100, &a, 1);
    expect_reply(m, 100 + L1_HIT);
    a.address[0] = 64;
    issue(m, 200, &a, 1);
    mem_advance(m, 400);
    assert_int_equal(counter(m, "l1d.misses"), 2);
    assert_int_equal(counter(m, "dram.bytes"), 64);
    mem_destroy(m);
}

/* Lines of 64 bytes in the L1, of 128 in the L2: each half brings its own two sectors, and no more. */
static void test_sectors_of_a_longer_line(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.sector_bytes = 32;
    c.port[PORT_DATA].line_bytes = 64;
    struct mem *m = mem_create(&c, 1);
    static const struct {
        uint64_t address, bytes; /* what DRAM has read then */
    } loads[] = {{64, 64}, {0, 128}, {64, 128}, {0, 128}, {128, 192}, {192, 256}, {128, 256}};
    struct mem_access a = warp_access(MEM_LOAD, 0, 4);
    a.count = 16;
    a.bypasses_l1 = true;
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        for (int k = 0; k < a.count; k++)
            a.address[k] = loads[i].address + 4 * (uint64_t)k;
        issue(m, 300 * i, &a, 1);
        mem_advance(m, 300 * i + 200);
        assert_int_equal(counter(m, "dram.bytes"), loads[i].bytes);
    }
    mem_destroy(m);
}

/* Constants go out a word a cycle to all lanes that want it. */
static void test_constants(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.port[PORT_CONSTANT].latency_cycles = 3;
    struct mem *m = mem_create(&c, 1);
    struct mem_access a = warp_access(MEM_CONSTANT, 0, 0);
    struct mem_reply r;
    issue(m, 0, &a, 1);
    mem_advance(m, 100);
    assert_true(mem_take_reply(m, 0, 100, &r));
    issue(m, 100, &a, 1);
    expect_reply(m, 103);
    a = warp_access(MEM_CONSTANT, 0, 4);
    a.count = 16;
    issue(m, 200, &a, 16);
    expect_reply(m, 200 + 15 + 3);
    mem_destroy(m);
}

static void test_clock_ratios(void **state)
{
    (void)state;
    struct clock_ratio down = clock_make_ratio(1300, 650), up = clock_make_ratio(650, 800);
    assert_int_equal(down.to, 1);
    assert_int_equal(down.from, 2);
    assert_int_equal(clock_first_from(&down, 7), 4);
    assert_int_equal(clock_last_until(&down, 7), 3);
    assert_int_equal(clock_first_from(&up, 13), 16);
    assert_int_equal(clock_first_from(&up, 14), 18); /* 17.23 */
    assert_int_equal(clock_first_from(&up, UINT64_C(13) * 1000000000000), UINT64_C(16) * 1000000000000);
    assert_int_equal(clock_first_from(&up, CLOCK_NEVER), CLOCK_NEVER);
}

static void test_division_by_multiplication(void **state)
{
    (void)state;
    static const uint64_t by[] = {1, 2, 3, 6, 7, 25, 33, 64, 641, 1401, UINT32_MAX, UINT64_MAX / 2, UINT64_MAX};
    static const uint64_t what[] = {0, 1, 2, 5, 6, 7, 1000003, UINT32_MAX, UINT64_MAX / 3, UINT64_MAX - 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        for (size_t n = 0; n < sizeof what / sizeof *what; n++)
            for (uint64_t near = 0; near < 3; near++) {
                uint64_t x = what[n] / by[i] * by[i] + near - 1; /* about a multiple; may wrap */
                assert_int_equal(divide(divider_make(by[i]), x), x / by[i]);
                assert_int_equal(divide(divider_make(by[i]), what[n]), what[n] / by[i]);
            }
}

/* Crossbar and L2 at half the core's clock: their latencies count double, and start at their own edges. */
/* A clock that is followed step by step is where a conversion of each cycle says, whatever the ratio and the start. */
static void test_clock_followers(void **state)
{
    (void)state;
    static const uint64_t mhz[][2] = {{700, 924}, {924, 700}, {1300, 650}, {650, 1300}, {1755, 850}, {3, 10}, {10, 3}};
    for (size_t i = 0; i < sizeof mhz / sizeof *mhz; i++) {
        struct clock_ratio ratio = clock_make_ratio(mhz[i][0], mhz[i][1]);
        for (uint64_t from = 0; from < UINT64_C(1) << 40; from = from * 3 + 7) {
            struct clock_follower f = clock_follow(&ratio, from);
            for (uint64_t cycle = from; cycle < from + 100; cycle++, clock_step(&f))
                assert_int_equal(f.cycle, clock_last_until(&ratio, cycle));
        }
    }
}

static void test_clock_domains(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.core_mhz = 2000;
    c.memory_mhz = 1000;
    struct mem *m = mem_create(&c, 1);
    warm_l2(m, 0, 0);
    warm_l2(m, 300, 128);
    /* Leaves the core at 1001: crossbar cycle 501; +5 +20, 4 more on the link, +5: 535 is core cycle 1070. */
    expect_load(m, 1000, 0, 70);
    expect_load(m, 1101, 128, 69); /* leaves at 1102: crossbar cycle 551, not 552 */
    mem_destroy(m);

    /* DRAM at 3/2 of the crossbar's clock: at the L2 at 6, memory cycle 9; activate 10, column 23, data until
     * 37: crossbar cycle 25 (24.67); reply leaves 26, there 35. */
    c = plain_config();
    c.memory_mhz = 1500;
    m = mem_create(&c, 1);
    expect_load(m, 0, 0, 35);
    mem_destroy(m);
}

static void test_channels(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.channels = 3;
    c.interleave_bytes = 256;
    struct mem *m = mem_create(&c, 1);
    expect_load(m, 0, 0, ROW_CLOSED);
    expect_load(m, 200, 256, ROW_CLOSED);
    expect_load(m, 400, 512, ROW_CLOSED);
    expect_load(m, 600, 768, ROW_HIT); /* the first channel again */
    expect_load(m, 800, 128, ROW_HIT);
    mem_destroy(m);
}

static void test_flush(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    struct mem *m = mem_create(&c, 1);
    expect_load(m, 0, 0, ROW_CLOSED);
    mem_flush(m);
    expect_load(m, 200, 0, L2_HIT);
    mem_destroy(m);
    c.flush_l2 = true;
    m = mem_create(&c, 1);
    expect_load(m, 0, 0, ROW_CLOSED);
    mem_flush(m);
    expect_load(m, 200, 0, ROW_HIT);
    mem_destroy(m);
}

static void test_config_is_checked(void **state)
{
    (void)state;
    static const struct {
        const char *knob, *value, *says;
    } wrong[] = {
        {"l1d_line", "96", "is not a power of two"}, {"l1d_bytes", "1000", "whole number of sets"},
        {"interleave", "64", "at least l2_line"},    {"sector_bytes", "24", "power of two"},
        {"l2_line", "64", "longer than l2_line"},    {"dram_row", "3000", "is not a power of two"},
        {"constant_width", "6", "a power of two"},   {"shared_bank_bytes", "6", "neither 4 nor 8"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct mem_config c = plain_config();
        char *error = NULL;
        assert_true(mem_config_check(&c, &error));
        assert_true(knob_set(&mem_knobs, &c, wrong[i].knob, wrong[i].value, &error));
        assert_false(mem_config_check(&c, &error));
        assert_non_null(strstr(error, wrong[i].says));
        free(error);
    }
}

/* Line C comes back from DRAM at 1021. The line that would have to leave for it is A, which is dirty, and the
 * channel's queue is full until 1032: C waits. In the same cycle a load uses A, so that B, which is clean,
 * must leave instead: C goes in at 1022, whatever else makes the slice look. */
static void test_fill_that_waits_follows_the_order_of_use(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.l2_ways = 2;
    c.l2_bytes = 256;
    c.dram_queue = 1;
    struct mem *m = mem_create(&c, 1);
    struct mem_access a = warp_access(MEM_STORE, 0, 4), b = warp_access(MEM_LOAD, 256, 4);
    a.wants_reply = false;
    issue(m, 0, &a, 1);
    warm_l2(m, 200, 128);
    b.bypasses_l1 = true;
    b.ticket = 3;
    issue(m, 1000, &b, 1);
    b = warp_access(MEM_LOAD, ROW_BYTES * BANKS, 4);
    b.bypasses_l1 = true;
    issue(m, 1001, &b, 1);
    b = warp_access(MEM_LOAD, 0, 4);
    b.bypasses_l1 = true;
    issue(m, 1015, &b, 1);
    expect_ticket(m, 1022 + 1 + 4 + 5, 3);
    mem_destroy(m);
}

/* Line 0 is under way, there at 1044, when the second lookup of another access, in parts, joins it: that
 * part's reply is due at 1044 too, long before a hit could be, and the memory system must not promise later.
 */
static void test_next_reply_foresees_a_join(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.port[PORT_DATA].latency_cycles = 100;
    struct mem *m = mem_create(&c, 1);
    struct mem_access two = warp_access(MEM_LOAD, 0, 8);
    struct mem_access parts = {.kind = MEM_LOAD,
                               .ticket = 9,
                               .wants_reply = true,
                               .wants_parts = true,
                               .count = 2,
                               .bytes = 4,
                               .address = {4096, 0}};
    issue(m, 1000, &two, 2);
    issue(m, 1040, &parts, 2);
    assert_true(mem_next_reply(m, 0) <= 1000 + ROW_CLOSED);
    struct mem_reply r = expect_reply(m, 1000 + ROW_CLOSED);
    assert_int_equal(r.ticket, 9);
    assert_int_equal(r.lanes, 2);
    mem_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_l1_hit),
        cmocka_unit_test(test_l2_hit),
        cmocka_unit_test(test_row_hit_and_conflict),
        cmocka_unit_test(test_scattered_l1_hits),
        cmocka_unit_test(test_scattered_l2_hits),
        cmocka_unit_test(test_scattered_row_hits),
        cmocka_unit_test(test_parts_come_as_they_are_ready),
        cmocka_unit_test(test_wakeups_look_nothing_up_before_its_turn),
        cmocka_unit_test(test_mshr_merges),
        cmocka_unit_test(test_merge_limit),
        cmocka_unit_test(test_no_mshr),
        cmocka_unit_test(test_port_is_busy),
        cmocka_unit_test(test_stalls_add_up),
        cmocka_unit_test(test_crossbar_places),
        cmocka_unit_test(test_miss_queue),
        cmocka_unit_test(test_crossbar_bandwidth),
        cmocka_unit_test(test_slice_is_shared),
        cmocka_unit_test(test_store),
        cmocka_unit_test(test_store_miss),
        cmocka_unit_test(test_store_allocates),
        cmocka_unit_test(test_l2_write_interval),
        cmocka_unit_test(test_l2_fetch),
        cmocka_unit_test(test_dirty_line_is_written_back),
        cmocka_unit_test(test_sectors),
        cmocka_unit_test(test_sectors_of_a_longer_line),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_clock_ratios),
        cmocka_unit_test(test_clock_followers),
        cmocka_unit_test(test_division_by_multiplication),
        cmocka_unit_test(test_clock_domains),
        cmocka_unit_test(test_channels),
        cmocka_unit_test(test_flush),
        cmocka_unit_test(test_config_is_checked),
        cmocka_unit_test(test_fill_that_waits_follows_the_order_of_use),
        cmocka_unit_test(test_next_reply_foresees_a_join),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
