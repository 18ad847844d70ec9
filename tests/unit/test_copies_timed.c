/* The time of bulk copies on machines: all their lines go through the memory system, and what waits for a copy waits as
 * long as its bytes take. */
#include "div/table.h"
#include "timed_bench.h"

/* Thread 0 makes an mbarrier for one arrival; %r2 and %r3: addresses of the tile and of the mbarrier. */
#define COPIES(body)                                                                                           \
    KERNEL(".shared .align 128 .b8 tile[8192]; .shared .align 8 .b64 bar; .reg .b32 %x<4>; .reg .b64 %s<2>;\n" \
           "mov.u32 %r2, tile; mov.u32 %r3, bar; mov.u32 %r1, 0; setp.eq.u32 %p0, %t, 0;\n"                    \
           "@%p0 mbarrier.init.shared.b64 [%r3], 1; bar.sync 0;\n" body)
#define EXPECT(bytes) "@%p0 mbarrier.arrive.expect_tx.shared.b64 %s0, [%r3], " #bytes ";\n"
#define LOAD(bytes) \
    "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%a0], " #bytes ", [%r3];\n"
#define TRY_OF(parity) "TRY: mbarrier.try_wait.parity.shared.b64 %p1, [%r3], " parity "; @!%p1 bra TRY;\n"
#define TRY            TRY_OF("0")
#define TEST           "TEST: mbarrier.test_wait.parity.shared.b64 %p1, [%r3], 0; @!%p1 bra TEST;\n"
#define READ           "mad.lo.u32 %r4, %t, 4, %r2; ld.shared.u32 %r1, [%r4];\n"

#define STORE(bytes) "@%p0 cp.async.bulk.global.shared::cta.bulk_group [%a0+4096], [%r2], " #bytes ";\n"
#define COMMIT       "@%p0 cp.async.bulk.commit_group;\n"
#define WAIT(n)      "@%p0 cp.async.bulk.wait_group " #n ";\n"
#define WAIT_READ(n) "@%p0 cp.async.bulk.wait_group.read " #n ";\n"

#define ONE_SM "gpu.sm_count=1 "

static uint64_t cycles(const char *kernel, const char *settings)
{
    struct timed_case c = {
        .machine = "h200", .settings = settings, .mechanism = div_find("pdom"), .blocks = 1, .threads = 64};
    struct timed t;
    timed_open_polling(&t, kernel, &c);
    uint64_t value = t.result.cycles;
    timed_close(&t);
    return value;
}

static uint64_t lines(const char *kernel)
{
    struct timed_case c = {
        .machine = "h200", .settings = ONE_SM, .mechanism = div_find("pdom"), .blocks = 1, .threads = 64};
    struct timed with, without;
    timed_open_polling(&with, kernel, &c);
    timed_open(&without, COPIES(""), &c);
    uint64_t value = with.result.sm.transactions - without.result.sm.transactions;
    timed_close(&with);
    timed_close(&without);
    return value;
}

static void all_lines_of_a_copy_are_counted(void **state)
{
    (void)state;
    assert_int_equal(lines(COPIES(EXPECT(16) LOAD(16) TRY)), 1);
    assert_int_equal(lines(COPIES(EXPECT(1024) LOAD(1024) TRY)), 8);
    assert_int_equal(lines(COPIES(EXPECT(8192) LOAD(8192) TRY)), 64);
    assert_int_equal(lines(COPIES(STORE(4096) COMMIT WAIT(0))), 32);
    assert_int_equal(lines(COPIES(STORE(4096))), 32); /* though nobody waits */
}

static void a_phase_is_complete_when_its_bytes_have_come(void **state)
{
    (void)state;
    uint64_t without = cycles(COPIES(EXPECT(0) TRY READ), ONE_SM);
    uint64_t small = cycles(COPIES(EXPECT(128) LOAD(128) TRY READ), ONE_SM);
    assert_in_range(small - without, 600, 1000); /* the latency of DRAM */
    uint64_t polled = cycles(COPIES(EXPECT(128) LOAD(128) TEST READ), ONE_SM);
    assert_in_range(polled, small - 60, small + 60);
    uint64_t large = cycles(COPIES(EXPECT(8192) LOAD(8192) TRY READ), ONE_SM);
    assert_true(large >= small + 32); /* 64 lines instead of one, of which a crossbar brings one per cycle */
}

/* A copy engine that takes longer keeps the consumer waiting as much longer, and nobody else. */
static void a_consumer_waits_as_long_as_the_copy_takes(void **state)
{
    (void)state;
#define FAST "gpu.sm_count=1 sm.bulk_latency=100"
#define SLOW "gpu.sm_count=1 sm.bulk_latency=5100"
    const char *blocking = COPIES(EXPECT(2048) LOAD(2048) TRY READ);
    const char *polling = COPIES(EXPECT(2048) LOAD(2048) TEST READ);
    assert_in_range(cycles(blocking, SLOW) - cycles(blocking, FAST), 4990, 5010);
    assert_in_range(cycles(polling, SLOW) - cycles(polling, FAST), 4900, 5100);
    /* The wait knows its phase only when a load has come. */
    const char *late = COPIES(EXPECT(2048) LOAD(2048) "ld.shared.u32 %x1, [%r2+8184];\n" TRY_OF("%x1") READ);
    assert_in_range(cycles(late, SLOW) - cycles(late, FAST), 4990, 5010);
    const char *by_group = COPIES(STORE(2048) COMMIT WAIT(0)), *by_read = COPIES(STORE(2048) COMMIT WAIT_READ(0));
    assert_in_range(cycles(by_group, SLOW) - cycles(by_group, FAST), 4990, 5010);
    assert_in_range(cycles(by_read, SLOW) - cycles(by_read, FAST), 4990, 5010);
    const char *quick = "gpu.sm_count=1 sm.bulk_store_latency=80", *slow = "gpu.sm_count=1 sm.bulk_store_latency=5080";
    assert_in_range(cycles(by_group, slow) - cycles(by_group, quick), 4990, 5010);
}

static void groups_are_awaited_one_by_one(void **state)
{
    (void)state;
#define CLOCK(body) COPIES("mov.u32 %x0, %clock;\n" body "mov.u32 %x1, %clock; sub.u32 %r1, %x1, %x0;\n")
/* The wait knows its threads only when a load has come. */
#define LATE_WAIT                                                        \
    "ld.shared.u32 %r4, [%r2+8184]; setp.eq.and.u32 %p3, %r4, 0, %p0;\n" \
    "@%p3 cp.async.bulk.wait_group 0;\n"
#define TWO STORE(2048) COMMIT STORE(2048) COMMIT
    struct timed_case c = {
        .machine = "h200", .settings = FAST, .mechanism = div_find("pdom"), .blocks = 1, .threads = 1};
    static const char *const kernels[] = {CLOCK(TWO WAIT(0)),         CLOCK(TWO WAIT(1)),
                                          CLOCK(TWO WAIT(2)),         CLOCK(TWO WAIT_READ(0)),
                                          CLOCK(STORE(2048) WAIT(0)), CLOCK(STORE(2048) COMMIT LATE_WAIT)};
    uint32_t took[COUNTOF(kernels)];
    for (unsigned i = 0; i < COUNTOF(kernels); i++)
        took[i] = timed_first_word(kernels[i], &c);
    assert_int_equal(took[0], took[3]);
    assert_in_range(took[0] - took[1], 60, 68); /* the second group: 2048 bytes */
    assert_true(took[1] > took[2] + 100);       /* the copy engine's latency */
    assert_true(took[2] < 100);
    assert_true(took[5] > took[2] + 100);
    assert_true(took[4] < 100); /* what was not committed is in no group */
}

/* Copies from and to shared memory. */
#define PEER                                                                                                       \
    "add.u32 %r5, %r2, 4096;\n@%p0 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r5], " \
    "[%r2], 4096, [%r3];\n"
#define ST_ASYNC "@%p0 st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r2], 7, [%r3];\n"

static void copies_within_shared_memory_take_time(void **state)
{
    (void)state;
    const char *peer = COPIES(EXPECT(4096) PEER TRY READ), *store = COPIES(EXPECT(4) ST_ASYNC TRY READ);
    assert_in_range(cycles(peer, SLOW) - cycles(peer, FAST), 4990, 5010);
    assert_in_range(cycles(store, SLOW) - cycles(store, FAST), 4990, 5010);
    assert_in_range(cycles(peer, FAST) - cycles(store, FAST), 190, 210); /* 4096 bytes, 21 per cycle */
    const char *two = COPIES(EXPECT(8192) PEER PEER TRY READ);
    assert_in_range(cycles(two, FAST) - cycles(peer, FAST), 190, 210); /* one after the other */
}

/* A map (device/tensor_map.h) of 32 rows of 64 bytes, 128 bytes apart, with boxes of 16 rows; %a2: its address. */
#define MAP                                                                                                           \
    "add.u64 %a2, %a0, 7168; st.global.u32 [%a2], 0x504d5448; st.global.u32 [%a2+4], 2; st.global.u64 [%a2+16], %a0;" \
    "st.global.u64 [%a2+24], 128; st.global.u32 [%a2+56], 64; st.global.u32 [%a2+60], 32;"                            \
    "st.global.u32 [%a2+76], 0x100040; mov.u32 %x2, 0;\n"
#define BOX(row)                                                                                                     \
    "mov.u32 %x3, " #row ";\n@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes " \
    "[%r2], [%a2, {%x2, %x3}], [%r3];\n"
#define BOX_STORE                                                                                          \
    "mov.u32 %x3, 0;\n@%p0 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%a2, {%x2, %x3}], " \
    "[%r2];\n" COMMIT WAIT(0)

static void copies_of_tensors_touch_the_rows_of_their_box(void **state)
{
    (void)state;
    uint64_t map = lines(COPIES(MAP));
    assert_int_equal(lines(COPIES(MAP EXPECT(1024) BOX(0) TRY)), map + 16);
    assert_int_equal(lines(COPIES(MAP EXPECT(1024) BOX(24) TRY)), map + 8); /* half of the box is outside */
    assert_int_equal(lines(COPIES(MAP EXPECT(1024) BOX(40) TRY)), map);     /* all of it */
    assert_int_equal(lines(COPIES(MAP BOX_STORE)), map + 16);
    const char *load = COPIES(MAP EXPECT(1024) BOX(0) TRY READ), *store = COPIES(MAP BOX_STORE);
    const char *outside = COPIES(MAP EXPECT(1024) BOX(40) TRY READ);
    assert_in_range(cycles(load, SLOW) - cycles(load, FAST), 4990, 5010);
    assert_in_range(cycles(store, SLOW) - cycles(store, FAST), 4990, 5010);
    assert_in_range(cycles(outside, SLOW) - cycles(outside, FAST), 4990, 5010);
}

/* The first block of two copies for both, which wait at their own mbarriers. */
#define MULTICAST                                                                                                  \
    HEADER                                                                                                         \
    ".visible .entry k(.param .u64 out) .reqnctapercluster 2, 1, 1\n{\n.shared .align 128 .b8 tile[8192];\n"       \
    ".shared .align 8 .b64 bar; .reg .pred %p<4>; .reg .b32 %t, %n, %r<8>, %x<4>; .reg .b64 %a<4>, %s<2>;\n"       \
    "ld.param.u64 %a0, [out]; mov.u32 %t, %tid.x; mov.u32 %r0, %ctaid.x; mov.u32 %r2, tile;\n"                     \
    "mov.u32 %r3, bar; mov.u32 %r1, 0; setp.eq.u32 %p0, %t, 0;\n" MAP                                              \
    "@%p0 mbarrier.init.shared.b64 [%r3], 1;\n" EXPECT(                                                            \
        1024) "barrier.cluster.arrive; barrier.cluster.wait;\nsetp.eq.and.u32 %p2, %r0, 0, %p0; mov.u32 %x3, 0;\n" \
              "@%p2 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"              \
              ".multicast::cluster [%r2], [%a2, {%x2, %x3}], [%r3], 3;\n" TRY                                      \
              "barrier.cluster.arrive; barrier.cluster.wait; ret;\n}\n"

static void a_multicast_reads_memory_once(void **state)
{
    (void)state;
    struct timed_case c = {
        .machine = "h200", .settings = SLOW, .mechanism = div_find("pdom"), .blocks = 2, .threads = 32};
    struct timed t;
    timed_open_polling(&t, MULTICAST, &c);
    assert_int_equal(timed_count(&t, "l1d.bypasses"), 16);
    assert_true(t.result.cycles > 5000);
    timed_close(&t);
}

/* Threads that ask again and again do nothing new for long, but the copy will end; it may do so during any phase of a
 * close look for livelocks. */
static void polling_for_a_slow_copy_is_no_livelock(void **state)
{
    (void)state;
    static const char *const slow[] = {"gpu.sm_count=1 sm.bulk_latency=40000", "gpu.sm_count=1 sm.bulk_latency=60000",
                                       "gpu.sm_count=1 sm.bulk_latency=100000"};
    for (unsigned i = 0; i < COUNTOF(slow); i++) {
        struct timed_case c = {
            .machine = "h200", .settings = slow[i], .mechanism = div_find("pdom"), .blocks = 1, .threads = 1024};
        struct timed t;
        timed_open_polling(&t, COPIES(EXPECT(2048) LOAD(2048) TEST READ), &c);
        assert_true(t.result.cycles > 40000);
        timed_close(&t);
    }
}

static void copies_are_awaited_under_every_mechanism(void **state)
{
    (void)state;
    static const char *const machines[] = {"h200", "fermi", "vws", "tiny"};
    for (int i = 0; div_all()[i]; i++)
        for (unsigned m = 0; m < COUNTOF(machines); m++) {
            struct timed_case c = {.machine = machines[m],
                                   .settings = "gpu.sm_count=1 sm.bulk_latency=3000",
                                   .mechanism = div_all()[i],
                                   .blocks = 3,
                                   .threads = 64};
            struct timed t;
            timed_open_polling(&t, COPIES(EXPECT(2048) LOAD(2048) TRY READ), &c);
            assert_true(t.result.cycles > 3000);
            timed_close(&t);
            timed_open_polling(&t, COPIES(EXPECT(2048) LOAD(2048) TEST READ), &c);
            assert_true(t.result.cycles > 3000);
            timed_close(&t);
            timed_open_polling(&t, COPIES(STORE(1024) COMMIT STORE(16) COMMIT WAIT(1) WAIT_READ(0)), &c);
            assert_true(t.result.cycles > 3000);
            timed_close(&t);
            timed_open_polling(&t, COPIES(STORE(1024) EXPECT(4096) PEER), &c); /* blocks end before their copies */
            timed_close(&t);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_lines_of_a_copy_are_counted),
        cmocka_unit_test(a_phase_is_complete_when_its_bytes_have_come),
        cmocka_unit_test(a_consumer_waits_as_long_as_the_copy_takes),
        cmocka_unit_test(groups_are_awaited_one_by_one),
        cmocka_unit_test(copies_within_shared_memory_take_time),
        cmocka_unit_test(copies_of_tensors_touch_the_rows_of_their_box),
        cmocka_unit_test(a_multicast_reads_memory_once),
        cmocka_unit_test(polling_for_a_slow_copy_is_no_livelock),
        cmocka_unit_test(copies_are_awaited_under_every_mechanism),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
