/*
 * Several L2 slices (memory sub-partitions) behind one DRAM channel: which slice an address is in, ports and links of
 * their own, banks of their own, and a queue and a bus in common. mem_bench.h has the machine and its latencies.
 */
#include "mem_bench.h"

enum { CHUNK = 256 }; /* consecutive bytes of a slice */

static struct mem_config sliced_config(uint32_t channels, uint32_t slices)
{
    struct mem_config c = plain_config();
    c.channels = channels;
    c.slices_per_channel = slices;
    c.interleave_bytes = CHUNK;
    return c;
}

/* Two multiprocessors ask for a line of each of two slices. Each slice has a port and a link, so both replies come as
 * if the other were not there; with one slice the second waits for the five cycles of the first. */
static void test_slices_answer_side_by_side(void **state)
{
    (void)state;
    for (uint32_t slices = 1; slices <= 2; slices++) {
        struct mem_config c = sliced_config(1, slices);
        struct mem *m = mem_create(&c, 2);
        struct mem_reply r;
        warm_l2(m, 0, CHUNK);
        warm_l2(m, 300, 0);
        struct mem_access a = warp_access(MEM_LOAD, CHUNK, 4);
        a.sm = 1;
        issue(m, 1000, &a, 1);
        issue_load(m, 1000, 0, 7);
        mem_advance(m, 1000 + L2_HIT);
        assert_true(mem_take_reply(m, 1, 1000 + L2_HIT, &r)); /* multiprocessor 0 was there last, so 1 has the turn */
        expect_ticket(m, 1000 + L2_HIT + (slices == 1 ? 5 : 0), 7);
        mem_destroy(m);
    }
}

/* Chunks go round all channels before they go to the channels' second slices, whose banks are their own. */
static void test_chunks_go_round_channels_then_slices(void **state)
{
    (void)state;
    struct mem_config c = sliced_config(3, 2);
    struct mem *m = mem_create(&c, 1);
    for (uint64_t chunk = 0; chunk < 6; chunk++)
        expect_load(m, chunk * 200, chunk * CHUNK, ROW_CLOSED);
    expect_load(m, 1200, 6 * CHUNK, ROW_HIT); /* the first slice again */
    expect_load(m, 1400, 10 * CHUNK, ROW_HIT);
    mem_destroy(m);
}

/* A client has every second bank: rows of the other client never close its row, and its own row comes back to a bank
 * after half as many rows. */
static void test_slices_share_the_banks_out(void **state)
{
    (void)state;
    struct mem_config c = sliced_config(1, 2);
    struct mem *m = mem_create(&c, 1);
    const uint64_t row = 2 * ROW_BYTES; /* from a row of a slice to its next, in the addresses of both */
    expect_load(m, 0, 0, ROW_CLOSED);
    for (uint64_t i = 0; i < 2 * BANKS; i++) /* the other slice, through all of its banks twice */
        expect_load(m, 200 + 200 * i, i * row + CHUNK, i < BANKS / 2 ? ROW_CLOSED : ROW_CONFLICT);
    expect_load(m, 10000, 128, ROW_HIT);
    expect_load(m, 10200, row * (BANKS / 2), ROW_CONFLICT);
    mem_destroy(m);
}

/* A read of each slice in the same cycle: both rows open tRRD apart, and the data of both go over one bus. */
static void test_slices_share_commands_and_bus(void **state)
{
    (void)state;
    struct mem_config c = sliced_config(1, 2);
    c.t_rrd = 1;
    c.dram_bytes_per_cycle = 2; /* 64 cycles for a line */
    struct mem *m = mem_create(&c, 2);
    struct mem_reply r;
    const uint64_t alone = ROW_CLOSED - 4 + 64;
    issue_load(m, 0, 0, 1);
    struct mem_access a = warp_access(MEM_LOAD, CHUNK, 4);
    a.sm = 1;
    issue(m, 0, &a, 1);
    expect_ticket(m, alone, 1);
    mem_advance(m, alone + 64 - 1);
    assert_false(mem_take_reply(m, 1, alone + 64 - 1, &r));
    mem_advance(m, alone + 64);
    assert_true(mem_take_reply(m, 1, alone + 64, &r));
    mem_destroy(m);
}

/* The queue is the channel's: while the first slice's read fills it, the second slice has no room, and its read starts
 * when the first one's column command has left the queue. */
static void test_slices_share_the_queue(void **state)
{
    (void)state;
    struct mem_config c = sliced_config(1, 2);
    c.dram_queue = 1;
    struct mem *m = mem_create(&c, 2);
    issue_load(m, 0, 0, 1);
    struct mem_access a = warp_access(MEM_LOAD, CHUNK, 4);
    a.sm = 1;
    issue(m, 0, &a, 1);
    mem_advance(m, 500);
    assert_int_equal(counter(m, "l2.dram_stall_cycles"), 1 + c.t_rcd); /* activate at 7, column at 20 */
    assert_int_equal(counter(m, "dram.deepest_queue"), 1);
    assert_int_equal(counter(m, "dram.reads"), 2);
    mem_destroy(m);
}

/* The lane whose reply leaves at cycle k: that of the first slice from slice k modulo their number on, among replies
 * that were ready by then; -1 if there is none. Lane i has a line of slice `slice[i]`, and its reply is ready at cycle
 * first + i. */
static int lane_with_the_turn(const uint32_t slice[32], uint32_t left, uint32_t slices, uint64_t first, uint64_t k)
{
    for (uint32_t i = 0; i < slices; i++)
        for (int lane = 0; lane < 32; lane++)
            if (left >> lane & 1 && first + (uint64_t)lane <= k && slice[lane] == (k + i) % slices)
                return lane;
    return -1;
}

/* Slices that wait for one multiprocessor's port have their turns in the order of their numbers, from a slice on that
 * changes with the cycle; with so many slices, too, that one word does not name them all. */
static void test_slices_take_turns_at_a_port(void **state)
{
    (void)state;
    static const uint32_t counts[] = {40, 64, 70, 200};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct mem_config c = sliced_config(counts[i], 1);
        struct mem *m = mem_create(&c, 1);
        struct mem_access a = warp_access(MEM_LOAD, 0, 13 * CHUNK);
        uint32_t slice[32], left = UINT32_MAX;
        for (uint32_t lane = 0; lane < 32; lane++)
            slice[lane] = 13 * lane % counts[i];
        a.bypasses_l1 = true;
        issue(m, 0, &a, 32);
        (void)expect_reply(m, ROW_CLOSED + 31 * 5);
        const uint64_t now = 1000 + i, first = now + L2_HIT - 9;
        a.wants_parts = true;
        issue(m, now, &a, 32);
        for (uint64_t k = first; left; k += 5) {
            int lane = lane_with_the_turn(slice, left, counts[i], first, k);
            struct mem_reply r = expect_reply(m, k + 9);
            assert_int_equal(r.lanes, UINT64_C(1) << lane);
            left &= ~(1u << lane);
        }
        mem_destroy(m);
    }
}

/* A queue with room for one reply: each request but the first stays where it is until the reply before it has left, 20
 * cycles after its lookup. The counters say in every cycle what has happened by then, though it is known earlier. */
static void test_requests_wait_for_room_for_their_replies(void **state)
{
    (void)state;
    enum { NOW = 1000, READS = 6, LOOKUP = 6, LATENCY = 20 };
    for (uint32_t queue = 1; queue <= READS; queue++) {
        struct mem_config c = sliced_config(1, 1);
        c.l2_queue = queue;
        c.l2_reply_queue = 1;
        c.l2_fill_latency = c.l2_latency;
        struct mem *m = mem_create(&c, 1);
        struct mem_access a = warp_access(MEM_LOAD, 0, 128);
        struct mem_reply r;
        a.count = READS;
        a.bypasses_l1 = true;
        issue(m, 0, &a, READS);
        mem_advance(m, NOW - 1);
        assert_true(mem_take_reply(m, 0, NOW - 1, &r));
        const uint64_t before = counter(m, "l2.hits"), stalled = counter(m, "l2.reply_stall_cycles");
        a.wants_parts = true;
        issue(m, NOW, &a, READS);
        for (uint64_t k = NOW; k < NOW + LOOKUP + READS * LATENCY; k++) {
            const uint64_t answered = k < NOW + LOOKUP ? 0 : (k - NOW - LOOKUP) / LATENCY + 1;
            mem_advance(m, k);
            assert_int_equal(counter(m, "l2.hits") - before, answered);
            assert_int_equal(counter(m, "l2.reply_stall_cycles") - stalled,
                             answered ? (answered - 1) * (LATENCY - 1) : 0);
        }
        for (uint64_t i = 0; i < READS; i++) {
            const uint64_t comes = NOW + L2_HIT + i * LATENCY;
            mem_advance(m, comes);
            assert_true(mem_take_reply(m, 0, comes, &r));
            assert_int_equal(r.cycle, comes);
            assert_int_equal(r.lanes, 1 << i);
        }
        mem_destroy(m);
    }
}

static void test_config_is_checked(void **state)
{
    (void)state;
    struct mem_config c = sliced_config(1, 3);
    char *error = NULL;
    assert_false(mem_config_check(&c, &error));
    assert_non_null(strstr(error, "slices_per_channel = 3 does not divide dram_banks = 16"));
    free(error);
    c = sliced_config(128, 4);
    assert_false(mem_config_check(&c, &error));
    assert_non_null(strstr(error, "are more than 256 slices"));
    free(error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slices_answer_side_by_side),
        cmocka_unit_test(test_chunks_go_round_channels_then_slices),
        cmocka_unit_test(test_slices_share_the_banks_out),
        cmocka_unit_test(test_slices_share_commands_and_bus),
        cmocka_unit_test(test_slices_share_the_queue),
        cmocka_unit_test(test_slices_take_turns_at_a_port),
        cmocka_unit_test(test_requests_wait_for_room_for_their_replies),
        cmocka_unit_test(test_config_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
