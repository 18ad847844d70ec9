/* The cheap look for blocks that write different values to one word: what counts, and what must not. */
#include "exec/writers.h"
#include "timed_bench.h"

/* Launches 8 blocks of 64 threads and gives the number of conflicts. */
static uint64_t conflicts(const char *text)
{
    struct bench b;
    struct writers *w = writers_create();
    open_bench(&b, text);
    b.launch.grid[0] = 8;
    b.launch.block[0] = 64;
    b.launch.writers = w;
    run_on_engine(&b);
    assert_int_equal(b.result.fault.kind, 0);
    uint64_t count = b.result.block_conflicts;
    if (count) {
        assert_non_null(strstr(b.result.first_conflict.where, "line "));
        assert_true(b.result.first_conflict.address >= b.out && b.result.first_conflict.address < b.out + OUT_BYTES);
    }
    close_bench(&b);
    writers_destroy(w);
    return count;
}

/* %r3 is the block. */
#define BLOCK "mov.u32 %r3, %ctaid.x; mov.u32 %r1, 0;\n"
/* One thread per block stores its block's number, or another value, in the word 4096 bytes into `out`. */
#define FIRST BLOCK "setp.ne.u32 %p0, %t, 0; @%p0 bra E;\n"

static void blocks_that_overwrite_each_other_count(void **state)
{
    (void)state;
    assert_int_equal(conflicts(KERNEL(FIRST "st.global.u32 [%a0+4096], %r3; E:")), 7);
    assert_int_equal(conflicts(KERNEL(FIRST "st.u32 [%a0+4096], %r3; E:")), 7); /* generic */
    assert_int_equal(conflicts(KERNEL(FIRST "cvt.u64.u32 %a2, %r3; st.global.u64 [%a0+4096], %a2; E:")), 7);
    assert_int_equal(conflicts(KERNEL(FIRST "st.global.v2.u32 [%a0+4096], {%r3, %r1}; E:")), 7);
    /* Whole rows, side by side: every thread of seven blocks. */
    assert_int_equal(conflicts(KERNEL(BLOCK "mul.wide.u32 %a2, %t, 4; add.u64 %a2, %a2, %a0;\n"
                                            "st.global.u32 [%a2+4096], %r3;")),
                     7 * 64);
    /* Such rows that begin in the middle of a line. */
    assert_int_equal(conflicts(KERNEL(BLOCK "mul.wide.u32 %a2, %t, 4; add.u64 %a2, %a2, %a0;\n"
                                            "st.global.u32 [%a2+4160], %r3;")),
                     7 * 64);
}

/* A row behind the end of the memory that the instruction wrote before. */
static void rows_out_of_bounds_fault(void **state)
{
    struct bench b;
    struct writers *w = writers_create();
    (void)state;
    open_bench(&b, KERNEL(BLOCK "mul.wide.u32 %a3, %r3, 8192; add.u64 %a3, %a3, %a0;\n"
                                "mul.wide.u32 %a2, %t, 4; add.u64 %a2, %a2, %a3; st.global.u32 [%a2], %r1;"));
    assert_int_equal(OUT_BYTES, 8192);
    b.launch.grid[0] = 2;
    b.launch.block[0] = 32;
    b.launch.writers = w;
    run_on_engine(&b);
    assert_int_equal(b.result.fault.kind, FAULT_OUT_OF_BOUNDS);
    close_bench(&b);
    writers_destroy(w);
}

static void blocks_that_write_their_own_words_do_not_count(void **state)
{
    (void)state;
    assert_int_equal(conflicts(KERNEL(BLOCK "mov.u32 %r1, %r0;")), 0);
    /* Neighbours in one line: block b writes words b, b + 8, b + 16, ... */
    assert_int_equal(conflicts(KERNEL(BLOCK "mad.lo.u32 %r2, %t, 8, %r3; mul.wide.u32 %a2, %r2, 4;\n"
                                            "add.u64 %a2, %a2, %a0; st.global.u32 [%a2], %r3; E: ret;")),
                     0);
}

static void equal_values_do_not_count(void **state)
{
    (void)state;
    assert_int_equal(conflicts(KERNEL(FIRST "mov.u32 %r2, 1; st.global.u32 [%a0+4096], %r2; E:")), 0);
}

static void bytes_do_not_count(void **state)
{
    (void)state;
    assert_int_equal(conflicts(KERNEL(FIRST "cvt.u64.u32 %a2, %r3; add.u64 %a2, %a2, %a0;\n"
                                            "st.global.u8 [%a2+4096], %r3; E:")),
                     0);
}

static void ordered_blocks_do_not_count(void **state)
{
    (void)state;
    static const char *const texts[] = {
        /* The last block sums up: an atomic, then a word that another block wrote. */
        KERNEL(FIRST "st.global.u32 [%a0+4096], 5; membar.gl; atom.global.add.u32 %r4, [%a0+4100], 1;\n"
                     "setp.ne.u32 %p1, %r4, 7; @%p1 bra E; st.global.u32 [%a0+4096], %r3; E:"),
        /* A lock around the store. */
        KERNEL(FIRST "L: atom.global.cas.b32 %r4, [%a0+4100], 0, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra L;\n"
                     "ld.volatile.global.u32 %r5, [%a0+4096]; add.u32 %r5, %r5, 1; st.global.u32 [%a0+4096], %r5;\n"
                     "membar.gl; atom.global.exch.b32 %r4, [%a0+4100], 0; E:"),
        /* Block b waits for a flag that block b - 1 sets. */
        KERNEL(FIRST
               "W: ld.acquire.gpu.global.u32 %r4, [%a0+4100]; setp.ne.u32 %p1, %r4, %r3; @%p1 bra W;\n"
               "st.global.u32 [%a0+4096], %r3; add.u32 %r4, %r3, 1; st.release.gpu.global.u32 [%a0+4100], %r4; E:"),
    };
    for (size_t i = 0; i < COUNTOF(texts); i++)
        assert_int_equal(conflicts(texts[i]), 0);
}

static void earlier_launches_do_not_count(void **state)
{
    struct bench b;
    struct writers *w = writers_create();
    (void)state;
    open_bench(&b, KERNEL(BLOCK "mov.u32 %r1, %clock;"));
    b.launch.writers = w;
    b.launch.block[0] = 64;
    for (uint32_t i = 0; i < 4; i++) { /* other blocks write the same words each time */
        b.launch.grid[0] = 4 + i;
        b.launch.block[0] = 32 * (i + 1);
        run_on_engine(&b);
        assert_int_equal(b.result.fault.kind, 0);
        assert_int_equal(b.result.block_conflicts, 0);
    }
    close_bench(&b);
    writers_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_that_overwrite_each_other_count),
        cmocka_unit_test(rows_out_of_bounds_fault),
        cmocka_unit_test(blocks_that_write_their_own_words_do_not_count),
        cmocka_unit_test(equal_values_do_not_count),
        cmocka_unit_test(bytes_do_not_count),
        cmocka_unit_test(ordered_blocks_do_not_count),
        cmocka_unit_test(earlier_launches_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
