/*
 * Warpgroups: wgmma.wait_group lets no warp go before all four have come, in the functional engine, in the oracle, and
 * on machines under every mechanism; and it waits for no other warpgroup. Descriptors name shared memory of the block.
 */
#include "div/table.h"
#include "timed_bench.h"

enum { GROUPS = 2, THREADS = 128 * GROUPS, ROUNDS = 3 };

/* Warps come late by their number in the warpgroup. In each round a warp writes its word, multiplies, waits, and adds
 * up the words of its warpgroup. The two barriers of a round keep the words until all have read them. */
#define MULTIPLY                                                                                          \
    ".version 8.0\n.target sm_90a\n.address_size 64\n"                                                    \
    ".visible .entry k(.param .u64 out)\n{\n"                                                             \
    ".shared .align 1024 .b8 tile[4096]; .shared .align 16 .b32 words[8];\n"                              \
    ".reg .pred %p<6>; .reg .b32 %t, %r<16>; .reg .b64 %a<8>; .reg .f32 %f<4>;\n"                         \
    "ld.param.u64 %a0, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %a1, %t, 4; add.u64 %a1, %a1, %a0;\n"      \
    "mov.u32 %r0, tile; shr.u32 %r0, %r0, 4; cvt.u64.u32 %a2, %r0; or.b64 %a2, %a2, 0x1000080000;\n"      \
    "shr.u32 %r2, %t, 5; mov.u32 %r3, words; mad.lo.u32 %r4, %r2, 4, %r3; and.b32 %r5, %r2, 4;\n"         \
    "mad.lo.u32 %r5, %r5, 4, %r3; and.b32 %r6, %r2, 3; mov.u32 %r1, 0; mov.u32 %r7, 0;\n"                 \
    "mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;\n"                    \
    "ROUND: mul.lo.u32 %r8, %r6, 50;\n"                                                                   \
    "LATE: setp.eq.u32 %p0, %r8, 0; @%p0 bra COME; sub.u32 %r8, %r8, 1; bra LATE;\n"                      \
    "COME: add.u32 %r9, %r7, %r2; add.u32 %r9, %r9, 1; st.shared.u32 [%r4], %r9;\n"                       \
    "wgmma.fence.sync.aligned;\n"                                                                         \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %a2, %a2, 1, 1, 1, 0, 0;\n"  \
    "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"                                \
    "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r5]; add.u32 %r1, %r1, %r10; add.u32 %r1, %r1, %r11;\n" \
    "add.u32 %r1, %r1, %r12; add.u32 %r1, %r1, %r13;\n"                                                   \
    "bar.sync 0; st.shared.u32 [%r4], 0; bar.sync 0;\n"                                                   \
    "add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 3; @%p1 bra ROUND;\n"                                     \
    "st.global.u32 [%a1], %r1;\nret;\n}\n"

/* The second warpgroup waits at a barrier that the first one comes to after its product only. */
#define APART                                                                                                \
    ".version 8.0\n.target sm_90a\n.address_size 64\n"                                                       \
    ".visible .entry k(.param .u64 out)\n{\n"                                                                \
    ".reg .pred %p; .reg .b32 %t; .reg .b64 %a<2>;\n"                                                        \
    "ld.param.u64 %a0, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %a1, %t, 4; add.u64 %a1, %a1, %a0;\n"         \
    "setp.lt.u32 %p, %t, 128; @%p bra FIRST;\nbar.sync 1, 256; wgmma.wait_group.sync.aligned 0; bra DONE;\n" \
    "FIRST: wgmma.wait_group.sync.aligned 0; bar.sync 1, 256;\n"                                             \
    "DONE: st.global.u32 [%a1], %t;\nret;\n}\n"

static void open_products(struct bench *b, const char *text)
{
    open_bench(b, text);
    b->launch.block[0] = THREADS;
    b->launch.instruction_limit = 2000000;
}

static uint32_t sum_of(uint32_t thread)
{
    uint32_t sum = 0;
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (uint32_t warp = 0; warp < 4; warp++)
            sum += round + thread / 128 * 4 + warp + 1;
    return sum;
}

static uint32_t thread_of(uint32_t thread)
{
    return thread;
}

static void check(struct bench *b, const struct launch_result *result, uint32_t (*wanted)(uint32_t), const char *name)
{
    char report[2048];
    const uint32_t *words = out(b);
    if (result->fault.kind)
        fail_msg("%s: %s", name, fault_describe(&result->fault, report, sizeof report));
    for (uint32_t i = 0; i < THREADS; i++)
        if (words[i] != wanted(i))
            fail_msg("%s: word %u is %u, not %u", name, i, words[i], wanted(i));
}

static void run_everywhere(const char *text, uint32_t (*wanted)(uint32_t))
{
    static const char *const machines[] = {"fermi", "h200"};
    struct bench b;
    open_products(&b, text);
    run_on_engine(&b);
    check(&b, &b.result, wanted, "engine");
    memset(out(&b), 0, 4 * THREADS);
    oracle_launch(&b.launch, &b.result);
    check(&b, &b.result, wanted, "oracle");
    close_bench(&b);
    for (size_t m = 0; m < COUNTOF(machines); m++)
        for (int i = 0; div_all()[i]; i++) {
            struct timed_case c = {.machine = machines[m],
                                   .settings = "gpu.sm_count=1",
                                   .mechanism = div_all()[i],
                                   .blocks = 1,
                                   .threads = THREADS};
            struct timed t;
            timed_open(&t, text, &c); /* leaves what the engine leaves */
            timed_close(&t);
        }
}

static void warps_of_a_warpgroup_wait_for_each_other(void **state)
{
    (void)state;
    run_everywhere(MULTIPLY, sum_of);
}

static void warpgroups_do_not_wait_for_each_other(void **state)
{
    (void)state;
    run_everywhere(APART, thread_of);
}

/* Both blocks of a cluster multiply what their own shared memory holds: 1 and 2, sixteen times. */
#define OWN                                                                                                       \
    ".version 8.0\n.target sm_90a\n.address_size 64\n"                                                            \
    ".visible .entry k(.param .u64 out)\n.reqnctapercluster 2\n{\n.shared .align 1024 .b32 tile[1024];\n"         \
    ".reg .pred %p; .reg .b32 %t, %r<8>; .reg .b64 %a<4>; .reg .f32 %f<4>;\n"                                     \
    "ld.param.u64 %a0, [out]; mov.u32 %t, %tid.x; mov.u32 %r1, %cluster_ctarank; mad.lo.u32 %r0, %r1, 128, %t;\n" \
    "mul.wide.u32 %a1, %r0, 4; add.u64 %a1, %a1, %a0; setp.eq.u32 %p, %r1, 0;\n"                                  \
    "selp.u32 %r2, 0x3c003c00, 0x40004000, %p; mov.u32 %r3, tile; mad.lo.u32 %r4, %t, 4, %r3; mov.u32 %r5, 0;\n"  \
    "FILL: st.shared.u32 [%r4], %r2; add.u32 %r4, %r4, 512; add.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, 8;\n"       \
    "@%p bra FILL; bar.sync 0; and.b32 %r3, %r3, 0x3ffff; shr.u32 %r3, %r3, 4; cvt.u64.u32 %a2, %r3;\n"           \
    "or.b64 %a2, %a2, 0x1000080000; mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0;\n"               \
    "mov.f32 %f3, %f0; wgmma.fence.sync.aligned;\n"                                                               \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %a2, %a2, 1, 1, 1, 0, 0;\n"          \
    "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"                                        \
    "add.f32 %f0, %f0, %f3; cvt.rzi.u32.f32 %r6, %f0; st.global.u32 [%a1], %r6;\nret;\n}\n"

static uint32_t product_of(uint32_t thread)
{
    return thread < 128 ? 2 * 16 : 2 * 16 * 4;
}

static void descriptors_name_the_own_shared_memory(void **state)
{
    struct bench b;
    (void)state;
    open_bench(&b, OWN);
    b.launch.grid[0] = 2;
    b.launch.block[0] = 128;
    run_on_engine(&b);
    check(&b, &b.result, product_of, "engine");
    memset(out(&b), 0, 4 * THREADS);
    oracle_launch(&b.launch, &b.result);
    check(&b, &b.result, product_of, "oracle");
    close_bench(&b);
}

/* The fourth warp waits elsewhere: the report names the instruction at which the others wait. */
static void a_warp_that_does_not_come_is_missed(void **state)
{
    struct bench b;
    (void)state;
    open_products(&b, ".version 8.0\n.target sm_90a\n.address_size 64\n"
                      ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p; .reg .b32 %t;\n"
                      "mov.u32 %t, %tid.x; setp.lt.u32 %p, %t, 96; @%p bra GO; bar.sync 1, 64;\n"
                      "GO: wgmma.wait_group.sync.aligned 0;\nret;\n}\n");
    b.launch.block[0] = 128;
    run_on_engine(&b);
    assert_int_equal(b.result.fault.kind, FAULT_DEADLOCK);
    assert_non_null(strstr(b.result.fault.detail, "wait at wgmma"));
    oracle_launch(&b.launch, &b.result);
    assert_int_equal(b.result.fault.kind, FAULT_DEADLOCK);
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warps_of_a_warpgroup_wait_for_each_other),
        cmocka_unit_test(warpgroups_do_not_wait_for_each_other),
        cmocka_unit_test(descriptors_name_the_own_shared_memory),
        cmocka_unit_test(a_warp_that_does_not_come_is_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
