/*
 * dwf and dwf-wb on a pipeline, under every scheduling policy: kernels with barriers and rendezvous leave the memory
 * that the engine leaves, in the same time whether or not idle cycles are visited; and the starvation eddy that warp
 * barriers confine.
 */
#include "gpu/gpu.h"
#include "kernel_bench.h"
#include "sched/sched.h"

#define KERNEL(body)                                                                                         \
    HEADER ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<4>; .reg .b32 %t, %n, %r<8>; .reg .b64 "    \
           "%a<4>;\n"                                                                                        \
           "ld.param.u64 %a0, [out]; mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x; mov.u32 %r0, %ctaid.x;\n"      \
           "mad.lo.u32 %r0, %r0, %n, %t; mul.wide.u32 %a1, %r0, 4; add.u64 %a1, %a1, %a0;\n" body            \
           "\nst.global.u32 [%a1], %r1;\nret;\n}\n"

struct shape {
    const char *machine, *mechanism, *scheduler;
    uint32_t blocks, threads;
    const char *home; /* that knob of the mechanism; NULL: its default */
};

static struct machine *machine_of(const struct shape *shape)
{
    char *error = NULL, setting[64];
    struct machine *m = machine_load(shape->machine, &error);
    assert_non_null(m);
    snprintf(setting, sizeof setting, "sm.scheduler=%s", shape->scheduler);
    if (!machine_set(m, setting, &error))
        fail_msg("%s", error);
    return m;
}

static void run_on(struct bench *b, const struct gpu_run *run, struct gpu_result *result, int32_t *pcs)
{
    char *error = NULL;
    struct code *code = code_create(b->launch.kernel, b->image, &error);
    assert_non_null(code);
    memset(out(b), 0, OUT_BYTES);
    gpu_launch(run, &b->launch, code, result);
    if (result->deadlock)
        fail_msg("%s", result->deadlock);
    assert_int_equal(result->launch.fault.kind, 0);
    *pcs = code_program(code)->insn_count;
    code_destroy(code);
}

/* Runs it on the engine, and on the machine twice. Returns how often the last store issued. */
static uint64_t last_stores(const char *text, const struct shape *shape)
{
    static union {
        uint64_t align;
        char bytes[256];
    } knobs;
    struct bench b;
    struct gpu_result result, slow;
    uint8_t expected[OUT_BYTES];
    int32_t pcs;
    struct gpu_run run = {
        .machine = machine_of(shape), .mechanism = div_find(shape->mechanism), .mechanism_knobs = &knobs};
    char *error = NULL;
    knob_defaults(run.mechanism->knobs, &knobs);
    assert_true(!shape->home || knob_set(run.mechanism->knobs, &knobs, "home", shape->home, &error));
    open_bench(&b, text);
    b.launch.grid[0] = shape->blocks;
    b.launch.block[0] = shape->threads;
    run_on_engine(&b);
    assert_int_equal(b.result.fault.kind, 0);
    memcpy(expected, out(&b), OUT_BYTES);
    run_on(&b, &run, &result, &pcs);
    assert_memory_equal(out(&b), expected, OUT_BYTES);
    assert_int_equal(result.sm.thread_instructions, b.result.thread_instructions);
    run.visit_every_cycle = true;
    run_on(&b, &run, &slow, &pcs);
    assert_int_equal(result.cycles, slow.cycles);
    assert_memory_equal(result.mechanism, slow.mechanism, run.mechanism->stats->bytes);
    uint64_t issues = result.sites[pcs - 2].issues;
    gpu_result_free(&result);
    gpu_result_free(&slow);
    machine_free((struct machine *)run.machine);
    close_bench(&b);
    return issues;
}

/* Two warps of four; thread 3 of each takes the other side, which is as long. */
#define EDDY                                                                                                 \
    "and.b32 %r2, %t, 3; setp.eq.u32 %p0, %r2, 3; mov.u32 %r1, %t;\n@%p0 bra C;\n"                           \
    "B: add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 2; add.u32 %r1, %r1, 3; bra D;\n"                             \
    "C: add.u32 %r1, %r1, 4; add.u32 %r1, %r1, 5; add.u32 %r1, %r1, 6;\n"                                    \
    "D: add.u32 %r1, %r1, 7;"

/* Most threads are at B, so majority lets those at C wait until B's have ended. Behind D two strands hold three threads
 * each, and then two hold one each; with a warp barrier at D, as with a stack, two hold all. */
static void threads_that_fall_behind_do_not_meet_again(void **state)
{
    (void)state;
    assert_int_equal(last_stores(KERNEL(EDDY), &(struct shape){"tiny", "dwf", "majority", 1, 8, NULL}), 4);
    assert_int_equal(last_stores(KERNEL(EDDY), &(struct shape){"tiny", "dwf-wb", "majority", 1, 8, NULL}), 2);
    assert_int_equal(last_stores(KERNEL(EDDY), &(struct shape){"tiny", "pdom", "majority", 1, 8, NULL}), 2);
}

/* A loop that threads leave at different times, a barrier, and a vote. */
#define MEETINGS                                                                                             \
    "and.b32 %r2, %t, 7; mov.u32 %r1, 0;\n"                                                                  \
    "L: add.u32 %r1, %r1, %r2; setp.eq.u32 %p0, %r2, 0; @%p0 bra M; sub.u32 %r2, %r2, 1; bra L;\n"           \
    "M: st.global.u32 [%a1], %r1;\nbarrier.sync 0;\n"                                                        \
    "sub.u32 %r3, %n, 1; sub.u32 %r3, %r3, %t; sub.u32 %r4, %r0, %t; add.u32 %r3, %r3, %r4;\n"               \
    "mul.wide.u32 %a2, %r3, 4; add.u64 %a2, %a2, %a0; ld.global.u32 %r5, [%a2];\nbarrier.sync 0;\n"          \
    "and.b32 %r6, %t, 1; setp.eq.u32 %p1, %r6, 0;\n@%p1 bra E;\nadd.u32 %r5, %r5, 3;\n"                      \
    "E: shfl.sync.bfly.b32 %r7, %r5, 1, 31, -1;\nadd.u32 %r1, %r1, %r7;"

static void barriers_and_rendezvous_open_under_every_policy(void **state)
{
    for (const struct sched_ops *const *s = sched_all(); *s; s++) {
        last_stores(KERNEL(MEETINGS), &(struct shape){"tiny", *state, (*s)->name, 4, 64, NULL});
        last_stores(KERNEL(MEETINGS), &(struct shape){"fermi", *state, (*s)->name, 5, 96, "warp"});
        last_stores(KERNEL(MEETINGS), &(struct shape){"fx5800", *state, (*s)->name, 5, 96, "simd"});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_fall_behind_do_not_meet_again),
        cmocka_unit_test_prestate(barriers_and_rendezvous_open_under_every_policy, "dwf"),
        cmocka_unit_test_prestate(barriers_and_rendezvous_open_under_every_policy, "dwf-wb"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
