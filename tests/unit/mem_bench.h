/*
 * What the tests of the memory system share: a plain machine whose latencies are easy to add up, and loads
 * whose replies must come at a cycle and not at the one before.
 *
 * The plain machine has one clock, one channel, 128-byte lines and these latencies. A load issued at cycle c:
 *     hits the L1          c + 10
 *     leaves               c + 1
 *     is at the L2         c + 1 + 5 = c + 6      (a request is one cycle on the link)
 *     hits the L2          c + 6 + 20, reply on the link for 5 cycles, c + 26 + 4 + 5 = c + 35
 *     DRAM, row open       column c + 7, data until c + 7 + 10 + 4 = c + 21, reply leaves c + 22: c + 31
 *     DRAM, no row open    activate c + 7, column c + 20: c + 44
 *     DRAM, another row    precharge c + 7, activate c + 18, column c + 31: c + 55
 */
#ifndef HEDDLE_TESTS_MEM_BENCH_H
#define HEDDLE_TESTS_MEM_BENCH_H

#include "mem/config.h"
#include "mem/mem.h"
#include "mem/stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { L1_HIT = 10, L2_HIT = 35, ROW_HIT = 31, ROW_CLOSED = 44, ROW_CONFLICT = 55, ROW_BYTES = 2048, BANKS = 16 };

static inline struct mem_config plain_config(void)
{
    struct mem_config c;
    knob_defaults(&mem_knobs, &c);
    c.core_mhz = c.crossbar_mhz = c.memory_mhz = 1000;
    c.port[PORT_DATA].latency_cycles = L1_HIT;
    c.miss_queue = c.write_queue = 64;
    c.crossbar_latency = 5;
    c.crossbar_bytes = 32;
    c.packet_bytes = c.reply_bytes = 8;
    c.channels = 1;
    c.l2_latency = 20;
    c.dram_latency = 0;
    c.dram_banks = BANKS;
    c.dram_row_bytes = ROW_BYTES;
    c.dram_bytes_per_cycle = 32;
    c.t_cl = 10;
    c.t_rp = 11;
    c.t_rc = 50;
    c.t_ras = 30;
    c.t_rcd = 13;
    c.t_rrd = 7;
    return c;
}

/* 32 lanes of 4 bytes, `stride` bytes apart. */
static inline struct mem_access warp_access(enum mem_kind kind, uint64_t address, uint64_t stride)
{
    struct mem_access a = {.kind = kind, .wants_reply = true, .count = 32, .bytes = 4};
    for (int i = 0; i < a.count; i++)
        a.address[i] = address + (uint64_t)i * stride;
    return a;
}

static inline void issue(struct mem *m, uint64_t now, const struct mem_access *a, int expected_transactions)
{
    int transactions = 0;
    mem_advance(m, now);
    assert_true(mem_issue(m, now, a, &transactions));
    assert_int_equal(transactions, expected_transactions);
}

static inline void issue_load(struct mem *m, uint64_t now, uint64_t address, uint32_t ticket)
{
    struct mem_access a = warp_access(MEM_LOAD, address, 4);
    a.ticket = ticket;
    issue(m, now, &a, 1);
}

/* The next reply of multiprocessor 0 comes at `cycle` and not before. */
static inline struct mem_reply expect_reply(struct mem *m, uint64_t cycle)
{
    struct mem_reply r;
    mem_advance(m, cycle - 1);
    assert_false(mem_take_reply(m, 0, cycle - 1, &r));
    mem_advance(m, cycle);
    assert_true(mem_take_reply(m, 0, cycle, &r));
    assert_int_equal(r.cycle, cycle);
    return r;
}

static inline void expect_ticket(struct mem *m, uint64_t cycle, uint32_t ticket)
{
    struct mem_reply r = expect_reply(m, cycle);
    assert_int_equal(r.ticket, ticket);
    assert_true(r.is_last);
}

/* A load of the line at cycle `now` takes so many cycles. */
static inline void expect_load(struct mem *m, uint64_t now, uint64_t address, uint64_t cycles)
{
    issue_load(m, now, address, 77);
    expect_ticket(m, now + cycles, 77);
}

/* Brings the line into the L2 and not into the L1; the row stays open. */
static inline void warm_l2(struct mem *m, uint64_t now, uint64_t address)
{
    struct mem_access a = warp_access(MEM_LOAD, address, 4);
    struct mem_reply r;
    a.bypasses_l1 = true;
    issue(m, now, &a, 1);
    mem_advance(m, now + 200);
    assert_true(mem_take_reply(m, 0, now + 200, &r));
}

static inline uint64_t counter(const struct mem *m, const char *path)
{
    struct stat_value parts[MEM_OWNERS];
    int count;
    _Bool found = 0;
    mem_stats(m, parts, MEM_OWNERS, &count);
    struct stat_result result = {parts, count};
    uint64_t value = stat_get(&result, path, &found);
    assert_true(found);
    return value;
}

#endif
