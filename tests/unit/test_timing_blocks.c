/* Blocks to the cycle: barriers, rendezvous of a row, when a block starts, ends, and makes room for the next.
 */
#include "timing_bench.h"

/* ---- barriers ---- */

/* Warp 1 comes 30 cycles later, for a division. Both go on `release_latency` after it came. */
static void test_barrier_waits_for_the_last(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "setp.lt.u32 %p1, %t, 32;\n"
                                          "@%p1 bra L; // branch\n"
                                          "div.u32 %r1, %r0, 3; // slow\n"
                                          "mov.u32 %r2, %r1; // after_slow\n"
                                          "L: bar.sync 0; // barrier\n"
                                          "mov.u32 %r3, 1; // next\n",
                                  .threads = 64};
    for (unsigned release = 1; release <= 12; release += release < 11 ? 5 : 1) {
        struct timing t;
        timing_open(&t, &c, "sm.schedulers=2 sm.alu_units=2 sm.branch_units=2 sm.idiv_latency=30 sm.release_latency=%u",
                    release);
        assert_int_equal(issued_by(&t, "branch", 0), issued_by(&t, "branch", 1));
        assert_int_equal(issued_by(&t, "barrier", 0), issued_by(&t, "branch", 0) + 4);
        assert_int_equal(issued_by(&t, "barrier", 1), issued_by(&t, "barrier", 0) + 30 + 1);
        assert_int_equal(issued_by(&t, "next", 0), issued_by(&t, "barrier", 1) + release);
        assert_int_equal(issued_by(&t, "next", 1), issued_by(&t, "barrier", 1) + release);
        timing_close(&t);
    }
}

/* A warp that is alone at it has come last, and waits for the release all the same. */
static void test_barrier_of_one_warp(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "bar.sync 0; // barrier\nmov.u32 %r1, 1; // next\n"};
    for (unsigned release = 0; release <= 3; release++) {
        struct timing t;
        timing_open(&t, &c, "sm.release_latency=%u", release);
        assert_int_equal(between(&t, "barrier", "next"), release ? release : 1); /* one issue a warp and cycle */
        timing_close(&t);
    }
}

/* Four warps and one scheduler: they come one a cycle, and go on one a cycle, in turn. */
static void test_barrier_of_many_warps(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "bar.sync 0; // barrier\nmov.u32 %r1, 1; // next\n", .threads = 128};
    struct timing t;
    timing_open(&t, &c, "sm.release_latency=7");
    for (int warp = 0; warp < 4; warp++) {
        assert_int_equal(issued_by(&t, "barrier", warp), 1 + 2 * 4 + warp);
        assert_int_equal(issued_by(&t, "next", warp), 1 + 2 * 4 + 3 + 7 + warp);
    }
    timing_close(&t);
}

/* A block waits for its own warps only: two blocks, the second behind the first, each released by its own
 * last one. */
static void test_barriers_of_two_blocks(void **state)
{
    (void)state;
    const struct timing_case c = {
        .body = "bar.sync 0; // barrier\nmov.u32 %r1, 1; // next\n", .threads = 64, .blocks = 2};
    struct timing t;
    timing_open(&t, &c, "sm.scheduler=gto sm.release_latency=20");
    for (int warp = 0; warp < 4; warp++) /* gto: base, t, barrier of a warp in a row */
        assert_int_equal(issued_by(&t, "barrier", warp), 3 * (warp + 1));
    for (int warp = 0; warp < 4; warp++) /* the second block's last came 6 cycles later */
        assert_int_equal(issued_by(&t, "next", warp), (warp < 2 ? 6 : 12) + 20 + (warp % 2 ? 2 : 0));
    timing_close(&t);
}

/* A warp of two rows comes to a barrier as one: neither passes, or votes, without the other. */
static void test_rows_of_a_warp_come_together(void **state)
{
    (void)state;
    static const char *const mechanisms[] = {"pdom", "dpe", "multipath", "tbc", "lwm"};
    for (size_t m = 0; m < COUNTOF(mechanisms); m++) {
        const struct timing_case c = {.body = "mad.wide.u32 %a1, %t, 4, %base;\n"
                                              "setp.ge.u32 %p1, %t, 0;\n"
                                              "bar.red.popc.u32 %r1, 0, %p1;\n"
                                              "bar.sync 0;\n"
                                              "st.global.u32 [%a1], %r1;\n",
                                      .mechanism = mechanisms[m],
                                      .threads = 128};
        struct timing t;
        timing_open(&t, &c, "sm.warp_width=64");
        assert_int_equal(t.result.launch.fault.kind, FAULT_NONE);
        const uint32_t *votes = memory_host(t.memory, t.data, 128 * sizeof *votes);
        for (int i = 0; i < 128; i++)
            assert_int_equal(votes[i], 128);
        timing_close(&t);
    }
}

/* ---- rendezvous ---- */

/* A whole warp comes together: the next instruction waits for the release, one that needs the result for the
 * latency. */
static void test_rendezvous_of_a_warp(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "shfl.sync.idx.b32 %r1, %r0, 0, 31, -1; // shuffle\n"
                                          "mov.u32 %r2, 1; // next\n"
                                          "mov.u32 %r3, %r1; // needs\n"};
    for (unsigned release = 1; release <= 3; release++)
        for (unsigned latency = 9; latency <= 10; latency++) {
            struct timing t;
            timing_open(&t, &c, "sm.rendezvous_latency=%u sm.warp_latency=%u", release, latency);
            assert_int_equal(between(&t, "shuffle", "next"), release);
            assert_int_equal(between(&t, "shuffle", "needs"), latency);
            timing_close(&t);
        }
}

/* Costs of a matrix multiply-add are those of 16 by 8 by 16 elements of 16 bits; others cost as much as their work: half
 * of it takes half of the interval off the latency. */
static void test_matrix_products(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        unsigned interval;
    } products[] = {
        {"mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32 {%r1, %r2, %r3, %r4}, {%r0, %r0}, {%r0}, {%r0, %r0, %r0, "
         "%r0}; "
         "// product\nmov.u32 %r5, %r1; // needs\n",
         4},
        {"mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%r1, %r2, %r3, %r4}, {%r0, %r0, %r0, %r0}, {%r0, %r0}, "
         "{%r0, %r0, %r0, %r0}; // product\nmov.u32 %r5, %r1; // needs\n",
         8},
    };
    for (int i = 0; i < 2; i++) {
        const struct timing_case c = {.body = products[i].body};
        struct timing t;
        timing_open(&t, &c, "sm.tensor_unit=tensor sm.tensor_latency=20 sm.tensor_interval=8");
        assert_int_equal(between(&t, "product", "needs"), 20 - 8 + products[i].interval);
        timing_close(&t);
    }
}

/* A row of PTX is 8 warps of the tiny machine: they come one a cycle, and all go on when the last has come.
 */
static void test_rendezvous_of_several_warps(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "shfl.sync.idx.b32 %r1, %r0, 0, 31, -1; // shuffle\n"
                                          "mov.u32 %r2, %r1; // next\n",
                                  .machine = "tiny"};
    struct timing t;
    timing_open(&t, &c, "sm.rendezvous_latency=5");
    for (int warp = 0; warp < 8; warp++) {
        assert_int_equal(issued_by(&t, "shuffle", warp), 1 + 2 * 8 + warp);
        assert_int_equal(issued_by(&t, "next", warp), 1 + 2 * 8 + 7 + 5 + warp);
    }
    timing_close(&t);
}

/* The result of a rendezvous is made of all that came: it is due a latency after the last of them. */
static void test_result_of_a_late_rendezvous(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "shfl.sync.idx.b32 %r1, %r0, 0, 31, -1; // shuffle\n"
                                          "mov.u32 %r2, %r1; // needs\n",
                                  .machine = "tiny"};
    struct timing t;
    timing_open(&t, &c, "sm.warp_latency=20");
    assert_true(issued_by(&t, "shuffle", 0) < issued_by(&t, "shuffle", 7));
    assert_int_equal(issued_by(&t, "needs", 0), issued_by(&t, "shuffle", 7) + 20);
    timing_close(&t);
}

/* Two sides of a warp that meet at a rendezvous before they meet on the stack: under mimd threads come one by
 * one, and the last opens it for all. */
static void test_rendezvous_of_threads(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "setp.ne.u32 %p1, %t, 0; // setp\n"
                                          "@%p1 bra L; // branch\n"
                                          "div.u32 %r1, %r0, 3; // slow\n"
                                          "mov.u32 %r2, %r1; // after_slow\n"
                                          "L: bar.warp.sync 15; // meet\n"
                                          "mov.u32 %r3, 1; // next\n",
                                  .machine = "tiny",
                                  .mechanism = "mimd",
                                  .threads = 4};
    struct timing t;
    timing_open(&t, &c, "sm.idiv_latency=30 sm.rendezvous_latency=3");
    for (int thread = 0; thread < 4; thread++) {
        assert_int_equal(issued_by(&t, "meet", thread) - issued_by(&t, "branch", thread), thread ? 1 : 1 + 30 + 1);
        assert_int_equal(issued_by(&t, "next", thread), issued_by(&t, "meet", 0) + 3);
    }
    timing_close(&t);
}

/* ---- blocks come and go ---- */

/* A block is given at cycle 0, and ends when its return is resolved; so does the launch. */
static void test_start_and_end(void **state)
{
    (void)state;
    for (unsigned latency = 4; latency <= 5; latency++) {
        struct timing t;
        timing_open(&t, &(struct timing_case){.body = ""}, "sm.branch_latency=%u", latency);
        assert_int_equal(block_event(&t, TRACE_BLOCK_START, 0), 0);
        assert_int_equal(issued(&t, "base"), FIRST_ISSUE);
        assert_int_equal(issued(&t, "ret"), 3);
        assert_int_equal(block_event(&t, TRACE_BLOCK_END, 0), 3 + latency);
        assert_int_equal(t.result.cycles, 3 + latency);
        timing_close(&t);
    }
}

/* Two warps return at 5 and 6: the block is there until the second return is resolved too, not until one is
 * resolved after both were issued. Two blocks of a warp each: the same, each for itself. */
static void test_end_of_the_last_warp(void **state)
{
    (void)state;
    struct timing t;
    timing_open(&t, &(struct timing_case){.body = "", .threads = 64}, " ");
    assert_int_equal(issued_by(&t, "ret", 0), 5);
    assert_int_equal(issued_by(&t, "ret", 1), 6);
    assert_int_equal(block_event(&t, TRACE_BLOCK_END, 0), 6 + 4);
    assert_int_equal(t.result.cycles, 6 + 4);
    timing_close(&t);
    timing_open(&t, &(struct timing_case){.body = "", .blocks = 2}, " ");
    assert_int_equal(block_event(&t, TRACE_BLOCK_END, 0), 5 + 4);
    assert_int_equal(block_event(&t, TRACE_BLOCK_END, 1), 6 + 4);
    timing_close(&t);
}

/* Room for one block: the next is given when the first has ended, and issues a cycle later. */
static void test_next_block(void **state)
{
    (void)state;
    struct timing t;
    timing_open(&t, &(struct timing_case){.body = "", .blocks = 3}, "sm.max_blocks=1");
    for (int block = 0; block < 3; block++) { /* base, t, ret: 1, 2, 3; ended at 3 + 4 */
        uint64_t given = 7 * (uint64_t)block;
        assert_int_equal(block_event(&t, TRACE_BLOCK_START, (uint64_t)block), given);
        assert_int_equal(issued_nth(&t, "base", ANY_STRAND, block), given + 1);
        assert_int_equal(block_event(&t, TRACE_BLOCK_END, (uint64_t)block), given + 7);
    }
    timing_close(&t);
}

/* Registers that are still to be written keep the block's place: a load that nothing waited for, a division,
 * a store for as long as it counts as in flight. */
static void test_next_block_waits_for_writes(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        unsigned cycles;
    } cases[] = {
        {"ld.global.u32 %r1, [%base]; // last\n", ROW_CLOSED},
        {"div.u32 %r1, %r0, 3; // last\n", 60},
        {"st.global.u32 [%base], %r0; // last\n", 50},
        {"ld.shared.u32 %r1, [sh]; // last\n", 55},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        struct timing t;
        timing_open(&t, &(struct timing_case){.body = cases[i].body, .blocks = 2},
                    "sm.max_blocks=1 sm.idiv_latency=60 sm.store_latency=50 sm.shared_latency=55");
        uint64_t ended = issued_nth(&t, "ret", ANY_STRAND, 0) + 4;
        uint64_t written = issued_nth(&t, "last", ANY_STRAND, 0) + cases[i].cycles;
        assert_int_equal(block_event(&t, TRACE_BLOCK_END, 0), ended);
        assert_true(written > ended);
        assert_int_equal(block_event(&t, TRACE_BLOCK_START, 1), written);
        assert_int_equal(issued_nth(&t, "base", ANY_STRAND, 1), written + 1);
        timing_close(&t);
    }
}

/* Three blocks, two places: the third is given when the first of the two ends, and the second goes on. */
static void test_block_beside_another(void **state)
{
    (void)state;
    struct timing t;
    timing_open(&t, &(struct timing_case){.body = "", .blocks = 3}, "sm.max_blocks=2");
    /* lrr: base, t, ret of block 0 at 1, 3, 5, of block 1 at 2, 4, 6 */
    assert_int_equal(block_event(&t, TRACE_BLOCK_END, 0), 5 + 4);
    assert_int_equal(block_event(&t, TRACE_BLOCK_START, 2), 5 + 4);
    assert_int_equal(issued_nth(&t, "base", ANY_STRAND, 2), 5 + 4 + 1);
    timing_close(&t);
}

/*
 * Block 0 ends in the cycle in which a load of block 1 gets its address: at END both are ready after a division of 60
 * cycles, block 0 with two more instructions and the latency of `ret`, block 1 with an addition of 5. The multiprocessor
 * runs ahead of the machine to there and stops in the middle of the cycle, since the load needs the memory system. Block 2
 * comes when that cycle is done, and issues in the next; it has a scheduler of its own.
 */
static void test_block_where_a_multiprocessor_ran_ahead(void **state)
{
    (void)state;
    enum { DIVISION = 17, END = DIVISION + 60 + 5 };
    static const char body[] = "mov.u32 %r1, %ctaid.x;\nsetp.eq.u32 %p1, %r1, 1;\n@%p1 bra ONE;\n"
                               "div.u32 %r2, %t, 3; // division\nmov.u32 %r3, %r2;\nret;\n"
                               "ONE: div.u64 %a1, %base, 1;\nadd.u64 %a1, %a1, 4;\nld.global.u32 %r4, [%a1]; // load\n";
    struct timing t;
    timing_open(&t, &(struct timing_case){.body = body, .blocks = 3},
                "sm.max_blocks=2 sm.schedulers=2 sm.alu_units=2 sm.branch_units=2 sm.int_latency=5 sm.idiv_latency=60");
    assert_int_equal(issued_nth(&t, "division", ANY_STRAND, 0), DIVISION);
    assert_int_equal(issued(&t, "load"), END);
    assert_int_equal(block_event(&t, TRACE_BLOCK_END, 0), END);
    assert_int_equal(block_event(&t, TRACE_BLOCK_START, 2), END);
    assert_int_equal(issued_nth(&t, "base", ANY_STRAND, 2), END + 1);
    timing_close(&t);
}

/* Each multiprocessor takes a block at once. */
static void test_multiprocessors(void **state)
{
    (void)state;
    struct timing t;
    timing_open(&t, &(struct timing_case){.body = "", .blocks = 4}, "gpu.sm_count=4 sm.max_blocks=1");
    unsigned used = 0;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(issued_nth(&t, "base", ANY_STRAND, i), FIRST_ISSUE);
        used |= 1u << find_issue(&t, "base", ANY_STRAND, i)->sm;
    }
    assert_int_equal(used, 0xf); /* each has one of them; one may run ahead of another */
    timing_close(&t);
}

/* The first instruction waits so much longer; so does that of a block which comes later. */
static void test_launch_latency(void **state)
{
    (void)state;
    for (unsigned latency = 0; latency <= 20; latency += 10) {
        struct timing t;
        timing_open(&t, &(struct timing_case){.body = "", .blocks = 2}, "sm.max_blocks=1 sm.launch_latency=%u",
                    latency);
        assert_int_equal(issued_nth(&t, "base", ANY_STRAND, 0), FIRST_ISSUE + latency);
        assert_int_equal(issued_nth(&t, "base", ANY_STRAND, 1),
                         block_event(&t, TRACE_BLOCK_END, 0) + FIRST_ISSUE + latency);
        timing_close(&t);
    }
}

/* The dispatcher starts one block per interval, on whichever multiprocessor; a block that waits has its place. A block
 * that takes the place of another starts when that one ends, unless the dispatcher is not free yet. */
static void test_block_interval(void **state)
{
    (void)state;
    static const struct {
        const char *interval;
        unsigned starts[4];
    } cases[] = {{"0", {0, 0, 0, 0}}, {"10", {0, 10, 20, 30}}, {"2.5", {0, 2, 5, 7}}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        struct timing t;
        timing_open(&t, &(struct timing_case){.body = "", .blocks = 4},
                    "gpu.sm_count=4 sm.max_blocks=1 gpu.block_interval=%s", cases[i].interval);
        for (int sm = 0; sm < 4; sm++) {
            int nth = 0;
            while (find_issue(&t, "base", ANY_STRAND, nth)->sm != sm)
                nth++;
            assert_int_equal(issued_nth(&t, "base", ANY_STRAND, nth), FIRST_ISSUE + cases[i].starts[sm]);
        }
        timing_close(&t);
        timing_open(&t, &(struct timing_case){.body = "", .blocks = 2}, "sm.max_blocks=1 gpu.block_interval=%s",
                    cases[i].interval);
        const unsigned free = cases[i].starts[1];
        const unsigned end = (unsigned)block_event(&t, TRACE_BLOCK_END, 0);
        assert_int_equal(issued_nth(&t, "base", ANY_STRAND, 1), (end > free ? end : free) + FIRST_ISSUE);
        timing_close(&t);
    }
}

/* Multiprocessors that get no block are idle in every cycle, and count as such. */
static void test_idle_multiprocessors(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "add.u32 %r1, %t, 1;\n", .blocks = 2};
    struct timing alone, among;
    timing_open(&alone, &c, "gpu.sm_count=2");
    timing_open(&among, &c, "gpu.sm_count=7");
    const struct sm_stats *two = &alone.result.sm, *seven = &among.result.sm;
    assert_int_equal(seven->cycles, two->cycles);
    assert_int_equal(seven->idle_cycles, two->idle_cycles + 5 * two->cycles);
    assert_int_equal(seven->stall_cycles + seven->idle_memory_cycles, two->stall_cycles + two->idle_memory_cycles);
    assert_int_equal(seven->resident_thread_cycles, two->resident_thread_cycles);
    timing_close(&alone);
    timing_close(&among);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_barrier_waits_for_the_last),
        cmocka_unit_test(test_barrier_of_one_warp),
        cmocka_unit_test(test_rows_of_a_warp_come_together),
        cmocka_unit_test(test_barrier_of_many_warps),
        cmocka_unit_test(test_barriers_of_two_blocks),
        cmocka_unit_test(test_rendezvous_of_a_warp),
        cmocka_unit_test(test_matrix_products),
        cmocka_unit_test(test_rendezvous_of_several_warps),
        cmocka_unit_test(test_result_of_a_late_rendezvous),
        cmocka_unit_test(test_rendezvous_of_threads),
        cmocka_unit_test(test_start_and_end),
        cmocka_unit_test(test_end_of_the_last_warp),
        cmocka_unit_test(test_next_block),
        cmocka_unit_test(test_next_block_waits_for_writes),
        cmocka_unit_test(test_block_beside_another),
        cmocka_unit_test(test_block_where_a_multiprocessor_ran_ahead),
        cmocka_unit_test(test_multiprocessors),
        cmocka_unit_test(test_launch_latency),
        cmocka_unit_test(test_block_interval),
        cmocka_unit_test(test_idle_multiprocessors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
