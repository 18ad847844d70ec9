/*
 * volta on a pipeline: locks and handshakes within a warp end under every order, and are told under pdom; what barrier
 * operations cost; plans that a launch brings along; and that warp-level operations bring threads together.
 */
#include "kernel_bench.h"

#include "gpu/gpu.h"
#include "recon/place_barriers.h"
#include "run/request.h"

#define REGS         ".reg .pred %p<4>; .reg .b32 %t, %r<8>; .reg .b64 %a<4>;\n"
#define START        "mov.u32 %t, %tid.x; ld.param.u64 %a0, [out]; mul.wide.u32 %a1, %t, 4; add.u64 %a1, %a1, %a0;\n"
#define KERNEL(body) HEADER ".visible .entry k(.param .u64 out)\n{\n" REGS START body "\n}\n"

struct ran {
    struct gpu_result result;
    uint32_t out[OUT_BYTES / 4];
};

/* Runs `text` with these options, under a plan or, if it is NULL, that of post-dominators. */
static void run_with(struct ran *r, const char *text, const char *words, uint32_t blocks, uint32_t threads,
                     struct barrier_plan *(*make)(const struct program *))
{
    struct bench b;
    struct run_request request;
    char *error = NULL;
    open_bench(&b, text);
    request_open(&request);
    if (!options_take_text(&request.options, words, &error) || !request_settle(&request, &error))
        fail_msg("%s", error);
    struct code *code = code_create(b.launch.kernel, b.image, &error);
    assert_non_null(code);
    b.launch.grid[0] = blocks;
    b.launch.block[0] = threads;
    b.launch.instruction_limit = 5000000;
    memset(out(&b), 0, OUT_BYTES);
    struct barrier_plan *plan = make ? make(code_program(code)) : NULL;
    struct gpu_run run = *request.gpu;
    run.barriers = plan;
    gpu_launch(&run, &b.launch, code, &r->result);
    memcpy(r->out, out(&b), OUT_BYTES);
    barrier_plan_destroy(plan);
    code_destroy(code);
    request_close(&request);
    close_bench(&b);
}

static uint64_t count(const struct ran *r, const char *path)
{
    struct stat_result all = {r->result.parts, r->result.part_count};
    _Bool found = 0;
    uint64_t value = stat_get(&all, path, &found);
    if (!found)
        fail_msg("nobody counts %s", path);
    return value;
}

static const char *const settings[] = {
    "--mech volta",
    "--mech volta --set volta.order=oldest",
    "--mech volta --set volta.order=most-threads",
    "--mech volta --set volta.order=round-robin",
    "--mech volta --set volta.barrier_cost=no",
    "--mech volta --set volta.merge=yes",
    "--mech volta --set volta.memory_switch=yes",
    "--mech volta --set volta.yield_limit=1000000 --set volta.patience_cycles=3000 --set volta.timeout_cycles=1000",
};

/* Ends under volta with this in out[index], on two machines; under pdom it is told to hang. */
static void expect_end(const char *text, uint32_t threads, int index, uint32_t value)
{
    struct ran r;
    static const char *const machines[] = {"--gpu volta ", "--gpu tiny "};
    for (size_t m = 0; m < COUNTOF(machines); m++) {
        char words[256];
        for (size_t i = 0; i < COUNTOF(settings); i++) {
            snprintf(words, sizeof words, "%s%s", machines[m], settings[i]);
            run_with(&r, text, words, 1, threads, NULL);
            if (r.result.launch.fault.kind || r.out[index] != value)
                fail_msg("%s: '%s', %u instead of %u\n%s", words, fault_text[r.result.launch.fault.kind], r.out[index],
                         value, r.result.deadlock ? r.result.deadlock : "");
            gpu_result_free(&r.result);
        }
        snprintf(words, sizeof words, "%s--mech pdom", machines[m]);
        run_with(&r, text, words, 1, threads, NULL);
        assert_true(r.result.launch.fault.kind == FAULT_LIVELOCK || r.result.launch.fault.kind == FAULT_DEADLOCK);
        assert_non_null(strstr(r.result.deadlock, "held back by pdom"));
        gpu_result_free(&r.result);
    }
}

#define CRITICAL "ld.volatile.global.u32 %r2, [%a0+4]; add.u32 %r2, %r2, 1; st.volatile.global.u32 [%a0+4], %r2;\n"

static void a_spin_lock_within_a_warp(void **state)
{
    (void)state;
    expect_end(KERNEL("L: atom.global.cas.b32 %r1, [%a0], 0, 1; setp.ne.u32 %p0, %r1, 0;\n@%p0 bra L;\n" CRITICAL
                      "membar.gl; atom.global.exch.b32 %r3, [%a0], 0; ret;"),
               48, 1, 48);
}

/* Whoever takes a ticket late may be the first to be looked for. */
static void a_ticket_lock_within_a_warp(void **state)
{
    (void)state;
    expect_end(KERNEL("setp.lt.u32 %p1, %t, 3; @%p1 bra T; add.u32 %r4, %r4, 1;\n"
                      "T: atom.global.add.u32 %r1, [%a0], 1;\n"
                      "L: ld.volatile.global.u32 %r3, [%a0+8]; setp.ne.u32 %p0, %r3, %r1;\n@%p0 bra L;\n" CRITICAL
                      "membar.gl; add.u32 %r3, %r1, 1; st.volatile.global.u32 [%a0+8], %r3; ret;"),
               48, 1, 48);
}

/* Odd threads wait for the one below; the waiting side is taken, and so runs first. All then count. */
#define HANDSHAKE(load)                                                          \
    KERNEL("and.b32 %r1, %t, 1; setp.ne.u32 %p0, %r1, 0; @%p0 bra W;\n"          \
           "mov.u32 %r3, 1; st.volatile.global.u32 [%a1+128], %r3; bra E;\n"     \
           "W: " load " %r2, [%a1+124]; setp.eq.u32 %p1, %r2, 0;\n@%p1 bra W;\n" \
           "E: atom.global.add.u32 %r4, [%a0], 1; ret;")

static void a_producer_and_a_consumer_in_one_warp(void **state)
{
    (void)state;
    expect_end(HANDSHAKE("ld.volatile.global.u32"), 32, 0, 32);
}

/* Nothing says that the loop waits for others: only time does. */
static void a_consumer_that_does_not_yield(void **state)
{
    (void)state;
    expect_end(HANDSHAKE("ld.global.u32"), 32, 0, 32);
}

/* One waits at a block barrier for those who wait for it where the sides meet. */
static void a_block_barrier_on_one_side(void **state)
{
    (void)state;
    struct ran r;
    static const char text[] = KERNEL("setp.lt.u32 %p0, %t, 7; @%p0 bra A; add.u32 %r1, %r1, 1; bra B;\n"
                                      "A: barrier.sync 0; bra C;\nB: add.u32 %r2, %r2, 1;\n"
                                      "C: @!%p0 barrier.sync 0; atom.global.add.u32 %r4, [%a0], 1; ret;");
    for (size_t i = 0; i < COUNTOF(settings); i++) {
        char words[256];
        snprintf(words, sizeof words, "--gpu volta %s", settings[i]);
        run_with(&r, text, words, 2, 70, NULL);
        assert_int_equal(r.result.launch.fault.kind, 0);
        assert_int_equal(r.out[0], 140);
        gpu_result_free(&r.result);
    }
}

/* ---- cost ---- */

#define IF                                                                                                 \
    KERNEL("setp.lt.u32 %p0, %t, 8;\n@%p0 bra A;\nadd.u32 %r1, %r1, 1;\nbra B;\nA: add.u32 %r1, %r1, 2;\n" \
           "B: add.u32 %r1, %r1, 3; st.global.u32 [%a1], %r1; ret;")
enum { PC_MEET = 9 }; /* four of START, setp, bra, add, bra, add */

/* A join, and a wait of each side. */
static void operations_take_issue_slots(void **state)
{
    (void)state;
    struct ran with, without;
    run_with(&with, IF, "--gpu tiny --set sm.warp_width=32 --set sm.simd_width=32 --mech volta", 1, 32, NULL);
    run_with(&without, IF,
             "--gpu tiny --set sm.warp_width=32 --set sm.simd_width=32 --mech volta --set volta.barrier_cost=no", 1, 32,
             NULL);
    assert_int_equal(count(&with, "sm.syncs"), 3);
    assert_int_equal(count(&with, "sm.W0_Sync"), 3);
    assert_int_equal(count(&without, "sm.syncs"), 0);
    assert_int_equal(count(&with, "volta.joins"), 1);
    assert_int_equal(count(&with, "volta.waits"), 2);
    assert_int_equal(count(&without, "volta.waits"), 2);
    assert_true(with.result.cycles > without.result.cycles);
    assert_int_equal(count(&with, "sm.warp_instructions"), count(&without, "sm.warp_instructions"));
    assert_int_equal(with.result.sites[PC_MEET].issues, 1);
    assert_int_equal(without.result.sites[PC_MEET].issues, 1);
    gpu_result_free(&with.result);
    gpu_result_free(&without.result);
}

/* The join issues while the branch waits for its predicate; the two waits are what is left to pay. */
static void operations_wait_for_no_register(void **state)
{
    (void)state;
    struct ran with, without;
    run_with(&with, IF, "--gpu volta --mech volta", 1, 32, NULL);
    run_with(&without, IF, "--gpu volta --mech volta --set volta.barrier_cost=no", 1, 32, NULL);
    assert_int_equal(count(&with, "sm.syncs"), 3);
    assert_int_equal(with.result.cycles, without.result.cycles + 2);
    gpu_result_free(&with.result);
    gpu_result_free(&without.result);
}

/* ---- plans of the launch ---- */

static void threads_meet_where_the_launchs_plan_says(void **state)
{
    (void)state;
    struct ran r;
    run_with(&r, IF, "--gpu volta --mech volta", 1, 32, barrier_plan_create); /* nowhere */
    assert_int_equal(r.result.sites[PC_MEET].issues, 2);
    assert_int_equal(count(&r, "volta.joins"), 0);
    gpu_result_free(&r.result);
    run_with(&r, IF, "--gpu volta --mech volta", 1, 32, barriers_place);
    assert_int_equal(r.result.sites[PC_MEET].issues, 1);
    gpu_result_free(&r.result);
}

/* ---- warp-level operations ---- */

/* They part at a branch that has no barrier, and meet at the operation that names them all. */
static void a_rendezvous_brings_threads_together(void **state)
{
    (void)state;
    struct ran r;
    static const char text[] = KERNEL("setp.lt.u32 %p0, %t, 8;\n@%p0 bra A;\nadd.u32 %r1, %r1, 1;\nbra B;\n"
                                      "A: add.u32 %r1, %r1, 2;\nB: bar.warp.sync 0xffffffff; add.u32 %r1, %r1, 3;\n"
                                      "st.global.u32 [%a1], %r1; ret;");
    run_with(&r, text, "--gpu volta --mech volta", 1, 32, barrier_plan_create);
    assert_int_equal(r.result.launch.fault.kind, 0);
    assert_int_equal(r.result.sites[PC_MEET].issues, 2);     /* comes in two groups */
    assert_int_equal(r.result.sites[PC_MEET + 1].issues, 1); /* and leaves as one */
    assert_int_equal(r.out[7], 5);
    assert_int_equal(r.out[8], 4);
    gpu_result_free(&r.result);
}

/* So does a block barrier, also within a warp whose other threads come later. */
static void a_block_barrier_brings_threads_together(void **state)
{
    (void)state;
    struct ran r;
    static const char text[] = KERNEL("setp.lt.u32 %p0, %t, 8;\n@%p0 bra A;\nadd.u32 %r1, %r1, 1;\nbra B;\n"
                                      "A: add.u32 %r1, %r1, 2;\nB: barrier.sync 0; add.u32 %r1, %r1, 3;\n"
                                      "st.global.u32 [%a1], %r1; ret;");
    run_with(&r, text, "--gpu volta --mech volta", 1, 32, barrier_plan_create);
    assert_int_equal(r.result.launch.fault.kind, 0);
    assert_int_equal(r.result.sites[PC_MEET].issues, 2);
    assert_int_equal(r.result.sites[PC_MEET + 1].issues, 1);
    assert_int_equal(r.out[7], 5);
    assert_int_equal(r.out[8], 4);
    gpu_result_free(&r.result);
}

/* Twenty ifs within each other have sixteen registers. */
static void barriers_without_a_register_are_counted(void **state)
{
    (void)state;
    struct ran r;
    struct text t = {0};
    text_printf(&t, "%s", HEADER ".visible .entry k(.param .u64 out)\n{\n" REGS START "mov.u32 %r1, 0;\n");
    for (int i = 0; i < 20; i++)
        text_printf(&t, "setp.lt.u32 %%p0, %%t, %d; @%%p0 bra E%d;\nadd.u32 %%r1, %%r1, 1;\n", i, i);
    for (int i = 19; i >= 0; i--)
        text_printf(&t, "E%d: add.u32 %%r1, %%r1, 1;\n", i);
    text_printf(&t, "st.global.u32 [%%a1], %%r1; ret;\n}\n");
    run_with(&r, t.data, "--gpu volta --mech volta", 2, 64, NULL);
    assert_int_equal(r.result.launch.fault.kind, 0);
    assert_int_equal(count(&r, "volta.dropped_barriers"), 4);
    for (int i = 0; i < 64; i++) /* an add for each if that it enters, and for each end behind */
        assert_int_equal(r.out[i], i < 19 ? 2 * i + 3 : 40);
    gpu_result_free(&r.result);
    text_free(&t);
}

/* Each side of the branch loads a line of its own and adds to what it got. With the switch the second side loads while
 * the first waits, so the two waits overlap. */
static void a_group_that_waits_for_memory_gives_way(void **state)
{
    (void)state;
    static const char text[] = KERNEL("setp.lt.u32 %p0, %t, 16; @%p0 bra B;\n"
                                      "ld.global.u32 %r1, [%a0+1024]; add.u32 %r1, %r1, 5; bra D;\n"
                                      "B: ld.global.u32 %r1, [%a0+2048]; add.u32 %r1, %r1, 7;\n"
                                      "D: st.global.u32 [%a1], %r1; ret;");
    struct ran keeps, switches;
    run_with(&keeps, text, "--gpu volta --mech volta", 1, 32, NULL);
    run_with(&switches, text, "--gpu volta --mech volta --set volta.memory_switch=yes", 1, 32, NULL);
    for (int i = 0; i < 32; i++) {
        assert_int_equal(keeps.out[i], i < 16 ? 7 : 5);
        assert_int_equal(switches.out[i], i < 16 ? 7 : 5);
    }
    assert_int_equal(count(&keeps, "volta.switches"), 0);
    assert_in_range(count(&switches, "volta.switches"), 1, 3);
    assert_int_equal(count(&switches, "sm.warp_instructions"), count(&keeps, "sm.warp_instructions"));
    /* One of the two waits for DRAM, some 400 cycles each, is hidden. */
    assert_true(switches.result.cycles + 200 < keeps.result.cycles);
    gpu_result_free(&keeps.result);
    gpu_result_free(&switches.result);
}

/* Both sides wait for a line that is far away, while three loads of each hit. Neither side gives way to the other, which
 * waits as well, when the data of a hit comes: after the first switch there is one more, to the side whose line is
 * there. */
static void groups_that_all_wait_do_not_take_turns(void **state)
{
    (void)state;
#define HITS "ld.global.u32 %r2, [%a0+512]; ld.global.u32 %r3, [%a0+516]; ld.global.u32 %r4, [%a0+520];\n"
    static const char text[] = KERNEL("ld.global.u32 %r5, [%a0+512]; add.u32 %r5, %r5, 1;\n"
                                      "setp.lt.u32 %p0, %t, 16; @%p0 bra B;\n"
                                      "ld.global.u32 %r1, [%a0+1024]; " HITS "add.u32 %r1, %r1, 5; bra D;\n"
                                      "B: ld.global.u32 %r1, [%a0+2048]; " HITS "add.u32 %r1, %r1, 7;\n"
                                      "D: st.global.u32 [%a1], %r1; ret;");
#undef HITS
    struct ran r;
    run_with(&r, text, "--gpu volta --mech volta --set volta.memory_switch=yes", 1, 32, NULL);
    assert_in_range(count(&r, "volta.switches"), 1, 2);
    gpu_result_free(&r.result);
}

/* The side that runs first waits for two loads one after the other, the other side for one. When the data of the other
 * side comes, it must run, though the first side still waits. */
static void a_group_whose_data_came_runs_first(void **state)
{
    (void)state;
    static const char text[] = KERNEL("ld.global.u32 %r5, [%a0+512];\nsetp.lt.u32 %p0, %t, 16; @%p0 bra B;\n"
                                      "ld.global.u32 %r1, [%a0+512]; add.u32 %r1, %r1, 5; "
                                      "ld.global.u32 %r2, [%a0+1024]; add.u32 %r1, %r1, %r2; bra D;\n"
                                      "B: ld.global.u32 %r1, [%a0+2048]; add.u32 %r1, %r1, 7;\n"
                                      "D: st.global.u32 [%a1], %r1; ret;");
    struct ran keeps, switches;
    run_with(&keeps, text, "--gpu volta --mech volta", 1, 32, NULL);
    run_with(&switches, text, "--gpu volta --mech volta --set volta.memory_switch=yes", 1, 32, NULL);
    assert_memory_equal(keeps.out, switches.out, 128);
    assert_true(count(&switches, "volta.switches") >= 2);
    assert_true(switches.result.cycles < keeps.result.cycles);
    gpu_result_free(&keeps.result);
    gpu_result_free(&switches.result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spin_lock_within_a_warp),
        cmocka_unit_test(a_ticket_lock_within_a_warp),
        cmocka_unit_test(a_producer_and_a_consumer_in_one_warp),
        cmocka_unit_test(a_consumer_that_does_not_yield),
        cmocka_unit_test(a_block_barrier_on_one_side),
        cmocka_unit_test(operations_take_issue_slots),
        cmocka_unit_test(operations_wait_for_no_register),
        cmocka_unit_test(threads_meet_where_the_launchs_plan_says),
        cmocka_unit_test(a_rendezvous_brings_threads_together),
        cmocka_unit_test(a_block_barrier_brings_threads_together),
        cmocka_unit_test(a_group_that_waits_for_memory_gives_way),
        cmocka_unit_test(groups_that_all_wait_do_not_take_turns),
        cmocka_unit_test(a_group_whose_data_came_runs_first),
        cmocka_unit_test(barriers_without_a_register_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
