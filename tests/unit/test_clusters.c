/*
 * Clusters, barriers in memory and asynchronous copies: what they leave in memory in the functional engine, in the
 * oracle, and on machines under every mechanism; and what is refused.
 */
#include "div/table.h"
#include "exec/race/race.h"
#include "timed_bench.h"

#define START                                                                                    \
    ".reg .pred %p<6>; .reg .b32 %t, %n, %r<16>; .reg .b64 %a<8>;\n"                             \
    "ld.param.u64 %a0, [out]; mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x; mov.u32 %r0, %ctaid.x;\n" \
    "mad.lo.u32 %r0, %r0, %n, %t; mul.wide.u32 %a1, %r0, 4; add.u64 %a1, %a1, %a0;\n"
#define SHARED     ".shared .align 16 .b32 tile[128]; .shared .align 8 .b64 bar;\n"
#define CLUSTER(n) HEADER SHARED ".visible .entry k(.param .u64 out)\n.reqnctapercluster " n "\n{\n" START
#define ALONE      HEADER SHARED ".visible .entry k(.param .u64 out)\n{\n" START
#define END        "st.global.u32 [%a1], %r1;\nret;\n}\n"

/* Six rounds: each thread takes the word of the next block's thread from its shared memory and adds 1. */
enum { ROUNDS = 6, BLOCKS = 4, THREADS = 48 };
#define ROTATE                                                                                       \
    CLUSTER("4")                                                                                     \
    "mov.u32 %r2, tile; mad.lo.u32 %r2, %t, 4, %r2; st.shared.u32 [%r2], %r0; mov.u32 %r3, 0;\n"     \
    "mov.u32 %r4, %cluster_ctarank; add.u32 %r4, %r4, 1; and.b32 %r4, %r4, 3;\n"                     \
    "mapa.shared::cluster.u32 %r5, %r2, %r4;\n"                                                      \
    "ROUND: barrier.cluster.arrive.release; barrier.cluster.wait.acquire;\n"                         \
    "ld.shared::cluster.u32 %r1, [%r5]; add.u32 %r1, %r1, 1;\n"                                      \
    "barrier.cluster.arrive; add.u32 %r3, %r3, 1; barrier.cluster.wait; st.shared.u32 [%r2], %r1;\n" \
    "setp.lt.u32 %p0, %r3, 6; @%p0 bra ROUND;\n" END

/* The first warp copies what the second one's threads need, 16 bytes each, and both meet at an mbarrier, twice. */
#define HAND_OVER                                                                                                  \
    ALONE "mov.u32 %r8, bar; setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared.b64 [%r8], 64;\n"                   \
          "mul.lo.u32 %r9, %r0, 3; add.u32 %r9, %r9, 1; st.global.u32 [%a1+4096], %r9; bar.sync 0;\n"              \
          "mov.u32 %r10, 0; mov.u32 %r1, 0; mov.u32 %r2, tile; mad.lo.u32 %r2, %t, 4, %r2; xor.b32 %r3, %t, 37;\n" \
          "mov.u32 %r4, tile; mad.lo.u32 %r4, %r3, 4, %r4;\n"                                                      \
          "ROUND: cp.async.ca.shared.global [%r2], [%a1+4096], 4;\n"                                               \
          "cp.async.mbarrier.arrive.noinc.shared.b64 [%r8];\n"                                                     \
          "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [%r8], %r10; @!%p2 bra WAIT;\n"                          \
          "ld.shared.u32 %r5, [%r4]; add.u32 %r1, %r1, %r5; bar.sync 0;\n"                                         \
          "add.u32 %r10, %r10, 1; setp.lt.u32 %p3, %r10, 2; @%p3 bra ROUND;\n" END

static void run_with(struct bench *b, const struct timed_case *c, bool visit_every_cycle, struct gpu_result *result)
{
    struct machine *machine = timed_machine(c);
    union timed_knobs knobs;
    struct gpu_run run = {.machine = machine,
                          .mechanism = c->mechanism,
                          .mechanism_knobs = &knobs,
                          .visit_every_cycle = visit_every_cycle};
    char *error = NULL;
    timed_set_knobs(c, &knobs);
    struct code *code = code_create(b->launch.kernel, b->image, &error);
    assert_non_null(code);
    gpu_launch(&run, &b->launch, code, result);
    code_destroy(code);
    machine_free(machine);
}

static void run_on_machine(struct bench *b, const char *machine_name, const struct div_ops *mechanism,
                           struct gpu_result *result)
{
    struct timed_case c = {.machine = machine_name, .settings = "gpu.sm_count=2", .mechanism = mechanism};
    run_with(b, &c, false, result);
}

static void open_rotation(struct bench *b)
{
    open_bench(b, ROTATE);
    b->launch.grid[0] = 2 * BLOCKS;
    b->launch.block[0] = THREADS;
    b->launch.instruction_limit = 2000000;
}

static void check_rotation(struct bench *b, const struct launch_result *result, const char *name)
{
    char report[2048];
    const uint32_t *words = out(b);
    if (result->fault.kind)
        fail_msg("%s: %s", name, fault_describe(&result->fault, report, sizeof report));
    for (uint32_t i = 0; i < 2 * BLOCKS * THREADS; i++) {
        uint32_t cluster = i / (BLOCKS * THREADS) * BLOCKS * THREADS, place = i - cluster;
        uint32_t wanted = cluster + (place + ROUNDS * THREADS) % (BLOCKS * THREADS) + ROUNDS;
        if (words[i] != wanted)
            fail_msg("%s: word %u is %u, not %u", name, i, words[i], wanted);
    }
}

static void open_hand_over(struct bench *b)
{
    open_bench(b, HAND_OVER);
    b->launch.grid[0] = 3;
    b->launch.block[0] = 64;
    b->launch.instruction_limit = 2000000;
}

static void check_hand_over(struct bench *b, const struct launch_result *result, const char *name)
{
    char report[2048];
    const uint32_t *words = out(b);
    if (result->fault.kind)
        fail_msg("%s: %s", name, fault_describe(&result->fault, report, sizeof report));
    for (uint32_t i = 0; i < 3 * 64; i++)
        if (words[i] != 2 * (3 * (i ^ 37) + 1))
            fail_msg("%s: word %u is %u", name, i, words[i]);
}

static void blocks_of_a_cluster_meet(void **state)
{
    struct bench b;
    (void)state;
    open_rotation(&b);
    run_on_engine(&b);
    check_rotation(&b, &b.result, "engine");
    memset(out(&b), 0, OUT_BYTES);
    oracle_launch(&b.launch, &b.result);
    check_rotation(&b, &b.result, "oracle");
    close_bench(&b);
}

static void every_mechanism_synchronises_clusters(void **state)
{
    (void)state;
    for (int i = 0; div_all()[i]; i++) {
        struct gpu_result result;
        struct bench b;
        open_rotation(&b);
        run_on_machine(&b, "fermi", div_all()[i], &result);
        check_rotation(&b, &result.launch, div_all()[i]->name);
        gpu_result_free(&result);
        close_bench(&b);
    }
}

/* A multiprocessor has room for one, two or three blocks, and the cluster has four. The second cluster starts when the
 * first one has ended. */
static void clusters_are_spread_over_multiprocessors(void **state)
{
    static const char *const settings[] = {"gpu.sm_count=5 sm.max_blocks=1", "gpu.sm_count=2 sm.max_blocks=2",
                                           "gpu.sm_count=3 sm.max_blocks=3"};
    (void)state;
    for (size_t k = 0; k < COUNTOF(settings); k++)
        for (int i = 0; div_all()[i]; i++) {
            struct timed_case c = {.machine = "fermi", .settings = settings[k], .mechanism = div_all()[i]};
            uint64_t cycles[2];
            for (int every = 0; every < 2; every++) {
                struct gpu_result result;
                struct bench b;
                open_rotation(&b);
                run_with(&b, &c, every, &result);
                check_rotation(&b, &result.launch, div_all()[i]->name);
                cycles[every] = result.cycles;
                gpu_result_free(&result);
                close_bench(&b);
            }
            assert_int_equal(cycles[0], cycles[1]);
        }
}

/* Threads of one block arrive again before others of it have left the barrier. Each round a thread writes the round's
 * number, and behind the barrier it counts the times that the other block's thread is behind. */
static void some_threads_may_be_a_phase_ahead(void **state)
{
    struct timed_case c = {.machine = "fermi",
                           .settings = "gpu.sm_count=2 sm.max_blocks=1 mem.crossbar_latency=1000",
                           .mechanism = div_find("pdom")};
    struct gpu_result result;
    struct bench b;
    (void)state;
    open_bench(&b, CLUSTER("2") "mov.u32 %r3, %cluster_ctarank; xor.b32 %r6, %r3, 1; mov.u32 %r7, tile;\n"
                                "mad.lo.u32 %r7, %t, 4, %r7; mapa.shared::cluster.u32 %r8, %r7, %r6;\n"
                                "shr.u32 %r2, %t, 5; mad.lo.u32 %r2, %r3, 2, %r2; mov.u32 %r4, 1; mov.u32 %r1, 0;\n"
                                "ROUND: mad.lo.u32 %r5, %r4, 7, %r2; mul.lo.u32 %r5, %r5, 13; rem.u32 %r5, %r5, 11;\n"
                                "st.shared.u32 [%r7], %r4; barrier.cluster.arrive;\n"
                                "LATE: setp.eq.u32 %p0, %r5, 0; @%p0 bra COME; sub.u32 %r5, %r5, 1; bra LATE;\n"
                                "COME: barrier.cluster.wait; ld.shared::cluster.u32 %r9, [%r8];\n"
                                "setp.lt.u32 %p2, %r9, %r4; selp.u32 %r9, 1, 0, %p2; add.u32 %r1, %r1, %r9;\n"
                                "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 200; @%p1 bra ROUND;\n"
                                "barrier.cluster.arrive; barrier.cluster.wait;\n" END);
    b.launch.grid[0] = 2;
    b.launch.block[0] = 64;
    b.launch.instruction_limit = 2000000;
    run_with(&b, &c, false, &result);
    assert_int_equal(result.launch.fault.kind, 0);
    for (int i = 0; i < 128; i++)
        assert_int_equal(((const uint32_t *)out(&b))[i], 0);
    gpu_result_free(&result);
    close_bench(&b);
}

static void mbarriers_order_copies(void **state)
{
    struct bench b;
    (void)state;
    open_hand_over(&b);
    run_on_engine(&b);
    check_hand_over(&b, &b.result, "engine");
    memset(out(&b), 0, 4096);
    oracle_launch(&b.launch, &b.result);
    check_hand_over(&b, &b.result, "oracle");
    close_bench(&b);
}

static void every_mechanism_waits_at_mbarriers(void **state)
{
    static const char *const machines[] = {"fermi", "volta", "h200"};
    (void)state;
    for (size_t m = 0; m < COUNTOF(machines); m++)
        for (int i = 0; div_all()[i]; i++) {
            struct gpu_result result;
            struct bench b;
            open_hand_over(&b);
            run_on_machine(&b, machines[m], div_all()[i], &result);
            check_hand_over(&b, &result.launch, div_all()[i]->name);
            gpu_result_free(&result);
            close_bench(&b);
        }
}

/* Data that a copy or another block brings is no race, if an mbarrier or the barrier of the cluster comes between. */
static void lawful_copies_are_no_races(void **state)
{
    struct bench b;
    (void)state;
    void (*const opens[])(struct bench *) = {open_rotation, open_hand_over};
    for (size_t i = 0; i < COUNTOF(opens); i++) {
        opens[i](&b);
        b.launch.race = race_create();
        run_on_engine(&b);
        assert_int_equal(b.result.fault.kind, 0);
        assert_int_equal(race_count(b.launch.race), 0);
        race_destroy(b.launch.race);
        close_bench(&b);
    }
}

/* Waiting for copies takes until memory has answered; the same copies without a wait take less. */
static void waiting_for_copies_takes_time(void **state)
{
#define COPIES(wait)                                                                                    \
    ALONE "mov.u32 %r2, tile; mad.lo.u32 %r2, %t, 4, %r2; cp.async.ca.shared.global [%r2], [%a1], 4;\n" \
          "mov.u32 %r3, %clock; " wait " mov.u32 %r4, %clock; sub.u32 %r1, %r4, %r3;\n" END
    static const char *const texts[] = {COPIES(""), COPIES("cp.async.wait_all;")};
    uint32_t cycles[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct gpu_result result;
        struct bench b;
        open_bench(&b, texts[i]);
        b.launch.block[0] = 32;
        run_on_machine(&b, "fermi", div_find("pdom"), &result);
        assert_int_equal(result.launch.fault.kind, 0);
        cycles[i] = *(uint32_t *)out(&b);
        gpu_result_free(&result);
        close_bench(&b);
    }
    assert_true(cycles[1] > cycles[0] + 200);
}

/* One block waits at the barrier of the cluster, the other at its own for threads that never come. */
static void a_cluster_that_waits_for_ever_is_found(void **state)
{
    struct bench b;
    (void)state;
    open_bench(&b, CLUSTER("2") "mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p0, %r1, 0; @%p0 bra.uni HERE;\n"
                                "barrier.sync 1, 96;\nHERE: barrier.cluster.arrive; barrier.cluster.wait;\n" END);
    b.launch.grid[0] = 2;
    b.launch.block[0] = 64;
    run_on_engine(&b);
    assert_int_equal(b.result.fault.kind, FAULT_DEADLOCK);
    oracle_launch(&b.launch, &b.result);
    assert_int_equal(b.result.fault.kind, FAULT_DEADLOCK);
    close_bench(&b);
}

/* The shared memory of a block that has ended is out of reach. */
static void a_block_that_ended_is_out_of_reach(void **state)
{
    struct bench b;
    (void)state;
    open_bench(&b,
               CLUSTER("2") "mov.u32 %r1, %cluster_ctarank; setp.ne.u32 %p0, %r1, 0; @%p0 exit;\n"
                            "mov.u32 %r3, 0;\nWAIT: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 100000; @%p1 bra WAIT;\n"
                            "barrier.cluster.arrive; barrier.cluster.wait;\n"
                            "mov.u32 %r2, tile; mapa.shared::cluster.u32 %r2, %r2, 1; ld.shared::cluster.u32 %r1, "
                            "[%r2];\n" END);
    b.launch.grid[0] = 2;
    run_on_engine(&b);
    assert_int_equal(b.result.fault.kind, FAULT_OUT_OF_BOUNDS);
    oracle_launch(&b.launch, &b.result);
    assert_int_equal(b.result.fault.kind, FAULT_OUT_OF_BOUNDS);
    close_bench(&b);
}

static void a_cluster_that_does_not_fit_is_refused(void **state)
{
    struct gpu_result result;
    struct bench b;
    (void)state;
    open_rotation(&b);
    b.launch.block[0] = 1024;
    run_on_machine(&b, "fermi", div_find("pdom"), &result);
    assert_int_equal(result.launch.fault.kind, FAULT_LAUNCH);
    assert_non_null(strstr(result.launch.fault.detail, "a cluster of 4 blocks does not fit"));
    gpu_result_free(&result);
    close_bench(&b);
}

/* A bulk copy of a number of bytes that is no multiple of 16, and one from an address that is none. */
static void bulk_copies_are_aligned(void **state)
{
#define BULK(bytes, offset)                                                                                   \
    ALONE "mov.u32 %r8, bar; mbarrier.init.shared.b64 [%r8], 1; mov.u32 %r2, tile; mov.u32 %r3, " bytes ";\n" \
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%a0+" offset             \
          "], %r3, [%r8];\n" END
    static const char *const texts[] = {BULK("24", "0"), BULK("32", "8")};
    struct bench b;
    (void)state;
    for (int i = 0; i < 2; i++) {
        open_bench(&b, texts[i]);
        run_on_engine(&b);
        assert_int_equal(b.result.fault.kind, FAULT_MISALIGNED);
        oracle_launch(&b.launch, &b.result);
        assert_int_equal(b.result.fault.kind, FAULT_MISALIGNED);
        close_bench(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_a_cluster_meet),
        cmocka_unit_test(every_mechanism_synchronises_clusters),
        cmocka_unit_test(clusters_are_spread_over_multiprocessors),
        cmocka_unit_test(some_threads_may_be_a_phase_ahead),
        cmocka_unit_test(mbarriers_order_copies),
        cmocka_unit_test(every_mechanism_waits_at_mbarriers),
        cmocka_unit_test(lawful_copies_are_no_races),
        cmocka_unit_test(waiting_for_copies_takes_time),
        cmocka_unit_test(a_cluster_that_waits_for_ever_is_found),
        cmocka_unit_test(a_block_that_ended_is_out_of_reach),
        cmocka_unit_test(a_cluster_that_does_not_fit_is_refused),
        cmocka_unit_test(bulk_copies_are_aligned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
