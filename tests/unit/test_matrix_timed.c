/* The time of loads and stores of matrices on machines: passes over the banks of shared memory, transactions in the
 * memory system, and that threads wait for what they load. */
#include "div/table.h"
#include "timed_bench.h"

static struct timed_case on_h200 = {.machine = "h200", .settings = "gpu.sm_count=1", .blocks = 1, .threads = 32};

/* Shared memory of zeros, and %r4: the thread's address when rows of matrices are `stride` bytes apart. */
#define IN_SHARED_ROWS(stride, body)                                                                                \
    KERNEL(".shared .align 16 .b8 tile[12288]; .reg .b32 %m<8>; .reg .b32 %x<4>;\n"                                 \
           "mov.u32 %r2, tile; mad.lo.u32 %r3, %t, 4, %r2; mov.u32 %r5, 0; mov.u32 %r1, 0;\n"                       \
           "CLEAR: st.shared.u32 [%r3], 0; add.u32 %r3, %r3, 128; add.u32 %r5, %r5, 1; setp.lt.u32 %p0, %r5, 64;\n" \
           "@%p0 bra CLEAR; bar.sync 0; mad.lo.u32 %r4, %t, " #stride ", %r2;\n" body)

#define LOAD_X4  "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%m0, %m1, %m2, %m3}, [%r4]; add.u32 %r4, %r4, %m0;\n"
#define LOAD_X1  "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%m0}, [%r4]; add.u32 %r4, %r4, %m0;\n"
#define STORE_X4 "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r4], {%r1, %r1, %r1, %r1};\n"

static const char *const nothing = IN_SHARED_ROWS(16, "");

/* Passes that the body adds to those of clearing shared memory. */
static uint64_t passes(const char *kernel)
{
    on_h200.mechanism = div_find("pdom");
    return timed_value(kernel, &on_h200, "sm.shared_passes") - timed_value(nothing, &on_h200, "sm.shared_passes");
}

static uint64_t cycles_under(const char *mechanism, const char *kernel)
{
    struct timed t;
    on_h200.mechanism = div_find(mechanism);
    timed_open(&t, kernel, &on_h200);
    uint64_t value = t.result.cycles;
    timed_close(&t);
    return value;
}

static uint64_t cycles(const char *kernel)
{
    return cycles_under("pdom", kernel);
}

static void a_matrix_is_one_pass_without_conflicts(void **state)
{
    (void)state;
    assert_int_equal(passes(IN_SHARED_ROWS(16, LOAD_X1)), 1);
    assert_int_equal(passes(IN_SHARED_ROWS(16, LOAD_X4)), 4);
    assert_int_equal(passes(IN_SHARED_ROWS(16, STORE_X4)), 4);
    assert_int_equal(passes(IN_SHARED_ROWS(144, LOAD_X4)), 4); /* rows of 128 bytes and a pad of 16 */
}

static void rows_in_the_same_banks_are_more_passes(void **state)
{
    (void)state;
    assert_int_equal(passes(IN_SHARED_ROWS(32, LOAD_X1)), 2);
    assert_int_equal(passes(IN_SHARED_ROWS(64, LOAD_X1)), 4);
    assert_int_equal(passes(IN_SHARED_ROWS(128, LOAD_X1)), 8);
    assert_int_equal(passes(IN_SHARED_ROWS(128, LOAD_X4)), 32);
    assert_int_equal(passes(IN_SHARED_ROWS(128, STORE_X4)), 32);
}

/* Each load of the chain needs the one before, so passes add to its latency. */
static void conflicts_delay_what_is_loaded(void **state)
{
    (void)state;
    const char *straight = IN_SHARED_ROWS(16, LOAD_X4 LOAD_X4 LOAD_X4 LOAD_X4 "add.u32 %r1, %r1, %r4;\n");
    const char *conflicting = IN_SHARED_ROWS(128, LOAD_X4 LOAD_X4 LOAD_X4 LOAD_X4 "add.u32 %r1, %r1, %r4;\n");
    const char *small = IN_SHARED_ROWS(16, LOAD_X1 LOAD_X1 LOAD_X1 LOAD_X1 "add.u32 %r1, %r1, %r4;\n");
    assert_int_equal(cycles(conflicting) - cycles(straight), 4 * 28);
    assert_int_equal(cycles(straight) - cycles(small), 4 * 3);
}

/* A mechanism that is called after every instruction has no scoreboard: the strand itself waits for its data. */
static void strands_that_commit_every_instruction_wait(void **state)
{
    (void)state;
    const char *straight = IN_SHARED_ROWS(16, LOAD_X4 LOAD_X4 "add.u32 %r1, %r1, %r4;\n");
    const char *conflicting = IN_SHARED_ROWS(128, LOAD_X4 LOAD_X4 "add.u32 %r1, %r1, %r4;\n");
    assert_true(cycles_under("dwf", conflicting) > cycles_under("dwf", straight) + 50);
}

/* wmma in global memory: 16 by 16 elements of 16 bits, whose rows are `stride` elements apart. */
#define IN_GLOBAL(stride, body) \
    KERNEL(".reg .b32 %m<8>; add.u64 %a2, %a0, 4096; mov.u32 %r1, 0; mov.u32 %r7, " #stride ";\n" body)
#define LOAD_A \
    "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%m0, %m1, %m2, %m3, %m4, %m5, %m6, %m7}, [%a2], %r7;\n"
#define STORE_D "wmma.store.d.sync.aligned.row.m16n16k16.global.f16 [%a2], {%r1, %r1, %r1, %r1}, %r7;\n"
#define USE     "xor.b32 %r1, %m0, %m3;\n"

static uint64_t lines(const char *kernel)
{
    on_h200.mechanism = div_find("pdom");
    return timed_value(kernel, &on_h200, "sm.transactions") -
           timed_value(IN_GLOBAL(16, ""), &on_h200, "sm.transactions");
}

static void matrices_in_global_memory_are_coalesced(void **state)
{
    (void)state;
    assert_int_equal(lines(IN_GLOBAL(16, LOAD_A)), 4);
    assert_int_equal(lines(IN_GLOBAL(32, LOAD_A)), 8);
    assert_int_equal(lines(IN_GLOBAL(64, LOAD_A)), 16);
    assert_int_equal(lines(IN_GLOBAL(64, STORE_D)), 16);
}

static void threads_wait_for_matrices_from_global_memory(void **state)
{
    (void)state;
    uint64_t alone = cycles(IN_GLOBAL(16, LOAD_A)), awaited = cycles(IN_GLOBAL(16, LOAD_A USE LOAD_A USE));
    assert_true(awaited > alone + 500); /* the first load comes from DRAM */
    alone = cycles_under("dwf", IN_GLOBAL(16, ""));
    assert_true(cycles_under("dwf", IN_GLOBAL(16, LOAD_A)) > alone + 500);
}

/* A warp of four threads is an eighth of the row that loads the matrix, and the matrix is loaded once. */
static void narrow_warps_load_a_matrix_together(void **state)
{
    (void)state;
    struct timed_case c = {.machine = "tiny", .mechanism = div_find("pdom"), .blocks = 1, .threads = 32};
    uint64_t without = timed_value(IN_GLOBAL(64, ""), &c, "sm.transactions");
    assert_int_equal(timed_value(IN_GLOBAL(64, LOAD_A), &c, "sm.transactions") - without, 16);
}

/* Half of the lines are in the L1: those of the first eight rows. */
#define LOAD_HALF                                                                                        \
    "and.b32 %r6, %t, 7; mul.wide.u32 %a3, %r6, 128; add.u64 %a3, %a3, %a2; ld.global.u32 %r5, [%a3];\n" \
    "add.u32 %r1, %r1, %r5; mul.wide.u32 %a3, %t, 128; add.u64 %a3, %a3, %a2;\n"

/* The lines of a matrix are not those of single threads: a mechanism that splits warps on misses hears of none. */
static void matrices_split_no_warps(void **state)
{
    (void)state;
    const char *by_thread = IN_GLOBAL(64, LOAD_HALF "ld.global.u32 %m0, [%a3]; mov.u32 %m3, %m0;\n" USE);
    struct timed_case c = on_h200;
    c.mechanism = div_find("dws");
    c.knobs = "memory=aggressive";
    uint64_t before = timed_value(IN_GLOBAL(64, LOAD_HALF), &c, "dws.memory_splits");
    assert_true(timed_value(by_thread, &c, "dws.memory_splits") > before);
    assert_int_equal(timed_value(IN_GLOBAL(64, LOAD_HALF LOAD_A USE), &c, "dws.memory_splits"), before);
}

/* Half of the warp comes late. */
#define LATE "setp.lt.u32 %p1, %t, 16; @%p1 bra HERE; mov.u32 %r6, 0; HERE:\n"

static void matrices_are_moved_under_every_mechanism(void **state)
{
    (void)state;
    static const char *const machines[] = {"h200", "fermi", "vws", "tiny"};
    for (int i = 0; div_all()[i]; i++)
        for (unsigned m = 0; m < COUNTOF(machines); m++) {
            struct timed_case c = {.machine = machines[m],
                                   .settings = "gpu.sm_count=1",
                                   .mechanism = div_all()[i],
                                   .blocks = 2,
                                   .threads = 96};
            struct timed t;
            timed_open(&t, IN_SHARED_ROWS(32, LATE LOAD_X4 STORE_X4 "add.u32 %r1, %m1, %m2;\n"), &c);
            timed_close(&t);
            timed_open(&t, IN_GLOBAL(64, LATE LOAD_A USE STORE_D), &c);
            timed_close(&t);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_matrix_is_one_pass_without_conflicts),
        cmocka_unit_test(rows_in_the_same_banks_are_more_passes),
        cmocka_unit_test(conflicts_delay_what_is_loaded),
        cmocka_unit_test(strands_that_commit_every_instruction_wait),
        cmocka_unit_test(matrices_in_global_memory_are_coalesced),
        cmocka_unit_test(threads_wait_for_matrices_from_global_memory),
        cmocka_unit_test(narrow_warps_load_a_matrix_together),
        cmocka_unit_test(matrices_split_no_warps),
        cmocka_unit_test(matrices_are_moved_under_every_mechanism),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
