/*
 * Entries of reconvergence stacks that go through the memory system (div/parts/stack_traffic.h, sm/spill.h): what they
 * count there, how long the threads wait, and that they queue with other accesses.
 */
#include "timing_bench.h"

/* A branch whose sides both have work: two entries are pushed onto one, and each side's end pops one. With two entries
 * in hardware the lowest goes out at the branch and comes back at D; with one, the first side goes out, too. The kernel
 * accesses no memory, so that all accesses are those of the stack. */
static const char hammock[] = "and.b32 %r0, %t, 1;\nsetp.ne.u32 %p0, %r0, 0;\n"
                              "@%p0 bra C; // A\n"
                              "add.u32 %r1, %t, 1; // B\n"
                              "bra D; // B2\n"
                              "C: add.u32 %r1, %t, 2; // C\n"
                              "D: add.u32 %r2, %r1, 1; // D\n";

struct moves {
    uint64_t taken, other, behind; /* cycles from the last A to C, C to B, the end of B to the first D */
    uint64_t spills, lines, wait;
    uint64_t stores, reads, latency; /* of the L1 data cache */
};

static uint64_t counted(const struct timing *t, const char *mechanism, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "%s.%s", mechanism, name);
    return count_of(t, path);
}

static struct moves moves_of(const char *mechanism, const char *knobs, unsigned threads)
{
    struct timing t;
    timing_open(&t, &(struct timing_case){.body = hammock, .mechanism = mechanism, .knobs = knobs, .threads = threads},
                "sm.registers=65536");
    uint64_t last = issued_nth(&t, "A", ANY_STRAND, (int)(threads / 32 - 1));
    uint64_t c = issued_nth(&t, "C", ANY_STRAND, 0), b = issued_nth(&t, "B", ANY_STRAND, 0);
    struct moves m = {c - last,
                      b - c,
                      issued_nth(&t, "D", ANY_STRAND, 0) - issued_nth(&t, "B2", ANY_STRAND, 0),
                      counted(&t, mechanism, "spills"),
                      counted(&t, mechanism, "spill_lines"),
                      counted(&t, mechanism, "spill_wait"),
                      count_of(&t, "l1d.stores"),
                      count_of(&t, "l1d.accesses"),
                      count_of(&t, "l1d.latency_cycles")};
    timing_close(&t);
    return m;
}

/* A store takes no time where the port is free: the cycle of the branch has room for it. A load takes the time that the
 * memory system takes. */
static void the_lowest_entry_goes_out_and_comes_back(void **state)
{
    (void)state;
    static const char *const mechanisms[] = {"pdom", "pdom-lcp", "bcc", "scc", "tbc", "tbc-lcp"};
    for (size_t i = 0; i < COUNTOF(mechanisms); i++) {
        struct moves plain = moves_of(mechanisms[i], NULL, 32),
                     m = moves_of(mechanisms[i], "stack_entries=2 spill_traffic=yes", 32);
        assert_int_equal(plain.spills + plain.lines + plain.wait + plain.stores + plain.reads, 0);
        assert_int_equal(m.spills, 2);
        assert_int_equal(m.lines, 2);
        assert_int_equal(m.stores, 1);
        assert_int_equal(m.reads, 1);
        assert_int_equal(m.taken, plain.taken);
        assert_int_equal(m.other, plain.other);
        assert_true(m.latency > 10);
        assert_int_equal(m.behind, plain.behind + m.latency);
        assert_int_equal(m.wait, m.latency);
    }
}

/* C ends where D begins, without a branch. Under pdom the stack hears of that while the warp issues, and the load goes to
 * memory in the next cycle, the first in which the warp could have issued again. Under tbc the warp drains first. */
static void both_lower_entries_go_out_and_come_back(void **state)
{
    (void)state;
    static const char *const mechanisms[] = {"pdom", "tbc"};
    for (size_t i = 0; i < COUNTOF(mechanisms); i++) {
        struct moves plain = moves_of(mechanisms[i], NULL, 32),
                     m = moves_of(mechanisms[i], "stack_entries=1 spill_traffic=yes", 32);
        assert_int_equal(m.spills, 4);
        assert_int_equal(m.stores, 2);
        assert_int_equal(m.reads, 2);
        assert_true(m.other > plain.other && m.behind > plain.behind);
        assert_int_equal(m.other - plain.other + m.behind - plain.behind, m.latency);
        assert_int_equal(m.taken, plain.taken + 1); /* the port takes one store per cycle: the second is a cycle late */
        assert_int_equal(m.wait, m.latency + 1 + (i == 0));
    }
}

static void the_time_of_pushes_and_pops_comes_beside(void **state)
{
    (void)state;
    struct moves plain = moves_of("pdom", NULL, 32),
                 m = moves_of("pdom", "stack_entries=2 spill_traffic=yes stack_cycles=5", 32);
    assert_int_equal(m.taken, plain.taken + 10);
    assert_int_equal(m.other, plain.other + 5);
    assert_int_equal(m.behind, plain.behind + m.latency); /* the pop's time passes while the entry comes back */
}

/* Lines of 128 bytes. An entry of a block of n threads has 12 bytes and n bits: 144 bytes for 1024 threads. The entry
 * with two paths has 4 bytes and twice 8 bytes and n bits. */
static void an_entry_is_as_long_as_its_threads_are_many(void **state)
{
    (void)state;
    static const char knobs[] = "stack_entries=2 spill_traffic=yes";
    assert_int_equal(moves_of("tbc", knobs, 256).lines, 2);
    assert_int_equal(moves_of("tbc", knobs, 1024).lines, 4);
    struct moves dual = moves_of("tbc-dpe", "stack_entries=1 spill_traffic=yes", 1024);
    assert_int_equal(dual.spills, 2);
    assert_int_equal(dual.stores, 3);
    assert_int_equal(dual.lines, 6);
    assert_int_equal(moves_of("tbc-dpe", "stack_entries=1 spill_traffic=yes", 256).lines, 2);
}

/* Two warps load 32 lines each, which take the port for 32 cycles each; then they come to the branch. The first warp's
 * store waits for its own load's lookups, and the second warp's load, which waits too, for the store. */
static void moves_and_accesses_wait_for_each_other(void **state)
{
    (void)state;
    char body[1024];
    uint64_t second_load[2], taken[2];
    snprintf(body, sizeof body,
             "mul.wide.u32 %%a1, %%t, 128;\nadd.u64 %%a1, %%a1, %%base;\n"
             "ld.global.u32 %%r5, [%%a1]; // load\n%s",
             hammock);
    for (int i = 0; i < 2; i++) {
        struct timing t;
        struct timing_case c = {
            .body = body, .mechanism = "pdom", .knobs = i ? "stack_entries=2 spill_traffic=yes" : NULL, .threads = 64};
        timing_open(&t, &c, "%s", "");
        second_load[i] = issued_nth(&t, "load", ANY_STRAND, 1);
        taken[i] = issued_nth(&t, "C", ANY_STRAND, 0) - issued_nth(&t, "A", ANY_STRAND, 0);
        timing_close(&t);
    }
    assert_int_equal(second_load[1], second_load[0] + 1);
    assert_true(taken[1] > taken[0] + 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lowest_entry_goes_out_and_comes_back),
        cmocka_unit_test(both_lower_entries_go_out_and_come_back),
        cmocka_unit_test(the_time_of_pushes_and_pops_comes_beside),
        cmocka_unit_test(an_entry_is_as_long_as_its_threads_are_many),
        cmocka_unit_test(moves_and_accesses_wait_for_each_other),
    };
    return cmocka_run_group_tests_name("stack spill", tests, NULL, NULL);
}
