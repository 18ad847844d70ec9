/*
 * Cooperative launches: all blocks run at the same time, and barriers over the whole grid (what grid.sync() compiles to)
 * hold in the functional engine, in the oracle, and on machines under every mechanism.
 */
#include "div/table.h"
#include "timed_bench.h"

/* The workspace's address, as cooperative groups read it: %envreg1 has the high half, %envreg2 the low one. */
#define WORKSPACE                                                           \
    "mov.u32 %r2, %envreg2; mov.u32 %r3, %envreg1; cvt.u64.u32 %a2, %r2;\n" \
    "cvt.u64.u32 %a3, %r3; shl.b64 %a3, %a3, 32; or.b64 %a2, %a2, %a3;\n"   \
    "setp.ne.u64 %p0, %a2, 0; @%p0 bra HAS; trap; HAS: add.u64 %a2, %a2, 4;\n"

/* The first thread of a block adds 1 to the barrier's word, that of block 0 the rest to 2^31, and waits until the
 * highest bit changes. */
#define GRID_SYNC(n)                                                                                                   \
    "barrier.sync 0; setp.ne.u32 %p1, %t, 0; @%p1 bra DONE" n ";\n"                                                    \
    "mov.u32 %r4, %nctaid.x; sub.u32 %r4, -2147483647, %r4; mov.u32 %r5, %ctaid.x; setp.eq.u32 %p2, %r5, 0;\n"         \
    "selp.u32 %r4, %r4, 1, %p2; atom.add.release.gpu.u32 %r6, [%a2], %r4;\n"                                           \
    "SPIN" n ": ld.acquire.gpu.u32 %r7, [%a2]; xor.b32 %r7, %r7, %r6; setp.gt.s32 %p2, %r7, -1; @%p2 bra SPIN" n ";\n" \
    "DONE" n ": barrier.sync 0;\n"

/* Six rounds: each thread takes the word of the next block's thread from one half of `out`, adds 1, and stores it in the
 * other half. Wrong unless the whole grid waits between rounds. */
enum { ROUNDS = 6 };
#define ROTATE                                                                                                     \
    HEADER ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<4>; .reg .b32 %t, %n, %r<12>; .reg .b64 %a<8>;\n" \
           "ld.param.u64 %a0, [out]; mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x; mov.u32 %r0, %ctaid.x;\n"            \
           "mad.lo.u32 %r0, %r0, %n, %t; mul.wide.u32 %a1, %r0, 4; add.u64 %a1, %a1, %a0;\n"                       \
           "mov.u32 %r1, %nctaid.x; mul.lo.u32 %r1, %r1, %n; add.u32 %r8, %r0, %n; rem.u32 %r8, %r8, %r1;\n"       \
           "mul.wide.u32 %a4, %r8, 4; add.u64 %a4, %a4, %a0; st.global.u32 [%a1], %r0;\n" WORKSPACE GRID_SYNC(     \
               "0") "mov.u32 %r9, 0;\n"                                                                            \
                    "ROUND: and.b32 %r10, %r9, 1; mul.wide.u32 %a5, %r10, 4096; add.u64 %a6, %a4, %a5;\n"          \
                    "ld.global.u32 %r11, [%a6]; add.u32 %r11, %r11, 1; xor.b32 %r10, %r10, 1;\n"                   \
                    "mul.wide.u32 %a5, %r10, 4096; add.u64 %a6, %a1, %a5; st.global.u32 [%a6], %r11;\n" GRID_SYNC( \
                        "1") "add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 6; @%p3 bra ROUND;\nret;\n}\n"

static void open_rotation(struct bench *b, uint32_t blocks, uint32_t threads)
{
    open_bench(b, ROTATE);
    b->launch.grid[0] = blocks;
    b->launch.block[0] = threads;
    b->launch.is_cooperative = true;
    b->launch.instruction_limit = 20000000;
}

static void check_rotation(struct bench *b, const struct launch_result *result, const char *name)
{
    char report[2048];
    uint32_t threads = b->launch.block[0], total = b->launch.grid[0] * threads;
    const uint32_t *words = out(b); /* an even number of rounds ends in the first half */
    if (result->fault.kind)
        fail_msg("%s: %s", name, fault_describe(&result->fault, report, sizeof report));
    for (uint32_t i = 0; i < total; i++)
        if (words[i] != (i + ROUNDS * threads) % total + ROUNDS)
            fail_msg("%s: word %u is %u", name, i, words[i]);
}

static void the_engine_keeps_all_blocks(void **state)
{
    struct bench b;
    (void)state;
    open_rotation(&b, 32, 32);
    uint64_t used = b.memory->used_bytes;
    run_on_engine(&b);
    check_rotation(&b, &b.result, "engine");
    assert_int_equal(b.memory->used_bytes, used); /* the workspace is gone */
    close_bench(&b);
}

/* A block that waits gives up its turn at once: spinning for whole quanta would take a hundred times as long. */
static void waiting_blocks_do_not_spin_for_long(void **state)
{
    struct bench b;
    (void)state;
    open_rotation(&b, 32, 32);
    run_on_engine(&b);
    check_rotation(&b, &b.result, "engine");
    assert_true(b.result.warp_instructions < 32 * (ROUNDS + 1) * 100);
    close_bench(&b);
}

static void the_oracle_gives_blocks_turns(void **state)
{
    struct bench b;
    (void)state;
    open_rotation(&b, 8, 64);
    uint64_t used = b.memory->used_bytes;
    oracle_launch(&b.launch, &b.result);
    check_rotation(&b, &b.result, "oracle");
    assert_int_equal(b.memory->used_bytes, used);
    close_bench(&b);
}

static void every_mechanism_synchronises_the_grid(void **state)
{
    static const char *const machines[] = {"tiny", "fermi", "volta"};
    (void)state;
    for (size_t m = 0; m < COUNTOF(machines); m++)
        for (int i = 0; div_all()[i]; i++) {
            struct timed_case c = {.machine = machines[m], .settings = "gpu.sm_count=2", .mechanism = div_all()[i]};
            struct machine *machine = timed_machine(&c);
            union timed_knobs knobs;
            struct gpu_run run = {.machine = machine, .mechanism = c.mechanism, .mechanism_knobs = &knobs};
            struct gpu_result result;
            struct bench b;
            char *error = NULL;
            timed_set_knobs(&c, &knobs);
            open_rotation(&b, 4, 64);
            struct code *code = code_create(b.launch.kernel, b.image, &error);
            assert_non_null(code);
            gpu_launch(&run, &b.launch, code, &result);
            check_rotation(&b, &result.launch, c.mechanism->name);
            gpu_result_free(&result);
            code_destroy(code);
            close_bench(&b);
            machine_free(machine);
        }
}

static void a_plain_launch_has_no_workspace(void **state)
{
    struct bench b;
    (void)state;
    open_rotation(&b, 2, 32);
    b.launch.is_cooperative = false;
    run_on_engine(&b);
    assert_int_equal(b.result.fault.kind, FAULT_TRAP);
    oracle_launch(&b.launch, &b.result);
    assert_int_equal(b.result.fault.kind, FAULT_TRAP);
    close_bench(&b);
}

static void too_many_blocks_are_refused(void **state)
{
    struct timed_case c = {.machine = "tiny", .mechanism = div_find("pdom")};
    struct machine *machine = timed_machine(&c);
    struct gpu_run run = {.machine = machine, .mechanism = c.mechanism};
    struct gpu_result result;
    struct bench b;
    char *error = NULL;
    (void)state;
    open_rotation(&b, 132 * 32 + 1, 32);
    run_on_engine(&b);
    assert_int_equal(b.result.fault.kind, FAULT_LAUNCH);
    assert_non_null(strstr(b.result.fault.detail, "holds 4224 of them at once"));
    struct code *code = code_create(b.launch.kernel, b.image, &error);
    gpu_launch(&run, &b.launch, code, &result);
    assert_int_equal(result.launch.fault.kind, FAULT_LAUNCH);
    assert_non_null(strstr(result.launch.fault.detail, "does not fit on 'tiny'"));
    gpu_result_free(&result);
    code_destroy(code);
    b.launch.block[0] = 1024;
    oracle_launch(&b.launch, &b.result);
    assert_int_equal(b.result.fault.kind, FAULT_LAUNCH);
    assert_non_null(strstr(b.result.fault.detail, "the oracle has no room"));
    close_bench(&b);
    machine_free(machine);
}

/* Blocks of a plain launch that wait for each other by polling are started side by side at once, too. */
static void a_block_that_polls_lets_the_next_start(void **state)
{
    struct bench b;
    (void)state;
    open_bench(&b, HEADER ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p; .reg .b32 %r<4>; .reg .b64 %a;\n"
                          "ld.param.u64 %a, [out]; mov.u32 %r0, %ctaid.x; setp.eq.u32 %p, %r0, 0; @%p bra WAIT;\n"
                          "st.global.u32 [%a], 7; ret;\n"
                          "WAIT: ld.volatile.global.u32 %r1, [%a+8]; ld.volatile.global.u32 %r2, [%a];\n"
                          "setp.eq.u32 %p, %r2, 0; @%p bra WAIT;\nst.global.u32 [%a+4], %r2; ret;\n}\n");
    b.launch.grid[0] = 2;
    run_on_engine(&b);
    assert_int_equal(b.result.fault.kind, 0);
    assert_int_equal(((uint32_t *)out(&b))[1], 7);
    assert_true(b.result.warp_instructions < 200);
    close_bench(&b);
}

/* One row polls while two others meet at a barrier, again and again, before they set its flag. A block that does more
 * than poll runs alone: at its end no other block has been started. */
static void a_block_whose_other_rows_meet_runs_alone(void **state)
{
    struct bench b;
    (void)state;
    open_bench(&b,
               HEADER ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p, %q; .reg .b32 %r<6>; .reg .b64 %a<3>;\n"
                      "ld.param.u64 %a0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, 0;\n"
                      "mul.wide.u32 %a1, %r1, 8; add.u64 %a1, %a1, %a0;\n"
                      "setp.eq.u32 %p, %r0, 0; @%p red.global.add.u32 [%a0+64], 1;\n"
                      "setp.ge.u32 %p, %r0, 32; @%p bra MEET;\n"
                      "WAIT: ld.volatile.global.u32 %r3, [%a1]; setp.eq.u32 %p, %r3, 0; @%p bra WAIT;\n"
                      "ld.volatile.global.u32 %r4, [%a0+64]; st.global.u32 [%a1+4], %r4; ret;\n"
                      "MEET: bar.sync 1, 64; add.u32 %r2, %r2, 1; setp.lt.u32 %q, %r2, 50; @%q bra MEET;\n"
                      "st.volatile.global.u32 [%a1], 1;\nret;\n}\n");
    b.launch.grid[0] = 3;
    b.launch.block[0] = 96;
    run_on_engine(&b);
    assert_int_equal(b.result.fault.kind, 0);
    for (uint32_t block = 0; block < 3; block++)
        assert_int_equal(((uint32_t *)out(&b))[2 * block + 1], block + 1);
    close_bench(&b);
}

/* Nobody sets the flag: the launch ends with a fault, and says why. */
static void a_kernel_that_waits_for_the_host_ends(void **state)
{
    struct bench b;
    (void)state;
    open_bench(&b, HEADER ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p; .reg .b32 %r<4>; .reg .b64 %a;\n"
                          "ld.param.u64 %a, [out]; W: ld.volatile.global.u32 %r1, [%a];\n"
                          "setp.eq.u32 %p, %r1, 0; @%p bra W;\nret;\n}\n");
    b.launch.grid[0] = 3;
    b.launch.instruction_limit = 0;
    b.launch.poll_limit = 10000;
    run_on_engine(&b);
    assert_int_equal(b.result.fault.kind, FAULT_LIVELOCK);
    assert_non_null(strstr(b.result.fault.detail, "cannot wait for what the host does"));
    assert_non_null(strstr(b.result.fault.instruction, "ld.volatile.global.u32"));
    close_bench(&b);
}

static const char cluster_kernel[] =
    HEADER ".visible .entry k(.param .u64 out)%s\n{\n.reg .pred %%p; .reg .b32 %%r<9>; .reg .b64 %%a<3>;\n"
           "ld.param.u64 %%a0, [out]; mov.u32 %%r0, %%ctaid.x; mov.u32 %%r1, %%nctaid.x; mov.u32 %%r2, %%ctaid.y;\n"
           "mad.lo.u32 %%r0, %%r2, %%r1, %%r0; mul.wide.u32 %%a1, %%r0, 32; add.u64 %%a0, %%a0, %%a1;\n"
           "mov.u32 %%r1, %%clusterid.x; mov.u32 %%r2, %%clusterid.y; mov.u32 %%r3, %%cluster_ctaid.x;\n"
           "mov.u32 %%r4, %%cluster_ctaid.y; mov.u32 %%r5, %%cluster_ctarank; mov.u32 %%r6, %%cluster_nctarank;\n"
           "mov.u32 %%r7, %%nclusterid.x; mov.pred %%p, %%is_explicit_cluster; selp.u32 %%r8, 1, 0, %%p;\n"
           "st.global.v4.u32 [%%a0], {%%r1, %%r2, %%r3, %%r4}; st.global.v4.u32 [%%a0+16], {%%r5, %%r6, %%r7, %%r8};\n"
           "ret;\n}\n";

static void check_clusters(struct bench *b)
{
    const uint32_t *w = out(b);
    for (uint32_t y = 0; y < 4; y++)
        for (uint32_t x = 0; x < 6; x++, w += 8) {
            const uint32_t expected[8] = {x / 3, y / 2, x % 3, y % 2, x % 3 + 3 * (y % 2), 6, 2, 1};
            assert_memory_equal(w, expected, sizeof expected);
        }
}

static void clusters_have_their_special_registers(void **state)
{
    (void)state;
    for (int demanded = 0; demanded < 2; demanded++) {
        char text[2048];
        struct bench b;
        snprintf(text, sizeof text, cluster_kernel, demanded ? " .reqnctapercluster 3, 2" : "");
        open_bench(&b, text);
        b.launch.grid[0] = 6;
        b.launch.grid[1] = 4;
        if (!demanded) {
            b.launch.cluster[0] = 3;
            b.launch.cluster[1] = 2;
        }
        run_on_engine(&b);
        assert_int_equal(b.result.fault.kind, 0);
        check_clusters(&b);
        memset(out(&b), 0, OUT_BYTES);
        oracle_launch(&b.launch, &b.result);
        assert_int_equal(b.result.fault.kind, 0);
        check_clusters(&b);
        b.launch.grid[0] = 7;
        run_on_engine(&b);
        assert_int_equal(b.result.fault.kind, FAULT_LAUNCH);
        assert_non_null(strstr(b.result.fault.detail, "no multiple of its clusters"));
        close_bench(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_engine_keeps_all_blocks),
        cmocka_unit_test(waiting_blocks_do_not_spin_for_long),
        cmocka_unit_test(the_oracle_gives_blocks_turns),
        cmocka_unit_test(every_mechanism_synchronises_the_grid),
        cmocka_unit_test(a_plain_launch_has_no_workspace),
        cmocka_unit_test(too_many_blocks_are_refused),
        cmocka_unit_test(a_block_that_polls_lets_the_next_start),
        cmocka_unit_test(a_block_whose_other_rows_meet_runs_alone),
        cmocka_unit_test(a_kernel_that_waits_for_the_host_ends),
        cmocka_unit_test(clusters_have_their_special_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
