/* The time of wgmma on machines: products go on behind their instructions, at the pace of the tensor cores, and
 * wgmma.wait_group waits for groups of them. */
#include "div/table.h"
#include "sm/async/products.h"
#include "timed_bench.h"

/* A warp group; m64n8k16 of f16 with descriptors %d0 and %d1 of matrices of zeros, without swizzling. */
#define GROUP(body)                                                                                                 \
    KERNEL(".shared .align 128 .b8 tile[8192]; .reg .f32 %f<8>; .reg .b64 %d<4>; .reg .b32 %x<9>;\n"                \
           "mov.u32 %r2, tile; mad.lo.u32 %r3, %t, 4, %r2; mov.u32 %r5, 0; mov.u32 %r1, 0; mov.u32 %x0, 0;\n"       \
           "CLEAR: st.shared.u32 [%r3], 0; add.u32 %r3, %r3, 512; add.u32 %r5, %r5, 1; setp.lt.u32 %p0, %r5, 16;\n" \
           "@%p0 bra CLEAR; bar.sync 0; mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0;\n"             \
           "mov.f32 %f3, %f0; shr.u32 %r4, %r2, 4; cvt.u64.u32 %d0, %r4; or.b64 %d0, %d0, 0x1000080000;\n"          \
           "wgmma.fence.sync.aligned;\n" body "cvt.rzi.u32.f32 %r1, %f0;\n")
#define MULTIPLY "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d0, %d0, 1, 1, 1, 0, 0;\n"
#define FOUR     MULTIPLY MULTIPLY MULTIPLY MULTIPLY
#define COMMIT   "wgmma.commit_group.sync.aligned;\n"
#define WAIT(n)  "wgmma.wait_group.sync.aligned " #n ";\n"
#define ADD      "add.u32 %x0, %x0, %t; xor.b32 %x0, %x0, 5; add.u32 %x0, %x0, %t; xor.b32 %x0, %x0, 3;\n"

static uint64_t cycles(const char *kernel, const char *settings)
{
    struct timed_case c = {
        .machine = "h200", .settings = settings, .mechanism = div_find("pdom"), .blocks = 1, .threads = 128};
    struct timed t;
    timed_open(&t, kernel, &c);
    uint64_t value = t.result.cycles;
    timed_close(&t);
    return value;
}

/* A tensor core takes four sevenths of the interval for a warp's share of m64n8k16. */
#define SLOW "gpu.sm_count=1 sm.tensor_interval=100 sm.wgmma_latency=100"
enum { INTERVAL = 58, LATENCY = 158 };

static void a_chain_of_products_takes_the_time_of_the_tensor_cores(void **state)
{
    (void)state;
    uint64_t none = cycles(GROUP(COMMIT WAIT(0)), SLOW), one = cycles(GROUP(MULTIPLY COMMIT WAIT(0)), SLOW);
    assert_in_range(one - none, LATENCY - 12, LATENCY); /* the wait's own cycles, at its barrier, are in both */
    assert_in_range(cycles(GROUP(FOUR COMMIT WAIT(0)), SLOW) - one, 3 * INTERVAL - 5, 3 * INTERVAL + 5);
    assert_in_range(cycles(GROUP(FOUR FOUR FOUR COMMIT WAIT(0)), SLOW) - one, 11 * INTERVAL - 8, 11 * INTERVAL + 8);
}

static void products_go_on_behind_their_instruction(void **state)
{
    (void)state;
    uint64_t product = cycles(GROUP(MULTIPLY COMMIT WAIT(0)), SLOW), both;
    both = cycles(GROUP(MULTIPLY COMMIT ADD ADD WAIT(0)), SLOW);
    assert_in_range(both, product, product + 1);
    assert_true(cycles(GROUP(ADD ADD MULTIPLY COMMIT WAIT(0)), SLOW) > product + 20);
}

/* Three groups; the products of the last one are awaited only by the first kernel. */
static void a_wait_is_for_all_but_the_last_groups(void **state)
{
    (void)state;
    uint64_t all = cycles(GROUP(MULTIPLY COMMIT MULTIPLY COMMIT MULTIPLY COMMIT WAIT(0)), SLOW);
    uint64_t two = cycles(GROUP(MULTIPLY COMMIT MULTIPLY COMMIT MULTIPLY COMMIT WAIT(1)), SLOW);
    uint64_t one = cycles(GROUP(MULTIPLY COMMIT MULTIPLY COMMIT MULTIPLY COMMIT WAIT(2)), SLOW);
    assert_in_range(all - two, INTERVAL - 2, INTERVAL + 2);
    assert_in_range(two - one, INTERVAL - 2, INTERVAL + 2);
    assert_true(cycles(GROUP(MULTIPLY WAIT(0)), SLOW) < one); /* what was not committed is in no group */
}

/* A small matrix takes as long as shared memory takes to give its 2304 bytes. */
static void small_products_take_the_time_of_shared_memory(void **state)
{
    (void)state;
#define QUICK "gpu.sm_count=1 sm.tensor_interval=1 sm.wgmma_latency=100"
    uint64_t four = cycles(GROUP(FOUR COMMIT WAIT(0)), QUICK);
    assert_in_range(cycles(GROUP(FOUR FOUR FOUR COMMIT WAIT(0)), QUICK) - four, 8 * 18 - 4, 8 * 18 + 4);
}

/* Cycles until the warp has issued its products. */
#define ISSUED(body)                                                                                  \
    GROUP("mov.u32 %x1, %clock;\n" body "mov.u32 %x2, %clock; sub.u32 %x3, %x2, %x1; cvt.rn.f32.u32 " \
          "%f0, %x3;\n")

static void a_warp_issues_some_products_before_the_first_is_done(void **state)
{
    (void)state;
    struct timed_case c = {
        .machine = "h200", .settings = SLOW, .mechanism = div_find("pdom"), .blocks = 1, .threads = 128};
    assert_true(timed_first_word(ISSUED(FOUR), &c) < 40);
    assert_in_range(timed_first_word(ISSUED(FOUR FOUR FOUR), &c), (12 - PRODUCTS_QUEUE) * INTERVAL - 8,
                    (12 - PRODUCTS_QUEUE) * INTERVAL + 8);
}

/* Eight warps of four threads are one row, which multiplies once. */
static void narrow_warps_multiply_together(void **state)
{
    (void)state;
    struct timed_case c = {.machine = "tiny",
                           .settings = "sm.tensor_interval=1000",
                           .mechanism = div_find("pdom"),
                           .blocks = 1,
                           .threads = 32};
    struct timed one, four;
    timed_open(&one, GROUP(MULTIPLY COMMIT WAIT(0)), &c);
    timed_open(&four, GROUP(FOUR COMMIT WAIT(0)), &c);
    assert_in_range(four.result.cycles - one.result.cycles, 3 * 572 - 50, 3 * 572 + 50);
    timed_close(&one);
    timed_close(&four);
}

static void groups_are_done_in_order(void **state)
{
    (void)state;
    struct row_products p = {0};
    assert_int_equal(products_clear(&p, 0), 0);
    products_add(&p, 500);
    assert_int_equal(products_clear(&p, 0), 0);
    products_commit(&p);
    products_add(&p, 400);
    products_commit(&p);
    assert_int_equal(products_clear(&p, 0), 500);
    assert_int_equal(products_clear(&p, 1), 500);
    assert_int_equal(products_clear(&p, 2), 0);
    for (uint64_t i = 0; i < 20; i++) {
        products_add(&p, 1000 + i);
        products_commit(&p);
    }
    for (uint32_t pending = 0; pending < PRODUCTS_GROUPS; pending++)
        assert_int_equal(products_clear(&p, pending), 1019 - pending);
    assert_int_equal(products_clear(&p, PRODUCTS_GROUPS), 0);
}

static void products_are_awaited_under_every_mechanism(void **state)
{
    (void)state;
    static const char *const machines[] = {"h200", "fermi", "vws", "tiny"};
    for (int i = 0; div_all()[i]; i++)
        for (unsigned m = 0; m < COUNTOF(machines); m++) {
            struct timed_case c = {.machine = machines[m],
                                   .settings = "gpu.sm_count=1 sm.wgmma_latency=2000",
                                   .mechanism = div_all()[i],
                                   .blocks = 2,
                                   .threads = 128};
            struct timed t;
            timed_open(&t, GROUP(FOUR COMMIT MULTIPLY COMMIT WAIT(1) ADD WAIT(0)), &c);
            assert_true(t.result.cycles > 2000);
            timed_close(&t);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_of_products_takes_the_time_of_the_tensor_cores),
        cmocka_unit_test(products_go_on_behind_their_instruction),
        cmocka_unit_test(a_wait_is_for_all_but_the_last_groups),
        cmocka_unit_test(small_products_take_the_time_of_shared_memory),
        cmocka_unit_test(a_warp_issues_some_products_before_the_first_is_done),
        cmocka_unit_test(narrow_warps_multiply_together),
        cmocka_unit_test(groups_are_done_in_order),
        cmocka_unit_test(products_are_awaited_under_every_mechanism),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
