/*
 * Accesses of lane slices that reach the memory unit as one (mem_issue_together), lanes of different sizes, and passes over
 * shared memory for lanes that do different things. See mem_bench.h for the plain machine.
 */
#include "mem_bench.h"

enum { LINE = 128, START = 1000, OTHER = 8 * LINE };

static struct mem_access of_lines(enum mem_kind kind, uint32_t ticket, int count, uint64_t address)
{
    struct mem_access a = {
        .kind = kind, .ticket = ticket, .wants_reply = kind != MEM_STORE, .count = count, .bytes = 4};
    for (int i = 0; i < count; i++)
        a.address[i] = address + (uint64_t)i * LINE;
    return a;
}

static struct mem *warm_memory(uint32_t banks)
{
    struct mem_config c = plain_config();
    struct mem_reply r;
    c.l1d_banks = banks;
    struct mem *m = mem_create(&c, 1);
    for (uint64_t i = 0; i < 4; i++) {
        issue_load(m, i * 100, i * LINE, 0);
        mem_advance(m, i * 100 + 99);
        assert_true(mem_take_reply(m, 0, i * 100 + 99, &r));
    }
    return m;
}

/* A load of two lines that hit, an atomic, a store and a load of a line that hits, of one cycle: each has its own reply, and
 * is looked up behind the ones before. The port is taken until the last. */
static void each_part_is_looked_up_in_turn(void **state)
{
    (void)state;
    struct mem *m = warm_memory(1);
    struct mem_access load = of_lines(MEM_LOAD, 1, 2, 0), atomic = of_lines(MEM_ATOMIC, 2, 1, OTHER);
    struct mem_access store = of_lines(MEM_STORE, 3, 2, 2 * OTHER), again = of_lines(MEM_LOAD, 4, 1, 3 * LINE);
    const struct mem_access *all[] = {&load, &atomic, &store, &again};
    uint64_t issued = counter(m, "l1d.issued");
    int transactions[4];
    mem_advance(m, START);
    assert_true(mem_issue_together(m, START, all, 4, transactions));
    assert_int_equal(transactions[0], 2);
    assert_int_equal(transactions[1], 1);
    assert_int_equal(transactions[2], 2);
    assert_int_equal(transactions[3], 1);
    for (uint64_t i = 0; i < 6; i++)
        assert_false(mem_can_take(m, 0, MEM_LOAD, START + i));
    assert_true(mem_can_take(m, 0, MEM_STORE, START + 6));
    assert_false(mem_issue_together(m, START + 5, all, 4, transactions));
    expect_ticket(m, START + 1 + L1_HIT, 1);
    expect_ticket(m, START + 5 + L1_HIT, 4);
    struct mem_reply r;
    mem_advance(m, START + 500);
    assert_true(mem_take_reply(m, 0, START + 500, &r));
    assert_int_equal(r.ticket, 2);
    assert_false(mem_take_reply(m, 0, START + 500, &r));
    assert_int_equal(counter(m, "l1d.issued"), issued + 4);
    assert_int_equal(counter(m, "l1d.stores"), 2);
    assert_int_equal(counter(m, "l1d.atomics"), 1);
    assert_int_equal(counter(m, "l1d.bank_stall_cycles"), 5); /* all but the first cycle of the one access */
    mem_destroy(m);
}

/* In a cache of four banks, hits of different parts go in one cycle if they lie in different banks. */
static void banks_look_up_parts_together(void **state)
{
    (void)state;
    struct mem *m = warm_memory(4);
    struct mem_access one = of_lines(MEM_LOAD, 1, 2, 0), two = of_lines(MEM_LOAD, 2, 2, 2 * LINE);
    const struct mem_access *all[] = {&one, &two};
    int transactions[2];
    two.wants_parts = true;
    mem_advance(m, START);
    assert_true(mem_issue_together(m, START, all, 2, transactions));
    assert_true(mem_can_take(m, 0, MEM_LOAD, START + 1));
    expect_ticket(m, START + L1_HIT, 1);
    mem_destroy(m);
}

/* A stalled part goes on as what it is: the atomic waits for a miss register that the load took. */
static void a_part_that_stalls_goes_on(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.port[PORT_DATA].mshrs = 1;
    struct mem *m = mem_create(&c, 1);
    struct mem_access load = of_lines(MEM_LOAD, 1, 1, 0), atomic = of_lines(MEM_ATOMIC, 2, 1, OTHER);
    struct mem_access store = of_lines(MEM_STORE, 3, 1, 2 * OTHER);
    const struct mem_access *all[] = {&load, &atomic, &store};
    int transactions[3];
    struct mem_reply r;
    assert_true(mem_issue_together(m, 0, all, 3, transactions));
    expect_ticket(m, ROW_CLOSED, 1);
    assert_int_equal(counter(m, "l1d.atomics"), 1); /* in the cycle that the register is free */
    assert_int_equal(counter(m, "l1d.stores"), 0);
    mem_advance(m, 500);
    assert_true(mem_take_reply(m, 0, 500, &r));
    assert_int_equal(r.ticket, 2);
    assert_int_equal(counter(m, "l1d.stores"), 1);
    mem_destroy(m);
}

/* Lanes of 4 and of 16 bytes coalesce; a lane of 16 that straddles two lines takes part in both, one of 4 does not. */
static void lanes_of_different_sizes_coalesce(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    struct mem *m = mem_create(&c, 1);
    struct mem_access a = {
        .kind = MEM_LOAD, .ticket = 5, .wants_reply = true, .wants_parts = true, .count = 3, .bytes = 16};
    a.has_sizes = true;
    a.size[0] = a.size[1] = 4;
    a.size[2] = 16;
    a.address[0] = LINE - 12;
    a.address[1] = LINE - 4;
    a.address[2] = LINE - 8;
    issue(m, 0, &a, 2);
    struct mem_reply r;
    mem_advance(m, 500);
    assert_true(mem_take_reply(m, 0, 500, &r));
    assert_int_equal(r.lanes, 7);
    assert_true(mem_take_reply(m, 0, 500, &r));
    assert_int_equal(r.lanes, 4);
    mem_destroy(m);
}

/* ---- shared memory ---- */

static void shared_lanes_of_one_kind_are_as_ever(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    uint32_t seed = 1;
    for (int round = 0; round < 2000; round++) {
        struct mem_shared_lane lanes[64];
        uint64_t address[64];
        unsigned bytes = 1u << round % 5, kind = round / 5 % 2 ? MEM_SHARED_STORE : MEM_SHARED_LOAD;
        int count = 1 + round % 64;
        for (int i = 0; i < count; i++) {
            seed = seed * 1664525 + 1013904223;
            address[i] = (uint64_t)(seed >> 16) % 256 * bytes;
            lanes[i] = (struct mem_shared_lane){address[i], (uint8_t)bytes, (uint8_t)kind};
        }
        assert_int_equal(mem_shared_mixed(&c, count, lanes), mem_shared_passes(&c, count, address, bytes));
    }
}

/* By bank: words that are loaded, words that are stored, and atomics: one pass for a word, or for each lane. */
static void shared_lanes_of_several_kinds(void **state)
{
    (void)state;
    enum { LD = MEM_SHARED_LOAD, ST = MEM_SHARED_STORE, AT = MEM_SHARED_ATOMIC };
    static const struct {
        int count;
        struct mem_shared_lane lane[4];
        unsigned passes, apart; /* with shared_atomics_apart */
    } cases[] = {
        {2, {{0, 4, LD}, {4, 4, ST}}, 1, 1},
        {2, {{0, 4, LD}, {0, 4, ST}}, 2, 2},
        {3, {{0, 4, LD}, {0, 4, LD}, {0, 8, ST}}, 2, 2},
        {4, {{0, 4, AT}, {0, 4, AT}, {4, 4, LD}, {128, 4, LD}}, 2, 3},
        {3, {{0, 4, AT}, {4, 4, AT}, {8, 4, ST}}, 1, 1},
        {3, {{0, 16, LD}, {16, 4, LD}, {144, 4, ST}}, 2, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mem_config c = plain_config();
        assert_int_equal(mem_shared_mixed(&c, cases[i].count, cases[i].lane), cases[i].passes);
        c.shared_atomics_apart = true;
        assert_int_equal(mem_shared_mixed(&c, cases[i].count, cases[i].lane), cases[i].apart);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_part_is_looked_up_in_turn),       cmocka_unit_test(banks_look_up_parts_together),
        cmocka_unit_test(a_part_that_stalls_goes_on),           cmocka_unit_test(lanes_of_different_sizes_coalesce),
        cmocka_unit_test(shared_lanes_of_one_kind_are_as_ever), cmocka_unit_test(shared_lanes_of_several_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
